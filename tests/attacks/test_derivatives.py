"""Attacks on derivatives: rules that are not linear, share a mistake, or are wrong far away."""

from fractions import Fraction

import pytest
from attacks import (
    BAD,
    LAST,
    C,
    K,
    M,
    N,
    a,
    all_proved,
    b,
    best,
    beta,
    c,
    claim,
    found,
    holds,
    i,
    n,
    op,
    proofs,
    refused,
    statuses,
    u,
    v,
    x,
    x_bar,
    x_dot,
    y,
    y_bar,
    y_dot,
)

from gradproof.language import (
    Claim,
    DefinitionError,
    Divides,
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Min,
    Ne,
    Op,
    Prod,
    Sum,
    array,
    bracket,
    call,
    ceil_div,
    cotangent,
    derivative,
    exp,
    floor_div,
    fold,
    inside,
    integers,
    maximum,
    mod,
    scatter,
    tangent,
    winner,
    zero_padded,
)
from gradproof.theorems.obligations import obligations

inC, outC, ci, co = integers("inC outC ci co")


def convolution(**changes):
    X, W = array("x", inC, N), array("W", outC, inC, K)
    taps = ((ci, 0, inC - 1), (v, 0, K - 1))
    wide = array("y", outC, N + K - 1)
    parts = {
        "requires": (N >= 1, K >= 1, inC >= 1, outC >= 1),
        "forward": Eq(wide[co, u], Sum(W[co, ci, v] * zero_padded(X)[ci, u - v], *taps)),
        "jvp": Eq(
            tangent(wide)[co, u],
            Sum(
                W[co, ci, v] * zero_padded(tangent(X))[ci, u - v]
                + tangent(W)[co, ci, v] * zero_padded(X)[ci, u - v],
                *taps,
            ),
        ),
        "vjp": (
            Eq(cotangent(X)[ci, a], conv_rule(W, wide)),
            Eq(
                cotangent(W)[co, ci, v],
                Sum(cotangent(wide)[co, u] * zero_padded(X)[ci, u - v], (u, 0, N + K - 2)),
            ),
        ),
    }
    return Op("convolution", **(parts | changes))


def conv_rule(W, wide, extra=0):
    value = Sum(W[co, ci, v] * cotangent(wide)[co, a + v], (co, 0, outC - 1), (v, 0, K - 1))
    return value if extra == 0 else value + extra


def test_the_convolution_of_these_attacks_is_right():
    assert all_proved(convolution(), "jvp", "vjp", "linear", "in bounds")


def test_a_term_without_the_weight_is_not_lost():
    right = convolution()
    rule, other = right.vjp
    lost = 7 * Sum(cotangent(right.output)[co, u], (co, 0, outC - 1), (u, 0, N + K - 2))
    wrong = convolution(vjp=(Eq(rule.args[0], rule.args[1] + lost), other))
    assert not proofs(wrong, "vjp")[0]


def test_a_bracket_that_reads_the_input_leaves_the_boundary_out():
    jvp, vjp = found(op(forward=Eq(y[a], x[a] + bracket(x[a] > 0))), "jvp", "vjp")
    assert jvp.status == vjp.status == BAD
    assert "off the boundary" in jvp.scope
    assert "off the boundary" in vjp.scope


@pytest.mark.parametrize(
    "rule",
    [
        x_dot[a] + bracket(x_dot[a] > 0),
        x_dot[a] + bracket(N > 50),
        x_dot[a] * x_dot[a] / x_dot[a],
        x_dot[a] * x_dot[a],
        Max(x_dot[a], 2 * x_dot[a]),
        If(x_dot[a] > 0, x_dot[a], 2 * x_dot[a]),
        x_dot[If(x_dot[a] > 50, 0, a)],
        Sum(x_dot[a], (b, 0, If(x_dot[a] > 50, 1, 0))),
        x_dot[a] + exp(x_dot[a]) - exp(x_dot[a]) + bracket(Exists(x_dot[b] > 0, (b, 0, N - 1))),
        fold(best, (b, 0, N - 1), best=(best, x_dot[a], If(x_dot[a] > best, 0, best))),
        maximum(x_dot[a], (b, 0, 0), empty=0) + bracket(x_dot[a] > 7),
        x_dot[a] + bracket(winner(0, x_dot[b], (b, 0, N - 1))) * bracket(N > 50),
    ],
    ids=str,
)
def test_a_rule_that_is_not_linear(rule):
    assert not all_proved(op(jvp=Eq(y_dot[a], rule)), "jvp", "linear", "defined")


def test_a_cotangent_in_a_branch():
    wrong = op(vjp=Eq(x_bar[a], y_bar[a] + bracket(y_bar[a] > 0)))
    assert not all_proved(wrong, "vjp", "linear")


