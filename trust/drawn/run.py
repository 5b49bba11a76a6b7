"""Draws definitions with kinks and rules that are wrong at a point or far out. Untrusted.

The definitions are the same for a seed, whatever the number of processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count, islice
from random import Random
from typing import Any

from gradproof import verify
from gradproof.graphs import Graph, GraphError
from gradproof.language import DefinitionError, Op
from trust.drawn import sizes
from trust.drawn.curves import recipes, smaller, turns, with_turn_at_0
from trust.drawn.families import FAMILIES, Built, Edit, Spec, built, candidates, points
from trust.drawn.owed import Failure, Point, failures, shapes_of
from trust.processes import apart, workers

PATIENCE = 3  # seconds of the processor for one definition; what takes longer is open
SHARES = {
    "cell": 8,
    "let": 3,
    "sum": 1,
    "prefix": 1,
    "outputs": 1,
    "differences": 1,
    "pair": 2,
    "bounded": 1,
    "largest": 2,
    "recurrence": 2,
    "sizes": 1,
    "graph": 3,
}
EDGES = (50, 999, 1000)
WEIGHTS = (1, 7, -1, 100, Fraction(1, 2))
Places = Iterator[tuple[dict[str, int], Point]]
Asked = Callable[[Op | Graph], "Answer"]


@dataclass(frozen=True)
class Answer:
    """What is said of a definition: green, refuted or open; why, and where it is refuted."""

    status: str
    why: str = ""
    sizes: tuple[tuple[str, int], ...] = ()
    values: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()


@dataclass(frozen=True)
class Result:
    """A drawn definition, what fails of it in truth, and what is said of it."""

    spec: Spec
    failure: Failure | None
    answer: Answer
    text: str

    @property
    def wrong(self) -> str:
        """What is wrong with the answer, if anything is."""
        if self.failure is not None:
            return "green, and wrong" if self.answer.status == "green" else ""
        return "refuted, and right" if self.answer.status == "refuted" else ""

    def __str__(self) -> str:
        spec = self.spec
        head = f"{spec.family}{f' ({spec.variant})' if spec.variant else ''}: {self.answer.status}"
        why = f" ({self.answer.why})" if self.answer.why else ""
        truth = f"wrong: {self.failure}" if self.failure else "right at every point tried"
        return f"{head}{why}, {truth}\n  {self.text}"


def the_tool(asked: Op | Graph) -> Answer:
    """Green is what ends with status 0; that a node is wrong somewhere refutes no graph."""
    report = asked.verify() if isinstance(asked, Graph) else verify(asked)
    if report.as_expected:
        return Answer("green")
    off = [v for v in report.verdicts if not v.as_expected]
    whole = ("jvp", "vjp") if isinstance(asked, Graph) else {v.kind for v in off}
    refuted = [v for v in off if v.status == "refuted" and v.kind in whole]
    why = "; ".join(f"{v.name}: {v.status}" for v in (refuted or off)[:2])
    if not refuted:
        return Answer("open", why)
    shown = next((v.counterexample for v in refuted if v.counterexample), None)
    if shown is None:
        return Answer("refuted", why)
    values = tuple((name, tuple(of.items())) for name, of in shown.values.items())
    return Answer("refuted", why, tuple(shown.sizes.items()), values)


def first_failure(found: Built, places: Places) -> Failure | None:
    """The first by size and place; that rules differ counts where nothing else is wrong."""
    if not found.sizes:
        return next(sizes.failures(found.program.nodes[0].op, (shape for shape, _ in places)), None)
    apart_only = None
    for shape, point in places:
        for failure in failures(found.program, shape, point, found.is_graph):
            if failure.how != "differs from the jvp":
                return failure
            apart_only = apart_only or failure
    return apart_only


# What is drawn.


def specs(drawn: Random) -> Iterator[Spec]:
    """A definition with its rules as they are read off the formula, mended, and broken."""
    family = drawn.choice([name for name, share in SHARES.items() for _ in range(share)])
    variant = drawn.choice(FAMILIES[family][1])
    depth = drawn.choice((0, 0, 1, 1, 1, 2))
    if family == "sizes":
        edit = Edit(drawn.choice(("instead", "beyond")), drawn.choice(EDGES), drawn.choice((-1, 1)))
        yield Spec(family, variant, (), drawn.choice(((), (edit,))))
        return
    plain = Spec(family, variant, (recipes(drawn, depth), recipes(drawn, 0)))
    kind = drawn.choice(("as it is", "mended", "mended", "more", "instead", "apart", "far"))
    if kind == "as it is":
        yield plain
        return
    right = mended(plain)
    if right is None:
        return
    if kind == "mended":
        yield right
        return
    places = turns(plain.parts[0])
    place, value = drawn.choice(places), drawn.choice(WEIGHTS)
    if kind == "far":
        edit = Edit("beyond", max(places) + drawn.choice((50, 1000, 10**6)), value)
    elif kind == "apart":
        edit = Edit("instead", place, drawn.choice((0, 1, -1)), drawn.choice(("jvp", "vjp")))
    else:
        edit = Edit(kind, place, value)
    yield replace(right, edits=(*right.edits, edit))


def mended(spec: Spec) -> Spec | None:
    """With the derivative wherever the slope of the first part is wrong, which is at few places."""
    alone = Spec("cell", "", spec.parts[:1])
    try:
        found = built(alone)
    except DefinitionError:
        return None
    edits = []
    for value in candidates(alone):
        point: Point = {"x": {(0,): value}}
        for failure in failures(found.program, {"N": 1}, point):
            if failure.rule == "jvp" and failure.limits:
                if not all(isinstance(v, int | Fraction) for row in failure.limits for v in row):
                    return None
                edits.append(Edit("instead", value, failure.limits[0][0]))
    return replace(spec, edits=tuple(edits))


def draw(number: int) -> Spec:
    """The first of what a seed draws that the language takes."""
    drawn = Random(number)
    while True:
        for spec in specs(drawn):
            if is_definition(spec):
                return spec


def is_definition(spec: Spec) -> bool:
    try:
        built(spec)
    except (DefinitionError, GraphError):
        return False
    return True


def text_of(found: Built) -> str:
    ops = dict.fromkeys(node.op for node in found.program.nodes)
    said = (str(e) for op in ops for e in op.equations.values())
    return "; ".join(said)


def judged(spec: Spec, asks: Asked = the_tool) -> Result:
    found = built(spec)
    return Result(
        spec, first_failure(found, points(spec, found)), asks(found.asked), text_of(found)
    )


def answered(spec: Spec, asks: Asked = the_tool) -> Result:
    """Judged; where the tool does not come to an end, its answer is none."""
    found = judged(spec, lambda _: Answer("open", "given up"))
    answer = apart(lambda: asks(built(spec).asked), PATIENCE)
    if answer is None:
        return found
    shown = found.failure or first_failure(built(spec), shown_at(answer, built(spec)))
    return replace(found, answer=answer, failure=shown)


def shown_at(answer: Answer, found: Built) -> Places:
    """Where an answer says that a rule is wrong; what it does not give is 0, or 1."""
    if not answer.sizes or found.is_graph:
        return
    shape = dict(answer.sizes)
    if not found.sizes:
        yield {"n": 1, "k": 1, "s": 1, "p": 0} | shape, {}
        return
    given = {name: dict(of) for name, of in answer.values}
    shapes = shapes_of(found.program.nodes[0].op, shape)
    yield (
        shape,
        {
            name: {c: Fraction(given.get(name, {}).get(str(list(c)), 0)) for c in cells}
            for name, cells in shapes.items()
        },
    )


def of_number(number: int) -> Result:
    return answered(draw(number))


def run(seed: int, number: int, jobs: int = 2) -> Iterator[Result]:
    """Distinct definitions, in order."""
    seen: set[Spec] = set()
    with workers(jobs) as pool:
        numbers = count(seed * 1_000_000)
        waiting = [pool.submit(of_number, n) for n in islice(numbers, 4 * jobs)]
        while len(seen) < number:
            result = waiting.pop(0).result()
            waiting.append(pool.submit(of_number, next(numbers)))
            if result.spec not in seen:
                seen.add(result.spec)
                yield result


# What is told.


def smallest(result: Result, asks: Asked = the_tool) -> Result:
    """The same with as little as is still green and wrong."""
    found = result
    while True:
        less = (s for s in less_of(found.spec) if is_definition(s))
        better = next((r for s in less if (r := answered(s, asks)).wrong), None)
        if better is None:
            return found
        found = better


def less_of(spec: Spec) -> Iterator[Spec]:
    if spec.parts and spec.family != "cell":
        yield Spec("cell", "", spec.parts[:1], spec.edits)
    for turn in sorted({e.place for e in spec.edits} - {0}):
        parts = tuple(with_turn_at_0(part, turn) for part in spec.parts)
        edits = tuple(replace(e, place=0 if e.place == turn else e.place) for e in spec.edits)
        yield replace(spec, parts=parts, edits=edits)
    for n in range(len(spec.edits)):
        yield replace(spec, edits=(*spec.edits[:n], *spec.edits[n + 1 :]))
    for n, part in enumerate(spec.parts):
        for less in smaller(part):
            yield replace(spec, parts=(*spec.parts[:n], less, *spec.parts[n + 1 :]))


def table(results: Iterable[Result]) -> str:
    """How many of each family are right and wrong, and what is said of them."""
    counted: Counter[tuple[str, str, str]] = Counter()
    for result in results:
        truth = "wrong" if result.failure else "right"
        counted[result.spec.family, truth, result.answer.status] += 1
        counted["all", truth, result.answer.status] += 1
    columns = [(t, s) for t in ("right", "wrong") for s in ("green", "refuted", "open")]
    names = [n for n in (*FAMILIES, "all") if any(key[0] == n for key in counted)]
    rows = [["family", *(f"{t} {s}" for t, s in columns)]]
    rows += [[n, *(str(counted[n, t, s]) for t, s in columns)] for n in names]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in rows)
