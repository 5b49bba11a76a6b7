"""The places and points at which the second route tries a theorem: few, and unlike each other."""

import pytest
import sympy

from gradproof.evaluate.bounded import MOST_PLACES, at_shape, places_at
from gradproof.evaluate.trials import MOST_TRIALS
from gradproof.language import And, Eq, If, array, exp, integers
from gradproof.theorems.sequents import Sequent

SIZES = integers("A B C D")
LEFT, RIGHT = integers("a b c d"), integers("e f g h")
SHAPE = dict.fromkeys(SIZES, 3)
x = array("x", *SIZES)


def at_all(then, axes=4):
    pairs = [*zip(LEFT, SIZES, strict=True), *zip(RIGHT, SIZES, strict=True)]
    chosen = [pair for k, pair in enumerate(pairs) if k % 4 < axes]
    return Sequent(tuple(sympy.Tuple(s, 0, n - 1) for s, n in chosen), (), then)


def only(*conditions):
    """0 but where these hold."""
    return Eq(If(And(*conditions), exp(x[LEFT]), 0), 0)


DIAGONAL = [Eq(a, b) for a, b in zip(LEFT, RIGHT, strict=True)]


@pytest.mark.parametrize(
    "conditions",
    [DIAGONAL, [*DIAGONAL[:3], Eq(LEFT[3], RIGHT[3] + 1)], [Eq(LEFT[3], 2), Eq(RIGHT[3], 1)]],
    ids=("on the diagonal", "beside it", "at one cell"),
)
def test_what_is_false_at_few_of_many_places_is_seen(conditions):
    assert at_shape(at_all(only(*conditions)), SHAPE).failure is not None
    assert at_shape(at_all(only(*conditions, LEFT[0] > 2)), SHAPE).failure is None


@pytest.mark.parametrize("axes", [1, 2, 3, 4])
def test_more_axes_are_no_more_trials(axes):
    found = at_shape(at_all(Eq(exp(x[LEFT]), exp(x[LEFT])), axes), SHAPE | dict.fromkeys(LEFT, 0))
    assert found.failure is None
    assert 9 * 7 <= found.tried <= 2 * MOST_TRIALS


def test_every_place_is_tried_at_some_point_and_no_parity_is_left_out():
    places, _ = places_at(at_all(only()), dict.fromkeys(SIZES, 4), MOST_PLACES)
    assert MOST_PLACES * 0.8 < len(places) <= MOST_PLACES
    assert all({place[s] for place in places} == {0, 1, 2, 3} for s in (*LEFT, *RIGHT))


def test_a_place_of_which_nothing_is_learned_is_tried_at_every_point():
    """Where a value is 0, as all are at the first point, nothing is said of a quotient."""
    quotient = Eq(exp(x[LEFT]) / x[LEFT], exp(x[LEFT]) / x[LEFT])
    assert at_shape(at_all(quotient), SHAPE).silent is None
