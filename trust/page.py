"""TRUST.md, written from the source, the proof records and the recorded runs. Untrusted."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from gradproof import __version__
from trust import record
from trust.mutants.figures import REASONS, matrix
from trust.source import ROOT, Module, deciding_modules, trusted_modules, trusted_trees, untyped
from trust.truth.figures import TRUTHS, share, table

PAGE = ROOT / "TRUST.md"
GOAL = 3300
MOST_UNTYPED = 100

HEAD = """\
# Why believe "proved"

This page is written by `make trust` from the source, the records in `proofs/` and the newest record
in `trust/records/`. Nothing on it is typed twice.
"""
WHY_MORE = """\
Of these lines {language:,} say what a definition means, {theorems:,} what must hold of it,
{prove:,} are rules, {evaluate} evaluate exactly, {settle} make findings, {graphs} state theorems of
graphs. What is search, shows failures, or only refuses is not among them, nor is what proposes
what is then proved: the invariant of a loop, the direction of a recurrence. The next step would be
rules that only check rewritings of sums that a tactic proposes, at the price of more questions to
the solver."""
DECIDING = """\
## What decides whether a proof counts

These make no proof and no counterexample: none can be had but from the modules above. They say
which theorems are asked of what, whether what was found counts, which answers are kept, and what a
run comes to. If one is wrong, something may be called green of which less was settled.
"""
CHECKS = {
    "every proof": "a second route: small shapes, expanded and differentiated without brackets; "
    "disagreement is an `error`",
    "every question that Z3 answers with `unsat`": "cvc5, on the same SMT-LIB 2 text, whenever "
    "reports are written; contradiction is an `error`",
    "every counterexample": "replayed through exact evaluation, whatever found it; that a smaller "
    "one is excluded rests on the search, too (`settle/search.py`, `at_shape.py`, "
    "and the untrusted modules of `evaluate/`)",
    "every hypothesis set": "a witness: no witness and a contradiction is `vacuous`",
    "every clause of `requires`": "shown needed by a witness, or reported as a convention",
    "exact evaluation": "NumPy evaluation, and PyTorch on drawn shapes and values (`make oracle`)",
    "the rules for sums, loops and windows": "brute force (`tests/prove/test_rules.py`)",
    "attacks that once proved something false": "each is a test (`tests/attacks/`)",
    "the definitions": "mutants of every equation (`make mutants`), each killed or proved "
    "equivalent; and wrong rules written by hand, each refuted by the theorems named for it "
    "(`trust/mutants/written/`, `tests/evidence/test_mutants.py`)",
    "the trusted modules": "plausible bugs, each caught by a test "
    "(`tests/evidence/test_kernel_mutants.py`)",
    "the command": "500 definitions at once while workers die, solvers crash, the disk is full and "
    "runs meet (`make load`)",
    "what is read of code": "programs of PyTorch, JAX and NumPy drawn at random, right and with a "
    "gradient that is wrong in one region, judged by differences of the code (`make programs`)",
    "verdicts from the cache": "found by the content of the theorem, the sources and versions of "
    "what settles; each part changed is a miss (`tests/cli/test_cache.py`); they rest on "
    "`cli/cache.py` and on `contents`, `keys`, `origins`, `health` and `store` beside it, "
    "those of `--no-cache` and of reports do not",
    "the verdicts as a whole": "definitions drawn at random, right and broken, judged by plain "
    "loops (`make truth`)",
    "what rules do where branches meet, and far out": "definitions with kinks that meet, cancel "
    "or lie far out, drawn at random, judged by the limits of the true derivative at each point "
    "(`make drawn`)",
}
DRAWN = """\
Of {known:,} distinct definitions drawn at random (seed {seed}), {wrong} are answered wrongly and
{left:.1f} % are left undecided. *Right* is by construction, *broken* what plain loops find false at
a small shape, *beyond* what is false at larger shapes or rare points only, *unknown* an edit that
plain loops cannot tell from the original, and that is not counted.

```text
{table}
```"""
RECORDED = """\
## What was measured, and of which version

The long runs are evidence about a version: they are made when it is released, or when someone
asks, and `--record` writes them to `trust/records/`, one file for each version, which stays as it
is. What follows is of **version {version}**: commit {commit}, with trusted modules whose
fingerprint is `{kernel}`; `trust.source.fingerprint()` is that of those that are there.
"""
ANOTHER = """\
Version {}, which this is, has no record of its own.
"""
NO_RECORD = """\
## What was measured, and of which version

