"""What the source documents define, ask for and remark, each with where it lives here.

A place is an op of the suite and a part of it: its forward, jvp, vjp, sizes, requires or doc, a
claim by its name, its node in a graph, the layer of that, or what a module of the suite defines
for it.
What is here in another form says why.
"""

from typing import NamedTuple


class Item(NamedTuple):
    source: str
    place: str
    differs: str = ""

    @property
    def op(self) -> str:
        return self.place.partition(" ")[0]

    @property
    def part(self) -> str:
        return self.place.partition(" ")[2]


NO_CONFIG = "no record of sizes: they are symbols, and a layer of a graph is its record"
INTEGERS = "over the integers, and shown equal to the formula in natural numbers under `requires`"
MORE = "`requires` also asks that a window fits, without which the sizes are wrong, as claims show"
ONE_CHANNEL = "the op has channels; on each it is this one"
NO_STRIDE = "natural-number size with s = 0: one more window does not fit"


def builder(
    name: str, op: str, remark: str, others: tuple[tuple[str, ...], ...] = ()
) -> list[Item]:
    """A builder of graphs, with what is said of each of them."""
    smooth = "smooth" in op
    rows = [
        Item(name, f"{op} node"),
        Item(f"{name}: forward, JVP and VJP as payloads of a node", f"{op} jvp"),
        Item(f"{name}: the shape that it returns", f"{op} sizes", INTEGERS),
        Item(f"{name}: the kernel is not 0", f"{op} requires", MORE),
        Item(
            f"{name}: PyTorch comparison",
            f"{op} doc",
            "compared with `logsumexp` over windows: PyTorch has no such op" if smooth else "",
        ),
        Item(f"{name}: forward-mode status, {remark}", f"{op} jvp"),
    ]
    return rows + [Item(f"{name}: {said[0]}", *said[1:]) for said in others]


WINNER = "the JVP follows the winner of the primal"
LINEAR = "the JVP is the same map of the tangent"
SOFTMAX = "the JVP is the softmax-weighted tangent"

POOLING_NODES = [
    *builder(
        "maxPool",
        "max_pool",
        f"{WINNER}, the first of several",
        (
            ("channels first, one sample", "max_pool forward"),
            ("the documented tie convention", "max_pool claim: the loop picks the first winner"),
            (
                "the stride may be 0",
                f"max_pool claim: {NO_STRIDE}",
                "refused: `requires` asks s ≥ 1",
            ),
        ),
    ),
    *builder(
        "avgPool",
        "avg_pool",
        LINEAR,
        (
            ("channels first, one sample", "avg_pool forward"),
            ("average pooling is linear", "avg_pool claim: the JVP is the forward map"),
        ),
    ),
    *builder(
        "smoothMaxPool",
        "smooth_max_pool",
        SOFTMAX,
        (
            ("channels first, one sample", "smooth_max_pool forward"),
            (
                "a differentiable approximation to max pooling",
                "smooth_max_pool claim: unpadded: the limit for β → ∞ is max pooling, by squeezing",
                "of unpadded windows, with its rate; with padding refuted",
            ),
        ),
    ),
    *builder("maxPool2d", "max_pool2d", WINNER),
    *builder(
        "maxPool2dPad",
        "max_pool2d_pad",
        f"{WINNER} among real cells",
        (
            (
                "padded cells are ignored",
                "max_pool2d_pad claim: padding is zeros",
                "its opposite, refuted",
            ),
        ),
    ),
    *builder(
        "smoothMaxPool2d",
        "smooth_max_pool2d",
        SOFTMAX,
        (
            (
                "a differentiable approximation, controlled by beta",
                "smooth_max_pool2d claim: the limit for β → ∞ is max pooling, by squeezing",
            ),
        ),
    ),
    *builder("avgPool2d", "avg_pool2d", LINEAR),
    *builder("avgPool2dPad", "avg_pool2d_pad", LINEAR),
]


