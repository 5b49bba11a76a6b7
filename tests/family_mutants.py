"""Wrong ops of every family, as data: each with theorems that are false of it.

Each is a definition of `specs/` with parts of some equations exchanged. Where all equations are
edited alike, or only a tie moves, no derivative is wrong: one of the op's claims catches it.
"""

from dataclasses import dataclass, replace
from importlib import import_module

from specs.spatial import cell, i, is_real, j, k, n, o, p, s, window
from verify.language import (
    And,
    Array,
    Eq,
    Ne,
    Op,
    Sum,
    array,
    bracket,
    ceil_div,
    cotangent,
    exp,
    floor_div,
    inside,
    log,
    maximum,
    product,
    tangent,
    zero_padded,
)
from verify.terms import Sym, as_term, rebuild

# `specs` gives some of these names to the ops, not to their modules.
hard, smooth, plane, pad, bins, whole = (
    import_module(f"specs.{name}")
    for name in ("max_pool", "smooth_max_pool", "pool2d", "pool2d_pad", "adaptive", "global_pool")
)
c2, ct, ct2, cut = (
    import_module(f"specs.{name}")
    for name in ("conv2d", "conv_transpose", "conv_transpose2d", "unpad")
)


@dataclass(frozen=True)
class Mutant:
    """A wrong op, and theorems that are false of it."""

    op: Op
    refuted: tuple[str, ...]


def exchanged(term, parts):
    """The term with parts exchanged, from the outside in; shapes of arrays stay."""
    if term in parts:
        return as_term(parts[term]) if not isinstance(parts[term], Array) else parts[term]
    if isinstance(term, Sym | Array) or not term.args:
        return term
    return rebuild(term, tuple(exchanged(arg, parts) for arg in term.args))


def edits_of(op):
    """Makes mutants: `where` names the equations by their targets; "claim" is the claim itself."""

    def edit(name, where, parts, *refuted, claim=""):
        untouched = set(where.split())

        def edited(term, label):
            changed = exchanged(term, parts) if label in where.split() else term
            if changed != term:
                untouched.discard(label)
            return changed

        claims = [c for c in op.claims if c.name == claim]
        mutant = replace(
            op,
            name=f"{op.name}_{name}",
            forward=edited(op.forward, "y"),
            jvp=edited(op.jvp, "y_dot"),
            vjp=tuple(edited(rule, rule.args[0].array.name) for rule in op.vjp),
            requires=tuple(edited(clause, "requires") for clause in op.requires),
            claims=tuple(replace(c, statement=edited(c.statement, "claim")) for c in claims),
        )
        if untouched or bool(claim) != bool(claims):
            raise LookupError(f"{name}: nothing to edit in {untouched or claim}")
        return Mutant(mutant, (*refuted, *(c.name for c in claims)))

    return edit


JVP, VJP, MASS = "jvp by x", "vjp x_bar", "gradient mass is kept"
FIRST, LARGEST = "the loop picks the first winner", "the loop computes the maximum"
RULES = "y_dot x_bar"
ALL = f"y {RULES}"
ALWAYS = And()


def reads(equation):
    return f"{equation}: reads and writes"


def divisors(equation):
    return f"{equation}: divisors and logarithms"


# Max pooling.

x, c, has, at, best = hard.x, hard.c, hard.has, hard.at, hard.best
read, target = x[c, cell], hard.x_bar[c, s * o + hard.place - p]
beyond = hard.x_bar[c, s * o + hard.place - p + 1]
padded, largest = zero_padded(x)[c, cell], maximum(read, window, where=is_real)
edit = edits_of(hard.max_pool)

