"""Linear layers, products of matrices, and their inverses."""

from gradproof.language import (
    Eq,
    If,
    Op,
    Sum,
    array,
    bracket,
    cotangent,
    integers,
    reals,
    tangent,
)

B, N, K, M, J = integers("B N K M J")  # batch, rows, features in, out, and of the second input
b, r, i, o, j = integers("b r i o j")
batch, rows, inputs, outputs, others = (
    (b, 0, B - 1),
    (r, 0, N - 1),
    (i, 0, K - 1),
    (o, 0, M - 1),
    (j, 0, J - 1),
)
x, W, bias, y = array("x", N, K), array("W", M, K), array("bias", M), array("y", N, M)
x_dot, W_dot, bias_dot, y_dot = tangent(x), tangent(W), tangent(bias), tangent(y)
x_bar, W_bar, bias_bar, y_bar = cotangent(x), cotangent(W), cotangent(bias), cotangent(y)

linear = Op(
    "linear",
    requires=(N >= 1, K >= 1, M >= 1),
    forward=Eq(y[r, o], Sum(W[o, i] * x[r, i], inputs) + bias[o]),
    jvp=Eq(y_dot[r, o], Sum(W[o, i] * x_dot[r, i] + W_dot[o, i] * x[r, i], inputs) + bias_dot[o]),
    vjp=(
        Eq(x_bar[r, i], Sum(W[o, i] * y_bar[r, o], outputs)),
        Eq(W_bar[o, i], Sum(y_bar[r, o] * x[r, i], rows)),
        Eq(bias_bar[o], Sum(y_bar[r, o], rows)),
    ),
    doc="A linear layer on rows. PyTorch: `nn.functional.linear`.",
)

z, V = array("z", N, J), array("W", M, K, J)
z_dot, V_dot, z_bar, V_bar = tangent(z), tangent(V), cotangent(z), cotangent(V)

bilinear = Op(
    "bilinear",
    requires=(N >= 1, K >= 1, J >= 1, M >= 1),
    forward=Eq(y[r, o], Sum(x[r, i] * V[o, i, j] * z[r, j], inputs, others) + bias[o]),
    jvp=Eq(
        y_dot[r, o],
        Sum(
            x_dot[r, i] * V[o, i, j] * z[r, j]
            + x[r, i] * V_dot[o, i, j] * z[r, j]
            + x[r, i] * V[o, i, j] * z_dot[r, j],
            *(inputs, others),
        )
        + bias_dot[o],
    ),
    vjp=(
        Eq(x_bar[r, i], Sum(V[o, i, j] * z[r, j] * y_bar[r, o], outputs, others)),
        Eq(z_bar[r, j], Sum(V[o, i, j] * x[r, i] * y_bar[r, o], outputs, inputs)),
        Eq(V_bar[o, i, j], Sum(x[r, i] * z[r, j] * y_bar[r, o], rows)),
        Eq(bias_bar[o], Sum(y_bar[r, o], rows)),
    ),
    doc="A form in two inputs. PyTorch: `nn.functional.bilinear`.",
)

left, right, stack = array("left", B, N, K), array("right", B, K, M), array("y", B, N, M)
left_dot, right_dot, left_bar, right_bar = (
    tangent(left),
    tangent(right),
    cotangent(left),
    cotangent(right),
)

batched_matmul = Op(
    "batched_matmul",
    requires=(B >= 1, N >= 1, K >= 1, M >= 1),
    forward=Eq(stack[b, r, o], Sum(left[b, r, i] * right[b, i, o], inputs)),
    jvp=Eq(
        tangent(stack)[b, r, o],
        Sum(left_dot[b, r, i] * right[b, i, o] + left[b, r, i] * right_dot[b, i, o], inputs),
    ),
    vjp=(
        Eq(left_bar[b, r, i], Sum(cotangent(stack)[b, r, o] * right[b, i, o], outputs)),
        Eq(right_bar[b, i, o], Sum(left[b, r, i] * cotangent(stack)[b, r, o], rows)),
    ),
    doc="A product of matrices for each of a batch. PyTorch: `torch.bmm`.",
)

u, v, table = array("u", K), array("v", M), array("y", K, M)

outer = Op(
    "outer",
    requires=(K >= 1, M >= 1),
    forward=Eq(table[i, o], u[i] * v[o]),
    jvp=Eq(tangent(table)[i, o], tangent(u)[i] * v[o] + u[i] * tangent(v)[o]),
    vjp=(
        Eq(cotangent(u)[i], Sum(cotangent(table)[i, o] * v[o], outputs)),
        Eq(cotangent(v)[o], Sum(cotangent(table)[i, o] * u[i], inputs)),
    ),
    doc="All products of two vectors. PyTorch: `torch.outer`.",
)

s, t, dot_product = array("s", K), array("t", K), array("y")

dot = Op(
    "dot",
    requires=(K >= 1,),
    forward=Eq(dot_product[()], Sum(s[i] * t[i], inputs)),
    jvp=Eq(tangent(dot_product)[()], Sum(tangent(s)[i] * t[i] + s[i] * tangent(t)[i], inputs)),
    vjp=(
        Eq(cotangent(s)[i], t[i] * cotangent(dot_product)[()]),
        Eq(cotangent(t)[i], s[i] * cotangent(dot_product)[()]),
    ),
    doc="The inner product of two vectors. PyTorch: `torch.dot`.",
)

