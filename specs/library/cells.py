"""Recurrent cells, with gates that are computed before, and networks of them over time."""

from typing import Any

from gradproof.language import (
    Eq,
    If,
    Max,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    integers,
    sigmoid,
    tanh,
    zero_padded,
)

# One step; `i`, `f`, `g`, `o` are what goes into the gates.

N, n = integers("N n")
to_i, to_f, to_g, to_o, c = (array(name, N) for name in ("i", "f", "g", "o", "c"))
take, keep, new, give = (array(name, N) for name in ("take", "keep", "new", "give"))
state, y, squashed = array("state", N), array("y", N), array("squashed", N)
state_all = cotangent(state, "all")

lstm_cell = Op(
    "lstm_cell",
    let=(
        Eq(take[n], sigmoid(to_i[n])),
        Eq(keep[n], sigmoid(to_f[n])),
        Eq(new[n], tanh(to_g[n])),
        Eq(give[n], sigmoid(to_o[n])),
        Eq(squashed[n], tanh(state[n])),
    ),
    forward=(
        Eq(state[n], keep[n] * c[n] + take[n] * new[n]),
        Eq(y[n], give[n] * squashed[n]),
    ),
    vjp=(
        Eq(
            state_all[n],
            cotangent(state)[n] + cotangent(y)[n] * give[n] * (1 - squashed[n] ** 2),
        ),
        Eq(cotangent(to_i)[n], state_all[n] * new[n] * take[n] * (1 - take[n])),
        Eq(cotangent(to_f)[n], state_all[n] * c[n] * keep[n] * (1 - keep[n])),
        Eq(cotangent(to_g)[n], state_all[n] * take[n] * (1 - new[n] ** 2)),
        Eq(cotangent(to_o)[n], cotangent(y)[n] * squashed[n] * give[n] * (1 - give[n])),
        Eq(cotangent(c)[n], state_all[n] * keep[n]),
    ),
    doc="The gates of an LSTM: its new state and what it gives out. PyTorch: `nn.LSTMCell`.",
)

# A GRU: the new state from the old one, by a gate that resets and one that updates.

to_r, to_z, to_n, of_h, h = (array(name, N) for name in ("r", "z", "g", "u", "h"))
reset, update, fresh = array("reset", N), array("update", N), array("fresh", N)
fresh_bar = cotangent(fresh)

gru_cell = Op(
    "gru_cell",
    let=(
        Eq(reset[n], sigmoid(to_r[n])),
        Eq(update[n], sigmoid(to_z[n])),
        Eq(fresh[n], tanh(to_n[n] + reset[n] * of_h[n])),
    ),
    forward=Eq(y[n], (1 - update[n]) * fresh[n] + update[n] * h[n]),
    vjp=(
        Eq(fresh_bar[n], cotangent(y)[n] * (1 - update[n]) * (1 - fresh[n] ** 2)),
        Eq(cotangent(to_n)[n], fresh_bar[n]),
        Eq(cotangent(of_h)[n], fresh_bar[n] * reset[n]),
        Eq(cotangent(to_r)[n], fresh_bar[n] * of_h[n] * reset[n] * (1 - reset[n])),
        Eq(
            cotangent(to_z)[n],
            cotangent(y)[n] * (h[n] - fresh[n]) * update[n] * (1 - update[n]),
        ),
        Eq(cotangent(h)[n], cotangent(y)[n] * update[n]),
    ),
    doc="The gates of a GRU. PyTorch: `nn.GRUCell`.",
)

# Over time: what comes in at each step, and the state before it, by a matrix.

T, t, m, k = integers("T t m k")
x, U, hidden = array("x", T, N), array("U", N, N), array("y", T, N)
units, steps = (m, 0, N - 1), (t, 0, T - 1)
hidden_bar, hidden_all = cotangent(hidden), cotangent(hidden, "all")
sums = array("sums", T, N)
sums_bar = cotangent(sums)

rnn = Op(
    "rnn",
    requires=(T >= 1, N >= 1),
    let=(Eq(sums[t, n], x[t, n] + Sum(U[n, m] * zero_padded(hidden)[t - 1, m], units)),),
    forward=Eq(hidden[t, n], tanh(sums[t, n])),
    vjp=(
        Eq(
            hidden_all[t, n],
            hidden_bar[t, n] + Sum(zero_padded(sums_bar)[t + 1, m] * U[m, n], units),
        ),
        Eq(sums_bar[t, n], hidden_all[t, n] * (1 - hidden[t, n] ** 2)),
        Eq(cotangent(x)[t, n], sums_bar[t, n]),
        Eq(cotangent(U)[n, m], Sum(sums_bar[t, n] * zero_padded(hidden)[t - 1, m], steps)),
    ),
    doc="A recurrent network of tanh, its input already multiplied by its weight. "
    "PyTorch: `nn.RNN`.",
)

# The gates in PyTorch's order: what to take in, what to keep, what is new, what to give out.

wide, matrices, gates = array("x", T, 4, N), array("U", 4, N, N), array("gates", T, 4, N)
gates_bar = cotangent(gates)
inner, inner_all = array("state", T, N), cotangent(array("state", T, N), "all")
taking, keeping, giving = (sigmoid(gates[t, k, n]) for k in (0, 1, 3))
newly, shown = tanh(gates[t, 2, n]), tanh(inner[t, n])
kept = zero_padded(inner)[t - 1, n]
kept_later = bracket(t + 1 < T) * sigmoid(zero_padded(gates)[t + 1, 1, n])

