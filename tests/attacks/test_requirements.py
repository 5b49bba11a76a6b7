"""Attacks by what is required of values, and by arrays of integers."""

from fractions import Fraction

import numpy as np
import pytest
from attacks import (
    BAD,
    LIMIT,
    N,
    a,
    all_proved,
    b,
    found,
    refused,
    scaling,
    statuses,
    theorems,
    x,
    y,
)

from gradproof import forward
from gradproof.evaluate.replay import Failure, replayed
from gradproof.language import (
    Eq,
    If,
    Ne,
    Op,
    Sum,
    among,
    array,
    axes,
    bracket,
    cotangent,
    exp,
    integer_array,
    integers,
    log,
    scatter,
    sqrt,
    tangent,
    zero_padded,
)
from gradproof.settle.conclusions import satisfied
from gradproof.settle.preconditions import needed, satisfiable, witnessed
from gradproof.theorems.obligations import obligations

V, D, d, v = integers("V D d v")
u = x[a]
table, rows = array("table", V, D), array("rows", N, D)
label = integer_array("label", N, below=V)


def under(forward, slope, *clauses):
    return scaling(forward, slope, (N >= 1, *clauses))


def embedding(rule, read=label[a], requires=()):
    return Op(
        "embedding",
        requires=requires,
        forward=Eq(rows[a, d], table[read, d]),
        jvp=Eq(tangent(rows)[a, d], tangent(table)[read, d]),
        vjp=rule,
    )


def gathered(there):
    found = Sum(bracket(Eq(there, v)) * cotangent(rows)[a, d], (a, 0, N - 1))
    return embedding(Eq(cotangent(table)[v, d], found))


def scattered(there):
    ranges = ((a, 0, N - 1), (d, 0, D - 1))
    return embedding(scatter(cotangent(table)[there, d], cotangent(rows)[a, d], *ranges))


def test_values_that_are_required():
    assert all_proved(under(log(u), 1 / u, u > 0))
    assert all_proved(under(abs(u), 1, u > 0))
    assert all_proved(under(u * sqrt(u), Fraction(3, 2) * sqrt(u), u > 0))
    assert all_proved(under(1 / u, -1 / (u * u), ~Eq(u, 0)))


def test_values_of_which_too_little_is_required():
    assert "refuted" in statuses(under(log(u), 1 / u, u >= 0), "defined")
    assert "refuted" in statuses(under(abs(u), 1, u >= -1), "jvp", "vjp")
    assert "refuted" in statuses(under(1 / (u - 1), -1 / (u - 1) ** 2, u > 0), "defined")


def test_what_is_required_of_one_cell_is_not_of_another():
    """x[0] > 0 says nothing of x[1]."""
    definition = scaling(log(u), 1 / u, (N >= 1, x[0] > 0))
    assert BAD not in statuses(definition, "defined")


def test_what_is_required_of_another_array():
    z = array("z", N)
    definition = Op(
        "other",
        requires=(N >= 1, z[a] > 0),
        constants=(z,),
        forward=Eq(y[a], log(x[a]) + 0 * z[a]),
        jvp=Eq(tangent(y)[a], tangent(x)[a] / x[a]),
        vjp=Eq(cotangent(x)[a], cotangent(y)[a] / x[a]),
    )
    assert "refuted" in statuses(definition, "defined")


def lengths(clause):
    """The length of each row of x, under a clause about its square."""
    row, size = array("row", N, V), array("size", N)
    squares = Sum(row[a, d] ** 2, (d, 0, V - 1))
    return Op(
        "lengths",
        requires=(N >= 1, V >= 1, clause(row, squares)),
        forward=Eq(size[a], sqrt(squares)),
        jvp=Eq(
            tangent(size)[a],
            Sum(row[a, v] * tangent(row)[a, v], (v, 0, V - 1)) / sqrt(squares),
        ),
        vjp=Eq(cotangent(row)[a, v], row[a, v] * cotangent(size)[a] / sqrt(squares)),
    )


def test_what_is_required_of_a_sum():
    assert all_proved(lengths(lambda row, squares: squares > 0))
    assert all_proved(under(sqrt(u * u + u), (2 * u + 1) / (2 * sqrt(u * u + u)), u * u + u > 0))


def test_what_is_required_of_another_sum():
    """Of the squares at least 0, of one row alone, of the values themselves."""
    one_row = Sum(array("row", N, V)[0, d] ** 2, (d, 0, V - 1))
    values = Sum(array("row", N, V)[a, d] + 1, (d, 0, V - 1))
    for clause in (
        lambda row, squares: squares >= 0,
        lambda *_: one_row > 0,
        lambda *_: values > 0,
    ):
        assert "refuted" in statuses(lengths(clause), "defined")


def test_clauses_that_bound_a_value_from_both_sides():
    half = under(log(u / (1 - u)), 1 / (u * (1 - u)), u > 0, u < 1)
    assert all_proved(half)
    slip = under(log(u / (1 - u)), 4 + 0 * u, u > 0, u < 1)
    assert "refuted" in statuses(slip, "jvp")


