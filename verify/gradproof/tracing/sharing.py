"""What programs that share memory owe is settled; the run confirms what is refuted. Deciding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradproof.language import terms as t
from gradproof.language.ops import Op, target_of
from gradproof.language.substitution import Fresh, free
from gradproof.settle.check import settled
from gradproof.settle.suite import run
from gradproof.settle.verdicts import Verdict
from gradproof.theorems.memory import (
    ALIKE,
    BOUNDS,
    LANES,
    RACES,
    WRITTEN,
    for_all_blocks,
    memory_theorems,
    said_twice,
)
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status
from gradproof.tracing import points
from gradproof.tracing.comparing import Code
from gradproof.tracing.pieces import Piece
from gradproof.tracing.shared import Shared
from gradproof.tracing.tensors import UNWRITTEN

SHAPES = 6
TRIES = 3  # values at which a refutation is run
HIDDEN = "no interpreter shows it, which runs one program after another, and lanes at once"
UNCONFIRMED = "so it is by what was read of the kernel; Triton's interpreter does not confirm it"


@dataclass(frozen=True)
class Owed:
    """A theorem about memory, settled, and how it is to be confirmed if it is refuted."""

    theorem: Theorem
    verdict: Verdict
    shared: Shared


def owed(piece: Piece, rlimit: int, timeout: float | None) -> Iterator[Owed]:
    """All that is owed of what a piece of code shares, up to the first that is not proved."""
    shared = piece.run.traced.shared
    if not shared.launches:
        return
    unwritten = reads_unwritten(piece)
    for launch in shared.launches:
        for theorem in memory_theorems(launch):
            found = settled_of(piece.op, theorem, shared, rlimit, timeout)
            if WRITTEN in theorem.name and not unwritten and found.status != Status.PROVED:
                continue  # nothing that is given back is read where nothing was written
            yield Owed(theorem, found, shared)
            if found.status != Status.PROVED:
                return


def reads_unwritten(piece: Piece) -> bool:
    """Whether what is given back is made of memory to which nothing was written."""
    return bool(piece.run.traced.shared.launches) and UNWRITTEN in piece.op.sizes


def of_results(piece: Piece, rlimit: int, timeout: float | None) -> Iterator[Owed]:
    """That results are the same whatever the blocks are that they speak of."""
    op, shared = piece.op, piece.run.traced.shared
    for equation in (*op.let, *op.forwards, *op.vjp):
        own = free(equation.right) if isinstance(equation, t.Eq) else free(equation)
        named = tuple(s for s in shared.blocks if s in own)
        if named:
            cell = target_of(equation)
            pinned = {*shared.given, *shared.exactly} - {*shared.least}
            given = tuple(c for c in op.requires if c not in pinned)
            theorem = for_all_blocks(cell.array.name, equation.right, t.cells(cell), given, named)
            yield Owed(theorem, settled_of(op, theorem, shared, rlimit, timeout), shared)


def settled_of(
    op: Op, theorem: Theorem, shared: Shared, rlimit: int, timeout: float | None
) -> Verdict:
    """By a proof for blocks of all sizes, or by a counterexample at those that there are."""
    spoken = theorem.symbols
    others: dict[t.Term, t.Term] = {s: t.Sym(f"other_{s.name}") for s in shared.blocks}
    twice = said_twice(shared.exactly, others, Fresh(*shared.exactly, *others.values()))
    exactly = tuple(c for c in twice if free(c) & spoken)
    exact = replace(theorem, given=tuple(dict.fromkeys((*theorem.given, *exactly))))
    found = run(op, (theorem, lambda: settled(theorem, rlimit)), timeout=timeout)
    if found.status == Status.PROVED or not exactly:
        return found
    return run(op, (exact, lambda: settled(exact, rlimit)), timeout=timeout)


def told(found: Owed) -> str:
    """A theorem that is refuted: what, where, at which sizes, by which program and lane."""
    example = found.verdict.counterexample
    lines = [found.theorem.name]
    if example is not None:
        sizes = ", ".join(f"{k} = {v}" for k, v in example.sizes.items())
        lines.append(f"  at {sizes}" if sizes else "  at all sizes")
        lines += [f"  {line}" for line in places(example.index, example.values)]
    return "\n".join(lines)


def places(index: Any, values: Any) -> Iterator[str]:
    """The programs, turns and lanes of a counterexample, of one access after the other."""
    for other in (False, True):
        own = {k: v for k, v in index.items() if k.startswith("other_") == other}
        words = []
        for kind, said in KINDS.items():
            found = [str(v) for k, v in own.items() if k.removeprefix("other_").startswith(kind)]
            words += [f"{said} {', '.join(found)}"] if found else []
        if words:
            yield ("and " if other else "") + ", ".join(words)


KINDS = {"program": "program", "turn": "turn", "lane": "lane", "c": "cell"}


def confirmed(code: Code, found: Owed) -> str:
    """What the run says at the sizes of a counterexample, if it says the same."""
    example = found.verdict.counterexample
    if example is None:
        return ""
    symbols = code.declared.symbols
    sizes = {s: example.sizes.get(name, 1) for name, s in symbols.items()}
    of_results = BOUNDS not in found.theorem.name and RACES not in found.theorem.name
    return watched(code, sizes, of_results, WRITTEN in found.theorem.name)


def is_hidden(found: Owed) -> bool:
    """Whether no interpreter shows it, which runs one program and one lane after another."""
    return RACES in found.theorem.name or LANES in found.theorem.name


def watched(code: Code, sizes: points.Env, of_results: bool, unwritten: bool) -> str:
    """What kernels do wrong at some sizes, at one of several points."""
    watch = getattr(code, "watched", None)
    generator = np.random.default_rng(4)
    if watch is None:
        return ""
    for _ in range(TRIES):
        point = points.drawn(code.declared, sizes, generator)
        if said := watch(point.values, of_results, unwritten):
            return str(said)
    return ""


def depends(piece: Piece) -> str:
    """On what a result is not to depend, though by what was read it is made of it."""
    if reads_unwritten(piece):
        return "lanes, or cells, that nothing was written to enter a result"
    named = [s for s in piece.run.traced.shared.blocks if s in piece.op.sizes]
    return f"{ALIKE}: a result speaks of {', '.join(map(str, named))}" if named else ""


def by_running(piece: Piece) -> str:
    """Where the run shows that a result depends on what it is not to depend on."""
    said = depends(piece)
    symbols = [*piece.code.declared.symbols.values()]
    for sizes in points.shapes(piece.op)[:SHAPES]:
        own = {s: sizes.get(s, 1) for s in symbols}
        if told := watched(piece.code, own, True, reads_unwritten(piece)):
            where = points.shown(own)
            return f"{said}\n  at {where}\n{told}"
    return ""
