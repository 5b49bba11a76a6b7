"""Expressions of code that is read, as numbers, terms and arrays. Untrusted."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from inspect import Parameter, Signature
from types import ModuleType
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, Term
from gradproof.numpy import calling, loops, operators, places
from gradproof.numpy.arrays import Array
from gradproof.numpy.functions import FUNCTIONS, scalar
from gradproof.numpy.objects import Above, Instance
from gradproof.numpy.operators import is_plain
from gradproof.numpy.ranges import Rows
from gradproof.numpy.sources import stored_in
from gradproof.numpy.state import FIRST, UNKNOWN, Inner, Once, Scope, Text, items, named
from gradproof.tracing import tensors
from gradproof.tracing.tensors import Tensor, Unreadable


def value(reader: Any, node: ast.expr, scope: Scope) -> Any:
    match node:
        case ast.Constant(value=found):
            return found
        case ast.Name(id=name):
            found = named(name, scope)
            reader.reads_outer(found)
            return reader.current(found)
        case ast.Tuple(elts=elements):
            return tuple(map(reader.kept, parts(reader, elements, scope)))
        case ast.List(elts=elements):
            return reader.new_list([*map(reader.kept, parts(reader, elements, scope))])
        case ast.Dict():
            return dictionary(reader, node, scope)
        case ast.BinOp(left=a, op=op, right=b):
            return operators.operate(reader, op, value(reader, a, scope), value(reader, b, scope))
        case ast.UnaryOp(op=op, operand=a):
            return operators.unary(reader, op, value(reader, a, scope))
        case ast.Compare(left=first, ops=ops, comparators=others):
            return compared(reader, value(reader, first, scope), ops, others, scope)
        case ast.BoolOp(op=op, values=elements):
            return connected(reader, op, in_turn(reader, op, elements, scope))
        case ast.IfExp(test=test, body=a, orelse=b):
            return conditional(reader, test, a, b, scope)
        case ast.Attribute(value=inner, attr=name):
            return reader.current(calling.attribute(reader, value(reader, inner, scope), name))
        case ast.Subscript(value=inner, slice=index):
            found = places.item(reader, value(reader, inner, scope), value(reader, index, scope))
            return reader.current(found)
        case ast.Slice(lower=a, upper=b, step=c):
            return slice(*(None if u is None else value(reader, u, scope) for u in (a, b, c)))
        case ast.Call(func=called, args=args, keywords=keywords):
            if any(k.arg is None for k in keywords):
                raise Unreadable("a call with **; write the names")
            if is_super(node, scope):
                return above(scope)
            function, given = value(reader, called, scope), parts(reader, args, scope)
            options = {str(k.arg): value(reader, k.value, scope) for k in keywords}
            return calling.applied(reader, function, given, options)
        case ast.ListComp():
            return comprehension(reader, node, scope)
        case ast.GeneratorExp():
            return Once(comprehension(reader, node, scope))
        case ast.Lambda():
            return inner_function(reader, node, scope)
        case ast.JoinedStr() if is_pure(node, scope):
            return Text()
    raise Unreadable(f"`{ast.unparse(node)}` is not read")


def compared(
    reader: Any, left: Any, ops: Sequence[ast.cmpop], others: Sequence[ast.expr], scope: Scope
) -> Any:
    """A chain of comparisons, each where those before it hold."""
    right = value(reader, others[0], scope)
    found = operators.compare(reader, ops[0], left, right)
    if len(ops) == 1:
        return found
    holds = condition(reader, found)
    if holds == t.Or():
        return found
    reader.path += [holds] if holds != t.And() else []
    try:
        rest = compared(reader, right, ops[1:], others[1:], scope)
    finally:
        del reader.path[len(reader.path) - (holds != t.And()) :]
    return t.And(holds, condition(reader, rest))


PURE = {*("all", "any", "allclose", "isclose", "isfinite", "isnan", "isinf", "array_equal")}


def is_pure(node: ast.AST, scope: Scope) -> bool:
    """Whether an expression that is not read changes nothing: it calls what is known alone."""
    if isinstance(node, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await):
        return False
    if isinstance(node, ast.Call):
        if any(k.arg in (None, "out") for k in node.keywords):
            return False
        if isinstance(node.func, ast.Name):
            known = calling.known(scope.get(node.func.id, getattr(builtins, node.func.id, None)))
        else:
            known = isinstance(node.func, ast.Attribute) and is_library(node.func, scope)
        if not known:
            return False
    return all(is_pure(u, scope) for u in ast.iter_child_nodes(node))


def is_library(node: ast.Attribute, scope: Scope) -> bool:
    """Whether it is a function of NumPy, or a method of arrays, that changes nothing."""
    root: Any = node
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
        root = root.func if isinstance(root, ast.Call) else root.value
    of = scope.get(root.id) if isinstance(root, ast.Name) else None
    plain = isinstance(root, ast.BinOp | ast.Compare | ast.UnaryOp) or isinstance(
        of, Array | Tensor | t.Term | int | float
    )
    is_module = isinstance(of, ModuleType) and of.__name__ in calling.MODULES
    return (plain or is_module) and (node.attr in PURE or node.attr in FUNCTIONS)


def dictionary(reader: Any, node: ast.Dict, scope: Scope) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key, inner in zip(node.keys, node.values, strict=True):
        if key is None:
            more = value(reader, inner, scope)
            if not isinstance(more, dict):
                raise Unreadable("** of what is no dictionary")
            found |= more
            continue
        name = value(reader, key, scope)
        if not operators.is_said(name):
            raise Unreadable("a dictionary by what is no number or text of its own")
        found[name] = reader.kept(value(reader, inner, scope))
    return found


def parts(reader: Any, nodes: Sequence[ast.expr], scope: Scope) -> list[Any]:
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            found += items(value(reader, node.value, scope))
        else:
            found.append(value(reader, node, scope))
    return found


def inner_function(reader: Any, node: Any, scope: Scope) -> Inner:
    """A function that is defined within another: of what it reads there, nothing changes after."""
    given = node.args
    least = [p.arg for p in (*given.posonlyargs, *given.args)]
    kinds = [
        *((p, Parameter.POSITIONAL_ONLY) for p in given.posonlyargs),
        *((p, Parameter.POSITIONAL_OR_KEYWORD) for p in given.args),
        *((p, Parameter.VAR_POSITIONAL) for p in (given.vararg,) if p),
        *((p, Parameter.KEYWORD_ONLY) for p in given.kwonlyargs),
        *((p, Parameter.VAR_KEYWORD) for p in (given.kwarg,) if p),
    ]
    defaults = dict(zip(least[len(least) - len(given.defaults) :], given.defaults, strict=True))
    pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    defaults |= {p.arg: e for p, e in pairs if e is not None}
    values = {k: reader.kept(value(reader, e, scope)) for k, e in defaults.items()}
    parameters = [
        Parameter(p.arg, kind, default=values.get(p.arg, Parameter.empty)) for p, kind in kinds
    ]
    own = {p.arg for p, _ in kinds} | stored_in(node).keys()
    read = {u.id for u in ast.walk(node) if isinstance(u, ast.Name)} - own
    for name, stands in stored_in(reader.tree).items():
        if name in read and (late(stands, node) or in_one_loop(reader.tree, stands, node)):
            raise Unreadable(
                f"{name}, which a function within this one reads, is assigned after it"
            )
    return Inner(node, dict(scope), Signature(parameters))


def late(stands: list[tuple[int, int]], node: Any) -> bool:
    return any(place > (node.lineno, node.col_offset) for place in stands)


def in_one_loop(tree: Any, stands: list[tuple[int, int]], node: Any) -> bool:
    """Whether a loop of a function has both an assignment and a function within it."""
    kinds = ast.For | ast.While | ast.ListComp | ast.GeneratorExp
    loops_ = (u for u in ast.walk(tree) if isinstance(u, kinds))
    around = [u for u in loops_ if any(v is node for v in ast.walk(u))]
    return any(
        (u.lineno, u.col_offset) <= place <= (u.end_lineno or 0, u.end_col_offset or 0)
        for u in around
        for place in stands
    )


def is_super(node: ast.Call, scope: Scope) -> bool:
    """Whether it is Python's `super()`, in a method."""
    own = isinstance(node.func, ast.Name) and node.func.id == "super" and "super" not in scope
    return own and not (node.args or node.keywords) and "__class__" in scope


