"""Bugs that frameworks had, each as a right definition and the part of it that was wrong.

The definitions are written as one first would: for the plain case of one axis, or two by name.
"""

HEAD = """\
from gradproof.language import *
B, C, N, M, D, G, F, V = integers("B C N M D G F V")
b, c, i, j, o, e, f, g, v, r, t = integers("b c i j o e f g v r t")
n, k, s, p, q, d, h, w = integers("n k s p q d h w")
eps, alpha, low, high, a = reals("eps alpha low high a")
x, x_dot, x_bar = array("x", n), tangent(array("x", n)), cotangent(array("x", n))
"""

POOL = """
m = floor_div(n + 2*p - d*(k - 1) - 1, s) + 1
y = array("y", m)
op = Op(
    "pool",
    requires=(n >= 1, k >= 1, s >= 1, d >= 1, p >= 0, n + 2*p >= d*(k - 1) + 1),
    windows=Windows(count=m, size=n + 2*p, extent=d*(k - 1) + 1, stride=s),
    forward=Eq(y[o], Sum(zero_padded(x)[s*o + d*j - p], (j, 0, k - 1)) / k),
    vjp=scatter(
        x_bar[s*o + d*j - p], cotangent(y)[o] / k, (o, 0, m - 1), (j, 0, k - 1),
        where=inside((s*o + d*j - p,), (n,)),
    ),
)
"""

AVERAGE = """
m = floor_div(n + 2*p - k, s) + 1
y, y_bar = array("y", m), cotangent(array("y", m))
def real(o):
    return Min(s*o - p + k, n) - Max(s*o - p, 0)
op = Op(
    "average",
    requires=(n >= 1, k >= 1, s >= 1, 0 <= p, p < k, n + 2*p >= k),
    windows=Windows(count=m, size=n + 2*p, extent=k, stride=s),
    forward=Eq(y[o], Sum(zero_padded(x)[s*o + j - p], (j, 0, k - 1)) / real(o)),
    vjp=Eq(
        x_bar[i],
        Sum(
            y_bar[o] / real(o),
            (o, Max(0, ceil_div(i + p - k + 1, s)), Min(m - 1, floor_div(i + p, s))),
        ),
    ),
)
"""

CEIL = """
m = Min(ceil_div(n + 2*p - k, s), floor_div(n + p - 1, s)) + 1
y, y_bar = array("y", m), cotangent(array("y", m))
def real(o):
    return Min(s*o - p + k, n) - Max(s*o - p, 0)
op = Op(
    "ceil",
    requires=(n >= 1, k >= 1, s >= 1, 0 <= p, 2*p <= k, n + 2*p >= k),
    forward=Eq(y[o], Sum(zero_padded(x)[s*o + j - p], (j, 0, k - 1)) / real(o)),
    vjp=Eq(
        x_bar[i],
        Sum(
            y_bar[o] / real(o),
            (o, Max(0, ceil_div(i + p - k + 1, s)), Min(m - 1, floor_div(i + p, s))),
        ),
    ),
)
"""

OVERRIDE = """
m = floor_div(n - k, s) + 1
y, y_bar = array("y", m), cotangent(array("y", m))
op = Op(
    "override",
    requires=(n >= k, k >= 1, s >= 1, D >= 1),
    windows=Windows(count=m, size=n, extent=k, stride=s),
    forward=Eq(y[o], Sum(x[s*o + j], (j, 0, k - 1)) / D),
    vjp=Eq(
        x_bar[i],
        Sum(y_bar[o] / D, (o, Max(0, ceil_div(i - k + 1, s)), Min(m - 1, floor_div(i, s)))),
    ),
)
"""

MAXIMUM = """
m = floor_div(n - d*(k - 1) - 1, s) + 1
y, y_bar = array("y", m), cotangent(array("y", m))
wins = winner(j, x[s*o + d*j], (j, 0, k - 1))
op = Op(
    "maximum",
    requires=(k >= 1, s >= 1, d >= 1, n >= d*(k - 1) + 1),
    windows=Windows(count=m, size=n, extent=d*(k - 1) + 1, stride=s),
    forward=Eq(y[o], maximum(x[s*o + d*j], (j, 0, k - 1))),
    vjp=Eq(
        x_bar[i],
        Sum(bracket(wins) * bracket(Eq(s*o + d*j, i)) * y_bar[o], (o, 0, m - 1), (j, 0, k - 1)),
    ),
)
"""

