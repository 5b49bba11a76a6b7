"""Theorems of the kind ties: what rules owe where cells tie, and where branches meet. Trusted.

One is stated of every rule through a branch. Where it cannot be, a part that is false and only a
limit stands for it, so that it is never proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import sympy

from gradproof.language import terms as t
from gradproof.language.accumulators import summed
from gradproof.language.ops import Op, cotangent, replace_reads, tangent, target_of, value_at
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.systems import made_by, read_by, recurrences
from gradproof.language.terms import Array, Term, cells
from gradproof.theorems.boundary import (
    Beside,
    Entry,
    Unsaid,
    meetings,
    moves,
    one_limit,
    owed,
    turns,
)
from gradproof.theorems.composition import branches
from gradproof.theorems.equations import (
    Triples,
    index_names,
    inlined,
    is_plain,
    recurrent,
    values_in,
)
from gradproof.theorems.sequents import Sequent, Theorem

NEVER = Sequent((), (), t.Or(), limit=True)  # of what cannot be said
MOST_READS = 4  # cells of all arrays, by which it is at the places that are read
MOST_CELLS = 3  # of one array, by which a cell of the output is differentiated at once


def at_meetings(op: Op) -> Iterator[Theorem]:
    """Where several cells win, and where branches meet, output by output."""
    if is_plain(op):
        yield from of_rules(op)
    elif branches(op) and not recurrent(op):
        for y in op.outputs:
            for theorem in of_rules(with_one_output(op, y)):
                of = f", {y}" if len(op.outputs) > 1 else ""
                yield replace(theorem, name=f"{theorem.name}{of}")
    elif branches(op):
        yield from of_steps(op)


def with_one_output(op: Op, y: Array) -> Op:
    """The op of one output, with equations from inputs alone; cotangents of others are 0."""
    fresh = Fresh(*op.equations.values())
    zero = {cotangent(other) for other in op.outputs if other != y}
    made = {target_of(e).array: e for e in op.equations.values()}

    def find(read: t.Read) -> Callable[..., Term] | None:
        if read.array in zero:
            return lambda *index: sympy.Integer(0)
        rule = made.get(read.array)
        return None if rule is None else lambda *index: put(value_at(rule, index, fresh))

    def put(term: Term) -> Term:
        return replace_reads(term, find, fresh)

    def plain(equation: Term) -> Term:
        target = equation.target
        place = t.Read(target.array, *map(put, target.index))
        return t.rebuild(equation, (place, *map(put, equation.args[1:])))

    forward = plain(made[y])
    read = {a.name for a in t.arrays(forward.right)}
    return replace(
        op,
        forward=forward,
        let=(),
        jvp=tuple(map(plain, (e for e in op.jvps if target_of(e).array == tangent(y)))),
        vjp=tuple(map(plain, (e for e in op.vjp if target_of(e).array.of in read))),
        constants=tuple(a for a in op.constants if a.name in read),
        claims=(),
        windows=(),
    )


@dataclass(frozen=True)
class Rules:
    """The rules for all inputs at once: their name, what they make, and an entry of theirs."""

    name: str
    equation: str
    made: str
    entry: Callable[[t.Read], Term]  # of the output's cell by one of an input's


@dataclass(frozen=True)
class Cell:
    """A cell of an output, and what it is of inputs that may move."""

    op: Op
    place: t.Read
    value: Term
    inputs: tuple[Array, ...]
    fresh: Fresh

    def stated(self, rules: Rules) -> Iterator[Theorem]:
        """What the rules owe, if the value branches."""
        names = frozenset(x.name for x in self.inputs)
        if not moves(self.value, names) or not turns(self.value):
            return
        try:
            one = replace(self, value=with_one_name(self.value, self.fresh))
            windows = tuple(windows_in(one.value, names))
            if windows:
                yield from one.at_windows(rules, windows, names)
                return
            sequents = tuple(one.sequents(rules, names))
        except Unsaid as part:
            yield self.unsaid(rules, str(part))
            return
        shown = f"where branches of {self.place.array} meet, {rules.made} lies between them"
        if sequents:
            yield self.theorem(rules, f"{rules.name} where branches meet", shown, *sequents)

    def sequents(self, rules: Rules, names: frozenset[str]) -> Iterator[Sequent]:
        terms = as_terms(self.value, names) or as_one_term(self.value, names)
        entries = []
        for x in self.inputs:
            for cell in self.cells_of(terms, x):
                said = self.beyond(rules, cell, terms.rest)
                entries.append(Entry(cell, tangent(x)[cell.index], said))
        found = owed(terms.body, tuple(entries))
        if found is None:
            return
        over = (*cells(self.place), *terms.ranges)
        known = {*free(terms.body), *(symbol for symbol, _, _ in over)}
        places = (r for e in entries for r in cells(e.cell))
        over = (*over, *(r for r in places if isinstance(r[0], t.Sym) and r[0] not in known))
        yield Sequent(over, (), found.then, limits=found.limits)
        yield Sequent(over, (), found.told, limit=True)
        if not found.by_one and any(None in held for x in self.inputs for held in terms.places(x)):
            some = {entry.cell.array: entry for entry in entries}
            every = one_limit(terms.body, tuple(some.values()))
            yield Sequent((*cells(self.place), *terms.ranges), (), every, limit=True)
        for x in (x for x in self.inputs if terms.read is not None):
            cell = x[index_names(self.op, x, self.fresh)]
            nothing = t.Eq(self.beyond(rules, cell, terms.rest), 0)
            here = [at_place(cell, held) for held in terms.places(x)]
            read = t.Or(*here) if len(here) != 1 else here[0]
            read = t.Exists(read, *terms.ranges) if terms.ranges else read
            then = t.Or(read, nothing) if here else nothing
            yield Sequent((*cells(self.place), *cells(cell)), (), then)

    def cells_of(self, terms: Summands, x: Array) -> Iterator[t.Read]:
        """The cells of an array by which a value is differentiated, at the places that are read."""
        for held in terms.places(x):
            for _ in range(1 if None not in held else terms.most(x)):
                index = index_names(self.op, x, self.fresh)
                yield x[tuple(i if h is None else h for i, h in zip(index, held, strict=True))]

    def beyond(self, rules: Rules, cell: t.Read, rest: Term) -> Term:
        """What a rule says by a cell, less what is smooth."""
        said = rules.entry(cell)
        return t.plus(said, t.Mul(-1, t.Slope(rest, cell))) if t.reads(rest, cell.array) else said

    def unsaid(self, rules: Rules, part: str) -> Theorem:
        shown = f"what {rules.made} owes where branches of {self.place.array} meet, through {part}"
        return self.theorem(rules, f"{rules.name} where branches meet", shown, NEVER)

    def theorem(self, rules: Rules, name: str, shown: str, *sequents: Sequent) -> Theorem:
        found = Theorem(name, "ties", shown, self.op.requires, sequents)
        return replace(found, equation=rules.equation, waived=self.op.ties == "any")

    def alike(self, forwards: Rules, backwards: Rules) -> Iterator[Theorem]:
        """That both take the same of what they may: one is the other's transpose there too."""
        if not self.meets():
            return
        sequents = []
        for x in self.inputs:
            cell = x[index_names(self.op, x, self.fresh)]
            then = t.Eq(forwards.entry(cell), backwards.entry(cell))
            sequents.append(Sequent((*cells(self.place), *cells(cell)), (), then))
        made = f"{backwards.made} is the transpose of {forwards.made}"
        shown = f"where branches of {self.place.array} meet, {made}"
        name = f"{backwards.name} and jvp agree at boundaries"
        yield self.theorem(backwards, name, shown, *sequents)

    def meets(self) -> bool:
        """Whether branches meet anywhere, or cells may tie."""
        names = frozenset(x.name for x in self.inputs)
        try:
            return any(True for _ in meetings(self.value, names, ()))
        except Unsaid:
            return True

    # Of windows.

    def at_windows(
        self, rules: Rules, windows: tuple[t.Maximum, ...], names: frozenset[str]
    ) -> Iterator[Theorem]:
        """What is owed through maxima over windows, each a variable of what is made of them."""
        rest = Beside(names, (), frozenset(windows))
        by_window = [rest.partial(self.value, window) for window in windows]
        for x in self.inputs:
            cell = x[index_names(self.op, x, self.fresh)]
            given = rest.slope(self.value, cell)
            entry = rules.entry(cell)
            weight = entry if given == 0 else t.plus(entry, t.minus(given))
            over = (*cells(self.place), *cells(cell))
            alone = windows[0]
            if len(windows) == 1 and isinstance(alone.body, t.Read):
                if alone.body.array == x:
                    yield from self.shared(rules, x, cell, weight, by_window[0], alone)
                elif moves(self.value, frozenset({x.name})):
                    then = Sequent(over, (), t.Eq(entry, given))
                    shown = f"{rules.made} by {x} is as if no cells of {alone.body.array} tied"
                    yield self.theorem(rules, f"{rules.name} by {x} at ties", shown, then)
            else:
                flat = tuple(t.Eq(each, 0) for each in by_window)
                then = t.Or(*map(t.Not, flat), t.Eq(weight, 0))
                shown = f"{rules.made} by {x} does not depend on which cells win"
                sequents = (
                    Sequent(over, (), then),
                    *(Sequent(cells(self.place), (), each, limit=True) for each in flat),
                )
                yield self.theorem(rules, f"{rules.name} by {x} at ties", shown, *sequents)

    def shared(
        self, rules: Rules, x: Array, cell: t.Read, weight: Term, total: Term, window: t.Maximum
    ) -> Iterator[Theorem]:
        """The weights of the cells of a window: those of winners, that add up to its own."""
        over = (*cells(self.place), *cells(cell))
        some = t.Exists(window.where, *window.ranges)
        label = rules.made if len(self.inputs) == 1 else f"{rules.made} by {x}"
        is_bare = total == 1
        said = "sum to 1" if is_bare else f"sum to that of {window}"
        mass = Sequent(
            cells(self.place), t.conjuncts(some), t.Eq(t.Sum(weight, *cells(cell)), total)
        )
        shown = f"the weights of {label} {said} over a window with a valid cell"
        name = f"{label} at ties: weights sum to {'1' if is_bare else 'the whole'}"
        yield self.theorem(rules, name, shown, mass)
        like = weight if is_bare else t.Mul(weight, total)
        parts = [Sequent(over, (), t.relation(t.Ge, like, 0))]
        losing = t.Mul(t.Bracket(t.Ne(cell, window)), weight)
        same = map(t.Eq, window.body.index, cell.index)
        read = t.Exists(t.And(window.where, *same), *window.ranges)
        only = [t.Eq(losing, 0), t.Eq(weight, t.Mul(t.Bracket(read), weight))]
        if not is_bare:
            only.append(t.Or(t.Ne(total, 0), t.Eq(weight, 0)))
        parts += [Sequent(over, (), each) for each in only]
        if not is_bare:  # all of it holds of none
            parts = [replace(s, then=t.Or(t.Eq(weight, 0), s.then)) for s in parts]
        sign = "at least 0" if is_bare else "of one sign"
        shown = f"the weights of {label} are {sign}, and 0 but where {cell} is the window's maximum"
        yield self.theorem(rules, f"{label} at ties: weights on winners only", shown, *parts)


