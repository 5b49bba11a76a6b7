"""A worker process: loads definitions and settles one theorem at a time. Deciding.

It reads requests and writes answers, one JSON object per line, on streams of its own. Whatever a
definition's file prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TextIO

import z3

from gradproof import specs
from gradproof.cli.workers.clocks import process_ends_after, told_after
from gradproof.cli.workers.contents import content, content_of
from gradproof.cli.workers.health import Health, most_megabytes
from gradproof.cli.workers.load import Defined, Unreadable, loaded
from gradproof.cli.workers.origins import Origin
from gradproof.cli.workers.source import Source
from gradproof.cli.workers.wire import Request, Target
from gradproof.graphs.nodes import Wiring
from gradproof.language.digits import any_length
from gradproof.language.ops import TOO_DEEP, Op, target_of
from gradproof.language.text import primed
from gradproof.prove.rules.smt import RLIMIT
from gradproof.prove.tactics.asking import tried_last
from gradproof.report.definitions import definition_hash
from gradproof.settle.check import LONGEST_LEFT, labelled
from gradproof.settle.conclusions import RANKS, Finding
from gradproof.settle.suite import Task, beside_second, run, tasks
from gradproof.settle.verdicts import Verdict
from gradproof.show.derivations import with_steps
from gradproof.show.lesson import Lesson
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status

# Whose definitions and theorems are kept: requests come op by op.
MOST_FILES, MOST_OPS = 20, 200
GRACE = 3  # seconds of processor time in which to say what is left, once the time is over


def main() -> None:
    """Answers until the requests end; then, or when the command is gone, the process ends."""
    any_length()
    requests, answers = own_streams()
    limit_memory(int(sys.argv[1]))
    keep_memory()
    HEALTH.begin(int(sys.argv[1]))
    spare_collector()
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=receive, args=(requests, lines), daemon=True).start()
    print(json.dumps({"ready": True}), file=answers, flush=True)
    while True:
        asked = json.loads(lines.get())
        number, seconds = asked.pop("request"), asked.pop("seconds")
        late = partial(give_up, answers, number)
        with process_ends_after(seconds + GRACE), told_after(seconds, late):
            found = answer(Request.from_dict(asked))
        found |= {"request": number, "megabytes": most_megabytes() or 0.0}
        print(json.dumps(found), file=answers, flush=True)


def give_up(answers: TextIO, number: int) -> None:
    """Out of time: says what was to be shown last, and ends, wherever this process is."""
    goal = tried_last()
    left = "" if goal is None else primed(str(goal)[:LONGEST_LEFT])[0]
    print(json.dumps({"request": number, "late": left}), file=answers, flush=True)
    os._exit(0)


def keep_memory() -> None:
    """Asks the C library to keep freed memory: giving back a solver's costs more than asking."""
    trim_threshold, mmap_threshold = -1, -3  # glibc's numbers for mallopt
    with contextlib.suppress(AttributeError, OSError, TypeError):  # another C library has none
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(trim_threshold, 1 << 29)
        mallopt(mmap_threshold, 1 << 25)


