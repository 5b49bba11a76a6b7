"""The definitions in examples/ are proved; slips that are often made in them are refuted."""

from pathlib import Path

import pytest
from quick import quick

from gradproof.language import Op
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import labelled, settled
from gradproof.show.lessons import lesson
from gradproof.theorems.obligations import obligations

FILES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
KINDS = ("defined", "in bounds", "jvp", "vjp", "linear", "claim")

# What is slipped, the theorem that fails, and the sizes at which it fails first.
SLIPS = {
    "softmax: plus for minus": (
        ("(v[r, i] - Sum", "(v[r, i] + Sum"),
        ("vjp x_bar", {"R": 1, "N": 1}),
    ),
    "softmax: maximum subtracted above only": (
        ("lowered[0] / Sum(lowered[1], row)", "lowered[0] / Sum(exp(x[r, j]), row)"),
        ("subtracting the maximum changes nothing", {"R": 1, "N": 1}),
    ),
    "layer_norm: mean taken as constant": (
        ("(v(i) - mean(v) - along)", "(v(i) - along)"),
        ("vjp x_bar", {"R": 1, "N": 1}),
    ),
    "layer_norm: variance taken as constant": (
        ("(v(i) - mean(v) - along)", "(v(i) - mean(v))"),
        ("vjp x_bar", {"R": 1, "N": 2}),
    ),
    "layer_norm: gain outside of the means": (
        ("rule(lambda i: gain[i] * y_bar[r, i])", "gain[i] * rule(lambda i: y_bar[r, i])"),
        ("vjp x_bar", {"R": 1, "N": 2}),
    ),
    "batch_norm: gain forgotten": (
        ("gain[c] * rule(y_bar)", "rule(y_bar)"),
        ("vjp x_bar", {"B": 1, "C": 1, "n": [2]}),
    ),
    "batch_norm: count of the batch alone": (
        ("count = B * product(n)", "count = B"),
        ("vjp x_bar", {"B": 1, "C": 1, "n": [2]}),
    ),
    "conv_relu: bias not masked": (
        ("Eq(bias_bar[d], Sum(passed, outputs))", "Eq(bias_bar[d], Sum(y_bar[d, at], outputs))"),
        ("vjp bias_bar", {"C": 0, "D": 1, "n": [1], "k": [1], "s": [1], "p": [0]}),
    ),
    "conv_relu: padding forgotten": (
        ("tap - p] * passed", "tap] * passed"),
        ("vjp weight_bar", {"C": 1, "D": 1, "n": [1], "k": [1], "s": [1], "p": [1]}),
    ),
    "huber: slope 1 far from the target": (
        ("Max(-delta, Min(delta, error))", "If(abs(error) <= delta, error, If(error > 0, 1, -1))"),
        ("vjp x_bar", {"N": 1, "delta": "2"}),
    ),
    "huber: half of the threshold, not of its square": (
        ("delta * (abs(error) - delta / 2)", "delta * abs(error) - delta / 2"),
        ("the pieces meet at delta", {"N": 1, "delta": "2"}),
    ),
    "pixel_shuffle: rows for columns": (
        ("i * r + row, j * r + column", "i * r + column, j * r + row"),
        ("vjp x_bar", {"C": 1, "r": 2, "H": 1, "W": 1}),
    ),
    "linear_scan: the coefficient of another step": (
        ("zero_padded(a)[t + 1] * after", "a[t] * after"),
        ("vjp x_bar", {"T": 2}),
    ),
    "lstm_cell: what comes back to the cell's state forgotten": (
        ("c1_bar[n] + h1_bar", "h1_bar"),
        ("vjp gi_bar", {"N": 1}),
    ),
    "group_norm: mean taken as constant": (
        ("- Sum(z_bar[n, g, j], cells) / K", ""),
        ("vjp x_bar", {"N": 1, "G": 1, "K": 1}),
    ),
    "attention: scores not scaled back": (
        ("Sum(score_bar * key[k, d], keys) / root", "Sum(score_bar * key[k, d], keys)"),
        ("vjp query_bar", {"Q": 1, "K": 2, "D": 2, "V": 1}),
    ),
    "attention: softmax taken for each score alone": (
        ("(change(k) - Sum(weight(j) * change(j), (j, 0, K - 1)))", "change(k)"),
        ("vjp key_bar", {"Q": 1, "K": 1, "D": 1, "V": 1}),
    ),
}

DEAREST = "batch_norm"  # its slips are told as those of `layer_norm`, which has fewer axes

SCOPES = {
    "batch_norm": {"every rank"},
    "conv_relu": {"every rank", "ranks 1 to 3, off the boundary"},
    "huber": {"all sizes", "all sizes, off the boundary"},
}


def is_quick(path: Path) -> bool:
    """The others have what these have, and more axes: norms as `layer_norm`, ReLU as `huber`."""
    return path.stem not in ("batch_norm", "conv_relu", "group_norm")


def defined_in(text: str) -> Op:
    names: dict[str, object] = {}
    exec(text, names)
    (op,) = (value for value in names.values() if isinstance(value, Op))
    return op


@pytest.mark.parametrize("path", quick(FILES, is_quick, lambda path: path.stem))
def test_an_example_is_proved(path):
    op = defined_in(path.read_text("utf-8"))
    assert op.name == path.stem
    theorems = [th for th in obligations(op) if th.kind in KINDS]
    found = {th.name: settled(th, RLIMIT) for th in theorems}
    assert {name for name, f in found.items() if f.status != "proved"} == set()
    assert {f.scope for f in found.values()} == SCOPES.get(op.name, {"all sizes"})


@pytest.mark.parametrize("slip", quick(SLIPS, lambda slip: not slip.startswith(DEAREST)))
def test_a_slip_is_refuted_where_it_fails_first(slip):
    (right, wrong), (name, sizes) = SLIPS[slip]
    path = next(path for path in FILES if path.stem == slip.partition(":")[0])
    text = path.read_text("utf-8")
    assert text.count(right) == 1
    op = defined_in(text.replace(right, wrong))
    theorem = next(th for th in obligations(op) if th.name == name)
    found = settled(theorem, RLIMIT)
    assert found.status == "refuted"
    told = lesson(op, theorem, labelled(op.name, theorem, found)).text
    assert told[0].startswith("the equation  ")
    assert theorem.kind == "claim" or any("the mistake" in line for line in told)
    assert {k: v for k, v in found.counterexample.sizes.items() if k != "eps"} == sizes
