"""Activations, on each cell alone, and those with a learned slope or a gate."""

from fractions import Fraction
from typing import Any

from gradproof.language import (
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    erf,
    exp,
    integers,
    log,
    pi,
    reals,
    sigmoid,
    softplus,
    sqrt,
    tangent,
    tanh,
)
from gradproof.specs.library.pointwise import pointwise

alpha, beta, low, high, scale = reals("alpha beta low high scale")

# In pieces.

relu = pointwise(
    "relu",
    lambda u: Max(u, 0),
    lambda u: If(u > 0, 1, 0),
    "Rectified linear unit. PyTorch: `nn.functional.relu`.",
)

relu6 = pointwise(
    "relu6",
    lambda u: Min(Max(u, 0), 6),
    lambda u: If((u > 0) & (u < 6), 1, 0),
    "ReLU, at most 6. PyTorch: `nn.functional.relu6`.",
)

squared_relu = pointwise(
    "squared_relu",
    lambda u: Max(u, 0) ** 2,
    lambda u: 2 * Max(u, 0),
    "The square of ReLU. JAX: `jnp.square(jax.nn.relu(x))`.",
)

leaky_relu = pointwise(
    "leaky_relu",
    lambda u: If(u > 0, u, alpha * u),
    lambda u: If(u > 0, 1, alpha),
    "ReLU with slope α below 0. PyTorch: `nn.functional.leaky_relu`.",
    requires=(alpha >= 0,),
)

elu = pointwise(
    "elu",
    lambda u: If(u > 0, u, alpha * (exp(u) - 1)),
    lambda u: If(u > 0, 1, alpha * exp(u)),
    "Exponential linear unit. PyTorch: `nn.functional.elu`.",
    requires=(alpha > 0,),
)

celu = pointwise(
    "celu",
    lambda u: If(u > 0, u, alpha * (exp(u / alpha) - 1)),
    lambda u: If(u > 0, 1, exp(u / alpha)),
    "Continuously differentiable ELU. PyTorch: `nn.functional.celu`.",
    requires=(alpha > 0,),
)

selu = pointwise(
    "selu",
    lambda u: scale * If(u > 0, u, alpha * (exp(u) - 1)),
    lambda u: scale * If(u > 0, 1, alpha * exp(u)),
    "Scaled ELU, for any scale and α. PyTorch: `nn.functional.selu`.",
    requires=(alpha > 0, scale > 0),
)

hard_tanh = pointwise(
    "hard_tanh",
    lambda u: Max(low, Min(high, u)),
    lambda u: If((low < u) & (u < high), 1, 0),
    "Clipping. PyTorch: `nn.functional.hardtanh`, `clamp`.",
    requires=(low < high,),
)

hard_sigmoid = pointwise(
    "hard_sigmoid",
    lambda u: Max(0, Min(1, u / 6 + Fraction(1, 2))),
    lambda u: If((u > -3) & (u < 3), Fraction(1, 6), 0),
    "A sigmoid in three pieces. PyTorch: `nn.functional.hardsigmoid`.",
)

hard_swish = pointwise(
    "hard_swish",
    lambda u: u * Max(0, Min(1, u / 6 + Fraction(1, 2))),
    lambda u: If(u <= -3, 0, If(u < 3, u / 3 + Fraction(1, 2), 1)),
    "SiLU in three pieces. PyTorch: `nn.functional.hardswish`.",
)

hard_shrink = pointwise(
    "hard_shrink",
    lambda u: If(abs(u) > alpha, u, 0),
    lambda u: bracket(abs(u) > alpha),
    "0 near 0, the cell elsewhere. PyTorch: `nn.functional.hardshrink`.",
    requires=(alpha > 0,),
)

soft_shrink = pointwise(
    "soft_shrink",
    lambda u: If(u > alpha, u - alpha, If(u < -alpha, u + alpha, 0)),
    lambda u: bracket(abs(u) > alpha),
    "Towards 0 by α, and no further. PyTorch: `nn.functional.softshrink`.",
    requires=(alpha > 0,),
)

threshold = pointwise(
    "threshold",
    lambda u: If(u > low, u, 0),
    lambda u: bracket(u > low),
    "The cell above a threshold, 0 elsewhere. PyTorch: `nn.functional.threshold(x, low, 0)`.",
    requires=(low >= 0,),
)

# Smooth.

sigmoid_op = pointwise(
    "sigmoid",
    sigmoid,
    lambda u: sigmoid(u) * (1 - sigmoid(u)),
    "The logistic function. PyTorch: `torch.sigmoid`.",
)

log_sigmoid = pointwise(
    "log_sigmoid",
    lambda u: -log(1 + exp(-u)),
    lambda u: 1 - sigmoid(u),
    "The logarithm of the logistic function. PyTorch: `nn.functional.logsigmoid`.",
)

tanh_op = pointwise(
    "tanh",
    tanh,
    lambda u: 1 - tanh(u) ** 2,
    "The hyperbolic tangent. PyTorch: `torch.tanh`.",
)

