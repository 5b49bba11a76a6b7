"""What Hypothesis draws is the same in every run; commands run as they do for users."""

import os
import signal

import pytest
from hypothesis import settings

os.environ.pop("PYTHONUNBUFFERED", None)  # set in many containers; it hides what is left unflushed
os.environ["GRADPROOF_CACHE"] = ""  # nothing that a run before has found
os.environ["GRADPROOF_FLOAT32"] = "0"  # but where a test asks for it
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in the background
settings.register_profile("steady", derandomize=True, deadline=None)
# In `make test`; where a test says how many examples it takes, it takes these.
settings.register_profile("brief", settings.get_profile("steady"), max_examples=20)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def no_signal_stays_ignored():
    """A command that ends ignores interrupts, and what is started from here would inherit that."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
