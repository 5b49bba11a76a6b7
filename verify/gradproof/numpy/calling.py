"""Calls: of NumPy's functions and methods, of Python's own, and of the user's. Untrusted."""

from __future__ import annotations

import ast
import builtins
import math
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from operator import attrgetter
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
import sympy

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL, Term
from gradproof.numpy import functions, lists, objects, places
from gradproof.numpy.arrays import Array, Table
from gradproof.numpy.functions import CONSTANTS, FUNCTIONS, SORTS, array_of, scalar
from gradproof.numpy.objects import Above, Bound, Instance
from gradproof.numpy.operators import is_number, is_plain, is_said, operate, plain_size
from gradproof.numpy.ranges import Range, Rows
from gradproof.numpy.sources import is_compiled
from gradproof.numpy.state import Inner, Once, items
from gradproof.tracing import integers as n
from gradproof.tracing import reals, tensors
from gradproof.tracing.operations import cast
from gradproof.tracing.tensors import Tensor, Unreadable

# Functions whose result may share the cells of their first argument.
VIEWS = {
    *("transpose", "swapaxes", "reshape", "ravel", "expand_dims", "squeeze", "broadcast_to"),
    *("flip", "flipud", "fliplr", "asarray", "ascontiguousarray", "asfarray", "split"),
    *("moveaxis", "atleast_1d", "atleast_2d"),
}
# Functions that make an array, though it may have no axes.
MAKING = {"zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "empty", "empty_like"}
MAKING |= {"array", "copy"}
MODULES = {"numpy", "math", "numpy.linalg", "numpy.random", "scipy.special"}
SCIPY = ("erf", "erfc", "expit", "log1p", "expm1")  # of scipy.special, where the user imports it
WITHOUT_ENDS = ("random", "standard_normal")
RANDOM = ("randn", "rand", "random", "standard_normal", "normal", "uniform")


@dataclass(frozen=True, eq=False)
class Method:
    """A method of an array or number, yet to be called."""

    value: Any
    name: str


@dataclass(frozen=True)
class Named:
    """A function of NumPy."""

    name: str


def is_original(found: Any, module: ModuleType) -> bool:
    """Whether a function is that of NumPy or Python, and no other that was put in its place."""
    is_own = isinstance(found, FunctionType)
    inner = found if is_own else getattr(found, "_implementation", found)
    if getattr(found, "__self__", None) is getattr(np.random.mtrand, "_rand", None):
        return found is getattr(np.random, found.__name__, None)
    if isinstance(inner, FunctionType):
        folder = os.path.join(os.path.dirname(str(module.__file__)), "")
        return inner.__code__.co_filename.startswith(folder)
    if isinstance(inner, np.ufunc):
        return inner.__name__.isidentifier()  # those of Python's functions have other names
    return isinstance(inner, BuiltinFunctionType | type)


def originals() -> dict[Any, dict[str, None]]:
    """The functions that are read, with the names by which they are."""
    every = [(getattr(np, k, None), k, np) for k in (*FUNCTIONS, *SORTS.values(), "ndarray")]
    every += [(np.linalg.norm, "linalg.norm", np), (np.nonzero, "nonzero", np)]
    every += [(getattr(np.random, k), f"random.{k}", np.random) for k in RANDOM]
    every += [(getattr(math, k, None), k, np) for k in functions.ONE]
    found: dict[Any, dict[str, None]] = {}
    for function, name, module in every:
        if is_original(function, module):
            found.setdefault(function, {})[name] = None
    return found


def known(called: Any) -> bool:
    """Whether a function is one of Python's or NumPy's that are read."""
    name = getattr(called, "__name__", "")
    return (name in BUILTINS and called is PYTHON.get(name)) or library_name(called) is not None


def library_name(called: Any, wanted: str = "") -> str | None:
    """The name by which a function of NumPy or SciPy is read, if it is one."""
    try:
        names = ORIGINAL.get(called, {})
    except TypeError:  # of what has no hash
        return None
    if isinstance(called, np.ufunc) and not names:
        special = sys.modules.get("scipy.special")
        return next((k for k in SCIPY if called is getattr(special, k, None)), None)
    return wanted if wanted in names else next(iter(names), None)


METHODS = {"copy", "item", "astype", "fill"}
METHODS |= {k for k in FUNCTIONS if callable(getattr(np.ndarray, k, None))}


def attribute(reader: Any, value: Any, name: str) -> Any:
    if isinstance(value, ModuleType):
        return of_module(value, name)
    if isinstance(value, Named) and (value.name, name) == ("add", "at"):
        return Named("add.at")
    if isinstance(value, Instance | Above) or objects.is_users(value):
        return objects.attribute(reader, value, name)
    if isinstance(value, dict) and name in DICTIONARIES:
        return Method(value, name)
    is_list = isinstance(value, list | Table) or (isinstance(value, Array) and value.is_list)
    if isinstance(value, list | Array | Table) and name in lists.METHODS:
        return Method(value, name)
    if is_list:
        raise Unreadable(f".{name} of a list")
    if isinstance(value, Array | Tensor):
        reader.refuse_loose(value)
        inner = value.value if isinstance(value, Array) else value
        shape = tuple(plain_size(s) for s in inner.shape)
        facts = {"shape": shape, "ndim": len(shape), "dtype": functions.Kind(SORTS[inner.sort])}
        if name in facts:
            return facts[name]
        if name == "size":
            return plain_size(n.product(inner.shape))
        if name == "T":
            return reader.view(functions.transpose(reader, reader.tensor(value)), value)
        if name in METHODS:
            return Method(value, name)
    if isinstance(value, t.Term | int | float):
        if name == "shape":
            return ()
        if name in ("ndim", "size", "T") and isinstance(value, t.Term):
            return {"ndim": 0, "size": 1, "T": value}[name]
        if name in METHODS and name != "fill":
            return Method(value, name)
    raise Unreadable(f".{name} of a {type(value).__name__}")


def of_module(module: ModuleType, name: str) -> Any:
    inner = getattr(module, name, None)
    if module.__name__ not in MODULES:
        if isinstance(inner, FunctionType | ModuleType) or is_prange(inner):
            return inner
        raise Unreadable(f"{module.__name__}.{name} is not read")
    if inner is None and name in CONSTANTS:
        return None
    if isinstance(inner, float) and name in CONSTANTS:
        return inner
    found = library_name(inner, name)
    if found is not None:
        return inner if found == "ndarray" else Named(found)
    if isinstance(inner, ModuleType) and inner.__name__ in MODULES:
        return inner
    if isinstance(inner, FunctionType) and not is_original(inner, np):
        return inner
    raise Unreadable(f"{module.__name__}.{name} is not read")


def is_prange(found: Any) -> bool:
    module = str(getattr(found, "__module__", ""))
    return module.split(".")[0] == "numba" and getattr(found, "__name__", "") == "prange"


def applied(reader: Any, called: Any, args: list[Any], named: dict[str, Any]) -> Any:
    if isinstance(called, Method):
        return method(reader, called, args, named)
    if isinstance(called, Named):
        return library(reader, called.name, args, named)
    name = getattr(called, "__name__", "")
    if name in BUILTINS and called is PYTHON.get(name):
        return BUILTINS[name](reader, *args, **named)
    if is_prange(called):
        return Range(*map(plain_size, args))
    found = library_name(called)
    if found is not None and found != "ndarray":
        return library(reader, found, args, named)
    if isinstance(called, FunctionType | Inner) or is_compiled(called):
        return reader.call(called, args, named)
    if called is objects.nothing:
        return None
    if isinstance(called, Bound):
        return applied(reader, called.function, [called.first, *args], named)
    if isinstance(called, Instance):
        return applied(reader, objects.attribute(reader, called, "__call__"), args, named)
    if objects.is_users(called):
        return objects.made(reader, called, tuple(args), named)
    raise Unreadable(f"a call of {name or called}")


def library(reader: Any, name: str, args: list[Any], named: dict[str, Any]) -> Any:
    if name == "add.at":
        return places.add_at(reader, *args, **named)
    if name in ("nonzero", "where") and len(args) == 1 and not named:
        return places.Where(reader.tensor(args[0]))
    if name.startswith("random."):
        return reader.kept(functions.unwritten(drawn(name, args, named), REAL))
    if name in SORTS.values() and len(args) == 1 and not named:
        return scalar(as_kind(reader.tensor(args[0]), name))
    if name not in FUNCTIONS:
        raise Unreadable(f"np.{name} is not read")
    args, named = by_position(name, args, named)
    ready = [argument(reader, a) for a in args]
    options = {k: argument(reader, v) for k, v in named.items()}
    found = FUNCTIONS[name](reader, *map(for_array(name), ready), **options)
    source = args[1] if name == "einsum" and len(args) == 2 else args[0]
    is_view = name in VIEWS or source is not args[0]
    if isinstance(found, list):
        return reader.new_list([reader.view(scalar(part), source) for part in found])
    if isinstance(found, Tensor) and not found.axes and (is_view or name in MAKING):
        if is_view and is_cell(source):
            return source
        return reader.new_array(found, reader.bases(source) if is_view else ())
    return reader.view(scalar(found), source) if is_view else scalar(found)


def by_position(name: str, args: list[Any], named: dict[str, Any]) -> tuple[list[Any], Any]:
    """What is said by NumPy's names of its first arguments, in their order."""
    given, rest = list(args), dict(named)
    try:
        theirs = list(signature(attrgetter(name)(np)).parameters)
        ours = [p.name for p in list(signature(FUNCTIONS[name]).parameters.values())[1:]]
    except (AttributeError, TypeError, ValueError):
        return given, rest
    for word, own in zip(theirs, ours, strict=False):
        is_next = theirs.index(word) == len(given)
        if word in rest and word not in ours and own != "dtype" and is_next:
            given.append(rest.pop(word))
    return given, rest


def drawn(name: str, args: list[Any], named: dict[str, Any]) -> list[Any]:
    """The shape of an array of random numbers."""
    kind = name.removeprefix("random.")
    own = args if kind in ("randn", "rand") else args[:1] if kind in WITHOUT_ENDS else args[2:3]
    shape = own if kind in ("randn", "rand") else named.get("size", own[0] if own else ())
    return functions.shape_of(shape)


def is_cell(value: Any) -> bool:
    """Whether it is an input without axes, which is an array and no number."""
    return isinstance(value, t.Read) and not value.index


def argument(reader: Any, value: Any) -> Any:
    if isinstance(value, Array | Tensor):
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
    if isinstance(value, dict):
        return DICTIONARIES[name](reader, value, *args, **named)
    if name in lists.METHODS:
        reader.changes(value)
        return lists.METHODS[name](reader, value, *args, **named)
    if name in METHODS - FUNCTIONS.keys() | {"copy"}:
        return own_method(reader, value, name, *args, **named)
    if name in ("transpose", "reshape") and len(args) > 1:
        args = [tuple(args)]
    return library(reader, name, [value, *args], named)


def own_method(reader: Any, value: Any, name: str, *args: Any, **named: Any) -> Any:
    if named or len(args) != (name in ("astype", "fill")):
        raise Unreadable(f".{name}() with other arguments than it is read with")
    if name == "fill":
        if not isinstance(value, Array):
            raise Unreadable("fill of what has no name; write np.full")
        places.write(reader, value, slice(None), args[0], False)
        return None
    found = reader.tensor(value)
    if name == "item":
        if found.axes or found.sort == BOOL:
            raise Unreadable(".item() of an array or a condition; index it")
        return scalar(found)
    return scalar(as_kind(found, *args) if name == "astype" else copied(found))


def copied(found: Tensor) -> Tensor:
    return Tensor(found.axes, found.cell, found.sort, found.hit)


def as_kind(found: Tensor, dtype: Any) -> Tensor:
    """A copy, as numbers of another kind."""
    sort = functions.sort_of(dtype)
    if sort == INT and found.sort == REAL:
        raise Unreadable("a cast of reals to integers")
    return copied(cast(found, sort))


def extreme(kind: Any, plain: Any, neutral: float) -> Callable[..., Any]:
    def run(reader: Any, *given: Any) -> Any:
        args = [items(a) if isinstance(a, Once) else a for a in given]
        whole = len(args) == 1 and isinstance(args[0], tuple | list)
        values = list(args[0]) if whole else list(args)
        if all(map(is_plain, values)):
            return plain(values)
        cells = [scalar(reader.tensor(v)) if isinstance(v, Array) else v for v in values]
        known = [reals.of(v) for v in cells if v != neutral]
        return known[0] if len(known) == 1 else kind(*known)

    return run


def absolute(reader: Any, value: Any) -> Any:
    if is_plain(value):
        return abs(value)
    return scalar(functions.computed(reader, "abs", reader.tensor(value)))


def length(reader: Any, value: Any) -> Any:
    if isinstance(value, tuple | list | dict):
        return len(value)
    return plain_size(value.count if isinstance(value, Rows) else places.length(reader, value))


def total(reader: Any, value: Any, start: Any = 0) -> Any:
    value = value.over if isinstance(value, Once) else value
    if isinstance(value, Array | Tensor):
        rows = FUNCTIONS["sum"](reader, reader.tensor(value), 0)
        return operate(reader, ast.Add(), start, scalar(rows))
    found = start
    for one in items(value):
        found = operate(reader, ast.Add(), found, one)
    return found


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
    if isinstance(value, Array) and value.is_list:
        raise Unreadable("isinstance of a list that a loop fills")
    if isinstance(value, Array | Tensor):
        return issubclass(np.ndarray, kind)
    if value is None or is_plain(value) or type(value) in (str, tuple, list, dict):
        return isinstance(value, kind)
    raise Unreadable("isinstance of a number; say what it is in another way")


def listed(kind: Any) -> Callable[..., Any]:
    def run(reader: Any, value: Any = ()) -> Any:
        rows = places.rows_of(reader, value)
        if isinstance(rows, Rows) and rows.over.turns is None:
            return rows
        found = kind(items(rows))
        return reader.new_list(found) if kind is list else found

    return run


# Methods of dictionaries.


def put_in(reader: Any, found: dict[Any, Any], key: Any, value: Any) -> None:
    if reader.path or reader.depth:
        raise Unreadable("a dictionary that is written in a loop or a branch by values")
    reader.changes(found)
    found[key] = reader.kept(value)


def looked_up(reader: Any, found: dict[Any, Any], key: Any, otherwise: Any = None) -> Any:
    if not is_said(key):
        raise Unreadable("a dictionary by what is no number or text of its own")
    return reader.current(found.get(key, otherwise))


def put_unless(reader: Any, found: dict[Any, Any], key: Any, otherwise: Any = None) -> Any:
    if key not in found:
        put_in(reader, found, key, otherwise)
    return found[key]


def updated(reader: Any, found: dict[Any, Any], *args: Any, **named: Any) -> None:
    for key, value in a_dictionary(reader, *args, **named).items():
        put_in(reader, found, key, value)


DICTIONARIES: dict[str, Callable[..., Any]] = {
    "get": looked_up,
    "items": lambda reader, found: list(found.items()),
    "keys": lambda reader, found: list(found),
    "values": lambda reader, found: list(found.values()),
    "copy": lambda reader, found: dict(found),
    "setdefault": put_unless,
    "update": updated,
}


def a_range(reader: Any, *args: Any) -> Range:
    return Range(*map(plain_size, args))


def turned(reader: Any, value: Any) -> Once:
    rows = places.rows_of(reader, value)
    return Once(rows.reversed() if isinstance(rows, Rows) else list(rows)[::-1])


def printed(reader: Any, *args: Any, **named: Any) -> None:
    return None


def a_float(reader: Any, value: Any) -> Any:
    if is_plain(value) or isinstance(value, str):
        return float(value)
    found = tensors.as_real(reader.tensor(value))
    if found.axes:
        raise Unreadable("float(…) of an array")
    return scalar(found)


def a_dictionary(reader: Any, *args: Mapping[str, Any], **named: Any) -> dict[str, Any]:
    pairs = (a.items() if isinstance(a, Mapping) else items(a) for a in args)
    found = dict(pair for part in pairs for pair in part)
    if not all(map(is_said, found)):
        raise Unreadable("a dictionary by what is no number or text of its own")
    return found | {k: reader.kept(v) for k, v in named.items()}


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
    "zip": places.zipped,
    "enumerate": places.counted,
    "isinstance": is_of,
    "reversed": turned,
    "slice": lambda reader, *args: slice(*args),
    "print": printed,
}
PYTHON = {k: getattr(builtins, k) for k in BUILTINS if is_original(getattr(builtins, k), np)}
ORIGINAL = originals()