tanh_shrink = pointwise(
    "tanh_shrink",
    lambda u: u - tanh(u),
    lambda u: tanh(u) ** 2,
    "The rest to the hyperbolic tangent. PyTorch: `nn.functional.tanhshrink`.",
)

soft_sign = pointwise(
    "soft_sign",
    lambda u: u / (1 + abs(u)),
    lambda u: 1 / (1 + abs(u)) ** 2,
    "x/(1 + |x|). PyTorch: `nn.functional.softsign`.",
)

soft_plus = pointwise(
    "soft_plus",
    lambda u: log(1 + exp(beta * u)) / beta,
    lambda u: sigmoid(beta * u),
    "log(1 + exp(βx))/β. PyTorch: `nn.functional.softplus`.",
    requires=(beta > 0,),
)

silu = pointwise(
    "silu",
    lambda u: u * sigmoid(u),
    lambda u: sigmoid(u) * (1 + u * (1 - sigmoid(u))),
    "Swish, x·σ(x). PyTorch: `nn.functional.silu`.",
)

mish = pointwise(
    "mish",
    lambda u: u * tanh(softplus(u)),
    lambda u: tanh(softplus(u)) + u * sigmoid(u) * (1 - tanh(softplus(u)) ** 2),
    "x·tanh(softplus(x)). PyTorch: `nn.functional.mish`.",
)

gelu = pointwise(
    "gelu",
    lambda u: u * (1 + erf(u / sqrt(2))) / 2,
    lambda u: (1 + erf(u / sqrt(2))) / 2 + u * exp(-(u**2) / 2) / sqrt(2 * pi),
    "Gaussian error linear unit. PyTorch: `nn.functional.gelu`.",
)

cubic = Fraction(44715, 10**6)


def bent(u: Any) -> Any:
    return sqrt(2 / pi) * (u + cubic * u**3)


gelu_tanh = pointwise(
    "gelu_tanh",
    lambda u: u * (1 + tanh(bent(u))) / 2,
    lambda u: (
        (1 + tanh(bent(u))) / 2
        + u * (1 - tanh(bent(u)) ** 2) * sqrt(2 / pi) * (1 + 3 * cubic * u**2) / 2
    ),
    'GELU by the hyperbolic tangent. PyTorch: `nn.functional.gelu(x, approximate="tanh")`.',
)

# With more than one input.

C, c = integers("C c")
n, i = integers("n i")
x, y, slope = array("x", C, n), array("y", C, n), array("slope", C)
x_dot, y_dot, slope_dot = tangent(x), tangent(y), tangent(slope)
x_bar, y_bar, slope_bar = cotangent(x), cotangent(y), cotangent(slope)

prelu = Op(
    "prelu",
    requires=(C >= 1, n >= 1),
    forward=Eq(y[c, i], If(x[c, i] > 0, x[c, i], slope[c] * x[c, i])),
    jvp=Eq(
        y_dot[c, i],
        If(x[c, i] > 0, x_dot[c, i], slope[c] * x_dot[c, i] + slope_dot[c] * x[c, i]),
    ),
    vjp=(
        Eq(x_bar[c, i], If(x[c, i] > 0, 1, slope[c]) * y_bar[c, i]),
        Eq(slope_bar[c], Sum(If(x[c, i] > 0, 0, x[c, i]) * y_bar[c, i], (i, 0, n - 1))),
    ),
    doc="ReLU with a learned slope per channel. PyTorch: `nn.functional.prelu`.",
)

value, gate, gated = array("value", n), array("gate", n), array("y", n)

glu = Op(
    "glu",
    requires=(n >= 1,),
    forward=Eq(gated[i], value[i] * sigmoid(gate[i])),
    jvp=Eq(
        tangent(gated)[i],
        sigmoid(gate[i])
        * (tangent(value)[i] + value[i] * (1 - sigmoid(gate[i])) * tangent(gate)[i]),
    ),
    vjp=(
        Eq(cotangent(value)[i], sigmoid(gate[i]) * cotangent(gated)[i]),
        Eq(
            cotangent(gate)[i],
            value[i] * sigmoid(gate[i]) * (1 - sigmoid(gate[i])) * cotangent(gated)[i],
        ),
    ),
    doc="Gated linear unit of two halves. PyTorch: `nn.functional.glu`.",
)

swiglu = Op(
    "swiglu",
    requires=(n >= 1,),
    forward=Eq(gated[i], value[i] * gate[i] * sigmoid(gate[i])),
    jvp=Eq(
        tangent(gated)[i],
        tangent(value)[i] * gate[i] * sigmoid(gate[i])
        + value[i] * sigmoid(gate[i]) * (1 + gate[i] * (1 - sigmoid(gate[i]))) * tangent(gate)[i],
    ),
    vjp=(
        Eq(cotangent(value)[i], gate[i] * sigmoid(gate[i]) * cotangent(gated)[i]),
        Eq(
            cotangent(gate)[i],
            value[i]
            * sigmoid(gate[i])
            * (1 + gate[i] * (1 - sigmoid(gate[i])))
            * cotangent(gated)[i],
        ),
    ),
    doc="A value times SiLU of its gate. PyTorch: `x * nn.functional.silu(gate)`.",
)
