"""How long a theorem may take in the Python API, as on the command line."""

import signal
import threading
import time

import pytest

from gradproof import verify
from gradproof.settle import suite
from gradproof.settle.conclusions import Finding
from gradproof.settle.timing import OutOfTime, given_up_after
from gradproof.specs import unpad
from gradproof.theorems.statuses import Status


def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(10_000))


def test_what_takes_too_long_is_open(monkeypatch):
    monkeypatch.setattr(suite, "settled", lambda *_: work(30))
    start = time.process_time()
    report = verify(unpad, timeout=0.2)
    assert time.process_time() - start < 20
    assert report.status == "unknown"
    late = {v.note for v in report.verdicts if v.status == "unknown"}
    assert late == {"given up after 0.2 s of processor time; see timeout"}
    assert {v.status for v in report.verdicts} == {"proved", "unknown"}


def test_what_is_in_time_is_as_without_a_limit():
    assert verify(unpad, timeout=None) == verify(unpad) == verify(unpad, timeout=1_000)


def test_time_that_passes_asleep_does_not_count():
    with given_up_after(0.1):
        time.sleep(0.3)


def test_a_limit_that_was_there_stays():
    seen = []
    before = signal.signal(signal.SIGVTALRM, lambda *_: seen.append("late"))
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
        with given_up_after(5):  # which has more time than is left
            work(0.4)
        assert seen == ["late"]
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.4)
        with pytest.raises(OutOfTime), given_up_after(0.1):
            work(1)
        assert signal.getsignal(signal.SIGVTALRM)
        work(0.6)
        assert seen == ["late", "late"]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_other_threads_have_no_timers():
    found = []

    def other():
        with given_up_after(0.01):
            work(0.1)
        found.append("done")

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert found == ["done"]


def test_an_interrupted_theorem_is_no_verdict(monkeypatch):
    """It ends in an exception that nothing which settles catches."""
    assert not issubclass(OutOfTime, Exception)
    monkeypatch.setattr(suite, "settled", lambda *_: Finding(Status.UNKNOWN))
    assert verify(unpad).status == "unknown"
