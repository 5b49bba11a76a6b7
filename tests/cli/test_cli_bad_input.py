"""The real command on files that are no definitions, or that end badly."""

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from threading import Thread, Timer

import pytest
from commands import GOOD, WRONG, gradproof, gradproof_anew, sabotaged, write

from gradproof.cli.arguments import UsageError
from gradproof.cli.workers import supervisor
from gradproof.cli.workers.supervisor import Lost, Pool, Worker

CLAIM = 'claims=(Claim("[red]../<a>\\x1b[31m\\u202e & \\n", n >= 1),),\n    forward'

# What is in each file, the line that is named, and what is said of it.
FILES = {
    "syntax": ("\nx = (\n", 2, "syntax error: '(' was never closed"),
    "raises": ("def f():\n    return 1 / 0\n\n\nf()\n", 2, "it raises ZeroDivisionError"),
    "endless": (
        "n = 1\nwhile True:\n    n += 1\n",
        r"[23]",
        "still loading after 2 s of processor time",
    ),
    "stubborn": (
        "import signal\nsignal.signal(signal.SIGVTALRM, signal.SIG_IGN)\nwhile True: pass\n",
        1,
        "loading it was given up after 3 s of processor time",
    ),
    "empty": ("x = 1\n", 1, "there is no op in it"),
    "exits": ("import sys\nsys.exit(0)\n", 2, "it ends the program"),
    "dies": ("import os\nos._exit(0)\n", 1, "it ended the process that loads it"),
    "crashes": ("import ctypes\nctypes.string_at(0)\n", 1, "SIGSEGV"),
    "null": ("x = 1\0", 1, "null bytes"),
    "malformed": (GOOD.replace("cotangent(x)[i]", "x[i]"), 6, "x is the cotangent of no"),
    "unknown_symbol": (GOOD.replace("2 * x[i]", "n * x[i] + q"), 9, 'q = integers("q")'),
    "argument": (GOOD.replace("forward=", "foreword="), 6, "Op takes name, forward, jvp"),
    "python_sum": (
        GOOD.replace("2 * x[i]", "sum(x[j] for j in range(n))"),
        9,
        "symbols and cells have no value: write Sum(",
    ),
    "numpy": (
        "import numpy as np\n" + GOOD.replace("2 * x[i]", "np.exp(x[i])"),
        10,
        "np.exp of x[i] wants numbers, not terms; there are exp log sqrt",
    ),
    "whole_array": (GOOD.replace("2 * x[i]", "2 * x"), 9, "write y[a] and x[a] for y and x"),
    "foreign": (GOOD.replace("2 * x[i]", "gamma(x[i])"), 9, "there are exp log sqrt"),
    "misspelt": (GOOD.replace("2 * x[i]", "Exp(x[i])"), 9, "did you mean exp?"),
    "same_name": (
        GOOD + GOOD.partition("\n\n")[2].replace("2 *", "3 *").replace("double =", "other ="),
        16,
        "two different ops are named 'double'",
    ),
    "path_name": (GOOD.replace('"double"', '"../../etc/x"'), 6, "op name '../../etc/x'"),
    "markup_name": (GOOD.replace('"double"', '"[bold]<b>"'), 6, r"op name '[bold]<b>'"),
    "rank_40": (
        GOOD + "from dataclasses import replace\ndeep = replace(double.at_rank(40), name='deep')\n",
        14,
        "x has 40 dimensions, at most 8",
    ),
    "unprintable": (
        "class Bad(Exception):\n    def __str__(self):\n        return 1 / 0\n\n\nraise Bad\n",
        6,
        "it raises Bad while it loads",
    ),
}
SAID_TO_BE_STUBBORN = {"stubborn"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """All of them in one run, with a good file last."""
    folder = tmp_path_factory.mktemp("bad")
    write(folder, good=GOOD, **{name: text for name, (text, _, _) in FILES.items()})
    (folder / "latin.py").write_bytes(b"# \xff\n")
    names = [f"{name}.py" for name in FILES if name not in SAID_TO_BE_STUBBORN]
    others = ["missing.py", "latin.py", ".", "good.py::nothing"]
    return gradproof(
        *("check", *names, *others, "good.py", "--timeout", 2, "--json", "-"), cwd=folder
    )


@pytest.mark.parametrize("name", [name for name in FILES if name not in SAID_TO_BE_STUBBORN])
def test_each_gets_one_message_with_file_and_line(name, run):
    _, line, said = FILES[name]
    messages = [text for text in run.stderr.splitlines() if f" {name}.py" in f" {text}"]
    assert len(messages) == 1
    assert re.match(rf"gradproof: {name}\.py:{line}: ", messages[0])
    assert said in messages[0]


@pytest.mark.parametrize(
    "said",
    [
        "missing.py: there is no such file",
        "latin.py: it is not UTF-8 text",
        "good.py:1: there is no op 'nothing' in it; there are double",
    ],
)
def test_what_is_no_file_of_definitions_is_named(said, run):
    assert f"gradproof: {said}" in run.stderr


def test_the_other_files_are_still_checked(run):
    assert run.returncode == 2
    found = json.loads(run.stdout)
    assert [op["name"] for op in found["ops"]] == ["double"]
    assert found["summary"] == {"proved": 8}
    assert len(found["problems"]) == len(FILES) + 2
    assert "Traceback" not in run.stderr


def test_a_folder_stands_for_the_definitions_below_it(tmp_path):
    (tmp_path / "deep" / ".hidden").mkdir(parents=True)
    write(tmp_path, good=GOOD, test_good=GOOD, other="x = 1\n")
    write(tmp_path / "deep", wrong=WRONG)
    write(tmp_path / "deep" / ".hidden", unseen=GOOD)
    done = gradproof("check", ".", "--json", "-", cwd=tmp_path)
    assert done.returncode == 1
    files = [op["file"] for op in json.loads(done.stdout)["ops"]]
    assert files == [str(Path("deep", "wrong.py")), "good.py"]


def test_a_folder_without_definitions_is_no_success(tmp_path):
    write(tmp_path, other="x = 1\n")
    done = gradproof("check", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert "no file below it imports the language" in done.stderr


def test_a_file_that_swallows_every_interrupt_is_cut_off(tmp_path):
    text, _, said = FILES["stubborn"]
    write(tmp_path, stubborn=text, good=GOOD)
    done = gradproof("check", "stubborn.py", "good.py", "--timeout", 1, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "8 proved" in done.stdout


def test_markup_in_a_name_is_shown_as_it_is(tmp_path):
    write(tmp_path, markup=WRONG.replace("forward", CLAIM, 1))
    outputs = ("--json", "f.json", "--junit", "f.xml", "--sarif", "f.sarif", "--save", "saved")
    done = gradproof("check", "markup.py", "-v", *outputs, cwd=tmp_path)
    assert done.returncode == 1
    assert "[red]../<a>" in done.stdout
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert [p.name for p in (tmp_path / "saved").iterdir()] == ["test_double_vjp_x_bar.py"]


def test_it_works_where_specs_and_verify_are_others(tmp_path):
    for name in ("specs", "verify", "proofs", "sympy"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text("raise RuntimeError('not this one')")
    write(tmp_path, good=GOOD)
    assert gradproof_anew("check", "good.py", cwd=tmp_path).returncode == 0
    assert gradproof_anew("verify", "unpad", "--only", "vjp", cwd=tmp_path).returncode == 0
    assert gradproof_anew("list", cwd=tmp_path).returncode == 0


def test_modules_beside_a_file_are_its_own(tmp_path):
    for folder, factor in (("a", 2), ("b", 5)):
        (tmp_path / folder).mkdir()
        write(
            tmp_path / folder,
            helper=f"FACTOR = {factor}\n",
            op="from helper import FACTOR\n" + GOOD.replace("2 *", "FACTOR *"),
        )
    done = gradproof("check", "a/op.py", "b/op.py", "--jobs", 1, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    shown = gradproof("explain", "b/op.py::double", "jvp by x", cwd=tmp_path).stdout
    assert "5·x[i]" in shown


@pytest.mark.parametrize("place", [".", ".."])
def test_what_one_file_imports_is_not_there_for_the_next(place, tmp_path):
    """SOUNDNESS: the second op had the factor of the first."""
    found = (
        f"import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '{place}'))\n"
    )
    for folder, factor in (("a", 2), ("b", 3)):
        (tmp_path / folder / "ops").mkdir(parents=True)
        write(tmp_path / folder / "ops" / place, helper=f"FACTOR = {factor}\n")
        op = found + "from helper import FACTOR\n" + GOOD.replace("2 * co", "FACTOR * co")
        write(tmp_path / folder / "ops", op=op)
    done = gradproof("check", "a/ops/op.py", "b/ops/op.py", "--jobs", 1, cwd=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "16 theorems: 15 proved, 1 refuted" in done.stdout


@pytest.mark.parametrize("line", ["from .names import FACTOR", "from pkg.sub.names import FACTOR"])
def test_a_file_of_a_package_imports_from_it(line, tmp_path):
    for folder, factor in (("a", 2), ("b", 3)):
        inner = tmp_path / folder / "pkg" / "sub"
        inner.mkdir(parents=True)
        write(inner.parent, __init__="")
        write(inner, __init__="", names=f"FACTOR = {factor}\n")
        write(inner, op=f"{line}\n" + GOOD.replace("2 * co", "FACTOR * co"))
    done = gradproof("check", "a/pkg/sub/op.py", "b/pkg/sub/op.py", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "16 theorems: 15 proved, 1 refuted" in done.stdout


def test_a_package_that_another_hides_is_not_taken_for_it(tmp_path):
    """The names of a module would be those of a library."""
    (tmp_path / "json").mkdir()
    write(tmp_path / "json", __init__="", decoder="", op="from .decoder import *\n" + GOOD)
    done = gradproof_anew("check", "json/op.py", cwd=tmp_path)
    assert "attempted relative import with no known parent package" in done.stderr


def test_what_is_installed_elsewhere_is_not_there_for_the_next(tmp_path):
    """SOUNDNESS: the op of another environment had the factor of the first."""
    for folder, factor in (("a", 2), ("b", 3)):
        inner = tmp_path / folder / "site-packages"
        inner.mkdir(parents=True)
        write(inner, helper=f"FACTOR = {factor}\n")
        write(inner, op="from helper import FACTOR\n" + GOOD.replace("2 * co", "FACTOR * co"))
    done = gradproof("check", "a/site-packages/op.py", "b/site-packages/op.py", cwd=tmp_path)
    assert "16 theorems: 15 proved, 1 refuted" in done.stdout


def test_a_folder_may_have_the_name_of_what_runs(tmp_path):
    (tmp_path / "__main__").mkdir()
    write(tmp_path / "__main__", __init__="", op=GOOD)
    assert gradproof_anew("check", "__main__/op.py", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("text", ["::unpad", "::", ""])
def test_what_names_no_file_is_no_op_of_the_suite(text, tmp_path):
    """An unset variable before `::` proved another op."""
    for command in ("check", "explain", "report"):
        done = gradproof(command, text, cwd=tmp_path)
        assert done.returncode == 2
        assert "names no file" in done.stderr or "no op '' in the suite" in done.stderr


def test_a_wrong_pattern_does_not_hide_that_a_file_cannot_be_read(tmp_path):
    write(tmp_path, good=GOOD, broken="1 / 0\n")
    done = gradproof("check", "good.py", "broken.py", "--only", "of broken", cwd=tmp_path)
    assert done.returncode == 2
    assert "broken.py:1: it raises ZeroDivisionError" in done.stderr
    assert "no theorem matches 'of broken'" in done.stderr


def test_no_op_hides_in_a_file(tmp_path):
    held = (
        "class Ops:\n    one = double\n"
        "from types import MappingProxyType, SimpleNamespace\n"
        "two = SimpleNamespace(op=replace(double, name='two'))\n"
        "three = MappingProxyType({'op': replace(double, name='three')})\n"
        "four = {1: {2: {3: {4: [replace(double, name='four')]}}}}\n"
        "__five = replace(double, name='five')\n"
        "class Registry: pass\n"
        "registry, registry.itself = Registry(), None\n"
        "registry.itself = [registry, replace(double, name='six')]\ndel double\n"
    )
    write(tmp_path, op="from dataclasses import replace\n" + GOOD + held)
    done = gradproof("check", "op.py", "--only", "vjp x_bar is linear", cwd=tmp_path)
    assert "6 theorems: 6 proved" in done.stdout


@pytest.mark.parametrize(
    ("what", "status", "said"),
    [
        ("import ctypes; ctypes.string_at(0)", "error", "its process was ended by SIGSEGV"),
        ("import os; os._exit(7)", "error", "its process ended with status 7"),
        ("hoard = [0] * 10**10", "error", "ran out of memory"),
        ("while True: pass", "unknown", "given up after 1 s of processor time"),
        ("pow(7, 10**9)", "unknown", "given up after 1 s"),  # which no thread or signal reaches
        ("raise KeyError('x')", "error", "KeyError: 'x'"),
    ],
)
def test_a_theorem_that_ends_badly_leaves_the_others_their_verdicts(what, status, said, tmp_path):
    write(tmp_path, bad=sabotaged(what))
    done = gradproof("check", "bad.py", "--timeout", 1, "--memory", 2000, cwd=tmp_path)
    assert done.returncode == 3
    assert re.search(rf"✗ {status} +jvp +jvp by x +.*{re.escape(said)}", done.stdout)
    assert f"8 theorems: 7 proved, 1 {status}" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_worker_that_others_kill_is_replaced_and_its_theorem_settled(tmp_path):
    once = "import os; os.path.exists('killed') or (open('killed', 'w').close(), os.kill(0, 9))"
    write(tmp_path, bad=sabotaged(once))
    done = gradproof("check", "bad.py", cwd=tmp_path)
    assert (tmp_path / "killed").exists()
    assert done.returncode == 0
    assert "8 theorems: 8 proved" in done.stdout


def test_a_theorem_whose_workers_are_always_killed_is_an_error(tmp_path):
    write(tmp_path, bad=sabotaged("import os; os.kill(0, 9)"))
    done = gradproof("check", "bad.py", cwd=tmp_path)
    assert done.returncode == 3
    assert re.search(
        r"jvp by x +its process was ended by SIGKILL, 5 times; try fewer --jobs", done.stdout
    )
    assert "8 theorems: 7 proved, 1 error" in done.stdout


def test_too_many_processes_are_told(tmp_path):
    write(tmp_path, good=GOOD)
    done = subprocess.run(
        [sys.executable, "-m", "gradproof", "check", "good.py", "--jobs", "4"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10)),
    )
    assert done.returncode == 2
    assert (
        done.stderr
        == "gradproof: no process can be started: Too many open files; try fewer --jobs\n"
    )


@pytest.mark.parametrize("kind", [Timer, Thread])
def test_too_many_threads_are_told(kind, monkeypatch):
    """Nobody answered, and the command waited for ever."""

    def start(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(kind, "start", start)
    with Pool(1, 4096) as pool:
        pool.submit("key", {}, 1, 1)
        with pytest.raises(UsageError, match="can't start new thread; try fewer --jobs"):
            pool.next()
        for worker in pool.workers:
            worker.close()


@pytest.fixture
def worker():
    found = Worker(4096)
    yield found
    found.close()


def test_a_worker_that_did_not_answer_is_asked_no_more(worker, monkeypatch):
    """SOUNDNESS: what interrupts a question left its answer to the next."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(worker, "exchange", interrupted)
    with pytest.raises(KeyboardInterrupt):
        worker.ask({}, 1)
    assert worker.process.poll() is not None


def test_an_answer_to_another_question_is_none(worker, monkeypatch):
    monkeypatch.setattr(worker, "exchange", lambda *_: {"request": 7})
    with pytest.raises(Lost, match="answered another question"):
        worker.ask({}, 1)


def test_an_answer_as_the_time_is_up_is_late(worker, monkeypatch):
    """It counted, and the next theorem was said to have taken too long."""

    class Late(Timer):
        def cancel(self):
            self.function()
            super().cancel()

    monkeypatch.setattr(supervisor, "Timer", Late)
    with pytest.raises(Lost, match="given up after 60 s without an answer"):
        worker.exchange("", 1, 60)


def test_a_process_that_is_gone_is_not_ended_again(worker, monkeypatch):
    """Its number may be another's by then."""
    worker.kill()
    monkeypatch.setattr(os, "killpg", lambda *_: pytest.fail("ended again"))
    worker.kill()


def test_z3_running_out_of_memory_is_an_error(tmp_path):
    """A query that Z3 cannot hold within the limit."""
    what = (
        "import z3; xs = [z3.BitVec(f'x{i}', 4096) for i in range(300)]; "
        "s = z3.Solver(); s.add(z3.Product(xs) == 12345, z3.Sum(xs) == 77); s.check(); "
        "z3.BitVec('more', 4096)"
    )
    write(tmp_path, hungry=sabotaged(what))
    done = gradproof("check", "hungry.py", "--memory", 1000, cwd=tmp_path)
    assert done.returncode == 3
    assert re.search(r"✗ error +jvp +jvp by x", done.stdout)
    assert "7 proved, 1 error" in done.stdout
