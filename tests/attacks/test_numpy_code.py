"""Code of NumPy and loops that once was proved, or might be, though it is wrong somewhere.

Each is right at the sizes and values at which what was read is compared with the code.
"""

import importlib.util
import signal
from functools import wraps

import numpy as np
import pytest

from gradproof import numpy as gp
from gradproof.numpy.calling import library_name
from gradproof.theorems.scopes import ONLY

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


def twice_but_skipped_in_a_nested_if(dy, x):
    """SOUNDNESS: `continue` in a nested `if` skipped the rest of that `if` alone: proved."""
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        if i >= 3:  # noqa: SIM102 - that is the case
            if i % 50 == 49:
                continue
        dx[i] = 2.0 * dy[i]
    return dx


def twice_but_skipped_in_an_else(dy, x):
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        if x[i, 0] < 500:
            scale = 2.0
        else:
            scale = 3.0
            if x[i, 0] > 1000:
                dx[i] = 0.0
                continue
        dx[i] = 2.0 * dy[i] * (scale > 0)
    return dx


def twice_but_or_of_conditions(dy, x):
    """SOUNDNESS: a sum of two NumPy conditions was read as a number up to 2: proved."""
    both = 1.0 * ((x[0, 0] > 1000) + (x[0, 0] > 999)) - 2.0 * (x[0, 0] > 1000)
    return 2.0 * dy * (1.0 + both * (x[0, 0] > 1000))


def twice_but_a_product_of_conditions(dy, x):
    """SOUNDNESS: `@` of conditions was read as how often both hold, which is whether: proved."""
    far = x > 1000
    hits = far @ far.T
    return 2.0 * dy * (1.0 + (x[0, 0] > 1000) * (1.0 * hits[0, 0] - np.sum(far[0] * far[0])))


def twice_but_einsum_of_conditions(dy, x):
    far = x > 1000
    hits = np.einsum("ij,ij->i", far, far)
    return 2.0 * dy * (1.0 + (hits[0] - np.sum(1.0 * far[0] * far[0])))


def twice_but_dot_of_conditions(dy, x):
    far = x[0] > 1000
    return 2.0 * dy * (1.0 + np.dot(far, far) - np.sum(far))


def twice_but_outer_of_conditions(dy, x):
    far = x[0] > 1000
    m = np.outer(far, far)
    return 2.0 * dy * (1.0 + np.sum(m + m) - 2.0 * np.sum(m))


def twice_but_the_largest_condition(dy, x):
    far = x > 1000
    m = far.max(axis=1) + far.max(axis=1)
    return 2.0 * dy * (1.0 + 1.0 * m - 2.0 * far.max(axis=1))[:, None]


def twice_but_a_sum_as_integers(dy, x):
    """SOUNDNESS: `dtype=` of a sum, to which its terms are rounded, was dropped: proved."""
    far = np.where(x > 1000, 0.5, 0.0)
    return 2.0 * dy * (1.0 + np.sum(far) - np.sum(far, dtype=int))


def twice_but_a_product_as_conditions(dy, x):
    far = np.where(x > 1000, 3.0, 1.0)
    return 2.0 * dy * (1.0 + np.prod(far) - 3.0 * np.prod(far, dtype=bool)) / -1.0


def twice_but_by_text(dy, x):
    """SOUNDNESS: text that is made of values was one constant: proved."""
    return 3.0 * dy if f"{x.shape[0]}" == "500" else 2.0 * dy


def twice_but_by_text_of_values(dy, x):
    return 3.0 * dy if f"{x[0, 0] > 1000}" in ("True",) else 2.0 * dy


def twice_but_by_the_length_of_text(dy, x):
    return 2.0 * dy * (1.0 if f"{x.shape[0]}" < "5" else 1.0 + (len(f"{x.shape[0]}") > 2))


def twice_but_written_over(dy, x):
    """SOUNDNESS: all turns of a line were read before those of the next line: proved."""
    dx = np.zeros_like(x)
    for i in range(x.shape[0] - 1):
        dx[i] = np.where(x[i] > 1000, 3.0, 2.0) * dy[i]
        dx[i + 1] = 2.0 * dy[i + 1]
    dx[0] = 2.0 * dy[0]
    return dx