MAX_POOL = (
    edit("ties_to_last", f"{RULES} claim", {read > best: read >= best}, claim=FIRST),
    edit("picks_least", f"{RULES} claim", {read > best: read < best}, JVP, claim=LARGEST),
    edit("loop_reads_one_on", RULES, {read: x[c, cell + 1]}, reads("jvp"), reads(VJP)),
    edit("never_found", RULES, {hard.loop["has"][2]: has}, JVP, VJP),
    edit("starts_at_zero", "y_dot claim", {Eq(has, 0): Eq(has, 2)}, JVP, claim=LARGEST),
    edit("padding_counts_as_found", "y_dot", {hard.loop["has"][2]: 1}, reads("jvp")),
    edit(
        "padding_in_loop",
        "y_dot",
        {hard.loop["has"][2]: 1, hard.take: Eq(has, 0) | (padded > best), read: padded},
        reads("jvp"),
    ),
    edit("target_one_on", "x_bar", {target: beyond}, reads(VJP), VJP),
    edit("scatters_from_nowhere", "x_bar", {Eq(hard.found, 1): ALWAYS}, reads(VJP)),
    edit("forward_reads_padding", "y", {largest: maximum(read, window)}, reads("forward")),
    edit("padding_is_zeros", "y", {largest: maximum(zero_padded(x)[c, cell], window)}, JVP),
    edit(
        "empty_gives_1",
        "y",
        {largest: maximum(read, window, where=is_real, empty=1)},
        claim=LARGEST,
    ),
    edit("vjp_doubled", "x_bar", {hard.y_bar[c, o]: 2 * hard.y_bar[c, o]}, claim=f"p < k: {MASS}"),
)

# Smooth max pooling.

x, c, w, beta = smooth.x, smooth.c, smooth.w, smooth.beta
here, total, weight = zero_padded(x)[c, cell], smooth.total, smooth.weight
sloped = zero_padded(smooth.x_dot)[c, cell]
summed = Sum(exp(beta * here), window)


def denominator(place=s * o + w - p, over=(w, 0, k - 1), condition=ALWAYS):
    return Sum(bracket(condition) * exp(smooth.beta * zero_padded(smooth.x)[smooth.c, place]), over)


edit = edits_of(smooth.smooth_max_pool)

SMOOTH_MAX_POOL = (
    edit("jvp_without_beta", "y_dot", {beta: 1}, JVP),
    edit("exponent_without_beta", "y", {exp(beta * here): exp(here)}, JVP, VJP),
    edit("jvp_times_beta", "y_dot", {sloped: beta * sloped}, JVP),
    edit("log_not_divided", "y", {log(summed) / beta: log(summed)}, JVP, VJP),
    edit("denominator_too_long", "y_dot", {total: denominator(over=(w, 0, k))}, JVP),
    edit("denominator_of_next_window", "x_bar", {total: denominator(s * o + s + w - p)}, VJP),
    edit(
        "denominator_ignores_padding",
        "y_dot",
        {total: denominator(condition=inside((s * o + w - p,), (n,)))},
        divisors("jvp"),
    ),
    edit(
        "weight_of_next_cell",
        "y_dot",
        {exp(beta * here): exp(beta * zero_padded(x)[c, cell + 1])},
        JVP,
    ),
    edit("weights_not_normalised", "x_bar", {total: 1}, VJP),
    edit(
        "forward_without_padding",
        "y",
        {summed: Sum(bracket(is_real) * exp(beta * here), window)},
        divisors("forward"),
    ),
    edit(
        "mean_of_exponentials",
        "y",
        {summed: summed / product(k)},
        claim="unpadded, β > 0: max ≤ smooth",
    ),
    edit("beta_may_be_0", "requires", {Ne(beta, 0): beta >= 0}, divisors("forward")),
)

# Pooling of images.

x, c, H, W, kH, kW, s2 = plane.x, plane.c, plane.H, plane.W, plane.kH, plane.kW, plane.s
oH, oW, jH, jW, best = plane.oH, plane.oW, plane.jH, plane.jW, plane.best
x_dot, x_bar = plane.x_dot, plane.x_bar
here = plane.here
transposed = (c, s2 * oH + jW, s2 * oW + jH)
strideless = (c, s2 * oH + jH, oW + jW)
taller = {kH: kW, kW: kH}
AT_RANK_2 = "N-D at rank 2: forward"

edit = edits_of(plane.max_pool2d)
winner_at = (c, s2 * oH + plane.atH, s2 * oW + plane.atW)
target = (c, s2 * oH + plane.rowH, s2 * oW + plane.rowW)

