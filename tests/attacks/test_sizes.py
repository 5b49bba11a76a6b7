"""Attacks by shapes: sizes that are computed, below 0, or declared otherwise."""

from dataclasses import replace

import pytest
from attacks import (
    BAD,
    LIMIT,
    C,
    K,
    M,
    N,
    a,
    all_proved,
    b,
    beta,
    bundled,
    claim,
    found,
    holds,
    i,
    j,
    k,
    n,
    o,
    op,
    refused,
    s,
    statuses,
    theorems,
    u,
    x,
    x_bar,
    x_dot,
    y,
    y_bar,
    y_dot,
)

from gradproof.language import (
    And,
    Claim,
    DefinitionError,
    Eq,
    Exists,
    ForAll,
    If,
    Max,
    Ne,
    Not,
    Op,
    Or,
    Sum,
    Windows,
    array,
    axes,
    bracket,
    ceil_div,
    cotangent,
    exp,
    floor_div,
    inside,
    mod,
    nat_div,
    nat_sub,
    scatter,
    tangent,
    trunc_div,
    trunc_mod,
    zero_padded,
)
from gradproof.language import terms as t
from gradproof.settle.check import settled
from gradproof.settle.suite import verify as verify_op
from gradproof.theorems.hypotheses import SHAPES
from gradproof.theorems.obligations import obligations


def test_a_size_formula_that_is_wrong_at_a_large_size():
    claims = [Eq(floor_div(N + K - 1, K), ceil_div(N, K)), Eq(nat_sub(N, 50), N - 50)]
    assert holds(claims[0], requires=(N >= 1, K >= 1))
    assert not holds(Or(N < 49, claims[1]))
    assert not holds(Or(N < 50, Eq(trunc_div(-N, 7), floor_div(-N, 7))))
    assert not holds(Or(N < 50, Eq(trunc_mod(-N, 7), mod(-N, 7))))
    assert not holds(Or(N < 50, Eq(nat_div(N, K), floor_div(N, Max(1, K)))), given=(K >= 0,))


def test_the_declared_windows_are_those_of_the_output():
    """SOUNDNESS: the size theorems speak of `count`, which need not be the output's size."""
    few = floor_div(n - k, s)
    X, Y = array("x", n), array("y", few)
    cell = s * o + j

    def build():
        return Op(
            "few",
            requires=(n >= 1, k >= 1, s >= 1, n >= k + s),
            windows=Windows(count=few + 1, size=n, extent=k, stride=s),
            forward=Eq(Y[o], Sum(zero_padded(X)[cell], (j, 0, k - 1))),
            jvp=Eq(tangent(Y)[o], Sum(zero_padded(tangent(X))[cell], (j, 0, k - 1))),
            vjp=scatter(
                cotangent(X)[cell],
                cotangent(Y)[o],
                *((o, 0, few - 1), (j, 0, k - 1)),
                where=inside((cell,), (n,)),
            ),
        )

    assert refused(build) or not all_proved(build(), "size")


def test_a_rounding_that_does_not_exist():
    parts = {"count": N, "size": N, "extent": 1, "stride": 1, "rounding": "flor"}
    assert refused(lambda: op(windows=Windows(**parts)))


def test_shapes_are_read_like_all_else():
    per_axis = axes("N")
    twice = If(Exists(And(), (u, 0, 60), (u, N, N)), 0, 1)
    reading = If(array("z", N)[0] > 0, 1, 2)
    for dims in ((per_axis, N), (twice,), (reading,)):
        made = array("y", *dims)
        index = (i, a) if len(dims) > 1 else (a,)
        parts = {"forward": Eq(made[index], x[0]), "jvp": Eq(tangent(made)[index], x_dot[0])}
        vjp = Eq(x_bar[a], 0 * zero_padded(cotangent(made))[tuple(0 * e for e in index)])
        assert refused(lambda parts=parts, vjp=vjp: op(vjp=vjp, **parts))


def test_an_array_without_dimensions():
    z, made = array("z"), array("w")
    half = Op(
        "half",
        forward=Eq(made[()], z[()] / 2),
        jvp=Eq(tangent(made)[()], tangent(z)[()] / 2),
        vjp=Eq(cotangent(z)[()], cotangent(made)[()] / 2),
        claims=(Claim("c", Or(Not(z[()] > 0), made[()] > 0)),),
    )
    assert all_proved(half, "jvp", "vjp", "claim")
    assert not all_proved(replace(half, claims=(Claim("c", made[()] > 0),)), "claim")


def diagonal(rule):
    z, made = array("z", C), array("w", C)
    return Op(
        "diagonal",
        requires=(C >= 1, n >= 1, Eq(n, C)),
        forward=Eq(made[a], z[a]),
        jvp=Eq(tangent(made)[a], tangent(z)[a]),
        vjp=rule(cotangent(z, shape=(n,)), cotangent(made)),
    )


