"""NumPy evaluation agrees with exact evaluation, and refuses what it cannot evaluate."""

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st
from mpmath.libmp import to_float
from mpmath.libmp.libmpi import mpi_mid
from quick import drawing

from gradproof.evaluate import judge as evaluate
from gradproof.evaluate import numbers, numeric
from gradproof.evaluate.numbers import Interval
from gradproof.language import (
    And,
    Divides,
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Min,
    Ne,
    Not,
    Op,
    Or,
    Prod,
    Sum,
    array,
    axes,
    bracket,
    ceil_div,
    cotangent,
    exp,
    floor_div,
    fold,
    inside,
    integers,
    log,
    maximum,
    mod,
    nat_div,
    nat_sub,
    product,
    reals,
    scatter,
    tangent,
    trunc_div,
    trunc_mod,
    unique,
    winner,
    zero_padded,
)
from gradproof.language import terms as t
from gradproof.language.ranks import at_rank, spread

C, c, N, M, K, a, b, d, u, v = integers("C c N M K a b d u v")
n, k, s, p, i, j, o = axes("n k s p i j o")
beta, best, total = reals("beta best total")
count = integers("count")


def of(x):
    return x, tangent(x), cotangent(x)


m = floor_div(n + 2 * p - k, s) + 1
x, x_dot, x_bar = of(array("x", C, n))
y, y_dot, y_bar = of(array("y", C, m))
cell = s * o + j - p
cover = (o, Max(0, ceil_div(i + p - k + 1, s)), Min(m - 1, floor_div(i + p, s)))
window = (j, 0, k - 1)
geometry = (n >= 1, k >= 1, s >= 1, p >= 0, n + 2 * p >= k)
places = ((c, 0, C - 1), (o, 0, m - 1), window)

avg_pool = Op(
    "avg_pool",
    requires=geometry,
    forward=Eq(y[c, o], Sum(zero_padded(x)[c, cell], window) / product(k)),
    jvp=Eq(y_dot[c, o], Sum(zero_padded(x_dot)[c, cell], window) / product(k)),
    vjp=(
        Eq(x_bar[c, i], Sum(y_bar[c, o], cover) / product(k)),
        scatter(
            cotangent(x, "scatter")[c, cell],
            y_bar[c, o] / product(k),
            *places,
            where=inside((cell,), (n,)),
        ),
    ),
)


def max_pool(tie):
    held = inside((cell,), (n,))

    def won(at):
        return winner(at, x[c, cell], window, where=held, tie=tie)

    return Op(
        f"max_pool_{tie}",
        requires=geometry,
        forward=Eq(y[c, o], maximum(x[c, cell], window, where=held, empty=Fraction(-7, 2))),
        jvp=Eq(y_dot[c, o], Sum(bracket(held & won(j)) * x_dot[c, cell], window)),
        vjp=(
            Eq(x_bar[c, i], Sum(bracket(won(i + p - s * o)) * y_bar[c, o], cover)),
            scatter(cotangent(x, "scatter")[c, cell], y_bar[c, o], *places, where=held & won(j)),
        ),
    )


z, z_dot, z_bar = of(array("z", N))
w, w_dot, w_bar = of(array("w", N))

# A vector z to a vector w: the rules below say nothing of interest.
TRIVIAL = {"jvp": Eq(w_dot[a], z_dot[a]), "vjp": Eq(z_bar[a], w_bar[a])}


def vector_op(value, *requires, **rules):
    return Op("vector", Eq(w[a], value), requires=requires, **{**TRIVIAL, **rules})


log_sum_exp = Op(
    "log_sum_exp",
    forward=Eq(w[a], log(Sum(exp(beta * z[b]), (b, 0, a)))),
    jvp=Eq(w_dot[a], Sum(beta * exp(beta * z[b] - w[a]) * z_dot[b], (b, 0, a))),
    vjp=Eq(z_bar[b], Sum(beta * exp(beta * z[b] - w[a]) * w_bar[a], (a, b, N - 1))),
    requires=(beta >= 0,),
)


