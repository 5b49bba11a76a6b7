"""A mistake planted in any rule by which code of NumPy is read is caught by the code itself."""

import importlib.util
import textwrap

import pytest

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT
from gradproof.numpy import (
    arrays,
    calling,
    functions,
    loops,
    operators,
    places,
    running,
    statements,
)
from gradproof.numpy.running import NumpyCode
from gradproof.tracing import layout
from gradproof.tracing.declared import Declared, as_input
from gradproof.tracing.judging import judged
from gradproof.tracing.operations import OPS
from gradproof.tracing.tensors import Tensor, elementwise

ONE = "exp log sqrt square reciprocal abs absolute fabs sign negative exp2 log2 log1p expm1"
ONE += " sin cos tan sinh cosh tanh"
COMPARED = "equal not_equal less less_equal greater greater_equal"
JOINED = "vstack hstack concatenate stack"
CASTS = "asarray array ascontiguousarray asfarray copy"
# An expression of x, of two rows and three columns, in which each function decides something.
FUNCTIONS = {name: f"np.{name}(1.3 + x * x)" for name in ONE.split()}
FUNCTIONS |= {name: f"np.where(np.{name}(x, 1.0 * (x > 0)), x, 2 * x)" for name in COMPARED.split()}
FUNCTIONS |= {name: f"np.{name}([x, 2 * x])" for name in JOINED.split()}
FUNCTIONS |= {name: f"functions_{name}(x) * 2" for name in CASTS.split()}
FUNCTIONS |= {
    **{"abs": "abs(x) + np.abs(x)", "sign": "np.sign(x) * x"},
    **{"add": "np.add(x, x * x)", "subtract": "np.subtract(x, x * x)"},
    **{"multiply": "np.multiply(x, x)", "divide": "np.divide(x, 2 + x * x)"},
    **{"true_divide": "np.true_divide(x, 2 + x * x)", "power": "np.power(2 + x * x, 1.5)"},
    **{
        "floor_divide": "x * np.floor_divide(np.arange(3), 2)",
        "mod": "x * np.mod(np.arange(3), 2)",
    },
    **{"maximum": "np.maximum(x, x * x)", "minimum": "np.minimum(x, x * x)"},
    **{"matmul": "np.matmul(x, x.T)", "dot": "np.dot(x, x.T)", "outer": "np.outer(x[0], x[1])"},
    **{"where": "np.where(x > 0, x, 2 * x)", "einsum": "np.einsum('ij,kj->ik', x, x * x)"},
    **{"logical_not": "np.where(np.logical_not(x > 0), x, 2 * x)"},
    **{"logical_and": "np.where(np.logical_and(x > -1, x < 1), x, 2 * x)"},
    **{"logical_or": "np.where(np.logical_or(x < -1, x > 1), x, 2 * x)"},
    **{"empty": "filled(np.empty((2, 3)), x)", "empty_like": "filled(np.empty_like(x), x)"},
    **{"zeros": "np.zeros((2, 3)) + x", "zeros_like": "np.zeros_like(x) + np.exp(x)"},
    **{"ones": "np.ones((2, 3)) * x", "ones_like": "np.ones_like(x) * x"},
    **{"full": "np.full((2, 3), 2.5) * x", "full_like": "np.full_like(x, 2.5) * x"},
    **{"arange": "x * np.arange(3)", "eye": "x @ np.eye(3)", "identity": "x @ np.identity(3)"},
    **{"sum": "x.sum(axis=1)", "mean": "np.mean(x, axis=0)", "average": "np.average(x, axis=0)"},
    **{"var": "x.var(axis=1)", "std": "x.std(axis=1)", "prod": "np.prod(x, axis=1)"},
    **{"max": "x.max(axis=1)", "amax": "np.amax(x, axis=1)", "min": "x.min(axis=1)"},
    **{"amin": "np.amin(x, axis=1)", "argmax": "x[np.arange(2), x.argmax(axis=1)]"},
    **{"argmin": "x[np.arange(2), x.argmin(axis=1)]", "tril": "np.tril(x)", "triu": "np.triu(x)"},
    **{"transpose": "np.transpose(x)", "swapaxes": "np.swapaxes(x, 0, 1)"},
    **{"reshape": "x.reshape(3, 2)", "ravel": "np.ravel(x)", "flatten": "x.flatten()"},
    **{"expand_dims": "np.expand_dims(x, 0)", "squeeze": "np.squeeze(x)"},
    **{"broadcast_to": "np.broadcast_to(x, (4, 2, 3)) * 1", "flip": "np.flip(x, 1)"},
    **{
        "repeat": "np.repeat(x, 2, axis=1)",
        "tile": "np.tile(x, (1, 2))",
        "roll": "np.roll(x, 1, 1)",
    },
    **{"linalg.norm": "np.linalg.norm(x, axis=1)", "cumsum": "np.cumsum(x, axis=1)"},
    **{name: f"np.{name}(0.5 * np.tanh(x))" for name in ("arcsin", "arccos", "arctanh")},
    **{"arctan": "np.arctan(x)", "arcsinh": "np.arcsinh(x)", "logaddexp": "np.logaddexp(x, 2 * x)"},
    **{"arctan2": "np.arctan2(x, 1 + x * x)", "hypot": "np.hypot(x, 1 + x * x)"},
    **{"shape": "x * np.shape(x)[1]", "ndim": "x * np.ndim(x)", "size": "x * np.size(x)"},
    **{"diag": "np.diag(x[0])", "diagflat": "np.diagflat(x[0])", "split": "np.split(x, 2)[0]"},
    **{"take_along_axis": "np.take_along_axis(x, x.argmax(axis=1)[:, None], axis=1)"},
    **{"clip": "np.clip(x, -0.5, 0.5)", "pad": "np.pad(x, ((0, 1), (1, 0)))"},
    **{"atleast_1d": "np.atleast_1d(x[0])", "atleast_2d": "np.atleast_2d(x[0])"},
    **{"column_stack": "np.column_stack([x, 2 * x])", "moveaxis": "np.moveaxis(x, 0, 1)"},
    **{"fliplr": "np.fliplr(x)", "flipud": "np.flipud(x)", "log10": "np.log10(1.3 + x * x)"},
    **{"fmax": "np.fmax(x, x * x)", "fmin": "np.fmin(x, x * x)"},
    **{"inner": "np.inner(x, x * x)", "tensordot": "np.tensordot(x, x * x, axes=([1], [1]))"},
    **{"trace": "np.trace(x @ x.T)", "expit": "special.expit(x)"},
    **{"erf": "special.erf(x)", "erfc": "special.erfc(x)"},
}
SCIPY = {"erf", "erfc", "expit"}
GONE = {"product", "asfarray"}  # names that older versions of NumPy have


