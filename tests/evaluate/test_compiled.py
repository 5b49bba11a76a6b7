"""The evaluation that trials use says what the judge says, and differentiates as it does."""

from fractions import Fraction
from functools import reduce
from itertools import islice

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from quick import TWINS, quick
from sympy.core.symbol import Str

from gradproof.evaluate import compiled
from gradproof.evaluate import judge as evaluate
from gradproof.evaluate.bounded import places_at
from gradproof.evaluate.judge import numbers_for
from gradproof.evaluate.looping import contest_of
from gradproof.evaluate.moving import Moving, moving
from gradproof.evaluate.numbers import RATIONALS, Undecided, Undefined
from gradproof.evaluate.points import fixed
from gradproof.evaluate.polynomials import POLYNOMIALS, Cells, Polynomial, difference, terms_of
from gradproof.evaluate.replay import arrays_of
from gradproof.evaluate.shapes import box, cells_at
from gradproof.language import (
    And,
    Exists,
    ForAll,
    If,
    Max,
    Min,
    Op,
    Prod,
    Sum,
    array,
    ceil_div,
    exp,
    fold,
    integers,
    log,
    maximum,
    reals,
)
from gradproof.language.substitution import free
from gradproof.language.terms import (
    INT,
    Bracket,
    Linear,
    Maximum,
    Mod,
    Relation,
    Slope,
    Sym,
    Unique,
    Winner,
    walk,
)
from gradproof.specs import OPS
from gradproof.theorems.obligations import obligations

SHAPES, PLACES, POINTS = 2, 4, 2
N, a, b, c = integers("N a b c")
p, q = reals("p q")
x = array("x", N)


def said(evaluator, term, env):
    """What an evaluator says: a number that both can be asked for, or why there is none."""
    try:
        return str(evaluator.value(term, env))
    except (Undefined, Undecided) as reason:
        return type(reason).__name__


def tensors(cells, numbers, names):
    def tensor(name):
        return lambda index: numbers.lift(cells.get((name, index), 0))

    return {name: tensor(name) for name in names}


def trials(op):
    """Terms of an op's theorems, with the values at which they are tried."""
    for theorem in obligations(op):
        theorem = theorem.at_rank(1)
        for sequent in theorem.sequents:
            then = sequent.then
            if isinstance(then, Linear):
                continue
            sides = then.args if isinstance(then, Relation) else (then,)
            terms = (*sequent.when, *sides)
            numbers = numbers_for(*terms)
            for env in box(theorem, SHAPES):
                places, _ = places_at(sequent, env, PLACES)
                points = fixed(cells_at(sequent, env) or [])
                for cells in islice(points, 1, 1 + POINTS):
                    values = tensors(cells, numbers, [array.name for array in arrays_of(sequent)])
                    for place in places[:PLACES]:
                        yield terms, numbers, values, place


@pytest.mark.parametrize("op", quick(OPS, lambda op: op.name not in TWINS, lambda op: op.name))
def test_all_terms_of_the_suite_have_the_value_that_the_judge_gives_them(op: Op):
    compared = 0
    for terms, numbers, values, place in trials(op):
        quick, plain = (kind(numbers, values) for kind in (compiled.Evaluator, evaluate.Evaluator))
        env = {s: v if s.sort == INT else numbers.lift(v) for s, v in place.items()}
        for term in terms:
            assert said(quick, term, env) == said(plain, term, env)
            compared += 1
    assert compared > 50


WINDOW = (b, 0, N - 1)
MANY = tuple((Sym(f"j{n}"), 0, 0) for n in range(24))
TERMS = {
    "a quotient": x[a] / (1 + x[0] * x[0]),
    "a quotient by what may be 0": 1 / x[a],
    "a sum of products": Sum(x[b] * x[a] * x[b], WINDOW),
    "the largest of two": Max(x[a], x[0], 1),
    "the least of two": Min(x[a], x[0] + x[0]),
    "a branch": If(x[a] > x[0], x[a] * x[0], 2 * x[0]),
    "a maximum": maximum(x[b] * x[b] - x[b], WINDOW),
    "a condition as a number": Bracket(x[a] >= x[0]) * x[a],
    "a padded index": Sum(x[Mod(b + a, N)] * ceil_div(b, 2), WINDOW),
    "a derivative of a derivative": Slope(x[a] * x[a] * x[0], x[0]),
    "a maximum of maxima": maximum(x[b] * maximum(x[c] - x[b], (c, 0, b)), WINDOW, where=x[b] >= 0),
    "a maximum beside one with the names exchanged": Sum(
        maximum(x[b] * x[c], (c, 0, N - 1)) - 2 * maximum(x[c], (c, b, N - 1)), WINDOW
    ),
    "who wins": Bracket(Winner(x[b], And(), Str("last"), sympy.Tuple(a), WINDOW)) * x[a],
    "whether one alone wins": Bracket(Unique(x[b], x[b] > 0, WINDOW)) * x[a],
    "a sum over what depends on another": Sum(x[b] * x[c] * c, WINDOW, (c, b, N - 1)),
    "a sum over nothing, or what is not asked": Sum(x[b], (b, 1, 0), (c, 0, 1 / (N - N))),
    "what holds somewhere": Bracket(Exists(x[b] > x[a], WINDOW)) * x[a],
    "what holds everywhere": Bracket(ForAll(x[b] <= x[a], WINDOW)) * x[a],
    "a power": (x[a] + x[0]) ** (N - 2),
    "a product": Prod(x[b] + x[a], WINDOW),
    "a loop of two states": fold(p + q, WINDOW, p=(p, x[a], p * x[b] + q), q=(q, 1, p)),
    "more loops than are nested": Sum(
        x[b] * x[a], WINDOW, *((Sym(f"j{n}"), 0, 0) for n in range(24))
    ),
    "a term deeper than its text": reduce(
        lambda u, _: If(u > x[0], u * x[a], u + 1), range(9), x[a]
    ),
}