def twice_but_written_over_downwards(dy, x):
    dx = np.zeros_like(x)
    for i in range(x.shape[0] - 1, 0, -1):
        dx[i] = np.where(x[i] > 1000, 3.0, 2.0) * dy[i]
        dx[i - 1] = 2.0 * dy[i - 1]
    dx[x.shape[0] - 1] = 2.0 * dy[x.shape[0] - 1]
    return dx


def twice_but_written_over_by_rows(dy, x):
    dx = np.zeros((x.shape[0] + 1, x.shape[1]))
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            dx[i, j] = 3.0 * dy[i, j] if x[i, j] > 1000 else 2.0 * dy[i, j]
        dx[i + 1 :] = 2.0 * dy[i : i + 1]
        if i + 1 < x.shape[0]:
            dx[i + 1] = 2.0 * dy[i + 1]
    return dx[:-1]


def twice_but_cleared_by_the_next_turn(dy, x):
    dx, far = np.zeros((x.shape[0] + 1, x.shape[1])), 1.0 * (x > 1000)
    for i in range(x.shape[0]):
        dx[i] += 2.0 * dy[i] + far[i]
        dx[i + 1] = 0.0
    for i in range(x.shape[0]):
        dx[i] = dx[i] - (far[i] if i == 0 else 0.0 * far[i])
    return dx[:-1]


def twice_but_a_place_again_at_turn_fifty(dy, x):
    """SOUNDNESS: a cell that is read before it is written was another in every turn: proved."""
    kept = np.zeros(50)
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        dx[i] = 2.0 * dy[i] + kept[i % 50]
        kept[i % 50] += 1.0
    return dx


def twice_but_of_a_subclass(dy, x):
    """SOUNDNESS: `isinstance` of a NumPy integer with int was true: proved."""
    k = np.arange(x.shape[0])[0]
    return 2.0 * dy if isinstance(k, int) else np.where(x > 1000, 3.0, 2.0) * dy


def twice_but_of_any_object(dy, x):
    return 2.0 * dy if not isinstance(dy, object) else np.where(x > 1000, 3.0, 2.0) * dy


def twice_but_the_very_true(dy, x):
    """SOUNDNESS: `(n > 50) is True` was False for all n: proved."""
    return 3.0 * dy if (x.shape[0] > 50) is True else 2.0 * dy


def twice_but_bits_of_an_index(dy, x):
    """SOUNDNESS: `~` of Python's condition was its negation; it is -1 or -2: proved."""
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        if ~(i < 50):
            dx[i] = 2.0 * dy[i] if i < 50 else 3.0 * dy[i]
        else:
            dx[i] = 2.0 * dy[i]
    return dx


def twice_but_bits_of_two_sizes(dy, x):
    n = x.shape[0]
    return (2.0 + ((n > 50) + (n > 51)) * (n > 50)) * dy if ~(n > 50) else dy


def twice_but_a_chain_that_calls(dy, x):
    """SOUNDNESS: `a < b < f()` ran f also where `a < b` does not hold: proved."""
    dx = np.where(x > 1000, 3.0, 2.0) * dy
    _ = 2000 < x[0, 0] < repaired(dx, dy)
    return dx


VERBOSE = False


def twice_but_a_call_that_is_not_run(dy, x):
    dx = np.where(x > 1000, 3.0, 2.0) * dy
    _ = VERBOSE and repaired(dx, dy) > 0
    return dx


def repaired(dx, dy):
    dx[...] = 2.0 * dy
    return 1.0


def twice_but_an_iterator_twice(dy, x):
    """SOUNDNESS: an iterator could be run through twice: proved."""
    parts = (a for a in (dy, dy))
    dx = sum(parts)
    if x[0, 0] > 1000:
        dx = sum(parts) + 0.0 * dy
    return dx


def twice_but_zipped_twice(dy, x):
    pairs = zip((dy, dy), (1.0, 1.0), strict=True)
    dx = sum([a * b for a, b in pairs])
    far = sum([a * b for a, b in pairs]) + 0.0 * dy
    return np.where(x > 1000, far, dx)


def twice_but_turned_twice(dy, x):
    dx, far = np.zeros_like(x), np.zeros_like(x)
    turns = reversed(range(x.shape[0]))
    for i in turns:
        dx[i] = 2.0 * dy[i]
    for i in turns:
        far[i] = 2.0 * dy[i]
    return np.where(x > 1000, far, dx)


