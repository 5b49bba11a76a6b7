"""Code of NumPy and loops that once was proved, or might be, though it is wrong somewhere.

Each is right at the sizes and values at which what was read is compared with the code.
"""

from functools import wraps

import numpy as np
import pytest

from gradproof import numpy as gp

ROWS = {"x": ("N", "C"), "requires": "N >= 3"}


def twice(x):
    return 2.0 * x


def twice_but_of_one_shape(dy, x):
    return 3.0 * dy if x.shape == (11, 13) else 2.0 * dy


def twice_but_far_out(dy, x):
    return np.where(x > 1000, 3.0 * dy, 2.0 * dy)


def twice_but_cut_off_far_out(dy, x):
    return 2.0 * dy * np.where(x > 1000, np.array(x, dtype=int) / x, 1.0)


def twice_but_small_integers(dy, x):
    return 2.0 * dy * np.where(x > 1000, x.astype("int8") / x, 1.0)


def twice_but_in_an_integer_array(dy, x):
    dx = np.zeros_like(x)
    kept = np.zeros(x.shape, dtype=int)
    if x[0, 0] > 1000:
        kept += dy
        dx -= kept
    return dx + 2.0 * dy


def twice_but_through_a_view(dy, x):
    dx = 2.0 * dy
    row = dx[0]
    if x[0, 0] > 1000:
        row *= 5.0
    return dx


def twice_but_a_view_was_changed(dy, x):
    dx = 2.0 * dy
    row = dx[0]
    if x[0, 0] > 1000:
        dx[0] = 0.0
    out = np.zeros_like(dx)
    out[0] = row
    out[1:] = dx[1:]
    return out


def twice_but_two_names(dy, x):
    a = b = np.ones_like(x)
    if x[0, 0] > 1000:
        a[0, 0] = 5.0
    return 2.0 * dy * b


def twice_but_in_place_in_a_branch(dy, x):
    dx = 2.0 * dy
    same = dx
    if x[0, 0] > 1000:
        same *= 3.0
    return dx


def twice_but_a_choice_is_an_alias(dy, x):
    a, b = 2.0 * dy, 2.0 * dy
    c = a if x[0, 0] > 1000 else b
    c[0, 0] = 0.0
    c[0, 0] = 2.0 * dy[0, 0]
    if x[0, 0] > 2000:
        c[0, 0] = 7.0
    return a


def twice_but_by_a_mask_in_a_branch(dy, x):
    dx = 3.0 * dy
    if x[0, 0] < 1000:
        dx[x > -np.pi * 10**9] = 0.0
        dx += 2.0 * dy
    return dx


def twice_but_not_negated(dy, x):
    far = x[0, 0] < 1000
    return np.where(~far & True, 3.0, 2.0) * dy


def twice_but_a_loop_changes_a_name(dy, x):
    factor = 2.0 * np.ones(x.shape[1])
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        dx[i] = dy[i] * factor
        if i == 60:
            factor = factor * 2.0
    return dx


def twice_but_a_loop_remembers(dy, x):
    dx = np.zeros_like(x)
    last = None
    for i in range(x.shape[0]):
        dx[i] = 2.0 * dy[i] if last is None else 3.0 * dy[i]
        if i == 60:
            last = i
    return dx


def twice_but_else(dy, x):
    dx = 2.0 * dy
    for _ in (0, 1):
        dx = dx * 1.0
    else:
        if x[0, 0] > 1000:
            dx = dx * 2.0
    return dx


def twice_but_from_the_end(dy, x):
    dx = 2.0 * dy
    for i in range(x.shape[0]):
        if x[i, 0] > 1000:
            dx[i - 1, 0] += 5.0 * dy[i, 0]
    for i in range(1, x.shape[0]):
        if x[i, 0] > 1000:
            dx[i - 1, 0] -= 5.0 * dy[i, 0]
    return dx


def twice_but_drawn(dy, x):
    return 2.0 * dy + 0.0 * np.random.default_rng(0).normal()


COUNTED = [0]


def twice_but_the_first_times(dy, x):
    COUNTED[0] += 1
    return 2.0 * dy if COUNTED[0] < 1000 else 3.0 * dy


