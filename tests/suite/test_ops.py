"""The suite: every theorem of every op has the verdict it should have."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from quick import TWINS, quick

from gradproof.report.files import BUILT, files_of
from gradproof.report.records import asked
from gradproof.settle.suite import run, tasks, verify_all
from gradproof.settle.verdicts import Report, Verdict
from gradproof.show.derivations import with_steps
from gradproof.specs import OPS
from gradproof.theorems.obligations import obligations

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "proofs"

NAMES = (
    *("max_pool", "avg_pool", "smooth_max_pool"),
    *("max_pool2d", "avg_pool2d", "smooth_max_pool2d", "max_pool2d_pad", "avg_pool2d_pad"),
    *("adaptive_avg_pool2d", "adaptive_max_pool2d"),
    *("global_avg_pool2d", "global_avg_pool2d_flat"),
    *("global_max_pool2d", "global_max_pool2d_flat"),
    *("conv", "conv2d", "conv_transpose", "conv_transpose2d", "unpad"),
)
GENERIC = {"max_pool", "avg_pool", "smooth_max_pool", "conv", "conv_transpose", "unpad"}


def test_every_op_of_the_source_is_there():
    assert tuple(op.name for op in OPS) == NAMES


def with_recorded_opinions(report):
    """The report with the second solver's answers as recorded; `report --check` asks it again."""
    data = json.loads((PROOFS / f"{report.op}.json").read_text("utf-8"))
    recorded = {query["number"]: query["cvc5"] for query in data["queries"]}
    second = {a.query: recorded.get(a.number, "") for a in asked(report)}
    return Report(
        report.op,
        tuple(
            replace(v, queries=tuple(replace(q, second=second[q]) for q in v.queries))
            for v in report.verdicts
        ),
    )


def shown(op):
    """As the command settles it, with derivations that can be read."""
    return Report(op.name, tuple(with_steps(task[0], run(op, task)) for task in tasks(op)))


@pytest.mark.parametrize("op", quick(OPS, lambda op: op.name not in TWINS, lambda op: op.name))
def test_every_theorem_is_settled_as_expected(op):
    report = shown(op)
    assert [(v.name, v.status, v.note) for v in report.verdicts if not v.as_expected] == []
    assert report.status == "proved"
    assert not [(v.name, v.note) for v in report.verdicts if v.outcome == "undecided"]
    for name, text in files_of(op, with_recorded_opinions(report)).items():
        if name.endswith(BUILT):
            continue
        assert text == (PROOFS / name).read_text("utf-8"), f"{name} is out of date: run make proofs"
    proofs = [
        v
        for v in report.verdicts
        if v.status == "proved" and v.kind not in ("satisfiable", "needed")
    ]
    wide = "every rank" if op.name in GENERIC else "all sizes"
    assert [v.name for v in proofs if not v.scope.startswith(wide)] == []


def test_two_runs_agree_and_serialise():
    op = next(op for op in OPS if op.name == "global_avg_pool2d_flat")
    first, second = verify_all((op, op))
    assert first == second
    for verdict in first.verdicts:
        assert Verdict.from_dict(json.loads(json.dumps(verdict.as_dict()))) == verdict


def run_with(seed):
    code = (
        "from gradproof.specs import OPS\n"
        "from gradproof.settle.suite import verify\n"
        "from gradproof.report.files import files_of\n"
        "op = next(op for op in OPS if op.name == 'global_avg_pool2d_flat')\n"
        "print(*files_of(op, verify(op)).values())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, check=True
    ).stdout


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_a_theorem_comes_after_those_that_it_rests_on(op):
    known = set()
    for theorem in obligations(op):
        assert known.issuperset(theorem.rests_on)
        known.add(theorem.name)


def test_verdicts_do_not_depend_on_the_order_of_hashes():
    assert run_with("1") == run_with("2")


def test_verdicts_do_not_depend_on_what_was_settled_before():
    """Steps and queries included: a record must not tell which theorem came first."""
    code = (
        "from gradproof import specs\n"
        "from gradproof.settle.suite import verify_all\n"
        "cold, warm = verify_all((specs.global_max_pool2d_flat,) * 2)\n"
        "print(cold == warm)"
    )
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    assert found.stdout == "True\n"
