"""The rules for sums, loops and windows, each against brute force."""

from fractions import Fraction
from itertools import product as tuples

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from quick import drawing
from sympy.core.symbol import Str

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS
from gradproof.language import (
    And,
    Divides,
    Eq,
    Exists,
    If,
    Max,
    Min,
    Sum,
    array,
    axes,
    bracket,
    ceil_div,
    exp,
    floor_div,
    fold,
    inside,
    integers,
    log,
    maximum,
    mod,
    reals,
    winner,
    zero_padded,
)
from gradproof.language import terms as t
from gradproof.language.requirements import over_cells
from gradproof.language.substitution import Fresh, free
from gradproof.prove.rules import selection as rule_of_selection
from gradproof.prove.rules.aligning import align_window
from gradproof.prove.rules.binders import with_counts, without_quantifier
from gradproof.prove.rules.normal import Product, addends, expand
from gradproof.prove.rules.powers import (
    CANCELLING,
    POWERS,
    an_equal_integer_inverted,
    as_power,
    itself_inverted,
    power,
    powers_of_one_base,
    root_of_a_product,
    the_same_over_axes_inverted,
)
from gradproof.prove.rules.rounding import divide_out, parted_by, parted_guards, unrounded
from gradproof.prove.rules.selection import flattened, selection_of
from gradproof.prove.rules.signs import (
    NONNEGATIVE,
    POSITIVE,
    bounds_of,
    is_nonnegative,
    is_nonzero,
    is_positive,
)
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.rules.sums import chosen
from gradproof.prove.rules.unfolding import sum_of_logarithms
from gradproof.prove.tactics.asking import context, seeker
from gradproof.prove.tactics.attempts import settle

N, a, b, i, w, v = integers("N a b i w v")
best, beta = reals("best beta")
at, has = integers("at has")
x = array("x", N)
SPAN = range(-8, 9)
small = st.integers(-3, 3)


def truth(condition, env):
    return Evaluator(RATIONALS, {}).value(condition, env)


def cell(index):
    return Fraction(7 * index[0] * index[0] + 3 * index[0] + 1)


def value(term, env):
    return Evaluator(RATIONALS, {"x": cell}).real(term, env)


def summed(products, env):
    """The products by brute force: binders run over a span that their guards lie within."""
    ev, total = Evaluator(RATIONALS, {"x": cell}), Fraction(0)
    for p in products:
        for values in tuples(SPAN, repeat=len(p.binders)):
            place = {**env, **dict(zip(p.binders, values, strict=True))}
            if all(ev.value(g, place) for g in p.guards):
                total += ev.real(t.Mul(*p.factors), place) if p.factors else 1
    return total


coefficients = st.sampled_from([-2, -1, 1, 2, 3])
sums = st.builds(
    lambda p, q, r, low, high, cut: Sum(
        bracket(Eq(p * w + q * v + r, i)) * bracket(w + v <= cut) * zero_padded(x)[w],
        (w, 0, high),
        (v, low, w),
    ),
    *(coefficients, small, small, small, st.integers(0, 3), small),
)


ends = st.builds(
    lambda q, r, d, kind, cut: cut(kind(q * i + r, d)),
    *(small, small, st.integers(1, 3), st.sampled_from([floor_div, ceil_div])),
    st.sampled_from([lambda e: e, lambda e: Max(0, e), lambda e: Min(e, N)]),
)
sums_to_rounded_ends = st.builds(
    lambda low, at, high: Sum(bracket(Eq(w, at)) * zero_padded(x)[w], (w, low, high)),
    *(ends, ends | st.just(w), ends),
) | st.builds(lambda e: Sum(zero_padded(x)[w - e], (w, e, e)), ends)


@given(sums | sums_to_rounded_ends, st.integers(-4, 4), st.integers(1, 4))
@drawing(300)
def test_steps_keep_a_sum(term, at_i, size):
    env = {i: at_i, N: size}
    prover = context((N >= 1,), False, (term,))
    wanted = value(term, env)
    products = prover.reduced(term, ())
    assert summed(products, env) == wanted
    for step in (prover.divided, prover.counted, prover.aligned, prover.totalled):
        products = tuple(step(p, ()) for p in products)
        assert summed(products, env) == wanted