def test_nothing_is_known_outside_of_the_array():
    """x[-1] is no cell: that all cells are above 0 says nothing of it."""
    definition = under(If(a > 0, u, u + 0 * log(x[a - 1])), 1, u > 0)
    assert statuses(definition, "defined")[0] != BAD


def test_a_counterexample_meets_what_is_required():
    """At 0 and 1, x³ has the slope 3x; nowhere else."""
    assert all_proved(under(u * u * u, 3 * u, among(u, 0, 1)))
    assert "refuted" in statuses(under(u * u * u, 3 * u, among(u, 0, 1, 2)), "jvp")
    definition = under(u * u * u, 3 * u, among(u, 0, 1))
    (theorem,) = theorems(definition, "jvp")
    (sequent,) = theorem.sequents
    place = {s: 0 for s, _, _ in sequent.over} | {N: 1}
    for value, fails in ((2, False), (1, False)):
        failure = Failure(sequent, place, {("x", (0,)): Fraction(value)}, "", "")
        assert (replayed(theorem, failure) is not None) == fails
    free = under(u * u * u, 3 * u)
    (theorem,) = theorems(free, "jvp")
    (sequent,) = theorem.sequents
    place = {s: 0 for s, _, _ in sequent.over} | {N: 1}
    assert replayed(theorem, Failure(sequent, place, {("x", (0,)): Fraction(2)}, "", ""))


def test_every_cell_meets_what_is_required():
    """The cell that is not read must be above 0, too."""
    definition = under(u * u, u, u > 0)
    (theorem,) = theorems(definition, "jvp")
    (sequent,) = theorem.sequents
    place = {s: 0 for s, _, _ in sequent.over} | {N: 2}
    some = {("x", (0,)): Fraction(1)}
    assert replayed(theorem, Failure(sequent, place, some, "", "")) is None
    assert replayed(theorem, Failure(sequent, place, {**some, ("x", (1,)): Fraction(1)}, "", ""))


def test_requirements_that_contradict_each_other():
    definition = under(log(u), 7 / u, u > 0, u < 0)
    assert witnessed(satisfiable(definition), LIMIT).status == "vacuous"
    assert set(statuses(definition, "jvp", "vjp")) == {"vacuous"}


def test_requirements_on_values_that_can_be_met_do_not_contradict_each_other():
    for clauses in ((u > 3, u < 4), (Ne(u, 0), u <= 0)):
        assert witnessed(satisfiable(under(u, 1, *clauses)), LIMIT).status != "vacuous"


def test_a_witness_has_values():
    found = witnessed(satisfiable(under(u, 1, u > 0)), LIMIT)
    assert found.status == BAD
    assert found.method == "witness N = 1, x[0] = 1"


def test_values_that_do_not_meet_a_requirement_are_no_witness():
    wanted = satisfiable(under(u, 1, u > 0))
    assert satisfied(wanted, {N: 1}, {("x", (0,)): Fraction(1)}).status == BAD
    assert satisfied(wanted, {N: 1}, {("x", (0,)): Fraction(0)}) is None


def test_a_requirement_is_needed_or_a_convention():
    definition = under(log(u), 1 / u, u > 0)
    assert "needed" in needed(definition, u > 0, obligations(definition), LIMIT).note
    definition = under(u * u, 2 * u, u > 0)
    assert "convention" in needed(definition, u > 0, obligations(definition), LIMIT).note


def test_a_requirement_that_has_no_value_itself():
    definition = under(u, 1, log(u) > 0)
    assert "refuted" in statuses(definition, "defined")
    assert BAD not in [f.status for f in found(definition, "defined")][:1]
    assert all_proved(under(u, 1, u > 0, log(u) > 0), "defined")


def test_indices_of_requirements():
    z = array("z", V)
    assert refused(lambda: under(u, 1, u > z[a]))  # over N, or over V
    assert refused(lambda: under(u, 1, x[a + b] > 0))  # b is no index and no size


def test_requirements_per_axis():
    n, i = axes("n i")
    X, Y = array("X", n), array("Y", n)
    rule = [
        Eq(t[i], s[i] / X[i]) for t, s in ((tangent(Y), tangent(X)), (cotangent(X), cotangent(Y)))
    ]
    good = Op("logs", Eq(Y[i], log(X[i])), *rule, requires=(n >= 1, X[i] > 0))
    assert all_proved(good)
    bad = Op("logs", Eq(Y[i], log(X[i])), *rule, requires=(n >= 1, X[i] + 1 > 0))
    assert "refuted" in statuses(bad, "defined")


def test_embedding():
    assert all_proved(scattered(label[a]))
    assert all_proved(gathered(label[a]))


@pytest.mark.parametrize("there", [label[a] + 1, label[a] - 1, label[0], V - 1 - label[a]])
def test_embedding_elsewhere(there):
    assert BAD not in statuses(gathered(there), "vjp")
    assert not all_proved(scattered(there))


