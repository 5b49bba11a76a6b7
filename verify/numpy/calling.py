"""Calls: of NumPy's functions and methods, of Python's own, and of the user's. Untrusted."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import sympy

from gradproof.language import terms as t
from gradproof.language.terms import INT, REAL, Term
from gradproof.numpy import functions, lists, places
from gradproof.numpy.arrays import Array
from gradproof.numpy.functions import CONSTANTS, FUNCTIONS, SORTS, array_of, scalar
from gradproof.numpy.operators import is_number, is_plain, plain_size
from gradproof.numpy.ranges import Range
from gradproof.numpy.state import items
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.operations import OPS, cast
from gradproof.tracing.tensors import Tensor, Unreadable

# Functions whose result may share the cells of their first argument.
VIEWS = {
    *("transpose", "swapaxes", "reshape", "ravel", "expand_dims", "squeeze", "broadcast_to"),
    *("flip", "asarray", "ascontiguousarray", "asfarray"),
}
MODULES = {"numpy", "math", "numpy.linalg"}


@dataclass(frozen=True, eq=False)
class Method:
    """A method of an array or number, yet to be called."""

    value: Any
    name: str


@dataclass(frozen=True)
class Named:
    """A function of NumPy."""

    name: str


def attribute(reader: Any, value: Any, name: str) -> Any:
    if isinstance(value, ModuleType):
        return of_module(value, name)
    if isinstance(value, Named):
        return Named(f"{value.name}.{name}")
    if isinstance(value, Array | Tensor):
        inner = value.value if isinstance(value, Array) else value
        shape = tuple(plain_size(s) for s in inner.shape)
        facts = {"shape": shape, "ndim": len(shape), "dtype": SORTS[inner.sort]}
        if name in facts:
            return facts[name]
        if name == "size":
            return plain_size(n.product(inner.shape))
        if name == "T":
            return reader.view(functions.transpose(reader, reader.tensor(value)), value)
        return Method(value, name)
    if isinstance(value, t.Term | int | float):
        return () if name == "shape" else Method(value, name)
    if isinstance(value, list) and name in lists.METHODS:
        return Method(value, name)
    raise Unreadable(f".{name} of {type(value).__name__}")


def of_module(module: ModuleType, name: str) -> Any:
    if module.__name__ not in MODULES:
        inner = getattr(module, name, None)
        is_numba = module.__name__ == "numba" and name == "prange"
        if is_numba or isinstance(inner, FunctionType | ModuleType):
            return Named(name) if is_numba else inner
        raise Unreadable(f"{module.__name__}.{name} is not read")
    if name in CONSTANTS:
        return CONSTANTS[name]
    known = f"linalg.{name}" if module.__name__ == "numpy.linalg" else name
    if known in FUNCTIONS or known in SORTS.values():
        return Named(known)
    inner = getattr(module, name, None)
    if isinstance(inner, np.ufunc):
        return Named(name)
    if inner is np.ndarray:
        return inner
    if isinstance(inner, ModuleType) and inner.__name__ in MODULES:
        return inner
    raise Unreadable(f"{module.__name__}.{name} is not read")


def applied(reader: Any, called: Any, args: list[Any], named: dict[str, Any]) -> Any:
    if isinstance(called, Method):
        return method(reader, called, args, named)
    if isinstance(called, Named):
        return library(reader, called.name, args, named)
    name = getattr(called, "__name__", "")
    if name in BUILTINS and called is getattr(builtins, name, None):
        return BUILTINS[name](reader, *args, **named)
    if name == "prange":
        return Range(*map(plain_size, args))
    if isinstance(called, np.ufunc) or getattr(called, "__module__", "") in ("numpy", "math"):
        return library(reader, name, args, named)
    if callable(called) and not isinstance(called, type):
        return reader.call(called, args, named)
    raise Unreadable(f"a call of {name or called}")


def library(reader: Any, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    if name == "prange":
        return Range(*args)
    if name == "add.at":
        return places.add_at(reader, *args, **named)
    if name in SORTS.values() and len(args) == 1:
        return scalar(as_kind(reader.tensor(args[0]), name))
    if name not in FUNCTIONS:
        raise Unreadable(f"np.{name} is not read")
    ready = [argument(reader, a) for a in args]
    options = {k: argument(reader, v) for k, v in named.items()}
    found = scalar(FUNCTIONS[name](reader, *map(for_array(name), ready), **options))
    return reader.view(found, args[0]) if name in VIEWS else found


def argument(reader: Any, value: Any) -> Any:
    if isinstance(value, Array):
        return reader.tensor(value)
    if isinstance(value, list | tuple):
        return type(value)(argument(reader, v) for v in value)
    return value


def for_array(name: str) -> Callable[[Any], Any]:
    """Functions of numbers take terms as arrays without axes."""
    elementwise = name in functions.SAME
    return lambda value: array_of(value) if elementwise and is_number(value) else value


def method(reader: Any, method: Method, args: list[Any], named: dict[str, Any]) -> Any:
    value, name = method.value, method.name
    if name in lists.METHODS:
        return lists.METHODS[name](reader, value, *args, **named)
    if name in ("copy", "item"):
        return scalar(copied(reader.tensor(value)))
    if name == "astype":
        return scalar(as_kind(reader.tensor(value), *args))
    if name == "fill":
        places.write(reader, value, slice(None), args[0], False)
        return None
    if name in ("transpose", "reshape") and len(args) > 1:
        args = [tuple(args)]
    return library(reader, name, [value, *args], named)


def copied(found: Tensor) -> Tensor:
    return Tensor(found.axes, found.cell, found.sort, found.hit)


def as_kind(found: Tensor, dtype: Any) -> Tensor:
    """A copy, as numbers of another kind."""
    sort = functions.sort_of(dtype)
    if sort == INT and found.sort == REAL:
        raise Unreadable("a cast of reals to integers")
    return copied(cast(found, sort))


def extreme(kind: Any, plain: Any, neutral: float) -> Callable[..., Any]:
    def run(reader: Any, *args: Any) -> Any:
        whole = len(args) == 1 and isinstance(args[0], tuple | list)
        values = list(args[0]) if whole else list(args)
        if all(map(is_plain, values)):
            return plain(values)
        cells = [scalar(reader.tensor(v)) if isinstance(v, Array) else v for v in values]
        known = [reals.of(v) for v in cells if v != neutral]
        return known[0] if len(known) == 1 else kind(*known)

    return run


def absolute(reader: Any, value: Any) -> Any:
    return abs(value) if is_plain(value) else scalar(OPS["abs"](reader, reader.tensor(value)))


def length(reader: Any, value: Any) -> Any:
    if isinstance(value, tuple | list | dict):
        return len(value)
    if isinstance(value, Array) and value.filling is not None:
        return plain_size(value.filling.length)
    return plain_size(reader.tensor(value).shape[0])


def total(reader: Any, value: Any, start: Any = 0) -> Any:
    from_terms = start
    for one in items(value):
        from_terms = scalar(OPS["add"](reader, array_of(from_terms), reader.tensor(one)))
    return from_terms


def whole(reader: Any, value: Any) -> Any:
    """`int(…)`, of an integer or of a quotient of integers that is not below 0."""
    if is_plain(value):
        return int(value)
    term = t.as_term(value)
    if t.sort_of(term) == INT:
        return term
    above, below = quotient(term)
    positive = t.And(t.relation(t.Ge, above, 0), t.relation(t.Gt, below, 0))
    if not reader.entails(positive):
        raise Unreadable("int(…) of what may be below 0; write // of integers")
    return plain_size(n.floor_div(above, below))


def quotient(term: Term) -> tuple[Term, Term]:
    """A number of sizes, as a quotient of integers."""
    if t.sort_of(term) == INT:
        return term, n.ONE
    if isinstance(term, sympy.Rational):
        return sympy.Integer(term.p), sympy.Integer(term.q)
    if isinstance(term, t.Div):
        (a, b), (c, d) = map(quotient, term.args)
        return n.mul(a, d), n.mul(b, c)
    if isinstance(term, t.Add | t.Mul):
        above, below = quotient(term.args[0])
        for part in term.args[1:]:
            c, d = quotient(part)
            if isinstance(term, t.Mul):
                above, below = n.mul(above, c), n.mul(below, d)
            else:
                above, below = n.add(n.mul(above, d), n.mul(c, below)), n.mul(below, d)
        return above, below
    raise Unreadable("int(…) of a real number; write // of integers")


def is_of(reader: Any, value: Any, kind: Any) -> bool:
    """`isinstance`, of what is known."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if isinstance(value, Array | Tensor):
        return np.ndarray in kinds
    if isinstance(value, t.Term):
        known = {INT: int, REAL: float}.get(t.sort_of(value))
        if known is None or any(k not in (int, float, np.ndarray, tuple, list) for k in kinds):
            raise Unreadable("isinstance of a number")
        return known in kinds
    return isinstance(value, kinds)