class Reference:
    """Exact evaluation of an op, one entry at a time."""

    def __init__(self, op, rank, sizes, arrays, numbers=numbers.RATIONALS):
        self.op, self.rank, self.numbers = op, rank, numbers
        self.env = {}
        for symbol in op.sizes:
            value = sizes[symbol.name]
            value = numbers.lift(Fraction(value)) if symbol.sort == t.REAL else value
            self.env |= dict.fromkeys(spread(symbol, rank), value)
        lift = np.vectorize(lambda e: numbers.lift(Fraction(e)), otypes=[object])
        self.tensors = {name: lift(values).__getitem__ for name, values in arrays.items()}

    def __call__(self, rule):
        ev = evaluate.Evaluator(self.numbers, self.tensors)
        rule = at_rank(rule, self.rank)
        shape = ev.shape(rule.args[0].array, self.env)
        result = np.empty([max(0, e) for e in shape], object)
        for index in np.ndindex(result.shape):
            result[index] = ev.equation(rule, index, self.env)
        return result

    def rules(self):
        self.tensors[self.op.output.name] = self(self.op.forward).__getitem__
        return self(self.op.jvp), {r.args[0].array.name: self(r) for r in self.op.vjp}


def middle(value):
    return to_float(mpi_mid(value.ends, 53)) if isinstance(value, Interval) else float(value)


def floats(values):
    return np.vectorize(middle, otypes=[float])(values)


def check_rules(op, arrays, sizes, reference, equal):
    """All rules of an op of x to y (or z to w) agree with the reference."""
    (name,) = (e.name for e in op.inputs)
    inputs = {name: arrays[name]}
    dot, bar = arrays[f"{name}_dot"], arrays[f"{op.output.name}_bar"]
    equal(numeric.forward(op, inputs, sizes), floats(reference(op.forward)))
    jvp, vjp = reference.rules()
    equal(numeric.jvp(op, inputs, {f"{name}_dot": dot}, sizes), floats(jvp))
    found = numeric.vjp(op, inputs, bar, sizes)
    assert list(found) == [r.args[0].array.name for r in op.vjp]
    for target, values in found.items():
        equal(values, floats(vjp[target]))


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


exactly = np.testing.assert_array_equal
ties = st.sampled_from(["first", "last", "any"])


@st.composite
def pooling(draw, most_channels):
    rank = draw(st.integers(1, 2))
    most = 6 // rank
    stride, pad = draw(st.integers(1, most)), draw(st.integers(0, most - 1))
    size = draw(st.integers(1, most))
    extent = draw(st.integers(1, min(most, size + 2 * pad)))
    channels = draw(st.integers(0, most_channels))
    out = (size + 2 * pad - extent) // stride + 1
    numbers = np.random.default_rng(draw(st.integers(0, 99)))
    ends = {"x": size, "x_dot": size, "y_bar": out}
    arrays = {
        name: numbers.integers(-3, 4, (channels, *[end] * rank)).astype(float)
        for name, end in ends.items()
    }
    return rank, arrays, {"k": extent, "s": stride, "p": pad}, {"n": size, "C": channels}


@given(pooling(most_channels=2))
@drawing(50)
def test_average_pooling_agrees_with_exact_evaluation(case):
    rank, arrays, sizes, more = case
    volume = sizes["k"] ** rank  # multiples of it have exact quotients
    arrays = {name: values * volume for name, values in arrays.items()}
    reference = Reference(avg_pool, rank, sizes | more, arrays)
    check_rules(avg_pool, arrays, sizes, reference, exactly)


@given(pooling(most_channels=1), ties)
@drawing(40)
def test_max_pooling_agrees_with_exact_evaluation(case, tie):
    rank, arrays, sizes, more = case
    op = max_pool(tie)
    check_rules(op, arrays, sizes, Reference(op, rank, sizes | more, arrays), exactly)


