"""What a refutation teaches, in text. Untrusted."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

from gradproof.evaluate.judge import Evaluator, Whole, numbers_for, within
from gradproof.evaluate.numbers import Undecided, Undefined
from gradproof.language import terms as t
from gradproof.language import text as words
from gradproof.language.digits import of_any_length
from gradproof.language.ops import Op, cotangent, tangent, target_of
from gradproof.language.systems import made_by, needed_by
from gradproof.language.terms import Array, Term
from gradproof.settle.counterexamples import Counterexample, grouped
from gradproof.settle.verdicts import Verdict
from gradproof.show.failures import Replay, approximate, decimal, replay, rounded
from gradproof.show.lesson import Lesson, Row, row
from gradproof.show.meetings import meeting_of, meeting_rows
from gradproof.show.readable import brief, readable
from gradproof.show.reading import Cell
from gradproof.show.reproduction import reproduction
from gradproof.show.windows import MOST_OUTPUTS, at, drawing, outputs
from gradproof.theorems.sequents import Theorem

ROUGHLY = 1e-9
MOST_SHOWN, MOST_FILLED, MOST_LETTERS = 30, 8, 200  # cells, those of a larger tensor, a formula
MARKS = ("[ ] in the window", "· padding", "* the entry")
AT_TIES = 'share it among the winners or give it to one of them; ties="any" waives this'


@of_any_length()
def lesson(op: Op, theorem: Theorem, verdict: Verdict) -> Lesson:
    """Which equation, where, what it should be and what it is; a drawing; a reproduction."""
    shown = verdict.counterexample
    assert shown is not None
    found = replay(op, theorem, shown)
    rows = [("the equation", equation_of(op, theorem)), *with_rows(op, theorem)]
    if is_of_all_rules(theorem):
        told = (equation for name, equation in op.equations.items() if name.startswith("vjp "))
        rows = [("the equation", shortened(readable(str(each))[0])) for each in told]
    rows += [(sizes_title(shown), sizes_of(shown))]
    if found is None:
        rows += [("there", f"{shown.left} against {shown.right}")]
        return Lesson(tuple(brief(row(each)) for each in rows))
    rows += rows_of(found, theorem, shown)
    lines = (*(brief(row(each)) for each in rows), *drawn(found, theorem))
    return Lesson(lines, reproduction=reproduction(op.name, theorem, verdict, found))


def rows_of(found: Replay, theorem: Theorem, shown: Counterexample) -> Iterator[Row]:
    """The place, the values, and what is false there."""
    met = meeting_of(found.sequent) if theorem.kind == "ties" else None
    if theorem.kind in ("jvp", "vjp"):
        yield from entry_rows(found, theorem, shown)
    elif met is not None:
        yield from values(found, found.op.operands)
        yield from meeting_rows(found, met)
    else:
        yield from fact_rows(found, theorem, shown)
        if theorem.kind == "ties":
            yield "what to do", AT_TIES


def is_of_all_rules(theorem: Theorem) -> bool:
    is_meeting = theorem.kind == "ties" and meeting_of(theorem.sequents[0]) is not None
    return is_meeting and theorem.equation != "jvp"


def equation_of(op: Op, theorem: Theorem) -> str:
    found = op.equations.get(theorem.equation)
    return shortened(readable(theorem.statement if found is None else str(found))[0])


def with_rows(op: Op, theorem: Theorem) -> Iterator[Row]:
    """The equations of other tangents and cotangents that a rule reads: the slip may be there."""
    rule = op.equations.get(theorem.equation)
    if theorem.kind in ("jvp", "vjp") and rule is not None:
        for each in needed_by((rule,), op.equations.values()):
            if made_by(each).role != "primal" and each != rule:
                yield "with", shortened(readable(str(each))[0])


def shortened(text: str) -> str:
    """A formula that fills the screen, as a loop does, is cut; `explain` shows it whole."""
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]} …"


def sizes_title(shown: Counterexample) -> str:
    return "smallest sizes" if shown.smallest else "sizes"


def sizes_of(shown: Counterexample) -> str:
    said = (f"{name} = {joined(value)}" for name, value in shown.sizes.items())
    rank = "" if shown.rank in (None, 1) else f"  (rank {shown.rank})"
    return ", ".join(said) + rank


def joined(value: Any) -> str:
    return "×".join(map(str, value)) if isinstance(value, list) else str(value)


# An entry of the Jacobian.


def entry_of(found: Replay) -> tuple[Array, Cell, Cell]:
    """The input that is differentiated by, the output cell and the input cell."""
    count = len(found.output.dims)
    x = found.sequent.then.left.cell.array
    return x, found.index[:count], found.index[count:]


def entry_rows(found: Replay, theorem: Theorem, shown: Counterexample) -> Iterator[Row]:
    x, o, i = entry_of(found)
    y = found.output
    yield "the entry", f"{y.name}{list(o)} by {x.name}{list(i)}"
    yield from values(found, found.op.operands)
    yield "the derivative", f"∂{y.name}{list(o)}/∂{x.name}{list(i)} = {decimal(shown.left)}"
    if theorem.kind == "jvp":
        made, by, there, here = tangent(y), tangent(x), o, i
    else:
        made, by, there, here = target_of(rule_of(found, theorem)).array, cotangent(y), i, o
    slope = f"∂{made.name}{list(there)}/∂{by.name}{list(here)}"
    yield "the rule gives", f"{slope} = {decimal(shown.right)}"
    if abs(pushed(found, theorem, by, here, there) - approximate(shown.right)) < ROUGHLY:
        one = written(by.name, found.shape(by), {here: "1"})
        said = f"with {one} it makes {made.name}{list(there)} = {decimal(shown.right)}"
        yield "that is", f"{said}, it should be {decimal(shown.left)}"
    source, both = f"{by.name}{list(here)}", compared_cells(found, theorem)
    if both is not None and both[0] and both[0] == both[1]:
        source = ""
    is_strange = both is not None and here not in both[0]
    yield "the mistake", mistake(shown.left, shown.right, source, made.name, is_strange)


def mistake(derivative: str, given: str, source: str, made: str, is_strange: bool) -> str:
    """Of which kind it is: a missing term, one too many, a sign, a weight.

    Without a source it is none of an index: the rule takes the right cells. A source is strange
    where the forward equation is known not to join it to the cell; where it may, a derivative of 0
    may be a sum of terms that cancel.
    """
    right, wrong = approximate(derivative), approximate(given)
    if not source and 0 in (right, wrong):
        return f"the weight: it is {decimal(given)} and should be {decimal(derivative)}"
    if wrong == 0:
        return f"a missing term: {source} does not reach this cell of {made}"
    if right == 0:
        if is_strange:
            return f"a term too many, or a wrong index: {source} does not belong here"
        cancels = "or a missing term that cancels it"
        return f"a term too many, a wrong index, {cancels}: {source} should have no weight here"
    if abs(wrong + right) < ROUGHLY:
        return "the sign"
    return f"the weight: it is {factor(derivative, given)} times what it should be"


def factor(derivative: str, given: str) -> str:
    """What one is of the other: exact, or a decimal number."""
    try:
        return str(Fraction(given) / Fraction(derivative))
    except ValueError:
        return rounded(approximate(given) / approximate(derivative))


def rule_of(found: Replay, theorem: Theorem) -> Term:
    """The equation whose entry it is."""
    if theorem.kind == "jvp":
        return found.op.rule(tangent(found.output).name)
    return found.op.equations[theorem.equation]


def pushed(found: Replay, theorem: Theorem, by: Array, here: Cell, there: Cell) -> Any:
    """What the rule makes of 1 at one cell and 0 elsewhere; for a linear rule, its entry."""
    rule = rule_of(found, theorem)
    where = needed_by((rule,), found.op.equations.values())
    numbers = numbers_for(rule, *where)
    sizes = {s: v if s.sort == t.INT else numbers.lift(v) for s, v in found.sizes.items()}

    def tensor(of: t.Array) -> Any:
        if of.name == by.name:
            return lambda index: numbers.one if index == here else numbers.zero
        if of.span:
            return Whole(lambda index: found.cell(of.name, index))
        return lambda index: numbers.lift(found.cell(of.name, index))

    arrays = {*found.op.operands, *(a for u in (rule, *where) for a in t.arrays(u))}
    ev = Evaluator(numbers, {a.name: tensor(a) for a in arrays}, where)
    try:
        return approximate(str(ev.equation(rule, there, sizes)))
    except (Undefined, Undecided):
        return math.nan


def values(found: Replay, arrays: Iterable[Array]) -> Iterator[Row]:
    """The tensors, in whole numbers."""
    for number, a in enumerate(arrays):
        filled = {i: str(v) for (name, i), v in sorted(found.cells.items()) if name == a.name and v}
        yield ("" if number else "the values"), written(a.name, found.shape(a), filled)


def written(name: str, shape: tuple[int, ...], filled: dict[Cell, str]) -> str:
    """A tensor as nested lists, or a large one by its cells that are not 0."""

    def part(prefix: Cell) -> str:
        if len(prefix) == len(shape):
            return filled.get(prefix, "0")
        inner = (part((*prefix, e)) for e in range(shape[len(prefix)]))
        return f"[{', '.join(inner)}]"

    if math.prod(shape) <= MOST_SHOWN:
        return f"{name} = {part(())}"
    if not filled:
        return f"{name} = 0 everywhere"
    shown = [f"{name}{list(i)} = {v}" for i, v in islice(filled.items(), MOST_FILLED)]
    more = [f"{len(filled) - MOST_FILLED} more"] if len(filled) > MOST_FILLED else []
    return f"{', '.join(shown + more)} and {name} = 0 elsewhere"


def drawn(found: Replay, theorem: Theorem) -> list[str]:
    """The window that the theorem fails at, if it is one's, and which cells the rule takes."""
    count = len(found.output.dims)
    if found.op.is_system:
        return []  # between an input and the output stand others
    try:
        if theorem.kind in ("jvp", "vjp"):
            x, o, i = entry_of(found)
            said = neighbours(found, theorem, x, o, i)
            return [*titled(found, x, o, i), *(["", said] if said else [])]
        if theorem.kind in ("defined", "in bounds") and theorem.equation in ("forward", "jvp"):
            return titled(found, found.op.inputs[0], found.index[:count], None)
    except (Undefined, Undecided, KeyError):
        pass
    return []