No version has a record: `make mutants load truth` and `python -m trust kernel --record` write one.
"""
FOUND = """\
## False greens that were found, and how they are closed

507 false claims were put to version a4f961c. The rules of proof held; 94 claims were green all the
same, because a theorem was not stated, or because code was misread where random values do not go.
"""
CLOSED = (
    (
        "a rule that is wrong at a kink alone: of four comparisons, in functions, counts, "
        "products, loops, after a maximum; where kinks cancel",
        "what a rule owes at a point is stated of every op, all branches taken as one way "
        "out of the point takes them (`theorems/boundary.py`); what cannot be said "
        "is `unsupported`, and never green",
        "`make drawn`: definitions with kinks, wrong at a point or far out, judged by the "
        "limits of their true derivative",
    ),
    (
        "a slope of two inputs, one of which is compared under a sum: a way on which that one "
        "stands still was taken for one that decides",
        "a way tells only if it parts all that is compared, or what is compared cannot part",
        "`make drawn`, which found it; `tests/theorems/test_boundary.py` makes rules of drawn "
        "definitions wrong by one entry, at points on boundaries and off them: each time some "
        "theorem must be false, or be `unsupported`",
    ),
    (
        "a JVP and a VJP of a recurrence that take different slopes at a kink",
        "that they take the same is stated at each step, as it was of other ops",
        "`tests/attacks/test_branching_systems.py`",
    ),
    (
        "a graph with such a node",
        "it rests on that theorem for every node",
        "likewise",
    ),
    (
        "a size below 0",
        "sizes that are computed are shown, not assumed",
        "`tests/theorems/test_hypotheses.py` drops every hypothesis that nothing declared "
        "or proved",
    ),
    (
        "code that is misread far out, in the fiftieth turn, at one size",
        "a reading counts as far as it was compared: on both sides and on the edge of each "
        "condition, at sizes that turn conditions on sizes, and through each line of the "
        "user's function; what was not reached is told, and the verdict is narrower",
        "`make programs`: drawn programs of each adapter with a gradient that is wrong in "
        "one region",
    ),
    (
        "code that observes that it is read, arguments that are dropped, integers that keep reals",
        "they are read as they are, or stop the reading, whoever catches that",
        "`tests/attacks/`, by adapter",
    ),
    (
        "code whose lines nothing saw: run from text (`eval`, `exec`), in a thread, after "
        "`sys.settrace(None)`",
        "the hook for lines is in new threads too and cannot be taken away; what runs from "
        "text is of the file that calls it",
        "`tests/attacks/test_code.py`",
    ),
    (
        "an assertion about sizes that a reading of NumPy passed over",
        "it is a condition of the reading",
        "`tests/attacks/test_numpy_code.py`",
    ),
    (
        "a run that settles nothing, with status 0",
        "the status is told by the process that settled",
        "`tests/cli/`",
    ),
)
OWED = """\
What is owed at a point is asked along moves of all cells that are read, if these are up to four
that are named one by one; in a sum of terms that share cells, with more than one comparison, it
is proved only if the rule takes one limit by all cells at once; of a recurrence step by step,
with all that a step reads taken as it is. A rule is refuted there only if it lies outside of
all limits of the derivative, which exact evaluation finds for every way out of the point
(`evaluate/limits.py`). A branch that has no value at the point, a loop that keeps a
state by a comparison and maxima within branches are `unsupported` there.
"""
CHANGES = """\
## What a change needs

A change of the kernel needs `make smoke`, the planted bugs and the attacks of the parts that it
touches (`python -m trust kernel NAME…`, `pytest tests/attacks/`), and `make sample`: a fixed
part of the mutants and of the random definitions, which fails on any survivor and any wrong answer.
`.ci/run` does all of it. It does not need the long runs, and no record changes with it.
"""
GIVEN_UP = """\
## What redundancy was given up for speed

- A theorem that is proved at every rank is not proved once more at ranks 1, 2 and 3; the second
  route still tries it there.
- Questions share a context of Z3. An `unsat` is one whatever was asked before; where Z3 gives up
  there, it is asked again in a context of its own, so a question may be answered that alone would
  stay open. Models are asked for in a context of their own.
- The second route tries theorems by terms that were made Python functions, loops and all, with
  derivatives by all cells at once, and a contest for a maximum run once for its value, its winners
  and their number. They are compared with the judge (`tests/evaluate/test_compiled.py`), and what
  they call a failure is one only if the judge says so.
