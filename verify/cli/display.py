"""Shows a run: plain lines, or with live progress and colours on a terminal. Untrusted."""

from __future__ import annotations

import contextlib
import os
import sys
from textwrap import wrap
from time import monotonic
from typing import Any, TextIO

from verify.cli.remarks import limits, remarks
from verify.cli.run import Outcome, Settled
from verify.cli.wire import Problem, plain
from verify.wording import counted, tally

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
        mark = self.marks[verdict.as_expected]
        line = f"  {mark} {verdict.status:<11} {verdict.kind:<11} {name:<{self.width}}  {aside}"
        self.write(line.rstrip(), "" if verdict.as_expected else "red")

    def lesson(self, op: Settled, number: int) -> None:
        verdict, lesson = op.verdicts[number], op.lessons[number]
        self.write("")
        where = f"   {op.listing.file}:{op.line(number)}" if op.listing.target.path else ""
        self.write(f"  {op.listing.name}: {plain(verdict.name)}{where}", "bold")
        for line in lesson.text:
            self.write(f"    {line}".rstrip())
        self.apart = True

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
        lines.append(f"{counted(len(outcome.problems), 'file')} could not be read.")
    lines += [*limits(outcome), *undecided(outcome)]
    found = f"{counted(len(verdicts), 'theorem')}: {tally(verdicts)}"
    said = found if verdicts else "No theorem was settled"
    whole = verdicts and not (outcome.unsettled or outcome.problems)
    outlook = f"; {wrong} not as expected" if wrong else "; all as expected" if whole else ""
    kept = f", {outcome.kept} from the cache" if outcome.kept else ""
    lines.append(f"{said}{outlook}. {seconds:.1f} s{kept}")
    return lines


def undecided(outcome: Outcome) -> list[str]:
    """Where to see what was left undecided, by the first of them."""
    for op in outcome.ops:
        for number in op.chosen:
            verdict = op.verdicts.get(number)
            if verdict and verdict.status == "unknown" and verdict.kind != "needed":
                home = f"{op.listing.target.path}::" if op.listing.target.path else ""
                name = f"{home}{op.listing.name} '{plain(verdict.name)}'"
                return [f"What is left to show: gradproof explain {name}"]
    return []


class Live(Plain):
    """The same lines on a terminal, with colours and a line of progress under them."""

    def __init__(self, stream: TextIO, quiet: bool, colors: bool) -> None:
        from rich.console import Console
        from rich.live import Live as Region

        super().__init__(stream, quiet)
        self.console = Console(file=stream, no_color=not colors, highlight=False)
        self.widest_name = max(1, min(WIDEST_NAME, self.console.width - BESIDE_NAME))
        self.progress = ""
        self.region = Region(self, console=self.console, refresh_per_second=8, transient=True)
        self.region.start()

    def __rich__(self) -> Any:
        from rich.text import Text

        seconds = monotonic() - self.start
        turn = FRAMES[int(seconds * 8) % len(FRAMES)]
        return Text(f"{turn} {self.progress}, {seconds:.0f} s")

    def show(self, text: str, style: str) -> None:
        if text.startswith(tuple(f"  {mark}" for mark in self.marks.values())):
            width = max(self.console.width, NAME_AT + 20)
            lines = wrap(text, width, subsequent_indent=" " * NAME_AT, break_long_words=False)
            text = "\n".join(lines)
        self.console.print(styled(text, style), soft_wrap=True)

    def problem(self, problem: Problem) -> None:
        self.write(f"gradproof: {problem.shown}", "red")

    def waits(self, done: int, total: int, wrong: int) -> None:
        text = f"{done} of {total} theorems settled" if total else "loading"
        text += f", {wrong} not as expected" if wrong else ""
        self.progress = f"{text}, looking closer" if total and done == total else text

    def close(self) -> None:
        self.region.stop()


STYLES = {"✓": "green", "✗": "bold red", "+": "green", "!": "bold red"}


def styled(text: str, style: str) -> Any:
    from rich.text import Text

    shown = Text(text, style=style)
    mark = text.strip()[:1]
    if text.startswith("  ") and mark in STYLES:
        shown.stylize(STYLES[mark], 2, 14)
    return shown


def display_for(stream: TextIO, quiet: bool, no_color: bool) -> Plain:
    """Live on a terminal; plain in a pipe, in CI and where the terminal can do nothing."""
    env = os.environ
    if not stream.isatty() or env.get("CI") or env.get("TERM") == "dumb":
        return Plain(stream, quiet)
    return Live(stream, quiet, not (no_color or env.get("NO_COLOR")))
