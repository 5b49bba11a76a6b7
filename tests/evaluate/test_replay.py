"""A failure counts if evaluation shows it, whatever found it."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from gradproof.evaluate.replay import Failure, replayed
from gradproof.language import Eq, Sum, array, exp, integers, log
from gradproof.language.terms import Linear, Sym
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle import check
from gradproof.theorems.sequents import Sequent, Theorem

N, a, b = integers("N a b")
x = array("x", N)
square = Sequent((sympy.Tuple(a, 0, N - 1),), (x[a] > 0,), Eq(x[a] * x[a], x[a]))
THEOREM = Theorem("squares", "claim", "", (N >= 2,), (square,))


def failure(sequent=square, value=3, **sizes):
    env = {N: 2, a: 1} | {{"N": N, "a": a}[name]: size for name, size in sizes.items()}
    return Failure(sequent, env, {("x", (env[a],)): Fraction(value)}, "said", "said")


def test_a_failure_is_told_as_it_is_evaluated():
    found = replayed(THEOREM, failure())
    assert (found.left, found.right) == ("9", "3")


@pytest.mark.parametrize(
    "found",
    [
        failure(value=1),
        failure(value=-1),
        failure(N=1, a=0),
        failure(a=2),
        failure(a=-1),
        failure(replace(square, when=())),
    ],
    ids=("true", "hypothesis", "given", "beyond", "before", "another theorem"),
)
def test_what_is_no_failure(found):
    assert replayed(THEOREM, found) is None


@pytest.mark.parametrize(
    "statement",
    [
        Eq(x[a + 1], 0),
        Eq(1 / x[a - 1], 0),
        Eq(log(x[a] - 3), 0),
        Eq(exp(x[a]) * exp(-x[a]), 1),
        Eq(Sum(x[b], (b, 0, Sym("s'1"))), 7),
    ],
    ids=("out of bounds", "division", "logarithm", "undecided", "any state of a loop"),
)
def test_what_has_no_value_is_no_failure(statement):
    sequent = Sequent((sympy.Tuple(a, 0, N - 1),), (), statement)
    theorem = Theorem("undefined", "claim", "", (), (sequent,))
    env = failure().env | {Sym("s'1"): 1}
    assert replayed(theorem, replace(failure(sequent), env=env)) is None


def test_what_the_search_finds_is_not_believed(monkeypatch):
    false = replace(THEOREM, given=(N >= 1,))
    assert check.settled(false, RLIMIT).status == "refuted"
    monkeypatch.setattr(check, "searched", lambda *_: (failure(value=1), True))
    assert check.settled(false, RLIMIT).status == "unknown"


@pytest.mark.parametrize(
    ("term", "left"),
    [(x[a] * x[a], "18 = 2·f(t)"), (x[a] * exp(x[a]) * exp(-x[a]), None)],
    ids=("a square", "undecided"),
)
def test_what_is_not_linear(term, left):
    sequent = Sequent((sympy.Tuple(a, 0, N - 1),), (), Linear(term, sympy.Tuple(x)))
    theorem = Theorem("linear", "linear", "", (N >= 2,), (sequent,))
    found = replayed(theorem, failure(sequent))
    assert (None if found is None else found.left) == left


def test_an_array_has_no_negative_size():
    sequent = Sequent((), (), Eq(0 * Sum(x[b], (b, 0, -1)), 1))
    theorem = Theorem("none", "claim", "", (), (sequent,))
    assert replayed(theorem, failure(sequent)) is not None
    assert replayed(theorem, failure(sequent, N=-1)) is None
