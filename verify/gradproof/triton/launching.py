"""Launches of kernels: caught while code is read, and run by Triton's interpreter. Untrusted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.ops import among
from gradproof.language.substitution import free
from gradproof.language.terms import Sym, Term
from gradproof.theorems.memory import Launch
from gradproof.tracing import blocks as b
from gradproof.tracing import integers as n
from gradproof.tracing import lanes
from gradproof.tracing.blocks import Pointer
from gradproof.tracing.definition import Traced
from gradproof.tracing.facts import Facts
from gradproof.tracing.memory import Array, Memory
from gradproof.tracing.shared import Shared
from gradproof.tracing.tensors import Tensor, Unreadable, constant
from gradproof.triton.kernels import PLAIN, InRows, Program, plain

triton: Any = import_module("triton")  # which need not be installed
tuning: Any = import_module("triton.runtime.autotuner")
jit: Any = import_module("triton.runtime.jit")
OPTIONS = {"num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "debug"}
POWERS = tuple(2**k for k in range(21))  # the lanes that Triton lets a block have along an axis


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    own = owner.__dict__.get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)


Run = Callable[[Any, Any, tuple[Any, ...], Mapping[str, Any]], None]


@contextmanager
def caught(run: Run, next_power: Callable[[Any], Any]) -> Iterator[None]:
    """Within it a launch is what `run` makes of its kernel, grid and arguments."""

    def launch(kernel: Any, *given: Any, grid: Any, warmup: bool = False, **named: Any) -> None:
        if not warmup:
            run(kernel, grid, given, named)

    def tuned(kernel: Any, *given: Any, **named: Any) -> None:
        raise Unreadable("a kernel that is tuned; launch one configuration of it")

    with ExitStack() as stack:
        stack.enter_context(replaced(jit.JITFunction, "run", launch))
        stack.enter_context(replaced(tuning.Autotuner, "run", tuned))
        stack.enter_context(replaced(tuning.Heuristics, "run", tuned))
        stack.enter_context(replaced(triton, "next_power_of_2", next_power))
        yield


@dataclass
class Launches:
    """What the kernels of a reading did, one launch after another."""

    tracer: Any
    given: tuple[Term, ...]
    names: set[str]
    located: Callable[[str], str]  # what is said, with the line of the user's that runs
    done: list[Launch] = field(default_factory=list)
    blocks: dict[Sym, Term] = field(default_factory=dict)  # each the power of two above what
    refused: list[str] = field(default_factory=list)
    called: dict[Any, str] = field(default_factory=dict)  # the tensors of a launch by their names

    @contextmanager
    def caught(self) -> Iterator[None]:
        with caught(self.launch, self.block):
            yield

    @property
    def of_blocks(self) -> tuple[Term, ...]:
        """What is known of blocks, their being powers of two aside."""
        return tuple(
            c
            for symbol, least in self.blocks.items()
            for c in (
                t.relation(t.Ge, symbol, 1),
                t.relation(t.Ge, symbol, least),
                t.relation(t.Le, symbol, n.minus(n.mul(2, least), 1)),
            )
        )

    def block(self, size: Any) -> Any:
        """The power of two above a size: any number that is at least the size, below its double."""
        term = self.tracer.sizes.term(size)
        if not free(term):
            return OWN_NEXT_POWER(int(size))
        for symbol, least in self.blocks.items():
            if least == term:
                return self.tracer.sizes.numbers[symbol]
        name = next(x for x in names_of_blocks() if x not in self.names)
        self.names.add(name)
        symbol = Sym(name)
        self.blocks[symbol] = term
        made = self.tracer.sizes.made(symbol, OWN_NEXT_POWER(hint_of(size)))
        self.tracer.sizes.numbers[symbol] = made
        return made

    def launch(
        self, kernel: Any, grid: Any, given: tuple[Any, ...], named: Mapping[str, Any]
    ) -> None:
        known = inspect.signature(kernel.fn).parameters
        extra = {k for k in named if k not in known}
        if extra - OPTIONS:
            raise Unreadable(self.located(f"a launch with {', '.join(sorted(extra - OPTIONS))}"))
        bound = inspect.signature(kernel.fn).bind(
            *given, **{k: named[k] for k in named if k in known}
        )
        bound.apply_defaults()
        counts = grid(dict(bound.arguments)) if callable(grid) else grid
        counts = tuple(counts) if isinstance(counts, tuple | list) else (counts,)
        try:
            self.read(kernel, bound.arguments, counts)
        except Unreadable as reason:
            if reason.told:
                raise
            raise Unreadable(self.located(str(reason))) from reason

    def read(self, kernel: Any, given: Mapping[str, Any], counts: tuple[Any, ...]) -> None:
        tracer = self.tracer
        facts = Facts(tracer.names, [*self.given, *self.of_blocks, *self.guards])
        grid = tuple(plainly(tracer.sizes.term(c), facts) for c in counts)
        ids: list[Term] = [facts.symbol("program", n.minus(c, 1)) for c in grid]
        rows: dict[int, tuple[Sym, Sym]] = {}
        while True:
            own = [s for k, p in enumerate(ids) for s in rows.get(k, (p,)) if isinstance(s, Sym)]
            memory = Memory(kernel.fn.__name__, facts, tuple(own))
            program = Program(facts, memory, tuple(ids), grid, frozenset(self.blocks))
            self.called = {}
            env = [self.argument(name, value, facts) for name, value in given.items()]
            try:
                program.call(kernel.fn, env, {})
                break
            except InRows as found:
                one, other = (
                    facts.symbol("program", n.minus(c, 1)) for c in (found.rows, found.each)
                )
                rows[found.axis] = (one, other)
                ids[found.axis] = n.add(n.mul(one, found.each), other)
        self.done.append(memory.finish())
        if memory.refused:
            self.refused.append(memory.refused)

    def added_to(self, traced: Traced) -> Traced:
        """What was read of the code around, with what its kernels did."""
        facts = Facts(self.tracer.names, [*self.given, *self.of_blocks, *self.guards])
        blocks = tuple(self.blocks)
        shared = Shared(
            tuple(self.done),
            blocks,
            self.of_blocks,
            tuple(c for c in self.of_blocks if isinstance(c, t.Ge)),
            tuple(among(s, *POWERS) for s in blocks),
            "\n".join(self.refused),
        )
        return replace(
            traced,
            output=summed_up(traced.output, facts),
            gradients={k: summed_up(x, facts) for k, x in traced.gradients.items()},
            guards=tuple(self.of_sizes(c) for c in traced.guards),
            shared=shared,
        )

    def of_sizes(self, guard: Term) -> Term:
        """A condition on a block as one on what it is the power of two above."""
        if not free(guard) & self.blocks.keys():
            return guard
        kind: Any = type(guard)
        left, right = guard.args
        if kind in TURNED and right in self.blocks:
            kind, left, right = TURNED[kind], right, left
        if left not in self.blocks or not isinstance(right, sympy.Integer) or kind not in TURNED:
            raise Unreadable(f"code that runs as {guard} says, by the size of a block")
        bound = int(right) + (kind in (t.Le, t.Gt))  # the block is below this, or is not
        least = max((p for p in POWERS if p < bound), default=0)
        is_below = kind in (t.Lt, t.Le)
        return t.relation(t.Le if is_below else t.Gt, self.blocks[left], least)

    @property
    def guards(self) -> tuple[Term, ...]:
        return tuple(self.tracer.sizes.guards)

    def argument(self, name: str, value: Any, facts: Facts) -> Any:
        """What a kernel is given: a pointer to a tensor, or a number."""
        import torch

        sizes = self.tracer.sizes
        if isinstance(value, torch.Tensor):
            reference = self.tracer.reference(value)
            shape, strides = (
                tuple(plainly(sizes.term(s), facts) for s in of)
                for of in (value.shape, value.stride())
            )
            array = Array(name, reference, shape, strides, reference.read())
            array.name = self.called.setdefault(array.root, name)  # what is given twice is one
            return Pointer(array, constant(0, (), t.INT))
        if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
            term = plainly(sizes.term(value), facts)
            return (
                b.scalar(term, t.sort_of(term))
                if not isinstance(term, sympy.Integer)
                else int(term)
            )
        if isinstance(value, PLAIN):
            return value
        return plain(value)


def plainly(term: Term, facts: Facts) -> Term:
    """A size without maxima that are known, such as that of 1 and C in a stride."""
    term = t.over_parts(term, lambda u: plainly(u, facts))
    if isinstance(term, t.Max) and len(term.args) == 2:
        term = lanes.greatest(facts, *term.args)
    return lanes.tidy(term)


def summed_up(tensor: Tensor, facts: Facts) -> Tensor:
    """The tensor with sums over tiles and over the cells of each as one."""

    def put(term: Term) -> Term:
        term = t.over_parts(term, put)
        if isinstance(term, t.Sum):
            return lanes.joined(term, [], facts)
        return term

    return Tensor(tensor.axes, lambda place: put(lanes.tidy(tensor.cell(place))), tensor.sort)


TURNED: dict[Any, Any] = {t.Le: t.Ge, t.Ge: t.Le, t.Lt: t.Gt, t.Gt: t.Lt}
OWN_NEXT_POWER = triton.next_power_of_2


def hint_of(size: Any) -> int:
    return int(size.node.hint) if hasattr(size, "node") else int(size)


def names_of_blocks() -> Iterator[str]:
    yield "BLOCK"
    number = 2
    while True:
        yield f"BLOCK{number}"
        number += 1
