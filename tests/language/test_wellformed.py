"""Malformed definitions: each is refused, and the message names the equation and the part."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy

from gradproof.language import (
    And,
    Claim,
    DefinitionError,
    Divides,
    Eq,
    Exists,
    If,
    Max,
    Min,
    Ne,
    Not,
    Op,
    Sum,
    Windows,
    array,
    axes,
    bracket,
    call,
    cotangent,
    derivative,
    exp,
    floor_div,
    fold,
    function,
    integer_array,
    integers,
    log,
    maximum,
    mod,
    product,
    reals,
    scatter,
    sin,
    tangent,
    winner,
    zero_padded,
)
from gradproof.language import terms as t

N, M, K, a, b, c, unknown = integers("N M K a b c unknown")
n, k, i, j = axes("n k i j")
beta, best = reals("beta best")
x, y = array("x", N), array("y", N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
X, Y = array("x", n), array("y", n)


square = function("square", lambda u: 2 * u)
other_square = function("square", lambda u: u + u)


def op(**changes):
    """The identity, with some of its parts changed."""
    parts = {
        "name": "malformed",
        "requires": (N >= 1,),
        "forward": Eq(y[a], x[a]),
        "jvp": Eq(y_dot[a], x_dot[a]),
        "vjp": Eq(x_bar[a], y_bar[a]),
    }
    parts |= changes
    return Op(parts.pop("name"), **parts)


def bundled(**changes):
    parts = {
        "requires": (n >= 1,),
        "forward": Eq(Y[i], X[i]),
        "jvp": Eq(tangent(Y)[i], tangent(X)[i]),
        "vjp": Eq(cotangent(X)[i], cotangent(Y)[i]),
    }
    return Op("malformed", **(parts | changes))


def forward(right):
    return op(forward=Eq(y[a], right))


def jvp(right):
    return op(jvp=Eq(y_dot[a], right))


def vjp(right):
    return op(vjp=Eq(x_bar[a], right))


def claims(*found, **changes):
    return op(claims=found, **changes)


def claim(statement, **parts):
    return claims(Claim("said", statement, **parts))


def windows(**changes):
    parts = {"count": N, "size": N, "extent": 1, "stride": 1}
    return op(windows=Windows(**(parts | changes)))


z = array("z", N)
with_constant = {
    "forward": Eq(y[a], x[a] + z[a]),
    "constants": (z,),
    "vjp": (Eq(x_bar[a], y_bar[a]), Eq(cotangent(z)[a], y_bar[a])),
}


def message_of(build):
    with pytest.raises(DefinitionError) as caught:
        build()
    return str(caught.value)


def test_the_definitions_of_these_tests_are_well_formed_when_left_alone():
    assert op().inputs == (x,)
    assert bundled().is_rank_generic
    assert windows().windows is not None
    assert claim(N >= 1).claims[0].name == "said"


# In an equation: the message names the op, the equation and the part.

IN_EQUATIONS = {
    "unknown symbol, forward": (lambda: forward(x[a] * unknown), "forward", "unknown"),
    "unknown symbol, jvp": (lambda: jvp(x_dot[a] * unknown), "jvp", "unknown"),
    "unknown symbol, vjp": (lambda: vjp(y_bar[unknown]), "vjp", "unknown"),
    "unknown symbol, range": (lambda: forward(Sum(x[b], (b, 0, unknown))), "forward", "unknown"),
    "a binder outside its sum": (
        lambda: forward(Sum(x[b], (b, 0, N - 1)) + x[b]),
        "forward",
        "b",
    ),
    "a later binder in an earlier range": (
        lambda: forward(Sum(x[b], (b, 0, c), (c, 0, N - 1))),
        "forward",
        "c",
    ),
    "two indices for one dimension": (lambda: forward(x[a, a]), "forward", "x[a, a]"),
    "no index": (lambda: forward(x[()]), "forward", "x"),
    "a real index": (lambda: forward(zero_padded(x)[a / 2]), "forward", "a/2"),
    "a real range": (lambda: forward(Sum(x[b], (b, 0, N / 2))), "forward", "N/2"),
    "a bundle as an index": (lambda: forward(x[i]), "forward", "i"),
    "a bundle that is bound, as an index": (
        lambda: forward(Sum(x[i], (i, 0, N - 1))),
        "forward",
        "one value per axis",
    ),
    "a bundle as a number": (lambda: bundled(forward=Eq(Y[i], X[i] * n)), "forward", "product(n)"),
    "a bundle as a number in a sum": (
        lambda: bundled(forward=Eq(Y[i], Sum(X[j] * n, (j, 0, n - 1)))),
        "forward",
        "product(n)",
    ),
    "a bundle as the value": (lambda: bundled(forward=Eq(Y[i], n)), "forward", "n"),
    "a bundle as an exponent": (
        lambda: bundled(forward=Eq(Y[i], X[i] ** n)),
        "forward",
        "product(n)",
    ),
    "a bundle in exp": (lambda: bundled(forward=Eq(Y[i], X[i] * exp(n))), "forward", "n"),
    "a bundle as a range of a number": (
        lambda: bundled(forward=Eq(Y[i], Sum(X[i], (b, 0, n - 1)))),
        "forward",
        "b",
    ),
    "a condition as a factor": (lambda: forward(x[a] * (N > 3)), "forward", "N > 3"),
    "a condition as the value": (lambda: forward(x[a] > 0), "forward", "x[a] > 0"),
    "a condition summed": (lambda: forward(Sum(x[b] > 0, (b, 0, N - 1))), "forward", "x[b] > 0"),
    "a number as a condition": (lambda: forward(If(N, x[a], 0)), "forward", "N"),
    "a number in a bracket": (lambda: forward(bracket(N) * x[a]), "forward", "N"),
    "a number under not": (lambda: forward(bracket(Not(N)) * x[a]), "forward", "N"),
    "a number in a conjunction": (lambda: forward(bracket(And(N, N > 1)) * x[a]), "forward", "N"),
    "a number that exists": (
        lambda: forward(bracket(Exists(x[b], (b, 0, 1))) * x[a]),
        "forward",
        "x[b]",
    ),
    "a real floor": (lambda: forward(floor_div(x[a], 2)), "forward", "x[a]"),
    "a real remainder": (lambda: forward(mod(x[a], 2)), "forward", "x[a]"),
    "a real divides": (lambda: forward(bracket(Divides(2, x[a]))), "forward", "x[a]"),
    "a product of a real": (lambda: forward(product(x[a])), "forward", "x[a]"),
    "a product of a number without axes": (lambda: forward(product(2) * x[a]), "forward", "2"),
    "no terms in a maximum": (lambda: forward(Max() * x[a]), "forward", "Max"),
    "no terms in a minimum": (lambda: forward(Min() * x[a]), "forward", "Min"),
    "a sum without ranges": (lambda: forward(Sum(x[a])), "forward", "range"),
    "the forward reads its output": (lambda: forward(x[a] + y[a]), "vjp", "y reads itself"),
    "the forward reads a tangent": (lambda: forward(x[a] + x_dot[a]), "forward", "x_dot"),
    "the forward reads nothing": (lambda: forward(N), "forward", "no array"),
    "the jvp reads a cotangent": (lambda: jvp(y_bar[a]), "jvp", "y_bar"),
    "the jvp reads its own output": (lambda: jvp(y_dot[a]), "jvp", "y_dot"),
    "the vjp reads a tangent": (lambda: vjp(x_dot[a]), "vjp", "x_dot"),
    "the vjp reads another array": (lambda: vjp(array("z", N)[a]), "vjp", "z"),
    "a tangent of the wrong shape": (
        lambda: jvp(tangent(array("x", M))[a]),
        "jvp",
        "x_dot",
    ),
    "a derivative in the jvp": (lambda: jvp(derivative(x[a], x[a])), "jvp", "∂"),
    "a derivative in the vjp": (lambda: vjp(derivative(y[a], x[a]) * y_bar[a]), "vjp", "∂"),
    "a left index that is a size": (lambda: op(forward=Eq(y[N], x[N])), "forward", "N"),
    "a left index that is a term": (lambda: op(forward=Eq(y[a + 1], x[a])), "forward", "a + 1"),
    "a left index of the wrong kind": (
        lambda: bundled(forward=Eq(Y[a], X[a])),
        "forward",
        "a",
    ),
    "two equal left indices": (
        lambda: op(
            forward=Eq(array("y", N, N)[a, a], x[a]),
            jvp=Eq(tangent(array("y", N, N))[a, b], x_dot[a]),
        ),
        "forward",
        "a",
    ),
    "too few left indices": (
        lambda: op(forward=Eq(array("y", N, N)[a], x[a])),
        "forward",
        "y[a]",
    ),
    "no equation in the forward": (lambda: op(forward=x[a]), "forward", "x[a]"),
    "no equation in the jvp": (lambda: op(jvp=x_dot[a]), "jvp", "x_dot[a]"),
    "no equation in the vjp": (lambda: op(vjp={x: y_bar[a]}), "vjp", "y_bar"),
    "a jvp of something else": (lambda: op(jvp=Eq(x_dot[a], x_dot[a])), "jvp", "y_dot"),
    "a vjp for the output": (lambda: op(vjp=Eq(y_bar[a], y_bar[a])), "vjp", "y_bar"),
    "a vjp for no input": (
        lambda: op(vjp=Eq(cotangent(array("z", N))[a], y_bar[a])),
        "vjp",
        "z_bar",
    ),
    "a vjp for a constant": (lambda: op(**with_constant), "vjp", "z_bar"),
    "a vjp for the input itself": (lambda: op(vjp=Eq(x[a], y_bar[a])), "vjp", "x"),
    "two rules for one array": (lambda: op(vjp=(op().vjp[0],) * 2), "vjp", "x_bar"),
    "a cotangent of another rank": (
        lambda: op(vjp=Eq(cotangent(x, shape=(N, N))[a, b], y_bar[a])),
        "vjp",
        "x_bar",
    ),
    "a scatter with an unknown symbol": (
        lambda: op(vjp=scatter(x_bar[a], y_bar[a], (a, 0, unknown))),
        "vjp",
        "unknown",
    ),
    "a scatter where a number holds": (
        lambda: op(vjp=scatter(x_bar[a], y_bar[a], (a, 0, N - 1), where=N)),
        "vjp",
        "N",
    ),
    "a maximum where a number holds": (
        lambda: forward(maximum(x[b], (b, 0, N - 1), where=b)),
        "forward",
        "b",
    ),
    "a winner at a real place": (
        lambda: forward(bracket(winner(x[a], x[b], (b, 0, N - 1)))),
        "forward",
        "x[a]",
    ),
    "a state that cannot hold its value": (
        lambda: forward(fold(c, (b, 0, N - 1), c=(c, 0, x[b]))),
        "forward",
        "c",
    ),
    "a sum that binds a size": (
        lambda: forward(Sum(x[N - 1], (N, 1, 2))),
        "forward",
        "N",
    ),
    "one range twice": (
        lambda: forward(Sum(x[b], (b, 0, N - 1), (b, 0, N - 1))),
        "forward",
        "b",
    ),
}


@pytest.mark.parametrize("case", IN_EQUATIONS)
def test_a_malformed_equation(case):
    build, equation, part = IN_EQUATIONS[case]
    message = message_of(build)
    assert "malformed" in message
    assert equation in message
    assert part in message


def test_a_missing_rule_names_the_input():
    W = array("W", N)
    message = message_of(lambda: op(forward=Eq(y[a], x[a] + W[a]), jvp=Eq(y_dot[a], x_dot[a])))
    assert "malformed" in message
    assert "VJP" in message
    assert "W" in message


# Names.

CLASHES = {
    "two arrays": lambda: op(forward=Eq(y[a], x[a] + array("x", M)[a]), requires=(N >= 1, M >= 1)),
    "an array and a size": lambda: op(forward=Eq(y[a], x[a] + array("N", N)[a])),
    "a size and a real": lambda: op(requires=(N >= 1, reals("N") > 0)),
    "a size and a bundle": lambda: op(requires=(N >= 1, axes("N") > 0)),
    "a constant and a tangent": lambda: op(
        forward=Eq(y[a], x[a] + array("x_dot", N)[a]), constants=(array("x_dot", N),)
    ),
    "a constant and a cotangent": lambda: op(
        forward=Eq(y[a], x[a] + array("y_bar", N)[a]),
        constants=(array("y_bar", N),),
        vjp=Eq(x_bar[a], array("y_bar", N)[a]),
    ),
    "a size and its axes": lambda: replace(
        bundled().at_rank(2), claims=(Claim("n", integers("n") >= 0),)
    ),
    "in a hypothesis": lambda: claim(N >= 1, given=(reals("N") > 0,)),
}


@pytest.mark.parametrize("case", CLASHES)
def test_one_name_for_two_things(case):
    message = message_of(CLASHES[case])
    assert "malformed" in message
    assert "declared twice" in message


@pytest.mark.parametrize(
    "build",
    [
        lambda: integers("a b'1"),
        lambda: axes("n.1"),
        lambda: reals("2x"),
        lambda: array("x y", N),
        lambda: op(name="two words"),
        lambda: op(name=""),
    ],
)
def test_a_name_that_is_none(build):
    assert "name" in message_of(build)


def test_a_size_that_is_no_integer():
    assert "array z" in message_of(lambda: array("z", N / 2))
    assert "array z" in message_of(lambda: array("z", beta))
    assert "array z" in message_of(lambda: array("z", N > 2))


# Not of this language.


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: x[a] * 0.5, "0.5"),
        (lambda: 0.5 + N, "0.5"),
        (lambda: N >= 1.0, "1.0"),
        (lambda: x[0.0], "0.0"),
        (lambda: x[a] + sympy.Symbol("z"), "z"),
        (lambda: sympy.Symbol("z") * x[a], "z"),
        (lambda: x[sympy.Symbol("z")], "z"),
        (lambda: Sum(sympy.Symbol("z"), (b, 0, 1)), "z"),
        (lambda: x[a] + "1", "1"),
        (lambda: x[a] + None, "None"),
        (lambda: x[a] ** "2", "2"),
        (lambda: sympy.sign(x[a]) + x[a], "sign"),
        (lambda: sympy.log(x[a]) + x[a], "log"),
        (lambda: sympy.sqrt(x[a]), "sqrt"),
        (lambda: np.exp(x[a]), "np.exp"),
        (lambda: math.exp(x[a]), "there are exp"),
        (lambda: function("pi", derivative=lambda u: 0 * u), "pi"),
        (lambda: function("f", derivative=lambda u: u + x[a]), "function f"),
        (lambda: function("f", derivative=lambda u: function("g")(u)), "g"),
        (lambda: function("f", derivative=lambda u: u, facts=lambda u: u), "function f"),
        (lambda: function("f", facts=lambda u: u > 0), "derivative"),
        (lambda: function("f", lambda u: u, value=lambda u: function("f")(u)), "its own value"),
        (lambda: forward(function("f")(x[a])), "f is not declared"),
        (lambda: forward(sin(x[a], x[a])), "sin"),
        (lambda: forward(sin(x[a] > 0)), "sin"),
        (lambda: forward(square(x[a]) + other_square(x[a])), "declared twice"),
    ],
    ids=lambda part: None if callable(part) else str(part),
)
def test_what_is_not_of_this_language(build, part):
    assert part in message_of(build)


@pytest.mark.parametrize(
    "build",
    [
        lambda: 0 <= a < N,
        lambda: (a > 0) and (a < N),
        lambda: not (a > 0),
        lambda: max(a, b),
        lambda: 1 if a > 0 else 2,
        lambda: sorted([a, b]),
    ],
)
def test_a_condition_as_a_python_truth_value(build):
    assert "truth value" in message_of(build)


@pytest.mark.parametrize("build", [lambda: tuple(n), lambda: [*k], lambda: list(N)])
def test_a_bundle_has_no_length(build):
    assert "no length" in message_of(build)


@pytest.mark.parametrize("build", [lambda: len(n), lambda: n[0]])
def test_a_bundle_has_no_index(build):
    with pytest.raises((DefinitionError, TypeError)):
        build()


@pytest.mark.parametrize(
    "build",
    [
        lambda: forward(If(Eq(N, 3) == Eq(N, 3), x[a], 0)),
        lambda: forward(bracket(N == 3) * x[a]),
        lambda: forward(bracket(And(N != 3, N > 1)) * x[a]),
        lambda: op(requires=(N == 3,)),
        lambda: op(requires=(N != 3,)),
        lambda: claim(N == N),
    ],
)
def test_python_equality_is_no_condition(build):
    """`N == 3` is Python's False, whatever N is: an equation is Eq(N, 3)."""
    message_of(build)


