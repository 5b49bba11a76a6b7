"""Runs the real command, and the files it is run on."""

import os
import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("gradproof")

GOOD = """\
from verify.language import *

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
WRONG = GOOD.replace("2 * cotangent(y)[i]", "3 * cotangent(y)[i]")
LINE_OF_VJP = 11

# Replaces what proves a JVP, in the worker that loads the file.
SABOTAGE = """
import verify.proving as proving

real = proving.prove


def prove(theorem, *rest):
    if theorem.kind == "jvp":
        {what}
    return real(theorem, *rest)


proving.prove = prove
"""


def sabotaged(what: str, text: str = GOOD) -> str:
    return text + SABOTAGE.format(what=what)


def environment(**changed: str) -> dict[str, str]:
    """Ours, without what would change how the command looks."""
    kept = {k: v for k, v in os.environ.items() if k not in ("CI", "NO_COLOR", "PYTHONPATH")}
    return kept | {"TERM": "xterm-256color", "COLUMNS": "200"} | changed


def gradproof(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command, with one worker where the number of them is not what is tested."""
    settles = bool({"check", "verify", "explain"} & set(arguments[:1]))
    jobs = ("--jobs", "1") if settles and "--jobs" not in arguments else ()
    return subprocess.run(
        [COMMAND, *map(str, (*arguments, *jobs))],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
