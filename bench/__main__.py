"""`python -m bench` measures proofs and writes what it finds.

With names of ops it measures these alone, with `figures` the single figures, and keeps the other
rows: each says which version it is of. `scale` measures many definitions, `tests [smoke] [test]
[ci]` how long the checks of this repository take; `render` writes what was measured again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from bench.commands import ROOT, version
from bench.page import page, with_summary
from bench.plot import plot
from gradproof import specs
from gradproof.language.ops import Op

HOME = Path(__file__).parent
DATA, PAGE, PLOT, README = (
    *(HOME / name for name in ("results.json", "results.md", "plot.svg")),
    ROOT / "README.md",
)


FIGURES = "figures"  # instead of an op: the single figures


def measure(names: Sequence[str]) -> int:
    """Measures what is named, each written as soon as it is there; the exit status.

    What fails keeps the rows that it had.
    """
    from bench.figures import PARTS

    parts = {op.name: partial(row, op) for op in specs.OPS if op.name in names}
    if FIGURES in names:
        parts |= {name: partial(figures, name, part) for name, part in PARTS.items()}
    return max([kept(name, part) for name, part in parts.items()], default=0)


def row(op: Op) -> dict[str, Any]:
    """All ops, this one measured anew."""
    from bench import clock, expansions, gradchecks
    from bench.cases import SIDES, shape_name

    ops = {**read().get("ops", {}), op.name: measured(op) | stamp()}
    return {
        "machine": clock.machine(),
        "shapes": [shape_name(side) for side in SIDES],
        "limits": {"gradcheck": gradchecks.MOST_SECONDS, "sympy": expansions.MOST_SECONDS},
        "ops": {each.name: ops[each.name] for each in specs.OPS if each.name in ops},
    }


def figures(name: str, part: Callable[[], Iterable[Any]]) -> dict[str, Any]:
    """All single figures, those of this part measured anew."""
    found = [asdict(figure) | {"part": name} | stamp() for figure in part()]
    own = {one["what"] for one in found}
    others = (one for one in read().get(FIGURES, ()) if one.get("part") != name)
    return {FIGURES: [*(one for one in others if one["what"] not in own), *found]}


def kept(name: str, measure: Callable[[], dict[str, Any]]) -> int:
    """1 where it fails, which is told, and nothing of it is written."""
    say(name)
    try:
        found = measure()
    except Exception as problem:
        say(f"{name}: FAILED, its rows stay as they were: {type(problem).__name__}: {problem}")
        return 1
    write(read() | found)
    return 0


def measured(op: Op) -> dict[str, Any]:
    """Proofs of an op beside gradcheck and SymPy."""
    from bench import expansions, proofs
    from bench.commands import output

    checks = json.loads(output(sys.executable, "-m", "bench.gradchecks", op.name))
    return {
        "derivatives": asdict(proofs.measured(op, proofs.DERIVATIVES)),
        "all": asdict(proofs.measured(op)),
        "gradcheck": checks[op.name],
        "sympy": expansions.expansion(op.name),
    }


def stamp() -> dict[str, Any]:
    """What a row is of, and the loop by which it compares with others."""
    from bench import clock

    return {"version": version(), "loop": clock.units()}


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def read() -> dict[str, Any]:
    return dict(json.loads(DATA.read_text("utf-8"))) if DATA.exists() else {}


def write(data: dict[str, Any]) -> None:
    DATA.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(page(data), "utf-8")
    PLOT.write_text(plot(data, data["shapes"]), "utf-8")
    README.write_text(with_summary(README.read_text("utf-8"), data), "utf-8")


def tests(names: Sequence[str]) -> int:
    """The exit status. Each part is written as soon as it is measured."""
    from bench.times import PARTS, Failed, measured

    if unknown := [name for name in names if name not in PARTS]:
        say(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
        return 2
    status = 0
    for name in names or PARTS:
        what = " ".join(PARTS[name].command)
        say(f"{what}: runs{' in a fresh clone' * PARTS[name].in_clone} ...")
        try:
            found = measured(name)
        except Failed as problem:
            say(f"{what}: FAILED, not written: {problem}")
            status = 1
            continue
        known = read()
        found["version"] = version()
        write(known | {"tests": known.get("tests", {}) | {name: found}})
        took = f"{found['wall']:.0f} s on the clock (goal: {PARTS[name].goal}), "
        say(f"{what}: {took}{found['cpu']:.0f} CPU s, {found['passed']} tests passed; written")
    return status


def main() -> int:
    status = 0
    match sys.argv[1:]:
        case ["tests", *names]:
            return tests(names)
        case ["render"]:
            write(read())
        case ["scale"]:
            from bench.scale import measured as crowded

            status = kept("scale", lambda: {"scale": crowded() | {"version": version()}})
        case names if {*names} <= {*specs.HOMES, FIGURES}:
            status = measure(names or (*specs.HOMES, FIGURES))
        case _:
            say(f"usage: python -m bench [OP ... | {FIGURES} | render | scale | tests [PART ...]]")
            return 2
    say(f"wrote {PAGE.relative_to(ROOT)}, {PLOT.relative_to(ROOT)} and the table of the README")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("interrupted; what was written before stays")
        sys.exit(130)