@pytest.mark.parametrize(
    "rule",
    [
        lambda z_bar, w_bar: scatter(z_bar[0 * n + a], w_bar[a], (a, 0, C - 1)),
        lambda z_bar, w_bar: Eq(z_bar[i], Sum(bracket(Eq(i, a)) * w_bar[a], (a, 0, C - 1))),
    ],
    ids=["a scatter", "an equation"],
)
def test_a_vector_has_not_the_shape_of_a_grid(rule):
    """SOUNDNESS: at rank 2 z has C cells and z_bar has C²; all was proved, at every rank."""
    assert refused(lambda: diagonal(rule)) or not all_proved(diagonal(rule), "size")


def test_a_number_per_axis_has_not_the_shape_of_a_number():
    X, Y = array("x", n), array("y", n)
    rule = Eq(cotangent(X, shape=(C,))[a], 0 * cotangent(Y)[a])
    requires = (C >= 1, n >= 1, Eq(n, C))
    assert refused(lambda: bundled(vjp=rule, requires=requires))


def test_arrays_have_names_and_sizes():
    for made in (t.Array("x|", (N,)), t.Array("x", (N / K,))):
        rules = {
            "forward": Eq(y[a], made[a]),
            "jvp": Eq(y_dot[a], tangent(made)[a]),
            "vjp": Eq(t.Array("x_bar", (N,), "cotangent", made.name)[a], y_bar[a]),
        }
        assert refused(lambda rules=rules: op(requires=(N >= 1, K >= 1), **rules))


def test_a_range_that_reads_a_tensor_decides_no_shape():
    """At N = 1 it is false for x[0] = 1, which is not tried."""
    inside = ForAll(Eq(x[0], 0), (b, 0, If(x[0] > 0, 0, 0)))
    finding = claim(And(N <= 1, inside))
    assert finding.status != "refuted" or not finding.counterexample.smallest


def test_a_shape_that_a_real_decides():
    size = If(beta > 0, N, N + 1)
    X, Y = array("x", size), array("y", size)
    definition = Op(
        "shape",
        requires=(N >= 1, beta >= -5),
        forward=Eq(Y[a], exp(X[a])),
        jvp=Eq(tangent(Y)[a], 2 * exp(X[a]) * tangent(X)[a]),
        vjp=Eq(cotangent(X)[a], exp(X[a]) * cotangent(Y)[a]),
    )
    assert statuses(definition, "jvp", "vjp") == ["refuted", BAD]


def test_a_counterexample_may_have_thousands_of_cells():
    backwards = Op(
        "backwards",
        requires=(N >= 1100,),
        forward=Eq(y[a], x[a]),
        jvp=Eq(y_dot[a], x_dot[a]),
        vjp=Eq(x_bar[a], y_bar[N - 1 - a]),
    )
    assert statuses(backwards, "vjp") == ["refuted"]


def test_a_size_says_how_many_axes_there_are():
    """SOUNDNESS: N^rank·x has the derivative N at rank 1, which was said of all sizes."""
    j = axes("j")
    with pytest.raises(DefinitionError, match="op attack: j has one value per axis, and no size"):
        op(forward=Eq(y[a], Sum(x[a], (j, 0, N - 1))))


def first_cell(*requires, shape=N):
    """y[a] = x[0], of x with so many cells; y has M."""
    x, y = array("x", shape), array("y", M)
    return Op(
        "first",
        requires=requires,
        forward=Eq(y[a], x[0]),
        jvp=Eq(tangent(y)[a], tangent(x)[0]),
        vjp=Eq(cotangent(x)[b], bracket(Eq(b, 0)) * Sum(cotangent(y)[a], (a, 0, M - 1))),
        claims=(Claim("N cells", Eq(Sum(1, (b, 0, N - 1)) * x[0], N * x[0])),),
    )


def test_no_array_has_less_than_no_cells():
    """UNSOUND: reads were refuted at N = -1, and `N ≥ 0` said to be dispensable."""
    assert all_proved(first_cell(Ne(N, 0), M >= 1))
    assert all_proved(first_cell(N * N >= M * M, M >= 1), "in bounds")
    notes = [v.note for v in verify_op(first_cell(Ne(N, 0), N >= 0, M >= 1), needs=True).verdicts]
    assert any(note.startswith("needed: with M = 1, N = 0") for note in notes)


def two_sizes(*requires, shape, made):
    """Of x with such a shape, and z with M cells."""
    x, z, y = array("x", shape), array("z", M), array("y", made)
    padded = [zero_padded(array) for array in (x, z, tangent(x), tangent(z), cotangent(y))]
    return Op(
        "two",
        requires=requires,
        forward=Eq(y[a], padded[0][a] + padded[1][a]),
        jvp=Eq(tangent(y)[a], padded[2][a] + padded[3][a]),
        vjp=(Eq(cotangent(x)[b], padded[4][b]), Eq(cotangent(z)[b], padded[4][b])),
        claims=(Claim("N at least 0", N >= 0),),
    )