"""
NOT_CLAIMED = """\
## What is not claimed

- Floating point: theorems are over the real numbers.
- Sizes below 0: that a size which an input names is none is assumed. Of one that an input computes
  it is a theorem, on which rests what assumes it; of an output nothing is assumed.
- That the definition is the op you meant, or that your kernel computes it.
- That Python, SymPy's numbers, Z3 and cvc5 are without error.
- Anything beyond a verdict's scope: *every rank* (from 1 on), *ranks 1 to 3*, *where no loop takes
  more than 4 turns, inner loops counted*, *where the winner is unique*, *off the boundary*.
- Derivatives where a branch turns. Cell by cell, left out are the points beside which a condition
  that decides differs as the cell moves, and those where two parts that attain a maximum differ in
  a derivative, in a window by some cell of the array (`x·x > 0`, `|x|` and `max(x, y)` at 0).
  Where it is not decided what a condition is beside a point (it compares other things than
  polynomials up to degree 6, their branches, brackets and maxima; it asks which place wins; a loop
  computes it; it jumps within a maximum), nothing is left out: the rule is that of the branch that
  is taken there, or it is not proved. What a rule owes at the points that are left out is another
  theorem, of kind *ties*, stated of every op: see below. A claim about derivatives says nothing of
  the points on a boundary that its hypotheses admit.
