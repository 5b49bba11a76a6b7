"""Attacks by names: binders that capture, names that meet, calls within calls."""

import pytest
from attacks import (
    BAD,
    LAST,
    LIMIT,
    M,
    N,
    a,
    all_proved,
    at,
    b,
    beta,
    c,
    claim,
    claiming,
    holds,
    is_proved,
    op,
    proofs,
    refused,
    scaling,
    statuses,
    theorems,
    total,
    u,
    v,
    w,
    x,
    x_bar,
    x_dot,
    y,
    y_bar,
    y_dot,
)

from gradproof.language import (
    And,
    Array,
    Claim,
    DefinitionError,
    Eq,
    Exists,
    ForAll,
    If,
    Min,
    Ne,
    Not,
    Op,
    Or,
    Sum,
    Windows,
    array,
    bracket,
    call,
    cotangent,
    exp,
    fold,
    integers,
    log,
    maximum,
    mod,
    reals,
    scatter,
    tangent,
    zero_padded,
)
from gradproof.language import terms as t
from gradproof.language.terms import Sym
from gradproof.prove.tactics.asking import ask
from gradproof.prove.tactics.proving import prove
from gradproof.theorems.obligations import obligations


def bound_size(**changes):
    Y = array("y", M)
    parts = {
        "requires": (N >= 1, M >= 1),
        "forward": Eq(Y[a], Sum(x[N - 1], (N, 1, 100))),
        "jvp": Eq(tangent(Y)[a], Sum(x_dot[N - 1], (N, 1, 100))),
        "vjp": Eq(x_bar[b], Sum(bracket(b < 100) * cotangent(Y)[a], (a, 0, M - 1))),
    }
    return Op("bound_size", **(parts | changes))


def test_a_sum_that_binds_a_size():
    """SOUNDNESS: inside, `x` has the size that is bound, so x[99] of one cell is in bounds."""
    assert refused(bound_size) or not all_proved(bound_size(), "in bounds")


def test_a_scatter_that_binds_a_size():
    rule = scatter(x_bar[N - 1], y_bar[0], (N, 1, 100))
    assert refused(lambda: op(vjp=rule)) or not all_proved(op(vjp=rule), "in bounds")


def test_a_call_inside_a_call():
    """SOUNDNESS: the inner call's binder captures the index that the outer call passes in."""
    Y = array("y", M)
    total = Op(
        "total",
        requires=(N >= 1,),
        forward=Eq(Y[a], Sum(x[b], (b, 0, N - 1))),
        jvp=Eq(tangent(Y)[a], Sum(x_dot[b], (b, 0, N - 1))),
        vjp=Eq(x_bar[b], Sum(cotangent(Y)[a], (a, 0, M - 1))),
    )
    inner = lambda place: call(total, {}, {x: lambda other: other * x[place]})[0]  # noqa: E731 - a shorthand of this test alone
    twice = call(total, {}, {x: inner})[0]
    captured = N * Sum(b * x[b], (b, 0, N - 1))
    meant = Sum(x[b], (b, 0, N - 1)) * Sum(b, (b, 0, N - 1))
    assert not all_proved(total.claiming(Claim("c", Eq(twice, captured))), "claim")
    assert all_proved(total.claiming(Claim("c", Eq(twice, meant))), "claim")


def test_one_binder_name_twice():
    nested = Sum(Sum(x[b], (b, 0, N - 1)), (b, 0, N - 1))
    assert holds(Eq(nested, N * Sum(x[b], (b, 0, N - 1))))
    assert not holds(Eq(nested, N * Sum(x[b], (b, 0, Min(N - 1, 50)))))


def test_nested_quantifiers_keep_their_variables_apart():
    """SOUNDNESS: ∃b ∀a: a = b became ∃b ∀a: a = a."""
    constant = Exists(ForAll(Eq(a, b), (a, 0, N)), (b, 0, N))
    assert claim(constant).status == "refuted"
    assert not holds(Or(N < 50, constant))
    assert not holds(Or(N < 50, Not(ForAll(Exists(Ne(a, b), (a, 0, N)), (b, 0, N)))))