@pytest.mark.parametrize(
    "build",
    [
        lambda: Sum(x[b], (b, 0)),
        lambda: Sum(x[b], b),
        lambda: Sum(x[b], (b + 1, 0, 3)),
        lambda: Sum(x[b], (beta, 0, 3)),
        lambda: scatter(y_bar[a], 1, (a, 0)),
        lambda: maximum(x[b], (x[b], 0, 3)),
    ],
)
def test_a_range_that_is_none(build):
    message = message_of(build)
    assert "range" in message or "bound" in message


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: scatter(zero_padded(x_bar)[a], y_bar[a], (a, 0, 1)), "target"),
        (lambda: scatter(a, y_bar[a], (a, 0, 1)), "target"),
        (lambda: winner(a, x[b], (b, 0, 1), tie="both"), "both"),
        (lambda: winner((a, c), x[b], (b, 0, 1)), "2 places"),
        (lambda: fold(best, (b, 0, 1), best=(best, 0)), "best"),
        (lambda: fold(best, (b, 0, 1), best=best), "best"),
    ],
    ids=lambda part: None if callable(part) else str(part),
)
def test_a_part_that_cannot_be_built(build, part):
    assert part in message_of(build)


# Preconditions, windows, claims.


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: op(requires=(N,)), "N"),
        (lambda: op(requires=(N + 1, N >= 1)), "N + 1"),
        (lambda: op(requires=(y[a] > 0,)), "reads y, which may not be read here"),
        (lambda: op(requires=(unknown / 0.5 < N / 2,)), "0.5"),
        (lambda: op(requires=N >= 1), "requires"),
        (lambda: op(requires=(True,)), "requires"),
        (lambda: bundled(requires=(n >= 1, Not(n >= 5))), "every axis"),
    ],
    ids=lambda part: None if callable(part) else str(part),
)
def test_a_malformed_precondition(build, part):
    message = message_of(build)
    assert part in message