def test_each_function_has_a_mistake_to_be_caught():
    assert set(functions.FUNCTIONS) - GONE == set(FUNCTIONS) - GONE


@pytest.fixture
def forward(tmp_path):
    """A function of x, from its source: an expression, or lines of a body."""

    def made(text):
        body = text if "return" in text else f"return {text}"
        name = text if text.isidentifier() else "forward"
        source = HEAD + f"\n\ndef {name}(x):\n{textwrap.indent(body, '    ')}\n"
        path = tmp_path / f"written_{abs(hash(text))}.py"
        path.write_text(source.replace("functions_", "np."), "utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, name)

    return made


HEAD = """
import numpy as np

try:
    from scipy import special
except ImportError:
    special = None


def filled(y, x):
    y[:] = x
    return y
"""


def nothing(dy, x):
    return 0.0 * x


def reading(function, **said):
    """The status of what was read beside the code: unknown, since nothing is proved, or error."""
    inputs = said or {"x": (2, 3)}
    code = NumpyCode(function, nothing, Declared({k: as_input(v) for k, v in inputs.items()}))
    return judged(code, proving=False).status


CAUGHT = ("error", "unreadable", "refuted")  # the last by the code alone, of what was not read


def wrong(rule):
    """A rule with a mistake: numbers are off, conditions negated, the last axis turned round."""

    def run(*given, **named):
        return off(rule(*given, **named))

    return run


def off(x):
    if isinstance(x, tuple | list):
        return type(x)(map(off, x))
    if not isinstance(x, Tensor):
        return t.Mul(3, x) if isinstance(x, t.Term) else x + 1
    if x.hit is not None:
        return Tensor(x.axes, x.cell, INT, lambda place, value: t.Not(x.hit(place, value)))
    if x.sort == BOOL:
        return elementwise(t.Not, x, sort=BOOL)
    if x.sort == INT:
        return Tensor(x.axes, lambda place: t.Add(t.Mul(2, x.cell(place)), 1), INT)
    turned = layout.flipped(x, [-1]) if x.axes else x
    return elementwise(lambda c: t.Add(t.Mul(3, c), 1), turned)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - GONE))
