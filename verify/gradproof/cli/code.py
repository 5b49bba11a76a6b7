"""`gradproof check FILE::NAME --input x=N,C` and `gradproof show`: what is read. Deciding."""

from __future__ import annotations

import ast
import sys
from argparse import Namespace
from dataclasses import replace
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from gradproof import specs
from gradproof.cli import formats
from gradproof.cli.arguments import UsageError
from gradproof.cli.display import display_for, shown
from gradproof.cli.listing import check_in_suite
from gradproof.cli.marks import annotated, marked_in
from gradproof.cli.named import Named, loaded, named
from gradproof.cli.outputs import FORMATS, check_outputs, write
from gradproof.cli.reproduced import reproduction
from gradproof.cli.run import Floats, Outcome, Settled
from gradproof.cli.workers.wire import Listing, Target
from gradproof.discovery import builds
from gradproof.language.ops import Op
from gradproof.language.text import primed
from gradproof.settings import file_of, settings
from gradproof.settle.verdicts import Verdict
from gradproof.show import deriving
from gradproof.show.lesson import Lesson
from gradproof.show.scopes import is_whole
from gradproof.show.source import Unwritable
from gradproof.theorems.statuses import Status
from gradproof.tracing.declared import dims_in
from gradproof.tracing.expressions import Undeclared
from gradproof.tracing.reports import AT_FIXED, NONE, Line, Report

STATUSES = {
    "proved": Status.PROVED,
    "refuted": Status.REFUTED,
    "error": Status.ERROR,
    "unreadable": Status.UNSUPPORTED,
    NONE: Status.UNSUPPORTED,
}
OWED = {
    "JVP": ("jvp", "the JVP is linear, and the backward is its transpose"),
    "vmap": ("vjp", "each example of a batch is what the function gives of it by itself"),
}
OF_ORDER = "what the framework makes of the backward is the derivative of what the backward gives"
KINDS = ("real", "size", "constant", "boolean", "integer", "given")
HOW = "as in x=N,C, eps=1e-5, k=size, mask=boolean:N,C, label=integer:N<C or mode=given:'mean'"


def check(known: Namespace) -> int:
    """Proves or refutes the gradients of code; the exit status of the command."""
    outputs = {name: getattr(known, name) for name in FORMATS if getattr(known, name)}
    check_outputs(outputs, known.save)
    stream = sys.stderr if "-" in outputs.values() else sys.stdout
    display = display_for(stream, known.quiet, known.no_color, verbose=True)
    outcome = Outcome()
    for text in known.targets:
        found = named(text, known.framework)
        settled = as_settled(found, asked(found, known, "check"), known)
        outcome.ops.append(settled)
        shown(display, settled)
    display.summary(outcome)
    saved = formats.reproductions(outcome, Path(known.save)) if known.save else {}
    write({path: FORMATS[name](outcome) + "\n" for name, path in outputs.items()}, saved)
    for path in saved:
        display.write(f"Saved {path}")
    return outcome.status


def op_named(target: str) -> Op | None:
    """An op of the suite, or of a file."""
    if target in specs.HOMES:
        return cast(Op, getattr(specs, target))
    path, _, name = target.rpartition("::")
    if not path or not Path(path).is_file() or not builds(Path(path), 0):
        return None
    found = getattr(loaded(path), name, None)
    return found if isinstance(found, Op) else None


def show(known: Namespace) -> int:
    """Prints the mathematics that was read from code, or the rules that follow from an op."""
    op = op_named(known.target)
    if op is not None:
        try:
            print(deriving.shown(op))
        except (deriving.Underivable, Unwritable) as reason:
            raise UsageError(f"{known.target}: no rule is derived: {reason}") from None
        return 0
    if "::" not in known.target:
        check_in_suite(known.target)
    print(asked(named(known.target, known.framework), known, "show"))
    return 0


def explain(known: Namespace) -> int:
    """Prints what was read from code, what is compared of it, and what was found."""
    if known.record:
        raise UsageError("--record writes the proofs of a definition, not of code")
    code = named(known.target, known.framework)
    report = asked(code, known, "explain")
    settled = [v for r in report.readings for v in r.verdicts if is_asked(v, known.theorem)]
    parts = [report.definition, *map(account, settled), str(report)]
    print("\n\n".join(filter(None, parts)))
    return Outcome([as_settled(code, report, known)]).status


def is_asked(verdict: Verdict, pattern: str | None) -> bool:
    if not pattern:
        return verdict.kind in ("jvp", "vjp")
    return pattern in verdict.name or fnmatchcase(verdict.name, pattern)


def account(verdict: Verdict) -> str:
    """What is compared, and how it went."""
    found = "; ".join(filter(None, [verdict.outcome, verdict.scope, verdict.note]))
    return "\n".join(primed(f"{verdict.name}: {found}", f"  {verdict.statement}"))


def asked(found: Named, known: Namespace, what: str) -> Any:
    """What an adapter answers."""
    adapter = import_module(f"gradproof.{found.framework}")
    options: dict[str, Any] = {"requires": known.requires or ()}
    if known.at:
        options["sizes"] = dict(map(size, known.at))
    if what != "show":
        options["on_purpose"] = what == "check" and known.on_purpose
        options["scope"] = known.scope or ""
        options["timeout"] = known.timeout
        options["order"] = known.order
        options["float32"] = known.float32
        options["dtype"] = known.dtype
        options["within"] = known.within or ()
        if known.limit:
            options["limit"] = known.limit
    inputs = dict(argument(adapter, text) for text in said_of(found, known))
    try:
        ask = adapter.show if what == "show" else adapter.check
        return ask(*found.functions, **options, **inputs)
    except (Undeclared, TypeError) as wrong:
        raise UsageError(f"{found.shown}: {wrong}") from wrong


