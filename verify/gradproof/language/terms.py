"""The expression tree: SymPy expressions that never simplify themselves. Trusted.

SymPy turns `b/b` into 1 and `floor(s*o/s)` into `o`, and a missing `b != 0` is gone before anyone
can ask for it. Every node here is a SymPy expression whose operators build the next node and
nothing else, so what a definition says is what the obligations see.

Symbols and arrays may be *bundles*: one value per spatial axis, for any number of axes. A bundle
has no length, index or iteration, so a definition cannot know its rank. A condition between bundles
holds if it holds on every axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cached_property, wraps
from importlib import import_module
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import sympy
from sympy.core.symbol import Str

from gradproof.language.text import text

INT, REAL, BOOL = "integer", "real", "condition"
N = TypeVar("N", bound="Node")
S = TypeVar("S")
T = TypeVar("T")


class DefinitionError(Exception):
    """A definition that cannot be read; the message names the equation and the part of it."""


def as_term(value: object) -> Term:
    """A node, or an exact number; anything SymPy would already have simplified is refused."""
    if isinstance(value, PARTS):
        return value
    if isinstance(value, bool):
        raise DefinitionError(f"{value} is Python's; compare by Eq(a, b) and Ne(a, b), not by ==")
    if isinstance(value, int | Fraction):
        return sympy.Rational(value)
    if isinstance(value, sympy.Expr):
        found: Term = foreign().from_sympy(value)
        return found
    if isinstance(value, float):
        raise DefinitionError(
            f"{value!r} is a float; write an exact number: 1/2 is "
            "Fraction(1, 2), of Python's fractions"
        )
    raise DefinitionError(
        f"{value} ({type(value).__name__}) is not of this language, gradproof.language"
    )


def foreign() -> Any:
    """What knows the functions of others, a module above this one."""
    return import_module("gradproof.language.foreign")


NODES: WeakValueDictionary[tuple[type, tuple[object, ...]], Any] = WeakValueDictionary()


def node(kind: type[N], *args: object) -> N:
    """The node of this kind with these parts; there is only one, so equality is identity."""
    key = (kind, args)
    found: N | None = NODES.get(key)
    if found is None:
        found = NODES[key] = sympy.Basic.__new__(kind, *args)
    return found


def remembered(function: Callable[[S], T]) -> Callable[[S], T]:
    """Keeps a result on the node it belongs to, as long as that lives."""
    slot = f"_{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def lookup(term: S) -> T:
        try:
            found: T = term.__dict__[slot]
        except KeyError:
            found = term.__dict__[slot] = function(term)
        except AttributeError:  # SymPy's own numbers and tuples have no place for it
            return function(term)
        return found

    return lookup


shown = remembered(text)


def verb(name: str) -> Any:
    """A method of SymPy; what it means is said by a module above this one, read on first use."""

    def method(self: Node, *args: object, **options: object) -> object:
        return getattr(import_module("gradproof.language.verbs"), name)(self, *args, **options)

    return method


class Node(sympy.Basic):
    """What there is once: a copy is the thing itself, and SymPy's verbs capture no name."""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = object.__hash__
    args = sympy.Basic._args  # the slot itself: SymPy's property asks Python for it each time

    def __reduce__(self) -> tuple[object, ...]:
        return node, (type(self), *self.args)

    free_symbols = property(verb("free_symbols"))
    subs, xreplace, replace, diff = map(verb, ("subs", "xreplace", "replace", "diff"))
    _subs, _xreplace = verb("subs_once"), verb("xreplace_within")
    _latex, doit = verb("latex"), verb("left_alone")


