"""A mistake in any rule by which PyTorch is read is an error: the code itself contradicts it."""

from collections import defaultdict
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")

import torch_operations as written

from gradproof.language import terms as t
from gradproof.language.terms import BOOL, INT
from gradproof.torch import ops, views
from gradproof.torch.running import TorchCode
from gradproof.tracing.declared import Declared
from gradproof.tracing.judging import judged
from gradproof.tracing.pieces import read
from gradproof.tracing.tensors import Tensor, elementwise

REGISTRIES = {"operation": ops.OPS, "made": ops.MADE, "view": views.VIEWS}
# What PyTorch takes apart before it is asked for here; other versions do not, or JAX has it.
APART = {"square", "isfinite", "one_hot", "einsum", "outer", "value_selecting_reduction_backward"}
APART |= {"avg_pool1d", "avg_pool1d_backward", "max_pool1d_with_indices"}
# Any number, in whose place any other is as right; tests/attacks/test_code.py has what reads it.
ANY = {"empty"}
SAMPLE = 12  # one of so many is in make test


def code(number):
    function, said = written.CASES[number]
    requires = said.get("requires", ())
    inputs = {name: value for name, value in said.items() if name != "requires"}
    return TorchCode(function, Declared(inputs, requires), f"case{number}")


def status(number):
    """Without a proof: what was read is only compared with the code."""
    made = code(number)
    return judged(made, proving=False)


def spied(seen, rule):
    def run(*given, **named):
        seen.add(rule)
        return rule(*given, **named)

    return run


@pytest.fixture(scope="module")
def used():
    """The cases that use each rule, by the rule."""
    found = defaultdict(list)
    patch = pytest.MonkeyPatch()
    for number in range(len(written.CASES)):
        seen = set()
        with patch.context() as within:
            for registry in REGISTRIES.values():
                for name, rule in registry.items():
                    within.setitem(registry, name, spied(seen, rule))
            made = code(number)
            read(made)
        for rule in seen:
            found[rule].append(number)
    return found


def off(value):
    """Another value for each cell."""
    if isinstance(value, tuple | list):
        return type(value)(off(one) for one in value)
    if not isinstance(value, Tensor):
        return value
    if value.hit is not None:
        return replace(value, hit=lambda place, at: value.hit(place, t.Add(at, 1)), known={})
    if value.sort == BOOL:
        return elementwise(lambda c: t.Not(c), value, sort=BOOL)
    return elementwise(lambda a: t.Add(a, 1), value, sort=INT if value.sort == INT else t.REAL)


def wrong(kind, rule):
    if kind != "view":
        return lambda *given, **named: off(rule(*given, **named))

    def run(*given, **named):
        return [(lambda x, view=view: off(view(x)), back) for view, back in rule(*given, **named)]

    return run


def rules():
    for kind, registry in REGISTRIES.items():
        names = defaultdict(list)
        for name, rule in registry.items():
            names[rule].append(name)
        for rule, known in names.items():
            yield kind, rule, known


def sampled(cases, name):
    """As parameters, most of which are for make full."""
    for number, case in enumerate(cases):
        marks = () if number % SAMPLE == 0 else pytest.mark.slow
        yield pytest.param(*case, id=name(case), marks=marks)


CASES = [(number,) for number in range(len(written.CASES))]
RULES = [case for case in rules() if case[2][0] not in ANY]


@pytest.mark.parametrize("number", [*sampled(CASES, lambda case: str(case[0]))])
def test_without_a_mistake_the_code_and_what_is_read_agree(number):
    assert status(number).status == "unknown"


@pytest.mark.parametrize(
    ("kind", "rule", "names"), [*sampled(RULES, lambda case: f"{case[0]}-{case[2][0]}")]
)
def test_a_mistake_in_a_rule_is_an_error(kind, rule, names, used, monkeypatch):
    if names[0] in APART:
        assert rule not in used
        return
    assert rule in used, f"no case uses {names}"
    for name in names:
        monkeypatch.setitem(REGISTRIES[kind], name, wrong(kind, rule))
    assert "error" in (status(number).status for number in used[rule])
