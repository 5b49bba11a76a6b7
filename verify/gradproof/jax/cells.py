"""JAX's primitives that work cell by cell, most of them as PyTorch's of another name. Untrusted."""

from __future__ import annotations

from typing import Any

import sympy

from gradproof.jax.choosing import at_least_zero
from gradproof.jax.reader import Reader, rule, sort_of
from gradproof.language import functions
from gradproof.language import terms as t
from gradproof.language.terms import INT, Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals, sums
from gradproof.tracing.operations import OPS, cast
from gradproof.tracing.tensors import Tensor, Unreadable, constant, elementwise

SMALL = 3  # a power of an integer up to which nothing is said of overflow
SHARED = {
    "add": "add",
    "add_any": "add",
    "sub": "sub",
    "mul": "mul",
    "neg": "neg",
    "exp": "exp",
    "exp2": "exp2",
    "log": "log",
    "log1p": "log1p",
    "expm1": "expm1",
    "sqrt": "sqrt",
    "rsqrt": "rsqrt",
    "square": "square",
    "sign": "sign",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "asin": "asin",
    "acos": "acos",
    "atan": "atan",
    "atan2": "atan2",
    "asinh": "asinh",
    "acosh": "acosh",
    "atanh": "atanh",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "erf": "erf",
    "logistic": "sigmoid",
}


def shared(name: str) -> None:
    def run(reader: Reader, equation: Any, *inputs: Tensor) -> Any:
        return OPS[name](reader, *inputs)

    for own, other in SHARED.items():
        if other == name:
            rule(own)(run)


for name_ in dict.fromkeys(SHARED.values()):
    shared(name_)


@rule("div")
def divide(reader: Reader, equation: Any, a: Tensor, b: Tensor) -> Tensor:
    if sort_of(equation.outvars[0].aval.dtype) != INT:
        return OPS["div"](reader, a, b)
    return elementwise(rounded, a, b, sort=INT)


def rounded(p: Term, q: Term) -> Term:
    """A quotient of integers as C has it, towards 0."""
    natural = at_least_zero(p) and at_least_zero(q)
    return n.floor_div(p, q) if natural else t.TruncDiv(p, q)


@rule("rem")
def remainder(reader: Reader, equation: Any, a: Tensor, b: Tensor) -> Tensor:
    def cell(p: Term, q: Term) -> Term:
        natural = at_least_zero(p) and at_least_zero(q)
        return n.mod(p, q) if natural else t.TruncMod(p, q)

    if a.sort != INT or b.sort != INT:
        return OPS["remainder"](reader, a, b)
    return elementwise(cell, a, b, sort=INT)


@rule("pow")
def power(reader: Reader, equation: Any, a: Tensor, b: Tensor) -> Tensor:
    if a.sort == INT:
        raise Unreadable("a power of integers, which overflows; make them real")
    return elementwise(reals.power, a, b)


@rule("integer_pow")
def integer_power(reader: Reader, equation: Any, a: Tensor) -> Tensor:
    count = sympy.Integer(equation.params["y"])
    if a.sort == INT:
        if not 0 <= count <= SMALL:
            raise Unreadable("a power of integers, which overflows; make them real")
        return elementwise(lambda u: n.mul(*[u] * int(count)), a, sort=INT)
    return elementwise(lambda u: reals.power(u, count), a)


@rule("abs")
def absolute(reader: Reader, equation: Any, a: Tensor) -> Tensor:
    return elementwise(lambda u: u if reals.is_nowhere_negative(u) else size_of(u), a, sort=a.sort)


def size_of(u: Term) -> Term:
    return t.If(t.relation(t.Ge, u, 0), u, reals.negative(u))


@rule("copy", "stop_gradient", "optimization_barrier")
def same(reader: Reader, equation: Any, *inputs: Tensor) -> list[Tensor]:
    return list(inputs)


@rule("erfc")
def rest_of_erf(reader: Reader, equation: Any, a: Tensor) -> Tensor:
    return elementwise(lambda u: reals.minus(1, functions.erf(u)), a)


@rule("convert_element_type")
def converted(reader: Reader, equation: Any, x: Tensor) -> Tensor:
    if x.hit is not None:
        return x
    return cast(x, sort_of(equation.params["new_dtype"]))


@rule("dim_as_value")
def size_as_value(reader: Reader, equation: Any) -> Tensor:
    return constant(reader.sizes.term(equation.params["dim"]), sort=INT)


@rule("cumsum")
def cumulative(reader: Reader, equation: Any, x: Tensor) -> Tensor:
    return sums.cumulative(reader.names, x, equation.params["axis"], equation.params["reverse"])
