"""`python -m trust mutants` judges the mutants of the suite and prints what killed them;
`python -m trust kernel` plants bugs in the kernel and prints whether tests catch them;
`python -m trust load` disturbs the command while it settles many definitions;
`python -m trust truth` draws definitions, right and broken, and prints what is said of them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from specs import OPS
from trust.kernel.bugs import BUGS
from trust.kernel.catching import caught
from trust.load.disturb import disturbed, undisturbed
from trust.load.disturb import figures as load_figures
from trust.mutants.figures import REASONS, figures, matrix, never_alone, summed
from trust.mutants.run import Options, Result, run
from trust.source import fingerprint
from trust.truth import figures as of_truth
from trust.truth.run import run as compared

RECORD = Path(__file__).with_name("record.json")
KERNEL = fingerprint()  # of what is loaded, whatever is edited while it runs
SLOW = 10
MOST_FAULTS = 20


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m trust", description=__doc__)
    parser.add_argument("what", choices=("mutants", "kernel", "load", "truth"))
    parser.add_argument("names", nargs="*", help="ops, or bugs; all by default", metavar="NAME")
    parser.add_argument("--most", type=int, help="so many of each mutation of each op; else all")
    parser.add_argument("--seed", type=int, default=0, help="draws those")
    parser.add_argument("--thorough", action="store_true", help="try every kind of theorem")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--definitions", type=int, default=500, help="for load")
    parser.add_argument("--draws", type=int, default=10_000, help="for truth")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    return parser.parse_intermixed_args()


def main() -> int:
    args = arguments()
    if args.what == "load":
        return load(args.definitions, args.seed, args.record)
    if args.what == "truth":
        return truth(args.draws, args.seed, args.jobs, args.record)
    known = [b.name for b in BUGS] if args.what == "kernel" else [op.name for op in OPS]
    unknown = set(args.names) - set(known)
    if unknown:
        print(f"there is no {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    names = tuple(args.names or known)
    return kernel(names, args.record) if args.what == "kernel" else mutants(names, args)


def kernel(names: tuple[str, ...], record: bool) -> int:
    found = {}
    for bug, answer in caught(tuple(b for b in BUGS if b.name in names)):
        print(f"{answer:8} {bug.place}: {bug.name}", flush=True)
        found[bug.name] = {"place": bug.place, "tests": list(bug.tests), "answer": answer}
    if record:
        write("kernel", each_stamped(found))
    return 0 if all(b["answer"] == "caught" for b in found.values()) else 1


def load(definitions: int, seed: int, record: bool) -> int:
    found = {}
    with TemporaryDirectory() as name:
        crowd = undisturbed(Path(name), definitions, seed)
        print(f"{definitions} definitions, {len(crowd.verdicts)} theorems, {crowd.seconds:.0f} s")
        for disturbance, one in disturbed(crowd, Path(name)):
            found[disturbance] = one
            print(f"{disturbance}: {one}", *one.faults[:MOST_FAULTS], sep="\n  ", flush=True)
    if record:
        write("load", stamped(load_figures(crowd, found)))
    return 1 if any(one.faults for one in found.values()) else 0


def truth(draws: int, seed: int, jobs: int, record: bool) -> int:
    results = []
    for result in compared(draws, seed, jobs):
        results.append(result)
        if result.wrong:
            print(result, flush=True)
        if len(results) % 500 == 0:
            print(f"{len(results)} definitions", file=sys.stderr, flush=True)
    found = of_truth.figures(results, seed)
    print(of_truth.table(found))
    short = of_truth.shortcomings(found)
    print(*short or ["no answer is wrong"], sep="\n")
    if record:
        write("truth", stamped(found))
    return 1 if short else 0


def mutants(names: tuple[str, ...], args: argparse.Namespace) -> int:
    """Op by op, so that what is recorded of one op is there whatever happens to the next."""
    options = Options(args.most, args.seed, args.thorough, args.jobs)
    found: dict[str, Any] = {}
    for name in names:
        results = list(watched(run((name,), options)))
        found |= figures(results, options)
        if args.record:
            write("mutants", each_stamped(found))
    print(matrix(found))
    return verdict(found, args.thorough)


def watched(results: Iterable[Result]) -> Iterator[Result]:
    """Prints those that were not killed, and those that took long."""
    for result in results:
        if result.outcome in ("open", "survived") or "error" in {k.status for k in result.kills}:
            print(result, flush=True)
        if result.seconds > SLOW:
            print(f"{result.seconds:.0f} s: {result}", file=sys.stderr, flush=True)
        yield result


def verdict(found: dict[str, Any], thorough: bool) -> int:
    """0 if nothing survived, and no kind of theorem is idle."""
    outcomes = summed(found, "outcomes").values()
    left, undecided = (sum(c[name] for c in outcomes) for name in ("survived", "open"))
    print(f"{left} survived" if left else "no mutant survived")
    print(f"{undecided} killed without a counterexample")
    for kind, reason in REASONS.items():
        print(f"{kind}: {reason}")
    idle = never_alone(found) if thorough else []
    for kind in idle:
        print(f"{kind}: kills nothing that no other kind does")
    return 1 if left or idle else 0


def stamped(found: dict[str, Any]) -> dict[str, Any]:
    """With the trusted modules that it was found of."""
    return found | {"kernel": KERNEL}


def each_stamped(found: dict[str, Any]) -> dict[str, Any]:
    return {name: stamped(one) for name, one in found.items()}


def write(part: str, found: dict[str, Any]) -> None:
    """Replaces what was found in one part of the record."""
    data: dict[str, Any] = {"schema": 1}
    if RECORD.exists():
        data = json.loads(RECORD.read_text("utf-8"))
    data[part] = data.get(part, {}) | found
    draft = RECORD.with_suffix(".json.part")
    draft.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    draft.replace(RECORD)


if __name__ == "__main__":
    sys.exit(main())