@pytest.mark.parametrize("name", ["x_dot", "y_bar"])
def test_an_input_named_like_a_tangent(name):
    """SOUNDNESS: the constant is taken for the tangent, since arrays are known by their names."""
    clash = array(name, N)
    rules = {"jvp": Eq(y_dot[a], clash[a])} if name == "x_dot" else {"vjp": Eq(x_bar[a], clash[a])}

    def build():
        return op(forward=Eq(y[a], x[a] + clash[a]), constants=(clash,), **rules)

    assert refused(build) or not all_proved(build(), "jvp", "vjp", "linear")


@pytest.mark.parametrize("name", ["z_bar", "q", "x_barred"])
def test_a_cotangent_is_named_after_its_input(name):
    """SOUNDNESS: of two that bore each other's names, `vjp z_bar` was proved of x."""
    other = Array(name, (N,), "cotangent", "x")
    assert refused(lambda: op(vjp=Eq(other[a], y_bar[a])))


def test_what_an_output_stands_for_binds_no_name_of_a_need():
    """SOUNDNESS: y[j] became Σ_j …, of the very j that the turns before are counted by."""
    rest = reals("rest")

    def other_than_1(array, a):
        return Sum(array[a] * bracket(Ne(a, j)), (j, 1, 1))

    j = integers("j")
    states = {"total": (total, 0, total + y[j]), "rest": (rest, 0, rest + 1 / (total + 1))}
    loop = fold(rest, (u, 0, 0), (v, 0, 0), (j, 0, 1), **states)
    definition = op(
        requires=(N >= 2,),
        forward=Eq(y[a], other_than_1(x, a)),
        jvp=Eq(y_dot[a], other_than_1(x_dot, a)),
        vjp=Eq(x_bar[a], other_than_1(y_bar, a)),
        claims=(Claim("c", Eq(0, 0 * loop)),),
    )
    assert not all_proved(definition, "claim")


def test_a_parameter_named_like_the_sum_rules_own():
    """SOUNDNESS: the bound of a sum of exponentials takes the user's `largest` for its own."""
    largest = reals("largest")
    score = lambda value: -1 * ((value - largest) * (value - largest))  # noqa: E731 - a shorthand of this test alone
    total = Sum(exp(score(x[b])), (b, 0, LAST))
    bound = log(LAST + 1) + score(maximum(x[b], (b, 0, LAST)))
    assert not holds(log(total) <= bound, requires=(N >= 1, Ne(largest, 0)))


def test_the_same_text_with_another_meaning():
    """Questions are renamed and remembered: integers and reals of one order stay apart."""
    whole, real = Sym("q", t.INT), Sym("q", t.REAL)
    assert ask((whole > 0,), whole >= 1).status == BAD
    assert ask((real > 0,), real >= 1).status == "refuted"


@pytest.mark.parametrize(
    "loop",
    [
        fold(x[99], (b, 0, 0), N=(N, 100, N)),
        fold(total, (b, 0, 9), one=(total, 0, total + 1), two=(total, 0, total + 2)),
        fold(b, (b, 0, 9), b=(b, 0, b + 1)),
        Sum(1, (b, 0, 2), (c, 0, a), (a, 0, 1)),
        fold(at, (b, 0, at), at=(at, 0, at + 1)),
    ],
    ids=str,
)
def test_a_name_with_two_meanings(loop):
    """SOUNDNESS: a state named like a size made x[99] of one cell in bounds.

    Evaluation took an end that mentions a name for the name that a later range binds.
    """
    assert refused(lambda: op(forward=Eq(y[a], x[a] + 0 * loop)))


def test_a_quantifier_in_requires_binds_no_name_twice():
    inner = Exists(Eq(a, b), (a, 0, 2), (c, 0, b), (b, 0, 1))
    assert refused(lambda: op(requires=(N >= 1, Exists(inner, (b, 0, N - 1)))))


