"""Kernels that the user's code launches, where there are any. Untrusted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradproof.language.terms import Term


@contextmanager
def interpreted() -> Iterator[None]:
    """Within it kernels are run, though there is no device for them."""
    if "triton" not in sys.modules:
        yield
        return
    from gradproof.triton.interpreting import interpreted

    with interpreted():
        yield


@contextmanager
def read(tracer: Any, given: tuple[Term, ...], names: set[str]) -> Iterator[list[Any]]:
    """Within it kernels are read; what came of that is then in the list."""
    found: list[Any] = []
    if "triton" not in sys.modules:
        yield found
        return
    from gradproof.torch.tracer import located
    from gradproof.triton.launching import Launches

    launches = Launches(tracer, given, names, located)
    with launches.caught():
        yield found
    found.append(launches)


def watched(results: Any, compare: bool, unwritten: bool) -> str:
    """What goes wrong as kernels are run, in words."""
    from gradproof.triton.interpreting import STRICT, MemoryFault, unlike

    token = STRICT.set(not compare)
    try:
        return unlike(results, unwritten) if compare else str(results() and "")
    except MemoryFault as fault:
        return f"Triton's interpreter: {fault}"
    except Exception:  # of which the run of the code tells
        return ""
    finally:
        STRICT.reset(token)
