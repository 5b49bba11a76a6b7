"""Mistakes in the text of a program, one at a time. Untrusted."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from trust.programs.draw import Program

COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
COMPUTED = {
    ast.Add: (ast.BitOr, ast.Sub),
    ast.BitOr: (ast.Add, ast.BitXor),
    ast.Mult: (ast.Add, ast.BitAnd),
    ast.BitAnd: (ast.BitOr, ast.Mult),
    ast.BitXor: (ast.BitOr,),
    ast.FloorDiv: (ast.Mod,),
    ast.Mod: (ast.FloorDiv,),
    ast.Sub: (ast.Add,),
}
CALLED = {
    "floor": "trunc",
    "trunc": "round",
    "any": "all",
    "all": "any",
    "sum": "any",
    "max": "min",
    "minimum": "maximum",
    "count_nonzero": "any",
    "logical_xor": "logical_or",
    "logical_and": "logical_or",
}
OWN = ("forward", "backward")


@dataclass(frozen=True)
class Change:
    """A place in the tree, what to do there, and how it is told."""

    place: int
    make: Callable[[Any], Any]
    said: str


def changes(program: Program, random: Random) -> Iterator[tuple[Program, str]]:
    """The program with one change of a function of its own, in an order that is drawn."""
    tree = ast.parse(program.text)
    nodes = list(ast.walk(tree))
    inside = {id(n) for f in own_functions(tree) for n in ast.walk(f) if n is not f}
    found = [c for k, n in enumerate(nodes) if id(n) in inside for c in of_node(k, n, program)]
    random.shuffle(found)
    for change in found:
        text = changed(tree, change)
        if text and text != program.text:
            yield replace(program, text=text), change.said


def own_functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def changed(tree: ast.Module, change: Change) -> str:
    copied = deepcopy(tree)
    node = list(ast.walk(copied))[change.place]
    made = change.make(node)
    whole = tidy(Put(node, made).visit(copied))
    try:
        return ast.unparse(ast.fix_missing_locations(whole)) + "\n"
    except Exception:  # no text has this tree
        return ""


def tidy(tree: ast.AST) -> ast.AST:
    """Without `pass` beside other statements."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and len(body) > 1:
            kept = [s for s in body if not isinstance(s, ast.Pass)]
            node.body = kept or body[:1]  # type: ignore[attr-defined]
    return tree


class Put(ast.NodeTransformer):
    def __init__(self, old: Any, new: Any) -> None:
        self.old, self.new = old, new

    def visit(self, node: Any) -> Any:
        return self.new if node is self.old else self.generic_visit(node)


def of_node(k: int, node: Any, program: Program) -> Iterator[Change]:
    line = getattr(node, "lineno", 0)

    def change(make: Callable[[Any], Any], said: str) -> Change:
        return Change(k, make, f"line {line}: {said}")

    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
        other = COMPARED[type(node.ops[0])]
        yield change(lambda n: with_(n, ops=[other(), *n.ops[1:]]), "another comparison")
    if is_truth(node):
        yield change(lambda n: as_integer(n, program.framework), "as an integer")
    if isinstance(node, ast.BinOp):
        for op in COMPUTED.get(type(node.op), ()):
            yield change(partial(operated, op()), "another operator")
    if isinstance(node, ast.BoolOp):
        yield change(lambda n: n.values[0], "only the first part")
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield change(lambda n: ast.Constant(n.value + 1), "another number")
        yield change(lambda n: ast.Constant(2 * n.value), "another number")
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield change(lambda n: ast.Constant("1" + n.value), "another text")
    if isinstance(node, ast.Call):
        yield from of_call(node, change)
    if isinstance(node, ast.IfExp):
        yield change(lambda n: n.body, "no choice")
        yield change(lambda n: n.orelse, "no choice")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        yield change(lambda n: with_(n, op=ast.USub()), "negated otherwise")
    yield from of_statement(node, change)