CACHE = {"calls": 0}


def twice_but_it_counts(dy, x):
    """SOUNDNESS: a dictionary that each call changes was as it is at first: proved."""
    CACHE["calls"] = CACHE["calls"] + 1
    return 2.0 * dy if CACHE["calls"] < 1000 else 3.0 * dy


def twice_but_a_default_is_kept(dy, x, seen=[0]):  # noqa: B006 - that is the mistake
    seen.append(len(seen))
    return 2.0 * dy if len(seen) < 1000 else 3.0 * dy


def twice_but_the_row_that_was_written(dy, x):
    """SOUNDNESS: a row that was read back in the turn that wrote it was a copy: proved."""
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        dx[i] = 2.0 * dy[i]
        row = dx[i]
        if x[i, 0] > 1000:
            row *= 5.0
    return dx


def twice_but_not_a_copy(dy, x):
    """SOUNDNESS: `astype(…, copy=False)` and `einsum` of one array made copies: proved."""
    dx = 2.0 * dy
    same = dx.astype(float, copy=False)
    if x[0, 0] > 1000:
        same *= 3.0
    return dx


def twice_but_einsum_is_a_view(dy, x):
    dx = 2.0 * dy
    same = np.einsum("ij->ji", dx)
    if x[0, 0] > 1000:
        same *= 3.0
    return dx


def twice_but_plus_is_a_copy(dy, x):
    """SOUNDNESS: `+dx` was dx itself: proved."""
    dx = np.where(x > 1000, 3.0, 2.0) * dy
    same = +dx
    if x[0, 0] > 1000:
        same *= 2.0
        same -= same
        same += 2.0 * dy
    return dx


def twice_but_one_number_in_place(dy, x):
    """SOUNDNESS: arrays without axes had no aliases: proved."""
    scale = np.array(2.0)
    same = scale
    if x[0, 0] > 1000:
        same *= 2.0
    return scale * dy


def twice_but_an_integer_of_a_count(dy, x):
    """SOUNDNESS: sums of conditions were arrays of reals, to which reals can be written: proved."""
    kept = (x > 1000).sum(axis=1)
    if x[0, 0] > 1000:
        kept[0] = 0.5 * dy[0, 0]
    return 2.0 * dy + 0.0 * kept[0] + (kept[0] - 0.5 * dy[0, 0]) * (x[0, 0] > 1000)


def twice_but_zeros_like_a_count(dy, x):
    kept = np.zeros_like((x > 1000).sum(axis=1))
    for i in range(x.shape[0]):
        if x[i, 0] > 1000:
            kept[i] = 1.0 + 0.5 * dy[i, 0]
    return 2.0 * dy * (1.0 + kept - kept.mean() * 0.0)[:, None] ** 0.0 + 0.0 * kept[:, None]


def twice_but_powers_of_integers(dy, x):
    steps = np.where(x > 1000, 2, 1)
    kept = np.square(steps)
    if x[0, 0] > 1000:
        kept[0, 0] = 4.5
    return 2.0 * dy * (1.0 + (kept[0, 0] - 4.5) * (x[0, 0] > 1000))


def twice_but_parts_of_integers(dy, x):
    """SOUNDNESS: np.reciprocal of integers, which is 0 or 1, was a fraction: proved."""
    steps = np.where(x > 1000, 2, 1)
    return 2.0 * dy * (0.5 + np.reciprocal(steps)) / (0.5 + 1.0 / steps)


def twice_but_of_a_kind(dy, x):
    """SOUNDNESS: a dtype was text, which compares otherwise than a dtype: proved."""
    return 2.0 * dy if dy.dtype != "f8" else np.where(x > 1000, 3.0, 2.0) * dy


def twice_but_by_what_it_is_of(dy, x):
    """SOUNDNESS: attributes that are not read were methods, which are true: proved."""
    return 2.0 * dy if dy.base else np.where(x > 1000, 3.0, 2.0) * dy


def twice_but_by_a_flag(dy, x):
    return 2.0 * dy if (dy.base is None) is False else np.where(x > 1000, 3.0, 2.0) * dy


def twice_but_a_shape_is_no_list(dy, x):
    """SOUNDNESS: a shape was equal to a list: proved."""
    same = x.shape == [dy.shape[0], dy.shape[1]]
    return 2.0 * dy if same else np.where(x > 1000, 3.0, 2.0) * dy


