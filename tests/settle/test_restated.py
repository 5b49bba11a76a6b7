"""Claims whose two sides are one expression hold by definition, and are no proofs."""

import pytest

from gradproof.language import Claim, Eq, ForAll, Op, Sum, array, call, cotangent, integers, tangent
from gradproof.settle.restated import is_restated
from gradproof.settle.suite import verify
from gradproof.settle.verdicts import BY_DEFINITION
from gradproof.show.wording import tally
from gradproof.specs import global_avg_pool2d_flat

N, i, j, k = integers("N i j k")
x, y = array("x", N, N), array("y", N)


def summed(name, cell, **parts):
    return Op(
        name,
        requires=(N >= 1,),
        forward=Eq(y[i], Sum(cell, (j, 0, N - 1))),
        jvp=Eq(tangent(y)[i], Sum(tangent(x)[i, j], (j, 0, N - 1))),
        vjp=Eq(cotangent(x)[i, j], cotangent(y)[i]),
        **parts,
    )


def test_what_the_definitions_make_the_same_is_counted_apart():
    other = summed("other", x[i, j])
    own = summed("own", x[i, j])
    same = ForAll(Eq(y[k], call(other, {}, {x: lambda *at: x[at]})[k]), (k, 0, N - 1))
    turned = ForAll(Eq(y[k] + x[k, k], x[k, k] + y[k]), (k, 0, N - 1))
    report = verify(own.claiming(Claim("the same", same), Claim("turned", turned)))
    found = {v.name: v for v in report.verdicts if v.kind == "claim"}
    assert (found["the same"].status, found["the same"].outcome) == ("proved", BY_DEFINITION)
    assert (found["turned"].status, found["turned"].outcome) == ("proved", "proved")
    assert tally(found.values()) == "1 proved, 1 by definition"
    assert report.as_expected


def test_flat_is_squeezed_by_definition():
    found = {v.name: v.outcome for v in verify(global_avg_pool2d_flat).verdicts}
    assert (
        found["flat is squeezed: forward"] == found["the JVP is the forward map"] == BY_DEFINITION
    )
    assert found["gradient mass is kept"] == found["vjp x_bar"] == "proved"


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (Sum(x[i, j], (j, 0, N - 1)), Sum(x[i, k], (k, 0, N - 1)), True),
        (Sum(x[i, j], (j, 0, N - 1)), Sum(x[j, i], (j, 0, N - 1)), False),
        (Sum(x[i, j], (j, 0, N - 1)), Sum(x[i, j], (j, 0, N - 2)), False),
        (Sum(x[i, j], (i, 0, N), (j, 0, N)), Sum(x[j, i], (i, 0, N), (j, 0, N)), False),
        (Sum(x[i, j], (i, 0, N), (j, 0, N)), Sum(x[j, i], (j, 0, N), (i, 0, N)), True),
        (Sum(x[i, j], (j, 0, N)), Sum(x[k, j], (j, 0, N)), False),
        (Sum(x[i, j], (i, 0, N), (j, 0, i)), Sum(x[k, j], (k, 0, N), (j, 0, k)), True),
        (Sum(x[i, j], (i, 0, N), (j, 0, i)), Sum(x[k, j], (k, 0, N), (j, 0, i)), False),
        (x[i, j] + x[j, i], x[j, i] + x[i, j], False),
    ],
)
def test_names_of_ranges_make_no_difference_and_all_else_does(left, right, same):
    assert is_restated(Eq(left, right)) is same
