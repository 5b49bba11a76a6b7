"""The site says first what happened, and lists first what is not as expected."""

import re

import pytest
from commands import GOOD, WRONG, gradproof, write


@pytest.mark.parametrize(
    ("text", "title"), [(GOOD, "All 9 as expected"), (WRONG, "1 of 9 not as expected")]
)
def test_the_title_and_the_first_row(tmp_path, text, title):
    write(tmp_path, ops=text)
    gradproof("report", "ops.py", "--out", "pages", cwd=tmp_path)
    page = (tmp_path / "pages" / "index.html").read_text("utf-8")
    assert f"<title>{title} · Gradproof</title>" in page
    first = re.search(r"<tr data-row .*?</tr>", page)[0]
    assert ('data-status="refuted"' in first) == (text is WRONG)
