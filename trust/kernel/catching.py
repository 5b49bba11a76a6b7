"""Runs tests with a bug in the kernel, and says whether they catch it. Untrusted.

Each bug is planted in a process of its own, forked before anything was computed. A bug is caught
only if an assertion fails: a test that crashes shows that the bug could not be planted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from trust.kernel.bugs import Bug
from trust.kernel.planting import loaded

ROOT = Path(__file__).parents[2]
ANSWERS = {0: "missed", 1: "caught"}
CRASHED = 2
# The kernel is imported before pytest can rewrite its assertions.
REWRITING = "ignore::pytest.PytestAssertRewriteWarning"
QUIETLY = ("-x", "-n0", "--tb=no", "-p", "no:cacheprovider", "-W", REWRITING)
# That it fails is enough: no smaller example of it is looked for.
FIRST = "the first failure"
settings.register_profile(
    FIRST, derandomize=True, deadline=None, phases=(Phase.explicit, Phase.generate)
)


class Watcher:
    """Tells a failed assertion from a crash."""

    def __init__(self) -> None:
        self.failures: list[bool] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: Any) -> Any:
        if call.excinfo is not None:
            self.failures.append(is_assertion(call.excinfo.value))
        return (yield)


def is_assertion(failure: BaseException) -> bool:
    if isinstance(failure, BaseExceptionGroup):
        return all(map(is_assertion, failure.exceptions))
    return isinstance(failure, AssertionError | pytest.fail.Exception)


def caught(bugs: tuple[Bug, ...]) -> Iterator[tuple[Bug, str]]:
    """Whether each bug is caught, missed, or makes the tests crash."""
    loaded()
    for bug in bugs:
        pid = os.fork()
        if pid == 0:
            os._exit(outcome(bug))
        _, status = os.waitpid(pid, 0)
        yield bug, ANSWERS.get(os.waitstatus_to_exitcode(status), "crashed")


def outcome(bug: Bug) -> int:
    os.chdir(ROOT)
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
        os.dup2(silence, stream.fileno())
    watcher = Watcher()
    try:
        bug.plant()
        code = pytest.main(
            [*QUIETLY, f"--hypothesis-profile={FIRST}", *bug.tests], plugins=[watcher]
        )
    except BaseException:
        return CRASHED
    if code == pytest.ExitCode.TESTS_FAILED:
        return 1 if watcher.failures == [True] else CRASHED
    return 0 if code == pytest.ExitCode.OK else CRASHED
