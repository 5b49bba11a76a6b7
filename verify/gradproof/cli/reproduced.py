"""A refutation of code as a test that runs the code at the counterexample. Untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gradproof.cli.named import Named
from gradproof.tracing.declared import Input, as_input
from gradproof.tracing.reports import Report

TEST = '''\
"""{line}he gradient of {of} that {shown} gives is wrong here."""

import sys

from gradproof import {framework} as gp

sys.path.insert(0, {folder!r})

from {module} import {names}  # noqa: E402


def test_the_gradient_of_{of}():
    expected, found = gp.replay(
        {arguments},
{inputs}
        values={{
{values}
        }},
        cotangent={cotangent},
        of={of!r},
        place={place!r},{more}
    )
    assert abs(expected - found) <= 1e-4 * (1 + abs(expected)), f"{{found}}, not {{expected}}"


if __name__ == "__main__":
    test_the_gradient_of_{of}()
'''


def reproduction(found: Named, report: Report, inputs: Mapping[str, Any], line: str = "") -> str:
    """The text of a test, of a line of the contract if it is named; empty if nothing is refuted."""
    seen = report.counterexample
    if seen is None:
        return ""
    values = (f"            {name!r}: {source(value)}," for name, value in seen.values.items())
    declared = (f"        {name}={said(as_input(value))}," for name, value in inputs.items())
    path = Path(found.path)
    return TEST.format(
        of=seen.name,
        shown=found.shown,
        framework=found.framework,
        folder=str(path.resolve().parent),
        module=path.stem,
        names=", ".join(dict.fromkeys(name.partition(".")[0] for name in found.names)),
        arguments=", ".join(found.names),
        inputs="\n".join(declared),
        values="\n".join(values),
        cotangent=source(seen.cotangent),
        place=tuple(map(int, seen.place)),
        line=f"{line}: t" if line else "T",
        more=f"\n        line={line!r}," if line else "",
    )


def source(value: Any) -> str:
    return repr(np.asarray(value).tolist() if isinstance(value, np.ndarray | np.generic) else value)


def said(given: Input) -> str:
    """What was said of an argument, as Python."""
    shape = ", ".join(map(repr, given.shape))
    match given.kind:
        case "real":
            return repr(tuple(given.shape))
        case "number":
            return "gp.real()"
        case "size":
            return f"gp.size({given.value!r})"
        case "integer":
            return f"gp.integer({shape}, below={given.below!r}, least={given.least!r})"
        case "given":
            return f"gp.given({given.value!r})"
    return f"gp.{given.kind}({shape})"