def twice_but_a_key_is_a_size(dy, x):
    """SOUNDNESS: sizes were keys of dictionaries that differ from every number: proved."""
    by = {x.shape[0]: 2.0, 500: 3.0}
    return by[x.shape[0]] * dy


def twice_but_an_assertion_repairs(dy, x):
    """SOUNDNESS: what an assertion does was left out: proved."""
    dx = 2.0 * dy
    assert x[0, 0] < 1000 or spoiled(dx) > 0
    return dx


def spoiled(dx):
    dx *= 3.0
    return 1.0


@wraps(np.exp)
def exp(x):
    return np.where(x > 1000, 0.0, np.exp(x))


del exp.__wrapped__


def twice_but_named_as_numpy(dy, x):
    """SOUNDNESS: a function was NumPy's by its name and module: proved."""
    return 2.0 * dy * exp(x - np.where(x > 1000, 0.0, x))


def prange(n):
    return range(min(n, 50))


def twice_but_named_as_numba(dy, x):
    """SOUNDNESS: a function was Numba's by its name: proved."""
    dx = np.zeros_like(x)
    for i in prange(x.shape[0]):
        dx[i] = 2.0 * dy[i]
    return dx


def twice_but_added_to_a_list(dy, x):
    parts = [2.0 * dy]
    same = parts
    if x.shape[0] > 500:
        same += [3.0 * dy]
    return parts[-1]


def twice_but_fewer_than_none(dy, x):
    left = np.arange(500 - x.shape[0])
    return 2.0 * dy * (1.0 + (left.shape[0] - 500 + x.shape[0]))


def far_wrong(dy, x):
    return np.where(x > 1000, 3.0, 2.0) * dy


def one_cell_right(dx, dy):
    dx[0, 0] = 2.0 * dy[0, 0]
    return 0.0


def twice_but_the_right_side_repairs(dy, x):
    """SOUNDNESS: `a[i] += f(a)` added to what f left, not to what was there before: proved."""
    dx = far_wrong(dy, x)
    dx[0, 0] += one_cell_right(dx, dy)
    dx[1:] = 2.0 * dy[1:]
    dx[0, 1:] = 2.0 * dy[0, 1:]
    return dx


def spoiled_far_out(dx, x):
    if x[0, 0] > 1000:
        dx[0] = 3.0 * dx[0]
    return 0.0


def twice_but_a_part_is_changed_meanwhile(dy, x):
    """SOUNDNESS: a part of an array without a name stayed as it was when it was read: proved."""
    dx = 2.0 * dy
    return np.concatenate([dx[:1] + spoiled_far_out(dx, x), 2.0 * dy[1:]])


def twice_but_from_both_ends(dy, x):
    n = x.shape[0]
    dx = np.zeros_like(x)
    for i in range(n):
        dx[i] = far_wrong(dy, x)[i]
        dx[n - 1 - i] = 2.0 * dy[n - 1 - i]
    return dx


def twice_but_a_place_again_from_fifty_on(dy, x):
    kept = np.zeros(51)
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        k = min(i, 50)
        dx[i] = 2.0 * dy[i] + kept[k]
        kept[k] = 1.0
    return dx


def twice_but_windows_overlap(dy, x):
    kept = np.zeros(x.shape[0] + x.shape[1])
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            dx[i, j] = 2.0 * dy[i, j] + kept[i + j] * (x[i, j] > 1000)
            kept[i + j] = 1.0
    return dx


def twice_but_an_array_of_a_count(dy, x):
    kept = np.full(3, (x > 1000).sum())
    if x[0, 0] > 1000:
        kept[0] = 0.7
    return (2.0 + (kept[0] == 0.0) * (x[0, 0] > 1000)) * dy


def twice_but_integers_far_out(dy, x):
    """SOUNDNESS: one of two arrays was of reals, though one of them is of integers: proved."""
    kept = np.zeros(3) if x[0, 0] < 1000 else np.zeros(3, dtype=int)
    other = np.zeros_like(kept)
    if x[0, 0] > 1000:
        other[0] = 0.7
    return (2.0 + (other[0] == 0.0) * (x[0, 0] > 1000)) * dy