ADAPTIVE = """
y, y_bar = array("y", N), cotangent(array("y", N))
def start(o):
    return floor_div(o*n, N)
def end(o):
    return ceil_div((o + 1)*n, N)
op = Op(
    "adaptive",
    requires=(n >= 1, N >= 1),
    forward=Eq(y[o], Sum(x[i], (i, start(o), end(o) - 1)) / (end(o) - start(o))),
    vjp=Eq(
        x_bar[i],
        Sum(
            bracket((start(o) <= i) & (i < end(o))) * y_bar[o] / (end(o) - start(o)),
            (o, 0, N - 1),
        ),
    ),
)
"""

CONV = """
m = floor_div(n + 2*p - d*(k - 1) - 1, s) + 1
x, W, y, bias = array("x", B, C, n), array("W", F, C, k), array("y", B, F, m), array("bias", F)
y_bar, at = cotangent(y), s*o + d*j - p
op = Op(
    "conv",
    requires=(B >= 1, C >= 1, F >= 1, n >= 1, k >= 1, s >= 1, d >= 1, p >= 0,
              n + 2*p >= d*(k - 1) + 1),
    windows=Windows(count=m, size=n + 2*p, extent=d*(k - 1) + 1, stride=s),
    forward=Eq(
        y[b, f, o],
        Sum(W[f, c, j] * zero_padded(x)[b, c, at], (c, 0, C - 1), (j, 0, k - 1)) + bias[f],
    ),
    vjp=(
        Eq(
            cotangent(x)[b, c, i],
            Sum(bracket(Eq(at, i)) * W[f, c, j] * y_bar[b, f, o],
                (f, 0, F - 1), (o, 0, m - 1), (j, 0, k - 1)),
        ),
        Eq(
            cotangent(W)[f, c, j],
            Sum(y_bar[b, f, o] * zero_padded(x)[b, c, at], (b, 0, B - 1), (o, 0, m - 1)),
        ),
        Eq(cotangent(bias)[f], Sum(y_bar[b, f, o], (b, 0, B - 1), (o, 0, m - 1))),
    ),
)
"""

GROUPED = """
m = n - k + 1
x, W, y = array("x", G*C, n), array("W", G*F, C, k), array("y", G*F, m)
y_bar = cotangent(y)
op = Op(
    "grouped",
    requires=(G >= 1, C >= 1, F >= 1, k >= 1, n >= k),
    constants=(x,),
    forward=Eq(
        y[f, o], Sum(W[f, c, j] * x[floor_div(f, F)*C + c, o + j], (c, 0, C - 1), (j, 0, k - 1))
    ),
    vjp=Eq(
        cotangent(W)[f, c, j], Sum(y_bar[f, o] * x[floor_div(f, F)*C + c, o + j], (o, 0, m - 1))
    ),
)
"""

TRANSPOSED = """
m = (n - 1)*s - 2*p + d*(k - 1) + q + 1
y, W = array("y", m), array("W", k)
op = Op(
    "transposed",
    requires=(n >= 1, k >= 1, s >= 1, d >= 1, p >= 0, q >= 0, q < Max(s, d), m >= 1),
    constants=(W,),
    forward=Eq(
        y[o],
        Sum(bracket(Eq(i*s + d*j - p, o)) * W[j] * x[i], (i, 0, n - 1), (j, 0, k - 1)),
    ),
    vjp=Eq(x_bar[i], Sum(W[j] * zero_padded(cotangent(y))[i*s + d*j - p], (j, 0, k - 1))),
    claims=(
        Claim("a convolution gives back the size",
              Eq(floor_div(m + 2*p - d*(k - 1) - 1, s) + 1, n), given=(q < s,)),
    ),
)
"""

