"""A project with op definitions, tested by pytest with the plugin."""

from pathlib import Path

import pytest
from commands import (
    DIVISORS,
    FEW_TURNS,
    GOOD,
    LINE_OF_VJP,
    LOOP,
    SHORT_OF,
    UNDEFINED,
    WRONG,
    run_pytest,
    sabotaged,
    write,
)

from gradproof import discovery
from gradproof.language import Eq, Op, array, axes, cotangent, tangent
from gradproof.pytest_plugin import MOST_WORKERS, holds
from gradproof.testing import assert_proved

SEVERAL_LINES = (
    "from gradproof import (\n    language as L,\n)\n"
    "globals().update({name: getattr(L, name) for name in L.__all__})"
)
TEST = "def test_of_its_own():\n    pass\n"


def test_each_theorem_is_an_item_if_asked_for(tmp_path):
    write(tmp_path, good=GOOD, test_own=TEST, other="x = 1\n")
    assert "1 passed" in run_pytest(tmp_path).stdout
    assert "9 passed" in run_pytest(tmp_path, "--gradproof").stdout
    assert "8 passed, 1 deselected" in run_pytest(tmp_path, "-m", "gradproof").stdout
    listed = run_pytest(tmp_path, "--gradproof", "--collect-only", "-q").stdout
    assert "good.py::double::vjp x_bar\n" in listed


def test_a_refutation_fails_and_teaches(tmp_path):
    write(tmp_path, wrong=WRONG)
    done = run_pytest(tmp_path, "--gradproof")
    assert done.returncode == 1
    assert "1 failed, 7 passed" in done.stdout
    assert f"wrong.py:{LINE_OF_VJP}: double::vjp x_bar" in done.stdout
    assert "the rule gives" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_file_that_cannot_be_read_is_a_collection_error(tmp_path):
    write(tmp_path, bad=GOOD.replace("cotangent(x)[i]", "x[i]"))
    done = run_pytest(tmp_path, "--gradproof")
    assert done.returncode == 2
    assert "bad.py:6: op double, vjp: x is the cotangent of no" in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        WRONG.replace(
            "import *", "import *\nfrom gradproof.language import Op as Operation"
        ).replace("= Op(", "= Operation("),
        WRONG.replace("= Op(", "= Op ("),
        "from dataclasses import replace\nfrom gradproof.language import *\n"
        "from gradproof.specs import unpad\n"
        "doubled = [Eq(rule.args[0], 2 * rule.args[1]) for rule in unpad.vjp]\n"
        "worse = replace(unpad, name='worse', vjp=doubled)\n",
    ],
)
def test_an_op_built_in_another_way_is_collected(text, tmp_path):
    write(tmp_path, wrong=text, test_own=TEST)
    done = run_pytest(tmp_path, "--gradproof", "-k", "vjp or own")
    assert done.returncode == 1
    assert " failed, " in done.stdout


def test_an_op_whose_language_comes_from_a_module_beside_it_is_collected(tmp_path):
    names = "from gradproof.language import *\n"
    op = WRONG.replace("from gradproof.language", "from between")
    write(tmp_path, names=names, between="from names import *\n", wrong=op, test_own=TEST)
    done = run_pytest(tmp_path, "--gradproof")
    assert "1 failed, 8 passed" in done.stdout


HELPER = "from gradproof.language import *\n"


@pytest.mark.parametrize(
    "files",
    [
        {"wrong": WRONG.replace("= Op(", "= make(").replace("\n\nn,", "\nmake = Op\nn,")},
        {"wrong": WRONG.replace("from gradproof.language import *", SEVERAL_LINES)},
        {"wrong": WRONG.replace("gradproof.language", "package.names"), "package/names": HELPER},
        {"wrong": WRONG.replace("gradproof.language", "package"), "package/__init__": HELPER},
    ],
    ids=["alias", "several lines", "module of a package", "package"],
)
def test_the_language_may_come_from_anywhere(files, tmp_path):
    """Each was left out without a word."""
    (tmp_path / "package").mkdir()
    write(tmp_path, **files)
    assert "1 failed, 7 passed" in run_pytest(tmp_path, "--gradproof").stdout


