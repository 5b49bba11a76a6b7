"""Wrong convolutions, dilated and grouped ones too. Untrusted."""

from dataclasses import replace
from importlib import import_module

from gradproof.language import (
    Divides,
    Eq,
    Op,
    Sum,
    Windows,
    array,
    axes,
    bracket,
    cotangent,
    floor_div,
    inside,
    integers,
    mod,
    product,
    scatter,
    tangent,
    zero_padded,
)
from gradproof.specs.spatial import cell, covering, i, j, k, m, n, o, outputs_over, p, s, window
from trust.mutants.written.making import (
    PADDED,
    STRIDED,
    UNIT,
    WIDE,
    in_bounds,
    jvp,
    linear,
    mutant,
    vjp,
)

# `specs` gives the name to the op, not to its module.
cv = import_module("gradproof.specs.conv")

ci, co, inC, outC, weight, bias = cv.ci, cv.co, cv.inC, cv.outC, cv.W, cv.b
weight_dot, bias_dot, out_bar, signal, signal_dot = cv.W_dot, cv.b_dot, cv.y_bar, cv.x, cv.x_dot
by_input, by_weight, by_bias = cv.definition.vjp
tap = i + p - s * o
right_weight, right_weight_dot = weight[co, ci, j], weight_dot[co, ci, j]
of_signal, of_signal_dot = zero_padded(signal)[ci, cell], zero_padded(signal_dot)[ci, cell]


def conv_jvp(name, of_bias=bias_dot[co], of_input=right_weight, of_weight=right_weight_dot):
    taps = Sum(of_input * of_signal_dot + of_weight * of_signal, *cv.taps)
    return replace(cv.definition, name=name, jvp=Eq(cv.y_dot[co, o], of_bias + taps))


def conv_input(name, of_tap, upstream=out_bar[co, o], over=cv.out_channels, extra=0):
    rule = Eq(cv.x_bar[ci, i], Sum(of_tap * upstream, over, covering) + extra)
    return replace(cv.definition, name=name, vjp=(rule, by_weight, by_bias))


def conv_weight(name, place=cell, channel=ci, over=outputs_over):
    rule = Sum(out_bar[co, o] * zero_padded(signal)[channel, place], over)
    rules = (by_input, Eq(cv.W_bar[co, ci, j], rule), by_bias)
    return replace(cv.definition, name=name, vjp=rules)


def conv_bias(name, value):
    return replace(cv.definition, name=name, vjp=(by_input, by_weight, Eq(cv.b_bar[co], value)))


ONE_TO_ONE, ONE_TO_TWO = {"inC": 1, "outC": 1}, {"inC": 1, "outC": 2}
right_tap = weight[co, ci, tap]