def convolution(name: str, op: str, transposed: bool) -> list[Item]:
    bias = (
        "convT(W, 0, dx) + convT(dW, db, x)" if transposed else "conv(W, 0, dx) + conv(dW, db, x)"
    )
    natural = "natural-number size is the integer size"
    return [
        Item(name, f"{op} node"),
        Item(f"{name}: forward, JVP and VJP as payloads of a node", f"{op} jvp"),
        Item(f"{name}: shapes of input, kernel and bias", f"{op} forward"),
        Item(
            f"{name}: the output size",
            f"{op} claim: {natural}",
            "refuted in natural numbers, and equal where (n - 1)s ≥ 2p" if transposed else INTEGERS,
        ),
        Item(f"{name}: there are input channels", f"{op} requires"),
        Item(f"{name}: the kernel is not 0", f"{op} requires", MORE),
        Item(f"{name}: PyTorch comparison", f"{op} doc"),
        Item(f"{name}: the JVP is bilinear", f"{op} claim: the derivative is bilinear: {bias}"),
    ]


CONVOLUTION_NODES = [
    *convolution("conv", "conv", False),
    Item("convOutSpatial", "conv sizes"),
    Item("conv: channels first, one sample", "conv forward"),
    *convolution("convTranspose", "conv_transpose", True),
    Item("convTransposeOutSpatial", "conv_transpose sizes"),
    Item(
        "convTranspose: the weight is (inC, outC, kernel), as in PyTorch", "conv_transpose forward"
    ),
    Item("convTranspose: output_padding is 0", "conv_transpose doc"),
    *convolution("conv2d", "conv2d", False),
    *convolution("convTranspose2d", "conv_transpose2d", True),
]

