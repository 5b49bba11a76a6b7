"""What gradproof says of drawn programs, beside what their own differences say. Untrusted.

A program and its wrong twin are the same for a framework, a seed and a number.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from trust.processes import workers
from trust.programs.draw import Program, drawn
from trust.programs.judge import Code, Fails, Point, loaded, points, wrong_at
from trust.programs.twins import changes, shorter

TRIES = {"numpy": 24, "torch": 24, "jax": 5}  # changes, of which one is wrong far out alone
PATIENCE = 15  # seconds of the processor for one check
SHORTER = 60  # checks by which a failing program is made smaller
CHUNK = 2


@dataclass(frozen=True)
class Answer:
    """What is said of a program; a narrow proof says that it leaves something out."""

    status: str
    scope: str = ""
    narrow: bool = False
    note: str = ""


Checker = Callable[[Code], Answer]


@dataclass(frozen=True)
class Result:
    """A program, what it is in truth (right, wrong), what is said of it, and whether that is bad.

    The answer is proved, narrow, refuted, or what else the status is.
    """

    framework: str
    number: int
    truth: str
    change: str
    answer: str
    scope: str
    note: str
    where: str
    text: str

    @property
    def is_bad(self) -> bool:
        return self.answer == {"right": "refuted", "wrong": "proved"}[self.truth] or (
            self.answer == "misjudged"
        )

    def __str__(self) -> str:
        said = f"{self.framework} {self.number}, {self.truth} ({self.change}): {self.answer}"
        return "\n".join([f"{said} {self.scope}", f"  at {self.where}", self.note, self.text])


class GivenUp(BaseException):
    """A check that took too long."""


@contextmanager
def patience(seconds: int) -> Iterator[None]:
    """No more than so much time of the processor."""

    def give_up(*_: Any) -> None:
        raise GivenUp

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def the_tool(code: Code) -> Answer:
    """As a user asks it."""
    framework = code.program.framework
    front = import_module(f"gradproof.{framework}")
    names = {"numpy": ("forward", "backward"), "torch": ("F",), "jax": ("f",)}[framework]
    try:
        with patience(PATIENCE):
            report = front.check(
                *(getattr(code.module, name) for name in names), x="N", float32=False
            )
    except GivenUp:
        return Answer("given up")
    except Exception as reason:
        return Answer("raised", note=f"{type(reason).__name__}: {reason}")
    return Answer(report.status, report.scope, bool(report.narrow), report.note)


def answer_of(found: Answer, where: Point | None) -> str:
    """A proof that is narrow claims nothing of sizes that it leaves out; of others it does."""
    if found.status != "proved" or not found.narrow:
        return found.status
    return "proved" if where is not None and claims(found.scope, len(where.x)) else "narrow"


def claims(scope: str, n: int) -> bool:
    """Whether a narrow scope says that it holds at a size; not of what is not understood."""
    said = re.search(r"only where ([^,]*)", scope)
    if said is None or "turns" in scope:
        return False
    text = said[1]
    for sign, word in (("≤", "<="), ("≥", ">="), ("≠", "!="), ("∧", " and "), ("·", "*")):
        text = text.replace(sign, word)
    parts = [re.sub(r"(?<![<>!=])=(?!=)", "==", part) for part in text.split(" or ")]
    try:
        return any(
            all(eval(clause, {"__builtins__": {}}, {"N": n}) for clause in part.split(";"))
            for part in parts
        )
    except Exception:  # floors and the like are not read here
        return False


def results_of(
    framework: str, number: int, seed: int = 0, checker: Checker = the_tool
) -> list[Result]:
    """Of a right program and of its wrong twin, if these can be drawn."""
    random = Random(f"points {framework} {seed} {number}")
    right, forgetful = drawn(framework, number, seed)
    seen = list(points(right, random))
    with TemporaryDirectory() as name:
        folder = Path(name)
        try:
            code = loaded(right, folder)
            wrong = next(
                (p for near in (True, False) if (p := wrong_at(code, near, seen, number))), None
            )
        except Fails:
            return []
        found = [judged(code, "right", "as made", wrong, number, checker, None)]
        twin = wrong_twin(right, forgetful, random, seen, number, folder)
        if twin is not None:
            found.append(judged(twin[0], "wrong", twin[1], None, number, checker, twin[2]))
        return [smallest(r, seen, checker, folder) if r.truth == "wrong" else r for r in found]


def judged(
    code: Code,
    truth: str,
    change: str,
    contradicted: Point | None,
    number: int,
    checker: Checker,
    where: Point | None,
) -> Result:
    """A right program that differences contradict is this machine's mistake, and is told."""
    found = checker(code) if contradicted is None else Answer("misjudged")
    place = where or contradicted
    return Result(
        code.program.framework,
        number,
        truth,
        change,
        answer_of(found, where),
        found.scope,
        found.note,
        str(place or ""),
        code.program.text,
    )


def wrong_twin(
    right: Program, forgetful: Program, random: Random, seen: list[Point], seed: int, folder: Path
) -> tuple[Code, str, Point] | None:
    """A change by which the backward is wrong far out, and nowhere near."""
    region = [(forgetful, "a branch of the backward forgotten")] if forgetful != right else []
    others = changes(right, random)
    tried = region + list(islice(others, TRIES[right.framework]))
    if random.random() < 0.5:
        tried = tried[len(region) :] + region
    for program, said in tried:
        try:
            code = loaded(program, folder)
            where = only_far(code, seen, seed)
        except Fails:
            continue
        if where is not None:
            return code, said, where
    return None


def smallest(result: Result, seen: list[Point], checker: Checker, folder: Path) -> Result:
    """A program that is proved and wrong, with less and less in it, as long as it is both."""
    if not result.is_bad:
        return result
    left = SHORTER
    going = True
    while going and left:
        going = False
        program = Program(result.framework, result.text)
        for other in shorter(program):
            try:
                code = loaded(other, folder)
                where = only_far(code, seen, result.number)
            except Fails:
                continue
            if where is None:
                continue
            left -= 1
            again = judged(code, "wrong", result.change, None, result.number, checker, where)
            if again.is_bad:
                result, going = again, True
                break
            if not left:
                break
    return result


def only_far(code: Code, seen: list[Point], seed: int) -> Point | None:
    """Where the backward is wrong, if it is nowhere near."""
    if wrong_at(code, True, seen, seed) is not None:
        return None
    return wrong_at(code, False, seen, seed)


def chunk(framework: str, seed: int, numbers: tuple[int, ...]) -> list[Result]:
    return [r for number in numbers for r in results_of(framework, number, seed)]


def run(framework: str, numbers: Iterable[int], seed: int, jobs: int) -> Iterator[Result]:
    """The results of these programs, in their order."""
    every = list(numbers)
    chunks = [tuple(every[k : k + CHUNK]) for k in range(0, len(every), CHUNK)]
    with workers(jobs) as pool:
        for results in pool.map(partial(chunk, framework, seed), chunks):
            yield from results
