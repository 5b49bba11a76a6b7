"""What a verdict about JAX code says: scopes, guards, refusals, and what is not believed."""

import math
import os
import subprocess
import sys

import pytest

if os.environ.get("GRADPROOF_REQUIRE_JAX") == "1":
    import jax
else:
    jax = pytest.importorskip("jax", reason="JAX is not installed; make extras installs it")

import jax.numpy as jnp
import jax_functions as written
import numpy as np
from jax import lax
from jax.custom_derivatives import SymbolicZero

from gradproof import jax as gp
from gradproof.jax.reader import RULES
from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT
from gradproof.tracing import layout
from gradproof.tracing.tensors import Tensor, elementwise

ROWS = {"x": ("N", "C")}


def test_assert_proved_passes_and_returns_the_report():
    assert gp.assert_proved(written.cube, x=("N",)).status == "proved"


def test_assert_proved_fails_with_what_the_code_gives():
    with pytest.raises(AssertionError, match="by finite differences of the code"):
        gp.assert_proved(written.leaky_forgot_slope, x=("N",))


def test_show_prints_the_mathematics_that_was_read():
    shown = gp.show(written.cube, x=("N",))
    assert "y[o1] = x[o1]·x[o1]·x[o1]" in shown
    assert "x_bar[i1] = " in shown


def test_the_user_s_settings_stay_as_they_are():
    before = jax.config.jax_enable_x64
    gp.show(written.cube, x=("N",))
    assert jax.config.jax_enable_x64 == before


def test_without_jax_it_says_what_to_install():
    said = "import sys; sys.modules['jax'] = None; import gradproof.jax"
    run = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=False)
    assert "gradproof.jax needs JAX: pip install 'gradproof[jax]'" in run.stderr


def test_gradproof_alone_does_not_import_it():
    said = "import sys, gradproof, gradproof.language; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", said], check=True)


# Several outputs, and arguments that are trees.


@jax.custom_vjp
def squares_and_sums(x):
    return x * x, jnp.sum(x, 1)


squares_and_sums.defvjp(
    lambda x: (squares_and_sums(x), x),
    lambda x, g: (2 * x * g[0] + g[1][:, None],),
)
forgetful = written.again(squares_and_sums, "forgetful", lambda x, g: (2 * x * g[0],))
mixing = written.again(
    squares_and_sums,
    "mixing",
    lambda x, g: (2 * x * g[0] + g[1][:, None] + g[0] * g[1][:, None],),
)


def test_a_rule_of_several_outputs_is_proved_for_all_their_cotangents_at_once():
    assert gp.check(squares_and_sums, **ROWS).status == "proved"


@pytest.mark.parametrize("function", [forgetful, mixing], ids=lambda f: f.__name__)
def test_a_rule_that_forgets_an_output_or_multiplies_two_is_refuted(function):
    """Each output alone would not show the second: it is right wherever the other gets nothing."""
    assert gp.check(function, **ROWS).status == "refuted"


def layer(params, x):
    return x @ params["w"] + params["b"]


def test_an_argument_may_be_a_dictionary_of_arrays():
    report = gp.check(layer, params={"w": ("D", "K"), "b": ("K",)}, x=("N", "D"))
    assert report.status == "proved"
    assert "params_w" in report.definition


# As users write choices, slices and convolutions, with what JAX derives.


def by_a_number(x, flag):
    return lax.cond(flag > 0, jnp.sin, lambda u: u * u, x)


def by_a_label(x, which):
    return lax.switch(which, [lambda u: u, lambda u: 2 * u, lambda u: u * u], x)


def by_conditions(x):
    return jnp.select([x > 1, x < -1], [x * x, -x], 0.5 * x)


def slice_of_any_size(x, start, size):
    return lax.dynamic_slice_in_dim(x, start, size, axis=1) ** 2


def strided_and_dilated(x, w):
    return lax.conv_general_dilated(x, w, (2,), [(1, 1)], rhs_dilation=(2,))


def in_groups(x, w):
    return lax.conv_general_dilated(x, w, (1,), [(1, 1)], feature_group_count=2)


def windows_apart(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 3), (1, 2), "SAME") / 3


