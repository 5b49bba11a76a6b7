"""The command under load and disturbed: same verdicts, nothing lost or half-written. Untrusted."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any

from gradproof.cli.workers.supervisor import TRIES
from trust.load import crashing
from trust.load.comparing import (
    Contents,
    Found,
    Key,
    Verdicts,
    compared,
    contents,
    homes_in,
    recorded_in,
    shown_as,
    told_unsettled,
    verdicts_in,
    whole,
)
from trust.load.crowd import Small, crowd, write
from trust.load.disk import Disk, small_disk
from trust.load.processes import Ended, Running, gone

JOBS = 2
REPORTED = 5  # files of which reports are written; a report asks both solvers
KILLS = TRIES - 1  # all may hit the same request, which must not run out of tries
PAUSE = 0.2  # seconds that leave a worker no time to load anything
WRONG = 1  # the exit status where something is refuted
UNWRITTEN = 2
INTERRUPTED = 130
CRASHED = "its process was ended by SIGABRT"
OLD = b"what an earlier run wrote\n"
BLOCK = 4096


@dataclass(frozen=True)
class Crowd:
    """Definitions in a folder, and what an undisturbed run says of them."""

    home: Path
    members: tuple[Small, ...]
    files: tuple[str, ...]
    seed: int
    found: str
    saved: Contents
    reports: Contents
    seconds: float

    @property
    def verdicts(self) -> Verdicts:
        return verdicts_in(self.found)

    @property
    def reported(self) -> tuple[str, ...]:
        return self.files[:: max(1, len(self.files) // REPORTED)]

    @property
    def marked(self) -> frozenset[str]:
        return frozenset(m.name for m in self.members if m.is_marked)

    def status(self, files: tuple[str, ...]) -> int:
        """The exit status that these files give."""
        ops = [op for op in json.loads(self.found)["ops"] if op["file"] in files]
        return WRONG if not all(th["as_expected"] for op in ops for th in op["theorems"]) else 0

    def check(self, out: Path, files: tuple[str, ...] = (), **options: Any) -> Running:
        """Verdicts and reproductions go to `out`, which is there."""
        outputs = ("--json", out / "found.json", "--save", out / "saved")
        names = files or self.files
        return Running(self.home, "check", *names, "-v", "--jobs", JOBS, *outputs, **options)

    def report(self, out: Path, files: tuple[str, ...], **options: Any) -> Running:
        return Running(self.home, "report", *files, "--jobs", JOBS, "--out", out, **options)


def found_in(out: Path) -> str:
    return (out / "found.json").read_text("utf-8")


def undisturbed(folder: Path, definitions: int, seed: int) -> Crowd:
    """The definitions, and what is found where nothing disturbs."""
    home, out, reports = (folder / name for name in ("home", "undisturbed", "reports"))
    home.mkdir()
    out.mkdir()
    members = crowd(definitions)
    bare = Crowd(home, members, write(home, members), seed, "", {}, {}, 0.0)
    checked = bare.check(out).ended()
    reported = bare.report(reports, bare.reported).ended()
    faults = (checked.expecting(WRONG) + reported.expecting(WRONG)).faults
    if faults:
        raise RuntimeError(f"where nothing disturbs: {faults[0]}")
    found, saved = found_in(out), contents(out / "saved")
    files = (home, members, bare.files, seed, found, saved)
    return Crowd(*files, contents(reports), checked.seconds)


def verdicts_of(crowd: Crowd, out: Path) -> Found:
    """All verdicts and all reproductions, and nothing else."""
    found = compared(crowd.verdicts, verdicts_in(found_in(out)))
    text = (out / "found.json").read_bytes()
    saved = {f"saved/{name}": text for name, text in crowd.saved.items()}
    return found + whole(contents(out), {"found.json": text} | saved)


def killed(crowd: Crowd, folder: Path) -> Found:
    """Workers are killed, one as it starts and the others after drawn numbers of verdicts."""
    drawn = random.Random(crowd.seed)
    run = crowd.check(folder)
    kills = 0
    for moment in sorted((0, *(drawn.randrange(len(crowd.verdicts)) for _ in range(KILLS - 1)))):
        if run.reaches(moment) and (workers := run.workers()):
            os.kill(drawn.choice(workers), signal.SIGKILL)
            kills += 1
            sleep(PAUSE)
    found = run.ended().expecting(WRONG) + verdicts_of(crowd, folder)
    return found + Found(failures=() if kills else ("no worker was killed",))


def crashed(crowd: Crowd, folder: Path) -> Found:
    """Z3 crashes on the questions of some ops: their theorems say so, the others are the same."""
    path = crashing.write(folder / "path", crashing.Z3)
    out = folder / "out"
    out.mkdir()
    end = crowd.check(out, path=path).ended().expecting(WRONG, CRASHED)

    def excused(key: Key, verdict: dict[str, Any]) -> bool:
        said = verdict["status"] == "error" and CRASHED in verdict["note"]
        return said and key[0] in crowd.marked

    found = compared(crowd.verdicts, verdicts_in(found_in(out)), excused)
    return end + found + needs_excuse(found) + whole(contents(out / "saved"), crowd.saved)


def second_crashed(crowd: Crowd, folder: Path) -> Found:
    """cvc5 crashes on the questions of some ops: their records say `unknown` beside Z3's answer."""
    path = crashing.write(folder / "path", crashing.CVC5)
    end = crowd.report(folder / "out", crowd.reported, path=path).ended().expecting(WRONG)
    found = contents(folder / "out")
    shared = {"index.html"}
    own = {n for n in crowd.reports if n.partition(".")[0] in crowd.marked} | shared
    rest = {name: text for name, text in crowd.reports.items() if name not in own}
    unknown = sum(
        query["cvc5"] == "unknown"
        for name in own
        if name.endswith(".json")
        for query in json.loads(found[name])["queries"]
    )
    same = compared(recorded_in(crowd.reports), recorded_in(found))
    others = whole({name: text for name, text in found.items() if name not in own}, rest)
    told = Found(excused=unknown)
    return end + same + others + told + needs_excuse(told)