def test_a_planted_mistake_in_a_function_is_an_error(name, forward, monkeypatch):
    if name in SCIPY:
        pytest.importorskip("scipy", reason="these functions are SciPy's")
    function = forward(FUNCTIONS[name])
    assert reading(function) == "unknown"
    monkeypatch.setitem(functions.FUNCTIONS, name, wrong(functions.FUNCTIONS[name]))
    expected = "unknown" if name.startswith("empty") else "error"  # what is in it is not said
    assert reading(function) == expected


ARRAYS = {
    **{"Add": "x + x * x", "Sub": "x - x * x", "Mult": "x * x", "Div": "x / (2 + x * x)"},
    **{"Pow": "(2 + x * x) ** 1.5", "MatMult": "x @ x.T", "FloorDiv": "x * (np.arange(3) // 2)"},
    **{"Mod": "x * (np.arange(3) % 2)", "BitAnd": "np.where((x > -1) & (x < 1), x, 2 * x)"},
    "BitOr": "np.where((x < -1) | (x > 1), x, 2 * x)",
    **{
        name: f"np.where(x {sign} 1.0 * (x > 0), x, 2 * x)"
        for name, sign in (
            ("Eq", "=="),
            ("NotEq", "!="),
            ("Lt", "<"),
            ("LtE", "<="),
            ("Gt", ">"),
            ("GtE", ">="),
        )
    },
}


@pytest.mark.parametrize("name", sorted(ARRAYS))
def test_a_planted_mistake_in_an_operator_of_arrays_is_an_error(name, forward, monkeypatch):
    function = forward(ARRAYS[name])
    assert reading(function) == "unknown"
    rule = {**operators.ARRAYS, **operators.BETWEEN}[name]
    monkeypatch.setitem(OPS, rule, wrong(OPS[rule]))
    assert reading(function) == "error"


def test_each_operator_of_arrays_has_one():
    assert set(ARRAYS) == {*operators.ARRAYS, *operators.BETWEEN}


N = "n = x.shape[0]\n"
CELLS = "y = np.zeros_like(x)\nfor i in range(x.shape[0]):\n    for j in range(x.shape[1]):\n"
CELLS += "        y[i, j] = {}\nreturn y"
SIZES = {
    **{"Add": "x * (n + 2)", "Sub": "x * (n - 5)", "Mult": "x * (n * n)"},
    **{"FloorDiv": "x * (n // 2)", "Mod": "x * (n % 3)"},
}
NUMBERS = {
    **{"Add": "x[i, j] + x[i, 0] * 2", "Sub": "x[i, j] - x[i, 0] * 2"},
    **{"Mult": "x[i, j] * x[i, 0]", "Div": "x[i, j] / (2 + x[i, 0] * x[i, 0])"},
    "Pow": "(2 + x[i, j] * x[i, j]) ** 1.5",
}
CONDITIONS = {
    **{"Eq": "x[i, j] * 3 if i == j else x[i, j]", "NotEq": "x[i, j] * 3 if i != j else x[i, j]"},
    **{"Lt": "x[i, j] * 3 if i < j else x[i, j]", "LtE": "x[i, j] * 3 if i <= j else x[i, j]"},
    **{"Gt": "x[i, j] * 3 if i > j else x[i, j]", "GtE": "x[i, j] * 3 if i >= j else x[i, j]"},
}
ROWS = {"x": ("N", "C")}