def test_files_are_no_tests_because_all_are(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\npython_files = *.py\n")
    write(tmp_path, wrong=WRONG)
    assert "1 failed, 7 passed" in run_pytest(tmp_path, "--gradproof").stdout


def test_a_file_that_is_no_text_is_an_error(tmp_path):
    (tmp_path / "latin.py").write_bytes(WRONG.encode() + b"# \xe9\n")
    done = run_pytest(tmp_path, "--gradproof")
    assert done.returncode == 2
    assert "latin.py:0: it is not UTF-8 text" in done.stdout


def test_a_file_that_does_not_parse_is_an_error(tmp_path):
    write(tmp_path, half=WRONG + "(")
    done = run_pytest(tmp_path, "--gradproof")
    assert done.returncode == 2
    assert "syntax error" in done.stdout


def test_what_is_left_out_is_said_and_loaded_if_named(tmp_path):
    """A file that calls what builds an op may do anything else; so it is not loaded unasked."""
    body = WRONG.replace("double = Op(", "def make():\n    return Op(")
    write(tmp_path, library=body, calls="from library import make\n\ndouble = make()\n")
    done = run_pytest(tmp_path, "--gradproof")
    assert "gradproof: 0 theorems in 0 files" in done.stdout
    assert "gradproof: calls.py builds no Op in plain sight; to load it, name it" in done.stdout
    named = run_pytest(tmp_path, "--gradproof", "calls.py")
    assert "gradproof: 8 theorems in 1 file\n" in named.stdout
    assert "1 failed, 7 passed" in named.stdout


def test_a_proof_of_limited_scope_is_a_warning(tmp_path):
    write(tmp_path, loop=LOOP)
    done = run_pytest(tmp_path, "--gradproof", "-k", "jvp")
    assert f"product_of_all::jvp by x: proved, but only {FEW_TURNS}" in done.stdout


SLOW_FIRST = """
import signal
import pytest

def late(*_):
    pytest.fail("it took too long")

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 1 if item.name == "jvp by x" else 0)
    return (yield)
"""


def test_a_theorem_that_is_interrupted_leaves_its_answer_to_no_other(tmp_path):
    """SOUNDNESS: with pytest-timeout, the theorem after it passed by that answer."""
    write(tmp_path, conftest=SLOW_FIRST, wrong=sabotaged("import time; time.sleep(3)", WRONG))
    done = run_pytest(tmp_path, "--gradproof")
    assert "2 failed, 6 passed" in done.stdout
    assert "FAILED wrong.py::double::jvp by x - Failed: it took too long" in done.stdout
    assert f"gives 3, should be 2\nwrong.py:{LINE_OF_VJP}: double::vjp x_bar\n" in done.stdout


def test_a_theorem_is_found_by_its_name_and_if_it_failed_last(tmp_path):
    write(tmp_path, wrong=WRONG)
    name = "wrong.py::double::vjp x_bar"
    keeps = ("--gradproof", "-o", "cache_dir=cache", "-p", "cacheprovider")
    assert "1 failed in" in run_pytest(tmp_path, "--gradproof", name).stdout
    assert "1 failed, 7 passed" in run_pytest(tmp_path, *keeps).stdout
    assert "1 failed, 7 deselected" in run_pytest(tmp_path, *keeps, "--lf").stdout


@pytest.mark.parametrize("marked", ["not gradproof", "not(gradproof)", "not (gradproof or skip)"])
def test_who_asks_for_no_theorems_loads_no_definition(marked, tmp_path):
    write(tmp_path, broken=GOOD + "1 / 0\n", test_own=TEST)
    assert "1 passed" in run_pytest(tmp_path, "-m", marked, "--gradproof").stdout


@pytest.mark.parametrize("marked", ["gradproof and not slow", "slow or gradproof", "gradproof()"])
def test_who_asks_for_theorems_gets_them(marked):
    assert any(holds(marked, other) for other in (False, True))


def test_names_that_pytest_would_read_are_found_again(tmp_path):
    claims = ("y[i] is x[i]", "a::b", "c")
    false = "".join(f'Claim("{name}", Eq(n, 2)), ' for name in claims)
    write(tmp_path, wrong=GOOD.replace('    "double"', f'    claims=({false}),\n    name="double"'))
    keeps = ("--gradproof", "-o", "cache_dir=cache", "-p", "cacheprovider")
    done = run_pytest(tmp_path, *keeps)
    assert "3 failed, 8 passed" in done.stdout
    assert "y[i] is x[i] refuted at n=1\n" in done.stdout
    assert "3 failed, 8 deselected" in run_pytest(tmp_path, *keeps, "--lf").stdout


def test_what_has_to_do_with_the_language_from_afar_is_not_run(tmp_path):
    """A script of the project that changes some dataclass."""
    script = "from settings import *\nfrom dataclasses import replace\nopen('ran', 'w').close()\n"
    write(tmp_path, ops=GOOD, settings="from ops import *\n", deploy=script, test_own=TEST)
    done = run_pytest(tmp_path, "--gradproof")
    assert "9 passed" in done.stdout
    assert "settings.py builds no Op in plain sight" in done.stdout
    assert "deploy.py" not in done.stdout
    assert not (tmp_path / "ran").exists()


def test_many_modules_are_read_once(tmp_path, monkeypatch):
    """Each was parsed again for every other; a long chain was too deep."""
    modules = {f"m{n}": f"import m{n + 1}\n" for n in range(1200)}
    write(tmp_path, **modules)
    reads: list[Path] = []
    monkeypatch.setattr(discovery, "read", lambda path: reads.append(path) or path.read_text())
    for number in range(3):
        assert discovery.steps_to_language(tmp_path / f"m{number}.py", tmp_path) is None
    assert len(reads) == 1200


COUNTING = """
from gradproof.cli.workers import supervisor

hired = []


class Counted(supervisor.Worker):
    def __init__(self, memory):
        super().__init__(memory)
        hired.append(self)


supervisor.Worker = Counted


def pytest_terminal_summary(terminalreporter):
    left = sum(worker.process.poll() is None for worker in hired)
    terminalreporter.write_line(f"{left} of {len(hired)} processes are left")
"""


def test_many_files_are_settled_by_few_processes(tmp_path):
    """Each kept its own until the end."""
    names = [f"op{number}" for number in range(MOST_WORKERS + 1)]
    write(tmp_path, **dict.fromkeys(names, GOOD), conftest=COUNTING)
    done = run_pytest(tmp_path, "--gradproof", "-k", "jvp and by")
    assert f"{len(names)} passed" in done.stdout
    assert f"{MOST_WORKERS} of {len(names) + 1} processes are left" in done.stdout


def test_what_a_theorem_rests_on_is_asked_once(tmp_path):
    """Each theorem that rests on it waited for it again."""
    slow = sabotaged(
        "open('asked', 'a').write('.'); raise KeyError", name="forward: reads and writes"
    )
    write(tmp_path, slow=slow.replace("raise KeyError", "import os; os._exit(1)"))
    done = run_pytest(tmp_path, "--gradproof")
    assert "1 failed, 7 passed" in done.stdout
    assert (tmp_path / "asked").read_text() == "."
    assert "vjp x_bar: proved, but says nothing while 'forward: reads and writes'" in done.stdout


def test_the_language_may_come_from_elsewhere_in_the_project(tmp_path):
    """Each was left out without a word."""
    inner = tmp_path / "pkg" / "sub"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        write(folder, __init__="")
    write(inner.parent, names=HELPER)
    write(inner, relative=WRONG.replace("gradproof.language", "..names"))
    write(inner, absolute=WRONG.replace("gradproof.language", "pkg.names"))
    done = run_pytest(tmp_path, "--gradproof")
    assert "2 failed, 14 passed" in done.stdout


def test_processes_tell_what_they_have_left_out(tmp_path):
    body = WRONG.replace("double = Op(", "def make():\n    return Op(")
    calls = "from library import make\n\ndouble = make()\n"
    write(tmp_path, library=body, calls=calls, test_own=TEST)
    done = run_pytest(tmp_path, "--gradproof", "-n", "2")
    assert done.stdout.count("gradproof: calls.py builds no Op in plain sight") == 1


def test_a_test_that_goes_elsewhere_does_not_take_the_theorems_along(tmp_path):
    leaves = "import os\n\n\ndef test_leaves():\n    os.chdir('/')\n"
    write(tmp_path, a_test=leaves, wrong=WRONG)
    done = run_pytest(tmp_path, "-o", "python_files=a_test.py", "--gradproof")
    assert "1 failed, 8 passed" in done.stdout
    assert f"gives 3, should be 2\nwrong.py:{LINE_OF_VJP}: double::vjp x_bar\n" in done.stdout


def test_a_proof_that_rests_on_what_is_not_proved_is_a_warning(tmp_path):
    write(tmp_path, undefined=UNDEFINED)
    done = run_pytest(tmp_path, "--gradproof", "-k", "vjp and not reads and not divisors")
    said = "double::vjp x_bar: proved, but says nothing while 'forward: divisors and logarithms'"
    assert said in done.stdout


def test_assert_proved_warns_of_what_a_proof_rests_on():
    names: dict[str, Op] = {}
    exec(SHORT_OF, names)
    said = f"double, vjp x_bar: proved, but rests on '{DIVISORS}', proved only {FEW_TURNS}"
    with pytest.warns(UserWarning, match="proved, but") as told:
        assert_proved(names["double"])
    assert said in [str(warning.message) for warning in told]


def test_assert_proved_warns_of_a_limited_scope():
    names: dict[str, Op] = {}
    exec(LOOP, names)
    with pytest.warns(UserWarning, match="proved, but only") as told:
        assert_proved(names["product_of_all"])
    said = [str(warning.message) for warning in told]
    assert f"product_of_all, jvp by x: proved, but only {FEW_TURNS}" in said


def test_a_file_with_no_op_at_its_top_level_is_a_warning(tmp_path):
    base = "from gradproof.language import *\n\n\ndef make():\n    return Op('made')\n"
    write(tmp_path, base=base, test_own=TEST)
    done = run_pytest(tmp_path, "--gradproof")
    assert done.returncode == 0
    assert "base.py:1: there is no op in it" in done.stdout


def double(factor: int) -> Op:
    n, i = axes("n i")
    x, y = array("x", n), array("y", n)
    return Op(
        "double",
        requires=(n >= 1,),
        forward=Eq(y[i], 2 * x[i]),
        jvp=Eq(tangent(y)[i], 2 * tangent(x)[i]),
        vjp=Eq(cotangent(x)[i], factor * cotangent(y)[i]),
    )


def test_assert_proved_passes():
    assert_proved(double(2))


def test_assert_proved_fails_with_what_it_teaches():
    with pytest.raises(
        AssertionError, match="double: vjp x_bar refuted at n=1: gives 3, should be 2"
    ) as caught:
        assert_proved(double(3))
    assert "∂x_bar[0]/∂y_bar[0] = 3" in str(caught.value)
