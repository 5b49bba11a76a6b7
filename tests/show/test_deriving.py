"""Rules that are derived and printed: pasted into the definition they are proved."""

from dataclasses import replace
from fractions import Fraction

import pytest

import gradproof.language as language
from gradproof import specs, verify
from gradproof.cli.main import main
from gradproof.language import (
    Eq,
    If,
    Max,
    Op,
    Prod,
    Sum,
    array,
    fold,
    integers,
    reals,
    zero_padded,
)
from gradproof.language.substitution import mentioned
from gradproof.show.deriving import Underivable, derived_rules, shown
from gradproof.show.source import source, with_plain_names
from gradproof.specs.library import activations, losses, padding, pooling, scans, softmax

N, M, i, j, o = integers("N M i j o")
a, best = reals("a best")
x, w, y, loss = array("x", N), array("w", M, N), array("y", N), array("loss")

LINES = {
    "a product": Op("a_product", Eq(loss[()], Prod(x[i], (i, 0, N - 1))), requires=(N >= 1,)),
    "neighbours": Op(
        "neighbours", Eq(y[i], zero_padded(x)[i - 1] * x[i] - 2 * zero_padded(x)[i + 1] / 3)
    ),
    "a branch": Op("a_branch", Eq(y[i], If(x[i] > a, x[i] ** 3, a * x[i])), requires=(a < 1,)),
    "two inputs": Op("two_inputs", Eq(array("z", M)[o], Sum(w[o, j] * x[j], (j, 0, N - 1)))),
}
OPS = {
    **LINES,
    "softmax": softmax.softmax,
    "gelu": activations.gelu,
    "huber": losses.huber_loss,
    "logcumsumexp": scans.logcumsumexp,
    "L2 pooling": pooling.l2_pool,
    "ceil": pooling.avg_pool_ceil,
    "avg_pool": specs.avg_pool,
    "conv": specs.conv,
    "max_pool2d": specs.max_pool2d,
    "reflected": next(v for v in vars(padding).values() if isinstance(v, Op)),
}


def pasted(op):
    """The op with the rules that are printed, as Python reads them."""
    taken = set(op.sizes).union(*(mentioned(e) for e in op.equations.values()))
    names = {name: getattr(language, name) for name in language.__all__} | {"Fraction": Fraction}
    names |= {a.name: a for a in (*op.operands, *op.outputs)}
    rules = []
    for rule in derived_rules(op):
        plain, new = with_plain_names(rule, taken)
        taken |= set(new)
        names |= {symbol.name: symbol for symbol in taken}
        rules.append(eval(source(plain), names))
    return replace(op, jvp=rules[0], vjp=tuple(rules[1:]), claims=())


@pytest.mark.parametrize("name", OPS)
def test_what_is_printed_is_proved_when_it_is_pasted(name):
    report = verify(pasted(OPS[name]))
    asked = [v for v in report.verdicts if v.kind != "needed"]
    assert {v.status for v in asked} == {"proved"}
    assert {"jvp", "vjp"} <= {v.kind for v in asked}


def test_a_rule_is_read_as_mathematics_and_as_python():
    text = shown(OPS["neighbours"])
    assert "·y_bar[i] - 2·[0 ≤ i - 1]·y_bar[i - 1]/3\n" in text
    assert "jvp=Eq(tangent(y)[i], " in text
    assert 'i2 = integers("i2")' not in text


def test_equal_parts_are_counted():
    squares = Op("squares", Eq(y[i], x[i] * x[i]))
    assert "  x_bar[i] = 2·x[i]·y_bar[i]\n" in shown(squares)


def test_what_is_not_derived_says_why():
    kept = fold(best, (j, 0, N - 1), best=(best, 0, Max(best, x[j])))
    with pytest.raises(Underivable, match="a Fold that reads what is differentiated"):
        derived_rules(Op("loop", Eq(loss[()], kept)))
    h = array("h", N)
    running = Op("running", Eq(h[i], zero_padded(h)[i - 1] + x[i]))
    with pytest.raises(Underivable, match="several equations"):
        derived_rules(running)


def test_the_command_prints_it(capsys, tmp_path):
    assert main(["show", "avg_pool"]) == 0
    assert "x_bar[c, i] = Σ" in capsys.readouterr().out
    file = tmp_path / "of_mine.py"
    file.write_text(
        "from gradproof.language import *\n"
        'N, i = integers("N i")\n'
        'x, y = array("x", N), array("y", N)\n'
        'double = Op("double", Eq(y[i], 2 * x[i]))\n'
        'h = array("h", N)\n'
        'scan = Op("scan", Eq(h[i], zero_padded(h)[i - 1] + x[i]))\n'
    )
    assert main(["show", f"{file}::double"]) == 0
    assert "Eq(cotangent(x)[i], 2 * cotangent(y)[i])" in capsys.readouterr().out
    assert main(["show", f"{file}::scan"]) == 2
    assert "no rule is derived: scan is several equations" in capsys.readouterr().err
