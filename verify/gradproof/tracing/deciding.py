"""Whether what a branch of the user's code asks is settled by what is declared. Untrusted."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from types import CodeType
from typing import Any, TypeGuard

from gradproof.tracing.lines import Place

# What is asked of a tensor and is the same at all values and sizes.
KINDS = {"ndim", "dim", "dtype", "device", "layout", "is_cuda", "is_leaf", "requires_grad"}
KINDS |= {"needs_input_grad", "training", "is_floating_point", "is_contiguous", "is_complex"}
DATA = {"saved_tensors", "saved_variables", "shape", "size", "grad", "data", "T"}
ASKED = {"isinstance", "issubclass", "hasattr", "callable", "type", "getattr", "is_tensor"}
PURE = {"abs", "all", "any", "bool", "divmod", "enumerate", "float", "frozenset", "int", "len"}
PURE |= {"list", "max", "min", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple"}
PURE |= {"zip"}
TOLD = {"id", "hash", "vars", "dir"}
VARIES = "values or sizes"  # of what is given: that it holds such
Given = Mapping[tuple[CodeType, str], set[str]]
Function = ast.FunctionDef | ast.Lambda


class Source:
    """A function's syntax, and what was given for the parameters of all functions that ran."""

    def __init__(self, code: CodeType, given: Given, answered: Set[Place]) -> None:
        self.tree = tree_of("".join(linecache.getlines(code.co_filename)))
        first = code.co_firstlineno
        around = (u for u in functions(self.tree) if start_of(u) <= first <= u.end_lineno)
        self.function: Any = min(around, key=start_of, default=self.tree)
        self.given: dict[str, set[str]] = {}
        for (of, name), values in given.items():
            if of.co_filename == code.co_filename and self.has(of.co_firstlineno):
                self.given.setdefault(name, set()).update(values)
        self.answered = [(a, b) for file, a, b in answered if file == code.co_filename]
        self.own = {u.arg for u in ast.walk(self.function) if isinstance(u, ast.arg)}
        self.own |= {u.id for t, _ in bindings(self.function) for u in ast.walk(t) if is_name(u)}
        self.asking: set[tuple[str, bool]] = set()

    def has(self, line: int) -> bool:
        """Whether a line is of the function, or of one within."""
        where = self.function
        return where is self.tree or start_of(where) <= line <= where.end_lineno

    def is_settled(self, positions: Any) -> bool:
        """Whether no value and no size decides the expression there."""
        span = span_of(positions)
        found = (u for u in ast.walk(self.tree) if isinstance(u, ast.expr) and span_of(u) == span)
        expression = next(found, None)
        if expression is None:
            return False
        return self.is_answered(expression) or self.settled(expression)

    def is_answered(self, node: ast.expr) -> bool:
        """Whether the reading has a condition for which way it goes."""
        first, last = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        return any(
            (a <= first and last <= b) or (first <= a and b <= last) for a, b in self.answered
        )

    def settled(self, node: ast.AST) -> bool:
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return self.named(name)
            case ast.Attribute(attr=name) if name in KINDS:
                return True
            case ast.Attribute(value=value, attr=name):
                return name not in DATA and self.settled(value) and self.assigned(name, True)
            case ast.Compare() if self.is_answered(node):
                return True
            case ast.Compare(left=ast.Attribute(value=owner)) if is_of_none(node):
                return self.settled(owner)  # which is made of something, or of nothing
            case ast.Call(func=ast.Name(id="len"), args=[ast.Attribute(attr="shape")]):
                return True
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in ASKED:
                return True
            case ast.Call(func=function) if not self.is_pure(function):
                return False
            case ast.Starred() | ast.keyword() | ast.expr():
                is_known = isinstance(node, KNOWN)
                return is_known and all(map(self.settled, parts(node)))
        return False

    @property
    def observing(self) -> Iterator[ast.expr]:
        """What may be another while code is read, and which no branch tells: identity, and what
        something is or has, where that is computed with."""
        branching = {id(u) for test in tests_in(self.function) for u in asked_in(test)}
        for node in ast.walk(self.function):
            match node:
                case ast.Compare() if is_identity(node) and not is_of_none(node):
                    asked = [node.left, *node.comparators]
                case ast.Call() if is_asking(node) and id(node) not in branching:
                    asked = node.args
                case _:
                    continue
            if not all(map(self.settled, asked)):
                yield node

    def named(self, name: str) -> bool:
        """A name: a parameter that is always the same, what is computed of such, or a global's."""
        if name in self.given:
            values = self.given[name]
            return len(values) == 1 and VARIES not in values and self.assigned(name, False)
        return self.assigned(name, False)

    def is_pure(self, function: ast.expr) -> bool:
        """Whether a call says the same of the same: Python's own, or a method of what is given."""
        if isinstance(function, ast.Name):
            return function.id in PURE
        root = function
        while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
            root = root.func if isinstance(root, ast.Call) else root.value
        return isinstance(root, ast.Constant) or (
            isinstance(root, ast.Name) and root.id in self.own
        )

    def assigned(self, name: str, is_attribute: bool) -> bool:
        """Whether all that is given this name here, or to an attribute in the file, is settled."""
        if (name, is_attribute) in self.asking:
            return not is_attribute  # which may be another at the next call
        self.asking.add((name, is_attribute))
        try:
            where = self.tree if is_attribute else self.function
            return all(
                self.settled(value)
                for target, value in bindings(where)
                if binds(target, name, is_attribute)
            )
        finally:
            self.asking.discard((name, is_attribute))


