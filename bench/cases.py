"""The ops as PyTorch has them, the shapes at which they are compared, and wrong and hard ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

CHANNELS, SIDES = 4, (8, 16, 32)
POOLING = {"k": (3, 3), "s": (2, 2), "p": (1, 1)}
PLAIN = {"k": (2, 2), "s": (2, 2), "p": (0, 0)}
CONVOLVING = {"k": (3, 3), "s": (1, 1), "p": (1, 1)}
BINS, BETA = (7, 7), 1.5
UNPADDED = ("max_pool2d", "avg_pool2d", "smooth_max_pool2d")

# Nobody here can show that no two cubes sum to a cube.
UNKNOWN = """\
from gradproof.language import *

N, a, b, c, d = integers("N a b c d")
x, y = array("x", N), array("y", N)
cubes = b * b * b + c * c * c - d * d * d

by_cubes = Op(
    "by_cubes",
    requires=(N >= 1, b >= 1, c >= 1, d >= 1),
    forward=Eq(y[a], x[a] / cubes),
    jvp=Eq(tangent(y)[a], tangent(x)[a] / cubes),
    vjp=Eq(cotangent(x)[a], cotangent(y)[a] / cubes),
)
"""
UNDECIDED = "forward: divisors and logarithms"


@dataclass(frozen=True)
class Case:
    """An op at one shape: its sizes, PyTorch's function, and the shapes of its inputs."""

    name: str
    side: int
    sizes: dict[str, Any]
    function: Callable[..., Any]
    inputs: dict[str, tuple[int, ...]]

    @property
    def shape(self) -> str:
        return shape_name(self.side)


def shape_name(side: int) -> str:
    return f"{CHANNELS}×{side}×{side}"


def shape_of(name: str, side: int) -> dict[str, Any]:
    """As the oracles take it; the first input has `side` cells along each axis."""
    n = (side, side)
    shape: dict[str, Any] = {"C": CHANNELS, "inC": CHANNELS, "outC": CHANNELS, "n": n}
    if name == "unpad":
        return shape | {"n": (side - 2, side - 2), "p": (1, 1)}
    if name == "conv_transpose" or name == "conv_transpose2d":
        return shape | POOLING
    if name.startswith("conv"):
        return shape | CONVOLVING
    windows = PLAIN if name in UNPADDED else POOLING
    return shape | windows | {"m": BINS, "beta": BETA}


def case(name: str, side: int) -> Case:
    from tests.oracles import ROWS

    row = next(row for row in ROWS if row.name == name)
    z = shape_of(name, side)
    return Case(name, side, row.sizes(z), lambda *xs: row.reference(z, *xs), row.inputs(z))


def values(shape: tuple[int, ...], seed: int) -> Any:
    """Numbers from -1 to 1, no two within a hundred thousandth: no maximum is near a tie."""
    import numpy as np

    count = int(np.prod(shape))
    drawn = np.random.default_rng(seed).permutation(count)
    return (2 * drawn / max(1, count) - 1).reshape(shape)


def wrong_rules(of_each: int = 2) -> Iterator[tuple[Any, str]]:
    """A fixed list: the first wrong ops of each family with a false derivative, and which."""
    from trust.mutants.written import WRITTEN

    for family in WRITTEN.values():
        found = [
            (mutant.op, name)
            for mutant in family
            for name in (caught.theorem for caught in mutant.caught)
            if name.startswith("vjp ") or name.startswith("jvp by ")
            if "reads" not in name
        ]
        yield from found[:of_each]
