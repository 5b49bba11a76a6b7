"""Long runs give up what does not end, and leave no process behind."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from trust.processes import apart, workers
from trust.source import ROOT


@pytest.mark.parametrize(
    ("work", "found"),
    [
        (partial(pow, 2, 3), 8),
        (partial(pow, 7, 10**9), None),  # one call for minutes, which no signal reaches
        (partial(os._exit, 3), None),
    ],
)
def test_work_apart_is_given_up(work, found):
    with workers(1) as pool:
        assert pool.submit(apart, work, 1).result() == found


def test_workers_end_where_nobody_waits():
    started = time.monotonic()
    with workers(2) as pool:
        for _ in range(4):
            pool.submit(time.sleep, 600)
    assert time.monotonic() - started < 300


def comes_to(condition):
    """Within ten minutes: a busy machine takes its time."""
    for _ in range(6000):
        if condition():
            return True
        time.sleep(0.1)
    return False


def has_ended(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks at /proc")
def test_a_run_that_is_ended_leaves_no_process_behind():
    run = subprocess.Popen(
        [sys.executable, "-m", "trust", "truth"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
    try:
        assert comes_to(lambda: len(children.read_text().split()) >= 3)  # one tracks the others
        run.send_signal(signal.SIGTERM)
        _, said = run.communicate()
        assert run.returncode == 1
        assert said.startswith("interrupted; with --record, mutants and truth go on from here")
        assert comes_to(lambda: has_ended(run.pid))
    finally:
        if not has_ended(run.pid):
            os.killpg(run.pid, signal.SIGKILL)
