"""What is registered of an operator beside its kernel: the tensors that its fake says. Deciding.

Of each call of a user's operator, in the forward and the backward: the fake's tensors are those of
the kernel, in number, type, sizes and strides, at all sizes; and the schema says what is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from torch._ops import OpOverload
from torch.utils._pytree import tree_map_only

from gradproof.language import terms as t
from gradproof.language.terms import Terms
from gradproof.settle.check import settled
from gradproof.settle.suite import run
from gradproof.settle.verdicts import Verdict
from gradproof.theorems.scopes import ONLY
from gradproof.theorems.sequents import Sequent, Theorem
from gradproof.torch import custom
from gradproof.torch.called import Called, Running, called, fault, shapeless
from gradproof.torch.running import TorchCode
from gradproof.tracing import points
from gradproof.tracing.contract import Promise
from gradproof.tracing.pieces import Runs, runs
from gradproof.tracing.refuting import unstated
from gradproof.tracing.reports import NONE, Report
from gradproof.tracing.tensors import Unreadable

FAKE, SCHEMA = "fake", "schema"
ELSEWHERE = "where inputs lie in memory otherwise than in rows"
UNMET = "what is read of a kernel and its fake differs, and running it does not"


class Laid(TorchCode):
    """The code, on tensors that lie in memory in rows or otherwise, with what it calls."""

    def __init__(self, base: TorchCode, in_rows: bool) -> None:
        vars(self).update(vars(base))
        self.base, self.in_rows = base, in_rows
        self.calls: list[list[Called]] = []  # of each run that was traced

    def at(self, sizes: Mapping[str, int]) -> TorchCode:
        return Laid(self.base.at(sizes), self.in_rows)

    def tensors(self, values: Mapping[str, Any]) -> dict[str, Any]:
        found = super().tensors(values)
        return found if self.in_rows else tree_map_only(torch.Tensor, relaid, found)

    def placeholder(self, a: Any, sizes: Any, tracer: Any) -> Any:
        made = super().placeholder(a, sizes, tracer)
        if self.in_rows or not isinstance(made, torch.Tensor):
            return made
        found = relaid(made)
        tracer.keep(found, tracer.value(made))
        return found

    @cached_property
    def whole(self) -> Runs:
        return runs(self)

    @property
    def met(self) -> Iterator[tuple[Called, Terms]]:
        """Each call that is read, and of which sizes."""
        for (_, only), calls in zip(self.whole.each, self.calls, strict=True):
            given = (*self.declared.of_sizes, *only)
            yield from ((call, given) for call in calls)

    @property
    def scope(self) -> str:
        clauses = "; ".join(map(str, self.declared.requires))
        said = f"for all sizes with {clauses}" if clauses else "for all sizes"
        narrow = " or ".join("; ".join(map(str, only)) for _, only in self.whole.each)
        return said if self.whole.covered else f"{said}, {ONLY} {narrow}"

    def trace(self, hints: Mapping[Any, Any]) -> Any:
        self.calls.append([])
        return super().trace(hints)

    def kernel(self, tracer: Any, op: OpOverload, args: Any, given: Any) -> Any:
        def fake() -> Any:
            with tracer.unread():
                return op(*args, **given)

        term, state = tracer.sizes.term, tracer.in_memory
        result, found = called(op, args, given, custom.run, fake, term, state)
        self.calls[-1].append(found)
        return result


def relaid(x: torch.Tensor) -> torch.Tensor:
    """The same numbers, with the axes in memory the other way round, or a gap between them."""
    strides: list[Any] = [1 if x.ndim > 1 else 2]
    for size in x.shape[:-1]:
        strides.append(strides[-1] * size)
    found = torch.empty_strided(x.shape, strides[: x.ndim], dtype=x.dtype)
    return found.copy_(x.detach()).requires_grad_(x.requires_grad)


def owed(call: Called) -> Iterator[Sequent]:
    """What is to hold at all sizes, where number, types and ranks are the same."""
    for a, b in zip(call.made, call.said, strict=True):
        for size, other in zip(a.sizes, b.sizes, strict=True):
            yield Sequent((), (), t.Eq(other, size))
            yield Sequent((), (), t.relation(t.Ge, other, 0))
        cells = tuple(t.relation(t.Gt, size, 0) for size in a.sizes)
        for size, p, q in zip(a.sizes, a.strides, b.strides, strict=True):
            yield Sequent((), (*cells, t.relation(t.Gt, size, 1)), t.Eq(q, p))


def calls_at(code: Laid, sizes: points.Env) -> list[Called]:
    """The calls of the forward and the backward, on numbers."""
    values = points.allowed(unstated(code), code.declared, sizes, np.random.default_rng(3)).values
    watch = Running()
    with suppress(Exception), watch:
        code.gradients(values, 1.0)
    return watch.met


def first_fault(code: Laid, sizes: Sequence[points.Env], of: Callable[[Called], str]) -> str:
    """At the smallest of some sizes at which something is wrong, what."""
    for env in sizes:
        for call in calls_at(code, env):
            if said := of(call):
                lies = "" if code.in_rows else f", {ELSEWHERE}"
                return f"at {points.shown(env)}{lies}\n{said}"
    return ""


def smallest_first(code: Laid) -> list[points.Env]:
    return sorted(points.shapes(unstated(code)), key=lambda env: sum(env.values()))


def operators_in(code: TorchCode) -> set[str]:
    """The operators that users registered and that the code calls."""
    laid = Laid(code, True)
    return {call.op for sizes in smallest_first(laid)[:2] for call in calls_at(laid, sizes)}


def promised(code: TorchCode) -> Iterator[Promise]:
    ways = Laid(code, True), Laid(code, False)
    yield Promise(FAKE, settled=partial(fakes, ways))
    yield Promise(SCHEMA, settled=partial(schemas, ways[0]))


def fakes(ways: Sequence[Laid], limit: int, timeout: float | None) -> Iterator[Report]:
    """That kernel and fake agree: on numbers first, then at all sizes."""
    for code in ways:
        if said := first_fault(code, smallest_first(code), fault):
            yield Report(FAKE, "refuted", "", said)
            return
        try:
            yield at_all_sizes(code, limit, timeout)
        except Unreadable as reason:
            status, where = ("unreadable", "") if code.in_rows else (NONE, f"{ELSEWHERE}: ")
            yield Report(FAKE, status, "", f"{where}{reason}")


def at_all_sizes(code: Laid, limit: int, timeout: float | None) -> Report:
    for call, given in code.met:
        if call.unsaid:
            return Report(FAKE, NONE, "", call.unsaid)
        if shapeless(call):
            return Report(FAKE, "unknown", "", UNMET)
        if not (sequents := tuple(owed(call))):
            continue
        name = f"{FAKE} of {call.op}"
        theorem = Theorem(name, "claim", FAKE, given, sequents, equation=FAKE)
        verdict = run(unstated(code), (theorem, partial(settled, theorem, limit)), timeout=timeout)
        if verdict.status == "refuted":
            return contradicted(code, verdict)
        if verdict.status != "proved":
            return Report(FAKE, "unknown", "", f"{name}: {verdict.note}")
    return Report(FAKE, "proved", code.scope)


def contradicted(code: Laid, verdict: Verdict) -> Report:
    """A counterexample of the solver's, at which the code is run."""
    example = verdict.counterexample
    own = {} if example is None else example.sizes
    sizes = {s: own.get(s.name, 1) for s in code.declared.symbols.values()}
    said = first_fault(code, [sizes], fault)
    return Report(FAKE, "refuted", "", said) if said else Report(FAKE, "unknown", "", UNMET)


def schemas(code: Laid, limit: int, timeout: float | None) -> Iterator[Report]:
    """That no call writes to, or gives back, what the schema does not name."""
    if said := first_fault(code, smallest_first(code), beside):
        yield Report(SCHEMA, "refuted", "", said)
        return
    for call, _ in code.met:
        if call.beside:
            yield Report(SCHEMA, "unknown", "", f"{beside(call)}; no run has shown it")
            return
    yield Report(SCHEMA, "proved", code.scope)


def beside(call: Called) -> str:
    return f"{call.op} {call.beside}" if call.beside else ""