A, trace_value = array("x", K, K), array("y")

trace = Op(
    "trace",
    requires=(K >= 1,),
    forward=Eq(trace_value[()], Sum(A[i, i], inputs)),
    jvp=Eq(tangent(trace_value)[()], Sum(tangent(A)[i, i], inputs)),
    vjp=Eq(cotangent(A)[i, o], bracket(Eq(i, o)) * cotangent(trace_value)[()]),
    doc="The sum of a diagonal. PyTorch: `torch.trace`.",
)

core, left, right, chained = (
    array("W", K, J),
    array("left", N, K),
    array("right", J, M),
    array("y", N, M),
)

rank = reals("rank")

lora = Op(
    "lora",
    requires=(N >= 1, K >= 1, J >= 1, M >= 1, rank > 0),
    forward=Eq(chained[r, o], Sum(left[r, i] * core[i, j] * right[j, o], inputs, others) / rank),
    jvp=Eq(
        tangent(chained)[r, o],
        Sum(
            tangent(left)[r, i] * core[i, j] * right[j, o]
            + left[r, i] * tangent(core)[i, j] * right[j, o]
            + left[r, i] * core[i, j] * tangent(right)[j, o],
            *(inputs, others),
        )
        / rank,
    ),
    vjp=(
        Eq(
            cotangent(core)[i, j],
            Sum(left[r, i] * right[j, o] * cotangent(chained)[r, o], rows, outputs) / rank,
        ),
        Eq(
            cotangent(left)[r, i],
            Sum(core[i, j] * right[j, o] * cotangent(chained)[r, o], others, outputs) / rank,
        ),
        Eq(
            cotangent(right)[j, o],
            Sum(left[r, i] * core[i, j] * cotangent(chained)[r, o], rows, inputs) / rank,
        ),
    ),
    doc="A product of three matrices, scaled: a low-rank update. PyTorch: `x @ a @ b / rank`.",
)

# Of 2×2 matrices (a b; c d), whose inverse is (p q; u v).

a, b2, c, d, det = (array(name) for name in ("a", "b", "c", "d", "det"))
P, Q, U, V = (array(name) for name in ("p", "q", "u", "v"))
det_bar = cotangent(det)

inverse_2x2 = Op(
    "inverse_2x2",
    requires=(~Eq(a[()] * d[()] - b2[()] * c[()], 0),),
    let=(Eq(det[()], a[()] * d[()] - b2[()] * c[()]),),
    forward=(
        Eq(P[()], d[()] / det[()]),
        Eq(Q[()], -b2[()] / det[()]),
        Eq(U[()], -c[()] / det[()]),
        Eq(V[()], a[()] / det[()]),
    ),
    vjp=(
        Eq(det_bar[()], -sum(cotangent(y)[()] * y[()] for y in (P, Q, U, V)) / det[()]),
        Eq(cotangent(a)[()], cotangent(V)[()] / det[()] + d[()] * det_bar[()]),
        Eq(cotangent(b2)[()], -cotangent(Q)[()] / det[()] - c[()] * det_bar[()]),
        Eq(cotangent(c)[()], -cotangent(U)[()] / det[()] - b2[()] * det_bar[()]),
        Eq(cotangent(d)[()], cotangent(P)[()] / det[()] + a[()] * det_bar[()]),
    ),
    doc="The inverse of a 2×2 matrix (a b; c d), whose determinant is not 0. "
    "PyTorch: `torch.linalg.inv`.",
)

pair, measure = array("x", B, 2, 2), array("y", B)
p, q = integers("p q")

determinant_2x2 = Op(
    "determinant_2x2",
    requires=(B >= 1,),
    forward=Eq(measure[b], pair[b, 0, 0] * pair[b, 1, 1] - pair[b, 0, 1] * pair[b, 1, 0]),
    jvp=Eq(
        tangent(measure)[b],
        pair[b, 1, 1] * tangent(pair)[b, 0, 0]
        + pair[b, 0, 0] * tangent(pair)[b, 1, 1]
        - pair[b, 1, 0] * tangent(pair)[b, 0, 1]
        - pair[b, 0, 1] * tangent(pair)[b, 1, 0],
    ),
    vjp=Eq(
        cotangent(pair)[b, p, q],
        If(Eq(p, q), 1, -1) * pair[b, 1 - p, 1 - q] * cotangent(measure)[b],
    ),
    doc="The determinant of each 2×2 matrix. PyTorch: `torch.linalg.det`.",
)

# A triangular system, solved from its first row on; its VJP from the last row back.

L, rhs, solution = array("L", N, N), array("b", N), array("y", N)
back = cotangent(solution, "all")
solved = Sum(L[r, o] * solution[o], (o, 0, r - 1))

triangular_solve = Op(
    "triangular_solve",
    requires=(N >= 1, ~Eq(L[r, r], 0)),
    forward=Eq(solution[r], (rhs[r] - solved) / L[r, r]),
    vjp=(
        Eq(
            back[r],
            cotangent(solution)[r] - Sum(L[o, r] * back[o] / L[o, o], (o, r + 1, N - 1)),
        ),
        Eq(cotangent(rhs)[r], back[r] / L[r, r]),
        Eq(cotangent(L)[r, o], -back[r] / L[r, r] * solution[o] * bracket(o <= r)),
    ),
    doc="Forward substitution. PyTorch: `torch.linalg.solve_triangular(L, b, upper=False)`.",
)
