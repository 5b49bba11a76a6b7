"""Reads and writes at places that an array of integers holds, or that are computed."""

from gradproof.language import (
    Claim,
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Op,
    Sum,
    Windows,
    among,
    argmax,
    array,
    bracket,
    cotangent,
    count,
    exp,
    floor_div,
    implies,
    inside,
    integer_array,
    integers,
    maximum,
    scatter,
    tangent,
    zero_padded,
)

N, V, D, n, v, d = integers("N V D n v d")  # rows taken, rows there are, features
x, y = array("x", V, D), array("y", N, D)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
index = integer_array("index", N, below=V)
taken, features = (n, 0, N - 1), (d, 0, D - 1)

embedding = Op(
    "embedding",
    requires=(V >= 1,),
    forward=Eq(y[n, d], x[index[n], d]),
    jvp=Eq(y_dot[n, d], x_dot[index[n], d]),
    vjp=scatter(x_bar[index[n], d], y_bar[n, d], taken, features),
    doc="A row of a table for each token. PyTorch: `nn.functional.embedding`.",
)

index_select = Op(
    "index_select",
    requires=(V >= 1,),
    forward=Eq(y[n, d], x[index[n], d]),
    jvp=Eq(y_dot[n, d], x_dot[index[n], d]),
    vjp=Eq(x_bar[v, d], Sum(bracket(Eq(index[n], v)) * y_bar[n, d], taken)),
    doc="Rows in a given order, its VJP as a sum over all that ask for a row. "
    "PyTorch: `torch.index_select`.",
)

skip = integers("skip")
seen = bracket(~Eq(index[n], skip))

embedding_with_padding = Op(
    "embedding_with_padding",
    requires=(skip >= 0, skip < V),
    forward=Eq(y[n, d], If(Eq(index[n], skip), 0, x[index[n], d])),
    jvp=Eq(y_dot[n, d], seen * x_dot[index[n], d]),
    vjp=scatter(x_bar[index[n], d], y_bar[n, d], taken, features, where=~Eq(index[n], skip)),
    doc="An embedding in which one token stands for nothing and has no gradient. "
    "PyTorch: `nn.functional.embedding(padding_idx=skip)`, of a table with zeros in that row.",
)

bag, bags = integers("bag bags")
of = integer_array("bag_of", N, below=bags)
pooled = array("y", bags, D)

embedding_bag = Op(
    "embedding_bag",
    requires=(V >= 1, bags >= 1),
    forward=Eq(pooled[bag, d], Sum(bracket(Eq(of[n], bag)) * x[index[n], d], taken)),
    jvp=Eq(tangent(pooled)[bag, d], Sum(bracket(Eq(of[n], bag)) * x_dot[index[n], d], taken)),
    vjp=scatter(x_bar[index[n], d], cotangent(pooled)[of[n], d], taken, features),
    doc="The sum of the rows of each bag of tokens. "
    "PyTorch: `nn.functional.embedding_bag(mode='sum')`.",
)

number = count(Eq(of[n], bag), taken)
in_bag = count(Eq(of[v], of[n]), (v, 0, N - 1))

embedding_bag_mean = Op(
    "embedding_bag_mean",
    requires=embedding_bag.requires,
    forward=Eq(
        pooled[bag, d], Sum(bracket(Eq(of[n], bag)) * x[index[n], d], taken) / Max(number, 1)
    ),
    jvp=Eq(
        tangent(pooled)[bag, d],
        Sum(bracket(Eq(of[n], bag)) * x_dot[index[n], d], taken) / Max(number, 1),
    ),
    vjp=scatter(x_bar[index[n], d], cotangent(pooled)[of[n], d] / Max(in_bag, 1), taken, features),
    doc="The mean of the rows of each bag of tokens, 0 of an empty one. "
    "PyTorch: `nn.functional.embedding_bag(mode='mean')`.",
)

