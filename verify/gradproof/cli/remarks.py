"""What is said of a verdict beside its status: how far it goes, what it rests on. Untrusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gradproof.cli.run import Outcome, Settled
from gradproof.cli.workers.wire import plain
from gradproof.settle.verdicts import Verdict
from gradproof.show.advice import account, advice
from gradproof.show.readable import brief
from gradproof.show.scopes import Caveat, caveat_of, limit_of
from gradproof.show.wording import counted
from gradproof.theorems.statuses import Status


def remarks(op: Settled, number: int) -> str:
    """How far a verdict goes, and whatever else there is to know of it."""
    verdict = op.verdicts[number]
    found = verdict.note or verdict.scope
    aside = (surprise(verdict), waiver(verdict), weakness(op, number), unasked(op, number))
    to_do = advice(verdict) if verdict.status == Status.UNSUPPORTED else ""
    said = (found, *account(verdict), *aside, to_do)
    return "; ".join(brief(plain(part)) for part in said if part)


def caveat(op: Settled, number: int) -> Caveat | None:
    return caveat_of(op.verdicts[number], asked(op))


def asked(op: Settled) -> dict[str, Verdict | None]:
    """What was found of each theorem that was asked, by its name."""
    return {op.listing.theorems[n].name: op.verdicts.get(n) for n in op.chosen}


def is_empty(op: Settled, number: int) -> bool:
    """Whether a proof says nothing, since what it rests on is settled and not proved."""
    found = caveat(op, number)
    return found is not None and found.kind == "empty"


def is_told(op: Settled, number: int) -> bool:
    """Whether something of it is to be known that no count says."""
    return bool(is_empty(op, number) or unasked(op, number))


def weakness(op: Settled, number: int) -> str:
    found = caveat(op, number)
    return found.text if found else ""


def unasked(op: Settled, number: int) -> str:
    """That a size formula of the user's was not compared with any windows."""
    sizes = [th.name for th in op.listing.theorems if th.kind == "size"]
    is_first = op.verdicts[number].name == "output size at least 1"
    if not is_first or not op.listing.target.path or any("window" in name for name in sizes):
        return ""
    return "whether the formula is right is not asked: no windows=Windows(...)"


def waiver(verdict: Verdict) -> str:
    """That what is false was not asked for."""
    return 'waived by ties="any"' if verdict.is_waived else ""


def surprise(verdict: Verdict) -> str:
    """Why a verdict that is settled is not the expected one."""
    if verdict.as_expected:
        return ""
    if verdict.narrow:
        return "narrower than asked"
    if verdict.status == Status.PROVED:
        return "expected to be refuted"
    if verdict.status == Status.REFUTED and not verdict.as_pinned:
        return "the counterexample is not the pinned one"
    return ""


def limits(outcome: Outcome) -> Iterable[str]:
    """What a summary must not pass over: proofs that say less than "proved" sounds like."""
    enough, narrow = ([v for v in outcome.verdicts if bool(v.narrow) is b] for b in (False, True))
    for scope, number in Counter(filter(None, map(limit_of, enough))).items():
        yield f"Of limited scope: {counted(number, 'proof')}, {scope}."
    for (scope, said), number in Counter((limit_of(v), advice(v)) for v in narrow).items():
        yield f"Narrower than asked: {counted(number, 'proof')}, {scope}; {said}."
    for status, what in ((Status.REFUTED, "refutation"), (Status.UNSUPPORTED, "unsaid theorem")):
        waived = sum(v.is_waived and v.status == status for v in outcome.verdicts)
        if waived:
            yield f'Waived by ties="any": {counted(waived, what)}.'
    found = [caveat(op, n) for op in outcome.ops for n in op.chosen if n in op.verdicts]
    for kind, said in SUMMED_UP.items():
        number = sum(one is not None and one.kind == kind for one in found)
        if number:
            yield f"{said}: {counted(number, 'proof')}."


def unasked_rules(outcome: Outcome) -> Iterable[str]:
    """Of ops of which no theorem is about a gradient, since none is given."""
    for op in outcome.ops:
        if op.listing.lacks_vjp:
            home = f"{op.listing.target.path}::" if op.listing.target.path else ""
            shown = f"gradproof show {home}{op.listing.name} prints the one that follows"
            yield f"No VJP of {op.listing.name} is given, so none was asked: {shown}."


SUMMED_UP = {
    "empty": "Says nothing while what it rests on is not proved",
    "open": "Rests on theorems that were not asked",
    "limited": "Rests on proofs of limited scope",
}
