"""Triton's language, name by name: what each operation makes of blocks. Untrusted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT, REAL, Term
from gradproof.tracing import blocks as b
from gradproof.tracing import integers as n
from gradproof.tracing import lanes, layout, reals
from gradproof.tracing.axes import axis_of
from gradproof.tracing.blocks import Pointer, lifted
from gradproof.tracing.cellwise import cast
from gradproof.tracing.operations import OPS
from gradproof.tracing.tensors import Tensor, Unreadable, as_real, constant, elementwise

Operation = Callable[..., Any]
KNOWN: dict[str, Operation] = {}
SHARED = {  # the names that PyTorch has for the same
    **{name: name for name in ("exp", "log", "sqrt", "rsqrt", "sigmoid", "sin", "cos", "erf")},
    **{name: name for name in ("tanh", "log2", "abs", "tan", "atan", "sinh", "cosh", "expm1")},
    **{"sqrt_rn": "sqrt", "fabs": "abs", "log1p": "log1p", "log10": "log10", "pow": "pow"},
    **{"fast_expf": "exp", "fast_logf": "log", "acos": "acos", "asin": "asin"},
}
NOTHING: tuple[str, ...] = (
    "static_assert",
    "assume",
    "device_assert",
    "static_print",
)
NOTHING += ("device_print", "multiple_of", "max_contiguous", "max_constancy")
LOG2E = 1.4426950408889634


def op(*names: str) -> Callable[[Operation], Operation]:
    def register(function: Operation) -> Operation:
        KNOWN.update(dict.fromkeys(names, function))
        return function

    return register


def shared(name: str, *given: Any) -> Any:
    """By the operation that all adapters share."""
    blocks = [lifted(v) if not isinstance(v, int | float) or v in INFINITE else v for v in given]
    b.require_alike(*(x for x in blocks if isinstance(x, Tensor)))
    return OPS[name](None, *blocks)


INFINITE = (float("inf"), float("-inf"))


def called(program: Any, name: str, given: list[Any], named: dict[str, Any]) -> Any:
    """What an operation of the language gives."""
    if name in SHARED:
        return shared(SHARED[name], *given)
    if name in NOTHING:
        return given[0] if given else None
    if name not in KNOWN:
        raise Unreadable(f"tl.{name} is not read")
    return KNOWN[name](program, *given, **named)


def whole(value: Any) -> Term:
    """An integer that the kernel is compiled for, or computes as a scalar."""
    found = lifted(value)
    if found.axes or found.sort != INT:
        raise Unreadable("a block, or a real, where one integer is meant")
    return found.cell(())


@op("program_id")
def program_id(program: Any, axis: Any = 0, **_: Any) -> Tensor:
    return b.scalar(program.program(axis))


@op("num_programs")
def num_programs(program: Any, axis: Any = 0, **_: Any) -> Tensor:
    return b.scalar(program.count(axis))


@op("arange")
def arange(program: Any, first: Any, last: Any) -> Tensor:
    for end in (first, last):
        if not isinstance(end, int) and not program.is_block(end):
            raise Unreadable("tl.arange to what is no constant, which Triton does not compile")
    if isinstance(first, int) and isinstance(last, int) and not is_power(last - first):
        raise Unreadable(f"tl.arange over {last - first} lanes, which is no power of two")
    return b.arange(first, last)


def is_power(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


@op("zeros")
def zeros(program: Any, shape: Any, dtype: Any = None) -> Tensor:
    return full(program, shape, 0, dtype)


@op("zeros_like")
def zeros_like(program: Any, like: Any) -> Tensor:
    return constant(0, like.shape, like.sort)


@op("full")
def full(program: Any, shape: Any, value: Any, dtype: Any = None) -> Tensor:
    inner = lifted(value)
    sizes = [whole(s) for s in (shape if isinstance(shape, tuple | list) else [shape])]
    sort = inner.sort if dtype is None else dtype.sort
    cell = inner.cell(())
    return Tensor(tuple(axis_of(s) for s in sizes), lambda _: cell, sort)


@op("where")
def where(program: Any, condition: Any, then: Any, otherwise: Any) -> Tensor:
    return b.choose(condition, then, otherwise)


@op("maximum")
def maximum(program: Any, x: Any, y: Any, **_: Any) -> Any:
    return b.extreme(True, x, y, program.facts)


@op("minimum")
def minimum(program: Any, x: Any, y: Any, **_: Any) -> Any:
    return b.extreme(False, x, y, program.facts)


@op("clamp")
def clamp(program: Any, x: Any, low: Any, high: Any, **_: Any) -> Any:
    return minimum(program, maximum(program, x, low), high)


@op("cdiv")
def cdiv(program: Any, x: Any, div: Any) -> Any:
    if isinstance(x, int) and isinstance(div, int):
        return -(-x // div)
    return floor_divide(program, shared("add", x, shared("sub", div, 1)), div)


def floor_divide(program: Any, above: Any, below: Any) -> Any:
    return rounded(program, n.floor_div, above, below)


def remainder(program: Any, above: Any, below: Any) -> Any:
    return rounded(program, n.mod, above, below)


def rounded(program: Any, kind: Any, above: Any, below: Any) -> Any:
    """Of integers that are not below 0, since of others Triton rounds towards 0."""
    x, y = b.joint(above, below)
    if x.sort != INT or y.sort != INT:
        raise Unreadable("a quotient of reals that is rounded, or a remainder of them")

    def cell(a: Term, c: Term) -> Term:
        wanted = t.And(t.relation(t.Ge, a, 0), t.relation(t.Ge, c, 1))
        if not program.facts.holds(wanted, *program.path):
            raise Unreadable(f"{a} over {c}, rounded, where one may be below 0")
        quotient, rest = n.split(a, c)
        left = n.term_of(rest)
        small = t.And(t.relation(t.Ge, left, 0), t.relation(t.Lt, left, c))
        if rest and program.facts.holds(small, *program.path):
            return left if kind is n.mod else n.term_of(quotient)
        program.part(a, c)
        found: Term = kind(a, c)
        return found

    return elementwise(cell, x, y, sort=INT)


@op("fma")
def fma(program: Any, x: Any, y: Any, z: Any) -> Any:
    return shared("add", shared("mul", x, y), z)


@op("fdiv", "div_rn", "div_rz", "fast_dividef")
def divide(program: Any, x: Any, y: Any, **_: Any) -> Any:
    return shared("div", x, y)


@op("exp2")
def exp2(program: Any, x: Any) -> Any:
    """Of a multiple of log2(e), in as many digits as it is written with, a power of e."""
    return elementwise(power_of_two, as_real(lifted(x)))


def power_of_two(a: Term) -> Term:
    parts = list(reals.factors(a))
    for part in parts:
        if isinstance(part, sympy.Rational) and abs(float(part) / LOG2E - 1) < 1e-8:
            parts.remove(part)
            return reals.exp(reals.times(*parts))
    return reals.exp(reals.times(a, reals.log(2)))


def met(program: Any, block: Any) -> None:
    """Lanes of a program wait for each other where one number is made of them."""
    program.phase += bool(lifted(block).factors)


@op("sum")
def total(program: Any, input: Any, axis: Any = None, keep_dims: Any = False, **_: Any) -> Any:
    met(program, input)
    return b.reduced(lanes.total, as_real_or_whole(input), axis, keep_dims, program.facts)


def as_real_or_whole(value: Any) -> Tensor:
    block = lifted(value)
    return cast(block, INT) if block.sort == BOOL else block


@op("max")
def largest(
    program: Any, input: Any, axis: Any = None, keep_dims: Any = False, **named: Any
) -> Any:
    met(program, input)
    if any(named.values()):
        raise Unreadable(f"tl.max with {', '.join(named)}")
    return b.reduced(lanes.largest, as_real(lifted(input)), axis, keep_dims, program.facts)


@op("min")
def smallest(
    program: Any, input: Any, axis: Any = None, keep_dims: Any = False, **named: Any
) -> Any:
    return shared("neg", largest(program, shared("neg", input), axis, keep_dims, **named))


@op("dot")
def dot(program: Any, input: Any, other: Any, acc: Any = None, **_: Any) -> Any:
    a, c = lifted(input), lifted(other)
    if len(a.axes) != 2 or len(c.axes) != 2 or not n.equal(a.shape[1], c.shape[0]):
        raise Unreadable("tl.dot of blocks whose inner axes differ")
    met(program, a)
    left, right = layout.unsqueeze(a, 2), layout.unsqueeze(c, 0)
    found = b.reduced(lanes.total, shared("mul", left, right), 1, False, program.facts)
    return found if acc is None else shared("add", acc, found)


@op("trans", "permute")
def trans(program: Any, input: Any, *dims: Any) -> Any:
    order = dims[0] if dims and isinstance(dims[0], tuple | list) else dims
    rank = len(input.axes)
    chosen = list(order) or [*range(rank - 2), rank - 1, rank - 2]
    return over_lanes(input, lambda x: layout.permute(x, chosen))


@op("expand_dims")
def expand_dims(program: Any, input: Any, axis: Any) -> Any:
    return over_lanes(input, lambda x: layout.unsqueeze(x, axis))


@op("broadcast_to")
def broadcast_to(program: Any, input: Any, *shape: Any) -> Any:
    sizes = shape[0] if shape and isinstance(shape[0], tuple | list) else shape
    wanted = constant(0, [whole(s) for s in sizes], INT)
    return over_lanes(input, lambda x: b.joint(x, wanted)[0])


def over_lanes(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """A block, or the offsets of a pointer, with its lanes in another order or number."""
    if isinstance(value, Pointer):
        return Pointer(value.array, change(value.offset))
    return change(lifted(value))


@op("cast", "to")
def cast_to(program: Any, input: Any, dtype: Any = None, **_: Any) -> Any:
    if isinstance(input, Pointer) or dtype is None:
        raise Unreadable("a pointer as one to numbers of another kind")
    block = lifted(input)
    if block.sort == REAL and dtype.sort == INT:
        raise Unreadable("a real that is made an integer")
    if block.sort == INT == dtype.sort and dtype.bits < 32:
        raise Unreadable(f"an integer that is cut to {dtype.bits} bits")
    return cast(block, dtype.sort)


@op("debug_barrier")
def debug_barrier(program: Any) -> None:
    program.phase += 1


@op("load")
def load(program: Any, pointer: Any, mask: Any = None, other: Any = None, **named: Any) -> Tensor:
    refuse(named, ("boundary_check", "padding_option"))
    return program.load(pointer, mask, other)


@op("store")
def store(program: Any, pointer: Any, value: Any, mask: Any = None, **named: Any) -> None:
    refuse(named, ("boundary_check",))
    program.write("store", pointer, value, mask)


@op("atomic_add")
def atomic_add(program: Any, pointer: Any, val: Any, mask: Any = None, **_: Any) -> Any:
    program.write("add", pointer, val, mask)
    return None


def refuse(named: dict[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        if named.get(name):
            raise Unreadable(f"{name}, of a block pointer")


ARITHMETIC: dict[str, Operation] = {
    "Add": lambda p, a, c: shared("add", a, c),
    "Sub": lambda p, a, c: shared("sub", a, c),
    "Mult": lambda p, a, c: shared("mul", a, c),
    "Div": lambda p, a, c: shared("div", a, c),
    "FloorDiv": floor_divide,
    "Mod": remainder,
    "Pow": lambda p, a, c: shared("pow", a, c),
    "BitAnd": lambda p, a, c: shared("bitwise_and", a, c),
    "BitOr": lambda p, a, c: shared("bitwise_or", a, c),
}
COMPARED = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
