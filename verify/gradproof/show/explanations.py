"""A theorem in readable mathematics: what is compared, and how it was settled. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.substitution import Fresh
from gradproof.language.terms import Term
from gradproof.prove.records import rules_of
from gradproof.prove.rules.derive import Unsupported, differentiate
from gradproof.prove.rules.normal import Product
from gradproof.settle.verdicts import Verdict
from gradproof.show.advice import advice, left_of
from gradproof.show.failures import replay
from gradproof.show.lesson import WIDTH, Row, row
from gradproof.show.lessons import rows_of, sizes_of, sizes_title
from gradproof.show.meetings import meeting_of
from gradproof.show.readable import brief, readable
from gradproof.theorems.sequents import Sequent, Theorem
from gradproof.theorems.statuses import Status

MOST_SEQUENTS = 6


Steps = tuple[tuple[str, Any], ...]


def explanation(op: Op, theorem: Theorem, verdict: Verdict, written: str = "") -> list[str]:
    question = [("statement", theorem.statement), *asked(theorem)]
    proof = list(derivation(theorem, verdict.derivation))
    # Made readable all at once, so that a name stays the same.
    texts = readable(*(text for _, text in (*question, *proof)))
    rows = [(title, text) for (title, _), text in zip((*question, *proof), texts, strict=True)]
    given = ("given", ", ".join(map(str, theorem.given)) or "nothing")
    own = [("as written", written)] if written else []
    found = [*equation_rows(op, theorem), *own, rows[0], given, *rows[1 : len(question)]]
    found += settled_rows(verdict)
    found += rows[len(question) :]
    if verdict.counterexample is not None:
        found += counterexample(op, theorem, verdict)
    return [brief(line) for pair in found for line in folded(pair)]


def asked(theorem: Theorem) -> Iterator[Row]:
    if theorem.local:
        return parts(theorem.local)
    if theorem.kind in ("jvp", "vjp"):
        return entries(theorem.sequents[0])
    if theorem.kind == "ties" and meeting_of(theorem.sequents[0]) is not None:
        return iter(())  # in words it is said above
    return iter(()) if theorem.kind in ("satisfiable", "needed") else parts(theorem.sequents)


def folded(pair: Row) -> Iterator[str]:
    first, *rest = pair[1].splitlines() or [""]
    yield row((pair[0], first))
    yield from (" " * (WIDTH + 2) + line for line in rest)


def equation_rows(op: Op, theorem: Theorem) -> Iterator[Row]:
    for name, equation in op.equations.items():
        if name in (*op.formulas, theorem.equation):
            yield name, readable(str(equation))[0]


def entries(sequent: Sequent) -> Iterator[Row]:
    """The two sides as they are compared, differentiated."""
    yield "for all", ", ".join(ranges(sequent))
    for title, side in zip(("derived entry", "rule's entry"), sequent.then.args, strict=True):
        yield title, differentiated(side)


def differentiated(slope: Term) -> str:
    term, cell = slope.args
    try:
        return str(differentiate(term, cell.array, cell.index, Fresh(slope)))
    except Unsupported:
        return str(slope)


def ranges(sequent: Sequent) -> Iterator[str]:
    yield from (f"{symbol} = {first}..{last}" for symbol, first, last in sequent.over)
    yield from (f"where {condition}" for condition in sequent.when)


def parts(sequents: tuple[Sequent, ...]) -> Iterator[Row]:
    for number, sequent in enumerate(sequents[:MOST_SEQUENTS]):
        where = ", ".join(ranges(sequent))
        said = f"for all {where}:\n{sequent.then}" if where else str(sequent.then)
        yield ("to show" if not number else ""), said
    left = len(sequents) - MOST_SEQUENTS
    if left > 0:
        yield "", f"and {left} more"


def settled_rows(verdict: Verdict) -> Iterator[Row]:
    by = f", by {verdict.method}" if verdict.method else ""
    scope = f" for {verdict.scope}" if verdict.scope else ""
    expected = "" if verdict.as_expected or verdict.narrow else f" (expected: {verdict.expected})"
    took = f"in {verdict.seconds:.3f} s of processor time"
    yield "settled", f"{verdict.status}{scope}{by}, {took}{expected}"
    if verdict.status != Status.PROVED:
        yield "", f"that is: {verdict.status.meaning}"
    if verdict.note:
        yield "note", verdict.note
    if verdict.left:
        yield "left to show", left_of(verdict)
    if to_do := advice(verdict):
        yield "to do", to_do
    for rank, proof in verdict.proofs:
        times = (f"{rule} ×{n}" if n > 1 else rule for rule, n in rules_of(proof).items())
        yield "proof" + (f" at rank {rank}" if rank else ""), ", ".join(times)
    if verdict.rests_on:
        yield "rests on", "\n".join(verdict.rests_on)


def derivation(theorem: Theorem, steps: Steps) -> Iterator[Row]:
    """What a proof went through: a term, or the two sides of an equation."""
    told = ("left side", "right side") if theorem.kind in ("jvp", "vjp") else ()
    kept = [(reason, shown) for reason, shown in steps if reason not in told]
    for number, (reason, shown) in enumerate(kept):
        yield ("derivation" if not number else ""), f"{reason}:\n{stated(shown)}"


def stated(shown: Any) -> str:
    if not isinstance(shown, tuple):
        return str(shown)
    return "\n= ".join(" + ".join(map(product, side)) or "0" for side in shown)


def product(p: Product) -> str:
    """A guarded product; its binders run over all integers, their ranges are among the guards."""
    total = f"Σ_{{{', '.join(map(str, p.binders))}}} " if p.binders else ""
    factors = (*([t.Bracket(t.And(*p.guards))] if p.guards else []), *p.factors)
    return f"{total}{t.Mul(*factors)}"


def counterexample(op: Op, theorem: Theorem, verdict: Verdict) -> Iterator[Row]:
    shown = verdict.counterexample
    assert shown is not None
    yield sizes_title(shown), sizes_of(shown)
    found = replay(op, theorem, shown)
    if found is not None:
        yield from rows_of(found, theorem, shown)
