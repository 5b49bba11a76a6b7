"""Attacks by functions: what is stated of them, their values, their derivatives, their domains."""

import pytest
from attacks import (
    BAD,
    N,
    a,
    all_proved,
    b,
    best,
    beta,
    found,
    holds,
    op,
    refused,
    scaling,
    statuses,
    x,
    x_bar,
    y,
    y_bar,
)

from gradproof.language import (
    Eq,
    Fraction,
    If,
    Max,
    Sum,
    array,
    atan,
    bracket,
    cos,
    cosh,
    cotangent,
    erf,
    exp,
    function,
    integers,
    log,
    pi,
    reals,
    sigmoid,
    sin,
    sinh,
    softplus,
    sqrt,
    tan,
    tangent,
    tanh,
    zero_padded,
)

u, s = x[a], array("s")
FREE = function("free", derivative=lambda u: exp(-u * u))
NORMAL = function(
    "normal",
    derivative=lambda u: exp(-u * u / 2) / sqrt(2 * pi),
    facts=lambda u: (function("normal")(u) > 0, function("normal")(u) < 1),
    value=lambda u: (1 + erf(u / sqrt(2))) / 2,
)
SYMMETRIC = function(
    "symmetric",
    derivative=lambda u: exp(-u * u),
    facts=lambda u: Eq(function("symmetric")(-u), 1 - function("symmetric")(u)),
)
OWN = function("own", derivative=lambda u: 1 - function("own")(u) ** 2)

