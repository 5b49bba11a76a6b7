"""Runs code on tensors of symbolic sizes and keeps, of each, what its cells are. Untrusted."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from inspect import signature
from typing import Any

import sympy
import torch
from torch._decomp import decomposition_table
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental.symbolic_shapes import has_free_unbacked_symbols
from torch.utils._mode_utils import no_dispatch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.weak import WeakTensorKeyDictionary

from gradproof.language import terms as t
from gradproof.language.terms import REAL, Term
from gradproof.torch import custom, ops, views
from gradproof.torch.sizes import Sizes
from gradproof.tracing import integers as n
from gradproof.tracing import reals, sums
from gradproof.tracing.axes import Place, plain
from gradproof.tracing.buffers import Buffer, Reference, Window
from gradproof.tracing.hooking import unhooked
from gradproof.tracing.lines import at
from gradproof.tracing.tensors import Tensor, Unreadable

HERE = os.path.dirname(os.path.dirname(__file__))
Kernel = Callable[[Any, Any, Any, Any], Any]  # runs what is registered of an operator
FRAMEWORK = (os.path.dirname(torch.__file__), HERE)


class Tracer(TorchDispatchMode):
    """What every operation on a traced tensor gives, as terms."""

    def __init__(self, sizes: Sizes, kernel: Kernel = custom.kernel) -> None:
        super().__init__()
        self.sizes = sizes
        self.kernel = kernel
        self.names = sums.Names()
        self.references: Any = WeakTensorKeyDictionary()
        self.is_unread = False
        self.kept: list[torch.Tensor] = []  # so that no tensor takes another's place
        self.calls: Callable[[], AbstractContextManager[Any]] = (
            nullcontext  # by which these are read
        )

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Which would load the compiler, that is not needed here."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.is_unread:
            return func(*args, **(kwargs or {}))
        if custom.has_own_kernel(func):
            return self.of_user(func, args, kwargs or {})
        with unhooked():
            return self.dispatched(func, args, kwargs or {})

    def of_user(self, func: Any, args: Any, given: Any) -> Any:
        """An operator that is registered: its kernel is code as any other."""
        with self, self.calls():
            return self.kernel(self, func, args, given)

    @contextmanager
    def unread(self) -> Iterator[None]:
        """While what runs is read otherwise."""
        self.is_unread = True
        try:
            yield
        finally:
            self.is_unread = False

    def dispatched(self, func: Any, args: Any, given: Any) -> Any:
        name = func.overloadpacket.__name__
        if func.namespace == "prim":
            return func(*args, **given)
        if name == "_efficientzerotensor":  # a tangent that is 0, by which sizes would be fixed
            if not args[0]:  # of a number
                with no_dispatch():
                    return torch.zeros(args[0], **given)
            func, name = torch.ops.aten.zeros.default, "zeros"
        if name == "_local_scalar_dense":
            return self.number(self.value(args[0]))
        known = name in views.VIEWS or name in ops.OPS or name in IGNORED or name in ops.MADE
        own = name.endswith("_") and not name.endswith("__") and name[:-1] in ops.OPS
        if not (known or own):
            return self.decomposed(func, args, given)
        try:
            run = decomposition_table[func] if name in SHAPED else func
            with self.sizes.env.meant(name.startswith("squeeze")):
                result = run(*args, **given)
            if name == "slice" and has_free_unbacked_symbols(result):  # where its end is not known
                with self.sizes.env.meant(True):
                    result = run(*args, **given)
            self.record(func, own, args, given, result)
        except (Unreadable, NotImplementedError, ValueError) as reason:
            raise Unreadable(located(f"{public(func)}: {reason}")) from reason
        return result

    def number(self, value: Tensor) -> Any:
        """A tensor's only cell, if it is a number or a size."""
        cell = value.cell(tuple(n.ZERO for _ in value.factors))
        if isinstance(cell, sympy.Integer):
            return int(cell) if value.sort != REAL else float(cell)
        if isinstance(cell, sympy.Rational):
            return float(cell)
        if cell in (t.And(), t.Or()):
            return cell == t.And()
        if value.sort != REAL and not t.arrays(cell):
            return self.sizes.number(cell)
        raise Unreadable(located("a number or a choice by values of a tensor; use torch.where"))

    def decomposed(self, func: Any, args: Any, given: Any) -> Any:
        """By the framework's own definition in simpler operations."""
        with self:
            found = decomposition_table.get(func, None)
            if found is not None:
                return found(*args, **given)
            result = func.decompose(*args, **given)
        if result is NotImplemented:
            raise Unreadable(located(f"{public(func)} is not read; {ALTERNATIVE}"))
        return result

    def record(self, func: Any, own: bool, args: Any, given: Any, result: Any) -> None:
        name = func.overloadpacket.__name__
        if name in IGNORED:
            return
        if name in views.VIEWS:
            self.record_view(name, args, given, result)
            return
        if name in ops.MADE:
            terms = self.lowered(args)
            named = {k: self.lowered(v) for k, v in given.items()}
            self.keep(result, ops.MADE[name](self, result, *terms, **named))
            return
        handler = ops.OPS[name[:-1] if own else name]
        terms, named = self.arguments(handler, func, args, given)
        found = handler(self, *terms, **named)
        if own or name in ops.WRITING or "out" in given:
            target = self.reference(given.get("out", args[0]))
            target.write(ops.cast(found, target.read().sort, target.read()))
            self.references[result] = target
            self.kept.append(result)
            return
        if isinstance(result, torch.Tensor):
            found = (found,)
            result = (result,)
        for made, value in zip(result, found, strict=True):
            if value is not None:
                self.keep(made, value)

    def arguments(
        self, handler: Any, func: Any, args: Any, given: Any
    ) -> tuple[list[Any], dict[str, Any]]:
        """What an operation is told, as who reads it takes it: all, but what changes nothing."""
        known = list(signature(handler).parameters.values())
        places = [p for p in known if p.kind is p.POSITIONAL_OR_KEYWORD][1:]
        names = {p.name for p in places}
        all_places = any(p.kind is p.VAR_POSITIONAL and p.name != "_" for p in known)
        all_names = any(p.kind is p.VAR_KEYWORD and p.name != "_" for p in known)
        said = [a for a in func._schema.arguments if a.name != "out"]
        count = len(args) if all_places else len(places)
        for argument, value in zip(said[count:], args[count:], strict=False):
            self.changes_nothing(argument, value, args)
        named = {}
        for argument in said:
            if argument.name not in given:
                continue
            if all_names or argument.name in names:
                named[argument.name] = self.lowered(given[argument.name])
            else:
                self.changes_nothing(argument, given[argument.name], args)
        return [self.lowered(value) for value in args[:count]], named

    def changes_nothing(self, argument: Any, value: Any, args: Any) -> None:
        """That what is not read of an operation is as if it were not said."""
        usual = argument.default_value if argument.has_default_value() else False
        if argument.name in NEUTRAL or value is None:
            return
        if isinstance(value, PLAIN) and isinstance(usual, PLAIN) and value == usual:
            return
        to_real = argument.name == "dtype" and ops.sort_of(value) == REAL
        if to_real or (argument.name == "dtype" and not args[0].dtype.is_floating_point):
            return
        raise Unreadable(f"its argument {argument.name}={value} is not read")

    def record_view(self, name: str, args: Any, given: Any, result: Any) -> None:
        parent = self.reference(args[0])
        results = result if isinstance(result, list | tuple) else [result]
        if any(one.dtype != args[0].dtype for one in results):
            raise Unreadable("the memory of a tensor as numbers of another kind; use x.to(dtype)")
        made = views.VIEWS[name](self, parent.read(), result, *args[1:], **given)
        for one, (view, back) in zip(results, made, strict=True):
            self.kept.append(one)
            self.references[one] = Window(parent, view, back)
            require_rank(view(parent.read()), one)

    def keep(self, made: torch.Tensor, value: Tensor) -> None:
        require_rank(value, made)
        if made.dtype in ops.NARROW:
            raise Unreadable(f"integers of {made.dtype}, which overflow; use torch.int64")
        self.kept.append(made)
        self.references[made] = Buffer(ops.cast(value, ops.sort_of(made.dtype)))

    def reference(self, tensor: torch.Tensor) -> Reference:
        found: Reference | None = self.references.get(tensor)
        if found is None:
            found = self.references[tensor] = self.known_constant(tensor)
            self.kept.append(tensor)  # which code may write to
        return found

    def known_constant(self, tensor: torch.Tensor) -> Reference:
        """A tensor that the code made of numbers."""
        real = tensor.constant if isinstance(tensor, FakeTensor) else tensor
        if real is None or real.numel() > MOST_NUMBERS:
            said = f"a tensor of shape {tuple(tensor.shape)} that no input says what it is"
            raise Unreadable(f"{said}; pass it as an input, gp.constant(...)")
        with no_dispatch():
            numbers = [self.sizes.term(number) for number in real.flatten().tolist()]
        return Buffer(listed(numbers, list(real.shape), ops.sort_of(real.dtype)))

    def value(self, tensor: torch.Tensor) -> Tensor:
        return self.reference(tensor).read()

    def in_memory(self, tensor: torch.Tensor) -> Tensor:
        """What the memory holds of which a tensor is a part."""
        found = self.reference(tensor)
        while isinstance(found, Window):
            found = found.parent
        return found.read()

    def lowered(self, value: Any) -> Any:
        """An argument with tensors and numbers of the trace as terms."""
        if isinstance(value, torch.Tensor):
            return self.value(value)
        if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
            return self.sizes.term(value)
        if isinstance(value, list | tuple):
            return [self.lowered(v) for v in value]
        return value


