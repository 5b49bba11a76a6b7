"""What `make test` takes of a long table; `make full` runs all of it."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest
from hypothesis import settings


def quick(
    cases: Iterable[Any], taken: Collection[str] | Callable[[Any], bool], name: Any = str
) -> list[Any]:
    """The cases as parameters, those that are not taken marked slow."""
    found = []
    for case in cases:
        is_taken = taken(case) if callable(taken) else name(case) in taken
        marks = () if is_taken else (pytest.mark.slow,)
        found.append(pytest.param(case, id=name(case), marks=marks))
    return found


def spread(cases: Iterable[Any], number: int) -> list[Any]:
    """So many of the cases, always the same ones, from all over the table."""
    found = [*cases]
    number = min(number, len(found))
    return [found[len(found) * place // number] for place in range(number)]


def drawing(examples: int) -> Any:
    """So many examples, or fewer in `make test`."""
    return settings(max_examples=fewer(examples))


def fewer(examples: int) -> int:
    """In `make test`, which has few by its profile, a fifth."""
    return examples if settings().max_examples >= 100 else -(-examples // 5)


# Ops of two axes that another op of the suite, or a smaller one, is like: the same equations with
# their axes by name.
TWINS = {
    *("max_pool2d", "max_pool2d_pad", "avg_pool2d", "avg_pool2d_pad", "smooth_max_pool2d"),
    *("conv2d", "conv_transpose2d", "adaptive_max_pool2d"),
    *("global_avg_pool2d", "global_max_pool2d"),
}
