"""Every op of the library is proved, and the mistake told of it is refuted."""

import pytest
from mistakes import MISTAKES
from ops import OPS, changed

from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems.obligations import obligations

# What stays open, with what was tried; `docs/library.md` has the same.
UNKNOWN = {
    "bce_with_logits": "by cases of the sign, 1/(1 + exp(-x)) against exp(x)/(1 + exp(x))",
    "cumprod": "a product over a range against the two products around one of its places",
}


def test_each_op_has_a_mistake():
    assert sorted(MISTAKES) == sorted(OPS)


@pytest.mark.parametrize("name", OPS)
def test_an_op_is_proved(name):
    found = {th.name: settled(th, RLIMIT).status for th in obligations(OPS[name])}
    missed = {theorem for theorem, status in found.items() if status != "proved"}
    assert "refuted" not in found.values()
    assert bool(missed) == (name in UNKNOWN), missed


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_refuted(name):
    right, wrong, failing = MISTAKES[name]
    theorem = next(th for th in obligations(changed(name, right, wrong)) if th.name == failing)
    assert settled(theorem, RLIMIT).status == "refuted"
