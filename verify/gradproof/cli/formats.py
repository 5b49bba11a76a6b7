"""An outcome for machines: JSON, JUnit XML, SARIF, and reproductions as files. Untrusted."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from gradproof import __version__
from gradproof.cli.remarks import asked, remarks, weakness
from gradproof.cli.run import Outcome, Settled
from gradproof.cli.workers.wire import plain
from gradproof.settle.verdicts import Verdict
from gradproof.show.advice import account, advice
from gradproof.show.scopes import limit_of
from gradproof.show.wording import counts, unexpected
from gradproof.theorems.statuses import Status

SCHEMA = 1
LONGEST_NAME = 200  # bytes; a file's name has at most 255
KEYS = (
    *("name", "kind", "statement", "given", "expected", "status", "scope", "method", "seconds"),
    *("counterexample", "note", "left", "equation", "rests_on"),
)


def as_json(outcome: Outcome) -> str:
    data = {
        "schema": SCHEMA,
        "gradproof": __version__,
        "ops": [op_data(op) for op in outcome.ops if op.chosen],
        "summary": counts(outcome.verdicts),
        "problems": [
            {"file": p.file, "line": p.line, "message": p.message} for p in outcome.problems
        ],
        "unsettled": outcome.unsettled,
        "interrupted": outcome.interrupted,
    }
    return json.dumps(data, indent=1, ensure_ascii=False)


def op_data(op: Settled) -> dict[str, Any]:
    theorems = []
    for number, verdict in verdicts_of(op):
        whole = verdict.as_dict()
        data = {key: whole[key] for key in KEYS}
        lesson = op.lessons.get(number)
        theorems.append(
            data
            | {
                "outcome": verdict.outcome,
                "as_expected": verdict.as_expected,
                "line": op.line(number),
                "caveat": weakness(op, number),
                "mend": lesson.mend if lesson else "",
                "lesson": list(lesson.text) if lesson else [],
                "advice": advice(verdict, asked(op)),
            }
        )
    listing = op.listing
    return {
        "name": listing.name,
        "file": listing.file if listing.target.path else "",
        "line": listing.line,
        "theorems": theorems,
        "float32": floats_data(op),
    }


def floats_data(op: Settled) -> dict[str, Any] | None:
    """At which input floating-point numbers lose what is exact, and where that arises."""
    found = op.floats
    if found is None:
        return None
    place = {"file": found.file, "line": found.line}
    return {"text": "\n".join(found.text), "failed": found.failed, **place}


def verdicts_of(op: Settled) -> Iterator[tuple[int, Verdict]]:
    return ((n, op.verdicts[n]) for n in op.chosen if n in op.verdicts)


def message_of(op: Settled, number: int) -> str:
    """What is wrong, in a few lines of text."""
    verdict, lesson = op.verdicts[number], op.lessons.get(number)
    first = f"{op.listing.name}, {verdict.name}: {unexpected(verdict)}"
    to_do = advice(verdict, asked(op))
    told = (verdict.note, *account(verdict), to_do, *(lesson.text if lesson else ()))
    lines = [first, *filter(None, told)]
    return "\n".join(map(printable, lines))


def printable(text: str) -> str:
    """Without the control characters that XML has no place for."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


# JUnit.


def as_junit(outcome: Outcome) -> str:
    root = ElementTree.Element("testsuites", name="gradproof")
    for op in outcome.ops:
        if op.chosen:
            root.append(suite_of(op))
    for problem in outcome.problems:
        root.append(unloaded(problem.file, problem.message, problem.shown))
    for target in outcome.unloaded:
        root.append(unloaded(target, "not settled"))
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode")


def unloaded(file: str, message: str, text: str = "") -> ElementTree.Element:
    attributes = {"name": printable(file), "tests": "1", "failures": "0", "errors": "1"}
    suite = ElementTree.Element("testsuite", attributes)
    case = ElementTree.SubElement(suite, "testcase", classname=printable(file), name="load")
    fault = ElementTree.SubElement(case, "error", message=printable(message))
    fault.text = printable(text) or None
    return suite


