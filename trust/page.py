"""TRUST.md, written from the source, the proof records and the recorded runs. Untrusted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from trust.mutants.figures import REASONS, matrix
from trust.source import ROOT, fingerprint, trusted_modules
from trust.truth.figures import TRUTHS, share, table

PAGE = ROOT / "TRUST.md"
GOAL = 1500

HEAD = """\
# Why believe "proved"

This page is written by `make trust` from the source, the records in `proofs/` and the recorded runs
in `trust/`. Nothing on it is typed twice.
"""
CHECKS = {
    "every proof": "a second route: small shapes, expanded and differentiated without brackets; "
    "disagreement is an `error`",
    "every question that Z3 answers with `unsat`": "cvc5, on the same SMT-LIB 2 text, whenever "
    "reports are written; contradiction is an `error`",
    "every counterexample": "replayed through exact evaluation, whatever found it; that a smaller "
    "one is excluded rests on the search, too (`verify/search.py`, `verify/bounded.py`)",
    "every hypothesis set": "a witness: no witness and a contradiction is `vacuous`",
    "every clause of `requires`": "shown needed by a witness, or reported as a convention",
    "exact evaluation": "NumPy evaluation, and PyTorch on drawn shapes and values (`make oracle`)",
    "the rules for sums, loops and windows": "brute force (`tests/test_rules.py`)",
    "attacks that once proved something false": "each is a test (`tests/test_holes_*.py`)",
    "the definitions": "mutants of every equation (`make mutants`), each killed or proved "
    "equivalent",
    "the trusted modules": "plausible bugs, each caught by a test (`tests/test_kernel_mutants.py`)",
    "the command": "500 definitions at once while workers die, solvers crash, the disk is full and "
    "runs meet (`make load`)",
    "verdicts from the cache": "found by the content of the theorem, the sources and versions of "
    "what settles; each part changed is a miss (`tests/test_cache.py`); they rest on "
    "`verify/cli/cache.py` and on `contents`, `keys`, `origins`, `health` and `store` beside it, "
    "those of `--no-cache` and of reports do not",
    "the verdicts as a whole": "definitions drawn at random, right and broken, judged by plain "
    "loops (`make truth`)",
}
DRAWN = """\
Of {known:,} distinct definitions drawn at random (seed {seed}), {wrong} are answered wrongly and
{left:.1f} % are left undecided. *Right* is by construction, *broken* what plain loops find false at
a small shape, *beyond* what is false at larger shapes or rare points only, *unknown* an edit that
plain loops cannot tell from the original, and that is not counted.

```text
{table}
```"""
NOT_CLAIMED = """\
## What is not claimed

- Floating point: theorems are over the real numbers.
- Sizes below 0: every theorem assumes that no input has such. Of an output that is not assumed.
- That the definition is the op you meant, or that your kernel computes it.
- That Python, SymPy's numbers, Z3 and cvc5 are without error.
- Anything beyond a verdict's scope: *every rank* (from 1 on), *ranks 1 to 3*, *where no loop takes
  more than 4 turns, inner loops counted*, *where the winner is unique*, *off the boundary*.
- Derivatives where branches meet. They are compared cell by cell; left out are the points at which
  two winners differ in a derivative by some cell of the array, or two equal sides of a comparison
  in one by this cell (`x·x > 0` at 0: in the second). Where it is not known whether equal sides
  stay so as the cell moves (they are no polynomials between their branches, or of a degree above
  6, or the largest of some that are not linear), or whether a condition turns with its parts
  (a side jumps; several are joined that do not all compare polynomials without branches; it says
  which places a window has; a later turn of its loop may forget it), a proof leaves nothing out:
  the rule is that of the branch that is taken there, or it is not proved.
  Where only another cell turns a comparison, or no part of a condition decides, they are compared.
  Left out with the others are points where the op happens to be smooth: the squared ReLU at 0,
  `K·|x|` at K = 0. A claim about derivatives says nothing of the points on a boundary that its
  hypotheses admit.
