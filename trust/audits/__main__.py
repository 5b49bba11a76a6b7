"""Audits what the tables name, and writes docs/audits.md: `python -m trust.audits`. Untrusted."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import astuple
from importlib.metadata import version
from typing import Any

from trust.audits import page
from trust.audits.run import SHARE, audited
from trust.audits.tables import Row, formulas, packages
from trust.audits.wheels import FOLDER

KEPT = FOLDER / "found.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m trust.audits", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="audit these anew, and no others")
    parser.add_argument("--kept", action="store_true", help="audit what no run has audited")
    args = parser.parse_args()
    tables = (formulas(), packages())
    known = read() if args.kept or args.names else {}
    rows = [row for table in reversed(tables) for row in table]
    todo = [r for r in rows if r.name in args.names or (not args.names and key(r) not in known)]
    for row, found in audited(todo):
        known[key(row)] = found
        print(
            f"{found['status']:10} {found['seconds']:6.1f} s  {row.home} {row.name} {row.column}",
            flush=True,
        )
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(json.dumps(known, indent=1), "utf-8")
    torch, others = ([(row, known[key(row)]) for row in t if key(row) in known] for t in tables)
    page.PAGE.write_text(page.written(torch, others, version("torch"), f"1/{SHARE}"), "utf-8")
    return 0


def key(row: Row) -> str:
    return json.dumps(astuple(row))


def read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    return found


if __name__ == "__main__":
    sys.exit(main())
