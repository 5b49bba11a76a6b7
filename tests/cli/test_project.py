"""A project says what is checked, and how: in pyproject.toml, and in lines beside its code."""

import json
import re
import signal
import subprocess

import pytest
from commands import COMMAND, GOOD, WRONG, environment, forked, write

from gradproof.cli.arguments import UsageError
from gradproof.cli.marks import marked_in
from gradproof.settings import Settings

CODE = """
import numpy as np
from helper import reduced


def scale(x, w):
    # gradproof: x=N,C w=C backward=back requires='N >= 2'
    return x * w


def back(dy, x, w):
    return dy * w, reduced(dy * x)
"""
HELPER = "import numpy as np\n\n\ndef reduced(x):\n    return np.sum(x, axis=0)\n"


def marks(tmp_path, text, **said):
    (tmp_path / "code.py").write_text(text, "utf-8")
    found = marked_in(tmp_path / "code.py", Settings(**said), tmp_path)
    return {",".join(m.names): m.arguments for m in found}


def test_a_line_in_the_code_says_what_its_arguments_are(tmp_path):
    assert marks(tmp_path, CODE) == {
        "scale,back": ("--input", "x=N,C", "--input", "w=C", "--requires", "N >= 2")
    }


@pytest.mark.parametrize(
    "text",
    [
        "# gradproof: x=N\nclass F(Function):\n    def forward(ctx, x): pass\n",
        'class F(Function):\n    """Doubles.\n\n    gradproof: x=N\n    """\n',
        "@decorated\nclass F(Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        # gradproof: x=N\n        return x\n",
    ],
)
def test_it_stands_above_in_the_docstring_or_in_the_body(tmp_path, text):
    assert marks(tmp_path, text) == {"F": ("--input", "x=N")}


def test_annotations_of_jaxtyping_say_shapes(tmp_path):
    text = 'def f(x: Float[Tensor, "N C"], m: Bool[Tensor, "N"], k: Int[Tensor, "..."]):\n'
    text += "    # gradproof:\n    return x\n"
    assert marks(tmp_path, text) == {"f": ("--input", "x=N,C", "--input", "m=boolean:N")}
    said = {"code.py::f": {"x": "N,3", "float32": True, "requires": ["N >= 2"]}}
    assert marks(tmp_path, text, functions=said)["f"] == (
        *("--input", "x=N,3", "--float32", "--requires", "N >= 2"),
        *("--input", "m=boolean:N"),
    )


def test_a_line_that_says_nothing_is_told(tmp_path):
    with pytest.raises(UsageError, match=r"code\.py:2: 'x' says nothing of an argument"):
        marks(tmp_path, "def f(x):\n    # gradproof: x\n    return x\n")


@pytest.fixture
def project(tmp_path):
    (tmp_path / "ops").mkdir()
    write(tmp_path / "ops", good=GOOD, code=CODE, helper=HELPER)
    (tmp_path / "pyproject.toml").write_text('[tool.gradproof]\npaths = ["ops"]\n', "utf-8")
    return tmp_path


def gradproof(project, *arguments):
    kept = {"GRADPROOF_CACHE": str(project / "cache")}
    return forked("command", [*arguments, "--jobs", "1"], project, **kept)


def test_without_a_target_the_project_is_checked(project):
    done = gradproof(project, "check", "--json", "found.json")
    assert done.returncode == 0, done.stderr
    assert re.search(r"✓ double +8 proved ", done.stdout)
    assert re.search(r"✓ scale +1 proved, for all sizes .*ops/code\.py:6", done.stdout)
    found = json.loads((project / "found.json").read_text("utf-8"))
    assert [op["name"] for op in found["ops"]] == ["double", "scale"]
    again = gradproof(project, "check")
    assert "9 from the cache" in again.stdout


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [("helper", "np.sum", "np.mean"), ("code", "dy * w,", "dy + w,")],
)
def test_what_is_kept_is_of_these_bytes(project, file, old, new):
    """A change of the code, and of what it imports, is settled anew."""
    assert gradproof(project, "check", "ops/code.py").returncode == 0
    path = project / "ops" / f"{file}.py"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    done = gradproof(project, "check", "ops/code.py::scale")
    assert done.returncode == 1
    assert "1 refuted" in done.stdout