def is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def is_identity(node: ast.Compare) -> bool:
    return any(isinstance(o, ast.Is | ast.IsNot) for o in node.ops)


def is_of_none(node: ast.Compare) -> bool:
    """Whether something is compared with what there is one of, tensor or size or not."""
    sides = (node.left, *node.comparators)
    return any(isinstance(u, ast.Constant) and u.value in (None, ...) for u in sides)


def is_asking(node: ast.Call) -> bool:
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    return name in ASKED or name in TOLD


def tests_in(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.BoolOp):
            yield from node.values[:-1]


def asked_in(test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a test which alone say how it goes."""
    yield test
    match test:
        case ast.BoolOp(values=parts):
            inner = parts
        case ast.UnaryOp(op=ast.Not(), operand=part) | ast.NamedExpr(value=part):
            inner = [part]
        case ast.Compare(left=left, comparators=[right]):
            inner = [left, right]
        case _:
            inner = []
    for part in inner:
        yield from asked_in(part)


KNOWN = (
    *(ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Subscript, ast.Tuple, ast.List),
    *(ast.Call, ast.IfExp, ast.Set, ast.Dict, ast.Slice, ast.keyword, ast.Starred),
    *(ast.JoinedStr, ast.FormattedValue),
)


def parts(node: ast.AST) -> Iterator[ast.AST]:
    plain = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
    return (u for u in ast.iter_child_nodes(node) if not isinstance(u, plain))


def bindings(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What is assigned to what, and loops over what."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value) for target in targets)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                yield target, value
            case ast.AugAssign(target=target, value=value):
                yield target, ast.BinOp(target, node.op, value)
            case ast.NamedExpr(target=target, value=value):
                yield target, value
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                yield target, value
            case ast.withitem(context_expr=value, optional_vars=target) if target is not None:
                yield target, value


def binds(target: ast.AST, name: str, is_attribute: bool) -> bool:
    kind, field = (ast.Attribute, "attr") if is_attribute else (ast.Name, "id")
    return any(isinstance(u, kind) and getattr(u, field) == name for u in ast.walk(target))


def span_of(node: Any) -> tuple[Any, ...]:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def start_of(node: Any) -> int:
    own = [d.lineno for d in getattr(node, "decorator_list", ())]
    return min([node.lineno, *own]) if hasattr(node, "lineno") else 0


def functions(tree: ast.AST) -> Iterator[Any]:
    return (u for u in ast.walk(tree) if isinstance(u, Function))


@lru_cache(maxsize=8)
def tree_of(text: str) -> ast.AST:
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])
