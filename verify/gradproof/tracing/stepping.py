"""Which branches of the user's functions ran, and which none of the runs took. Untrusted."""

from __future__ import annotations

import dis
import linecache
import math
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from inspect import CO_VARARGS, CO_VARKEYWORDS, unwrap
from itertools import islice
from types import CodeType, FrameType, ModuleType
from typing import Any

from gradproof.tracing.deciding import ASKED, TOLD, VARIES, Source
from gradproof.tracing.hooking import file_of, hooked
from gradproof.tracing.lines import Place, at

ENDS = ("RETURN_VALUE", "RETURN_CONST", "YIELD_VALUE")
NOT_RUN = "no comparison of what was read with the running code came here"
UNSEEN = "no line of the code was seen to run while it was compared; check what it wraps"
ONE_WAY = "no comparison of what was read with the running code went past here otherwise"
OBSERVED = "what this asks may be answered otherwise while code is read; write ==, or branch by it"
SEEING = ASKED | TOLD
BETWEEN = ("COPY", "TO_BOOL", "UNARY_NOT", "NOT_TAKEN")
NUMBERS = 12
MANY = 50


@dataclass
class Steps:
    """The instructions that ran of the functions of some files, each with the one before it."""

    files: frozenset[str] = frozenset()
    ran: dict[CodeType, set[tuple[int, int]]] = field(default_factory=dict)
    given: dict[tuple[CodeType, str], set[str]] = field(default_factory=dict)  # by parameter
    known: dict[float, None] = field(default_factory=dict)  # numbers that they have at hand
    beyond: dict[str, None] = field(default_factory=dict)  # what was read that did not turn
    answered: Set[Place] = frozenset()  # where a reading decides by sizes

    @contextmanager
    def noted(self) -> Iterator[None]:
        with hooked(self.enter):
            yield

    def enter(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if file_of(frame) not in self.files or is_generated(code):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if code not in self.ran:
            self.known |= dict.fromkeys(at_hand(frame))
        several = sum(bool(code.co_flags & flag) for flag in (CO_VARARGS, CO_VARKEYWORDS))
        for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + several]:
            if name in frame.f_locals:
                self.given.setdefault((code, name), set()).add(plain(frame.f_locals[name]))
        for name in code.co_names:
            if name in frame.f_globals:
                self.given.setdefault((code, name), set()).add(plain(frame.f_globals[name]))
        arcs, last = self.ran.setdefault(code, set()), -1

        def step(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal last
            if event == "opcode":
                arcs.add((last, frame.f_lasti))
                last = frame.f_lasti
            return step

        return step

    @property
    def numbers(self) -> list[float]:
        """Numbers that the functions speak of."""
        found = (*(k for code in self.ran for k in numbers_in(code.co_consts)), *self.known)
        return list(dict.fromkeys(k for k in found if abs(k) > 2 or k != int(k)))[:NUMBERS]

    def missed(self) -> dict[str, None]:
        """Where no run came though a value or a size decides it, each once."""
        if self.files and not self.ran:  # what is compiled once, say, runs unseen after that
            return {UNSEEN: None}
        found = (Branches(code, self) for code in self.ran)
        return dict.fromkeys(s for b in found for s in (*b.missed(), *b.observed())) | self.beyond


def is_generated(code: CodeType) -> bool:
    """Whether it is a method that Python's library wrote, of a dataclass, say."""
    return code.co_filename.startswith("<") and code.co_name.startswith("__")


def at_hand(frame: FrameType) -> Iterator[float]:
    """Numbers in globals that a function names, in what it is closed over, in its defaults, and in
    what has a name within those that it uses."""
    names, known = frame.f_code.co_names, frame.f_globals
    for value in (*frame.f_locals.values(), *(known[k] for k in names if k in known)):
        yield from numbers_in(value)
        for owner in (value, type(value)):
            inside = getattr(owner, "__dict__", {})
            for name in names:
                yield from numbers_in(inside.get(name))


def numbers_in(value: Any, depth: int = 2) -> Iterator[float]:
    """Numbers, whether they stand in text, or in tuples and the like."""
    if isinstance(value, str) and len(value) < 20:
        value = as_number(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        yield value
    if isinstance(value, Mapping):
        value = (*value.keys(), *value.values())
    if isinstance(value, tuple | list | set | frozenset) and depth:
        for one in islice(value, NUMBERS):
            yield from numbers_in(one, depth - 1)


def as_number(text: str) -> float | None:
    try:
        return int(text) if text.strip().lstrip("-").isdigit() else float(text)
    except ValueError:
        return None


def plain(value: Any) -> str:
    """A value in words; of what holds others that it may be any, unless these are plain."""
    if value is None or isinstance(value, bool | str | int | float | type):
        return repr(value)
    if isinstance(value, tuple | list):
        found = [plain(v) for v in value] if len(value) < MANY else [VARIES]
        return VARIES if VARIES in found else f"[{', '.join(found)}]"
    if isinstance(value, dict) and len(value) < MANY:
        found = [f"{plain(k)}: {plain(v)}" for k, v in value.items()]
        return VARIES if any(VARIES in one for one in found) else f"{{{', '.join(found)}}}"
    if isinstance(value, ModuleType):
        return "an object"
    is_data = hasattr(value, "shape") or hasattr(value, "__len__") or hasattr(value, "__iter__")
    return VARIES if is_data else "an object"


class Branches:
    """The branches of a function, by its instructions."""

    def __init__(self, code: CodeType, steps: Steps) -> None:
        self.code, self.steps = code, steps
        self.arcs = steps.ran[code]
        self.ran = {b for _, b in self.arcs}
        self.all = list(dis.get_instructions(code))
        self.place = {u.offset: k for k, u in enumerate(self.all)}

    @cached_property
    def source(self) -> Source:
        return Source(self.code, self.steps.given, self.steps.answered)

    def missed(self) -> Iterator[str]:
        for number, branch in enumerate(self.all[:-1]):
            if branch.offset not in self.ran or not is_branch(branch):
                continue
            if "NONE" in branch.opname or self.source.is_settled(self.asked(number)):
                continue
            after = self.all[number + 1].offset
            taken = {b == after for a, b in self.arcs if a == branch.offset}
            for way, start in ((True, after), (False, branch.argval)):
                if way not in taken and not self.only_raises(start):
                    yield self.told(branch, start)

    def observed(self) -> Iterator[str]:
        """What may be answered otherwise while code is read."""
        if SEEING.isdisjoint(self.code.co_names) and not any("IS_OP" in u.opname for u in self.all):
            return
        for node in self.source.observing:
            if any(self.line(u) == node.lineno for u in self.all):
                text = linecache.getline(self.code.co_filename, node.lineno)
                yield at(self.code.co_filename, node.lineno, text, OBSERVED)

    def asked(self, number: int) -> Any:
        """Where the expression stands by which a branch goes: that which was computed last."""
        before = (u for u in reversed(self.all[:number]) if u.opname not in BETWEEN)
        return next(before, self.all[number]).positions

    def line(self, one: Any) -> int:
        return one.positions.lineno or self.code.co_firstlineno

    def only_raises(self, start: int) -> bool:
        """Whether all that was not run from there ends in an exception."""
        waiting, seen = [start], set[int]()
        while waiting:
            offset = waiting.pop()
            if offset in self.ran:
                return False
            if offset in seen:
                continue
            seen.add(offset)
            one = self.all[self.place[offset]]
            if one.opname in ENDS:
                return False
            waiting += self.following(one)
        return True

    def following(self, one: Any) -> Iterator[int]:
        if one.opname in ("RAISE_VARARGS", "RERAISE"):
            return
        if is_jump(one):
            yield one.argval
        if is_branch(one) or not is_jump(one):
            yield self.all[self.place[one.offset] + 1].offset

    def told(self, branch: Any, start: int) -> str:
        own, line = self.line(branch), self.line(self.all[self.place[start]])
        is_new = start not in self.ran and line > own
        number, said = (line, NOT_RUN) if is_new else (own, ONE_WAY)
        text = linecache.getline(self.code.co_filename, number)
        return at(self.code.co_filename, number, text, said)


def is_jump(one: Any) -> bool:
    return one.opcode in dis.hasjrel or one.opcode in dis.hasjabs


def is_branch(one: Any) -> bool:
    return is_jump(one) and ("_IF_" in one.opname or one.opname == "FOR_ITER")


def files_of(functions: Iterable[Any]) -> frozenset[str]:
    """The files in which functions, classes or modules of the user's stand."""
    return frozenset(file for function in functions for file in files_in(function))


def files_in(value: Any) -> Iterator[str]:
    """Of a wrapper that of what it wraps; of a class or an object those of its methods."""
    code, kind = getattr(value, "__code__", None), value
    if isinstance(code, CodeType):
        yield from () if is_framework(value) else (code.co_filename,)
        kind = None
    elif not isinstance(value, type):
        kind = type(value)
    for name in INSIDE:
        inner = getattr(value, name, None)
        if inner is not None and inner is not value and callable(inner):
            yield from files_in(inner)
    if kind is not None and not is_framework(kind):
        for own in vars(kind).values():
            method = unwrap(getattr(own, "__func__", own)) if callable(own) else own
            code = getattr(method, "__code__", None)
            if isinstance(code, CodeType) and not is_framework(method):
                yield code.co_filename


def is_framework(value: Any) -> bool:
    return (getattr(value, "__module__", None) or "").split(".")[0] in FRAMEWORKS


INSIDE = ("__wrapped__", "func", "fun", "fwd", "bwd", "py_func", "__func__")
FRAMEWORKS = ("torch", "jax", "numpy", "numba", "functools", "builtins")