# Along a row, with an index for each cell.

R, M, r, m, j = integers("R M r m j")
wide, picked, at = array("x", R, M), array("y", R, N), integer_array("index", R, N, below=M)
rows, columns = (r, 0, R - 1), (m, 0, M - 1)

gather = Op(
    "gather",
    requires=(M >= 1,),
    forward=Eq(picked[r, n], wide[r, at[r, n]]),
    jvp=Eq(tangent(picked)[r, n], tangent(wide)[r, at[r, n]]),
    vjp=scatter(cotangent(wide)[r, at[r, n]], cotangent(picked)[r, n], rows, taken),
    doc="A cell of its row for each index. PyTorch: `torch.gather(x, 1, index)`.",
)

base, source, total = array("x", R, M), array("source", R, N), array("y", R, M)
added = Sum(bracket(Eq(at[r, n], m)) * source[r, n], taken)
added_dot = Sum(bracket(Eq(at[r, n], m)) * tangent(source)[r, n], taken)

scatter_add = Op(
    "scatter_add",
    requires=(M >= 1,),
    forward=Eq(total[r, m], base[r, m] + added),
    jvp=Eq(tangent(total)[r, m], tangent(base)[r, m] + added_dot),
    vjp=(
        Eq(cotangent(base)[r, m], cotangent(total)[r, m]),
        Eq(cotangent(source)[r, n], cotangent(total)[r, at[r, n]]),
    ),
    doc="Each cell of a source added where its index says. "
    "PyTorch: `torch.scatter_add(x, 1, index, source)`.",
)

entries = array("source", N, D)
summed = array("y", V, D)

segment_sum = Op(
    "segment_sum",
    requires=(V >= 1,),
    forward=Eq(summed[v, d], Sum(bracket(Eq(index[n], v)) * entries[n, d], taken)),
    jvp=Eq(tangent(summed)[v, d], Sum(bracket(Eq(index[n], v)) * tangent(entries)[n, d], taken)),
    vjp=Eq(cotangent(entries)[n, d], cotangent(summed)[index[n], d]),
    doc="The sum of the rows of each segment: messages to nodes. JAX: `jax.ops.segment_sum`. "
    "PyTorch: `torch.zeros(V, D).index_add(0, index, source)`.",
)

# What is written over: the last one to write a row has it.

over, other, later = array("y", V, D), integers("other"), integers("later")
written = Exists(Eq(index[n], v), taken)
last = ~Exists(Eq(index[later], index[n]), (later, n + 1, N - 1))
apart = ForAll(implies(Eq(index[n], index[other]), Eq(n, other)), taken, (other, 0, N - 1))
writes = bracket(Eq(index[n], v) & last)

overwrite = Op(
    "overwrite",
    requires=(V >= 1,),
    forward=Eq(over[v, d], If(written, Sum(writes * entries[n, d], taken), x[v, d])),
    jvp=Eq(
        tangent(over)[v, d],
        If(written, Sum(writes * tangent(entries)[n, d], taken), x_dot[v, d]),
    ),
    vjp=(
        Eq(x_bar[v, d], If(written, 0, cotangent(over)[v, d])),
        Eq(cotangent(entries)[n, d], If(last, cotangent(over)[index[n], d], 0)),
    ),
    doc="Rows of a table written over in turn; who is written over himself has no gradient. "
    "PyTorch: `for n, v in enumerate(index): x[v] = source[n]`.",
)

index_copy = Op(
    "index_copy",
    requires=(V >= 1, apart),
    forward=overwrite.forward,
    jvp=overwrite.jvp,
    vjp=(
        overwrite.rule("x_bar"),
        Eq(cotangent(entries)[n, d], cotangent(over)[index[n], d]),
    ),
    doc="Rows of a table written over, each by one at most: then every source has its gradient. "
    "PyTorch: `torch.index_copy(x, 0, index, source)`.",
)