def needs_excuse(found: Found) -> Found:
    return Found(failures=() if found.excused else ("nothing crashed",))


def full_disk(crowd: Crowd, folder: Path) -> Found:
    """The disk is full while reports, verdicts and reproductions are written over older ones."""
    homes = homes_in(crowd.found)
    verdicts = {k: v for k, v in crowd.verdicts.items() if homes[k[0]] in crowd.reported}
    with disk_for(crowd.reports, folder / "reports") as disk:
        found, _ = overwritten(crowd.reports, disk, crowd.report, crowd.reported)
    written = verdict_files(crowd, verdicts)
    with disk_for(written, folder / "verdicts") as disk:
        checked, shown = overwritten(written, disk, crowd.check, crowd.reported)
    return found + checked + shown_as(verdicts, shown) + full_output(crowd)


def verdict_files(crowd: Crowd, verdicts: Verdicts) -> Contents:
    """About what a run on a part of the definitions writes."""
    starts = tuple({f"test_{op}_" for op, _ in verdicts})
    saved = {n: text for n, text in crowd.saved.items() if n.startswith(starts)}
    text = json.dumps(list(verdicts.values()), indent=1).encode()
    return {"found.json": text} | {f"saved/{name}": text for name, text in saved.items()}


def disk_for(new: Contents, folder: Path) -> AbstractContextManager[Disk]:
    """Room for what is there already, and for half of what is to be written."""
    blocks = len(new) + sum(len(text) // BLOCK + 2 for text in new.values()) // 2
    return small_disk(folder, blocks * BLOCK, max(map(len, new.values())) // 2)


def overwritten(
    new: Contents, disk: Disk, run: Callable[..., Running], files: tuple[str, ...]
) -> tuple[Found, str]:
    """What is wrong after a run over older files, and what it showed."""
    old = dict.fromkeys(new, OLD)
    for name, text in old.items():
        (disk.folder / name).parent.mkdir(exist_ok=True)
        (disk.folder / name).write_bytes(text)
    ended: Ended = run(disk.folder, files, most_bytes=disk.most_bytes).ended()
    end = ended.expecting(UNWRITTEN, "could not be written", str(disk.folder))
    return end + whole(contents(disk.folder), old), ended.shown


def full_output(crowd: Crowd) -> Found:
    """What is shown goes to a full disk."""
    full = Path("/dev/full")
    if not full.exists():
        return Found()
    arguments = ("check", *crowd.reported, "--json", "-", "--quiet", "--jobs", JOBS)
    run = Running(crowd.home, *arguments, shown=full)
    return run.ended().expecting(UNWRITTEN, "could not be written")


def at_once(crowd: Crowd, folder: Path) -> Found:
    """Two runs write the same files; two write different reports into one folder."""
    checks, reports = folder / "checks", folder / "reports"
    checks.mkdir()
    half = (len(crowd.reported) + 1) // 2
    runs = [crowd.check(checks) for _ in range(2)]
    found = sum((run.ended().expecting(WRONG) for run in runs), Found())
    found += verdicts_of(crowd, checks)
    parts = [part for part in (crowd.reported[:half], crowd.reported[half:]) if part]
    runs = [crowd.report(reports, part) for part in parts]
    for run, part in zip(runs, parts, strict=True):
        found += run.ended().expecting(crowd.status(part))
    written = contents(reports)
    return (
        found
        + whole(written, crowd.reports)
        + compared(recorded_in(crowd.reports), recorded_in(written))
    )


def is_taught_less(expected: Verdicts, key: Key, verdict: dict[str, Any]) -> bool:
    """Whether a verdict is as expected, but that lines of what it teaches are missing."""
    full, nothing = expected[key], {"lesson": [], "mend": ""}
    less = set(verdict["lesson"]) <= set(full["lesson"]) and verdict["mend"] in ("", full["mend"])
    return less and verdict | nothing == full | nothing


def interrupted(crowd: Crowd, folder: Path) -> Found:
    """Ctrl-C, once while the workers start and once later; perhaps too late for a short run.

    What a refutation teaches is found after it, and may be cut off.
    """
    found = Found()
    ends = []
    for name, verdicts in (("early", 0), ("later", len(crowd.verdicts) // 3)):
        out = folder / name
        out.mkdir()
        run = crowd.check(out)
        run.reaches(verdicts)
        sleep(PAUSE)
        workers = run.workers()
        run.interrupt()
        ends.append(run.ended())
        if not (out / "found.json").exists():
            found += ends[-1].expecting(INTERRUPTED) + Found(lost=(f"{name}: all verdicts",))
            continue
        text = found_in(out)
        is_cut = json.loads(text)["interrupted"]
        end = (INTERRUPTED, "Interrupted.") if is_cut else (WRONG,)
        found += ends[-1].expecting(*end) + gone(workers)
        told = told_unsettled(text, homes_in(crowd.found))
        found += compared(
            crowd.verdicts,
            verdicts_in(text),
            excused=partial(is_taught_less, crowd.verdicts) if is_cut else None,
            told=told,
        )
        saved = {n: t for n, t in contents(out).items() if n != "found.json"}
        expected = {f"saved/{name}": text for name, text in crowd.saved.items()}
        found += replace(whole(saved, expected), lost=())
    none = all(end.status != INTERRUPTED for end in ends)
    return found + Found(failures=("no run was interrupted",) if none else ())


DISTURBANCES: dict[str, Callable[[Crowd, Path], Found]] = {
    "workers killed": killed,
    "Z3 crashes": crashed,
    "cvc5 crashes": second_crashed,
    "the disk is full": full_disk,
    "two runs in one folder": at_once,
    "interrupted": interrupted,
}


def disturbed(crowd: Crowd, folder: Path) -> Iterator[tuple[str, Found]]:
    for number, (name, disturbance) in enumerate(DISTURBANCES.items()):
        own = folder / f"disturbance{number}"
        own.mkdir()
        try:
            yield name, disturbance(crowd, own)
        except Exception as failure:
            yield name, Found(failures=(f"{type(failure).__name__}: {failure}",))


def figures(crowd: Crowd, found: dict[str, Found]) -> dict[str, Any]:
    return {
        "definitions": len(crowd.members),
        "theorems": len(crowd.verdicts),
        "jobs": JOBS,
        "seconds": round(crowd.seconds),
        "disturbances": {
            name: {
                "verdicts": f.compared,
                "files": f.files,
                "told": f.excused,
                "differing": len(f.differing),
                "lost": len(f.lost),
                "half-written": len(f.half_written),
                "failures": len(f.failures),
            }
            for name, f in found.items()
        },
    }
