"""A test of code to start from, `gradproof new --from FILE::F`: shapes are tried. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np

from gradproof.cli.arguments import UsageError
from gradproof.cli.named import Named, named
from gradproof.report.writing import Unwritten
from gradproof.tracing.expressions import Undeclared
from gradproof.tracing.front import Front
from gradproof.tracing.likeness import Axes
from gradproof.tracing.written import Found

TRIES = 2000  # of one number of arguments
SIZE = 4
NUMBERS = (2, 1, 0.5)
RANKS = {
    r"w|weights?|kernel|filters?": (2, 1, 4, 3, 0),
    r"b|bias|beta|gamma|scale|shift|alpha": (1, 2, 0, 3, 4),
    "": (2, 3, 4, 1, 0),
}
COUNTS = r"k|s|p|d|n|dim|axis|stride|pad|padding|dilation|groups|kernel_size|window|eps"
PLACES = r"labels?|targets?|idx|index|indices|t"
TEXT = '''\
"""That the gradient of {name} is the derivative, at all sizes."""

from gradproof import {framework} as gp
from {module} import {names}


def test_{lower}():
    gp.assert_proved({names}, {said})
'''
NOT_RUN = (
    "{}: no shapes were found at which it runs; write the test with tensors that you have: "
    "gp.assert_proved({}, like=(x, w))"
)


def draft(text: str, framework: str | None) -> int:
    """Writes test_F.py into the current folder; never over a file that is there."""
    code = named(text, framework)
    found = shapes_of(code)
    lower = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", code.name).lower().replace(".", "_")
    path = Path(f"test_{lower}.py")
    whole = TEXT.format(
        name=code.name,
        lower=lower,
        framework=code.framework,
        module=Path(code.path).stem,
        names=", ".join(code.names),
        said=found.text,
    )
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(whole)
    except FileExistsError:
        raise UsageError(f"{path} exists already; rename it, or write the test there") from None
    except OSError as bad:
        path.unlink(missing_ok=True)
        raise Unwritten(path, bad) from None
    print(f"Wrote {path}, with {found.text}. Prove it with: pytest {path}")
    return 0


def shapes_of(code: Named) -> Found:
    """What is said of its arguments, by the first values at which it runs, backward and all."""
    front: Front = import_module(f"gradproof.{code.framework}").front
    names = front.names(code.functions, 0)
    for backward in (True, False):
        for count in range(1, len(names) + 1):
            for values in islice(candidates(names[:count]), TRIES):
                if runs(front, code.functions, values, backward):
                    return front.found(code.functions, values, {})
    raise UsageError(NOT_RUN.format(code.shown, code.name))


def candidates(names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Values for arguments of these names, the likeliest first."""
    for picks in product(*map(choices, names)):
        yield dict(zip(names, picks, strict=True))


def choices(name: str) -> list[Any]:
    ranks = next(r for pattern, r in RANKS.items() if not pattern or is_called(name, pattern))
    generator = np.random.default_rng(0)
    arrays: list[Any] = [generator.uniform(0.5, 1.5, (SIZE,) * rank) for rank in ranks]
    if is_called(name, COUNTS):
        return [*NUMBERS, *arrays]
    if is_called(name, PLACES):
        return [generator.integers(0, SIZE, (SIZE,) * rank) for rank in (1, 2)] + arrays
    return [*arrays, *NUMBERS]


def is_called(name: str, pattern: str) -> bool:
    return re.fullmatch(pattern, name.lower()) is not None


def runs(front: Front, functions: Sequence[Any], values: dict[str, Any], backward: bool) -> bool:
    try:
        return Axes(front.attempting(functions), values).runs_at_hand(backward)
    except (Undeclared, TypeError):
        return False
