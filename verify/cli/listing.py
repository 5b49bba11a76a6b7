"""Shows the records of the suite, as they ship with the package. Untrusted."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import specs
from verify.cli.arguments import UsageError
from verify.report.records import Stale, record_of

PROOFS = Path(__file__).parents[2] / "proofs"


def show(names: Sequence[str]) -> int:
    """One line per op; the theorems of the ops that are named."""
    for name in names:
        check_in_suite(name)
    width = max(map(len, specs.HOMES))
    for name in names or specs.HOMES:
        theorems = record(name)["theorems"]
        counts = Counter(theorem["status"] for theorem in theorems)
        said = ", ".join(f"{number} {status}" for status, number in counts.items())
        print(f"{name:<{width}}  {len(theorems):>3} theorems: {said}")
        for theorem in theorems if names else ():
            known = "  (known to be false)" if theorem["expected"] == "refuted" else ""
            scope = f"  {theorem['scope']}" if theorem["scope"] else ""
            print(f"  {theorem['status']:<9} {theorem['kind']:<11} {theorem['name']}{scope}{known}")
    return 0


def check_in_suite(name: str) -> None:
    if name in specs.HOMES:
        return
    near = difflib.get_close_matches(name, specs.HOMES, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(specs.HOMES)}"
    if Path(f"{name}.py").exists():
        hint = f"for the file, write {name}.py"
    if Path(name).exists() or "::" in name or name.endswith(".py"):
        hint = f"for a file, use: gradproof check {name}"
    raise UsageError(f"no op {name!r} in the suite; {hint}")


def record(name: str) -> dict[str, Any]:
    settles = f"'gradproof verify {name}' settles it"
    try:
        return record_of(getattr(specs, name), PROOFS / f"{name}.json")
    except FileNotFoundError:
        raise UsageError(f"there is no record of {name} in {PROOFS}; {settles}") from None
    except Stale as stale:
        raise UsageError(f"{stale}; {settles}, 'gradproof report' writes it anew") from None
