"""What follows for a graph from theorems about its nodes. Trusted.

Forward accumulation is the derivative of what the graph computes, and reverse accumulation its
transpose, wherever each node's rules are those of its op and no branch of a node turns; see
docs/graphs.md. So the graph's theorem has the worst status of what it rests on, and is never
better than `unknown` where a node's rule is not proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gradproof.graphs.nodes import Node, Wiring, followed, sizes_of
from gradproof.graphs.requiring import values_of
from gradproof.graphs.stacking import Stack
from gradproof.language.ops import Op, target_of
from gradproof.settle.conclusions import RANKS, Finding
from gradproof.theorems.obligations import obligations
from gradproof.theorems.scopes import ALL_SIZES, BOUNDARIES, EVERY_RANK, STATED, UP_TO_3
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status, worst


def theorems_of(op: Op) -> tuple[Theorem, ...]:
    """What a graph needs of an op: that all is defined, and that the rules it follows are right.

    At ties too: behind other ops a tie may hold all around a point.
    """
    wanted = {f"vjp {target_of(rule).array.name}" for rule in followed(op)}
    return tuple(
        th
        for th in obligations(op)
        if th.kind != "claim" and not (th.equation.startswith("vjp ") and th.equation not in wanted)
    )


@dataclass(frozen=True)
class Premise:
    """What the graph's theorem rests on, by name: how it was settled, and how far."""

    name: str
    status: Status
    scope: str = ""
    note: str = ""


def rules_settled(op: Op, rank: int, found: Mapping[Theorem, Finding]) -> Premise:
    """All theorems of an op together, at ranks up to that at which the graph has it."""
    wanted = theorems_of(op)
    name = f"rules of {op.name}"
    if missing := [th.name for th in wanted if th not in found]:
        return Premise(name, Status.UNKNOWN, note=f"{missing[0]}: not settled")
    status = worst(found[th].status for th in wanted)
    if status != Status.PROVED:
        first = next(th for th in wanted if found[th].status == status)
        return Premise(name, status, note=f"{first.name}: {found[first].note or status}")
    scopes = {found[th].scope for th in wanted}
    if narrow := sorted(s for s in scopes if not is_wide(s, rank)):
        return Premise(name, Status.UNKNOWN, note=f"proved for {narrow[0]} only")
    return Premise(name, status, ALL_SIZES + left_out(scopes))


def left_out(scopes: Iterable[str]) -> str:
    """The points of which some proof does not speak, and what is stated and taken as true."""
    said = tuple(scopes)
    stated = sorted({premise for scope in said for premise in STATED.findall(scope)})
    return "".join((*(b for b in BOUNDARIES if any(b in scope for scope in said)), *stated))


def is_wide(scope: str, rank: int) -> bool:
    """Whether a proof goes as far as the nodes of a graph do."""
    plain = STATED.sub("", scope)
    for said in BOUNDARIES:
        plain = plain.replace(said, "")
    return plain in (ALL_SIZES, EVERY_RANK) or (plain == UP_TO_3 and rank <= RANKS[-1])


def fitting(theorem: Theorem, found: Finding) -> Premise:
    """That a node's op is defined at what reaches it.

    Values a node back may be such as the graph never has, so that what they refute is open.
    """
    status = Status.UNKNOWN if found.status == Status.REFUTED else found.status
    return Premise(theorem.name, status, found.scope, found.note)


def turned(stack: Stack, turn: Premise, handed: Premise) -> Premise:
    """The rules of a graph, turn after turn, from the theorem of one turn.

    So many turns are a graph of as many copies, whose sizes and ops are those of one.
    """
    name = f"rules of {stack.name}"
    first = next((p for p in (turn, handed) if p.status != Status.PROVED), None)
    if first is None:
        return replace(turn, name=name)
    return Premise(name, Status.UNKNOWN, "", first.note or f"{first.name}: {first.status}")


def asked(wiring: Wiring, node: Node) -> frozenset[str]:
    """What must be settled of the sizes and of the values that reach a node."""
    sizes, values = sizes_of(node, wiring.given), values_of(wiring, node, 0)
    return frozenset(th.name for th in (sizes, values) if th is not None)


def concluded(
    wiring: Wiring,
    assumptions: Premise,
    rules: Mapping[Op, Premise],
    fits: Mapping[Node, tuple[Premise, ...]],
) -> Premise:
    """Status, scope and note of the graph's theorem, from all that it rests on."""
    unsettled = Premise("", Status.UNKNOWN, note="it was not settled")
    premises = [assumptions]
    for node in wiring.nodes:
        own = fits.get(node, ())
        is_whole = asked(wiring, node) <= {p.name for p in own}
        premises += [*own, *([] if is_whole else [unsettled]), rules.get(node.op, unsettled)]
    status = worst(p.status for p in premises)
    if status == Status.PROVED:
        return Premise(wiring.name, status, ALL_SIZES + left_out(p.scope for p in premises))
    first = next(p for p in premises if p.status == status)
    # That a node's rule is wrong somewhere does not say that the graph's is.
    found = Status.UNKNOWN if status == Status.REFUTED else status
    return Premise(wiring.name, found, "", f"{first.name}: {first.note or status}")
