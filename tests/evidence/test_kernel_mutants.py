"""Bugs of the kernel: each is caught by the tests named for it, run alone."""

import pytest
from commands import trust

from trust.kernel.bugs import BUGS, Bug
from trust.kernel.catching import caught
from trust.kernel.planting import MODULES, PATHS

PARTS = sorted({bug.place.split(".")[0] for bug in BUGS})
QUICK = "tests/settle/test_check.py::test_right_and_wrong"


def test_there_are_enough_with_names_of_their_own():
    assert len({bug.name for bug in BUGS}) == len(BUGS) >= 25
    assert all(bug.tests for bug in BUGS)


def bugs_of(part):
    return [bug.name for bug in BUGS if bug.place.split(".")[0] == part]


@pytest.mark.parametrize("part", PARTS)
def test_a_bug_of_each_part_is_caught(part):
    """In a process of its own, where nothing is remembered yet."""
    assert_caught(*bugs_of(part)[:1])


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_each_bug_is_caught(part):
    assert_caught(*bugs_of(part))


def assert_caught(*names):
    found = trust("kernel", *names)
    lines = found.stdout.splitlines()
    assert [line for line in lines if not line.startswith("caught")] == []
    assert len(lines) == len(names), found.stderr


def test_a_module_is_named_by_its_file_alone():
    assert len(MODULES) == len(PATHS)


def answer(place, change):
    ((_, found),) = caught((Bug("some", place, change, (QUICK,)),))
    return found


def test_a_change_that_changes_nothing_is_missed():
    assert answer("check.is_pinned", lambda function: lambda *args: function(*args)) == "missed"


def test_a_bug_that_crashes_is_not_caught():
    assert answer("check.settled", lambda function: lambda: None) == "crashed"
    assert answer("check.no_such_function", lambda function: function) == "crashed"
