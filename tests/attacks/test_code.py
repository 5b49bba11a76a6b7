"""Code that once was proved, or might be, though it is wrong somewhere."""

import math
import operator
import sys
from concurrent.futures import ThreadPoolExecutor
from sys import settrace as set_trace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")

from torch.autograd import Function

from gradproof import numpy as of_arrays
from gradproof import torch as gp
from gradproof.tracing.expressions import Undeclared


def made(forward, backward):
    """A custom function of a forward and a backward."""
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Made", (Function,), members)


def product(ctx, x, w):
    ctx.save_for_backward(x, w)
    return x * w


PAIR = {"x": "N", "w": "N"}


def test_where_nothing_is_differentiated_nothing_is_proved():
    with pytest.raises(Undeclared, match="say the shape of one"):
        gp.check(lambda m: 2 * m, m=gp.constant("N"))
    with pytest.raises(Undeclared, match="say the shape of one"):
        of_arrays.check(lambda m: 2 * m, lambda dy: (), m=of_arrays.constant("N"))


def no_gradient(ctx, g):
    return g * ctx.saved_tensors[1], None


def one_is_enough(ctx, g):
    x, w = ctx.saved_tensors
    return g * w if ctx.needs_input_grad[1] else g, g * x


def from_eight_on(ctx, g):
    x, w = ctx.saved_tensors
    return (g * w if x.shape[0] < 8 else g), g * x


def far_out(ctx, g):
    x, w = ctx.saved_tensors
    return torch.where(x > 1000, g, g * w), g * x


@pytest.mark.parametrize("backward", [no_gradient, one_is_enough, from_eight_on, far_out])
def test_a_backward_that_is_wrong_somewhere_is_refuted(backward):
    assert gp.check(made(product, backward), **PAIR).status == "refuted"


def rest(ctx, x):
    return x[1:]


def rest_unwritten(ctx, g):
    whole = torch.empty(g.shape[0] + 1, dtype=g.dtype)
    whole[1:] = g
    return whole


def rest_written(ctx, g):
    whole = torch.empty(g.shape[0] + 1, dtype=g.dtype)
    whole[1:], whole[:1] = g, 0
    return whole


def test_memory_to_which_nothing_was_written_is_not_zero():
    report = gp.check(made(rest, rest_unwritten), x="N", requires="N >= 2")
    assert report.status == "error"
    assert "use zeros" in report.note
    assert gp.check(made(rest, rest_written), x="N", requires="N >= 2").status == "proved"


def of_array(x):
    return x[1:] * 2.0


def of_array_unwritten(dy, x):
    dx = np.empty_like(x)
    dx[1:] = 2.0 * dy
    return dx


def test_nor_is_that_of_numpy():
    report = of_arrays.check(of_array, of_array_unwritten, x="N", requires="N >= 2")
    assert report.status in ("error", "refuted")  # by what the memory holds, anything


def softplus(ctx, x):
    ctx.save_for_backward(x)
    return torch.nn.functional.softplus(x, threshold=6)


def smooth(ctx, g):
    return g * torch.sigmoid(ctx.saved_tensors[0])


def test_a_function_that_turns_linear_far_out_is_read_so():
    assert gp.check(made(softplus, smooth), x="N").status == "refuted"


def squeezed(ctx, x):
    ctx.save_for_backward(x)
    s = x.squeeze(1)
    return (s * s.sum(-1, keepdim=True)).reshape(x.shape)


def squeezed_back(ctx, g):
    (x,) = ctx.saved_tensors
    return g * x.sum(-1, keepdim=True) + (g * x).sum(-1, keepdim=True)


def test_what_a_size_of_1_changes_is_seen():
    assert gp.check(made(squeezed, squeezed_back), x="N C").status == "refuted"


def test_an_embedding_s_padding_has_no_gradient():
    def embed(i, w):
        return torch.nn.functional.embedding(i, w, padding_idx=0)

    said = {"i": gp.integer("N", below="V"), "w": ("V", "D")}
    assert gp.check(embed, **said).status == "refuted"


def by_its_text(ctx, g):
    x, w = ctx.saved_tensors
    return (g if str(x.shape[0]) == "70" else g * w), g * x


def by_its_shape_s_text(ctx, g):
    x, w = ctx.saved_tensors
    return (g if f"{tuple(x.shape)}" == "(70,)" else g * w), g * x