class Term(Node, sympy.Expr):
    """A node. Its operators build nodes and evaluate nothing."""

    _op_priority = 1000.0  # SymPy then leaves `number + node` to the node
    is_commutative = True
    sort = ""
    arity = 0  # how many parts it takes; 0 is any number

    def __new__(cls, *args: object) -> Any:
        if cls.arity not in (0, len(args)):
            given = f"{cls.__name__}({', '.join(map(str, args))})"
            raise DefinitionError(f"{given}: it takes {cls.arity}, not {len(args)}. {cls.__doc__}")
        return node(cls, *map(as_term, args))

    def __add__(self, other: object) -> Term:
        return plus(self, other)

    def __radd__(self, other: object) -> Term:
        return plus(other, self)

    def __sub__(self, other: object) -> Term:
        return plus(self, minus(other))

    def __rsub__(self, other: object) -> Term:
        return plus(other, Mul(-1, self))

    def __mul__(self, other: object) -> Term:
        return Mul(self, other)

    def __rmul__(self, other: object) -> Term:
        return Mul(other, self)

    def __neg__(self) -> Term:
        return Mul(-1, self)

    def __abs__(self) -> Term:
        return Max(self, -self)

    def __truediv__(self, other: object) -> Term:
        return Div(self, other)

    def __rtruediv__(self, other: object) -> Term:
        return Div(other, self)

    def __floordiv__(self, other: object) -> Term:
        return FloorDiv(self, other)

    def __rfloordiv__(self, other: object) -> Term:
        return FloorDiv(other, self)

    def __mod__(self, other: object) -> Term:
        return Mod(self, other)

    def __rmod__(self, other: object) -> Term:
        return Mod(other, self)

    def __pow__(self, other: object, modulo: object = None) -> Term:
        exponent = as_term(other)
        if modulo is not None:
            raise DefinitionError(f"({self})**({other}): there is mod(a, b)")
        if not isinstance(exponent, sympy.Integer):
            return raised(self, exponent)
        power = abs(int(exponent))
        if power == 0:
            return plus(1, Mul(0, self))  # which is 1 where there is a value
        whole = Mul(*[self] * power) if power != 1 else self
        return whole if exponent > 0 else Div(1, whole)

    def __rpow__(self, other: object) -> Term:
        return raised(as_term(other), self)

    def __array_ufunc__(self, function: Any, method: str, *given: object, **_: object) -> None:
        foreign().refuse(f"np.{function.__name__}", *given)

    def __float__(self) -> float:
        foreign().refuse("float, or a function of math,", self)
        return 0.0

    def as_coefficient(self, expr: object) -> None:
        """What SymPy's functions ask for parts that are imaginary: there is none."""

    def _eval_power(self, other: object) -> Term:
        """What SymPy's `sqrt` and `Pow` ask: they would forget where a root is defined."""
        raise DefinitionError(f"({self})**({other}) by SymPy; use sqrt of gradproof.language")

    def __le__(self, other: object) -> Term:
        return relation(Le, self, other)

    def __lt__(self, other: object) -> Term:
        return relation(Lt, self, other)

    def __ge__(self, other: object) -> Term:
        return relation(Ge, self, other)

    def __gt__(self, other: object) -> Term:
        return relation(Gt, self, other)

    def __and__(self, other: object) -> Term:
        return And(self, other)

    def __or__(self, other: object) -> Term:
        return Or(self, other)

    def __invert__(self) -> Term:
        return Not(self)

    def __bool__(self) -> bool:
        raise DefinitionError(
            f"'{self}' was used as a Python truth value; write (a <= b) & (b < c) for a chain, "
            "If(...) for a choice, Max(...) and Min(...) for max and min"
        )

    def __iter__(self) -> Iterator[Term]:
        raise DefinitionError(
            'one name gives the symbol itself: N = integers("N"), no comma after N; '
            f"'{self}' cannot be unpacked or iterated, it has no length; SymPy's solve, lambdify "
            "and polynomials, which would, do not know this language"
        )

    def __str__(self) -> str:
        return shown(self)

    __repr__ = __str__

    def _sympystr(self, printer: object) -> str:
        return shown(self)

    _sympyrepr = _sympystr
    _pretty = verb("pretty")
    _eval_simplify = _eval_factor = verb("left_alone")
    equals, is_constant = verb("equals"), verb("is_constant")


def plus(*terms: object) -> Term:
    """A flat sum with its numbers added up; sums are total, so nothing is lost."""
    parts = [p for u in map(as_term, terms) for p in (u.args if isinstance(u, Add) else (u,))]
    number = sum((p for p in parts if isinstance(p, sympy.Rational)), sympy.Integer(0))
    kept = [p for p in parts if not isinstance(p, sympy.Rational)]
    if number != 0 or not kept:
        kept.append(number)
    return kept[0] if len(kept) == 1 else Add(*kept)