SLICES = {"x": ("B", "N"), "start": gp.integer(below="N-K+1"), "size": gp.size("K")}
AS_WRITTEN = [
    (by_a_number, {"x": "N", "flag": gp.real()}),
    (by_a_label, {"x": "N", "which": gp.integer(below=3)}),
    (by_conditions, {"x": "N"}),
    (slice_of_any_size, SLICES | {"requires": "K <= N"}),
    (strided_and_dilated, {"x": "B C L", "w": "O C K", "requires": "L >= 2*K"}),
    (in_groups, {"x": ("B", "2*C", "L"), "w": ("2*O", "C", 3)}),
    (windows_apart, {"x": ("B", "N"), "requires": "N >= 3"}),
]


@pytest.mark.parametrize(("function", "said"), AS_WRITTEN, ids=lambda v: getattr(v, "__name__", ""))
def test_what_jax_derives_of_choices_slices_and_convolutions_is_proved(function, said):
    report = gp.check(function, **said)
    assert report.status == "proved", report.text


# Sizes at which the code runs differently.


@jax.custom_vjp
def special(x):
    return x * x


def special_bwd(x, g):
    if x.shape[0] == 7:
        return (g * x,)
    return (2 * g * x,)


special.defvjp(lambda x: (special(x), x), special_bwd)


def test_a_size_at_which_the_code_runs_differently_is_traced_too():
    report = gp.check(special, x=("N",))
    assert report.status == "refuted"
    assert "N = 7" in report.text


def test_with_that_size_left_out_it_is_proved():
    assert gp.check(special, x=("N",), requires=["N != 7"]).status == "proved"


@jax.custom_vjp
def square_only(x):
    return x * x


def square_only_bwd(x, g):
    return (2 * g * x if x.shape[0] != x.shape[1] else g * x,)


square_only.defvjp(lambda x: (square_only(x), x), square_only_bwd)


def test_two_sizes_that_may_be_equal_are_not_taken_for_unequal():
    """JAX says that N and C are unequal, since it cannot tell."""
    assert gp.check(square_only, **ROWS).status == "refuted"


@jax.custom_vjp
def odd(x):
    return 3 * x


odd.defvjp(
    lambda x: (odd(x), x),
    lambda x, g: (3 * g if x.shape[0] % 2 else 2 * g,),
)


def test_a_size_that_is_taken_for_a_truth_value_is_one_of_the_conditions():
    assert gp.check(odd, x=("N",)).status == "refuted"
    assert gp.check(odd, x=("N",), requires="N % 2 == 1").status == "proved"


@jax.custom_vjp
def long(x):
    return 3 * x


long.defvjp(
    lambda x: (long(x), x),
    lambda x, g: (3 * g if x.shape[0] < 5 else 2 * g,),
)


def test_a_comparison_that_jax_cannot_decide_is_one_of_the_conditions():
    report = gp.check(long, x=("N",))
    assert report.status == "refuted"


def test_sizes_of_0_are_not_claimed():
    report = gp.check(written.cube, x=("N",), requires="N >= 0")
    assert report.status != "proved" or "N ≥ 1" in report.scope


# What is not believed, and what is refused.


@jax.custom_vjp
def two_faces(x):
    return x * x


two_faces.defvjp(lambda x: (x * x + 1, x), lambda x, g: (2 * g * x,))


def test_a_rule_whose_forward_gives_another_result_is_no_proof():
    report = gp.check(two_faces, x=("N",))
    assert report.status == "error"
    assert "under differentiation the function gives another result" in report.note


@jax.custom_vjp
def rounds(x):
    return jnp.sign(x)


rounds.defvjp(lambda x: (rounds(x), None), lambda _, g: (g,))


def test_what_is_wrong_on_purpose_is_expected_to_be_refuted():
    assert gp.check(rounds, x=("N",), on_purpose=True).as_expected


def by_root(x):
    return x / math.sqrt(x.shape[0])


def by_loop(x):
    return sum(x * i for i in range(x.shape[0]))


def by_value(x):
    return x * 2 if x.sum() > 0 else x


def sorts(x):
    return jnp.sort(x)


@jax.custom_vjp
def by_while(x):
    return lax.while_loop(lambda s: s.sum() > 1, lambda s: s / 2, x)


by_while.defvjp(lambda x: (by_while(x), by_while(x) / x), lambda by, g: (g * by,))


@jax.custom_vjp
def both(x):
    return 2 * x, 3 * x