@pytest.mark.parametrize(
    ("table", "name", "text"),
    [
        *(("INTEGRAL", k, f"{N}return {v}") for k, v in SIZES.items()),
        *(("REALS", k, CELLS.format(v)) for k, v in NUMBERS.items()),
        *(("RELATIONS", k, CELLS.format(v)) for k, v in CONDITIONS.items()),
    ],
)
def test_a_planted_mistake_in_an_operator_of_numbers_is_an_error(
    table, name, text, forward, monkeypatch
):
    function = forward(text)
    assert reading(function, **ROWS) == "unknown"
    rules = getattr(operators, table)
    rule = rules[name]
    mistaken = {t.Eq: t.Ne, t.Ne: t.Eq, t.Lt: t.Ge, t.Ge: t.Lt, t.Gt: t.Le, t.Le: t.Gt}
    monkeypatch.setitem(rules, name, mistaken[rule] if rule in mistaken else wrong(rule))
    assert reading(function, **ROWS) in CAUGHT


def test_each_operator_of_numbers_has_one():
    assert set(SIZES) == set(operators.INTEGRAL)
    assert set(NUMBERS) == set(operators.REALS)
    assert set(CONDITIONS) == set(operators.RELATIONS)


CALLED = {
    **{"range": CELLS.format("x[i, j]"), "len": "x * len(x)", "abs": CELLS.format("abs(x[i, j])")},
    **{"min": CELLS.format("min(x[i, j], 0.3)"), "max": CELLS.format("max(x[i, j], 0.3)")},
    **{"sum": "sum([x, 2 * x, x * x])", "int": "x * int((x.shape[0] + 3) / 2)"},
    **{"float": CELLS.format("2 * float(x[i, j])"), "tuple": "tuple([x, 2 * x])[1]"},
    **{"list": "list((x, 2 * x))[1]", "dict": "dict(a=x)['a']"},
    **{"zip": "sum([a * b for a, b in zip((x, x * x), (2, 3))])"},
    **{"enumerate": "sum([a * b for a, b in enumerate((x, x * x))])"},
    **{"reversed": "sum([a * b for a, b in zip(reversed((x, x * x)), (2, 3))])"},
    **{"isinstance": "2 * x if isinstance(x, np.ndarray) else x", "slice": "x[slice(0, 1)]"},
}
MISTAKEN = {
    **{"range": lambda reader, *args: loops.Range(1, *args), "len": lambda reader, value: 7},
    **{"tuple": lambda reader, value: tuple(value)[::-1], "list": lambda r, v: list(v)[::-1]},
    "dict": lambda reader, **named: {k: v.value for k, v in named.items()} | {"a": 0.0},
    "zip": lambda reader, *args: list(zip(*args, strict=True))[::-1][:1],
    "enumerate": lambda reader, value: list(enumerate(value, 1)),
    "reversed": lambda reader, value: list(value),
    "isinstance": lambda reader, value, kind: False,
    "slice": lambda reader, *args: slice(0, 2),
}


