"""TRUST.md is what the source and the records give."""

import ast
from shutil import copytree

import pytest

from gradproof import __version__
from gradproof.report import limits
from trust import record
from trust.page import MOST_UNTYPED, NO_RECORD, PAGE, page
from trust.source import ROOT, code_lines, fingerprint, trusted_modules, trusted_trees, untyped


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run make trust"


def test_trusted_modules_have_types():
    assert untyped(trusted_trees()) <= MOST_UNTYPED
    assert untyped([ast.parse("def f(a: Any, *b: list[Any]) -> None: ...")]) == 2


def test_trusted_modules_say_so_themselves():
    names = [module.name for module in trusted_modules()]
    assert {
        "verify/gradproof/language/terms.py",
        "verify/gradproof/prove/rules/smt.py",
        "verify/gradproof/prove/rules/sums.py",
    } <= set(names)
    assert not {
        "verify/gradproof/show/printing.py",
        "verify/gradproof/settle/second.py",
        "verify/gradproof/evaluate/numeric.py",
    } & set(names)
    assert names == [
        f"verify/gradproof/{name.removeprefix('gradproof.').replace('.', '/')}.py"
        for name in limits.trusted_modules()
    ]


def test_a_module_is_trusted_by_the_verdicts_that_reach_it():
    verdicts = {module.name: module.verdicts for module in trusted_modules()}
    assert verdicts["verify/gradproof/language/terms.py"] == "proved, refuted"
    assert verdicts["verify/gradproof/settle/conclusions.py"] == "proved, refuted"
    assert (
        verdicts["verify/gradproof/prove/rules/normal.py"]
        == verdicts["verify/gradproof/prove/rules/goals.py"]
        == "proved"
    )
    assert verdicts["verify/gradproof/evaluate/judge.py"] == "refuted"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('"""Doc."""\n\nx = 1\n', 1),
        ("x = [\n    1,\n]\n", 3),
        ('def f():\n    """Doc."""\n    # a comment\n\n    return 1\n', 2),
        ("if x:\n    y = 1\nelse:\n    y = 2\n", 3),
    ],
)
def test_lines_of_code(source, lines):
    assert code_lines(ast.parse(source)) == lines


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for records; there are none in it yet."""
    monkeypatch.setattr(record, "FOLDER", tmp_path)
    monkeypatch.setattr(record, "ROOT", tmp_path)
    monkeypatch.setattr(record, "KERNEL", "a kernel")
    return tmp_path


def test_figures_say_of_which_version_they_are(folder):
    assert NO_RECORD in page()
    record.write("0.2.0", "bugs", {"some": {"answer": "caught"}})
    assert "**version 0.2.0**: commit" in page()
    assert "`a kernel`" in page()
    assert "1 of 1 bugs planted" in page()


def test_a_version_without_a_record_says_so(folder):
    record.write("0.0.1", "bugs", {"some": {"answer": "caught"}})
    assert f"Version {__version__}, which this is, has no record of its own." in page()
    record.write(__version__, "bugs", {"some": {"answer": "caught"}})
    assert f"**version {__version__}**" in page()
    assert "no record of its own" not in page()


def test_a_record_goes_stale_with_no_kernel(folder, monkeypatch):
    record.write("0.2.0", "bugs", {"some": {"answer": "caught"}})
    before = page()
    monkeypatch.setattr(record, "KERNEL", "another kernel")
    assert page() == before


def test_the_newest_record_counts(folder):
    for version in ("0.9.0", "0.10.0.dev1", "0.10.0", "0.2.0"):
        record.write(version, "load", {})
    assert record.versions() == ["0.2.0", "0.9.0", "0.10.0.dev1", "0.10.0"]
    assert record.newest()["version"] == "0.10.0"


def test_no_record_is_of_two_kernels(folder, monkeypatch):
    record.write("0.2.0", "bugs", {"some": {}})
    before = record.path_of("0.2.0").read_text("utf-8")
    monkeypatch.setattr(record, "KERNEL", "another kernel")
    with pytest.raises(record.OfAnother, match=r"0\.2\.0\.json is of another kernel .*--record"):
        record.write("0.2.0", "load", {})
    assert record.path_of("0.2.0").read_text("utf-8") == before


def test_what_is_known_no_more_is_dropped_from_a_record(folder):
    """A bug that was planted once counted as caught for ever."""
    record.write("0.2.0", "bugs", {"a": 1, "b": 2})
    record.write("0.2.0", "bugs", {"c": 3}, ["b", "c", "d"])
    record.write("0.2.0", "load", {"e": 4})
    kept = record.read("0.2.0")
    assert (kept["bugs"], kept["load"]) == ({"b": 2, "c": 3}, {"e": 4})
    assert (kept["version"], kept["kernel"]) == ("0.2.0", "a kernel")


def test_a_fingerprint_changes_with_any_trusted_module(monkeypatch, tmp_path):
    before = fingerprint()
    copytree(ROOT / "verify", tmp_path / "verify")
    monkeypatch.setattr("trust.source.ROOT", tmp_path)
    assert fingerprint() == before
    (tmp_path / "verify/gradproof/show/printing.py").write_text('"""Prints. Untrusted."""\n')
    assert fingerprint() == before
    changed = tmp_path / "verify/gradproof/evaluate/numbers.py"
    changed.write_text(changed.read_text("utf-8") + "# changed\n", "utf-8")
    assert fingerprint() != before