def minus(value: object) -> Term:
    term = as_term(value)
    return -term if isinstance(term, sympy.Rational) else Mul(-1, term)


def raised(base: Term, exponent: Term) -> Term:
    """A power; where the exponent may be any real, one of e."""
    if sort_of(exponent) == INT and not is_bundle(exponent):
        return Power(base, exponent)
    return Exp(Mul(exponent, Log(base)))


Terms = tuple[Term, ...]


def part(position: int) -> Any:
    """A named part of a node."""
    return property(lambda self: self.args[position])


class Sym(Term):
    """A declared name: a size, an index, a real parameter, or a bundle of integers."""

    def __new__(cls, name: object, sort: object = INT, axis: int = 0) -> Any:
        return node(cls, Str(str(name)), Str(str(sort)), sympy.Integer(int(axis)))

    name = cached_property(lambda self: self.args[0].name)
    sort = cached_property(lambda self: self.args[1].name)
    is_bundle = cached_property(lambda self: self.args[2] == 1)


Triple = tuple[Sym, Term, Term]  # (symbol, first, last) of a range, (state, start, step) of a loop


class Array(Node):
    """A tensor by name and shape; `of` is the primal that a tangent or cotangent belongs to.

    One that has a `span`, `(first, last)`, holds integers in that range.
    """

    def __new__(
        cls,
        name: object,
        dims: Iterable[object],
        role: object = "primal",
        of: object = "",
        span: Iterable[object] = (),
    ) -> Any:
        shape, ends = (sympy.Tuple(*map(as_term, part)) for part in (dims, span))
        return node(cls, Str(str(name)), shape, Str(str(role)), Str(str(of)), ends)

    name = cached_property(lambda self: self.args[0].name)
    dims = cached_property(lambda self: tuple(self.args[1]))
    role = cached_property(lambda self: self.args[2].name)
    of = cached_property(lambda self: self.args[3].name)
    span = cached_property(lambda self: tuple(self.args[4]))

    def with_shape(self, dims: Iterable[Term], span: Iterable[Term]) -> Array:
        same = (dims := tuple(dims)) == self.dims and (span := tuple(span)) == self.span
        return self if same else Array(self.name, dims, self.role, self.of, span)

    def __getitem__(self, index: object) -> Read:
        found = index if isinstance(index, tuple) else (index,)
        if any(isinstance(e, slice) or e is Ellipsis for e in found):
            said = f"say which cell, as in {self}[i]; Sum({self}[j], (j, 0, i - 1)) takes several"
            raise DefinitionError(f"{self} is not sliced: {said}")
        return Read(self, *found)

    def __iter__(self) -> Iterator[Term]:
        said = f"use Sum({self}[j], (j, 0, n - 1)), maximum(...) or fold(...)"
        raise DefinitionError(f"'{self}' has no length known to Python; {said}")

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


class Add(Term):
    """A sum."""


class Mul(Term):
    """A product. Its brackets are strong zeros: a false one makes it 0, whatever the rest is."""


class Div(Term):
    """A quotient of reals; the divisor must not be 0."""

    sort = REAL
    arity = 2

    above = part(0)
    below = part(1)


class IntegerQuotient(Term):
    """A quotient of integers, or what it leaves; they differ in how they round."""

    sort = INT
    arity = 2

    above = part(0)
    below = part(1)


class FloorDiv(IntegerQuotient):
    """Rounds towards minus infinity; Python's `//`. The divisor must be at least 1."""


class CeilDiv(IntegerQuotient):
    """Rounds towards plus infinity. The divisor must be at least 1."""


class Mod(IntegerQuotient):
    """The remainder of FloorDiv; Python's `%`. The divisor must be at least 1."""


class TruncDiv(IntegerQuotient):
    """Rounds towards zero; the `/` of C."""


class TruncMod(IntegerQuotient):
    """The remainder of TruncDiv, with the sign of the dividend; the `%` of C."""


