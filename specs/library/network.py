"""What stands between the layers of a network: activations, sums, reshapings, norms, attention."""

from collections.abc import Callable
from typing import Any

from gradproof.language import (
    Eq,
    If,
    Max,
    Ne,
    Op,
    Sum,
    array,
    axes,
    cotangent,
    exp,
    floor_div,
    integers,
    mod,
    product,
    reals,
    sqrt,
    tangent,
)

# Cell by cell, on any number of axes.

n, i = axes("n i")
factor, keep = reals("factor keep")
x, y, a, b, mask = (array(name, n) for name in ("x", "y", "a", "b", "mask"))
x_dot, y_dot, a_dot, b_dot = map(tangent, (x, y, a, b))
x_bar, y_bar, a_bar, b_bar = map(cotangent, (x, y, a, b))


def by_cell(name: str, value: Any, slope: Any, requires: Any = (), constants: Any = ()) -> Op:
    """An op whose derivative by its one input is known at each cell."""
    return Op(
        name,
        requires=requires,
        constants=constants,
        forward=Eq(y[i], value),
        jvp=Eq(y_dot[i], slope * x_dot[i]),
        vjp=Eq(x_bar[i], slope * y_bar[i]),
    )


relu = Op(
    "relu",
    forward=Eq(y[i], Max(0, x[i])),
    jvp=Eq(y_dot[i], If(x[i] > 0, x_dot[i], 0)),
    vjp=Eq(x_bar[i], If(x[i] > 0, y_bar[i], 0)),
    scope="ranks 1 to 3",
)
sigmoid = by_cell("sigmoid", 1 / (1 + exp(-x[i])), y[i] * (1 - y[i]))
silu = by_cell(
    "silu", x[i] / (1 + exp(-x[i])), (1 + exp(-x[i]) * (1 + x[i])) / (1 + exp(-x[i])) ** 2
)
tanh = by_cell("tanh", 1 - 2 / (1 + exp(2 * x[i])), 1 - y[i] ** 2)
scale = by_cell("scale", factor * x[i], factor, requires=(Ne(factor, 0),))
dropout = by_cell(
    "dropout", mask[i] * x[i] / keep, mask[i] / keep, requires=(keep > 0,), constants=(mask,)
)

add = Op(
    "add",
    forward=Eq(y[i], a[i] + b[i]),
    jvp=Eq(y_dot[i], a_dot[i] + b_dot[i]),
    vjp=(Eq(a_bar[i], y_bar[i]), Eq(b_bar[i], y_bar[i])),
)

multiply = Op(
    "multiply",
    forward=Eq(y[i], a[i] * b[i]),
    jvp=Eq(y_dot[i], a_dot[i] * b[i] + a[i] * b_dot[i]),
    vjp=(Eq(a_bar[i], y_bar[i] * b[i]), Eq(b_bar[i], y_bar[i] * a[i])),
)

# From one shape to another.

C, H, W, c, h, w, f = integers("C H W c h w f")
image, row = array("x", C, H, W), array("y", C * H * W)

flatten = Op(
    "flatten",
    requires=(C >= 1, H >= 1, W >= 1),
    forward=Eq(row[f], image[floor_div(floor_div(f, W), H), mod(floor_div(f, W), H), mod(f, W)]),
    jvp=Eq(
        tangent(row)[f],
        tangent(image)[floor_div(floor_div(f, W), H), mod(floor_div(f, W), H), mod(f, W)],
    ),
    vjp=Eq(cotangent(image)[c, h, w], cotangent(row)[(c * H + h) * W + w]),
)

A, B = integers("A B")
first, second, both = array("a", A, H, W), array("b", B, H, W), array("y", A + B, H, W)


def joined(first: Any, second: Any) -> Any:
    return If(c < A, first[c, h, w], second[c - A, h, w])


concat = Op(
    "concat",
    requires=(A >= 1, B >= 1, H >= 1, W >= 1),
    forward=Eq(both[c, h, w], joined(first, second)),
    jvp=Eq(tangent(both)[c, h, w], joined(tangent(first), tangent(second))),
    vjp=(
        Eq(cotangent(first)[c, h, w], cotangent(both)[c, h, w]),
        Eq(cotangent(second)[c, h, w], cotangent(both)[c + A, h, w]),
    ),
)

T, D, heads, t, d, e = integers("T D heads t d e")
together, apart = array("x", T, heads * D), array("y", heads, T, D)