@pytest.mark.parametrize(
    "changes",
    [
        {"rounding": "flor"},
        {"count": unknown},
        {"stride": 0.5},
        {"size": N / 2},
        {"extent": N > 1},
        {"count": n},
        {"count": N + 1},
    ],
    ids=lambda part: None if callable(part) else str(part),
)
def test_malformed_windows(changes):
    """`count` is a dimension of the output; the rest are integers of the op."""
    message = message_of(lambda: windows(**changes))
    assert "windows" in message


IN_CLAIMS = {
    "no condition": (lambda: claim(N + 1), "N + 1"),
    "an unknown symbol": (lambda: claim(unknown >= 1), "unknown"),
    "an array of another op": (lambda: claim(array("z", N)[0] > 0), "z"),
    "too many indices": (lambda: claim(x[0, 0] > 0), "x[0, 0]"),
    "a hypothesis that is no condition": (lambda: claim(N >= 1, given=(N,)), "N"),
    "a hypothesis without its tuple": (lambda: claim(N >= 1, given=(N >= 2)), "given"),
    "without a clause that is not there": (lambda: claim(N >= 1, without=(N >= 7,)), "N ≥ 7"),
    "two of one name": (lambda: claims(Claim("said", N >= 1), Claim("said", N >= 0)), "two"),
    "refuted without a twin": (lambda: claim(N >= 2, refuted={N: 1}), "twin"),
    "a twin without refuted": (lambda: claim(N >= 2, twin="other"), "twin"),
    "a twin that is not there": (lambda: claim(N >= 2, refuted={N: 1}, twin="other"), "other"),
    "itself as its twin": (lambda: claim(N >= 2, refuted={N: 1}, twin="said"), "said"),
    "a twin with another statement": (
        lambda: claims(Claim("other", N >= 1), Claim("said", N >= 2, refuted={N: 1}, twin="other")),
        "other",
    ),
    "a twin with the same hypotheses": (
        lambda: claims(Claim("other", N >= 2), Claim("said", N >= 2, refuted={N: 1}, twin="other")),
        "other",
    ),
    "a twin with two hypotheses more": (
        lambda: claims(
            Claim("other", N >= 2, given=(N >= 3, N >= 4)),
            Claim("said", N >= 2, refuted={N: 1}, twin="other"),
        ),
        "other",
    ),
    "a witness with an unknown symbol": (
        lambda: claims(
            Claim("other", N >= 2, given=(N >= 3,)),
            Claim("said", N >= 2, refuted={unknown: 1}, twin="other"),
        ),
        "unknown",
    ),
    "a derivative by the output": (lambda: claim(Eq(derivative(y[0], y[0]), 1)), "y[0]"),
    "a derivative by a term": (lambda: claim(Eq(derivative(y[0], N), 1)), "N"),
}