Held = tuple[Term | None, ...]  # an index as far as it is known


@dataclass(frozen=True)
class Summands:
    """A sum of which each term reads cells of its own, beside what is smooth; or a single term.

    Of each array `read` has the places that a term reads. Where it is none they are anywhere.
    """

    body: Term
    ranges: Triples
    rest: Term
    read: dict[str, tuple[Held, ...]] | None

    def places(self, x: Array) -> tuple[Held, ...]:
        return ((None,) * len(x.dims),) if self.read is None else self.read.get(x.name, ())

    def most(self, x: Array) -> int:
        """How many cells of an array have to do with each other."""
        found = {u for u in t.walk(self.body) if isinstance(u, t.Read) and u.array == x}
        is_one = len(found) == 1 and free(*found) <= free(self.body)
        return 1 if is_one else max(2, min(MOST_CELLS, len(found)))


def as_terms(value: Term, names: frozenset[str]) -> Summands | None:
    """A value as such a sum, if it is one: of its terms each owes what it owes alone."""
    found = peeled(value, names)
    if found is None:
        return None
    body, ranges, rest = found
    read = reads_of(body, names)
    each = tuple(read.values())
    own = [r for r in ranges if all(common_place(r[0], reads) is not None for reads in each)]
    others = [r for r in ranges if r not in own]
    loose = {symbol for symbol, _, _ in others}
    is_closed = all(loose.isdisjoint(free(end)) for _, *ends in own for end in ends)
    if not own or not is_closed or any(type(u) is not t.Read for us in read.values() for u in us):
        return None
    whole = t.Sum(body, *others) if others else body
    held: dict[str, tuple[Held, ...]] = {}
    for name, reads in read.items():
        is_one = len(set(reads)) == 1 and free(reads[0]) <= free(whole)
        at: list[Term | None] = [*reads[0].index] if is_one else [None] * len(reads[0].index)
        for symbol, _, _ in own:
            at[common_place(symbol, reads) or 0] = symbol
        held[name] = (tuple(at),)
    return Summands(whole, tuple(own), rest, held)