@pytest.mark.parametrize("shape", [N - M, floor_div(N, 2)], ids=str)
def test_sizes_that_are_computed_are_not_below_0(shape):
    """UNSOUND: that N ≥ 0 was refuted at N = -1, where x would have less than no cells.

    It rests on a theorem that says so of x, which needs a clause.
    """
    bare = two_sizes(shape=shape, made=N + 1)
    assert all_proved(bare, "size", "claim")
    assert {SHAPES in th.rests_on for th in obligations(bare) if th.kind == "claim"} == {True}
    assert "refuted" in statuses(bare, "defined")
    met, *_, needed = verify_op(two_sizes(shape >= 0, shape=shape, made=N + 1), needs=True).verdicts
    assert met.status == "proved"
    assert needed.note.startswith("needed: with ")
    assert all_proved(two_sizes(shape >= 0, shape=shape, made=N + 1))
    met, *_ = verify_op(two_sizes(N <= -1, shape=shape, made=-N)).verdicts
    assert met.status == "vacuous"


def test_a_named_size_of_the_output_is_no_hypothesis():
    """From M = N - 2 it does not follow that N ≥ 2: the op may make nothing there."""
    y = array("y", M)
    definition = op(
        requires=(Eq(M, N - 2),),
        forward=Eq(y[a], x[a]),
        jvp=Eq(tangent(y)[a], x_dot[a]),
        vjp=Eq(x_bar[a], zero_padded(cotangent(y))[a]),
        claims=(Claim("c", N >= 2),),
    )
    assert statuses(definition, "claim") == ["refuted"]


def test_a_size_of_the_output_that_others_decide_is_no_hypothesis():
    """SOUNDNESS: of one cell with one to crop at either side, -1 are left, and M + 1 is 0."""
    padded, made = array("x", M + 2 * K), array("y", M)
    parts = {
        "forward": Eq(made[a], padded[a + K] / (M + 1)),
        "jvp": Eq(tangent(made)[a], tangent(padded)[a + K] / (M + 1)),
        "vjp": Eq(cotangent(padded)[b], zero_padded(cotangent(made))[b - K] / (M + 1)),
    }
    assert "refuted" in statuses(op(requires=(K >= 0,), **parts), "defined")
    named = verify_op(op(requires=(K >= 0, M >= 0), **parts), needs=True).verdicts
    (clause,) = (v for v in named if v.name == "requires M ≥ 0")
    assert clause.note.startswith("needed: with K = 0, M = -1, 'sizes: inputs at least 0' fails")


def test_what_a_claim_is_given_decides_a_size_too():
    """SOUNDNESS: from M = N - 5 it does not follow that N ≥ 5."""
    made = array("y", M)
    definition = op(
        requires=(N >= 1,),
        forward=Eq(made[a], x[0]),
        jvp=Eq(tangent(made)[a], x_dot[0]),
        vjp=Eq(x_bar[b], bracket(Eq(b, 0)) * Sum(cotangent(made)[a], (a, 0, M - 1))),
        claims=(
            Claim("given", N >= 5, given=(Eq(M, N - 5),)),
            Claim("implied", Ne(M, N - 5) | (N >= 5)),
            Claim("cells", Eq(Sum(1, (a, 0, M - 1)), M)),
            Claim("cells there are", Eq(Sum(1, (a, 0, M - 1)), M), given=(M >= 0,)),
        ),
    )
    assert statuses(definition, "claim") == ["refuted", "refuted", "refuted", "proved"]


def test_a_witness_has_shapes():
    """Of ⌊N/K⌋ cells there are none below 0: K = 0 was the witness, where x has no size."""
    few, made = array("x", floor_div(N, K)), array("y", M)
    definition = op(
        requires=(N <= -1, M >= 1),
        forward=Eq(made[a], zero_padded(few)[a]),
        jvp=Eq(tangent(made)[a], zero_padded(tangent(few))[a]),
        vjp=Eq(cotangent(few)[b], zero_padded(cotangent(made))[b]),
    )
    met, *_ = verify_op(definition).verdicts
    assert met.status in ("vacuous", "unknown")


def test_an_array_may_have_no_cells():
    for requires in ((M >= 1,), (M >= 1, N >= 0), (M >= 1, N >= -5)):
        reading, *_ = found(first_cell(*requires), "in bounds")
        assert reading.status == "refuted"
        assert reading.counterexample.sizes["N"] == 0


def test_sizes_below_0_alone_are_no_sizes():
    met, *_ = verify_op(first_cell(N <= -1, M >= 1)).verdicts
    assert met.status == "vacuous"


def test_a_size_that_has_no_value_is_not_assumed_to_be_one():
    """What divides in a size is shown not to be 0, not inferred from there being an array."""
    _, divisors = found(first_cell(M >= 1, K >= 0, N >= K, shape=floor_div(N, K)), "defined")
    assert divisors.status == "refuted"
    assert divisors.counterexample.sizes["K"] == 0


def test_the_size_of_the_output_is_shown():
    """A size that the op computes is a theorem, and no hypothesis."""
    shorter = array("y", N - 2)
    rules = {
        "forward": Eq(shorter[a], x[a + 2]),
        "jvp": Eq(tangent(shorter)[a], x_dot[a + 2]),
        "vjp": Eq(x_bar[a], bracket(a >= 2) * cotangent(shorter)[a - 2]),
    }
    (size,) = theorems(op(requires=(N >= 1,), **rules), "size")
    assert size.given == (N >= 1,)
    assert settled(size, LIMIT).counterexample.sizes == {"N": 1}