def far(function):
    @wraps(function)
    def other(dy, x):
        found = function(dy, x)
        return found if x[0, 0] < 1000 else 3.0 * found

    return other


@far
def twice_but_wrapped(dy, x):
    return 2.0 * dy


def twice_but_a_default(dy, x, by=(2.0,)):
    return by[-1] * dy


twice_but_a_default.__defaults__ = ((2.0, 3.0),)


def twice_but_yielded(dy, x):
    yield 2.0 * dy


def twice_but_unwritten(dy, x):
    dx = np.empty_like(x)
    for i in range(x.shape[0]):
        if x[i, 0] < 1000:
            dx[i] = 2.0 * dy[i]
    return dx


def twice_but_infinite(dy, x):
    return min(x[0, 0], -np.inf, 1.0) * 0.0 * dy + 2.0 * dy


def twice_but_or(dy, x):
    return ((x[0, 0] < 1000) or 3.0) * 2.0 * dy


LARGE = 700


def twice_but_by_identity(dy, x):
    return 3.0 * dy if x.shape[0] is LARGE else 2.0 * dy


def twice_but_filtered(dy, x):
    return [2.0 * dy for k in (2.0, 3.0) if k > 2.0 or x[0, 0] < 1000][-1]


def twice_but_out_of_order(dy, x):
    return np.add(2.0 * dy, 0.0 * x, dy)


def twice_but_seven(dy, x):
    return (2.0 if isinstance(x.shape[0], float) else 3.0) * dy


WRONG = [v for k, v in list(globals().items()) if k.startswith("twice_but")]


@pytest.mark.parametrize("backward", WRONG, ids=lambda f: f.__name__)
def test_a_backward_that_is_wrong_somewhere_is_not_proved(backward):
    assert gp.check(twice, backward, **ROWS).status != "proved"


def empty_from_200_on(dy, x):
    k = x.shape[0] // 50
    return 2.0 * dy * (1.0 + x[k:3].shape[0] - (3 - k))


def test_a_slice_that_is_empty_at_large_sizes_is_left_out_of_the_scope():
    report = gp.check(twice, empty_from_200_on, **ROWS)
    assert report.status != "proved" or "where ⌊N/50⌋ ≤ 3" in report.scope, report.text


def total_far_out(x):
    y, total = np.zeros(x.shape[0]), 0.0
    for i in range(x.shape[0]):
        total += x[i]
        y[i] = 2.0 * x[i] if x[i] < 1000 else total
    return y


def total_taken_for_a_constant(dy, x):
    return 2.0 * dy * (x < 1000)


def product_far_out(x):
    y, product = np.zeros(x.shape[0]), 1.0
    for i in range(x.shape[0]):
        product = product * x[i]
        y[i] = 2.0 * x[i] if x[i] < 1000 else product
    return y


@pytest.mark.parametrize("forward", [total_far_out, product_far_out])
def test_what_a_loop_carries_from_turn_to_turn_is_no_constant(forward):
    assert gp.check(forward, total_taken_for_a_constant, x="N").status != "proved"


def one_of_two():
    return (lambda dy, x: np.where(x > 1000, dy, 2.0 * dy), lambda dy, x: 2.0 * dy)


def test_one_of_several_lambdas_of_a_line_is_not_taken_for_another():
    report = gp.check(twice, one_of_two()[1], **ROWS)
    assert report.status == "unreadable"
    assert "define it with def" in report.note


# What shares memory is read as it is where nobody writes, and is refused where somebody does.


def views(x):
    y = x[1:]
    z = y.T
    return z.copy()


def views_backward(dy, x):
    dx = np.zeros_like(x)
    dx[1:] = dy.T
    return dx


def test_views_that_are_not_written_are_read():
    assert gp.check(views, views_backward, **ROWS).status == "proved"


def test_a_write_through_a_view_says_what_to_write():
    report = gp.check(twice, twice_but_through_a_view, **ROWS)
    assert report.status == "unreadable"
    assert "a write through a view" in report.note
    assert "`row *= 5.0`" in report.note