def zipped(reader: Any, *args: Any, strict: bool = False) -> list[Any]:
    return list(zip(*map(items, args), strict=strict))


def counted(reader: Any, value: Any, start: int = 0) -> list[Any]:
    return list(enumerate(items(value), start))


def listed(kind: Any) -> Callable[..., Any]:
    return lambda reader, value=(): kind(items(value))


def a_range(reader: Any, *args: Any) -> Range:
    return Range(*map(plain_size, args))


def turned(reader: Any, value: Any) -> Any:
    if not isinstance(value, Range):
        return list(items(value))[::-1]
    if value.turns is not None:
        return list(value.turns)[::-1]
    if value.step != 1:
        raise Unreadable("reversed(…) of a range with a step; write the range downwards")
    first, last = (n.minus(e, 1) for e in value.ends)
    return Range(plain_size(last), plain_size(first), -1)


def printed(reader: Any, *args: Any, **named: Any) -> None:
    return None


def a_float(reader: Any, value: Any) -> Any:
    return float(value) if is_plain(value) else reals.of(scalar(reader.tensor(value)))


def a_dictionary(reader: Any, *args: Mapping[str, Any], **named: Any) -> dict[str, Any]:
    return dict(*args, **{k: reader.kept(v) for k, v in named.items()})


BUILTINS: dict[str, Callable[..., Any]] = {
    "range": a_range,
    "len": length,
    "min": extreme(t.Min, min, math.inf),
    "max": extreme(t.Max, max, -math.inf),
    "abs": absolute,
    "sum": total,
    "int": whole,
    "float": a_float,
    "tuple": listed(tuple),
    "list": listed(list),
    "dict": a_dictionary,
    "zip": zipped,
    "enumerate": counted,
    "isinstance": is_of,
    "reversed": turned,
    "slice": lambda reader, *args: slice(*args),
    "print": printed,
}
