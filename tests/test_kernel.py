"""Single steps of the kernel, judged alone: in a verdict the second route would hide a mistake."""

from fractions import Fraction

import pytest

from verify import terms as t
from verify.check import prove
from verify.derive import differentiate
from verify.evaluate import Evaluator
from verify.language import (
    And,
    Eq,
    ForAll,
    Ne,
    Op,
    Sum,
    array,
    axes,
    bracket,
    ceil_div,
    cotangent,
    exp,
    floor_div,
    fold,
    integers,
    log,
    maximum,
    reals,
    tangent,
    zero_padded,
)
from verify.normal import Product, expand, merged, solve, unrounded
from verify.numbers import RATIONALS, Undecided, interval, interval_sign
from verify.obligations import obligations
from verify.selection import selection_of
from verify.smt import RLIMIT, ask
from verify.symbolic import Prover, one_axis
from verify.terms import Fresh, substitute

N, K, a, b, c, i, w, at = integers("N K a b c i w at")
best, beta = reals("best beta")
n, k, j = axes("n k j")
x, z, image = array("x", N), array("z", N), array("image", N, N)


def evaluator(cells):
    return Evaluator(RATIONALS, {name: values.__getitem__ for name, values in cells.items()})


# Derivation, against dual numbers.

LINE = {(i,): Fraction(v) for i, v in enumerate((1, 3, -2))}
SQUARE = {(i, j): Fraction(3 * i + j + 1) for i in range(3) for j in range(3)}
CELLS = {"x": LINE, "z": {(i,): Fraction(i + 5) for i in range(3)}, "image": SQUARE}


@pytest.mark.parametrize(
    "term",
    [
        x[a] * x[a],
        x[a] * z[a] * x[b],
        z[a] / x[b],
        x[a] / (x[a] + z[b]),
        x[a] / x[b],
        log(x[0]) * x[a],
        log(x[0] * x[0]),
        exp(x[a] - x[a]) * x[b],
        Sum(x[w] * x[a], (w, 0, N - 1)),
        Sum(zero_padded(x)[w + a - 1] * x[w], (w, 0, N - 1)),
        t.If(x[a] > 0, 2 * x[a], x[b]),
        t.Max(x[a], 2 * x[b]),
        bracket(a < b) * x[a],
    ],
    ids=str,
)
def test_a_slope_is_the_derivative(term):
    ev = evaluator(CELLS)
    derived = differentiate(term, x, (i,), Fresh(term)).entry
    for place in ((0, 1, 0), (0, 1, 1), (1, 2, 1), (2, 0, 0), (1, 2, 2), (2, 0, 1)):
        env = {N: 3, **dict(zip((a, b, i), place, strict=True))}
        assert ev.real(derived, env) == ev.slope(term, env, "x", (env[i],))


def test_the_slope_of_a_logarithm():
    derived = differentiate(log(x[a]), x, (i,), Fresh()).entry
    assert evaluator(CELLS).real(derived, {N: 3, a: 1, i: 1}) == Fraction(1, 3)


def test_a_slope_looks_at_every_index():
    ev = evaluator(CELLS)
    term = image[a, b] * image[b, a]
    derived = differentiate(term, image, (i, w), Fresh(term)).entry
    for place in ((0, 1, 0, 1), (0, 1, 0, 2), (0, 1, 1, 1), (2, 2, 2, 2), (0, 1, 1, 0)):
        env = {N: 3, **dict(zip((a, b, i, w), place, strict=True))}
        assert ev.real(derived, env) == ev.slope(term, env, "image", place[2:])


# Names.


def test_what_is_put_in_is_not_captured():
    term = Sum(x[a + w], (w, 0, K))
    put = substitute(term, {a: w}, Fresh(term))
    ev = evaluator(CELLS)
    assert ev.real(put, {N: 3, K: 1, w: 1}) == ev.real(term, {N: 3, K: 1, a: 1}) == 1


# Sums of guarded products.


def test_a_binder_is_solved_for_only_if_its_coefficient_is_not_zero():
    assert solve(Eq(K * w, a), w, lambda *_: False, True) is None
    value, conditions = solve(Eq(K * w, a), w, lambda *_: True, True)
    assert (value, conditions) == (floor_div(a, K), (t.Divides(K, a),))


def test_a_guard_that_joins_two_names_stays():
    guard = Eq(a, b)
    found = merged(Product((), (guard,), (x[a], x[b])), Fresh())
    ev = evaluator(CELLS)
    for place in ({a: 0, b: 0}, {a: 0, b: 1}, {a: 1, b: 1}):
        env = {N: 3, **place}
        kept = all(ev.value(g, env) for g in found.guards)
        wanted = ev.real(bracket(guard) * x[a] * x[b], env)
        assert wanted == (ev.real(t.Mul(*found.factors), env) if kept else 0)


@pytest.mark.parametrize("guard", [t.Le(ceil_div(w, a), b), t.Le(b, floor_div(w, a))], ids=str)
def test_rounding_stays_where_the_divisor_may_not_be_positive(guard):
    assert unrounded((guard,), lambda *_: False) == (guard,)
    assert unrounded((guard,), lambda *_: True) != (guard,)


@pytest.mark.parametrize(("size", "value"), [(0, 7), (1, 1), (2, 3), (3, 3)])
def test_a_maximum_has_a_value_where_the_window_is_empty(size, value):
    ev, total = evaluator(CELLS), Fraction(0)
    for p in expand(maximum(x[w], (w, 0, N - 1), empty=7), Fresh()):
        for place in range(3) if p.binders else (0,):
            env = {N: size, **dict.fromkeys(p.binders, place)}
            total += all(ev.value(g, env) for g in p.guards) and ev.real(t.Mul(*p.factors), env)
    assert total == value