MAX_POOL2D = (
    edit("ties_to_last", f"{RULES} claim", {x[here] > best: x[here] >= best}, claim=FIRST),
    edit(
        "axes_exchanged",
        "y_dot",
        {x_dot[winner_at]: x_dot[c, s2 * oH + plane.atW, s2 * oW + plane.atH]},
        reads("jvp"),
    ),
    edit("kernel_exchanged", "y_dot", taller, reads("jvp")),
    edit("kernel_exchanged_everywhere", ALL, taller, reads("forward")),
    edit("square_kernel", ALL, {kW: kH}, reads("forward"), claim=AT_RANK_2),
    edit("stride_once_everywhere", ALL, {s2 * oW: oW}, claim=AT_RANK_2),
    edit(
        "target_ignores_row",
        "x_bar",
        {x_bar[target]: x_bar[c, s2 * oH, s2 * oW + plane.rowW]},
        VJP,
    ),
    edit(
        "target_one_on",
        "x_bar",
        {x_bar[target]: x_bar[c, s2 * oH + plane.rowH + 1, s2 * oW + plane.rowW]},
        reads(VJP),
        VJP,
    ),
    edit("starts_at_zero", "y_dot claim", {x[c, s2 * oH, s2 * oW]: 0}, claim=LARGEST),
    edit(
        "mean_forward",
        "y",
        {plane.max_pool2d.forward.args[1]: Sum(x[here], *plane.window) / (kH * kW)},
        claim=LARGEST,
    ),
)

edit = edits_of(plane.avg_pool2d)

AVG_POOL2D = (
    edit("divisor_squared", "x_bar", {kH * kW: kH * kH}, VJP),
    edit("divisor_squared_everywhere", ALL, {kH * kW: kH * kH}, claim=AT_RANK_2),
    edit("divisor_added", "y_dot", {kH * kW: kH + kW}, JVP),
    edit("axes_exchanged", "y_dot", {x_dot[here]: x_dot[transposed]}, reads("jvp"), JVP),
    edit("kernel_exchanged", "x_bar", taller, reads(VJP), VJP),
    edit("stride_once", "y_dot", {x_dot[here]: x_dot[strideless]}, JVP),
    edit("stride_once_everywhere", ALL, {s2 * oW: oW}, claim=AT_RANK_2),
    edit("vjp_of_one_cell", "x_bar", {x_bar[here]: x_bar[c, s2 * oH, s2 * oW]}, VJP),
    edit("vjp_not_divided", "x_bar", {kH * kW: 1}, claim=MASS),
)

edit = edits_of(plane.smooth_max_pool2d)
beta, total, wH, wW = plane.beta, plane.total, plane.wH, plane.wW
at_place = beta * x[here]
summed = Sum(exp(at_place), *plane.window)


def denominator2d(place=(c, s2 * oH + wH, s2 * oW + wW), high=kH, wide=kW):
    return Sum(exp(plane.beta * plane.x[place]), (wH, 0, high - 1), (wW, 0, wide - 1))


SMOOTH_MAX_POOL2D = (
    edit("jvp_without_beta", "y_dot", {beta: 1}, JVP),
    edit("jvp_times_beta", "y_dot", {x_dot[here]: beta * x_dot[here]}, JVP),
    edit(
        "denominator_of_one_row",
        "x_bar",
        {total: denominator2d(high=1)},
        VJP,
    ),
    edit("denominator_exchanged", "x_bar", {total: denominator2d(high=kW, wide=kH)}, reads(VJP)),
    edit(
        "denominator_without_stride",
        "x_bar",
        {total: denominator2d((c, oH + wH, oW + wW))},
        claim=MASS,
    ),
    edit(
        "weight_of_first_cell",
        "x_bar",
        {exp(at_place): exp(beta * x[c, s2 * oH, s2 * oW])},
        claim=MASS,
    ),
    edit("weights_not_normalised", "x_bar", {total: 1}, VJP),
    edit("exponent_without_beta", "y", {exp(at_place): exp(x[here])}, JVP, VJP),
    edit("log_not_divided", "y", {log(summed) / beta: log(summed)}, JVP, VJP),
    edit("mean_of_exponentials", "y", {summed: summed / (kH * kW)}, claim="β > 0: max ≤ smooth"),
    edit("beta_may_be_0", "requires", {Ne(beta, 0): beta >= 0}, divisors("forward")),
)

