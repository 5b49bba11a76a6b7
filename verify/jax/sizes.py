"""JAX's symbolic dimensions as terms, and the comparisons by which code chose. Untrusted.

JAX takes two dimensions for unequal if it cannot tell. Where the user's code compares, the answer
is that of the sizes at hand, and a condition of the trace.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import sympy
from jax.export import SymbolicScope, symbolic_shape

from gradproof.evaluate.replay import satisfies
from gradproof.language import terms as t
from gradproof.language.terms import Sym, Term
from gradproof.tracing import integers as n
from gradproof.tracing.tensors import Unreadable

HERE = os.path.dirname(os.path.dirname(__file__))
FRAMEWORK = (os.path.dirname(jax.__file__), HERE)
RELATIONS: dict[str, Callable[[Term, Term], Term]] = {
    "__eq__": lambda a, b: t.Eq(a, b),
    "__ne__": lambda a, b: t.Ne(a, b),
    "__lt__": lambda a, b: t.relation(t.Lt, a, b),
    "__le__": lambda a, b: t.relation(t.Le, a, b),
    "__gt__": lambda a, b: t.relation(t.Gt, a, b),
    "__ge__": lambda a, b: t.relation(t.Ge, a, b),
}
OPPOSITE: dict[type, type] = {
    t.Eq: t.Ne,
    t.Ne: t.Eq,
    t.Lt: t.Ge,
    t.Ge: t.Lt,
    t.Le: t.Gt,
    t.Gt: t.Le,
}


def is_users(filename: str) -> bool:
    return not filename.startswith((*FRAMEWORK, "<"))


class Sizes:
    """Symbols of the language beside JAX's, and the conditions under which code runs as it did."""

    def __init__(self, hints: Mapping[Sym, Any], requires: Sequence[Term]) -> None:
        self.hints = hints
        self.integers = {s.name: s for s in hints if s.sort == t.INT}
        said = filter(None, (constraint(c) for c in requires))
        self.scope = SymbolicScope(list(dict.fromkeys(said)))
        self.asked: list[Term] = []

    def number(self, term: Term) -> Any:
        """A term of sizes as the dimension that code is given."""
        if isinstance(term, sympy.Integer):
            return int(term)
        return symbolic_shape(written(term), scope=self.scope)[0]

    def term(self, value: Any) -> Term:
        """A dimension as a term."""
        if isinstance(value, int) or hasattr(value, "__index__") and not is_symbolic(value):
            return sympy.Integer(int(value))
        text = str(value).replace("^", "**")
        return n.simple(self.of(ast.parse(text, mode="eval").body, text))

    def of(self, tree: ast.expr, text: str) -> Term:
        match tree:
            case ast.Constant(value=int(value)):
                return sympy.Integer(value)
            case ast.Name(id=name) if name in self.integers:
                return self.integers[name]
            case ast.UnaryOp(op=ast.USub(), operand=a):
                return n.mul(-1, self.of(a, text))
            case ast.BinOp(left=a, op=ast.Add(), right=b):
                return n.add(self.of(a, text), self.of(b, text))
            case ast.BinOp(left=a, op=ast.Sub(), right=b):
                return n.minus(self.of(a, text), self.of(b, text))
            case ast.BinOp(left=a, op=ast.Mult(), right=b):
                return n.mul(self.of(a, text), self.of(b, text))
            case ast.BinOp(left=a, op=ast.Pow(), right=ast.Constant(value=int(count))):
                return n.mul(*[self.of(a, text)] * count)
            case ast.Call(func=ast.Name(id=name), args=args) if name in MEANING:
                return MEANING[name](*(self.of(a, text) for a in args))
        raise Unreadable(f"a size that is {text}")

    @property
    def guards(self) -> tuple[Term, ...]:
        """The conditions under which code runs as it was traced; JAX's sizes are at least 1."""
        positive = (t.relation(t.Ge, s, 1) for s in self.integers.values())
        return tuple(dict.fromkeys((*positive, *self.asked)))

    @property
    def equal(self) -> tuple[Term, ...]:
        """The equalities among them, which another trace may be told."""
        return tuple(c for c in self.asked if isinstance(c, t.Eq))

    def answer(self, condition: Term) -> bool:
        """Whether a condition holds at the sizes at hand; it is one of the trace from now on."""
        holds = satisfies((condition,), self.hints)
        kind = type(condition)
        opposite = OPPOSITE[kind](*condition.args) if not holds else condition
        self.asked.append(opposite)
        return holds

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Comparisons of dimensions by the user's code are answered here."""
        if not self.integers:
            yield
            return
        kind = type(symbolic_shape(next(iter(self.integers)), scope=self.scope)[0])
        if not isinstance(kind, type) or kind is int:
            yield
            return
        before = {name: getattr(kind, name) for name in RELATIONS}
        for name, usual in before.items():
            setattr(kind, name, self.watched(name, usual))
        kind.__bool__ = self.truth  # type: ignore[attr-defined]
        try:
            yield
        finally:
            for name, usual in before.items():
                setattr(kind, name, usual)
            del kind.__bool__  # type: ignore[attr-defined]

    def watched(self, name: str, usual: Any) -> Any:
        def compare(a: Any, b: Any) -> Any:
            if not is_users(sys._getframe(1).f_code.co_filename) or not is_number(b):
                return usual(a, b)
            if is_symbolic(a - b):
                try:
                    if name in ("__eq__", "__ne__"):
                        raise ValueError
                    return usual(a, b)
                except Exception:
                    return self.answer(RELATIONS[name](self.term(a), self.term(b)))
            return usual(a, b)

        return compare

    @property
    def truth(self) -> Any:
        def nonzero(a: Any) -> bool:
            if not is_users(sys._getframe(1).f_code.co_filename):
                return True
            return self.answer(t.Ne(self.term(a), sympy.Integer(0)))

        return nonzero


