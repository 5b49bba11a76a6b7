"""Ops that read and write through an array of integers, drawn at random. Untrusted."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from gradproof.language import (
    Eq,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    integer_array,
    integers,
    scatter,
    tangent,
)
from trust.truth.draw import MADE, Draw, finished
from trust.truth.windows import times

N, C, a, b = integers("N C a b")
y = array("y", N)
y_dot, y_bar = tangent(y), cotangent(y)
rows, label = (a, 0, N - 1), integer_array("label", N, below=C)
MOST = 3


@st.composite
def gathered(draw: Any) -> Draw:
    """`y[a] = weight·x[label[a] + shift]`, with both rules, one of which is asked about."""

    def choose(*options: Any) -> Any:
        return draw(st.sampled_from(options))

    made, shift = choose(*MADE), choose(0, 0, 1, 2)
    weight = choose(1, 1, 2, a + 1, label[a] + 1)
    x = array("x", C + shift)
    x_dot, x_bar = tangent(x), cotangent(x)
    place = label[a] + shift
    forward = Eq(y[a], times(weight, x[place]))
    pushed = Eq(y_dot[a], times(weight, x_dot[place]))
    moved = times(weight, y_bar[a])
    pulled = choose(
        Eq(x_bar[b], Sum(bracket(Eq(place, b)) * moved, rows)),
        Eq(x_bar[b], Sum(bracket(Eq(label[a], b - shift)) * moved, rows)),
        scatter(x_bar[place], moved, rows),
    )
    part = choose("jvp", "vjp x_bar")
    asked, by = (pushed, x_dot) if part == "jvp" else (pulled, y_bar)

    def build(asked: Any) -> Op:
        rules = (asked, pulled) if part == "jvp" else (pushed, asked)
        return Op("drawn", forward, *rules, (N >= 1, C >= 1))

    size = C if part == "jvp" else N
    op, change, false = draw(finished(made, part, asked, build, (size, by[0]), ""))
    box = ((N.name, range(1, MOST + 1)), (C.name, range(1, MOST + 1)))
    return Draw("gathered", op, part, made, change, box, false)
