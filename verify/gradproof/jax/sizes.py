"""JAX's symbolic dimensions as terms, and the comparisons by which code chose. Untrusted.

JAX takes two dimensions for unequal if it cannot tell. Where the user's code compares, the answer
is that of the sizes at hand, and a condition of the trace.
"""

from __future__ import annotations

import ast
import linecache
import math
import operator
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from types import FrameType
from typing import Any

import jax
import numpy as np
import sympy
from jax import dtypes
from jax.export import SymbolicScope, symbolic_shape

from gradproof.evaluate.replay import satisfies
from gradproof.language import terms as t
from gradproof.language.terms import Sym, Term
from gradproof.tracing import integers as n
from gradproof.tracing.lines import answered, at
from gradproof.tracing.tensors import Unreadable

LIBRARY = sysconfig.get_paths()["stdlib"]
HERE = os.path.dirname(os.path.dirname(__file__))
FRAMEWORK = (os.path.join(os.path.dirname(jax.__file__), ""), os.path.join(HERE, ""))
MADE_UP = ("<frozen ", "<string>", "<__array_function__")  # by Python and its libraries
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


TOLD = {"__str__": "text", "__repr__": "text", "__format__": "text", "__hash__": "a key"}


def is_users(filename: str) -> bool:
    return not filename.startswith((*FRAMEWORK, *MADE_UP))


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
        return dimension(term, self.scope)

    def term(self, value: Any) -> Term:
        """A dimension as a term."""
        if isinstance(value, int) or (hasattr(value, "__index__") and not is_symbolic(value)):
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
        holds = satisfies((condition,), dict(self.hints))
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
        before = {name: getattr(kind, name) for name in (*RELATIONS, *TOLD)}
        for name in RELATIONS:
            setattr(kind, name, self.watched(name, before[name]))
        for name, said in TOLD.items():
            setattr(kind, name, untold(before[name], said))
        kind.__bool__ = self.truth
        paddings = sys.modules.get("jax._src.lax.convolution")
        if paddings is not None:
            paddings.operator = Indices()  # type: ignore[attr-defined]
        zeros = np.zeros
        setattr(np, "zeros", of_no_cells(zeros))  # noqa: B010 - a name that is final
        try:
            yield
        finally:
            setattr(np, "zeros", zeros)  # noqa: B010 - a name that is final
            if paddings is not None:
                paddings.operator = operator  # type: ignore[attr-defined]
            for name, usual in before.items():
                setattr(kind, name, usual)
            del kind.__bool__

    def watched(self, name: str, usual: Any) -> Any:
        def compare(a: Any, b: Any) -> Any:
            if not asked_by_user():
                return usual(a, b)
            if not is_number(b):
                if not isinstance(b, Real | np.bool_):
                    return usual(a, b)
                if not (whole := float(b)).is_integer():
                    raise Unreadable(located(f"a size beside {b}, which is no whole number"))
                b = int(whole)
            if is_symbolic(a - b):
                answered()
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
            if not asked_by_user():
                return True
            answered()
            return self.answer(t.Ne(self.term(a), sympy.Integer(0)))

        return nonzero


def of_no_cells(usual: Any) -> Any:
    """NumPy's zeros, where what is asked for is the gradient by integers, of any size: none."""

    def zeros(shape: Any, dtype: Any = float, *rest: Any, **named: Any) -> Any:
        if dtype == dtypes.float0 and any(map(is_symbolic, np.atleast_1d(np.array(shape, object)))):
            return None
        return usual(shape, dtype, *rest, **named)

    return zeros


class Indices:
    """For JAX's convolutions, whose gradients by strides have paddings of symbolic sizes."""

    @staticmethod
    def index(value: Any) -> Any:
        return value if is_symbolic(value) else operator.index(value)

    def __getattr__(self, name: str) -> Any:
        return getattr(operator, name)


def untold(usual: Any, said: str) -> Any:
    def tell(size: Any, *rest: Any) -> Any:
        if asked_by_user():
            raise Unreadable(located(f"a size as {said}, which is another at each size"))
        return usual(size, *rest)

    return tell


def asked_by_user() -> bool:
    """Whether it is the user's code that asks a size for something, itself or by Python's own."""
    return is_users(asking().f_code.co_filename)


def asking() -> FrameType:
    """The frame that asks a size for something, Python's own and ours aside."""
    frame = sys._getframe(3)  # of who called what calls this
    while frame.f_back is not None and is_between(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def located(said: str) -> str:
    """What is said, with the line of the user's code that asks."""
    file, line = asking().f_code.co_filename, asking().f_lineno
    return at(file, line, linecache.getline(file, line), said)


def is_between(filename: str) -> bool:
    is_python_s = filename.startswith(LIBRARY) and "site-packages" not in filename
    return is_python_s or filename.startswith(MADE_UP)


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
ARITHMETIC: dict[type, Callable[..., Any]] = {
    t.Add: lambda *parts: sum(parts[1:], parts[0]),
    t.Mul: lambda *parts: math.prod(parts[1:], start=parts[0]),
    t.FloorDiv: lambda a, b: a // b,
    t.Mod: lambda a, b: a % b,
    t.CeilDiv: lambda a, b: -(-a // b),
}
CHOSEN: dict[type, str] = {t.Max: "max", t.Min: "min"}


def dimension(term: Term, scope: SymbolicScope) -> Any:
    """A term of sizes as JAX's dimension."""
    if isinstance(term, sympy.Integer):
        return int(term)
    if isinstance(term, Sym):
        return symbolic_shape(term.name, scope=scope)[0]
    parts = [dimension(a, scope) for a in term.args]
    if type(term) in CHOSEN:
        return symbolic_shape(f"{CHOSEN[type(term)]}({parts[0]}, {parts[1]})", scope=scope)[0]
    if type(term) in ARITHMETIC:
        return ARITHMETIC[type(term)](*parts)
    raise Unreadable(f"a size that is {term}; write it in +, -, *, // and %")


def constraint(clause: Term) -> str | None:
    """A requirement of sizes as JAX takes it, if it does."""
    kinds = {t.Ge: (">=", 0, 0), t.Gt: (">=", 0, 1), t.Le: ("<=", 0, 0), t.Lt: ("<=", 1, 0)}
    if type(clause) not in (*kinds, t.Eq) or t.arrays(clause):
        return None
    if any(t.sort_of(a) != t.INT for a in clause.args):
        return None
    scope = SymbolicScope()
    left, right = (dimension(a, scope) for a in clause.args)
    if type(clause) is t.Eq:
        return f"{left} == {right}" if isinstance(clause.args[0], Sym) else None
    sign, more_left, more_right = kinds[type(clause)]
    return f"{left + more_left} {sign} {right + more_right}"