def test_a_left_index_bound_on_the_right():
    """Σ over `a` of y_bar[a] is not y_bar[a]."""
    assert not all_proved(op(vjp=Eq(x_bar[a], Sum(y_bar[a], (a, 0, N - 1)))), "vjp")
    assert not all_proved(op(jvp=Eq(y_dot[a], Sum(x_dot[a], (a, 0, N - 1)))), "jvp")


def test_an_eliminated_binder_in_an_inner_range():
    triangle = Sum(x[b] * bracket(Eq(c, b)), (c, 0, N - 1), (b, 0, c))
    short = Sum(x[b], (b, 0, N - 51))
    assert holds(Eq(triangle, Sum(x[b], (b, 0, N - 1))))
    assert claim(Eq(triangle, Sum(x[b], (b, 0, N - 1)) + short - short)).status != "refuted"
    assert not holds(Eq(triangle, Sum(x[b], (b, 0, Min(N - 1, 50)))))


def test_a_jvp_and_a_vjp_that_share_a_mistake():
    both = op(jvp=Eq(y_dot[a], 2 * x_dot[a]), vjp=Eq(x_bar[a], 2 * y_bar[a]))
    assert statuses(both, "jvp", "vjp") == ["refuted", "refuted"]


@pytest.mark.parametrize("wrong", [If(N > 50, 2, 1), If(Divides(97, N), 2, 1), If(a > 60, 0, 1)])
def test_a_mistake_at_a_large_size(wrong):
    assert True not in proofs(op(jvp=Eq(y_dot[a], wrong * x_dot[a])), "jvp")
    assert True not in proofs(op(vjp=Eq(x_bar[a], wrong * y_bar[a])), "vjp")


def test_a_mistake_at_one_value_of_a_parameter():
    parts = {"requires": (N >= 1, beta >= -9), "forward": Eq(y[a], beta * x[a])}
    at_seven = If(Eq(beta, Fraction(-7, 3)), 0, beta)
    wrong = op(jvp=Eq(y_dot[a], at_seven * x_dot[a]), vjp=Eq(x_bar[a], beta * y_bar[a]), **parts)
    assert True not in proofs(wrong, "jvp")


def test_a_parameter_as_a_divisor():
    """Not a hole, but an error: the second route takes no real parameter below a line."""
    right = op(
        requires=(N >= 1, Ne(beta, 0)),
        forward=Eq(y[a], x[a] / beta),
        jvp=Eq(y_dot[a], x_dot[a] / beta),
        vjp=Eq(x_bar[a], y_bar[a] / beta),
    )
    assert all_proved(right)


def test_a_rule_may_read_the_output():
    forward = Eq(y[a], exp(x[a]))
    right = op(
        forward=forward, jvp=Eq(y_dot[a], y[a] * x_dot[a]), vjp=Eq(x_bar[a], y[a] * y_bar[a])
    )
    assert all_proved(right, "jvp", "vjp", "linear")
    wrong = op(
        forward=forward, jvp=Eq(y_dot[a], y[0] * x_dot[a]), vjp=Eq(x_bar[a], x[a] * y_bar[a])
    )
    assert True not in proofs(wrong, "jvp", "vjp")


def test_a_claim_about_a_derivative():
    right = ForAll(Eq(derivative(y[a], x[b]), bracket(Eq(a, b))), (a, 0, N - 1), (b, 0, N - 1))
    wrong = ForAll(Eq(derivative(y[a], x[b]), 1), (a, 0, N - 1), (b, 50, N - 1))
    assert holds(right)
    assert not holds(wrong)


def test_a_fixed_rank_transpose_is_not_the_identity():
    X, Y = array("x", N, N), array("y", N, N)
    wrong = Op(
        "transpose",
        requires=(N >= 1,),
        forward=Eq(Y[a, b], X[b, a]),
        jvp=Eq(tangent(Y)[a, b], tangent(X)[a, b]),
        vjp=Eq(cotangent(X)[a, b], cotangent(Y)[a, b]),
    )
    assert statuses(wrong, "jvp", "vjp") == ["refuted", "refuted"]


def window_sum(dilation, scattered_to, last):
    """Σ_b x[a + d·b], with its scatter."""
    Y = array("y", N)
    cell = a + dilation * b
    return Op(
        "window_sum",
        requires=(N >= 1, K >= 1, M >= 1),
        forward=Eq(Y[a], Sum(zero_padded(x)[cell], (b, 0, M - 1))),
        jvp=Eq(tangent(Y)[a], Sum(zero_padded(x_dot)[cell], (b, 0, M - 1))),
        vjp=scatter(
            x_bar[scattered_to],
            cotangent(Y)[a],
            *((a, 0, N - 1), (b, 0, last)),
            where=inside((scattered_to,), (N,)),
        ),
    )