split_heads = Op(
    "split_heads",
    requires=(T >= 1, D >= 1, heads >= 1),
    forward=Eq(apart[h, t, d], together[t, h * D + d]),
    jvp=Eq(tangent(apart)[h, t, d], tangent(together)[t, h * D + d]),
    vjp=Eq(cotangent(together)[t, e], cotangent(apart)[floor_div(e, D), t, mod(e, D)]),
)

apart, together = array("x", heads, T, D), array("y", T, heads * D)

merge_heads = Op(
    "merge_heads",
    requires=(T >= 1, D >= 1, heads >= 1),
    forward=Eq(together[t, e], apart[floor_div(e, D), t, mod(e, D)]),
    jvp=Eq(tangent(together)[t, e], tangent(apart)[floor_div(e, D), t, mod(e, D)]),
    vjp=Eq(cotangent(apart)[h, t, d], cotangent(together)[t, h * D + d]),
)

# Linear maps.

M, N, R, m, k, r, j, q = integers("M N R m k r j q")
weight, bias = array("W", M, N), array("b", M)
vector, image_of = array("x", N), array("y", M)

linear = Op(
    "linear",
    requires=(M >= 1, N >= 1),
    forward=Eq(image_of[m], bias[m] + Sum(weight[m, k] * vector[k], (k, 0, N - 1))),
    jvp=Eq(
        tangent(image_of)[m],
        tangent(bias)[m]
        + Sum(weight[m, k] * tangent(vector)[k] + tangent(weight)[m, k] * vector[k], (k, 0, N - 1)),
    ),
    vjp=(
        Eq(cotangent(weight)[m, k], cotangent(image_of)[m] * vector[k]),
        Eq(cotangent(bias)[m], cotangent(image_of)[m]),
        Eq(cotangent(vector)[k], Sum(weight[m, k] * cotangent(image_of)[m], (m, 0, M - 1))),
    ),
)

rows, images = array("x", R, N), array("y", R, M)

linear_rows = Op(
    "linear_rows",
    requires=(R >= 1, M >= 1, N >= 1),
    forward=Eq(images[r, m], bias[m] + Sum(weight[m, k] * rows[r, k], (k, 0, N - 1))),
    jvp=Eq(
        tangent(images)[r, m],
        tangent(bias)[m]
        + Sum(
            weight[m, k] * tangent(rows)[r, k] + tangent(weight)[m, k] * rows[r, k], (k, 0, N - 1)
        ),
    ),
    vjp=(
        Eq(cotangent(weight)[m, k], Sum(cotangent(images)[r, m] * rows[r, k], (r, 0, R - 1))),
        Eq(cotangent(bias)[m], Sum(cotangent(images)[r, m], (r, 0, R - 1))),
        Eq(cotangent(rows)[r, k], Sum(weight[m, k] * cotangent(images)[r, m], (m, 0, M - 1))),
    ),
)

# Norms.

values, shares = array("x", R, N), array("y", R, N)
eps = reals("eps")
gain, shift = array("gain", N), array("bias", N)


def row_mean(term: Callable[[Any], Any]) -> Any:
    return Sum(term(k), (k, 0, N - 1)) / N


row_middle = row_mean(lambda k: values[r, k])
row_deviation = sqrt(Sum((values[r, j] - row_middle) ** 2, (j, 0, N - 1)) / N + eps)


def row_normed(m: Any) -> Any:
    return (values[r, m] - row_middle) / row_deviation


def through_norm(v: Callable[[Any], Any]) -> Any:
    along = row_normed(m) * row_mean(lambda k: v(k) * row_normed(k))
    return (v(m) - row_mean(v) - along) / row_deviation


layer_norm = Op(
    "layer_norm",
    requires=(R >= 1, N >= 1, eps > 0),
    forward=Eq(shares[r, m], gain[m] * row_normed(m) + shift[m]),
    jvp=Eq(
        tangent(shares)[r, m],
        gain[m] * through_norm(lambda k: tangent(values)[r, k])
        + tangent(gain)[m] * row_normed(m)
        + tangent(shift)[m],
    ),
    vjp=(
        Eq(cotangent(values)[r, m], through_norm(lambda k: gain[k] * cotangent(shares)[r, k])),
        Eq(cotangent(gain)[m], Sum(cotangent(shares)[r, m] * row_normed(m), (r, 0, R - 1))),
        Eq(cotangent(shift)[m], Sum(cotangent(shares)[r, m], (r, 0, R - 1))),
    ),
)