def both_backward(asked, given):
    g, h = (0.0 if isinstance(u, SymbolicZero) else u for u in given)
    return (2 * g + 3 * h,)


both.defvjp(lambda x: ((2 * x.value, 3 * x.value), None), both_backward, symbolic_zeros=True)


def by_asking(x):
    return both(x)[0]


def product_asking(part):
    @jax.custom_jvp
    def product(x, y):
        return x * y

    def rule(primals, tangents):
        (x, y), (x_dot, y_dot) = primals, tangents
        if isinstance(x_dot, SymbolicZero):
            return x * y, part(x) * y_dot
        return x * y, x_dot * y + (0 if isinstance(y_dot, SymbolicZero) else x * y_dot)

    product.defjvp(rule, symbolic_zeros=True)
    return product


def test_a_rule_that_asks_by_what_it_is_differentiated_is_proved_of_each_choice():
    report = gp.check(product_asking(lambda x: x), x="N", y="N")
    assert report.status == "proved", report.text
    report = gp.check(product_asking(lambda x: 2 * x), x="N", y="N")
    assert report.status == "refuted"
    assert "differentiated by y alone" in report.text


def in_bfloat16(times):
    @jax.custom_vjp
    def scaled(x, s):
        return (x.astype(jnp.bfloat16) * s.astype(jnp.bfloat16)).astype(x.dtype)

    def forward(x, s):
        return scaled(x, s), (x.astype(jnp.bfloat16), s.astype(jnp.bfloat16))

    def backward(kept, g):
        def add(total, pair):
            return total + pair[0] * pair[1], None

        x, s = kept
        total, _ = lax.scan(add, jnp.zeros((), jnp.bfloat16), (g.astype(jnp.bfloat16), x))
        return (g * s).astype(g.dtype), times * total.astype(g.dtype)

    scaled.defvjp(forward, backward)
    return scaled


def test_lower_precisions_are_reals():
    report = gp.check(in_bfloat16(1), x="N", s=())
    assert report.status == "proved", report.text
    assert gp.check(in_bfloat16(2), x="N", s=()).status == "refuted"


def picked(times):
    @jax.custom_vjp
    def picks(x, at):
        return x[jnp.arange(x.shape[0]), at]

    def backward(kept, g):
        x, at = kept
        dx = jnp.zeros_like(x).at[jnp.arange(x.shape[0]), at].add(times * g)
        return dx, np.zeros(at.shape, dtype=jax.dtypes.float0)

    picks.defvjp(lambda x, at: (picks(x, at), (x, at)), backward)
    return picks


def test_a_backward_gives_integers_a_gradient_without_cells():
    said = {"x": ("N", "C"), "at": gp.integer("N", below="C")}
    assert gp.check(picked(1), **said).status == "proved"
    assert gp.check(picked(2), **said).status == "refuted"


REFUSED = [
    (by_asking, "symbolic_zeros=True"),
    (by_root, "jnp.sqrt"),
    (by_loop, "lax.scan"),
    (by_value, "jnp.where"),
    (sorts, "lax.sort is not read"),
    (by_while, "a loop whose turns are not counted"),
]