def titled(found: Replay, x: Array, o: Cell, i: Cell | None) -> list[str]:
    rows = drawing(found, x, o, i)
    if not rows:
        return []
    y = f"{found.output.name}{list(o)}"
    marks = ", ".join(m for m in MARKS if any(m[0] in line for line in rows))
    return ["", f"The window of {y} over {x.name}:  {marks}", *(f"  {line}" for line in rows)]


def neighbours(found: Replay, theorem: Theorem, x: Array, o: Cell, i: Cell) -> str:
    """What the rule reads against what the forward equation reads, if no value decides that."""
    both = right_and_taken(found, theorem, x, o, i)
    if both is None:
        return ""
    right, taken = both
    y = found.output
    if theorem.kind == "jvp":
        by = tangent(x)
        said = f"{y.name}{list(o)} reads {cells(x.name, right)}"
    else:
        by = cotangent(y)
        said = f"{x.name}{list(i)} is read by {cells(y.name, right)}"
    if right == taken:
        return f"{said}; the rule takes the right cells of {by}, with a wrong weight."
    return f"{said}; the rule takes {cells(by.name, taken)}."


def right_and_taken(
    found: Replay, theorem: Theorem, x: Array, o: Cell, i: Cell
) -> tuple[set[Cell], set[Cell]] | None:
    """The cells that a rule should take and those that it takes, if no value decides that.

    Of several equations none alone says it.
    """
    if found.op.is_system:
        return None
    y, forward = found.output, found.op.forward
    rule = rule_of(found, theorem)
    if any(is_choice(u) for e in (forward, rule) for u in t.walk(e)):
        return None
    if math.prod(found.shape(y)) > MOST_OUTPUTS:
        return None
    if theorem.kind == "jvp":
        shape = found.shape(x)
        right = {c for c in at(found, forward, o, x) if within(c, shape)}
        return right, {c for c in at(found, rule, o, tangent(x)) if within(c, shape)}
    right = {e for e in outputs(found) if i in at(found, forward, e, x)}
    return right, {c for c in at(found, rule, i, cotangent(y)) if within(c, found.shape(y))}


