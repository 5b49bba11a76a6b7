"""The plain way with SymPy: every cell of the output written out, differentiated by what it reads.

Nothing is compared with a rule yet, so that this is less than what checking one would take.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from itertools import product
from time import process_time
from typing import Any

import sympy

from bench.apart import apart
from bench.cases import SIDES, shape_name, shape_of

MOST_SECONDS = 2.0  # that a shape may take; it is cut off there, and larger ones are skipped
BETA = sympy.Rational(3, 2)
Cell = tuple[int, ...]
Cells = dict[Cell, sympy.Symbol]


def tensor(name: str, *shape: int) -> Cells:
    return {at: sympy.Symbol(f"{name}{at}", real=True) for at in product(*map(range, shape))}


def window_starts(z: dict[str, Any]) -> Iterator[list[range]]:
    """The rows and columns of each window, padding included."""
    counts = [(n + 2 * p - k) // s + 1 for n, k, s, p in zip(*(z[a] for a in "nksp"), strict=True)]
    for place in product(*map(range, counts)):
        corners = (s * o - p for o, s, p in zip(place, z["s"], z["p"], strict=True))
        yield [range(c, c + k) for c, k in zip(corners, z["k"], strict=True)]


def bins(z: dict[str, Any]) -> Iterator[list[range]]:
    for place in product(*map(range, z["m"])):
        yield [
            range(n * o // m, -(-n * (o + 1) // m))
            for o, n, m in zip(place, z["n"], z["m"], strict=True)
        ]


def pooled(name: str, z: dict[str, Any]) -> tuple[Cells, list[sympy.Expr]]:
    x = tensor("x", z["C"], *z["n"])
    if name.startswith("adaptive"):
        windows = list(bins(z))
    elif name.startswith("global"):
        windows = [[range(n) for n in z["n"]]]
    else:
        windows = list(window_starts(z))
    outputs = []
    for channel, window in product(range(z["C"]), windows):
        places = [(channel, *place) for place in product(*window)]
        real = [x[place] for place in places if place in x]
        padding = len(places) - len(real)
        if "smooth" in name:
            total = sum((sympy.exp(BETA * cell) for cell in real), sympy.Integer(padding))
            outputs.append(sympy.log(total) / BETA)
        elif "avg" in name:
            outputs.append(sympy.Add(*real) / len(places))
        else:
            outputs.append(sympy.Max(*real))
    return x, outputs


def convolved(z: dict[str, Any]) -> tuple[Cells, list[sympy.Expr]]:
    x = tensor("x", z["inC"], *z["n"])
    weights = tensor("W", z["outC"], z["inC"], *z["k"])
    bias = tensor("b", z["outC"])
    outputs = []
    for out, window in product(range(z["outC"]), list(window_starts(z))):
        terms = [bias[out,]]
        for channel, tap in product(range(z["inC"]), product(*map(range, z["k"]))):
            place = (channel, *(r[t] for r, t in zip(window, tap, strict=True)))
            if place in x:
                terms.append(weights[out, channel, *tap] * x[place])
        outputs.append(sympy.Add(*terms))
    return x | weights | bias, outputs


def transposed(z: dict[str, Any]) -> tuple[Cells, list[sympy.Expr]]:
    x = tensor("x", z["inC"], *z["n"])
    weights = tensor("W", z["inC"], z["outC"], *z["k"])
    bias = tensor("b", z["outC"])
    shape = [(n - 1) * s - 2 * p + k for n, k, s, p in zip(*(z[a] for a in "nksp"), strict=True)]
    terms: dict[Cell, list[Any]] = {
        at: [bias[at[:1]]] for at in product(range(z["outC"]), *map(range, shape))
    }
    for (channel, *place), out in product(x, range(z["outC"])):
        for tap in product(*map(range, z["k"])):
            moved = zip(place, tap, z["s"], z["p"], strict=True)
            target = (out, *(s * i + t - p for i, t, s, p in moved))
            if target in terms:
                terms[target].append(weights[channel, out, *tap] * x[channel, *place])
    return x | weights | bias, [sympy.Add(*found) for found in terms.values()]


def expanded(name: str, z: dict[str, Any]) -> tuple[list[sympy.Symbol], list[sympy.Expr]]:
    """The input cells, and the output cells as expressions in them, in their order."""
    if name == "unpad":
        x = tensor("x", z["C"], *(n + 2 * p for n, p in zip(z["n"], z["p"], strict=True)))
        inner = product(range(z["C"]), *map(range, z["n"]))
        return list(x.values()), [x[c, a + z["p"][0], b + z["p"][1]] for c, a, b in inner]
    if name.startswith("conv_transpose"):
        cells, outputs = transposed(z)
    else:
        cells, outputs = convolved(z) if name.startswith("conv") else pooled(name, z)
    return list(cells.values()), outputs


class CutOff(Exception):
    """A shape that takes too long."""


def cut_off(*_: Any) -> None:
    raise CutOff


def differentiated(name: str, side: int) -> dict[str, Any]:
    """Seconds, and whether they sufficed; cells that an output does not read are passed over."""
    signal.signal(signal.SIGPROF, cut_off)
    start = process_time()
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        _, outputs = expanded(name, shape_of(name, side))
        for output in outputs:
            for cell in output.free_symbols:
                sympy.diff(output, cell)
    except CutOff:
        return {"cut_off": MOST_SECONDS}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {"seconds": process_time() - start}


def expansion(name: str) -> dict[str, dict[str, Any]]:
    """By shape, until one is cut off, or the next would be: it has four times the cells."""
    found: dict[str, dict[str, Any]] = {}
    for side in SIDES:
        found[shape_name(side)] = one = apart(differentiated, name, side)
        if "cut_off" in one or 4 * one["seconds"] > MOST_SECONDS:
            break
    return found
