"""The verdict about code: what was read is compared, proved, and refuted by the code. Deciding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from time import process_time

from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.suite import run, tasks
from gradproof.settle.timing import SECONDS
from gradproof.settle.verdicts import Verdict
from gradproof.theorems.scopes import ONLY, UNRUN
from gradproof.tracing import reals, sharing
from gradproof.tracing.comparing import Code, differences
from gradproof.tracing.declared import Declared
from gradproof.tracing.fixing import readable_at
from gradproof.tracing.lines import answering
from gradproof.tracing.pieces import Piece, read
from gradproof.tracing.refuting import against, first, unread
from gradproof.tracing.reports import Reading, Report
from gradproof.tracing.stepping import Steps, files_of
from gradproof.tracing.tensors import UNWRITTEN, Unreadable

UNWRITTEN_SAID = "\nthe code reads memory to which it has not written; use zeros, not empty"
TOO_DEEP = "each of very many steps computes with the one before; try fewer of them"
OPEN = ("unknown", "unsupported")  # where another way may do better
ASKED = ("satisfiable", "defined", "in bounds", "order", "linear", "jvp", "vjp")


def judged(
    code: Code,
    on_purpose: bool = False,
    rlimit: int = RLIMIT,
    proving: bool = True,
    timeout: float | None = SECONDS,
) -> Report:
    """The whole way from code to a verdict; `timeout` is in seconds, for each theorem."""
    start = process_time()
    try:
        # A copy, since what is compiled for it runs unseen when the reading is compared.
        found = first(code.precise("float64")) if proving else None
        if found is None:
            found = settled(code, rlimit, proving, timeout)
    except Unreadable as reason:
        found = unread(code, str(reason))
    except RecursionError:
        found = unread(code, TOO_DEEP)
    if found.status == "unreadable":
        found = replace(found, readable_at=readable_at(code))
    return replace(found, on_purpose=on_purpose, seconds=process_time() - start)


def settled(code: Code, rlimit: int, proving: bool, timeout: float | None) -> Report:
    """The verdict, with roots of 0 where the code has them and not all is well without."""
    found = settle(code, rlimit, proving, timeout)
    if not proving or found.status not in ("unknown", "error") or not has_roots(found):
        return found
    with reals.roots_at_zero(), suppress(Unreadable):
        again = settle(code.precise("float64"), rlimit, proving, timeout)
        if again.status in ("proved", "refuted") or found.status == "error" != again.status:
            found = again
    return found


def has_roots(found: Report) -> bool:
    terms = (e for reading in found.readings for e in (*reading.op.system, *reading.op.vjp))
    return any(reals.is_root(u) for e in terms for u in t.walk(e))


def settle(code: Code, rlimit: int, proving: bool, timeout: float | None) -> Report:
    files = files_of(code.functions)
    with answering(files) as answered:
        found = read(code)
    memory: tuple[Verdict, ...] = ()
    for piece in found if proving else ():
        for owed in sharing.owed(piece, rlimit, timeout):
            memory = (*memory, owed.verdict)
            if owed.verdict.status != "proved":
                return of_memory(piece, owed, memory)
        if said := sharing.depends(piece):
            if told := sharing.by_running(piece):
                return Report(code.name, "refuted", "", told, (Reading(piece.op, memory),))
            if sharing.reads_unwritten(piece):
                return Report(code.name, "unknown", "", said, (Reading(piece.op, memory),))
        for owed in sharing.of_results(piece, rlimit, timeout):
            memory = (*memory, owed.verdict)
            if owed.verdict.status != "proved":
                return of_memory(piece, owed, memory)
        if piece.run.traced.shared.refused:
            raise Unreadable(piece.run.traced.shared.refused)
    steps = Steps(files, answered=answered.places)
    readings = tuple(Reading(next(piece.ops)) for piece in found)
    for piece, reading in zip(found, readings, strict=True):
        if wrong := unlike(piece, reading.op, steps):
            return disagreeing(piece, wrong, readings)
    if not proving:
        return Report(code.name, "unknown", "", "", readings)
    settled: tuple[Reading, ...] = ()
    for piece in found:
        settled = (*settled, attempted(piece, rlimit, timeout))
        if settled[-1].worst != "proved":
            return against(piece.code, settled)
    missed = steps.missed()
    one, *rest = settled
    settled = (replace(one, verdicts=(*memory, *one.verdicts)), *rest)
    scope = scope_of(code.declared, found, settled)
    scope += f", {UNRUN}" if missed and ONLY not in scope else ""
    decided = (*deciding(found), *missed)
    return Report(code.name, "proved", scope, "", settled, decided=decided)


def of_memory(piece: Piece, found: sharing.Owed, verdicts: tuple[Verdict, ...]) -> Report:
    """What is owed of memory and is not proved: false, which the run confirms, or open."""
    readings = (Reading(piece.op, verdicts),)
    name, said = piece.code.name, sharing.told(found)
    if found.verdict.status == "refuted":
        if run := sharing.confirmed(piece.code, found):
            return Report(name, "refuted", "", f"{said}\n{run}", readings)
        if sharing.is_hidden(found) and not unlike(piece, piece.op, Steps()):
            return Report(name, "refuted", "", f"{said}\n{sharing.HIDDEN}", readings)
        return Report(name, "unknown", "", f"{said}\n{sharing.UNCONFIRMED}", readings)
    note = f": {found.verdict.note}" if found.verdict.note else ""
    return Report(name, "unknown", "", f"{said}: {found.verdict.status}{note}", readings)


def deciding(found: Sequence[Piece]) -> dict[str, None]:
    """The lines of the code for which a proof is only of some sizes, each once."""
    narrow = (
        (piece.run.traced.lines, c) for piece in found if not piece.covered for c in piece.only
    )
    return dict.fromkeys(lines[c] for lines, c in narrow if c in lines)


def unlike(piece: Piece, op: Op, steps: Steps) -> list[str]:
    """Where what was read and the code disagree."""
    return list(differences(op, piece.code, tolerance(piece), steps))


def disagreeing(piece: Piece, wrong: Sequence[str], readings: tuple[Reading, ...]) -> Report:
    said = "what was read and the code itself disagree, so nothing is said of it:"
    said += UNWRITTEN_SAID if UNWRITTEN in piece.op.sizes else ""
    return Report(piece.code.name, "error", "", "\n".join([said, *wrong[:4]]), readings)


def attempted(piece: Piece, rlimit: int, timeout: float | None) -> Reading:
    """What is settled of a piece, of the way of writing it that is proved if one is."""
    found: list[Reading] = []
    for op in piece.ops:
        if not found or not unlike(piece, op, Steps()):
            shape = piece.run.traced.output.axes
            found.append(Reading(op, tuple(verdicts(op, rlimit, timeout)), shape))
        if found[-1].worst == "proved":
            return found[-1]
        if found[-1].worst not in OPEN and len(piece.ways) == 1:
            return found[-1]
    return found[0]


def tolerance(piece: Piece) -> float:
    return 1e-3 if piece.single else 1e-6


def verdicts(op: Op, rlimit: int, timeout: float | None) -> Iterable[Verdict]:
    """What is claimed of code: that its gradient is the derivative, and what that rests on."""
    for task in tasks(op, rlimit, kinds=ASKED):
        found = run(op, task, timeout=timeout)
        yield found
        if found.status != "proved":
            return


def scope_of(declared: Declared, found: Sequence[Piece], settled: Sequence[Reading]) -> str:
    """The sizes of the claim, and what a proof leaves out."""
    clauses = "; ".join(map(str, declared.requires))
    where = "for all sizes" if declared.has_sizes else f"at {declared.place}"
    if declared.has_sizes and declared.fixed:
        where = f"at {declared.place}, for all other sizes"
    said = f"{where} with {clauses}" if clauses else where
    narrow = ["; ".join(map(str, piece.only)) for piece in found if not piece.covered]
    if narrow:
        said += f", {ONLY} {' or '.join(narrow)}"
    scopes = (v.scope for r in settled for v in r.verdicts if v.kind != "satisfiable")
    kept = dict.fromkeys(part for s in scopes for part in s.split(", ") if part != "all sizes")
    return ", ".join([said, *kept])


def require(report: Report) -> Report:
    """Fails with the report where it is not as expected."""
    __tracebackhide__ = True
    if not report.as_expected:
        raise AssertionError(report.failure)
    return report
