"""Whether an op that is wrong by hand is refuted as it is told. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import labelled
from gradproof.settle.check import settled as settled_by_check
from gradproof.settle.conclusions import Finding
from gradproof.theorems.obligations import obligations
from gradproof.theorems.sequents import Theorem
from trust.mutants.written.making import Caught, Written


@lru_cache(maxsize=2000)
def settled(theorem: Theorem) -> Finding:
    """Once: the edits of an op have most theorems in common."""
    return settled_by_check(theorem, RLIMIT)


def objections(mutant: Written) -> list[str]:
    """What is not as it is told; nothing if all is."""
    theorems = {theorem.name: theorem for theorem in obligations(mutant.op)}
    told = [theorems.pop(caught.theorem) for caught in mutant.caught]
    found = [o for th, caught in zip(told, mutant.caught, strict=True) for o in against(th, caught)]
    if all(labelled("", theorem, settled(theorem)).as_expected for theorem in told):
        found.append("it passes")
    if mutant.all_told:
        rest = {name: settled(theorem).status for name, theorem in theorems.items()}
        found += [f"{name} is {status}" for name, status in rest.items() if status != "proved"]
    return found


def against(theorem: Theorem, caught: Caught) -> Iterator[str]:
    finding = settled(theorem)
    example = finding.counterexample
    if finding.status != "refuted" or example is None:
        yield f"{theorem.name} is {finding.status}"
        return
    # A divisor or a logarithm fails at 0, where it must not be 0.
    if example.left == example.right and (caught.sizes or theorem.kind != "defined"):
        yield f"{theorem.name}: {example.left} is not another value"
    if caught.kind not in ("", theorem.kind):
        yield f"{theorem.name} is of the kind {theorem.kind}"
    if caught.sizes is not None and pinned(example.sizes) != caught.sizes:
        yield f"{theorem.name} fails at {example.sizes}"
    if caught.sizes is not None and not example.smallest:
        yield f"{theorem.name}: smaller failures are not excluded"


def pinned(sizes: dict[str, Any]) -> dict[str, Any]:
    """Sizes per axis, a list of one being that one."""
    return {s: v[0] if isinstance(v, list) and len(v) == 1 else v for s, v in sizes.items()}