PLANE = [
    Item("MaxPool2DSpec", "max_pool2d layer MaxPool2d", NO_CONFIG),
    Item("one stride for height and width", "max_pool2d forward"),
    Item("MaxPool2DSpec: kH, kW, stride ≠ 0 make windows nonempty", "max_pool2d requires", MORE),
    Item("MaxPool2DSpec: F.max_pool2d(x, (kH, kW), stride)", "max_pool2d doc"),
    Item("AvgPool2DSpec", "avg_pool2d layer AvgPool2d", NO_CONFIG),
    Item("the window as kH*kW elements, and that as the divisor", "avg_pool2d forward"),
    Item("PyTorch's default where there is no padding", "avg_pool2d doc"),
    Item("output shape, one channel", "max_pool2d sizes", INTEGERS),
    Item("outH = floor((inH - kH)/stride) + 1", "max_pool2d sizes"),
    Item(
        "ceil_mode=false, no padding", "max_pool2d claim: natural-number size: the last window fits"
    ),
    Item("output shape, channels preserved", "max_pool2d sizes"),
    Item("output shape with padding, one channel", "max_pool2d_pad sizes", INTEGERS),
    Item("output shape with padding, channels preserved", "max_pool2d_pad sizes"),
    Item("hard max-pooling ignores padded cells", "max_pool2d_pad forward"),
    Item("average pooling includes padded zeros", "avg_pool2d_pad forward"),
    Item(
        "max_pool2d_spec is non-differentiable at ties and kinks",
        "max_pool2d claim: differentiable at ties: the one-sided derivatives agree",
        "its opposite refuted, at the smallest tie; proved where one cell wins",
    ),
    Item("smooth_max(x) = (1/β) log Σ exp(β x)", "smooth_max_pool2d forward"),
    Item("smooth: everywhere differentiable", "smooth_max_pool2d jvp"),
    Item("smooth: intended for β ≠ 0", "smooth_max_pool2d requires"),
    Item("smooth_max_pool2d_spec", "smooth_max_pool2d at single.smooth_image", ONE_CHANNEL),
    Item(
        "for large beta it approaches hard max pooling",
        "smooth_max_pool2d claim: the limit for β → ∞ is max pooling, by squeezing",
    ),
    Item("smooth_max_pool2d_multi_spec", "smooth_max_pool2d forward"),
    Item("smooth: apply per channel", "smooth_max_pool2d claim: each channel alone: forward"),
    Item(
        "smooth: JVP, one channel", "smooth_max_pool2d claim: each channel alone: JVP", ONE_CHANNEL
    ),
    Item("smooth: the JVP mirrors the VJP's weights", "smooth_max_pool2d vjp"),
    Item("smooth: JVP, channel-wise", "smooth_max_pool2d jvp"),
    Item("max_pool2d_spec", "max_pool2d at single.max_image", ONE_CHANNEL),
    Item("max_pool2d_multi_spec", "max_pool2d forward"),
    Item("max: apply per channel", "max_pool2d claim: each channel alone: forward"),
    Item("max: JVP, one channel", "max_pool2d claim: each channel alone: JVP", ONE_CHANNEL),
    Item(
        "max: at ties the first row-major maximizer",
        "max_pool2d claim: the loop picks the first winner",
    ),
    Item(
        "max: JVP and backward share the convention",
        "max_pool2d claim: the VJP is the JVP's transpose, at ties too",
    ),
    Item("max: JVP, channel-wise", "max_pool2d jvp"),
    Item("avg_pool2d_spec", "avg_pool2d at single.avg_image", ONE_CHANNEL),
    Item("avg_pool2d_multi_spec", "avg_pool2d forward"),
    Item("avg: apply per channel", "avg_pool2d claim: each channel alone: forward"),
    Item(
        "count_include_pad matters with padding alone",
        "avg_pool2d_pad claim: p = 0 is unpadded: forward",
    ),
    Item("adaptive: start = floor(i*in/out)", "adaptive_avg_pool2d at adaptive.start"),
    Item("adaptive: end = ceil((i+1)*in/out)", "adaptive_avg_pool2d at adaptive.end"),
    Item(
        "adaptive: region sizes vary by at most 1",
        "adaptive_avg_pool2d claim: sizes differ by at most 1",
    ),
    Item(
        "adaptive: partitioning the input into bins",
        "adaptive_avg_pool2d claim: m ≤ n: the bins partition the input",
        "refuted: neighbours overlap unless m divides n, which is proved",
    ),
    Item(
        "adaptive: the whole input is covered",
        "adaptive_avg_pool2d claim: there is no gap between neighbours",
        "as three theorems: no gap, the first bin starts at 0, the last ends at n",
    ),
    Item("AdaptiveAvgPool2d", "adaptive_avg_pool2d forward"),
    Item("AdaptiveMaxPool2d", "adaptive_max_pool2d forward"),
    Item("adaptive max: the same bins", "adaptive_max_pool2d forward"),
    Item(
        "getValueAtPosition",
        "adaptive_max_pool2d claim: the loop computes the maximum",
        "the loop starts from the bin's first cell, with no number for nothing",
    ),
    Item("max_pool2d_backward_spec", "max_pool2d at single.max_image", ONE_CHANNEL),
    Item("maxPool2dBackwardSpec", "max_pool2d claim: each channel alone: VJP", ONE_CHANNEL),
    Item(
        "backward: to the first of several maxima",
        "max_pool2d claim: the loop picks the first winner",
    ),
    Item("max_pool2d_multi_backward_spec", "max_pool2d vjp"),
    Item("avg_pool2d_backward_spec", "avg_pool2d at single.avg_image", ONE_CHANNEL),
    Item("avg backward: evenly over the window", "avg_pool2d vjp"),
]

