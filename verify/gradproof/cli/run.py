"""Settles what was asked for, and shows it in a fixed order. Deciding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Protocol

from gradproof.cli.arguments import SECONDS_TO_LOAD, SECONDS_TO_MEND, Missing, UsageError
from gradproof.cli.workers.supervisor import Answer, Key, Lost
from gradproof.cli.workers.wire import Listing, Problem, Request, Target, plain
from gradproof.settle.timing import SECONDS
from gradproof.settle.verdicts import Verdict
from gradproof.show.lesson import Lesson
from gradproof.theorems.statuses import Status

DESCRIBE, TEACH, SETTLE = range(3)  # what goes first
NO_MEND = ("", "")


@dataclass(frozen=True)
class Floats:
    """What floating-point numbers make of an op, and where; whether that is a failure."""

    text: tuple[str, ...]
    failed: bool = False
    file: str = ""
    line: int = 0


@dataclass
class Settled:
    """An op, those of its theorems that were asked for, and what is known of them so far."""

    listing: Listing
    chosen: tuple[int, ...]
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    lessons: dict[int, Lesson] = field(default_factory=dict)
    mends: dict[int, Sequence[str]] = field(default_factory=dict)
    records: dict[int, dict[str, Any]] = field(default_factory=dict)  # of proofs
    floats: Floats | None = None  # where that was asked and something found
    kept: set[int] = field(default_factory=set)  # those whose verdict is of an earlier run

    def line(self, number: int) -> int:
        return self.listing.lines[number]


@dataclass
class Outcome:
    """Everything that a run found, in the order of what was asked for."""

    ops: list[Settled] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unloaded: list[str] = field(default_factory=list)  # where it was cut short
    interrupted: bool = False

    @property
    def verdicts(self) -> list[Verdict]:
        return [op.verdicts[n] for op in self.ops for n in op.chosen if n in op.verdicts]

    @property
    def kept(self) -> int:
        """How many verdicts are of an earlier run."""
        return sum(n in op.kept and n in op.verdicts for op in self.ops for n in op.chosen)

    @property
    def unsettled(self) -> list[str]:
        theorems = [
            f"{op.listing.name}::{op.listing.theorems[n].name}"
            for op in self.ops
            for n in op.chosen
            if n not in op.verdicts
        ]
        return theorems + self.unloaded

    @property
    def status(self) -> int:
        """The exit status."""
        found = {v.weight for v in self.verdicts}
        if self.problems:
            return 2
        if Status.REFUTED in found or any(op.floats and op.floats.failed for op in self.ops):
            return 1
        return 0 if found == {Status.PROVED} and not self.unsettled else 3


class Display(Protocol):
    """Where a run is shown."""

    def waits(self, done: int, total: int, wrong: int) -> None: ...
    def problem(self, problem: Problem) -> None: ...
    def op(self, op: Settled) -> None: ...
    def verdict(self, op: Settled, number: int) -> None: ...
    def lesson(self, op: Settled, number: int) -> None: ...
    def done(self, op: Settled) -> None: ...


class Asks(Protocol):
    """What answers requests, in any order: a pool of workers, or what stands before one."""

    def submit(self, key: Key, request: dict[str, Any], seconds: float, urgency: int) -> None: ...
    def next(self) -> tuple[Key, Answer]: ...


@dataclass(frozen=True)
class Options:
    only: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()
    limit: int | None = None
    timeout: float = SECONDS
    fail_fast: bool = False
    explain: bool = False
    needs: float = 0  # seconds for each clause of `requires`; 0 asks nothing of them
    second: bool = False
    record: bool = False  # of the proofs of what is explained
    dtype: str = ""  # of floating-point numbers that are asked about, if any are
    within: tuple[str, ...] = ()
    float32: bool = False  # whether what is found of them is a failure


class Run:
    """One run: hands out the work, keeps the answers, shows them in order."""

    def __init__(
        self, targets: Sequence[Target], options: Options, pool: Asks, display: Display
    ) -> None:
        self.targets, self.options, self.pool, self.display = targets, options, pool, display
        self.found: dict[Target, list[Settled] | Problem] = {}
        self.faults: dict[Target, list[Problem]] = {}  # in files of which some can be read
        self.outcome = Outcome()
        self.load_seconds = min(SECONDS_TO_LOAD, options.timeout)
        self.done = self.total = self.wrong = 0  # theorems
        self.stopped = False
        self.seen: set[tuple[str, str, int]] = set()
        self.rounded: set[tuple[str, str, int]] = set()  # ops of which floating point was told

    def __call__(self) -> Outcome:
        """An interrupt ends the run; what is settled by then is kept."""
        try:
            for target in self.targets:
                self.ask(Request("describe", target), 3 * self.load_seconds, DESCRIBE)
            for _ in self.shown():
                self.receive(*self.pool.next())
        except KeyboardInterrupt:
            self.outcome.interrupted = True
        known = (self.found.get(target, []) for target in self.targets)
        self.outcome.ops = [op for ops in known if isinstance(ops, list) for op in ops]
        for target in self.targets:
            problem = self.found.get(target)
            if isinstance(problem, Problem) and problem not in self.outcome.problems:
                self.report(problem)
        self.outcome.unloaded = [t.shown for t in self.targets if t not in self.found]
        if self.stopped:
            for op in self.outcome.ops:
                op.verdicts = {n: v for n, v in op.verdicts.items() if self.key(op, n) in self.seen}
        return self.outcome

    @staticmethod
    def key(op: Settled, number: int) -> tuple[str, str, int]:
        return op.listing.file, op.listing.name, number

    def ask(self, request: Request, seconds: float, urgency: int) -> None:
        limited = replace(
            request,
            limit=self.options.limit,
            ranks=self.options.ranks,
            second=self.options.second,
            record=self.options.record,
            load_seconds=self.load_seconds,
        )
        self.pool.submit(limited, asdict(limited), seconds, urgency)

    def about(self, do: str, op: Settled, number: int, verdict: Verdict | None = None) -> Request:
        """A request on a theorem of an op, with its verdict if there is one."""
        found = None if verdict is None else verdict.as_dict()
        listing = op.listing
        return Request(do, listing.target, listing.name, number, listing.definition, found)

    # Answers.

    def receive(self, request: Any, answer: Answer) -> None:
        do, number = request.do, request.number
        if do == "describe":
            self.found[request.target] = self.described(request.target, answer)
            waits_for_all = bool(self.options.only)
            if not waits_for_all:
                self.settle(request.target)
            elif len(self.found) == len(self.targets):
                self.check_patterns()
                for each in self.targets:
                    self.settle(each)
            return
        ops = self.found[request.target]
        assert isinstance(ops, list)
        op = next(o for o in ops if o.listing.name == request.op)
        if do in ("settle", "explain"):
            self.settled(op, number, answer)
            if do == "explain" and isinstance(answer, Lost):
                stated = self.about("state", op, number, op.verdicts[number])
                self.ask(stated, self.options.timeout, TEACH)
            elif do == "explain":
                op.lessons[number] = taught(answer)
                if isinstance(answer, dict) and "record" in answer:
                    op.records[number] = answer["record"]
        elif do == "float32":
            said = "" if isinstance(answer, Lost) else answer.get("float32", "")
            failed, listing = self.options.float32, op.listing
            lines = tuple(said.splitlines())
            op.floats = Floats(lines, failed, listing.file, listing.line) if said else None
            self.rounded.add(self.key(op, -1))
        elif do == "mend":
            op.mends[number] = NO_MEND if isinstance(answer, Lost) else answer.get("mend", NO_MEND)
        else:
            op.lessons[number] = taught(answer)

    def described(self, target: Target, answer: Answer) -> list[Settled] | Problem:
        if isinstance(answer, Lost):
            what = "loading it was" if answer.timed_out else "it ended the process that loads it:"
            return Problem(target.shown, 1, f"{what} {answer.reason}")
        if "ops" not in answer:
            problem = answer.get("problem") or {
                "file": target.shown,
                "line": 1,
                "message": f"its theorems cannot be stated: {answer['failed']}",
                "trace": answer["trace"],
            }
            return Problem(**problem | {"message": plain(problem["message"])})
        self.faults[target] = [
            Problem(**bad | {"message": plain(bad["message"])})
            for bad in answer.get("problems", ())
        ]
        listings = [Listing.from_dict(target, data) for data in answer["ops"]]
        ops = [Settled(listing, self.chosen(listing)) for listing in listings]
        self.total += sum(len(op.chosen) for op in ops)
        return ops

    def chosen(self, listing: Listing) -> tuple[int, ...]:
        only, kinds = self.options.only, self.options.kinds
        exact = [n for n, theorem in enumerate(listing.theorems) if theorem.name in only]
        if self.options.explain and exact:
            return tuple(exact)
        return tuple(
            number
            for number, theorem in enumerate(listing.theorems)
            if (any(matches(p, theorem) for p in only) if only else self.is_asked(theorem))
            and (not kinds or theorem.kind in kinds)
        )

    def is_asked(self, theorem: Verdict) -> bool:
        """Without being named: what a clause is needed for is told to those who want to know."""
        return theorem.kind != "needed" or self.options.needs > 0

    def check_patterns(self) -> None:
        ops = [o for ops in self.found.values() if isinstance(ops, list) for o in ops]
        theorems = [th for op in ops for th in op.listing.theorems]
        for pattern in self.options.only if theorems else ():
            if not any(matches(pattern, th) for th in theorems):
                for problem in (p for p in self.found.values() if isinstance(p, Problem)):
                    self.display.problem(problem)
                names = ", ".join(dict.fromkeys(f"'{th.name}'" for th in theorems[-8:]))
                raise UsageError(f"no theorem matches {pattern!r}; there are, for example, {names}")

    def settle(self, target: Target) -> None:
        ops = self.found[target]
        for op in ops if isinstance(ops, list) else ():
            for number in op.chosen:
                do = "explain" if self.options.explain else "settle"
                seconds = self.options.timeout
                if op.listing.theorems[number].kind == "needed":
                    seconds = self.options.needs or seconds
                self.ask(self.about(do, op, number), seconds, SETTLE)

    def settled(self, op: Settled, number: int, answer: Answer) -> None:
        theorem = op.listing.theorems[number]
        if isinstance(answer, dict) and answer.get("missing"):
            name = f"{op.listing.name}::{plain(theorem.name)}"
            raise Missing(f"{name} is not in the cache; settle it once without --cache-only")
        verdict = verdict_of(theorem, answer)
        op.verdicts[number] = verdict
        if isinstance(answer, dict) and answer.get("kept"):
            op.kept.add(number)
        self.done += 1
        self.wrong += not verdict.as_expected
        if self.asks_floats(op) and set(op.chosen) <= op.verdicts.keys():
            request = replace(self.about("float32", op, -1), **self.of_floats(op))
            self.ask(request, self.options.timeout, TEACH)
        if teaches(verdict) and not self.options.explain:
            for do, seconds in (("teach", self.options.timeout), ("mend", SECONDS_TO_MEND)):
                self.ask(self.about(do, op, number, verdict), seconds, TEACH)

    def asks_floats(self, op: Settled) -> bool:
        return bool(self.options.dtype) and not self.options.explain

    def of_floats(self, op: Settled) -> dict[str, Any]:
        """Of the rules that are proved: others may give something else."""
        proved = (v for v in op.verdicts.values() if v.status == Status.PROVED)
        rules = tuple(v.equation for v in proved if v.kind in ("jvp", "vjp"))
        return {"rules": rules, "dtype": self.options.dtype, "within": self.options.within}

    # Display.

    def shown(self) -> Iterator[None]:
        """Shows what is known, in order; pauses wherever an answer is still missing."""
        for target in self.targets:
            while target not in self.found:
                self.wait()
                yield
            ops = self.found[target]
            if isinstance(ops, Problem):
                self.report(ops)
                continue
            for op in ops:
                if op.chosen:
                    yield from self.shown_op(op)
                if self.stopped:
                    return
            for problem in self.faults[target]:
                self.report(problem)

    def report(self, problem: Problem) -> None:
        self.outcome.problems.append(problem)
        self.display.problem(problem)

    def shown_op(self, op: Settled) -> Iterator[None]:
        self.display.op(op)
        shown: list[int] = []
        for number in op.chosen:
            while number not in op.verdicts:
                self.wait()
                yield
            self.display.verdict(op, number)
            shown.append(number)
            self.seen.add(self.key(op, number))
            self.stopped = self.options.fail_fast and not op.verdicts[number].as_expected
            if self.stopped:
                break
        for number in shown:
            mended = teaches(op.verdicts[number]) and not self.options.explain
            if not (mended or self.options.explain):
                continue
            while number not in op.lessons or (mended and number not in op.mends):
                self.wait()
                yield
            lesson = op.lessons[number].mended(*op.mends.get(number, NO_MEND))
            if mended and op.listing.written:
                lesson = lesson.beside(op.listing.written[number])
            op.lessons[number] = lesson
            self.display.lesson(op, number)
        while self.asks_floats(op) and not self.stopped and self.key(op, -1) not in self.rounded:
            self.wait()
            yield
        self.display.done(op)

    def wait(self) -> None:
        if getattr(self.pool, "ready", ()):  # what is kept is there at once
            return
        self.display.waits(self.done, self.total, self.wrong)


def matches(pattern: str, theorem: Verdict) -> bool:
    """A glob over, or a part of, the theorem's name, alone or after its op."""
    names = (theorem.name, f"{theorem.op}::{theorem.name}")
    return any(pattern in name or fnmatchcase(name, pattern) for name in names)


