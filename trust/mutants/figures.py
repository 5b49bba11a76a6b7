"""The figures of a run of mutants, as data: no timings, the same for every run. Untrusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from gradproof.report.kinds import KINDS
from trust.mutants.judge import kinds_of
from trust.mutants.run import NAMES, Options, Result

OUTCOMES = ("killed", "equivalent", "convention", "open", "survived")
REASONS = {
    "satisfiable": "preconditions that contradict each other make every other theorem vacuous as "
    "well; this one says which sizes are meant",
    "ties": "the JVP and the VJPs are compared where the winner is unique; of an op without "
    "claims, only this one speaks of all other points",
}


def figures(results: Iterable[Result], options: Options) -> dict[str, Any]:
    """Per op: outcomes and killers of each mutation, and every mutant that was not killed."""
    by_op: dict[str, list[Result]] = {}
    for result in results:
        by_op.setdefault(result.op, []).append(result)
    return {op: of_op(found, options) for op, found in sorted(by_op.items())}


def of_op(found: list[Result], options: Options) -> dict[str, Any]:
    return {
        "options": {key: v for key, v in asdict(options).items() if key != "jobs"},
        "outcomes": table((r.mutation, r.outcome) for r in found),
        "kills": table((r.mutation, kind) for r in found for kind in killers(r)),
        "alone": sole(killers(r) for r in found),
        "alone but for claims": sole(killers(r) - {"claim"} for r in found),
        "listed": sorted((listed(r) for r in found if r.outcome != "killed"), key=str),
    }


def killers(result: Result) -> set[str]:
    """The kinds of theorems that killed it."""
    return kinds_of(result.kills) if result.outcome == "killed" else set()


def sole(found: Iterable[set[str]]) -> dict[str, int]:
    """How often each kind is the only one."""
    counted = Counter(kind for kinds in found if len(kinds) == 1 for kind in kinds)
    return dict(sorted(counted.items()))


def table(pairs: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    counted = Counter(pairs)
    found: dict[str, dict[str, int]] = {}
    for (row, column), number in sorted(counted.items()):
        found.setdefault(row, {})[column] = number
    return found


def listed(result: Result) -> dict[str, Any]:
    data = asdict(result)
    del data["seconds"]
    return data


def summed(ops: dict[str, Any], key: str) -> dict[str, Counter[str]]:
    """One table of several ops."""
    total = {name: Counter[str]() for name in NAMES}
    for data in ops.values():
        for row, counts in data[key].items():
            total[row].update(counts)
    return total


def alone(ops: dict[str, Any], key: str = "alone") -> Counter[str]:
    """How many mutants each kind of theorem kills that no other kind does."""
    total: Counter[str] = Counter()
    for data in ops.values():
        if data["options"]["thorough"]:
            total.update(data[key])
    return total


def matrix(ops: dict[str, Any]) -> str:
    """Mutation by kind of theorem that killed, with the outcomes."""
    outcomes, kills = summed(ops, "outcomes"), summed(ops, "kills")
    rows = [["mutation", *KINDS, *OUTCOMES]]
    for name in (n for n in NAMES if outcomes[n]):
        counts = [*(kills[name][k] for k in KINDS), *(outcomes[name][o] for o in OUTCOMES)]
        rows.append([name, *(str(c or "") for c in counts)])
    totals = [sum((t[k] for t in kills.values()), 0) for k in KINDS]
    totals += [sum((t[o] for t in outcomes.values()), 0) for o in OUTCOMES]
    rows.append(["all", *map(str, totals)])
    rows += [
        [key, *(str(alone(ops, key)[k] or "") for k in KINDS), *[""] * len(OUTCOMES)]
        for key in ("alone", "alone but for claims")
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            c.ljust(w) if i == 0 else c.rjust(w)
            for i, (c, w) in enumerate(zip(r, widths, strict=True))
        )
        for r in rows
    )


def never_alone(ops: dict[str, Any]) -> list[str]:
    """Kinds that kill nothing that no other does, and have no reason beside that.

    An op need not claim anything, so what is asked of every op is measured without the claims.
    """
    found = alone(ops, "alone but for claims") + Counter(claim=alone(ops)["claim"])
    return [k for k in KINDS if not found[k] and k not in REASONS]
