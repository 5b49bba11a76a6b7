"""What a verdict about PyTorch code says: scopes, guards, refusals, and what is not believed."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")

import torch_functions as written
from torch.autograd import Function

from gradproof import torch as gp
from gradproof.torch import ops, views
from gradproof.tracing import layout

ROWS = {"x": ("N", "C")}


def test_assert_proved_passes_and_returns_the_report():
    assert gp.assert_proved(written.Exp, **ROWS).status == "proved"


def test_assert_proved_fails_with_what_the_code_gives():
    with pytest.raises(AssertionError, match="by finite differences of the code"):
        gp.assert_proved(written.SoftmaxDiagonal, **ROWS)


def test_show_prints_the_mathematics_that_was_read():
    shown = gp.show(written.Cube, **ROWS)
    assert "y[o1, o2] = x[o1, o2]·x[o1, o2]·x[o1, o2]" in shown
    assert "x_bar[i1, i2] = 3·x[i1, i2]·x[i1, i2]·y_bar[i1, i2]" in shown


def test_show_says_nothing_of_a_parameter_of_which_nothing_is_required():
    said = gp.show(written.LeakyRelu, slope=gp.real(), **ROWS)
    assert said.startswith("LeakyRelu, where N ≥ 1; C ≥ 1\n")


class Rounds(Function):
    """Straight through: wrong on purpose."""

    @staticmethod
    def forward(ctx, x):
        return torch.sign(x)

    @staticmethod
    def backward(ctx, g):
        return g


def test_what_is_wrong_on_purpose_is_expected_to_be_refuted():
    report = gp.check(Rounds, on_purpose=True, **ROWS)
    assert report.status == "refuted"
    assert report.as_expected
    assert "on purpose" in report.text


def test_what_is_right_though_wrong_on_purpose_is_not_expected():
    assert not gp.check(written.Exp, on_purpose=True, **ROWS).as_expected


class Truncated(Function):
    """The derivative of a power by a constant with seven digits."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * 0.70710678118654752

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * 1.4142135


def test_a_truncated_constant_is_rounding_and_no_refutation():
    assert gp.check(Truncated, **ROWS).status == "rounding"


class OneIsSpecial(Function):
    """The code runs differently at one size, and is wrong there."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if x.shape[1] == 7:
            return g * x
        return 2 * g * x


def test_a_size_at_which_the_code_runs_differently_is_traced_too():
    report = gp.check(OneIsSpecial, **ROWS)
    assert report.status == "refuted"
    assert "C = 7" in report.text


def test_with_that_size_left_out_it_is_proved():
    assert gp.check(OneIsSpecial, requires=["C != 7"], **ROWS).status == "proved"


class Halves(Function):
    @staticmethod
    def forward(ctx, x):
        half = x.shape[1] // 2
        return x[:, :half] * 2.0

    @staticmethod
    def backward(ctx, g):
        return torch.cat([g, g], dim=1) * 1.0


def test_a_gradient_of_another_shape_is_no_proof():
    assert gp.check(Halves, x=("N", "2*C")).status == "refuted"


class Turned(Function):
    """The gradient of the weight has the shape of its transpose."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w.t(), g.t() @ x


def test_a_gradient_that_the_framework_does_not_take_is_refuted_by_its_shape():
    report = gp.check(Turned, x=("N", "C"), w=("C", "K"))
    assert report.status == "refuted"
    assert "the gradient of w has the shape (2, 1), w has (1, 2)" in report.note