def above(scope: Scope) -> Above:
    first = next(iter(scope[FIRST]), None)
    if not isinstance(first, Instance):
        raise Unreadable("super() in what is no method of an object")
    return Above(scope["__class__"], first)


def comprehension(reader: Any, node: Any, scope: Scope) -> Any:
    over, *more = node.generators
    if more or over.ifs:
        raise Unreadable("a comprehension with conditions or several loops; write a loop")
    rows = places.rows_of(reader, value(reader, over.iter, scope))
    if isinstance(rows, Rows) and rows.over.turns is None:
        return loops.gathered(reader, node, scope, rows)
    found = reader.new_list([])
    for one in items(rows):
        inner = dict(scope)
        reader.assign(over.target, one, inner)
        found.append(reader.kept(value(reader, node.elt, inner)))
    return found


def conditional(reader: Any, test: ast.expr, a: ast.expr, b: ast.expr, scope: Scope) -> Any:
    asked = reader.tested(test, scope)
    taken = reader.decided(asked)
    if taken is not None:
        return value(reader, a if taken else b, scope)
    parts_ = ((asked, a), (t.Not(asked), b))
    found = operators.either(reader, asked, *(under(reader, c, u, scope) for c, u in parts_))
    if found is UNKNOWN:
        raise Unreadable("a choice between what are no numbers or arrays")
    return found


