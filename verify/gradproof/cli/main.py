"""From arguments to an exit status. Deciding."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from gradproof.cli.arguments import Missing, UsageError, parser
from gradproof.cli.told import status_of
from gradproof.language.digits import any_length
from gradproof.report.writing import FULL, Unwritten
from gradproof.settings import Misconfigured


def main(arguments: Sequence[str] | None = None, apart: bool = False) -> int:
    """Runs the command; nothing but `--debug` lets a traceback through.

    With `apart`, what runs a user's code does so in a process of its own.
    """
    sys.stdout, sys.stderr = (s or open(os.devnull, "w") for s in (sys.stdout, sys.stderr))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # not if replaced
    any_length()
    known = parser().parse(arguments)
    if apart and runs_code(known):
        return status_of(lambda: status(known), ", ".join(code_of(known)))
    return status(known)


def status(known: Namespace) -> int:
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, interrupt)
    try:
        found = run(known)
        sys.stdout.flush()
        return found
    except (UsageError, Unwritten, Misconfigured) as wrong:
        tell(wrong)
        return 2
    except Missing as missing:
        tell(missing)
        return 4
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141
    except Exception as failure:
        if isinstance(failure, OSError) and failure.errno in FULL and not failure.filename:
            tell(Unwritten("standard output", failure))
            return 2
        if isinstance(failure, OSError) and failure.filename and not known.debug:
            tell(f"{failure.filename}: {failure.strerror}")
            return 2
        if known.debug:
            raise
        said = " ".join(f"{type(failure).__name__}: {failure}".split())
        tell(f"internal error: {said}; --debug shows more")
        return 3
    finally:
        drop_unwritten()


def tell(said: object) -> None:
    with contextlib.suppress(OSError):  # where nobody can be told
        print(f"gradproof: {said}", file=sys.stderr, flush=True)


def drop_unwritten() -> None:
    """Python would try again at its end, and exit with a status of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


COMMANDS = {
    "verify": "settling.verify",
    "check": "settling.check",
    "explain": "settling.explain",
    "replay": "replaying.replay",
    "list": "listing.show",
    "new": "starter.write",
    "completion": "completion.show",
    "cache": "upkeep.show",
    "report": "reporting.report",
    "show": "code.show",
}
OF_CODE = {"check": "code.check", "explain": "code.explain"}


def is_code(known: Namespace) -> bool:
    """Whether a command is asked of code, not of definitions."""
    return known.command in OF_CODE and bool(known.input)


def runs_code(known: Namespace) -> bool:
    """Whether a command runs code of a user's in its own process."""
    return is_code(known) or known.command == "show" or bool(getattr(known, "source", None))


def code_of(known: Namespace) -> list[str]:
    """What a command that runs code was asked of."""
    named = (getattr(known, name, None) for name in ("source", "target"))
    return getattr(known, "targets", None) or list(filter(None, named))


def run(known: Namespace) -> int:
    """A command's module is imported when it runs, so that help is there at once."""
    known_as = OF_CODE if is_code(known) else COMMANDS
    module, function = known_as[known.command].split(".")
    return int(getattr(import_module(f"gradproof.cli.{module}"), function)(known))