- That a counterexample is the smallest, unless it says so: then everything smaller is excluded.
"""


def page() -> str:
    runs = (second_opinion(), mutants(), bugs(), load(), truth())
    parts = (HEAD, trusted(), checked(), *runs, NOT_CLAIMED)
    return "\n".join(parts)


def checked() -> str:
    rows = [f"| {what} | {by} |" for what, by in CHECKS.items()]
    head = ["## What is checked by what", "", "| what | checked by |", "|---|---|"]
    return "\n".join([*head, *rows, ""])


def trusted() -> str:
    modules = list(trusted_modules())
    total, proving, refuting = (
        sum(m.lines for m in modules if verdict in m.verdicts)
        for verdict in ("", "proved", "refuted")
    )
    rows = [f"| `{m.name}` | {m.lines} | {m.verdicts} | {m.job} |" for m in modules]
    found = "within" if total < GOAL else "above"
    return "\n".join(
        [
            "## What is trusted",
            "",
            "If one of these modules is wrong, a verdict may be. Lines of code, without blank",
            f"lines, comments and docstrings: {total:,}, {found} the {GOAL:,} aimed at.",
            f"`proved` rests on {proving:,} of them, `refuted` on {refuting:,}: by imports, from",
            "what states a theorem and what proves or evaluates it.",
            "",
            "| module | lines | verdicts | job |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def records() -> list[dict[str, Any]]:
    return [json.loads(p.read_text("utf-8")) for p in sorted((ROOT / "proofs").glob("*.json"))]


def second_opinion() -> str:
    """Of the theorems whose proof asked a solver: on how many cvc5 agrees."""
    opinions: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    alone = []
    for record in records():
        by_number = {q["number"]: q for q in record["queries"]}
        answers.update(q["cvc5"] for q in record["queries"] if q["z3"] == "unsat")
        for theorem in record["theorems"]:
            asked = [by_number[n] for n in theorem["queries"]]
            second = {q["cvc5"] for q in asked if q["z3"] == "unsat"}
            if theorem["status"] != "proved" or not second:
                continue
            agrees = second == {"unsat"}
            opinions["agrees" if agrees else "contradicts" if "sat" in second else "open"] += 1
            alone += [] if agrees else [f"- `{record['name']}`: {theorem['name']}"]
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


def recorded() -> dict[str, Any]:
    path = Path(__file__).with_name("record.json")
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def age(found: dict[str, Any], each: str = "") -> str:
    """Whether figures are of the trusted modules as they are; of `each` part, or of the whole."""
    parts = list(found.values()) if each else [found]
    now = fingerprint()
    old = sum(part.get("kernel") != now for part in parts)
    if not old:
        return "Recorded with the trusted modules as they are."
    if old == len(parts):
        return "Recorded with earlier trusted modules."
    return f"Recorded with earlier trusted modules for {old} of {len(parts)} {each}."


def mutants() -> str:
    found = recorded().get("mutants")
    told = [NO_MUTANTS]
    if found:
        told = [f"```text\n{matrix(found)}\n```", "", *sample_of(found), "", age(found, "ops")]
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


def bugs() -> str:
    found = recorded().get("kernel")
    told = "No run is recorded: `python -m trust kernel --record`."
    if found:
        caught = sum(bug["answer"] == "caught" for bug in found.values())
        told = f"{caught} of {len(found)} bugs planted in the kernel are caught by a test."
        told += f"\n{age(found, 'bugs')}"
    return f"## Bugs planted in the kernel\n\n{told}\n"


def load() -> str:
    found = recorded().get("load")
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
    return "\n".join([*lines, "", age(found), ""])


def truth() -> str:
    found = recorded().get("truth")
    told = "No run is recorded: `make truth`."
    if found:
        wrong, left = len(found["wrong"]), 100 * share(found, TRUTHS, ("undecided",))
        told = DRAWN.format(**found | {"wrong": wrong, "left": left, "table": table(found)})
        told += f"\n\n{age(found)}"
    return f"## Definitions drawn at random\n\n{told}\n"


def write() -> None:
    PAGE.write_text(page(), "utf-8")
