"""The command while it is disturbed, at a few definitions; and what the comparisons reject."""

import json
from dataclasses import replace

import pytest
from quick import quick

from trust.load import crashing, disturb
from trust.load.comparing import Found, compared, contents, shown_as, told_unsettled, whole
from trust.load.crowd import MARK, Small, crowd, write
from trust.load.disturb import DISTURBANCES, Crowd, figures, undisturbed
from trust.load.processes import PROC, Ended, Running, gone
from trust.page import load as section

DEFINITIONS, PER_FILE = 6, 3
OF_ONE_WORKER = ("cvc5 crashes", "the disk is full")  # whatever the others do
IN_MAKE_TEST = ("workers killed", "Z3 crashes", "interrupted")
VERDICT = {"name": "vjp", "status": "proved", "outcome": "proved"}
EXPECTED = {("op", "vjp"): VERDICT, ("op", "jvp"): VERDICT}

pytestmark = [
    pytest.mark.skipif(not PROC.exists(), reason="workers are found in /proc"),
    pytest.mark.xdist_group("load"),
]


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Crowd:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("trust.load.crowd.PER_FILE", PER_FILE)
        patched.setattr(disturb, "JOBS", 1)
        return undisturbed(tmp_path_factory.mktemp("load"), DEFINITIONS, 0)


@pytest.mark.parametrize("name", quick(DISTURBANCES, IN_MAKE_TEST))
def test_a_disturbance_changes_nothing(name, settled, tmp_path, monkeypatch):
    if name in OF_ONE_WORKER:
        monkeypatch.setattr(disturb, "JOBS", 1)
    found = DISTURBANCES[name](settled, tmp_path)
    assert found.faults == ()
    assert found.files or name == "interrupted"  # which may be before the first is saved
    assert found.compared


def test_the_definitions_are_right_and_wrong_and_differ(settled):
    texts = [m.text for m in crowd(500)]
    assert len(set(texts)) == 500
    assert sum(m.is_wrong for m in crowd(500)) > 100
    wrong = {
        op["name"]
        for op in json.loads(settled.found)["ops"]
        for th in op["theorems"]
        if not th["as_expected"]
    }
    assert wrong == {m.name for m in settled.members if m.is_wrong}


def test_only_marked_definitions_hold_the_mark():
    assert all((str(MARK) in m.text) == m.is_marked for m in crowd(500))
    assert Small(50).is_marked


# What the comparisons reject.


def test_a_doctored_verdict_differs():
    doctored = EXPECTED | {("op", "vjp"): VERDICT | {"status": "refuted"}}
    assert compared(EXPECTED, doctored).differing == ("op::vjp",)
    assert compared(EXPECTED, EXPECTED) == Found(compared=2)


def test_a_verdict_that_nobody_asked_for_differs():
    assert compared(EXPECTED, EXPECTED | {("op", "more"): VERDICT}).differing == ("op::more",)


def test_a_missing_verdict_is_lost_unless_it_is_told():
    text = json.dumps({"unsettled": ["op::vjp"]})
    part = {("op", "jvp"): VERDICT}
    assert compared(EXPECTED, part).lost == ("op::vjp",)
    assert compared(EXPECTED, part, told=told_unsettled(text, {"op": "a.py"})).lost == ()
    assert compared(EXPECTED, {}, told=told_unsettled(text, {"op": "a.py"})).lost == ("op::jvp",)
    unloaded = json.dumps({"unsettled": ["a.py"]})
    assert compared(EXPECTED, {}, told=told_unsettled(unloaded, {"op": "a.py"})).lost == ()


def test_only_what_may_differ_is_excused():
    doctored = {key: VERDICT | {"status": "error"} for key in EXPECTED}
    found = compared(EXPECTED, doctored, lambda key, verdict: key[1] == "jvp")
    assert found.differing == ("op::vjp",)
    assert found.excused == 1


