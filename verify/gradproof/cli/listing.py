"""Shows the records of the suite, as they ship with the package. Untrusted."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from gradproof import specs
from gradproof.cli.arguments import UsageError
from gradproof.homes import PROOFS
from gradproof.report.recorded import Stale, read, report_in, stamp
from gradproof.settle.verdicts import Report
from gradproof.show.wording import tally
from gradproof.theorems.statuses import Status


def show(known: Namespace) -> int:
    """One line per op; the theorems of the ops that are named."""
    for name in known.ops:
        check_in_suite(name)
    width = max(map(len, specs.HOMES))
    for name in known.ops or specs.HOMES:
        verdicts = recorded(name).verdicts
        print(f"{name:<{width}}  {len(verdicts):>3} theorems: {tally(verdicts)}")
        for v in verdicts if known.ops else ():
            false = "  (known to be false)" if v.expected == Status.REFUTED else ""
            scope = f"  {v.scope}" if v.scope else ""
            print(f"  {v.outcome:<10} {v.kind:<11} {v.name}{scope}{false}")
    return 0


def check_in_suite(name: str) -> None:
    if name in specs.HOMES:
        return
    import difflib

    near = difflib.get_close_matches(name, specs.HOMES, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(specs.HOMES)}"
    if Path(f"{name}.py").exists():
        hint = f"for the file, write {name}.py"
    if Path(name).exists() or "::" in name or name.endswith(".py"):
        hint = f"for a file, use: gradproof check {name}"
    raise UsageError(f"no op {name!r} in the suite; {hint}")


def recorded(name: str) -> Report:
    """What is recorded of an op; it is built only if its files are not those recorded."""
    settles = f"'gradproof verify {name}' settles it"
    path = PROOFS / f"{name}.json"
    try:
        data, found = read(path)
        definition = data["definition"]
        if definition.get("stamp") == stamp(name, definition["sha256"]):
            return found
        from gradproof.report.records import record_of

        return report_in(record_of(getattr(specs, name), path))
    except FileNotFoundError:
        raise UsageError(f"there is no record of {name} in {PROOFS}; {settles}") from None
    except Stale as stale:
        raise UsageError(f"{stale}; {settles}, 'gradproof report' writes it anew") from None
