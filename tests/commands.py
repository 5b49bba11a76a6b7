"""Runs the command, and the files it is run on."""

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

from started import Started, server

ROOT = Path(__file__).parents[1]
COMMAND = Path(sys.executable).with_name("gradproof")
MODULES = ("gradproof", "gradproof.cli", "gradproof.report", "rich.live", "rich.progress", "pytest")
IN_SHELL = shlex.quote(str(COMMAND))

GOOD = """\
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
WRONG = GOOD.replace("2 * cotangent(y)[i]", "3 * cotangent(y)[i]")
LINE_OF_VJP = 11

# A product of all cells, which no rule of the prover knows: its loops are written out. The JVP
# forgets what comes after the 30th cell.
LOOP = """\
from gradproof.language import *

N, a, b, i = integers("N a b i")
acc, d = reals("acc d")
x, y = array("x", N), array("y", 1)
turn = (b, 0, N - 1)
early = If(b < 30, tangent(x)[b], 0)
whole = Eq(b, i) & (b < 30)

product_of_all = Op(
    "product_of_all",
    requires=(N >= 1,),
    scope="4 turns",
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

# Divides by 0 from N = 41 on, which no proof for four turns tells.
SHORT_OF = """\
from gradproof.language import *

n, i, N, j = integers("n i N j")
acc = reals("acc")
x, y, w = array("x", n), array("y", n), array("w", N)
shrinking = fold(acc, (j, 0, N - 1), acc=(acc, 1, acc * (40 - j)))
double = Op(
    "double",
    requires=(N >= 1,),
    scope="4 turns",
    constants=(w,),
    forward=Eq(y[i], 2 * x[i] + w[0] / shrinking),
    jvp=Eq(tangent(y)[i], 2 * tangent(x)[i]),
    vjp=Eq(cotangent(x)[i], 2 * cotangent(y)[i]),
)
"""
DIVISORS = "forward: divisors and logarithms"

# Replaces what proves a theorem, in the worker that loads the file.
SABOTAGE = """
import gradproof.settle.check as check
import gradproof.prove.tactics.proving as proving
import gradproof.settle.instances as instances

real = proving.prove


def prove(theorem, *rest):
    if theorem.name == {name!r}:
        {what}
    return real(theorem, *rest)


check.prove = instances.prove = proving.prove = prove
"""


def sabotaged(what: str, text: str = GOOD, name: str = "jvp by x") -> str:
    return text + SABOTAGE.format(what=what, name=name)


def environment(**changed: str) -> dict[str, str]:
    """Ours, without what would change how the command looks."""
    kept = {k: v for k, v in os.environ.items() if k not in ("CI", "NO_COLOR", "PYTHONPATH")}
    return kept | {"TERM": "xterm-256color", "COLUMNS": "200"} | changed


Done = subprocess.CompletedProcess[str]


def gradproof(*arguments: object, cwd: Path, stdout: int = -1) -> Done:
    """The command, forked; with one worker where the number of them is not what is tested."""
    return forked("command", with_jobs(arguments), cwd, stdout)


def gradproof_anew(*arguments: object, cwd: Path) -> Done:
    """The command, started as users start it."""
    return subprocess.run(
        [COMMAND, *with_jobs(arguments)],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def with_jobs(arguments: Sequence[object]) -> list[str]:
    settles = bool({"check", "verify", "explain"} & set(arguments[:1]))
    jobs = ("--jobs", "1") if settles and "--jobs" not in arguments else ()
    return [*map(str, (*arguments, *jobs))]


def run_pytest(folder: Path, *arguments: str) -> Done:
    """Pytest in a project, forked."""
    plain = ["-p", "no:cacheprovider", "--strict-markers", *arguments]
    return forked("pytest", plain, folder)


def trust(*arguments: str) -> Done:
    """`python -m trust`, forked."""
    return forked("trust", [*arguments], ROOT)


def forked(role: str, arguments: list[str], cwd: Path, stdout: int = -1, **changed: str) -> Done:
    """What is forked, with pipes to read what it says."""
    with open(os.devnull) as nothing, Pipe() as out, Pipe() as err:
        streams = (nothing.fileno(), out.theirs if stdout < 0 else stdout, err.theirs)
        process = started(role, arguments, streams, cwd, environment(**changed))
        texts = [pipe.read() for pipe in (out, err)]
        return subprocess.CompletedProcess(arguments, process.wait(300), *texts)


def started(
    role: str, arguments: list[str], streams: tuple[int, ...], cwd: Path, env: dict[str, str]
) -> Started:
    if role == "trust":
        address = server("trust.__main__", "hypothesis", "_hypothesis_pytestplugin", path=str(ROOT))
    elif "--executor" in arguments:
        address = server(*MODULES, "distributed.client")
    else:
        address = server(*MODULES)
    return Started(role, arguments, address, streams, cwd, env)


class Pipe:
    """Read by a thread, so that whoever writes into it need not wait."""

    def __enter__(self) -> "Pipe":
        self.ours, self.theirs = os.pipe()
        self.found = b""
        self.thread = Thread(target=self.collect, daemon=True)
        self.thread.start()
        return self

    def collect(self) -> None:
        with open(self.ours, "rb") as file:
            self.found = file.read()

    def read(self) -> str:
        """All that is written until nobody can write into it any more."""
        self.__exit__()
        self.thread.join(300)
        return self.found.decode("utf-8")

    def __exit__(self, *_: object) -> None:
        if self.theirs >= 0:
            os.close(self.theirs)
            self.theirs = -1


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