def test_indices_outside_of_the_table():
    wide = integer_array("label", N, below=V + 1)
    low = integer_array("label", N, below=V, first=-1)
    rule = scatter(cotangent(table)[0, d], 0 * cotangent(rows)[a, d], (a, 0, 0), (d, 0, D - 1))
    for read in (wide[a], low[a], zero_padded(label)[a] + 1):
        assert "refuted" in statuses(embedding(rule, read, (N >= 1, V >= 1)), "in bounds")


def test_labels_that_cannot_be():
    """Of no class there is no label: nothing is shown of it."""
    none = integer_array("label", N, below=0)
    definition = scaling(u * none[a], 7 * none[a], (N >= 1,))
    assert witnessed(satisfiable(definition), LIMIT).status == "vacuous"
    assert set(statuses(definition, "jvp", "vjp")) == {"vacuous"}


def test_two_labels_may_be_alike():
    """A rule that is right where no two rows are the same."""
    alone = bracket(Eq(Sum(bracket(Eq(label[b], label[a])), (b, 0, N - 1)), 1))
    value = Sum(alone * bracket(Eq(label[a], v)) * cotangent(rows)[a, d], (a, 0, N - 1))
    assert "refuted" in statuses(embedding(Eq(cotangent(table)[v, d], value)), "vjp")


@pytest.mark.parametrize("left_out", [Eq(label[a], 0), Eq(label[a], V - 1)])
def test_the_first_label_and_the_last_one_count(left_out):
    """A range that is too narrow would be assumed when counterexamples are replayed."""
    kept = bracket(~left_out) * bracket(Eq(label[a], v))
    rule = Eq(cotangent(table)[v, d], Sum(kept * cotangent(rows)[a, d], (a, 0, N - 1)))
    assert "refuted" in statuses(embedding(rule, requires=(V >= 2,)), "vjp")


def test_reads_through_labels_are_not_captured():
    """What is summed over b must not become the label of a."""
    z = array("z", V)
    value = Sum(z[label[b]], (b, 0, N - 1))
    definition = Op(
        "sums",
        requires=(N >= 1,),
        forward=Eq(y[a], value),
        jvp=Eq(tangent(y)[a], Sum(tangent(z)[label[a]], (b, 0, N - 1))),
        vjp=Eq(cotangent(z)[v], Sum(bracket(Eq(label[b], v)) * cotangent(y)[b], (b, 0, N - 1))),
    )
    assert BAD not in statuses(definition, "jvp", "vjp")


def test_integers_are_no_fractions():
    """What holds of 0 and 1 alone is not asked of 1/2."""
    flag = integer_array("flag", N, below=2)
    assert all_proved(scaling(u * flag[a] * flag[a], flag[a]))
    three = integer_array("flag", N, below=3)
    assert "refuted" in statuses(scaling(u * three[a] * three[a], three[a]), "jvp")


def test_cross_entropy():
    scores, loss = array("scores", N, V), array("loss", N)
    total = Sum(exp(scores[a, d]), (d, 0, V - 1))

    def entropy(hit):
        soft = exp(scores[a, v]) / total
        pushed = Sum(soft * tangent(scores)[a, v], (v, 0, V - 1)) - tangent(scores)[a, label[a]]
        return Op(
            "entropy",
            requires=(N >= 1, V >= 1),
            forward=Eq(loss[a], log(total) - scores[a, label[a]]),
            jvp=Eq(tangent(loss)[a], pushed),
            vjp=Eq(cotangent(scores)[a, v], (soft - hit) * cotangent(loss)[a]),
        )

    assert all_proved(entropy(bracket(Eq(label[a], v))))
    assert "refuted" in statuses(entropy(bracket(Eq(label[a], v + 1))), "vjp")


def test_arrays_as_they_are():
    definition = scattered(label[a])
    values = np.arange(6.0).reshape(3, 2)
    assert forward(definition, {"table": values, "label": [2, 0]}, {}).tolist() == [[4, 5], [0, 1]]
    for wrong in ([3, 0], [-1, 0], [0.5, 0]):
        with pytest.raises(ValueError, match="label"):
            forward(definition, {"table": values, "label": wrong}, {})
    with pytest.raises(ValueError, match="requires"):
        forward(under(u, 1, u > 0), {"x": [1.0, 0.0]}, {})


def test_labels_are_whole_numbers_when_they_are_replayed():
    flag = integer_array("flag", N, below=2)
    (theorem,) = theorems(scaling(u * flag[a] * flag[a], flag[a]), "jvp")
    (sequent,) = theorem.sequents
    place = {s: 0 for s, _, _ in sequent.over} | {N: 1}
    half = {("x", (0,)): Fraction(1), ("flag", (0,)): Fraction(1, 2)}
    assert replayed(theorem, Failure(sequent, place, half, "", "")) is None