def test_overlapping_scatters_with_dilation():
    cell = a + K * b
    assert all_proved(window_sum(K, cell, M - 1), "jvp", "vjp", "in bounds")
    assert True not in proofs(window_sum(K, a + If(K > 50, 1, K) * b, M - 1), "vjp")
    assert True not in proofs(window_sum(K, cell, If(M > 50, M, M - 1)), "vjp")


def strided_back(parity):
    """Every other cell, from the last one on."""
    Y = array("y", ceil_div(N, 2))
    hit = Divides(2, parity)
    return Op(
        "strided_back",
        requires=(N >= 1,),
        forward=Eq(Y[a], x[N - 1 - 2 * a]),
        jvp=Eq(tangent(Y)[a], x_dot[N - 1 - 2 * a]),
        vjp=Eq(x_bar[b], bracket(hit) * cotangent(Y)[floor_div(N - 1 - b, 2)]),
    )


def test_a_negative_stride():
    assert all_proved(strided_back(N - 1 - b), "jvp", "vjp", "in bounds")
    assert True not in proofs(strided_back(If(N > 60, b, N - 1 - b)), "vjp")


def grouped(group):
    """Each of K groups of M channels is scaled by a weight of its own."""
    X, W, Y = array("x", K * M), array("w", K), array("y", K * M)
    return Op(
        "grouped",
        requires=(K >= 1, M >= 1),
        forward=Eq(Y[a], W[floor_div(a, M)] * X[a]),
        jvp=Eq(
            tangent(Y)[a],
            W[floor_div(a, M)] * tangent(X)[a] + tangent(W)[floor_div(a, M)] * X[a],
        ),
        vjp=(
            Eq(cotangent(X)[a], W[floor_div(a, M)] * cotangent(Y)[a]),
            scatter(cotangent(W)[group], X[a] * cotangent(Y)[a], (a, 0, K * M - 1)),
        ),
    )


def test_groups_of_channels():
    assert all_proved(grouped(floor_div(a, M)), "jvp", "vjp", "linear")
    assert not all_proved(grouped(If(M > 50, mod(a, K), floor_div(a, M))), "vjp")


def test_a_divisor_that_depends_on_the_place():
    """A window of K cells that ends at the border, divided by the cells it has."""
    cells = Min(a + K, N) - a
    rule = {"forward": Eq(y[a], Sum(zero_padded(x)[a + b], (b, 0, K - 1)) / cells)}
    rule["jvp"] = Eq(y_dot[a], Sum(zero_padded(x_dot)[a + b], (b, 0, K - 1)) / cells)
    rule["requires"] = (N >= 1, K >= 1)

    def gather(divided):
        inner = (b, Max(0, a - K + 1), a)
        return op(vjp=Eq(x_bar[a], Sum(y_bar[b] / divided, inner)), **rule)

    assert all_proved(gather(Min(b + K, N) - b), "jvp", "vjp", "defined")
    assert True not in proofs(gather(Min(a + K, N) - a), "vjp")
    assert True not in proofs(gather(If(N > 50, K, Min(b + K, N) - b)), "vjp")


@pytest.mark.parametrize(
    "statement",
    [
        Eq(Sum(x[c], (b, 0, N - 1), (c, b, N - 1)), Sum(c * x[c], (c, 0, N - 1))),
        Eq(Sum(x[b], (b, 0, N - 1), (c, 0, b)), Sum(x[b], (c, 0, N - 1), (b, 0, c))),
        Eq(Sum(If(x[b] > 0, x[b], 0), (b, 0, N - 1)), Sum(Max(x[b], 0), (b, 0, LAST))),
        Eq(
            maximum(maximum(zero_padded(x)[b + c], (c, 0, 1)), (b, 0, LAST)),
            maximum(x[b], (b, 0, LAST)),
        ),
        Eq(Sum(1, (b, 0, K), (c, 0, -b)), Max(0, K + 1)),
        Eq(Sum(Sum(x[c], (c, 0, -b)), (b, 0, N - 1)), Sum(x[c], (c, 0, If(N < 50, 0, 1)))),
    ],
    ids=str,
)
def test_ranges_that_depend_on_each_other(statement):
    assert not holds(statement, requires=(N >= 2, K >= -3))


def test_what_reads_the_output_rests_on_the_forward():
    squared = op(
        forward=Eq(y[a], x[a] / 2),
        jvp=Eq(y_dot[a], x_dot[a] / 2),
        vjp=Eq(x_bar[a], y_bar[a] * y[a]),
    )
    (linear,) = (th for th in obligations(squared) if th.name == "vjp x_bar is linear")
    assert "forward: reads and writes" in linear.rests_on