SAME = """
m = ceil_div(n, s)
total = Max((m - 1)*s + k - n, 0)
left = floor_div(total, 2)
y = array("y", m)
op = Op(
    "same",
    requires=(n >= 1, k >= 1, s >= 1),
    forward=Eq(y[o], Sum(zero_padded(x)[s*o + j - left], (j, 0, k - 1))),
    vjp=scatter(
        x_bar[s*o + j - left], cotangent(y)[o], (o, 0, m - 1), (j, 0, k - 1),
        where=inside((s*o + j - left,), (n,)),
    ),
    claims=(
        Claim("the last window ends with the padding", (m - 1)*s + k <= n + total),
        Claim("no padding is below 0", left >= 0),
        Claim("on the left there is at most as much as on the right", 2*left <= total),
    ),
)
"""

REFLECT = """
y, y_bar = array("y", n + p + q), cotangent(array("y", n + p + q))
def at(o):
    return If(o < p, p - o, If(o < n + p, o - p, 2*(n - 1) - (o - p)))
op = Op(
    "reflect",
    requires=(n >= 1, p >= 0, q >= 0, p < n, q < n),
    forward=Eq(y[o], x[at(o)]),
    vjp=scatter(x_bar[at(o)], y_bar[o], (o, 0, n + p + q - 1)),
)
"""

REPLICATE = """
y, y_bar = array("y", n + p + q), cotangent(array("y", n + p + q))
op = Op(
    "replicate",
    requires=(n >= 1, p >= 0, q >= 0),
    forward=Eq(y[o], x[Max(0, Min(n - 1, o - p))]),
    vjp=Eq(
        x_bar[i],
        y_bar[i + p]
        + bracket(Eq(i, 0)) * Sum(y_bar[o], (o, 0, p - 1))
        + bracket(Eq(i, n - 1)) * Sum(y_bar[o], (o, n + p, n + p + q - 1)),
    ),
)
"""

WRAP = """
y, y_bar = array("y", n + 2*p), cotangent(array("y", n + 2*p))
at = If(o < p, o - p + n, If(o < n + p, o - p, o - p - n))
op = Op(
    "wrap",
    requires=(n >= 1, p >= 0, p <= n),
    forward=Eq(y[o], x[at]),
    vjp=scatter(x_bar[at], y_bar[o], (o, 0, n + 2*p - 1)),
)
"""

ROLL = """
y = array("y", n)
op = Op(
    "roll",
    requires=(n >= 1, s >= 0),
    forward=Eq(y[o], x[mod(o - s, n)]),
    vjp=Eq(x_bar[i], cotangent(y)[mod(i + s, n)]),
)
"""

NEAREST = """
y = array("y", M)
op = Op(
    "nearest",
    requires=(n >= 1, M >= 1),
    forward=Eq(y[o], x[floor_div(o*n, M)]),
    vjp=scatter(x_bar[floor_div(o*n, M)], cotangent(y)[o], (o, 0, M - 1)),
)
"""

LINEAR = """
y, y_bar = array("y", M), cotangent(array("y", M))
left = floor_div(o*(n - 1), M - 1)
part = (o*(n - 1) - left*(M - 1)) / (M - 1)
right = Min(n - 1, left + 1)
op = Op(
    "linear",
    requires=(n >= 1, M >= 2),
    forward=Eq(y[o], (1 - part) * x[left] + part * x[right]),
    vjp=Eq(
        x_bar[i],
        Sum(
            ((1 - part) * bracket(Eq(left, i)) + part * bracket(Eq(right, i))) * y_bar[o],
            (o, 0, M - 1),
        ),
    ),
)
"""

SHUFFLE = """
x, y = array("x", C*r*r, h, w), array("y", C, h*r, w*r)
op = Op(
    "shuffle",
    requires=(C >= 1, r >= 1, h >= 1, w >= 1),
    forward=Eq(
        y[c, i, j],
        x[c*r*r + mod(i, r)*r + mod(j, r), floor_div(i, r), floor_div(j, r)],
    ),
    vjp=scatter(
        cotangent(x)[c*r*r + mod(i, r)*r + mod(j, r), floor_div(i, r), floor_div(j, r)],
        cotangent(y)[c, i, j], (c, 0, C - 1), (i, 0, h*r - 1), (j, 0, w*r - 1),
    ),
)
"""

