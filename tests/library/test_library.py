"""Every op of the library is proved, and the mistake told of it is refuted."""

import pytest
from mistakes import MISTAKES
from ops import OPS, changed
from quick import quick, spread

from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems.obligations import obligations

# What takes long, and what is like it and does not.
DEAR = {
    "batch_norm_training": "rms_norm",
    "causal_attention": "linear_attention",
    "clamped_scan": "running_max",
    "cosine_of_rows": "cosine_similarity",
    "cdist": "pairwise_distance",
    "conv_asymmetric": "conv_depthwise",
    "conv_causal": "conv_depthwise",
    "conv_dilated": "conv_depthwise",
    "conv_grouped": "conv_depthwise",
    "conv_transpose_general": "conv_depthwise",
    "gelu_tanh": "mish",
    "group_norm": "layer_norm",
    "huber_loss": "smooth_l1_loss",
    "instance_norm": "layer_norm",
    "inverse_2x2": "determinant_2x2",
    "lstm": "rnn",
    "gru_cell": "lstm_cell",
    "weighted_cross_entropy": "cross_entropy",
    "manhattan_distance": "pairwise_distance",
    "multi_head_attention": "linear_attention",
    "multi_margin_loss": "hinge_loss",
    "sliding_window_attention": "linear_attention",
}


def is_quick(name):
    return name not in DEAR


# `make library` settles all of them.
SOME = spread(filter(is_quick, OPS), 40)
OTHERS = spread((name for name in OPS if is_quick(name) and name not in SOME), 40)


def test_what_takes_long_is_like_something_that_does_not():
    assert set(DEAR) <= set(OPS)
    assert set(DEAR.values()) <= set(OPS) - set(DEAR)


def test_each_op_has_a_mistake():
    assert sorted(MISTAKES) == sorted(OPS)


# Terms that share a cell, the label's, are moved together: more than the prover sees through.
OPEN = {"multi_margin_loss": {"vjp where branches meet": "unknown"}}


@pytest.mark.parametrize("name", quick(OPS, SOME))
def test_an_op_is_proved(name):
    asked = (th for th in obligations(OPS[name]) if not th.waived)
    found = {th.name: settled(th, RLIMIT).status for th in asked}
    left = {theorem: status for theorem, status in found.items() if status != "proved"}
    assert left == OPEN.get(name, {})


@pytest.mark.parametrize("name", quick(MISTAKES, OTHERS))
def test_a_mistake_is_refuted(name):
    right, wrong, failing = MISTAKES[name]
    theorem = next(th for th in obligations(changed(name, right, wrong)) if th.name == failing)
    assert settled(theorem, RLIMIT).status == "refuted"
