"""The user's code on numbers, and the trace of it. Untrusted."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from itertools import combinations, compress
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
from gradproof.torch.calls import calls
from gradproof.torch.needs import watched
from gradproof.torch.noting import Noting
from gradproof.torch.sizes import Sizes
from gradproof.torch.tracer import Tracer, is_framework, located
from gradproof.tracing.arising import Done
from gradproof.tracing.declared import Declared
from gradproof.tracing.definition import Traced, input_tensor, output_name
from gradproof.tracing.likeness import numbered
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


class Unsaid(TypeError):
    """An argument of the code that is not said, or that it does not have."""


class TorchCode:
    """A function of PyTorch, with what is said of its arguments."""

    dtype = torch.float64  # of real numbers, where it is run

    def __init__(self, function: Any, declared: Declared, name: str = "") -> None:
        self.function = function
        self.functions = custom.parts_of(function)
        self.declared = self.said = declared
        self.name = name or getattr(self.functions[0], "__name__", type(function).__name__)
        self.call = callable_of(function, [a.name for a in declared.arguments])
        self.differentiable = declared.differentiable
        self.asked: list[str] = []  # what the backward asked of its context
        if len(found := self.outputs()) > 1:
            self.call, self.declared = combined(self.call, declared, found, self.differentiated)

    def others(self) -> Iterator[tuple[str, TorchCode]]:
        """Where fewer inputs need a gradient, if the backward asks which of them do."""
        names = self.differentiable if self.asked else []
        for count in range(len(names) - 1, 0, -1):
            for some in combinations(names, count):
                other = TorchCode(self.function, self.said.by(some), self.name)
                yield f"where only {', '.join(some)} needs a gradient:", other

    def at(self, sizes: Mapping[str, int]) -> TorchCode:
        return TorchCode(self.function, self.said.at(sizes), self.name)

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
            self.differentiated = lambda result: list(compress(tree_leaves(result), needs))
            if sum(needs) < 2:
                return []
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
            return one(self.call(self.tensors(values))).detach().double().numpy()

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
        return {k: (x * 0 if g is None else g).detach().double().numpy() for k, x, g in pairs}

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


def one(result: Any) -> torch.Tensor:
    """The output, of code that has one."""
    if isinstance(result, torch.Tensor):
        return result
    differentiable = [
        r for r in result if isinstance(r, torch.Tensor) and r.dtype.is_floating_point
    ]
    if len(differentiable) != 1:
        said = f"code with {len(differentiable)} outputs; check them one by one"
        raise Unreadable(f"{said}, as in lambda x: f(x)[0]")
    return differentiable[0]


def callable_of(function: Any, names: list[str]) -> Callable[[dict[str, Any]], Any]:
    """The code as a function of arguments by name."""
    if custom.overload_of(function) is not None:
        return lambda given: function(**given)
    is_class = isinstance(function, type) and issubclass(function, Function)
    if not is_class:
        if by_name(function, names):
            return lambda given: function(**given)
        return lambda given: function(*given.values())
    order = parameters_of(function)
    return lambda given: function.apply(*positional(order, given))


def parameters_of(function: type[Function]) -> list[inspect.Parameter]:
    """Of the forward, its context aside."""
    own = list(inspect.signature(function.forward).parameters.values())
    return own if function.setup_context is not Function.setup_context else own[1:]


def names_of(functions: Sequence[Any], count: int) -> list[str]:
    """Of the arguments, in their order; `F.apply` has those of F."""
    function = functions[0]
    owner = getattr(function, "__self__", None)
    if getattr(function, "__name__", "") == "apply" and isinstance(owner, type):
        function = owner
    if isinstance(function, type) and issubclass(function, Function):
        return numbered(parameters_of(function), count)
    if isinstance(function, torch.nn.Module):
        function = function.forward
    try:
        return numbered(inspect.signature(function).parameters.values(), count)
    except (TypeError, ValueError):
        return [f"x{k + 1}" for k in range(count)]


def positional(order: list[inspect.Parameter], given: dict[str, Any]) -> list[Any]:
    """The arguments in the order of a signature; those left out have their defaults."""
    if any(p.kind is p.VAR_POSITIONAL for p in order):
        return list(given.values())
    known = {p.name for p in order}
    if unknown := [name for name in given if name not in known]:
        raise Unsaid(f"forward has no argument {unknown[0]}; it has {', '.join(known)}")
    found = []
    for p in order:
        if p.name not in given and p.default is p.empty:
            raise Unsaid(f"say what {p.name} is: a shape, as in {p.name}=('N', 'C'), or a value")
        found.append(given.get(p.name, p.default))
    return found


def by_name(function: Any, names: list[str]) -> bool:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    known = signature.parameters
    return all(
        name in known and known[name].kind is not inspect.Parameter.POSITIONAL_ONLY
        for name in names
    )
