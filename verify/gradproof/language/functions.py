"""Functions of one real that are known by their derivative and what is stated of them. Trusted.

`sin`, `cos`, `atan`, `erf` and the constant `pi` are declared here as a user declares others;
`tan`, `tanh`, `sigmoid`, `softplus`, `sinh` and `cosh` are defined by these and by `exp` and `log`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import sympy

from gradproof.language import terms as t
from gradproof.language.sorts import Scope, check_condition, check_value
from gradproof.language.substitution import Fresh, substitute
from gradproof.language.terms import (
    REAL,
    And,
    Apply,
    DefinitionError,
    Eq,
    Exp,
    Function,
    Ge,
    Le,
    Log,
    Lt,
    Sym,
    Term,
    as_term,
    walk,
)
from gradproof.language.wellformed import checked_name

CHOICES = (t.If, t.Bracket, t.Max, t.Min)
ARGUMENT = Sym("the argument", REAL)  # no name that somebody can declare
Body = Callable[[Term], object]


def function(
    name: str,
    derivative: Body | None = None,
    facts: Body | None = None,
    domain: Body | None = None,
    value: Body | None = None,
) -> Function:
    """A real function, opaque but for its derivative and the conditions stated as `facts`.

    Each is given as what it says of a real `u`, as in `function("Phi", lambda u: exp(-u*u/2) /
    sqrt(2*pi), facts=lambda u: function("Phi")(u) > 0)`, where `function("Phi")` is itself.
    `domain` is where it is defined, everywhere if nothing is said; `value` gives it by other terms,
    if it can be: without that nothing that is said of it can be refuted.
    """
    scope = Scope(f"function {checked_name(name)}", frozenset((ARGUMENT,)))
    if name in BUILT_IN:
        raise DefinitionError(f"function {name}: there is one already; take another name")
    if derivative is None:
        if facts or domain or value:
            raise DefinitionError(f"function {name}: its derivative is missing")
        return Function(name)
    slope, known = as_term(derivative(ARGUMENT)), () if value is None else (value(ARGUMENT),)
    stated = () if facts is None else facts(ARGUMENT)
    conditions = tuple(stated) if isinstance(stated, tuple | list) else (stated,)
    where = And() if domain is None else domain(ARGUMENT)
    for term in (slope, *map(as_term, known)):
        check_value(term, scope)
    for condition in (where, *conditions):
        check_condition(condition, scope)
    found = Function(name, slope, where, conditions, known)
    for u in (u for part in found.parts for u in walk(part)):
        bare = isinstance(u, Apply) and u.function.is_bare and u.function.name != name
        scope.refuse_if(bare, "function({0!r}) names another function; declare it first", u)
        scope.refuse_if(isinstance(u, t.Binder), "{} is no formula in one real", u)
    for u in (u for part in known for u in walk(as_term(part))):
        scope.refuse_if(isinstance(u, Apply) and u.function.is_bare, "{} is its own value", u)
    return found


# What a declaration says of an application.


def derivative_of(term: Apply) -> Term:
    return said(term, term.function.derivative)


def domain_of(term: Apply) -> Term:
    return said(term, term.function.domain)


def facts_of(term: Apply) -> tuple[Term, ...]:
    return tuple(said(term, fact) for fact in term.function.facts)


def value_of(term: Apply) -> Term | None:
    """The value by other terms; nothing where no other terms give it."""
    return said(term, term.function.value[0]) if len(term.function.value) else None


def said(term: Apply, part: Term) -> Term:
    """A part of the declaration, of what the function is applied to."""
    inner = dict(zip((ARGUMENT,), term.arguments, strict=False))
    return substitute(named(part, term.function), inner, Fresh(part, *inner.values()))


def named(term: Term, owner: Function) -> Term:
    """With the function itself, or a built-in one, where only its name stands."""
    term = t.over_parts(term, lambda u: named(u, owner))
    if not isinstance(term, Apply) or not term.function.is_bare:
        return term
    own = term.function.name == owner.name
    return Apply(owner if own else BUILT_IN[term.function.name], *term.arguments)


def functions_in(terms: Iterable[Term]) -> Iterator[Function]:
    """The functions that terms apply, and those that their declarations apply, each once."""
    pending, seen = list(terms), set[Function]()
    while pending:
        for u in walk(pending.pop()):
            if isinstance(u, Apply) and not u.function.is_bare and u.function not in seen:
                seen.add(u.function)
                pending += u.function.parts
                yield u.function


@t.remembered
def turning(term: Apply) -> tuple[Term, ...]:
    """What is declared of a function, if that chooses: its value, and its derivative."""
    declared = (part for f in functions_in((term,)) for part in (f.derivative, *f.value))
    if not any(isinstance(u, CHOICES) for part in declared for u in walk(part)):
        return ()
    known = value_of(term)
    if known is None:
        return (derivative_of(term),)
    return known, said(term, valued_at(term.function.derivative, term.function))


def valued_at(part: Term, owner: Function) -> Term:
    """With what a function is in place of the function itself, which its derivative may name."""
    part = t.over_parts(part, lambda u: valued_at(u, owner))
    if not isinstance(part, Apply) or part.function.name != owner.name:
        return part
    (value,) = owner.value
    return said(part, value)


def turns_by_itself(term: Apply) -> bool:
    """Whether what is known of it, if that chooses, is said by itself alone, without an end."""
    function = term.function
    is_own = not function.value and any(
        isinstance(u, Apply) and u.function.name == function.name for u in walk(function.derivative)
    )
    return is_own and bool(turning(term))


@t.remembered
def is_opaque(term: Term) -> bool:
    """Whether it applies a function that has no value, of which no evaluation shows anything."""
    if isinstance(term, Apply) and not term.function.built_in and value_of(term) is None:
        return True
    return any(isinstance(u, Apply) and u is not term and is_opaque(u) for u in walk(term)) or (
        isinstance(term, Apply) and any(map(is_opaque, term.function.value))
    )


# The built-in ones.


def built_in(name: str, derivative: object, *facts: Term) -> Function:
    return Function(name, as_term(derivative), And(), facts, (), True)


PI = built_in("pi", 0, Lt(3, Function("pi")()), Lt(Function("pi")(), sympy.Rational(22, 7)))
pi = PI()


def in_bounds(low: int, name: str, high: int) -> tuple[Term, ...]:
    value = Function(name)(ARGUMENT)
    return Le(low, value), Le(value, high)


def odd(name: str) -> Term:
    bare = Function(name)
    return Eq(bare(-ARGUMENT), -bare(ARGUMENT))


def like_argument(name: str) -> tuple[Term, ...]:
    """That a value has the sign of the argument."""
    value = Function(name)(ARGUMENT)
    return t.Or(Lt(0, value), Le(ARGUMENT, 0)), t.Or(Lt(value, 0), Ge(ARGUMENT, 0))


_sin, _cos = Function("sin")(ARGUMENT), Function("cos")(ARGUMENT)
_unit = Eq(_sin * _sin + _cos * _cos, 1)
_even = Eq(Function("cos")(-ARGUMENT), _cos)
sin = built_in("sin", _cos, *in_bounds(-1, "sin", 1), _unit, odd("sin"))
cos = built_in("cos", -_sin, *in_bounds(-1, "cos", 1), _unit, _even)
_acute = (Lt(-1 * pi, 2 * Function("atan")(ARGUMENT)), Lt(2 * Function("atan")(ARGUMENT), pi))
atan = built_in("atan", 1 / (1 + ARGUMENT * ARGUMENT), *_acute, *like_argument("atan"), odd("atan"))
erf = built_in(
    "erf",
    2 * Exp(-(ARGUMENT * ARGUMENT)) / Exp(Log(pi) / 2),
    Lt(-1, Function("erf")(ARGUMENT)),
    Lt(Function("erf")(ARGUMENT), 1),
    *like_argument("erf"),
    odd("erf"),
)
BUILT_IN = {f.name: f for f in (PI, sin, cos, atan, erf)}


# Definitions.


def tan(u: object) -> Term:
    """The tangent, where the cosine is not 0."""
    return sin(u) / cos(u)


def sinh(u: object) -> Term:
    return (Exp(u) - Exp(minus(u))) / 2


def cosh(u: object) -> Term:
    return (Exp(u) + Exp(minus(u))) / 2


def tanh(u: object) -> Term:
    return 1 - 2 / (Exp(2 * as_term(u)) + 1)


def sigmoid(u: object) -> Term:
    return 1 / (1 + Exp(minus(u)))


def softplus(u: object) -> Term:
    """The logarithm of 1 + e^u."""
    return Log(1 + Exp(u))


minus = t.minus
