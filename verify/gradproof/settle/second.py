"""The second opinion: cvc5's answer to a question that Z3 has answered. Deciding.

Neither cvc5's count of resources nor its clock stops its nonlinear arithmetic, so it answers in a
process of its own, which is stopped where it does not end. What it answers at all it answers within
a fraction of the time allowed, and that time is the processor's, which no other load takes away, so
that machines differ in nothing but patience.
"""

from __future__ import annotations

import atexit
import json
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from threading import Timer
from typing import Any

from gradproof.homes import program
from gradproof.settle.verdicts import Query

COVERINGS = {"nl-cov": "true", "nl-ext": "none"}
STRATEGIES: tuple[tuple[float, dict[str, str]], ...] = ((1.0, {}), (5.0, COVERINGS), (5.0, {}))


PROGRAM = program("gradproof.settle.second", "serve")
LOAD = 30  # how many times slower than its own time the clock may be before that counts as hung


def seconded(queries: Iterable[Query]) -> tuple[Query, ...]:
    """The queries, each that Z3 found unsatisfiable with the second answer beside it."""
    return tuple(replace(q, second=answer(q.text)) if q.answer == "unsat" else q for q in queries)


def opinion(queries: Iterable[Query]) -> str:
    """What the second solver says of a proof: `agrees`, `undecided`, `contradicts`, or nothing."""
    answers = {q.second for q in queries if q.second}
    if "sat" in answers:
        return "contradicts"
    return "undecided" if answers - {"unsat"} else "agrees" if answers else ""


@lru_cache(maxsize=50_000)
def answer(text: str) -> str:
    """`unsat`, `sat` or `unknown`."""
    answers = (PARTNER.ask(text, options, seconds) for seconds, options in STRATEGIES)
    return next((a for a in answers if a != "unknown"), "unknown")


class Partner:
    """A process that answers questions, started when it is first needed and after each stop."""

    def __init__(self) -> None:
        self.process: Any = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def ask(self, text: str, options: dict[str, str], seconds: float) -> str:
        if self.process is None:
            self.start()
        patience = Timer(LOAD * seconds, self.process.kill)
        patience.start()
        try:
            print(json.dumps([text, options, seconds]), file=self.process.stdin, flush=True)
            found = self.process.stdout.readline().strip()
        except OSError:
            found = ""
        except BaseException:  # what it answers later is of this question
            self.process.kill()
            self.stop()
            raise
        finally:
            patience.cancel()
        if not found and self.stop() > 0:
            raise RuntimeError("the second solver does not run; install it: pip install cvc5")
        return found or "unknown"

    def stop(self) -> int:
        """Ends the process, whatever it is doing; how it ended, below 0 if it was stopped."""
        process, self.process = self.process, None
        if process is None:
            return 0
        with suppress(OSError):
            process.stdin.close()
        process.stdout.close()
        try:
            return int(process.wait(timeout=1))
        except subprocess.TimeoutExpired:
            process.kill()
            return int(process.wait())


PARTNER = Partner()
atexit.register(PARTNER.stop)


def serve() -> None:
    """Answers questions, a line each, until there are no more or one takes too much time."""
    import cvc5  # noqa: F401 - before the clock runs

    for line in sys.stdin:
        text, options, seconds = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, seconds)  # then SIGPROF ends the process
        found = solved(text, options)
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(found, flush=True)


def solved(text: str, options: dict[str, str]) -> str:
    import cvc5

    solver: Any = cvc5.Solver(cvc5.TermManager())
    for name, value in options.items():
        solver.setOption(name, value)
    solver.setLogic("ALL")
    parser: Any = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    while not (command := parser.nextCommand()).isNull():
        command.invoke(solver, parser.getSymbolManager())
    found = solver.checkSat()
    return "unsat" if found.isUnsat() else "sat" if found.isSat() else "unknown"