def test_a_rule_that_reads_the_output_reads_that_of_its_own_call():
    rules = {"jvp": Eq(y_dot[a], y[a] * x_dot[a]), "vjp": Eq(x_bar[a], y[a] * y_bar[a])}
    grown = op(forward=Eq(y[a], exp(x[a])), **rules)
    doubled = call(grown, {}, {x: lambda p: 2 * x[p]}, of="x_bar")[0]
    assert all_proved(grown.claiming(Claim("c", Eq(doubled, exp(2 * x[0]) * y_bar[0]))), "claim")
    assert not all_proved(grown.claiming(Claim("c", Eq(doubled, exp(x[0]) * y_bar[0]))), "claim")


@pytest.mark.parametrize("cells", [(y_dot[0], y_dot[1]), (y_bar[0], x_bar[0])], ids=str)
def test_nothing_is_differentiated_by_what_the_op_computes(cells):
    assert refused(lambda: op(claims=(Claim("c", Eq(derivative(*cells), 1)),)))


def only_diagonal(**changes):
    """The sum of all cells; the rules speak of the diagonal only."""
    X, Y = array("x", n), array("y", M)
    parts = {
        "requires": (n >= 1, C >= 1, M >= 1, n >= C, n <= C),
        "forward": Eq(Y[a], Sum(X[i], (i, 0, n - 1))),
        "jvp": Eq(tangent(Y)[a], Sum(tangent(X)[c], (c, 0, C - 1))),
        "vjp": scatter(cotangent(X)[c], Sum(cotangent(Y)[a], (a, 0, M - 1)), (c, 0, C - 1)),
    }
    return Op("only_diagonal", **(parts | changes))


def test_derivatives_are_by_every_cell_and_not_by_the_diagonal():
    """n = (2, 2), C = 2: x[0, 1] adds to y, and both rules leave it out."""
    assert "proved" not in statuses(only_diagonal(), "jvp", "vjp")


def test_a_cotangent_has_as_many_dimensions_as_its_input():
    """At rank 2 x_bar has C cells and x has C times C."""
    X, Y = array("x", n), array("y", M)
    total = Sum(cotangent(Y)[a], (a, 0, M - 1))
    flat = Eq(cotangent(X, shape=(C,))[c], bracket(c <= C - 1) * total)

    def build():
        return only_diagonal(vjp=flat)

    assert refused(build) or "proved" not in statuses(build(), "size", "vjp")


def test_a_scatter_does_not_read_what_it_writes():
    """N = 2, y_bar = [1, 0]: the first write makes x_bar[0] positive, the second goes there too."""
    turned = If(x_bar[0] > 0, 1, 0)
    total = Sum(y_bar[c], (c, 0, N - 1))

    def build():
        return op(
            forward=Eq(y[a], Sum(x[b], (b, 0, N - 1))),
            jvp=Eq(y_dot[a], Sum(x_dot[b], (b, 0, N - 1))),
            vjp=scatter(x_bar[(1 - 2 * turned) * a + turned * (N - 1)], total, (a, 0, N - 1)),
        )

    assert refused(build) or not all_proved(build())


@pytest.mark.parametrize("condition", [N > 3, x[0] > 3], ids=str)
def test_a_condition_has_no_derivative(condition):
    assert refused(lambda: op(claims=(Claim("c", Eq(derivative(condition, x[0]), 0)),)))


@pytest.mark.parametrize("last", [N - 1, N - 2])
def test_a_product_is_differentiated_factor_by_factor(last):
    """No factor is divided by: it may be 0."""
    made = array("y", M)
    others = Prod(If(Eq(c, b), 1, x[c]), (c, 0, N - 1))
    definition = Op(
        "product",
        requires=(N >= 1, M >= 1),
        forward=Eq(made[a], Prod(x[b], (b, 0, N - 1))),
        jvp=Eq(tangent(made)[a], Sum(others * x_dot[b], (b, 0, last))),
        vjp=Eq(x_bar[b], others * Sum(cotangent(made)[a], (a, 0, M - 1))),
    )
    assert statuses(definition, "jvp", "vjp") == [BAD if last == N - 1 else "refuted", BAD]


@pytest.mark.parametrize("made", [tangent(x), cotangent(x)], ids=str)
def test_an_output_is_no_tangent(made):
    """SOUNDNESS: x_dot was the output and the tangent, and `x_dot·z_dot` proved to be linear."""
    forward = Eq(made[a], 2 * x[a])
    rules = {"jvp": Eq(tangent(made)[a], 2 * x_dot[a]), "vjp": Eq(x_bar[a], 2 * cotangent(made)[a])}
    with pytest.raises(DefinitionError, match=f"forward: makes {made}, a (co)?tangent"):
        op(forward=forward, **rules)
