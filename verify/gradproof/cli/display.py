"""Shows a run: plain lines, or with live progress and colours on a terminal. Untrusted."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from textwrap import wrap
from time import monotonic
from typing import Any, TextIO

from gradproof.cli.remarks import asked, is_empty, is_told, limits, remarks, unasked_rules
from gradproof.cli.run import Floats, Outcome, Settled
from gradproof.cli.workers.wire import Problem, plain
from gradproof.settle.verdicts import Verdict
from gradproof.show.advice import advice
from gradproof.show.wording import counted, told, word_of
from gradproof.theorems.statuses import Status

MARKS = {True: "✓", False: "✗", None: "~"}  # as expected, not so, and proved but too narrow
LETTERS = {True: "+", False: "!", None: "~"}
WIDEST_NAME = 44
NAME = 18  # columns of an op's name
NAME_AT = 28  # columns before a name
BESIDE_NAME = NAME_AT + 14  # columns before a name, and after it for "every rank"
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def marks_for(stream: TextIO) -> dict[bool | None, str]:
    """Letters where the stream has no way to write a tick."""
    try:
        "".join(MARKS.values()).encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return LETTERS
    return MARKS


class Plain:
    """One line per op, and each failure in full, without colours; or one line per verdict."""

    def __init__(self, stream: TextIO, quiet: bool = False, verbose: bool = False) -> None:
        self.stream, self.quiet, self.verbose = stream, quiet, verbose
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
        self.pending = f"{op.listing.name}{place_of(op)}"
        if self.verbose and not self.quiet:
            self.titled()

    def titled(self) -> None:
        if self.pending:
            self.part()
            self.write(self.pending, "bold")
        self.pending = ""

    def done(self, op: Settled) -> None:
        self.in_a_line(op)
        if op.floats and (op.floats.failed or not self.quiet):
            self.floats(op.floats)

    def in_a_line(self, op: Settled) -> None:
        """The op in a line; where something of it was shown, below that."""
        verdicts = [op.verdicts[n] for n in op.chosen if n in op.verdicts]
        if self.verbose or self.quiet or not verdicts:
            return
        words = told((word_of(op.verdicts[n], is_empty(op, n)) for n in op.chosen), " · ")
        if (
            verdicts[0].method == "code" and verdicts[0].scope
        ):  # what one is proved for is its count
            words = f"{words}, for {verdicts[0].scope.removeprefix('for ')}"
        kept = op.kept.issuperset(op.chosen)
        taken = "" if kept else f"   {sum(v.seconds for v in verdicts):.1f} s"
        failed = op.floats is not None and op.floats.failed
        mark = self.marks[all(v.as_expected for v in verdicts) and not failed]
        if self.pending:
            self.write(f"{mark} {op.listing.name:<{NAME}}  {words}{taken}{place_of(op)}")
        else:
            self.part()
            self.write(f"{mark} {op.listing.name:<{NAME}}  {words}{taken}")
        self.pending = ""

    def part(self) -> None:
        """An empty line after a lesson."""
        if self.apart:
            self.write("")
        self.apart = False

    def verdict(self, op: Settled, number: int) -> None:
        verdict = op.verdicts[number]
        if verdict.as_expected and (self.quiet or not (self.verbose or is_told(op, number))):
            return
        self.titled()
        name, aside = plain(verdict.name), remarks(op, number)
        void = is_empty(op, number)
        is_aside = verdict.is_waived or verdict.expected == "told" or void
        found = None if verdict.narrow else verdict.as_expected
        mark, word = "-" if is_aside else self.marks[found], word_of(verdict, void)
        line = f"  {mark} {word:<11} {verdict.kind:<11} {name:<{self.width}}  {aside}"
        self.write(line.rstrip(), "" if verdict.as_expected else "red")

    def lesson(self, op: Settled, number: int) -> None:
        verdict, lesson = op.verdicts[number], op.lessons[number]
        self.titled()
        self.write("")
        self.write(f"  {op.listing.name}: {plain(verdict.name)}{place_of(op, number)}", "bold")
        for line in lesson.text:
            self.write(f"    {line}".rstrip())
        self.apart = True

    def floats(self, found: Floats) -> None:
        """At which input floating-point numbers lose what is exact."""
        self.titled()
        mark = self.marks[False] if found.failed else "-"
        for number, line in enumerate(found.text):
            self.write(f"  {' ' if number else mark} {line}", "red" if found.failed else "")

    def summary(self, outcome: Outcome) -> None:
        self.part()
        for line in summary_of(outcome, monotonic() - self.start):
            self.write(line)


def place_of(op: Settled, number: int | None = None) -> str:
    """Where an op is written, or a theorem's equation; nothing of the suite's own."""
    line = op.listing.line if number is None else op.line(number)
    return f"   {op.listing.file}:{line}" if op.listing.target.path else ""


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
    words = (word_of(op.verdicts[n], is_empty(op, n)) for op in outcome.ops for n in op.verdicts)
    found = f"{counted(len(verdicts), 'theorem')}: {told(words)}"
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


def shown(display: Plain, found: Settled) -> None:
    display.op(found)
    for number in found.chosen:
        display.verdict(found, number)
        if number in found.lessons:
            display.lesson(found, number)
    display.done(found)


class Live(Plain):
    """The same lines on a terminal, with colours and, while it waits, progress under them."""

    def __init__(self, stream: TextIO, quiet: bool, verbose: bool, colors: bool) -> None:
        super().__init__(stream, quiet, verbose)
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
        text = "\n".join(fitted(text, self.columns, (*self.marks.values(), "-")))
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


LABEL = re.compile(r" {4}.{17}  (?=\S)")  # before what a row of a lesson says


def fitted(text: str, columns: int, marks: tuple[str, ...]) -> list[str]:
    """Lines that are cut between words, under where the text begins; a picture stays as it is."""
    if len(text) <= columns:
        return [text]
    label = LABEL.match(text)
    if text.startswith(tuple(f"  {mark} " for mark in marks)):
        columns, at = max(columns, NAME_AT + 20), NAME_AT
    elif text.startswith("    "):
        rest = text[label.end() :] if label else text.strip()
        if re.search(r"\S {2,}\S", rest) or rest[:1] == "[":
            return [text]
        at = label.end() if label and columns >= 2 * label.end() else 8 if label else 4
    elif text.startswith(tuple(f"{mark} " for mark in marks)):
        at = 2 + NAME + 2
    else:
        return wrap(text, columns, break_long_words=False, break_on_hyphens=False) or [text]
    return wrap(
        text,
        columns,
        subsequent_indent=" " * at,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )


STYLES = {"✓": "green", "✗": "bold red", "+": "green", "!": "bold red", "~": "bold yellow"}
CODES = {"bold": 1, "red": 31, "green": 32, "yellow": 33}


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
    if text[:1] in STYLES and text[1:2] == " ":
        return [(text[:1], STYLES[text[:1]]), (text[1:], style)]
    if text.startswith("  ") and text[2:3] in STYLES:
        return [(text[:2], style), (text[2:14], STYLES[text[2]]), (text[14:], style)]
    return [(text, style)]


def paint(text: str, style: str, colors: bool) -> str:
    codes = (CODES[name] for name in style.split())
    shown = [str(code) for code in codes if colors or code < 30]
    return f"\x1b[{';'.join(shown)}m{text}\x1b[0m" if shown else text


def display_for(stream: TextIO, quiet: bool, no_color: bool, verbose: bool = False) -> Plain:
    """Live on a terminal; plain in a pipe, in CI and where the terminal can do nothing."""
    env = os.environ
    if not stream.isatty() or env.get("CI") or env.get("TERM") == "dumb":
        return Plain(stream, quiet, verbose)
    return Live(stream, quiet, verbose, not (no_color or env.get("NO_COLOR")))
