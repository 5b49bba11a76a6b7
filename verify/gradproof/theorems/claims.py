"""Theorems of the kind claim: what an op itself says must hold. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from gradproof.language import terms as t
from gradproof.language.ops import Claim, Op, replace_reads, target_of, value_at
from gradproof.language.substitution import Fresh, substitute
from gradproof.language.systems import made_by, needed_by, recurrences
from gradproof.language.terms import Array, Term, Triple, reads
from gradproof.theorems.definedness import Need, needs
from gradproof.theorems.directions import direction
from gradproof.theorems.equations import Triples, inlined, recurrent, without_computed
from gradproof.theorems.integers import of_reals, spelt_out, without_integers
from gradproof.theorems.sequents import Sequent, Theorem
from gradproof.theorems.values import needs_of_equation, needs_of_sizes


def claimed(op: Op, claim: Claim) -> Theorem:
    given = (*(r for r in op.requires if r not in claim.without), *claim.given)
    own = tuple(target_of(e).array for e in op.equations.values())
    fresh = Fresh(claim.statement, *given, *op.equations.values())
    said, real = substitute(claim.statement, {}, fresh), without_integers(op)
    statement = spelt_out(op, said)
    statement = statement if recurrent(op) else inlined(real, statement, own, fresh)
    sequents = tuple(sequents_of(statement, (), ()))
    if claim.refuted is None:
        # Its twin, of the same statement, answers for a claim that is expected to be false.
        wanted = list(needs(said, (), ()))
        wanted += needs_without(op, claim.statement, statement) if claim.without else ()
        meant = [of_reals(op, Sequent(*need[1:], aside=True)) for need in wanted]
        if not recurrent(op):
            meant = [without_computed(real, s, own) for s in meant]
        sequents = tuple(dict.fromkeys((*meant, *sequents)))
    if recurrent(op):
        sequents = tuple(
            replace(s, where=needed_by(s.terms, real.equations.values())) for s in sequents
        )
    return Theorem(
        claim.name,
        "claim",
        str(claim.statement),
        given,
        sequents,
        claim.refuted,
        claim.twin,
        f"claim {claim.name}",
        local=() if claim.without else by_induction(op, sequents),
    )


def by_induction(op: Op, sequents: tuple[Sequent, ...]) -> tuple[Sequent, ...]:
    """That what is said of all cells of arrays satisfies the equations that define them.

    Cells are computed in an order, each from earlier ones; so these equations have one solution,
    and what satisfies them is it: the induction over the steps of a recurrence.
    """
    own = [s for s in sequents if not s.aside]
    closed = {s.then.left.array: s for s in own if is_of_all_cells(op, s)}
    rules = {made_by(e): e for e in op.system}
    read = frozenset().union(*(t.arrays(s.then.right) for s in closed.values()))
    if not closed or len(closed) < len(own) or not read.isdisjoint(closed):
        return ()
    steps = (s for array in closed for s in one_step(op, rules[array], closed))
    found = (*(s for s in sequents if s.aside), *steps)
    return tuple(replace(s, where=op.system) for s in found)


def is_of_all_cells(op: Op, sequent: Sequent) -> bool:
    """`y[t] = …` of every t, where y is what a recurrence or what reads one computes."""
    said = sequent.then
    if not isinstance(said, t.Eq) or type(said.left) is not t.Read or sequent.when:
        return False
    array = said.left.array
    plain = any(isinstance(e, t.Eq) and made_by(e) == array for e in op.system)
    if not plain or not op.is_recurrent or len({*said.left.index}) < len(sequent.over):
        return False
    own = t.cells(said.left)
    return len(sequent.over) == len(own) and all(map(is_whole_range, sequent.over, own))


def is_whole_range(own: Triple, cells: Triple) -> bool:
    """Whether a range is that of an index of an array, in other words perhaps."""
    (symbol, first, last), (index, zero, end) = own, cells
    return bool(symbol == index and first == zero and t.plus(last, 1) == t.plus(end, 1))


def one_step(op: Op, equation: Term, closed: Mapping[Array, Sequent]) -> Iterator[Sequent]:
    """An equation in which what is said of arrays stands for them, first place and others."""
    own = closed[made_by(equation)]
    fresh = Fresh(equation, *(t.ForAll(s.then, *s.over) for s in closed.values()))

    def find(read: t.Read) -> Callable[..., Term] | None:
        found = closed.get(read.array)
        if found is None:
            return None
        names = found.then.left.index
        return lambda *index: substitute(
            found.then.right, dict(zip(names, index, strict=True)), fresh
        )

    value = replace_reads(value_at(equation, own.then.left.index, fresh), find, fresh)
    for when in first_and_others(op, equation, own.over):
        yield Sequent(own.over, when, t.Eq(value, own.then.right))


def first_and_others(op: Op, equation: Term, over: Triples) -> Iterator[tuple[Term, ...]]:
    """Where a recurrence begins, and everywhere else."""
    group = next((g for g in recurrences(op.system) if equation in g), ())
    if not group:
        yield ()
        return
    axis, downwards = direction(group)
    place, first, last = over[axis]
    yield (t.Eq(place, last if downwards else first),)
    yield (t.relation(t.Lt, place, last) if downwards else t.relation(t.Gt, place, first),)


def needs_without(op: Op, said: Term, inlined: Term) -> Iterator[Need]:
    """What has a value under `requires`, but perhaps not without all of it.

    Shapes, what is inlined, and what a scatter writes elsewhere.
    """
    yield from needs_of_sizes(op)
    yield from needs(inlined, (), ())
    for equation in op.equations.values():
        if isinstance(equation, t.Scatter) and reads(said, equation.target.array):
            yield from needs_of_equation(equation)


def sequents_of(statement: Term, over: Triples, when: tuple[Term, ...]) -> Iterator[Sequent]:
    """A claim's parts, with what they range over and what they assume."""
    if isinstance(statement, t.And):
        for part in statement.args:
            yield from sequents_of(part, over, when)
    elif isinstance(statement, t.ForAll):
        yield from sequents_of(statement.body, (*over, *statement.ranges), when)
    elif isinstance(statement, t.Or) and isinstance(next(iter(statement.args), None), t.Not):
        negated, *rest = statement.args
        assumed = (*when, *t.conjuncts(negated.condition))
        yield from sequents_of(rest[0] if len(rest) == 1 else t.Or(*rest), over, assumed)
    else:
        yield Sequent(over, when, statement)