batch = integers("batch")
s, u = integers("s u")
p, v = axes("p v")
images_in, images_out = array("x", batch, C, n), array("y", batch, C, n)
gains, shifts = array("gain", C), array("bias", C)


def mean(term: Callable[[Any, Any], Any]) -> Any:
    return Sum(term(s, p), (s, 0, batch - 1), (p, 0, n - 1)) / (batch * product(n))


middle = mean(lambda s, p: images_in[s, c, p])
spread = Sum((images_in[u, c, v] - middle) ** 2, (u, 0, batch - 1), (v, 0, n - 1))
deviation = sqrt(spread / (batch * product(n)) + eps)


def normed(r: Any, i: Any) -> Any:
    return (images_in[r, c, i] - middle) / deviation


def through_channel(moved: Any) -> Any:
    along = normed(r, i) * mean(lambda s, p: moved[s, c, p] * normed(s, p))
    return (moved[r, c, i] - mean(lambda s, p: moved[s, c, p]) - along) / deviation


places = ((s, 0, batch - 1), (p, 0, n - 1))

batch_norm = Op(
    "batch_norm",
    requires=(batch >= 1, C >= 1, n >= 1, eps > 0),
    forward=Eq(images_out[r, c, i], gains[c] * normed(r, i) + shifts[c]),
    jvp=Eq(
        tangent(images_out)[r, c, i],
        gains[c] * through_channel(tangent(images_in))
        + tangent(gains)[c] * normed(r, i)
        + tangent(shifts)[c],
    ),
    vjp=(
        Eq(cotangent(images_in)[r, c, i], gains[c] * through_channel(cotangent(images_out))),
        Eq(cotangent(gains)[c], Sum(cotangent(images_out)[s, c, p] * normed(s, p), *places)),
        Eq(cotangent(shifts)[c], Sum(cotangent(images_out)[s, c, p], *places)),
    ),
)

# Attention of each head: an average of the values, weighted by the softmax of the scores.

Q, K, V, g = integers("Q K V g")


def attention_of(name: str, queries: Any, first: Any, last: Any, requires: Any) -> Op:
    """Query q takes keys up to `last(q)`, so that key k is taken by queries from `first` on."""
    query, key, value = (
        array("query", heads, queries, D),
        array("key", heads, K, D),
        array("value", heads, K, V),
    )
    y = array("y", heads, queries, V)
    root = sqrt(D)
    keys = (k, 0, last(q))
    features = (e, 0, D - 1)

    def score(k: Any) -> Any:
        return Sum(query[h, q, e] * key[h, k, e], features) / root

    def weight(k: Any) -> Any:
        return exp(score(k)) / Sum(exp(score(j)), (j, 0, last(q)))

    def through_softmax(change: Callable[[Any], Any]) -> Any:
        return weight(k) * (change(k) - Sum(weight(j) * change(j), (j, 0, last(q))))

    def score_dot(k: Any) -> Any:
        return (
            Sum(
                tangent(query)[h, q, e] * key[h, k, e] + query[h, q, e] * tangent(key)[h, k, e],
                features,
            )
            / root
        )

    def weight_bar(k: Any) -> Any:
        return Sum(cotangent(y)[h, q, f] * value[h, k, f], (f, 0, V - 1))

    asking = (q, first, queries - 1)
    score_bar = through_softmax(weight_bar)
    return Op(
        name,
        requires=requires,
        forward=Eq(y[h, q, g], Sum(weight(k) * value[h, k, g], keys)),
        jvp=Eq(
            tangent(y)[h, q, g],
            Sum(
                through_softmax(score_dot) * value[h, k, g] + weight(k) * tangent(value)[h, k, g],
                keys,
            ),
        ),
        vjp=(
            Eq(cotangent(query)[h, q, d], Sum(score_bar * key[h, k, d], keys) / root),
            Eq(cotangent(key)[h, k, d], Sum(score_bar * query[h, q, d], asking) / root),
            Eq(cotangent(value)[h, k, g], Sum(weight(k) * cotangent(y)[h, q, g], asking)),
        ),
    )


sizes = (heads >= 1, K >= 1, D >= 1, V >= 1)
attention = attention_of("attention", Q, 0, lambda q: K - 1, (*sizes, Q >= 1))
causal_attention = attention_of("causal_attention", K, k, lambda q: q, sizes)
