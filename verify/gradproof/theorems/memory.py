"""What programs that share memory owe: bounds, no races, all of a result written. Trusted.

A launch is many programs that run in any order, each over lanes, and turns of loops. What they
touch is said as data, access by access; cells that two accesses touch are compared by their index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import sympy

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, substitute
from gradproof.language.terms import Sym, Term, Terms, Triple
from gradproof.theorems.sequents import Sequent, Theorem

LOAD, STORE, ADD = "load", "store", "add"
BOUNDS, RACES, LANES, LAST, READS, WRITTEN, ALIKE = (
    "in bounds",
    "no two programs meet",
    "no two lanes meet without a barrier",
    "what is written last stays",
    "nothing is read after it is overwritten",
    "every cell is written",
    "the same for all blocks",
)


@dataclass(frozen=True)
class Access:
    """Cells that a statement touches: the index of one, for programs, turns and lanes.

    `order` is its place among the statements of the program, `phase` how many barriers are before
    it; `alike` are programs all of which do the same there, so that they may meet. `line` is the
    user's.
    """

    kind: str
    array: str
    index: Terms
    dims: Terms
    programs: tuple[Triple, ...]
    turns: tuple[Triple, ...]
    lanes: tuple[Triple, ...]
    when: Terms
    order: int
    line: str
    alike: tuple[Sym, ...] = ()
    phase: int = 0

    @property
    def held(self) -> Terms:
        """What holds where it is touched; integers that are read are within their span."""
        terms = (*self.index, *self.when, *(e for _, *ends in self.over for e in ends))
        return tuple(dict.fromkeys((*spans_read(terms), *self.when)))

    @property
    def over(self) -> tuple[Triple, ...]:
        return (*self.programs, *self.turns, *self.lanes)


@dataclass(frozen=True)
class Result:
    """An array of which each cell is to be written, and when one is, by a writer that is named."""

    array: str
    cell: tuple[Triple, ...]
    written: Term
    line: str


@dataclass(frozen=True)
class Launch:
    """What one launch of programs does to memory, where `given` holds of sizes."""

    name: str
    given: Terms
    accesses: tuple[Access, ...]
    results: tuple[Result, ...] = ()


def spans_read(terms: Iterable[Term]) -> Iterator[Term]:
    """That the integers which terms read are between those that are declared."""
    for u in (u for term in terms for u in t.walk(term)):
        if isinstance(u, t.Read) and u.array.span:
            yield from t.in_range(u, *u.array.span).args


def memory_theorems(launch: Launch) -> Iterator[Theorem]:
    for access in dict.fromkeys(launch.accesses):
        yield said_of_launch(launch, BOUNDS, access, (within_array(access),))
    for one, other in meeting_pairs(launch.accesses):
        if met := tuple(apart_in_memory(one, other)):
            yield said_of_launch(launch, RACES, one, met, other)
        if other.kind == LOAD and (found := tuple(not_overwritten(one, other))):
            yield said_of_launch(launch, READS, one, found, other)
        if {one.kind, other.kind} == {STORE} and one is not other:
            earlier, later = sorted((one, other), key=lambda a: a.order)
            if found := tuple(not_overwritten(later, earlier)):
                yield said_of_launch(launch, LAST, later, found, earlier)
        if one is not other and not is_across_a_barrier(one, other):
            yield said_of_launch(launch, LANES, one, (same_lane(one, other),), other)
    for result in launch.results:
        sequent = Sequent(result.cell, (), result.written)
        name = f"{launch.name}: {WRITTEN}, {result.array}"
        yield Theorem(name, "claim", str(result.written), launch.given, (sequent,), equation=name)


def said_of_launch(
    launch: Launch,
    what: str,
    one: Access,
    sequents: tuple[Sequent, ...],
    other: Access | None = None,
) -> Theorem:
    also = f" and {other.line}" if other is not None and other.line != one.line else ""
    kind = "in bounds" if what is BOUNDS else "claim"
    shown = "; ".join(dict.fromkeys(str(s.then) for s in sequents))
    name = f"{launch.name}: {what}, {one.array}: {one.line}{also}"
    return Theorem(name, kind, shown, launch.given, sequents, equation=name)


def within_array(access: Access) -> Sequent:
    return Sequent(access.over, access.held, t.inside(access.index, access.dims))


def meeting_pairs(accesses: tuple[Access, ...]) -> Iterator[tuple[Access, Access]]:
    """Each that writes, with itself and with all that touch the same array."""
    writing = [a for a in accesses if a.kind != LOAD]
    for number, one in enumerate(writing):
        for other in (*writing[number:], *(a for a in accesses if a.kind == LOAD)):
            if one.array == other.array and {one.kind, other.kind} != {ADD}:
                yield one, other


def apart_in_memory(one: Access, other: Access) -> Iterator[Sequent]:
    """Who touches one cell is one program; in one store it is one lane of one turn, too."""
    second, names = of_another(other)
    held, apart = touching(one, second)
    programs = [s for s, *_ in one.programs if s not in one.alike or s not in other.alike]
    over = (*one.over, *second.over)
    if programs:
        goal = t.And(*(t.Eq(s, names[s]) for s in programs))
        yield Sequent(over, held, t.Or(apart, goal))
    if one is other and one.lanes:
        once = tuple(t.Eq(s, names[s]) for s, *_ in (*one.programs, *one.turns))
        goal = t.And(*(t.Eq(s, names[s]) for s, *_ in one.lanes))
        yield Sequent(over, (*held, *once), t.Or(apart, goal))


def is_across_a_barrier(one: Access, other: Access) -> bool:
    """Whether a barrier is between two statements of a program, in all turns that both are of."""
    turns = {s for s, *_ in one.turns}
    shared = any(s in turns for s, *_ in other.turns)
    reads_first = other.kind == LOAD and other.order < one.order
    both_write = LOAD not in (one.kind, other.kind)
    return one.phase != other.phase and (not shared or reads_first or both_write)


def same_lane(one: Access, other: Access) -> Sequent:
    """What two statements of a program touch between the same barriers, the same lane touches."""
    second, names = of_another(other)
    held, apart = touching(one, second)
    own = tuple(t.Eq(s, names[s]) for s, *_ in one.programs)
    over = (*one.over, *second.over)
    if len(one.lanes) != len(second.lanes):
        return Sequent(over, (*held, *own), apart)
    pairs = zip(one.lanes, second.lanes, strict=True)
    same = t.And(*(t.Eq(s, o) for (s, *_), (o, *_) in pairs))
    return Sequent(over, (*held, *own), t.Or(apart, same))


def not_overwritten(one: Access, other: Access) -> Iterator[Sequent]:
    """What a program has written, it does not read later."""
    second, names = of_another(other)
    held, apart = touching(one, second)
    own = tuple(t.Eq(s, names[s]) for s, *_ in one.programs)
    later = coming_later(one, other, names)
    if later is not None:
        yield Sequent((*one.over, *second.over), (*held, *own, later), apart)


def coming_later(one: Access, other: Access, names: Mapping[Term, Term]) -> Term | None:
    """That the second comes after the first, in one program: by turns of the loops around both."""
    own = {s for s, *_ in other.turns}
    common = [s for s, *_ in one.turns if s in own]
    cases = [
        t.And(*(t.Eq(s, names[s]) for s in common[:n]), t.relation(t.Lt, s, names[s]))
        for n, s in enumerate(common)
    ]
    if one.order < other.order:
        cases.append(t.And(*(t.Eq(s, names[s]) for s in common)))
    return t.Or(*cases) if cases else None


def touching(one: Access, second: Access) -> tuple[Terms, Term]:
    """What holds where both touch memory, and that it is not the same cell."""
    equal = (t.Eq(a, b) for a, b in zip(one.index, second.index, strict=True))
    return (*one.held, *second.held), t.Not(t.And(*equal))


def of_another(access: Access) -> tuple[Access, dict[Term, Term]]:
    """The same of other programs, turns and lanes."""
    names: dict[Term, Term] = {s: Sym(f"other_{s.name}") for s, *_ in access.over}
    terms = (*access.index, *access.when, *(e for _, *ends in access.over for e in ends))
    fresh = Fresh(*terms, *names.values())

    def put(term: Term) -> Term:
        return substitute(term, names, fresh)

    def ranges(triples: tuple[Triple, ...]) -> tuple[Triple, ...]:
        return tuple(sympy.Tuple(names[s], put(a), put(b)) for s, a, b in triples)

    second = Access(
        access.kind,
        access.array,
        tuple(map(put, access.index)),
        access.dims,
        ranges(access.programs),
        ranges(access.turns),
        ranges(access.lanes),
        tuple(map(put, access.when)),
        access.order,
        access.line,
        access.alike,
        access.phase,
    )
    return second, names


def said_twice(given: Terms, others: Mapping[Term, Term], fresh: Fresh) -> Terms:
    """Conditions, of other blocks too."""
    return tuple(dict.fromkeys((*given, *(substitute(c, others, fresh) for c in given))))


def for_all_blocks(
    name: str, cell: Term, over: tuple[Triple, ...], given: Terms, blocks: tuple[Sym, ...]
) -> Theorem:
    """That a number of the result is the same whatever the blocks are that it mentions."""
    others: dict[Term, Term] = {s: Sym(f"other_{s.name}", s.sort) for s in blocks}
    fresh = Fresh(cell, *given, *others.values())
    twice = said_twice(given, others, fresh)
    goal = t.Eq(cell, substitute(cell, others, fresh))
    shown = f"{name} does not depend on {', '.join(s.name for s in blocks)}"
    title = f"{ALIKE}: {name}"
    return Theorem(title, "claim", shown, twice, (Sequent(over, (), goal),), equation=title)