class Branches(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2 if x.sum() > 0 else x * 2.0

    @staticmethod
    def backward(ctx, g):
        return g * 2


def test_a_choice_by_values_is_refused_with_its_line():
    report = gp.check(Branches, **ROWS)
    assert report.status == "unreadable"
    assert "return x * 2 if x.sum() > 0 else x * 2.0" in report.note
    assert "torch.where" in report.note


class Sorts(Function):
    @staticmethod
    def forward(ctx, x):
        found = torch.sort(x, dim=-1)
        ctx.save_for_backward(found.indices)
        return found.values

    @staticmethod
    def backward(ctx, g):
        (places,) = ctx.saved_tensors
        return torch.zeros_like(g).scatter(-1, places, g)


class SortsBack(Sorts):
    """The gradient goes where the largest was first."""

    @staticmethod
    def backward(ctx, g):
        return g


def test_an_operation_that_is_not_read_is_named_with_its_line():
    report = gp.check(Sorts, **ROWS)
    assert report.status == "unreadable"
    assert "torch.sort is not read" in report.note
    assert "found = torch.sort(x, dim=-1)" in report.note
    assert not report.readable_at
    assert "where sizes are fixed" not in report.text


def test_what_is_not_read_is_refuted_by_the_code_alone():
    report = gp.check(SortsBack, **ROWS)
    assert report.status == "refuted"
    assert report.counterexample is not None
    assert abs(report.counterexample.expected - report.counterexample.found) > 1e-4


class Noisy(Function):
    """What draws numbers has no finite differences."""

    @staticmethod
    def forward(ctx, x):
        ctx.noise = torch.rand_like(x)
        return x * ctx.noise

    @staticmethod
    def backward(ctx, g):
        return g * ctx.noise


def test_what_draws_numbers_is_neither_proved_nor_refuted():
    assert gp.check(Noisy, **ROWS).status in ("unreadable", "unknown", "error")


class Logarithm(Function):
    @staticmethod
    def forward(ctx, x, eps):
        ctx.save_for_backward(x)
        ctx.eps = eps
        return torch.log(x * x + eps)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x / (x * x + ctx.eps), None


def test_a_logarithm_without_its_condition_is_not_proved():
    report = gp.check(Logarithm, x=("N",), eps=gp.real())
    assert report.status == "unknown"
    assert "at N = 1, eps = -1" in report.note
    assert "say in requires where it is meant, as in 'eps > 0'" in report.note


class Rotated(Function):
    @staticmethod
    def forward(ctx, x, turn):
        ctx.save_for_backward(turn)
        return x * turn

    @staticmethod
    def backward(ctx, g):
        (turn,) = ctx.saved_tensors
        return g * turn, None


def test_an_input_that_nothing_comes_back_for_may_be_a_constant():
    report = gp.check(Rotated, x=("N",), turn=("N",))
    assert report.status == "refuted"
    assert "if nothing is differentiated by turn, say that it is a constant" in str(report)
    assert gp.check(Rotated, x=("N",), turn=gp.constant("N")).status == "proved"


def counted_narrowly(x):
    """3 x, until there are more than 127."""
    return x * torch.where(torch.arange(x.shape[0], dtype=torch.int8) >= 0, 3.0, 2.0)


def test_integers_that_overflow_at_sizes_people_use_are_refused():
    report = gp.check(counted_narrowly, x=("N",))
    assert report.status == "unreadable"
    assert "integers of torch.int8, which overflow" in report.note


def test_with_its_condition_it_is():
    assert gp.check(Logarithm, x=("N",), eps=gp.real(), requires="eps > 0").status == "proved"


class Log(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / x


def test_a_condition_on_values_is_a_requirement():
    assert gp.check(Log, x=("N", "C")).status == "unknown"
    assert gp.check(Log, x=("N", "C"), requires="x > 0").status == "proved"


def test_a_mask_is_a_constant_or_a_condition():
    assert gp.check(Rotated, x=("N", "C"), turn=gp.constant("N", "C")).status == "proved"
    assert gp.check(Rotated, x=("N", "C"), turn=gp.boolean("N", "C")).status == "proved"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"x": ("N", "C"), "requires": "D > 1"}, "no shape has a size D"),
        ({"x": ("N", "C"), "requires": "N +"}, "is no condition"),
        ({"x": ("N", "C"), "requires": "round(N) > 1"}, "is not read here"),
    ],
)
def test_what_is_said_wrongly_is_refused(said, words):
    with pytest.raises(Exception, match=words):
        gp.check(written.Exp, **said)


def test_an_argument_that_is_not_said_is_asked_for():
    with pytest.raises(TypeError, match="say what weight is"):
        gp.check(written.Linear, input=("N", "D"))


# A planted mistake in the reading of an operation is caught by the code itself.