UNBIASED = """
x, y = array("x", B, n), array("y", B)
mean = Sum(x[b, j], (j, 0, n - 1)) / n
op = Op(
    "unbiased",
    requires=(B >= 1, n >= 2),
    forward=Eq(y[b], Sum((x[b, i] - mean)**2, (i, 0, n - 1)) / (n - 1)),
    vjp=Eq(cotangent(x)[b, i], 2 * (x[b, i] - mean) * cotangent(y)[b] / (n - 1)),
)
"""

NORM = """
x, y, gain = array("x", B, n), array("y", B, n), array("gain", n)
mean, var, z = array("mean", B), array("var", B), array("z", B, n)
z_bar = cotangent(z)
op = Op(
    "norm",
    requires=(B >= 1, n >= 1, eps > 0),
    let=(
        Eq(mean[b], Sum(x[b, j], (j, 0, n - 1)) / n),
        Eq(var[b], Sum((x[b, j] - mean[b])**2, (j, 0, n - 1)) / n),
        Eq(z[b, i], (x[b, i] - mean[b]) / sqrt(var[b] + eps)),
    ),
    forward=Eq(y[b, i], gain[i] * z[b, i]),
    vjp=(
        Eq(z_bar[b, i], gain[i] * cotangent(y)[b, i]),
        Eq(
            cotangent(x)[b, i],
            (
                z_bar[b, i]
                - Sum(z_bar[b, j], (j, 0, n - 1)) / n
                - z[b, i] * Sum(z_bar[b, j] * z[b, j], (j, 0, n - 1)) / n
            )
            / sqrt(var[b] + eps),
        ),
        Eq(cotangent(gain)[i], Sum(cotangent(y)[b, i] * z[b, i], (b, 0, B - 1))),
    ),
)
"""

ENTROPY = """
label, ignored = integer_array("label", N, below=V), integers("ignored")
x, loss, count = array("x", N, V), array("loss"), array("count")
counts = bracket(~Eq(label[i], ignored))
total = Sum(exp(x[i, j]), (j, 0, V - 1))
op = Op(
    "entropy",
    requires=(N >= 1, V >= 1, ignored >= 0, Sum(counts, (i, 0, N - 1)) >= 1),
    let=(Eq(count[()], Sum(counts, (i, 0, N - 1))),),
    forward=Eq(loss[()], Sum(counts * (log(total) - x[i, label[i]]), (i, 0, N - 1)) / count[()]),
    vjp=Eq(
        cotangent(x)[i, v],
        counts * (exp(x[i, v]) / total - bracket(Eq(label[i], v)))
        * cotangent(loss)[()] / count[()],
    ),
)
"""

EMBEDDING = """
token = integer_array("token", N, below=V)
W, y = array("W", V, D), array("y", N, D)
op = Op(
    "embedding",
    requires=(V >= 1, D >= 1),
    forward=Eq(y[i, e], W[token[i], e]),
    vjp=Eq(
        cotangent(W)[v, e], Sum(bracket(Eq(token[i], v)) * cotangent(y)[i, e], (i, 0, N - 1))
    ),
)
"""

PRODUCT = """
y = array("y", n)
op = Op(
    "product",
    requires=(n >= 1, x[i] > 0),
    forward=Eq(y[o], Prod(x[i], (i, 0, o))),
    vjp=Eq(x_bar[i], Sum(cotangent(y)[o] * Prod(x[j], (j, 0, i - 1)) * Prod(x[j], (j, i + 1, o)),
                         (o, i, n - 1))),
)
"""