def spare_collector() -> None:
    """What is imported stays, and terms are many: looking for garbage in them seldom is enough."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def own_streams() -> tuple[TextIO, TextIO]:
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


def receive(requests: TextIO, lines: SimpleQueue[str]) -> None:
    for line in requests:
        lines.put(line)
    os._exit(0)


def limit_memory(megabytes: int) -> None:
    z3.set_param("memory_max_size", megabytes // 2)
    with contextlib.suppress(ImportError, OSError, ValueError):  # where there is no such limit
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, most))


def answer(request: Request) -> dict[str, Any]:
    """What is found; with what found it, where that can be told, so that it may be kept."""
    try:
        return ANSWERS[request.do](request) | {"tool": HEALTH.tool}
    except Unreadable as bad:
        return {"problem": problem(request, bad)}
    except Exception as failure:
        deep = isinstance(failure, RecursionError)
        said = TOO_DEEP if deep else f"{type(failure).__name__}: {failure}"
        return {"failed": said, "trace": "".join(traceback.format_exception(failure))}


HEALTH = Health()


@lru_cache(maxsize=MOST_FILES)
def definitions(target: Target, seconds: float) -> Any:
    """The ops of a target by name, each with the places of its equations; their origin, faults."""
    origin = Origin()
    if target.path:
        with HEALTH.watching(origin):
            found, faults = loaded(Path(target.path), target.name, seconds, origin)
        return {each.op.name: each for each in found}, origin, faults
    home = Path(specs.__file__ or "").parent / f"{specs.HOMES[target.name]}.py"
    source = Source(home.read_text("utf-8"), str(home), target.name)
    return {target.name: Defined(getattr(specs, target.name), source)}, origin, ()


def defined(request: Request) -> dict[str, Defined]:
    found: dict[str, Defined] = definitions(request.target, request.load_seconds)[0]
    return found


def op_of(request: Request) -> Op:
    return defined(request)[request.op].op


@dataclass(frozen=True)
class Asked:
    """What is asked of an op: its theorems with what settles them; its definition and content."""

    op: Op
    tasks: tuple[Task, ...]
    definition: str
    whole: str
    known: dict[int, str] = field(default_factory=dict)

    def content(self, number: int, label: Verdict) -> str:
        """Of a theorem; the same for its label and its verdict, which have its words in common."""
        if number not in self.known:
            theorem = self.tasks[number][0]
            self.known[number] = content_of(number, theorem, label, self.op.name, self.whole)
        return self.known[number]


ASKED: dict[tuple[Any, ...], Asked] = {}


def asked(request: Request, name: str) -> Asked:
    key = (request.target, name, request.limit, request.ranks)
    if key not in ASKED:
        while len(ASKED) >= MOST_OPS:
            del ASKED[next(iter(ASKED))]
        op = defined(request)[name].op
        found = tasks(op, request.limit or RLIMIT, request.ranks or RANKS)
        ASKED[key] = Asked(op, found, definition_hash(op), content(op))
    return ASKED[key]


def task_of(request: Request) -> Task:
    found = asked(request, request.op)
    if found.definition != request.definition:
        raise Unreadable(1, "it defines something else each time it is loaded")
    return found.tasks[request.number]


def contents_of(request: Request, label: Verdict) -> dict[str, str]:
    """Of the theorem and its op, by which an answer is kept."""
    found = asked(request, request.op)
    return {"content": found.content(request.number, label), "op_content": found.whole}


def written(request: Request, theorem: Theorem) -> str:
    """The equation of a theorem as its file has it."""
    found = defined(request)[request.op]
    return found.source.written(found.op, theorem.equation)


def verdict_in(request: Request) -> Verdict:
    assert request.verdict is not None
    return Verdict.from_dict(request.verdict)


def describe(request: Request) -> dict[str, Any]:
    ops = [listing(one, request) for one in defined(request).values()]
    _, origin, faults = definitions(request.target, request.load_seconds)
    problems = [problem(request, fault) for fault in faults]
    return {"ops": ops, "origin": origin.as_dict(), "problems": problems}


def problem(request: Request, bad: Unreadable) -> dict[str, Any]:
    file = request.target.shown
    return {"file": file, "line": bad.line, "message": bad.message, "trace": bad.trace}


def listing(found: Defined, request: Request) -> dict[str, Any]:
    """An op with its theorems, none of them settled, and the lines of their equations."""
    if isinstance(found.op, Wiring):
        return graphs().listing(found)
    op, place = found.op, found.source.equation
    theorems = asked(request, op.name)
    open_yet = Finding(Status.UNKNOWN)
    labels = [labelled(op.name, th, open_yet, accepts=op.scope) for th, _ in theorems.tasks]
    return {
        "name": op.name,
        "file": found.source.path,
        "line": place(op, ""),
        "definition": theorems.definition,
        "theorems": [label.as_dict() for label in labels],
        "lines": [place(op, label.equation) for label in labels],
        "lacks_vjp": bool(op.inputs and op.real_outputs and not op.vjp),
        "written": [found.source.written(op, label.equation) for label in labels],
        "contents": [theorems.content(number, label) for number, label in enumerate(labels)],
        "content": theorems.whole,
    }


def graphs() -> Any:
    """What is told of graphs, imported where there is one: it needs NumPy."""
    return import_module("gradproof.cli.workers.graphs")


def wiring_of(request: Request) -> Wiring | None:
    found = defined(request)[request.op].op
    return found if isinstance(found, Wiring) else None


def settle(request: Request) -> dict[str, Any]:
    if wiring := wiring_of(request):
        settled: dict[str, Any] = {"verdict": graphs().settle(wiring, request).as_dict()}
        return settled | graphs().contents_of(wiring, request.number)
    task = task_of(request)
    if request.verdict is not None:
        verdict = beside_second(verdict_in(request))
    else:
        verdict = with_steps(task[0], run(op_of(request), task, request.second))
    return {"verdict": verdict.as_dict()} | contents_of(request, verdict)


def teach(request: Request) -> dict[str, Any]:
    from gradproof.show.lessons import lesson

    if wiring := wiring_of(request):
        told: dict[str, Any] = {"lesson": asdict(graphs().told(verdict_in(request)))}
        return told | graphs().contents_of(wiring, request.number)
    theorem, _ = task_of(request)
    found = lesson(op_of(request), theorem, verdict_in(request))
    return {"lesson": asdict(found)} | contents_of(request, verdict_in(request))


def mend(request: Request) -> dict[str, Any]:
    from gradproof.settle.mending import mending

    if wiring := wiring_of(request):
        return {"mend": ("", "")} | graphs().contents_of(wiring, request.number)
    theorem, _ = task_of(request)
    found = verdict_in(request).counterexample
    assert found is not None
    limit, ranks = request.limit or RLIMIT, request.ranks or RANKS
    clause = mending(op_of(request), theorem, found, limit, ranks)
    return {"mend": clause} | contents_of(request, verdict_in(request))


def explain(request: Request) -> dict[str, Any]:
    """A theorem settled, and explained with the terms that its proof went through."""
    from gradproof.show.explanations import explanation

    if wiring := wiring_of(request):
        verdict = graphs().settle(wiring, request)
        return {"verdict": verdict.as_dict(), "lesson": asdict(graphs().told(verdict))}
    task = task_of(request)
    verdict = run(op_of(request), task)
    text = explanation(op_of(request), task[0], verdict, written(request, task[0]))
    found = {"verdict": verdict.as_dict(), "lesson": asdict(Lesson(tuple(text)))}
    return found | (record_of(task[0], verdict, request) if request.record else {})


def record_of(theorem: Theorem, verdict: Verdict, request: Request) -> dict[str, Any]:
    """The record of a proof by rules, if there is such."""
    from gradproof.prove.records import records_of
    from gradproof.prove.tactics.asking import seeker

    if not verdict.proofs:
        return {}
    about = {"theorem": verdict.name, "statement": verdict.statement, "given": verdict.given}
    shown = {"scope": verdict.scope, "method": verdict.method}
    found = records_of(theorem, verdict.proofs, seeker(request.limit or RLIMIT))
    return {"record": about | shown | {"proofs": found}}


def float32(request: Request) -> dict[str, Any]:
    """An input at which the definition loses its digits, by the rules that are proved."""
    if wiring_of(request):
        return {"float32": ""}
    from gradproof.tracing.rounding import told

    found = asked(request, request.op)
    rules = [target_of(found.op.equations[name]).array.name for name in request.rules]
    said = told(found.op, rules, request.dtype, request.within)
    return {"float32": said, "content": found.whole, "op_content": found.whole}


def state(request: Request) -> dict[str, Any]:
    """A theorem that was not settled: what it says."""
    from gradproof.show.explanations import explanation

    if wiring_of(request):
        return {"lesson": asdict(graphs().told(verdict_in(request)))}
    theorem, _ = task_of(request)
    verdict = verdict_in(request)
    text = explanation(op_of(request), theorem, verdict, written(request, theorem))
    return {"lesson": asdict(Lesson(tuple(text)))}


ANSWERS: dict[str, Callable[[Request], dict[str, Any]]] = {
    "describe": describe,
    "settle": settle,
    "teach": teach,
    "mend": mend,
    "explain": explain,
    "state": state,
    "float32": float32,
}
