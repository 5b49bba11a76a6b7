"""Where several cells of a window are largest: what the first-winner rules are there."""

from collections.abc import Callable, Mapping
from typing import Any

from gradproof.language import (
    And,
    Claim,
    Eq,
    Exists,
    ForAll,
    Op,
    axes,
    bracket,
    cotangent,
    derivative,
    implies,
    integers,
    maximum,
    tangent,
    unique,
)
from gradproof.specs.relations import cells


def one_sided(
    largest: Callable[[int], Any], one_winner: Any, outputs: Any, smallest: Mapping[Any, Any]
) -> tuple[Claim, ...]:
    """Where cells tie, the derivatives along a direction and against it are no opposites.

    `largest` is that of the winners' tangents, times 1 or -1.
    """
    agree = Eq(largest(-1), -largest(1))
    return (
        Claim(
            "one winner: the one-sided derivatives agree",
            ForAll(implies(one_winner, agree), *outputs),
        ),
        Claim(
            "differentiable at ties: the one-sided derivatives agree",
            ForAll(agree, *outputs),
            refuted=smallest,
            why="A maximum is differentiable wherever one cell wins, and at no tie.",
            twin="one winner: the one-sided derivatives agree",
        ),
    )


def every_tie(
    window: Any, tied: Any, here: Any, largest: Callable[[int], Any], outputs: Any
) -> Claim:
    """`tied` says that a place of the window has its maximum, `here` is the tangent there."""
    others = {s: (axes if s.is_bundle else integers)(f"{s}2") for s, _, _ in window}
    there = [(others[s], first, last) for s, first, last in window]  # a box: no end is another's
    parts = And(tied, tied.subs(others), here > here.subs(others))
    differ = largest(1) > -largest(-1)
    return Claim(
        "every tie: the one-sided derivatives differ along what parts the tied cells",
        ForAll(implies(parts, differ), *outputs, *window, *there),
    )


def first_winner_claims(
    op: Op,
    at: tuple[Any, ...],
    cell: tuple[Any, ...],
    smallest: Mapping[Any, Any],
    every: bool = True,
) -> tuple[Claim, ...]:
    """`at` names a cell of the input, `cell` is the one at a place of the op's window.

    `smallest` are the sizes of the first window with a tie; `every` asks of all of them.
    """
    (x,), y, o = op.inputs, op.output, op.forward.args[0].index
    largest: Any = op.forward.args[1]
    ranges, where = largest.ranges, largest.where
    x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
    outputs = cells(y, o)
    inputs = [over for over in cells(x, at) if over not in outputs]  # of the same channel

    def sideways(sign: int) -> Any:
        return maximum(sign * x_dot[cell], *ranges, where=And(where, Eq(x[cell], y[o])))

    one_winner = unique(x[cell], *ranges, where=where)
    directional = Eq(y_dot[o], sideways(1))
    pulled = derivative(x_bar[at], y_bar[o])
    pushed = derivative(y_dot[o], x_dot[at])
    return (
        Claim(
            "one winner: the JVP is the directional derivative",
            ForAll(implies(one_winner, directional), *outputs),
        ),
        Claim(
            "the JVP is the directional derivative",
            ForAll(directional, *outputs),
            refuted=smallest,
            why=(
                "It is, wherever one cell wins; at a tie the steepest of the tied cells counts, "
                "not the first."
            ),
            twin="one winner: the JVP is the directional derivative",
        ),
        *one_sided(sideways, one_winner, outputs, smallest),
        *([every_tie(ranges, where & Eq(x[cell], y[o]), x_dot[cell], sideways, outputs)] * every),
        Claim(
            "the VJP is the JVP's transpose, at ties too",
            ForAll(Eq(pulled, pushed), *outputs, *inputs),
        ),
    )


def empty_window_claims(op: Op) -> tuple[Claim, ...]:
    """Each is itself times 1 where the window has a real cell, and times 0 where it has none."""
    y, o = op.output, op.forward.args[0].index
    largest: Any = op.forward.args[1]
    has_a_cell = bracket(Exists(largest.where, *largest.ranges))
    return tuple(
        Claim(f"an empty window has {what} 0", ForAll(Eq(v[o], has_a_cell * v[o]), *cells(y, o)))
        for what, v in (("value", y), ("tangent", tangent(y)))
    )
