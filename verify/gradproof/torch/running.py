"""The user's code on numbers, and the trace of it. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from itertools import chain, combinations
from traceback import FrameSummary
from typing import Any

import numpy as np
import torch
import torch.fx.experimental._config as settings
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode
from torch.autograd import Function
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from torch.utils._pytree import tree_leaves

from gradproof.language import terms as t
from gradproof.torch import custom, kernels
from gradproof.torch.calling import Unsaid, callable_of, one, parameters_of
from gradproof.torch.calls import calls
from gradproof.torch.needs import BARE, NAME, watched
from gradproof.torch.noting import Noting
from gradproof.torch.sizes import Sizes
from gradproof.torch.tracer import Tracer, is_framework, located
from gradproof.tracing.arising import Done
from gradproof.tracing.declared import Declared
from gradproof.tracing.definition import Traced, input_tensor, output_name
from gradproof.tracing.lines import at
from gradproof.tracing.outputs import combined
from gradproof.tracing.paths import followed, of_user, require_alike
from gradproof.tracing.pieces import sizes_in
from gradproof.tracing.points import drawn
from gradproof.tracing.quotients import Shapeless
from gradproof.tracing.tensors import Tensor, Unreadable, constant, reading

DATA_DEPENDENT = (GuardOnDataDependentSymNode, DataDependentOutputException)
DTYPES = {"real": torch.float64, "constant": torch.float64, "boolean": torch.bool}

OLDEST = (2, 13)  # of the versions with which all tests were run
OLD = "this is PyTorch {}, and code is read with 2.13 and newer: pip install -U torch"
NO_INTEGERS = ("used as indices", "for index", "index tensor", "got float")
DECIDED = "a size decides here how the code runs"
LABELS = "say of labels what they are: gp.integer('N', below='C'), integer:N<C on the command line"


class TorchCode:
    """A function of PyTorch, with what is said of its arguments."""

    dtype = torch.float64  # of real numbers, where it is run

    def __init__(
        self,
        function: Any,
        declared: Declared,
        name: str = "",
        only: tuple[int, ...] | None = None,
    ) -> None:
        """With `only`, of those outputs that are differentiated."""
        self.function = function
        self.functions = custom.parts_of(function)
        self.declared = self.said = declared
        self.name = name or getattr(self.functions[0], "__name__", type(function).__name__)
        self.call = callable_of(function, [a.name for a in declared.arguments])
        self.differentiable = declared.differentiable
        self.asked: list[str] = []  # what the backward asked of its context
        self.only = only
        self.given_back: tuple[int, ...] = ()  # the outputs, if there are several
        if found := self.outputs():
            self.call, self.declared = combined(self.call, declared, found, self.differentiated)

    def others(self) -> Iterator[tuple[str, TorchCode]]:
        """Where fewer inputs need a gradient, or fewer outputs have one, if the backward asks."""
        names = [*fewer(self.differentiable)] if NAME in self.asked else []
        outputs = [*fewer(self.given_back)] if BARE in self.asked else []
        for only in (self.only, *outputs):
            for some in (tuple(self.differentiable), *names):
                if only == self.only and len(some) == len(self.differentiable):
                    continue
                said = [f"only {', '.join(some)} needs a gradient"] if some in names else []
                said += [f"only output {words(only)} is used"] if only in outputs else []
                other = TorchCode(self.function, self.said.by(some), self.name, only)
                yield f"where {', and '.join(said)}:", other

    def at(self, sizes: Mapping[str, int]) -> TorchCode:
        return TorchCode(self.function, self.said.at(sizes), self.name, self.only)

    def precise(self, dtype: str) -> TorchCode:
        other = copy(self)
        other.dtype = getattr(torch, dtype)
        return other

    def outputs(self) -> list[tuple[t.Term, ...]]:
        """The shapes of its outputs that are differentiated, if it has several and can be run."""
        try:
            hints = sizes_in(self.declared, ()) or {}
            values = drawn(self.declared, hints, np.random.default_rng(3)).values
            leaves = tree_leaves(self.call(self.tensors(values)))
            needs = [isinstance(y, torch.Tensor) and y.requires_grad for y in leaves]
            own = [k for k, need in enumerate(needs) if need]
            own = [own[k] for k in self.only] if self.only is not None else own
            self.differentiated = lambda result: [tree_leaves(result)[k] for k in own]
            if len(own) == 1 and len(leaves) > 1 and self.only is None:
                whole = self.call
                self.call = lambda given: self.differentiated(whole(given))[0]
            if len(own) < 2 and self.only is None:
                return []
            self.given_back = tuple(range(len(own)))
            sizes = Sizes(hints)
            fake = FakeTensorMode(shape_env=sizes.env, allow_non_fake_inputs=True)
            with sizes.env.meant(False), fake, custom.Kernels(), watched([], is_framework):
                tracer = Tracer(sizes)
                given = {
                    a.name: self.placeholder(a, sizes, tracer) for a in self.declared.arguments
                }
                found = self.differentiated(self.call(given))
                return [tuple(map(sizes.term, y.shape)) for y in found]
        except (Exception, SystemExit, Unreadable):
            return []

    def tensors(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the code takes them."""
        return tensors_of(self.declared, values, self.dtype)

    def run(self, values: Mapping[str, Any]) -> Any:
        with torch.no_grad(), one_thread(), kernels.interpreted():
            return numbers(one(self.call(self.tensors(values))))

    def gradients(self, values: Mapping[str, Any], cotangent: Any) -> dict[str, Any]:
        with one_thread():
            return self.gradients_there(values, cotangent)

    def gradients_there(self, values: Mapping[str, Any], cotangent: Any) -> dict[str, Any]:
        given = self.tensors(values)
        with kernels.interpreted():
            y = one(self.call(given))
            seed = torch.tensor(np.asarray(cotangent)).to(y.dtype).broadcast_to(y.shape)
            pulled = self.back(given, y, seed.contiguous())
        inputs = [given[name] for name in self.differentiable]
        pairs = zip(self.differentiable, inputs, pulled, strict=True)
        return {k: numbers(x * 0 if g is None else g) for k, x, g in pairs}

    def done(self, values: Mapping[str, Any], cotangent: Any) -> list[Done]:
        """What each operation of the code and its gradient gives."""
        with one_thread(), Noting() as noting:
            self.gradients_there(values, cotangent)
        return noting.done

    def back(self, given: Mapping[str, Any], y: Any, seed: Any) -> Sequence[Any]:
        """What the engine gives of each input; None where nothing comes back."""
        inputs = [given[name] for name in self.differentiable]
        try:
            found: Sequence[Any] = torch.autograd.grad(y, inputs, seed, allow_unused=True)
        except RuntimeError as reason:
            raise self.shapeless(reason, given) or reason from None
        return found

    def watched(self, values: Mapping[str, Any], results: bool, unwritten: bool) -> str:
        """What kernels do to memory that they may not, or, of results, that these are no numbers
        or others where blocks are larger."""
        return kernels.watched(lambda: self.results(values), results, unwritten)

    def results(self, values: Mapping[str, Any]) -> list[Any]:
        y = self.run(values)
        return [y, *self.gradients(values, np.ones_like(y)).values()]

    def shapeless(self, reason: RuntimeError, given: Mapping[str, Any]) -> Shapeless | None:
        """What the framework says of a gradient that has not the shape of its input."""
        said = re.search(r"invalid gradient at index (\d+) - got \[(.*?)\]", str(reason))
        if said is None or not isinstance(self.function, type):
            return None
        name = [p.name for p in parameters_of(self.function)][int(said[1])]
        made = tuple(int(n) for n in said[2].split(",") if n.strip())
        return Shapeless(name, made, tuple(given[name].shape))

    def backwards(self) -> Iterator[tuple[Any, ...]]:
        if isinstance(self.function, type) and issubclass(self.function, Function):
            rule: Any = self.function.backward  # type: ignore[attr-defined]  # untyped there
            yield rule, [p.name for p in parameters_of(self.function)]
        elif (own := custom.backward_of(self.function)) is not None:
            yield own, custom.parameters_of(custom.overload_of(self.function))

    def trace(self, hints: Mapping[Any, Any]) -> Traced:
        """The code on tensors whose sizes are symbols."""
        before = settings.backed_size_oblivious
        settings.backed_size_oblivious = True
        try:
            is_users = of_user(self.functions[0], is_framework)
            with followed(is_users) as run:
                ended = self.run_at(hints)
            with reading(), followed(is_users) as read:
                found = self.traced(Sizes(hints))
            if read != run and not (ended and found.shared.launches):
                with followed(is_users) as again:  # of what is done once, or first, that is no news
                    self.run_at(hints)
                require_alike(read, again)
            return found
        except DATA_DEPENDENT as reason:
            said = "a choice of Python's by values of a tensor; write torch.where"
            raise Unreadable(located(said, reason)) from reason
        except Unsaid:
            raise
        except Exception as reason:
            raise Unreadable(failed(reason)) from reason
        finally:
            settings.backed_size_oblivious = before

    def run_at(self, hints: Mapping[Any, Any]) -> bool:
        """The code and its gradient on numbers, where it is read; whether it fails."""
        with suppress(Exception):  # of which the comparison tells
            values = drawn(self.declared, hints, np.random.default_rng(3)).values
            self.gradients(values, 1.0)
            return False
        return True

    def traced(self, sizes: Sizes) -> Traced:
        tracer = Tracer(sizes, self.kernel)
        names = {*self.declared.symbols, *(a.name for a in self.declared.arguments)}
        with (
            FakeTensorMode(shape_env=sizes.env, allow_non_fake_inputs=True) as fake,
            kernels.read(tracer, self.declared.of_sizes, names) as launched,
        ):
            fake.cache_enabled = False  # what it would keep costs more than what is met twice
            given = {a.name: self.placeholder(a, sizes, tracer) for a in self.declared.arguments}
            inputs = [given[name] for name in self.differentiable]
            with tracer, calls(tracer), watched(self.asked, is_framework):
                y = one(self.call(given))
            output = tracer.value(y)
            seed = torch.empty_like(y)
            made = t.Array(
                f"{output_name(self.declared)}_bar",
                output.factors,
                "cotangent",
                output_name(self.declared),
            )
            tracer.keep(seed, Tensor(output.axes, lambda place: made[place]))
            with tracer, calls(tracer), watched(self.asked, is_framework):
                pulled = self.back(given, y, seed)
        gradients = {
            k: constant(0, [sizes.term(s) for s in x.shape]) if g is None else tracer.value(g)
            for k, x, g in zip(self.differentiable, inputs, pulled, strict=True)
        }
        lines = {
            guard: at(frame.filename, frame.lineno or 1, frame.line, DECIDED)
            for guard, frame in sizes.lines.items()
            if isinstance(frame, FrameSummary) and not is_framework(frame.filename)
        }
        single = y.dtype != torch.float64
        found = Traced(output, gradients, tuple(sizes.guards), single, lines=lines)
        for launches in launched:
            found = launches.added_to(found)
        return found

    def kernel(self, tracer: Tracer, op: Any, args: Any, given: Any) -> Any:
        """What an operator of the user's gives, which is what its kernel does."""
        return custom.run(op, args, given)

    def placeholder(self, a: Any, sizes: Sizes, tracer: Tracer) -> Any:
        """A tensor without values, whose cells are those of an argument."""
        if a.kind == "given":
            return a.value
        if not a.is_array:
            return sizes.number(a.term)
        shape = [sizes.number(d) for d in a.shape]
        dtype = DTYPES.get(a.kind, torch.int64)
        made = torch.empty(shape, dtype=dtype, requires_grad=a.kind == "real")
        tracer.keep(made, input_tensor(a))
        return made


