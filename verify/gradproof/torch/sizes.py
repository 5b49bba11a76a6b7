"""PyTorch's symbolic sizes as terms: what `SymInt`s say, and the guards of a trace. Untrusted."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sympy
import torch
import torch.fx.experimental._config as settings
from torch import fx, nn
from torch._guards import GuardSource, Source
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, uninteresting_files
from torch.utils._sympy.functions import Max

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS
from gradproof.language import terms as t
from gradproof.language.terms import Sym, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.lines import answered
from gradproof.tracing.tensors import Unreadable

PYTORCH, LAYERS = (os.path.dirname(home.__file__ or "") for home in (torch, nn))
ASKING = (os.path.dirname(fx.__file__ or ""), __file__)  # through which a question goes


@dataclass(frozen=True)
class Named(Source):
    """Where a size comes from: the name that the user gave it."""

    label: str

    @property
    def name(self) -> str:
        return self.label

    @property
    def _name_template(self) -> str:
        return self.label

    @property
    def guard_source(self) -> GuardSource:
        return GuardSource.CONSTANT


class Environment(ShapeEnv):
    """PyTorch's conditions on sizes, which are told of each that the user's code asks.

    What its own operations ask, whether a size is 1 or memory lies in a row, decides how they
    compute and not what: it is answered as of sizes that are not 1, and is no condition.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.hints: dict[Any, Any] = {}  # of the symbols of sizes
        self.is_meant = False  # whether what is asked decides what is computed

    @contextmanager
    def meant(self, is_meant: bool) -> Iterator[None]:
        """Whether a size of 1 is one for an operation that runs, as for one that drops axes."""
        before = self.is_meant, settings.backed_size_oblivious
        self.is_meant, settings.backed_size_oblivious = is_meant, not is_meant
        try:
            yield
        finally:
            self.is_meant, settings.backed_size_oblivious = before

    def evaluate_sym_node(self, node: Any, *given: Any, **named: Any) -> Any:
        usual = None if self.is_meant or not is_internal() else away_from_one(node.expr)
        if usual is not None and node.expr.xreplace(self.hints) == usual:
            return usual
        answered()
        return super().evaluate_sym_node(node, *given, **named)


def away_from_one(asked: Any) -> bool | None:
    """The answer where no size is 1, if it is the same at all such sizes."""
    if isinstance(asked, sympy.Not):
        inner = away_from_one(asked.args[0])
        return None if inner is None else not inner
    if isinstance(asked, sympy.And | sympy.Or):
        parts = [away_from_one(part) for part in asked.args]
        decisive = isinstance(asked, sympy.Or)
        return decisive if decisive in parts else None if None in parts else not decisive
    if isinstance(asked, sympy.Eq | sympy.Ne) and are_unlike(*asked.args):
        return isinstance(asked, sympy.Ne)
    if isinstance(asked, sympy.Gt | sympy.Le) and asked.args[1] == 1:
        return isinstance(asked, sympy.Gt)
    if isinstance(asked, sympy.Lt | sympy.Ge) and asked.args[0] == 1:
        return isinstance(asked, sympy.Lt)
    return None


def are_unlike(a: Any, b: Any) -> bool:
    """Whether two products of sizes are one only where sizes that one of them has more are 1."""
    first, second = (Counter(sympy.Mul.make_args(without_floor(e))) for e in (a, b))
    more, fewer = ([p for p in parts if p != 1] for parts in (first - second, second - first))
    is_number = any(part.is_number for part in (*more, *fewer))
    return bool(more) != bool(fewer) and not is_number


def without_floor(size: Any) -> Any:
    """A size, of which PyTorch also says that it is at least 1."""
    floors = {m: sympy.Mul(*(a for a in m.args if a != 1)) for m in size.atoms(Max)}
    return size.xreplace(floors)


def is_internal() -> bool:
    """Whether an operation of PyTorch asks, and no code that calls it."""
    frame: Any = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(ASKING):
        frame = frame.f_back
    if frame.f_code.co_filename != torch.__file__:
        return not frame.f_code.co_filename.startswith(LAYERS)
    file = frame.f_back.f_code.co_filename  # who made a `bool` of it
    return file.startswith(PYTORCH) and not file.startswith(LAYERS)


