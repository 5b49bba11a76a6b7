"""Shorthands: what each is short for has its value, as the judge, who knows all of them, says."""

from fractions import Fraction
from itertools import product

import pytest

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS, Undefined
from gradproof.language import array, integers, maximum, reals, zero_padded
from gradproof.language import terms as t
from gradproof.language.core import OF_ANY, OF_TWO, long_form
from gradproof.language.substitution import Fresh
from gradproof.prove.rules.derive import differentiate
from gradproof.prove.rules.smt import RULES, Script

a, b, N, w = integers("a b N w")
u, v = reals("u v")
x = array("x", N)
EVALUATOR = Evaluator(RATIONALS, {"x": lambda index: Fraction(index[0] * index[0] - 2)})

EXAMPLES = {
    **{kind: kind(a, b) for kind in OF_TWO},
    t.Max: t.Max(a, b, 0),
    t.Min: t.Min(a, b, 0),
    t.PaddedRead: zero_padded(x)[a],
    t.Maximum: maximum(x[w], (w, 0, N - 1), where=w < b, empty=a),
}


def value(term, env):
    """None where there is no value."""
    try:
        found = EVALUATOR.value(term, env)
    except Undefined:
        return None
    return found


def test_every_shorthand_is_tried():
    assert EXAMPLES.keys() == OF_ANY.keys() | OF_TWO.keys()


@pytest.mark.parametrize("kind", EXAMPLES, ids=lambda kind: kind.__name__)
def test_what_a_shorthand_is_short_for_has_its_value(kind):
    term = EXAMPLES[kind]
    plain = long_form(term)
    assert t.sort_of(plain) == t.sort_of(term)
    tried = 0
    for p, q, size in product(range(-5, 6), range(-5, 6), range(4)):
        env = {a: p, b: q, N: size}
        wanted = value(term, env)
        if wanted is not None:
            assert value(plain, env) == wanted, env
            tried += 1
    assert tried > 300


def test_what_is_no_shorthand_is_short_for_nothing():
    for term in (a, a + b, t.FloorDiv(a, b), x[a], a <= b, t.If(a < b, a, b)):
        assert long_form(term) is None


def test_the_solver_is_asked_about_few_kinds_of_nodes():
    """All others are shorthands, one unknown number each, or taken apart before."""
    own = [k for k, f in RULES.items() if f not in (Script.shorthand, Script.opaque, Script.refuse)]
    assert len(own) <= 20


@pytest.mark.parametrize("term", [t.Max(x[a], u), t.Min(u, x[a], v)], ids=str)
def test_a_shorthand_has_the_derivative_of_what_it_is_short_for(term):
    fresh = Fresh(term)
    assert differentiate(term, x, (b,), fresh) == differentiate(long_form(term), x, (b,), fresh)
