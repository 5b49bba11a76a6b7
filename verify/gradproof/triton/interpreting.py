"""Kernels run by Triton's interpreter, each launch in a process of its own. Untrusted.

What a lane touches beyond the memory of a tensor is not touched: it is a fault, and told. So is a
cell that two programs touch, one of which writes another number there.
"""

from __future__ import annotations

import atexit
import inspect
import os
import pickle
import select
import signal
import struct
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gradproof.tracing.hooking import set_trace
from gradproof.triton.launching import OPTIONS, OWN_NEXT_POWER, caught, jit

MOST_SECONDS = 60  # of one launch
ZONE = 1 << 22  # bytes around a tensor that belong to none


class MemoryFault(RuntimeError):
    """What programs did to memory that they may not."""


@contextmanager
def interpreted() -> Iterator[None]:
    """Within it launches are interpreted, and memory that nothing was written to is no number."""
    with caught(launched, lambda size: OWN_NEXT_POWER(size) * LARGER.get()), Poisoned():
        yield


STRICT: ContextVar[bool] = ContextVar("strict", default=False)
LARGER: ContextVar[int] = ContextVar("larger", default=1)  # how much larger than needed blocks are


def unlike(results: Callable[[], list[Any]], unwritten: bool) -> str:
    """That results are others where blocks are twice as large; or are no numbers, if memory that
    nothing was written to is in them."""
    once = results()
    if unwritten and any(np.any(np.isnan(x)) for x in once):
        return "Triton's interpreter: the result is no number where nothing was written"
    token = LARGER.set(2)
    try:
        twice = results()
    finally:
        LARGER.reset(token)
    for one, other in zip(once, twice, strict=True):
        if not np.allclose(one, other, rtol=1e-3, atol=1e-3, equal_nan=True):
            return "Triton's interpreter: the result is another one where blocks are twice as large"
    return ""


