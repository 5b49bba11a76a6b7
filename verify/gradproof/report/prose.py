"""The sentences that Markdown and HTML share. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradproof.report.content import Entry, Page
from gradproof.report.kinds import SECTIONS
from gradproof.report.pictures import sizes_text
from gradproof.report.records import Asked
from gradproof.settle.counterexamples import Counterexample
from gradproof.settle.verdicts import Verdict
from gradproof.show.advice import advice, short_of
from gradproof.show.readable import brief
from gradproof.show.scopes import caveat_of, limit_of
from gradproof.show.wording import counted, tally
from gradproof.theorems.statuses import Status

NOTATION = (
    "A dot marks a tangent, a bar a cotangent, a hat an array extended by zeros. [P] is 1 where P "
    "holds and 0 elsewhere. A maximum over nothing is 0 unless it says otherwise. An empty range "
    "has no terms. A star marks what a loop leaves behind. Theorems hold under the hypotheses, "
    "with or without what they say."
)
MOST_ENTRIES = 5  # of a section that stands open
HOW = (
    "Each theorem is settled for {sizes} at once by symbolic derivation and Z3; cvc5 answers again "
    "what Z3 found unsatisfiable, and a second route evaluates the theorem exactly at small "
    "shapes. If two of them disagree, the verdict is an error. A counterexample is replayed by "
    "exact evaluation before it is shown."
)


HOW_OF_GRAPHS = (
    "What a graph's ops need and what its sizes must satisfy is settled for all sizes by symbolic "
    "derivation and Z3; its JVP and VJP follow from that. The whole is also evaluated at small "
    "sizes, with numbers that carry their derivative, and compared; if that disagrees, the verdict "
    "is an error."
)


def how(verdicts: Iterable[Verdict]) -> str:
    """How theorems are settled; those of limited scope for no more than that."""
    verdicts = tuple(verdicts)
    if any(v.kind == "rules" for v in verdicts):
        return HOW_OF_GRAPHS
    limited = any(map(limit_of, verdicts))
    return HOW.format(sizes="all sizes that its scope names" if limited else "all sizes")


def caveat(page: Page, entry: Entry) -> str:
    """What a proof rests on that is not proved, or not as far."""
    found = caveat_of(entry.verdict, {e.verdict.name: e.verdict for e in page.entries})
    return f"It {found.text}." if found else ""


def summary(verdicts: list[Verdict]) -> str:
    """`41 theorems: 37 proved, 4 refuted. All are as expected.`"""
    wrong = sum(not v.as_expected for v in verdicts)
    outlook = f"{wrong} not as expected." if wrong else "All are as expected."
    return f"{counted(len(verdicts), 'theorem')}: {tally(verdicts)}. {outlook}"


def tally_of(entries: Iterable[Entry]) -> str:
    """`17 proved, 4 refuted`."""
    return tally([entry.verdict for entry in entries])


def is_long(section: str, entries: Sequence[object]) -> bool:
    """Whether a section is folded: the rules never are."""
    return section not in list(SECTIONS)[:1] and len(entries) > MOST_ENTRIES


def expectation(verdict: Verdict) -> str:
    """What a reader must know of a status that is not simply `proved`."""
    if verdict.narrow:
        return "Narrower than asked."
    if not verdict.as_expected:
        return f"Expected: {verdict.expected}."
    if verdict.is_waived:
        return 'Waived by ties="any" in the definition.'
    return "As expected: the claim is false." if verdict.expected == Status.REFUTED else ""


def to_do(verdict: Verdict) -> str:
    """What an open theorem took, in questions, which are the same in every run; what to try."""
    took = f"it took {counted(len(verdict.queries), 'question')} to the solver"
    is_open = verdict.status == Status.UNKNOWN and verdict.kind != "needed"
    said = (took if is_open else "", advice(verdict))
    return " ".join(map(sentence, filter(None, said)))


def left(verdict: Verdict) -> str:
    """The goal that resisted, short."""
    return short_of(verdict) if verdict.left else ""


def conclusion(verdict: Verdict) -> str:
    """What settled it."""
    method = verdict.method
    if verdict.kind == "satisfiable" and method.startswith("witness "):
        return f"A witness: {method.removeprefix('witness ') or 'any sizes'}."
    if verdict.kind == "needed":
        return sentence(verdict.note or method)
    return sentence(f"Settled by: {method}") if method else ""


def sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


def failure(found: Counterexample) -> str:
    """Where it fails, in words."""
    where = sizes_text(found.sizes)
    at = f", at {sizes_text(found.index)}" if found.index else ""
    sides = f"the left side is {found.left}, the right side is {found.right}"
    if (found.left, found.right) == ("false", "true"):
        sides = "it is false"
    least = " These are the smallest sizes at which it fails." if found.smallest else ""
    return brief(f"With {where}{at}: {sides}.{least}")


def opinions(queries: tuple[Asked, ...], file: str) -> str:
    """Which answers a proof rests on, and whether the second solver gives them too."""
    used = [a for a in queries if a.query.answer == "unsat"]
    spare = [a.number for a in queries if a.query.answer != "unsat"]
    agreed = sum(a.query.second == "unsat" for a in used)
    shown = []
    if used:
        numbers = spans([a.number for a in used])
        by_both = "all" if agreed == len(used) else str(agreed)
        shown.append(
            f"Z3 finds {counted(len(used), 'query', 'queries')} unsatisfiable, cvc5 {by_both} of "
            f"them ({numbers} in {file}.smt2)."
        )
    if spare:
        others = counted(len(spare), "other was", "others were")
        shown.append(f"{others} answered otherwise; nothing rests on that ({spans(spare)}).")
    return " ".join(shown)


def spans(numbers: list[int]) -> str:
    """`1-3, 7` for 1, 2, 3, 7."""
    found: list[list[int]] = []
    for n in sorted(numbers):
        if found and found[-1][1] == n - 1:
            found[-1][1] = n
        else:
            found.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def label(entry: Entry) -> str:
    limit = limit_of(entry.verdict)
    said = "Theorem" if entry.verdict.status == Status.PROVED else "Claim"
    return f"{said}, {limit}" if limit else said