def test_no_bound_name_comes_free():
    """In `x[i + w]` under a product over w, w is no constant by which a sum can be shifted."""
    term = Sum(t.Prod(zero_padded(x)[v + w], (w, 0, 2)), (v, 0, 2))
    prover = context((N >= 1,), False, (term,))
    for product in prover.reduced(term, ()):
        shifted = prover.aligned(product, ())
        named = frozenset().union(*map(free, (*shifted.guards, *shifted.factors)))
        assert named <= {N, *shifted.binders}
    square = array("x", N, N)[v + 1, v + w]
    window = t.Winner(square, And(), Str("first"), sympy.Tuple(a, b), (v, 0, 2), (w, 0, 2))
    assert free(align_window(window, Fresh(window))) <= {N, a, b}


@given(small, small, small, small)
@drawing(60)
def test_counting_an_interval(low, high, shift, cut):
    term = Sum(bracket(w + shift <= cut), (w, low, high))
    prover = context((), False, (term,))
    counted = tuple(prover.counted(p, ()) for p in prover.reduced(term, ()))
    assert all(not p.binders for p in counted)
    assert summed(counted, {}) == max(0, min(high, cut - shift) - low + 1)


@given(st.integers(1, 4), small, small, small)
@drawing(100)
def test_guards_without_rounding_say_the_same(d, p, q, r):
    down, up = floor_div(q * w + r, d), ceil_div(q * w + r, d)
    bounds = (t.Le(Max(p, up), w), t.Le(w, Min(p, down)))
    for guard in (*bounds, *(t.Le(a, b) for a in (down, up) for b in (down, up))):
        plain = unrounded((guard,), lambda *_: True)
        assert all(truth(guard, {w: u}) == truth(And(*plain), {w: u}) for u in SPAN)


@given(st.integers(1, 5), st.integers(0, 5), small)
@drawing(100)
def test_what_is_less_than_a_divisor_is_the_rest(d, r, q):
    for kind in (floor_div, mod):
        term, env = kind(a * w + v, a), {a: d, w: q, v: min(r, d - 1)}
        assert truth(Eq(term, parted_by(term, lambda *_: True)), env)
        assert parted_by(term, lambda goal, _: truth(goal, {a: 3, v: 3})) is term


@given(st.integers(1, 4), st.lists(st.integers(0, 3), min_size=1, max_size=3))
@drawing(50)
def test_guards_without_rests_say_the_same(d, chosen):
    quotient, rest = floor_div(a * w + v, a), mod(a * w + v, a)
    places = [{a: d, w: q, v: r} for q in range(-1, 2) for r in range(-2, 6)]
    guards = tuple((Eq(quotient, w), Eq(rest, v), t.Le(0, v), t.Lt(v, a))[n] for n in chosen)

    def entails(goal, known):
        return all(truth(goal, env) for env in places if truth(And(*known), env))

    plain = parted_guards(guards, entails)
    assert all(truth(And(*guards), env) == truth(And(*plain), env) for env in places)


@given(small, small, small, small, small)
@drawing(100)
def test_a_quantifier_over_an_interval_goes(low, high, p, q, r):
    condition = Exists((w + p >= q) & (w < r), (w, low, high))
    assert truth(condition, {}) == truth(without_quantifier(condition), {})


def test_a_quantifier_over_no_interval_stays():
    condition = Exists(Divides(2, w), (w, 0, N))
    assert without_quantifier(condition) is condition


@given(coefficients, small, small, small)
@drawing(100)
def test_dividing_out_keeps_the_quotient(d, p, q, r):
    for kind in (floor_div, ceil_div):
        term = kind(a * (p * w + q) + r * w, a)
        env = {a: d, w: r + 1}
        assert truth(Eq(term, divide_out(term, lambda *_: True)), env)
        assert divide_out(term, lambda *_: False) is term


def loop(take, value_now, start=0, at_takes=None, found=None):
    """`for w in 0..N-1: if take: best, at = value, w`, from nothing found."""
    valid = inside((w,), (N,))
    return fold(
        at,
        (w, 0, N - 1),
        has=(has, start, If(valid if found is None else found, 1, has)),
        best=(best, 0, If(valid & take, value_now, best)),
        at=(at, 0, If(valid & (take if at_takes is None else at_takes), w, at)),
    )