@pytest.mark.parametrize("name", sorted(CALLED))
def test_a_planted_mistake_in_one_of_python_s_functions_is_an_error(name, forward, monkeypatch):
    function = forward(CALLED[name])
    assert reading(function, **ROWS) == "unknown"
    rule = calling.BUILTINS[name]
    monkeypatch.setitem(calling.BUILTINS, name, MISTAKEN.get(name, wrong(rule)))
    assert reading(function, **ROWS) in CAUGHT


def test_each_of_them_has_one():
    assert set(CALLED) == set(calling.BUILTINS) - {"print"}


KEEPS = "y = x.copy()\n{}\nreturn y"
TOTAL = "y = np.zeros(x.shape[0])\nfor i in range(x.shape[0]):\n    s = {}\n"
TOTAL += "    for j in range(x.shape[1]):\n        {}\n    y[i] = s\nreturn y"
BRANCH = "y = np.zeros_like(x)\nfor i in range(x.shape[0]):\n    if x[i, 0] > 0:\n"
BRANCH += "        y[i] = x[i]\n    else:\n        y[i] = 3 * x[i]\nreturn y"
SKIPS = "y = np.zeros_like(x)\nfor i in range(x.shape[0]):\n    if x[i, 0] > 0:\n"
SKIPS += "        continue\n    y[i] = x[i]\nreturn y"
BOTH = "a = 1.0\nif x[0, 0] > 0:\n    a = 2.0\nelse:\n    a = 3.0\nreturn a * x"
PLANTED = [
    (places, "least", lambda reader, last, size: size, "x[:, :2] * 2"),
    (places, "end_of", lambda reader, end, size: None, "x[1:, :-1] * 2"),
    (
        places,
        "at_own_place",
        lambda found, source, whole, adds: whole,
        KEEPS.format("y[np.arange(2), np.array([0, 0]) if False else np.arange(2)] += 5 * x[:, 0]"),
    ),
    (
        places,
        "masked",
        lambda reader, array, mask: elementwise(t.Not, reader.tensor(mask), sort=BOOL),
        KEEPS.format("y[x > 0] = 0.5"),
    ),
    (places, "signed", lambda reader, op, value: value, KEEPS.format("y[0] -= 3 * x[1]")),
    (
        places,
        "indexed",
        lambda reader, x, index: layout.flipped(right_of(x, index), [0]),
        "x[:, 1:] * 2",
    ),
    (
        arrays,
        "within",
        lambda part, index, after, shape: [],
        KEEPS.format("y[:, 1:2] = 7 * x[:, :1]"),
    ),
    (
        loops,
        "closed",
        lambda writes, over: arrays.closed(writes, (over[0], 1, over[2])),
        CELLS.format("x[i, j]"),
    ),
    (
        loops,
        "added",
        lambda step, state, every: None if step is state else t.as_term(1),
        TOTAL.format("0.0", "s += x[i, j]"),
    ),
    (
        loops,
        "kept_largest",
        lambda step, state: (state, t.And()),
        TOTAL.format("-np.inf", "s = max(s, x[i, j])"),
    ),
    (statements, "skips", lambda statement: False, SKIPS),
    (operators, "either", lambda reader, condition, a, b: b, BOTH),
    (
        statements,
        "branch",
        lambda reader, condition, body, orelse, scope: statements.block(reader, body, scope),
        BRANCH,
    ),
]


def right_of(x, index):
    return layout.sliced(x, 1, t.as_term(1), t.Add(x.shape[1], -1))


@pytest.mark.parametrize(
    ("module", "name", "mistake", "text"), PLANTED, ids=[name for _, name, _, _ in PLANTED]
)
def test_a_planted_mistake_in_indices_and_loops_is_an_error(
    module, name, mistake, text, forward, monkeypatch
):
    function = forward(text)
    assert reading(function, x=(2, 6)) == "unknown"
    monkeypatch.setattr(module, name, mistake)
    monkeypatch.setattr(running, "MANY", 4)  # or else the loop is read turn by turn
    assert reading(function, x=(2, 6)) in CAUGHT