CELLWISE = {
    "clamp": ("Max(low, Min(high, x[i]))", "bracket((low < x[i]) & (x[i] < high))", "low < high"),
    "elu": (
        "If(x[i] > 0, x[i], alpha*(exp(x[i]) - 1))",
        "If(y[i] > 0, 1, y[i] + alpha)",
        "alpha > 0",
    ),
    "leaky": ("If(x[i] > 0, x[i], alpha*x[i])", "If(x[i] > 0, 1, alpha)", "~Eq(alpha, 0)"),
    "smooth": (
        "If(abs(x[i]) <= a, x[i]**2 / (2*a), abs(x[i]) - a / 2)",
        "If(abs(x[i]) <= a, x[i] / a, If(x[i] > 0, 1, -1))",
        "a > 0",
    ),
    "gelu": (
        "x[i] * (1 + erf(x[i] / sqrt(2))) / 2",
        "(1 + erf(x[i] / sqrt(2))) / 2 + x[i] * exp(-(x[i]**2) / 2) / sqrt(2*pi)",
        "n >= 1",
    ),
    "root": ("sqrt(x[i])", "1 / (2*sqrt(x[i]))", "x[i] > 0"),
}


def cellwise(value: str, slope: str, clause: str) -> str:
    return f"""
y = array("y", n)
op = Op("cellwise", requires=({clause},), forward=Eq(y[i], {value}),
        vjp=Eq(x_bar[i], ({slope}) * cotangent(y)[i]))
"""


OPS = {
    "pool": POOL,
    "average": AVERAGE,
    "ceil": CEIL,
    "override": OVERRIDE,
    "maximum": MAXIMUM,
    "adaptive": ADAPTIVE,
    "conv": CONV,
    "grouped": GROUPED,
    "transposed": TRANSPOSED,
    "same": SAME,
    "reflect": REFLECT,
    "replicate": REPLICATE,
    "wrap": WRAP,
    "roll": ROLL,
    "nearest": NEAREST,
    "linear": LINEAR,
    "shuffle": SHUFFLE,
    "unbiased": UNBIASED,
    "norm": NORM,
    "entropy": ENTROPY,
    "embedding": EMBEDDING,
    "product": PRODUCT,
    **{name: cellwise(*parts) for name, parts in CELLWISE.items()},
}

