"""Code as it runs at all sizes: traced anew where it may run differently. Deciding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from gradproof.evaluate.replay import satisfies
from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.terms import Term
from gradproof.prove.tactics.asking import ask
from gradproof.tracing import points
from gradproof.tracing.comparing import Code
from gradproof.tracing.declared import Declared
from gradproof.tracing.definition import Traced, systems_of
from gradproof.tracing.naming import Way
from gradproof.tracing.tensors import Tensor, Unreadable, recording

LARGE = 250  # nodes of a definition from which on names are tried first
PIECES = 12  # how many sets of sizes at which the code runs differently are traced


@dataclass(frozen=True)
class Run:
    """One run of the code: at which sizes its branches were decided, and all tensors it made."""

    traced: Traced
    hints: points.Env
    made: list[Tensor]


@dataclass(frozen=True)
class Piece:
    """What the code was read as where its conditions hold, beyond those that are required."""

    ways: tuple[Way, ...]
    code: Code
    run: Run
    only: tuple[Term, ...] = ()
    covered: bool = True  # whether the pieces are all sizes

    @property
    def op(self) -> Op:
        return self.ways[0].op

    @property
    def single(self) -> bool:
        return self.run.traced.single

    @property
    def ops(self) -> Iterator[Op]:
        """What is to be proved, either of which is enough: the one first that looks easier."""
        for way in self.ways:
            equations = () if way.plain is None else (*way.plain.system, *way.plain.vjp)
            is_large = sum(1 for e in equations for _ in t.walk(e)) > LARGE
            yield from filter(None, (way.named,) if is_large else ())
            yield from filter(None, (way.plain,))
            yield from filter(None, () if is_large else (way.named,))


@dataclass(frozen=True)
class Runs:
    """Runs of the code, each with where it is read as there, and whether these are all sizes."""

    each: tuple[tuple[Run, tuple[Term, ...]], ...]
    covered: bool


def runs(code: Code) -> Runs:
    """The code, traced anew at those sizes where it may run differently."""
    found: list[tuple[Run, tuple[Term, ...]]] = []
    outside: tuple[Term, ...] = ()
    covered = False
    while len(found) < PIECES and not covered:
        hints = sizes_in(code.declared, outside)
        if hints is None:
            covered = not outside or ask((*code.declared.of_sizes, *outside), t.Or()).status == (
                "proved"
            )
            break
        with recording() as made:
            traced = code.trace(hints)
        narrow = narrowing(code.declared, traced.guards)
        found.append((Run(traced, hints, made), narrow))
        covered = not narrow
        outside = (*outside, t.Not(t.And(*narrow)))
    if not found:
        raise Unreadable(f"no small sizes satisfy {'; '.join(map(str, code.declared.requires))}")
    return Runs(tuple(found), covered)


def read(code: Code) -> tuple[Piece, ...]:
    """The code as it runs at all sizes."""
    whole = runs(code)
    found, covered = whole.each, whole.covered
    alike = {piece.op: piece for piece in (piece_of(code, run, (), True) for run, _ in found)}
    if covered and len(alike) == 1:
        return tuple(alike.values())
    apart = ((*without_ones(code, run, narrow), narrow) for run, narrow in found)
    return tuple(piece_of(own, run, narrow, covered) for own, run, narrow in apart)


def without_ones(code: Code, run: Run, narrow: tuple[Term, ...]) -> tuple[Code, Run]:
    """Where a size is 1, the code at that size: an axis of it has one place, and no index."""
    ones = {c.left.name: 1 for c in narrow if isinstance(c, t.Eq) and is_one(c)}
    if not ones:
        return code, run
    other = code.at(ones)
    hints = {s: run.hints[s] for s in other.declared.symbols.values()}
    try:
        with recording() as made:
            traced = other.trace(hints)
    except Unreadable:
        return code, run
    more = narrowing(other.declared, traced.guards)
    is_as_wide = ask((*code.declared.of_sizes, *narrow), t.And(*more)).status == "proved"
    return (other, Run(traced, hints, made)) if is_as_wide else (code, run)


def is_one(equation: t.Eq) -> bool:
    return isinstance(equation.left, t.Sym) and bool(equation.right == 1)


def piece_of(code: Code, run: Run, only: tuple[Term, ...], covered: bool) -> Piece:
    declared, traced = code.declared, run.traced
    try:
        ways = tuple(
            Way(code.name, declared, traced, run.made, run.hints, only, system)
            for system in systems_of(declared, traced)
        )
        _ = ways[0].op
    except t.DefinitionError as reason:
        raise Unreadable(str(reason)) from reason
    fitting = tuple(way for way in ways if way.fits) if len(ways) > 1 else ways
    return Piece(fitting or ways[:1], code, run, only, covered)


def narrowing(declared: Declared, guards: Sequence[Term]) -> tuple[Term, ...]:
    """The conditions of a trace that do not follow from what is required."""
    return tuple(dict.fromkeys(g for g in guards if ask(declared.of_sizes, g).status != "proved"))


def sizes_in(declared: Declared, outside: Sequence[Term]) -> points.Env | None:
    """Small sizes outside of those traced, each unlike the others if that may be, if any."""
    given = (*declared.of_sizes, *outside)
    found = candidates(list(declared.symbols.values()))
    return next((env for env in found if satisfies(given, env)), None)


def candidates(symbols: Sequence[Any]) -> Iterable[dict[Any, Any]]:
    """Sizes to try: unlike first, then all up to 6, and numbers for parameters."""
    generator = np.random.default_rng(1)
    integers = [s for s in symbols if s.sort == t.INT]
    reals_ = [s for s in symbols if s.sort != t.INT]
    usual = [Fraction(1, 2), Fraction(1, 10), 2, -1, 1, 0]
    for turn in range(4000):
        primes = [5, 3, 4, 2, 7, 6, 8, 9]
        if turn < 6:
            values = [primes[(k + turn) % 8] for k in range(len(integers))]
        else:
            values = [int(v) for v in generator.integers(0, 4 + turn // 200, len(integers))]
        env: dict[Any, Any] = dict(zip(integers, values, strict=True))
        env |= {s: usual[(turn + k) % 6] for k, s in enumerate(reals_)}
        yield env
