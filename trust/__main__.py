"""Measures whether verdicts can be believed; `make trust` puts the figures into TRUST.md."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gradproof import __version__
from gradproof.cli.arguments import whole
from gradproof.specs import OPS
from trust import record
from trust.drawn import run as of_kinks
from trust.journal import Journal
from trust.kernel.bugs import BUGS
from trust.kernel.catching import caught
from trust.load.disturb import disturbed, undisturbed
from trust.load.disturb import figures as load_figures
from trust.mutants.figures import REASONS, figures, matrix, never_alone, summed
from trust.mutants.run import Options, Result, results_of, run
from trust.programs import figures as of_programs
from trust.programs.draw import FRAMEWORKS
from trust.programs.run import Result as Judged
from trust.programs.run import run as judged_programs
from trust.sample import CHUNKS, KINKS, chosen, frameworks, programs_of, rest_of
from trust.truth import figures as of_truth
from trust.truth.compare import Result as Compared
from trust.truth.run import results_in
from trust.truth.run import run as compared

SLOW = 10
MOST_FAULTS = 20


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m trust", description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True, metavar="PART")
    judged = parts.add_parser(
        "mutants", help="change the definitions of the suite, and show what kills each mutant"
    )
    judged.add_argument(
        "--most", type=whole(1), help="so many of each mutation of each op; else all"
    )
    judged.add_argument("--thorough", action="store_true", help="try every kind of theorem")
    planted = parts.add_parser(
        "kernel", help="plant bugs in the trusted modules, and show whether tests catch them"
    )
    crowded = parts.add_parser("load", help="disturb the command while it settles many definitions")
    crowded.add_argument("--definitions", type=whole(1), default=500)
    drawn = parts.add_parser(
        "truth", help="draw definitions, right and broken, and compare what is said of them"
    )
    drawn.add_argument("--draws", type=whole(1), default=10_000)
    kinks = parts.add_parser(
        "drawn", help="draw definitions with kinks, wrong at a point or far out; none may be green"
    )
    kinks.add_argument("--count", type=whole(1), default=1000)
    kinks.add_argument("--shrink", action="store_true", help="show what is as small as can be")
    written = parts.add_parser(
        "programs", help="draw programs, right and wrong in one region, and judge what is said"
    )
    written.add_argument("--framework", choices=(*FRAMEWORKS, "all"), default="all")
    written.add_argument("--count", type=whole(1), default=1000, help="so many of each framework")
    written.add_argument("--first", type=whole(0), default=0, help="the number of the first")
    fixed = parts.add_parser(
        "sample",
        help="a fixed part of all that is drawn here, two minutes: for every change",
    )
    for part, known in ((judged, [op.name for op in OPS]), (planted, [b.name for b in BUGS])):
        part.add_argument("names", nargs="*", metavar="NAME", help="these only")
        part.set_defaults(known=known, own=part)
    for part in (judged, crowded, drawn, kinks, written):
        part.add_argument("--seed", type=int, default=0, help="draws what is drawn")
    for part in (judged, drawn, kinks, written, fixed):
        part.add_argument("--jobs", type=whole(1), default=2)
    for part in (judged, planted, crowded, drawn, written):
        part.add_argument(
            "--record",
            nargs="?",
            const=__version__,
            metavar="VERSION",
            help=f"write trust/records/VERSION.json, without VERSION that of {__version__}",
        )
    return checked(parser)


def checked(parser: argparse.ArgumentParser) -> argparse.Namespace:
    args = parser.parse_args()
    known = getattr(args, "known", [])
    unknown = [name for name in getattr(args, "names", []) if name not in known]
    if unknown:
        near = get_close_matches(unknown[0], known) or known[:3]
        there_are = f"there are, for example, {', '.join(near)}"
        args.own.error(f"there is no {', '.join(unknown)}; {there_are}")
    if known:
        args.names = tuple(args.names or known)
    if getattr(args, "record", None):
        try:
            record.begun(args.record)
        except record.OfAnother as refused:
            parser.error(str(refused))
    return args


def main() -> int:
    args = arguments()
    if args.part == "mutants":
        return mutants(
            args.names, Options(args.most, args.seed, args.thorough, args.jobs), args.record
        )
    if args.part == "kernel":
        return kernel(args.names, args.record)
    if args.part == "load":
        return load(args.definitions, args.seed, args.record)
    if args.part == "drawn":
        return drawn(args.count, args.seed, args.jobs, args.shrink)
    if args.part == "programs":
        return programs(args)
    if args.part == "sample":
        return sample(args.jobs)
    return truth(args.draws, args.seed, args.jobs, args.record)


def kernel(names: tuple[str, ...], version: str | None) -> int:
    found = {}
    for bug, answer in caught(tuple(b for b in BUGS if b.name in names)):
        print(f"{answer:8} {bug.place}: {bug.name}", flush=True)
        found[bug.name] = {"place": bug.place, "tests": list(bug.tests), "answer": answer}
    if version:
        record.write(version, "bugs", found, [b.name for b in BUGS])
    return 0 if all(b["answer"] == "caught" for b in found.values()) else 1


def load(definitions: int, seed: int, version: str | None) -> int:
    found = {}
    with TemporaryDirectory() as name:
        crowd = undisturbed(Path(name), definitions, seed)
        print(f"{definitions} definitions, {len(crowd.verdicts)} theorems, {crowd.seconds:.0f} s")
        for disturbance, one in disturbed(crowd, Path(name)):
            found[disturbance] = one
            print(f"{disturbance}: {one}", *one.faults[:MOST_FAULTS], sep="\n  ", flush=True)
    if version:
        record.write(version, "load", load_figures(crowd, found))
    return 1 if any(one.faults for one in found.values()) else 0


def truth(draws: int, seed: int, jobs: int, version: str | None) -> int:
    journal = going_on("truth") if version else None
    results = []
    for result in compared(draws, seed, jobs, journal):
        results.append(result)
        if result.wrong:
            print(result, flush=True)
        if len(results) % 500 == 0:
            print(f"{len(results)} definitions", file=sys.stderr, flush=True)
    found = of_truth.figures(results, seed)
    print(of_truth.table(found))
    short = of_truth.shortcomings(found)
    print(*short or ["no answer is wrong"], sep="\n")
    if version and journal is not None:
        record.write(version, "truth", found)
        journal.drop()
    return 1 if short else 0


def drawn(number: int, seed: int, jobs: int, shrink: bool) -> int:
    """Fails on a definition that is green and wrong, and on one that is refuted and right."""
    results = []
    for result in of_kinks.run(seed, number, jobs):
        results.append(result)
        if result.wrong:
            print(of_kinks.smallest(result) if shrink else result, flush=True)
        if len(results) % 100 == 0:
            print(f"{len(results)} definitions", file=sys.stderr, flush=True)
    print(of_kinks.table(results))
    bad = [result for result in results if result.wrong]
    print(f"{len(bad)} of {len(results)} are told wrongly" if bad else "no answer is wrong")
    return 1 if bad else 0


def programs(args: argparse.Namespace) -> int:
    """Fails on a wrong program that is proved, and on a right one that is refuted."""
    asked = FRAMEWORKS if args.framework == "all" else (args.framework,)
    numbers = range(args.first, args.first + args.count)
    results: list[Judged] = []
    for framework in asked:
        for result in judged_programs(framework, numbers, args.seed, args.jobs):
            results.append(result)
            if result.is_bad:
                print(result, flush=True)
            if len(results) % 100 == 0:
                so_far = of_programs.table(of_programs.figures(results, args.seed))
                print(f"{framework} {result.number}:\n{so_far}", file=sys.stderr, flush=True)
    found = of_programs.figures(results, args.seed)
    if args.record:
        record.write(args.record, "programs", found)
    print(of_programs.table(found))
    if found["bad"]:
        print("the smallest with a bad answer:", found["bad"][0], sep="\n")
    print(*of_programs.shortcomings(found) or ["no answer is bad"], sep="\n")
    return 1 if found["bad"] else 0


def sample(jobs: int) -> int:
    """Fails on a mutant that is not killed or proved equal, and on an answer that is wrong."""
    options, batches = chosen(jobs)
    judged = list(watched(results_of(batches, options)))
    answered = list(results_in(CHUNKS, jobs))
    kinks = list(of_kinks.run(*KINKS, jobs))
    written = list(programs_of(frameworks(), jobs))
    bad = [*map(str, rest_of(judged)), *map(str, wrong_of(answered))]
    bad += [str(result) for result in kinks if result.wrong]
    bad += [str(result) for result in written if result.is_bad]
    known = sum(result.truth != "unknown" for result in answered)
    print(f"{len(judged)} mutants, {known} definitions drawn at random, {len(kinks)} with kinks")
    print(of_programs.table(of_programs.figures(written, 0)))
    print(*bad or ["no mutant survived, and no answer is wrong"], sep="\n")
    return 1 if bad else 0


def wrong_of(results: Iterable[Compared]) -> list[Compared]:
    return [result for result in results if result.wrong]


def going_on(part: str) -> Journal:
    """What an interrupted run found is not looked for again."""
    journal = Journal(Path(__file__).with_name(f"{part}.part.jsonl"))
    if journal.known:
        print(f"going on: {len(journal.known)} parts of the run are known", file=sys.stderr)
    return journal


def mutants(names: tuple[str, ...], options: Options, version: str | None) -> int:
    """Op by op, so that what is recorded of one op is there whatever happens to the next."""
    journal = going_on("mutants") if version else None
    found: dict[str, Any] = {}
    for name in names:
        results = list(watched(run((name,), options, journal)))
        found |= figures(results, options)
        if version:
            record.write(version, "mutants", found, [op.name for op in OPS])
    if journal is not None:
        journal.drop()
    print(matrix(found))
    return verdict(found, options.thorough)


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


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted; with --record, mutants and truth go on from here when run again")
