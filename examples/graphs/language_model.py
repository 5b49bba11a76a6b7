"""A language model of any depth, from its tokens to the cross entropy of the next ones.

A layer is a decoder block: causal attention of several heads and a feed-forward with SiLU, each
with layer norm before it and a residual around it. `stack` repeats it, each time with weights of
its own.
"""

from fractions import Fraction

from gradproof.graphs import Graph
from gradproof.language import integers

L, T, D, F, V, heads = integers("L T D F V heads")  # layers, places, features, words
width = heads * D
eps = Fraction(1, 100_000)


def linear(g, x, name, inputs, outputs):
    weight, bias = g.input(f"{name}_weight", outputs, inputs), g.input(f"{name}_bias", outputs)
    return g.linear(x, weight, bias)


def norm(g, x, name):
    return g.layer_norm(x, g.input(f"{name}_gain", width), g.input(f"{name}_bias", width), eps)


layer = Graph("layer")
layer.assume(T >= 1, D >= 1, F >= 1, heads >= 1)
x = layer.input("x", T, width)
normed = norm(layer, x, "norm1")
query, key, value = (
    layer.split_heads(linear(layer, normed, part, width, width), heads)
    for part in ("query", "key", "value")
)
attended = layer.merge_heads(layer.attention(query, key, value, causal=True))
between = layer.add(x, linear(layer, attended, "out", width, width))
up = layer.silu(linear(layer, norm(layer, between, "norm2"), "up", width, F))
layer.output(layer.add(between, linear(layer, up, "down", F, width)))
layers = layer.stack("layers", L, x)

language_model = Graph("language_model")
g = language_model
g.assume(L >= 1, T >= 1, D >= 1, F >= 1, V >= 1, heads >= 1)
tokens, labels = g.integers("tokens", T, below=V), g.integers("labels", T, below=V)
embedded = g.embedding(tokens, g.input("words", V, width))
first = g.add(embedded, g.input("places", T, width))
weights = {w.name: g.input(w.name, L, *w.shape) for w in layer.inputs if w is not x}
last = g.apply(layers, sizes={"heads": heads}, x_first=first, **weights)
scores = linear(g, norm(g, last, "final"), "scores", width, V)
g.output(g.cross_entropy(scores, labels))