class Sizes:
    """Symbols of the language beside those of a trace, and the guards that it made."""

    def __init__(self, hints: Mapping[Sym, int | float]) -> None:
        uninteresting_files().add(__file__)  # of which none is where the user's code asks
        self.env = Environment(specialize_zero_one=False, duck_shape=False)
        self.hints = dict(hints)
        self.symbols: dict[Any, Sym] = {}
        self.numbers: dict[Term, Any] = {s: self.made(s, hint) for s, hint in hints.items()}

    def made(self, symbol: Sym, hint: int | float) -> Any:
        source = Named(symbol.name)
        real = symbol.sort == t.REAL
        found = self.env.create_symbol(
            float(hint) if real else hint,
            source,
            dynamic_dim=DimDynamic.DYNAMIC,
            positive=None,
        )
        self.symbols[found] = symbol
        self.env.hints[found] = hint
        if real:
            return self.env.create_symfloatnode(found, hint=float(hint), source=source)
        return self.env.create_symintnode(found, hint=hint, source=source)

    def number(self, term: Term) -> Any:
        """A term of sizes as the number that the code is given."""
        if isinstance(term, sympy.Integer):
            return int(term)
        if isinstance(term, t.Sym):
            return self.numbers[term]
        parts = [self.number(a) for a in term.args]
        return ARITHMETIC[type(term)](parts)

    def term(self, value: Any) -> Term:
        """What a number of the trace is, as a term."""
        if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
            return self.of(value.node.expr)
        if isinstance(value, bool):
            return t.And() if value else t.Or()
        return reals.of(value)

    def of(self, expression: Any) -> Term:
        if expression in self.symbols:
            return self.symbols[expression]
        if isinstance(expression, sympy.Integer):
            return expression
        if isinstance(expression, sympy.Float):
            return reals.number(float(expression))
        if isinstance(expression, sympy.Rational):
            return expression
        if expression in (sympy.true, sympy.false):
            return t.And() if expression is sympy.true else t.Or()
        name = type(expression).__name__
        if name not in MEANING:
            raise Unreadable(f"a size that is {expression}, of {name}")
        return MEANING[name](*(self.of(a) for a in expression.args))

    def is_one(self, term: Term) -> bool:
        """Whether a size is 1 in this trace."""
        return bool(Evaluator(RATIONALS, {}).value(term, self.hints) == 1)

    @property
    def guards(self) -> list[Term]:
        """The conditions under which the code runs as it was traced."""
        found = [guard.expr for guard in self.env.guards]
        return [self.of(expression) for expression in found if expression is not sympy.true]

    @property
    def lines(self) -> dict[Term, Any]:
        """The frame in which each of these was decided."""
        return {self.of(g.expr): g.sloc.framework_loc for g in self.env.guards}


ARITHMETIC: dict[type, Callable[[list[Any]], Any]] = {
    t.Add: lambda parts: sum(parts[1:], parts[0]),
    t.Mul: lambda parts: product(parts),
    t.FloorDiv: lambda parts: parts[0] // parts[1],
    t.Mod: lambda parts: parts[0] % parts[1],
    t.CeilDiv: lambda parts: -(-parts[0] // parts[1]),
    t.Max: lambda parts: torch.sym_max(*parts),
    t.Min: lambda parts: torch.sym_min(*parts),
}


def product(parts: list[Any]) -> Any:
    found = parts[0]
    for part in parts[1:]:
        found = found * part
    return found


def added(*parts: Term) -> Term:
    return n.add(*parts) if integral(*parts) else reals.plus(*parts)


def multiplied(*parts: Term) -> Term:
    return n.mul(*parts) if integral(*parts) else reals.times(*parts)


def integral(*parts: Term) -> bool:
    return all(t.sort_of(p) == t.INT for p in parts)


def raised(a: Term, b: Term) -> Term:
    if integral(a) and isinstance(b, sympy.Integer) and b >= 0:
        return n.mul(*[a] * int(b)) if b else n.ONE
    return reals.power(a, b)


MEANING: dict[str, Callable[..., Term]] = {
    "Add": added,
    "Mul": multiplied,
    "Pow": raised,
    "PowByNatural": raised,
    "FloatPow": reals.power,
    "FloorDiv": n.floor_div,
    "CleanDiv": n.floor_div,
    "Mod": n.mod,
    "PythonMod": n.mod,
    "CeilDiv": lambda a, b: t.CeilDiv(a, b),
    "Max": lambda *parts: t.Max(*parts),
    "Min": lambda *parts: t.Min(*parts),
    "ToFloat": lambda a: a,
    "Identity": lambda a: a,
    "IntTrueDiv": reals.over,
    "FloatTrueDiv": reals.over,
    "OpaqueUnaryFn_sqrt": reals.root,
    "OpaqueUnaryFn_exp": reals.exp,
    "OpaqueUnaryFn_log": reals.log,
    "Equality": lambda a, b: t.Eq(a, b),
    "Unequality": lambda a, b: t.Ne(a, b),
    "LessThan": lambda a, b: t.relation(t.Le, a, b),
    "StrictLessThan": lambda a, b: t.relation(t.Lt, a, b),
    "GreaterThan": lambda a, b: t.relation(t.Ge, a, b),
    "StrictGreaterThan": lambda a, b: t.relation(t.Gt, a, b),
    "And": lambda *parts: t.And(*parts),
    "Or": lambda *parts: t.Or(*parts),
    "Not": lambda a: t.Not(a),
}