@given(st.lists(st.integers(-20, 20), min_size=0, max_size=5), st.sampled_from([0, 0.5, 3]))
@drawing(40)
@example([1, 2], 0.5)
def test_exp_and_log_agree_with_certified_intervals(entries, factor):
    values = np.array(entries) / 4
    arrays = {"z": values, "z_dot": values + 1, "w_bar": 1 - values}
    sizes = {"beta": factor}
    reference = Reference(log_sum_exp, 1, {"N": len(values), **sizes}, arrays, numbers.INTERVALS)
    check_rules(log_sum_exp, arrays, sizes, reference, close)


def test_each_axis_may_have_its_own_size():
    values = np.arange(2 * 5 * 4.0).reshape(2, 5, 4)
    sizes = {"k": (3, 2), "s": np.array([2, 1]), "p": 0}
    found = numeric.forward(avg_pool, {"x": values}, sizes)
    assert found.shape == (2, 2, 3)
    assert found[1, 1, 2] == values[1, 2:5, 2:4].mean()
    back = numeric.vjp(avg_pool, {"x": values}, found, sizes)
    close(back["x_bar"], back["x_bar_scatter"])
    dot = numeric.jvp(avg_pool, {"x": values}, {"x_dot": values}, sizes)
    close(np.vdot(dot, found), np.vdot(values, back["x_bar"]))


def test_node_kinds_are_those_of_exact_evaluation():
    in_claims_only = {t.Slope}
    assert set(numeric.RULES) == set(evaluate.RULES) - in_claims_only


def outcome(compute):
    """What is computed, or that it is undefined."""
    try:
        return compute()
    except (numbers.Undefined, IndexError, ZeroDivisionError):
        return "undefined"


def check_vector(op, entries, **sizes):
    arrays = {"z": np.array(entries, float)}
    reference = Reference(op, 1, {"N": len(entries), **sizes}, arrays)
    found = outcome(lambda: numeric.forward(op, arrays, sizes))
    expected = outcome(lambda: floats(reference(op.forward)))
    if isinstance(found, str) or isinstance(expected, str):
        assert isinstance(found, str), f"{found} is defined"
        assert isinstance(expected, str), f"undefined: {op.forward}"
    else:
        exactly(found, expected)


last_max = fold(
    total + best,
    (b, 0, a),
    (u, 0, Min(a, 1)),
    best=(best, -1, If(z[b] >= best, z[b], best)),
    total=(total, 0, total + best * u),
    count=(count, a, count + 1),
)


@pytest.mark.parametrize("entries", [[], [2], [1, -3, 2, 2]])
@pytest.mark.parametrize(
    "value",
    [
        last_max,
        fold(count, (b, 1, a), count=(count, 3, mod(count * count + b, 7))) * z[a],
        bracket(Exists(z[b] > z[a], (b, 0, a - 1))) + bracket(ForAll(z[b] > z[a], (b, 0, a - 1))),
        Prod(z[b] - z[a] + 1, (b, a + 1, N - 1)),
        maximum(z[b], (b, 0, a - 1), empty=z[-a]),
        z[a] ** a + (1 + z[a] * z[a]) ** (1 - a),
        bracket(a > 0) * z[a - 1],
        bracket((a > 0) & Divides(a, 2)) * z[a - 1] / a,
        If(Or(Eq(a, 0), Ne(mod(2, a), 0)), z[a], z[nat_sub(a, 1)] / a),
    ],
)
def test_a_term_agrees_with_exact_evaluation(value, entries):
    check_vector(vector_op(value), entries)


@pytest.mark.parametrize(("tie", "sums"), [("first", [1, 1, 3, 3]), ("last", [1, 1, 3, 4])])
def test_ties(tie, sums):
    chosen = bracket(winner(b, z[b], (b, 0, a), tie=tie))
    op = vector_op(Sum(chosen * (b + 1), (b, 0, a)))
    exactly(numeric.forward(op, {"z": np.array([1.0, -3.0, 2.0, 2.0])}, {}), sums)


def test_one_place_or_several():
    alone = bracket(unique(z[b], (b, 0, a), where=b > 0))
    op = vector_op(alone + 0 * z[a])
    exactly(numeric.forward(op, {"z": np.array([9.0, 1.0, 1.0, 2.0, 2.0])}, {}), [1, 1, 0, 1, 0])