def test_names_of_any_alphabet():
    slope, X = reals("β"), array("ξ", N)
    parts = {"requires": (N >= 1, slope >= -9), "forward": Eq(y[a], slope * X[a])}
    parts["vjp"] = Eq(cotangent(X)[a], slope * y_bar[a])
    assert all_proved(op(jvp=Eq(y_dot[a], slope * tangent(X)[a]), **parts), "jvp", "vjp")
    at_seven = If(Eq(slope, 7), 0, slope)
    assert True not in proofs(op(jvp=Eq(y_dot[a], at_seven * tangent(X)[a]), **parts), "jvp")


def test_a_quantifier_in_the_end_of_a_range_takes_no_name():
    """`∃ d: d = c` was asked as `∃ '3: '3 = '3`."""
    end = If(Exists(Eq(u, N), (u, 0, 3)), 1, 0)
    inner = ForAll(Exists(Eq(v, c), (v, 0, 0)), (b, 0, end), (c, 0, N))
    assert not holds(Or(N < 50, inner))
    assert ask((N >= 50,), inner).status != BAD
    assert holds(ForAll(Exists(Eq(v, c), (v, 0, c)), (b, 0, end), (c, 0, N)))


def some_cell_is_positive():
    return Op(
        "some",
        requires=(N >= 1,),
        forward=Eq(y[a], bracket(Exists(x[b] > 0, (b, 0, N - 1)))),
        jvp=Eq(y_dot[a], 0 * x_dot[0]),
        vjp=Eq(x_bar[b], 0 * Sum(y_bar[a], (a, 0, N - 1))),
    )


def test_what_is_bound_in_the_end_of_a_range_is_none_of_its_places():
    """A read beyond the end, where `some place is after b` was taken for `b is after b`."""
    later = call(some_cell_is_positive(), {}, {x: lambda other: other - b})[0]
    end = If(And(N >= 50, later > 0), 0, -1)
    definition = op(forward=Eq(y[b], x[b] + 0 * Sum(x[b + N], (c, 0, end))))
    reads = [th for th in theorems(definition, "in bounds") if th.equation == "forward"]
    assert not any(is_proved(th) for th in reads)


def test_calls_of_calls_with_many_binders_share_no_name():
    made = array("y", M)
    rules = {
        "requires": (N >= 1, M >= 1),
        "jvp": Eq(tangent(made)[a], Sum(x_dot[b], (b, 0, N - 1))),
        "vjp": Eq(x_bar[b], Sum(cotangent(made)[a], (a, 0, M - 1))),
    }
    total = Sum(x[b], (b, 0, N - 1))
    small = Op("small", forward=Eq(made[a], total), **rules)
    many = [Sum(0, (b, 0, 0))] * 500
    large = Op("large", forward=Eq(made[a], t.Add(*many, total)), **rules)
    inner = {x: lambda p: call(small, {}, {x: lambda q: q * x[p]})[0]}
    twice = call(large, {}, inner)[0]
    captured = Claim("c", Eq(twice, N * Sum(b * x[b], (b, 0, N - 1))))
    assert not all_proved(small.claiming(captured), "claim")


def test_the_sizes_of_a_call_are_not_those_of_its_index():
    def last(value):
        return Eq(call(op(), {N: 2 * N}, {x: lambda p: p})[N - 1], value)

    assert holds(last(N - 1))
    assert not holds(last(2 * N - 1))


def test_windows_bind_no_name_twice():
    twice = If(Exists(And(), (u, 0, 60), (u, N, N)), 0, 1)
    assert refused(lambda: op(windows=Windows(N, twice, 1, 1)))


def test_a_name_that_a_call_made_up_is_no_size():
    leaked = []
    total = op(forward=Eq(y[a], Sum(x[b], (b, 0, N - 1))), jvp=Eq(y_dot[a], x_dot[a]))
    call(total, {}, {x: lambda p: leaked.append(p) or p})[0]
    assert refused(lambda: op(requires=(N >= 1, leaked[0] >= 0)))


def test_what_a_function_binds_captures_no_index_of_its_call():
    """x[b] times the sum of x, and not the sum of squares."""
    scaled = call(op(), {}, {x: lambda p: Sum(x[p] * x[b], (b, 0, N - 1))})[b]
    meant = x[b] * Sum(x[c], (c, 0, N - 1))
    assert holds(ForAll(Eq(scaled, meant), (b, 0, N - 1)))
    assert not holds(ForAll(Eq(scaled, Sum(x[c] * x[c], (c, 0, N - 1))), (b, 0, N - 1)))


def test_no_array_is_named_like_one_with_padding():
    def build():
        return str(array("x\u0302", N)[a]) != str(zero_padded(x)[a])

    assert refused(build) or build()


@pytest.mark.parametrize(
    "name", ["forward: reads and writes", "requires N ≥ 1", "requires can be met", "jvp by x"]
)
def test_a_claim_has_a_name_of_its_own(name):
    """What a theorem rests on is looked up by its name."""
    assert refused(lambda: obligations(op(claims=(Claim(name, N >= 1),))))


by_p = integers("p")


def test_the_place_of_a_read_is_not_what_its_equation_binds():
    """SOUNDNESS: y = x, written with a binder p; the place of y[b] was called p'9 and p became p'9.

    So y[b] was taken for the sum of x: N = 2, x = (1, 0) has y[1] = 0.
    """
    same = op(forward=Eq(y[a], Sum(bracket(Eq(by_p, a)) * x[by_p], (by_p, 0, N - 1))))
    total = op(forward=Eq(y[a], Sum(x[b], (b, 0, N - 1))), jvp=Eq(y_dot[a], x_dot[a]))
    for before in range(6):
        numbered = 0 * call(total, {}, {})[0] + t.Add(*[0 * y[b]] * before)
        wrong = Eq(numbered + y[b], Sum(x[c], (c, 0, N - 1)))
        right = Eq(numbered + y[b], x[b])
        for said, status in ((wrong, "refuted"), (right, "proved")):
            claims = same.claiming(Claim("c", ForAll(said, (b, 0, N - 1))))
            assert statuses(claims, "claim") == [status]


def test_one_name_twice_in_a_size_is_two():
    """SOUNDNESS: at N = 50 the size of the windows asks for 5 mod 0; the outer u ≥ 1 vouched."""
    inner = Exists(Eq(mod(5, u), 7), (u, 0, If(N >= 50, 3, -1)))
    size = N + 0 * If(Exists(And(u >= 1, inner), (u, 0, 3)), 1, 0)
    windows = Windows(count=N, size=size, extent=1, stride=1)
    assert not all_proved(op(windows=windows), "defined")


def test_an_accent_is_one_however_it_is_typed():
    def build():
        return array("\N{LATIN SMALL LETTER C WITH CIRCUMFLEX}", N)  # zero_padded(c) reads alike

    assert refused(build)


@pytest.mark.parametrize(
    "name",
    [
        *("e\u0301", "\u212a", "\u00b5", "n\u034f", "n\ufe0e", "x\u207f", "\U0001d45b"),
        *("\u00e9", "\u65e5", "\u0430", "\u0391", "\u03bf", "a\u115f", "n\u02b9", "a\ua78fb"),
    ],
)
def test_no_two_names_look_alike(name):
    """SOUNDNESS: `é > é` was proved, of two names."""
    for declare in (integers, array, lambda name: cotangent(x, name)):
        with pytest.raises(DefinitionError, match="is not a name"):
            declare(name)


def test_greek_letters_are_letters():
    assert [str(s) for s in integers("\u03b2 \u0393_2")] == ["\u03b2", "\u0393_2"]


def test_an_array_that_bypasses_its_declaration_has_a_name_too():
    with pytest.raises(DefinitionError, match="is not a name"):
        scaling(t.Array("n\u034f", (N,))[a], 1)


def test_no_size_binds_a_name():
    """SOUNDNESS: such an array was another one in each theorem: y = x had dy/dx = 0."""
    s = integers("s")
    for size in (
        If(Exists(Eq(w, 3), (w, 0, N - 1)), N, N),
        fold(s, (w, 0, N - 1), s=(s, 0, s + 1)),
    ):
        made = array("y", size)
        same = {
            "forward": Eq(made[a], zero_padded(x)[a]),
            "jvp": Eq(tangent(made)[a], zero_padded(x_dot)[a]),
            "vjp": Eq(x_bar[a], zero_padded(cotangent(made))[a]),
        }
        with pytest.raises(DefinitionError, match=r"op p, y: size .* binds names"):
            Op("p", requires=(N >= 1,), **same)
        shaped = cotangent(x, shape=(size,))
        with pytest.raises(DefinitionError, match=r"op p, x_bar: size .* binds names"):
            Op(
                "p",
                requires=(N >= 1,),
                forward=Eq(y[a], x[a]),
                jvp=Eq(y_dot[a], x_dot[a]),
                vjp=Eq(shaped[a], zero_padded(y_bar)[a]),
            )


def test_given_says_nothing_of_what_the_op_computes():
    """It was taken for another array of the same name."""
    for computed in (y, y_dot, x_bar):
        with pytest.raises(DefinitionError, match=f"given is about {computed}, which the op"):
            claim(x[0] > 0, given=(computed[0] > 0,))


def test_a_place_may_depend_on_another():
    """SOUNDNESS: k was put where j was meant, which nothing bound any more: x[1] = x[0]."""
    begin = maximum(x[c], (b, a, a), (c, b, b))
    difference = Sum((bracket(Eq(a, 1)) - bracket(Eq(a, 0))) * begin, (a, 0, 1))
    (theorem,) = theorems(claiming(Eq(difference, 0), (N >= 2,), {}), "claim")
    assert prove(theorem, False, LIMIT).status != "proved"


def scaled(sizes):
    """The op y = beta·x, and a call of it with 2·x for x."""
    definition = op(
        requires=(N >= 1, beta > 0),
        forward=Eq(y[a], beta * x[a]),
        jvp=Eq(y_dot[a], beta * x_dot[a]),
        vjp=Eq(x_bar[a], beta * y_bar[a]),
    )
    return definition, call(definition, sizes, {x: lambda p: 2 * x[p]})


def test_what_a_caller_passes_reads_the_callers_arrays():
    """SOUNDNESS: with beta := x[0] and x := 2x, beta was 2·x[0]; what is false was proved."""
    definition, called = scaled({beta: x[0]})
    for factor, status in ((x[0], BAD), (2 * x[0], "refuted")):
        said = Claim("c", ForAll(Eq(called[a], factor * 2 * x[a]), (a, 0, N - 1)))
        assert statuses(definition.claiming(said), "claim") == [status]


def test_where_a_caller_looks_depends_on_the_callers_arrays():
    """SOUNDNESS: `x[0] > 5` in an index was read as `2·x[0] > 5`."""
    definition, called = scaled({})

    def last_if(condition):
        return If(condition, N - 1, 0)

    for bound, status in ((x[0] > 5, BAD), (2 * x[0] > 5, "refuted")):
        said = Claim("c", Eq(called[last_if(x[0] > 5)], 2 * beta * x[last_if(bound)]))
        assert statuses(definition.claiming(said), "claim") == [status]


def test_an_output_that_a_caller_passes_is_the_callers():
    """A rule reads the output of the call; what the caller passes reads the caller's."""
    definition = op(
        requires=(N >= 1, beta > 0),
        forward=Eq(y[a], exp(beta * x[a])),
        jvp=Eq(y_dot[a], beta * y[a] * x_dot[a]),
        vjp=Eq(x_bar[a], beta * y[a] * y_bar[a]),
    )
    called = call(definition, {beta: y[0]}, {}, of="x_bar")
    said = Eq(called[a], y[0] * exp(y[0] * x[a]) * y_bar[a])
    assert all_proved(definition.claiming(Claim("c", ForAll(said, (a, 0, N - 1)))), "claim")
