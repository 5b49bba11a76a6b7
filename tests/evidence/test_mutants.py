"""Every definition can be wrong: the ops that are wrong by hand are refuted by the theorems that
should catch them, some at the smallest shape; right ones are proved. Some of these shapes are found
again by plain loops that share nothing with `verify/gradproof/`."""

from dataclasses import replace
from fractions import Fraction
from itertools import count

import pytest

from gradproof.language import DefinitionError
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle import check
from gradproof.settle.preconditions import needed
from gradproof.specs import OPS
from gradproof.theorems.obligations import obligations
from trust.mutants.told import objections, settled
from trust.mutants.written import WRITTEN
from trust.mutants.written.making import Caught, Written
from trust.mutants.written.right import (
    CONTRADICTIONS,
    RIGHT,
    UNDEFINED_RANGE,
    avg,
    first_by_if,
)

MUTANTS = tuple(mutant for written in WRITTEN.values() for mutant in written)
BY_NAME = {mutant.op.name: mutant for mutant in MUTANTS}


def found(op):
    return {theorem.name: (theorem.kind, settled(theorem)) for theorem in obligations(op)}


def named(op):
    return op.name


def edits(op):
    """Edits of an op have theorems in common, which one process settles once."""
    return pytest.mark.xdist_group(f"edits of {op}")


IN_MAKE_TEST = 2  # of each op; `make sample` draws others

EACH = [
    pytest.param(
        mutant,
        id=mutant.op.name,
        marks=(edits(op), *([pytest.mark.slow] if number >= IN_MAKE_TEST else ())),
    )
    for op, written in WRITTEN.items()
    for number, mutant in enumerate(written)
]


def test_each_op_has_five_mutants_with_names_of_their_own():
    assert set(WRITTEN) == {op.name for op in OPS}
    assert min(map(len, WRITTEN.values())) >= 5
    assert len(BY_NAME) == len(MUTANTS)
    assert all(mutant.caught for mutant in MUTANTS)


@pytest.mark.parametrize("mutant", EACH)
def test_a_mutant_is_refuted_by_the_theorems_named(mutant):
    assert objections(mutant) == []


def test_what_is_not_as_it_is_told_is_objected_to():
    right, wrong = avg.definition, BY_NAME["not_divided"]
    (caught,) = wrong.caught

    def said(**changes):
        return objections(replace(wrong, caught=(replace(caught, **changes),)))

    assert said() == []
    assert said(kind="jvp") == ["vjp x_bar is of the kind vjp"]
    (elsewhere,) = said(sizes=caught.sizes | {"n": 2})
    assert elsewhere.startswith("vjp x_bar fails at ")
    assert objections(Written(right, (Caught("jvp by x"),))) == [
        "jvp by x is proved",
        "it passes",
    ]
    assert objections(Written(wrong.op, (), all_told=True)) == [
        "it passes",
        "vjp x_bar is refuted",
    ]


@edits("conv_transpose2d")
def test_a_failure_far_from_the_least_shapes_is_made_small():
    """Padding needs a window around it on both axes: eight sizes, and no least shape is near."""
    op = next(m.op for m in WRITTEN["conv_transpose2d"] if "sign_of_padding" in m.op.name)
    found = settled({th.name: th for th in obligations(op)}["vjp W_bar"]).counterexample
    assert sum(found.sizes.values()) <= 13
    assert not found.smallest


@edits("avg_pool")
@pytest.mark.parametrize("op", RIGHT, ids=named)
def test_a_right_op_is_proved(op):
    assert {name: f.status for name, (_, f) in found(op).items() if f.status != "proved"} == {}


@pytest.mark.parametrize("clause", CONTRADICTIONS, ids=str)
def test_contradicting_preconditions_prove_nothing(clause):
    op = replace(avg.definition, requires=(*avg.definition.requires, clause))
    assert {f.status for _, f in found(op).values()} == {"vacuous"}


def without(clause):
    return tuple(r for r in avg.definition.requires if r != clause)


@edits("avg_pool")
@pytest.mark.parametrize("clause", avg.definition.requires, ids=str)
def test_a_dropped_precondition_is_refuted_or_a_convention(clause):
    note = needed(avg.definition, clause, obligations(avg.definition), RLIMIT).note
    dropped = replace(avg.definition, requires=without(clause))
    statuses = {f.status for _, f in found(dropped).values()}
    assert ("refuted" in statuses) == note.startswith("needed")
    assert (statuses == {"proved"}) == note.startswith("convention")