INDICES = (a, b, d, M, K)
pairs = [floor_div, ceil_div, mod, trunc_div, trunc_mod, nat_sub, nat_div, Min, Max]
pairs += [t.Add, t.Mul]
relations = [t.Le, t.Lt, t.Ge, t.Gt, Eq, Ne]
bound = st.sampled_from([b, d])


@pytest.mark.parametrize("operation", pairs)
def test_integer_operations_agree_with_exact_evaluation(operation):
    """At -4..4 by -4..4: the values for one left operand are the digits of one number."""
    value = If(Ne(b, 0), operation(a - 4, b), nat_div(a - 4, b))
    digits = fold(total, (b, -4, 4), total=(total, z[a], 40 * total + value))
    check_vector(vector_op(digits), [0] * 9)


def build(*kinds):
    return st.one_of([st.builds(lambda f, *args: f(*args), *kind) for kind in kinds])


def integer_terms(depth):
    leaf = st.sampled_from(INDICES) | st.integers(-2, 3).map(t.as_term)
    if not depth:
        return leaf
    e, q = integer_terms(depth - 1), conditions(depth - 1)
    return leaf | build((st.sampled_from(pairs), e, e), (st.just(If), q, e, e))


def ranges(depth):
    return st.tuples(bound, integer_terms(depth), integer_terms(depth))


def conditions(depth):
    e, r = integer_terms(max(0, depth - 1)), real_terms(max(0, depth - 1))
    leaf = build((st.sampled_from(relations), e, e), (st.just(Divides), e, e))
    if not depth:
        return leaf
    q, g = conditions(depth - 1), ranges(depth - 1)

    def wins(at, body, where, tie, *over):
        return winner(at, body, *over, where=where, tie=tie)

    return leaf | build(
        (st.sampled_from([And, Or]), q, q),
        (st.just(Not), q),
        (st.sampled_from(relations), r, r),
        (st.sampled_from([Exists, ForAll]), q, g),
        (st.sampled_from([Exists, ForAll]), q, g, g),
        (st.just(wins), e, r, q, ties, g),
        (st.just(wins), st.tuples(e, e), r, q, ties, g, g),
    )


def real_terms(depth):
    reads = st.sampled_from([lambda e: z[e], lambda e: zero_padded(z)[e]])
    e = integer_terms(max(0, depth - 1))
    leaf = build((reads, e))
    if not depth:
        return leaf
    r, q, g = real_terms(depth - 1), conditions(depth - 1), ranges(depth - 1)
    halves = st.sampled_from([t.as_term(2), t.as_term(Fraction(1, 2)), Max(Min(a, 2), 0)])

    def run(first, step, body, *over):
        states = {"total": (total, first, step + total), "count": (count, 0, 2 - count)}
        return fold(body + total * count, *over, **states)

    return leaf | build(
        (st.sampled_from([t.Add, t.Mul, Min, Max]), r, r | e),
        (st.just(lambda q, r: bracket(q) * r), q, r),
        (st.just(lambda q, r, h: bracket(q) * r / h), q, r, halves),
        (st.just(t.Div), r, halves),
        (st.just(If), q, r, r),
        (st.sampled_from([Sum, Prod]), r, g),
        (st.just(Sum), r, g, g),
        (st.just(lambda r, q, f, *g: maximum(r, *g, where=q, empty=f)), r, q, leaf, g),
        (st.just(lambda r, q, f, *g: maximum(r, *g, where=q, empty=f)), r, q, leaf, g, g),
        (st.just(run), r, r, r, g),
    )


def closed(value):
    """The term with b and d bound, so that a, M and K alone are free."""
    return fold(total, (b, 0, 1), (d, a, a + 1), total=(total, 0, total + value))


@given(
    real_terms(3).map(closed),
    st.lists(st.integers(-2, 2), min_size=1, max_size=3),
    st.integers(-2, 2),
    st.integers(-2, 2),
)
@drawing(150)
def test_random_terms_agree_with_exact_evaluation(value, entries, big, small):
    try:
        op = vector_op(value, Eq(M, M), Eq(K, K))
    except t.DefinitionError:  # a symbol bound twice by one node
        reject()
    check_vector(op, entries, M=big, K=small)


