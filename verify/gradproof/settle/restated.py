"""Claims that hold by definition: both sides are one expression. Untrusted: it words verdicts."""

from __future__ import annotations

from typing import Any

from gradproof.language import terms as t
from gradproof.language.terms import Sym, Term
from gradproof.theorems.sequents import Theorem


def by_definition(theorem: Theorem) -> bool:
    """Whether a claim equates nothing but what the definitions make the same, names of ranges
    aside; what stands aside is that it has a value."""
    said = [s.then for s in theorem.sequents if not s.aside]
    return theorem.kind == "claim" and bool(said) and all(map(is_restated, said))


def is_restated(statement: Term) -> bool:
    return isinstance(statement, t.Eq) and shape(statement.left, {}) == shape(statement.right, {})


def shape(term: Any, bound: dict[Sym, int]) -> Any:
    """A term with numbers for what its ranges bind, by their depth."""
    if isinstance(term, Sym):
        return bound.get(term, term)
    if isinstance(term, t.Binder):
        within, ranges = dict(bound), []
        for symbol, first, last in term.ranges:
            ranges.append((shape(first, within), shape(last, within)))
            within[symbol] = len(within)
        heads = term.args[: term.parts]
        parts = [shape(a, bound if n in term.outside else within) for n, a in enumerate(heads)]
        return (type(term), *ranges, *parts)
    if not isinstance(term, Term) or isinstance(term, t.Array) or not term.args:
        return term
    return (type(term), *(shape(a, bound) for a in term.args))