# Padded pooling of images.

x, c, p2, has, best = pad.x, pad.c, pad.p, pad.has, pad.best
oH, oW, jH, jW, atH, atW = pad.oH, pad.oW, pad.jH, pad.jW, pad.atH, pad.atW
here, y_bar, x_dot, x_bar = pad.here, pad.y_bar, pad.x_dot, pad.x_bar
winner_at = x_dot[c, s2 * oH + atH - p2, s2 * oW + atW - p2]
target = x_bar[c, s2 * oH + pad.rowH - p2, s2 * oW + pad.rowW - p2]
largest = maximum(x[here], *pad.window, where=pad.is_real)
zeros = maximum(zero_padded(x)[here], *pad.window)
edit = edits_of(pad.max_pool2d_pad)

MAX_POOL2D_PAD = (
    edit("ties_to_last", RULES, {x[here] > best: x[here] >= best}, claim="N-D at rank 2: JVP"),
    edit("never_found", RULES, {pad.loop["has"][2]: has}, JVP, VJP),
    edit(
        "sign_of_padding",
        "y_dot",
        {winner_at: x_dot[c, s2 * oH + atH + p2, s2 * oW + atW + p2]},
        reads("jvp"),
    ),
    edit(
        "padding_on_one_axis",
        "x_bar",
        {target: x_bar[c, s2 * oH + pad.rowH - p2, s2 * oW + pad.rowW]},
        reads(VJP),
        VJP,
    ),
    edit("padding_is_zeros", "y", {largest: zeros}, claim=LARGEST),
    edit("forward_reads_padding", "y", {largest: maximum(x[here], *pad.window)}, reads("forward")),
    edit("scatters_from_nowhere", "x_bar", {Eq(pad.found, 1): ALWAYS}, reads(VJP)),
    edit(
        "empty_gives_1",
        "y",
        {largest: maximum(x[here], *pad.window, where=pad.is_real, empty=1)},
        claim=AT_RANK_2,
    ),
)

edit = edits_of(pad.avg_pool2d_pad)
AGREE, UNPAD = "the two VJPs agree", "x_bar_unpad"
iH, iW, area = pad.iH, pad.iW, kH * kW
on_row, on_column = Eq(s2 * oH + jH, iH + p2), Eq(s2 * oW + jW, iW + p2)
real_cells = Sum(bracket(pad.is_real), *pad.window)
read = zero_padded(x_dot)[here]

AVG_POOL2D_PAD = (
    edit(
        "sign_of_padding",
        "y_dot",
        {read: zero_padded(x_dot)[c, s2 * oH + jH + p2, s2 * oW + jW + p2]},
        JVP,
    ),
    edit(
        "padding_on_one_axis",
        "y_dot",
        {read: zero_padded(x_dot)[c, s2 * oH + jH, s2 * oW + jW - p2]},
        JVP,
    ),
    edit(
        "padding_on_one_axis_everywhere",
        f"y {RULES} {UNPAD}",
        {s2 * oH + jH - p2: s2 * oH + jH, on_row: Eq(s2 * oH + jH, iH)},
        claim=AT_RANK_2,
    ),
    edit("unpad_not_shifted", UNPAD, {on_row: Eq(s2 * oH + jH, iH)}, f"vjp {UNPAD}", claim=AGREE),
    edit(
        "unpad_shifted_twice",
        UNPAD,
        {on_column: Eq(s2 * oW + jW, iW + 2 * p2)},
        f"vjp {UNPAD}",
        claim=AGREE,
    ),
    edit(
        "divided_by_real_cells",
        "y_dot",
        {Sum(read, *pad.window) / area: Sum(read, *pad.window) / real_cells},
        divisors("jvp"),
        JVP,
    ),
    edit("unpad_not_divided", UNPAD, {area: 1}, f"vjp {UNPAD}", claim=AGREE),
    edit("scatter_not_clipped", "x_bar", {inside(here[1:], (H, W)): ALWAYS}, reads(VJP)),
    edit(
        "scatter_clipped_at_padding",
        "x_bar",
        {inside(here[1:], (H, W)): inside(here[1:], (H - p2, W))},
        VJP,
        claim=AGREE,
    ),
)