class Poisoned(TorchDispatchMode):
    """New tensors that nothing was written to are full of what is no number."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Which would load the compiler, that is not needed here."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        if name in EMPTY and isinstance(found, torch.Tensor) and found.dtype.is_floating_point:
            found.fill_(float("nan"))
        return found


EMPTY = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")


def launched(kernel: Any, grid: Any, given: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """One launch, by a child that has the kernel, is sent the memory, and sends it back."""
    own = {k: v for k, v in named.items() if k not in OPTIONS}
    if callable(grid):
        bound = inspect.signature(kernel.fn).bind(*given, **own)
        bound.apply_defaults()
        grid = grid(dict(bound.arguments))
    counts = tuple(int(c) for c in (grid if isinstance(grid, tuple | list) else (grid,)))
    if not all(counts):
        return
    storages = storages_in((*given, *own.values()))
    places = {s.data_ptr(): k for k, s in enumerate(storages)}
    sent = [packed(v, places) for v in given], {k: packed(v, places) for k, v in own.items()}
    data = [bytes(bytes_of(s).numpy().tobytes()) for s in storages]
    found, fault = Child.of(kernel).asked((STRICT.get(), counts, *sent, data))
    if fault is not None:
        raise (MemoryFault if fault[0] else RuntimeError)(f"{kernel.fn.__name__}: {fault[1]}")
    for storage, after in zip(storages, found, strict=True):
        bytes_of(storage).copy_(torch.frombuffer(bytearray(after), dtype=torch.uint8))


@dataclass(frozen=True)
class Packed:
    """A tensor: which storage it is in, and where."""

    storage: int
    dtype: torch.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


def packed(value: Any, places: Mapping[int, int]) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    storage = value.untyped_storage()
    where = places[storage.data_ptr()] if storage.nbytes() else -1
    return Packed(where, value.dtype, tuple(value.shape), value.stride(), value.storage_offset())


class Child:
    """A process that interprets the launches of one kernel, until its parent ends."""

    known: ClassVar[dict[Any, Child]] = {}

    @classmethod
    def of(cls, kernel: Any) -> Child:
        found = cls.known.get(kernel.fn)
        if found is None:
            found = cls.known[kernel.fn] = cls(kernel)
        return found

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        down, self.into = os.pipe()
        self.out, up = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # of forking where there are threads
            self.pid = os.fork()
        if self.pid == 0:
            set_trace(None)
            os.close(self.into)
            os.close(self.out)
            try:
                serve(kernel, down, up)
            finally:
                os._exit(0)
        os.close(down)
        os.close(up)

    def asked(self, question: Any) -> Any:
        data = pickle.dumps(question)
        try:
            write(self.into, data)
            sent = received(self.out)
        except OSError:
            sent = b""
        if not sent:
            self.ended()
            raise RuntimeError(f"{self.kernel.fn.__name__}: the interpreter gave no answer")
        return pickle.loads(sent)

    def ended(self) -> None:
        self.known.pop(self.kernel.fn, None)
        os.close(self.into)
        os.close(self.out)
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


@atexit.register
def end_all() -> None:
    for child in [*Child.known.values()]:
        child.ended()


def serve(kernel: Any, down: int, up: int) -> None:
    """In the child: one answer for each question, until there is none."""
    torch.set_num_threads(1)
    for other in [*Child.known.values()]:  # of the parent's, whose ends of pipes are here too
        os.close(other.into)
        os.close(other.out)
    watch = Watch()
    prepared(watch)
    while question := received(down, None):
        write(up, pickle.dumps(answer(kernel, watch, *pickle.loads(question))))


def write(into: int, data: bytes) -> None:
    left = memoryview(struct.pack("<q", len(data)) + data)
    while left:
        left = left[os.write(into, left) :]


def received(out: int, seconds: float | None = MOST_SECONDS) -> bytes:
    """What is sent, whole; nothing where there is an end, or it takes too long."""
    found, wanted = b"", 8
    end = None if seconds is None else time.monotonic() + seconds
    while len(found) < wanted:
        left = None if end is None else max(0.0, end - time.monotonic())
        if not select.select([out], [], [], left)[0]:
            return b""
        part = os.read(out, 1 << 20)
        if not part:
            return b""
        found += part
        if wanted == 8 and len(found) >= 8:
            wanted = 8 + struct.unpack("<q", found[:8])[0]
    return found[8:]


def storages_in(values: Any) -> list[Any]:
    found = {}
    for value in values:
        if isinstance(value, torch.Tensor) and value.untyped_storage().nbytes():
            storage = value.untyped_storage()
            found[storage.data_ptr()] = storage
    return list(found.values())


def bytes_of(storage: Any) -> torch.Tensor:
    return torch.empty(0, dtype=torch.uint8).set_(storage)


def answer(
    kernel: Any,
    watch: Watch,
    strict: bool,
    grid: tuple[int, ...],
    given: Any,
    named: Any,
    data: list[bytes],
) -> tuple[list[bytes], tuple[bool, str] | None]:
    """In the child: what the storages hold after the launch, or what went wrong."""
    watch.begin(strict)
    whole = []
    for part in data:
        larger = torch.empty(len(part) + 2 * ZONE, dtype=torch.uint8)
        larger[ZONE : ZONE + len(part)] = torch.frombuffer(bytearray(part), dtype=torch.uint8)
        watch.regions.append((larger.data_ptr() + ZONE, len(part)))
        whole.append(larger)

    def unpacked(value: Any) -> Any:
        if not isinstance(value, Packed):
            return value
        made = torch.empty(0, dtype=value.dtype)
        if value.storage < 0:
            return made
        offset = ZONE // made.element_size() + value.offset
        storage = whole[value.storage].untyped_storage()
        return made.set_(storage, offset, value.shape, value.strides)

    interpreter: Any = import_module("triton.runtime.interpreter")
    own = {k: unpacked(v) for k, v in named.items()}
    try:
        with np.errstate(all="ignore"):
            run = interpreter.InterpretedFunction(kernel.fn).run
            run(*map(unpacked, given), grid=grid, warmup=False, **own)
    except Exception as failure:
        if watch.fault:
            return [], (True, watch.fault)
        return [], (False, f"Triton's interpreter fails: {failure}")
    pairs = zip(whole, data, strict=True)
    return [w[ZONE : ZONE + len(part)].numpy().tobytes() for w, part in pairs], None


def prepared(watch: Watch) -> None:
    """In the child: functions of the language are interpreted, and what lanes touch is watched."""
    interpreter: Any = import_module("triton.runtime.interpreter")
    patched, own_patch = set[int](), interpreter._patch_lang

    def patch_once(function: Any) -> Any:
        if id(function.__globals__) not in patched:
            patched.add(id(function.__globals__))
            own_patch(function)
        return interpreter._LangPatchScope()

    interpreter._patch_lang = patch_once
    jit.JITFunction.__call__ = lambda own, *a, **k: interpreter.InterpretedFunction(own.fn)(*a, **k)
    watch.installed(interpreter)


@dataclass
class Watch:
    """Who touched which address, and the first fault."""

    regions: list[tuple[int, int]] = field(default_factory=list)
    written: dict[int, tuple[Any, tuple[str, bytes]]] = field(default_factory=dict)
    read: dict[int, Any] = field(default_factory=dict)
    fault: str = ""
    strict: bool = False  # whether programs may not meet though they write the same number

    def begin(self, strict: bool) -> None:
        self.strict = strict
        self.regions, self.written, self.read, self.fault = [], {}, {}, ""

    def installed(self, interpreter: Any) -> None:
        builder = interpreter.InterpreterBuilder
        load, store, rmw = (
            builder.create_masked_load,
            builder.create_masked_store,
            builder.create_atomic_rmw,
        )

        def loaded(own: Any, ptrs: Any, mask: Any, other: Any, *more: Any) -> Any:
            self.touched(own, "reads", ptrs, mask)
            found = load(own, ptrs, mask, other, *more)
            if other is None and found.data.dtype.kind == "f":
                found.data[~np.broadcast_to(mask.data, found.data.shape)] = np.nan
            return found

        def stored(own: Any, ptrs: Any, value: Any, mask: Any, *more: Any) -> Any:
            self.touched(own, "writes", ptrs, mask, value)
            return store(own, ptrs, value, mask, *more)

        def added(own: Any, op: Any, ptr: Any, value: Any, mask: Any, *more: Any) -> Any:
            self.touched(own, "adds to", ptr, mask)
            return rmw(own, op, ptr, value, mask, *more)

        builder.create_masked_load, builder.create_masked_store = loaded, stored
        builder.create_atomic_rmw = added

    def touched(self, builder: Any, does: str, ptrs: Any, mask: Any, value: Any = None) -> None:
        program = builder.grid_idx
        mask.data = mask.data.astype(bool)  # which a scalar and a block make integers
        live = np.broadcast_to(mask.data, ptrs.data.shape)
        size = max(1, ptrs.get_element_ty().primitive_bitwidth // 8)
        for lane in zip(*np.nonzero(live), strict=True):
            address = int(ptrs.data[lane])
            lanes = tuple(int(k) for k in lane)
            if not any(a <= address and address + size <= a + n for a, n in self.regions):
                self.fail(f"program {program}, lane {lanes}, {does} memory outside of all tensors")
            here = None if value is None else np.broadcast_to(value.data, ptrs.data.shape)[lane]
            self.meet(address, program, lanes, does, here)

    def meet(self, address: int, program: Any, lanes: Any, does: str, value: Any) -> None:
        own = (does, b"" if value is None else value.tobytes())
        before, kind = self.written.get(address, (program, own))
        both_add = kind[0] == does == "adds to"
        if before != program and not both_add and (kind != own or self.strict):
            said = f"programs {before} and {program} meet at one cell"
            self.fail(f"{said}: one {kind[0]} it, one {does} it")
        if does == "reads":
            self.read.setdefault(address, program)
            if self.read[address] != program:
                self.read[address] = MANY
            return
        reader = self.read.get(address, program)
        if reader != program:
            who = "others" if reader is MANY else str(reader)
            self.fail(f"program {program}, lane {lanes}, {does} a cell that program {who} reads")
        self.written[address] = (program, own)

    def fail(self, said: str) -> None:
        self.fault = self.fault or said
        raise MemoryFault(said)


MANY = "several"
