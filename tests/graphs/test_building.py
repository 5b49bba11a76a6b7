"""Graphs are built for all sizes, and refused with the node, the line and the smallest sizes."""

import re
from fractions import Fraction

import pytest

from gradproof.graphs import AvgPool, Conv2d, Graph, GraphError, MaxPool2d, SmoothMaxPool2d
from gradproof.graphs.arithmetic import short
from gradproof.language import Eq, Op, array, ceil_div, cotangent, floor_div, integers, tangent
from gradproof.specs import avg_pool2d, conv2d

C, H, W, N = integers("C H W N")


def image(*assumed, channels=3, infer=False):
    g = Graph("g", infer=infer)
    g.assume(*assumed)
    return g, g.input("x", channels, H, W)


def kernel(g, *shape):
    return g.input("w", *shape), g.input("b", shape[0])


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lambda g, x: g.max_pool(x, 3, 2, (1, 0)), "(3, ⌊(H + 1)/2⌋, ⌊(W + 1)/2⌋ - 1)"),
        (lambda g, x: g.avg_pool(x, (3, 2), 1, 0), "(3, H - 2, W - 1)"),
        (lambda g, x: g.smooth_max_pool(x, 2, beta=Fraction(1, 2)), "(3, ⌊H/2⌋, ⌊W/2⌋)"),
        (lambda g, x: g.max_pool2d(x, 2), "(3, ⌊H/2⌋, ⌊W/2⌋)"),
        (lambda g, x: g.max_pool2d_pad(x, 3, 2, 1), "(3, ⌊(H + 1)/2⌋, ⌊(W + 1)/2⌋)"),
        (lambda g, x: g.smooth_max_pool2d(x, (2, 3), 1), "(3, H - 1, W - 2)"),
        (lambda g, x: g.avg_pool2d(x, 2), "(3, ⌊H/2⌋, ⌊W/2⌋)"),
        (lambda g, x: g.avg_pool2d_pad(x, 3, 1, 1), "(3, H, W)"),
        (lambda g, x: g.conv(x, *kernel(g, 4, 3, 3, 3), padding=1), "(4, H, W)"),
        (lambda g, x: g.conv2d(x, *kernel(g, 4, 3, 3, 3), stride=1), "(4, H - 2, W - 2)"),
        (lambda g, x: g.adaptive_avg_pool2d(x, (2, 3)), "(3, 2, 3)"),
        (lambda g, x: g.adaptive_max_pool2d(x, 2), "(3, 2, 2)"),
        (lambda g, x: g.global_avg_pool2d(x), "(3, 1, 1)"),
        (lambda g, x: g.global_max_pool2d(x, flat=True), "(3,)"),
        (lambda g, x: g.unpad(x, 2), "(3, H - 4, W - 4)"),
        (lambda g, x: g.flatten(x), "(3·H·W,)"),
        (lambda g, x: g.concat(x, x), "(6, H, W)"),
        (lambda g, x: g.scale(g.tanh(g.sigmoid(g.relu(x))), 2), "(3, H, W)"),
        (lambda g, x: g.multiply(x, g.dropout(x, g.constant("m", 3, H, W), 1)), "(3, H, W)"),
    ],
)
def test_a_builder_computes_the_shape(build, shape):
    g, x = image(H >= 8, W >= 8)
    assert str(build(g, x)) == f"{g.nodes[-1].name} {shape}"


@pytest.mark.parametrize("name", ["conv_transpose", "conv_transpose2d"])
def test_transposed_convolutions_have_their_kernels_the_other_way_round(name):
    g, x = image(H >= 8, W >= 8)
    y = getattr(g, name)(x, g.input("w", 3, 5, 2, 2), g.input("b", 5), stride=2)
    assert str(y) == f"{name}_1 (5, 2·H, 2·W)"


def test_any_op_is_a_node():
    i, n = integers("i n")
    u, v = array("u", n), array("v", n)
    twice = Op(
        "twice",
        forward=Eq(v[i], 2 * u[i]),
        jvp=Eq(tangent(v)[i], 2 * tangent(u)[i]),
        vjp=Eq(cotangent(u)[i], 2 * cotangent(v)[i]),
    )
    g = Graph()
    assert str(g.apply(twice, u=g.input("x", N))) == "twice_1 (N,)"


def test_a_layer_is_a_record():
    g, x = image(H >= 8, W >= 8)
    layer = Conv2d(kernel=3, stride=2, padding=1)
    assert layer == Conv2d(3, 2, 1)
    y = g.layer(layer, x, *kernel(g, 4, 3, 3, 3), name="first")
    assert str(y) == "first (4, ⌊(H + 1)/2⌋, ⌊(W + 1)/2⌋)"


