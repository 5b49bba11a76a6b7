"""The lines of a file at which the equations of an op stand. Untrusted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any

from gradproof.language.ops import Op, target_of

PARAMETERS = tuple(f.name for f in fields(Op))


class Text:
    """The text of a file, and all that is in it, listed once for its many equations."""

    def __init__(self, text: str) -> None:
        try:
            self.tree = ast.parse(text)
        except (SyntaxError, ValueError):
            self.tree = ast.Module([], [])
        self.nodes = [*ast.walk(self.tree)]
        self.calls = [node for node in self.nodes if isinstance(node, ast.Call)]
        self.lines = LINE_END.split(text.encode())

    @cached_property
    def assigned(self) -> dict[str, ast.expr]:
        """What is assigned to each name, the last time at the top level or in a block of it."""
        found: dict[str, ast.expr] = {}
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    found |= pairs(target, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                found |= pairs(node.target, node.value)
        return found

    def of(self, node: ast.expr) -> str:
        """What a node is written as, on one line."""
        lines = self.lines[node.lineno - 1 : node.end_lineno]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return " ".join(b" ".join(lines).decode().split())


LINE_END = re.compile(rb"\r\n|\r|\n")
known = lru_cache(maxsize=4)(Text)


@dataclass(frozen=True)
class Source:
    """The text of a file, and the variable that an op of it is bound to."""

    text: str
    path: str
    binding: str = ""

    def bound(self, binding: str) -> Source:
        return replace(self, binding=binding)

    @property
    def parsed(self) -> Text:
        return known(self.text)

    @property
    def assigned(self) -> dict[str, ast.expr]:
        return self.parsed.assigned

    def refines(self, binding: str) -> bool:
        """Whether a name is bound to what is made of itself: `op = replace(op, …)`."""
        return any(
            isinstance(n, ast.Name) and n.id == binding
            for node in self.parsed.nodes
            if isinstance(node, ast.Assign)
            and any(binding in pairs(target, node.value) for target in node.targets)
            for n in ast.walk(node.value)
        )

    @cached_property
    def imported(self) -> frozenset[str]:
        """Names that are imported, and not bound to something else as well."""
        nodes = (n for n in self.parsed.nodes if isinstance(n, ast.ImportFrom | ast.Import))
        return frozenset(a.asname or a.name for n in nodes for a in n.names) - self.stored

    @cached_property
    def stored(self) -> frozenset[str]:
        nodes = (n for n in self.parsed.nodes if isinstance(n, ast.Name))
        return frozenset(n.id for n in nodes if isinstance(n.ctx, ast.Store))

    def line_of(self, binding: str, op: Op, equation: str) -> int:
        """The line of an equation, else of the op, else of the file."""
        call = self.call_of(binding, op)
        part = None if call is None else self.part(call, op, equation)
        for node in (part, call, self.assigned.get(binding)):
            if node is not None:
                return node.lineno
        return 1

    def equation(self, op: Op, equation: str) -> int:
        return self.line_of(self.binding, op, equation)

    def written(self, op: Op, equation: str) -> str:
        """An equation as it stands in the file, on one line; not what is built elsewhere."""
        call = self.call_of(self.binding, op)
        if call is None or equation.partition(" ")[0] in ("", "sizes", "requires"):
            return ""
        node = self.part(call, op, equation)
        if node is None or isinstance(node, ast.Tuple | ast.List | ast.Name):
            return ""
        return self.parsed.of(node)

    def resolved(self, node: ast.expr | None) -> ast.expr | None:
        """What a name stands for, through assignments."""
        seen: set[str] = set()
        while isinstance(node, ast.Name) and node.id in self.assigned and node.id not in seen:
            seen.add(node.id)
            node = self.assigned[node.id]
        return node

    def call_of(self, binding: str, op: Op) -> ast.Call | None:
        """The call that builds the op: what its variable is bound to, or the one with its name."""
        value = self.resolved(self.assigned.get(binding))
        if isinstance(value, ast.Call) and (is_call(value, "Op", "replace", "claiming")):
            return value
        named = (n for n in self.calls("Op") if is_text(argument(n, "name"), op.name))
        return next(named, None)

    def calls(self, name: str) -> Iterator[ast.Call]:
        return (node for node in self.parsed.calls if is_call(node, name))

    def part(self, call: ast.Call, op: Op, equation: str) -> ast.expr | None:
        kind, _, rest = equation.partition(" ")
        if kind == "claim":
            named = (n for n in self.calls("Claim") if is_text(argument(n, "name"), rest))
            return next(named, None)
        if kind == "sizes":
            kind = "forward" if self.given(call, "windows") is None else "windows"
        node = self.given(call, kind)
        elements = self.resolved(node)
        if kind == "vjp" and rest and isinstance(elements, ast.Tuple | ast.List):
            names = [target_of(rule).array.name for rule in op.vjp]
            node = element(elements, names, rest) or node
        if kind == "requires" and rest and isinstance(elements, ast.Tuple | ast.List):
            node = element(elements, list(map(str, op.requires)), rest) or node
        return self.resolved(node)

    def given(self, call: ast.Call, name: str, depth: int = 20) -> ast.expr | None:
        """An argument of the call, or of the call that it changes or extends.

        `op = replace(op, …)` has no end.
        """
        if is_call(call, "Op"):
            return argument(call, name)
        found = next((k.value for k in call.keywords if k.arg == name), None)
        if found is not None:
            return found
        base = call.args[0] if is_call(call, "replace") and call.args else owner(call)
        inner = self.resolved(base)
        if depth == 0 or not isinstance(inner, ast.Call):
            return None
        return self.given(inner, name, depth - 1)


def pairs(target: ast.expr, value: ast.expr) -> dict[str, ast.expr]:
    if isinstance(target, ast.Name):
        return {target.id: value}
    both = (target, value)
    if all(isinstance(n, ast.Tuple | ast.List) for n in both):
        left, right = (n.elts for n in both)  # type: ignore[attr-defined]  # both have elements
        if len(left) == len(right):
            return {k: v for t, u in zip(left, right, strict=True) for k, v in pairs(t, u).items()}
    return {}


def is_call(node: ast.Call, *names: str) -> bool:
    function = node.func
    called = getattr(function, "id", None) or getattr(function, "attr", None)
    return called in names


def owner(call: ast.Call) -> ast.expr | None:
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def argument(call: ast.Call, name: str) -> ast.expr | None:
    found = next((k.value for k in call.keywords if k.arg == name), None)
    position = PARAMETERS.index(name) if name in PARAMETERS else len(call.args)
    if found is None and position < len(call.args):
        found = call.args[position]
    return found


def is_text(node: Any, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def element(node: Any, names: list[str], name: str) -> ast.expr | None:
    """The element that stands for a name, where each name has one."""
    if len(node.elts) != len(names) or name not in names:
        return None
    found: ast.expr = node.elts[names.index(name)]
    return None if isinstance(found, ast.Starred) else found