# What happened: the op, what is right, what was written, the kind of theorem that fails.
SIZE = "floor_div(n + 2*p - d*(k - 1) - 1, s) + 1"
BUGS = {
    "pooling: dilation left out of the size": (
        "pool",
        SIZE,
        "floor_div(n + 2*p - k, s) + 1",
        "size",
    ),
    "pooling: an extent of d·k": ("pool", SIZE, "floor_div(n + 2*p - d*k, s) + 1", "size"),
    "pooling: padding counted once": (
        *("pool", SIZE, "floor_div(n + p - d*(k - 1) - 1, s) + 1", "size"),
    ),
    "pooling: the window that starts at the end forgotten": (
        *("pool", SIZE, "floor_div(n + 2*p - d*(k - 1) - 1, s)", "size"),
    ),
    "pooling: the size rounded up": (
        *("pool", SIZE, "ceil_div(n + 2*p - d*(k - 1) - 1, s) + 1", "size"),
    ),
    "pooling: the backward without dilation": (
        *("pool", "x_bar[s*o + d*j - p]", "x_bar[s*o + j - p]", ("in bounds", "vjp")),
    ),
    "pooling: the backward without stride": (
        *("pool", "x_bar[s*o + d*j - p]", "x_bar[o + d*j - p]", ("in bounds", "vjp")),
    ),
    "pooling: writes into the padding": (
        *("pool", "where=inside((s*o + d*j - p,), (n,)),", "", "in bounds"),
    ),
    "average: padding counted in the backward alone": (
        *("average", "y_bar[o] / real(o)", "y_bar[o] / k", "vjp"),
    ),
    "average: no window need have a cell": ("average", "p < k", "p <= k", "defined"),
    "average: the first window that covers a cell rounded down": (
        *("average", "ceil_div(i + p - k + 1, s)", "floor_div(i + p - k + 1, s)", "vjp"),
    ),
    "average: windows beyond the last": (
        *("average", "Min(m - 1, floor_div(i + p, s))", "floor_div(i + p, s)", "in bounds"),
    ),
    "ceil mode: a last window in the padding": (
        *(
            "ceil",
            "Min(ceil_div(n + 2*p - k, s), floor_div(n + p - 1, s)) + 1",
            "ceil_div(n + 2*p - k, s) + 1",
            "defined",
        ),
    ),
    "ceil mode: a divisor of whole windows": ("ceil", "y_bar[o] / real(o)", "y_bar[o] / k", "vjp"),
    "divisor override: forgotten in the backward": (
        *("override", "Sum(y_bar[o] / D,", "Sum(y_bar[o] / k,", "vjp"),
    ),
    "maximum: the place taken without dilation": (
        *("maximum", "Eq(s*o + d*j, i)", "Eq(s*o + j, i)", "vjp"),
    ),
    "maximum: the cotangent to each cell of the window": (
        *("maximum", "bracket(wins) * ", "", "vjp"),
    ),
    "adaptive: the end of a bin rounded down": (
        *("adaptive", "ceil_div((o + 1)*n, N)", "floor_div((o + 1)*n, N)", "defined"),
    ),
    "adaptive: bins of equal size in the backward": (
        *("adaptive", "y_bar[o] / (end(o) - start(o))", "y_bar[o] * N / n", "vjp"),
    ),
    "convolution: an extent of d·k": ("conv", SIZE, "floor_div(n + 2*p - d*k, s) + 1", "size"),
    "convolution: the weight's gradient without stride": (
        *("conv", "zero_padded(x)[b, c, at], (b,", "zero_padded(x)[b, c, o + d*j - p], (b,", "vjp"),
    ),
    "convolution: the kernel flipped in the backward": (
        *(
            "conv",
            "bracket(Eq(at, i)) * W[f, c, j]",
            "bracket(Eq(at, i)) * W[f, c, k - 1 - j]",
            "vjp",
        ),
    ),
    "convolution: the bias's gradient of one image": (
        *(
            "conv",
            "Sum(y_bar[b, f, o], (b, 0, B - 1), (o, 0, m - 1))",
            "Sum(y_bar[0, f, o], (o, 0, m - 1))",
            "vjp",
        ),
    ),
    "groups: the offset of a group forgotten": (
        *(
            "grouped",
            "y_bar[f, o] * x[floor_div(f, F)*C + c, o + j]",
            "y_bar[f, o] * x[c, o + j]",
            "vjp",
        ),
    ),
    "groups: the offset counted in outputs": (
        *(
            "grouped",
            "y_bar[f, o] * x[floor_div(f, F)*C + c, o + j]",
            "y_bar[f, o] * x[floor_div(f, F)*F + c, o + j]",
            ("in bounds", "vjp"),
        ),
    ),
    "transposed: padding counted once": (
        "transposed",
        "- 2*p + d*(k - 1) + q",
        "- p + d*(k - 1) + q",
        "claim",
    ),
    "transposed: dilation left out of the size": (
        *("transposed", "- 2*p + d*(k - 1) + q + 1\n", "- 2*p + k + q\n", "claim"),
    ),
    "transposed: output padding as large as the stride": (
        "transposed",
        "given=(q < s,)",
        "given=(q <= s,)",
        "claim",
    ),
    "transposed: the backward reads beside the padding": (
        *(
            "transposed",
            "zero_padded(cotangent(y))[i*s + d*j - p]",
            "zero_padded(cotangent(y))[i*s + d*j]",
            "vjp",
        ),
    ),
    "same: padding below 0 where the stride is wide": (
        *("same", "Max((m - 1)*s + k - n, 0)", "(m - 1)*s + k - n", "claim"),
    ),
    "same: the odd cell on the left": (
        "same",
        "floor_div(total, 2)",
        "ceil_div(total, 2)",
        "claim",
    ),
    "same: a size rounded down": ("same", "m = ceil_div(n, s)", "m = floor_div(n, s)", "size"),
    "reflect: the edge repeated": (
        "reflect",
        "x_bar[at(o)]",
        "x_bar[If(o < p, p - 1 - o, If(o < n + p, o - p, 2*n - 1 - (o - p)))]",
        "vjp",
    ),
    "reflect: as much padding as cells": ("reflect", "p < n", "p <= n", "in bounds"),
    "replicate: the corner gets its own cotangent alone": (
        *("replicate", "+ bracket(Eq(i, 0)) * Sum(y_bar[o], (o, 0, p - 1))", "", "vjp"),
    ),
    "wrap: padding wider than the input": ("wrap", "p <= n", "p >= n - n", "in bounds"),
    "roll: C's remainder of what is below 0": (
        "roll",
        "x[mod(o - s, n)]",
        "x[trunc_mod(o - s, n)]",
        "in bounds",
    ),
    "nearest: a whole ratio in the backward": (
        *(
            "nearest",
            "scatter(x_bar[floor_div(o*n, M)]",
            "scatter(x_bar[Min(n - 1, floor_div(o, Max(1, floor_div(M, n))))]",
            "vjp",
        ),
    ),
    "linear, aligned: an output of one cell": ("linear", "M >= 2", "M >= 1", "defined"),
    "linear, aligned: the right neighbour of the last cell": (
        *("linear", "Min(n - 1, left + 1)", "left + 1", "in bounds"),
    ),
    "linear, aligned: the weights swapped in the backward": (
        *(
            "linear",
            "((1 - part) * bracket(Eq(left, i)) + part * bracket",
            "(part * bracket(Eq(left, i)) + (1 - part) * bracket",
            "vjp",
        ),
    ),
    "pixel shuffle: rows and columns of a block swapped": (
        *(
            "shuffle",
            "cotangent(x)[c*r*r + mod(i, r)*r + mod(j, r)",
            "cotangent(x)[c*r*r + mod(j, r)*r + mod(i, r)",
            "vjp",
        ),
    ),
    "variance: one cell, unbiased": ("unbiased", "n >= 2", "n >= 1", "defined"),
    "variance: the backward of the biased one": (
        *("unbiased", "cotangent(y)[b] / (n - 1)", "cotangent(y)[b] / n", "vjp"),
    ),
    "layer norm: no term by the variance": (
        *("norm", "- z[b, i] * Sum(z_bar[b, j] * z[b, j], (j, 0, n - 1)) / n", "", "vjp"),
    ),
    "layer norm: the gain outside of the means": (
        *("norm", "Sum(z_bar[b, j], (j", "Sum(cotangent(y)[b, j], (j", "vjp"),
    ),
    "layer norm: the gain's gradient not summed over rows": (
        *(
            "norm",
            "Sum(cotangent(y)[b, i] * z[b, i], (b, 0, B - 1))",
            "cotangent(y)[0, i] * z[0, i]",
            "vjp",
        ),
    ),
    "cross entropy: the mean over ignored rows too": (
        *("entropy", "cotangent(loss)[()] / count[()]", "cotangent(loss)[()] / N", "vjp"),
    ),
    "cross entropy: ignored rows have a gradient": (
        *("entropy", "counts * (exp(x[i, v])", "(exp(x[i, v])", "vjp"),
    ),
    "embedding: the last token alone": (
        *(
            "embedding",
            "bracket(Eq(token[i], v)) * cot",
            "bracket(Eq(token[i], v) & Eq(i, N - 1)) * cot",
            "vjp",
        ),
    ),
    "product: the whole product, not divided by the cell": (
        *(
            "product",
            "Prod(x[j], (j, 0, i - 1)) * Prod(x[j], (j, i + 1, o))",
            "Prod(x[j], (j, 0, o))",
            "vjp",
        ),
    ),
    "clamp: one end forgotten": (
        "clamp",
        "bracket((low < x[i]) & (x[i] < high))",
        "bracket(low < x[i])",
        "vjp",
    ),
    "elu: the slope from the output, exponential kept": (
        "elu",
        "y[i] + alpha",
        "alpha*exp(y[i])",
        "vjp",
    ),
    "leaky: the sign from an output that may be turned": (
        *("leaky", "If(x[i] > 0, 1, alpha)", "If(y[i] > 0, 1, alpha)", "vjp"),
    ),
    "smooth L1: a width of 0": ("smooth", "a > 0", "a >= 0", "defined"),
    "smooth L1: the slope not divided": ("smooth", "x[i] / a, If", "x[i], If", "vjp"),
    "gelu: the density of another width": ("gelu", "exp(-(x[i]**2) / 2)", "exp(-(x[i]**2))", "vjp"),
    "root: the slope at 0": ("root", "x[i] > 0", "x[i] >= 0", "defined"),
}