def fewer(things: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """All of their choices but all and none, the larger first."""
    return chain.from_iterable(combinations(things, n) for n in range(len(things) - 1, 0, -1))


def words(numbers: Sequence[int] | None) -> str:
    return ", ".join(str(number + 1) for number in numbers or ())


def numbers(x: torch.Tensor) -> Any:
    """Also of a tensor that is known to be 0 and has no memory."""
    return x.detach().double().numpy(force=True)


def tensors_of(
    declared: Declared, values: Mapping[str, Any], real: torch.dtype = torch.float64
) -> dict[str, Any]:
    found = {}
    for a in declared.arguments:
        value = values[a.name]
        if a.is_array:
            dtype = DTYPES.get(a.kind, torch.int64)
            dtype = real if dtype == torch.float64 else dtype
            value = torch.tensor(np.asarray(value), dtype=dtype)
            value.requires_grad_(a.kind == "real")
        found[a.name] = value
    return found


def attempt(
    functions: Sequence[Any], declared: Declared, values: Mapping[str, Any], backward: bool
) -> None:
    """Runs code and its gradient on values; raises where that fails."""
    call = callable_of(functions[0], [a.name for a in declared.arguments])
    with one_thread(), kernels.interpreted():
        given = tensors_of(declared, values)
        found = [y for y in tree_leaves(call(given)) if isinstance(y, torch.Tensor)]
        outputs = [y for y in found if y.requires_grad]
        inputs = [given[name] for name in declared.differentiable]
        seeds = list(map(torch.ones_like, outputs))
        if backward:
            torch.autograd.grad(outputs, inputs, seeds, allow_unused=True)


@contextmanager
def one_thread() -> Iterator[None]:
    """For arrays so small that others would only wait for them."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def failed(reason: Exception) -> str:
    """That the code raised, where and why; a real tensor as an index is one that was not said."""
    words = str(reason).strip().splitlines() or [type(reason).__name__]
    more = f"; {LABELS}" if any(said in words[0] for said in NO_INTEGERS) else ""
    return located(f"the code itself fails: {words[0]}{more}{too_old(torch.__version__)}", reason)


def too_old(version: str) -> str:
    """That a version is older than those with which code was read."""
    numbers = tuple(int(part) for part in version.split(".")[:2])
    return "" if numbers >= OLDEST else f"; {OLD.format(version)}"