def teaches(verdict: Verdict) -> bool:
    return not verdict.as_expected and verdict.counterexample is not None


def verdict_of(theorem: Verdict, answer: Answer) -> Verdict:
    if isinstance(answer, Lost):
        if answer.timed_out:
            note = answer.reason if theorem.kind == "needed" else f"{answer.reason}; see --timeout"
            found = replace(theorem, status=Status.UNKNOWN, note=note, left=answer.left)
            return replace(found, seconds=answer.seconds)
        return replace(theorem, status=Status.ERROR, note=answer.reason)
    if "verdict" not in answer:
        found = answer.get("problem", {}).get("message") or answer.get("failed", "")
        return replace(theorem, status=Status.ERROR, note=plain(found))
    verdict = Verdict.from_dict(answer["verdict"])
    if verdict.note.startswith("MemoryError") or "out of memory" in verdict.note:
        return replace(verdict, status=Status.ERROR, note="ran out of memory; see --memory")
    return verdict


def taught(answer: Answer) -> Lesson:
    if isinstance(answer, Lost):
        return Lesson((f"More could not be shown: {answer.reason}.",))
    if "lesson" not in answer:
        return Lesson((f"More could not be shown: {plain(answer.get('failed', ''))}.",))
    return Lesson.from_dict(answer["lesson"])
