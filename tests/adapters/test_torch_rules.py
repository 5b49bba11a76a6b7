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
from gradproof.tracing.tensors import Tensor, elementwise

REGISTRIES = {"operation": ops.OPS, "made": ops.MADE, "view": views.VIEWS}
# What PyTorch takes apart before it is asked for here; JAX or NumPy have it, or a later PyTorch.
ELSEWHERE = set()


def code(number):
    function, said = written.CASES[number]
    requires = said.get("requires", ())
    inputs = {name: value for name, value in said.items() if name != "requires"}
    return TorchCode(function, Declared(inputs, requires), f"case{number}")


def status(number):
    """Without a proof: what was read is only compared with the code."""
    made = code(number)
    return judged(made, made.trace, proving=False)


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
            report = status(number)
        assert report.status == "unknown", (number, report.text)
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
            yield pytest.param(kind, rule, known, id=f"{kind}-{known[0]}")


@pytest.mark.parametrize(("kind", "rule", "names"), [*rules()])
def test_a_mistake_in_a_rule_is_an_error(kind, rule, names, used, monkeypatch):
    if names[0] in ELSEWHERE:
        assert rule not in used
        return
    assert rule in used, f"no case uses {names}"
    for name in names:
        monkeypatch.setitem(REGISTRIES[kind], name, wrong(kind, rule))
    assert "error" in (status(number).status for number in used[rule])