PADDED = [
    Item("padded max-pooling as -∞, without an infinity", "max_pool2d_pad forward"),
    Item("padded zeros in the average: count_include_pad", "avg_pool2d_pad doc"),
    Item("unpadImage", "unpad claim: each channel alone: forward", ONE_CHANNEL),
    Item(
        "unpad of (H + 2*padding, W + 2*padding), one padding",
        "avg_pool2d_pad claim: unpad at rank 2 with one padding reads the image p cells further",
        "the op has a padding per axis, at any rank",
    ),
    Item("unpadMultiChannel", "unpad forward"),
    Item("maxPool2dMultiSpecPad", "max_pool2d_pad forward"),
    Item("maxPool2dMultiSpecPad: kH, kW, stride ≠ 0", "max_pool2d_pad requires", MORE),
    Item("maxPool2dMultiSpecPad: the shape", "max_pool2d_pad sizes", INTEGERS),
    Item("maxPool2dMultiJvpSpecPad", "max_pool2d_pad jvp"),
    Item("the tangent of the winner among real cells alone", "max_pool2d_pad jvp"),
    Item("an empty window: the value is 0", "max_pool2d_pad claim: an empty window has value 0"),
    Item(
        "an empty window: the tangent is 0", "max_pool2d_pad claim: an empty window has tangent 0"
    ),
    Item("avgPool2dMultiSpecPad", "avg_pool2d_pad forward"),
    Item("avgPool2dMultiSpecPad: kH, kW, stride ≠ 0", "avg_pool2d_pad requires", MORE),
    Item("avgPool2dMultiSpecPad: the shape", "avg_pool2d_pad sizes", INTEGERS),
    Item("maxPool2dMultiBackwardSpecPad", "max_pool2d_pad vjp"),
    Item("avgPool2dMultiBackwardSpecPad", "avg_pool2d_pad vjp x_bar_unpad"),
    Item("backprop then unpad", "avg_pool2d_pad claim: the two VJPs agree"),
    Item(
        "smoothMaxPool2dBackwardSpec",
        "smooth_max_pool2d claim: each channel alone: VJP",
        ONE_CHANNEL,
    ),
    Item("smoothMaxPool2dBackwardSpec: kH, kW, stride ≠ 0", "smooth_max_pool2d requires", MORE),
    Item("smoothMaxPool2dMultiBackwardSpec", "smooth_max_pool2d vjp"),
    Item(
        "smooth: apply the backward per channel", "smooth_max_pool2d claim: each channel alone: VJP"
    ),
]

