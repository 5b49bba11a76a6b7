"""The arguments of the command, its help and its version. Untrusted.

Nothing heavy is imported here: `--help` answers at once.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from gradproof import __version__
from gradproof.settle.timing import SECONDS

MOST_RANK = 6
SECONDS_TO_LOAD, SECONDS_TO_MEND = 10, 15  # of processor time
SECONDS_OF_NEEDS = 5  # for each clause of a file
MEMORY = 4096  # megabytes of a process
EXAMPLES = """\
examples:
  gradproof verify                       settle the suite
  gradproof verify conv max_pool         settle two ops of it
  gradproof new my_pool                  write my_pool.py, a definition to start from
  gradproof check my_pool.py             settle the definitions in a file
  gradproof check my_pool.py::my_pool --only 'vjp*' --save failures
  gradproof check ops.py::Softmax --input x=N,C    prove an autograd.Function as it stands
  gradproof explain avg_pool 'vjp x_bar' show what is compared, and how it was settled
  gradproof explain avg_pool --record proofs.json; gradproof replay proofs.json
  gradproof check ops/*.py --json - --quiet > verdicts.json
  gradproof verify --cache-only          fail if anything would have to be settled
  eval "$(gradproof completion bash)"    complete commands, options and ops

exit status:
  0  everything is proved, or refuted as expected
  1  something is refuted that should hold, or proved that should not
  2  wrong usage, a file that cannot be read as definitions, or one that cannot be written
  3  something is undecided: unknown, vacuous, unsupported or error
  4  --cache-only, and a verdict is not in the cache
  130  interrupted; what was settled is kept
"""
VERSIONED = {"Z3": "z3-solver", "cvc5": "cvc5", "SymPy": "sympy", "NumPy": "numpy"}
FRAMEWORKS = ("torch", "jax", "numpy")
SHELLS = ("bash", "zsh", "fish")


class UsageError(Exception):
    """Something the user asked for that cannot be done; the message says what to do instead."""


class Missing(Exception):
    """A verdict that is not in the cache, where none is to be settled."""


class Parser(argparse.ArgumentParser):
    """A usage error is one line, with where to find help."""

    def error(self, message: str) -> NoReturn:
        chosen = re.fullmatch(
            r"argument COMMAND: invalid choice: '(.*)' \(choose from (.*)\)", message
        )
        if chosen:
            near = get_close_matches(chosen[1], re.findall(r"\w+", chosen[2]), 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            message = f"there is no command {chosen[1]!r}{hint}"
        self.exit(2, f"gradproof: {message}\nTry '{self.prog} --help'.\n")

    def parse(self, arguments: Sequence[str] | None) -> argparse.Namespace:
        """As `parse_args`, but what is left over is the command's, and so is the help."""
        known, unknown = self.parse_known_args(arguments)
        if unknown:
            self.prog = f"{self.prog} {known.command}"
            self.error(f"unknown argument {' '.join(unknown)}")
        return known


class Version(argparse.Action):
    def __call__(self, parser: Any, *_: Any) -> None:
        print(version())
        parser.exit()


def version() -> str:
    """The versions of the tool and of what its verdicts rest on."""
    import platform
    from importlib import metadata

    found = [f"Python {platform.python_version()}"]
    for name, package in VERSIONED.items():
        try:
            found.append(f"{name} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return f"gradproof {__version__} ({', '.join(found)})"


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """A parser of whole numbers within bounds."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if value < least or (most is not None and value > most):
            bounds = f"at least {least}" if most is None else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"{value} is out of bounds; it must be {bounds}")
        return value

    return number


def shard(text: str) -> tuple[int, int]:
    """`2/8`."""
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is no part; write 2/8 for the second of eight")
    return int(part), int(parts)


def parser() -> Parser:
    root = Parser(
        prog="gradproof",
        description="Proves the size formulas, JVPs and VJPs of tensor ops, for every shape.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument(
        "--version", action=Version, nargs=0, help="show the versions of the tool and its solvers"
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_settling(commands)
    add_reading(commands)
    report = commands.add_parser("report", help="write the proof reports")
    report.add_argument(
        "targets",
        nargs="*",
        metavar="OP-or-PATH[::NAME]",
        help="ops of the suite or of your files; default: the suite",
    )
    report.add_argument(
        "--out",
        metavar="DIR",
        help="where to write them (default: proofs, or reports for your files)",
    )
    report.add_argument("--check", action="store_true", help="only compare with what is there")
    add_jobs(report)
    report.add_argument("--debug", action="store_true", help="show tracebacks")
    return root


def add_settling(commands: Any) -> None:
    verify = commands.add_parser("verify", help="settle the suite, or the named ops")
    verify.add_argument("targets", nargs="*", metavar="OP", help="an op of the suite")
    check = commands.add_parser("check", help="settle the op definitions in your own files")
    check.add_argument(
        "targets",
        nargs="*",
        metavar="PATH[::NAME]",
        help="a file, one op or function of it, or a folder; default: the project's, "
        "[tool.gradproof] paths",
    )
    add_code(check)
    check.add_argument(
        "--on-purpose", action="store_true", help="the gradient of the code is meant to be another"
    )
    show = commands.add_parser(
        "show", help="print the mathematics of code, or the rules that follow from an op"
    )
    show.add_argument(
        "target", metavar="OP-or-FILE::NAME", help="a class, a function or an op of a file"
    )
    add_code(show)
    show.add_argument("--debug", action="store_true", help="show tracebacks")
    explain = commands.add_parser(
        "explain", help="show the mathematics of a theorem, and how it was settled"
    )
    explain.add_argument(
        "target", metavar="OP-or-PATH[::NAME]", help="an op of the suite, or of a file of yours"
    )
    explain.add_argument(
        "theorem", nargs="?", metavar="THEOREM", help="a name or pattern; default: jvp and vjp"
    )
    explain.add_argument(
        "--record", metavar="FILE", help="write the proofs, for gradproof replay (- for stdout)"
    )
    add_code(explain)
    add_floats(explain)
    verify.set_defaults(watch=False, cpu=None)
    check.add_argument(
        "--watch", action="store_true", help="settle again whenever a file changes, until Ctrl-C"
    )
    check.add_argument(
        "--cpu",
        type=whole(1),
        metavar="SECONDS",
        help="end what takes more processor time, each theorem and each function that is read, and "
        "take no verdict of code that changes what judges it; for programs that check what they "
        "generated",
    )
    for command in (verify, check):
        add_floats(command)
        command.add_argument(
            "--shard",
            type=shard,
            metavar="I/N",
            help="only part I of N, as 2/8 is: each file and function is in one part",
        )
        add_outputs(command)
        add_cache(command)
    for command in (verify, check, explain):
        add_limits(command)
    for command, default in ((verify, True), (check, False)):
        command.add_argument(
            "--needed",
            action=argparse.BooleanOptionalAction,
            default=default,
            help="tell which clauses of requires are needed, and which a convention; "
            "the exit status does not depend on it "
            f"(default: {'on for the suite' if default else 'off'})",
        )


def add_code(command: Any) -> None:
    group = command.add_argument_group(
        "code that is read", "an autograd.Function, a function, or FILE::FORWARD,BACKWARD of NumPy"
    )
    group.add_argument(
        "--input",
        action="append",
        metavar="NAME=SHAPE",
        help="what an argument is: x=N,C or eps=real, k=size, mask=boolean:N,C, w=constant:C, "
        "label=integer:N<C, mode=given:'mean'; repeatable",
    )
    group.add_argument(
        "--requires",
        action="append",
        metavar="CLAUSE",
        help="where the code is meant, as in 'eps > 0' or 'L >= K'; repeatable",
    )
    group.add_argument(
        "--at", action="append", metavar="SIZE=N", help="fix a size, and claim no more; repeatable"
    )
    group.add_argument(
        "--scope",
        metavar="TEXT",
        help="a narrower proof that is enough: '4 turns', 'sizes read' or 'ranks 1 to 3'",
    )
    group.add_argument(
        "--order",
        type=whole(1, 4),
        default=1,
        metavar="N",
        help="prove derivatives up to this order, which the framework makes of the backward; "
        "default: 1, and the second is tried on numbers",
    )
    group.add_argument("--framework", choices=FRAMEWORKS, help="default: what the file imports")


def add_floats(command: Any) -> None:
    group = command.add_argument_group("floating point, beside a proof over the reals")
    group.add_argument(
        "--float32",
        action=argparse.BooleanOptionalAction,
        help="fail where code or a definition in float32 gives nan, infinity or few digits and the "
        "exact value is moderate; --no-float32 does not ask (default: told, but not of the suite)",
    )
    group.add_argument(
        "--dtype",
        choices=("float32", "float64", "float16", "bfloat16"),
        help="the floating-point numbers that are asked about (default: float32)",
    )
    group.add_argument(
        "--within",
        action="append",
        metavar="CLAUSE",
        help="the inputs that --float32 asks about, as in 'abs(x) < 10'; repeatable "
        "(default: 0, and 1e-6 to 1e4)",
    )


def add_limits(command: Any) -> None:
    group = command.add_argument_group("what is settled, and within which limits")
    group.add_argument(
        "--rank",
        action="append",
        type=whole(1, MOST_RANK),
        metavar="N",
        help="settle at this number of spatial axes only, and claim no more; repeatable",
    )
    group.add_argument(
        "--limit",
        type=whole(1),
        metavar="N",
        help="solver resources per query; the same on every machine",
    )
    group.add_argument(
        "--timeout",
        type=whole(1, 1_000_000),
        default=SECONDS,
        metavar="SECONDS",
        help="a theorem that takes more processor time is unknown (default: %(default)s)",
    )
    group.add_argument(
        "--memory",
        type=whole(256),
        default=MEMORY,
        metavar="MB",
        help="a theorem that needs more is an error (default: %(default)s)",
    )
    add_jobs(group)
    group.add_argument(
        "--executor",
        metavar="CLUSTER",
        help="settle on a Dask cluster: dask for one on this machine, or the address of one, "
        "tcp://host:8786, whose workers see the same files; needs gradproof[dask]",
    )
    group.add_argument("--debug", action="store_true", help="show tracebacks")


def add_cache(command: Any) -> None:
    group = command.add_argument_group("verdicts of earlier runs").add_mutually_exclusive_group()
    group.add_argument(
        "--no-cache", action="store_true", help="settle everything anew, and keep none of it"
    )
    group.add_argument(
        "--cache-only", action="store_true", help="settle nothing: fail if a verdict is not kept"
    )


def add_jobs(command: Any) -> None:
    command.add_argument(
        "--jobs",
        type=whole(1),
        default=os.cpu_count() or 1,
        metavar="N",
        help="how many theorems are settled at a time (default: the number of CPUs)",
    )


def add_outputs(command: Any) -> None:
    group = command.add_argument_group("what is shown and written")
    group.add_argument(
        "--only",
        action="append",
        metavar="PATTERN",
        help="theorems whose name (or op::name) contains this or matches this glob; repeatable",
    )
    group.add_argument("--fail-fast", action="store_true", help="stop at the first failure")
    group.add_argument(
        "-v", "--verbose", action="store_true", help="show each theorem, not only each op"
    )
    group.add_argument("--quiet", action="store_true", help="show only what is not as expected")
    group.add_argument("--no-color", action="store_true", help="no colours")
    for name, what in (("json", "JSON"), ("junit", "JUnit XML"), ("sarif", "SARIF")):
        group.add_argument(
            f"--{name}", metavar="FILE", help=f"write the verdicts as {what} (- for stdout)"
        )
    group.add_argument(
        "--save", metavar="DIR", help="write each refutation as a Python file that reproduces it"
    )


def add_reading(commands: Any) -> None:
    replay = commands.add_parser(
        "replay", help="make recorded proofs again, by the rules alone and without a search"
    )
    replay.add_argument("file", metavar="FILE", help="what gradproof explain --record wrote")
    replay.add_argument(
        "target", nargs="?", metavar="OP-or-PATH[::NAME]", help="where the op is defined now"
    )
    listed = commands.add_parser("list", help="show the ops of the suite and their records")
    listed.add_argument("ops", nargs="*", metavar="OP", help="show the theorems of these ops")
    new = commands.add_parser("new", help="write a definition, or a test of code, to start from")
    new.add_argument(
        "name", nargs="?", metavar="NAME", help="the name of the op; the file is NAME.py"
    )
    new.add_argument(
        "--from",
        dest="source",
        metavar="FILE::NAME",
        help="write a test of this code instead, with the shapes at which it was found to run",
    )
    new.add_argument("--framework", choices=FRAMEWORKS, help="default: what the file imports")
    completion = commands.add_parser("completion", help="print a completion script for a shell")
    completion.add_argument("shell", choices=SHELLS)
    cache = commands.add_parser("cache", help="show where verdicts are kept, and how many")
    cache.add_argument("--clear", action="store_true", help="delete them")
    for command in (replay, listed, new, completion, cache):
        command.add_argument("--debug", action="store_true", help="show tracebacks")