def twice_but_a_cell_as_an_array(dy, x):
    """SOUNDNESS: `dx[0, 0, ...]`, which is an array that shares the cell, was a number: proved."""
    dx = 2.0 * dy
    cell = dx[0, 0, ...]
    if x[0, 0] > 1000:
        cell += 5.0
    return dx


def twice_but_a_number_or_a_row(dy, x):
    """SOUNDNESS: an array or a number had the shape of the array in both cases: proved."""
    k = np.ones(x.shape[1]) if x[0, 0] > -2000 else 1.0
    return 2.0 * dy * (1.0 + (np.sum(k) - x.shape[1]))


def twice_but_rows_or_columns(dy, x):
    k = x[0] if x[0, 0] < 1000 else x[:, 0]
    return 2.0 * dy * (1.0 + (k.shape[0] - x.shape[1]))


WRONG = [v for k, v in list(globals().items()) if k.startswith("twice_but")]


@pytest.mark.parametrize("backward", WRONG, ids=lambda f: f.__name__)
def test_a_backward_that_is_wrong_somewhere_is_not_proved(backward):
    report = gp.check(twice, backward, **ROWS)
    assert report.status != "proved" or ONLY in report.scope


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


def sums_so_far(x):
    y, total = np.zeros_like(x), 0.0
    for i in range(len(x)):
        total += x[i]
        y[i] = total
    return y


def sums_backward(dy, x):
    dx, total = np.zeros_like(x), 0.0
    for i in reversed(range(len(x))):
        total += dy[i]
        dx[i] = total
    return dx


def sums_backward_that_skips(dy, x):
    """SOUNDNESS: a nested `continue` in a loop that carries a sum was not one: proved."""
    dx, total = np.zeros_like(x), 0.0
    for i in reversed(range(len(x))):
        if i > 50:  # noqa: SIM102 - that is the case
            if x[i] > 1000:
                continue
        total += dy[i]
        dx[i] = total
    return dx


def window(x, w):
    y = np.zeros(len(x) - len(w) + 1)
    for i in range(len(y)):
        for j in range(len(w)):
            y[i] += x[i + j] * w[j]
    return y


def window_backward(dy, x, w):
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(len(dy)):
        for j in range(len(w)):
            dx[i + j] += dy[i] * w[j]
            dw[j] += dy[i] * x[i + j]
    return dx, dw


def window_backward_that_clears(dy, x, w):
    """SOUNDNESS: what a turn clears after others have added to it was cleared first: proved."""
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for i in range(len(dy)):
        if x[i] > 1000:
            dx[i] = 0.0
        for j in range(len(w)):
            dx[i + j] += dy[i] * w[j]
            dw[j] += dy[i] * x[i + j]
    return dx, dw


def rows_of(w, index):
    return w[index]


def rows_backward(dy, w, index):
    dw = np.zeros_like(w)
    for n in range(len(index)):
        dw[index[n]] += dy[n]
    return dw


def rows_backward_that_skips(dy, w, index):
    dw = np.zeros_like(w)
    for n in range(len(index)):
        if n > 40:  # noqa: SIM102 - that is the case
            if index[n] > 50:
                continue
        dw[index[n]] += dy[n]
    return dw


OTHERS = [
    (sums_so_far, sums_backward, sums_backward_that_skips, {"x": "N"}),
    (
        window,
        window_backward,
        window_backward_that_clears,
        {"x": "N", "w": "K", "requires": "N >= K"},
    ),
    (
        rows_of,
        rows_backward,
        rows_backward_that_skips,
        {"w": ("V", "D"), "index": gp.integer("N", below="V")},
    ),
]


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: case[0].__name__)
def test_a_loop_is_wrong_where_a_line_is_skipped_or_clears(case):
    forward, right, wrong, said = case
    assert gp.check(forward, right, **said).status == "proved"
    assert gp.check(forward, wrong, **said).status != "proved"


# What stands beside these and is right is proved.


def twice_with_nested_continues(dy, x):
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        dx[i] = 2.0 * dy[i]
        if i >= 3:
            if i % 50 == 49:
                continue
            dx[i] = 2.0 * dy[i]
        dx[i] += 0.0 * dy[i]
    return dx


def twice_with_an_else_that_continues(dy, x):
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        if x[i, 0] < 500:
            dx[i] = dy[i]
        else:
            dx[i] = 2.0 * dy[i]
            continue
        dx[i] += dy[i]
    return dx