# Adaptive pooling.

x, c, mH, mW, tH, tW = bins.x, bins.c, bins.mH, bins.mW, bins.tH, bins.tW
oH, oW, y_bar, x_dot, x_bar = bins.oH, bins.oW, bins.y_bar, bins.x_dot, bins.x_bar
rounded_down = {bins.end(oH, H, mH): floor_div((oH + 1) * H, mH)}
too_wide = {bins.start(oH, H, mH): floor_div(oH * H, mH) - 1}
wrong_axis = {
    bins.start(oW, W, mW): bins.start(oW, H, mH),
    bins.end(oW, W, mW): bins.end(oW, H, mH),
}
strided = {
    bins.start(oW, W, mW): oW * floor_div(W, mW),
    bins.end(oW, W, mW): (oW + 1) * floor_div(W, mW),
}
IDENTITY = "m = n is the identity"
edit = edits_of(bins.adaptive_avg_pool2d)

ADAPTIVE_AVG_POOL2D = (
    edit("end_rounded_down", ALL, rounded_down, divisors("forward")),
    edit("jvp_end_rounded_down", "y_dot", rounded_down, JVP),
    edit("vjp_end_rounded_down", "x_bar", rounded_down, VJP),
    edit("starts_too_early", ALL, too_wide, reads("forward"), reads(VJP)),
    edit("bins_of_wrong_axis", "y_dot", wrong_axis, reads("jvp"), JVP),
    edit("vjp_in_plain_windows", "x_bar", strided, VJP),
    edit("divisor_of_plain_windows", "x_bar", {bins.area: ceil_div(H, mH) * ceil_div(W, mW)}, VJP),
    edit(
        "divisor_of_next_bin",
        "y_dot",
        {bins.area: bins.length(oH + 1, H, mH) * bins.length(oW, W, mW)},
        JVP,
    ),
    edit("divisor_of_one_axis", "x_bar", {bins.area: bins.length(oH, H, mH)}, VJP, claim=MASS),
    edit("sums_for_means", ALL, {bins.area: 1}, claim="m | n is plain pooling: forward"),
    edit("divisor_is_bin_count", ALL, {bins.area: mH * mW}, claim=IDENTITY),
)

best, atH, atW = bins.best, bins.atH, bins.atW
cell2 = x[c, tH, tW]
edit = edits_of(bins.adaptive_max_pool2d)
bin_start = x[c, bins.start(oH, H, mH), bins.start(oW, W, mW)]
target = x_bar[c, bins.rowH, bins.rowW]

ADAPTIVE_MAX_POOL2D = (
    edit("ties_to_last", f"{RULES} claim", {cell2 > best: cell2 >= best}, claim=FIRST),
    edit("picks_least", "y_dot claim", {cell2 > best: cell2 < best}, JVP, claim=LARGEST),
    edit("seeded_by_zero", "y_dot claim", {bin_start: 0}, claim=LARGEST),
    edit("seeded_by_first_cell", "y_dot claim", {bin_start: x[c, 0, 0]}, claim=LARGEST),
    edit("axes_exchanged", "x_bar", {target: x_bar[c, bins.rowW, bins.rowH]}, reads(VJP)),
    edit("bins_of_wrong_axis", "y", wrong_axis, reads("forward")),
    edit("vjp_in_plain_windows", "x_bar", strided, VJP),
    edit("target_at_bin_start", "x_bar", {bins.rowW: bins.start(oW, W, mW)}, VJP),
    edit("target_one_on", "x_bar", {target: x_bar[c, bins.rowH, bins.rowW + 1]}, reads(VJP), VJP),
    edit("end_rounded_down", "y", rounded_down, JVP, claim=LARGEST),
)

