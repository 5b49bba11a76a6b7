"""LSTM and GRU over a sequence of any length: a graph of one place, and that at every place.

As PyTorch computes them: the weights of the input apply to all places at once, those of the state
at each, and either has a bias.
"""

from gradproof.graphs import Graph
from gradproof.language import integers

T, N, D = integers("T N D")  # places, features of the input, of the state


def state_of(cell, gate, h):
    return cell.linear(
        h, cell.input(f"{gate}_state_weight", D, D), cell.input(f"{gate}_state_bias", D)
    )


def lstm_cell():
    """The states carry over, forgotten in part; what is shown of them is a gate's to say."""
    cell = Graph("lstm_cell")
    cell.assume(D >= 1)
    h, c = cell.input("h", D), cell.input("c", D)
    forget, enter, new, show = (
        cell.add(cell.input(gate, D), state_of(cell, gate, h))
        for gate in ("forget", "enter", "new", "show")
    )
    kept = cell.multiply(cell.sigmoid(forget), c)
    more = cell.add(kept, cell.multiply(cell.sigmoid(enter), cell.tanh(new)))
    shown = cell.output(cell.multiply(cell.sigmoid(show), cell.tanh(more)))
    return cell, {h: shown, c: more}


def gru_cell():
    """The next state lies between a new one and the last."""
    cell = Graph("gru_cell")
    cell.assume(D >= 1)
    h = cell.input("h", D)
    reset, keep = (
        cell.sigmoid(cell.add(cell.input(gate, D), state_of(cell, gate, h)))
        for gate in ("reset", "keep")
    )
    inner = cell.multiply(reset, state_of(cell, "new", h))
    new = cell.tanh(cell.add(cell.input("new", D), inner))
    back = cell.multiply(keep, cell.add(h, cell.scale(new, -1)))
    return cell, {h: cell.output(cell.add(new, back))}


def over_sequence(name, made, gates):
    cell, carried = made
    shared = [x for x in cell.inputs if x.name.endswith(("_weight", "_bias"))]
    op = cell.scan(f"{name}_scan", T, carried, shared)
    g = Graph(name)
    g.assume(T >= 1, N >= 1, D >= 1)
    x = g.input("x", T, N)
    operands = {f"{state.name}_first": g.input(f"{state.name}_first", D) for state in carried}
    for gate in gates:
        weight = g.input(f"{gate}_weight", D, N)
        operands[gate] = g.linear(x, weight, g.input(f"{gate}_bias", D))
    operands |= {w.name: g.input(w.name, *w.shape) for w in shared}
    g.output(g.apply(op, **operands))
    return g


lstm = over_sequence("lstm", lstm_cell(), ("forget", "enter", "new", "show"))
gru = over_sequence("gru", gru_cell(), ("reset", "keep", "new"))
