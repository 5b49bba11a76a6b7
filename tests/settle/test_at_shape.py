"""A theorem at one shape, written out: as the judge has it, and settled by one question."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from gradproof import specs
from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS
from gradproof.language import (
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Prod,
    Sum,
    array,
    fold,
    integers,
    maximum,
    reals,
    winner,
    zero_padded,
)
from gradproof.language.terms import as_term
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle import at_shape, check, search
from gradproof.theorems.obligations import obligations
from gradproof.theorems.sequents import Sequent, Theorem

N, a, j, k, at = integers("N a j k at")
best = reals("best")
x = array("x", N)
cells = (j, 0, N - 1)
FIRST = {
    "best": (best, x[0], If(x[j] > best, x[j], best)),
    "at": (at, 0, If(x[j] > best, j, at)),
}
TERMS = {
    "sum": Sum(x[j] * (j + 1), cells),
    "a sum up to a place": Sum(Sum(x[k] * x[j], (k, 0, j)), cells),
    "no place": Sum(x[j], (j, 1, 0)) + Prod(x[j], (j, 1, 0)),
    "product": Prod(x[j] - 1, cells),
    "maximum": maximum(x[j] * x[j], cells),
    "one of some cells": maximum(x[j], cells, where=x[j] < 1),
    "one of cells that others decide": maximum(
        j * x[j], cells, where=Eq(x[j], Max(x[0], x[N - 1]))
    ),
    "loop": fold(best, cells, **FIRST),
    "place": fold(x[at] + at, cells, **FIRST),
    "some": If(Exists(x[j] > 1, cells), a, N),
    "all": If(ForAll(x[j] >= 0, cells), a, N),
    "padding": Sum(zero_padded(x)[j + a], cells),
    "quotient": If(Eq(N // 2, 1) & (N % 2 >= 0), x[0], 2 * x[0]),
}


def value(term, env, drawn):
    return Evaluator(RATIONALS, {"x": lambda i: drawn[i[0]]}).value(term, env)


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_what_is_written_out_has_the_same_value(name, size):
    plain = at_shape.written(TERMS[name], {N: as_term(size), a: as_term(1)})
    for drawn in product(map(Fraction, (-1, 0, 1, 2)), repeat=size):
        assert value(plain, {N: size}, drawn) == value(TERMS[name], {N: size, a: 1}, drawn)


def saying(then, *when):
    sequent = Sequent(((a, as_term(0), N - 1),), when, then)
    return Theorem("", "claim", "", (N >= 1,), (sequent,))


RIGHT = {
    "a loop is the maximum": Eq(fold(best, cells, **FIRST), maximum(x[j], cells)),
    "its place is of the largest": fold(x[at], cells, **FIRST) >= x[a],
    "a maximum is at least the mean": N * maximum(x[j], cells) >= Sum(x[j], cells),
}
WRONG = {
    "a loop is the maximum": Eq(fold(at, cells, **FIRST), 0),
    "its place is of the largest": fold(x[at], cells, **FIRST) > x[a],
    "a maximum is at least the mean": maximum(x[j], cells) >= Sum(x[j], cells),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_holds_at_a_shape_is_shown_and_what_fails_is_not(name):
    assert at_shape.is_shown_at(saying(RIGHT[name]), {N: as_term(3)}, RLIMIT)
    assert not at_shape.is_shown_at(saying(WRONG[name]), {N: as_term(3)}, RLIMIT)


def test_where_nothing_is_asked_it_holds():
    wrong = saying(x[a] > 0, N >= 4)
    assert at_shape.is_shown_at(wrong, {N: as_term(3)}, RLIMIT)
    assert not at_shape.is_shown_at(wrong, {N: as_term(4)}, RLIMIT)


def test_what_is_not_written_out_is_not_shown():
    right = saying(If(winner(a, x[j], cells), x[a], 0) <= Max(0, x[a]))
    assert not at_shape.is_shown_at(right, {N: as_term(2)}, RLIMIT)
    sums = saying(Eq(Sum(x[j], cells), Sum(x[N - 1 - j], cells)))
    assert at_shape.is_shown_at(sums, {N: as_term(at_shape.MOST_TURNS)}, RLIMIT)
    assert not at_shape.is_shown_at(sums, {N: as_term(at_shape.MOST_TURNS + 1)}, RLIMIT)


def claim(name):
    return next(th for th in obligations(specs.max_pool) if th.name == name)


PADDED = "padding is zeros"


def test_a_claim_that_fails_where_it_says_is_not_tried_to_be_proved(monkeypatch):
    def refuse(*_):
        raise AssertionError("a proof was looked for")

    monkeypatch.setattr(check, "proof_at", refuse)
    monkeypatch.setattr(check, "proof_at_all_ranks", refuse)
    found = check.settled(claim(PADDED), RLIMIT)
    assert found.status == "refuted"
    assert found.counterexample.smallest
    assert check.is_pinned(claim(PADDED), found.counterexample)


def test_sizes_at_which_a_claim_holds_are_no_witness():
    theorem = claim(PADDED)
    named = dict(theorem.refuted)
    (padding,) = (s for s in named if s.name == "p")
    holding = replace(theorem, refuted=named | {padding: 0}).at_rank(1)
    assert search.at_named_sizes(theorem.at_rank(1)) is not None
    assert search.at_named_sizes(holding) is None
    right = replace(claim(f"unpadded: {PADDED}"), refuted=named | {padding: 0})
    assert check.settled(right, RLIMIT).status == "proved"


def test_a_smaller_shape_is_excluded_only_if_nothing_fails_there(monkeypatch):
    theorem = claim(PADDED).at_rank(1)
    found = search.at_named_sizes(theorem)
    assert search.is_least(theorem, found.env, RLIMIT)
    monkeypatch.setattr(search, "is_shown_at", lambda *_: False)
    monkeypatch.setattr(search, "is_decided_at", lambda *_: False)
    monkeypatch.setattr(search, "prove_at", lambda *_: check.Attempt())
    assert not search.is_least(theorem, found.env, RLIMIT)
