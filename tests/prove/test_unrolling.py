"""Loops within loops: proved for windows of a few cells, and said so; refuted where wrong."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS
from gradproof.language import Eq, If, Op, array, bracket, cotangent, fold, integers, reals, tangent
from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, substitute
from gradproof.prove.rules import unrolling
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.asking import seeker
from gradproof.settle.suite import verify
from gradproof.theorems.obligations import obligations
from gradproof.theorems.sequents import Sequent, Theorem

H, W, a, b, i, j, o, row, column, at_row, at_column = integers(
    "H W a b i j o row column at_row at_column"
)
best, inner, slope, inner_slope = reals("best inner slope inner_slope")
x, y = array("x", H, W), array("y", 1)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)


def scan(result, take, **carried):
    """One row of the image, as an inner loop that goes on from the outer loop's states."""
    states = {"inner": (inner, best, If(take, x[a, b], inner))}
    states |= {n: (s, start, If(take, value, s)) for n, (s, start, value) in carried.items()}
    return fold(result, (b, 0, W - 1), **states)


def rows(result, take, **outer):
    states = {"best": (best, x[0, 0], scan(inner, take))}
    return fold(result, (a, 0, H - 1), **states, **outer)


def largest(take=None, tangent_at=(a, b), rule_takes=None):
    """The largest cell of an image, by two nested loops, with rules that loop alike."""
    greater = x[a, b] > inner
    take = greater if take is None else take
    rule_takes = take if rule_takes is None else rule_takes
    turned = scan(inner_slope, take, slope=(inner_slope, slope, x_dot[tangent_at]))
    found = {
        name: (outer, 0, scan(own, rule_takes, **{name: (own, outer, value)}))
        for name, outer, own, value in (("row", row, at_row, a), ("column", column, at_column, b))
    }
    return Op(
        "largest",
        requires=(H >= 1, W >= 1),
        forward=Eq(y[o], rows(best, greater)),
        jvp=Eq(y_dot[o], rows(slope, take, slope=(slope, x_dot[0, 0], turned))),
        vjp=Eq(
            x_bar[i, j],
            bracket(
                Eq(rows(row, rule_takes, **found), i) & Eq(rows(column, rule_takes, **found), j)
            )
            * y_bar[0],
        ),
    )


def by_kind(op):
    return {v.kind: v for v in verify(op).verdicts if v.kind in ("jvp", "vjp")}


def test_nested_loops_are_proved_for_small_windows():
    report = verify(replace(largest(), scope="4 turns", ties="any"))
    assert report.as_expected
    scopes = {v.kind: v.scope for v in report.verdicts}
    assert (
        scopes["jvp"]
        == scopes["vjp"]
        == "where no loop takes more than 4 turns, inner loops counted, off the boundary"
    )
    assert scopes["linear"] == "where no loop takes more than 4 turns, inner loops counted"
    assert scopes["size"] == "all sizes"


def test_a_wrong_tangent_is_refuted():
    found = by_kind(largest(tangent_at=(a, 0)))
    assert found["jvp"].status == "refuted"
    assert found["jvp"].counterexample.sizes == {"H": 1, "W": 2}
    assert found["vjp"].status == "proved"


def test_a_wrong_place_is_refuted():
    found = by_kind(largest(rule_takes=x[a, b] < inner))
    assert found["vjp"].status == "refuted"
    assert found["jvp"].status == "proved"


def instances(theorem):
    found = unrolling.written_out(theorem, seeker(RLIMIT))
    return found and found.instances


def test_a_loop_that_may_not_turn_has_no_such_scope():
    """Without W ≥ 1 there are windows of no cell, which were not written out."""
    op = largest()
    loose = replace(op, requires=(H >= 1, W >= 0))
    for given, known in ((op, True), (loose, False)):
        theorem = next(th for th in obligations(given) if th.kind == "jvp")
        assert (instances(theorem) is not None) == known


@pytest.mark.parametrize("last", [W - 2, 2 * W, W + H])
def test_other_ends(last):
    """Ends that are no size themselves: every loop up to the limit is there, or none is claimed."""
    loop = fold(best, (b, 0, last), best=(best, 0, best + x[0, b]))
    theorem = Theorem("", "claim", "", (H >= 1, W >= 1), (Sequent((), (), Eq(loop, 0)),))
    found = instances(theorem)
    if last == W - 2:
        assert found is None  # one turn fewer than W: none at W = 1
        return
    turns = [(h, w) for h in range(1, 5) for w in range(1, 5) if turns_at(last, h, w) <= 4]
    assert len(found) == len(turns if last == W + H else {w for _, w in turns})


def test_loops_that_no_size_decides_are_not_written_out():
    def written_out(last, over=()):
        loop = fold(best, (b, 0, last), best=(best, 0, best + x[0, b]))
        sequent = Sequent(over, (), Eq(loop, 0))
        return instances(Theorem("", "claim", "", (W >= 1,), (sequent,)))

    assert written_out(W - 1) is not None
    assert written_out(i, ((i, 0, W - 1),)) is None
    straight = Theorem("", "claim", "", (W >= 1,), (Sequent((), (), W >= 1),))
    assert instances(straight) is None


def test_a_short_loop_beside_one_that_is_too_long_is_not_left_out():
    def loop(last):
        return fold(best, (b, 0, last), best=(best, 0, best + x[0, b]))

    def of(*loops):
        sequents = tuple(Sequent((), (), Eq(u, 0)) for u in loops)
        return instances(Theorem("", "claim", "", (W >= 1,), sequents))

    assert len(of(loop(W - 1), loop(W - 1) + 1)) == 4
    assert of(loop(W - 1), loop(2 * W - 1)) is None  # at W = 3 one has 3 turns, one 6


def turns_at(last, h, w):
    return Evaluator(RATIONALS, {}).value(t.plus(last, 1), {H: h, W: w})


def test_written_out_is_the_same():
    op = largest()
    cells = {(0, 0): 3, (0, 1): 1, (1, 0): 4, (1, 1): 4}
    tensors = {"x": lambda at: Fraction(cells[at])}
    loops = op.forward.args[1]
    flat = unrolling.unrolled(
        substitute(loops, {H: t.as_term(2), W: t.as_term(2)}, Fresh()), Fresh()
    )
    assert not any(isinstance(u, t.Fold) for u in t.walk(flat))
    assert Evaluator(RATIONALS, tensors).real(flat, {H: 2, W: 2}) == 4


def test_what_is_put_in_gives_no_binder_the_name_of_a_place():
    place = t.Sym("a'1", t.INT)
    said = t.Eq(t.Sum(x[a, 0], sympy.Tuple(a, 0, W - 1)), 0)
    over = (sympy.Tuple(place, sympy.Integer(0), H),)
    theorem = Theorem("", "", "", (), (Sequent(over, (), said),))
    (found,) = unrolling.at_sizes(theorem, {W: sympy.Integer(2)}).sequents
    (bound,) = (r[0] for u in t.walk(found.then) if isinstance(u, t.Sum) for r in u.ranges)
    assert bound != place
