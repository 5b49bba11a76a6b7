"""Shows a run: plain lines, or with live progress and colours on a terminal. Untrusted."""

from __future__ import annotations

import contextlib
import os
import sys
from textwrap import wrap
from time import monotonic
from typing import Any, TextIO

from gradproof.cli.remarks import asked, is_empty, limits, remarks, unasked_rules
from gradproof.cli.run import Outcome, Settled
from gradproof.cli.workers.wire import Problem, plain
from gradproof.settle.verdicts import Verdict
from gradproof.show.advice import advice
from gradproof.show.wording import counted, tally
from gradproof.theorems.statuses import Status

MARKS, LETTERS = {True: "✓", False: "✗"}, {True: "+", False: "!"}
WIDEST_NAME = 44
NAME_AT = 28  # columns before a name
BESIDE_NAME = NAME_AT + 14  # columns before a name, and after it for "every rank"
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def marks_for(stream: TextIO) -> dict[bool, str]:
    """Letters where the stream has no way to write a tick."""
    try:
        "".join(MARKS.values()).encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return LETTERS
    return MARKS


class Plain:
    """One line per verdict, flushed, without colours."""

    def __init__(self, stream: TextIO, quiet: bool = False) -> None:
        self.stream, self.quiet = stream, quiet
        self.start = monotonic()
        self.pending = ""  # an op's title, held back by --quiet until there is something to say
        self.apart = False
        self.widest_name = WIDEST_NAME
        self.width = 0  # of the names of an op's theorems
        self.marks = marks_for(stream)
        self.goes_on = False  # though nobody reads it, or there is no room
        self.failure: OSError | None = None

    def write(self, text: str, style: str = "") -> None:
        if self.failure:
            return
        try:
            self.show(text, style)
        except OSError as failure:
            if not self.goes_on:
                raise
            self.failure = failure

    def show(self, text: str, style: str) -> None:
        print(text, file=self.stream, flush=True)

    def waits(self, done: int, total: int, wrong: int) -> None:
        pass

    def close(self) -> None:
        pass

    def problem(self, problem: Problem) -> None:
        with contextlib.suppress(OSError):  # the status tells of it, too
            print(f"gradproof: {problem.shown}", file=sys.stderr, flush=True)

    def op(self, op: Settled) -> None:
        names = (plain(op.listing.theorems[n].name) for n in op.chosen)
        self.width = min(self.widest_name, max(map(len, names)))
        self.pending = op.listing.name
        if op.listing.target.path:
            self.pending += f"   {op.listing.file}:{op.listing.line}"
        if not self.quiet:
            self.titled()

    def titled(self) -> None:
        if self.pending:
            self.part()
            self.write(self.pending, "bold")
        self.pending = ""

    def part(self) -> None:
        """An empty line after a lesson."""
        if self.apart:
            self.write("")
        self.apart = False

    def verdict(self, op: Settled, number: int) -> None:
        verdict = op.verdicts[number]
        if self.quiet and verdict.as_expected:
            return
        self.titled()
        name, aside = plain(verdict.name), remarks(op, number)
        is_told = verdict.is_waived or verdict.expected == "told"
        mark = "-" if is_told or is_empty(op, number) else self.marks[verdict.as_expected]
        line = f"  {mark} {verdict.outcome:<11} {verdict.kind:<11} {name:<{self.width}}  {aside}"
        self.write(line.rstrip(), "" if verdict.as_expected else "red")

    def lesson(self, op: Settled, number: int) -> None:
        verdict, lesson = op.verdicts[number], op.lessons[number]
        self.write("")
        where = f"   {op.listing.file}:{op.line(number)}" if op.listing.target.path else ""
        self.write(f"  {op.listing.name}: {plain(verdict.name)}{where}", "bold")
        for line in lesson.text:
            self.write(f"    {line}".rstrip())
        self.apart = True

    def floats(self, op: Settled) -> None:
        """At which input floating-point numbers lose what is exact."""
        assert op.floats is not None
        if self.quiet and not op.floats.failed:
            return
        self.titled()
        mark = self.marks[False] if op.floats.failed else "-"
        for number, line in enumerate(op.floats.text):
            self.write(f"  {mark if not number else ' '} {line}", "red" * op.floats.failed)

    def summary(self, outcome: Outcome) -> None:
        self.part()
        for line in summary_of(outcome, monotonic() - self.start):
            self.write(line)


def summary_of(outcome: Outcome, seconds: float) -> list[str]:
    verdicts = outcome.verdicts
    wrong = sum(not v.as_expected for v in verdicts)
    lines = ["Interrupted."] if outcome.interrupted else []
    if outcome.unsettled:
        lines.append(f"Not settled: {len(outcome.unsettled)}")
        lines += [f"  {plain(name)}" for name in outcome.unsettled[:20]]
        if len(outcome.unsettled) > 20:
            lines.append(f"  and {len(outcome.unsettled) - 20} more")
    if outcome.problems:
        lines.append(f"{unread(outcome)} could not be read.")
    lines += [*limits(outcome), *unasked_rules(outcome), *undecided(outcome)]
    found = f"{counted(len(verdicts), 'theorem')}: {tally(verdicts)}"
    said = found if verdicts else "No theorem was settled"
    wrong += sum(bool(op.floats and op.floats.failed) for op in outcome.ops)
    whole = verdicts and not (outcome.unsettled or outcome.problems)
    outlook = f"; {wrong} not as expected" if wrong else "; all as expected" if whole else ""
    kept = f", {outcome.kept} from the cache" if outcome.kept else ""
    lines.append(f"{said}{outlook}. {seconds:.1f} s{kept}")
    return lines


