"""Attention: each query's average of the values, weighted by the softmax of its scores."""

from gradproof.language import *

Q, K, D, V = integers("Q K D V")  # queries, keys, features of a key, features of a value
q, k, d, v, j, e, f = integers("q k d v j e f")
query, key, value = array("query", Q, D), array("key", K, D), array("value", K, V)
y = array("y", Q, V)
query_dot, key_dot, value_dot, y_dot = map(tangent, (query, key, value, y))
query_bar, key_bar, value_bar, y_bar = map(cotangent, (query, key, value, y))
root = sqrt(D)


def score(k):
    return Sum(query[q, e] * key[k, e], (e, 0, D - 1)) / root


def weight(k):
    return exp(score(k)) / Sum(exp(score(j)), (j, 0, K - 1))


def through_softmax(change):
    return weight(k) * (change(k) - Sum(weight(j) * change(j), (j, 0, K - 1)))


def score_dot(k):
    return Sum(query_dot[q, e] * key[k, e] + query[q, e] * key_dot[k, e], (e, 0, D - 1)) / root


def weight_bar(k):
    return Sum(y_bar[q, f] * value[k, f], (f, 0, V - 1))


score_bar = through_softmax(weight_bar)
weight_dot = through_softmax(score_dot)
keys, queries = (k, 0, K - 1), (q, 0, Q - 1)

attention = Op(
    "attention",
    requires=(Q >= 1, K >= 1, D >= 1, V >= 1),
    forward=Eq(y[q, v], Sum(weight(k) * value[k, v], keys)),
    jvp=Eq(y_dot[q, v], Sum(weight_dot * value[k, v] + weight(k) * value_dot[k, v], keys)),
    vjp=(
        Eq(query_bar[q, d], Sum(score_bar * key[k, d], keys) / root),
        Eq(key_bar[k, d], Sum(score_bar * query[q, d], queries) / root),
        Eq(value_bar[k, v], Sum(weight(k) * y_bar[q, v], queries)),
    ),
)
