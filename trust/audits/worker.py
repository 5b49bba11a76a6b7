"""A process that audits rows, one line of JSON each, and answers with one. Untrusted.

It runs other people's code: with limits of memory and of processor time, and without sockets or
processes of its own.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from gradproof.cli.code import argument
from trust.audits.loading import loaded

MEMORY = 12 * 2**30
SECONDS = 3600
REFUSED = ("socket.connect", "socket.bind", "subprocess.Popen", "os.system", "os.exec", "os.fork")


def main() -> int:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what code prints is no answer
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    adapter = import_module(f"gradproof.{sys.argv[1]}")
    sys.addaudithook(refuse)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        answers.write(json.dumps(answered(adapter, json.loads(line))) + "\n")
        answers.flush()
    return 0


def refuse(event: str, _: Any) -> None:
    if event in REFUSED:
        raise PermissionError(f"{event} is not for code that is audited")


def answered(adapter: Any, row: dict[str, Any]) -> dict[str, Any]:
    try:
        said = dict(argument(adapter, text) for text in row["inputs"])
        called = functions(row, said)
        if row["column"]:
            own = import_module("trust.audits.columns")
            report = own.found_of(row["column"], called[0], said, row["requires"], row["limit"])
        else:
            options = {name: row[name] for name in ("requires", "on_purpose", "limit")}
            report = adapter.check(*called, **options, **said)
        found: dict[str, Any] = report.as_dict()
    except Exception as failure:
        note = f"{type(failure).__name__}: {failure}"
        stopped = {"status": "unreadable", "scope": "", "note": note, "seconds": 0.0}
        return {**stopped, "counterexample": None}
    return found


def functions(row: dict[str, Any], said: Iterable[str]) -> tuple[Any, ...]:
    """A call of a function, as one of its inputs; in NumPy, what it names."""
    if row["framework"] != "numpy":
        return (eval(f"lambda {', '.join(said)}: {row['call']}", names(row)),)
    found = eval(row["call"], names(row))
    return found if isinstance(found, tuple) else (found,)


def names(row: dict[str, Any]) -> dict[str, Any]:
    """What a call may name: the module as `m`, and the framework."""
    found: dict[str, Any] = {}
    if row["framework"] == "jax":
        found |= {"jax": import_module("jax"), "jnp": import_module("jax.numpy")}
    elif row["framework"] == "torch":
        torch = import_module("torch")
        found |= {"torch": torch, "F": torch.nn.functional, "aten": torch.ops.aten}
    if row["package"]:
        found["m"] = loaded(Path(row["folder"]), row["module"])
    return found


if __name__ == "__main__":
    sys.exit(main())
