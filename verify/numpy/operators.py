"""Operators of Python on numbers, terms and arrays. Untrusted."""

from __future__ import annotations

import ast
import math
import operator
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, Term
from gradproof.numpy.arrays import Array
from gradproof.numpy.functions import scalar
from gradproof.numpy.state import UNKNOWN, Entering
from gradproof.tracing import integers as n
from gradproof.tracing import reals, tensors
from gradproof.tracing.operations import OPS
from gradproof.tracing.tensors import Tensor, Unreadable


def is_plain(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, t.Term | sympy.Basic)


def is_number(value: Any) -> bool:
    return is_plain(value) or isinstance(value, t.Term | sympy.Rational)


def is_said(value: Any) -> bool:
    """Whether a value of Python's is one that no size or cell decides."""
    if isinstance(value, tuple | list):
        return all(map(is_said, value))
    return value is None or is_plain(value) or isinstance(value, str)


def plain_size(size: Any) -> Any:
    """A size that is a number as Python's."""
    return int(size) if isinstance(size, sympy.Integer) else size


def operate(reader: Any, op: ast.operator, a: Any, b: Any) -> Any:
    name = type(op).__name__
    if isinstance(a, tuple | list) or isinstance(b, tuple | list):
        return SEQUENCES[name](a, b)
    if is_plain(a) and is_plain(b):
        return PLAIN[name](a, b)
    if isinstance(a, Array | Tensor) or isinstance(b, Array | Tensor):
        left, right = (reader.tensor(x) if isinstance(x, Array) else x for x in (a, b))
        return scalar(OPS[ARRAYS[name]](reader, left, right))
    left, right = (tensors.truth(x) if isinstance(x, bool) else reals.of(x) for x in (a, b))
    return combine(name, left, right)


def signed(reader: Any, op: ast.operator, value: Any) -> Any:
    """What `+=` or `-=` adds."""
    return operate(reader, ast.Mult(), -1, value) if isinstance(op, ast.Sub) else value


def unary(reader: Any, op: ast.unaryop, a: Any) -> Any:
    if isinstance(op, ast.Not):
        return t.Not(reader.condition(a))
    if isinstance(op, ast.USub):
        return -a if is_plain(a) else operate(reader, ast.Mult(), -1, a)
    if isinstance(op, ast.UAdd):
        return a
    found = reader.tensor(a)
    if found.sort != BOOL:
        raise Unreadable("the bits of a number; ~ is read of conditions")
    return scalar(OPS["logical_not"](reader, found))


def compare(reader: Any, op: ast.cmpop, a: Any, b: Any) -> Any:
    name = type(op).__name__
    if name in IDENTITY:
        return IDENTITY[name](a, b)
    if is_said(a) and is_said(b):
        return COMPARED[name](a, b)
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return alike(reader, name, a, b)
    if any(x is None or isinstance(x, str | tuple | list) for x in (a, b)):
        raise Unreadable("a comparison of what are no numbers")
    if isinstance(a, Array | Tensor) or isinstance(b, Array | Tensor):
        left, right = (reader.tensor(x) if isinstance(x, Array) else x for x in (a, b))
        return scalar(OPS[BETWEEN[name]](reader, left, right))
    if any(isinstance(x, float) and math.isinf(x) for x in (a, b)):
        raise Unreadable("a comparison with infinity")
    return t.relation(RELATIONS[name], reals.of(a), reals.of(b))


def alike(reader: Any, name: str, a: Any, b: Any) -> Any:
    """Whether two shapes are one."""
    if name not in ("Eq", "NotEq"):
        raise Unreadable("an order of tuples; compare their parts")
    if len(a) != len(b):
        return name == "NotEq"
    pairs = zip(a, b, strict=True)
    parts = [reader.condition(compare(reader, ast.Eq(), p, q)) for p, q in pairs]
    return t.And(*parts) if name == "Eq" else t.Or(*map(t.Not, parts))


def either(reader: Any, condition: Term, a: Any, b: Any) -> Any:
    if any(u is UNKNOWN or isinstance(u, Entering) for u in (a, b)):
        return UNKNOWN
    if isinstance(a, Array | Tensor) or isinstance(b, Array | Tensor):
        first, second = (reader.tensor(x) for x in (a, b))
        made = tensors.elementwise(lambda p, q: reals.choice(condition, p, q), first, second)
        return reader.new_array(made, (*reader.bases(a), *reader.bases(b)))
    if not (is_number(a) and is_number(b)) or -math.inf in (a, b) or math.inf in (a, b):
        return UNKNOWN
    return reals.choice(condition, reals.of(a), reals.of(b))


def same_object(a: Any, b: Any) -> bool:
    if not any(x is None or isinstance(x, bool | str) for x in (a, b)):
        raise Unreadable("a comparison by identity; write ==")
    return a is b


def within(a: Any, b: Any) -> bool:
    if not (is_said(a) and is_said(b)):
        if isinstance(b, dict) and isinstance(a, str):
            return a in b
        raise Unreadable("a search among sizes or cells; write the comparisons")
    return a in b


def combine(name: str, a: Term, b: Term) -> Any:
    """Arithmetic of numbers that are terms."""
    if t.BOOL in (t.sort_of(a), t.sort_of(b)):
        if name in ("BitAnd", "BitOr"):
            if t.sort_of(a) != t.sort_of(b):
                raise Unreadable("the bits of a number and a condition")
            return (t.And if name == "BitAnd" else t.Or)(a, b)
        a, b = (tensors.bracket(u) if t.sort_of(u) == BOOL else u for u in (a, b))
    whole = t.sort_of(a) == INT == t.sort_of(b)
    if whole and name in INTEGRAL:
        return plain_size(INTEGRAL[name](a, b))
    if name not in REAL:
        raise Unreadable(f"{name} of reals")
    return REAL[name](a, b)


INTEGRAL: dict[str, Any] = {
    "Add": n.add,
    "Sub": n.minus,
    "Mult": n.mul,
    "FloorDiv": n.floor_div,
    "Mod": n.mod,
}
REAL: dict[str, Any] = {
    "Add": reals.plus,
    "Sub": reals.minus,
    "Mult": reals.times,
    "Div": reals.over,
    "Pow": reals.power,
}
ARRAYS = {
    "Add": "add",
    "Sub": "sub",
    "Mult": "mul",
    "Div": "div",
    "Pow": "pow",
    "MatMult": "matmul",
    "FloorDiv": "floor_divide",
    "Mod": "remainder",
    "BitAnd": "logical_and",
    "BitOr": "logical_or",
}
PLAIN: dict[str, Any] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "Pow": operator.pow,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
}
SEQUENCES: dict[str, Any] = {"Add": operator.add, "Mult": operator.mul}
IDENTITY: dict[str, Any] = {
    "Is": same_object,
    "IsNot": lambda a, b: not same_object(a, b),
    "In": within,
    "NotIn": lambda a, b: not within(a, b),
}
COMPARED: dict[str, Any] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}
BETWEEN = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
RELATIONS = {"Eq": t.Eq, "NotEq": t.Ne, "Lt": t.Lt, "LtE": t.Le, "Gt": t.Gt, "GtE": t.Ge}