def operated(op: ast.operator, node: Any) -> Any:
    return with_(node, op=op)


def is_truth(node: Any) -> bool:
    """Whether it looks like truth values that are connected or added."""
    if isinstance(node, ast.BinOp):
        return is_truth(node.left) and is_truth(node.right)
    return isinstance(node, ast.Compare)


def of_call(node: ast.Call, change: Callable[[Callable[[Any], Any], str], Change]) -> Iterator[Any]:
    if node.keywords:
        yield change(lambda n: with_(n, keywords=n.keywords[1:]), "without a keyword")
    if isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in CALLED:
            yield change(
                lambda n: with_(n, func=with_(n.func, attr=CALLED[name])), "another function"
            )
        if name in ("astype", "to"):
            yield change(lambda n: n.func.value, "without a conversion")
        if name == "add" and len(node.args) == 1:
            yield change(lambda n: with_(n, func=with_(n.func, attr="set")), "set, not added")
    if name_of(node) in ("where", "select") and len(node.args) == 3:
        yield change(lambda n: n.args[1], "no choice")
        yield change(lambda n: n.args[2], "no choice")


def of_statement(node: Any, change: Callable[[Callable[[Any], Any], str], Change]) -> Iterator[Any]:
    if isinstance(node, ast.Continue | ast.Break | ast.AugAssign):
        yield change(lambda n: ast.Pass(), "left out")
    if isinstance(node, ast.Continue):
        yield change(lambda n: ast.Break(), "break")
    if isinstance(node, ast.If):
        yield change(lambda n: n.body, "always")
        yield change(lambda n: n.orelse or ast.Pass(), "never")
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield change(lambda n: ast.Pass(), "left out")
        if name_of(node.value) in ("at", "index_add_", "scatter_add_", "index_put_"):
            yield change(lambda n: plain_write(n.value), "the last one alone")
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        yield change(lambda n: ast.Pass(), "left out")


def plain_write(call: Any) -> Any:
    """`np.add.at(u, at, v)` and PyTorch's like, as `u[at] += v`."""
    args = call.args
    if name_of(call) == "at":
        target, at, value = args
    elif name_of(call) == "index_put_":
        target, at, value = call.func.value, args[0].elts[0], args[1]
    else:
        target, at, value = call.func.value, args[1], args[2]
    return ast.AugAssign(ast.Subscript(target, at, ast.Store()), ast.Add(), value)


def name_of(call: Any) -> str:
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def as_integer(node: Any, framework: str) -> Any:
    name, kind = ("to", "torch.int64") if framework == "torch" else ("astype", "int")
    said = ast.parse(kind, mode="eval").body
    return ast.Call(ast.Attribute(node, name, ast.Load()), [said], [])


def with_(node: Any, **parts: Any) -> Any:
    for name, value in parts.items():
        setattr(node, name, value)
    return node


def shorter(program: Program) -> Iterator[Program]:
    """The program without one of its statements, or with one branch in the place of both."""
    tree = ast.parse(program.text)
    inside = {id(n) for f in own_functions(tree) for n in ast.walk(f) if n is not f}
    for k, node in enumerate(ast.walk(tree)):
        if id(node) not in inside:
            continue
        makes: list[Callable[[Any], Any]] = []
        if isinstance(node, ast.If | ast.For):
            makes = [lambda n: n.body, lambda n: n.orelse or ast.Pass()]
        elif isinstance(node, ast.stmt) and not isinstance(node, ast.Return):
            makes = [lambda n: ast.Pass()]
        elif isinstance(node, ast.BinOp):
            makes = [lambda n: n.left, lambda n: n.right]
        elif isinstance(node, ast.Call) and name_of(node) == "where":
            makes = [lambda n: n.args[1], lambda n: n.args[2]]
        for make in makes:
            text = changed(tree, Change(k, make, ""))
            if text and len(text) < len(program.text):
                yield replace(program, text=text)
