"""Functions of each cell alone, where they are defined."""

from typing import Any

from gradproof.language import (
    Claim,
    Eq,
    ForAll,
    If,
    Op,
    among,
    array,
    atan,
    cos,
    cotangent,
    erf,
    exp,
    integers,
    log,
    pi,
    reals,
    sin,
    sqrt,
    tan,
    tangent,
)
from gradproof.specs.library.pointwise import N, i, pointwise, x, y

n, p = integers("n"), reals("p")
positive = (x[i] > 0,)

logarithm = pointwise(
    "logarithm",
    lambda u: log(u),
    lambda u: 1 / u,
    "The natural logarithm, of what is above 0. PyTorch: `torch.log`.",
    requires=positive,
)

log1p = pointwise(
    "log1p",
    lambda u: log(1 + u),
    lambda u: 1 / (1 + u),
    "The logarithm of 1 + x. PyTorch: `torch.log1p`.",
    requires=(x[i] > -1,),
)

exponential = pointwise(
    "exponential", lambda u: exp(u), lambda u: exp(u), "The exponential. PyTorch: `torch.exp`."
)

expm1 = pointwise(
    "expm1",
    lambda u: exp(u) - 1,
    lambda u: exp(u),
    "The exponential less 1. PyTorch: `torch.expm1`.",
)

square_root = pointwise(
    "square_root",
    lambda u: sqrt(u),
    lambda u: 1 / (2 * sqrt(u)),
    "The root, of what is above 0. PyTorch: `torch.sqrt`.",
    Claim("it squares to x", ForAll(Eq(sqrt(x[i]) ** 2, x[i]), (i, 0, N - 1))),
    requires=positive,
)

reciprocal_root = pointwise(
    "reciprocal_root",
    lambda u: 1 / sqrt(u),
    lambda u: -1 / (2 * u * sqrt(u)),
    "One over the root. PyTorch: `torch.rsqrt`.",
    requires=positive,
)

reciprocal = pointwise(
    "reciprocal",
    lambda u: 1 / u,
    lambda u: -1 / u**2,
    "One over x, which is not 0. PyTorch: `torch.reciprocal`.",
    requires=(~Eq(x[i], 0),),
)

power = pointwise(
    "power",
    lambda u: u**p,
    lambda u: p * u ** (p - 1),
    "A real power, not the 0th, of what is above 0. PyTorch: `torch.pow`.",
    requires=(*positive, ~Eq(p, 0)),
)

integer_power = pointwise(
    "integer_power",
    lambda u: u**n,
    lambda u: n * u ** (n - 1),
    "A whole power, the 1st or more, of any sign. PyTorch: `torch.pow`.",
    requires=(n >= 1,),
)

sine = pointwise("sine", lambda u: sin(u), lambda u: cos(u), "The sine. PyTorch: `torch.sin`.")

cosine = pointwise(
    "cosine", lambda u: cos(u), lambda u: -sin(u), "The cosine. PyTorch: `torch.cos`."
)

tangens = pointwise(
    "tangens",
    lambda u: tan(u),
    lambda u: 1 + tan(u) ** 2,
    "The tangent, where the cosine is not 0. PyTorch: `torch.tan`.",
    requires=(~Eq(cos(x[i]), 0),),
)

arctangent = pointwise(
    "arctangent",
    lambda u: atan(u),
    lambda u: 1 / (1 + u**2),
    "The inverse of the tangent. PyTorch: `torch.atan`.",
)

error_function = pointwise(
    "error_function",
    lambda u: erf(u),
    lambda u: 2 * exp(-(u**2)) / sqrt(pi),
    "The error function. PyTorch: `torch.erf`.",
)

logit = pointwise(
    "logit",
    lambda u: log(u / (1 - u)),
    lambda u: 1 / (u * (1 - u)),
    "The inverse of the sigmoid, between 0 and 1. PyTorch: `torch.logit`.",
    requires=(x[i] > 0, x[i] < 1),
)

snake = pointwise(
    "snake",
    lambda u: u + sin(p * u) ** 2 / p,
    lambda u: 1 + 2 * sin(p * u) * cos(p * u),
    "x + sin²(px)/p, a periodic activation. PyTorch: `x + torch.sin(p * x) ** 2 / p`.",
    requires=(p > 0,),
)

# Of two.

a, b = array("a", N), array("b", N)


def by_two(name: str, value: Any, by_a: Any, by_b: Any, doc: str, requires: Any = ()) -> Op:
    """`y = value`, of which `by_a` and `by_b` are the slopes."""
    return Op(
        name,
        requires=requires,
        forward=Eq(y[i], value),
        jvp=Eq(tangent(y)[i], by_a * tangent(a)[i] + by_b * tangent(b)[i]),
        vjp=(
            Eq(cotangent(a)[i], by_a * cotangent(y)[i]),
            Eq(cotangent(b)[i], by_b * cotangent(y)[i]),
        ),
        doc=doc,
    )


divide = by_two(
    "divide",
    a[i] / b[i],
    1 / b[i],
    -a[i] / b[i] ** 2,
    "A quotient, whose divisor is not 0. PyTorch: `torch.div`.",
    (~Eq(b[i], 0),),
)

hypotenuse = by_two(
    "hypotenuse",
    sqrt(a[i] ** 2 + b[i] ** 2),
    a[i] / sqrt(a[i] ** 2 + b[i] ** 2),
    b[i] / sqrt(a[i] ** 2 + b[i] ** 2),
    "The length of (a, b), away from the origin. PyTorch: `torch.hypot`.",
    (a[i] ** 2 + b[i] ** 2 > 0,),
)

logaddexp = by_two(
    "logaddexp",
    log(exp(a[i]) + exp(b[i])),
    exp(a[i]) / (exp(a[i]) + exp(b[i])),
    exp(b[i]) / (exp(a[i]) + exp(b[i])),
    "The logarithm of a sum of two exponentials. PyTorch: `torch.logaddexp`.",
)

mask, keep = array("mask", N), reals("keep")

dropout = Op(
    "dropout",
    requires=(among(mask[i], 0, 1), keep > 0),
    constants=(mask,),
    forward=Eq(y[i], mask[i] * x[i] / keep),
    jvp=Eq(tangent(y)[i], mask[i] * tangent(x)[i] / keep),
    vjp=Eq(cotangent(x)[i], If(Eq(mask[i], 1), cotangent(y)[i] / keep, 0)),
    doc="What a mask of zeros and ones keeps, scaled. PyTorch: `nn.functional.dropout`.",
)
