"""Operators of Python on numbers, terms and arrays. Untrusted."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Sequence
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL, Term
from gradproof.numpy.arrays import Array
from gradproof.numpy.functions import chosen, computed, kind_of, scalar
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
        left, right = arrays_among(reader, a, b)
        return shaped(reader, scalar(computed(reader, ARRAYS[name], left, right)), a, b)
    left, right = (tensors.truth(x) if isinstance(x, bool) else reals.of(x) for x in (a, b))
    found = combine(name, left, right)
    is_item = any(isinstance(x, sympy.Integer) for x in (a, b))  # of an array, and no int
    return found if is_item else plain_size(found)


def arrays_among(reader: Any, *given: Any) -> tuple[Any, ...]:
    return tuple(reader.fitted(x) if isinstance(x, Array | Tensor) else x for x in given)


def shaped(reader: Any, found: Any, *given: Any) -> Any:
    """A result, whose shape no operand decides that may be a number."""
    loose = [x for x in given if isinstance(x, Array) and x.is_loose]
    if loose:
        sure = [reader.tensor(x) for x in given if isinstance(x, Array | Tensor) and x not in loose]
        if not any(all_equal(x.shape, found.shape) for x in sure):
            return loosely(reader, found)
    return found


def all_equal(a: Sequence[Term], b: Sequence[Term]) -> bool:
    return len(a) == len(b) and all(map(n.equal, a, b))


def loosely(reader: Any, found: Tensor, bases: tuple[Array, ...] = ()) -> Array:
    made: Array = reader.new_array(found, bases)
    made.is_loose = True
    return made


def signed(reader: Any, op: ast.operator, value: Any) -> Any:
    """What `+=` or `-=` adds."""
    return operate(reader, ast.Mult(), -1, value) if isinstance(op, ast.Sub) else value


def unary(reader: Any, op: ast.unaryop, a: Any) -> Any:
    if isinstance(op, ast.Not):
        return not a if is_said(a) else t.Not(reader.condition(a))
    if isinstance(op, ast.USub):
        return -a if is_plain(a) else operate(reader, ast.Mult(), -1, a)
    if isinstance(op, ast.UAdd):
        return +a if is_plain(a) else operate(reader, ast.Mult(), 1, a)
    if isinstance(a, int):
        return ~a
    found = reader.tensor(a)
    if found.sort != BOOL or not found.axes:
        raise Unreadable("the bits of a number; ~ is read of arrays of conditions, else write not")
    return OPS["logical_not"](reader, found)


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
        left, right = arrays_among(reader, a, b)
        return shaped(reader, scalar(OPS[BETWEEN[name]](reader, left, right)), a, b)
    if not (is_number(a) and is_number(b)):
        raise Unreadable("a comparison of what are no numbers")
    if any(isinstance(x, float) and math.isinf(x) for x in (a, b)):
        raise Unreadable("a comparison with infinity")
    return t.relation(RELATIONS[name], reals.of(a), reals.of(b))


def alike(reader: Any, name: str, a: Any, b: Any) -> Any:
    """Whether two shapes are one."""
    if name not in ("Eq", "NotEq"):
        raise Unreadable("an order of tuples; compare their parts")
    if len(a) != len(b) or isinstance(a, tuple) != isinstance(b, tuple):
        return name == "NotEq"
    pairs = zip(a, b, strict=True)
    parts = [reader.condition(compare(reader, ast.Eq(), p, q)) for p, q in pairs]
    return t.And(*parts) if name == "Eq" else t.Or(*map(t.Not, parts))


def either(reader: Any, condition: Term, a: Any, b: Any) -> Any:
    if any(u is UNKNOWN or isinstance(u, Entering) for u in (a, b)):
        return UNKNOWN
    if isinstance(a, Array | Tensor) or isinstance(b, Array | Tensor):
        if not all(isinstance(u, Array | Tensor) or is_number(u) for u in (a, b)):
            return UNKNOWN
        first, second = map(reader.fitted, (a, b))
        number = next((u for u in (first, second) if not u.axes), None)
        array = second if number is first else first
        if number is not None and (number.sort, array.sort) == (INT, REAL):
            first, second = tensors.as_real(first), tensors.as_real(second)
        if number is None and not all_equal(first.shape, second.shape):
            raise Unreadable("a choice between arrays of two shapes")
        made = chosen(tensors.constant(condition, sort=BOOL), first, second)
        bases = (*reader.bases(a), *reader.bases(b))
        is_loose = any(getattr(u, "is_loose", False) for u in (a, b)) or number is not None
        return (
            loosely(reader, made, bases)
            if is_loose and made.axes
            else reader.new_array(made, bases)
        )
    if not (is_number(a) and is_number(b)) or -math.inf in (a, b) or math.inf in (a, b):
        return UNKNOWN
    if kind_of(a) == BOOL == kind_of(b):
        first, second = (reader.condition(u) for u in (a, b))
        return t.Or(t.And(condition, first), t.And(t.Not(condition), second))
    return reals.choice(condition, reals.of(a), reals.of(b))


def same_object(a: Any, b: Any) -> bool:
    if not (a is None or b is None or (isinstance(a, bool) and isinstance(b, bool))):
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
    both = BOOL == t.sort_of(a) == t.sort_of(b)
    if name in ("BitAnd", "BitOr"):
        if not both:
            raise Unreadable("the bits of numbers")
        return (t.And if name == "BitAnd" else t.Or)(a, b)
    if both:
        raise Unreadable("arithmetic of two conditions; write and, or, or float(…)")
    a, b = (tensors.bracket(u) if t.sort_of(u) == BOOL else u for u in (a, b))
    whole = t.sort_of(a) == INT == t.sort_of(b)
    if whole and name in INTEGRAL:
        return INTEGRAL[name](a, b)
    if name not in REALS:
        raise Unreadable(f"{name} of reals")
    return REALS[name](a, b)


INTEGRAL: dict[str, Any] = {
    "Add": n.add,
    "Sub": n.minus,
    "Mult": n.mul,
    "FloorDiv": n.floor_div,
    "Mod": n.mod,
}
REALS: dict[str, Any] = {
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