- That a counterexample is the smallest, unless it says so: then everything smaller is excluded.
"""


def page() -> str:
    found = record.newest()
    runs = (recorded(found), mutants(found), bugs(found), load(found), truth(found))
    parts = (
        HEAD,
        trusted(),
        deciding(),
        checked(),
        closed(),
        GIVEN_UP,
        CHANGES,
        second_opinion(),
        *runs,
        NOT_CLAIMED,
    )
    return "\n".join(parts)


def recorded(found: dict[str, Any]) -> str:
    if not found:
        return NO_RECORD
    own = found["version"] == __version__
    return RECORDED.format(**found) + ("" if own else ANOTHER.format(__version__))


def checked() -> str:
    rows = [f"| {what} | {by} |" for what, by in CHECKS.items()]
    head = ["## What is checked by what", "", "| what | checked by |", "|---|---|"]
    return "\n".join([*head, *rows, ""])


def closed() -> str:
    head = ["| what was green | what closes it | what looks for more of it |", "|---|---|---|"]
    return "\n".join([FOUND, *head, *(f"| {' | '.join(row)} |" for row in CLOSED), "", OWED])


def trusted() -> str:
    modules = list(trusted_modules())
    total, proving, refuting = (
        sum(m.lines for m in modules if verdict in m.verdicts)
        for verdict in ("", "proved", "refuted")
    )
    rows = [f"| `{m.name}` | {m.verdicts} | {m.job} |" for m in modules]
    is_within = total < GOAL
    found = "within" if is_within else "above"
    total, proving, refuting = (round(lines, -2) for lines in (total, proving, refuting))
    return "\n".join(
        [
            "## What is trusted",
            "",
            "If one of these modules is wrong, a verdict may be. Lines of code, without blank",
            f"lines, comments and docstrings: about {total:,}, {found} the {GOAL:,} aimed at.",
            f"`proved` rests on {proving:,} of them, `refuted` on {refuting:,}: by imports, from",
            "what states a theorem and what proves or evaluates it. Values of any type are named",
            f"{untyped(trusted_trees())} times in them, of at most {MOST_UNTYPED}.",
            "",
            *(() if is_within else (WHY_MORE.format(**by_room(modules)), "")),
            "| module | verdicts | job |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def deciding() -> str:
    rows = [f"| `{name}` | {job} |" for name, job in deciding_modules()]
    return "\n".join([DECIDING, "| module | job |", "|---|---|", *rows, ""])


def by_room(modules: list[Module]) -> dict[str, int]:
    """Lines of code in tens, by the parts of the work."""
    lines: Counter[str] = Counter()
    for module in modules:
        lines[module.name.split("/")[2]] += module.lines
    return {room: round(number, -1) for room, number in lines.items()}


def records() -> list[dict[str, Any]]:
    return [json.loads(p.read_text("utf-8")) for p in sorted((ROOT / "proofs").glob("*.json"))]


def second_opinion() -> str:
    """Of the theorems whose proof asked a solver: on how many cvc5 agrees."""
    opinions: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    alone = []
    for proofs in records():
        by_number = {q["number"]: q for q in proofs["queries"]}
        answers.update(q["cvc5"] for q in proofs["queries"] if q["z3"] == "unsat")
        for theorem in proofs["theorems"]:
            asked = [by_number[n] for n in theorem["queries"]]
            second = {q["cvc5"] for q in asked if q["z3"] == "unsat"}
            if theorem["status"] != "proved" or not second:
                continue
            agrees = second == {"unsat"}
            opinions["agrees" if agrees else "contradicts" if "sat" in second else "open"] += 1
            alone += [] if agrees else [f"- `{proofs['name']}`: {theorem['name']}"]
    total = sum(opinions.values())
    share = 100 * opinions["agrees"] / total if total else 0
    lines = [
        "## The second opinion",
        "",
        f"Of {total} proofs that asked a solver, cvc5 agrees on {opinions['agrees']}",
        f"({share:.1f} %) and contradicts {opinions['contradicts']}. Of {answers.total()}",
        f"questions that Z3 answers with `unsat` it gives the same answer to {answers['unsat']}.",
        *(["", "Settled by Z3 alone:", "", *alone] if alone else []),
        "",
    ]
    return "\n".join(lines)


def mutants(data: dict[str, Any]) -> str:
    found = data.get("mutants")
    told = [NO_MUTANTS]
    if found:
        told = [f"```text\n{matrix(found)}\n```", "", *sample_of(found)]
    return "\n".join(["## Mutants of the definitions", "", *told, ""])


NO_MUTANTS = "No run is recorded: `make mutants`."


def sample_of(found: dict[str, Any]) -> list[str]:
    """How the mutants were drawn, where not all were judged."""
    options = {name: op["options"] for name, op in found.items()}
    most = {o["most"] for o in options.values()} - {None}
    lines = []
    if most:
        whole = sum(o["most"] is None for o in options.values())
        lines = [f"All mutants of {whole} ops; at most {max(most)} of each mutation of the others."]
    left = "Each mutant was left at the first kind of theorem that killed it"
    thorough = [f"`{name}`" for name, o in options.items() if o["thorough"]]
    if not thorough:
        lines.append(f"{left}.")
    elif len(thorough) < len(options):
        lines += [f"{left},", f"but for those of {', '.join(thorough)}."]
    if thorough:
        lines.append("Where every kind was tried, the last rows count what no other kind kills.")
        lines += [f"- *{kind}* need not kill alone: {why}." for kind, why in REASONS.items()]
    return [*lines, "", "*Open* mutants have a verdict other than expected, and no counterexample."]


def bugs(data: dict[str, Any]) -> str:
    found = data.get("bugs")
    told = "No run is recorded: `python -m trust kernel --record`."
    if found:
        caught = sum(bug["answer"] == "caught" for bug in found.values())
        told = f"{caught} of {len(found)} bugs planted in the kernel are caught by a test."
    return f"## Bugs planted in the kernel\n\n{told}\n"


def load(data: dict[str, Any]) -> str:
    found = data.get("load")
    if not found:
        return "## Under load\n\nNo run is recorded: `make load`.\n"
    counted = ("verdicts", "files", "differing", "lost", "half-written", "failures")
    size = f"{found['definitions']} definitions with {found['theorems']:,} theorems"
    limits = f"with `--jobs {found['jobs']}` in {found['seconds']} s"
    lines = [
        "## Under load",
        "",
        f"{size}, right and wrong, are settled",
        f"{limits}, and again while something goes wrong. Verdicts and files",
        "are compared with those of the undisturbed run; *failures* are wrong exit statuses,",
        "missing messages, tracebacks and processes left behind. Where a solver crashes a",
        "theorem says so, and does not count as differing.",
        "",
        f"| disturbance | {' | '.join(counted)} |",
        "|---" * (len(counted) + 1) + "|",
    ]
    for name, one in found["disturbances"].items():
        lines.append(f"| {name} | {' | '.join(str(one[key]) for key in counted)} |")
    return "\n".join([*lines, ""])


def truth(data: dict[str, Any]) -> str:
    found = data.get("truth")
    told = "No run is recorded: `make truth`."
    if found:
        wrong, left = len(found["wrong"]), 100 * share(found, TRUTHS, ("undecided",))
        told = DRAWN.format(**found | {"wrong": wrong, "left": left, "table": table(found)})
    return f"## Definitions drawn at random\n\n{told}\n"


def write() -> None:
    PAGE.write_text(page(), "utf-8")
