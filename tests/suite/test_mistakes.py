"""Mistakes that people make in rules: each is refuted, and told by its equation and its kind."""

from time import process_time

import pytest

from gradproof.language import Op
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import labelled, settled
from gradproof.show.lessons import lesson
from gradproof.theorems.obligations import obligations

HEAD = """\
from gradproof.language import *
B, C, D, N, b, c, d, i, j = integers("B C D N b c d i j")
n, k, s, p, at, o, t = integers("n k s p at o t")
eps = reals("eps")
"""
OPS = {
    "linear": """
x, w, bias, y = array("x", B, C), array("w", D, C), array("bias", D), array("y", B, D)
X, W = tangent(x), tangent(w)
op = Op(
    "linear",
    requires=(B >= 1, C >= 1, D >= 1),
    forward=Eq(y[b, d], Sum(w[d, c] * x[b, c], (c, 0, C - 1)) + bias[d]),
    jvp=Eq(
        tangent(y)[b, d],
        Sum(W[d, c] * x[b, c] + w[d, c] * X[b, c], (c, 0, C - 1)) + tangent(bias)[d],
    ),
    vjp=(
        Eq(cotangent(x)[b, c], Sum(w[d, c] * cotangent(y)[b, d], (d, 0, D - 1))),
        Eq(cotangent(w)[d, c], Sum(cotangent(y)[b, d] * x[b, c], (b, 0, B - 1))),
        Eq(cotangent(bias)[d], Sum(1 * cotangent(y)[b, d], (b, 0, B - 1))),
    ),
)
""",
    "square": """
x, w, y = array("x", N), array("w", N, N), array("y", N)
op = Op(
    "square",
    requires=(N >= 1,),
    constants=(w,),
    forward=Eq(y[i], Sum(w[i, j] * x[j], (j, 0, N - 1))),
    jvp=Eq(tangent(y)[i], Sum(w[i, j] * tangent(x)[j], (j, 0, N - 1))),
    vjp=Eq(cotangent(x)[i], Sum(w[j, i] * cotangent(y)[j], (j, 0, N - 1))),
)
""",
    "mean": """
x, y = array("x", B, N), array("y", B)
op = Op(
    "mean",
    requires=(B >= 1, N >= 1),
    forward=Eq(y[b], Sum(x[b, j], (j, 0, N - 1)) / N),
    jvp=Eq(tangent(y)[b], Sum(tangent(x)[b, j], (j, 0, N - 1)) / N),
    vjp=Eq(cotangent(x)[b, j], cotangent(y)[b] / N),
)
""",
    "pool": """
m = floor_div(n + 2 * p - k, s) + 1
x, y = array("x", n), array("y", m)
covering = (o, Max(0, ceil_div(i + p - k + 1, s)), Min(m - 1, floor_div(i + p, s)))
op = Op(
    "pool",
    requires=(n >= 1, k >= 1, s >= 1, p >= 0, n + 2 * p >= k),
    forward=Eq(y[o], Sum(zero_padded(x)[s * o + j - p], (j, 0, k - 1)) / k),
    jvp=Eq(tangent(y)[o], Sum(zero_padded(tangent(x))[s * o + j - p], (j, 0, k - 1)) / k),
    vjp=Eq(cotangent(x)[i], Sum(cotangent(y)[o], covering) / k),
    windows=Windows(count=m, size=n + 2 * p, extent=k, stride=s),
)
""",
    "norm": """
x, y = array("x", B, N), array("y", B)
length = sqrt(Sum(x[b, j] ** 2, (j, 0, N - 1)) + eps)
op = Op(
    "norm",
    requires=(B >= 1, N >= 1, eps > 0),
    forward=Eq(y[b], length),
    jvp=Eq(tangent(y)[b], Sum(x[b, j] * tangent(x)[b, j], (j, 0, N - 1)) / length),
    vjp=Eq(cotangent(x)[b, i], x[b, i] * cotangent(y)[b] / length),
)
""",
    "cube": """
x, y = array("x", N), array("y", N)
op = Op(
    "cube",
    requires=(N >= 1,),
    forward=Eq(y[i], x[i] ** 3),
    jvp=Eq(tangent(y)[i], 3 * x[i] ** 2 * tangent(x)[i]),
    vjp=Eq(cotangent(x)[i], 3 * x[i] ** 2 * cotangent(y)[i]),
)
""",
    "loss": """
x, target, loss = array("x", N), array("target", N), array("loss")
op = Op(
    "loss",
    requires=(N >= 1,),
    constants=(target,),
    forward=Eq(loss[()], Sum((x[i] - target[i]) ** 2, (i, 0, N - 1)) / N),
    jvp=Eq(
        tangent(loss)[()], Sum(2 * (x[i] - target[i]) * tangent(x)[i], (i, 0, N - 1)) / N
    ),
    vjp=Eq(cotangent(x)[i], 2 * (x[i] - target[i]) * cotangent(loss)[()] / N),
)
""",
    "upsample": """
x, y = array("x", n), array("y", n * s)
op = Op(
    "upsample",
    requires=(n >= 1, s >= 1),
    forward=Eq(y[o], x[floor_div(o, s)]),
    jvp=Eq(tangent(y)[o], tangent(x)[floor_div(o, s)]),
    vjp=Eq(cotangent(x)[i], Sum(cotangent(y)[s * i + j], (j, 0, s - 1))),
)
""",
    "product": """
x, w, y = array("x", N), array("w", N), array("y", N)
op = Op(
    "product",
    requires=(N >= 1,),
    forward=Eq(y[i], x[i] * w[i]),
    jvp=Eq(tangent(y)[i], tangent(x)[i] * w[i] + x[i] * tangent(w)[i]),
    vjp=(Eq(cotangent(x)[i], w[i] * cotangent(y)[i]), Eq(cotangent(w)[i], x[i] * cotangent(y)[i])),
)
""",
    "relu": """
x, y = array("x", N), array("y", N)
op = Op(
    "relu",
    requires=(N >= 1,),
    forward=Eq(y[i], Max(x[i], 0)),
    jvp=Eq(tangent(y)[i], bracket(x[i] > 0) * tangent(x)[i]),
    vjp=Eq(cotangent(x)[i], bracket(x[i] > 0) * cotangent(y)[i]),
)
""",
    "larger": """
x, w, y = array("x", N), array("w", N), array("y", N)
op = Op(
    "larger",
    requires=(N >= 1,),
    forward=Eq(y[i], Max(x[i], w[i])),
    jvp=Eq(tangent(y)[i], If(x[i] >= w[i], tangent(x)[i], tangent(w)[i])),
    vjp=(
        Eq(cotangent(x)[i], bracket(x[i] >= w[i]) * cotangent(y)[i]),
        Eq(cotangent(w)[i], bracket(x[i] < w[i]) * cotangent(y)[i]),
    ),
)
""",
    "amax": """
x, y = array("x", B, N), array("y", B)
largest = maximum(x[b, j], (j, 0, N - 1))
first = bracket(winner(j, x[b, i], (i, 0, N - 1)))
op = Op(
    "amax",
    requires=(B >= 1, N >= 1),
    forward=Eq(y[b], largest),
    jvp=Eq(tangent(y)[b], Sum(first * tangent(x)[b, j], (j, 0, N - 1))),
    vjp=Eq(cotangent(x)[b, j], first * cotangent(y)[b]),
)
""",
}
TERM, MANY = "a missing term: ", "a term too many, or a wrong index: "
WEIGHT, SIGN = "the weight: ", "the sign"
ACCESS, UNDEFINED, LINEAR = "the access", "must hold", "doubles the result"
BIAS, WX, XW = "vjp bias_bar", "vjp w_bar", "vjp x_bar"