REFUSED = {
    "channels that do not match": (
        lambda g, x: g.conv2d(x, *kernel(g, 4, 2, 3, 3)),
        r"x of conv2d must have shape \(2, H, W\), and x has \(3, H, W\): 3 = 2 does not hold",
    ),
    "a kernel that is not the layer's": (
        lambda g, x: g.layer(Conv2d(kernel=5), x, *kernel(g, 4, 3, 3, 3)),
        r"W of conv2d must have shape \(4, 3, 5, 5\)",
    ),
    "a kernel larger than the smallest admitted image": (
        lambda g, x: g.max_pool2d(g.avg_pool2d(x, 2), kernel=3),
        r"max_pool2d requires H ≥ kH: ⌊H/2⌋ ≥ 3 fails at H = 4, W = 4, the smallest sizes",
    ),
    "a residual whose sides differ for odd sizes": (
        lambda g, x: g.add(x, g.conv_transpose2d(g.max_pool2d(x, 2), *kernel_up(g), stride=2)),
        r"2·⌊H/2⌋ = H fails at H = 5, W = 4, the smallest sizes",
    ),
    "a variable of another graph": (
        lambda g, x: g.relu(Graph("other").input("z", 3)),
        r"x of relu is z of another graph, other; a variable belongs to the graph that made it",
    ),
    "what is no variable": (lambda g, x: g.relu(3), r"x of relu is 3, and must be a variable"),
    "dimensions that do not fit": (
        lambda g, x: g.flatten(g.flatten(x)),
        r"x of flatten has shape \(C, H, W\), flatten_1 has .*1 dimensions do not fit",
    ),
    "a size that nothing says": (
        lambda g, x: g.apply(conv2d, x=x, **dict(zip("Wb", kernel(g, 4, 3, 3, 3), strict=True))),
        r"conv2d: no shape says what .* say so in sizes=\{…\}",
    ),
    "a size that there is not": (
        lambda g, x: g.apply(avg_pool2d, sizes={"d": 2}, x=x),
        r"avg_pool2d has no size d; its sizes: C, H, W, kH, kW, s",
    ),
    "an operand too few": (lambda g, x: g.apply(conv2d, x=x), r"conv2d takes W, b, x, and got x"),
    "a name twice": (lambda g, x: g.relu(x, name="x"), r"there is a variable x already"),
    "a size that is no whole number": (
        lambda g, x: g.input("z", 2.5),
        r"input z: 2.5 is a float",
    ),
    "a derivative through a constant": (
        lambda g, x: g.dropout(x, x, 1),
        r"dropout has no derivative by mask, and x depends on inputs that have one",
    ),
    "an assumption of nothing": (lambda g, x: g.assume(H + 1), r"H \+ 1 is no condition"),
}


def kernel_up(g):
    return g.input("w", 3, 3, 2, 2), g.input("b", 3)


@pytest.mark.parametrize("fault", REFUSED)
def test_it_refuses(fault):
    build, message = REFUSED[fault]
    g, x = image(H >= 4, W >= 4)
    with pytest.raises(GraphError, match=message) as raised:
        build(g, x)
    assert re.match(r"test_building.py:\d+: ", str(raised.value))


def test_assumptions_that_contradict_each_other_prove_nothing():
    g, x = image(H >= 4, H <= 2, W >= 4)
    with pytest.raises(GraphError, match=r"the assumptions .* contradict each other"):
        g.max_pool2d(x, 9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Conv2d(kernel=0), "Conv2d: kernel is 0, and must be at least 1"),
        (lambda: Conv2d(padding=-1), "Conv2d: padding is -1, and must be at least 0"),
        (lambda: AvgPool((2, 2.0)), "AvgPool: kernel is 2.0, and must be a whole number"),
        (lambda: MaxPool2d(True), "MaxPool2d: kernel is True, and must be a whole number"),
        (lambda: SmoothMaxPool2d(2, beta=0.5), "beta is 0.5, and must be an exact number"),
        (lambda: SmoothMaxPool2d(2, beta=0), "beta is 0, and must be another number than 0"),
        (lambda: MaxPool2d((2, 3)).sizes(), "with a kernel of several sizes, say the stride"),
        (lambda: MaxPool2d((2, 3, 4), 1).sizes(), "kernel has 3 parts, and must have 2"),
    ],
)
def test_a_layer_is_checked_when_it_is_made(make, message):
    with pytest.raises(GraphError, match=re.escape(message)):
        make()


def test_a_graph_must_be_whole():
    g, x = image()
    with pytest.raises(GraphError, match="it has no output"):
        g.verify()
    lost = g.relu(x)
    g.output(g.tanh(x))
    with pytest.raises(GraphError, match=r"relu_1 leads to no output"):
        g.forward({})
    g.output(lost)
    g.input("z", 3)
    with pytest.raises(GraphError, match="no output depends on the input z"):
        g.wiring()


def test_what_sizes_a_graph_accepts():
    g, x = image(H >= 40, W >= 40)
    y = g.max_pool2d(g.conv2d(x, *kernel(g, 4, 3, 3, 3)), 2)
    g.output(g.max_pool2d(y, 3))
    assert str(g.accepts()) == "H ≥ 8 and W ≥ 8 (necessary and sufficient)"


def test_what_is_asked_is_inferred_where_that_is_wanted():
    g, x = image(channels=C, infer=True)
    up = g.conv_transpose2d(g.max_pool2d(x, 2), g.input("w", C, C, 2, 2), g.input("b", C), stride=2)
    g.output(g.add(x, up))
    said = "C ≥ 1 and H ≥ 2 and 2 | H and W ≥ 2 and 2 | W (necessary and sufficient)"
    assert str(g.accepts()) == said


def test_nothing_is_inferred_that_no_sizes_satisfy():
    g, x = image(infer=True)
    with pytest.raises(GraphError, match="3 = 2 does not hold"):
        g.conv2d(x, *kernel(g, 4, 2, 3, 3))
    g.assume(H <= 4)
    with pytest.raises(GraphError, match="H ≥ kH"):
        g.max_pool2d(x, 5)


@pytest.mark.parametrize(
    ("term", "shown"),
    [
        (floor_div(floor_div(H + 1, 2) + 1, 3), "⌊(H + 3)/6⌋"),
        (floor_div(2 * H + 3, 2), "H + 1"),
        (ceil_div(4 * H + 2, 2), "2·H + 1"),
        (ceil_div(H, 2), "⌈H/2⌉"),
        ((H - 1) * 2 - 2 + 4, "2·H"),
        (floor_div(H, W), "⌊H/W⌋"),
    ],
)
def test_sizes_in_short(term, shown):
    assert str(short(term)) == shown