lstm = Op(
    "lstm",
    requires=(T >= 1, N >= 1),
    let=(
        Eq(
            gates[t, k, n],
            wide[t, k, n] + Sum(matrices[k, n, m] * zero_padded(hidden)[t - 1, m], units),
        ),
    ),
    forward=(
        Eq(inner[t, n], keeping * kept + taking * newly),
        Eq(hidden[t, n], giving * shown),
    ),
    vjp=(
        Eq(
            hidden_all[t, n],
            hidden_bar[t, n]
            + Sum(zero_padded(gates_bar)[t + 1, k, m] * matrices[k, m, n], (k, 0, 3), units),
        ),
        Eq(
            inner_all[t, n],
            cotangent(inner)[t, n]
            + hidden_all[t, n] * giving * (1 - shown**2)
            + zero_padded(inner_all)[t + 1, n] * kept_later,
        ),
        Eq(
            gates_bar[t, k, n],
            If(
                Eq(k, 0),
                inner_all[t, n] * newly * taking * (1 - taking),
                If(
                    Eq(k, 1),
                    inner_all[t, n] * kept * keeping * (1 - keeping),
                    If(
                        Eq(k, 2),
                        inner_all[t, n] * taking * (1 - newly**2),
                        hidden_all[t, n] * shown * giving * (1 - giving),
                    ),
                ),
            ),
        ),
        Eq(cotangent(wide)[t, k, n], gates_bar[t, k, n]),
        Eq(
            cotangent(matrices)[k, n, m],
            Sum(gates_bar[t, k, n] * zero_padded(hidden)[t - 1, m], steps),
        ),
    ),
    doc="An LSTM over time, its input already multiplied by its weight: its states and what it "
    "gives out. PyTorch: `nn.LSTM`.",
)

# The gates in PyTorch's order: what resets, what updates, what is new.

each, weights, seen = array("x", T, 3, N), array("U", 3, N, N), array("seen", T, 3, N)
resets, updates, news = (array(name, T, N) for name in ("resets", "updates", "news"))
seen_bar, resets_bar, updates_bar, news_bar = map(cotangent, (seen, resets, updates, news))
earlier = zero_padded(hidden)[t - 1, n]
new_sum = news_bar[t, n] * (1 - news[t, n] ** 2)


def into_gates(new: Any) -> Any:
    """What comes back to what goes into the gates, given that of the new state."""
    reset = resets_bar[t, n] * resets[t, n] * (1 - resets[t, n])
    update = updates_bar[t, n] * updates[t, n] * (1 - updates[t, n])
    return If(Eq(k, 0), reset, If(Eq(k, 1), update, new))


gru = Op(
    "gru",
    requires=(T >= 1, N >= 1),
    let=(
        Eq(seen[t, k, n], Sum(weights[k, n, m] * zero_padded(hidden)[t - 1, m], units)),
        Eq(resets[t, n], sigmoid(each[t, 0, n] + seen[t, 0, n])),
        Eq(updates[t, n], sigmoid(each[t, 1, n] + seen[t, 1, n])),
        Eq(news[t, n], tanh(each[t, 2, n] + resets[t, n] * seen[t, 2, n])),
    ),
    forward=Eq(hidden[t, n], (1 - updates[t, n]) * news[t, n] + updates[t, n] * earlier),
    vjp=(
        Eq(
            hidden_all[t, n],
            hidden_bar[t, n]
            + zero_padded(updates)[t + 1, n] * zero_padded(hidden_all)[t + 1, n]
            + Sum(zero_padded(seen_bar)[t + 1, k, m] * weights[k, m, n], (k, 0, 2), units),
        ),
        Eq(news_bar[t, n], hidden_all[t, n] * (1 - updates[t, n])),
        Eq(updates_bar[t, n], hidden_all[t, n] * (earlier - news[t, n])),
        Eq(resets_bar[t, n], new_sum * seen[t, 2, n]),
        Eq(seen_bar[t, k, n], into_gates(new_sum * resets[t, n])),
        Eq(cotangent(each)[t, k, n], into_gates(new_sum)),
        Eq(
            cotangent(weights)[k, n, m],
            Sum(seen_bar[t, k, n] * zero_padded(hidden)[t - 1, m], steps),
        ),
    ),
    doc="A GRU over time, its input already multiplied by its weight. PyTorch: `nn.GRU`.",
)

# A ReLU instead of the tanh: what comes back goes through the units that give something out.

relu_rnn = Op(
    "relu_rnn",
    requires=(T >= 1, N >= 1),
    let=(Eq(sums[t, n], x[t, n] + Sum(U[n, m] * zero_padded(hidden)[t - 1, m], units)),),
    forward=Eq(hidden[t, n], Max(sums[t, n], 0)),
    vjp=(
        Eq(
            hidden_all[t, n],
            hidden_bar[t, n] + Sum(zero_padded(sums_bar)[t + 1, m] * U[m, n], units),
        ),
        Eq(sums_bar[t, n], hidden_all[t, n] * bracket(hidden[t, n] > 0)),
        Eq(cotangent(x)[t, n], sums_bar[t, n]),
        Eq(cotangent(U)[n, m], Sum(sums_bar[t, n] * zero_padded(hidden)[t - 1, m], steps)),
    ),
    doc="A recurrent network of ReLUs, its input already multiplied by its weight. "
    'PyTorch: `nn.RNN(nonlinearity="relu")`.',
)
