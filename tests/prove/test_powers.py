"""Powers whose exponent is a size: products of equal factors, whatever their sign, 0 included."""

import pytest

from gradproof.language import (
    Eq,
    Fraction,
    If,
    Op,
    Prod,
    Sum,
    array,
    cotangent,
    integers,
    reals,
    tangent,
)
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems.obligations import obligations

N, n, m, i, k, u = integers("N n m i k u")
eps = reals("eps")
x, y, s = array("x", N), array("y", N), array("s")
x_bar, y_bar, s_bar = cotangent(x), cotangent(y), cotangent(s)
SIGN = If(x[i] > 0, 1, If(x[i] < 0, -1, 0))


def power(base, exponent):
    return Prod(base, (u, 0, exponent - 1))


def magnitudes(exponent):
    return Sum(power(abs(x[k]), exponent), (k, 0, N - 1)) + eps


def cellwise(name, value, slope, *given):
    """Values and slopes are of x[i]."""
    return Op(
        name,
        requires=(N >= 1, *given),
        forward=Eq(y[i], value),
        jvp=Eq(tangent(y)[i], slope * tangent(x)[i]),
        vjp=Eq(x_bar[i], slope * y_bar[i]),
    )


def summed(name, value, slope, *given):
    vjp = Eq(x_bar[i], slope * s_bar[()])
    return Op(name, requires=(N >= 1, *given), forward=Eq(s[()], value), vjp=vjp)


ROOT = Fraction(1) / n
RIGHT = (
    cellwise("power", power(x[i], n), n * power(x[i], n - 1), n >= 0),
    cellwise(
        "of_two", power(x[i], n) * power(x[i], m), (n + m) * power(x[i], n + m - 1), n >= 1, m >= 1
    ),
    cellwise("of_abs", power(abs(x[i]), n), n * power(abs(x[i]), n - 1) * SIGN, n >= 2),
    summed("sum", Sum(power(x[k], n), (k, 0, N - 1)), n * power(x[i], n - 1), n >= 1),
    summed(
        "norm",
        magnitudes(n) ** ROOT,
        SIGN * power(abs(x[i]), n - 1) * magnitudes(n) ** (ROOT - 1),
        n >= 2,
        eps > 0,
    ),
)
WRONG = (
    cellwise("kept", power(x[i], n), n * power(x[i], n), n >= 1),
    cellwise("one_less", power(x[i], n), (n - 1) * power(x[i], n - 1), n >= 0),
    cellwise("lost", power(x[i], n), power(x[i], n - 1), n >= 1),
    cellwise("unsigned", power(abs(x[i]), n), n * power(abs(x[i]), n - 1), n >= 2),
    cellwise(
        "at_none",
        power(x[i], n) * power(x[i], m),
        (n + m) * power(x[i], n + m - 1),
        n >= -1,
        m >= 1,
    ),
)


def of_derivatives(op):
    asked = (th for th in obligations(op) if th.kind in ("jvp", "vjp"))
    return {settled(th, RLIMIT).status for th in asked}


@pytest.mark.parametrize("op", RIGHT, ids=lambda op: op.name)
def test_a_power_of_a_size_is_proved(op):
    found = {th.kind: set() for th in obligations(op)}
    for theorem in obligations(op):
        found[theorem.kind].add(str(settled(theorem, RLIMIT).status))
    # Of a kink to a power that is a size, it may be open.
    assert found.pop("ties", set()) <= {"proved", "unknown", "unsupported"}
    assert set().union(*found.values()) == {"proved"}


@pytest.mark.parametrize("op", WRONG, ids=lambda op: op.name)
def test_a_wrong_slope_of_a_power_is_refuted(op):
    assert of_derivatives(op) == {"refuted"}
