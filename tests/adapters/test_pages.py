"""The examples of the docs on code, and of the README's "Your code", run as they stand."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(page):
    found = BLOCK.findall((ROOT / page).read_text("utf-8"))
    return [code for code in found if " as gp\n" in code]


def run(code, folder):
    path = folder / "example.py"
    path.write_text(code, "utf-8")
    scope = {"__name__": "example", "__file__": str(path)}
    exec(compile(code, str(path), "exec"), scope)
    return scope


PAGES = ("docs/adapters.md", "docs/floating-point.md", "README.md")


@pytest.mark.parametrize("code", [code for page in PAGES for code in blocks(page)])
def test_an_example_runs(code, tmp_path, capsys):
    if "import torch" in code:
        pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")
    if "import jax" in code:
        pytest.importorskip("jax", reason="JAX is not installed; make extras installs it")
    run(code, tmp_path)
    printed = capsys.readouterr().out.strip()
    assert not printed or printed in code


def test_the_readme_s_example_is_refuted_with_a_mean(tmp_path, capsys):
    pytest.importorskip("torch", reason="PyTorch is not installed; make extras installs it")
    (code,) = blocks("README.md")
    run(code.replace(".sum(0)", ".mean(0)"), tmp_path)
    printed = capsys.readouterr().out
    assert "Scale: refuted" in printed
    readme = (ROOT / "README.md").read_text("utf-8")
    said = re.findall(r"`(the (?:gradient|backward)[^`]*)`", readme)
    assert len(said) == 2
    assert all(line in " ".join(printed.split()) for line in said)