def compared_cells(found: Replay, theorem: Theorem) -> tuple[set[Cell], set[Cell]] | None:
    """The cells that the rule should take and those that it takes, where that can be said."""
    try:
        return right_and_taken(found, theorem, *entry_of(found))
    except (Undefined, Undecided, KeyError):
        return None


def is_choice(term: Term) -> bool:
    """Whether values may decide which cells it takes."""
    decides = isinstance(term, t.If | t.Bracket) and bool(t.arrays(term.condition))
    return decides or isinstance(term, t.Maximum | t.Winner | t.Fold)


def cells(name: str, found: set[Cell]) -> str:
    shown = [f"{name}{list(c)}" for c in sorted(found)[:8]]
    more = [f"{len(found) - 8} more"] if len(found) > 8 else []
    return ", ".join(shown + more) or f"no cell of {name}"


# A fact about sizes, reads or values.


def fact_rows(found: Replay, theorem: Theorem, shown: Counterexample) -> Iterator[Row]:
    then = found.sequent.then
    is_linear = isinstance(then, t.Linear)
    false = [] if is_linear else [part for part in t.conjuncts(then) if is_false(found, part)]
    names = tuple(grouped({symbol: 0 for symbol, _, _ in found.sequent.over}))
    texts = readable(*map(str, false), *names)
    if names:
        pairs = zip(texts[len(false) :], shown.index.values(), strict=True)
        yield "the place", ", ".join(f"{name} = {joined(value)}" for name, value in pairs)
    yield from values(found, found.arrays)
    if is_linear:
        by = ", ".join(a.name for a in then.by)
        once, twice = (decimal(side.partition(" = ")[0]) for side in (shown.left, shown.right))
        yield "must hold", f"doubling {by} doubles the result"
        yield "but there", f"doubling gives {twice}, twice the result is {once}"
        return
    if access := accessed(found, theorem):
        yield "the access", access
    for part, text in zip(false, texts, strict=False):
        yield "must hold", shortened(text)
        yield "but there", sides_of(found, part, shown)


