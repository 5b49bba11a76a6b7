"""Attention: each query's average of the values, weighted by the softmax of its scores."""

from typing import Any

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    Max,
    Min,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    exp,
    integers,
    sqrt,
    tangent,
)

G, Q, K, D, V = integers("G Q K D V")  # heads, queries, keys, features of a key, of a value
g, q, k, d, v, j, e, f, t = integers("g q k d v j e f t")
query, key, value = array("query", G, Q, D), array("key", G, K, D), array("value", G, K, V)
y = array("y", G, Q, V)
query_dot, key_dot, value_dot, y_dot = map(tangent, (query, key, value, y))
query_bar, key_bar, value_bar, y_bar = map(cotangent, (query, key, value, y))
requires = (G >= 1, Q >= 1, K >= 1, D >= 1, V >= 1)


def attention_of(name: Any, first: Any, last: Any, doc: Any, requires: Any = requires) -> Any:
    """Attention of each head; query q sees the keys from `first(q)` to `last(q)`."""
    root = sqrt(D)
    seen = (j, first(q), last(q))

    def strength(q: Any, k: Any) -> Any:
        return exp(Sum(query[g, q, e] * key[g, k, e], (e, 0, D - 1)) / root)

    def weight(q: Any, k: Any) -> Any:
        return strength(q, k) / Sum(strength(q, j), seen)

    def through_softmax(change: Any) -> Any:
        return weight(q, k) * (change(k) - Sum(weight(q, j) * change(j), seen))

    def score_dot(k: Any) -> Any:
        moved = query_dot[g, q, e] * key[g, k, e] + query[g, q, e] * key_dot[g, k, e]
        return Sum(moved, (e, 0, D - 1)) / root

    def weight_bar(k: Any) -> Any:
        return Sum(y_bar[g, q, f] * value[g, k, f], (f, 0, V - 1))

    score_bar = through_softmax(weight_bar)
    keys, queries = (k, first(q), last(q)), (q, 0, Q - 1)
    sees = bracket((first(q) <= k) & (k <= last(q)))
    moved = through_softmax(score_dot) * value[g, k, v] + weight(q, k) * value_dot[g, k, v]
    return Op(
        name,
        requires=requires,
        forward=Eq(y[g, q, v], Sum(weight(q, k) * value[g, k, v], keys)),
        jvp=Eq(y_dot[g, q, v], Sum(moved, keys)),
        vjp=(
            Eq(query_bar[g, q, d], Sum(score_bar * key[g, k, d], keys) / root),
            Eq(key_bar[g, k, d], Sum(sees * score_bar * query[g, q, d], queries) / root),
            Eq(value_bar[g, k, v], Sum(sees * weight(q, k) * y_bar[g, q, v], queries)),
        ),
        doc=doc,
    )


multi_head_attention = attention_of(
    "multi_head_attention",
    lambda q: 0,
    lambda q: K - 1,
    "Scaled dot-product attention of any number of heads. "
    "PyTorch: `nn.functional.scaled_dot_product_attention`.",
)

causal_attention = attention_of(
    "causal_attention",
    lambda q: 0,
    lambda q: Min(q, K - 1),
    "Attention to keys up to the query's own place. "
    "PyTorch: `nn.functional.scaled_dot_product_attention(is_causal=True)`.",
)

window = integers("window")

sliding_window_attention = attention_of(
    "sliding_window_attention",
    lambda q: Max(0, q - window + 1),
    lambda q: q,
    "Attention to the last few keys, the query's own among them, as many keys as queries. "
    "PyTorch: `nn.functional.scaled_dot_product_attention` with a band as its mask.",
    requires=(*requires, window >= 1, Q <= K),
)

# Without softmax.

