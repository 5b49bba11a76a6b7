"""Global pooling of images: each channel's mean or maximum, as `(C, 1, 1)` or flat as `(C)`."""

from collections.abc import Callable
from typing import Any

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    If,
    Op,
    Sum,
    array,
    bracket,
    call,
    cotangent,
    derivative,
    fold,
    implies,
    integers,
    maximum,
    on_axis,
    reals,
    tangent,
    unique,
    winner,
)
from gradproof.specs import spatial
from gradproof.specs.adaptive import adaptive_avg_pool2d, adaptive_max_pool2d, mH, mW
from gradproof.specs.avg_pool import avg_pool
from gradproof.specs.max_pool import max_pool
from gradproof.specs.plane import C, H, W, c, channels
from gradproof.specs.plane import inputs as cells
from gradproof.specs.relations import linear_map, same_op
from gradproof.specs.ties import every_tie, one_sided

oH, oW, jH, jW, wH, wW, atH, atW = integers("oH oW jH jW wH wW atH atW")
best, total = reals("best total")
iH, iW = cells
requires = (H >= 1, W >= 1)
image = ((jH, 0, H - 1), (jW, 0, W - 1))
inputs_over = ((iH, 0, H - 1), (iW, 0, W - 1))

x, y, flat = array("x", C, H, W), array("y", C, 1, 1), array("y", C)
x_dot, x_bar, x_bar_distributed = tangent(x), cotangent(x), cotangent(x, "distributed")
y_dot, y_bar = tangent(y), cotangent(y)
flat_dot, flat_bar = tangent(flat), cotangent(flat)

one_window = {
    **{on_axis(b, axis): n for b in (spatial.n, spatial.k) for axis, n in ((1, H), (2, W))},
    **{on_axis(spatial.s, axis): 1 for axis in (1, 2)},
    **{on_axis(spatial.p, axis): 0 for axis in (1, 2)},
}


def mean(a: Any) -> Any:
    return Sum(a[c, jH, jW], *image) / (H * W)


def largest_of(a: Any) -> Any:
    return maximum(a[c, jH, jW], *image)


def as_grid(reduction: Callable[[Any], Any]) -> Any:
    """Each channel reduced to one number, of shape `(C, 1, 1)`."""
    return Eq(y[c, oH, oW], reduction(x))


def as_row(reduction: Callable[[Any], Any]) -> Any:
    """The same, of shape `(C,)`."""
    return Eq(flat[c], reduction(x))


def mass(gradient: Any, upstream: Any) -> Any:
    return ForAll(Eq(Sum(gradient[c, iH, iW], *inputs_over), upstream), channels)


global_avg_definition = Op(
    "global_avg_pool2d",
    requires=requires,
    forward=as_grid(mean),
    jvp=Eq(y_dot[c, oH, oW], mean(x_dot)),
    vjp=Eq(x_bar[c, iH, iW], y_bar[c, 0, 0] / (H * W)),
    doc=(
        "The mean of each channel of an image, as `(C, 1, 1)`.\n\n"
        "TorchLean's `globalAvgPool2dSpec`. In PyTorch `adaptive_avg_pool2d(x, 1)`."
    ),
)

global_avg_pool2d = global_avg_definition.claiming(
    Claim("gradient mass is kept", mass(x_bar, y_bar[c, 0, 0])),
    linear_map(global_avg_definition),
    Claim(
        "the loop adds up to the mean",
        ForAll(
            Eq(y[c, 0, 0], fold(total, *image, total=(total, 0, total + x[c, jH, jW])) / (H * W)),
            channels,
        ),
    ),
    *same_op("k = n pooling", global_avg_definition, avg_pool.at_rank(2), one_window, (c, iH, iW)),
    *same_op(
        "adaptive with m = 1",
        *(global_avg_definition, adaptive_avg_pool2d, {mH: 1, mW: 1}, (c, iH, iW)),
    ),
)

flat_avg_definition = Op(
    "global_avg_pool2d_flat",
    requires=requires,
    forward=as_row(mean),
    jvp=Eq(flat_dot[c], mean(x_dot)),
    vjp=Eq(x_bar[c, iH, iW], flat_bar[c] / (H * W)),
    doc=(
        "The mean of each channel of an image, as `(C,)`.\n\n"
        "TorchLean's `globalAvgPool2dFlatSpec`. In PyTorch `x.mean((-2, -1))`."
    ),
)
squeezed: dict[str, Any] = {"output": lambda o: (o[0], 0, 0), "back": lambda o: o[:1]}

global_avg_pool2d_flat = flat_avg_definition.claiming(
    Claim("gradient mass is kept", mass(x_bar, flat_bar[c])),
    linear_map(flat_avg_definition),
    *same_op(
        "flat is squeezed",
        *(flat_avg_definition, global_avg_definition, {}, (c, iH, iW)),
        **squeezed,
    ),
)

# best starts from the first cell; a later one must be larger to replace it
larger = x[c, jH, jW] > best
loop = {
    "best": (best, x[c, 0, 0], If(larger, x[c, jH, jW], best)),
    "atH": (atH, 0, If(larger, jH, atH)),
    "atW": (atW, 0, If(larger, jW, atW)),
}
largest = largest_of(x)
first_dot = fold(x_dot[c, atH, atW], *image, **loop)
ties = Sum(bracket(Eq(x[c, wH, wW], largest)), (wH, 0, H - 1), (wW, 0, W - 1))
is_largest = bracket(Eq(x[c, iH, iW], largest))
one_winner = unique(x[c, jH, jW], *image)


def sideways(sign: int) -> Any:
    return maximum(sign * x_dot[c, iH, iW], *inputs_over, where=Eq(x[c, iH, iW], largest))