# Global pooling.

x, c, y_bar, x_dot, x_bar = whole.x, whole.c, whole.y_bar, whole.x_dot, whole.x_bar
iH, iW, jH, jW = whole.iH, whole.iW, whole.jH, whole.jW
next_channel, first_channel = x_dot[c + 1, jH, jW], x_dot[0, jH, jW]


def means_of(op, upstream):
    edit = edits_of(op)
    return (
        edit("divisor_added", "y_dot", {H * W: H + W}, JVP),
        edit("divisor_of_one_axis", "x_bar", {H * W: H}, VJP, claim=MASS),
        edit("divisor_of_one_axis_everywhere", ALL, {H * W: W}, claim=MASS),
        edit("sum_forward", "y", {H * W: 1}, JVP, VJP),
        edit("reads_next_channel", "y_dot", {x_dot[c, jH, jW]: next_channel}, reads("jvp")),
        edit("reads_first_channel", "y_dot", {x_dot[c, jH, jW]: first_channel}, JVP),
        edit("axes_exchanged", "y y_dot", {H - 1: W - 1, W - 1: H - 1}, reads("forward")),
        edit("vjp_doubled", "x_bar", {upstream: 2 * upstream}, VJP, claim=MASS),
    )


GLOBAL_AVG_POOL2D = means_of(whole.global_avg_pool2d, y_bar[c, 0, 0])
GLOBAL_AVG_POOL2D_FLAT = means_of(whole.global_avg_pool2d_flat, whole.flat_bar[c])

best, largest, cell2 = whole.best, whole.largest, x[c, jH, jW]
transposed = {x_dot[c, whole.atH, whole.atW]: x_dot[c, whole.atW, whole.atH]}
first_row = maximum(x[c, 0, jW], whole.image[1])
is_first_channel = bracket(Eq(x[0, iH, iW], largest))


def maxima_of(op, upstream):
    edit = edits_of(op)
    return (
        edit("picks_least", "y_dot", {cell2 > best: cell2 < best}, JVP),
        edit("seeded_by_zero", "y_dot", {x[c, 0, 0]: 0}, JVP),
        edit("axes_exchanged", "y_dot", transposed, reads("jvp")),
        edit("compares_first_channel", "x_bar", {whole.is_largest: is_first_channel}, VJP),
        edit("compares_with_first_row", "x_bar", {largest: first_row}, VJP),
        edit("compares_below", "x_bar", {whole.is_largest: bracket(x[c, iH, iW] <= largest)}, VJP),
        edit("every_cell", "x_bar", {whole.is_largest: 1}, VJP),
        edit("vjp_doubled", "x_bar", {upstream: 2 * upstream}, VJP),
    )


DISTRIBUTED, ties = "x_bar_distributed", whole.ties
over_ties = tuple(ties.args[1:])
one_axis = Sum(bracket(Eq(x[c, 0, whole.wW], largest)), over_ties[1])
edit = edits_of(whole.global_max_pool2d)

GLOBAL_MAX_POOL2D = (
    *maxima_of(whole.global_max_pool2d, y_bar[c, 0, 0]),
    edit("ties_to_last", "y_dot claim", {cell2 > best: cell2 >= best}, claim=FIRST),
    edit("ties_not_counted", DISTRIBUTED, {ties: 1}, claim=f"distributed: {MASS}"),
    edit(
        "ties_of_one_row",
        DISTRIBUTED,
        {ties: one_axis},
        divisors(f"vjp {DISTRIBUTED}"),
        claim=f"distributed: {MASS}",
    ),
    edit(
        "ties_are_all_cells",
        DISTRIBUTED,
        {ties: H * W},
        f"vjp {DISTRIBUTED}",
        claim=f"distributed: {MASS}",
    ),
)
GLOBAL_MAX_POOL2D_FLAT = maxima_of(whole.global_max_pool2d_flat, whole.flat_bar[c])

# Convolution of images.