def test_what_is_shown_must_tell_of_every_verdict():
    kinds = {key: VERDICT | {"name": key[1], "kind": key[1]} for key in EXPECTED}
    lines = "op   a.py:1\n  ✓ proved      vjp         vjp   all sizes\n"
    assert shown_as(kinds, lines).lost == ("op::jvp",)
    assert shown_as(kinds, f"{lines}  ✓ proved      jvp         jvp   all") == Found(compared=2)
    assert shown_as(kinds, f"{lines}  ✗ refuted     jvp         jvp").differing == ("op::jvp",)


@pytest.mark.parametrize("text", [b"", b"who", b"whole and more"])
def test_a_half_written_file_is_noticed(text, tmp_path):
    (tmp_path / "a.json").write_bytes(text)
    versions = ({"a.json": b"whole"}, {"a.json": b"old"})
    assert whole(contents(tmp_path), *versions).half_written == ("a.json",)
    (tmp_path / "a.json").write_bytes(b"old")
    assert whole(contents(tmp_path), *versions) == Found(files=1)


def test_a_draft_that_is_left_and_a_file_that_is_gone_are_noticed(tmp_path):
    (tmp_path / ".1234.part").write_bytes(b"who")
    found = whole(contents(tmp_path), {"a.json": b"whole"})
    assert found.half_written == (".1234.part",)
    assert found.lost == ("a.json",)


@pytest.mark.parametrize(
    ("end", "fault"),
    [
        (Ended(0, "", "", 1), "ended with 0, not 1"),
        (Ended(-9, "", "", 1), "ended with -9, not 1"),
        (Ended(1, "", "Traceback (most recent call last)", 1), "says 'Traceback'"),
        (Ended(1, "", "gradproof: internal error", 1), "says 'internal error'"),
        (Ended(1, "nothing", "", 1), "does not say 'a word'"),
    ],
)
def test_a_wrong_end_is_a_failure(end, fault):
    told = ("a word",) if "word" in fault else ()
    assert fault in end.expecting(1, *told).failures[0]
    assert Ended(1, "a word", "", 1).expecting(1, "a word") == Found()


def test_a_process_that_is_left_is_a_failure(tmp_path):
    run = Running(tmp_path, "list")
    assert gone([run.process.pid], 0).failures
    run.ended()
    assert not gone([run.process.pid], 10).failures


def test_a_run_that_hangs_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("trust.load.processes.PATIENCE", 0)
    assert Running(tmp_path, "list").ended().status == -9


def test_a_solver_that_does_not_crash_is_noticed(settled, tmp_path, monkeypatch):
    monkeypatch.setattr(crashing, "Z3", "")
    (tmp_path / "one").mkdir()
    small = replace(settled, files=settled.files[:1])
    assert "nothing crashed" in disturb.crashed(small, tmp_path / "one").failures


def test_the_figures_become_a_section(settled):
    found = {"workers killed": Found(7, lost=("op::vjp",)), "interrupted": Found(5)}
    record = {"load": figures(settled, found)}
    assert "| workers killed | 7 | 0 | 0 | 1 | 0 | 0 |" in section(record)
    assert "No run is recorded" in section({})


def test_files_hold_a_few_definitions_each(tmp_path):
    assert write(tmp_path, crowd(25)) == ("ops_000.py", "ops_001.py", "ops_002.py")
    assert (tmp_path / "ops_002.py").read_text("utf-8").count("= Op(") == 5


@pytest.mark.slow
def test_without_the_right_to_mount_a_limit_on_each_file_is_full_too(
    settled, tmp_path, monkeypatch
):
    monkeypatch.setattr("trust.load.disk.MOUNT", ("false",))
    monkeypatch.setattr(disturb, "JOBS", 1)
    small = replace(settled, files=settled.files[:1])
    found = disturb.full_disk(small, tmp_path)
    assert found.faults == ()
    assert found.files
    assert found.compared