def twice_by_counts(dy, x):
    far = (x > 1000).astype(float)
    hits = far @ far.T
    return 2.0 * dy * (1.0 + hits[0, 0] - np.sum(far[0] * far[0]))


def twice_by_any_of_two(dy, x):
    either = (x > 1) + (x < -1)
    both = (x > 1) * (x < -1)
    return np.where(both, 3.0, np.where(either, 2.0, 2.0)) * dy


def twice_by_a_mean_of_a_mask(dy, x):
    kept = x > 0
    counts = np.maximum(kept.sum(axis=1, keepdims=True), 1)
    return 2.0 * dy + 0.0 * counts


def twice_with_a_message(dy, x):
    print(f"{x.shape[0]} rows, {x.mean():.3f}")
    assert dy.shape == x.shape, f"{dy.shape}"
    assert np.all(np.isfinite(x))
    assert isinstance(dy, np.ndarray)
    assert len(dy) == len(x)
    return 2.0 * dy


def twice_in_two_lines(dy, x):
    dx = np.zeros((2 * x.shape[0], x.shape[1]))
    for i in range(x.shape[0]):
        dx[i] = dy[i]
        dx[x.shape[0] + i] = dy[i]
    return dx[: x.shape[0]] + dx[x.shape[0] :]


def twice_that_is_set_before_it_is_added_to(dy, x):
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        dx[i] = 0.0
        for j in range(x.shape[1]):
            dx[i, j] += 2.0 * dy[i, j]
    return dx


def twice_between_bounds(dy, x):
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        if 0 < i < x.shape[0]:
            dx[i] = 2.0 * dy[i]
        if not i > 0:
            dx[i] = 2.0 * dy[i]
    return dx


def twice_by_pairs(dy, x):
    dx = np.zeros_like(x)
    for part, scale in zip((dy, dy), (1.5, 0.5), strict=True):
        dx += part * scale
    return dx


def twice_of_a_kind(dy, x):
    dx = np.zeros(x.shape, dtype=x.dtype)
    dx[:] = dy.astype(float)
    return np.sum(np.stack([dx, dx]), axis=0, dtype=float)


def twice_in_a_number(dy, x):
    scale = np.zeros(())
    scale += 2.0
    return scale * dy


def twice_by_a_power(dy, x):
    return 2.0 * dy * 2.0 ** np.zeros_like(x) * np.arange(x.shape[1]) ** 0


SAID = []


def twice_that_tells(dy, x):
    SAID.append(x.shape)
    return 2.0 * dy


def twice_by_rows_or_nothing(dy, x):
    dx = np.zeros_like(x)
    for i in range(x.shape[0]):
        row = dy[i] if x[i, 0] > 0 else 0.0
        dx[i] += 2.0 * row
        dx[i] += 2.0 * (dy[i] if x[i, 0] <= 0 else 0.0)
    return dx


def twice_by_two_at_once(dy, x):
    a, b = (k * dy for k in (1.5, 0.5))
    return a + b


def twice_by_a_number_in_a_condition(dy, x):
    return 2.0 * dy + 0.0 * ((x[0, 0] > 0) * dy)


RIGHT = [v for k, v in list(globals().items()) if k.startswith("twice_") and v not in WRONG]


@pytest.mark.parametrize("backward", RIGHT, ids=lambda f: f.__name__)
def test_what_is_right_is_proved(backward):
    report = gp.check(twice, backward, **ROWS)
    assert report.status == "proved", report.text
    assert ONLY not in report.scope


def squares(x):
    return np.square(x)


def squares_backward(dy, x):
    return 2.0 * x * dy


def test_a_function_of_numpy_that_was_replaced_is_not_read_as_it_was(monkeypatch):
    """SOUNDNESS: `np.square = …` was read as NumPy's own, and compared where both agree."""
    right = np.square
    assert gp.check(squares, squares_backward, x="N").status == "proved"
    monkeypatch.setattr(np, "square", lambda a: np.where(a > 1000, 0.0, right(a)))
    assert gp.check(squares, squares_backward, x="N").status != "proved"
    monkeypatch.setattr(np, "square", wraps(right)(lambda a: np.where(a > 1000, 0.0, right(a))))
    assert gp.check(squares, squares_backward, x="N").status != "proved"


