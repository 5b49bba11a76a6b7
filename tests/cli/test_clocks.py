"""Limits are in processor time: what a busy machine or a sleeping process does not change."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import GOOD, sabotaged, write

from gradproof.cli.workers import clocks, supervisor
from gradproof.cli.workers.clocks import TooLong, loading_ends_after, process_ends_after
from gradproof.cli.workers.load import Unreadable, load
from gradproof.cli.workers.supervisor import Lost, Worker
from gradproof.cli.workers.wire import Request, Target

BUSY = "while True: pass"
NESTED = """\
import z3
x, y, z = z3.Ints("x y z")
solver = z3.Solver()
solver.add(x > 1, y > 1, z > 1, x * x * x + y * y * y == z * z * z)
solver.check()
"""
LIMITED = """\
from gradproof.cli.workers.clocks import process_ends_after
with process_ends_after(0.5):
{work}
"""


def asked(path, number=-1, definition="", do="describe", op=""):
    from dataclasses import asdict

    return asdict(Request(do, Target(str(path)), op, number, definition))


def forever():
    while True:
        pass


@pytest.fixture
def worker():
    found = Worker(4096)
    yield found
    found.close()


@pytest.mark.parametrize("work", [BUSY, "pow(7, 10**9)", NESTED], ids=["Python", "C", "Z3"])
def test_the_system_ends_what_uses_too_much(work):
    """Neither a thread nor a handler of Python's would run in the midst of a call to C."""
    indented = "".join(f"    {line}\n" for line in work.splitlines())
    program = LIMITED.format(work=indented)
    done = subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[2])
    assert done.returncode == -signal.SIGPROF


def test_the_time_that_others_use_does_not_count():
    """Asleep for longer than the limit, and then at work for less."""
    with process_ends_after(0.2):
        time.sleep(0.4)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_an_ignored_signal_of_the_parent_is_none_of_the_worker():
    program = LIMITED.format(work=f"    {BUSY}")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[2],
        preexec_fn=lambda: signal.signal(signal.SIGPROF, signal.SIG_IGN),
    )
    assert done.returncode == -signal.SIGPROF


def test_a_file_that_sleeps_is_interrupted_in_the_end(tmp_path, monkeypatch):
    """The file itself lets the time pass: however slow the machine, it is at its second line."""
    passes = "signal.setitimer(signal.ITIMER_REAL, 0.01)"
    write(tmp_path, sleeping=f"import signal, time\n{passes}; time.sleep(600)\n")
    monkeypatch.setattr(loading_ends_after.__wrapped__, "__defaults__", (300,))
    with pytest.raises(Unreadable, match=r"still loading after 300 s; a definition") as found:
        load(tmp_path / "sleeping.py", seconds=10)
    assert found.value.line == 2


def test_a_file_that_sleeps_for_less_is_loaded(tmp_path):
    write(tmp_path, sleeping=f"import time\ntime.sleep(0.5)\n{GOOD}")
    (found,) = load(tmp_path / "sleeping.py", seconds=0.4)
    assert found.op.name == "double"


def test_loading_leaves_timers_and_handlers_as_they_were():
    before = [signal.getsignal(number) for number, _ in clocks.TIMERS]
    signal.setitimer(signal.ITIMER_VIRTUAL, 600)
    signal.setitimer(signal.ITIMER_REAL, 0)
    with pytest.raises(TooLong, match=r"0\.1 s of processor time"), loading_ends_after(0.1):
        forever()
    assert [signal.getsignal(number) for number, _ in clocks.TIMERS] == before
    assert 500 < signal.setitimer(signal.ITIMER_VIRTUAL, 0)[0] < 599.95
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_worker_that_sleeps_is_given_up_in_the_end(worker, tmp_path, monkeypatch):
    write(tmp_path, good=sabotaged("import time; time.sleep(600)"))
    path = tmp_path / "good.py"
    (op,) = worker.ask(asked(path), 10)["ops"]
    number = [theorem["name"] for theorem in op["theorems"]].index("jvp by x")
    monkeypatch.setattr(supervisor, "patience", lambda _: 0.5)
    with pytest.raises(Lost, match=r"given up after 0\.5 s without an answer") as lost:
        worker.ask(asked(path, number, op["definition"], "settle", "double"), 10)
    assert lost.value.timed_out
    assert not lost.value.from_outside


def test_a_limit_is_of_one_request_alone(worker, tmp_path):
    """Several requests of a worker take more than the limit in all, and each far less."""
    busy = "import time; start = time.process_time()\nwhile time.process_time() - start < 0.4: 0\n"
    for number in range(5):
        path = tmp_path / f"slow{number}.py"
        path.write_text(GOOD + busy, "utf-8")
        assert "ops" in worker.ask(asked(path), 1.5)


def test_a_worker_ended_by_its_limit_leaves_no_process(worker, tmp_path):
    child = "import subprocess; subprocess.Popen(['sleep', '600'])\n"
    write(tmp_path, busy=f"import signal\nsignal.signal(signal.SIGVTALRM, 1)\n{child}{BUSY}\n")
    with pytest.raises(Lost, match="given up after 1 s of processor time"):
        worker.ask(asked(tmp_path / "busy.py"), 1)
    for _ in range(3000):
        try:
            os.killpg(worker.process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("its child lives on")