def as_one_term(value: Term, names: frozenset[str]) -> Summands:
    """A value as it is; of few cells that are read wherever it is, the places."""
    zero, read = sympy.Integer(0), reads_of(value, names)
    distinct = {name: tuple(dict.fromkeys(reads)) for name, reads in read.items()}
    every = [u for reads in distinct.values() for u in reads]
    is_bound = any(type(u) is not t.Read or not free(u) <= free(value) for u in every)
    if is_bound or len(every) > MOST_READS or any(map(guards, t.walk(value))):
        return Summands(value, (), zero, None)
    at = {name: tuple(tuple(u.index) for u in reads) for name, reads in distinct.items()}
    return Summands(value, (), zero, at)


def guards(term: Term) -> bool:
    """Whether it decides by places alone what is read."""
    return isinstance(term, t.If | t.Bracket) and not t.arrays(term.args[0])


def reads_of(term: Term, names: frozenset[str]) -> dict[str, list[t.Read]]:
    found: dict[str, list[t.Read]] = {}
    for u in t.walk(term):
        if isinstance(u, t.Read) and u.array.name in names:
            found.setdefault(u.array.name, []).append(u)
    return found


def at_place(cell: t.Read, held: Held) -> Term:
    pairs = zip(cell.index, held, strict=True)
    return t.And(*(t.Eq(a, b) for a, b in pairs if b is not None))