ANY_RANK = [
    Item("channels-first: [C] ++ spatialDims", "max_pool forward"),
    Item("pooling independently per channel", "max_pool claim: each channel alone: forward"),
    Item(
        "kernel, stride, padding per axis",
        "max_pool at spatial.axis",
        "bundles, which no definition can index",
    ),
    Item(
        "spatial rank d = 0",
        "max_pool claim: n = k = s = 1, p = 0, as without axes: the identity",
        "a rank is at least 1; one axis of one cell is what no axis would be",
    ),
    Item(
        "an axis without a cell",
        "max_pool claim: n = 0: every window is empty",
        "outside `requires`, and said by theorem what holds there",
    ),
    Item("padding is symmetric and uses zeros", "avg_pool forward"),
    Item(
        "padding with zeros, for max as well",
        "max_pool claim: padding is zeros",
        "refuted: for max padded cells are ignored, as the source says elsewhere",
    ),
    Item("max_pool_spec as F.max_poolNd", "max_pool doc"),
    Item("avg_pool_spec as F.avg_poolNd", "avg_pool doc"),
    Item("N-D max pooling: configuration", "max_pool layer MaxPool", NO_CONFIG),
    Item("N-D max pooling: kernel per axis", "max_pool layer MaxPool", NO_CONFIG),
    Item("N-D max pooling: stride per axis", "max_pool layer MaxPool", NO_CONFIG),
    Item("N-D max pooling: padding per axis", "max_pool layer MaxPool", NO_CONFIG),
    Item("N-D average pooling: configuration", "avg_pool layer AvgPool", NO_CONFIG),
    Item("N-D average pooling: kernel per axis", "avg_pool layer AvgPool", NO_CONFIG),
    Item("N-D average pooling: stride per axis", "avg_pool layer AvgPool", NO_CONFIG),
    Item("N-D average pooling: padding per axis", "avg_pool layer AvgPool", NO_CONFIG),
    Item("poolOutSpatialPad", "max_pool sizes", INTEGERS),
    Item("lookup for average and smooth pooling: padded cells are 0", "avg_pool forward"),
    Item("padded cells are counted by the denominator", "avg_pool forward"),
    Item(
        "getPaddedMaxInputVal?",
        "max_pool forward",
        "cells where `is_real` holds, in place of an option",
    ),
    Item("maxPoolValue", "max_pool claim: the loop computes the maximum"),
    Item("directional derivative of one window, along the winner", "max_pool jvp"),
    Item("smoothMaxPoolValue", "smooth_max_pool forward"),
    Item("Σ softmax(β*x)*dx, the same padding", "smooth_max_pool jvp"),
    Item("max_pool_spatial_spec", "max_pool at single.max_channel", ONE_CHANNEL),
    Item("maxPoolSpatialSpec", "max_pool at single.max_channel", ONE_CHANNEL),
    Item(
        "JVP of max pooling on a spatial tensor",
        "max_pool claim: each channel alone: JVP",
        ONE_CHANNEL,
    ),
    Item(
        "the correct directional derivative",
        "max_pool claim: the JVP is the directional derivative",
        "refuted at ties; proved where one cell wins",
    ),
    Item(
        "it matches the VJP tie policy",
        "max_pool claim: the VJP is the JVP's transpose, at ties too",
    ),
    Item("avg_pool_spatial_spec", "avg_pool at single.avg_channel", ONE_CHANNEL),
    Item("backward: ties by first occurrence", "max_pool claim: the loop picks the first winner"),
    Item("backward: padded cells are ignored", "max_pool vjp"),
    Item("backward: evenly over the full window", "avg_pool vjp"),
    Item(
        "backward of max_pool_spatial_spec", "max_pool claim: each channel alone: VJP", ONE_CHANNEL
    ),
    Item(
        "backward of avg_pool_spatial_spec", "avg_pool claim: each channel alone: VJP", ONE_CHANNEL
    ),
    Item("maxPoolSpec", "max_pool forward"),
    Item("maxPoolJvpSpec", "max_pool jvp"),
    Item("avgPoolSpec", "avg_pool forward"),
    Item("multi-channel VJP of max_pool_spec", "max_pool vjp"),
    Item("multi-channel VJP of avg_pool_spec", "avg_pool vjp"),
    Item("smooth_max_pool_spatial_spec", "smooth_max_pool at single.smooth_channel", ONE_CHANNEL),
    Item(
        "JVP of smooth pooling on a spatial tensor",
        "smooth_max_pool claim: each channel alone: JVP",
        ONE_CHANNEL,
    ),
    Item("forward-mode counterpart of the backward", "smooth_max_pool vjp"),
    Item("smoothMaxPoolSpec", "smooth_max_pool forward"),
    Item("smooth JVP on a channels-first tensor", "smooth_max_pool jvp"),
    Item(
        "smoothMaxPoolSpatialBackwardSpec", "smooth_max_pool at single.smooth_channel", ONE_CHANNEL
    ),
    Item("the VJP shares out in proportion to exp(β*x)", "smooth_max_pool claim: weights sum to 1"),
    Item("multi-channel VJP of smooth_max_pool_spec", "smooth_max_pool vjp"),
    *(
        Item(
            name, place, "an alias; here an op has one name, and `gradproof explain` knows this one"
        )
        for name, place in (
            ("max_pool_spec", "max_pool forward"),
            ("avg_pool_spec", "avg_pool forward"),
            ("smooth_max_pool_spec", "smooth_max_pool forward"),
            ("max_pool_backward_spec", "max_pool vjp"),
            ("avg_pool_backward_spec", "avg_pool vjp"),
        )
    ),
]

TAG = "a tag without a content; the op itself stands for its layer"
FULL = "every position equal to the maximum receives the full gradient"

