"""Distances between the rows of two matrices."""

from typing import Any

from gradproof.language import (
    Eq,
    If,
    Op,
    Sum,
    array,
    cotangent,
    exp,
    integers,
    reals,
    sqrt,
    tangent,
)

N, M, D, i, j, d, e = integers("N M D i j d e")
eps, gamma = reals("eps gamma")
a, b = array("a", N, D), array("b", M, D)
a_dot, b_dot, a_bar, b_bar = tangent(a), tangent(b), cotangent(a), cotangent(b)
y = array("y", N, M)
y_dot, y_bar = tangent(y), cotangent(y)
features, rows, columns = (d, 0, D - 1), (i, 0, N - 1), (j, 0, M - 1)
requires = (N >= 1, M >= 1, D >= 1)
squared = Sum((a[i, e] - b[j, e]) ** 2, (e, 0, D - 1))


def between(name: Any, distance: Any, slope: Any, doc: Any, clauses: Any = ()) -> Any:
    """`slope` times the change of `a - b` is that of the distance."""
    return Op(
        name,
        requires=(*requires, *clauses),
        forward=Eq(y[i, j], distance),
        jvp=Eq(y_dot[i, j], Sum(slope * (a_dot[i, d] - b_dot[j, d]), features)),
        vjp=(
            Eq(a_bar[i, d], Sum(slope * y_bar[i, j], columns)),
            Eq(b_bar[j, d], -Sum(slope * y_bar[i, j], rows)),
        ),
        doc=doc,
    )


change = a[i, d] - b[j, d]

squared_distance = between(
    "squared_distance",
    squared,
    2 * change,
    "Squared Euclidean distances of all pairs. PyTorch: `torch.cdist(a, b) ** 2`.",
)

cdist = between(
    "cdist",
    sqrt(squared + eps),
    change / sqrt(squared + eps),
    "Euclidean distances of all pairs, ε below the root. PyTorch: `torch.cdist`, without ε.",
    (eps > 0,),
)

manhattan_distance = between(
    "manhattan_distance",
    Sum(abs(a[i, e] - b[j, e]), (e, 0, D - 1)),
    If(change > 0, 1, If(change < 0, -1, 0)),
    "Sums of absolute differences. PyTorch: `torch.cdist(a, b, p=1)`.",
)

rbf_kernel = between(
    "rbf_kernel",
    exp(-gamma * squared),
    -2 * gamma * change * exp(-gamma * squared),
    "Gaussian of the distance. PyTorch: `torch.exp(-gamma * torch.cdist(a, b) ** 2)`.",
    (gamma > 0,),
)

u, v, apart = array("a", N, D), array("b", N, D), array("y", N)

dot_similarity = Op(
    "dot_similarity",
    requires=requires,
    forward=Eq(y[i, j], Sum(a[i, d] * b[j, d], features)),
    jvp=Eq(y_dot[i, j], Sum(a_dot[i, d] * b[j, d] + a[i, d] * b_dot[j, d], features)),
    vjp=(
        Eq(a_bar[i, d], Sum(b[j, d] * y_bar[i, j], columns)),
        Eq(b_bar[j, d], Sum(a[i, d] * y_bar[i, j], rows)),
    ),
    doc="Inner products of all pairs. PyTorch: `a @ b.mT`.",
)

length = sqrt(Sum((u[i, e] - v[i, e]) ** 2, (e, 0, D - 1)) + eps)

pairwise_distance = Op(
    "pairwise_distance",
    requires=(N >= 1, D >= 1, eps > 0),
    forward=Eq(apart[i], length),
    jvp=Eq(
        tangent(apart)[i],
        Sum((u[i, d] - v[i, d]) * (tangent(u)[i, d] - tangent(v)[i, d]), features) / length,
    ),
    vjp=(
        Eq(cotangent(u)[i, d], (u[i, d] - v[i, d]) / length * cotangent(apart)[i]),
        Eq(cotangent(v)[i, d], (v[i, d] - u[i, d]) / length * cotangent(apart)[i]),
    ),
    doc="The distance of each row of one to that of the other, ε below the root. "
    "PyTorch: `nn.functional.pairwise_distance`, whose ε is added to the difference.",
)
