"""What a curve with kinks is put into: an op, a system, a recurrence, a graph. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from gradproof.graphs import Graph
from gradproof.language import (
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    exp,
    integers,
    maximum,
    tangent,
    winner,
    zero_padded,
)
from trust.drawn.curves import Curve, Recipe, curve, turns
from trust.drawn.owed import Node, Point, Program, alone, shapes_of
from trust.drawn.sizes import COUNTS, formula, places

N, a, b, c = integers("N a b c")
x, y, z, u, v, h = (array(name, N) for name in "xyzuvh")
w, low, high, total = array("w", N), array("low", N), array("high", N), array("total")
cells = (b, 0, N - 1)
MOST_POINTS = 20
MOST_VALUES = 24


@dataclass(frozen=True)
class Edit:
    """What is changed in a slope: at one place, or beyond it; in the JVP, the VJP or both."""

    how: str
    place: Any
    value: Any
    rules: str = "both"


@dataclass(frozen=True)
class Spec:
    """A drawn definition, as far as it takes to build it again."""

    family: str
    variant: str
    parts: tuple[Recipe, ...]
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True)
class Built:
    """What is asked about, what the judge looks at, and at which sizes."""

    asked: Op | Graph
    program: Program
    sizes: tuple[int, ...] = (1, 2)
    is_graph: bool = False


@dataclass(frozen=True)
class Face:
    """A curve with the slopes that a JVP and a VJP take for its derivative."""

    at: Callable[[Any], Any]
    push: Callable[[Any], Any]
    pull: Callable[[Any], Any]


def face(spec: Spec, number: int = 0) -> Face:
    """Edits are made of the first part."""
    found: Curve = curve(spec.parts[number % len(spec.parts)])
    push = pull = found.slope
    for edit in spec.edits if number == 0 else ():
        push = edited(push, edit) if edit.rules in ("both", "jvp") else push
        pull = edited(pull, edit) if edit.rules in ("both", "vjp") else pull
    return Face(found.at, push, pull)


def edited(slope: Callable[[Any], Any], edit: Edit) -> Callable[[Any], Any]:
    place, value = edit.place, edit.value
    if edit.how == "instead":
        return lambda t: If(Eq(t, place), value, slope(t))
    if edit.how == "more":
        return lambda t: slope(t) + value * bracket(Eq(t, place))
    return lambda t: slope(t) + value * bracket(t > place)


def op_of(name: str, of: Face, here: Any = x, there: Any = y) -> Op:
    return Op(
        name,
        requires=(N >= 1,),
        forward=Eq(there[a], of.at(here[a])),
        jvp=Eq(tangent(there)[a], of.push(here[a]) * tangent(here)[a]),
        vjp=Eq(cotangent(here)[a], of.pull(here[a]) * cotangent(there)[a]),
    )


def cell(spec: Spec) -> Built:
    op = op_of("drawn", face(spec))
    return Built(op, alone(op))


def intermediate(spec: Spec) -> Built:
    """With a `let`: one curve of another, or what a curve makes of x and of -x."""
    f, g = face(spec), face(spec, 1)
    if spec.variant == "chain":
        op = Op(
            "drawn",
            requires=(N >= 1,),
            let=(Eq(u[a], g.at(x[a])),),
            forward=Eq(y[a], f.at(u[a])),
            jvp=Eq(tangent(y)[a], f.push(u[a]) * g.push(x[a]) * tangent(x)[a]),
            vjp=Eq(cotangent(x)[a], f.pull(u[a]) * g.pull(x[a]) * cotangent(y)[a]),
        )
        return Built(op, alone(op))
    op = Op(
        "drawn",
        requires=(N >= 1,),
        let=(Eq(u[a], f.at(x[a])), Eq(v[a], f.at(-x[a]))),
        forward=Eq(y[a], u[a] - v[a]),
        jvp=Eq(tangent(y)[a], (f.push(x[a]) + f.push(-x[a])) * tangent(x)[a]),
        vjp=Eq(cotangent(x)[a], (f.pull(x[a]) + f.pull(-x[a])) * cotangent(y)[a]),
    )
    return Built(op, alone(op))


def summed(spec: Spec) -> Built:
    f = face(spec)
    op = Op(
        "drawn",
        requires=(N >= 1,),
        forward=Eq(total[()], Sum(f.at(x[b]), cells)),
        jvp=Eq(tangent(total)[()], Sum(f.push(x[b]) * tangent(x)[b], cells)),
        vjp=Eq(cotangent(x)[b], f.pull(x[b]) * cotangent(total)[()]),
    )
    return Built(op, alone(op))


def prefix(spec: Spec) -> Built:
    f = face(spec)
    op = Op(
        "drawn",
        requires=(N >= 1,),
        forward=Eq(y[a], Sum(f.at(x[b]), (b, 0, a))),
        jvp=Eq(tangent(y)[a], Sum(f.push(x[b]) * tangent(x)[b], (b, 0, a))),
        vjp=Eq(cotangent(x)[b], f.pull(x[b]) * Sum(cotangent(y)[a], (a, b, N - 1))),
    )
    return Built(op, alone(op))


def pair(spec: Spec) -> Built:
    """Two inputs: a product, a maximum or a choice of what curves make of them."""
    f, g = face(spec), face(spec, 1)
    if spec.variant == "product":
        value = f.at(x[a]) * g.at(z[a])
        by_x, by_z = (lambda s: s * g.at(z[a])), (lambda s: s * f.at(x[a]))
    elif spec.variant == "maximum":
        value = Max(f.at(x[a]), g.at(z[a]))
        first = f.at(x[a]) >= g.at(z[a])
        by_x, by_z = (lambda s: If(first, s, 0)), (lambda s: If(first, 0, s))
    else:
        value = If(x[a] > z[a], f.at(x[a]), f.at(z[a]))
        first = x[a] > z[a]
        by_x, by_z = (lambda s: bracket(first) * s), (lambda s: If(first, 0, s))
        g = face(replace(spec, edits=()))
    op = Op(
        "drawn",
        requires=(N >= 1,),
        forward=Eq(y[a], value),
        jvp=Eq(
            tangent(y)[a],
            by_x(f.push(x[a])) * tangent(x)[a] + by_z(g.push(z[a])) * tangent(z)[a],
        ),
        vjp=(
            Eq(cotangent(x)[a], by_x(f.pull(x[a])) * cotangent(y)[a]),
            Eq(cotangent(z)[a], by_z(g.pull(z[a])) * cotangent(y)[a]),
        ),
    )
    return Built(op, alone(op), (1,))


def bounded(spec: Spec) -> Built:
    """A clamp whose bounds are inputs; at a bound the rules may go either way, and do not agree."""
    value = Min(Max(x[a], low[a]), high[a])
    inner, loose = (x[a] > low[a]) & (x[a] < high[a]), (x[a] >= low[a]) & (x[a] <= high[a])
    under, over = x[a] < low[a], x[a] > high[a]
    strict = (bracket(inner), bracket(x[a] <= low[a]), bracket(x[a] >= high[a]))
    closed = (bracket(loose), bracket(under), bracket(over))
    nowhere = (bracket(inner), bracket(under), bracket(over))
    both = (bracket(loose), bracket(x[a] <= low[a]), bracket(x[a] >= high[a]))
    rules = {
        "right": (strict, strict),
        "apart": (strict, closed),
        "nowhere": (nowhere, nowhere),
        "both": (both, both),
    }
    push, pull = rules[spec.variant]
    arrays = (x, low, high)
    terms = [s * tangent(of)[a] for s, of in zip(push, arrays, strict=True)]
    op = Op(
        "drawn",
        requires=(N >= 1, low[a] < high[a]),
        forward=Eq(y[a], value),
        jvp=Eq(tangent(y)[a], terms[0] + terms[1] + terms[2]),
        vjp=tuple(
            Eq(cotangent(of)[a], s * cotangent(y)[a]) for s, of in zip(pull, arrays, strict=True)
        ),
    )
    return Built(op, alone(op), (1,))


def of_largest(spec: Spec) -> Built:
    """A maximum in an expression; its rule goes by the first winner, by all, or by each a part."""
    where, rule = spec.variant.split(", ")
    f = face(spec)
    most = maximum(x[b], cells)
    first = winner(c, x[b], cells)
    wins = Eq(x[c], most)
    number = Sum(bracket(Eq(x[b], most)), cells)
    weight = {"first": bracket(first), "all": bracket(wins), "shared": bracket(wins) / number}[rule]
    outer: dict[str, tuple[Any, Any, Any]] = {
        "bare": (most, 1, 1),
        "scaled": (2 * most, 2, 2),
        "exp": (exp(most), exp(most), exp(most)),
        "curve": (f.at(most), f.push(most), f.pull(most)),
        "plus": (most + x[0], 1, 1),
        "let": (2 * u[0], 2, 2),
    }
    value, push, pull = outer[where]
    more = bracket(Eq(c, 0)) if where == "plus" else 0
    moved = Sum((push * weight + more) * tangent(x)[c], (c, 0, N - 1))
    op = Op(
        "drawn",
        requires=(N >= 1,),
        let=(Eq(u[a], most),) if where == "let" else (),
        forward=Eq(total[()], value),
        jvp=Eq(tangent(total)[()], moved),
        vjp=Eq(cotangent(x)[c], (pull * weight + more) * cotangent(total)[()]),
    )
    return Built(op, alone(op), (1, 2, 3))


def several(spec: Spec) -> Built:
    """Two outputs, one of which may turn where the other does."""
    f, g = face(spec), face(spec, 1)
    op = Op(
        "drawn",
        requires=(N >= 1,),
        forward=(Eq(y[a], f.at(x[a])), Eq(w[a], g.at(x[a]))),
        jvp=(
            Eq(tangent(y)[a], f.push(x[a]) * tangent(x)[a]),
            Eq(tangent(w)[a], g.push(x[a]) * tangent(x)[a]),
        ),
        vjp=Eq(cotangent(x)[a], f.pull(x[a]) * cotangent(y)[a] + g.pull(x[a]) * cotangent(w)[a]),
    )
    return Built(op, alone(op))


def differences(spec: Spec) -> Built:
    """What a curve makes of the differences of cells; that of a cell and itself does not move."""
    f = face(spec)
    op = Op(
        "drawn",
        requires=(N >= 1,),
        forward=Eq(y[a], Sum(f.at(x[a] - x[b]), cells)),
        jvp=Eq(
            tangent(y)[a],
            Sum(f.push(x[a] - x[b]) * (tangent(x)[a] - tangent(x)[b]), cells),
        ),
        vjp=Eq(
            cotangent(x)[c],
            Sum(
                f.pull(x[c] - x[b]) * cotangent(y)[c] - f.pull(x[b] - x[c]) * cotangent(y)[b],
                cells,
            ),
        ),
    )
    return Built(op, alone(op))


def recurrence(spec: Spec) -> Built:
    """A state that goes through a curve at each step, or has one added."""
    f = face(spec)
    before, dot = zero_padded(h)[a - 1], zero_padded(tangent(h))[a - 1]
    every = cotangent(h, "all")
    after = zero_padded(every)[a + 1]
    if spec.variant == "through":
        here = before + x[a]
        later = h[a] + zero_padded(x)[a + 1]
        value, push = f.at(here), f.push(here) * (dot + tangent(x)[a])
        back, ends = f.pull(later) * after, f.pull(here) * every[a]
    else:
        value, push = before + f.at(x[a]), dot + f.push(x[a]) * tangent(x)[a]
        back, ends = after, f.pull(x[a]) * every[a]
    op = Op(
        "drawn",
        requires=(N >= 1,),
        forward=Eq(h[a], value),
        jvp=Eq(tangent(h)[a], push),
        vjp=(Eq(every[a], cotangent(h)[a] + back), Eq(cotangent(x)[a], ends)),
    )
    return Built(op, alone(op))


MINUS = Op(
    "minus",
    requires=(N >= 1,),
    forward=Eq(y[a], u[a] - v[a]),
    jvp=Eq(tangent(y)[a], tangent(u)[a] - tangent(v)[a]),
    vjp=(Eq(cotangent(u)[a], 1 * cotangent(y)[a]), Eq(cotangent(v)[a], -cotangent(y)[a])),
)
NEGATIVE = op_of("negative", Face(lambda t: -t, lambda t: -1, lambda t: -1))


def graph(spec: Spec) -> Built:
    """Nodes that a value goes through, one after the other or side by side."""
    f, g = op_of("f", face(spec)), op_of("g", face(spec, 1))
    steps: dict[str, list[tuple[Op, dict[str, str], str]]] = {
        "chain": [(g, {"x": "x"}, "p"), (f, {"x": "p"}, "q")],
        "twice": [(f, {"x": "x"}, "p"), (f, {"x": "p"}, "q")],
        "odd": [
            (NEGATIVE, {"x": "x"}, "o"),
            (f, {"x": "x"}, "p"),
            (f, {"x": "o"}, "q"),
            (MINUS, {"u": "p", "v": "q"}, "r"),
        ],
        "beside": [
            (g, {"x": "x"}, "p"),
            (f, {"x": "p"}, "q"),
            (MINUS, {"u": "q", "v": "p"}, "r"),
        ],
        "nothing": [
            (MINUS, {"u": "x", "v": "x"}, "o"),
            (f, {"x": "o"}, "p"),
            (MINUS, {"u": "p", "v": "x"}, "r"),
        ],
    }
    chosen = steps[spec.variant]
    joined = Graph("drawn")
    joined.assume(N >= 1)
    made: dict[str, Any] = {"x": joined.input("x", N)}
    for op, reads, makes in chosen:
        operands: Any = {name: made[of] for name, of in reads.items()}
        made[makes] = joined.apply(op, **operands)
    joined.output(made[chosen[-1][2]])
    nodes = tuple(Node(op, tuple(reads.items()), (makes,)) for op, reads, makes in chosen)
    return Built(joined, Program(nodes, ("x",)), (1,), True)


def counted(spec: Spec) -> Built:
    op = formula(spec.variant, spec.edits)
    return Built(op, alone(op), ())


FAMILIES: dict[str, tuple[Callable[[Spec], Built], tuple[str, ...]]] = {
    "cell": (cell, ("",)),
    "let": (intermediate, ("chain", "odd")),
    "sum": (summed, ("",)),
    "prefix": (prefix, ("",)),
    "outputs": (several, ("",)),
    "differences": (differences, ("",)),
    "pair": (pair, ("product", "maximum", "choice")),
    "bounded": (bounded, ("right", "apart", "nowhere", "both")),
    "largest": (
        of_largest,
        tuple(
            f"{where}, {rule}"
            for where in ("bare", "scaled", "exp", "curve", "plus", "let")
            for rule in ("first", "all", "shared")
        ),
    ),
    "recurrence": (recurrence, ("through", "added")),
    "sizes": (counted, tuple(COUNTS)),
    "graph": (graph, ("chain", "twice", "odd", "beside", "nothing")),
}


def built(spec: Spec) -> Built:
    return FAMILIES[spec.family][0](spec)


# Points.


def candidates(spec: Spec) -> list[Any]:
    """Where something may turn: where parts do, moved by where others do; and what is between."""
    own = [Fraction(t) for part in spec.parts for t in turns(part)]
    own += [Fraction(edit.place) for edit in spec.edits]
    found = {Fraction(0), *own, *(s * p + q for p, q in product(own, repeat=2) for s in (1, -1))}
    found = {s + d for s in found for d in (0, 1, -1)} | {s + d for s in own for d in (2, 3, 4)}
    found |= {-s for s in found}
    rest = sorted(found - {*own, Fraction(0)})
    kept = Random(str(spec)).sample(rest, min(len(rest), MOST_VALUES))
    between = {Fraction(1, 3), Fraction(-5, 2), Fraction(10**7)}
    return sorted({Fraction(0), *own, *kept} | between)


def points(spec: Spec, found: Built) -> Iterator[tuple[dict[str, int], Point]]:
    """Sizes, with points at which cells have these values, each by itself or all at once.

    A graph is looked at beside them, since at a turn of a node it claims nothing.
    """
    if not found.sizes:
        yield from ((each, {}) for each in places())
        return
    drawn = Random(str(spec))
    values = candidates(spec)
    first = found.program.nodes[0].op
    for size in found.sizes:
        sizes = {"N": size}
        shapes = shapes_of(first, sizes)
        if found.is_graph:
            shapes = {"x": next(iter(shapes.values()))}
        number = sum(map(len, shapes.values()))
        chosen: list[list[Any]] = [[value] * number for value in values]
        if number > 1:
            picks = [drawn.choice(values) for _ in range(4)] + [Fraction(0), Fraction(1)]
            some = [[drawn.choice(picks) for _ in range(number)] for _ in range(MOST_POINTS)]
            chosen = drawn.sample(chosen, min(len(chosen), MOST_POINTS // 2)) + some
        for each in chosen:
            numbers = iter(each)
            beside = Fraction(1, 7919) if found.is_graph else Fraction(0)
            yield (
                sizes,
                {
                    name: {place: next(numbers) + beside for place in of}
                    for name, of in shapes.items()
                },
            )
