"""Settles the theorem of a graph: its ops, its sizes, and the whole at small sizes. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from time import perf_counter

from gradproof.graphs.composing import (
    Premise,
    concluded,
    rules_settled,
    sizes_settled,
    theorems_of,
)
from gradproof.graphs.nodes import Wiring, sizes_of
from gradproof.graphs.shapes import found
from gradproof.graphs.trying import Tried, tried
from gradproof.language.ops import Op
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import labelled
from gradproof.settle.conclusions import Finding
from gradproof.settle.preconditions import NOTHING, witnessed
from gradproof.settle.suite import broken
from gradproof.settle.verdicts import Report, Verdict
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status

Step = Callable[[], Finding]


def settled(step: Step) -> tuple[Finding, float]:
    """What was found, and how long it took; what goes wrong is an `error`."""
    start = perf_counter()
    try:
        finding = step()
    except Exception as failure:
        finding = broken(failure)
    return finding, perf_counter() - start


@lru_cache(maxsize=1_000)
def rules_of(op: Op, rank: int) -> Premise:
    """An op's theorems, each settled once in a process."""
    findings = {th: settled(partial(found, th))[0] for th in theorems_of(op)}
    return rules_settled(op, rank, findings)


def verify(wiring: Wiring) -> Report:
    return Report(wiring.name, tuple(verdicts(wiring)))


def verdicts(wiring: Wiring) -> Iterator[Verdict]:
    """The assumptions, each node's sizes, each op's rules; then what follows for the graph."""
    said = "; ".join(map(str, wiring.given)) or "nothing"
    meant = Theorem(
        "assumptions can be met",
        "satisfiable",
        f"some sizes satisfy {said}",
        wiring.given,
        (NOTHING,),
        equation="assumptions",
    )
    met, seconds = settled(lambda: witnessed(meant, RLIMIT))
    yield labelled(wiring.name, meant, met, seconds=seconds)
    sizes = {}
    for node in wiring.nodes:
        theorem = sizes_of(node, wiring.given)
        finding, seconds = settled(partial(found, theorem))
        sizes[node] = sizes_settled(node, finding)
        yield labelled(wiring.name, theorem, finding, seconds=seconds)
    rules = {}
    for op in dict.fromkeys(n.op for n in wiring.nodes):
        start = perf_counter()
        rank = max(n.rank for n in wiring.nodes if n.op == op)
        rules[op] = premise = rules_of(op, rank)
        yield verdict_of(wiring, premise, "rules", stated(op), perf_counter() - start)
    whole = concluded(wiring, Premise(meant.name, met.status, "", met.note), rules, sizes)
    start = perf_counter()
    trial = tried(wiring)
    whole = with_trial(whole, trial)
    seconds = perf_counter() - start
    rests_on = (meant.name, *(p.name for p in (*sizes.values(), *rules.values())))
    for kind, statement in composed(wiring):
        verdict = verdict_of(wiring, replace(whole, name=kind), kind, statement, seconds)
        yield replace(verdict, rests_on=rests_on, method="composition")


def with_trial(whole: Premise, trial: Tried) -> Premise:
    """What was tried off every boundary, with nothing against it, counts as proved."""
    if trial.against and whole.status == Status.PROVED:
        note = f"proved, yet {trial.against} differs from plain differentiation at {trial.sizes}"
        return replace(whole, status=Status.ERROR, scope="", note=note)
    if whole.status == Status.PROVED and not trial.regular:
        note = "no small sizes and values were found at which to try it"
        if trial.turning:
            note = f"no point found at which no branch of {trial.turning} turns"
        return replace(whole, status=Status.UNKNOWN, scope="", note=note)
    if trial.against:
        note = f"{whole.note}; {trial.against} differs from plain differentiation at {trial.sizes}"
        return replace(whole, note=note)
    return whole


def stated(op: Op) -> str:
    return f"{op.name} is defined, its JVP is its derivative, its VJP the transpose"


def composed(wiring: Wiring) -> Iterator[tuple[str, str]]:
    outputs = ", ".join(v.name for v in wiring.outputs)
    inputs = ", ".join(x.name for x in wiring.moving)
    yield "jvp", f"forward accumulation is the derivative of ({outputs}) by ({inputs})"
    yield (
        "vjp",
        f"reverse accumulation is the transpose of the derivative of ({outputs}) by ({inputs})",
    )


def verdict_of(
    wiring: Wiring, premise: Premise, kind: str, statement: str, seconds: float
) -> Verdict:
    return Verdict(
        wiring.name,
        premise.name,
        kind,
        statement,
        tuple(map(str, wiring.given)),
        Status.PROVED,
        premise.status,
        premise.scope,
        "",
        note=premise.note,
        equation=kind,
        seconds=round(seconds, 4),
    )