@pytest.mark.parametrize(
    "reaching",
    ["import os\n", "from pathlib import Path\n", "K = open(__file__).read()\n"],
)
def test_what_reaches_beyond_the_file_is_settled_each_time(project, reaching):
    path = project / "ops" / "helper.py"
    path.write_text(reaching + HELPER, "utf-8")
    for _ in range(2):
        done = gradproof(project, "check", "ops/code.py")
        assert done.returncode == 0, done.stderr
        assert "from the cache" not in done.stdout


def test_code_that_ends_its_process_leaves_the_rest(project):
    ends = CODE.replace("def scale", "def ends").replace(
        "return x * w", "import os; os.kill(os.getpid(), 9)"
    )
    write(project / "ops", a_first=ends)
    done = gradproof(project, "check")
    assert done.returncode == 2
    assert "the code ended the process by SIGKILL, so nothing is settled" in done.stderr
    assert re.search(r"✓ scale +1 proved", done.stdout)


# For programs that check what they generated.

FORGED = """
from gradproof.tracing.reports import Report
import gradproof.numpy

gradproof.numpy.check = lambda *functions, **said: Report("scale", "proved", "for all sizes")
"""


def test_code_that_changes_what_judges_it_gets_no_verdict(project):
    path = project / "ops" / "code.py"
    path.write_text(path.read_text("utf-8").replace("dy * w,", "dy + w,"), "utf-8")
    assert gradproof(project, "check", "ops/code.py", "--cpu", "60").returncode == 1
    path.write_text(path.read_text("utf-8") + FORGED, "utf-8")
    done = gradproof(project, "check", "ops/code.py", "--cpu", "60", "--json", "-")
    found = json.loads(done.stdout)
    assert (done.returncode, found["summary"]) == (2, {})
    assert "the code changed what judges it" in found["problems"][0]["message"]


def test_code_that_writes_an_answer_of_its_own_is_not_believed(project):
    forged = """
import json, os

for number in range(3, 30):
    try:
        answer = {"settled": {"verdicts": [], "lessons": {}, "line": 1}}
        os.write(number, (json.dumps(answer) + chr(10)).encode())
    except OSError:
        pass
"""
    wrong = (project / "ops" / "code.py").read_text("utf-8").replace("dy * w,", "dy + w,")
    write(project / "ops", code=wrong + forged)
    done = gradproof(project, "check", "ops/code.py", "--cpu", "60", "--json", "-")
    assert json.loads(done.stdout)["summary"] == {"refuted": 1}


def test_code_that_takes_too_long_is_ended(project):
    write(project / "ops", code=CODE + "\n\nwhile True:\n    pass\n")
    done = gradproof(project, "check", "ops/code.py", "--cpu", "2")
    assert done.returncode == 2
    assert "it took more than 2 s" in done.stderr


# Parts, and rounds.


def test_each_file_and_function_is_in_one_part(project):
    parts = [gradproof(project, "check", "--shard", f"{k}/3") for k in (1, 2, 3)]
    assert [done.returncode for done in parts] == [0, 0, 0]
    assert ["double" in done.stdout for done in parts] == [True, False, False]
    assert ["scale" in done.stdout for done in parts] == [False, True, False]
    assert gradproof(project, "check", "--shard", "4/3").returncode == 2


def test_a_change_is_settled_at_once(project):
    command = [COMMAND, "check", "ops/good.py", "--watch", "--jobs", "1"]
    env = environment(GRADPROOF_CACHE="")
    with subprocess.Popen(
        command, cwd=project, stdout=subprocess.PIPE, encoding="utf-8", env=env
    ) as run:
        assert run.stdout is not None
        told = iter(run.stdout.readline, "")
        assert any("8 theorems: 8 proved" in line for line in told)
        assert any("Waiting for a change" in line for line in told)
        write(project / "ops", good=WRONG)
        assert any("8 theorems: 7 proved, 1 refuted" in line for line in told)
        assert any("Waiting for a change" in line for line in told)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 130