WRITTEN = """
import numpy as np

def backward(dy, x):
    return {} * dy
"""


def test_a_source_that_changed_since_it_was_imported_is_not_read(tmp_path):
    """SOUNDNESS: the source on disk was read, though other code runs: proved."""
    path = tmp_path / "changed.py"
    path.write_text(WRITTEN.format("np.where(x > 1000, 3.0, 2.0)"), "utf-8")
    spec = importlib.util.spec_from_file_location("changed", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path.write_text(WRITTEN.format("2.0"), "utf-8")
    report = gp.check(twice, module.backward, **ROWS)
    assert report.status == "unreadable"
    assert "it was changed since" in report.note


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


def asserting_few(x):
    assert x.shape[0] < 60, "few"
    return 2.0 * x


def asserting_its_type(x):
    assert isinstance(x, np.ndarray)
    assert x.shape[0] >= 1
    assert np.all(x == x)
    return 2.0 * x


def asserting_even(x):
    assert x.shape[0] % 2 == 0
    return 2.0 * x


def test_sizes_at_which_code_asserts_that_it_is_not_called_are_not_claimed():
    """SOUNDNESS: an assertion was passed over, and the proof was for all sizes."""
    report = gp.check(asserting_few, twice_backward, x="N")
    assert ONLY in report.scope
    assert not report
    assert gp.check(asserting_few, twice_backward, x="N", requires="N < 60")
    assert gp.check(asserting_its_type, twice_backward, x="N")
    assert "say in requires" in gp.check(asserting_even, twice_backward, x="N").note
    assert gp.check(asserting_even, twice_backward, x="2*N")


def twice_backward(dy, x):
    return 2.0 * dy


def taps(x):
    y = np.zeros_like(x)
    for t in range(x.shape[0]):
        for i in range(3):
            if t - i >= 0:
                for d in range(x.shape[1]):
                    y[t, d] += x[t - i, d]
    return y


def taps_backward(dy, x):
    dx = np.zeros_like(x)
    for t in range(x.shape[0]):
        for i in range(3):
            if t - i >= 0:
                for d in range(x.shape[1]):
                    dx[t - i, d] += dy[t, d]
    return dx


def taps_beside_the_condition(dy, x):
    dx = np.zeros_like(x)
    for t in range(x.shape[0]):
        for i in range(3):
            if t - i >= 0:
                for d in range(x.shape[1]):
                    dx[t - i, d] += 0 * dy[t, d]
            for d in range(x.shape[1]):
                dx[t - i, d] += dy[t, d]
    return dx


def test_a_condition_around_a_loop_is_known_within_and_not_after():
    """It was forgotten, and right code was not read."""
    assert gp.check(taps, taps_backward, x="T D")
    assert gp.check(taps, taps_beside_the_condition, x="T D").status == "refuted"


class OutOfTime(BaseException):
    """What some handlers of an alarm raise, so that nothing catches it."""


@pytest.mark.parametrize("kind", [TimeoutError, OutOfTime])
@pytest.mark.parametrize("where", ["forward", "backward"])
def test_an_alarm_of_the_surrounding_program_is_no_failure_of_the_code(kind, where):
    """It was told as what the code does, and the program's own limit was lost."""

    def ring(number, frame):
        raise kind("out of time")

    def double(x):
        return signal.raise_signal(signal.SIGALRM) or 2.0 * x if where == "forward" else 2.0 * x

    def backward(dy, x):
        return signal.raise_signal(signal.SIGALRM) or 2.0 * dy

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with pytest.raises(kind, match="out of time"):
            gp.check(double, backward, x="N")
        assert signal.getsignal(signal.SIGALRM) is ring
    finally:
        signal.signal(signal.SIGALRM, before)


def one_and_far_out_two(dy, x):
    return (1.0 + (np.floor(x / 1000000) >= 2)) * dy


def test_a_function_of_numpy_is_read_as_itself_or_not_at_all():
    """SOUNDNESS: where SciPy was not imported, any that is not read was read as `erf`."""
    assert gp.check(lambda x: x, one_and_far_out_two, x="N").status != "proved"
    for function in (f for f in vars(np).values() if isinstance(f, np.ufunc)):
        name = library_name(function)
        assert name is None or getattr(np, name) is function
