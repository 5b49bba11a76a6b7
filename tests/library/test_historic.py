"""Bugs that frameworks had: the right definition is proved as first written, the wrong refuted."""

import pytest
from historic import BUGS, HEAD, OPS
from quick import quick

from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems.obligations import obligations

# What takes a second or more; `make full` has them.
DEAR = {"elu", "norm", "entropy", "maximum", "product"}


def made(text):
    names = {}
    exec(HEAD + text, names)
    return names["op"]


def test_there_are_as_many_as_are_told():
    assert len(BUGS) >= 50
    assert {name for name, *_ in BUGS.values()} == set(OPS)


@pytest.mark.parametrize("name", quick(OPS, lambda name: name not in DEAR))
def test_the_right_one_is_proved(name):
    found = {th.name: settled(th, RLIMIT).status for th in obligations(made(OPS[name]))}
    assert not {theorem: status for theorem, status in found.items() if status != "proved"}


@pytest.mark.parametrize("title", quick(BUGS, lambda title: BUGS[title][0] not in DEAR))
def test_the_wrong_one_is_refuted(title):
    name, right, wrong, kinds = BUGS[title]
    assert right in OPS[name]
    broken = obligations(made(OPS[name].replace(right, wrong)))
    asked = (th for th in broken if th.kind in kinds)
    assert any(settled(th, RLIMIT).status == "refuted" for th in asked)
