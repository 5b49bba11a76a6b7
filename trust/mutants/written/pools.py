"""Wrong max pooling, hard and smooth. Untrusted."""

from importlib import import_module

from gradproof.language import Eq, Ne, Sum, bracket, exp, inside, log, maximum, product, zero_padded
from gradproof.specs.spatial import cell, is_real, k, n, o, p, s, window
from trust.mutants.written.making import (
    ALWAYS,
    FIRST,
    JVP,
    LARGEST,
    MASS,
    RULES,
    VJP,
    divisors,
    edits_of,
    reads,
)

# `specs` gives the name to the op, not to its module.
hard = import_module("gradproof.specs.max_pool")
smooth = import_module("gradproof.specs.smooth_max_pool")

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
