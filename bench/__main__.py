"""`python -m bench` measures everything and writes it; `render` writes what was measured again."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.commands import ROOT
from bench.page import page, with_summary
from bench.plot import plot

HOME = Path(__file__).parent
DATA, PAGE, PLOT, README = (
    *(HOME / name for name in ("results.json", "results.md", "plot.svg")),
    ROOT / "README.md",
)


def measure() -> dict[str, Any]:
    from statistics import median

    import gradproof
    from gradproof import specs

    from bench import clock, expansions, gradchecks, proofs
    from bench.cases import SIDES, shape_name
    from bench.commands import output
    from bench.figures import figures

    units = [clock.units()]
    ops: dict[str, dict[str, Any]] = {}
    for op in specs.OPS:
        say(op.name)
        checks = json.loads(output(sys.executable, "-m", "bench.gradchecks", op.name))
        ops[op.name] = {
            "derivatives": asdict(proofs.measured(op, proofs.DERIVATIVES)),
            "all": asdict(proofs.measured(op)),
            "gradcheck": checks[op.name],
            "sympy": expansions.expansion(op.name),
        }
    units.append(clock.units())
    say("single figures")
    single = [asdict(figure) for figure in figures()]
    units.append(clock.units())
    return {
        "machine": clock.machine(),
        "version": gradproof.__version__,
        "unit": median(units),
        "shapes": [shape_name(side) for side in SIDES],
        "limits": {"gradcheck": gradchecks.MOST_SECONDS, "sympy": expansions.MOST_SECONDS},
        "ops": ops,
        "figures": single,
    }


def say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def read() -> dict[str, Any]:
    return dict(json.loads(DATA.read_text("utf-8"))) if DATA.exists() else {}


def write(data: dict[str, Any]) -> None:
    DATA.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(page(data), "utf-8")
    PLOT.write_text(plot(data, data["shapes"]), "utf-8")
    README.write_text(with_summary(README.read_text("utf-8"), data), "utf-8")


def main() -> None:
    known = read()
    if sys.argv[1:] == ["render"]:
        write(known)
    elif sys.argv[1:] == ["scale"]:
        from bench.scale import measured

        write(known | {"scale": measured()})
    else:
        write(known | measure())
    say(f"wrote {PAGE.relative_to(ROOT)}, {PLOT.relative_to(ROOT)} and the table of the README")


if __name__ == "__main__":
    main()
