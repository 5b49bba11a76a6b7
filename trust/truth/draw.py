"""A drawn definition, and the mistakes that break one. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import assume, reject
from hypothesis import strategies as st

from gradproof.language import DefinitionError, Divides, Eq, Op, bracket
from trust.mutants.mutations import MUTATIONS

WHOLE = "all of it"  # what is asked about, where an op is of several equations
FAR = (10, 10, 11, 12, 15, 20, 50)  # sizes that the judge does not enumerate
MADE = ("right",) * 19 + ("edited",) * 20 + ("beyond",)
MISTAKES = sorted(set(MUTATIONS) - {"change the tie policy", "another channel's index"})
Built = TypeVar("Built")


@dataclass(frozen=True)
class Draw:
    """A definition, the part of it that is asked about, and what is known of that.

    `made` is "right", by construction; "edited", which may have left it right; or "beyond": the
    theorem `beyond` is false by construction, though at no shape of the box.
    """

    family: str
    op: Op
    part: str
    made: str
    change: str
    box: tuple[tuple[str, range], ...]
    beyond: str = ""

    def __str__(self) -> str:
        """The definition, as far as it is asked about."""
        asked = ("forward", self.part)
        equations = self.op.equations
        said = [str(e) for name, e in equations.items() if name in asked or self.part == WHOLE]
        if self.part == "sizes":
            said = [str(w) for w in self.op.windows]
        if claims := [c for c in self.op.claims if self.part == f"claim {c.name}"]:
            said = [str(c.statement) for c in claims]
        shapes = (
            f"{a}[{', '.join(map(str, a.dims))}]" for a in (*self.op.operands, self.op.output)
        )
        given = ", ".join(map(str, self.op.requires))
        return f"{self.part}: {'; '.join(said)}, with {' '.join(shapes)}, where {given}"


def accepted(build: Callable[[], Built]) -> Built:
    """What is built; what the language refuses is no definition."""
    try:
        return build()
    except DefinitionError:
        reject()


@st.composite
def mistakes(draw: Any, op: Op, term: Any) -> tuple[Any, str]:
    """One place of a term changed, as people do by mistake."""
    for name in draw(st.permutations(MISTAKES)):
        found = [e for e in MUTATIONS[name](op, term) if e != term]
        if found:
            return draw(st.sampled_from(found)), name
    reject()


def derivative(part: str) -> str:
    """The theorem that a rule is right."""
    return "jvp by x" if part == "jvp" else part


def late(size: Any, limit: int) -> list[Any]:
    """Conditions on a size that no smaller one meets."""
    return [size >= limit, Eq(size, limit), Divides(limit, size)]


def one_term_more(equation: Any, condition: Any, cell: Any) -> tuple[Any, str]:
    """The equation with a cell added where the condition holds."""
    left, right = equation.args
    return Eq(left, right + bracket(condition) * cell), f"one term more where {condition}"


@st.composite
def finished(
    draw: Any, made: str, part: str, asked: Any, build: Callable[[Any], Op], far: Any, change: str
) -> tuple[Op, str, str]:
    """The op with its rule as it is, or edited if it was not yet, or broken beyond a size.

    `far` are a size and the cell that is added there. With what was changed, and what is false.
    """
    size, cell = far
    if made == "edited" and not change:
        asked, change = draw(mistakes(accepted(lambda: build(asked)), asked))
    if made == "beyond":
        assume(isinstance(asked, Eq))
        condition = draw(st.sampled_from(late(size, draw(st.sampled_from(FAR)))))
        asked, change = one_term_more(asked, condition, cell)
    return accepted(lambda: build(asked)), change, derivative(part) if made == "beyond" else ""
