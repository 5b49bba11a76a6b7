"""What a report does not claim, and what its claims rest on. Untrusted."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

NOT_PROVED = (
    "Floating-point arithmetic: all numbers are exact reals.",
    "The solvers: Z3 answers each query, cvc5 gives a second opinion, and neither is proved right.",
    "The modules of gradproof that are trusted: {trusted}.",
    "The modules that make no proof and decide what counts as one: {deciding}.",
    "What a kernel does that its definition does not say.",
)


def trusted_modules() -> tuple[str, ...]:
    """The modules on which it rests that a proof is one."""
    return saying("Trusted")


def deciding_modules() -> tuple[str, ...]:
    """The modules that make no proof and say what is asked and what counts."""
    return saying("Deciding")


@lru_cache
def saying(word: str) -> tuple[str, ...]:
    """The modules whose docstrings say so in their first paragraph."""
    folder = Path(__file__).parents[1]
    found = []
    for path in sorted(folder.rglob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        if f" {word}" in doc.split("\n\n")[0]:
            found.append(".".join(("gradproof", *path.relative_to(folder).with_suffix("").parts)))
    return tuple(found)


def not_proved() -> tuple[str, ...]:
    trusted, deciding = map(", ".join, (trusted_modules(), deciding_modules()))
    return tuple(line.format(trusted=trusted, deciding=deciding) for line in NOT_PROVED)
