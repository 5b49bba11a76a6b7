"""Settles the theorem of a graph: its ops, its sizes, and the whole at small sizes. Deciding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from time import process_time

from gradproof.graphs.composing import (
    Premise,
    concluded,
    fitting,
    rules_settled,
    theorems_of,
    turned,
)
from gradproof.graphs.fusing import as_op
from gradproof.graphs.nodes import Node, Wiring, sizes_of
from gradproof.graphs.requiring import assumed_of
from gradproof.graphs.shapes import found, values_shown
from gradproof.graphs.stacking import Stack
from gradproof.graphs.trying import Tried, tried
from gradproof.language.ops import Op
from gradproof.language.requirements import spans_of
from gradproof.language.terms import Terms
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import labelled
from gradproof.settle.conclusions import Finding
from gradproof.settle.preconditions import NOTHING, witnessed
from gradproof.settle.suite import broken, run
from gradproof.settle.timing import OutOfTime, given_up, given_up_after
from gradproof.settle.verdicts import Report, Verdict
from gradproof.theorems.obligations import obligations
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status


def settled(step: Callable[[], Finding]) -> Finding:
    """What was found; what goes wrong is an `error`."""
    try:
        return step()
    except Exception as failure:
        return broken(failure)


@lru_cache(maxsize=1_000)
def rules_of(op: Op, rank: int) -> Premise:
    """An op's theorems, each settled once in a process."""
    findings = {th: settled(partial(found, th)) for th in theorems_of(op)}
    return rules_settled(op, rank, findings)


def asked_of(wiring: Wiring, node: Node) -> Iterator[Theorem]:
    """What a node asks of the sizes that reach it, and of the values."""
    yield sizes_of(node, wiring.given)
    values = values_shown(wiring, node)
    if values is not None:
        yield values


def ops_of(wiring: Wiring) -> dict[Op, Stack | None]:
    """Of all nodes, and before a graph that is repeated those of its turn."""
    found: dict[Op, Stack | None] = {}
    for node in wiring.nodes:
        if node.turns is not None:
            found |= {
                op: stack for op, stack in ops_of(node.turns.wiring).items() if op not in found
            }
        found.setdefault(node.op, node.turns)
    return found


def verify(wiring: Wiring, vjp: Terms = (), timeout: float | None = None) -> Report:
    """The assumptions, each node's sizes, each op's rules; then what follows for the graph."""
    found = Verification(wiring)
    verdicts = tuple(within(found, number, timeout) for number in range(len(found.labels)))
    return Report(wiring.name, (*verdicts, *written(wiring, vjp, timeout)))


def within(found: Verification, number: int, timeout: float | None) -> Verdict:
    """A verdict that takes no longer than it may."""
    try:
        with given_up_after(timeout):
            return found.settle(number)
    except OutOfTime:
        label = found.labels[number]
        return replace(label, status=Status.UNKNOWN, note=given_up(timeout or 0))


def written(wiring: Wiring, vjp: Terms, timeout: float | None) -> Iterator[Verdict]:
    """Rules for the whole, each against the equations of all nodes, with what that rests on."""
    if not vjp:
        return
    op = as_op(wiring, vjp=vjp)
    theorems = obligations(op)
    wanted = {name for th in theorems if th.kind == "vjp" for name in (th.name, *th.rests_on)}
    for theorem in theorems:
        if theorem.name in wanted or theorem.equation.startswith("vjp "):
            yield run(op, (theorem, partial(found, theorem)), timeout=timeout)