@pytest.mark.parametrize("case", IN_CLAIMS)
def test_a_malformed_claim(case):
    build, part = IN_CLAIMS[case]
    message = message_of(build)
    assert "malformed" in message
    assert "said" in message
    assert part in message


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: call(op(), {}, {array("z", N): lambda e: e})[0], "z"),
        (lambda: call(op(), {N: n}, {})[0], "N"),
        (lambda: call(op(), {unknown: 3}, {})[0], "unknown"),
        (lambda: call(op(), {}, {})[0, 1], "malformed"),
        (lambda: call(op(), {}, {x: lambda e: e * 0.5})[1], "0.5"),
        (lambda: call(op(), {N: N / 2}, {})[0], "N"),
        (lambda: call(op(), {}, {}, of="z_bar")[0], "z_bar"),
    ],
)
def test_a_malformed_call(build, part):
    assert part in message_of(build)


def test_a_rule_with_ne_is_no_equation():
    assert "jvp" in message_of(lambda: op(jvp=Ne(y_dot[a], x_dot[a])))


@pytest.mark.parametrize("build", [lambda: sum(x), lambda: [*x], lambda: 3 in x, lambda: max(x)])
def test_an_array_as_a_python_sequence(build):
    assert "Sum(x[j], (j, 0, n - 1))" in message_of(build)
    with pytest.raises(TypeError, match="not iterable"):
        sum(zero_padded(x))