def tie_of(term):
    found = selection_of(term, seeker(RLIMIT))
    return found and found.tie


def test_induction_knows_which_maximum_a_loop_keeps():
    assert tie_of(loop(Eq(has, 0) | (x[w] > best), x[w])) == "first"
    assert tie_of(loop(Eq(has, 0) | (x[w] >= best), x[w])) == "last"


VALID = inside((w,), (N,))
TRUE_STATES = {best: x[w], at: w, has: sympy.Integer(1)}


@pytest.mark.parametrize(
    ("value", "where", "states"),
    [
        (x[w], VALID, TRUE_STATES),
        (-x[w], VALID, TRUE_STATES),
        (x[w], w > 2, TRUE_STATES),
        (x[w], VALID, TRUE_STATES | {at: w + 1}),
        (x[w], VALID, TRUE_STATES | {best: best}),
        (x[w], VALID, {state: state for state in TRUE_STATES}),
        (best, VALID, TRUE_STATES),
        (x[v], VALID, TRUE_STATES),
        (x[w], VALID, {best: x[w]}),
    ],
    ids=lambda part: str(part)[:40],
)
def test_what_is_proposed_is_proved_or_nothing(monkeypatch, value, where, states):
    """Whoever proposes may say anything; only the first of these is so."""
    monkeypatch.setattr(rule_of_selection, "proposals", lambda loop: [(value, where, states)])
    term = loop(Eq(has, 0) | (x[w] > best), x[w])
    found = selection_of(term, seeker(RLIMIT))
    is_so = (value, where, states) == (x[w], VALID, TRUE_STATES)
    assert (found is not None) == is_so


def test_a_loop_that_keeps_the_least_selects_the_largest_opposite():
    found = selection_of(loop(Eq(has, 0) | (x[w] < best), x[w]), seeker(RLIMIT))
    assert (found.body, found.tie) == (-x[w], "first")


def test_a_place_may_go_on_where_the_value_stays():
    """The value is the same whichever place it is of, and the place is the last."""
    both = loop(Eq(has, 0) | (x[w] > best), x[w], at_takes=Eq(has, 0) | (x[w] >= best))
    assert tie_of(both) == "last"


