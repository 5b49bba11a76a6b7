"""Ops over windows, drawn at random, with a rule that is right, broken, or broken beyond a size.

Untrusted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from gradproof.language import Eq, Ne, bracket, cotangent, floor_div, integers, tangent
from gradproof.language.substitution import free as symbols
from gradproof.language.substitution import union
from gradproof.language.terms import Sym, minus
from trust.truth.draw import (
    FAR,
    MADE,
    Draw,
    accepted,
    derivative,
    late,
    mistakes,
    one_term_more,
)
from trust.truth.maps import Map, Style, definition, forward, rule
from trust.truth.windows import Axis, at_least_1, times

FAMILIES = ("window", "filter", "square", "sum", "plane")
LINE = {"N": 5, "M": 3, "K": 3, "S": 3, "D": 2, "P": 2}
PLANE = {"N": 3, "M": 2, "K": 2, "S": 2, "D": 2, "P": 1}
MOST_SYMBOLS = 4


@st.composite
def axes(draw: Any, suffix: str, symbolic: bool = True) -> Axis:
    """Windows along one axis; stride, dilation and padding are symbols only if `symbolic`."""

    def pick(*options: Any) -> Any:
        return draw(st.sampled_from(options))

    weight = {"scale": pick(1, 1, 2, -1, 3), "slope": pick(0, 0, 1, 2, -1)}
    make = pick(*[counted] * 2, *[uncounted] * 3)
    return replace(make(suffix, pick, symbolic), **weight)


def counted(suffix: str, pick: Any, symbolic: bool) -> Axis:
    """As many windows as fit into the padded input."""
    N, K, S, D, P = (integers(f"{name}{suffix}") for name in "NKSDP")
    stride, step, width = pick(1, 2, 3, S), pick(1, 1, 2, D if symbolic else 3), pick(K, K, 2, 3)
    low, high = pick((0, 0), (0, 0), (1, 1), (2, 0), (0, 1), (P, P) if symbolic else (1, 2))
    size, extent = N + low + high, times(step, width - 1) + 1
    count = floor_div(size - extent, stride) + 1
    shift = minus(low) if isinstance(low, Sym) else -low
    fits = isinstance(low, int) and low == high == 0
    return Axis(suffix, stride, step, shift, width, count, fits=fits, requires=(size >= extent,))


def uncounted(suffix: str, pick: Any, symbolic: bool) -> Axis:
    """Any number of windows, wherever they lie."""
    N, M, K, S, D, P, a = (integers(f"{name}{suffix}") for name in "NMKSDPa")
    stride = pick(1, 1, 2, 3, -1, 0, S if symbolic else 2)
    step = pick(1, 1, 2, 3, -1, 0, D if symbolic else 2)
    shift = pick(0, 1, 2, 3, *((P,) if symbolic else ()))
    if at_least_1(stride) or at_least_1(step):  # else a shift to the left reads nothing at all
        shift = pick(shift, minus(shift) if isinstance(shift, Sym) else -shift)
    width = pick(K, K, K, 1, 2, 3, N, a + 1, a + 2)
    return Axis(suffix, stride, step, shift, width, pick(M, M, N))


@st.composite
def mappings(draw: Any, family: str) -> Map:
    line = [draw(axes(""))] if family != "plane" else []
    every = tuple(line or [draw(axes(suffix, False)) for suffix in "HW"])
    mode = draw(st.sampled_from(MODES[family]))
    if mode == "filter":
        assume(all(isinstance(axis.width, int | Sym) for axis in every))
    widths = [axis.width for axis in every if isinstance(axis.width, Sym)]
    divisors = [1, 1, 2, *widths, *(w + 1 for w in widths), every[0].size]
    divisors += [widths[0] * widths[1]] if len(widths) == 2 else []
    local = mode == "linear" and bool(line) and draw(st.integers(0, 7)) == 0
    return Map(every, mode, draw(st.sampled_from(divisors)), local)


MODES = {
    "window": ("linear",),
    "sum": ("linear",),
    "filter": ("filter",),
    "square": ("square",),
    "plane": ("linear", "linear", "filter", "square"),
}


@st.composite
def several(draw: Any, family: str) -> tuple[Map, ...]:
    """The maps whose sum an op is."""
    one = draw(mappings(family))
    if family != "sum":
        return (one,)
    two = draw(mappings(family))
    (first,), (second,) = one.axes, two.axes
    same = replace(second, count=first.count, fits=False, requires=())
    return one, replace(two, axes=(same,))


styles = st.builds(
    Style,
    guards=st.sampled_from(["brackets", "one bracket", "if"]),
    inside=st.booleans(),
    split=st.sampled_from([None, None, None, None, 0, 1]),
    distributed=st.sampled_from([False, False, True]),
)


@st.composite
def rules(draw: Any, family: str) -> Draw:
    """An op with all its rules, one of which is asked about."""

    def choose(options: Any) -> Any:
        return draw(st.sampled_from(options))

    def dress() -> Style:
        return draw(styles)

    made, ms = choose(MADE), draw(several(family))
    used = symbols_of(ms)
    assume(len(used) <= MOST_SYMBOLS)
    filters = ("vjp f_bar",) * (ms[0].mode == "filter")
    part = choose(("jvp", "vjp x_bar", "vjp x_bar", *filters))
    scatters = made != "beyond" and len(ms) == 1 and choose((True, False, False))
    meant, change = ms, ""
    if made == "edited" and draw(st.booleans()):
        meant, change = draw(others(ms))
    asked = accepted(lambda: rule(meant, part, choose, dress, scatters))
    said = forward(ms, choose, dress) if draw(st.booleans()) else forward(ms)
    given = (*(s >= lowest(s) for s in used), *(c for axis in ms[0].axes for c in axis.requires))
    if made == "edited" and not change:
        plain = accepted(lambda: definition(ms, given, said, {part: asked}))
        asked, change = draw(mistakes(plain, asked))
    if made == "beyond":
        asked, change = draw(far(ms, part, asked))
    op = accepted(lambda: definition(ms, given, said, {part: asked}))
    highest = PLANE if family == "plane" else LINE
    box = tuple((s.name, range(lowest(s), highest[s.name[0]] + 1)) for s in used)
    false = derivative(part) if made == "beyond" else ""
    return Draw(family, op, part, made, change, box, false)


def symbols_of(ms: tuple[Map, ...]) -> list[Sym]:
    """The sizes that an op mentions, not its indices."""
    terms = [m.divisor for m in ms]
    for axis in (axis for m in ms for axis in m.axes):
        terms += [axis.size, axis.count, axis.stride, axis.step, axis.shift, axis.width]
    found = union(symbols(e) for e in terms if not isinstance(e, int))
    return sorted((s for s in found if s.name[0] in LINE), key=str)


def lowest(size: Sym) -> int:
    return 0 if size.name.startswith("P") else 1


@st.composite
def others(draw: Any, ms: tuple[Map, ...]) -> tuple[tuple[Map, ...], str]:
    """The same maps but for one number: their rule is right, of another op."""
    number = draw(st.integers(0, len(ms) - 1))
    m = ms[number]
    names = ["stride", "step", "shift", "scale", "slope", "divisor"]
    names += ["width"] if m.mode != "filter" else []  # the shape of f
    name = draw(st.sampled_from(names))
    by = draw(st.sampled_from([1, -1, 2]))
    if name == "divisor":
        changed = replace(m, divisor=2 if m.divisor == 1 else m.divisor + by)
    else:
        at = draw(st.integers(0, len(m.axes) - 1))
        axis = replace(m.axes[at], **{name: getattr(m.axes[at], name) + by})
        assume(axis.scale or axis.slope)
        changed = replace(m, axes=(*m.axes[:at], axis, *m.axes[at + 1 :]))
    return (*ms[:number], changed, *ms[number + 1 :]), f"another {name}"


@st.composite
def far(draw: Any, ms: tuple[Map, ...], part: str, equation: Any) -> tuple[Any, str]:
    """One term more, which is 0 at every small shape; or nothing at all, at a large one."""
    axis, limit = ms[0].axes[0], draw(st.sampled_from(FAR))
    left, right = equation.args
    if has_positive_entry(ms) and part != "vjp f_bar" and draw(st.booleans()):
        kept = draw(st.sampled_from([axis.size < limit, Ne(axis.size, limit)]))
        return Eq(left, bracket(kept) * right), f"0 but for {kept}"
    conditions = late(axis.size, limit)
    if part != "vjp f_bar":
        conditions.append((axis.a if part == "jvp" else axis.b) >= limit)
        conditions += [axis.width >= limit] if isinstance(axis.width, Sym) else []
    condition = draw(st.sampled_from(conditions))
    by = tangent(ms[0].x) if part == "jvp" else cotangent(ms[0].y)
    return one_term_more(equation, condition, by[(0,) * len(ms[0].axes)])


def has_positive_entry(ms: tuple[Map, ...]) -> bool:
    """Window 0 reads its first cell, and no weight is negative; a padding can be 0."""
    return len(ms) == 1 and all(
        axis.scale >= 1 and axis.slope >= 0 and not (isinstance(axis.shift, int) and axis.shift < 0)
        for axis in ms[0].axes
    )
