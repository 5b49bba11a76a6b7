"""What other projects run of ours: the steps of the Action, as a script, and the hook."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from commands import COMMAND, GOOD, WRONG, environment, write

ROOT = Path(__file__).parents[2]
ACTION = (ROOT / "action.yml").read_text("utf-8")


def script(step: str) -> str:
    """What a step of the Action runs."""
    _, _, rest = ACTION.partition(f"- name: {step}\n")
    found = re.search(r"^( +)run: \|\n((?:\1 .*\n)+)", rest, re.MULTILINE)
    return re.sub(r"(?m)^ {8}", "", found[2])


@pytest.mark.parametrize(("text", "status"), [(GOOD, 0), (WRONG, 1)])
def test_the_step_that_checks(tmp_path, text, status):
    write(tmp_path, ops=text)
    (tmp_path / "pyproject.toml").write_text('[tool.gradproof]\npaths = ["."]\n', "utf-8")
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    given = {"PATHS": "", "ARGUMENTS": "--jobs 1", "SARIF": "found.sarif", "PATH": path}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script("Check")],
        cwd=tmp_path,
        env=environment(**given),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == status, done.stderr
    (run,) = json.loads((tmp_path / "found.sarif").read_text("utf-8"))["runs"]
    assert len(run["results"]) == status


def test_each_input_is_used():
    inputs = re.findall(r"^  (\w+):$", ACTION.partition("\nruns:")[0], re.MULTILINE)
    assert inputs
    assert all(f"${{{{ inputs.{name} }}}}" in ACTION for name in inputs)
    assert "$GITHUB_ACTION_PATH" in script("Install gradproof")


def test_the_hook_runs_a_command_that_there_is(tmp_path):
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    program, *arguments = shlex.split(re.search(r"entry: (.*)", hooks)[1])
    assert program == COMMAND.name
    write(tmp_path, ops=GOOD)
    ran = subprocess.run([COMMAND, *arguments, "--jobs", "1"], cwd=tmp_path, check=False)
    assert ran.returncode == 0