def unread(outcome: Outcome) -> str:
    """Files, and definitions in files of which others can be read."""
    partly = {op.listing.file for op in outcome.ops}
    parts = sum(problem.file in partly for problem in outcome.problems)
    files = len(outcome.problems) - parts
    found = ((files, "file"), (parts, "definition"))
    return " and ".join(counted(number, what) for number, what in found if number)


def is_of_a_definition(verdict: Verdict) -> bool:
    return verdict.kind != "needed" and verdict.method != "code"


def undecided(outcome: Outcome) -> list[str]:
    """Where to see what was left undecided, by the first of them."""
    for op in outcome.ops:
        for number in op.chosen:
            verdict = op.verdicts.get(number)
            if verdict and verdict.status == Status.UNKNOWN and is_of_a_definition(verdict):
                home = f"{op.listing.target.path}::" if op.listing.target.path else ""
                name = f"{home}{op.listing.name} '{plain(verdict.name)}'"
                shown = f"What is left to show: gradproof explain {name}"
                return [shown, f"What to try: {advice(verdict, asked(op))}"]
    return []


class Live(Plain):
    """The same lines on a terminal, with colours and, while it waits, progress under them."""

    def __init__(self, stream: TextIO, quiet: bool, colors: bool) -> None:
        super().__init__(stream, quiet)
        self.colors, self.columns = colors, columns_of(stream)
        self.widest_name = max(1, min(WIDEST_NAME, self.columns - BESIDE_NAME))
        self.progress = ""
        self.console: Any = None
        self.region: Any = None

    def begin(self) -> None:
        from rich.console import Console
        from rich.live import Live as Region

        self.console = Console(file=self.stream, no_color=not self.colors, highlight=False)
        self.region = Region(self, console=self.console, refresh_per_second=8, transient=True)
        self.region.start()

    def __rich__(self) -> Any:
        from rich.text import Text

        seconds = monotonic() - self.start
        turn = FRAMES[int(seconds * 8) % len(FRAMES)]
        return Text(f"{turn} {self.progress}, {seconds:.0f} s")

    def show(self, text: str, style: str) -> None:
        if text.startswith(tuple(f"  {mark} " for mark in (*self.marks.values(), "-"))):
            width = max(self.columns, NAME_AT + 20)
            lines = wrap(text, width, subsequent_indent=" " * NAME_AT, break_long_words=False)
            text = "\n".join(lines)
        painted = "".join(paint(part, how, self.colors) for part, how in styled(text, style))
        if self.region is None:
            print(painted, file=self.stream, flush=True)
        else:
            from rich.text import Text

            self.console.print(Text.from_ansi(painted), soft_wrap=True)

    def problem(self, problem: Problem) -> None:
        self.write(f"gradproof: {problem.shown}", "red")

    def waits(self, done: int, total: int, wrong: int) -> None:
        text = f"{done} of {total} theorems settled" if total else "loading"
        text += f", {wrong} not as expected" if wrong else ""
        self.progress = f"{text}, looking closer" if total and done == total else text
        if self.region is None:
            self.begin()

    def close(self) -> None:
        if self.region is not None:
            self.region.stop()


STYLES = {"✓": "green", "✗": "bold red", "+": "green", "!": "bold red"}
CODES = {"bold": 1, "red": 31, "green": 32}


def columns_of(stream: TextIO) -> int:
    """How wide the terminal is; COLUMNS says otherwise."""
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and int(named):
        return int(named)
    with contextlib.suppress(OSError):
        return os.get_terminal_size(stream.fileno()).columns or 80
    return 80


def styled(text: str, style: str) -> list[tuple[str, str]]:
    """The parts of a line, each with its style."""
    mark = text.strip()[:1]
    if text.startswith("  ") and mark in STYLES:
        return [(text[:2], style), (text[2:14], STYLES[mark]), (text[14:], style)]
    return [(text, style)]


def paint(text: str, style: str, colors: bool) -> str:
    codes = (CODES[name] for name in style.split())
    shown = [str(code) for code in codes if colors or code < 30]
    return f"\x1b[{';'.join(shown)}m{text}\x1b[0m" if shown else text


def display_for(stream: TextIO, quiet: bool, no_color: bool) -> Plain:
    """Live on a terminal; plain in a pipe, in CI and where the terminal can do nothing."""
    env = os.environ
    if not stream.isatty() or env.get("CI") or env.get("TERM") == "dumb":
        return Plain(stream, quiet)
    return Live(stream, quiet, not (no_color or env.get("NO_COLOR")))
