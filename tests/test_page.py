"""TRUST.md is what the source and the records give."""

import ast

import pytest

from trust.page import PAGE, code_lines, page, trusted_modules


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run make trust"


def test_trusted_modules_say_so_themselves():
    names = [name for name, _, _ in trusted_modules()]
    assert {"verify/terms.py", "verify/smt.py", "verify/symbolic.py"} <= set(names)
    assert not {"verify/printing.py", "verify/second.py", "verify/numeric.py"} & set(names)


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
