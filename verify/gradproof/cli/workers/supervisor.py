"""Worker processes, started, asked, cut off and replaced. Deciding."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Hashable
from itertools import count
from queue import SimpleQueue
from threading import Lock, Thread, Timer
from types import TracebackType
from typing import Any

from gradproof.cli.arguments import UsageError
from gradproof.cli.workers.clocks import patience
from gradproof.cli.workers.waiting import Waiting
from gradproof.homes import program
from gradproof.language.digits import of_any_length

PROGRAM = program("gradproof.cli.workers.worker", "main")
SECONDS_TO_START = 600
AT_ONCE = 4  # workers that are started before there is something for them to do
# Signals that come from others, so that they say nothing of what a worker was doing.
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
MOST_MEGABYTES = 300  # a worker that has grown beyond that is replaced before it is asked again
TRIES = 5  # of a request whose worker is ended from outside


class Lost(Exception):
    """A worker that gave no answer: it ran out of time, or it died."""

    def __init__(
        self, reason: str, seconds: float = 0.0, from_outside: bool = False, left: str = ""
    ) -> None:
        """`seconds` is the time that it had, if that is over; `left` what was to be shown then."""
        super().__init__(reason)
        self.reason, self.seconds, self.from_outside = reason, seconds, from_outside
        self.left = left

    @property
    def timed_out(self) -> bool:
        return self.seconds > 0


class Worker:
    """One process; after it is lost it answers no more."""

    def __init__(self, memory: int, folder: str | None = None) -> None:
        command = [sys.executable, "-P", "-c", PROGRAM, str(memory)]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C is the command's alone
        )
        self.timed_out = self.ready = False
        self.number = count()
        self.megabytes = 0.0

    @property
    def has_grown(self) -> bool:
        return self.megabytes > MOST_MEGABYTES

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to this request; whatever prevents it leaves none behind for the next.

        `seconds` are of processor time; a worker that lets them pass asleep is ended as well.
        """
        number = next(self.number)
        try:
            if not self.ready:
                self.exchange("", SECONDS_TO_START, SECONDS_TO_START)
                self.ready = True
            asked = json.dumps(request | {"request": number, "seconds": seconds})
            found = self.exchange(asked + "\n", seconds, patience(seconds))
            if found.pop("request", None) != number:
                raise Lost("its process answered another question")
            if "late" in found:
                raise out_of_time(seconds, found["late"])
            self.megabytes = found.pop("megabytes", 0.0)
        except BaseException:
            self.kill()
            raise
        return found

    def exchange(self, text: str, seconds: float, on_the_clock: float) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        clock = Timer(on_the_clock, self.cut_off)
        clock.daemon = True
        clock.start()
        line = ""
        try:
            with contextlib.suppress(OSError, ValueError):
                if text:
                    self.process.stdin.write(text)
                    self.process.stdin.flush()
                line = self.process.stdout.readline()
        finally:
            clock.cancel()
            clock.join()  # it may be at work already
        try:
            with of_any_length():
                found: dict[str, Any] = json.loads(line if not self.timed_out else "")
        except ValueError:
            raise self.lost(seconds, on_the_clock) from None
        return found

    def cut_off(self) -> None:
        self.timed_out = True
        self.kill()

    def lost(self, seconds: float, on_the_clock: float) -> Lost:
        if self.timed_out:
            return Lost(f"given up after {on_the_clock:g} s without an answer", on_the_clock)
        self.kill()
        code = self.process.wait()
        if -code == signal.SIGPROF:
            return out_of_time(seconds)
        if -code in FROM_OUTSIDE:
            name = signal.Signals(-code).name
            said = f"its process was ended by {name}, {TRIES} times; try fewer --jobs"
            return Lost(said, from_outside=True)
        if code < 0:
            names = {s.value: s.name for s in signal.Signals}
            return Lost(f"its process was ended by {names.get(-code, f'signal {-code}')}")
        return Lost(f"its process ended with status {code}")

    def kill(self) -> None:
        """Once it is waited for, its number may be another process's."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def close(self) -> None:
        """Ends it and gives back what it holds; not while it is asked."""
        self.kill()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


def out_of_time(seconds: float, left: str = "") -> Lost:
    return Lost(f"given up after {seconds:g} s of processor time", seconds, left=left)


class Unstarted(Exception):
    """A process or thread that the machine has no room for."""


Key = Hashable
Answer = dict[str, Any] | Lost


class Pool:
    """Several workers; answers come in the order in which they are reached."""

    def __init__(self, jobs: int, memory: int) -> None:
        self.jobs, self.memory = jobs, memory
        self.waiting = Waiting()
        self.answers: SimpleQueue[tuple[Key, Answer | Unstarted]] = SimpleQueue()
        self.open = 0
        self.closed, self.lock = False, Lock()
        self.workers: list[Worker] = []
        self.drivers = 0
        for _ in range(min(jobs, AT_ONCE)):
            self.add_driver()

    def add_driver(self) -> None:
        self.drivers += 1
        try:
            Thread(target=self.drive, daemon=True).start()
        except RuntimeError as failure:
            self.answers.put(("", Unstarted(str(failure))))

    def submit(self, key: Key, request: dict[str, Any], seconds: float, urgency: int) -> None:
        """Lower urgencies go first, equal ones by target and in the order in which they come."""
        self.wait(urgency, (key, request, seconds, 1))
        self.open += 1
        if self.open > self.drivers and self.drivers < self.jobs:
            self.add_driver()

    def wait(self, urgency: int, asked: tuple[Key, dict[str, Any], float, int]) -> None:
        _, request, _, tries = asked
        home = tuple(request.get("target", {}).values())
        self.waiting.put(urgency, home, (urgency, asked), again=tries > 1)

    def next(self) -> tuple[Key, Answer]:
        key, answer = self.answers.get()
        if isinstance(answer, Unstarted):
            raise UsageError(f"no process can be started: {answer}; try fewer --jobs")
        self.open -= 1
        return key, answer

    def drive(self) -> None:
        try:
            self.answer_all()
        except Exception as failure:
            self.answers.put(("", Unstarted(getattr(failure, "strerror", None) or str(failure))))

    def answer_all(self) -> None:
        """Answers requests, with a new worker for each one lost."""
        worker, driver = self.hire(), object()
        while worker is not None:
            urgency, (key, request, seconds, tries) = self.waiting.get(driver)
            try:
                self.answers.put((key, worker.ask(request, seconds)))
            except Lost as lost:
                if lost.from_outside and tries < TRIES:
                    self.wait(urgency, (key, request, seconds, tries + 1))
                else:
                    self.answers.put((key, lost))
                worker = self.replaced(worker)
                continue
            if worker.has_grown:
                worker = self.replaced(worker)

    def replaced(self, worker: Worker) -> Worker | None:
        worker.close()
        self.workers.remove(worker)
        return self.hire()

    def hire(self) -> Worker | None:
        """A new worker, but not once the pool is closed."""
        with self.lock:
            if self.closed:
                return None
            worker = Worker(self.memory)
            self.workers.append(worker)
            return worker

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self.lock:
            self.closed = True
            for worker in list(self.workers):
                worker.kill()