W2, x, x_dot, W_dot, y_bar = c2.W, c2.x, c2.x_dot, c2.W_dot, c2.y_bar
ci, co, iH, iW, jH, jW, oH, oW, p2 = c2.ci, c2.co, c2.iH, c2.iW, c2.jH, c2.jW, c2.oH, c2.oW, c2.p
here, tap = c2.here, c2.tap
W_BAR, B_BAR, BY_W = "vjp W_bar", "vjp b_bar", "jvp by W"
flipped = (co, ci, kH - 1 - jH, kW - 1 - jW)
under = (iH + p2 - s2 * oH, iW + p2 - s2 * oW)
edit = edits_of(c2.conv2d)

CONV2D = (
    edit("kernel_flipped", "y_dot", {W2[tap]: W2[flipped]}, JVP),
    edit("kernel_axes_exchanged", "y_dot", {W2[tap]: W2[co, ci, jW, jH]}, reads("jvp")),
    edit("channels_exchanged", "y_dot", {W2[tap]: W2[ci, co, jH, jW]}, reads("jvp")),
    edit("sign_of_padding", "y_dot", {here[1]: s2 * oH + jH + p2}, JVP, BY_W),
    edit("weight_tangent_dropped", "y_dot", {W_dot[tap]: 0}, BY_W),
    edit(
        "input_vjp_flips_kernel",
        "x_bar",
        {W2[(co, ci, *under)]: W2[co, ci, kH - 1 - under[0], under[1]]},
        VJP,
    ),
    edit("weight_vjp_without_stride", "W_bar", {here[2]: oW + jW - p2}, W_BAR),
    edit("bias_vjp_of_one_row", "b_bar", {y_bar[co, oH, oW]: y_bar[co, 0, oW]}, B_BAR),
    edit("bias_doubled", "y", {c2.b[co]: 2 * c2.b[co]}, "jvp by b", B_BAR),
    edit("forward_flipped", "y y_dot", {W2[tap]: W2[flipped]}, VJP, claim=AT_RANK_2),
)

# Transposed convolution.

x, b, y, i_at = ct.x, ct.b, ct.y, ct.i * ct.s + ct.j - ct.p
ci, co, W1, y_bar, x_dot = ct.ci, ct.co, ct.W, ct.y_bar, ct.x_dot
landing, m1 = zero_padded(y_bar)[co, i_at], ct.m
edit = edits_of(ct.conv_transpose)
one_more = array("y", ct.outC, m1 + 1)
back = ct.axis.outputs(m1)
resized = {y: one_more, ct.y_dot: tangent(one_more), y_bar: cotangent(one_more)}

CONV_TRANSPOSE = (
    edit("weight_transposed", "x_bar", {W1[ci, co, j]: W1[co, ci, j]}, reads(VJP)),
    edit("weight_transposed_in_jvp", "y_dot", {W1[ci, co, j]: W1[co, ci, j]}, reads("jvp")),
    edit("kernel_flipped", "x_bar", {W1[ci, co, j]: W1[ci, co, k - 1 - j]}, VJP),
    edit("stride_missing", "x_bar", {i_at: i + j - p}, VJP),
    edit("stride_missing_forward", "y", {i_at: i + j - p}, JVP, VJP),
    edit("sign_of_padding", "W_bar", {i_at: i * s + j + p}, W_BAR),
    edit("padding_doubled", "y_dot", {i_at: i * s + j - 2 * p}, JVP, BY_W),
    edit("bias_vjp_over_inputs", "b_bar", {m1 - 1: n - 1}, reads(B_BAR), B_BAR),
    edit("bias_of_first_channel", "y", {b[co]: b[0]}, "jvp by b", B_BAR),
    edit(
        "size_too_large",
        "y y_dot x_bar W_bar b_bar claim",
        {**resized, m1 - 1: m1, back: ct.axis.outputs(m1 + 1)},
        claim="conv of the size gives back n",
    ),
    edit("landing_not_masked", "x_bar", {landing: y_bar[co, i_at]}, reads(VJP)),
)