def common_place(symbol: Term, reads: list[t.Read]) -> int | None:
    """The place of the index at which all reads have the symbol."""
    places = range(len(reads[0].index))
    return next((n for n in places if all(r.index[n] == symbol for r in reads)), None)


def peeled(value: Term, names: frozenset[str]) -> tuple[Term, Triples, Term] | None:
    """The terms of the one sum that branches, their ranges, and all that is smooth beside it."""
    zero = sympy.Integer(0)
    if isinstance(value, t.Sum) and not any(moves(r, names) for r in value.ranges):
        inner = peeled(value.body, names)
        if inner is not None and inner[2] == 0:
            return inner[0], (*value.ranges, *inner[1]), zero
        return value.body, value.ranges, zero
    if not isinstance(value, t.Add | t.Mul | t.Div):
        return None
    branching = [u for u in value.args if moves(u, names) and turns(u)]
    others = [u for u in value.args if u not in branching]
    if len(branching) != 1 or (inner := peeled(branching[0], names)) is None:
        return None
    body, ranges, rest = inner
    if isinstance(value, t.Add):
        return body, ranges, t.plus(rest, *others)
    is_below = isinstance(value, t.Div) and value.below is branching[0]
    if is_below or any(moves(u, names) for u in others):
        return None
    scaled = [
        t.rebuild(value, [u if a is branching[0] else a for a in value.args]) for u in (body, rest)
    ]
    return scaled[0], ranges, zero if rest == 0 else scaled[1]


def windows_in(value: Term, names: frozenset[str]) -> Iterator[t.Maximum]:
    """The windows of which a value is made, if nothing else in it branches."""
    found = dict.fromkeys(u for u in t.walk(value) if isinstance(u, t.Maximum) and moves(u, names))
    for window in found:
        others = (window.where, window.empty, *window.ranges)
        is_plain = not any(moves(u, names) for u in others) and not turns(window.body)
        if not is_plain or not free(window) <= free(value):
            raise Unsaid(f"{window}")
    if found and any(turns(u) for u in without(value, found) if moves(u, names)):
        raise Unsaid(f"{value}")
    yield from found


def with_one_name(value: Term, fresh: Fresh) -> Term:
    """A value in which a sum or a window that occurs again has the same names for its places."""
    seen: list[Term] = []

    def put(term: Term) -> Term:
        if not isinstance(term, t.Term) or not t.mentions(term, *NAMING):
            return term
        found = t.over_parts(term, put)
        if isinstance(found, NAMING):
            found = next((other for other in seen if is_same(other, found, fresh)), found)
            seen.append(found)
        return found

    return put(value)


