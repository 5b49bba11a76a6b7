"""Wrong variants of average pooling. Untrusted."""

from gradproof.language import (
    Eq,
    Max,
    Min,
    Op,
    Sum,
    Windows,
    array,
    axes,
    ceil_div,
    cotangent,
    floor_div,
    integers,
    product,
    tangent,
    zero_padded,
)
from gradproof.specs.spatial import i, j, k, n, o, p, requires, s
from trust.mutants.written.averages import (
    C,
    avg_pool,
    c,
    mean,
    pulled,
    x,
    x_bar,
    x_dot,
    y,
    y_bar,
    y_dot,
)
from trust.mutants.written.making import PADDED, WIDE, defined, jvp, mutant, size, vjp

# Average pooling that does not count padding: the divisor depends on the output position.

real_cells = Min(k, n + p - s * o) - Max(0, p - s * o)


def uncounted(name, requires=(*requires, p < k), jvp_by=real_cells, gather_by=real_cells):
    return avg_pool(
        name,
        requires=requires,
        forward=Eq(y[c, o], mean(x, divisor=product(real_cells))),
        jvp=Eq(y_dot[c, o], mean(x_dot, divisor=product(jvp_by))),
        vjp=Eq(x_bar[c, i], pulled(value=y_bar[c, o] / product(gather_by), divisor=1)),
    )


UNCOUNTED = (
    mutant(uncounted("padding_counted_in_vjp", gather_by=k), vjp("x_bar", C=1, **WIDE)),
    mutant(
        uncounted("counted_below_only", gather_by=Min(k, n + p - s * o)),
        vjp("x_bar", C=1, **WIDE),
    ),
    mutant(uncounted("counted_above_only", jvp_by=k - Max(0, p - s * o)), jvp("x", C=1, **WIDE)),
    mutant(
        uncounted("windows_without_real_cell", requires=requires),
        defined("forward", C=1, **PADDED),
        defined("jvp", C=1, **PADDED),
    ),
)


# Average pooling with padding that differs per side.

p_lo, p_hi = axes("p_lo p_hi")


def asymmetric(name, jvp_pad=p_lo, vjp_pad=p_lo, total=p_lo + p_hi):
    count = floor_div(n + total - k, s) + 1
    y = array("y", C, count)
    low = Max(0, ceil_div(i + vjp_pad - k + 1, s))
    high = Min(count - 1, floor_div(i + vjp_pad, s))
    return Op(
        name,
        requires=(n >= 1, k >= 1, s >= 1, p_lo >= 0, p_hi >= 0, n + p_lo + p_hi >= k),
        windows=Windows(count, n + p_lo + p_hi, k, s),
        forward=Eq(y[c, o], mean(x, s * o + j - p_lo)),
        jvp=Eq(tangent(y)[c, o], mean(x_dot, s * o + j - jvp_pad)),
        vjp=Eq(x_bar[c, i], pulled(low, high, cotangent(y)[c, o])),
    )


PADDED_BELOW = {"k": 1, "n": 1, "p_hi": 0, "p_lo": 1, "s": 1}
PADDED_ABOVE = {"k": 1, "n": 1, "p_hi": 1, "p_lo": 0, "s": 1}

ASYMMETRIC = (
    mutant(asymmetric("jvp_pads_by_other_side", jvp_pad=p_hi), jvp("x", C=1, **PADDED_ABOVE)),
    mutant(asymmetric("vjp_pads_by_other_side", vjp_pad=p_hi), vjp("x_bar", C=1, **PADDED_ABOVE)),
    mutant(
        asymmetric("size_pads_below_twice", total=2 * p_lo),
        size("output size at least 1", **PADDED_ABOVE | {"k": 2}),
        size("the last window fits", **PADDED_BELOW),
        size("one more window does not fit", **PADDED_ABOVE),
    ),
)


# Average pooling over two named axes.

H, W, kH, kW, sH, sW, pH, pW = integers("H W kH kW sH sW pH pW")
h, w, a, b, u, v = integers("h w a b u v")
mH, mW = floor_div(H + 2 * pH - kH, sH) + 1, floor_div(W + 2 * pW - kW, sW) + 1
image, pooled = array("image", C, H, W), array("pooled", C, mH, mW)


def covering_one(o, i, m, k, s, p):
    return o, Max(0, ceil_div(i + p - k + 1, s)), Min(m - 1, floor_div(i + p, s))


def avg_pool2d(name, k=(kH, kW), s=(sH, sW), p=(pH, pW), jvp_s=(sH, sW), divisor=kH * kW):
    """Right as it stands; `k`, `s`, `p` and `divisor` are those of the VJP."""
    rows, columns = (covering_one(*e) for e in zip((u, v), (h, w), (mH, mW), k, s, p, strict=True))

    def read(of, s):
        place = zero_padded(of)[c, s[0] * u + a - pH, s[1] * v + b - pW]
        return Sum(place, (a, 0, kH - 1), (b, 0, kW - 1)) / (kH * kW)

    summed = Sum(cotangent(pooled)[c, u, v], rows, columns)
    return Op(
        name,
        requires=(
            *(H >= 1, W >= 1, kH >= 1, kW >= 1, sH >= 1, sW >= 1, pH >= 0, pW >= 0),
            *(H + 2 * pH >= kH, W + 2 * pW >= kW),
        ),
        forward=Eq(pooled[c, u, v], read(image, (sH, sW))),
        jvp=Eq(tangent(pooled)[c, u, v], read(tangent(image), jvp_s)),
        vjp=Eq(cotangent(image)[c, h, w], summed / divisor),
    )


def flat(kH=1, kW=1, pH=0, pW=0, sH=1, sW=1):
    """The sizes of a pooling of one cell."""
    named = {"kH": kH, "kW": kW, "pH": pH, "pW": pW, "sH": sH, "sW": sW}
    return {"C": 1, "H": 1, "W": 1, **named}


TWO_AXES = (
    mutant(avg_pool2d("kernel_axes_exchanged", k=(kW, kH)), vjp("image_bar", **flat(kW=2, pW=1))),
    mutant(avg_pool2d("stride_axes_exchanged", s=(sW, sH)), vjp("image_bar", **flat(sW=2, pW=1))),
    mutant(avg_pool2d("padding_axes_exchanged", p=(pW, pH)), vjp("image_bar", **flat(pW=1))),
    mutant(
        avg_pool2d("jvp_stride_axes_exchanged", jvp_s=(sW, sH)), jvp("image", **flat(sW=2, pW=1))
    ),
    mutant(
        avg_pool2d("divided_by_kernel_height_squared", divisor=kH * kH),
        vjp("image_bar", **flat(kW=2, pW=1)),
    ),
)
