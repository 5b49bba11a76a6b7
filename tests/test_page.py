"""TRUST.md is what the source and the records give."""

import ast
from shutil import copytree

import pytest

from trust.page import PAGE, age, page
from trust.source import ROOT, code_lines, fingerprint, trusted_modules
from verify.report import limits


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run make trust"


def test_trusted_modules_say_so_themselves():
    names = [module.name for module in trusted_modules()]
    assert {"verify/terms.py", "verify/smt.py", "verify/symbolic.py"} <= set(names)
    assert not {"verify/printing.py", "verify/second.py", "verify/numeric.py"} & set(names)
    assert names == [f"{name.replace('.', '/')}.py" for name in limits.trusted_modules()]


def test_a_module_is_trusted_by_the_verdicts_that_reach_it():
    verdicts = {module.name: module.verdicts for module in trusted_modules()}
    assert verdicts["verify/terms.py"] == "proved, refuted"
    assert verdicts["verify/check.py"] == "proved, refuted"
    assert verdicts["verify/normal.py"] == verdicts["verify/conditions.py"] == "proved"
    assert verdicts["verify/evaluate.py"] == "refuted"


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


def test_figures_say_of_which_kernel_they_are():
    now, old, undated = {"kernel": fingerprint()}, {"kernel": "0" * 12}, {}
    assert age(now) == "Recorded with the trusted modules as they are."
    assert age(old) == age(undated) == "Recorded with earlier trusted modules."
    assert age({"a": now, "b": old}, "ops").endswith("earlier trusted modules for 1 of 2 ops.")
    assert age({"a": now, "b": now}, "ops") == age(now)
    assert age({"a": old}, "ops") == age(old)


def test_a_fingerprint_changes_with_any_trusted_module(monkeypatch, tmp_path):
    before = fingerprint()
    copytree(ROOT / "verify", tmp_path / "verify")
    monkeypatch.setattr("trust.source.ROOT", tmp_path)
    assert fingerprint() == before
    (tmp_path / "verify/printing.py").write_text('"""Prints. Untrusted."""\n')
    assert fingerprint() == before
    changed = tmp_path / "verify/numbers.py"
    changed.write_text(changed.read_text("utf-8") + "# changed\n", "utf-8")
    assert fingerprint() != before
