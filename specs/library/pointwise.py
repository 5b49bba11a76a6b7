"""What ops that act on each cell alone have in common: any number of axes of any size."""

from collections.abc import Callable
from typing import Any

from gradproof.language import Claim, Eq, Op, array, axes, cotangent, tangent

n, i = axes("n i")
x, y = array("x", n), array("y", n)


def pointwise(
    name: str,
    value: Callable[[Any], Any],
    slope: Callable[[Any], Any],
    doc: str,
    *claims: Claim,
    requires: tuple[Any, ...] = (),
) -> Op:
    """`y = value(x)`; both rules scale by `slope(x)`."""
    return Op(
        name,
        requires=(n >= 1, *requires),
        forward=Eq(y[i], value(x[i])),
        jvp=Eq(tangent(y)[i], slope(x[i]) * tangent(x)[i]),
        vjp=Eq(cotangent(x)[i], slope(x[i]) * cotangent(y)[i]),
        claims=claims,
        doc=doc,
    )