def test_an_interval_around_zero_has_no_sign():
    third, minus = (interval(Fraction(n, 3)) for n in (1, -1))
    assert (interval_sign(third), interval_sign(minus), interval_sign(interval(0))) == (1, -1, 0)
    with pytest.raises(Undecided):
        interval_sign(third + minus)


# Agreement of parts.


def test_what_may_be_zero_does_not_cancel():
    assert not Prover((K >= 0,), False).cancels(K, t.Div(1, K), ())
    assert Prover((K >= 1,), False).cancels(K, t.Div(1, K), ())


def test_guards_agree_both_ways_or_not_at_all():
    prover = Prover((N >= 1,), False)
    narrow, wide = (w <= N,), (w <= N + 1,)
    assert not prover.agree_guards(narrow, wide, ())
    assert not prover.agree_guards(wide, narrow, ())
    assert prover.agree_guards(narrow, (w < N + 1,), ())


def test_reads_agree_in_every_index():
    prover = Prover((N >= 1,), False)
    assert not prover.agree(image[a, b], image[a, c], ())
    assert not prover.agree(image[a, b], image[c, b], ())
    assert prover.agree(image[a, b + 1], image[a, 1 + b], ())


@pytest.mark.parametrize("sides", [(0, 1), (1, 0)])
def test_no_product_is_left_over(sides):
    prover = Prover((N >= 1,), False)
    one, two = Product((), (), (x[a],)), Product((), (), (x[b],))
    pair = ((one,), (one, two))
    assert not prover.match(pair[sides[0]], pair[sides[1]], ())
    assert not prover.match((one, one), (one,), ())
    assert prover.match((one, two), (two, one), ())


# Loops.


@pytest.mark.parametrize(
    ("seed", "at_first", "is_found"),
    [(x[1], 1, True), (x[0], 1, False), (x[1], 0, False), (x[2], 1, False)],
)
def test_a_loop_without_a_flag_starts_from_its_first_place(seed, at_first, is_found):
    larger = x[w] > best
    loop = fold(
        at,
        (w, 1, N),
        best=(best, seed, t.If(larger, x[w], best)),
        at=(at, at_first, t.If(larger, w, at)),
    )
    assert (selection_of(loop.args[1], tuple(loop.ranges)) is not None) == is_found


# Every rank.


def test_a_hypothesis_over_bundles_says_nothing_of_one_axis():
    given = ForAll(n >= 5, (j, 0, k - 1))
    assert one_axis(given, False) is None
    assert one_axis(given, True) is not None


def test_a_goal_is_asked_whole_or_not_at_all():
    joined = t.relation(t.Ge, t.AxisProduct(n), 1)
    assert one_axis(And(n >= 1, joined), True) is None
    assert one_axis(And(n >= 1, joined), False) == And((n >= 1).args[0])


# The solver.


def test_nothing_follows_from_a_division_by_zero():
    quotient = floor_div(a, K)
    assert ask((Eq(K, 0), Eq(quotient, quotient + b)), Eq(b, 1)).status != "proved"
    assert ask((Eq(K, 0),), Ne(quotient, 5)).status == "refuted"
    assert ask((Eq(K, 0),), Eq(t.Div(x[a], K), 1)).status != "proved"
    assert ask((Eq(K, 0), Eq(t.Div(x[a], K), x[b])), Eq(a, b)).status != "proved"


def test_a_logarithm_of_nothing_is_no_contradiction():
    given = (beta <= 0, log(beta) > 0)
    assert ask(given, t.Or()).status != "proved"
    assert ask((), Eq(exp(log(beta)), beta)).status != "proved"


def test_an_open_question_is_no_proof():
    """No two positive cubes sum to a cube; the solver finds neither a proof nor a model."""
    cubes = Eq(a * a * a + b * b * b, c * c * c)
    hypotheses = (a >= 1, b >= 1, c >= 1, cubes)
    assert ask(hypotheses, t.Or(), 10_000).status == "unknown"


def test_strict_is_strict_to_the_solver():
    assert ask((a <= b,), a < b).status == "refuted"
    assert ask((a < b,), a <= b).status == "proved"


def test_the_solver_rounds_down():
    assert ask((Eq(a, -3),), Eq(floor_div(a, 2), -2)).status == "proved"
    assert ask((Eq(a, -3),), Eq(ceil_div(a, 2), -1)).status == "proved"


def test_padding_is_zero_to_the_solver():
    assert ask((a >= N,), Eq(zero_padded(x)[a], 0)).status == "proved"
    assert ask((), Eq(zero_padded(x)[a], x[a])).status != "proved"


def test_two_sums_are_two_numbers():
    one, two = Sum(exp(x[w]), (w, 0, N - 1)), Sum(exp(x[w]), (w, 0, N))
    assert ask((), Eq(one, two)).status != "proved"
    assert ask((), Eq(one, Sum(exp(x[a]), (a, 0, N - 1)))).status == "proved"


# One route alone.


def test_the_proof_for_all_sizes_alone_is_right():
    y = array("y", N)

    def squared(rule):
        op = Op(
            "square",
            requires=(N >= 1,),
            forward=Eq(y[a], x[a] * x[a]),
            jvp=Eq(tangent(y)[a], rule * tangent(x)[a]),
            vjp=Eq(cotangent(x)[a], rule * cotangent(y)[a]),
        )
        theorems = [th for th in obligations(op) if th.kind in ("jvp", "vjp")]
        return {prove(theorem, False, RLIMIT).status for theorem in theorems}

    assert squared(2 * x[a]) == {"proved"}
    assert squared(x[a]) == {"refuted"}
