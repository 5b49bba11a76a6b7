"""Statements of code that is read: assignments, branches and loops. Untrusted."""

from __future__ import annotations

import ast
from ast import walk
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.numpy import calling, expressions, loops, objects, operators, places
from gradproof.numpy.arrays import Array, Part
from gradproof.numpy.state import UNKNOWN, Scope, items, named
from gradproof.tracing import integers as n
from gradproof.tracing.tensors import Unreadable

MISUSED = (
    *(t.DefinitionError, TypeError, ValueError, LookupError, AttributeError, AssertionError),
    *(ArithmeticError, RecursionError),
)


class Returned(Exception):
    """The function returned a value."""

    def __init__(self, value: Any) -> None:
        self.value = value


def block(reader: Any, body: Sequence[ast.stmt], scope: Scope) -> None:
    for statement in body:
        try:
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


def without_continue(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The body of a loop, in which what `continue` skips stands in the other branches."""
    for number, statement in enumerate(body):
        before = list(body[:number])
        if isinstance(statement, ast.Continue):
            return before or [ast.copy_location(ast.Pass(), statement)]
        if isinstance(statement, ast.If) and skips(statement):
            rest = body[number + 1 :]
            branches = (without_continue([*b, *rest]) for b in (statement.body, statement.orelse))
            then, otherwise = branches
            made = ast.If(statement.test, then, otherwise)
            return [*before, ast.copy_location(made, statement)]
    return list(body)


def skips(node: ast.AST) -> bool:
    """Whether a turn of the loop that a statement stands in may end within it."""
    if isinstance(node, ast.For | ast.While):
        return any(map(skips, node.orelse))
    return isinstance(node, ast.Continue) or any(map(skips, ast.iter_child_nodes(node)))


def run(reader: Any, statement: ast.stmt, scope: Scope) -> None:
    match statement:
        case ast.Assign(targets=targets, value=value):
            found = reader.value(value, scope)
            is_unpacked = len(targets) == 1 and isinstance(targets[0], ast.Tuple | ast.List)
            found = found if is_unpacked else reader.kept(found)
            for target in targets:
                assign(reader, target, found, scope)
        case ast.While(test=test, body=body, orelse=[]):
            repeated(reader, statement, scope)
        case ast.Break():
            if reader.breaks != reader.inside:
                raise Unreadable("a break that values or the turns of a loop decide")
            raise loops.Left
        case ast.FunctionDef(name=name, decorator_list=[]):
            if reader.depth or any(
                isinstance(u, ast.Yield | ast.YieldFrom) for u in walk(statement)
            ):
                raise Unreadable(
                    "a function that is defined in a loop, or that yields; move it out"
                )
            made = expressions.inner_function(reader, statement, scope)
            scope[name] = made.scope[name] = made
        case ast.With(items=[one], body=body) if is_about_warnings(one, scope):
            block(reader, body, scope)
        case ast.AnnAssign(target=target, value=value) if value is not None:
            assign(reader, target, reader.value(value, scope), scope)
        case ast.AugAssign(target=target, op=op, value=value):
            update(reader, target, op, value, scope)
        case ast.For(target=target, iter=over, body=body, orelse=[]):
            whole = ast.For(target, over, without_continue(body), [])
            loops.run(reader, ast.copy_location(whole, statement), scope)
        case ast.If(test=test, body=body, orelse=orelse):
            branch(reader, reader.tested(test, scope), body, orelse, scope)
        case ast.Return(value=value):
            if reader.inside != reader.called:
                raise Unreadable("a return within a loop or a branch by values")
            raise Returned(None if value is None else reader.value(value, scope))
        case ast.Expr(value=value):
            if not isinstance(value, ast.Constant):
                reader.value(value, scope)
        case ast.FunctionDef() | ast.Import() | ast.ImportFrom():
            raise Unreadable("an import, or a decorated definition, in a function; move it out")
        case ast.Assert() if not expressions.is_pure(statement.test, scope):
            raise Unreadable("an assertion that may change something; write that apart")
        case ast.Assert(test=test):
            asserted(reader, test, scope)
        case ast.Pass() | ast.AnnAssign():
            return
        case _:
            raise Unreadable(f"`{ast.unparse(statement).splitlines()[0]}` is not read here")


def asserted(reader: Any, test: ast.expr, scope: Scope) -> None:
    """An assertion about sizes is a condition of the reading; one about values says where the code
    has any, and is not read."""
    try:
        condition = reader.tested(test, scope)
    except (Unreadable, *MISUSED):
        return
    if reader.decided(condition) is False:
        said = f"`assert {ast.unparse(test)}` does not hold at all sizes; say in requires where"
        raise Unreadable(f"{said} it does")


MOST = 64  # turns of a `while` that are read one by one


def repeated(reader: Any, loop: ast.While, scope: Scope) -> None:
    """A loop as long as something holds: turn by turn, if numbers of Python's decide, or as one
    over a range, if it counts."""
    over = loops.counting(reader, loop, scope)
    if over is not None:
        whole, index, last = over
        run(reader, whole, scope)
        scope[index] = last
        return
    outside, reader.breaks = reader.breaks, reader.inside
    try:
        for _ in range(MOST):
            holds = reader.value(loop.test, scope)
            if not operators.is_said(holds):
                raise Unreadable("a loop that values end; write for … in range(…)")
            if not holds:
                return
            block(reader, without_continue(loop.body), scope)
        raise Unreadable(f"a loop of more than {MOST} turns by while; write for … in range(…)")
    except loops.Left:
        return
    finally:
        reader.breaks = outside


def is_about_warnings(item: ast.withitem, scope: Scope) -> bool:
    """Whether it is `np.errstate(…)`, which says what is warned of."""
    called = item.context_expr
    if not (isinstance(called, ast.Call) and isinstance(called.func, ast.Attribute)):
        return False
    if item.optional_vars is not None:
        return False
    of = scope.get(getattr(called.func.value, "id", ""))
    return called.func.attr == "errstate" and getattr(of, "__name__", "") == "numpy"


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
        case ast.Attribute(value=inner, attr=name):
            found = reader.value(inner, scope)
            reader.changes(found)
            objects.assign(reader, found, name, value)
        case ast.Subscript(value=inner, slice=index):
            found, at = reader.value(inner, scope), reader.value(index, scope)
            if isinstance(found, dict) and operators.is_said(at):
                calling.put_in(reader, found, at, value)
                return
            if isinstance(found, list) and isinstance(at, int):
                if reader.path or reader.is_outside(found):
                    raise Unreadable("a list that is written in a loop or a branch by values")
                reader.changes(found)
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
    if isinstance(target, ast.Attribute):
        old = reader.value(
            ast.copy_location(ast.Attribute(target.value, target.attr), target), scope
        )
        found = updating(reader, old, target, value, scope)
        changed(reader, old, op, found, target, partial(assign, reader, target, scope=scope))
        return
    if not isinstance(target, ast.Name):
        array, index = reader.value(target.value, scope), reader.value(target.slice, scope)
        if isinstance(array, dict | list) and operators.is_said(index):
            old = reader.current(array[index])
            found = updating(reader, old, target, value, scope)
            changed(reader, old, op, found, target, partial(assign, reader, target, scope=scope))
            return
        places.update(reader, array, index, op, updating(reader, array, target, value, scope))
        return
    found = updating(reader, scope.get(target.id), target, value, scope)
    old = reader.current(named(target.id, scope))
    changed(reader, old, op, found, target, partial(assign, reader, target, scope=scope))


def changed(
    reader: Any, old: Any, op: ast.operator, found: Any, target: ast.expr, put: Callable[..., None]
) -> None:
    """What stands at a name, attribute or key, `op=` a value: an array is changed in place."""
    if isinstance(old, list | dict):
        raise Unreadable("a list that is changed in place; write append, or a new list")
    if calling.is_cell(old):
        said = f"an array without axes that is changed in place; write {ast.unparse(target)} = …"
        raise Unreadable(said)
    if not isinstance(old, Array):
        put(value=operators.operate(reader, op, old, found))
        return
    if reader.depth or reader.path:
        if places.adds_up(old, op):
            places.put(reader, old, whole(old), operators.signed(reader, op, found), True)
            return
        places.put(reader, old, whole(old), operators.operate(reader, op, old, found), False)
        return
    places.replace(old, reader.tensor(operators.operate(reader, op, old, found)))


def updating(reader: Any, old: Any, target: ast.expr, value: ast.expr, scope: Scope) -> Any:
    """The right side of `op=`, which is computed after the left side was read."""
    if isinstance(target, ast.Subscript) and not operators.is_number(old):
        writable(old, target)
    version = old.version if isinstance(old, Array) else 0
    found = reader.value(value, scope)
    if isinstance(old, Array) and old.version != version:
        raise Unreadable("an array that the right side changes, too; compute that before")
    return found


def whole(array: Array) -> tuple[Part, ...]:
    return tuple(Part(n.ZERO, size) for size in array.value.shape)
