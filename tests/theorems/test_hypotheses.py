"""No hypothesis of a theorem contains a conclusion: it is declared, or rests on what is proved."""

from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

import pytest
from quick import quick, spread

from gradproof import specs
from gradproof.language import Eq, Formula, Op, array, cotangent, integers, tangent
from gradproof.language import terms as t
from gradproof.language.requirements import spans_of
from gradproof.settle.suite import verify
from gradproof.specs import library
from gradproof.theorems.hypotheses import SHAPES
from gradproof.theorems.obligations import obligations

N, M, n, p, a = integers("N M n p a")
FAMILIES = [f"gradproof.specs.library.{found.name}" for found in iter_modules(library.__path__)]


def ops_of(home):
    """The ops of the suite, or of a family of the library."""
    if home == "suite":
        return [getattr(specs, name) for name in specs.HOMES]
    return [op for op in vars(import_module(home)).values() if isinstance(op, Op)]


def declared(op, theorem):
    """What the definition itself says: clauses, ranges of integers, and symbols that are sizes."""
    claims = (c for claim in op.claims if claim.name == theorem.name for c in claim.given)
    sizes = {d for x in op.operands for d in x.dims if isinstance(d, t.Sym)}
    bounds = {t.relation(t.Ge, d, 0) for d in sizes}
    return {*op.requires, *map(op.closed, op.requires), *claims, *spans_of(op.operands), *bounds}


def shown(sequent):
    """What a sequent without ranges says, as a clause."""
    assert not sequent.over
    return t.Or(*map(t.Not, sequent.when), sequent.then) if sequent.when else sequent.then


HOMES = ["suite", *FAMILIES]


def unfounded(op, theorem, before):
    """The hypotheses that nothing declared and nothing proved."""
    shapes = [th for th in before if th.name == SHAPES and th.name in theorem.rests_on]
    proved = {shown(s) for th in shapes for s in th.sequents}
    of_values = {c for s in theorem.sequents for c in s.when if theorem.kind == "size"}
    return {*theorem.given, *of_values} - declared(op, theorem) - proved


@pytest.mark.parametrize("home", quick(HOMES, ["suite", *spread(FAMILIES, 4)]))
def test_every_hypothesis_is_declared_or_proved(home):
    for op in ops_of(home):
        stated = obligations(op)
        for number, theorem in enumerate(stated):
            assert not unfounded(op, theorem, stated[:number]), (op.name, theorem.name)


def elementwise(size, *requires):
    x, y = array("x", size), array("y", size)
    return Op(
        "twice",
        requires=requires,
        forward=Eq(y[a], 2 * x[a]),
        jvp=Eq(tangent(y)[a], 2 * tangent(x)[a]),
        vjp=Eq(cotangent(x)[a], 2 * cotangent(y)[a]),
    )


def test_a_hypothesis_that_nothing_proves_is_found():
    op = elementwise(N - M, N >= 1)
    shapes, *_, last = obligations(op)
    assert shapes.name == SHAPES
    assert not unfounded(op, last, [shapes])
    assert unfounded(op, replace(last, rests_on=()), [shapes]) == {N - M >= 0}
    assert unfounded(op, replace(shapes, given=(*shapes.given, N >= M)), []) == {N >= M}


@pytest.mark.parametrize("requires", [(n >= 1, p >= 0), (n >= 1, p >= 0, p <= n)], ids=str)
def test_an_output_has_no_size_but_what_is_shown(requires):
    """SOUNDNESS: `output size at least 1` was proved of what is -7 at n = 1, p = 5.

    It is odd, and as the size of an array it was taken not to be below 0.
    """
    count = 2 * (n - 1) - 2 * p + 3
    wanted = "proved" if len(requires) == 3 else "refuted"
    for op in (Formula("size", count, requires=requires), elementwise(count, *requires)):
        report = verify(op)
        assert report.status == wanted
        (size,) = (v for v in report.verdicts if v.name == "output size at least 1")
        assert size.status == wanted or SHAPES in size.rests_on


def test_sizes_that_inputs_compute_are_shown_first():
    """What assumes that they are not below 0 rests on it."""
    bare, said = (verify(elementwise(N - M, *c)).verdicts for c in [(), (N >= M + 1,)])
    assert {v.name for v in bare if v.status == "refuted"} == {SHAPES, "output size at least 1"}
    assert all(SHAPES in v.rests_on for v in bare if v.kind in ("linear", "jvp", "vjp"))
    assert {v.status for v in said} == {"proved"}