# The op, what is written instead of what, the theorem that fails, and what is said of it.
MISTAKES = [
    ("linear", "Sum(1 * cotangent(y)[b, d], (b, 0, B - 1))", "cotangent(y)[0, d]", BIAS, TERM),
    ("linear", "Sum(1 * cotangent(y)[b, d], (b, 0, B - 1))", "cotangent(y)[B - 1, d]", BIAS, TERM),
    (
        "linear",
        "1 * cotangent(y)[b, d], (b, 0, B - 1)",
        "cotangent(y)[b, d], (b, 1, B - 1)",
        BIAS,
        TERM,
    ),
    ("linear", "1 * cotangent(y)[b, d]", "cotangent(y)[b, d] / B", BIAS, WEIGHT),
    ("linear", "1 * cotangent(y)[b, d]", "-1 * cotangent(y)[b, d]", BIAS, SIGN),
    ("linear", " + tangent(bias)[d]", "", "jvp by bias", TERM),
    ("linear", "W[d, c] * x[b, c] + ", "", "jvp by w", TERM),
    ("linear", "x[b, c], (b, 0", "x[0, c], (b, 0", WX, WEIGHT),
    ("linear", "x[b, c], (b, 0", "x[b, 0], (b, 0", WX, WEIGHT),
    ("linear", "Sum(w[d, c] * cot", "Sum(w[d, 0] * cot", XW, WEIGHT),
    ("linear", "Sum(w[d, c] * cot", "Sum(w[c, d] * cot", f"{XW}: reads and writes", ACCESS),
    ("square", "w[j, i]", "w[i, j]", XW, WEIGHT),
    ("square", "Sum(w[i, j] * tangent", "Sum(w[j, i] * tangent", "jvp by x", WEIGHT),
    ("mean", "cotangent(y)[b] / N", "cotangent(y)[b]", XW, WEIGHT),
    ("mean", "cotangent(y)[b] / N", "cotangent(y)[b] / (N + 1)", XW, WEIGHT),
    ("mean", "cotangent(y)[b] / N", "cotangent(y)[b] / (N * N)", XW, WEIGHT),
    ("mean", "cotangent(y)[b] / N", "cotangent(y)[b] / B", XW, WEIGHT),
    ("mean", "cotangent(y)[b] / N", "cotangent(y)[0] / N", XW, MANY),
    ("mean", "cotangent(y)[b] / N", "cotangent(y)[b] / N + 1", f"{XW} is linear", LINEAR),
    (
        "mean",
        "cotangent(y)[b] / N",
        "cotangent(y)[b] / (N - 1)",
        f"{XW}: divisors and logarithms",
        UNDEFINED,
    ),
    ("pool", "covering) / k", "covering) / s", XW, WEIGHT),
    ("pool", "covering) / k", "covering)", XW, WEIGHT),
    ("pool", "i + p - k + 1", "i + p - k + 2", XW, TERM),
    ("pool", "i + p - k + 1", "i + p - k", XW, MANY),
    (
        "pool",
        "Min(m - 1, floor_div(i + p, s))",
        "floor_div(i + p, s)",
        f"{XW}: reads and writes",
        ACCESS,
    ),
    (
        "pool",
        "Max(0, ceil_div(i + p - k + 1, s))",
        "ceil_div(i + p - k + 1, s)",
        f"{XW}: reads and writes",
        ACCESS,
    ),
    ("pool", "tangent(x))[s * o + j - p]", "tangent(x))[s * o + j]", "jvp by x", MANY),
    ("pool", "tangent(x))[s * o + j - p]", "tangent(x))[o + j - p]", "jvp by x", MANY),
    ("pool", "- k, s) + 1", "- k - 1, s) + 1", "one more window does not fit", UNDEFINED),
    ("norm", "cotangent(y)[b] / length", "cotangent(y)[b] / length**2", XW, WEIGHT),
    ("norm", "x[b, i] * cot", "2 * x[b, i] * cot", XW, WEIGHT),
    ("norm", "cotangent(y)[b] / length", "cotangent(y)[b]", XW, WEIGHT),
    ("cube", "3 * x[i] ** 2 * cotangent", "x[i] ** 2 * cotangent", XW, WEIGHT),
    ("cube", "3 * x[i] ** 2 * cotangent", "3 * x[i] * cotangent", XW, SIGN),
    ("cube", "3 * x[i] ** 2 * tangent", "3 * x[i] ** 3 * tangent", "jvp by x", SIGN),
    ("loss", "2 * (x[i] - target[i]) * cot", "(x[i] - target[i]) * cot", XW, WEIGHT),
    ("loss", "2 * (x[i] - target[i]) * cot", "2 * (target[i] - x[i]) * cot", XW, SIGN),
    ("loss", "cotangent(loss)[()] / N", "cotangent(loss)[()]", XW, WEIGHT),
    ("upsample", "Sum(cotangent(y)[s * i + j], (j, 0, s - 1))", "cotangent(y)[s * i]", XW, TERM),
    ("upsample", "(j, 0, s - 1)", "(j, 0, s - 2)", XW, TERM),
    ("upsample", "(j, 0, s - 1)", "(j, 0, s)", f"{XW}: reads and writes", ACCESS),
    ("product", "w[i] * cotangent", "x[i] * cotangent", XW, WEIGHT),
    ("product", " + x[i] * tangent(w)[i]", "", "jvp by w", TERM),
    ("relu", "bracket(x[i] > 0) * cot", "1 * cot", XW, WEIGHT),
    ("relu", "bracket(x[i] > 0) * cot", "bracket(x[i] < 0) * cot", XW, "the mistake"),
    (
        "relu",
        "bracket(x[i] > 0) * cot",
        "If(Eq(x[i], 0), 7, bracket(x[i] > 0)) * cot",
        "vjp where branches meet",
        "branches give",
    ),
    (
        "larger",
        "bracket(x[i] < w[i])",
        "bracket(x[i] <= w[i])",
        "vjp where branches meet",
        "branches give",
    ),
    (
        "amax",
        "first * cot",
        "bracket(Eq(x[b, j], largest)) * cot",
        "x_bar at ties: weights sum to 1",
        "share it",
    ),
]


MOST_SECONDS = 5  # of processor time; the slowest takes a tenth of one


def built(text: str) -> Op:
    names: dict[str, object] = {}
    exec(text, names)
    op = names["op"]
    assert isinstance(op, Op)
    return op


@pytest.mark.parametrize(("name", "right", "wrong", "theorem", "said"), MISTAKES)
def test_a_mistake_is_refuted_and_told(name, right, wrong, theorem, said):
    text = HEAD + OPS[name]
    assert text.count(right) == 1
    op = built(text.replace(right, wrong))
    asked = next(th for th in obligations(op) if th.name == theorem)
    start = process_time()
    finding = settled(asked, RLIMIT)
    assert finding.status == "refuted"
    assert process_time() - start < MOST_SECONDS
    told = lesson(op, asked, labelled(op.name, asked, finding)).text
    assert told[0].startswith("the equation  ")
    assert any(said in line for line in told), told
