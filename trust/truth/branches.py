"""Ops that branch on the cells that they read, drawn at random, with a rule. Untrusted.

A right rule branches as its op does. Cells are compared with each other and with 0 alone: at a
point drawn at random two sides differ by much, or are equal all around it. A wrong one may be so
only where they meet.
"""

from __future__ import annotations

from functools import reduce
from operator import ge, gt, le, lt
from typing import Any

from hypothesis import strategies as st

from gradproof.language import Eq, If, Max, Min, Ne, Not, Op, array, bracket, cotangent, tangent
from gradproof.language.terms import Relation, arrays, walk
from trust.truth.draw import MADE, Draw, finished, one_term_more
from trust.truth.slopes import At, N, Source, Value, a, b
from trust.truth.windows import times

x, y = array("x", N), array("y", N)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)
BOX = (("N", range(1, 5)),)
RELATIONS = (gt, gt, ge, lt, le, Eq, Ne)
OWN = ("first", "mirrored", "next", "own", "total")


def nothing(i: Any) -> Any:
    return 0


def cell(kind: str, number: int) -> Value:
    return Source(x, kind).times(number)


def branched(condition: At, then: Value, otherwise: Value | None, style: str) -> Value:
    """One value where a condition holds, and another, or nothing, where it does not."""
    if otherwise is None:
        return then.mapped(lambda term, i: bracket(condition(i)) * term)
    if style == "brackets":
        no = otherwise.mapped(lambda term, i: bracket(Not(condition(i))) * term)
        return branched(condition, then, None, style) + no

    def either(one: At, two: At) -> At:
        return lambda i: If(condition(i), one(i), two(i))

    sources = {**then.by, **otherwise.by}
    by = {s: either(then.by.get(s, nothing), otherwise.by.get(s, nothing)) for s in sources}
    return Value(either(then.at, otherwise.at), by)


def extremum(of: Any, one: Value, two: Value | None, strict: bool) -> Value:
    """The larger of two values, or the smaller; ties go to the first unless `strict`."""
    other = two.at if two else nothing
    beats = {Max: (ge, gt), Min: (le, lt)}[of][strict]
    chosen = branched(lambda i: beats(one.at(i), other(i)), one, two, "if")
    return Value(lambda i: of(one.at(i), other(i)), chosen.by)


def raised(value: At, power: int) -> At:
    return lambda i: reduce(times, [value(i)] * power)


def meeting(term: Any) -> list[Any]:
    """That sides of a comparison, or parts of an extremum, are equal."""
    kinds = (Max, Min, Relation)
    found = (u.args for u in walk(term) if isinstance(u, kinds) and arrays(u))
    return list(dict.fromkeys(Eq(*sides) for sides in found))


# What is drawn.

numbers = st.sampled_from([1, 1, 1, 2, -1])
single = st.builds(cell, st.sampled_from(OWN[:-1]), numbers)
cells = st.builds(cell, st.sampled_from(OWN), numbers)
sums = st.one_of(cells, cells, st.builds(Value.__add__, cells, cells))
plain = st.one_of(cells, sums, st.builds(Value.__mul__, cells, cells))


@st.composite
def comparisons(draw: Any) -> At:
    """A comparison of cells, or of powers of them; one side may vanish or appear at a size."""

    def pick(*options: Any) -> Any:
        return draw(st.sampled_from(options))

    relation, power, size = pick(*RELATIONS), pick(1, 1, 1, 2, 2, 3, 7), pick(2, 3, 12)
    late: Any = N - size >= 0
    some = sums if power == 1 else cells if power < 4 else single
    one, another = (raised(draw(some).at, power) for _ in range(2))
    of = pick(Max, Min)
    other = pick(
        nothing,
        another,
        lambda i: bracket(late) * one(i),
        lambda i: bracket(Not(late)) * one(i),
        lambda i: of(one(i), another(i)),
    )
    left, right = pick((one, other), (other, one))
    return lambda i: relation(left(i), right(i))


@st.composite
def conditions(draw: Any) -> At:
    one, two, limit = draw(comparisons()), draw(comparisons()), draw(st.sampled_from([1, 2, 12]))
    early = N - limit < 0
    return draw(
        st.sampled_from(
            [
                one,
                one,
                one,
                lambda i: one(i) & two(i),
                lambda i: one(i) | two(i),
                lambda i: one(i) | early,
                lambda i: one(i) & (i >= limit),
                lambda i: Not(one(i)),
            ]
        )
    )


gated = st.builds(
    branched,
    conditions(),
    plain,
    st.one_of(st.none(), plain),
    st.sampled_from(["if", "brackets"]),
)
largest = st.builds(
    extremum, st.sampled_from([Max, Min]), sums, st.one_of(st.none(), sums), st.booleans()
)
pieces = st.one_of(gated, gated, largest)
inner = st.builds(
    branched, conditions(), pieces, st.one_of(st.none(), plain), st.sampled_from(["if", "brackets"])
)
values = st.one_of(pieces, pieces, pieces, st.builds(Value.__add__, pieces, plain), inner)


def rule_of(value: Value, part: str) -> Any:
    if part == "jvp":
        moved = [times(slope(a), s.read(x_dot, a)) for s, slope in value.by.items()]
        return Eq(y_dot[a], reduce(lambda one, two: one + two, moved))

    def weighted(slope: At) -> At:
        return lambda i: times(slope(i), y_bar[i])

    back = [s.back(weighted(slope)) for s, slope in value.by.items()]
    return Eq(x_bar[b], reduce(lambda one, two: one + two, back))


@st.composite
def branches(draw: Any) -> Draw:
    """An op with both rules, one of which is asked about."""
    made, part = draw(st.sampled_from(MADE)), draw(st.sampled_from(("jvp", "vjp x_bar")))
    value = draw(values)
    jvp, vjp = rule_of(value, "jvp"), rule_of(value, "vjp x_bar")
    asked, by = (jvp, x_dot[0]) if part == "jvp" else (vjp, y_bar[0])

    def build(asked: Any) -> Op:
        rules = (asked, vjp) if part == "jvp" else (jvp, asked)
        return Op("drawn", Eq(y[a], value.at(a)), *rules, (N >= 1,))

    change = ""
    if made == "edited" and draw(st.booleans()):
        place, cells = (a, x_dot) if part == "jvp" else (b, y_bar)
        where = draw(st.sampled_from(meeting(value.at(place))))
        asked, change = one_term_more(asked, where, draw(st.sampled_from([cells[place], by])))
    op, change, false = draw(finished(made, part, asked, build, (N, by), change))
    return Draw("branches", op, part, made, change, BOX, false)