class Verification:
    """The verdicts of a graph, each settled when it is asked for."""

    def __init__(self, wiring: Wiring) -> None:
        self.wiring = wiring
        spanned = (x.array for x in wiring.inputs)
        self.stacks = ops_of(wiring)
        self.ops = tuple(self.stacks)
        said = "; ".join(map(str, (*wiring.given, *wiring.values))) or "nothing"
        meant = Theorem(
            "assumptions can be met",
            "satisfiable",
            f"some sizes satisfy {said}",
            wiring.given,
            (replace(NOTHING, when=(*spans_of(spanned), *assumed_of(wiring))),),
            equation="assumptions",
        )
        self.theorems = (meant, *(th for node in wiring.nodes for th in asked_of(wiring, node)))
        labels = [labelled(wiring.name, th, Finding(Status.UNKNOWN)) for th in self.theorems]
        labels += [self.label(f"rules of {op.name}", "rules", stated(op)) for op in self.ops]
        names = tuple(label.name for label in labels)
        for kind, statement in composed(wiring):
            labels.append(replace(self.label(kind, kind, statement), rests_on=names))
        self.labels = tuple(labels)

    def label(self, name: str, kind: str, statement: str) -> Verdict:
        given = tuple(map(str, (*self.wiring.given, *self.wiring.values)))
        unsettled = (Status.UNKNOWN, "", "")
        return Verdict(
            self.wiring.name, name, kind, statement, given, Status.PROVED, *unsettled, equation=kind
        )

    def settle(self, number: int) -> Verdict:
        """A verdict by its number; what goes wrong is an `error`."""
        label, start = self.labels[number], process_time()
        if number < len(self.theorems):
            theorem = self.theorems[number]
            finding = self.met if number == 0 else settled(partial(found, theorem))
            seconds = process_time() - start
            return labelled(self.wiring.name, theorem, finding, seconds=seconds)
        premise = self.whole
        if label.kind == "rules":
            premise = self.rules(self.ops[number - len(self.theorems)])
        return replace(
            label,
            status=premise.status,
            scope=premise.scope,
            note=premise.note,
            method="composition" if premise.status == Status.PROVED else "",
            seconds=round(process_time() - start, 4),
        )

    @cached_property
    def met(self) -> Finding:
        return settled(lambda: witnessed(self.theorems[0], RLIMIT))

    def rules(self, op: Op) -> Premise:
        stack = self.stacks[op]
        if stack is None:
            return rules_of(op, max(self.ranks[op]))
        handed = fitting(stack.sizes, settled(partial(found, stack.sizes)))
        return turned(stack, self.follows(stack.wiring), handed)

    @cached_property
    def ranks(self) -> dict[Op, set[int]]:
        """Those at which nodes have each op, nodes of turns too."""
        wirings = (self.wiring, *(s.wiring for s in self.stacks.values() if s is not None))
        ranks: dict[Op, set[int]] = {op: set() for op in self.ops}
        for node in (n for wiring in wirings for n in wiring.nodes):
            ranks[node.op].add(node.rank)
        return ranks

    def follows(self, wiring: Wiring) -> Premise:
        """What follows for a graph from what it rests on; that sizes can be met is of the whole."""
        sizes = {
            node: tuple(fitting(th, settled(partial(found, th))) for th in asked_of(wiring, node))
            for node in wiring.nodes
        }
        rules = {node.op: self.rules(node.op) for node in wiring.nodes}
        met = Premise(self.theorems[0].name, self.met.status, "", self.met.note)
        return concluded(wiring, met, rules, sizes)

    @cached_property
    def whole(self) -> Premise:
        """What follows for the graph, if the trial has nothing against it."""
        try:
            return with_trial(self.follows(self.wiring), tried(self.wiring))
        except Exception as failure:
            return Premise(self.wiring.name, Status.ERROR, "", broken(failure).note)


def with_trial(whole: Premise, trial: Tried) -> Premise:
    """What was tried off every boundary, with nothing against it, counts as proved."""
    if trial.against and whole.status == Status.PROVED:
        differs = f"{trial.against} differs from plain differentiation at {trial.sizes}"
        if trial.turning:  # the theorem does not speak of it, yet values drawn at random hit it
            note = f"{differs}, where random values are on a boundary of {trial.turning}"
            return replace(whole, status=Status.UNKNOWN, scope="", note=note)
        return replace(whole, status=Status.ERROR, scope="", note=f"proved, yet {differs}")
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