@pytest.mark.parametrize(
    "value",
    [
        bracket(z[a] > 0) * log(z[a]),
        bracket(z[a] > 0) * (1 / z[a]),
        bracket(z[a] > 0) * z[a] ** (-1 - a),
        If(z[a] > 0, log(z[a]), 0),
        Sum(log(z[a]), (b, 1, floor_div(a, 2))),
        maximum(log(z[a]), (b, 0, 0), where=z[a] > 0),
    ],
)
def test_what_a_false_guard_hides_does_not_leak(value):
    found = numeric.forward(vector_op(value), {"z": np.array([0.0, -1.0, 1.0])}, {})
    assert np.isfinite(found).all()


def test_real_operations_outside_their_domain_give_what_ieee_says():
    found = numeric.forward(vector_op(log(z[a]) + 1 / z[a]), {"z": np.array([0.0, -0.0, -1.0])}, {})
    exactly(found, [np.nan, -np.inf, np.nan])


def scatter_op(place, value, *over, **more):
    rule = scatter(cotangent(z, "scatter")[place], value, *over, **more)
    return vector_op(z[a], vjp=(rule,))


@pytest.mark.parametrize("batch", [0, 1, 2**16])
@pytest.mark.parametrize(
    "op",
    [
        scatter_op(floor_div(a, 2), w_bar[a], (a, 0, N - 1)),
        scatter_op(0, w_bar[a], (a, 0, N - 1), (b, 0, 2)),
        scatter_op(a, w_bar[b] * z[a], (a, 0, N - 1), (b, 0, a), (d, b, 2)),
        scatter_op(a - 1, w_bar[a - 1], (a, 0, N), where=(a > 0) & (w_bar[a - 1] > 0)),
        scatter_op(0, 1, (a, 3, 2), (b, 0, 1 // (N - N))),
    ],
)
def test_scatters_agree_with_exact_evaluation(op, batch, monkeypatch):
    monkeypatch.setattr(numeric, "BATCH", batch)
    arrays = {"z": np.array([2.0, 3.0, -1.0, 1.0]), "w_bar": np.array([1.0, -5.0, 7.0, 2.0])}
    expected = Reference(op, 1, {"N": 4}, arrays)(op.vjp[0])
    found = numeric.vjp(op, {"z": arrays["z"]}, arrays["w_bar"], {})
    exactly(found["z_bar_scatter"], floats(expected))


@pytest.mark.parametrize(("shift", "at"), [(-1, -1), (1, 3)])
def test_a_scatter_out_of_bounds_is_refused(shift, at):
    op = scatter_op(a + shift, w_bar[a], (a, 0, N - 1))
    with pytest.raises(IndexError, match=rf"writes z_bar_scatter\[{at}\] of shape \(3,\)"):
        numeric.vjp(op, {"z": np.ones(3)}, np.ones(3), {})


@pytest.mark.parametrize(("place", "at"), [(a - 1, -1), (a + 1, 3)])
def test_a_read_out_of_bounds_is_refused(place, at):
    message = f"{z[place]} reads z[{at}] of shape (3,)"
    with pytest.raises(IndexError, match=re.escape(message)):
        numeric.forward(vector_op(z[place]), {"z": np.ones(3)}, {})


@pytest.mark.parametrize("divide", [floor_div, ceil_div, mod, trunc_div, trunc_mod, t.Div])
def test_a_division_by_zero_is_refused_and_named(divide):
    term = divide(1 + a, 1 - a)
    with pytest.raises(ZeroDivisionError) as found:
        numeric.forward(vector_op(z[a] * term), {"z": np.ones(3)}, {})
    assert str(term) in str(found.value)
    guarded = If(Ne(a, 1), term, 0)
    check_vector(vector_op(z[a] * guarded * 12), [1, 1, 1, 1])


def test_an_array_without_entries():
    for value in (z[a], zero_padded(z)[0], Sum(z[b], (b, 0, N - 1))):
        assert numeric.forward(vector_op(value), {"z": np.ones(0)}, {}).shape == (0,)
    short, _, _ = of(array("q", M))
    op = Op(
        "short",
        Eq(w[a], z[a] + zero_padded(short)[a]),
        jvp=Eq(w_dot[a], z_dot[a]),
        vjp=Eq(z_bar[a], w_bar[a]),
        constants=(short,),
    )
    exactly(numeric.forward(op, {"z": np.ones(2), "q": np.ones(0)}, {}), [1, 1])


GOOD = {"k": 2, "s": 1, "p": 0}
ONES = np.ones((1, 4))


@pytest.mark.parametrize(
    ("inputs", "sizes", "message"),
    [
        ({"z": ONES}, GOOD, "missing input x: found z, expected x"),
        ({"x": ONES, "z": ONES}, GOOD, "unknown input z: found x, z, expected x"),
        (
            {"x": ONES},
            {"k": 2, "s": 1},
            "missing size p: found k.1, s.1, C, n.1, expected p in sizes",
        ),
        ({"x": ONES}, {**GOOD, "q": 1}, "unknown size q: found 1, expected C, k, n, p, s"),
        (
            {"x": ONES},
            {**GOOD, "C": 2},
            "size C: found 1 in the shape of x, expected 2 as in sizes",
        ),
        ({"x": ONES}, {**GOOD, "n": [5]}, "size n.1: found 4 in the shape of x, expected 5"),
        (
            {"x": ONES},
            {**GOOD, "k": (2, 2)},
            "size k: found (2, 2), expected one integer number or 1",
        ),
        ({"x": ONES}, {**GOOD, "k": 1.5}, "size k: found 1.5, expected one integer number"),
        ({"x": ONES}, {**GOOD, "C": [1]}, "size C: found [1], expected one integer number"),
        ({"x": np.ones(4)}, GOOD, "dimensions of x: found (4,), expected C, n"),
        (
            {"x": ONES},
            {**GOOD, "k": 5},
            f"requires: found k.1 = 5, n.1 = 4, p.1 = 0, expected {geometry[4]}",
        ),
    ],
)
def test_a_bad_call_is_refused(inputs, sizes, message):
    with pytest.raises(ValueError, match=r"^avg_pool: ") as found:
        numeric.forward(avg_pool, inputs, sizes)
    assert message in str(found.value)


def test_a_bad_tangent_or_cotangent_is_refused():
    with pytest.raises(ValueError, match="avg_pool: unknown tangent x: found x, expected x_dot"):
        numeric.jvp(avg_pool, {"x": ONES}, {"x": ONES}, GOOD)
    with pytest.raises(ValueError, match=r"size n.1: found 3 in the shape of x_dot, expected 4"):
        numeric.jvp(avg_pool, {"x": ONES}, {"x_dot": np.ones((1, 3))}, GOOD)
    with pytest.raises(ValueError, match=r"shape of y_bar: found \(1, 4\), expected \(1, 3\)"):
        numeric.vjp(avg_pool, {"x": ONES}, ONES, GOOD)
    with pytest.raises(ValueError, match=r"dimensions of y_bar: found \(3,\), expected C, "):
        numeric.vjp(avg_pool, {"x": ONES}, np.ones(3), GOOD)


def test_a_rank_that_no_input_shows_comes_from_a_size():
    _, out_dot, out_bar = of(out := array("out", n))
    op = Op(
        "spread",
        Eq(out[i], Sum(z[a], (a, 0, N - 1))),
        jvp=Eq(out_dot[i], Sum(z_dot[a], (a, 0, N - 1))),
        vjp=scatter(z_bar[a], out_bar[i], (a, 0, N - 1), (i, 0, n - 1)),
    )
    assert numeric.forward(op, {"z": np.ones(2)}, {"n": (2, 3)}).shape == (2, 3)
    exactly(numeric.vjp(op, {"z": np.ones(2)}, np.ones((2, 3)), {})["z_bar"], [6, 6])
    with pytest.raises(ValueError, match=r"spread: rank: found sizes .*, expected a bundle size"):
        numeric.forward(op, {"z": np.ones(2)}, {"n": 2})