def test_a_logarithm_of_a_condition():
    message = message_of(lambda: forward(x[a] * log(N > 1)))
    assert "N > 1" in message


# What is written is what is there.


def test_operators_build_their_own_nodes():
    assert N // K is floor_div(N, K)
    assert 7 // N is floor_div(7, N)
    assert N % K is mod(N, K)
    assert 7 % N is mod(7, N)
    assert N**1 is N
    assert str(N**3) == "N·N·N"
    assert str(N**0) == "0·N + 1"


def test_a_scatter_reads_as_the_loop_it_is():
    term = scatter(x_bar[a], y_bar[b], (b, 0, N - 1), where=b >= 1)
    assert str(term) == "x_bar[a] += y_bar[b] for b = 0..N - 1 where b ≥ 1"


def test_ties_are_asked_for_a_subgradient_or_waived():
    with pytest.raises(DefinitionError, match="ties is 'subgradient' or 'any', not 'first'"):
        op(ties="first")
    assert op(ties="any").ties == "any"


def test_no_claim_is_about_linearity_in_what_the_op_computes():
    """What is computed is written out and what it is linear in was not, so a truth was refuted."""
    with pytest.raises(DefinitionError, match="linear in what the op computes"):
        claim(t.Linear(y[0], sympy.Tuple(y)))
    assert claim(t.Linear(x[0], sympy.Tuple(x)))


LABELS, WEIGHTS = integer_array("z", N, below=N), array("w", N)
BY_LABEL = {"forward": Eq(y[a], x[LABELS[a]]), "constants": (LABELS,)}


@pytest.mark.parametrize(
    ("build", "to_do"),
    [
        (lambda: x[:a], "say which cell, as in x[i]"),
        (lambda: x[...], "say which cell, as in x[i]"),
        (lambda: forward(x), "write a cell of it, as in x[i]"),
        (lambda: forward(x[WEIGHTS[a]]), "integer_array(...) and count(...) are"),
        (lambda: op(**BY_LABEL, vjp=Eq(x_bar[LABELS[a]], y_bar[a])), "scatter(x_bar[z[a]], ..."),
        (lambda: op(vjp=(op().vjp[0],) * 2), "label one of them, cotangent(x, 'scatter')"),
        (lambda: op(vjp=scatter(x_bar[a], y_bar[a])), "scatter(..., (i, 0, N - 1))"),
        (lambda: integers("N", "i"), "write the names in one text: integers('N i')"),
        (lambda: [*reals("decay")], 'one name gives the symbol itself: N = integers("N")'),
    ],
)
def test_what_to_do_is_said(build, to_do):
    assert to_do in message_of(build)
