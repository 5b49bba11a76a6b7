"""Runs the real command, and the files it is run on."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

COMMAND = Path(sys.executable).with_name("gradproof")
IN_SHELL = shlex.quote(str(COMMAND))

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

# A product of all cells, which no rule of the prover knows: its loops are written out. The JVP
# forgets what comes after the 30th cell.
LOOP = """\
from verify.language import *

N, a, b, i = integers("N a b i")
acc, d = reals("acc d")
x, y = array("x", N), array("y", 1)
turn = (b, 0, N - 1)
early = If(b < 30, tangent(x)[b], 0)
whole = Eq(b, i) & (b < 30)

product_of_all = Op(
    "product_of_all",
    requires=(N >= 1,),
    forward=Eq(y[a], fold(acc, turn, acc=(acc, 1, acc * x[b])) / N),
    jvp=Eq(
        tangent(y)[a],
        fold(d, turn, acc=(acc, 1, acc * x[b]), d=(d, 0, d * x[b] + acc * early)) / N,
    ),
    vjp=Eq(
        cotangent(x)[i],
        cotangent(y)[0]
        * fold(d, turn, acc=(acc, 1, acc * x[b]), d=(d, 0, d * x[b] + acc * If(whole, 1, 0)))
        / N,
    ),
)
"""
FEW_TURNS = "where no loop takes more than 4 turns, inner loops counted"
# The logarithm is not defined at all of its arguments: what is proved of it says nothing.
UNDEFINED = GOOD.replace("2 * x[i]", "log(x[i])").replace(
    "2 * tangent(x)[i]", "tangent(x)[i] / x[i]"
)
UNDEFINED = UNDEFINED.replace("2 * cotangent(y)[i]", "cotangent(y)[i] / x[i]")

# Divides by 0 from N = 5 on, which no proof for four turns tells.
SHORT_OF = """\
from verify.language import *

n, i, N, j = integers("n i N j")
acc = reals("acc")
x, y, w = array("x", n), array("y", n), array("w", N)
shrinking = fold(acc, (j, 0, N - 1), acc=(acc, 1, acc * (4 - j)))
double = Op(
    "double",
    requires=(N >= 1,),
    constants=(w,),
    forward=Eq(y[i], 2 * x[i] + w[0] / shrinking),
    jvp=Eq(tangent(y)[i], 2 * tangent(x)[i]),
    vjp=Eq(cotangent(x)[i], 2 * cotangent(y)[i]),
)
"""
DIVISORS = "forward: divisors and logarithms"

# Replaces what proves a theorem, in the worker that loads the file.
SABOTAGE = """
import verify.proving as proving

real = proving.prove


def prove(theorem, *rest):
    if theorem.name == {name!r}:
        {what}
    return real(theorem, *rest)


proving.prove = prove
"""


def sabotaged(what: str, text: str = GOOD, name: str = "jvp by x") -> str:
    return text + SABOTAGE.format(what=what, name=name)


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
