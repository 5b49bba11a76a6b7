"""What ops that act on each cell alone have in common; all axes are counted as one."""

from collections.abc import Callable
from typing import Any

from gradproof.language import Claim, Eq, Op, array, cotangent, integers, tangent

N, i = integers("N i")
x, y = array("x", N), array("y", N)


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
        requires=(N >= 1, *requires),
        forward=Eq(y[i], value(x[i])),
        jvp=Eq(tangent(y)[i], slope(x[i]) * tangent(x)[i]),
        vjp=Eq(cotangent(x)[i], slope(x[i]) * cotangent(y)[i]),
        claims=claims,
        doc=doc,
    )
