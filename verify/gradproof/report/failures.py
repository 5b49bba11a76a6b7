"""A counterexample as the page of its op tells it: its place, its output, pictures. Untrusted."""

from __future__ import annotations

import re
from dataclasses import replace

from gradproof.evaluate.replay import arrays_of
from gradproof.language.ops import Op, target_of
from gradproof.report.pictures import Picture, counterexample_pictures
from gradproof.report.samples import Sample, sample_at
from gradproof.settle.counterexamples import Counterexample
from gradproof.settle.places import at_rank_of, sequents_of, texts, value_of
from gradproof.show.reading import Cell
from gradproof.theorems.integers import without_integers
from gradproof.theorems.sequents import Theorem

MADE = re.compile(r"([^\W\d]\w*)'\d+")  # a name that was made up


def made_up(theorem: Theorem, found: Counterexample) -> list[str]:
    """The names that were made up for its statement and its place."""
    said = " ".join(as_made(theorem, found))
    return list(dict.fromkeys(m[0] for m in MADE.finditer(said)))


def as_made(theorem: Theorem, found: Counterexample) -> tuple[str, ...]:
    sequent = next(sequents_of(at_rank_of(theorem, found), found), None)
    return () if sequent is None else texts(sequent)


def with_names(theorem: Theorem, found: Counterexample, names: dict[str, str]) -> Counterexample:
    """With the names that the page has for those that were made up."""
    said = as_made(theorem, found)
    if not said:
        return found
    statement, *indices = (MADE.sub(lambda m: names[m[0]], text) for text in said)
    index = dict(zip(indices, found.index.values(), strict=True))
    return replace(found, statement=statement, index=index)


def pictures_at(op: Op, theorem: Theorem, found: Counterexample) -> tuple[Picture, ...]:
    instance = at_rank_of(theorem, found)
    arrays = dict.fromkeys(a for s in instance.sequents for a in arrays_of(s))
    op = without_integers(op)
    drawn = sample_at(op, found.rank, found.sizes)
    if op.is_system:
        return counterexample_pictures(op, drawn, found, arrays, None)
    return counterexample_pictures(op, drawn, found, arrays, output_of(theorem, drawn, found))


def output_of(theorem: Theorem, drawn: Sample, found: Counterexample) -> Cell | None:
    """The cell of the output that a counterexample is of, if it is of one."""
    if theorem.kind == "claim":
        return named(drawn, found)
    is_made = theorem.kind in ("defined", "in bounds") and theorem.equation in ("forward", "jvp")
    if theorem.kind not in ("jvp", "vjp") and not is_made:
        return None
    flat = [e for v in found.index.values() for e in (v if isinstance(v, list) else [v])]
    return tuple(map(int, flat[: len(drawn.op.output.dims)]))  # its index comes first


def named(drawn: Sample, found: Counterexample) -> Cell | None:
    """The output that a place names by the indices of the forward equation, each of them once."""
    bases = [name.rstrip("′") for name in found.index]
    values = dict(zip(bases, found.index.values(), strict=True))
    indices = target_of(drawn.op.rule(drawn.op.output.name)).index
    if any(bases.count(symbol.name.partition(".")[0]) != 1 for symbol in indices):
        return None
    return tuple(value_of(symbol, values) for symbol in indices)
