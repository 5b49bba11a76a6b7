"""The mutants of an op: each of its equations, sizes and preconditions changed in one place.

Untrusted. What the language refuses is not a mutant, and a change that was made before is not made
again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from gradproof.language import DefinitionError, Op
from gradproof.language import terms as t
from trust.mutants.mutations import MUTATIONS
from trust.mutants.places import reshaped

DROPPED = "drop a precondition"


@dataclass(frozen=True)
class Mutant:
    """An op with one part changed: `before` as it was, `after` as it is to be, None for dropped."""

    original: Op
    part: str
    mutation: str
    before: Any
    after: Any

    @property
    def name(self) -> str:
        return f"{self.original.name}, {self.part}, {self.mutation}"

    def op(self) -> Op | None:
        """The op with the change made, or None if the language refuses it."""
        try:
            return changed_op(self.original, self.part, self.before, self.after)
        except DefinitionError:
            return None


def mutants(op: Op, mutation: str, seed: int | None = None) -> list[Mutant]:
    """The changes of one kind, in the order of the definition, or as the seed shuffles them."""
    found = [m for m in all_candidates(op) if m.mutation == mutation]
    if seed is not None:
        Random(f"{seed} {op.name} {mutation}").shuffle(found)
    return found


LAST: list[tuple[Op, tuple[Mutant, ...]]] = []


def all_candidates(op: Op) -> tuple[Mutant, ...]:
    """Those of one op are asked for mutation by mutation, and made once."""
    if not LAST or LAST[0][0] is not op:
        LAST[:] = [(op, tuple(candidates(op)))]
    return LAST[0][1]


def candidates(op: Op) -> Iterator[Mutant]:
    """All changes; one that two mutations make belongs to the first."""
    seen: set[Any] = set()
    for part, before in parts(op):
        for mutation, mutate in MUTATIONS.items():
            for after in mutate(op, before):
                key = (part, before, after)
                if after != before and key not in seen and after not in op.requires:
                    seen.add(key)
                    yield Mutant(op, part, mutation, before, after)
        if part == "requires":
            yield Mutant(op, part, DROPPED, before, None)


def parts(op: Op) -> Iterator[tuple[str, Any]]:
    yield from op.equations.items()
    computed = (d for d in op.output.dims if isinstance(d, t.Term) and not isinstance(d, t.Sym))
    yield from (("sizes", size) for size in dict.fromkeys(computed))
    yield from (("requires", clause) for clause in op.requires)


def changed_op(op: Op, part: str, before: Any, after: Any) -> Op:
    if part == "sizes":
        return resized(op, before, after)
    if part == "requires":
        return required(op, before, after)
    if part in ("forward", "jvp"):
        return replace(op, **{part: after})
    return replace(op, vjp=tuple(after if rule is before else rule for rule in op.vjp))


def resized(op: Op, before: Any, after: Any) -> Op:
    """With another output size wherever the definition has it."""

    def put(term: Any) -> Any:
        return reshaped(t.as_term(term), {before: after})

    return replace(
        op,
        forward=put(op.forward),
        jvp=put(op.jvp),
        vjp=tuple(map(put, op.vjp)),
        requires=tuple(map(put, op.requires)),
        windows=tuple(replace(w, count=put(w.count)) for w in op.windows),
        claims=tuple(replace(c, statement=put(c.statement)) for c in op.claims),
    )


def required(op: Op, before: Any, after: Any) -> Op:
    """With a clause changed, or dropped together with the claims that leave it out."""
    if after is None:
        claims = tuple(c for c in op.claims if before not in c.without)
        return replace(op, requires=tuple(c for c in op.requires if c != before), claims=claims)

    def put(clauses: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(after if c == before else c for c in clauses)

    claims = tuple(replace(c, without=put(c.without)) for c in op.claims)
    return replace(op, requires=put(op.requires), claims=claims)
