"""Proofs for a few turns or ranks are tried beyond their edge: what fails there is refuted."""

import pytest

from gradproof.language import (
    Claim,
    Eq,
    Op,
    array,
    axes,
    cotangent,
    fold,
    integers,
    product,
    reals,
    tangent,
)
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.settle.instances import prove_at
from gradproof.theorems.obligations import obligations

i, j, M, N = integers("i j M N")
n, k = axes("n k")
acc = reals("acc")


def shrinking(turns):
    """Divides by what a loop makes 0 after so many turns."""
    x, y, w = array("x", M), array("y", M), array("w", N)
    divisor = fold(acc, (j, 0, N - 1), acc=(acc, 1, acc * (turns - 1 - j)))
    return Op(
        "shrinking",
        requires=(N >= 1, M >= 1),
        constants=(w,),
        forward=Eq(y[i], 2 * x[i] + w[0] / divisor),
        jvp=Eq(tangent(y)[i], 2 * tangent(x)[i]),
        vjp=Eq(cotangent(x)[i], 2 * cotangent(y)[i]),
    )


@pytest.mark.parametrize("turns", [5, 6, 9])
def test_what_fails_after_a_few_more_turns_is_refuted(turns):
    """It was proved where no loop takes more than 4 turns, and counted as expected."""
    theorem = next(th for th in obligations(shrinking(turns)) if th.kind == "defined")
    assert prove_at(theorem, RLIMIT).proof.within
    finding = settled(theorem, RLIMIT)
    assert (finding.status, finding.counterexample.sizes["N"]) == ("refuted", turns)


def test_what_fails_far_beyond_is_proved_for_four_turns_alone():
    theorem = next(th for th in obligations(shrinking(60)) if th.kind == "defined")
    assert settled(theorem, RLIMIT).scope.startswith("where no loop takes more than 4 turns")


@pytest.mark.parametrize(("most", "status"), [(16, "refuted"), (17, "proved")])
def test_what_fails_on_four_axes_is_refuted(most, status):
    x, y = array("x", n), array("y", n)
    said = Claim("few cells", product(n) < most, given=(Eq(n, 2),))
    op = Op(
        "same",
        requires=(n >= 1,),
        forward=Eq(y[k], x[k]),
        jvp=Eq(tangent(y)[k], tangent(x)[k]),
        vjp=Eq(cotangent(x)[k], cotangent(y)[k]),
        claims=(said,),
    )
    theorem = next(th for th in obligations(op) if th.kind == "claim")
    finding = settled(theorem, RLIMIT)
    assert finding.status == status
    assert status == "proved" or finding.counterexample.rank == 4
