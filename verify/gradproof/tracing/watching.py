"""A reading on numbers, and which sides of its comparisons came up. Untrusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from gradproof.evaluate import numeric
from gradproof.evaluate.given import named
from gradproof.evaluate.vectorised import FUNCTIONS, contest
from gradproof.language import ops as language
from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.systems import made_by
from gradproof.language.terms import Term
from gradproof.tracing.declared import Declared
from gradproof.tracing.points import Point, inputs_of, named_sizes

RELATIONS = (t.Le, t.Lt, t.Ge, t.Gt, t.Eq, t.Ne)
CONTESTS = (t.Maximum, t.Winner, t.Unique)
SIDES = frozenset((-1, 0, 1))
HOLDS: dict[type, set[int]] = {
    **{t.Le: {-1, 0}, t.Lt: {-1}, t.Ge: {0, 1}, t.Gt: {1}},
    **{t.Eq: {0}, t.Ne: {-1, 1}},
}


@dataclass
class Seen:
    """Of each comparison that was made, the signs of what is compared, less what with."""

    sides: dict[Term, set[int]] = field(default_factory=dict)

    def note(self, term: Term, a: Any, b: Any, mask: Any) -> None:
        known = self.sides.setdefault(term, set())
        if len(known) < len(SIDES):
            found = {-1: a < b, 0: a == b, 1: a > b}
            known |= {sign for sign, here in found.items() if np.any(mask & here)}

    def add(self, other: Seen) -> None:
        for term, sides in other.sides.items():
            self.sides.setdefault(term, set()).update(sides)

    def within(self, other: Seen) -> bool:
        """Whether all sides of this are among those of the other."""
        return all(sides <= other.sides.get(term, set()) for term, sides in self.sides.items())

    def turned(self, term: Term) -> bool:
        """Whether a comparison went both ways."""
        holds, sides = HOLDS.get(type(term), {1}), self.sides.get(term, set())
        return bool(sides & holds and sides - holds)

    @property
    def open(self) -> list[Term]:
        """The comparisons of which some side did not come up."""
        return [term for term, sides in self.sides.items() if sides != SIDES]


class Watching(numeric.Evaluator):
    """Notes the sides of all comparisons; of one that is followed, also how far off it is."""

    def __init__(
        self,
        op: Op,
        declared: Declared,
        point: Point,
        real: type = float,
        followed: Term | None = None,
    ) -> None:
        given = named(op, "input", op.operands, inputs_of(op, declared, point))
        self.real = real
        self.followed, self.offsets = followed, list[Any]()
        self.seen = Seen()
        arrays = {a: v if a.span else v.astype(real) for a, v in given.items()}
        super().__init__(op, arrays, named_sizes(op, point.sizes))
        self.seen = Seen()  # without what is asked of the values that are given

    def value(self, term: Term, env: numeric.Env, mask: Any) -> Any:
        if isinstance(term, RELATIONS):
            a, b = (self.value(part, env, mask) for part in term.args)
            self.note(term, a, b, mask)
            return FUNCTIONS[type(term)](a, b)
        if isinstance(term, t.Max | t.Min):
            parts = [self.value(part, env, mask) for part in term.args]
            for (u, a), (v, b) in combinations(zip(term.args, parts, strict=True), 2):
                self.note(t.relation(t.Ge, u, v), a, b, mask)
            return FUNCTIONS[type(term)](*parts)
        if isinstance(term, CONTESTS):
            self.follow(term, env, mask)
        return super().value(term, env, mask)

    def note(self, term: Term, a: Any, b: Any, mask: Any) -> None:
        self.seen.note(term, a, b, mask)
        if term == self.followed:
            self.offsets.append(np.where(mask, np.subtract(a, b, dtype=float), np.nan))

    def follow(self, term: Term, env: numeric.Env, mask: Any) -> None:
        """How each that competes stands to the best before it."""
        before: Any = None
        for _, better, tied, best, found in contest(self, term, env, mask):
            live = mask if before is None else mask & before
            for side, here in ((1, better), (0, tied), (-1, np.logical_not(better | tied))):
                if before is not None and np.any(live & here):
                    self.seen.sides.setdefault(term, set()).add(side)
            before = found
            _ = best


def evaluated(
    op: Op, declared: Declared, point: Point, cotangent: Any, real: type = float
) -> tuple[Any, dict[str, Any], Seen]:
    """What the definition gives: the output, the gradients, and what it compared."""
    ev = Watching(op, declared, point, real)
    ev.compute(op.system)
    y = ev.tensors[op.output.name]
    if y.size != np.size(cotangent):
        return y, {}, ev.seen
    ev.tensors[language.cotangent(op.output).name] = np.asarray(cotangent, real).reshape(y.shape)
    ev.compute(op.vjp)
    rules = {made_by(rule).name: ev.tensors[made_by(rule).name] for rule in op.vjp}
    return y, {name.removesuffix("_bar"): value for name, value in rules.items()}, ev.seen