now, done, seen = x[w], integers("done"), integers("seen")
rows, largest = (w, 0, N - 1), maximum(x[a], (a, 0, N - 1))
SPELLINGS = {
    "place alone": (at, {"at": (at, 0, If(now > x[at], w, at))}, "first"),
    "place alone, the last": (at, {"at": (at, 0, If(now >= x[at], w, at))}, "last"),
    "no place yet": (at, {"at": (at, -1, If((at < 0) | (now > x[at]), w, at))}, "first"),
    "at the first turn": (
        at,
        {
            "best": (best, 0, If(Eq(w, 0) | (now > best), now, best)),
            "at": (at, 0, If(Eq(w, 0) | (now > best), w, at)),
        },
        "first",
    ),
    "the other way round": (at, {"at": (at, 0, If(now <= x[at], at, w))}, "first"),
    "max": (best, {"best": (best, x[0], Max(best, now))}, "first"),
    "first match, then break": (
        at,
        {
            "at": (at, 0, If(Eq(done, 0) & Eq(now, largest), w, at)),
            "done": (done, 0, If(Eq(now, largest), 1, done)),
        },
        "first",
    ),
    "last match": (at, {"at": (at, 0, If(Eq(now, largest), w, at))}, "last"),
    "absolute": (at, {"at": (at, 5, If(now > x[at - 5], w + 5, at))}, "first"),
    "counted on": (
        at,
        {
            "at": (at, 0, If(now > x[at], w, at)),
            "seen": (seen, 7, seen),
        },
        "first",
    ),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_loop_that_keeps_a_maximum_may_be_written_in_many_ways(spelling):
    result, states, tie = SPELLINGS[spelling]
    found = selection_of(fold(result, rows, **states), seeker(RLIMIT))
    assert (found.body, found.where, found.tie) == (x[w], t.And(), tie)


def test_a_loop_may_leave_out_the_place_from_which_it_starts():
    found = selection_of(fold(at, (w, 1, N), at=(at, 0, If(now > x[at], w, at))), seeker(RLIMIT))
    assert [*map(str, found.ranges)] == ["(w, 0, N)"]
    other = fold(at, (w, 1, N), at=(at, 2, If(now > x[at], w, at)))
    assert selection_of(other, seeker(RLIMIT)) is None


@pytest.mark.parametrize(
    "step",
    [
        If(now > x[at + 1], w, at),
        If(now > x[0], w, at),
        If(now > x[at], w + 1, at),
        If(now < x[at], at, w + at),
        If(Eq(now, largest), w, at) + 0 * at,
        If(now >= largest, at, w),
    ],
)
def test_a_place_that_is_compared_otherwise_is_no_maximum(step):
    found = selection_of(fold(at, rows, at=(at, 0, step)), seeker(RLIMIT))
    assert found is None or found.body != x[w]


image = array("image", N, N)


def nest(inner_start, step):
    turn = fold(at, (b, 0, N - 1), at=(at, inner_start, step))
    return fold(at, (a, 0, N - 1), at=(at, 0, turn))


def test_a_loop_within_a_loop_is_one_over_both_places():
    place = image[a, b] > image[floor_div(at, N), mod(at, N)]
    found = flattened(nest(at, If(place, a * N + b, at)))
    assert len(found.ranges) == 2
    again = nest(0, If(place, a * N + b, at))
    assert flattened(again) is again


def test_a_match_of_another_maximum_is_no_winner():
    other = maximum(x[a], (a, 0, N - 2))
    found = selection_of(fold(at, rows, at=(at, 0, If(Eq(now, other), w, at))), seeker(RLIMIT))
    assert found.body == 0


@pytest.mark.parametrize(("tie", "other"), [("first", "last"), ("last", "first"), ("any", "any")])
def test_a_window_read_backwards_has_its_first_place_last(tie, other):
    back = winner(b, x[N - 1 - w], rows, tie=tie)
    found = align_window(back, Fresh(back))
    assert str(found.tie) == other
    assert str(found.at[0]) == "N - b - 1"
    two = winner((a, b), x[N - 1 - w] + x[v], rows, (v, 0, N - 1), tie=tie)
    assert str(align_window(two, Fresh(two)).tie) == tie


def test_a_loop_that_reads_what_a_state_was_before_it_is_not_flattened():
    outer = integers("outer")
    turn = fold(at, (b, 0, N - 1), at=(at, outer, If(x[b] > x[outer], b, at)))
    whole = fold(outer, (a, 0, N - 1), outer=(outer, 0, turn))
    assert flattened(whole) is whole


@pytest.mark.parametrize(
    "term",
    [
        loop(x[w] > best, x[w]),
        loop(Eq(has, 1) | (x[w] > best), x[w]),
        loop(Eq(has, 0) | (x[w] > best), x[w] + 1),
        loop(Eq(has, 0) | (x[w] > best), x[w], start=1),
        loop(Eq(has, 0) | (x[w] > best + 1), x[w]),
        loop(Eq(has, 0) | (x[w] > best), x[w], at_takes=Eq(has, 0) | (x[w] <= best)),
        loop(Eq(has, 0) | (best + x[w] > best), best + x[w]),
        loop(Eq(has, 0) | (x[w] > best), x[w], found=t.Le(1, w)),
    ],
)
def test_induction_fails_for_loops_that_keep_no_maximum(term):
    assert tie_of(term) is None


def test_signs_of_sums():
    prover = context((N >= 1,), False)
    assert is_positive(prover, Sum(exp(x[w]), (w, 0, N - 1)))
    assert not is_positive(prover, Sum(exp(x[w]), (w, 1, N - 1)))
    assert not is_positive(prover, Sum(x[w], (w, 0, N - 1)))
    assert is_nonnegative(prover, Sum(bracket(x[w] > 0), (w, 5, N - 1)))
    assert is_nonnegative(prover, Sum((x[w] - beta) ** 2, (w, 0, N - 1)))
    assert not is_nonnegative(prover, Sum(x[w] ** 3, (w, 0, N - 1)))
    assert not is_nonnegative(prover, Sum(x[w] * x[w + 1], (w, 0, N - 1)))
    assert not is_positive(prover, Sum(x[w] ** 2, (w, 0, N - 1)))
    assert not is_nonnegative(prover, Sum(bracket(x[w] > 0) * x[w], (w, 0, N - 1)) - 1)


AXES = axes("n")
# By sign and kind: what has the sign, and what has not.
SIGNED = {
    ("positive", t.Exp): (exp(x[a]), None),
    ("positive", t.AxisProduct): (t.AxisProduct(AXES), t.AxisProduct(AXES - 1)),
    ("positive", t.Mul): (exp(x[a]) * exp(x[b]), exp(x[a]) * x[b]),
    ("positive", t.Div): (exp(x[a]) / exp(x[b]), exp(x[a]) / x[b]),
    ("positive", t.Add): (exp(x[a]) + x[b] ** 2, x[a] ** 2 + x[b] ** 2),
    ("positive", t.Sum): (Sum(exp(x[w]), (w, 0, N - 1)), Sum(exp(x[w]), (w, 1, N - 1))),
    ("positive", t.Prod): (t.Prod(exp(x[w]), (w, 0, b)), t.Prod(x[w] ** 2, (w, 0, b))),
    ("positive", t.Power): (exp(x[a]) ** b, x[a] ** b),
    ("positive", t.If): (If(beta > 0, beta, exp(beta)), If(beta >= 0, beta, exp(beta))),
    ("nonnegative", t.Bracket): (bracket(x[a] > 0), None),
    ("nonnegative", t.Exp): (exp(x[a]), None),
    ("nonnegative", t.Mul): (t.Mul(x[a], x[b], x[a], x[b]), x[a] * x[b]),
    ("nonnegative", t.Div): (x[a] ** 2 / exp(x[b]), x[a] ** 2 / x[b]),
    ("nonnegative", t.Add): (x[a] ** 2 + x[b] ** 2, x[a] ** 2 + x[b]),
    ("nonnegative", t.Sum): (Sum(x[w] ** 2, (w, 0, N - 1)), Sum(x[w], (w, 0, N - 1))),
    ("nonnegative", t.Prod): (t.Prod(x[w] ** 2, (w, 0, b)), t.Prod(x[w], (w, 0, b))),
    ("nonnegative", t.Power): (exp(x[a]) ** b, x[a] ** (2 * b)),
    ("nonnegative", t.If): (If(beta < 0, exp(beta), beta), If(beta < 0, beta, exp(beta))),
}
TABLES = {"positive": POSITIVE, "nonnegative": NONNEGATIVE}


def test_every_rule_of_signs_is_tried():
    assert {(sign, kind) for sign, rules in TABLES.items() for kind in rules} == set(SIGNED)


@pytest.mark.parametrize(("sign", "kind"), SIGNED)
def test_a_rule_of_signs_says_yes_and_no(sign, kind):
    yes, no = SIGNED[sign, kind]
    rule, known = TABLES[sign][kind], context((N >= 1, AXES >= 1), kind is t.AxisProduct)
    assert rule(known, yes, ())
    assert no is None or not rule(known, no, ())


def test_what_divides_a_product_is_not_zero():
    whole, others = (t.Prod(body, (w, 0, N - 1)) for body in (x[w], If(Eq(w, a), 1, x[w])))
    within = (N >= 1, a >= 0, a < N)
    assert not equal(context(within, False), whole / x[a], others)
    assert equal(context((*within, t.Ne(x[a], 0)), False), whole / x[a], others)
    assert not equal(context((*within, t.Ne(x[a], 0)), False), whole / others, x[a])


def test_an_exponential_is_above_one_where_its_exponent_is_above_zero():
    prover = context((), False)
    assert prover.entails(exp(beta) > 1, (beta > 0,))
    assert prover.entails(exp(beta) < 1, (beta < 0,))
    assert prover.entails(beta > 0, (exp(beta) > 1,))
    assert not prover.entails(exp(beta) > 1, (beta >= 0,))
    assert not prover.entails(exp(beta) >= 1)
    assert not prover.entails(exp(beta) > 2, (beta > 0,))


def test_a_logarithm_is_parted_where_its_parts_are_positive():
    prover = context((beta < 0,), False)
    assert sum_of_logarithms(log(beta * x[a]), prover, (x[a] > 0,)) == log(beta * x[a])
    assert sum_of_logarithms(log(x[b] / x[a]), prover, (x[a] > 0,)) == log(x[b] / x[a])
    parted = sum_of_logarithms(log(x[b] / x[a]), prover, (x[a] > 0, x[b] > 0))
    assert parted == log(x[b]) - log(x[a])


def test_a_choice_is_taken_where_its_condition_is_known():
    """Two guards do not vouch for each other: each is judged by what is known beside them."""
    total = Sum(x[w], (w, 0, N - 1))
    value = If(total > 0, total, 1)
    one = (t.Gt(If(total > 1, beta, 1), 0), t.Gt(total, 1))
    assert chosen(Product((), one, (value,)), ()).guards == one
    assert chosen(Product((), (t.Gt(total, 0),), (value,)), ()).factors == (total,)
    assert chosen(Product((), (), (value,)), (t.Not(t.Gt(total, 0)),)).factors == (1,)
    assert chosen(Product((), (t.Gt(total, 1),), (value,)), ()).factors == (value,)


def test_a_choice_below_a_binder_is_of_what_the_binder_binds():
    """`x[a]` under a sum over `a` is another cell than the `x[a]` that a guard speaks of."""
    condition = x[a] > Sum(x[w], (w, 0, N - 1))
    value = exp(Sum(If(condition, 1, 5), (a, 0, N - 1)))
    assert chosen(Product((), (condition,), (value,)), ()).factors == (value,)
    elsewhere = exp(Sum(If(condition, 1, 5), (b, 0, N - 1)))
    (found,) = chosen(Product((), (condition,), (elsewhere,)), ()).factors
    assert found == exp(Sum(1, (b, 0, N - 1)))


def test_conditions_on_sums_say_the_same_if_they_follow_from_each_other():
    prover, total = context((), False), Sum(x[w], (w, 0, N - 1))
    assert prover.say_the_same([exp(total) > 1], [total > 0], ())
    assert not prover.say_the_same([exp(total) > 2], [total > 0], ())
    assert not prover.say_the_same([total > 0], [exp(total) > 2], ())


def test_what_is_said_of_a_sum_is_said_by_the_name_that_stays():
    prover, z = context((), False), array("z", N, N)
    total, other = (Sum(z[place, w], (w, 0, N - 1)) for place in (a, b))
    for guard, is_known in [(t.Eq(a, b), True), (t.Ne(a, b), False), (t.Eq(a, b + 1), False)]:
        found = prover.said_there(Product((), (guard,), ()), (t.Gt(other, 0),))
        assert is_positive(prover, total, found) == is_known


def test_a_product_is_zero_where_a_factor_is():
    prover = context((N >= 1,), False)
    assert is_nonzero(prover, t.Prod(If(Eq(w, a), exp(x[a]), -1), (w, 0, N - 1)))
    assert not is_nonzero(prover, t.Prod(If(Eq(w, a), x[a], 1), (w, 0, N - 1)))
    assert not is_nonzero(prover, Sum(t.Mul(-1, exp(x[w])), (w, 0, N - 1)) + exp(x[a]))


def test_a_sum_of_winners_is_positive_over_its_own_window_only():
    prover = context((N >= 1,), False)
    largest = maximum(x[v], (v, 0, N - 1))
    assert is_positive(prover, Sum(bracket(Eq(x[w], largest)), (w, 0, N - 1)))
    assert not is_positive(prover, Sum(bracket(Eq(x[w], largest)), (w, 0, N - 2)))
    assert not is_positive(prover, Sum(bracket(x[w] >= largest), (w, 0, N - 1)))
    assert not is_positive(prover, Sum(bracket(Eq(x[w], 0)), (w, 0, N - 1)))


def test_one_positive_term_makes_a_sum_of_terms_positive_if_none_is_negative():
    prover = context((), False)
    assert is_positive(prover, exp(x[a]) + x[b] ** 2)
    assert not is_positive(prover, exp(x[a]) + x[b])
    assert not is_positive(prover, x[a] ** 2 + x[b] ** 2)


def test_a_branch_has_a_sign_if_each_side_has_it_where_it_is_taken():
    prover = context((), False)
    assert is_positive(prover, If(beta > 0, beta, exp(beta)))
    assert not is_positive(prover, If(beta >= 0, beta, exp(beta)))
    assert not is_positive(prover, If(beta > 0, exp(beta), beta))
    assert is_nonnegative(prover, If(beta < 0, exp(beta), beta))
    assert not is_nonnegative(prover, If(beta < 0, beta, exp(beta)))


def test_what_stands_for_an_empty_window_counts_unless_none_is_empty():
    def agree(size, **where):
        one, two = (maximum(x[v], (v, 0, N - 1), empty=e, **where) for e in (1, 2))
        return context((size <= N,), False).agree(one, two, ())

    assert agree(1)
    assert not agree(0)
    assert agree(3, where=v >= 2)
    assert not agree(2, where=v >= 2)
    assert not agree(1, where=x[v] > 0)


def facts_about(total, largest, *given):
    return [str(fact) for fact in bounds_of(context(given, False), total, largest, ())]


def test_a_sum_is_compared_with_the_maximum_over_its_own_window_only():
    total, here = Sum(exp(x[w]), (w, 0, N - 1)), (v, 0, N - 1)
    largest = maximum(x[v], here)
    assert facts_about(total, largest, N >= 1) == [
        f"log({total}) ≥ {largest}",
        f"log({total}) ≤ log(N) + {largest}",
    ]
    falling = Sum(exp(-x[w]), (w, 0, N - 1))
    assert facts_about(falling, largest, N >= 1) == [f"log({falling}) ≥ -{largest}"]
    assert not facts_about(total, largest, N >= 0)
    assert not facts_about(total, maximum(x[v], (v, 0, N)), N >= 1)
    assert not facts_about(total, maximum(x[v], here, (i, 0, N - 1)), N >= 1)
    assert not facts_about(total, maximum(x[v], here, where=v >= 1), N >= 1)
    plain = Sum(x[w], (w, 0, N - 1))
    assert facts_about(plain, largest, N >= 1) == [f"{plain} ≤ N·{largest}"]
    assert not facts_about(Sum(-x[w], (w, 0, N - 1)), largest, N >= 1)
    assert not facts_about(Sum(x[w] * w, (w, 0, N - 1)), largest, N >= 1)


def equal(prover, left, right):
    found = settle(prover.hypotheses, Eq(t.Mul(1, left), right), prover.generic, RLIMIT)
    return found.proof is not None


def test_logarithms_give_up_exponentials_only():
    prover = context((N >= 1,), False)
    total = Sum(exp(x[w]), (w, 0, N - 1))
    shifted = log(Sum(exp(x[w] + beta), (w, 0, N - 1)))
    assert equal(prover, shifted, beta + log(total))
    assert not equal(prover, log(beta * total), log(total) + log(beta))
    assert len(expand(shifted, prover.fresh)) == 2
    assert equal(prover, log(exp(x[a])), x[a])
    assert equal(prover, log(beta * exp(x[a])), x[a] + log(beta))
    assert not equal(prover, log(beta * exp(x[a])), x[a])
    assert equal(prover, log(exp(x[a]) * exp(x[b])), x[a] + x[b])
    assert not equal(prover, log(exp(x[a]) + exp(x[b])), x[a] + x[b])
    assert not equal(prover, log(bracket(a > 0) * exp(x[a])), x[a])


def test_an_interval_without_an_end_is_not_counted():
    for guards in ((w >= 0,), (w <= N,), ()):
        endless = Product((w,), guards, ())
        assert with_counts(endless, Fresh()) is endless


def test_bundles_are_no_numbers():
    n, j = axes("n j")
    prover = context((n >= 1,), True)
    assert equal(prover, Sum(1, (j, 0, n - 1)), t.AxisProduct(n))
    assert not equal(prover, Sum(1, (j, 0, n)), t.AxisProduct(n))


@pytest.mark.parametrize("exponent", [Fraction(k, 6) for k in range(-13, 14)])
@pytest.mark.parametrize("base", [Fraction(n, d) for n in (1, 2, 6, 12) for d in (1, 5, 9)])
def test_powers_of_numbers(base, exponent):
    found = power(sympy.Rational(base), sympy.Rational(exponent))
    exact = 1.0
    for factor in found:
        number, e = as_power(factor)
        exact *= float(number) ** float(e)
    assert exact == pytest.approx(float(base) ** float(exponent))


p, q = reals("p q")
OTHER_AXES = axes("m")
# By rule: factors of its pattern, with values at which its premises hold, and factors of none.
JOINED = {
    root_of_a_product: ((t.Exp(t.Div(t.Log(t.Mul(p, q)), 2)),), (t.Mul(p, q),)),
    powers_of_one_base: ((t.Exp(t.Div(t.Log(p), 2)), p, 1 / p), (t.Exp(t.Log(p)), q)),
}
CANCELLED = {
    itself_inverted: ((p, p), (p, q)),
    an_equal_integer_inverted: ((a + b, 2 * a), (p, q)),
    the_same_over_axes_inverted: (
        (t.AxisProduct(AXES), t.AxisProduct(OTHER_AXES)),
        (AXES, OTHER_AXES),
    ),
}


def test_every_rule_of_powers_and_cancellation_is_tried():
    assert [*JOINED, *CANCELLED] == [*POWERS.values(), *CANCELLING.values()]


def real_value(factors, env):
    found = 1.0
    for factor in factors:
        base, exponent = as_power(factor)
        found *= float(value(base, env)) ** float(exponent)
    return found


@pytest.mark.parametrize("rule", JOINED)
def test_powers_are_worth_what_they_are_joined_to_where_the_premises_hold(rule):
    factors, others = JOINED[rule]
    step = rule(*factors)
    assert rule(*others) is None
    tried = 0
    for first, second in tuples(range(-2, 4), repeat=2):
        env = {p: Fraction(first), q: Fraction(second)}
        if all(truth(premise, env) for premise in step.premises):
            assert real_value(step.conclusion, env) == pytest.approx(real_value(factors, env))
            tried += 1
    assert 0 < tried < 36


@pytest.mark.parametrize("rule", CANCELLED)
def test_what_cancels_is_worth_1_where_the_premises_hold(rule):
    """And only there: each premise is needed."""
    (above, below), others = CANCELLED[rule]
    step = rule(above, below)
    assert rule(*others) is None
    assert step.conclusion == ()
    plain = [u.condition if isinstance(u, t.AllAxes) else u for u in step.premises]
    above, below = (u.args[0] if isinstance(u, t.AxisProduct) else u for u in (above, below))
    for first, second in tuples(range(-2, 3), repeat=2):
        env = {a: first, b: second, p: Fraction(first), AXES: first, OTHER_AXES: second}
        divisor = value(below, env)
        is_one = divisor != 0 and value(above, env) == divisor
        assert all(truth(premise, env) for premise in plain) == is_one


@pytest.mark.parametrize("rule", CANCELLED)
def test_nothing_cancels_unless_every_premise_is_shown(rule):
    (above, below), _ = CANCELLED[rule]
    generic = rule is the_same_over_axes_inverted
    premises = rule(above, below).premises
    assert context(premises, generic).cancels(above, t.Div(1, below), ())
    for premise in premises:
        rest = [other for other in premises if other is not premise]
        assert not context(rest, generic).cancels(above, t.Div(1, below), ())


def test_roots_of_products_are_parted_where_their_factors_are_positive():
    root = t.Exp(t.Div(t.Log(t.Mul(x[a], x[b])), 2))
    assert context((), False).roots(root, ()) == (root,)
    known = context((x[a] > 0, x[b] > 0), False)
    assert [as_power(f) for f in known.roots(root, ())] == [
        (x[a], sympy.Rational(1, 2)),
        (x[b], sympy.Rational(1, 2)),
    ]


def test_a_sum_of_addends_is_the_term():
    r, q = reals("r q")
    one = Fraction(1)
    for term in ((r + 2) * (q - 3) * r, (r * (q + 1) + 5) / q, r * q, q * ((r + q) * 2 - r) / 7):
        parts = addends(term)
        for at in ({r: one, q: -one}, {r: Fraction(5, 2), q: Fraction(3)}):
            assert sum(value(part, at) for part in parts) == value(term, at)
    assert len(addends((r + 2) * (q - 3) * r)) == 4


def test_what_is_required_of_cells_is_known_of_cells_alone():
    asked = over_cells(x[a] > 0, (N,))
    inside_of_it = (b >= 0, b < N)
    assert context((asked, *inside_of_it), False).entails(x[b] > 0)
    assert not context((asked,), False).entails(x[b] > 0)
    assert not context((asked, *inside_of_it), False).entails(x[b + 1] > 0)