NAMING = (t.Sum, t.Prod, t.Maximum)


def is_same(one: Term, other: Term, fresh: Fresh) -> bool:
    """Whether two differ in the names of their places alone."""
    if type(one) is not type(other) or len(one.ranges) != len(other.ranges):
        return False
    names = {a[0]: b[0] for a, b in zip(other.ranges, one.ranges, strict=True)}

    def said(binder: Term) -> Iterator[Term]:
        yield from (part for part in binder.args if part not in binder.ranges)
        yield from (end for _, *ends in binder.ranges for end in ends)

    return all(
        a == substitute(b, names, fresh) for a, b in zip(said(one), said(other), strict=True)
    )


def without(term: Term, windows: dict[t.Maximum, None]) -> Iterator[Term]:
    """The parts in which no window is, as large as they are, and what is made of windows."""
    if term in windows:
        return
    if not any(u in windows for u in t.walk(term)):
        yield term
        return
    if isinstance(term, (t.If, t.Bracket, t.Max, t.Min, t.Fold, t.Condition)):
        yield term
    for part in () if isinstance(term, t.LEAVES) else term.args:
        yield from without(part, windows)


def of_rules(op: Op) -> Iterator[Theorem]:
    """What the JVP, and the VJPs of all inputs together, owe for the one output."""
    fresh = Fresh(op.forward, *op.jvps, *op.vjp)
    o = tuple(fresh(i) for i in target_of(op.forward).index)
    value = summed(value_at(op.forward, o, fresh), fresh, only_added=True)
    cell = Cell(op, op.output[o], value, op.inputs, fresh)
    rules = {x: [r for r in op.vjp if target_of(r).array.of == x.name] for x in op.inputs}
    back = replace(cell, inputs=tuple(x for x, own in rules.items() if own))
    pushed = [rules_of(op, {}, o, -1, fresh)] if op.jvps else []
    pulled = []
    for n in range(max(map(len, rules.values()), default=0)):
        chosen = {x.name: rules[x][min(n, len(rules[x]) - 1)] for x in back.inputs}
        pulled.append(rules_of(op, chosen, o, n, fresh))
    is_transposed = pulled and back.inputs == op.inputs and t.mentions(value, t.Maximum)
    for each in () if is_transposed else pushed:  # the weights are those of the VJP
        yield from cell.stated(each)
    for each in pulled:
        yield from back.stated(each)
    for forwards in pushed:
        for backwards in pulled:
            yield from back.alike(forwards, backwards)


def rules_of(
    op: Op, rules: dict[str, Term], o: tuple[Term, ...], number: int, fresh: Fresh
) -> Rules:
    if number < 0:
        made = str(tangent(op.output))
        return Rules("jvp", "jvp", made, lambda cell: said_at(op, op.jvp, o, cell, fresh))
    made = " and ".join(dict.fromkeys(target_of(r).array.name for r in rules.values()))
    first = f"vjp {target_of(next(iter(rules.values()))).array}"
    name = f"vjp {number + 1}" if number else "vjp"

    def entry(cell: t.Read) -> Term:
        return said_at(op, rules[cell.array.name], o, cell, fresh)

    return Rules(name, first, made, entry)


def said_at(op: Op, rule: Term, o: tuple[Term, ...], cell: t.Read, fresh: Fresh) -> Term:
    """The entry of a rule for one cell of the output and one of an input."""
    is_jvp = rule in op.jvps
    by = tangent(cell.array)[cell.index] if is_jvp else cotangent(op.output)[o]
    made = value_at(rule, o if is_jvp else cell.index, fresh)
    return t.Slope(inlined(op, made, (op.output,), fresh), by)


