"""What the command and its workers tell each other, as plain data. Deciding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gradproof.cli.arguments import SECONDS_TO_LOAD
from gradproof.settle.verdicts import Verdict

NO_OP = (
    "there is no op in it; write one with Op(...) at the top level; to prove code, "
    "say its inputs: --input x=N,C"
)


@dataclass(frozen=True)
class Target:
    """What the user named: a file, perhaps one op of it; without a path, an op of the suite."""

    path: str
    name: str = ""

    @property
    def shown(self) -> str:
        return self.path or self.name


@dataclass(frozen=True)
class Request:
    """What a worker is asked to do: with a target, or with one of its theorems."""

    do: str
    target: Target
    op: str = ""
    number: int = -1
    definition: str = ""  # the hash that it was described with
    verdict: dict[str, Any] | None = field(default=None, compare=False)  # of the theorem
    limit: int | None = None
    ranks: tuple[int, ...] = ()
    second: bool = False
    record: bool = False
    rules: tuple[str, ...] = ()  # those that are proved, of which floating point is asked
    dtype: str = ""
    within: tuple[str, ...] = ()
    load_seconds: float = SECONDS_TO_LOAD

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Request:
        several = {name: tuple(data.get(name, ())) for name in ("ranks", "rules", "within")}
        return cls(**data | several | {"target": Target(**data["target"])})


@dataclass(frozen=True)
class Problem:
    """A file that cannot be read as definitions."""

    file: str
    line: int
    message: str
    trace: str = field(default="", compare=False)

    @property
    def shown(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.message}"


@dataclass(frozen=True)
class Listing:
    """An op with its theorems, none of them settled, and where their equations stand."""

    target: Target
    name: str
    file: str
    line: int
    theorems: tuple[Verdict, ...]
    lines: tuple[int, ...]
    definition: str = ""
    written: tuple[str, ...] = ()  # their equations, as they stand there
    lacks_vjp: bool = False  # though it has a derivative

    @classmethod
    def from_dict(cls, target: Target, data: dict[str, Any]) -> Listing:
        return cls(
            target,
            data["name"],
            data["file"],
            data["line"],
            tuple(map(Verdict.from_dict, data["theorems"])),
            tuple(data["lines"]),
            data["definition"],
            tuple(data.get("written", ())),
            data.get("lacks_vjp", False),
        )


def plain(text: str) -> str:
    """Text of others in one line, without control characters."""
    spaced = " ".join(text.split())
    if spaced.isprintable():
        return spaced
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in spaced)