def is_symbolic(value: Any) -> bool:
    return type(value).__name__ == "_DimExpr"


def is_number(value: Any) -> bool:
    return is_symbolic(value) or isinstance(value, int)


MEANING: dict[str, Callable[..., Term]] = {
    "floordiv": n.floor_div,
    "mod": n.mod,
    "max": lambda *parts: t.Max(*parts),
    "min": lambda *parts: t.Min(*parts),
}
NAMES: dict[type, str] = {t.FloorDiv: "floordiv", t.Mod: "mod", t.Max: "max", t.Min: "min"}


def written(term: Term) -> str:
    """A term of sizes as JAX reads it."""
    if isinstance(term, sympy.Integer | Sym):
        return str(term)
    parts = [written(a) for a in term.args]
    if isinstance(term, t.Add):
        return "(" + " + ".join(parts) + ")"
    if isinstance(term, t.Mul):
        return "*".join(f"({p})" for p in parts)
    if isinstance(term, t.CeilDiv):
        return f"(floordiv({parts[0]} + {parts[1]} - 1, {parts[1]}))"
    if type(term) in NAMES:
        return f"{NAMES[type(term)]}({', '.join(parts)})"
    raise Unreadable(f"a size that is {term}; write it in +, -, *, // and %")


def constraint(clause: Term) -> str | None:
    """A requirement of sizes as JAX takes it, if it does."""
    if not isinstance(clause, t.Ge | t.Le | t.Gt | t.Lt | t.Eq):
        return None
    if any(t.sort_of(a) != t.INT for a in clause.args) or t.arrays(clause):
        return None
    try:
        left, right = (written(a) for a in clause.args)
    except Unreadable:
        return None
    match clause:
        case t.Ge():
            return f"{left} >= {right}"
        case t.Le():
            return f"{left} <= {right}"
        case t.Gt():
            return f"{left} >= {right} + 1"
        case t.Lt():
            return f"{left} + 1 <= {right}"
    return f"{left} == {right}" if isinstance(clause.args[0], Sym) else None
