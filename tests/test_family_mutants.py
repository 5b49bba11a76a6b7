"""Every definition can be wrong: the mutants of each op are refuted by the theorems named."""

from functools import cache

import pytest
from family_mutants import FAMILIES

from specs import OPS
from verify import check
from verify.obligations import obligations
from verify.smt import RLIMIT

MUTANTS = tuple(mutant for family in FAMILIES.values() for mutant in family)
ELSEWHERE = {"avg_pool", "conv"}  # in `mutants.py`


@cache
def settled(theorem):
    return check.settled(theorem, RLIMIT)


def named_theorems(mutant):
    theorems = {theorem.name: theorem for theorem in obligations(mutant.op)}
    return [theorems[name] for name in mutant.refuted]


def of_mutants(test):
    return pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.op.name)(test)


def test_each_op_has_five_mutants_with_names_of_their_own():
    assert set(FAMILIES) | ELSEWHERE == {op.name for op in OPS}
    assert min(map(len, FAMILIES.values())) >= 5
    assert len({mutant.op.name for mutant in MUTANTS}) == len(MUTANTS)
    assert all(mutant.refuted for mutant in MUTANTS)


@of_mutants
def test_a_mutant_is_refuted_by_the_theorems_named(mutant):
    for theorem in named_theorems(mutant):
        finding = settled(theorem)
        assert (theorem.name, finding.status) == (theorem.name, "refuted")
        example = finding.counterexample
        # A divisor or a logarithm fails at 0, where it must not be 0.
        assert example.left != example.right or theorem.kind == "defined"


@of_mutants
def test_no_mutant_passes(mutant):
    verdicts = [check.labelled("", th, settled(th)) for th in named_theorems(mutant)]
    assert not all(verdict.as_expected for verdict in verdicts)


def test_a_failure_far_from_the_least_shapes_is_made_small():
    """Padding needs a window around it on both axes: eight sizes, and no least shape is near."""
    op = next(m.op for m in FAMILIES["conv_transpose2d"] if "sign_of_padding" in m.op.name)
    found = settled({th.name: th for th in obligations(op)}["vjp W_bar"]).counterexample
    assert sum(found.sizes.values()) <= 13
    assert not found.smallest