def listed(numbers: list[Term], shape: list[int], sort: str) -> Tensor:
    """A tensor of given numbers."""

    def cell(index: Place) -> Term:
        at = n.ZERO
        for size, e in zip([s for s in shape if s != 1], index, strict=True):
            at = n.add(n.mul(size, at), e)
        if isinstance(at, sympy.Integer):
            return numbers[int(at)]
        *before, found = numbers
        for k, number in reversed(list(enumerate(before))):
            found = reals.choice(t.Eq(at, k), number, found)
        return found

    return Tensor(plain(shape), cell, sort)


def require_rank(value: Tensor, made: torch.Tensor) -> None:
    """That what was read has as many axes as what the framework made."""
    if len(value.axes) != made.ndim:
        raise Unreadable(f"it was read as a tensor of {len(value.axes)} axes, and has {made.ndim}")


MOST_NUMBERS = 64  # of a tensor that the code makes
ALTERNATIVE = "write it in sums, products, comparisons, views, exp and log"
HOMES = {"torch": torch, "torch.nn.functional": torch.nn.functional, "torch.Tensor": torch.Tensor}
SHAPED = {"constant_pad_nd"}  # without symbolic sizes but as the framework defines it
PLAIN = (bool, int, float, str)
NEUTRAL = {"device", "layout", "pin_memory", "memory_format", "non_blocking"}  # as to the values
IGNORED = {
    "size",
    "sym_size",
    "sym_stride",
    "sym_numel",
    "sym_storage_offset",
    "is_same_size",
    "_has_same_storage_numel",
    "_assert_async",
}


def is_framework(file: str) -> bool:
    """Whether a file is PyTorch's, Python's machinery, or ours."""
    return file.startswith((*FRAMEWORK, "<"))


def located(said: str, failure: Exception | None = None) -> str:
    """What is said, with the line of the user's code that runs, or at which it failed."""
    trace = None if failure is None else failure.__traceback__
    frames = traceback.extract_stack() if failure is None else traceback.extract_tb(trace)
    own = [f for f in frames if not is_framework(f.filename)]
    return at(own[-1].filename, own[-1].lineno or 1, own[-1].line, said) if own else said


def public(func: Any) -> str:
    """An operation as users call it."""
    name = func.overloadpacket.__name__
    plain = name.lstrip("_")
    known = (home for home in HOMES if hasattr(HOMES[home], plain))
    return next((f"{home}.{plain}" for home in known), f"the operation {plain}")
