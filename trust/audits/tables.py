"""The tables of what is audited, a row a line: where it is, a call of it, its inputs. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

HERE = Path(__file__).parent
ON_PURPOSE = "on purpose"
OTHERS = ("jax", "numpy")
COLUMNS = ("VJP", "forward mode", "second order", "with forward mode")
SEPARATOR = re.compile(r" \|(?= |$)")


@dataclass(frozen=True)
class Row:
    """A call of code, what is said of its inputs, and where the code is from."""

    name: str
    call: str
    inputs: tuple[str, ...]
    requires: tuple[str, ...] = ()
    on_purpose: bool = False  # whether its gradient is no derivative and says so
    package: str = ""
    version: str = ""
    module: str = ""
    framework: str = "torch"
    beside: tuple[str, ...] = ()  # other wheels that the module imports, by `package==version`
    column: str = ""  # what is asked of a formula

    @property
    def home(self) -> str:
        """What a process loads once for all rows that have it in common."""
        own = f"{self.package}=={self.version}" if self.package else self.framework
        return "+".join((own, *self.beside))


def lines(path: Path) -> Iterator[list[str]]:
    for line in path.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield [part.strip() for part in SEPARATOR.split(line)]


def split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())


def formulas() -> list[Row]:
    """Formulas of PyTorch's own derivatives, each once for each of what is asked of it."""
    found = []
    for name, call, inputs, *requires in lines(HERE / "formulas.txt"):
        row = Row(name, call, tuple(inputs.split()), split("".join(requires)))
        found += [replace(row, column=column) for column in COLUMNS]
    return found


def packages() -> list[Row]:
    """Functions of packages, by the module that holds them."""
    found = []
    for home, module, call, inputs, *rest in lines(HERE / "packages.txt"):
        own, *beside = home.split("+")
        package, _, version = own.partition("==")
        said = [*rest, "", ""]
        name = call.partition("(")[0].removeprefix("m.").removesuffix(".apply")
        framework = next((f for f in OTHERS if said[1].startswith(f)), "torch")
        on_purpose = said[1].endswith(ON_PURPOSE)
        where = (on_purpose, package, version, module, framework, tuple(beside))
        found.append(Row(name, call, tuple(inputs.split()), split(said[0]), *where))
    return found