@pytest.mark.parametrize(("function", "words"), REFUSED, ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_not_read_is_answered_by_the_line_and_what_to_write(function, words):
    report = gp.check(function, x=("N",))
    assert report.status == "unreadable"
    assert words in report.note
    assert "test_jax_check.py" in report.note


def test_a_real_number_where_the_code_takes_one_of_python_s_is_told():
    report = gp.check(written.scaled, x=("N",), by=gp.real())
    assert report.status == "unreadable"
    assert "nondiff_argnums" in report.note


def test_an_argument_that_is_not_said_is_asked_for():
    with pytest.raises(TypeError, match="say what w is"):
        gp.check(written.linear, x=("N", "D"))


# A planted mistake in the reading of a primitive is caught by the code itself.


def twice(x):
    return 2 * x


def window(x, start, op):
    return lax.reduce_window(x, start, op, (1, 2), (1, 1), "VALID")


def turns(x):
    return lax.scan(lambda c, row: (c * row, c + row), jnp.ones(3), x)[1]


def checked(x):
    return jax.checkpoint(lambda u: jnp.sin(u) * u)(x)


@jax.custom_jvp
def own_jvp(x):
    return 2 * x


own_jvp.defjvps(lambda x_dot, y, x: 2 * x_dot)


@jax.custom_vjp
def own_vjp(x):
    return 2 * x


own_vjp.defvjp(lambda x: (own_vjp(x), None), lambda _, g: (2 * g,))
CODE = {
    "acos": lambda x: lax.acos(x / (2 + x * x)),
    "acosh": lambda x: lax.acosh(2 + x * x),
    "asin": lambda x: lax.asin(x / (2 + x * x)),
    "asinh": lax.asinh,
    "atan2": lambda x: lax.atan2(x, 2 + x * x),
    "atanh": lambda x: lax.atanh(x / (2 + x * x)),
    "abs": jnp.abs,
    "add": lambda x: x + x * x,
    "add_any": lambda x: x * x,
    "and": lambda x: jnp.where((x > -1) & (x < 1), x, 2 * x),
    "argmax": lambda x: jnp.take_along_axis(x, jnp.argmax(x, 1)[:, None], 1),
    "argmin": lambda x: jnp.take_along_axis(x, jnp.argmin(x, 1)[:, None], 1),
    "atan": jnp.arctan,
    "broadcast_in_dim": lambda x: x + x.sum(1)[:, None],
    "remat2": checked,
    "clamp": lambda x: lax.clamp(-0.1, x, 0.1),
    "concatenate": lambda x: jnp.concatenate([x, 2 * x], 1),
    "cond": lambda x: lax.cond(x[0, 0] > 0, lambda u: u, lambda u: 3 * u, x),
    "conv_general_dilated": lambda x: lax.conv_general_dilated(
        x[:, None], jnp.ones((1, 1, 2)), (1,), [(1, 0)]
    ),
    "convert_element_type": lambda x: x * (x > 0).astype(x.dtype),
    "copy": lambda x: jnp.copy(x),
    "cos": jnp.cos,
    "checkpoint": lambda x: jax.checkpoint(twice)(x),
    "cosh": jnp.cosh,
    "cumlogsumexp": lambda x: lax.cumlogsumexp(x, 1),
    "cummax": lambda x: lax.cummax(x, 1),
    "cummin": lambda x: lax.cummin(x, 1),
    "cumprod": lambda x: lax.cumprod(x, 1),
    "cumsum": lambda x: lax.cumsum(x, 1),
    "custom_jvp_call": own_jvp,
    "custom_vjp_call": own_vjp,
    "dim_as_value": lambda x: x * x.shape[0],
    "div": lambda x: x / (1 + x * x),
    "dot_general": lambda x: x @ x.T,
    "dynamic_slice": lambda x: lax.dynamic_slice(x, (0, 1), (2, 2)),
    "dynamic_update_slice": lambda x: lax.dynamic_update_slice(x, 3 * x[:, :1], (0, 1)),
    "eq": lambda x: jnp.where(jnp.arange(3) == 1, x, 2 * x),
    "erf": jax.scipy.special.erf,
    "erfc": jax.scipy.special.erfc,
    "exp": jnp.exp,
    "exp2": jnp.exp2,
    "expm1": jnp.expm1,
    "gather": lambda x: x[jnp.array([1, 0])],
    "ge": lambda x: jnp.where(x >= 0, x, 2 * x),
    "gt": lambda x: jnp.where(x > 0, x, 2 * x),
    "integer_pow": lambda x: x**3,
    "iota": lambda x: x * jnp.arange(3),
    "is_finite": lambda x: jnp.where(jnp.isfinite(x), x, 2 * x),
    "jit": lambda x: jax.jit(twice)(x),
    "le": lambda x: jnp.where(x <= 0, x, 2 * x),
    "log": lambda x: jnp.log(1 + x * x),
    "log1p": lambda x: jnp.log1p(x * x),
    "logistic": jax.nn.sigmoid,
    "lt": lambda x: jnp.where(x < 0, x, 2 * x),
    "max": lambda x: jnp.maximum(x, x * x),
    "min": lambda x: jnp.minimum(x, x * x),
    "mul": lambda x: x * x,
    "ne": lambda x: jnp.where(jnp.arange(3) != 1, x, 2 * x),
    "neg": lambda x: -x,
    "not": lambda x: jnp.where(~(x > 0), x, 2 * x),
    "optimization_barrier": lambda x: lax.optimization_barrier(x) * 2,
    "or": lambda x: jnp.where((x < -1) | (x > 1), x, 2 * x),
    "pad": lambda x: jnp.pad(x, ((0, 0), (1, 0))),
    "pow": lambda x: (1 + x * x) ** 1.3,
    "reduce_and": lambda x: jnp.where(jnp.all(x > -0.5, 1)[:, None], x, 2 * x),
    "reduce_max": lambda x: jnp.max(x, 1),
    "reduce_min": lambda x: jnp.min(x, 1),
    "reduce_or": lambda x: jnp.where(jnp.any(x > 0.5, 1)[:, None], x, 2 * x),
    "reduce_prod": lambda x: jnp.prod(1 + x * x, 1),
    "reduce_sum": lambda x: jnp.sum(x, 1),
    "reduce_window_max": lambda x: window(x, -jnp.inf, lax.max),
    "reduce_window_min": lambda x: window(x, jnp.inf, lax.min),
    "reduce_window_sum": lambda x: window(x, 0.0, lax.add),
    "rem": lambda x: x * lax.rem(jnp.arange(3), 2),
    "reshape": lambda x: x.reshape(3, 2),
    "rev": lambda x: x[:, ::-1],
    "rsqrt": lambda x: lax.rsqrt(2 + x * x),
    "scan": turns,
    "scatter": lambda x: x.at[0, 1].set(0.0),
    "scatter-add": lambda x: x.at[jnp.array([0, 0])].add(x),
    "select_and_scatter_add": lambda x: window(x, -jnp.inf, lax.max),
    "select_n": lambda x: jnp.where(x > 0, x, 2 * x),
    "sign": lambda x: x * jnp.sign(x),
    "sin": jnp.sin,
    "sinh": jnp.sinh,
    "slice": lambda x: x[:, 1:],
    "split": lambda x: jnp.split(x, 3, 1)[1],
    "sqrt": lambda x: jnp.sqrt(2 + x * x),
    "square": lax.square,
    "squeeze": lambda x: x[:, 0],
    "stack": lambda x: jnp.stack([x, 2 * x]),
    "stop_gradient": lambda x: x * lax.stop_gradient(x),
    "sub": lambda x: x - x * x,
    "tan": jnp.tan,
    "tanh": jnp.tanh,
    "tile": lambda x: jnp.tile(x, (2, 1)),
    "transpose": lambda x: x.T,
    "unstack": lambda x: jnp.unstack(x, axis=1)[1],
}


def test_each_rule_has_a_mistake_to_be_caught():
    unread = {"empty2"}  # of which no cell is read
    elsewhere = {"pjit", "custom_vjp_call_jaxpr"}  # as other versions of JAX name them
    assert set(RULES) - {"while"} - unread - elsewhere == set(CODE)


def wrong(rule):
    """The rule with a mistake: numbers are off, conditions negated, the last axis turned round."""

    def run(reader, equation, *inputs):
        found = rule(reader, equation, *inputs)
        several = isinstance(found, list | tuple)
        parts = [off(x) for x in (found if several else [found])]
        return parts if several else parts[0]

    return run


def off(x):
    if x.hit is not None:
        return Tensor(x.axes, x.cell, INT, lambda place, value: t.Not(x.hit(place, value)))
    if x.sort == BOOL:
        return elementwise(t.Not, x, sort=BOOL)
    if x.sort == INT:
        return Tensor(x.axes, lambda place: t.Add(t.Mul(2, x.cell(place)), -1), INT)
    turned = layout.flipped(x, [-1]) if x.axes else x
    return elementwise(lambda c: t.Mul(3, c), turned)


SOON = {
    "argmax",
    "conv_general_dilated",
    "cumsum",
    "dot_general",
    "exp",
    "gather",
    "scan",
    "scatter-add",
}
MISTAKES = [pytest.param(c, marks=[] if c in SOON else [pytest.mark.slow]) for c in sorted(CODE)]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_planted_mistake_in_a_rule_is_an_error(name, monkeypatch):
    monkeypatch.setitem(RULES, name, wrong(RULES[name]))
    assert gp.check(CODE[name], x=("N", 3) if name == "dim_as_value" else (2, 3)).status == "error"
