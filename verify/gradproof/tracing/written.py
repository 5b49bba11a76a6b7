"""What is said of arguments, as a line of a call that says it. Untrusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradproof.tracing.declared import Input


@dataclass(frozen=True)
class Found:
    """What is said of arguments, as a call says it."""

    inputs: dict[str, Any]
    requires: tuple[str, ...] = ()
    shown: dict[str, Any] | None = None  # as it is written, where inputs are parts of that

    @property
    def text(self) -> str:
        said = [f"{name}={written(value)}" for name, value in (self.shown or self.inputs).items()]
        one = quoted(self.requires[0]) if len(self.requires) == 1 else quoted(list(self.requires))
        return ", ".join([*said, *([f"requires={one}"] if self.requires else [])])


def written(value: Any) -> str:
    """What is said of an argument, as it is written in a call."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(k)}: {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if not isinstance(value, Input):
        return quoted(value)
    if value.kind == "given":
        is_plain = value.value is None or isinstance(value.value, int | float)
        return repr(value.value) if is_plain else f"gp.given({quoted(value.value)})"
    dims = [quoted(d) for d in value.shape]
    more = [f"below={quoted(value.below)}"] if value.kind == "integer" else []
    return f"gp.{value.kind}({', '.join([*dims, *more])})"


def quoted(value: Any) -> str:
    return repr(value).replace("'", '"')


def multiple(times: int, name: str) -> str:
    return name if times == 1 else f"{times}*{name}"


def plus(more: int) -> str:
    return "" if not more else f" {'+' if more > 0 else '-'} {abs(more)}"