x, W2, b, y_bar = ct2.x, ct2.W, ct2.b, ct2.y_bar
ci, co, iH, iW, oH, oW = ct2.ci, ct2.co, ct2.iH, ct2.iW, ct2.oH, ct2.oW
rowwise, columnwise = ct2.landing
tap, exchanged_tap = ct2.tap, (ci, co, jW, jH)
flipped = (ci, co, kH - 1 - jH, kW - 1 - jW)
edit = edits_of(ct2.conv_transpose2d)

CONV_TRANSPOSE2D = (
    edit("weight_transposed", "x_bar", {W2[tap]: W2[co, ci, jH, jW]}, reads(VJP)),
    edit("kernel_axes_exchanged", "x_bar", {W2[tap]: W2[exchanged_tap]}, reads(VJP)),
    edit("kernel_flipped", "x_bar", {W2[tap]: W2[flipped]}, VJP),
    edit("stride_once", "x_bar", {columnwise: iW + jW - p2}, VJP),
    edit("sign_of_padding", "W_bar", {rowwise: iH * s2 + jH + p2}, W_BAR),
    edit("padding_on_one_axis", "W_bar", {columnwise: iW * s2 + jW}, W_BAR),
    edit("bias_vjp_over_inputs", "b_bar", {ct2.mH - 1: ct2.inH - 1}, reads(B_BAR), B_BAR),
    edit("forward_flipped", "y y_dot x_bar", {W2[tap]: W2[flipped]}, claim=AT_RANK_2),
    edit(
        "lands_transposed", "y_dot", {ct2.lands: bracket(Eq(rowwise, oW) & Eq(columnwise, oH))}, JVP
    ),
)

# Unpadding.

x, c, t, i1, p1, n1 = cut.x, cut.c, cut.t, cut.i, cut.p, cut.n
x_dot, y_bar = cut.x_dot, cut.y_bar
pulled = zero_padded(y_bar)[c, t - p1]
BACK = "unpad after zero-pad is the identity"
edit = edits_of(cut.unpad)

UNPADDING = (
    edit("padding_doubled", "y", {x[c, i1 + p1]: x[c, i1 + 2 * p1]}, JVP, VJP),
    edit("not_shifted", "y", {x[c, i1 + p1]: x[c, i1]}, JVP, VJP),
    edit(
        "not_shifted_everywhere",
        "y y_dot x_bar",
        {i1 + p1: i1, t - p1: t},
        claim="unpad and zero-pad are adjoint",
    ),
    edit("jvp_not_shifted", "y_dot", {i1 + p1: i1}, JVP),
    edit("jvp_beyond", "y_dot", {i1 + p1: i1 + 2 * p1 + 1}, reads("jvp")),
    edit("vjp_not_padded", "x_bar", {pulled: y_bar[c, t - p1]}, reads(VJP)),
    edit("vjp_adds_padding", "x_bar", {t - p1: t + p1}, VJP),
    edit("vjp_reflects", "x_bar", {t - p1: n1 - 1 - t + p1}, VJP),
    edit("padding_may_be_negative", "requires", {p1 >= 0: n1 + 2 * p1 >= 1}, reads("forward")),
)

FAMILIES = {
    "max_pool": MAX_POOL,
    "smooth_max_pool": SMOOTH_MAX_POOL,
    "max_pool2d": MAX_POOL2D,
    "avg_pool2d": AVG_POOL2D,
    "smooth_max_pool2d": SMOOTH_MAX_POOL2D,
    "max_pool2d_pad": MAX_POOL2D_PAD,
    "avg_pool2d_pad": AVG_POOL2D_PAD,
    "adaptive_avg_pool2d": ADAPTIVE_AVG_POOL2D,
    "adaptive_max_pool2d": ADAPTIVE_MAX_POOL2D,
    "global_avg_pool2d": GLOBAL_AVG_POOL2D,
    "global_avg_pool2d_flat": GLOBAL_AVG_POOL2D_FLAT,
    "global_max_pool2d": GLOBAL_MAX_POOL2D,
    "global_max_pool2d_flat": GLOBAL_MAX_POOL2D_FLAT,
    "conv2d": CONV2D,
    "conv_transpose": CONV_TRANSPOSE,
    "conv_transpose2d": CONV_TRANSPOSE2D,
    "unpad": UNPADDING,
}