def tie_claims(array_bar: Any, upstream: Any, tangent_out: Any) -> tuple[Claim, ...]:
    """Full gradient to every tie: no subgradient, and not the JVP's transpose, unless one wins."""
    total = ForAll(Eq(Sum(derivative(array_bar[c, iH, iW], upstream), *inputs_over), 1), channels)
    transpose = Eq(
        derivative(array_bar[c, iH, iW], upstream), derivative(tangent_out, x_dot[c, iH, iW])
    )
    directional = Eq(tangent_out, sideways(1))
    over = (channels, *inputs_over)
    two_cells = {C: 1, H: 1, W: 2}
    return (
        Claim(
            "one winner: the full-gradient VJP has mass 1",
            ForAll(implies(one_winner, total.body), channels),
        ),
        Claim(
            "the full-gradient VJP has mass 1",
            total,
            refuted=two_cells,
            why=(
                "It is the VJP that comes from comparing with the maximum, and right wherever "
                "one cell wins."
            ),
            twin="one winner: the full-gradient VJP has mass 1",
        ),
        Claim(
            "one winner: the full-gradient VJP is the JVP's transpose",
            ForAll(implies(one_winner, transpose), *over),
        ),
        Claim(
            "the full-gradient VJP is the JVP's transpose",
            ForAll(transpose, *over),
            refuted=two_cells,
            why="Both are right where one cell wins, and get used together.",
            twin="one winner: the full-gradient VJP is the JVP's transpose",
        ),
        Claim(
            "one winner: the JVP is the directional derivative",
            ForAll(implies(one_winner, directional), channels),
        ),
        Claim(
            "the JVP is the directional derivative",
            ForAll(directional, channels),
            refuted=two_cells,
            why=(
                "It is, wherever one cell wins; at a tie the steepest of the tied cells counts, "
                "not the first."
            ),
            twin="one winner: the JVP is the directional derivative",
        ),
        *one_sided(sideways, one_winner, (channels,), two_cells),
        every_tie(
            inputs_over,
            Eq(x[c, iH, iW], largest),
            x_dot[c, iH, iW],
            sideways,
            (channels,),
        ),
    )


max_definition = Op(
    "global_max_pool2d",
    requires=requires,
    forward=as_grid(largest_of),
    jvp=Eq(y_dot[c, oH, oW], first_dot),
    vjp=(
        Eq(x_bar[c, iH, iW], is_largest * y_bar[c, 0, 0]),
        Eq(x_bar_distributed[c, iH, iW], is_largest * y_bar[c, 0, 0] / ties),
    ),
    ties="any",  # the source gives every tie the whole gradient, as claims below say
    doc=(
        "The maximum of each channel of an image, as `(C, 1, 1)`.\n\n"
        "TorchLean's `globalMaxPool2dSpec`. In PyTorch `adaptive_max_pool2d(x, 1)`."
    ),
)

pooled = max_pool.at_rank(2)
pooled_bar = call(
    pooled,
    one_window,
    {pooled.inputs[0]: lambda *at: x[at], cotangent(pooled.output): lambda *at: y_bar[at]},
    "x_bar",
)

one_bin_bar = call(
    adaptive_max_pool2d,
    {mH: 1, mW: 1},
    {cotangent(adaptive_max_pool2d.output): lambda *at: y_bar[at]},
    "x_bar",
)

global_max_pool2d = max_definition.claiming(
    Claim(
        "the loop computes the maximum",
        ForAll(Eq(largest, fold(best, *image, **loop)), channels),
    ),
    Claim(
        "the loop picks the first winner",
        ForAll(
            winner((fold(atH, *image, **loop), fold(atW, *image, **loop)), x[c, jH, jW], *image),
            channels,
        ),
    ),
    Claim("distributed: gradient mass is kept", mass(x_bar_distributed, y_bar[c, 0, 0])),
    *tie_claims(x_bar, y_bar[c, 0, 0], y_dot[c, 0, 0]),
    *same_op(
        "k = n pooling",
        *(max_definition, max_pool.at_rank(2), one_window, (c, iH, iW)),
        parts=("forward", "JVP"),
    ),
    Claim(
        "k = n pooling: VJP, one winner",
        ForAll(
            implies(one_winner, Eq(x_bar[c, iH, iW], pooled_bar[c, iH, iW])),
            *(channels, *inputs_over),
        ),
    ),
    *same_op(
        "adaptive with m = 1",
        *(max_definition, adaptive_max_pool2d, {mH: 1, mW: 1}, (c, iH, iW)),
        parts=("forward", "JVP"),
    ),
    Claim(
        "adaptive with m = 1: VJP, one winner",
        ForAll(
            implies(one_winner, Eq(x_bar[c, iH, iW], one_bin_bar[c, iH, iW])),
            *(channels, *inputs_over),
        ),
    ),
)

flat_max_definition = Op(
    "global_max_pool2d_flat",
    requires=requires,
    forward=as_row(largest_of),
    jvp=Eq(flat_dot[c], first_dot),
    vjp=Eq(x_bar[c, iH, iW], is_largest * flat_bar[c]),
    ties="any",
    doc=(
        "The maximum of each channel of an image, as `(C,)`.\n\n"
        "TorchLean's `globalMaxPool2dFlatSpec`. In PyTorch `x.amax((-2, -1))`, "
        "which shares the gradient among ties."
    ),
)

global_max_pool2d_flat = flat_max_definition.claiming(
    *tie_claims(x_bar, flat_bar[c], flat_dot[c]),
    *same_op(
        "flat is squeezed",
        *(flat_max_definition, max_definition, {}, (c, iH, iW)),
        **squeezed,
    ),
)