class NatDiv(IntegerQuotient):
    """FloorDiv with `a / 0 = 0`; the `/` of natural numbers in Lean."""


class NatSub(Term):
    """`a - b`, or 0 where that is negative; the `-` of natural numbers."""

    sort = INT
    arity = 2

    left = part(0)
    right = part(1)


class Min(Term):
    """The least of its parts."""


class Max(Term):
    """The greatest of its parts."""


class Analytic(Term):
    """A function of one real."""

    sort = REAL
    arity = 1

    inner = part(0)


class Exp(Analytic):
    """The exponential function."""


class Log(Analytic):
    """The natural logarithm; to the base b it is log(a)/log(b)."""


class Power(Term):
    """`a**n` for an integer n, 1 where n is 0; where n is negative, a must not be 0."""

    sort = REAL
    arity = 2

    base = part(0)
    exponent = part(1)


class Function(Node):
    """A function of one real, or a constant: its name, and what is declared of it as data.

    One that is `bare` has a name only, and stands for itself in its own declaration. Of a function
    `built_in` the evaluators know the values.
    """

    def __new__(
        cls,
        name: object,
        derivative: object = None,
        domain: object = None,
        facts: Iterable[object] = (),
        value: Iterable[object] = (),
        built_in: object = False,
    ) -> Any:
        if derivative is None:
            return node(cls, Str(str(name)))
        declared = (as_term(derivative), as_term(domain))
        stated = (sympy.Tuple(*map(as_term, said)) for said in (facts, value))
        return node(cls, Str(str(name)), *declared, *stated, sympy.Integer(bool(built_in)))

    name = cached_property(lambda self: self.args[0].name)
    is_bare = cached_property(lambda self: len(self.args) == 1)
    derivative, domain, facts, value = map(part, (1, 2, 3, 4))
    built_in = cached_property(lambda self: not self.is_bare and self.args[5] == 1)

    @property
    def parts(self) -> Terms:
        """Every term of the declaration."""
        return (self.derivative, self.domain, *self.facts, *self.value)

    def __call__(self, *values: object) -> Apply:
        return Apply(self, *values)

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


class Apply(Term):
    """A declared function of one real, or a constant."""

    sort = REAL

    function = part(0)
    arguments = cached_property(lambda self: tuple(self.args[1:]))


class If(Term):
    """`If(condition, then, otherwise)`; the branch not taken is not evaluated."""

    arity = 3

    condition = part(0)
    then = part(1)
    otherwise = part(2)


class Bracket(Term):
    """The Iverson bracket: 1 where the condition holds, 0 elsewhere."""

    sort = REAL
    arity = 1

    condition = part(0)


class Read(Term):
    """`x[i, j]`, within the bounds of `x`."""

    sort = property(lambda self: INT if self.array.span else REAL)

    array = cached_property(lambda self: self.args[0])
    index = cached_property(lambda self: tuple(self.args[1:]))


class PaddedRead(Read):
    """`x[i, j]` within the bounds of `x`, 0 outside."""


class Slope(Term):
    """`Slope(term, x[i])`: the derivative of the term by one cell, yet to be derived."""

    sort = REAL
    arity = 2

    body = part(0)
    cell = part(1)


class AxisProduct(Term):
    """The product of a bundle over all axes."""

    sort = INT
    arity = 1

    inner = part(0)


class Condition(Term):
    sort = BOOL


class Relation(Condition):
    """A comparison of two integers or two reals."""

    arity = 2

    left = part(0)
    right = part(1)


class Closed(Condition):
    """A condition that, between bundles, is one on every axis."""

    arity = 2

    def __new__(cls, *args: object) -> Any:
        return close(Term.__new__(cls, *args))


class Eq(Closed, Relation):
    """`Eq(a, b)`: a condition, or an equation when its left side is a read."""

    target = part(0)
    value = part(1)


class Ne(Closed, Relation):
    """Not equal."""


class Le(Relation):
    """At most."""


class Lt(Relation):
    """Less."""


class Ge(Relation):
    """At least."""


class Gt(Relation):
    """Greater."""


class Divides(Closed):
    """`Divides(d, a)`: a is a multiple of d; d must not be 0."""

    divisor = part(0)
    value = part(1)