def suite_of(op: Settled) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=op.listing.name)
    tally: Counter[str] = Counter()
    seconds = 0.0
    for number in op.chosen:
        verdict = op.verdicts.get(number, op.listing.theorems[number])
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=op.listing.name,
            name=printable(verdict.name),
            file=printable(op.listing.file),
            line=str(op.line(number)),
            time=f"{verdict.seconds:.4f}",
        )
        if number not in op.verdicts:
            tally["error"] += 1
            ElementTree.SubElement(case, "error", type="unsettled", message="not settled")
            continue
        seconds += verdict.seconds
        if not verdict.as_expected:
            kind = "failure" if verdict.weight == Status.REFUTED else "error"
            tally[kind] += 1
            fault = ElementTree.SubElement(case, kind, type=verdict.weight)
            text = message_of(op, number)
            fault.set("message", text.partition("\n")[0])
            fault.text = text
        said = f"{verdict.status}: {remarks(op, number)}"
        ElementTree.SubElement(case, "system-out").text = printable(said)
    if op.floats is not None:
        case = ElementTree.SubElement(suite, "testcase", classname=op.listing.name, name="float32")
        case.set("file", printable(op.floats.file))
        case.set("line", str(op.floats.line))
        text = printable("\n".join(op.floats.text))
        if op.floats.failed:
            tally["failure"] += 1
            fault = ElementTree.SubElement(case, "failure", type="float32", message=text)
            fault.text = text
        ElementTree.SubElement(case, "system-out").text = text
    total = {"tests": len(suite), "failures": tally["failure"], "errors": tally["error"]}
    for key, value in total.items():
        suite.set(key, str(value))
    suite.set("time", f"{seconds:.4f}")
    return suite


# SARIF.


def as_sarif(outcome: Outcome) -> str:
    results = [
        sarif_result(verdict.kind, message_of(op, n), level(verdict), op.listing.file, op.line(n))
        for op in outcome.ops
        for n, verdict in verdicts_of(op)
        if not verdict.as_expected
    ]
    results += [
        sarif_result(verdict.kind, said, "note", op.listing.file, op.line(n))
        for op in outcome.ops
        for n, verdict in verdicts_of(op)
        if verdict.as_expected and (said := reservation(op, n))
    ]
    results += [
        sarif_result(
            "float32",
            printable("\n".join(f.text)),
            "error" if f.failed else "note",
            f.file,
            max(1, f.line),
        )
        for op in outcome.ops
        if (f := op.floats) is not None
    ]
    results += [
        sarif_result("definition", p.message, "error", p.file, max(1, p.line))
        for p in outcome.problems
    ]
    kinds = dict.fromkeys(result["ruleId"] for result in results)
    driver = {
        "name": "gradproof",
        "version": __version__,
        "rules": [{"id": kind, "name": kind.title().replace(" ", "")} for kind in kinds],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not outcome.interrupted}],
        "results": results,
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    data = {"$schema": schema, "version": "2.1.0", "runs": [run]}
    return json.dumps(data, indent=1, ensure_ascii=False)


def reservation(op: Settled, number: int) -> str:
    """What there is to say of a proof that is short of one for all sizes."""
    verdict = op.verdicts[number]
    said = "; ".join(filter(None, (limit_of(verdict), weakness(op, number))))
    return said and printable(f"{op.listing.name}, {verdict.name}: proved, {said}")


def level(verdict: Verdict) -> str:
    return "error" if verdict.weight == Status.REFUTED else "warning"


def sarif_result(rule: str, message: str, level: str, file: str, line: int) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": uri(file)}, "region": {"startLine": line}}
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": message},
        "locations": [{"physicalLocation": place}],
    }


def uri(file: str) -> str:
    """Relative to the folder the command runs in, where the file is under it."""
    path = Path(file).absolute()
    if path.is_relative_to(Path.cwd()):
        return quote(os.fsencode(path.relative_to(Path.cwd())))
    return f"file://{quote(os.fsencode(path))}"


# Reproductions.


def reproductions(outcome: Outcome, folder: Path) -> dict[Path, str]:
    """One file per refutation that can be reproduced; its name is made of letters and digits."""
    found: dict[Path, str] = {}
    for op in outcome.ops:
        for number, verdict in verdicts_of(op):
            lesson = op.lessons.get(number)
            if lesson is None or not lesson.reproduction:
                continue
            name = re.sub(r"\W+", "_", f"test_{op.listing.name}_{plain(verdict.name)}").strip("_")
            short = name.encode()[:LONGEST_NAME].decode("utf-8", "ignore")
            stems = chain([short], (f"{short}_{n}" for n in count(2)))
            stem = next(s for s in stems if folder / f"{s}.py" not in found)
            found[folder / f"{stem}.py"] = lesson.reproduction
    return found