def of_steps(op: Op) -> Iterator[Theorem]:
    """Of a recurrence: what its rules owe at each step, all that it reads taken as inputs."""
    endless = {made_by(e) for group in recurrences(op.system) for e in group}
    read = frozenset().union(*map(read_by, op.jvps))
    kept = frozenset(a for a in op.computed if tangent(a) in read or a in endless)
    for rule in op.jvps:
        made = next(a for a in op.computed if tangent(a) == made_by(rule))
        fresh = Fresh(*op.equations.values())
        step = step_of(op, made, kept, fresh)

        def pushed(cell: t.Read) -> Term:
            value = value_at(rule, step.place.index, fresh)  # noqa: B023
            return t.Slope(value, tangent(cell.array)[cell.index])

        label = f"{made_by(rule)}, step by step,"
        found = step.stated(Rules(f"jvp of {made}", "jvp", label, pushed))
        yield from (at_each_step(op, theorem) for theorem in found)
    named = {a: made_by(r) for r in op.vjp for a in op.computed if made_by(r).of == a.name}
    every: dict[str, list[Term]] = {}
    for rule in op.vjp:
        every.setdefault(made_by(rule).of, []).append(rule)
    for number in range(max(map(len, every.values()), default=0)):
        rules = {of: own[min(number, len(own) - 1)] for of, own in every.items()}
        for made in (a for a in op.computed if a in named or a in op.outputs):
            yield from of_step_back(op, made, named, rules, number)
            if op.jvps:
                yield from agreeing(op, made, kept, named, rules, number)


def agreeing(
    op: Op,
    made: Array,
    kept: frozenset[Array],
    named: dict[Array, Array],
    rules: dict[str, Term],
    number: int,
) -> Iterator[Theorem]:
    """That the rules of a step take the same: by what both name, all else being inlined."""
    both, fresh = kept & frozenset(named), Fresh(*op.equations.values())
    if made not in both and made not in op.outputs:
        return
    step = step_of(op, made, both, fresh)
    step = replace(step, inputs=tuple(x for x in step.inputs if x.name in rules))
    place, adjoint = step.place.index, named.get(made, cotangent(made))[step.place.index]
    rule = next(e for e in op.jvps if made_by(e) == tangent(made))
    ahead = tuple(tangent(a) for a in kept - both)
    behind = tuple(bar for a, bar in named.items() if a not in both)

    def pushed(cell: t.Read) -> Term:
        value = inlined(op, value_at(rule, place, fresh), ahead, fresh)
        return t.Slope(value, tangent(cell.array)[cell.index])

    def pulled(cell: t.Read) -> Term:
        value = inlined(op, value_at(rules[cell.array.name], cell.index, fresh), behind, fresh)
        return t.Slope(value, adjoint)

    name = f"vjp {number + 1} of {made}" if number else f"vjp of {made}"
    forwards = Rules(f"jvp of {made}", "jvp", f"{made_by(rule)}, step by step", pushed)
    first = f"vjp {made_by(next(iter(rules.values())))}"
    backwards = Rules(name, first, "each rule, step by step,", pulled)
    yield from (at_each_step(op, theorem) for theorem in step.alike(forwards, backwards))


def of_step_back(
    op: Op, made: Array, named: dict[Array, Array], rules: dict[str, Term], number: int
) -> Iterator[Theorem]:
    fresh = Fresh(*op.equations.values())
    step = step_of(op, made, frozenset(named), fresh)
    adjoint = named.get(made, cotangent(made))[step.place.index]

    def entry(cell: t.Read) -> Term:
        return t.Slope(value_at(rules[cell.array.name], cell.index, fresh), adjoint)

    step = replace(step, inputs=tuple(x for x in step.inputs if x.name in rules))
    own = (x for x in step.inputs if moves(step.value, frozenset({x.name})))
    first = next((f"vjp {made_by(rules[x.name])}" for x in own), "")
    name = f"vjp {number + 1} of {made}" if number else f"vjp of {made}"
    found = step.stated(Rules(name, first, "each rule, step by step,", entry))
    yield from (at_each_step(op, theorem) for theorem in found)


def at_each_step(op: Op, theorem: Theorem) -> Theorem:
    """To be shown of each equation alone, with the values that the equations say."""
    if NEVER in theorem.sequents:
        return theorem
    local = (replace(s, where=values_in(op, s), limit=False) for s in theorem.sequents)
    return replace(theorem, sequents=(NEVER,), local=tuple(local))


def step_of(op: Op, made: Array, kept: frozenset[Array], fresh: Fresh) -> Cell:
    """A cell of an array, with what equations say in place of all that has no tangent."""
    rules = {made_by(e): e for e in op.system}
    place = made[index_names(op, made, fresh)]
    written = tuple(a for a in op.computed if a not in kept and a != made)
    value = inlined(op, value_at(rules[made], place.index, fresh), written, fresh)
    return Cell(op, place, value, (*op.inputs, *(a for a in op.computed if a in kept)), fresh)
