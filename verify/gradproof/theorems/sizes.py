"""Theorems about sizes of outputs, and about windows that fit or cover. Trusted."""

from __future__ import annotations

from collections.abc import Iterator

from gradproof.language import terms as t
from gradproof.language.ops import Op, Windows, target_of
from gradproof.language.terms import Sym, Term
from gradproof.theorems.sequents import Sequent, Theorem


def sizes_of(op: Op) -> Iterator[Theorem]:
    computed = list(dict.fromkeys(d for a in op.computed for d in a.dims if not isinstance(d, Sym)))
    if computed:
        yield size(op, "output size at least 1", [t.relation(t.Ge, d, 1) for d in computed])
    yield from windows_of(op)
    for rule in op.vjp:
        made = target_of(rule).array
        primal = next(a for a in (*op.inputs, *op.computed) if a.name == made.of)
        if made.dims != primal.dims:
            pairs = zip(made.dims, primal.dims, strict=True)
            yield size(op, f"{made} has the shape of {primal}", [t.Eq(a, b) for a, b in pairs])


def size(op: Op, name: str, conditions: list[Term]) -> Theorem:
    sequents = tuple(Sequent((), (), c) for c in conditions)
    shown = "; ".join(map(str, conditions))
    return Theorem(name, "size", shown, op.requires, sequents, equation="sizes")


def windows_of(op: Op) -> Iterator[Theorem]:
    def end(w: Windows, number: Term) -> Term:
        """Where the window after so many ends."""
        return t.plus(t.Mul(number, w.stride), w.extent)

    fit = [w for w in op.windows if w.rounding == "floor"]
    cover = [w for w in op.windows if w.rounding == "ceil"]
    if fit:
        fits = [t.relation(t.Le, end(w, w.count - 1), w.size) for w in fit]
        yield size(op, "the last window fits", fits)
        more = [t.relation(t.Gt, end(w, w.count), w.size) for w in fit]
        yield size(op, "one more window does not fit", more)
    if cover:
        yield size(op, "the windows cover", [covering(w, end(w, w.count - 1)) for w in cover])
        fewer = [t.Or(t.Le(w.count, 1), t.Lt(end(w, w.count - 2), w.size)) for w in cover]
        yield size(op, "one window fewer does not cover", list(map(t.close, fewer)))
    inside = [
        t.relation(t.Lt, t.Mul(w.count - 1, w.stride), w.within)
        for w in cover
        if w.within is not None
    ]
    if inside:
        yield size(op, "the last window starts within", inside)


def covering(w: Windows, last: Term) -> Term:
    """That windows cover, or that one more would not start where it must."""
    if w.within is None:
        return t.relation(t.Ge, last, w.size)
    return t.close(t.Or(t.Ge(last, w.size), t.Ge(t.Mul(w.count, w.stride), w.within)))
