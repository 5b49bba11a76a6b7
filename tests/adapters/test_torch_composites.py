"""Layers that are fused into one gradient are proved in seconds, or refuted."""

import inspect
import textwrap

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")

import torch_composites as written
from quick import quick, spread

from gradproof import torch as gp
from gradproof.language.systems import made_by
from gradproof.tracing import naming, tensors

SECONDS = 30  # of the processor, where without names it is minutes


def mistaken(function, line, mistake):
    """The class with another line in its source."""
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(line) == 1
    scope = dict(vars(written))
    exec(source.replace(line, mistake), scope)
    return scope[function.__name__]


def name_of(case):
    return case[0].__name__


NAMES = [*map(name_of, written.COMPOSITES)]
SOME = spread(NAMES, len(NAMES) // 2)


@pytest.mark.parametrize("case", quick(written.COMPOSITES, SOME, name_of))
def test_it_is_proved_in_seconds(case):
    report = gp.check(case[0], **case[1])
    assert report, report.text
    assert report.seconds < SECONDS


@pytest.mark.parametrize("case", quick(written.COMPOSITES, {*NAMES} - {*SOME}, name_of))
def test_with_a_mistake_it_is_refuted(case):
    function, said, line, mistake = case
    assert gp.check(mistaken(function, line, mistake), **said).status == "refuted"


def test_what_is_shown_names_what_the_backward_reads_of_the_forward():
    shown = gp.show(written.SiluOfLayerNorm, **written.NORM)
    assert "h3_bar[i1, i2] = y_bar[i1, i2]·h4[i1, i2]·" in shown
    assert "b_bar[i1] = Σ_{j6 = 0..N - 1} h3_bar[j6, i1]" in shown


def test_a_cotangent_that_is_taken_for_that_of_another_array_proves_nothing_wrong(monkeypatch):
    """Which array a cotangent belongs to is a guess: the worst guess is no proof."""
    function, said, line, mistake = written.COMPOSITES[5]

    def any_of_its_shape(run, slopes):
        left = list(map(made_by, run.backward))
        for array in (a for a in map(made_by, run.forward) if a != run.output):
            alike = next((a for a in left if a.dims == array.dims), None)
            if alike is not None:
                left.remove(alike)
                yield array, alike

    monkeypatch.setattr(naming, "pairs", any_of_its_shape)
    assert gp.check(mistaken(function, line, mistake), **said).status != "proved"


def test_what_is_too_long_even_with_names_is_unreadable(monkeypatch):
    monkeypatch.setattr(tensors, "MOST_PARTS", 5)
    report = gp.check(written.Gates, x="N")
    assert report.status == "unreadable"
    assert "takes a formula of over 5 parts" in report.note
