"""The names of the source documents lead to the ops in which they live."""

from pathlib import Path

from commands import gradproof

from gradproof.report.names import page
from gradproof.specs import HOMES
from gradproof.specs.names import SOURCE


def test_every_name_leads_to_an_op_of_the_suite():
    assert {op for op, _ in SOURCE.values()} <= set(HOMES)


def test_a_name_of_the_source_is_explained(tmp_path):
    found = gradproof("explain", "unpadMultiChannel", "vjp x_bar", cwd=tmp_path)
    assert found.returncode == 0
    assert "unpad" in found.stdout


def test_the_page_of_names_is_up_to_date():
    found = Path(__file__).parents[2] / "docs" / "source-names.md"
    assert found.read_text("utf-8") == page(), "run make names"
