"""From arguments to an exit status. Untrusted."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from verify.cli.arguments import UsageError, parser
from verify.report.writing import FULL, Unwritten


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; nothing but `--debug` lets a traceback through."""
    sys.stdout, sys.stderr = (s or open(os.devnull, "w") for s in (sys.stdout, sys.stderr))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # not if replaced
    known = parser().parse(arguments)
    try:
        status = COMMANDS[known.command](known)
        sys.stdout.flush()
        return status
    except (UsageError, Unwritten) as wrong:
        print(f"gradproof: {wrong}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        show_no_more()
        return 141
    except Exception as failure:
        if isinstance(failure, OSError) and failure.errno in FULL and not failure.filename:
            show_no_more()
            print(f"gradproof: {Unwritten('standard output', failure)}", file=sys.stderr)
            return 2
        if known.debug:
            raise
        said = " ".join(f"{type(failure).__name__}: {failure}".split())
        print(f"gradproof: internal error: {said}; --debug shows more", file=sys.stderr)
        return 3


def show_no_more() -> None:
    """Nor at the end, when Python writes what is left of the output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def settle(known: Namespace) -> int:
    from verify.cli.settling import check, verify

    signal.signal(signal.SIGTERM, interrupt)
    return check(known) if known.command == "check" else verify(known)


def explain(known: Namespace) -> int:
    from verify.cli.settling import explain

    return explain(known)


def interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def listed(known: Namespace) -> int:
    from verify.cli.listing import show

    return show(known.ops)


def new(known: Namespace) -> int:
    from verify.cli.starter import write

    return write(known.name)


def completion(known: Namespace) -> int:
    from verify.cli.completion import script

    print(script(known.shell))
    return 0


def report(known: Namespace) -> int:
    try:
        run = import_module("verify.report.command").run
    except ModuleNotFoundError as missing:
        raise UsageError(f"reports need {missing.name}, which is not installed") from None
    signal.signal(signal.SIGTERM, interrupt)
    return int(run(known))


COMMANDS = {
    "verify": settle,
    "check": settle,
    "explain": explain,
    "list": listed,
    "new": new,
    "completion": completion,
    "report": report,
}
