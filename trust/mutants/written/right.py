"""Right ops: what mutants are edits of, and other ways to write the same rules. Untrusted."""

from gradproof.language import (
    Divides,
    Eq,
    If,
    Max,
    Min,
    Op,
    Sum,
    array,
    bracket,
    ceil_div,
    cotangent,
    floor_div,
    integers,
    mod,
    product,
    tangent,
    trunc_div,
    zero_padded,
)
from gradproof.specs.spatial import cell, i, j, k, m, n, o, outputs_over, p, requires, s, window
from trust.mutants.written.averages import avg, avg_pool, c, mean, pull, pulled, x_dot, y_bar, y_dot
from trust.mutants.written.convolutions import cv, dilated, dilated_gather, dilated_scatter, grouped
from trust.mutants.written.variants import a, asymmetric, avg_pool2d, h, u, uncounted

positive_stride = requires[2]
in_window = (s * o - p <= i) & (i < s * o - p + k)

k1, n1, p1, s1 = integers("k1 n1 p1 s1")


def one_axis(name, vjp_value):
    """Average pooling of one line."""
    count = floor_div(n1 + 2 * p1 - k1, s1) + 1
    line, out = array("line", n1), array("out", count)
    place = zero_padded(line)[s1 * u + a - p1], zero_padded(tangent(line))[s1 * u + a - p1]
    over = (a, 0, k1 - 1)
    return Op(
        name,
        requires=(n1 >= 1, k1 >= 1, s1 >= 1, p1 >= 0, n1 + 2 * p1 >= k1),
        forward=Eq(out[u], Sum(place[0], over) / k1),
        jvp=Eq(tangent(out)[u], Sum(place[1], over) / k1),
        vjp=Eq(cotangent(line)[h], vjp_value(cotangent(out))),
    )


def one_axis_gather(guard):
    def value(out_bar):
        rest = h + p1 - a
        windows = zero_padded(out_bar)[floor_div(rest, s1)]
        return Sum(bracket(guard(rest)) * windows, (a, 0, k1 - 1)) / k1

    return value


RIGHT = (
    avg.definition,
    cv.definition,
    uncounted("padding_not_counted"),
    asymmetric("padding_differs_per_side"),
    avg_pool2d("two_axes"),
    dilated("dilated", dilated_scatter()),
    dilated("dilated_gather", dilated_gather()),
    grouped("in_groups"),
    one_axis("gather_if_divisible", one_axis_gather(lambda rest: Divides(s1, rest))),
    one_axis("gather_if_no_remainder", one_axis_gather(lambda rest: Eq(mod(rest, s1), 0))),
    pull("ceil_as_floor", pulled(Max(0, floor_div(i + p - k + s, s)))),
    pull("ceil_as_truncation", pulled(Max(0, trunc_div(i + p - k + s, s)))),
    pull("masked_outputs", Sum(bracket(in_window) * y_bar[c, o], outputs_over) / product(k)),
    pull(
        "all_pairs",
        Sum(bracket(Eq(cell, i)) * y_bar[c, o], outputs_over, window) / product(k),
    ),
    pull(
        "empty_range_unless_divisible",
        Sum(
            y_bar[c, o],
            window,
            (o, Max(0, ceil_div(i + p - j, s)), Min(m - 1, floor_div(i + p - j, s))),
        )
        / product(k),
    ),
)

CONTRADICTIONS = (n <= 0, n + 2 * p < k, Eq(2 * k, 2 * n + 1), Eq(k * k, 2), (s < n) & (n < s))

UNDEFINED_RANGE = avg_pool(
    "without_positive_stride",
    requires=tuple(r for r in requires if r != positive_stride),
    jvp=Eq(y_dot[c, o], mean(x_dot, s * s * o + j - p)),
)


def first_by_if():
    """PyTorch's first window, whose condition would speak of all axes at once."""
    return pull("first_by_if", pulled(If(i + p < k, 0, floor_div(i + p - k, s) + 1)))