ADD, SUBTRACT = ops.OPS["add"], ops.OPS["sub"]
PLANTED = {
    "add": lambda tracer, a, b, **_: SUBTRACT(tracer, a, b),
    "sub": lambda tracer, a, b, **_: ADD(tracer, a, b),
    "mul": ADD,
    "div": ops.OPS["mul"],
    "exp": ops.OPS["sigmoid"],
    "log": ops.OPS["exp"],
    "sqrt": ops.OPS["square"],
    "rsqrt": ops.OPS["sqrt"],
    "reciprocal": ops.OPS["neg"],
    "abs": ops.OPS["neg"],
    "sign": ops.OPS["abs"],
    "sigmoid": ops.OPS["tanh"],
    "tanh": ops.OPS["sigmoid"],
    "relu": ops.OPS["abs"],
    "pow": lambda tracer, a, b: a,
    "where": lambda tracer, c, a, b: ops.OPS["add"](tracer, a, b),
    "gt": ops.OPS["lt"],
    "lt": ops.OPS["ge"],
    "clamp": lambda tracer, x, low=None, high=None: x,
    "maximum": ops.OPS["minimum"],
    "sum": ops.OPS["mean"],
    "mean": ops.OPS["sum"],
    "var": lambda tracer, x, dim, **o: ops.OPS["mean"](tracer, x, dim, o.get("keepdim", False)),
    "prod": ops.OPS["sum"],
    "amax": ops.OPS["amin"],
    "mm": lambda tracer, a, b: ops.OPS["bmm"](tracer, a, layout.flipped(b, [0])),
    "cumsum": lambda tracer, x, dim: x,
    "flip": lambda tracer, x, dims: x,
    "cat": lambda tracer, parts, dim: layout.concatenated(parts[::-1], dim),
    "constant_pad_nd": lambda tracer, x, pads, value=0: layout.padded(x, -1, pads[1], pads[0]),
    "_softmax": ops.OPS["_log_softmax"],
    "_log_softmax": ops.OPS["_softmax"],
}
CODE = {
    "add": lambda x: x + x * x,
    "sub": lambda x: x - x * x,
    "mul": lambda x: x * x,
    "div": lambda x: x / (1 + x * x),
    "exp": torch.exp,
    "log": lambda x: torch.log(1 + x * x),
    "sqrt": lambda x: torch.sqrt(2 + x * x),
    "rsqrt": lambda x: torch.rsqrt(2 + x * x),
    "reciprocal": lambda x: torch.reciprocal(2 + x * x),
    "abs": torch.abs,
    "sign": lambda x: x * torch.sign(x),
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "pow": lambda x: x**3,
    "where": lambda x: torch.where(x > 0, x, 3 * x),
    "gt": lambda x: x * (x > 0),
    "lt": lambda x: x * (x < 0),
    "clamp": lambda x: torch.clamp(x, -0.1, 0.1),
    "maximum": lambda x: torch.maximum(x, x * x),
    "sum": lambda x: x.sum(1) ** 2,
    "mean": lambda x: x.mean(1) ** 2,
    "var": lambda x: x.var(1, unbiased=False),
    "prod": lambda x: (1 + x * x).prod(1),
    "amax": lambda x: x.amax(1),
    "mm": lambda x: x @ x.t() @ x,
    "cumsum": lambda x: x.cumsum(1),
    "flip": lambda x: x.flip(1),
    "cat": lambda x: torch.cat([x, 2 * x], 1),
    "constant_pad_nd": lambda x: torch.nn.functional.pad(x, (1, 0)),
    "_softmax": lambda x: torch.softmax(x, 1),
    "_log_softmax": lambda x: torch.log_softmax(x, 1),
}


@pytest.mark.parametrize("name", CODE)
def test_a_planted_mistake_in_an_operation_is_an_error(name, monkeypatch):
    monkeypatch.setitem(ops.OPS, name, PLANTED[name])
    assert gp.check(CODE[name], **ROWS).status == "error"


