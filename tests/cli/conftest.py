"""The workers of pools that tests begin themselves are forked, as those of commands are."""

import pytest
from commands import MODULES
from started import forking, server, worker

from gradproof.cli.workers import supervisor


def popen(*arguments, **options):
    """From a process that has imported everything, and is started when it is needed first."""
    return worker(server(*MODULES))(*arguments, **options)


@pytest.fixture(autouse=True)
def forked_workers(monkeypatch):
    monkeypatch.setattr(supervisor, "subprocess", forking(popen))
