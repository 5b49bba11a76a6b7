"""Expressions of Python, in what is said of sizes, as terms. Untrusted."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import Term


class Undeclared(Exception):
    """A declaration that cannot be read, and how it is written."""


def term_of(tree: ast.expr, text: str, named: Callable[[str], Term]) -> Any:
    """An expression as a term, by what its names are."""

    def part(inner: ast.expr) -> Any:
        return term_of(inner, text, named)

    match tree:
        case ast.Constant(value=int(value)):
            return t.as_term(value)
        case ast.Constant(value=float(value)):
            return t.as_term(Fraction(repr(value)))
        case ast.Name(id=name):
            return named(name)
        case ast.BinOp(left=a, op=op, right=b) if type(op) in BINARY:
            return BINARY[type(op)](part(a), part(b))
        case ast.UnaryOp(op=ast.USub(), operand=a):
            return t.minus(part(a))
        case ast.UnaryOp(op=ast.Not(), operand=a):
            return t.Not(part(a))
        case ast.BoolOp(op=op, values=values):
            return (t.And if isinstance(op, ast.And) else t.Or)(*map(part, values))
        case ast.Compare(left=first, ops=ops, comparators=others):
            values = [part(first), *map(part, others)]
            pairs = zip(ops, values, values[1:], strict=False)
            found = [COMPARED[type(op)](a, b) for op, a, b in pairs]
            return found[0] if len(found) == 1 else t.And(*found)
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=args):
            return (t.Min if name == "min" else t.Max)(*map(part, args))
        case ast.Call(func=ast.Name(id="abs"), args=[inner]):
            return t.Max(part(inner), t.minus(part(inner)))
        case ast.Call(func=ast.Name(id="any"), args=[inner]):
            return somewhere(part(inner), text)
    raise Undeclared(f"{text!r}: {ast.unparse(tree)} is not read here; use sizes and numbers")


def somewhere(found: Any, text: str) -> Term:
    """That a condition on an array, or the array, holds somewhere along its last axis."""
    condition = found if t.sort_of(found) == t.BOOL else t.relation(t.Gt, found, 0)
    reads = {u for u in t.walk(condition) if isinstance(u, t.Read)}
    if len(reads) != 1 or not (read := reads.pop()).index:
        raise Undeclared(f"{text!r}: any(…) is of one array that has an axis, as in 'any(mask)'")
    return t.Exists(condition, (read.index[-1], 0, t.plus(read.array.dims[-1], -1)))


BINARY: dict[type, Any] = {
    ast.Add: lambda a, b: t.plus(a, b),
    ast.Sub: lambda a, b: t.plus(a, t.minus(b)),
    ast.Mult: lambda a, b: t.Mul(a, b),
    ast.FloorDiv: lambda a, b: t.FloorDiv(a, b),
    ast.Mod: lambda a, b: t.Mod(a, b),
    ast.Div: lambda a, b: t.Div(a, b),
    ast.Pow: lambda a, b: a**b,
}
COMPARED: dict[type, Any] = {
    ast.Lt: lambda a, b: t.relation(t.Lt, a, b),
    ast.LtE: lambda a, b: t.relation(t.Le, a, b),
    ast.Gt: lambda a, b: t.relation(t.Gt, a, b),
    ast.GtE: lambda a, b: t.relation(t.Ge, a, b),
    ast.Eq: lambda a, b: t.Eq(a, b),
    ast.NotEq: lambda a, b: t.Ne(a, b),
}