def is_false(found: Replay, part: Term) -> bool:
    try:
        return not found.value(part)
    except (Undefined, Undecided):
        return True


def sides_of(found: Replay, part: Term, shown: Counterexample) -> str:
    if not isinstance(part, t.Relation):
        return "it is false"
    if part is found.sequent.then:
        left, right = shown.left, shown.right
    else:
        left, right = (str(found.value(side)) for side in part.args)
    return f"{decimal(left)} {words.SIGNS[type(part).__name__]} {decimal(right)} is false"


def accessed(found: Replay, theorem: Theorem) -> str:
    """The read that leaves its array: the one whose bounds are asked for, or several such."""
    if theorem.kind != "in bounds":
        return ""
    equation = found.op.equations[theorem.equation]
    terms = equation.args[1:] if isinstance(equation, t.Eq) else equation.args
    wanted = bare(str(found.sequent.then))
    reads = (u for part in terms for u in t.walk(part) if type(u) is t.Read)
    fitting = (u.array for u in reads if bare(str(t.inside(u.index, u.array.dims))) == wanted)
    return " or ".join(
        f"{array.name}{index}, of shape {found.shape(array)}"
        for array in dict.fromkeys(fitting)
        for index in ([found.value(part.args[1]) for part in found.sequent.then.args[::2]],)
    )


def bare(text: str) -> str:
    return re.sub(r"'\d+", "", text)
