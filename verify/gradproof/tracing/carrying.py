"""Which of what a loop carries is a sum, and what depends on what. Untrusted."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.tracing import reals


def without(whole: Term, part: Term) -> Term | None:
    """The other terms of a sum in which one stands once."""
    parts = list(whole.args) if isinstance(whole, t.Add) else [whole]
    if parts.count(part) != 1:
        return None
    parts.remove(part)
    return reals.plus(*parts) if parts else reals.ZERO


def reaching(direct: Mapping[Any, Set[Any]]) -> dict[Any, set[Any]]:
    """What each depends on, by others or by none."""
    found = {a: set(read & direct.keys()) for a, read in direct.items()}
    for _ in found:
        for read in found.values():
            read.update(*(found[a] for a in tuple(read)))
    return found