def test_a_range_that_divides_by_zero_has_no_places():
    theorem = next(t for t in obligations(UNDEFINED_RANGE) if t.name == "jvp by x")
    assert check.settled(theorem, RLIMIT).status == "refuted"


def test_a_choice_per_axis_is_refused_where_it_would_be_one_for_all():
    with pytest.raises(DefinitionError, match=r"vjp x_bar.*chooses once for all axes"):
        first_by_if()


# Plain loops.


def smallest(names, is_wrong):
    """The first wrong shape by the total of the sizes, then in the order of the sizes."""
    for total in count():
        for values in of_total(len(names), total):
            sizes = dict(zip(names, values, strict=True))
            if fits(**sizes) and is_wrong(**sizes):
                return sizes
    raise AssertionError("unreachable")


def of_total(length, total):
    if length == 0:
        return [()] if total == 0 else []
    heads = range(total + 1)
    return [(head, *rest) for head in heads for rest in of_total(length - 1, total - head)]


def fits(k, n, p, s, d=1, inC=1, **_):
    return min(k, n, s, d, inC) >= 1 and n + 2 * p >= d * (k - 1) + 1


def outputs(k, n, p, s, d=1):
    return (n + 2 * p - d * (k - 1) - 1) // s + 1


def ceil(a, b):
    return -(-a // b)


def unit(length, at):
    return [Fraction(i == at) for i in range(length)]


def matrix(linear_map, length):
    """Its columns are the images of the unit vectors."""
    return [linear_map(unit(length, at)) for at in range(length)]


def transposed(columns):
    return [list(row) for row in zip(*columns, strict=True)]


def average(x, k, n, p, s):
    """The mean over each window, of a line."""
    means = []
    for o in range(outputs(k, n, p, s)):
        total = Fraction(0)
        for j in range(k):
            if 0 <= s * o + j - p < n:
                total += x[s * o + j - p]
        means.append(total / k)
    return means


def averages_unlike(rule, is_vjp):
    """Whether a rule, for one line, is another matrix than that of the mean."""

    def is_wrong(C, k, n, p, s):
        true = matrix(lambda x: average(x, k, n, p, s), n)
        length = outputs(k, n, p, s) if is_vjp else n
        written = matrix(lambda t: rule(t, k, n, p, s), length)
        return C >= 1 and written != (transposed(true) if is_vjp else true)

    return is_wrong


def gathering(low, high, divisor=lambda k, s: k):
    def rule(y_bar, k, n, p, s):
        m = outputs(k, n, p, s)
        x_bar = []
        for i in range(n):
            total = Fraction(0)
            for o in range(max(0, low(i, k, p, s)), min(m - 1, high(i, k, p, s)) + 1):
                total += y_bar[o]
            x_bar.append(total / divisor(k, s))
        return x_bar

    return averages_unlike(rule, is_vjp=True)


def first(i, k, p, s):
    return ceil(i + p - k + 1, s)


def last(i, k, p, s):
    return (i + p) // s


def overlapping_scatter(y_bar, k, n, p, s):
    x_bar = [Fraction(0)] * n
    for o in range(outputs(k, n, p, s)):
        for j in range(k + 1):
            if 0 <= s * o + j - p < n:
                x_bar[s * o + j - p] += y_bar[o] / k
    return x_bar


def floor_gather(y_bar, k, n, p, s):
    windows = [[(i + p - j) // s for j in range(k)] for i in range(n)]
    return [sum(y_bar[o] for o in row if 0 <= o < len(y_bar)) / k for row in windows]


def strides_squared(x, k, n, p, s):
    cells = [[s * s * o + j - p for j in range(k)] for o in range(outputs(k, n, p, s))]
    return [sum(x[e] for e in row if 0 <= e < n) / k for row in cells]


def reads_outside(low, high):
    """Whether a gather over `low..high` reads an output that there is not."""

    def is_wrong(C, k, n, p, s):
        m = outputs(k, n, p, s)
        reads = {o for i in range(n) for o in range(low(i, k, p, s, m), high(i, k, p, s, m) + 1)}
        return C >= 1 and not reads <= set(range(m))

    return is_wrong


def writes_outside(C, k, n, p, s):
    targets = {s * o + j - p for o in range(outputs(k, n, p, s)) for j in range(k)}
    return C >= 1 and not targets <= set(range(n))


def last_misfits(size):
    return lambda k, n, p, s: (size(k, n, p, s) - 1) * s + k > n + 2 * p


def correlate(W, x, k, n, p, s, d=1):
    """One filter over one line."""
    out = []
    for o in range(outputs(k, n, p, s, d)):
        cells = [(j, s * o + d * j - p) for j in range(k)]
        out.append(sum((W[j] * x[e] for j, e in cells if 0 <= e < n), Fraction(0)))
    return out


def jvp_flips(inC, outC, k, n, p, s):
    """The entries are linear in W: unit filters tell two such rules apart."""
    return outC >= 1 and any(
        matrix(lambda x, W=W: correlate(W, x, k, n, p, s), n)
        != matrix(lambda x, W=W: correlate(W[::-1], x, k, n, p, s), n)
        for W in (unit(k, j) for j in range(k))
    )


def dilation_forgotten(d, k, n, p, s):
    """The transposed entries, against a scatter of W[j]·y_bar[o] to s·o + j - p."""
    m = outputs(k, n, p, s, d)
    for W in (unit(k, j) for j in range(k)):
        true = matrix(lambda x, W=W: correlate(W, x, k, n, p, s, d), n)
        written = [[Fraction(0)] * m for _ in range(n)]
        for o in range(m):
            for j in range(k):
                if 0 <= s * o + j - p < n:
                    written[s * o + j - p][o] += W[j]
        if written != true:
            return True
    return False


def bias_averaged(inC, outC, k, n, p, s):
    m = outputs(k, n, p, s)
    return outC >= 1 and [Fraction(1)] * m != [Fraction(1, m)] * m


def padding_ignored(inC, outC, k, n, p, s):
    """∂y[o]/∂W[j] is x̂[s·o + j - p], against x̂[s·o + j]."""
    cells = [(s * o + j, p) for o in range(outputs(k, n, p, s)) for j in range(k)]
    pairs = {(e - p if 0 <= e - p < n else None, e if e < n else None) for e, p in cells}
    return outC >= 1 and any(a != b for a, b in pairs)


ORACLES = {
    "jvp_squares_stride": averages_unlike(strides_squared, is_vjp=False),
    "first_too_early": gathering(lambda i, k, p, s: ceil(i + p - k, s), last),
    "first_rounded_down": gathering(lambda i, k, p, s: (i + p - k + 1) // s, last),
    "last_too_late": gathering(first, lambda i, k, p, s: (i + p + 1) // s),
    "last_rounded_up": gathering(first, lambda i, k, p, s: ceil(i + p, s)),
    "gather_swaps_k_and_s": gathering(
        lambda i, k, p, s: ceil(i + p - s + 1, k), lambda i, k, p, s: (i + p) // k
    ),
    "stride_ignored": gathering(lambda i, k, p, s: i + p - k + 1, lambda i, k, p, s: i + p),
    "divided_by_stride": gathering(first, last, lambda k, s: s),
    "not_divided": gathering(first, last, lambda k, s: 1),
    "missing_divisibility": averages_unlike(floor_gather, is_vjp=True),
    "scatter_overlaps": averages_unlike(overlapping_scatter, is_vjp=True),
    "scatter_not_clipped": writes_outside,
    "not_clipped_below": reads_outside(
        lambda i, k, p, s, m: first(i, k, p, s), lambda i, k, p, s, m: min(m - 1, last(i, k, p, s))
    ),
    "not_clipped_above": reads_outside(
        lambda i, k, p, s, m: max(0, first(i, k, p, s)), lambda i, k, p, s, m: last(i, k, p, s)
    ),
    "size_plus_2": last_misfits(lambda *sizes: outputs(*sizes) + 1),
    "size_rounded_up": last_misfits(lambda k, n, p, s: ceil(n + 2 * p - k, s) + 1),
    "jvp_flips_kernel": jvp_flips,
    "weight_vjp_ignores_padding": padding_ignored,
    "bias_vjp_is_a_mean": bias_averaged,
    "scatter_forgets_dilation": dilation_forgotten,
}


@pytest.mark.parametrize("name", ORACLES)
def test_plain_loops_find_the_same_smallest_shape(name):
    (caught,) = BY_NAME[name].caught
    assert smallest(tuple(caught.sizes), ORACLES[name]) == caught.sizes


def test_plain_loops_accept_the_right_rule():
    right = gathering(first, last)
    for total in range(9):
        for values in of_total(5, total):
            sizes = dict(zip(("C", "k", "n", "p", "s"), values, strict=True))
            assert not (fits(**sizes) and right(**sizes))