RIGHT = {
    "sin": (sin(u), cos(u)),
    "cos": (cos(2 * u), -2 * sin(2 * u)),
    "tan": (sin(u) * atan(u), cos(u) * atan(u) + sin(u) / (1 + u * u)),
    "erf": (erf(u), 2 * exp(-u * u) / sqrt(pi)),
    "tanh": (tanh(u), 1 - tanh(u) ** 2),
    "sinh": (sinh(u), cosh(u)),
    "sigmoid": (sigmoid(u), sigmoid(u) * (1 - sigmoid(u))),
    "softplus": (softplus(u), sigmoid(u)),
    "gelu": (u * NORMAL(u), NORMAL(u) + u * exp(-u * u / 2) / sqrt(2 * pi)),
    "free": (FREE(3 * u), 3 * exp(-9 * u * u)),
    "symmetric": (u * SYMMETRIC(u), 1 - SYMMETRIC(-u) + u * exp(-u * u)),
    "own": (OWN(u), 1 - OWN(u) ** 2),
    "power": ((1 + u * u) ** Fraction(3, 2), 3 * u * (1 + u * u) ** Fraction(1, 2)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_derivatives_are_proved(name):
    assert all_proved(scaling(*RIGHT[name]))


@pytest.mark.parametrize("name", RIGHT)
def test_derivatives_of_something_else(name):
    forward, slope = RIGHT[name]
    assert BAD not in statuses(scaling(forward, slope + 1), "jvp", "vjp")
    assert BAD not in statuses(scaling(forward, 2 * slope), "jvp", "vjp")


def test_a_wrong_rule_is_refuted_where_values_are_known():
    assert statuses(scaling(sin(u), -cos(u)), "jvp") == ["refuted"]
    assert statuses(scaling(u * NORMAL(u), NORMAL(u)), "jvp") == ["refuted"]


def test_nothing_is_refuted_of_what_has_no_value():
    """Of f' = e^(-u²) there are many; that f(0) = 1 is false of most."""
    assert statuses(scaling(FREE(u), FREE(u)), "jvp") == ["unknown"]


def test_facts_that_contradict_each_other():
    both = function(
        "both",
        derivative=lambda u: u,
        facts=lambda u: (function("both")(u) > 0, function("both")(u) < 0),
    )
    assert BAD not in statuses(scaling(both(u), 7 * u), "defined", "jvp", "vjp")


def test_a_proof_from_what_is_stated_says_so():
    """SOUNDNESS: of a function without a value, facts that contradict each other prove anything."""
    premise = ", if what is stated of symmetric holds"
    of_stated = found(scaling(*RIGHT["symmetric"]), "jvp", "vjp")
    assert [v.scope for v in of_stated] == [f"all sizes{premise}"] * 2
    for name in ("gelu", "free", "sin"):
        assert {v.scope for v in found(scaling(*RIGHT[name]), "jvp", "vjp")} == {"all sizes"}


def test_facts_that_contradict_each_other_where_nothing_is_tried():
    """On the other side of the branch all is well, and there it is tried."""
    both = function(
        "both",
        derivative=lambda u: u,
        facts=lambda u: (function("both")(u) > 0, function("both")(u) < 0),
    )
    definition = scaling(If(u > 0, both(u), u), If(u > 0, 7 * u, 1))
    (declared,) = found(definition, "defined")
    assert declared.status != BAD


@pytest.mark.parametrize(
    "stated",
    [
        {"derivative": lambda u: u},
        {"derivative": lambda u: 2 * u, "facts": lambda u: function("square")(u) > 0},
    ],
)
def test_declarations_that_are_false_of_the_value(stated):
    square = function("square", value=lambda u: u * u, **stated)
    assert "refuted" in statuses(scaling(square(u), 2 * u), "defined")


def test_an_error_of_a_declaration_is_its_own():
    """What uses it is open because of it, and not in error; what does not need it is proved."""
    square = function("square", derivative=lambda u: 3 * u, value=lambda u: u * u)
    (finding,) = found(scaling(square(u), 3 * u), "vjp")
    assert (finding.status, finding.note) == (
        "unknown",
        "it takes as true what is not: 'square: as declared'",
    )
    assert statuses(scaling(square(u), 3 * u), "defined").count("refuted") == 1


def test_facts_are_not_shown_by_themselves():
    """Of the value, u², it is false that it is below -1."""
    low = function(
        "low", lambda u: 2 * u, facts=lambda u: function("low")(u) < -1, value=lambda u: u * u
    )
    assert statuses(scaling(low(u), 2 * u), "defined") == ["refuted"]


def test_a_derivative_without_a_value():
    inverse = function("inverse", derivative=lambda u: 1 / u)
    assert "refuted" in statuses(scaling(inverse(u), 1), "defined")


def test_outside_of_a_domain():
    ln = function("ln", derivative=lambda u: 1 / u, domain=lambda u: u > 0)
    assert all_proved(scaling(ln(1 + u * u), 2 * u / (1 + u * u)))
    assert "refuted" in statuses(scaling(ln(u * u), 2 / u), "defined")
    assert BAD not in statuses(scaling(tan(u), 1 + tan(u) ** 2), "defined")


def test_facts_hold_in_the_domain_alone():
    """That f is above u and below -u where u > 0 says nothing where it is not."""
    odd = function(
        "odd",
        derivative=lambda u: u,
        domain=lambda u: u < 0,
        facts=lambda u: (function("odd")(u) > u, function("odd")(u) < -u),
    )
    assert not all_proved(scaling(odd(u), 7 * u))


def test_functions_of_one_name():
    one, other = (function("f", derivative=lambda u, s=s: s * u) for s in (1, 2))
    assert refused(lambda: scaling(one(u) + other(u), 3 * u))
    assert all_proved(scaling(one(u), u))
    assert all_proved(scaling(other(u), 2 * u))


def test_functions_are_told_apart():
    one, other = (function(name, derivative=lambda u: u) for name in ("f", "g"))
    wrong = scaling(one(u) * other(u), u * (one(u) + one(u)))
    assert BAD not in statuses(wrong, "jvp", "vjp")
    assert all_proved(scaling(one(u) * other(u), u * (one(u) + other(u))))


def test_powers():
    p = reals("p")
    positive = 1 + u * u
    assert all_proved(scaling(positive**p, 2 * p * u * positive ** (p - 1), (N >= 1, p > 0)))
    assert BAD not in statuses(
        scaling(positive**p, p * positive ** (p - 1), (N >= 1, p > 0)), "jvp"
    )
    assert "refuted" in statuses(scaling(u ** Fraction(1, 3), 1), "defined")
    assert "refuted" in statuses(scaling(u**-2, -2 * u**-3), "defined")


STABLE = Max(u, 0) + log(1 + exp(-abs(u)))


def test_cases_of_a_maximum_in_an_exponent():
    """Of two cases both must hold: a rule that is right on one side of 0 alone is not proved."""
    assert all_proved(scaling(STABLE, sigmoid(u)), "jvp", "vjp")
    for wrong in (If(u > 0, sigmoid(u), 1), If(u > 0, 0, sigmoid(u))):
        assert BAD not in statuses(scaling(STABLE, wrong), "jvp")


def test_signs_in_exponents():
    k = reals("k")
    slope = k * exp(k * u) / (1 + exp(k * u)) ** 2
    assert all_proved(scaling(1 / (1 + exp(-k * u)), slope, (N >= 1, k > 0)), "jvp", "vjp")
    assert BAD not in statuses(scaling(1 / (1 + exp(-k * u)), -slope, (N >= 1, k > 0)), "jvp")


def test_roots_of_products():
    """√(v·w) = √v·√w needs both above 0: (-2)·(-2) is, and -2 has no root."""
    b = integers("b")
    left, right = (sqrt(u * u + 1) * sqrt(4), 2 * sqrt(u * u + 1))
    assert all_proved(scaling(left, 2 * u / sqrt(u * u + 1)))
    assert all_proved(scaling(right, u * sqrt(4) / sqrt(u * u + 1)))
    assert refused(lambda: op(forward=Eq(y[a], sin(b))))
    wrong = scaling(log(u * u + 1), u / (u * u + 1))
    assert BAD not in statuses(wrong, "jvp")


@pytest.mark.parametrize(
    ("condition", "is_true"),
    [
        (Eq(If(exp(beta) > 1, 1, 0), If(beta > 0, 1, 0)), True),
        (Eq(If(exp(beta) <= 1, 1, 0), If(beta <= 0, 1, 0)), True),
        (Eq(If(exp(beta) >= 1, 1, 0), If(beta > 0, 1, 0)), False),
        (Eq(If(exp(beta) > 1, 1, 0), If(beta > 1, 1, 0)), False),
        (Eq(If(exp(beta) > 2, 1, 0), If(beta > 0, 1, 0)), False),
        (Eq(exp(beta), 1), False),
    ],
)
def test_an_exponential_is_compared_with_one(condition, is_true):
    assert holds(condition, requires=(N >= 1, beta**2 >= 0)) == is_true


@pytest.mark.parametrize(
    ("slope", "scale", "is_right"),
    [
        (If(y[a] > 0, 1, y[a] + beta), beta > 0, True),
        (If(y[a] > 0, 1, y[a] + beta), beta < 0, False),
        (If(y[a] > 0, 1, y[a] + 1), beta > 0, False),
        (If(y[a] > 1, 1, y[a] + beta), beta > 0, False),
    ],
)
def test_a_branch_is_told_from_the_output_where_that_rises(slope, scale, is_right):
    """With a scale below 0 both branches of ELU are above 0."""
    definition = op(
        requires=(N >= 1, scale),
        forward=Eq(y[a], If(x[a] > 0, x[a], beta * (exp(x[a]) - 1))),
        jvp=(),
        vjp=Eq(x_bar[a], slope * y_bar[a]),
    )
    assert all_proved(definition, "vjp") == is_right


@pytest.mark.parametrize(
    ("split", "signs", "is_true"),
    [
        (Eq(log(beta * best), log(beta) + log(best)), (beta > 0, best > 0), True),
        (Eq(log(beta / best), log(beta) - log(best)), (beta > 0, best > 0), True),
        (Eq(log(beta * best), log(beta) + log(best)), (beta < 0, best < 0), False),
        (Eq(log(beta / best), log(beta) - log(best)), (beta * best > 0,), False),
        (Eq(log(beta / best), log(beta) + log(best)), (beta > 0, best > 0), False),
        (Eq(log(beta + best), log(beta) + log(best)), (beta > 0, best > 0), False),
    ],
)
def test_a_logarithm_is_parted_where_its_parts_are_positive(split, signs, is_true):
    assert holds(split, requires=(N >= 1, *signs)) == is_true


def norm(where, inner, slope):
    """A norm that is 0 where its root has no derivative, and a gradient by the norm itself."""
    total = Sum(x[b] * x[b], (b, 0, N - 1))
    value = If(where(total), sqrt(If(inner(total), total, 1)), 0)
    return op(
        requires=(N >= 1,),
        forward=Eq(s[()], value),
        jvp=(),
        vjp=Eq(x_bar[a], slope(value) * x[a] * cotangent(s)[()]),
    )


def above(u):
    return u > 0


@pytest.mark.parametrize(
    ("where", "inner", "slope", "is_right"),
    [
        (above, above, lambda v: If(v > 0, 1 / If(v > 0, v, 1), 0), True),
        (above, above, lambda v: If(v > 1, 1 / If(v > 1, v, 1), 0), False),
        (above, above, lambda v: If(v > 0, 1 / If(v > 0, v * v, 1), 0), False),
        (above, lambda u: u > 1, lambda v: If(v > 0, 1 / If(v > 0, v, 1), 0), False),
        (lambda u: u > 1, above, lambda v: If(v > 0, 1, 0), False),
    ],
)
def test_a_root_is_told_from_its_guard(where, inner, slope, is_right):
    assert all_proved(norm(where, inner, slope), "vjp") == is_right


# A derivative that branches, and names the function itself.

ELU = function(
    "elu",
    derivative=lambda u: If(u > 0, 1, function("elu")(u) + 1),
    value=lambda u: If(u > 0, u, exp(u) - 1),
)
GROWS = function("grows", derivative=lambda u: function("grows")(u) + bracket(u > 0))
EARLIER = function("earlier", derivative=lambda u: function("earlier")(u - 1) + bracket(u > 0))


@pytest.mark.parametrize(("at_zero", "status"), [(1, "proved"), (2, "refuted")])
def test_what_is_owed_where_a_function_turns_whose_derivative_names_it(at_zero, status):
    """It had no end: the definition was an error."""
    rule = If(Eq(u, 0), at_zero, If(u > 0, 1, ELU(u) + 1))
    assert set(statuses(scaling(ELU(u), rule), "ties")) >= {status}


@pytest.mark.parametrize("turned", [GROWS, EARLIER], ids=lambda f: f.name)
def test_of_one_that_no_value_is_known_of_nothing_can_be_said(turned):
    slope = turned(u) + bracket(u > 0) if turned is GROWS else turned(u - 1) + bracket(u > 0)
    assert "unsupported" in statuses(scaling(turned(u), slope), "ties")
    assert BAD not in statuses(scaling(turned(u), slope + 1), "jvp", "vjp")
    h = array("h", N)
    before, dot = zero_padded(h)[a - 1], zero_padded(tangent(h))[a - 1]
    along = op(
        forward=Eq(h[a], before + turned(u)),
        jvp=Eq(tangent(h)[a], dot + slope * tangent(x)[a]),
        vjp=(),
    )
    assert BAD not in statuses(along, "jvp", "ties")