GLOBAL = [
    Item("global pooling to 1×1 or flat", "global_avg_pool2d doc"),
    Item("average and max, with explicit backward rules", "global_max_pool2d vjp"),
    Item("GlobalAvgPool2DSpec", "global_avg_pool2d node", TAG),
    Item("GlobalMaxPool2DSpec", "global_max_pool2d node", TAG),
    Item("output shape (C,H,W) -> (C,1,1)", "global_avg_pool2d forward"),
    Item("output shape (C,H,W) -> (C)", "global_avg_pool2d_flat forward"),
    Item(
        "reduceSpatial",
        "global_avg_pool2d claim: the loop adds up to the mean",
        "a fold; of its instances the sum and the maximum",
    ),
    Item(
        "the shared loop over (H,W), for max",
        "global_max_pool2d claim: the loop computes the maximum",
    ),
    Item("channelSpatialMax", "global_max_pool2d claim: the loop computes the maximum"),
    Item("channelSpatialMax: the channel is non-empty", "global_max_pool2d requires"),
    Item(
        "globalChannelReduce",
        "global_avg_pool2d claim: the loop adds up to the mean",
        "an alias of reduceSpatial",
    ),
    Item("a scalar as a 1×1 image", "global_avg_pool2d at global_pool.as_grid"),
    Item(
        "globalPool2d1x1",
        "global_avg_pool2d at global_pool.as_grid",
        "a function of the reduction that writes equations",
    ),
    Item(
        "globalPool2dFlat",
        "global_avg_pool2d_flat at global_pool.as_row",
        "a function of the reduction that writes equations",
    ),
    Item("globalAvgPool2dSpec", "global_avg_pool2d forward"),
    Item("globalAvgPool2dSpec: inH, inW ≠ 0", "global_avg_pool2d requires"),
    Item("globalMaxPool2dSpec", "global_max_pool2d forward"),
    Item("globalMaxPool2dSpec: inH, inW ≠ 0", "global_max_pool2d requires"),
    Item("globalAvgPool2dFlatSpec", "global_avg_pool2d_flat forward"),
    Item("globalAvgPool2dFlatSpec: inH, inW ≠ 0", "global_avg_pool2d_flat requires"),
    Item("globalMaxPool2dFlatSpec", "global_max_pool2d_flat forward"),
    Item("globalMaxPool2dFlatSpec: inH, inW ≠ 0", "global_max_pool2d_flat requires"),
    Item("rules that match the intended math", "global_avg_pool2d vjp"),
    Item("globalAvgPool2dBackwardSpec", "global_avg_pool2d vjp"),
    Item("globalAvgPool2dFlatBackwardSpec", "global_avg_pool2d_flat vjp"),
    Item("globalMaxPool2dBackwardSpec", "global_max_pool2d vjp x_bar"),
    Item(
        FULL,
        "global_max_pool2d claim: the full-gradient VJP has mass 1",
        "as in the source; that it is a subgradient is refuted at ties, proved elsewhere",
    ),
    Item("globalMaxPool2dFlatBackwardSpec", "global_max_pool2d_flat vjp"),
    Item(
        f"flat: {FULL}",
        "global_max_pool2d_flat claim: the full-gradient VJP has mass 1",
        "as in the source; that it is a subgradient is refuted at ties, proved elsewhere",
    ),
    Item("globalMaxPool2dBackwardDistributedSpec", "global_max_pool2d vjp x_bar_distributed"),
    Item(
        "splits the gradient evenly across maxima",
        "global_max_pool2d claim: distributed: gradient mass is kept",
    ),
    Item(
        "max subtlety: the backward does not unify with the average's",
        "global_max_pool2d claim: the full-gradient VJP is the JVP's transpose",
        "two rules, and the JVP of the first winner; that they agree is refuted at ties",
    ),
]

DOCUMENTS = {
    "Nodes of graphs: pooling": POOLING_NODES,
    "Nodes of graphs: convolution": CONVOLUTION_NODES,
    "Pooling of images": PLANE,
    "Padded pooling of images": PADDED,
    "Pooling of any rank": ANY_RANK,
    "Global pooling": GLOBAL,
}
ITEMS = [item for items in DOCUMENTS.values() for item in items]


# Of what is a name in the source, the op that `gradproof explain` shows for it.
SOURCE = {i.source: i.op for i in ITEMS if i.source.rstrip("?").isidentifier()}
