"""The examples in docstrings are run."""

import doctest
from importlib import import_module

import pytest
from test_imports import ROOT, modules

HOME = "verify/gradproof"
PATHS = {name: ROOT / HOME / f"{name.replace('.', '/')}.py" for name in modules(HOME)}
SHOWING = [name for name, path in PATHS.items() if ">>> " in path.read_text("utf-8")]


@pytest.mark.parametrize("name", SHOWING)
def test_examples_are_true(name):
    module = import_module(f"gradproof.{name}".removesuffix(".__init__"))
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_some_modules_show_examples():
    assert {"__init__", "testing"} <= set(SHOWING)