class And(Condition):
    """Read from left to right: what follows is only asked where what precedes holds."""

    def __new__(cls, *args: object) -> Any:
        parts = (p for a in map(as_term, args) for p in (a.args if isinstance(a, And) else (a,)))
        return Term.__new__(cls, *parts)


class Or(Condition):
    """Read from left to right: what follows is only asked where what precedes fails."""


class Not(Condition):
    """The opposite."""

    arity = 1

    condition = part(0)


class Linear(Condition):
    """`Linear(term, arrays)`: the term is linear in the cells of the arrays."""

    arity = 2

    body = part(0)
    by = part(1)


class AllAxes(Condition):
    """A condition between bundles, on every axis."""

    arity = 1

    def __new__(cls, condition: object) -> Any:
        closed = isinstance(condition, AllAxes)
        return condition if closed else Term.__new__(cls, condition)

    condition = part(0)


class Binder(Term):
    """A node that binds the symbols of its ranges `(symbol, first, last)` in its parts.

    A range with `last < first` is empty. Ranges may mention the symbols of ranges before them.
    Parts that are `outside` see none of them.
    """

    parts = 1
    outside: tuple[int, ...] = ()

    def __new__(cls, *args: object) -> Any:
        head, ranges = args[: cls.parts], args[cls.parts :]
        return Term.__new__(cls, *head, *(as_range(cls, r) for r in ranges))

    body = part(0)
    ranges = cached_property(lambda self: self.args[self.parts :])


class Sum(Binder):
    sort = REAL


class Prod(Binder):
    sort = REAL


class Exists(Binder, Condition):
    """The condition holds at some place of the ranges."""


class ForAll(Binder, Condition):
    """The condition holds at every place of the ranges."""


class Maximum(Binder):
    """`Maximum(body, where, empty, *ranges)`: the largest body where `where` holds, or `empty`."""

    sort = REAL
    parts = 3
    outside = (2,)

    where = part(1)
    empty = part(2)


class Winner(Binder, Condition):
    """`Winner(body, where, tie, at, *ranges)`: is `at` the first, the last or one ("any") of the
    places where `where` holds and the body is largest? Places are in the order of loops.
    """

    parts = 4
    outside = (2, 3)

    where = part(1)
    tie = part(2)
    at = part(3)


class Unique(Binder, Condition):
    """`Unique(body, where, *ranges)`: the body is largest at one place at most."""

    parts = 2

    where = part(1)


class Fold(Binder):
    """`Fold(result, states, *ranges)`: run the loops; `states` are `(state, start, step)` triples.

    Each turn assigns all steps at once; `start` sees no loop index and `result` sees final states.
    """

    parts = 2

    states = part(1)


class Scatter(Term):
    """`target += value` for every combination of the ranges where `where` holds."""

    outside = ()
    target, value, where = part(0), part(1), part(2)
    ranges = cached_property(lambda self: self.args[3:])


def as_range(owner: Callable[..., object], value: object) -> Term:
    if not isinstance(value, tuple | sympy.Tuple) or len(value) != 3:
        raise DefinitionError(f"{owner.__name__}: a range is (symbol, first, last), not {value}")
    symbol, first, last = map(as_term, value)
    if not isinstance(symbol, Sym) or symbol.sort != INT:
        raise DefinitionError(f"{owner.__name__}: {symbol} cannot be bound; declare an integer")
    return sympy.Tuple(symbol, first, last)


def relation(kind: Callable[..., Term], left: object, right: object) -> Term:
    return close(kind(left, right))


def close(condition: Term) -> Term:
    """A condition between bundles speaks of every axis."""
    return AllAxes(condition) if is_bundle(condition) else condition


@remembered
def sort_of(term: Term) -> str:
    if isinstance(term, sympy.Rational):
        return INT if term.is_Integer else REAL
    if not isinstance(term, Term):
        raise DefinitionError(f"{term} is no number; of an array read a cell, as in x[i]")
    if isinstance(term, Fold):
        return sort_of(term.body)
    if term.sort:
        return str(term.sort)
    values = term.args[1:] if isinstance(term, If) else term.args
    return REAL if any(sort_of(a) == REAL for a in values) else INT