def by_a_table(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * {70: 2.0}.get(x.shape[0], 1.0), g * x


def by_a_loop(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if sum(1 for _ in range(x.shape[0])) == 70 else 1.0), g * x


def by_a_root(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if math.sqrt(x.shape[0]) > 8 else 1.0), g * x


def by_a_float(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if float(x.shape[0]) > 69.5 else 1.0), g * x


def by_membership(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if x.shape[0] in (70, 71) else 1.0), g * x


def by_count(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if x.numel() > 69 else 1.0), g * x


def by_length(ctx, g):
    x, w = ctx.saved_tensors
    return g * w * (2.0 if len(x) > 69 else 1.0), g * x


def by_failure(ctx, g):
    x, w = ctx.saved_tensors
    try:
        return g * w * (2.0 if x.view(70, 1).shape[1] else 1.0), g * x
    except RuntimeError:
        return g * w, g * x


SEVENTY = [by_its_text, by_its_shape_s_text, by_a_table, by_a_loop, by_a_root, by_a_float]
SEVENTY += [by_membership, by_count, by_length, by_failure]


@pytest.mark.parametrize("backward", SEVENTY)
def test_a_backward_that_is_wrong_at_seventy_is_not_proved_there(backward):
    """SOUNDNESS: a size that was written out as text was no condition, and all was proved."""
    report = gp.check(made(product, backward), **PAIR)
    assert report.status != "proved" or ", only where " in report.scope, report.text
    assert "N = 70" not in report.scope


def asks_what_needs(ctx, x, w):
    ctx.save_for_backward(x, w)
    ctx.both = x.requires_grad and w.requires_grad
    return x * w


def wrong_for_one(ctx, g):
    x, w = ctx.saved_tensors
    return g * w if ctx.both else g, g * x


def right_for_one(ctx, g):
    x, w = ctx.saved_tensors
    return g * w, g * x if ctx.both or ctx.needs_input_grad[1] else None


def test_a_forward_that_asks_what_needs_a_gradient_is_read_for_each_choice():
    """SOUNDNESS: only that the backward asked was seen."""
    assert gp.check(made(asks_what_needs, wrong_for_one), **PAIR).status == "refuted"
    assert gp.check(made(asks_what_needs, right_for_one), **PAIR).status == "proved"


def half_detached(x):
    return x * x.detach()


def half_untracked(x):
    with torch.no_grad():
        scale = x.sum()
    return x * scale


def hidden(x):
    return x * x.data


CALLS = []


def later_otherwise(ctx, g):
    x, w = ctx.saved_tensors
    CALLS.append(1)
    return (g * w if len(CALLS) < 3 else g), g * x


def kept_and_changed(ctx, x, w):
    ctx.kept, ctx.w = x * 1.0, w
    y = ctx.kept * w
    ctx.kept.mul_(2)
    ctx.x = x
    return y


def from_what_changed(ctx, g):
    return g * ctx.w, g * ctx.kept


def from_what_did_not(ctx, g):
    return g * ctx.w, g * ctx.x


def overwrites_its_gradient(ctx, g):
    x, w = ctx.saved_tensors
    by_w = g.mul_(x)
    return g * w, by_w


@pytest.mark.parametrize("code", [half_detached, half_untracked, hidden])
def test_what_hides_from_the_engine_is_not_proved(code):
    assert gp.check(code, x="N").status != "proved"


def test_what_is_otherwise_when_it_is_called_again_is_not_proved():
    CALLS.clear()
    assert gp.check(made(product, later_otherwise), **PAIR).status in ("error", "refuted")


def test_what_was_changed_in_place_after_it_was_kept_is_read_as_changed():
    assert gp.check(made(kept_and_changed, from_what_changed), **PAIR).status == "refuted"
    assert gp.check(made(kept_and_changed, from_what_did_not), **PAIR).status == "proved"
    assert gp.check(made(product, overwrites_its_gradient), **PAIR).status == "refuted"


def test_an_index_from_the_end_is_where_it_is():
    """Once read as one before the beginning, and refused."""
    assert (
        gp.check(lambda x: x[:, -1:].sum(1) + x[:, -2], x="N C", requires="C >= 2").status
        == "proved"
    )


def caught(refused):
    """The wrong gradient where the code catches what refuses an operation."""

    def backward(ctx, g):
        x, w = ctx.saved_tensors
        try:
            refused(x)
        except BaseException:
            return g * w, g * x
        return g, g * x

    return backward


def caught_at_last(ctx, g):
    x, w = ctx.saved_tensors
    by_x = g
    try:
        x.to(torch.int8)
        x.frac()
        by_x = g * 2 * w
    finally:
        return (g * w if by_x is g else by_x), g * x  # noqa: B012


REFUSED = [
    lambda x: torch.special.i0(x),
    lambda x: x.sum().item(),
    lambda x: torch.floor_divide(x, 2.0),
    lambda x: torch.linalg.svd(x[None]),
]


@pytest.mark.parametrize("refused", REFUSED)
def test_code_that_catches_what_refuses_it_is_not_read(refused):
    """SOUNDNESS: an operation that is not read raised, the code caught that, and was proved."""
    assert gp.check(made(product, caught(refused)), **PAIR).status == "refuted"
    assert gp.check(made(product, caught_at_last), **PAIR).status == "refuted"


def uncaught(ctx, g):
    x, w = ctx.saved_tensors
    try:
        by_x = g * w
    except RuntimeError:
        by_x = g
    return by_x, g * x


def test_code_that_would_catch_what_is_not_raised_is_proved():
    assert gp.check(made(product, uncaught), **PAIR).status == "proved"


def kept(forward):
    """Each cell times a factor that is computed of the input, which the rule says is 1."""

    def run(ctx, x):
        ctx.save_for_backward(x)
        return x * forward(x)

    return run


def as_it_is(ctx, g):
    return g


def by_the_factor(factor):
    """The gradient of x times a factor of no gradient."""

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * factor(x)

    return backward


def written_whole(x):
    whole = torch.zeros(x.shape[0], dtype=torch.int64)
    whole.fill_(2.5)
    return whole


def copied_whole(x):
    whole = torch.zeros(x.shape[0], dtype=torch.int64)
    whole[:] = x.detach()
    return whole


def complement(x):
    return ~torch.arange(x.shape[0])


def complement_read_wrong(x):
    return (torch.arange(x.shape[0]) == 0).long()


def bits(x):
    return torch.arange(x.shape[0]) & 1


def bits_read_wrong(x):
    return (torch.arange(x.shape[0]) > 0).long()


# What is computed, and what it was read as.
WHOLE = [
    (written_whole, lambda x: 2.5),
    (lambda x: torch.full((x.shape[0],), 2.5, dtype=torch.int64), lambda x: 2.5),
    (lambda x: torch.full_like(x, 2.5, dtype=torch.int64), lambda x: 2.5),
    (copied_whole, lambda x: x),
    (lambda x: x.detach().long(), lambda x: x),
    (lambda x: x.detach().to(torch.int32), lambda x: x),
    (lambda x: torch.where(x > 1000, 2.5, 1.0).long(), lambda x: torch.where(x > 1000, 2.5, 1.0)),
    (lambda x: x.detach().sum(dtype=torch.int64), lambda x: x.sum()),
    (lambda x: x.detach().prod(dtype=torch.int64), lambda x: x.prod()),
    (lambda x: x.detach().cumsum(0, dtype=torch.int64), lambda x: x.cumsum(0)),
    (lambda x: x.detach().sum(dtype=torch.bool).double(), lambda x: (x.sum() != 0).double()),
    (complement, complement_read_wrong),
    (bits, bits_read_wrong),
    (lambda x: x.detach().view(torch.int64), lambda x: x),
    (lambda x: torch.arange(x.shape[0]).view(torch.float64), lambda x: torch.arange(x.shape[0])),
]


@pytest.mark.parametrize(("factor", "read_as"), WHOLE)
def test_integers_that_are_given_reals_are_not_read_as_reals(factor, read_as):
    """SOUNDNESS: integer tensors kept reals, `~` of one was a condition, dtype= was dropped."""
    code = made(kept(factor), by_the_factor(read_as))
    assert gp.check(code, x="N").status != "proved"


COUNTS = [
    lambda x: torch.full((x.shape[0],), 2, dtype=torch.int64),
    lambda x: (x > 0).sum(dtype=torch.int64),
    lambda x: (x > 0).long().cumsum(0),
    lambda x: torch.arange(x.shape[0]).sum(),
    lambda x: (~(x > 0)).to(torch.float64).sum(dtype=torch.float64),
    lambda x: ((x > 0) & (x < 2)).double(),
    lambda x: torch.arange(x.shape[0]).view(-1, 1).squeeze(1),
    lambda x: torch.where(x > 0, x > 1, x < -1).double(),
    lambda x: torch.arange(x.shape[0], dtype=torch.float64) / 2,
    lambda x: (x > 0).cumsum(0).double(),
    lambda x: torch.cat([torch.arange(x.shape[0]), torch.full((1,), 0.5)])[1:],
]


@pytest.mark.parametrize("factor", COUNTS)
def test_integers_and_conditions_are_read_as_such(factor):
    assert gp.check(made(kept(factor), by_the_factor(factor)), x="N").status == "proved"


def softly(x, **said):
    return torch.nn.functional.avg_pool1d(x, 3, 1, 1, **said)


ARGUMENTS = [
    (lambda x, i: torch.scatter(x, 0, i, 2 * x, reduce="multiply"), "x's scatter"),
    (lambda x, i: x.scatter_reduce(0, i, x, "prod"), "a product"),
    (lambda x, i: x.scatter(0, i, 2 * x), "the last of several"),
    (lambda x, i: x.index_put((i,), x * 2), "the last of several"),
    (lambda x, i: torch.index_copy(x, 0, i, x * 2), "the last of several"),
]


@pytest.mark.parametrize(("code", "what"), ARGUMENTS)
def test_writes_at_places_that_may_be_one_are_not_read(code, what):
    """SOUNDNESS: of several writes to a cell the sum was kept."""
    said = {"x": "N", "i": gp.integer("N", below="N")}
    assert gp.check(code, **said).status in ("unreadable", "error", "refuted"), what


def fifty(x):
    """Writes at places of which two are one from the fifty-first on."""
    places = torch.arange(x.shape[0]) % 50
    return torch.zeros_like(x).index_put((places,), x)


def fifty_scattered(x):
    places = torch.arange(x.shape[0]) % 50
    return torch.zeros_like(x).scatter(0, places, x)


def fifty_written(x):
    made_ = torch.zeros_like(x)
    made_[torch.arange(x.shape[0]) % 50] = x
    return made_


@pytest.mark.parametrize("code", [fifty, fifty_scattered, fifty_written])
def test_writes_at_places_that_are_one_far_out_are_not_read(code):
    """SOUNDNESS: of several writes to a cell the sum was kept."""
    assert gp.check(code, x="N").status != "proved"


def every_second(x):
    made_ = x.new_zeros(2 * x.shape[0])
    made_[2 * torch.arange(x.shape[0])] = x
    return made_


def turned_round(x):
    return torch.zeros_like(x).index_put((x.shape[0] - 1 - torch.arange(x.shape[0]),), x)


def of_one_value(x, i):
    return x.index_put((i,), torch.zeros((), dtype=x.dtype))


def test_writes_at_places_that_differ_are_proved():
    assert gp.check(every_second, x="N").status == "proved"
    assert gp.check(turned_round, x="N").status == "proved"
    assert gp.check(of_one_value, x="N", i=gp.integer("M", below="N")).status == "proved"


def times(factor):
    """A product whose rule by x has a factor, which should be 1."""

    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w * factor(x), g * x

    return made(product, backward)


def by_numbers_of_numpy(x):
    try:
        return 2.0 if x.numpy().sum() > 1e6 else 1.0
    except RuntimeError:
        return 1.0


def by_an_address(x):
    try:
        return 2.0 if x.data_ptr() and x.shape[0] == 50 else 1.0
    except RuntimeError:
        return 1.0


def by_an_assertion(x):
    try:
        assert isinstance(x.shape[0], int)
    except AssertionError:
        return 1.0
    return 2.0 if x.shape[0] == 50 else 1.0


def by_match(x):
    match x.shape[0]:
        case int() as n if n == 50:
            return 2.0
    return 1.0


def by_data(x):
    one = torch.ones_like(x)
    one.data = torch.where(x > 1000, 2.0, one)
    return one


def by_data_of_a_parameter(x):
    one = torch.nn.Parameter(torch.ones_like(x))
    one.data = torch.where(x > 1000, 2.0, one)
    return one.detach()


def by_set(x):
    one = torch.ones_like(x)
    return one.set_(torch.where(x > 1000, 2.0, one))


def by_memory(x):
    one = torch.ones_like(x)
    one.as_strided((x.shape[0],), (1,)).mul_(torch.where(x > 1000, 2.0, 1.0))
    return one


OBSERVED = [
    lambda x: 2.0 if isinstance(x.shape[0], int) and x.shape[0] == 50 else 1.0,
    lambda x: 2.0 if type(x.shape[0]) is int and x.shape[0] == 50 else 1.0,
    lambda x: 1.0 if type(x) is not torch.Tensor else 2.0 if x.shape[0] == 50 else 1.0,
    lambda x: 1.0 if hasattr(x, "fake_mode") else 2.0 if x.shape[0] == 50 else 1.0,
    lambda x: 1.0 if isinstance(x.numel(), torch.SymInt) else 2.0 if x.numel() == 50 else 1.0,
    lambda x: 1.0 if "Fake" in repr(x) else 2.0 if x.shape[0] == 50 else 1.0,
    lambda x: 2.0 if f"{x.shape[0]:d}" == "50" else 1.0,
    lambda x: 2.0 if x.shape[0] in {50, 51} else 1.0,
    lambda x: 2.0 if hash(x.shape[0]) == 50 else 1.0,
    lambda x: {(50,): 2.0}.get(tuple(x.shape), 1.0),
    by_numbers_of_numpy,
    by_an_address,
    by_an_assertion,
    by_match,
    by_data,
    by_data_of_a_parameter,
    by_set,
    by_memory,
]


@pytest.mark.parametrize("factor", OBSERVED)
def test_what_code_can_see_of_being_read_ends_the_reading(factor):
    """SOUNDNESS: types, what a tensor has, `.data =` and `set_` were answered as of the tracer."""
    report = gp.check(times(factor), **PAIR)
    assert report.status in ("unreadable", "error", "refuted"), report.text


def of_a_size(n):
    return 1 + (isinstance(n, int) and n // 3 == 17)


exec("def from_text(n):\n    return 1 + (isinstance(n, int) and n // 3 == 17)\n")


def by_eval(x):
    return eval("1 + (isinstance(n, int) and n // 3 == 17)", {"n": x.shape[0]})


def by_text(x):
    return globals()["from_text"](x.shape[0])


def unwatched(x):
    sys.settrace(None)
    return of_a_size(x.shape[0])


def unwatched_from_now(x):
    set_trace(None)
    return of_a_size(x.shape[0])


def in_a_thread(x):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(of_a_size, x.shape[0]).result()


@pytest.mark.parametrize("factor", [by_eval, by_text, unwatched, unwatched_from_now, in_a_thread])
def test_lines_that_nothing_seems_to_watch_are_watched(factor):
    """SOUNDNESS: what ran in a thread, from text, or after `sys.settrace(None)` was not seen."""
    assert gp.check(times(factor), **PAIR).status == "unreadable"


def one_from_text(x):
    return eval("[1.0 for _ in x.shape]")[0]


def one_in_a_thread(x):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: x.shape[0] / x.shape[0]).result()


@pytest.mark.parametrize("factor", [one_from_text, one_in_a_thread])
def test_what_runs_alike_from_text_or_in_a_thread_is_proved(factor):
    assert gp.check(times(factor), **PAIR)


FIFTY = 50
IDENTITY = [
    lambda x: 2.0 if x.shape[0] is FIFTY else 1.0,
    lambda x: (1.0, 2.0)[x.shape[0] is FIFTY],
    lambda x: (1.0, 2.0)[operator.is_(x.shape[0], FIFTY)],
    lambda x: (1.0, 2.0)[int(isinstance(x.shape[0], int) & (x.shape[0] // 3 == 17))],
    lambda x: (1.0, 2.0)[int((type(x.shape[0]) is int) & (x.shape[0] // 3 == 17))],
    lambda x: (1.0, 2.0)[sys.gettrace() is None and x.shape[0] // 3 == 17],
    lambda x: 2.0 if x.shape[0] > 0 and sys.gettrace() is None else 1.0,
    lambda x: chosen_by(5, 51) * 0 + chosen_by("5", 51) * 0 + chosen_by(*x.shape, *x.shape),
]


def chosen_by(size, number):
    return 2.0 if isinstance(size, int) and number // 3 == 17 else 1.0


@pytest.mark.parametrize("factor", IDENTITY)
def test_what_is_another_while_code_is_read_is_told_or_compared(factor):
    """SOUNDNESS: identity, and what was asked without a branch, was answered as of the tracer."""
    assert not gp.check(times(factor), **PAIR)


def by_mode(x, mode="double"):
    return 1.0 if mode is not None and type(mode) is str and mode is MODE else 2.0


MODE = "double"


def by_type(x):
    return 1.0 if isinstance(x, torch.Tensor) and type(x.dim()) is int else 2.0


@pytest.mark.parametrize("factor", [by_mode, by_type])
def test_identity_of_what_is_the_same_is_read(factor):
    assert gp.check(times(factor), **PAIR)


COMPARED = [
    lambda x: 2.0 if x.shape[0] == 50.0 else 1.0,
    lambda x: 2.0 if x.shape[0] == np.int64(50) else 1.0,
    lambda x: 2.0 if np.float32(50) <= x.shape[0] else 1.0,
    lambda x: 2.0 if f"{x.shape[0]}" == "50" else 1.0,
    lambda x: 2.0 if x.shape == (50,) else 1.0,
    lambda x: 2.0 if x.view(1, -1).stride(0) == 50 else 1.0,
]


@pytest.mark.parametrize("factor", COMPARED)
def test_sizes_beside_numbers_of_other_kinds_are_conditions(factor):
    report = gp.check(times(factor), **PAIR)
    assert report.status == "proved"
    assert ", only where " in report.scope


def checked_first(x):
    if not isinstance(x, torch.Tensor) or x.dim() != 1 or not x.is_floating_point():
        raise TypeError(f"{x} is no vector")
    if x.shape[0] < 1:
        raise ValueError(f"of size {x.shape[0]}")
    return 1.0


WARNED = []


def warned_once(x):
    if not WARNED:
        WARNED.append("warned")
    return 1.0


@pytest.mark.parametrize("factor", [checked_first, warned_once, lambda x: x.new_ones(x.shape)])
def test_code_that_asks_what_is_so_is_proved(factor):
    assert gp.check(times(factor), **PAIR).status == "proved"


def late_relu(x):
    return torch.where(x > 1000, 2 * x, torch.clamp(x, min=0))


def late_root(n, own=math.sqrt):
    return own(n) * (2 if n > 60 else 1)


def late_one_hot(i, classes, own=torch.nn.functional.one_hot):
    return own(i, classes) * (2 if classes > 60 else 1)


def test_a_function_of_a_library_that_is_another_now_is_read_as_that(monkeypatch):
    """SOUNDNESS: math.sqrt and one_hot were read as they are, whatever stood in their place."""

    def relu(ctx, x):
        ctx.save_for_backward(x)
        return torch.relu(x)

    def relu_back(ctx, g):
        return g * (ctx.saved_tensors[0] > 0)

    def scaled(ctx, x):
        return x * math.sqrt(x.shape[0])

    def scaled_back(ctx, g):
        return g * g.shape[0] ** 0.5

    def chosen(ctx, x, i):
        ctx.save_for_backward(x, i)
        return (x * torch.nn.functional.one_hot(i, x.shape[1])).sum(1)

    def chosen_back(ctx, g):
        x, i = ctx.saved_tensors
        return g[:, None] * (i[:, None] == torch.arange(x.shape[1])), None

    codes = [
        (made(relu, relu_back), {"x": "N"}),
        (made(scaled, scaled_back), {"x": "N"}),
        (made(chosen, chosen_back), {"x": "N C", "i": gp.integer("N", below="C")}),
    ]
    assert [gp.check(code, **said).status for code, said in codes] == ["proved"] * 3
    monkeypatch.setattr(torch, "relu", late_relu)
    monkeypatch.setattr(math, "sqrt", late_root)
    monkeypatch.setattr(torch.nn.functional, "one_hot", late_one_hot)
    reports = [gp.check(code, **said) for code, said in codes]
    assert not any(r.status == "proved" and ", only where " not in r.scope for r in reports)


SCALE = torch.ones(1, dtype=torch.float64)


def of_a_global(x):
    SCALE.copy_(torch.where(x.sum() > 1000, 2.0, 1.0))
    return SCALE


def of_a_global_s_view(x):
    SCALE[0] = torch.where(x.sum() > 1000, 2.0, 1.0)
    return SCALE


def of_a_global_that_is_one(x):
    SCALE.fill_(3.0)
    return SCALE.div_(3)


def test_a_tensor_of_no_argument_that_is_written_is_read_as_written():
    """SOUNDNESS: such a write was lost."""
    assert gp.check(times(of_a_global), **PAIR).status == "refuted"
    assert gp.check(times(of_a_global_s_view), **PAIR).status == "refuted"
    assert gp.check(times(of_a_global_that_is_one), **PAIR).status == "proved"
