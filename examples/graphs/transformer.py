"""Blocks of a transformer, encoder and decoder; the decoder's looks back only.

Self-attention of several heads and two linear layers, each with layer norm before it, dropout by a
given mask after it, and a residual around it.
"""

from fractions import Fraction

from gradproof.graphs import Graph
from gradproof.language import integers

T, D, F, heads = integers("T D F heads")  # places, features of a head, features between, heads
width = heads * D
eps, keep = Fraction(1, 100_000), Fraction(9, 10)


def block(name, causal):
    g = Graph(name)
    g.assume(T >= 1, D >= 1, F >= 1, heads >= 1)
    x = g.input("x", T, width)

    def linear(x, name, inputs, outputs):
        weight = g.input(f"{name}_weight", outputs, inputs)
        return g.linear(x, weight, g.input(f"{name}_bias", outputs))

    def norm(x, name):
        return g.layer_norm(x, g.input(f"{name}_gain", width), g.input(f"{name}_bias", width), eps)

    def residual(x, change, name):
        return g.add(x, g.dropout(change, g.constant(f"{name}_mask", T, width), keep))

    normed = norm(x, "norm1")
    query, key, value = (
        g.split_heads(linear(normed, part, width, width), heads)
        for part in ("query", "key", "value")
    )
    attended = g.merge_heads(g.attention(query, key, value, causal=causal))
    x = residual(x, linear(attended, "out", width, width), "attended")
    between = g.relu(linear(norm(x, "norm2"), "up", width, F))
    g.output(residual(x, linear(between, "down", F, width), "fed"))
    return g


encoder, decoder = block("encoder", False), block("decoder", True)
