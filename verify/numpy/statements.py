"""Statements of code that is read: assignments, branches and loops. Untrusted."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.numpy import loops, operators, places
from gradproof.numpy.arrays import Array, Part
from gradproof.numpy.state import UNKNOWN, Scope, items, named
from gradproof.tracing import integers as n
from gradproof.tracing.tensors import Unreadable

MISUSED = (t.DefinitionError, TypeError, ValueError, LookupError, AttributeError, AssertionError)


class Returned(Exception):
    """The function returned a value."""

    def __init__(self, value: Any) -> None:
        self.value = value


def block(reader: Any, body: Sequence[ast.stmt], scope: Scope) -> None:
    for number, statement in enumerate(body):
        try:
            if is_skip(statement):
                unless(reader, statement, body[number + 1 :], scope)
                return
            run(reader, statement, scope)
        except Unreadable as reason:
            if not hasattr(reason, "line"):
                reason.line = getattr(statement, "lineno", 1)  # type: ignore[attr-defined]
            raise
        except MISUSED as reason:
            raise unread(statement, reason) from reason


def unread(statement: ast.stmt, reason: Exception) -> Unreadable:
    own = f"{type(reason).__name__}: {reason}"
    said = Unreadable(f"what is written here is not read ({own})")
    said.line = getattr(statement, "lineno", 1)  # type: ignore[attr-defined]
    return said


def is_skip(statement: ast.stmt) -> bool:
    """Whether it is `if …: continue`, with nothing else."""
    return (
        isinstance(statement, ast.If)
        and isinstance(statement.body[-1], ast.Continue)
        and not statement.orelse
    )


def unless(reader: Any, statement: Any, rest: Sequence[ast.stmt], scope: Scope) -> None:
    """`if …: continue` is a condition on what follows."""
    condition = reader.condition(reader.value(statement.test, scope))
    taken = reader.decided(condition)
    if taken:
        block(reader, statement.body[:-1], scope)
    elif taken is not None:
        block(reader, rest, scope)
    elif len(statement.body) > 1:
        choose(reader, condition, statement.body[:-1], rest, scope)
    else:
        choose(reader, t.Not(condition), rest, [], scope)


def run(reader: Any, statement: ast.stmt, scope: Scope) -> None:
    match statement:
        case ast.Assign(targets=targets, value=value):
            found = reader.kept(reader.value(value, scope))
            for target in targets:
                assign(reader, target, found, scope)
        case ast.AnnAssign(target=target, value=value) if value is not None:
            assign(reader, target, reader.value(value, scope), scope)
        case ast.AugAssign(target=target, op=op, value=value):
            update(reader, target, op, value, scope)
        case ast.For(orelse=[]):
            loops.run(reader, statement, scope)
        case ast.If(test=test, body=body, orelse=orelse):
            branch(reader, reader.condition(reader.value(test, scope)), body, orelse, scope)
        case ast.Return(value=value):
            if reader.inside != reader.called:
                raise Unreadable("a return within a loop or a branch by values")
            raise Returned(None if value is None else reader.value(value, scope))
        case ast.Expr(value=value):
            if not isinstance(value, ast.Constant):
                reader.value(value, scope)
        case ast.FunctionDef() | ast.Import() | ast.ImportFrom():
            raise Unreadable("a definition or import within a function; move it out")
        case ast.Pass() | ast.Assert() | ast.AnnAssign():
            return
        case _:
            raise Unreadable(f"`{ast.unparse(statement).splitlines()[0]}` is not read here")


def branch(reader: Any, condition: Term, body: Any, orelse: Any, scope: Scope) -> None:
    taken = reader.decided(condition)
    if taken is None:
        choose(reader, condition, body, orelse, scope)
    else:
        block(reader, body if taken else orelse, scope)


def choose(reader: Any, condition: Term, body: Any, orelse: Any, scope: Scope) -> None:
    """Both branches, each under its condition; names become a choice."""
    then, otherwise = dict(scope), dict(scope)
    for inner, part, own in ((then, condition, body), (otherwise, t.Not(condition), orelse)):
        reader.path.append(part)
        try:
            block(reader, own, inner)
        finally:
            reader.path.pop()
    for name in {*then, *otherwise}:
        a, b = then.get(name, UNKNOWN), otherwise.get(name, UNKNOWN)
        scope[name] = a if a is b else operators.either(reader, condition, a, b)


def assign(reader: Any, target: ast.expr, value: Any, scope: Scope) -> None:
    match target:
        case ast.Name(id=name):
            scope[name] = reader.kept(value)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            values = list(items(value))
            if len(values) != len(parts):
                raise Unreadable(f"{len(values)} values for {len(parts)} names")
            for part, one in zip(parts, values, strict=True):
                assign(reader, part, one, scope)
        case ast.Subscript(value=inner, slice=index):
            found, at = reader.value(inner, scope), reader.value(index, scope)
            if isinstance(found, dict) and isinstance(at, str):
                if reader.path or reader.depth:
                    raise Unreadable("a dictionary that is written in a loop or a branch by values")
                found[at] = reader.kept(value)
                return
            places.write(reader, writable(found, inner), at, value, False)
        case _:
            raise Unreadable(f"`{ast.unparse(target)} = …` is not read")


def writable(found: Any, node: ast.expr) -> Array:
    if not isinstance(found, Array):
        raise Unreadable(f"a write to `{ast.unparse(node)}`, which is no array of its own")
    return found


def update(reader: Any, target: Any, op: ast.operator, value: ast.expr, scope: Scope) -> None:
    found = reader.value(value, scope)
    if not isinstance(target, ast.Name):
        array = writable(reader.value(target.value, scope), target.value)
        places.update(reader, array, reader.value(target.slice, scope), op, found)
        return
    old = named(target.id, scope)
    if not isinstance(old, Array):
        scope[target.id] = reader.kept(operators.operate(reader, op, old, found))
        return
    if reader.depth or reader.path:
        if isinstance(op, ast.Add | ast.Sub):
            places.put(reader, old, whole(old), operators.signed(reader, op, found), True)
            return
        places.put(reader, old, whole(old), operators.operate(reader, op, old, found), False)
        return
    places.replace(old, reader.tensor(operators.operate(reader, op, old, found)))


def whole(array: Array) -> tuple[Part, ...]:
    return tuple(Part(n.ZERO, size) for size in array.value.shape)
