"""Theorems settled by a Dask cluster, which schedules them and replaces lost workers. Deciding."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Any
from uuid import uuid4

from gradproof.cli.arguments import UsageError
from gradproof.cli.workers import remote
from gradproof.cli.workers.supervisor import TRIES, Answer, Key, Lost

HERE = "dask"  # a cluster on this machine, for this run alone
SECONDS_TO_CONNECT = 30
MOST_DEATHS = 2
SECONDS_ALONE, PAUSE = 60, 0.02
MISSING = "--executor needs Dask: pip install 'gradproof[dask]'"


@dataclass(frozen=True)
class Asked:
    """A request, and how often Dask has given it up since workers died."""

    key: Key
    request: dict[str, Any]
    seconds: float
    urgency: int
    deaths: int = 0


class Cluster:
    """As `Pool`, with the workers of a cluster."""

    def __init__(self, executor: str, jobs: int, memory: int) -> None:
        self.dask = imported()
        if executor != HERE and "://" not in executor:
            said = "is neither dask nor an address such as tcp://host:8786"
            raise UsageError(f"--executor {executor} {said}")
        for name in ("distributed", "distributed.client", "tornado.application"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self.memory, self.folder, self.run = memory, os.getcwd(), uuid4().hex
        self.cluster: Any = None
        self.client: Any = None
        self.asked: dict[str, Asked] = {}
        self.futures: dict[str, Any] = {}
        self.suspects: list[Asked] = []  # whose workers died
        self.suspected = ""  # the key of the one that is asked again
        self.number = count()
        try:
            if executor == HERE:
                self.cluster = self.local(jobs)
            self.client = self.connected(executor)
            self.check_workers(executor)
        except BaseException:
            self.close()
            raise
        self.done = self.dask.as_completed(
            with_results=True, raise_errors=False, loop=self.client.loop
        )

    def local(self, jobs: int) -> Any:
        """One thread and one process for each job; Ctrl-C is the command's alone."""
        with ignored(signal.SIGINT):
            return self.dask.LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                processes=True,
                memory_limit=0,  # each worker's own process has a limit
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )

    def connected(self, executor: str) -> Any:
        try:
            return self.dask.Client(self.cluster or executor, timeout=SECONDS_TO_CONNECT)
        except (OSError, ValueError) as failure:
            said = " ".join(str(failure).split()) or type(failure).__name__
            told = f"no Dask scheduler answers within {SECONDS_TO_CONNECT} s"
            raise UsageError(f"--executor {executor}: {told}: {said}") from None

    def check_workers(self, executor: str) -> None:
        """All of them have this very tool, for a verdict is what it says."""
        try:
            self.client.wait_for_workers(1, timeout=SECONDS_TO_CONNECT)
        except TimeoutError:
            raise UsageError(f"--executor {executor}: the cluster has no workers") from None
        found = self.client.run(remote.sources, on_error="return")
        for address, sources in found.items():
            if sources != ours():
                said = "other sources of gradproof" if isinstance(sources, str) else str(sources)
                what = f"the Dask worker at {address} cannot settle anything: {said}"
                raise UsageError(f"{what}; install the same gradproof there")

    def submit(self, key: Key, request: dict[str, Any], seconds: float, urgency: int) -> None:
        """Lower urgencies go first."""
        self.send(Asked(key, request, seconds, urgency))

    def send_suspect(self) -> None:
        """One at a time, so that none is blamed for another."""
        if self.suspects and not self.suspected:
            self.suspected = self.send(self.suspects.pop())

    def send(self, asked: Asked) -> str:
        path = asked.request["target"]["path"]
        future = self.client.submit(
            remote.answered,
            asked.request,
            asked.seconds,
            self.memory,
            self.folder,
            self.run,
            not path or Path(path).exists(),
            key=f"gradproof-{self.run}-{next(self.number)}",
            priority=-asked.urgency,
            retries=TRIES - 1,
            pure=False,
        )
        self.asked[future.key] = asked
        self.futures[future.key] = future
        self.done.add(future)
        return str(future.key)

    def next(self) -> tuple[Key, Answer]:
        """Dask blames a death on all that waited at the worker; it is not theirs each time."""
        while True:
            if not self.awaited():
                asked = self.suspects.pop() if self.suspects else self.asked.popitem()[1]
                return asked.key, Lost("the Dask cluster has no workers any more")
            future, found = next(self.done)
            if future.key not in self.asked:
                continue
            asked, status = self.asked.pop(future.key), future.status
            self.futures.pop(future.key).release()
            if future.key == self.suspected:
                self.suspected = ""
                self.send_suspect()
            if isinstance(found, dict):  # whatever has become of it on its worker since
                answer = found["answer"] if "answer" in found else Lost(*found["lost"])
                return asked.key, answer
            failure = found[1] if isinstance(found, tuple) else found
            if type(failure).__name__ != "KilledWorker" or asked.deaths == MOST_DEATHS:
                return asked.key, lost(failure, status)
            self.suspects.append(replace(asked, deaths=asked.deaths + 1))
            self.send_suspect()

    def awaited(self) -> bool:
        """Waits for an answer, but not for ever where there is nobody to give one."""
        alone_since = monotonic()
        while not self.done.has_ready():
            sleep(PAUSE)
            if monotonic() - alone_since > SECONDS_ALONE:
                if not self.has_workers():
                    return False
                self.await_again()
                alone_since = monotonic()
        return True

    def await_again(self) -> None:
        """What failed while its result was fetched, Dask tells of to nobody who waits already."""
        for future in self.futures.values():
            if future.status == "error":
                self.done.add(future)

    def has_workers(self) -> bool:
        try:
            return bool(self.client.scheduler_info()["workers"])
        except Exception:  # of a scheduler that is gone
            return False

    def close(self) -> None:
        if self.client is not None:
            with contextlib.suppress(Exception):  # of a cluster that is gone
                self.client.run(remote.close, self.run, on_error="ignore")
            with contextlib.suppress(Exception):
                self.client.close(timeout=SECONDS_TO_CONNECT)
        if self.cluster is not None:
            with contextlib.suppress(Exception):
                self.cluster.close(timeout=SECONDS_TO_CONNECT)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def ours() -> str:
    return remote.sources()


def imported() -> Any:
    try:
        import distributed
    except ImportError:
        raise UsageError(MISSING) from None
    return distributed


def lost(failure: Any, status: str) -> Lost:
    """Why Dask gave no answer."""
    if isinstance(failure, Lost):
        return failure
    if type(failure).__name__ == "KilledWorker":
        return Lost("the Dask workers that were to settle it died", from_outside=True)
    if status in ("cancelled", "lost"):
        return Lost("the Dask scheduler lost it", from_outside=True)
    return Lost(f"the Dask worker failed: {type(failure).__name__}: {failure}")


@contextlib.contextmanager
def ignored(number: signal.Signals) -> Iterator[None]:
    """Processes that are started meanwhile ignore the signal."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)