WRONG_VIEWS = {
    "transpose": lambda x: x.transpose(0, 1) * x.sum(0).unsqueeze(1),
    "slice": lambda x: x[:, : x.shape[1] // 2 + 1],
    "select": lambda x: x[:, 0],
    "permute": lambda x: x.permute(1, 0),
    "view": lambda x: x.view(x.shape[1], x.shape[0]),
}


@pytest.mark.parametrize("name", WRONG_VIEWS)
def test_a_planted_mistake_in_a_view_is_an_error(name, monkeypatch):
    right = views.VIEWS[name]

    def shifted(tracer, base, result, *rest, **named):
        [(view, back)] = right(tracer, base, result, *rest, **named)
        return [(lambda x: layout.flipped(view(x), [-1]), back)]

    assert gp.check(WRONG_VIEWS[name], **ROWS).status == "proved"
    monkeypatch.setitem(views.VIEWS, name, shifted)
    assert gp.check(WRONG_VIEWS[name], **ROWS).status == "error"


class Picked(Function):
    """Cross entropy of labels, whose backward writes at them; PyTorch runs one row otherwise."""

    @staticmethod
    def forward(ctx, z, label):
        p = torch.softmax(z, 1)
        ctx.save_for_backward(p, label)
        return -torch.log(p[torch.arange(z.shape[0]), label]).mean()

    @staticmethod
    def backward(ctx, g):
        p, label = ctx.saved_tensors
        d = p.clone()
        d[torch.arange(p.shape[0]), label] -= 1
        return g * d / p.shape[0], None


class PickedOnce(Picked):
    """Wrong where there is one row, alone."""

    @staticmethod
    def backward(ctx, g):
        d, _ = Picked.backward(ctx, g)
        return (d if g.ndim or ctx.saved_tensors[0].shape[0] > 1 else 2 * d), None


LABELS = {"z": ("N", "C"), "label": gp.integer("N", below="C")}


def test_code_that_runs_otherwise_at_a_size_of_1_is_read_without_that_axis():
    report = gp.check(Picked, **LABELS)
    assert report.status == "proved"
    assert report.scope == "for all sizes with N ≥ 1; C ≥ 1"


def test_what_is_wrong_at_a_size_of_1_alone_is_refuted_there():
    report = gp.check(PickedOnce, **LABELS)
    assert report.status == "refuted"
    assert report.counterexample.values["z"].shape[0] == 1


def test_a_size_that_is_fixed_is_in_the_scope():
    report = gp.check(written.Exp, sizes={"N": 2}, **ROWS)
    assert report.scope == "at N = 2, for all other sizes with C ≥ 1"


class Labelled(Picked):
    """The same by what a label is as one hot."""

    @staticmethod
    def backward(ctx, g):
        p, label = ctx.saved_tensors
        return g * (p - torch.nn.functional.one_hot(label, p.shape[1])) / p.shape[0], None


class LabelledSum(Labelled):
    @staticmethod
    def backward(ctx, g):
        p, label = ctx.saved_tensors
        return g * (p - torch.nn.functional.one_hot(label, p.shape[1])), None


def test_as_many_classes_as_a_size_says_stay_a_size():
    report = gp.check(Labelled, **LABELS)
    assert (report.status, report.scope) == ("proved", "for all sizes with N ≥ 1; C ≥ 1")
    assert len(report.readings) == 1
    assert gp.check(LabelledSum, **LABELS).status == "refuted"


class Gathered(Function):
    @staticmethod
    def forward(ctx, z, label):
        ctx.save_for_backward(label)
        return torch.gather(z, 1, label[:, None])

    @staticmethod
    def backward(ctx, g):
        raise NotImplementedError("never asked")


@pytest.mark.parametrize("code", [Gathered, Picked, Labelled])
def test_labels_that_are_said_to_be_reals_are_told_in_one_sentence(code, capfd):
    report = gp.check(code, z=("N", "C"), label="N")
    assert report.status == "unreadable"
    assert report.text.count("\n") == 1
    assert "gp.integer" in report.note
    assert "test_torch_check.py" in report.note
    assert "Traceback" not in capfd.readouterr().err


class Raises(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        raise ValueError("no such thing")


def test_code_that_fails_itself_is_told_by_its_line_and_of_no_sizes(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)
    report = gp.check(Raises, **ROWS)
    assert report.status == "unreadable"
    assert report.note.startswith("test_torch_check.py:")
    assert '`raise ValueError("no such thing")`' in report.note
    assert "sizes" not in report.text


class Unrolled(Function):
    """A loop of Python's over a size."""

    @staticmethod
    def forward(ctx, x):
        y = torch.zeros_like(x)
        for k in range(x.shape[1]):
            y[:, k] = 2 * x[:, k]
        return y

    @staticmethod
    def backward(ctx, g):
        return 2 * g


def test_where_a_proof_is_of_some_sizes_the_line_that_decided_is_named():
    report = gp.check(Unrolled, **ROWS)
    assert report.narrow
    assert [said.partition(".py:")[2][5:] for said in report.decided] == [
        "`for k in range(x.shape[1]):`: a size decides here how the code runs"
    ]
    assert report.decided[0] in report.text
    assert not gp.check(Unrolled, sizes={"C": 3}, **ROWS).decided