def under(reader: Any, holds: Term, node: ast.expr, scope: Scope) -> Any:
    """A value where a condition holds."""
    reader.path.append(holds)
    try:
        return value(reader, node, scope)
    finally:
        reader.path.pop()


def in_turn(reader: Any, op: ast.boolop, nodes: list[ast.expr], scope: Scope) -> list[Any]:
    """Each value where those before it do not decide."""
    first, *rest = nodes
    found = value(reader, first, scope)
    if operators.is_said(found) and bool(found) != isinstance(op, ast.And):
        return [found]
    if not rest or is_plain(found) or not is_condition(found):
        return [found, *(in_turn(reader, op, rest, scope) if rest else ())]
    asked = found if isinstance(op, ast.And) else t.Not(found)
    reader.path.append(asked)
    try:
        return [found, *in_turn(reader, op, rest, scope)]
    finally:
        reader.path.pop()


def connected(reader: Any, op: ast.boolop, values: list[Any]) -> Any:
    """`and` and `or`, of conditions."""
    if all(map(is_plain, values)):
        wanted = isinstance(op, ast.And)
        return next((v for v in values if bool(v) != wanted), values[-1])
    if any(not isinstance(v, bool) and not is_condition(v) for v in values):
        raise Unreadable("and, or of what is no condition; write the comparison")
    return (t.And if isinstance(op, ast.And) else t.Or)(*(condition(reader, v) for v in values))


def is_condition(found: Any) -> bool:
    return isinstance(found, t.Term) and t.sort_of(found) == BOOL


def condition(reader: Any, found: Any) -> Term:
    """The truth of a value."""
    found = scalar(reader.tensor(found) if isinstance(found, Array) else found)
    if is_condition(found):
        return found
    if isinstance(found, t.Term):
        return t.Ne(found, 0)
    if isinstance(found, Tensor):
        raise Unreadable("the truth of an array; write np.where")
    if not (found is None or isinstance(found, int | float | str | tuple | list | dict)):
        raise Unreadable(f"the truth of a {type(found).__name__}")
    return tensors.truth(bool(found))