# Where pooling found its maxima, which overlapping windows may share.

pooled_cells, unpooled = array("x", R, N), array("y", R, M)

max_unpool = Op(
    "max_unpool",
    requires=(M >= 1,),
    forward=Eq(unpooled[r, m], Sum(bracket(Eq(at[r, n], m)) * pooled_cells[r, n], taken)),
    jvp=Eq(
        tangent(unpooled)[r, m],
        Sum(bracket(Eq(at[r, n], m)) * tangent(pooled_cells)[r, n], taken),
    ),
    vjp=Eq(cotangent(pooled_cells)[r, n], cotangent(unpooled)[r, at[r, n]]),
    doc="Each maximum back where it was found, zeros elsewhere; what two windows share is added. "
    "PyTorch: `nn.functional.max_unpool1d`.",
)

# Routing: each token to the expert that it is given to, and back with a gate.

E, K, e, i, o = integers("E K e i o")
token, gate = array("x", N, D), array("gate", N)
expert = integer_array("expert", N, below=E)
W, out = array("W", E, K, D), array("y", N, K)
inputs, outputs = (i, 0, D - 1), (o, 0, K - 1)
answer = Sum(W[expert[n], o, i] * token[n, i], inputs)

routing = Op(
    "routing",
    requires=(E >= 1,),
    forward=Eq(out[n, o], gate[n] * answer),
    jvp=Eq(
        tangent(out)[n, o],
        tangent(gate)[n] * answer
        + gate[n]
        * Sum(
            tangent(W)[expert[n], o, i] * token[n, i] + W[expert[n], o, i] * tangent(token)[n, i],
            inputs,
        ),
    ),
    vjp=(
        Eq(
            cotangent(token)[n, i],
            gate[n] * Sum(W[expert[n], o, i] * cotangent(out)[n, o], outputs),
        ),
        Eq(cotangent(gate)[n], Sum(answer * cotangent(out)[n, o], outputs)),
        scatter(
            cotangent(W)[expert[n], o, i],
            gate[n] * cotangent(out)[n, o] * token[n, i],
            *(taken, outputs, inputs),
        ),
    ),
    doc="A mixture of experts: each token through the linear layer of its own expert, by a gate. "
    "PyTorch: `gate[:, None] * torch.einsum('nki,ni->nk', W[expert], x)`.",
)

# As many tokens as an expert has room for, in the order in which they come.

room, slot = integers("room slot")
slots = array("y", E, room, D)
before = count(Eq(expert[v], expert[n]), (v, 0, n - 1))
taken_in = bracket(Eq(expert[n], e) & Eq(before, slot))

dispatch = Op(
    "dispatch",
    requires=(E >= 1, room >= 1),
    forward=Eq(slots[e, slot, d], Sum(taken_in * token[n, d], taken)),
    jvp=Eq(tangent(slots)[e, slot, d], Sum(taken_in * tangent(token)[n, d], taken)),
    vjp=Eq(cotangent(token)[n, d], zero_padded(cotangent(slots))[expert[n], before, d]),
    doc="Each token to the next place at its expert; who comes when all are taken is left out. "
    "PyTorch: `y.new_zeros(E, room + 1, D).index_put((expert, place), x)[:, :room]`, with places "
    "from `cumsum` of a one-hot `expert`.",
)

# What a forward computes of integers, and its rules read again.

maxima = array("y", R)
best_at = integer_array("index", R, below=M)
best = argmax(wide[r, m], columns)

arg_max = Op(
    "argmax",
    requires=(M >= 1,),
    forward=Eq(best_at[r], best),
    claims=(
        Claim(
            "there is the largest cell",
            ForAll(Eq(wide[r, best_at[r]], maximum(wide[r, m], columns)), rows),
        ),
    ),
    doc="The place of the largest cell of each row, the first of several. "
    "PyTorch: `torch.argmax(x, 1)`.",
)

