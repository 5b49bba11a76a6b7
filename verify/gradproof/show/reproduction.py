"""A refutation as a Python file that needs NumPy alone, and as a pytest test. Untrusted.

The file is run before it is handed out: what does not fail there reproduces nothing.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gradproof.evaluate.numbers import Undefined
from gradproof.language import terms as t
from gradproof.language.ops import cotangent, tangent
from gradproof.language.systems import Equations, made_by, needed_by
from gradproof.language.terms import Array
from gradproof.settle.verdicts import Verdict
from gradproof.show.failures import Replay, approximate
from gradproof.show.meetings import meeting_of
from gradproof.show.python import HELPERS, Python
from gradproof.show.readable import readable
from gradproof.show.systems import computed, functions
from gradproof.theorems.sequents import Sequent, Theorem

HEAD = '''\
"""{title}

Written by gradproof. It needs NumPy alone: run it with python, or as a test with pytest.
"""

import numpy as np

'''
TAIL = """

if __name__ == "__main__":
    {test}()
"""


def reproduction(name: str, theorem: Theorem, verdict: Verdict, found: Replay) -> str:
    """The text of the file, or nothing if floating point does not show the failure.

    A test of an entry must also pass with a rule that gives the derivative there.
    """
    assert verdict.counterexample is not None
    sides = (verdict.counterexample.left, verdict.counterexample.right)
    try:
        left, right = (float(approximate(side)) for side in sides)
    except OverflowError:
        return ""
    gap = abs(left - right) / 2
    tolerance = f"{min(1e-4, gap) if gap > 0 else 1e-6:.3g}"
    is_entry = theorem.kind in ("jvp", "vjp")
    for by_slope in (False, True) if is_entry else (False,):
        try:
            text = written(name, theorem, found, tolerance, by_slope)
        except (OverflowError, TypeError, Undefined):
            return ""
        if not text:
            return ""
        if fails(text) and not (is_entry and fails(text, Entry(theorem, found).scaled(left))):
            return text
    return ""


def fails(text: str, rule: Callable[..., Any] | None = None) -> bool:
    """Whether the test in the text fails when it is run, with another rule in place if given."""
    space: dict[str, Any] = {"__name__": "reproduction"}
    try:
        exec(compile(text, "reproduction", "exec"), space)
        space |= {"rule": rule} if rule else {}
        test = next(value for key, value in space.items() if key.startswith("test_"))
        with warnings.catch_warnings(action="ignore"):  # NumPy's, of 0/0
            test()
    except (AssertionError, ArithmeticError):
        return True
    except Exception:
        return rule is not None
    return False


@dataclass(frozen=True)
class Everywhere:
    """An array that holds one value at every index."""

    value: float

    def __getitem__(self, _: Any) -> float:
        return self.value


class Entry:
    """Which arrays a test of one entry of the Jacobian is about."""

    def __init__(self, theorem: Theorem, found: Replay) -> None:
        op, y = found.op, found.output
        self.x = found.sequent.then.left.cell.array
        self.o, self.i = found.index[: len(y.dims)], found.index[len(y.dims) :]
        is_jvp = theorem.kind == "jvp"
        self.rule = op.rule(tangent(y).name) if is_jvp else op.equations[theorem.equation]
        self.by = tangent(self.x) if is_jvp else cotangent(y)
        self.made = made_by(self.rule)
        self.there, self.here = (self.o, self.i) if is_jvp else (self.i, self.o)
        others = op.inputs if is_jvp else op.outputs
        pushed = [tangent(a) if is_jvp else cotangent(a) for a in others]
        self.pushed = [self.by, *(a for a in pushed if a != self.by)]
        self.primals = list(op.operands)
        self.reads_output = y in t.arrays(self.rule) and not op.is_system
        self.forward = needed_by((y[self.o],), op.system)
        self.system = needed_by((y[self.o], self.made[self.there]), op.equations.values())
        self.given = [*self.primals, *([y] if self.reads_output else []), *self.pushed]

    def scaled(self, slope: float) -> Callable[..., Everywhere]:
        """A rule with this entry, whatever else it should give."""
        position = self.given.index(self.by)
        return lambda *arrays: Everywhere(slope * arrays[position][self.here])


def written(name: str, theorem: Theorem, found: Replay, tolerance: str, by_slope: bool) -> str:
    write = Python(not any(".2" in symbol.name for symbol in found.sizes))
    sizes = [f"{write(symbol)} = {constant(value)}" for symbol, value in found.sizes.items()]
    test = "test_" + re.sub(r"\W+", "_", f"{name}_{theorem.name}").strip("_")
    defined: list[str] = []
    if theorem.kind in ("jvp", "vjp"):
        entry = Entry(theorem, found)
        defined = list(entry_functions(write, entry, found))
        checks = list(entry_test(write, entry, found, by_slope))
    elif is_through(found.sequent):
        return ""  # what is differentiated or doubled would have to be computed again
    elif isinstance(found.sequent.then, t.Linear):
        checks = list(linear_test(write, found))
    else:
        read = needed_by((found.sequent.then,), found.sequent.where)
        defined = list(functions(write, read))
        checks = list(fact_test(write, found))
    helpers = [text for helper, text in HELPERS.items() if helper in write.used]
    safe = title(name, theorem).replace("\\", "/").replace('"', "'")
    constants = {"STEP": "2.0**-10  # of a difference", "TOLERANCE": tolerance}
    body = "".join((*helpers, *checks))
    named = [f"{key} = {value}\n" for key, value in constants.items() if key in body]
    parts = [HEAD.format(title=safe), *named, *(["\n"] if named and sizes else [])]
    parts += [f"{line}\n" for line in sizes]
    parts += [*(f"\n{text}" for text in helpers), *(f"{line}\n" for line in defined)]
    parts += [f"\n\ndef {test}():\n", *(f"    {line}\n" for line in checks)]
    return "".join(parts) + TAIL.format(test=test)


def is_through(sequent: Sequent) -> bool:
    """Whether it doubles, or differentiates by, what equations compute with."""
    return bool(sequent.where) and t.mentions(sequent.then, t.Linear, t.Slope)


def title(name: str, theorem: Theorem) -> str:
    said = " ".join(f"{name}, {theorem.name}: {readable(theorem.statement)[0]}".split())
    return f"{said}\nis false at these sizes and values."


def constant(value: Any) -> str:
    exact = Fraction(value)
    return str(exact) if exact.denominator == 1 else f"{exact.numerator} / {exact.denominator}"


def tensors(write: Python, found: Replay, wanted: Iterable[Array]) -> Iterator[str]:
    for a in wanted:
        name = write.name(a.name)
        kind = ", dtype=int" if a.span else ""
        yield f"{name} = np.zeros({found.shape(a)}{kind})"
        for (array, index), value in sorted(found.cells.items()):
            if array == a.name:
                yield f"{name}[{', '.join(map(str, index))}] = {constant(value)}"


def entry_functions(write: Python, entry: Entry, found: Replay) -> Iterator[str]:
    if len(entry.system) > 2 or found.op.is_system:
        yield from functions(write, entry.system)
        yield from whole(write, "forward", entry.primals, entry.forward, found.output)
        yield from whole(write, "rule", entry.given, entry.system, entry.made)
        return
    yield "\n"
    yield from write.function("forward", found.op.forward, entry.primals)
    yield "\n"
    yield from write.function("rule", entry.rule, entry.given)


def whole(
    write: Python, name: str, given: Iterable[Array], equations: Equations, result: Array
) -> Iterator[str]:
    """A function of what is given that computes one array by several equations."""
    yield "\n"
    yield f"def {name}({', '.join(write.name(a.name) for a in given)}):"
    yield from (f"    {line}" for line in computed(write, equations))
    yield f"    return {write.name(result.name)}"


def entry_test(write: Python, entry: Entry, found: Replay, by_slope: bool) -> Iterator[str]:
    """The derivative from differences of the forward function against the rule's entry.

    The entry is what a linear rule makes of 1 at one cell; of another rule, its own slope.
    """
    write.used.add("slope")
    names = {a: write.name(a.name) for a in (*entry.given, found.output)}
    x, by = names[entry.x], names[entry.by]
    yield from tensors(write, found, entry.primals)
    if by_slope:
        yield from tensors(write, found, entry.pushed)
    else:
        for a in entry.pushed:
            yield f"{names[a]} = np.zeros({found.shape(a)})"
        yield f"{by}[{place(entry.here)}] = 1"
    called = f"forward({', '.join(names[a] for a in entry.primals)})"
    yield f"derivative = slope(lambda {x}: {called}[{place(entry.o)}], {x}, {entry.i})"
    if entry.reads_output:
        yield f"{names[found.output]} = {called}"
    made = f"rule({', '.join(names[a] for a in entry.given)})[{place(entry.there)}]"
    yield (
        f"entry = slope(lambda {by}: {made}, {by}, {entry.here})" if by_slope else f"entry = {made}"
    )
    yield 'said = f"the derivative is {derivative:g}, the rule gives {entry:g}"'
    yield "assert abs(derivative - entry) < TOLERANCE, said"


def place(index: tuple[int, ...]) -> str:
    return ", ".join(map(str, index))


def indices(write: Python, found: Replay) -> Iterator[str]:
    for symbol, _, _ in found.sequent.over:
        yield f"{write(symbol)} = {found.place[symbol]}"


def linear_test(write: Python, found: Replay) -> Iterator[str]:
    term, by = found.sequent.then.args
    names = [write.name(a.name) for a in by]
    yield from indices(write, found)
    yield from tensors(write, found, found.arrays)
    yield f"result = lambda {', '.join(names)}: {write(term)}"
    doubled = ", ".join(f"2 * {name}" for name in names)
    yield f"once, twice = result({', '.join(names)}), result({doubled})"
    yield 'said = f"twice the input gives {twice:g}, twice the result is {2 * once:g}"'
    yield "assert abs(twice - 2 * once) < TOLERANCE, said"


def fact_test(write: Python, found: Replay) -> Iterator[str]:
    then = found.sequent.then
    yield from indices(write, found)
    yield from tensors(write, found, found.arrays)
    yield from computed(write, needed_by((then,), found.sequent.where))
    met = meeting_of(found.sequent)
    if met is not None:
        moves = map(write, met.moves) if met.moves else "1"
        yield f"moves = np.array([{', '.join(moves)}])"
        yield f"rule = moves @ [{', '.join(map(write, met.said))}]"
        sides = (f"moves @ [{', '.join(map(write, each))}]" for each in met.beside(found))
        yield f"branches = [{', '.join(sides)}]"
        said = "branches give {branches}, the rule gives {rule:g}"
        yield "is_between = min(branches) - TOLERANCE < rule < max(branches) + TOLERANCE"
        yield f'assert is_between, f"{said}"'
        return
    if isinstance(then, t.Eq) and t.REAL in map(t.sort_of, then.args):
        yield f"left, right = {', '.join(map(write, then.args))}"
        yield 'assert abs(left - right) < TOLERANCE, f"{left:g} is not {right:g}"'
        return
    for part in t.conjuncts(then):
        yield f"assert {write(part)}"