@pytest.mark.parametrize("name", TERMS)
@given(values=st.lists(st.fractions(-2, 2, max_denominator=2), min_size=1, max_size=3))
def test_derivatives_are_those_of_the_judge_also_where_branches_meet(name, values):
    cells = {("x", (i,)): v for i, v in enumerate(values)}
    tensors_ = tensors(cells, RATIONALS, ["x"])
    for i in range(len(values)):
        slope = Slope(TERMS[name], x[a])
        quick, plain = (
            kind(RATIONALS, tensors_) for kind in (compiled.Evaluator, evaluate.Evaluator)
        )
        env = {N: len(values), a: i}
        assert said(quick, slope, env) == said(plain, slope, env)


@given(st.fractions(-2, 2, max_denominator=3), st.fractions(1, 3, max_denominator=3))
def test_moving_numbers_differentiate(u, v):
    numbers = moving(RATIONALS)
    p, q = Moving(u, {(0,): 1}), Moving(v, {(1,): 1})
    found = numbers.divide(p * q + p * 3, q + 1)
    assert found.value == (u * v + 3 * u) / (v + 1)
    assert found.by == {(0,): (v + 3) / (v + 1), (1,): (u * (v + 1) - u * v - 3 * u) / (v + 1) ** 2}


def test_a_moving_number_that_is_0_is_not_known_beside_the_point():
    numbers = moving(RATIONALS)
    assert numbers.sign(Moving(-1, {(0,): 1})) == -1
    assert numbers.sign(0) == numbers.sign(Moving(0, {})) == 0
    with pytest.raises(Undecided):
        numbers.sign(Moving(0, {(0,): 1}))
    with pytest.raises(Undefined):
        numbers.divide(Moving(1, {(0,): 1}), Moving(0, {(0,): 1}))


coefficients = st.dictionaries(
    st.lists(st.integers(0, 2), max_size=3).map(sorted).map(tuple), st.integers(-3, 3), max_size=4
)


def both(drawn):
    """A polynomial as ours and as SymPy's."""
    ours = Polynomial({tuple(("x", (i,)) for i in m): c for m, c in drawn.items() if c})
    return ours, sum((c * sympy.prod([G[i] for i in m]) for m, c in drawn.items()), sympy.S(0))


G = sympy.symbols("g0 g1 g2")


@given(coefficients, coefficients, st.integers(-2, 2))
def test_polynomials_compute_as_sympy_does(one, two, number):
    (p, sp), (q, sq) = both(one), both(two)
    for ours, theirs in (
        (p + q, sp + sq),
        (p * q + number, sp * sq + number),
        (number * p, number * sp),
        ((p * q).slope(("x", (1,))), sympy.diff(sp * sq, G[1])),
        (POLYNOMIALS.divide(p, 2), sp / 2),
    ):
        found = sum(
            (
                sympy.Rational(c) * sympy.prod([G[i] for _, (i,) in m])
                for m, c in terms_of(ours).items()
            ),
            sympy.S(0),
        )
        assert sympy.expand(found - theirs) == 0
        assert all(terms_of(ours).values())
    assert difference(p, p).terms == {}


def test_polynomials_are_neither_compared_nor_divided_by():
    cell = Cells("x")[(0,)]
    assert POLYNOMIALS.sign(Fraction(-1, 2)) == -1
    for refused in (lambda: POLYNOMIALS.sign(cell), lambda: POLYNOMIALS.divide(1, cell)):
        with pytest.raises(Undecided):
            refused()
    with pytest.raises(Undefined):
        POLYNOMIALS.divide(cell, 0)


def test_maxima_with_other_names_are_one_contest_and_others_are_not():
    """SOUNDNESS: a name by position that is free in the term would be another place."""
    one, two = (maximum(x[u] * x[a], (u, 0, N - 1)) for u in (b, c))
    assert contest_of(one) is contest_of(two)
    assert contest_of(one) is not contest_of(maximum(x[b] * x[a], (b, 1, N - 1)))
    inner = contest_of(maximum(x[b] * maximum(x[c] * x[b], (c, 0, N - 1)), (b, 0, N - 1)))
    (nested,) = (u for u in walk(inner) if isinstance(u, Maximum))
    bound = {symbol for symbol, _, _ in contest_of(nested).ranges}
    assert bound.isdisjoint(free(nested))
    assert free(contest_of(nested)) == free(Unique(nested.body, nested.where, *nested.ranges))


def test_a_wrong_index_is_seen():
    """SOUNDNESS: the comparison above notices a read at the wrong place."""
    env, cells = {N: 2, a: 1}, {("x", (1,)): Fraction(3)}
    quick = compiled.Evaluator(RATIONALS, tensors(cells, RATIONALS, ["x"]))
    plain = evaluate.Evaluator(RATIONALS, tensors(cells, RATIONALS, ["x"]))
    assert said(quick, x[a], env) != said(plain, x[a - 1], env)
    assert said(quick, x[a + 1], env) == said(plain, x[a + 1], env) == "Undefined"
    assert said(quick, log(x[0]), env) == said(plain, log(x[0]), env)
    assert said(quick, exp(x[0]), env) == said(plain, exp(x[0]), env) == "1"
