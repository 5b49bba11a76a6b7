"""Single figures: the suite, starting, memory, wrong rules, what ends unknown."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import proofs
from bench.apart import apart
from bench.cases import UNDECIDED, UNKNOWN, wrong_rules
from bench.clock import repeated
from bench.commands import GRADPROOF, ROOT, cost, output

DOUBLE = """\
from gradproof.language import *

n, i = axes("n i")
x, y = array("x", n), array("y", n)

double = Op(
    "double",
    requires=(n >= 1,),
    forward=Eq(y[i], 2 * x[i]),
    jvp=Eq(tangent(y)[i], 2 * tangent(x)[i]),
    vjp=Eq(cotangent(x)[i], 2 * cotangent(y)[i]),
)
"""
UNRELATED = "def test_sum():\n    assert 1 + 1 == 2\n"
JOBS = 2


@dataclass(frozen=True)
class Figure:
    """One line of the page; a goal is the most that it should be."""

    what: str
    value: float
    unit: str
    goal: float | None = None
    note: str = ""


def has_cache() -> bool:
    return "--no-cache" in output(GRADPROOF, "verify", "--help")


def suite() -> Iterator[Figure]:
    """Cold, in a fresh folder for the cache; then again."""
    with TemporaryDirectory() as folder:
        verify = (GRADPROOF, "verify", "--quiet", "--jobs", JOBS)
        cold = cost(*verify, GRADPROOF_CACHE=folder)
        yield Figure("suite, cold, two jobs, on the clock", cold.wall, "s", 15)
        yield Figure("the same, of processors", cold.cpu, "CPU s")
        yield Figure("largest process of it", cold.megabytes, "MB", 400)
        if has_cache():
            again = cost(*verify, GRADPROOF_CACHE=folder)
            yield Figure("suite again, cached", again.cpu, "CPU s", 0.5)
    yield Figure("suite, cold, one process", proofs.suite_seconds(), "CPU s", 25)


def starting() -> Iterator[Figure]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "double.py").write_text(DOUBLE, "utf-8")
        (folder / "test_sum.py").write_text(UNRELATED, "utf-8")

        def cpu(*command: object) -> float:
            def once() -> float:
                with TemporaryDirectory() as cache:
                    return cost(*command, cwd=folder, GRADPROOF_CACHE=cache).cpu

            return repeated(once)[0]

        for command in ("--help", "--version", "list"):
            yield Figure(f"gradproof {command}", cpu(GRADPROOF, command), "CPU s", 0.15)
        check = (GRADPROOF, "check", "double.py", "--jobs", 1)
        yield Figure("gradproof check, one small op, cold", cpu(*check), "CPU s", 1.5)
        alone = ("env", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", sys.executable, "-m", "pytest")
        pytest = (*alone, "-p", "no:cacheprovider", "test_sum.py")
        bare = cpu(*pytest)
        added = cpu(*pytest, "-p", "gradproof.pytest_plugin") - bare
        note = f"beside {bare:.2f} s without the plugin"
        yield Figure("what the plugin adds to another pytest run", added, "CPU s", 0.15, note)


def example(path: Path) -> dict[str, Any]:
    from gradproof.cli.workers.load import load

    (found,) = load(path)
    return proofs.settled(found.op, ())


def singles() -> Iterator[Figure]:
    norm = apart(example, ROOT / "examples" / "batch_norm.py")
    count = len(norm["each"])
    yield Figure("batch_norm, all theorems", norm["seconds"], "CPU s", 8, f"{count} theorems")
    wrong = {
        f"{op.name}, {name}": apart(proofs.settled, op, (), (name,)) for op, name in wrong_rules()
    }
    slowest = max(wrong, key=lambda name: wrong[name]["seconds"])
    caught = sum("refuted" in one["statuses"].values() for one in wrong.values())
    said = f"of {len(wrong)}, {caught} refuted; slowest: {slowest}"
    yield Figure("a wrong rule refuted", wrong[slowest]["seconds"], "CPU s", 3, said)
    with TemporaryDirectory() as name:
        hard = Path(name) / "hard.py"
        hard.write_text(UNKNOWN, "utf-8")
        only = ("--only", UNDECIDED, "--jobs", 1)
        ended = cost(GRADPROOF, "check", hard, *only, GRADPROOF_CACHE=name)
        note = f"exit status {ended.status}"
        yield Figure("an unknown said, the command with it", ended.cpu, "CPU s", 15, note)


PARTS = {"the suite": suite, "starting": starting, "single proofs": singles}
