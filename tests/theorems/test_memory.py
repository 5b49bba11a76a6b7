"""What programs owe of memory, stated of accesses by hand: right ones are proved, wrong refuted."""

import pytest
import sympy

from gradproof.language import terms as t
from gradproof.language.terms import Sym
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settle.check import settled
from gradproof.theorems import memory as m

N, p, lane, turn = Sym("N"), Sym("program"), Sym("lane"), Sym("turn")
W = 4


def over(symbol, count):
    return (sympy.Tuple(symbol, sympy.Integer(0), t.plus(count, -1)),)


def access(kind, index, order, phase=0, turns=()):
    programs, lanes = over(p, N), () if turns else over(lane, sympy.Integer(W))
    size = t.Mul(W, N)
    return m.Access(
        kind, "x", (index,), (size,), programs, turns, lanes, (), order, f"line {order}",
        phase=phase,
    )  # fmt: skip


def said(*accesses):
    """Each theorem by what it says, with what is settled of it."""
    launch = m.Launch("k", (t.relation(t.Ge, N, 1),), accesses)
    found = {}
    for theorem in m.memory_theorems(launch):
        kind = next(k for k in KINDS if f": {k}," in theorem.name)
        found.setdefault(kind, set()).add(settled(theorem, RLIMIT).status)
    return found


KINDS = (m.BOUNDS, m.RACES, m.LANES, m.LAST, m.READS)
AT = t.plus(t.Mul(p, W), lane)
NEXT = t.plus(t.Mul(p, W), lane, 1)
PROVED, REFUTED = {"proved"}, {"refuted"}


def test_a_program_that_keeps_to_its_own_cells_owes_nothing_more():
    found = said(access(m.LOAD, AT, 1), access(m.STORE, AT, 2))
    assert set(map(frozenset, found.values())) == {frozenset(PROVED)}
    assert {m.BOUNDS, m.RACES, m.LANES} <= found.keys()


@pytest.mark.parametrize(
    ("accesses", "kind"),
    [
        ((access(m.STORE, NEXT, 1),), m.BOUNDS),
        ((access(m.STORE, lane, 1), access(m.LOAD, AT, 2)), m.RACES),
        ((access(m.STORE, AT, 1), access(m.LOAD, AT, 2)), m.READS),
    ],
)
def test_what_programs_do_to_each_other_is_refuted(accesses, kind):
    assert "refuted" in said(*accesses)[kind]


BEFORE = t.plus(t.Mul(p, W), W - 1, t.minus(lane))  # the lanes of a program, turned round


@pytest.mark.parametrize(("phase", "told"), [(0, REFUTED), (1, None)])
def test_lanes_that_exchange_cells_need_a_barrier(phase, told):
    found = said(access(m.LOAD, BEFORE, 1), access(m.STORE, AT, 2, phase=phase))
    assert found.get(m.LANES) == told


@pytest.mark.parametrize(("by", "told"), [(-1, PROVED), (1, REFUTED)])
def test_what_a_later_turn_writes_over_is_not_what_stays(by, told):
    turns = over(turn, N)
    one = access(m.STORE, turn, 1, turns=turns)
    two = access(m.STORE, t.plus(turn, by), 2, turns=turns, phase=1)
    assert said(one, two)[m.LAST] == told
