"""Wherever a rule is wrong, some theorem says so: on boundaries and off them, entry by entry.

A rule is made wrong by one entry, of a cell of the output by one of an input. At every point that
is tried some theorem must be false at that point, or stand for what cannot be said: never green.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice, product
from random import Random

import pytest
from quick import quick

from gradproof.evaluate.bounded import places_at
from gradproof.evaluate.judge import Evaluator
from gradproof.evaluate.numbers import RATIONALS, Undecided, Undefined
from gradproof.evaluate.replay import Point
from gradproof.language import (
    And,
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    array,
    bracket,
    cos,
    cotangent,
    count,
    function,
    integers,
    reals,
    sin,
    tangent,
)
from gradproof.language.ops import target_of
from gradproof.language.requirements import about_values
from gradproof.settle.stepwise import computed
from gradproof.theorems.boundary import meetings
from gradproof.theorems.obligations import obligations
from trust.drawn import run as machine
from trust.drawn.curves import recipes
from trust.drawn.families import FAMILIES, Spec, built

N, i, k, q, r = integers("N i k q r")
e = reals("e")
x, w, y = (array(name, N) for name in "xwy")
X, W = x[i], w[i]
LARGE = Fraction(1000)
BOTH = "jvp vjp"  # where these agree, that they do says nothing
RULES = ("jvp", "vjp", BOTH)
VALUES = tuple(map(Fraction, (-1, 0, 1, 2)))


def op_of(value, by_x, by_w):
    jvp = Eq(tangent(y)[i], by_x * tangent(x)[i] + by_w * tangent(w)[i])
    vjp = (Eq(cotangent(x)[i], by_x * cotangent(y)[i]), Eq(cotangent(w)[i], by_w * cotangent(y)[i]))
    return Op("drawn", Eq(y[i], value), jvp, vjp, requires=(N >= 1,))


def summed():
    cells = (k, 0, N - 1)
    jvp = Sum(bracket(x[k] > 0) * W * tangent(x)[k] + Max(x[k], 0) * tangent(w)[i], cells)
    return Op(
        "drawn",
        Eq(y[i], Sum(Max(x[k], 0) * W, cells)),
        Eq(tangent(y)[i], jvp),
        (
            Eq(cotangent(x)[k], Sum(bracket(x[k] > 0) * W * cotangent(y)[i], (i, 0, N - 1))),
            Eq(cotangent(w)[i], Sum(Max(x[k], 0), cells) * cotangent(y)[i]),
        ),
        requires=(N >= 1,),
    )


STEP = function("step", lambda u: bracket(u > 1), value=lambda u: Max(u, 1))
ramp = bracket(X > 0)
OPS = {
    "one kink": op_of(Max(X, 0) + 0 * W, ramp, 0),
    "kinks that cancel": op_of(Max(X, 0) - Max(-X, 0) + W, 1, 1),
    "far apart": op_of(
        Min(Max(X, -1), 1) + Max(X, 2) + W, bracket(And(X > -1, X < 1)) + bracket(X > 2), 1
    ),
    "touched": op_of(If(X * X > 0, X, 0) + W, 1, 1),
    "crossed at a cube": op_of(If(X**3 > 1, X, 1) + W, bracket(X > 1), 1),
    "nested": op_of(If(X > 0, If(X > 1, 2 * X, X + 1), 1) + W, If(X > 1, 2, ramp), 1),
    "an equality": op_of(If(Eq(X, 1), 5, X) + W, 1, 1),
    "two inputs": op_of(
        Max(X, W) + Max(X - W, 0), bracket(X >= W) + bracket(X > W), bracket(X < W) - bracket(X > W)
    ),
    "in a function": op_of(sin(Max(X, 0)) + STEP(W), cos(Max(X, 0)) * ramp, bracket(W > 1)),
    "counts": op_of(X * count(X > 0, (k, 0, 0)) + X * count(X < 0, (k, 0, 0)) + W, 1, 1),
    "a square of a kink": op_of(Max(X - 1, 0) ** 2 + W, 2 * Max(X - 1, 0), 1),
    "under a sum": summed(),
}


def wrong_by(op, rules, by):
    """With rules for an input that say `e` more at q by r."""
    y = op.outputs[0]
    ends = {target_of(rule).array for rule in op.vjp}
    bar = cotangent(y, "all") if cotangent(y, "all") in ends else cotangent(y)

    def wrong(rule):
        made, index = target_of(rule).array, target_of(rule).index
        if made == tangent(y) and "jvp" in rules:
            more = bracket(And(*(Eq(at, q) for at in index))) * tangent(by)[r]
        elif made.name == cotangent(by).name and "vjp" in rules:
            more = bracket(Eq(index[0], r)) * bar[(q,) * len(y.dims)]
        else:
            return rule
        return Eq(rule.target, rule.right + e * more)

    last = y.dims[0] if y.dims else 1
    given = (*op.requires, e >= 0, q >= 0, q < last, r >= 0, r < by.dims[0])
    jvp, vjp = (tuple(map(wrong, own)) for own in (op.jvps, op.vjp))
    return replace(op, jvp=jvp, vjp=vjp, requires=given)


def stated(op):
    return obligations(op, {"jvp", "vjp", "ties"})


def is_false(theorem, shape, cells):
    """Whether a part of it is false at a point; of a recurrence, of a step at what it computes."""
    for sequent in theorem.local or theorem.sequents:
        places, _ = places_at(sequent, shape, None)
        known = dict(cells)
        if sequent in theorem.local:
            known |= computed(sequent, shape, cells)
            sequent = replace(sequent, where=())
        point = Point(sequent, known)
        for place in places:
            try:
                if point.fails(place) is not None:
                    return True
            except (Undecided, Undefined, KeyError):
                continue
    return False


def points(op, size, most):
    """Values of all cells within what is required, and how the inputs move."""
    names = [(a.name, (n,)) for a in op.operands for n in range(size)]
    shape = {op.operands[0].dims[0]: size}
    asked = [op.closed(c) for c in op.requires if about_values(c)]
    every = [*product(VALUES, repeat=len(names))] if len(names) < 6 else []
    every = every or [Random(n).choices(VALUES, k=len(names)) for n in range(100)]
    Random(size).shuffle(every)
    for values in every:
        cells = dict(zip(names, values, strict=True))
        tensors = {a.name: lambda at, a=a, of=cells: of[a.name, at] for a in op.operands}
        if most and all(Evaluator(RATIONALS, tensors).value(c, shape) for c in asked):
            most -= 1
            yield cells


def ways(op, by, size, at):
    """How cells move: all of them, or one."""
    for speed in (Fraction(1), Fraction(-1)):
        yield {(tangent(a).name, (n,)): speed for a in op.inputs for n in range(size)}
    yield {(tangent(by).name, (at,)): Fraction(1)}


@dataclass
class Tried:
    """Points and entries at which a wrong rule contradicts nothing, and how many there were."""

    holes: list = field(default_factory=list)
    seen: int = 0
    others: int = 0  # where something is false of the rule as it was


def tried(op, rules, theorems=stated, most=8):
    found = Tried()
    for by in op.inputs:
        asked = theorems(wrong_by(op, rules, by))
        for size in (1, 2):
            ends = range(size if op.outputs[0].dims else 1)
            for cells, out, at in product(points(op, size, most), ends, range(size)):
                shape = {op.operands[0].dims[0]: size, q: out, r: at}

                moves = [cells | way for way in ways(op, by, size, at)]
                found.seen += 1
                if not is_told(asked, shape | {e: LARGE}, moves):
                    found.holes.append((by, shape, cells))
                found.others += is_told(asked, shape | {e: Fraction(0)}, moves[-1:])
    return found


def is_told(theorems, shape, moves):
    return any(is_false(theorem, shape, cells) for cells in moves for theorem in theorems)


@pytest.mark.parametrize("name", quick(OPS, [*OPS][1::3]))
@pytest.mark.parametrize("rules", quick(RULES, RULES[-1:]))
def test_rules_that_are_wrong_by_one_entry_are_told_wherever_that_is(name, rules):
    found = tried(OPS[name], rules)
    assert found.seen
    assert not found.others
    assert not found.holes


# What the machine draws, with rules mended at kinks.

SEVERAL = [f for f in FAMILIES if f not in ("graph", "sizes")]


def drawn_op(name):
    """Of a family, with curves that a number draws."""
    family, number = name.split()
    drawn = Random(name)
    while True:
        curves = (recipes(drawn, int(number) % 2), recipes(drawn, 0))
        spec = machine.mended(Spec(family, drawn.choice(FAMILIES[family][1]), curves))
        if spec is not None and machine.is_definition(spec):
            return built(spec).asked


@pytest.mark.parametrize(
    "name", quick([f"{f} {n}" for f in SEVERAL for n in range(6)], {f"{f} 0" for f in SEVERAL})
)
def test_so_it_is_of_what_is_drawn(name):
    found = tried(drawn_op(name), BOTH, most=3)
    assert found.others < found.seen
    assert not found.holes


# A theorem that is not stated leaves a hole.


@pytest.mark.parametrize(("dropped", "values"), [({"jvp", "vjp"}, {-1, 1, 2}), ({"ties"}, {0})])
@pytest.mark.parametrize("name", ["one kink", "kinks that cancel", "counts"])
def test_a_theorem_that_is_dropped_leaves_a_hole(name, dropped, values):
    def others(op):
        return [theorem for theorem in stated(op) if theorem.kind not in dropped]

    found = tried(OPS[name], BOTH, others)
    assert {cells["x", (shape[r],)] for by, shape, cells in found.holes if by == x} == values


def test_a_comparison_that_is_passed_over_leaves_a_hole(monkeypatch):
    """PLANTED: a theorem about boundaries that knows only the first of them."""

    def first(term, names, over):
        yield from islice(meetings(term, names, over), 1)

    monkeypatch.setattr("gradproof.theorems.boundary.meetings", first)
    found = tried(OPS["far apart"], BOTH)
    assert {cells["x", (shape[r],)] for by, shape, cells in found.holes if by == x} == {-1, 2}
