"""What needs no solver starts none: the command and the plugin import only what they use."""

import json
import subprocess
import sys

import pytest
from commands import GOOD, environment, write

HEAVY = ["sympy", "mpmath", "z3", "cvc5", "numpy", "rich", "jinja2"]
LOADED = f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
COMMAND = f"""\
import atexit, sys
from gradproof.__main__ import main
atexit.register(lambda: {LOADED})
sys.exit(main())
"""


def loaded(cwd, *arguments, **changed):
    """What of the heavy packages a command has imported by its end."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMAND, *arguments],
        cwd=cwd,
        env=environment(**changed),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stderr.splitlines()[-1].replace("'", '"'))


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("list",),
        ("list", "conv"),
        ("completion", "bash"),
        ("new", "my_pool"),
    ],
)
def test_a_command_that_settles_nothing_imports_no_solver(arguments, tmp_path):
    assert loaded(tmp_path, *arguments) == []


def test_the_command_itself_imports_no_solver_where_workers_settle(tmp_path):
    write(tmp_path, good=GOOD)
    assert loaded(tmp_path, "check", "good.py", "--jobs", "1") == []


@pytest.mark.parametrize("name", HEAVY)
def test_an_import_is_told(name, tmp_path):
    """The test above would fail: a definition's own home imports what it is made of."""
    (tmp_path / "sitecustomize.py").write_text(f"import {name}", "utf-8")
    assert name in loaded(tmp_path, "--version", PYTHONPATH=str(tmp_path))


def test_an_unrelated_run_of_pytest_imports_no_solver(tmp_path):
    test = f"import sys\n\ndef test():\n    assert not set({HEAVY}) & set(sys.modules)\n"
    (tmp_path / "test_other.py").write_text(test, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:hypothesispytest", "-q"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout
