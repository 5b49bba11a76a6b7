"""The real command: every command, option and exit status."""

import ast
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import pytest
from commands import (
    COMMAND,
    FEW_TURNS,
    GOOD,
    IN_SHELL,
    LINE_OF_VJP,
    LOOP,
    UNDEFINED,
    WRONG,
    environment,
    gradproof,
    sabotaged,
    started,
    write,
)

from gradproof.cli import listing
from gradproof.cli.arguments import UsageError
from gradproof.cli.main import main
from gradproof.cli.workers.origins import INSTALLED
from gradproof.report import recorded
from gradproof.specs import HOMES

COMMANDS = ("verify", "check", "explain", "replay", "list", "cache", "new", "completion", "report")
OUTPUTS = ("--only", "--fail-fast", "--quiet", "--no-color", "--json", "--junit", "--sarif")
LIMITS = ("--rank", "--limit", "--timeout", "--memory", "--jobs", "--debug")

# A claim that is pinned as false and is true: requires say n >= 1.
PINNED = GOOD.replace(
    "    forward",
    """    claims=(
        Claim("twin", n >= 1, given=(n >= 2,)),
        Claim("pinned", n >= 1, refuted={n: 1}, twin="twin"),
    ),
    forward""",
)


# Help and version.


def test_help_shows_commands_examples_and_exit_statuses(tmp_path):
    done = gradproof("--help", cwd=tmp_path)
    assert done.returncode == 0
    for text in (*COMMANDS, "examples:", "gradproof check my_pool.py", "exit status:", "130"):
        assert text in done.stdout


@pytest.mark.parametrize("command", ["verify", "check"])
def test_help_of_a_command_shows_its_options(command, tmp_path):
    done = gradproof(command, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert all(option in done.stdout for option in (*OUTPUTS, *LIMITS, "--save"))


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", "--help"], ["nothing"]])
def test_nothing_heavy_is_imported_for_help(arguments, tmp_path):
    program = (
        "import sys\nfrom gradproof.__main__ import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
        "heavy = {'sympy', 'z3', 'numpy', 'rich', 'mpmath', 'asyncio'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_it_is_also_a_module(tmp_path):
    run = [sys.executable, "-m", "gradproof", "list"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert done.returncode == 0
    assert done.stdout == gradproof("list", cwd=tmp_path).stdout


def test_version_names_the_solver(tmp_path):
    done = gradproof("--version", cwd=tmp_path)
    assert done.returncode == 0
    assert re.fullmatch(r"gradproof \S+ \(.*Z3 \d+\.\d+.*\)\n", done.stdout)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nothing"],
        ["check", "--shard", "3/2"],
        ["verify", "no_such_op"],
        ["verify", "conv3d"],
        ["verify", "--unheard-of"],
        ["check", "good.py", "--jobs", "0"],
        ["check", "good.py", "--jobs", "many"],
        ["check", "good.py", "--rank", "40"],
        ["check", "good.py", "--rank", "0"],
        ["check", "good.py", "--limit", "-1"],
        ["check", "good.py", "--memory", "1"],
        ["check", "good.py", "--only", "nothing like it"],
        ["check", "good.py", "--only", "vjp", "--only", "nothing like it"],
        ["check", "good.py", "--json", "-", "--sarif", "-"],
        ["check", "good.py", "--json", "no/such/folder/file.json"],
        ["check", "good.py", "--save", "good.py"],
        ["check", "good.py::"],
        ["explain", "no_such_op"],
        ["explain", "unpad", "nothing like it"],
        ["list", "no_such_op"],
        ["completion", "tcsh"],
        ["new", "../x"],
        ["new", "a/b"],
        ["new", "lambda"],
        ["new", "x"],
        ["new", "good"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_clear_message(arguments, tmp_path):
    write(tmp_path, good=GOOD)
    done = gradproof(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("gradproof: ")
    assert "Traceback" not in done.stderr + done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == ["good.py"]


def test_a_misspelt_op_is_answered_with_a_near_one(tmp_path):
    assert "did you mean avg_pool?" in gradproof("verify", "avgpool", cwd=tmp_path).stderr
    write(tmp_path, good=GOOD)
    assert "gradproof check good.py" in gradproof("verify", "good.py", cwd=tmp_path).stderr
    assert "for the file, write good.py" in gradproof("explain", "good", cwd=tmp_path).stderr
    assert "did you mean conv?" in gradproof("list", "cnv", cwd=tmp_path).stderr


def test_an_unknown_option_is_answered_with_the_help_of_its_command(tmp_path):
    done = gradproof("list", "--ony", "vjp", cwd=tmp_path)
    assert done.stderr == "gradproof: unknown argument --ony\nTry 'gradproof list --help'.\n"


# Exit statuses.


def test_everything_as_expected_is_0(tmp_path):
    write(tmp_path, good=GOOD)
    done = gradproof("check", "good.py", "-v", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == "double   good.py:6"
    assert re.search(r"✓ proved +vjp +vjp x_bar +every rank", done.stdout)
    assert "all as expected" in done.stdout.splitlines()[-1]
    assert not done.stderr


def test_refuted_is_1(tmp_path):
    write(tmp_path, wrong=WRONG)
    done = gradproof("check", "wrong.py", cwd=tmp_path)
    assert done.returncode == 1
    assert re.search(r"✗ refuted +vjp +vjp x_bar", done.stdout)


def test_proved_that_should_not_be_is_1(tmp_path):
    write(tmp_path, pinned=PINNED)
    done = gradproof("check", "pinned.py", "--only", "pinned", cwd=tmp_path)
    assert done.returncode == 1
    assert "expected to be refuted" in done.stdout


def test_undecided_is_3_and_1_wins_over_3(tmp_path):
    slow = sabotaged("raise proving.Unsupported('sabotage')")
    write(tmp_path, slow=slow, both=sabotaged("raise RuntimeError('sabotage')", WRONG))
    done = gradproof("check", "slow.py", "--only", "jvp*", cwd=tmp_path)
    assert done.returncode == 3
    assert "gradproof explain" not in done.stdout
    done = gradproof("check", "both.py", "--only", "jvp*", "--only", "vjp*", cwd=tmp_path)
    assert done.returncode == 1
    assert re.search(r"✗ error +jvp +jvp by x +RuntimeError: sabotage", done.stdout)


def test_what_is_unknown_leads_to_its_explanation(tmp_path):
    write(tmp_path, slow=sabotaged("while True: pass"))
    done = gradproof("check", "slow.py", "--only", "jvp by x", "--timeout", 1, cwd=tmp_path)
    assert "given up after 1 s of processor time; see --timeout" in done.stdout
    assert "\nWhat is left to show: gradproof explain slow.py::double 'jvp by x'\n" in done.stdout
    done = gradproof("explain", "slow.py::double", "jvp by x", "--timeout", 1, cwd=tmp_path)
    for row in (
        "statement          ∂y[i′]/∂x[i′′] = ∂y_dot[i′]/∂x_dot[i′′]",
        "rule's entry       2·[i′ = i′′]",
        "settled            unknown, in 1.000 s of processor time (expected: proved)",
        "note               given up after 1 s of processor time; see --timeout",
        "to do              give it more with --timeout and --limit; or write the rule nearer",
    ):
        assert row in done.stdout


def test_a_size_formula_that_is_not_asked_about_is_told(tmp_path):
    told = "no windows=Windows(...)"
    assert gradproof("new", "pool", cwd=tmp_path).returncode == 0
    asked = (tmp_path / "pool.py").read_text("utf-8")
    unasked = "".join(line for line in asked.splitlines(True) if "windows=" not in line)
    write(tmp_path, unasked=unasked, good=GOOD)
    only = ("--only", "size")
    assert told in gradproof("check", "unasked.py", *only, cwd=tmp_path).stdout
    assert told not in gradproof("check", "pool.py", *only, cwd=tmp_path).stdout
    assert told not in gradproof("check", "good.py", cwd=tmp_path).stdout
    assert told not in gradproof("verify", "conv_transpose", *only, cwd=tmp_path).stdout


CHANGED = 'replace(double, name="wrong", vjp=Eq(cotangent(x)[i], 3 * cotangent(y)[i]))'


@pytest.mark.parametrize(
    "binding",
    [
        f"from gradproof.specs import unpad\nunpad = {CHANGED}\n",
        f"wrong = {CHANGED}\ndef f():\n    from numpy import array as wrong\n    return wrong\n",
        f"ops = {{'wrong': {CHANGED}}}\n",
        f"ops = [[{CHANGED}]]\n",
        f"double = {CHANGED}\n",
    ],
)
def test_no_op_vanishes_from_a_file(binding, tmp_path):
    write(tmp_path, some=f"{GOOD}\nfrom dataclasses import replace\n{binding}")
    done = gradproof("check", "some.py", "--only", "vjp x_bar", cwd=tmp_path)
    assert done.returncode == 1
    assert "refuted     vjp" in done.stdout


def test_what_is_settled_is_what_was_listed(tmp_path, monkeypatch):
    """A file that gives other definitions when it is loaded again gives errors, and no verdicts."""
    from gradproof.cli.workers.wire import Request, Target
    from gradproof.cli.workers.worker import answer

    monkeypatch.chdir(tmp_path)
    write(tmp_path, good=GOOD)
    file = Target("good.py")
    (op,) = answer(Request("describe", file))["ops"]
    settle = Request("settle", file, "double", 1, op["definition"])
    assert answer(settle)["verdict"]["status"] == "proved"
    assert "verdict" not in answer(replace(settle, definition="another"))


def test_verify_settles_the_named_ops_in_order(tmp_path):
    done = gradproof("verify", "unpad", "global_avg_pool2d", cwd=tmp_path)
    assert done.returncode == 0
    titles = [line.split()[1] for line in done.stdout.splitlines()[:2]]
    assert titles == ["unpad", "global_avg_pool2d"]


def test_an_op_as_expected_is_one_line(tmp_path):
    write(tmp_path, good=GOOD)
    done = gradproof("check", "good.py", cwd=tmp_path)
    op, verdict = done.stdout.splitlines()
    assert re.fullmatch(r"✓ double +8 proved   \d\.\d s   good\.py:6", op)
    assert verdict.startswith("8 theorems: 8 proved; all as expected. ")


def test_a_failure_is_shown_in_full_above_its_op(tmp_path):
    write(tmp_path, wrong=WRONG)
    done = gradproof("check", "wrong.py", cwd=tmp_path)
    title, failure, *lesson, op, verdict = done.stdout.splitlines()
    assert (title, failure.split()[:2]) == ("double   wrong.py:6", ["✗", "refuted"])
    assert any("the rule gives" in line for line in lesson)
    assert not any("✓" in line for line in lesson)
    assert re.fullmatch(r"✗ double +7 proved · 1 refuted   \d\.\d s", op)
    assert "; 1 not as expected." in verdict


def test_a_mark_says_what_its_word_says(tmp_path):
    """`✗ proved` was printed of what was to be refuted, `✓ refuted` of what is to be."""
    claim = 'Claim("{0}", {1}, refuted={{n: 1}}, twin="given"), '
    twin = 'Claim("given", {1}, given=(Eq(n, 2),))'
    claims = f"claims=({claim}{twin}),\n    forward"
    write(
        tmp_path,
        known=GOOD.replace("forward", claims.format("known", "Eq(n, 2)"), 1),
        true=GOOD.replace("forward", claims.format("true", "Eq(n, n)"), 1),
        narrow=LOOP.replace('scope="4 turns",', ""),
    )
    told = gradproof("check", "known.py", "true.py", "narrow.py", "-v", cwd=tmp_path).stdout
    assert re.search(r"✓ known-false +claim +known", told)
    assert re.search(r"✗ not false +claim +true .*expected to be refuted", told)
    assert re.search(r"~ narrow +jvp", told)
    assert not re.search(r"✗ proved|✓ refuted", told)
    counted = gradproof("check", "known.py", cwd=tmp_path).stdout
    assert re.search(r"✓ double +9 proved · 1 known-false refuted ", counted)


# Options.


def test_rank_narrows_the_scope(tmp_path):
    write(tmp_path, good=GOOD)
    done = gradproof("check", "good.py", "-v", "--rank", 2, "--only", "vjp x_bar", cwd=tmp_path)
    assert done.returncode == 0
    asked = r"rank 2; rests on 1 theorem not asked here\n"
    assert re.search(rf"✓ proved +vjp +vjp x_bar +{asked}", done.stdout)
    assert "every rank" not in done.stdout


def test_only_takes_globs_parts_and_the_op(tmp_path):
    write(tmp_path, good=GOOD)

    def chosen(*patterns: str) -> int:
        only = [part for p in patterns for part in ("--only", p)]
        done = gradproof("check", "good.py", "--json", "-", *only, cwd=tmp_path)
        return len(json.loads(done.stdout)["ops"][0]["theorems"])

    assert chosen("vjp x_b?r") == 1
    assert chosen("is linear") == 2
    assert chosen("double::vjp x_bar", "jvp by*") == 4


def test_limit_bounds_the_solver(tmp_path):
    done = gradproof("verify", "unpad", "--limit", 1, "--only", "forward", cwd=tmp_path)
    assert done.returncode == 3
    assert re.search(r"✗ unknown", done.stdout)


def test_jobs_change_nothing_that_is_shown(tmp_path):
    write(tmp_path, good=GOOD, wrong=WRONG)

    def lines(jobs: int) -> list[str]:
        done = gradproof("check", "good.py", "wrong.py", "-v", "--jobs", jobs, cwd=tmp_path)
        return done.stdout.splitlines()[:-1]

    assert lines(1) == lines(3)


def test_quiet_shows_only_what_is_not_as_expected(tmp_path):
    write(tmp_path, good=GOOD, wrong=WRONG)
    done = gradproof("check", "good.py", "wrong.py", "--quiet", cwd=tmp_path)
    assert "✓" not in done.stdout
    assert "good.py" not in done.stdout
    assert "✗ refuted" in done.stdout


def test_fail_fast_stops_at_the_first_failure(tmp_path):
    write(tmp_path, good=GOOD, wrong=WRONG)
    done = gradproof("check", "wrong.py", "good.py", "--fail-fast", cwd=tmp_path)
    assert done.returncode == 1
    assert "vjp x_bar\n" in done.stdout
    assert "Not settled: 8\n  double::" in done.stdout
    assert "good.py" not in done.stdout


def test_json_on_standard_output_is_nothing_but_json(tmp_path):
    write(tmp_path, loud='print("loud")\nimport os; os.write(1, b"louder")\n' + GOOD)
    done = gradproof("check", "loud.py", "--json", "-", cwd=tmp_path)
    assert json.loads(done.stdout)["summary"] == {"proved": 8}
    assert "loud" in done.stderr
    assert "louder" in done.stderr
    assert "8 theorems" in done.stderr


def test_save_writes_a_file_that_fails_with_numpy_alone(tmp_path):
    write(tmp_path, wrong=WRONG)
    done = gradproof("check", "wrong.py", "--save", "failures", cwd=tmp_path)
    saved = tmp_path / "failures" / "test_double_vjp_x_bar.py"
    assert f"Saved {saved.relative_to(tmp_path)}" in done.stdout
    found = re.findall(r"^(?:import|from) (\w+)", saved.read_text("utf-8"), re.MULTILINE)
    assert found == ["numpy"]
    run = subprocess.run([sys.executable, "-I", saved], capture_output=True, encoding="utf-8")
    assert run.returncode == 1
    assert "the derivative is 2, the rule gives 3" in run.stderr
    plain = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    tested = [sys.executable, "-m", "pytest", "-q", *plain, saved]
    run = subprocess.run(tested, capture_output=True, encoding="utf-8", cwd=tmp_path)
    assert "1 failed" in run.stdout


def test_a_broken_pipe_ends_quietly(tmp_path):
    write(tmp_path, good=GOOD)
    line = f"set -o pipefail; {IN_SHELL} check good.py --jobs 1 | true"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 141
    assert not done.stderr


def test_debug_shows_tracebacks(tmp_path):
    write(tmp_path, raises="1 / 0\n")
    assert "Traceback" not in gradproof("check", "raises.py", cwd=tmp_path).stderr
    assert "Traceback" in gradproof("check", "raises.py", "--debug", cwd=tmp_path).stderr


# What cannot be written.


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [[], ["--quiet"], ["--json", "-"], ["--json", "/dev/full"]])
def test_a_full_disk_is_told_in_one_line(arguments, tmp_path):
    write(tmp_path, good=GOOD)
    with open("/dev/full", "wb") as full:
        done = gradproof("check", "good.py", *arguments, cwd=tmp_path, stdout=full.fileno())
    assert done.returncode == 2
    told = done.stderr.splitlines()[-1]
    assert told.startswith("gradproof: ")
    assert told.endswith(
        "could not be written: No space left on device; make room there and run it again"
    )
    assert "Traceback" not in done.stderr


def test_a_definition_to_start_from_is_whole_or_not_there(tmp_path):
    done = subprocess.run(
        [COMMAND, "new", "my_op"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
    )
    assert done.returncode == 2
    assert "my_op.py could not be written: File too large; make room" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_device_or_a_link_stays_what_it_is(tmp_path):
    write(tmp_path, good=GOOD)
    (tmp_path / "link.json").symlink_to("there.json")
    only = ("--only", "vjp x_bar")
    assert gradproof("check", "good.py", *only, "--json", "link.json", cwd=tmp_path).returncode == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "there.json").read_text("utf-8"))["summary"] == {"proved": 3}
    done = gradproof("check", "good.py", *only, "--json", "/dev/stderr", cwd=tmp_path)
    assert json.loads(done.stderr)["summary"] == {"proved": 3}
    assert Path("/dev/stderr").exists()


# How far proofs go.


def test_a_summary_names_what_is_of_limited_scope(tmp_path):
    """A rule that is wrong for more than 30 cells was "all as expected", and nothing else said."""
    write(tmp_path, loop=LOOP, good=GOOD)
    done = gradproof("check", "loop.py", "good.py", "--quiet", cwd=tmp_path)
    assert f"Of limited scope: 4 proofs, {FEW_TURNS}.\n" in done.stdout
    done = gradproof("check", "good.py", "--quiet", "--rank", "2", cwd=tmp_path)
    assert "Of limited scope: 7 proofs, rank 2.\n" in done.stdout
    assert "limited" not in gradproof("check", "good.py", cwd=tmp_path).stdout


def test_a_summary_names_what_rests_on_nothing(tmp_path):
    write(tmp_path, undefined=UNDEFINED)
    done = gradproof("check", "undefined.py", "--quiet", cwd=tmp_path)
    assert "Says nothing while what it rests on is not proved: " in done.stdout
    done = gradproof("check", "undefined.py", "--quiet", "--only", "jvp by x", cwd=tmp_path)
    assert "Rests on theorems that were not asked: 1 proof.\n" in done.stdout


def test_a_project_under_the_prefix_is_not_installed():
    """In a project that is its own virtual environment, one file had the helpers of another."""
    assert not str(Path(sys.prefix) / "project" / "common.py").startswith(INSTALLED)
    assert os.__file__.startswith(INSTALLED)
    assert pytest.__file__.startswith(INSTALLED)


# On a terminal.


def on_terminal(arguments: list[str], cwd: Path, **env: str) -> str:
    ours, theirs = pty.openpty()
    process = started("command", arguments, (theirs, theirs, theirs), cwd, environment(**env))
    os.close(theirs)
    found = b""
    try:
        while part := os.read(ours, 65536):
            found += part
    except OSError:  # the end, on Linux
        pass
    process.wait(300)
    os.close(ours)
    return found.decode("utf-8", "replace")


def test_a_terminal_shows_live_progress_in_colours(tmp_path):
    write(tmp_path, good=GOOD)
    shown = on_terminal(["check", "good.py"], tmp_path)
    assert "theorems settled" in shown
    assert "\x1b[32m" in shown
    assert "8 theorems: 8 proved" in shown


def test_a_terminal_shows_what_is_kept_at_once(tmp_path):
    write(tmp_path, wrong=WRONG)
    kept = {"GRADPROOF_CACHE": str(tmp_path / "cache")}
    first, second = (on_terminal(["check", "wrong.py", "-v"], tmp_path, **kept) for _ in range(2))
    assert "theorems settled" in first
    assert "theorems settled" not in second
    assert "8 from the cache" in second
    for part in ("\x1b[1mdouble   wrong.py:6\x1b[0m", "\x1b[32m✓ proved", "\x1b[1;31m✗ refuted"):
        assert part in first
        assert part in second


def test_a_narrow_terminal_still_shows_the_scope(tmp_path):
    name = "the size of every double is the size that it had"
    claim = f'claims=(Claim("{name}", Eq(n, n)),),\n    forward'
    write(tmp_path, good=GOOD.replace("forward", claim, 1))
    shown = on_terminal(["check", "-v", "good.py", "--only", "vjp x_bar"], tmp_path, COLUMNS="80")
    assert re.search(r"vjp x_bar +every rank\b", shown)
    shown = on_terminal(["check", "-v", "good.py"], tmp_path, COLUMNS="80")
    assert re.search(r"vjp x_bar +every rank\b", shown)


def test_a_narrow_terminal_cuts_nothing_off(tmp_path):
    """What limits a proof was cut off with the end of its line."""
    write(tmp_path, loop=LOOP, undefined=UNDEFINED)
    shown = on_terminal(["check", "loop.py", "undefined.py", "-v"], tmp_path, COLUMNS="80")
    words = " ".join(re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown).split())
    assert words.count(FEW_TURNS) == 4 + 1
    assert words.count("says nothing while 'forward: divisors and logarithms' is not proved") > 1
    assert "…" not in words


def test_what_rests_on_a_rule_that_is_not_linear_says_so(tmp_path):
    write(tmp_path, shifted=GOOD.replace("2 * cotangent(y)[i]", "2 * cotangent(y)[i] + 1"))
    done = gradproof("check", "shifted.py", cwd=tmp_path)
    assert "  - void        vjp         vjp x_bar " in done.stdout
    assert "  ✓ proved      vjp " not in done.stdout
    shown = " ".join(done.stdout.split())
    assert "vjp x_bar every rank; says nothing while 'vjp x_bar is linear' is not proved" in shown
    assert "Says nothing while what it rests on is not proved: 1 proof." in shown


def test_a_stream_without_ticks_still_tells_right_from_wrong(tmp_path):
    write(tmp_path, wrong=WRONG)
    done = subprocess.run(
        [COMMAND, "check", "wrong.py", "-v", "--jobs", "1"],
        cwd=tmp_path,
        env=environment(PYTHONIOENCODING="ascii"),
        capture_output=True,
        check=False,
    )
    marks = {
        line.split()[0] for line in done.stdout.decode("ascii").splitlines() if " proved " in line
    }
    wrong = [line.split()[0] for line in done.stdout.decode().splitlines() if " refuted " in line]
    assert (marks, wrong) == ({"+"}, ["!"])


@pytest.mark.parametrize(("arguments", "env"), [(["--no-color"], {}), ([], {"NO_COLOR": "1"})])
def test_without_colours(arguments, env, tmp_path):
    write(tmp_path, good=GOOD)
    shown = on_terminal(["check", "good.py", *arguments], tmp_path, **env)
    assert "theorems settled" in shown
    assert not re.search(r"\x1b\[3\dm", shown)


def test_in_ci_there_are_plain_lines(tmp_path):
    write(tmp_path, good=GOOD)
    assert "\x1b" not in on_terminal(["check", "good.py"], tmp_path, CI="true")


# Interrupts.

ASLEEP = "import time; time.sleep(600)"


def come_to_be(folder: Path, pattern: str, count: int, run: subprocess.Popen[Any]) -> None:
    """Waits for files, and until the command took in what was answered before they were written."""
    while len(list(folder.glob(pattern))) < count:
        assert run.poll() is None
        time.sleep(0.05)
    for _ in range(3):
        while not is_at_rest(run.pid):
            time.sleep(0.05)
        time.sleep(0.1)


def is_at_rest(pid: int) -> bool:
    """Whether each of its threads waits for something: none has anything to read."""
    stats = [path / "stat" for path in Path(f"/proc/{pid}/task").glob("*")]
    return all(stat.read_text().rpartition(")")[2].split()[0] == "S" for stat in stats)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_is_settled(number, tmp_path):
    """The workers write their numbers down; none of them is left."""
    notes = "import os; open(f'worker{os.getpid()}', 'w').close()\n"
    write(tmp_path, slow=notes + sabotaged(ASLEEP))
    outputs = ["--json", "found.json", "--junit", "found.xml"]
    command = [COMMAND, "check", "slow.py", "-v", *outputs, "--jobs", "2"]
    run = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, encoding="utf-8")
    assert run.stdout is not None
    while "vjp x_bar: reads" not in run.stdout.readline():
        assert run.poll() is None
    run.send_signal(number)
    rest = run.stdout.read()
    assert run.wait(300) == 130
    run.stdout.close()
    assert "Interrupted." in rest
    assert "double::jvp by x" in rest
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert found["interrupted"]
    assert found["ops"][0]["theorems"]
    assert "double::jvp by x" in found["unsettled"]
    junit = ElementTree.parse(tmp_path / "found.xml").getroot()
    assert junit.get("errors") == str(len(found["unsettled"]))
    assert junit.find(".//testcase[@name='jvp by x']/error[@type='unsettled']") is not None
    pids = [int(p.name.removeprefix("worker")) for p in tmp_path.glob("worker*")]
    assert pids
    assert not any(lives(pid) for pid in pids)


def test_an_interrupt_keeps_what_is_settled_before_what_it_rests_on(tmp_path):
    """One worker settles the VJP while the other never ends with the reads."""
    another = GOOD.partition("\n\n")[2].replace("double", "later")
    note = f"import os; open(f'asleep{{os.getpid()}}', 'w').close(); {ASLEEP}"
    write(tmp_path, slow=sabotaged(note, GOOD + another, "forward: reads and writes"))
    command = [COMMAND, "check", "slow.py", "--json", "found.json", "--jobs", "2"]
    run = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, encoding="utf-8")
    come_to_be(tmp_path, "asleep*", 2, run)  # the second one is at the other op
    run.send_signal(signal.SIGINT)
    shown, _ = run.communicate(timeout=300)
    assert run.returncode == 130
    assert re.findall("^  double::.*", shown, re.M) == ["  double::forward: reads and writes"]
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert "vjp x_bar" in [theorem["name"] for theorem in found["ops"][0]["theorems"]]


def test_no_interrupt_prevents_what_is_settled_from_being_written(tmp_path):
    """It waits for a reader of the pipe when the interrupt comes."""
    write(tmp_path, good=GOOD)
    os.mkfifo(tmp_path / "pipe")
    command = [COMMAND, "check", "good.py", "--json", "pipe", "--jobs", "1"]
    run = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, encoding="utf-8")
    assert run.stdout is not None
    while "8 theorems" not in run.stdout.readline():
        assert run.poll() is None
    run.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert json.loads((tmp_path / "pipe").read_text("utf-8"))["summary"] == {"proved": 8}
    assert run.wait(300) == 0
    run.stdout.close()


def test_an_interrupt_tells_what_was_not_loaded_and_what_is_no_definition(tmp_path):
    """Two files take long to load; the one between them is known when the last is begun."""
    slow = f"open(__file__ + '.loading', 'w').close(); {ASLEEP}\n{GOOD}"
    write(tmp_path, slow=slow, broken="1 / 0\n", later=slow)
    names = ("slow.py", "broken.py", "later.py")
    outputs = ["--json", "found.json", "--junit", "found.xml"]
    command = [COMMAND, "check", *names, *outputs, "--jobs", "2", "--timeout", "100"]
    run = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    come_to_be(tmp_path, "*.loading", 2, run)
    run.send_signal(signal.SIGINT)
    out, said = (text.decode() for text in run.communicate(timeout=300))
    assert run.returncode == 130
    assert "broken.py:1: it raises ZeroDivisionError" in said
    assert "Not settled: 2\n  slow.py\n  later.py\n" in out
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert found["unsettled"] == ["slow.py", "later.py"]
    assert [p["file"] for p in found["problems"]] == ["broken.py"]
    junit = ElementTree.parse(tmp_path / "found.xml").getroot()
    assert {suite.get("name") for suite in junit} == set(names)
    assert junit.get("errors") == "3"


def lives(pid: int) -> bool:
    for _ in range(3000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.1)
    return True


# The other commands.


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:100], "is no record"),
        (lambda text: "[]", "is no record"),
        (lambda text: text.replace('"theorems"', '"theses"', 1), "is no record"),
        (lambda text: text.replace('"sha256": "', '"sha256": "0'), "is of another definition of"),
    ],
)
def test_list_believes_no_record_of_something_else(change, said, tmp_path, monkeypatch):
    text = (listing.PROOFS / "unpad.json").read_text("utf-8")
    (tmp_path / "unpad.json").write_text(change(text), "utf-8")
    monkeypatch.setattr(listing, "PROOFS", tmp_path)
    with pytest.raises(UsageError, match=f"unpad.json {said}.*'gradproof verify unpad' settles it"):
        listing.recorded("unpad")


def test_list_believes_a_record_of_the_files_that_are_there(monkeypatch):
    """Then nothing is built; where a file has changed, the definition itself must be the same."""
    monkeypatch.setattr("gradproof.report.records.record_of", None)
    assert listing.recorded("unpad").op == "unpad"
    monkeypatch.setattr(recorded, "digest", recorded.digest.__wrapped__)
    monkeypatch.setattr(recorded, "source", lambda module: b"edited")
    with pytest.raises(TypeError, match="not callable"):
        listing.recorded("unpad")


def test_a_file_imports_what_its_syntax_tree_says():
    for path in recorded.SUITE.glob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        said = [
            a.name for n in nodes if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names
        ]
        said += [n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)]
        parts = {HOMES.get(part, part) for name in said for part in name.split(".")}
        files = {part for part in parts if (recorded.SUITE / f"{part}.py").is_file()}
        assert recorded.imported(path.stem) == files


def test_a_stamp_is_of_all_files_that_define_an_op(monkeypatch):
    text = recorded.source
    monkeypatch.setattr(recorded, "digest", recorded.digest.__wrapped__)
    found = recorded.reached("pool2d_pad")
    assert {"__init__", "pool2d_pad", "pool2d", "max_pool", "geometry", "plane"} <= found
    before = recorded.stamp("max_pool2d_pad", "definition")
    assert before != recorded.stamp("max_pool2d_pad", "another")
    for edited in found:
        changed = lambda module, edited=edited: text(module) + b" " * (module == edited)  # noqa: E731 - a shorthand of this test alone
        monkeypatch.setattr(recorded, "source", changed)
        assert before != recorded.stamp("max_pool2d_pad", "definition")


def test_list_takes_no_folder_for_a_record(tmp_path, monkeypatch):
    (tmp_path / "unpad.json").mkdir()
    monkeypatch.setattr(listing, "PROOFS", tmp_path)
    with pytest.raises(UsageError, match="is no record"):
        listing.recorded("unpad")


def test_list_shows_the_records(tmp_path):
    done = gradproof("list", cwd=tmp_path)
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(HOMES)
    done = gradproof("list", "avg_pool", cwd=tmp_path)
    assert re.search(r"proved +vjp +vjp x_bar +every rank\n", done.stdout)
    assert re.search(r"refuted +claim +.*\(known to be false\)\n", done.stdout)


def test_new_writes_a_definition_that_checks_green(tmp_path):
    assert gradproof("new", "my_op", cwd=tmp_path).returncode == 0
    assert (tmp_path / "my_op.py").read_text("utf-8").count("#") > 5
    done = gradproof("check", "my_op.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    again = gradproof("new", "my_op", cwd=tmp_path)
    assert again.returncode == 2
    assert "exists already" in again.stderr
    hiding = gradproof("new", "sympy", cwd=tmp_path)
    assert hiding.returncode == 2
    assert "'sympy' is a module already, which sympy.py would hide" in hiding.stderr


def test_completion_completes_commands_options_and_ops(tmp_path):
    script = gradproof("completion", "bash", cwd=tmp_path).stdout

    def completed(*words: str) -> list[str]:
        line = " ".join(f"'{word}'" for word in words)
        ask = (
            f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _gradproof; echo ${{COMPREPLY[@]}}"
        )
        done = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True)
        assert not done.stderr
        return done.stdout.split()

    assert completed("gradproof", "ver") == ["verify"]
    assert completed("gradproof", "verify", "conv_t") == ["conv_transpose", "conv_transpose2d"]
    assert completed("gradproof", "check", "--fail") == ["--fail-fast"]
    for shell in ("zsh", "fish"):
        assert "conv_transpose2d" in gradproof("completion", shell, cwd=tmp_path).stdout


def test_explain_shows_both_entries_and_how_it_was_settled(tmp_path):
    done = gradproof("explain", "unpad", "vjp x_bar", cwd=tmp_path)
    assert done.returncode == 0
    assert "unpad: vjp x_bar\n" in done.stdout
    for title in ("statement", "given", "derived entry", "rule's entry", "settled"):
        assert re.search(rf"^    {title} +\S", done.stdout, re.MULTILINE), title
    assert "is linear" not in done.stdout.partition("rests on")[0]
    statement, bound = (
        set(re.findall(r"\b[co]′+", re.search(rf"^    {title} .*$", done.stdout, re.MULTILINE)[0]))
        for title in ("statement", "for all")
    )
    assert statement == bound
    assert "proved for every rank, by " in done.stdout
    assert re.search(r"^    derivation +one-point rule:$", done.stdout, re.MULTILINE)
    assert "\\" not in done.stdout


def test_explain_a_refutation_in_a_file(tmp_path):
    write(tmp_path, wrong=WRONG)
    done = gradproof("explain", "wrong.py::double", cwd=tmp_path)
    assert done.returncode == 1
    assert f"double: vjp x_bar   wrong.py:{LINE_OF_VJP}\n" in done.stdout
    assert re.search(r"rule's entry +3·\[", done.stdout)
    assert re.search(r"the rule gives +∂x_bar\[0\]/∂y_bar\[0\] = 3", done.stdout)


def test_the_command_may_run_in_a_thread(capsys):
    """It ended with a traceback, as only the main thread may take signals."""
    found = []
    thread = Thread(target=lambda: found.append(main(["list", "unpad"])))
    thread.start()
    thread.join()
    assert found == [0]
    assert "theorems" in capsys.readouterr().out


AMAX = """
from gradproof.language import *

C, c, j, n, N = integers("C c j n N")
x, y = array("x", N, C), array("y", N)
largest = maximum(x[n, j], (j, 0, C - 1))
first = bracket(winner(j, x[n, c], (c, 0, C - 1)))
amax = Op(
    "amax",
    requires=(C >= 1,),
    forward=Eq(y[n], largest),
    jvp=Eq(tangent(y)[n], Sum(first * tangent(x)[n, j], (j, 0, C - 1))),
    vjp=Eq(cotangent(x)[n, c], bracket(Eq(x[n, c], largest)) * cotangent(y)[n]),
)
"""


def test_the_whole_gradient_to_every_tie_is_refuted_unless_that_is_waived(tmp_path):
    """It was told with a green mark, and passed."""
    waived = AMAX.replace("requires=", 'ties="any",\n    requires=')
    write(tmp_path, amax=AMAX, waived=waived)
    done = gradproof("check", "amax.py", "--only", "*ties*", cwd=tmp_path)
    assert done.returncode == 1
    assert "✗ refuted     ties        x_bar at ties: weights sum to 1" in done.stdout
    assert 'share it among the winners or give it to one of them; ties="any"' in done.stdout
    assert gradproof("check", "amax.py", "--quiet", cwd=tmp_path).returncode == 1
    done = gradproof("check", "waived.py", "-v", "--only", "*ties*", cwd=tmp_path)
    assert done.returncode == 0
    assert "- waived      ties" in done.stdout
    assert 'Waived by ties="any": 1 refutation.' in done.stdout


def test_shared_among_winners_it_is_proved(tmp_path):
    number = "Sum(bracket(Eq(x[n, j], largest)), (j, 0, C - 1))"
    write(tmp_path, amax=AMAX.replace("cotangent(y)[n]),", f"cotangent(y)[n] / {number}),"))
    done = gradproof("check", "amax.py", "--only", "*ties*", cwd=tmp_path)
    assert (done.returncode, "2 theorems: 2 proved" in done.stdout) == (0, True)


CLAUSES = """
from gradproof.language import *

N, K, i, j = integers("N K i j")
x, y = array("x", N), array("y", N)
half = Op(
    "half",
    requires=(N >= 1, K >= 1),
    forward=Eq(y[i], Sum(x[i], (j, 1, K)) / K),
    jvp=Eq(tangent(y)[i], tangent(x)[i]),
    vjp=Eq(cotangent(x)[i], cotangent(y)[i]),
)
"""


def test_what_clauses_are_needed_for_is_told_apart_and_last(tmp_path):
    """They were counted as proved, and took most of the time of a check."""
    write(tmp_path, half=CLAUSES)
    done = gradproof("check", "half.py", cwd=tmp_path)
    assert (done.returncode, "requires N" in done.stdout) == (0, False)
    done = gradproof("check", "half.py", "-v", "--needed", "--json", "found.json", cwd=tmp_path)
    assert done.returncode == 0
    *_, first, second, summary = done.stdout.splitlines()
    assert first.startswith("  - convention  needed      requires N ≥ 1")
    assert second.startswith("  - needed      needed      requires K ≥ 1")
    assert " proved, 1 needed, 1 convention; all as expected." in summary
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert found["summary"].keys() == {"proved", "needed", "convention"}
    assert [th["outcome"] for th in found["ops"][0]["theorems"][-2:]] == ["convention", "needed"]
    assert gradproof("check", "half.py", "--only", "requires N*", cwd=tmp_path).returncode == 0


def test_a_need_that_is_undecided_changes_no_exit_status(tmp_path):
    """Two ops with every rule proved ended with 3."""
    hard = CLAUSES.replace("K >= 1)", "K * K * K + N >= 2 * K * N - 7)")
    hard = hard.replace("Sum(x[i], (j, 1, K)) / K", "x[i]")
    write(tmp_path, half=hard)
    options = ("-v", "--needed", "--only", "requires K*", "--limit", "1", "--no-cache")
    done = gradproof("check", "half.py", *options, cwd=tmp_path)
    assert done.returncode == 0
    assert "- undecided   needed" in done.stdout
    assert "1 theorem: 1 undecided; all as expected." in done.stdout
