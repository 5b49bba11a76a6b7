"""Loops of kernels over blocks: what names carry from turn to turn, in closed form. Untrusted."""

from __future__ import annotations

import ast
from typing import Any

from gradproof.tracing.tensors import Unreadable

MOST_TURNS = 64


def run(program: Any, s: ast.For, env: dict[str, Any]) -> None:
    """A loop; one whose turns are known is written out."""
    if not isinstance(s.iter, ast.Call) or not isinstance(s.target, ast.Name) or s.orelse:
        raise Unreadable("a loop over anything but range(…)")
    given = [program.value(a, env) for a in s.iter.args]
    if all(isinstance(v, int) for v in given):
        turns = range(*given)
        if len(turns) <= MOST_TURNS:
            for turn in turns:
                env[s.target.id] = turn
                program.block(s.body, env)
            return
    raise Unreadable("this loop is not read")