CONVOLUTIONS = (
    mutant(
        conv_jvp("jvp_flips_kernel", of_input=weight[co, ci, k - 1 - j]),
        jvp("x", **ONE_TO_ONE, **WIDE),
    ),
    mutant(conv_jvp("jvp_drops_weight_dot", of_weight=0), jvp("W", **ONE_TO_ONE, **UNIT)),
    mutant(conv_jvp("jvp_drops_bias_dot", of_bias=0), jvp("b", **ONE_TO_ONE, **UNIT)),
    mutant(
        conv_jvp("jvp_adds_bias", of_bias=bias[co]),
        jvp("b", **ONE_TO_ONE, **UNIT),
        linear("jvp", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_jvp("jvp_is_quadratic", of_input=right_weight + right_weight_dot),
        jvp("W", **ONE_TO_ONE, **UNIT),
        jvp("x", **ONE_TO_ONE, **UNIT),
        linear("jvp", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_transposes_weight", weight[ci, co, tap]),
        in_bounds("vjp x_bar", **ONE_TO_TWO, **UNIT),
        vjp("x_bar", inC=2, outC=2, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_transposes_padded_weight", zero_padded(weight)[ci, co, tap]),
        vjp("x_bar", **ONE_TO_TWO, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_flips_kernel", weight[co, ci, k - 1 - tap]),
        vjp("x_bar", **ONE_TO_ONE, **WIDE),
    ),
    mutant(
        conv_input(
            "input_vjp_adds_term_without_weight",
            right_tap,
            extra=7 * Sum(out_bar[co, o], cv.out_channels, outputs_over),
        ),
        vjp("x_bar", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_reads_wrong_channel", right_tap, out_bar[ci, o]),
        in_bounds("vjp x_bar", inC=2, outC=1, **UNIT),
        vjp("x_bar", **ONE_TO_TWO, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_skips_last_channel", right_tap, over=(co, 0, outC - 2)),
        vjp("x_bar", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_squares_weight", right_tap * right_tap),
        vjp("x_bar", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_input("input_vjp_ignores_stride", zero_padded(weight)[co, ci, i + p - o]),
        vjp("x_bar", **ONE_TO_ONE, k=1, n=1, p=2, s=2),
    ),
    mutant(conv_weight("weight_vjp_one_on", cell + 1), vjp("W_bar", **ONE_TO_ONE, **UNIT)),
    mutant(
        conv_weight("weight_vjp_ignores_padding", s * o + j), vjp("W_bar", **ONE_TO_ONE, **PADDED)
    ),
    mutant(
        conv_weight("weight_vjp_strides_window", o + s * j - p),
        vjp("W_bar", **ONE_TO_ONE, **STRIDED),
    ),
    mutant(
        conv_weight("weight_vjp_flips_window", s * o + k - 1 - j - p),
        vjp("W_bar", **ONE_TO_ONE, **WIDE),
    ),
    mutant(
        conv_weight("weight_vjp_reads_wrong_channel", channel=co),
        vjp("W_bar", **ONE_TO_TWO, **UNIT),
    ),
    mutant(
        conv_weight("weight_vjp_overwrites", over=(o, m - 1, m - 1)),
        vjp("W_bar", **ONE_TO_ONE, **PADDED),
    ),
    mutant(
        conv_bias("bias_vjp_is_a_mean", Sum(out_bar[co, o], outputs_over) / product(m)),
        vjp("b_bar", **ONE_TO_ONE, **PADDED),
    ),
    mutant(
        conv_bias("bias_vjp_starts_at_1", Sum(out_bar[co, o], (o, 1, m - 1))),
        vjp("b_bar", **ONE_TO_ONE, **UNIT),
    ),
    mutant(
        conv_bias(
            "bias_vjp_sums_channels",
            Sum(out_bar[cv.ci, o], (cv.ci, 0, cv.outC - 1), outputs_over),
        ),
        vjp("b_bar", **ONE_TO_TWO, **UNIT),
    ),
)


# Dilated convolution, without channels or bias.

d = axes("d")
line, filter_ = array("line", n), array("filter", k)
dilated_count = floor_div(n + 2 * p - d * (k - 1) - 1, s) + 1
filtered = array("filtered", dilated_count)
filtered_over = (o, 0, dilated_count - 1)
dilated_cell = s * o + d * j - p


def dilated(name, line_rule, weight_cell=dilated_cell):
    line_dot, filter_dot = tangent(line), tangent(filter_)
    pushed = filter_[j] * zero_padded(line_dot)[dilated_cell]
    pushed = pushed + filter_dot[j] * zero_padded(line)[dilated_cell]
    upstream = cotangent(filtered)[o]
    return Op(
        name,
        requires=(n >= 1, k >= 1, s >= 1, p >= 0, d >= 1, n + 2 * p >= d * (k - 1) + 1),
        windows=Windows(dilated_count, n + 2 * p, d * (k - 1) + 1, s),
        forward=Eq(filtered[o], Sum(filter_[j] * zero_padded(line)[dilated_cell], window)),
        jvp=Eq(tangent(filtered)[o], Sum(pushed, window)),
        vjp=(
            line_rule,
            Eq(
                cotangent(filter_)[j],
                Sum(upstream * zero_padded(line)[weight_cell], filtered_over),
            ),
        ),
    )


def dilated_scatter(place=dilated_cell):
    value = filter_[j] * cotangent(filtered)[o]
    where = inside((place,), (n,))
    return scatter(cotangent(line)[place], value, filtered_over, window, where=where)


def dilated_gather(step=d):
    rest = i + p - step * j
    upstream = zero_padded(cotangent(filtered))[floor_div(rest, s)]
    return Eq(cotangent(line)[i], Sum(bracket(Divides(s, rest)) * filter_[j] * upstream, window))


DILATED = (
    mutant(
        dilated("scatter_forgets_dilation", dilated_scatter(s * o + j - p)),
        vjp("line_bar", d=2, **WIDE),
    ),
    mutant(
        dilated("gather_forgets_dilation", dilated_gather(step=1)), vjp("line_bar", d=2, **WIDE)
    ),
    mutant(
        dilated("weight_vjp_forgets_dilation", dilated_scatter(), weight_cell=s * o + j - p),
        vjp("filter_bar", d=2, **WIDE),
    ),
    mutant(
        dilated("weight_vjp_dilates_by_stride", dilated_scatter(), s * o + s * j - p),
        vjp("filter_bar", d=2, **WIDE),
    ),
)

# Grouped products of channels, one cell each.

G, A, B, g, ai, bo = integers("G A B g ai bo")
inputs, outputs = array("inputs", G * A), array("outputs", G * B)
factors = array("factors", G * B, A)
group_of_output, group_of_input = floor_div(co, B), floor_div(ci, A)


def grouped(name, group=group_of_output, per_group=B, weight_group=group_of_output):
    inputs_dot, factors_dot = tangent(inputs), tangent(factors)
    upstream = cotangent(outputs)
    from_group, in_group = A * group_of_output + ai, (ai, 0, A - 1)
    out = B * group_of_input + bo
    return Op(
        name,
        requires=(G >= 1, A >= 1, B >= 1),
        forward=Eq(outputs[co], Sum(factors[co, ai] * inputs[from_group], in_group)),
        jvp=Eq(
            tangent(outputs)[co],
            Sum(factors[co, ai] * inputs_dot[A * group + ai], in_group)
            + Sum(factors_dot[co, ai] * inputs[from_group], in_group),
        ),
        vjp=(
            Eq(
                cotangent(inputs)[ci],
                Sum(factors[out, mod(ci, A)] * upstream[out], (bo, 0, per_group - 1)),
            ),
            Eq(cotangent(factors)[co, ai], upstream[co] * inputs[A * weight_group + ai]),
        ),
    )


GROUPED = (
    mutant(grouped("group_by_remainder", group=mod(co, G)), jvp("inputs", A=1, B=2, G=2)),
    mutant(
        grouped("group_sizes_exchanged", per_group=A),
        in_bounds("vjp inputs_bar", A=2, B=1, G=1),
        vjp("inputs_bar", A=1, B=2, G=1),
    ),
    mutant(grouped("weight_vjp_ignores_group", weight_group=0), vjp("factors_bar", A=1, B=1, G=2)),
)
