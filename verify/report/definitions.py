"""A definition as one canonical text, and its hash. Untrusted.

The text says everything that a definition says, and nothing of the run that built it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.terms import Term


def canonical(term: Term) -> str:
    """The tree of a term, with every part of every node."""
    if isinstance(term, t.Sym):
        return f"{term.name}:{term.sort}{':axes' if term.is_bundle else ''}"
    if isinstance(term, Str):
        return f"'{term.name}'"
    if isinstance(term, sympy.Rational):
        return str(term.p) if term.is_Integer else f"{term.p}/{term.q}"
    return f"({type(term).__name__} {' '.join(map(canonical, term.args))})"


def parts(op: Op) -> Iterator[str]:
    yield f"op {op.name}"
    yield from (f"requires {canonical(r)}" for r in op.requires)
    for w in op.windows:
        terms = " ".join(canonical(t.as_term(e)) for e in (w.count, w.size, w.extent, w.stride))
        yield f"windows {w.rounding} {terms}"
    yield from (f"constant {canonical(a)}" for a in op.constants)
    yield from (f"let {canonical(e)}" for e in op.let)
    yield from (f"equation {canonical(e)}" for e in (*op.forwards, *op.jvps, *op.vjp))
    if op.ties != "subgradient":
        yield f"ties {op.ties!r}"
    if op.scope:
        yield f"scope {op.scope!r}"
    for claim in op.claims:
        yield f"claim {claim.name!r} {canonical(claim.statement)}"
        yield from (f"  given {canonical(g)}" for g in claim.given)
        yield from (f"  without {canonical(g)}" for g in claim.without)
        yield from (f"  symbol {canonical(s)}" for s in claim.symbols)
        if claim.refuted is not None:
            pinned = sorted(f"{canonical(s)} = {v}" for s, v in claim.refuted.items())
            yield f"  refuted {', '.join(pinned)}, twin {claim.twin!r}"


def definition_text(op: Op) -> str:
    """All parts, one per line; names that a run made up are numbered from 1."""
    numbers: dict[str, int] = {}

    def renumbered(found: re.Match[str]) -> str:
        return f"'{numbers.setdefault(found[1], len(numbers) + 1)}"

    return "\n".join(re.sub(r"(?<=\w)'(\d+)", renumbered, part) for part in parts(op)) + "\n"


def definition_hash(op: Op) -> str:
    return hashlib.sha256(definition_text(op).encode()).hexdigest()