def said_of(found: Named, known: Namespace) -> list[str]:
    """What the command says of arguments; or else a line beside the code, or its annotations."""
    if known.input:
        return list(known.input)
    home = (file_of() or Path("pyproject.toml").absolute()).parent
    marked = {m.names: m for m in marked_in(Path(found.path), settings(), home)}
    if found.names in marked:
        pairs = pairwise(marked[found.names].arguments)
        return [value for option, value in pairs if option == "--input"]
    return [f"{name}={dims}" for name, dims in annotated(found.path, found.name).items()]


def argument(adapter: Any, text: str) -> tuple[str, Any]:
    """`x=N,C` as what a call says of x."""
    name, equals, said = text.partition("=")
    if not (equals and name.isidentifier()):
        raise UsageError(f"--input {text}: say what an argument is, {HOW}")
    kind, _, rest = said.partition(":")
    if kind not in KINDS:
        return name, shape_or_value(said.strip())
    if kind == "real":
        return name, adapter.real()
    if kind == "size":
        return name, adapter.size(rest or name)
    if kind == "given":
        return name, adapter.given(literal(rest))
    if kind != "integer":
        return name, getattr(adapter, kind)(*shape(rest))
    dims, bounded, below = rest.partition("<")
    if not bounded:
        raise UsageError(f"--input {text}: say what the integers are below, as in integer:N<C")
    return name, adapter.integer(*shape(dims), below=number(below))


def shape_or_value(said: str) -> Any:
    """A shape; or a value, where a number stands alone, as in eps=1e-5 or dilation=2."""
    value = literal(said)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number else tuple(shape(said))


def shape(text: str) -> list[Any]:
    parts = text.split(",") if "," in text else dims_in(text)
    return [number(part) for part in parts if part.strip()]


def number(text: str) -> Any:
    return int(text) if text.strip().isdecimal() else text.strip()


def size(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    if not value.strip().isdecimal():
        raise UsageError(f"--at {text}: say which size is fixed, as in --at N=2")
    return name.strip(), int(value)


def literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


# As verdicts, so that they are shown and written as those of definitions are.


def as_settled(found: Named, report: Report, known: Namespace) -> Settled:
    owed = [verdict_of_line(found, line) for line in report.contract]
    verdicts = dict(enumerate((verdict_of(found, report), *owed)))
    target = Target(found.path, found.name)
    theorems = tuple(verdicts.values())
    listing = Listing(
        target, found.name, found.path, found.line, theorems, (found.line,) * len(theorems)
    )
    settled = Settled(listing, tuple(verdicts), verdicts, floats=floats_of(found, report))
    adapter = import_module(f"gradproof.{found.framework}")
    inputs = dict(argument(adapter, text) for text in said_of(found, known))
    if not verdicts[0].as_expected:
        text = () if report.counterexample is None else report.counterexample.text
        made = reproduction(found, report, inputs)
        said = (*report.decided, *report.note.splitlines(), *fixed(report), *text)
        settled.lessons[0] = Lesson(said, reproduction=made)
    for number, line in enumerate(report.contract, 1):
        if said := tuple(part.strip() for part in line.text.splitlines()[1:]):
            made = reproduction(found, line.report, inputs, line.report.name)
            settled.lessons[number] = Lesson(said, reproduction=made)
    return settled


def floats_of(found: Named, report: Report) -> Floats | None:
    """At the line where it arises, if one is known."""
    text = tuple(f"{report.unstable}\n{report.range}".strip().splitlines())
    failed = report.float32 and report.lost is not None
    done = report.lost and report.lost.done
    place = (done.file, done.line) if done else (found.path, found.line)
    return Floats(text, failed, *place) if text else None


def fixed(report: Report) -> tuple[str, ...]:
    """How the command is told of sizes at which code can be read."""
    options = " ".join(f"--at {name}={value}" for name, value in report.readable_at.items())
    return (f"{AT_FIXED}, {options}",) if options else ()


def verdict_of_line(found: Named, line: Line) -> Verdict:
    """Of what is owed beside the gradient; what is not asked is told."""
    owed = verdict_of(found, line.report)
    return replace(
        owed,
        name=line.report.name,
        kind=OWED.get(line.report.name, ("vjp", ""))[0],
        statement=OWED.get(line.report.name, ("", OF_ORDER))[1],
        expected="proved" if line.decides else "told",
    )


def verdict_of(found: Named, report: Report) -> Verdict:
    status = Status.PROVED if report.contract else STATUSES.get(report.status, Status.UNKNOWN)
    said = report.status if report.status in ("rounding", "unreadable", NONE) else ""
    note = "; ".join(filter(None, [said, *report.note.splitlines()[:1]]))
    return Verdict(
        op=found.name,
        name="gradient",
        kind="vjp",
        statement="the gradient that the code gives is the derivative of what it computes",
        given=tuple(str(c) for reading in report.readings[:1] for c in reading.op.requires),
        expected="refuted" if report.on_purpose else "proved",
        status=status,
        scope="all sizes" if is_whole(report.scope) else report.scope,
        method="code",
        note=note,
        accepts=report.accepts,
        seconds=report.seconds,
    )
