"""Runs a file of definitions, statement by statement: one that fails does not end it. Untrusted."""

from __future__ import annotations
import __future__

import ast
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from gradproof.language.ops import Op

FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
DEFINING = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)


class Names(MutableMapping[str, Any]):
    """The names of a module; ops are noted that lose theirs, or are given none."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.rebound: list[tuple[str, Op]] = []

    def __setitem__(self, name: str, value: Any) -> None:
        before = self.names.get(name)
        if isinstance(before, Op) and value is not before:
            self.rebound.append((name, before))
        self.names[name] = value

    def __getitem__(self, name: str) -> Any:
        return self.names[name]

    def __delitem__(self, name: str) -> None:
        self.unnamed(self.names.get(name))
        del self.names[name]

    def unnamed(self, value: object) -> None:
        if isinstance(value, Op):
            self.rebound.append(("", value))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def copy(self) -> dict[str, Any]:
        return self.names.copy()


@dataclass
class Fault:
    """A statement that failed, and the lines of those that failed for want of what it defines."""

    failure: Exception
    lost: set[str]
    lines: list[int] = field(default_factory=list)


def run(text: str, path: str, names: Names) -> list[Fault]:
    """What failed while it defined something, in its order; other failures are raised."""
    code = compile(text, path, "exec", dont_inherit=True)
    flags = code.co_flags & FUTURE
    faults: list[Fault] = []
    for number, node in enumerate(ast.parse(text, path).body):
        if number and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # by itself it would be the module's docstring
        try:
            if number and isinstance(node, ast.Expr):
                value = ast.Expression(node.value)
                code = compile(value, path, "eval", flags, dont_inherit=True)
                names.unnamed(eval(code, names.names, names))
                continue
            part = ast.Module([node], [])
            exec(compile(part, path, "exec", flags, dont_inherit=True), names.names, names)
        except Exception as failure:
            if not isinstance(node, DEFINING):
                raise
            note(faults, failure, node)
    return faults


def note(faults: list[Fault], failure: Exception, node: ast.stmt) -> None:
    """As the consequence of a fault before it, if it is one."""
    lost = {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    missing = failure.name if isinstance(failure, NameError) else None
    for fault in faults:
        if missing in fault.lost:
            fault.lost |= lost
            fault.lines.append(node.lineno)
            return
    faults.append(Fault(failure, lost))