max_with_index = Op(
    "max_with_index",
    requires=(M >= 1,),
    forward=(Eq(maxima[r], maximum(wide[r, m], columns)), Eq(best_at[r], best)),
    jvp=Eq(tangent(maxima)[r], tangent(wide)[r, best_at[r]]),
    vjp=scatter(cotangent(wide)[r, best_at[r]], cotangent(maxima)[r], rows),
    doc="The largest cell of each row and its place, to which the cotangent goes. "
    "PyTorch: `torch.max(x, 1)`.",
)

k, s, p = integers("k s p")  # window, stride, padding
places = floor_div(M + 2 * p - k, s) + 1
pooled_maxima = array("y", R, places)
pooled_at = integer_array("index", R, places, below=M)
there = s * o + i - p
window = {"where": inside((there,), (M,))}

max_pool_with_index = Op(
    "max_pool_with_index",
    requires=(k >= 1, s >= 1, p >= 0, 2 * p <= k, M >= 1, M + 2 * p >= k),
    windows=Windows(count=places, size=M + 2 * p, extent=k, stride=s),
    forward=(
        Eq(pooled_maxima[r, o], maximum(wide[r, there], (i, 0, k - 1), **window)),
        Eq(pooled_at[r, o], argmax(wide[r, there], (i, 0, k - 1), at=there, **window)),
    ),
    jvp=Eq(tangent(pooled_maxima)[r, o], tangent(wide)[r, pooled_at[r, o]]),
    vjp=scatter(
        cotangent(wide)[r, pooled_at[r, o]],
        cotangent(pooled_maxima)[r, o],
        *(rows, (o, 0, places - 1)),
    ),
    doc="The largest cell of each window and its place in the row; the backward pass scatters to "
    "what was saved. PyTorch: `nn.functional.max_pool1d(return_indices=True)`.",
)

# Each token to the expert that its logits choose, by the weight that it has.

logits, weight = array("logits", N, E), array("weight", N, E)
chosen_expert = integer_array("expert", N, below=E)
answers = array("answers", N, E)
experts = (e, 0, E - 1)
gated = array("y", N)
share = weight[n, chosen_expert[n]]

switch = Op(
    "switch",
    requires=(E >= 1,),
    let=Eq(weight[n, e], exp(logits[n, e]) / Sum(exp(logits[n, v]), (v, 0, E - 1))),
    forward=(
        Eq(chosen_expert[n], argmax(logits[n, e], experts)),
        Eq(gated[n], share * answers[n, chosen_expert[n]]),
    ),
    vjp=(
        Eq(
            cotangent(logits)[n, e],
            share
            * answers[n, chosen_expert[n]]
            * (bracket(Eq(chosen_expert[n], e)) - weight[n, e])
            * cotangent(gated)[n],
        ),
        scatter(cotangent(answers)[n, chosen_expert[n]], share * cotangent(gated)[n], taken),
    ),
    ties="any",
    doc="A mixture of experts that asks the likeliest one, and weighs its answer. "
    "PyTorch: `w, at = logits.softmax(-1).max(-1)`, then `w * answers[arange, at]`.",
)

# By a mask of zeros and ones.

one, other, chosen, mask = (array(name, N) for name in ("a", "b", "y", "mask"))

where = Op(
    "where",
    requires=(among(mask[n], 0, 1),),
    constants=(mask,),
    forward=Eq(chosen[n], If(Eq(mask[n], 1), one[n], other[n])),
    jvp=Eq(tangent(chosen)[n], If(Eq(mask[n], 1), tangent(one)[n], tangent(other)[n])),
    vjp=(
        Eq(cotangent(one)[n], mask[n] * cotangent(chosen)[n]),
        Eq(cotangent(other)[n], (1 - mask[n]) * cotangent(chosen)[n]),
    ),
    doc="One or the other, as a mask says. PyTorch: `torch.where`.",
)
