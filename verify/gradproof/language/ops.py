"""The language in which an op is written: declarations, equations, `Op` and `Claim`. Trusted.

A definition is checked when it is built: what cannot be read is refused with the equation and the
part of it that is at fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import sympy
from sympy.core.symbol import Str

from gradproof.language.ranks import at_rank, copy_of
from gradproof.language.requirements import about_values, known_in, over_cells
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.systems import needed_by, recurrences
from gradproof.language.terms import (
    INT,
    REAL,
    And,
    Array,
    AxisProduct,
    Bracket,
    CeilDiv,
    DefinitionError,
    Eq,
    Exp,
    FloorDiv,
    Fold,
    If,
    Log,
    Maximum,
    Mod,
    NatDiv,
    NatSub,
    Not,
    Or,
    PaddedRead,
    Read,
    Scatter,
    Slope,
    Sum,
    Sym,
    Term,
    TruncDiv,
    TruncMod,
    Unique,
    Winner,
    arrays,
    as_range,
    as_term,
    conjuncts,
    inside,
    is_bundle,
    over_parts,
    plus,
    sort_of,
)
from gradproof.language.wellformed import check, checked_name

TRUE = And()
TOO_DEEP = (
    "a term is nested too deeply; write Sum, Prod or fold for what is repeated, "
    "or give parts of it equations of their own, let=(…)"
)


def integers(names: str, *others: str) -> Any:
    """Integer symbols: `C, c = integers("C c")`."""
    return declare("integers", (names, *others), INT, False)


def axes(names: str, *others: str) -> Any:
    """Bundles of integers, one per spatial axis: `n, k = axes("n k")`."""
    return declare("axes", (names, *others), INT, True)


def reals(names: str, *others: str) -> Any:
    """Real parameters: `beta = reals("beta")`."""
    return declare("reals", (names, *others), REAL, False)


def declare(by: str, names: tuple[str, ...], sort: str, bundle: bool) -> Any:
    if len(names) > 1:
        raise DefinitionError(f"write the names in one text: {by}({' '.join(map(str, names))!r})")
    found = re.findall(r"[^\s,]+", names[0])
    symbols = tuple(Sym(checked_name(name), sort, bundle) for name in found)
    return symbols[0] if len(symbols) == 1 else symbols


def array(name: str, *dims: object) -> Array:
    """A tensor of the given shape; a bundle stands for all spatial axes."""
    for d in dims:
        if sort_of(as_term(d)) != INT:
            raise DefinitionError(f"array {name}: size {d} is not an integer expression")
    return Array(checked_name(name), dims)


def integer_array(name: str, *dims: object, below: object, first: object = 0) -> Array:
    """A tensor of integers, from `first` (0) to what is before `below`: labels, indices."""
    checked = array(name, *dims)
    for end in (first, below):
        if sort_of(as_term(end)) != INT or is_bundle(as_term(end)):
            raise DefinitionError(f"array {name}: {end} is not one integer")
    return Array(checked.name, dims, span=(first, plus(below, -1)))


def among(term: object, *values: object) -> Term:
    """The term is one of the values."""
    return Or(*(Eq(term, value) for value in values))


def tangent(x: Array) -> Array:
    return Array(f"{x.name}_dot", x.dims, "tangent", x.name)


def cotangent(x: Array, label: str = "", shape: tuple[object, ...] | None = None) -> Array:
    """The cotangent. Labels tell apart several rules for one input; `shape` is what a rule
    allocates where it computes that anew."""
    name = f"{x.name}_bar" + (f"_{label}" if label else "")
    return Array(checked_name(name), x.dims if shape is None else shape, "cotangent", x.name)


def derivative(term: object, cell: Read) -> Term:
    """`derivative(y[c, o], x[c, i])`, for claims."""
    return Slope(term, cell)


@dataclass(frozen=True)
class zero_padded:
    """`zero_padded(x)[i]` is `x[i]` within bounds and 0 outside."""

    array: Array
    __iter__ = None

    def __getitem__(self, index: object) -> Read:
        return PaddedRead(self.array, *(index if isinstance(index, tuple) else (index,)))


def on_axis(bundle: Term, axis: int) -> Term:
    """What a bundle is on one axis (1, 2, …) of an op at a fixed rank: `op.at_rank(2)`."""
    return copy_of(bundle, axis)


def product(bundle: object) -> Term:
    """The product of a bundle over all axes."""
    return AxisProduct(bundle)


bracket = Bracket
floor_div, ceil_div, mod = FloorDiv, CeilDiv, Mod
trunc_div, trunc_mod = TruncDiv, TruncMod
nat_sub, nat_div = NatSub, NatDiv
exp, log = Exp, Log


def sqrt(x: object) -> Term:
    """The square root of what is above 0, as a power of e."""
    return exp(log(x) / 2)


def maximum(body: object, *ranges: object, where: object = TRUE, empty: object = 0) -> Term:
    """The largest body over the ranges where `where` holds; `empty` if it holds nowhere."""
    return Maximum(body, where, empty, *ranges)


def winner(
    at: object, body: object, *ranges: object, where: object = TRUE, tie: str = "first"
) -> Term:
    """Is `at` (one value per range) the place of the maximum? `tie`: "first", "last" or "any"."""
    if tie not in ("first", "last", "any"):
        raise DefinitionError(f"winner: tie {tie!r} is not one of 'first', 'last', 'any'")
    places = at if isinstance(at, tuple) else (at,)
    if len(places) != len(ranges):
        raise DefinitionError(f"winner: {len(places)} places for {len(ranges)} ranges")
    return Winner(body, where, Str(tie), sympy.Tuple(*map(as_term, places)), *ranges)


def unique(body: object, *ranges: object, where: object = TRUE) -> Term:
    """The body is largest at one place at most."""
    return Unique(body, where, *ranges)


def implies(condition: object, statement: object) -> Term:
    """`statement`, where `condition` holds; for claims whose hypothesis speaks of tensors."""
    return Or(Not(condition), statement)


def fold(result: object, *ranges: object, **updates: object) -> Term:
    """Loops as they are written: `fold(best, (j, 0, k-1), best=(start, step), ...)`.

    Each keyword is a state: its name, and `(symbol, start, step)`.
    """
    triples = []
    for name, update in updates.items():
        if not isinstance(update, tuple) or len(update) != 3 or not isinstance(update[0], Sym):
            raise DefinitionError(f"fold: {name} must be (state symbol, start, step)")
        triples.append(sympy.Tuple(*map(as_term, update)))
    return Fold(result, sympy.Tuple(*triples), *ranges)


def scatter(target: object, value: object, *ranges: object, where: object = TRUE) -> Scatter:
    """`target += value` for every combination of the ranges where `where` holds."""
    if not isinstance(target, Read) or isinstance(target, PaddedRead):
        raise DefinitionError(f"scatter: the target must be a place in an array, not {target}")
    return Scatter(target, value, where, *(as_range(Scatter, r) for r in ranges))


@dataclass(frozen=True)
class Windows:
    """The declared geometry: `count` windows of `extent` cells, `stride` apart, over `size` cells.

    `rounding` "floor": as many as fit; "ceil": as few as cover, but none that would not start
    before `within`, if that is given: the end of the input, of which padding on the left is a part.
    """

    count: Term
    size: Term
    extent: Term
    stride: Term
    rounding: str = "floor"
    within: Term | None = None

    @property
    def parts(self) -> tuple[Term, ...]:
        """What is said of them beside their number."""
        said = (self.size, self.extent, self.stride)
        return said if self.within is None else (*said, self.within)


@dataclass(frozen=True)
class Claim:
    """A statement about an op, under `requires` with hypotheses added (`given`) or left out.

    `symbols` are further sizes and parameters that it speaks of, whatever their values.
    `refuted` pins the smallest counterexample of a claim that is expected to be false; `twin` names
    the claim that differs from it in one hypothesis and is true; `why` says who might believe it.
    """

    name: str
    statement: Term
    given: tuple[Term, ...] = ()
    symbols: tuple[Sym, ...] = ()
    without: tuple[Term, ...] = ()
    refuted: Mapping[Sym, object] | None = None
    twin: str = ""
    why: str = field(default="", compare=False)


@dataclass(frozen=True)
class Op:
    """An op: its equations, its preconditions, its claims.

    `forward` is an equation, or one for each output; `let` has those of intermediates. Rules that
    are not given are not asked for; those that are may read outputs and intermediates, and define
    tangents and cotangents of them.
    """

    name: str
    forward: Any
    jvp: Any = ()
    vjp: Any = ()
    requires: tuple[Term, ...] = ()
    windows: Any = ()
    constants: tuple[Array, ...] = ()
    claims: tuple[Claim, ...] = ()
    ties: str = "subgradient"  # what is asked of a VJP where several cells are largest, or "any"
    let: tuple[Term, ...] = ()
    scope: str = ""  # narrower proofs that are enough: "ranks 1 to 3", "4 turns", or both
    doc: str = field(default="", compare=False)

    def __str__(self) -> str:
        """The mathematics of it, a line each."""
        given = "; ".join(map(str, self.requires)) or "anything"
        whole = (*self.let, *self.forwards, *several(self.jvp), *self.vjp)
        return "\n".join([f"{self.name}, where {given}", *(f"  {rule}" for rule in whole)])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def __post_init__(self) -> None:
        for name in ("requires", "claims", "constants"):
            if not isinstance(getattr(self, name), tuple):
                raise DefinitionError(f"op {self.name}: {name} must be a tuple, (…,)")
        for name in ("vjp", "let"):
            object.__setattr__(self, name, several(getattr(self, name)))
        for name in ("forward", "jvp"):
            found = several(getattr(self, name))
            object.__setattr__(self, name, found[0] if len(found) == 1 else found)
        windows = (self.windows,) if isinstance(self.windows, Windows) else tuple(self.windows)
        object.__setattr__(self, "windows", windows)
        try:
            check(self)
        except RecursionError:
            raise DefinitionError(f"op {self.name}: {TOO_DEEP}") from None

    @property
    def equations(self) -> dict[str, Term]:
        """What defines its arrays, by what theorems call it."""
        alone = len(self.jvps) == 1
        pushed = {"jvp" if alone else f"jvp {target_of(e).array}": e for e in self.jvps}
        pulled = {f"vjp {target_of(rule).array}": rule for rule in self.vjp}
        return self.formulas | pushed | pulled

    @property
    def formulas(self) -> dict[str, Term]:
        """Of these, those of intermediates and outputs."""
        alone = (self.output,) in (self.outputs, self.real_outputs)
        made = {target_of(e).array: e for e in self.forwards}
        main = self.output if alone else None
        lets = {f"let {target_of(e).array}": e for e in self.let}
        return lets | {"forward" if y == main else f"forward {y}": e for y, e in made.items()}

    @property
    def forwards(self) -> tuple[Term, ...]:
        """The equations of the outputs."""
        return several(self.forward)

    @property
    def jvps(self) -> tuple[Term, ...]:
        """The equations of the tangents, of outputs and perhaps of intermediates."""
        return several(self.jvp)

    @property
    def system(self) -> tuple[Term, ...]:
        """The equations of intermediates and outputs, in the order in which they are written."""
        return (*self.let, *self.forwards)

    @property
    def is_system(self) -> bool:
        """Whether it is more than one equation that computes an output from inputs alone."""
        return len(self.system) > 1 or self.is_recurrent

    @property
    def is_recurrent(self) -> bool:
        return bool(recurrences(self.system))

    @property
    def output(self) -> Array:
        """The output; of several the first, of reals if there are any."""
        return (self.real_outputs or self.outputs)[0]

    @property
    def outputs(self) -> tuple[Array, ...]:
        return tuple(target_of(e).array for e in self.forwards)

    @property
    def real_outputs(self) -> tuple[Array, ...]:
        """Those that have tangents and cotangents; the others are of integers."""
        return tuple(y for y in self.outputs if not y.span)

    @property
    def computed(self) -> tuple[Array, ...]:
        """Intermediates and outputs."""
        return tuple(target_of(e).array for e in self.system)

    @property
    def inputs(self) -> tuple[Array, ...]:
        """The differentiable inputs, in the order of their names: what reals are computed from."""
        reals = [e for e in self.system if not target_of(e).array.span]
        read = read_of((*reals, *needed_by((e.right for e in reals), self.system)))
        kept = (a for a in self.operands if a in read and not a.span)
        return tuple(a for a in kept if a not in self.constants)

    @property
    def operands(self) -> tuple[Array, ...]:
        read = read_of(self.system).difference(self.computed)
        return tuple(sorted(read, key=lambda a: a.name))

    @property
    def sizes(self) -> tuple[Sym, ...]:
        """The symbols that stay free: sizes and parameters, in the order of their names."""
        known, clauses = self.known, (r for r in self.requires if isinstance(r, Term))
        said = {s for r in clauses for s in free(self.closed(r))}
        return tuple(sorted(known | said, key=str))

    @property
    def known(self) -> frozenset[Sym]:
        """The symbols that shapes and clauses about sizes mention."""
        dims = (d for a in (*self.operands, *self.computed) for d in (*a.dims, *a.span))
        return known_in(dims, self.requires)

    def closed(self, clause: Term) -> Term:
        """A clause of `requires`, of all cells if it speaks of the values in arrays."""
        return over_cells(clause, self.known) if about_values(clause) else clause

    @property
    def is_rank_generic(self) -> bool:
        return any(s.is_bundle for s in self.sizes)

    tangent = staticmethod(tangent)
    cotangent = staticmethod(cotangent)

    def claiming(self, *claims: Claim) -> Op:
        """The op with these claims beside those it has; claims may `call` the op they are about."""
        return replace(self, claims=(*self.claims, *claims))

    def rule(self, target: str) -> Term:
        """The equation that defines an array of this op."""
        for equation in self.equations.values():
            if target_of(equation).array.name == target:
                return equation
        raise DefinitionError(f"op {self.name}: no equation defines {target}")

    def at_rank(self, rank: int) -> Op:
        """The op with every bundle written out for so many axes, without its claims."""

        def written(terms: Iterable[Term]) -> tuple[Term, ...]:
            return tuple(at_rank(term, rank) for term in terms)

        return replace(
            self,
            forward=written(self.forwards),
            jvp=written(self.jvps),
            vjp=written(self.vjp),
            let=written(self.let),
            requires=written(self.requires),
            constants=written(self.constants),
            windows=(),
            claims=(),
        )


def Formula(
    name: str,
    count: Term,
    *,
    requires: tuple[Term, ...] = (),
    windows: Any = (),
    claims: tuple[Claim, ...] = (),
    doc: str = "",
) -> Op:
    """A size alone: how many cells an output has, where no op is written around it."""
    place = Sym("place", INT, is_bundle(as_term(count)))
    given, made = array("given"), array("made", count)
    return Op(
        name,
        Eq(made[place], given[()]),
        requires=requires,
        windows=windows,
        claims=claims,
        constants=(given,),
        doc=doc,
    )


def read_of(equations: Iterable[Term]) -> frozenset[Array]:
    return frozenset().union(*(arrays(e.right) for e in equations))


def several(equations: Any) -> tuple[Any, ...]:
    """Equations, of which one may stand alone, and none be None."""
    if equations is None:
        return ()
    return tuple(equations) if isinstance(equations, tuple | list) else (equations,)


def target_of(equation: Term) -> Read:
    """The cells that an equation or a scatter defines."""
    place: Read = equation.target
    return place


def value_at(
    equation: Term,
    index: tuple[Term, ...],
    fresh: Fresh,
    sizes: Mapping[Sym, Term] | None = None,
) -> Term:
    """The right side of an equation at an index; of a scatter, the sum of all it adds there.

    With other sizes in place, all at once: the index does not speak of those it replaces.
    """
    values = dict(sizes or {})
    if isinstance(equation, Eq):
        names = target_of(equation).index
        values |= dict(zip(names, index, strict=True))
        return substitute(equation.right, values, fresh)
    renamed = substitute(equation, values, fresh)
    hits = (Eq(e, i) for e, i in zip(renamed.target.index, index, strict=True))
    guard = Bracket(And(*conjuncts(renamed.where), *hits))
    return Sum(guard * renamed.value, *renamed.ranges)


def replace_reads(
    term: Term, find: Callable[[Read], Callable[..., object] | None], fresh: Fresh
) -> Term:
    """Each read for which `find` knows a function becomes that function of its index.

    All names are of one source: what the function binds is none of the places it is given.
    """
    term = over_parts(term, lambda u: replace_reads(u, find, fresh))
    if not isinstance(term, Read) or (function := find(term)) is None:
        return term
    names = tuple(fresh(Sym("p", INT, is_bundle(e))) for e in term.index)
    value = substitute(as_term(function(*names)), dict(zip(names, term.index, strict=True)), fresh)
    if isinstance(term, PaddedRead):
        bounds = inside(term.index, term.array.dims)
        return If(bounds, value, 0) if term.array.span else Bracket(bounds) * value
    return value