@remembered
def is_bundle(term: Term) -> bool:
    """Whether the term has one value per axis."""
    if isinstance(term, Sym):
        return term.is_bundle
    if isinstance(term, Fold):
        return is_bundle(term.body)
    if isinstance(
        term, sympy.Tuple | Array | Function | Read | AxisProduct | AllAxes | Slope | Binder
    ):
        return False
    return any(map(is_bundle, term.args))


PARTS = (Term, sympy.Rational, sympy.Tuple, Str, Array, Function)
LEAVES = (Sym, Array, Function, Str, sympy.Rational)


def walk(term: Term) -> Iterator[Term]:
    """The term and everything in it, outside in; not the shapes of arrays."""
    pending = [term]
    while pending:
        term = pending.pop()
        yield term
        if not isinstance(term, LEAVES):
            pending.extend(reversed(term.args))


def mentions(term: Term, *kinds: type) -> bool:
    """Whether a node of one of the kinds is anywhere in it."""
    return any(issubclass(k, kinds) for k in kinds_in(term))


@remembered
def kinds_in(term: Term) -> frozenset[type]:
    parts = () if isinstance(term, LEAVES) else term.args
    return frozenset((type(term),)).union(*map(kinds_in, parts))


@remembered
def arrays(term: Term) -> frozenset[Array]:
    """The arrays a term reads."""
    if isinstance(term, Sym | Array | Function):
        return frozenset()
    own = (term.array,) if isinstance(term, Read) else ()
    return frozenset(own).union(*map(arrays, term.args))


def rebuild(term: Term, args: Iterable[Term]) -> Term:
    """The same node with other parts; a condition already closed is not closed again."""
    args = tuple(args)
    if args == term.args:
        return term
    if isinstance(term, AllAxes) and not is_bundle(args[0]):
        return args[0]
    return node(term.func, *args) if isinstance(term, Term) else term.func(*args)


def over_parts(term: Term, function: Callable[[Term], Term]) -> Term:
    """The node with each part replaced; names, numbers, and arrays with their shapes stay."""
    return term if isinstance(term, LEAVES) else rebuild(term, map(function, term.args))


def reads(term: Term, array: Array) -> bool:
    return any(a.name == array.name for a in arrays(term))


def conjuncts(condition: Term) -> tuple[Term, ...]:
    """The parts of a conjunction."""
    if isinstance(condition, And):
        return tuple(part for arg in condition.args for part in conjuncts(arg))
    return (condition,)


def implication(condition: Term) -> tuple[tuple[Term, ...], Term]:
    """What a condition assumes, and what it concludes."""
    if isinstance(condition, Or) and len(condition.args) == 2:
        first, rest = condition.args
        if isinstance(first, Not):
            when, then = implication(rest)
            return (*conjuncts(first.condition), *when), then
    return (), condition


@remembered
def guards_of(term: Term) -> tuple[Term, ...]:
    """The conditions of the brackets that multiply a term; if one fails the term is 0."""
    if isinstance(term, Bracket):
        return (term.condition,)
    if isinstance(term, Mul):
        return tuple(g for arg in term.args for g in guards_of(arg))
    return guards_of(term.above) if isinstance(term, Div) else ()


def cells(place: Term) -> tuple[Triple, ...]:
    """The ranges of the indices of a read, over the whole array."""
    pairs = zip(place.index, place.array.dims, strict=True)
    return tuple(sympy.Tuple(i, sympy.Integer(0), Add(n, -1)) for i, n in pairs)


def inside(index: Iterable[Term], dims: Iterable[Term]) -> Term:
    """Each index within its dimension."""
    pairs = list(zip(index, dims, strict=True))
    return And(*(c for e, n in pairs for c in (relation(Le, 0, e), relation(Lt, e, n))))


def in_range(symbol: Term, first: Term, last: Term) -> Term:
    return And(relation(Le, first, symbol), relation(Le, symbol, last))


def domain(ranges: Iterable[Triple]) -> tuple[Term, ...]:
    """Each symbol within its range."""
    return tuple(c for r in ranges for c in in_range(*r).args)