linear_attention = Op(
    "linear_attention",
    requires=requires,
    forward=Eq(
        y[g, q, v],
        Sum(query[g, q, d] * key[g, k, d] * value[g, k, v], (k, 0, K - 1), (d, 0, D - 1)),
    ),
    jvp=Eq(
        y_dot[g, q, v],
        Sum(
            query_dot[g, q, d] * key[g, k, d] * value[g, k, v]
            + query[g, q, d] * key_dot[g, k, d] * value[g, k, v]
            + query[g, q, d] * key[g, k, d] * value_dot[g, k, v],
            *((k, 0, K - 1), (d, 0, D - 1)),
        ),
    ),
    vjp=(
        Eq(
            query_bar[g, q, d],
            Sum(y_bar[g, q, v] * key[g, k, d] * value[g, k, v], (k, 0, K - 1), (v, 0, V - 1)),
        ),
        Eq(
            key_bar[g, k, d],
            Sum(y_bar[g, q, v] * query[g, q, d] * value[g, k, v], (q, 0, Q - 1), (v, 0, V - 1)),
        ),
        Eq(
            value_bar[g, k, v],
            Sum(y_bar[g, q, v] * query[g, q, d] * key[g, k, d], (q, 0, Q - 1), (d, 0, D - 1)),
        ),
    ),
    doc="Attention with the scores themselves as weights. PyTorch: `query @ key.mT @ value`.",
)

# Online: what two blocks of keys give, from what each gave alone, by the masses that were kept.

R, r = integers("R r")
out1, out2 = array("first", R, V), array("second", R, V)
log1, log2 = array("first_mass", R), array("second_mass", R)
merged = array("y", R, V)
share = 1 / (1 + exp(log2[r] - log1[r]))
apart = Sum(cotangent(merged)[r, f] * (out1[r, f] - out2[r, f]), (f, 0, V - 1))

online_attention = Op(
    "online_attention",
    requires=(R >= 1, V >= 1),
    forward=Eq(
        merged[r, v],
        (exp(log1[r]) * out1[r, v] + exp(log2[r]) * out2[r, v]) / (exp(log1[r]) + exp(log2[r])),
    ),
    vjp=(
        Eq(cotangent(out1)[r, v], share * cotangent(merged)[r, v]),
        Eq(cotangent(out2)[r, v], (1 - share) * cotangent(merged)[r, v]),
        Eq(cotangent(log1)[r], share * (1 - share) * apart),
        Eq(cotangent(log2)[r], -share * (1 - share) * apart),
    ),
    claims=(
        Claim(
            "with the larger mass taken out",
            ForAll(
                Eq(
                    merged[r, v],
                    (
                        exp(log1[r] - Max(log1[r], log2[r])) * out1[r, v]
                        + exp(log2[r] - Max(log1[r], log2[r])) * out2[r, v]
                    )
                    / (exp(log1[r] - Max(log1[r], log2[r])) + exp(log2[r] - Max(log1[r], log2[r]))),
                ),
                *((r, 0, R - 1), (v, 0, V - 1)),
            ),
        ),
    ),
    doc="The step of flash attention: what two blocks of keys give, by the logarithms of their "
    "masses. JAX: `jax.nn.sigmoid(m1 - m2) * o1 + jax.nn.sigmoid(m2 - m1) * o2`.",
)

# Rotary embedding: pairs of features turned by given angles.

x, cosine, sine, turned = (
    array("x", Q, D, 2),
    array("cosine", Q, D),
    array("sine", Q, D),
    array("y", Q, D, 2),
)
x_dot, x_bar, turned_dot, turned_bar = tangent(x), cotangent(x), tangent(turned), cotangent(turned)


def turn(x: Any, sign: Any) -> Any:
    """Half 0 of a pair and half 1, by the angle or back."""
    other = x[q, d, 1 - t]
    side = 2 * t - 1  # -1 for half 0, 1 for half 1
    return cosine[q, d] * x[q, d, t] + sign * side * sine[q, d] * other


rotary_embedding = Op(
    "rotary_embedding",
    requires=(Q >= 1, D >= 1),
    constants=(cosine, sine),
    forward=Eq(turned[q, d, t], turn(x, 1)),
    jvp=Eq(turned_dot[q, d, t], turn(x_dot, 1)),
    vjp=Eq(x_bar[q, d, t], turn(turned_bar, -1)),
    doc="Pairs of features, each turned by its angle. "
    "PyTorch: `torch.view_as_real(torch.view_as_complex(x) * torch.polar(one, angle))`.",
)
