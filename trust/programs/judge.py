"""Whether the backward of code is right at points, by finite differences of the code. Untrusted."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

from trust.programs.conditions import Test
from trust.programs.draw import Program

NAMES = count()
NEAR_SIZES = {"numpy": (1, 2, 3, 5, 8), "torch": (1, 2, 3, 5, 8), "jax": (1, 5)}
SMALL_SIZES = {"numpy": (1, 2, 4), "torch": (1, 2, 4), "jax": (5,)}
MOST_SIZES = {"numpy": 9, "torch": 9, "jax": 3}  # JAX compiles for each
FAST = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
STEPS = (1e-3, 2.5e-4)
OFF = 1e-4  # of the larger of both, and of what rounding makes of large numbers


class Fails(Exception):
    """The code does not run, or gives no number."""


@dataclass(frozen=True)
class Point:
    """An input; near are those at which random values and small sizes go, too."""

    x: Any
    near: bool

    def __str__(self) -> str:
        far = [f"x[{k}] = {v:g}" for k, v in enumerate(self.x) if abs(v) > 20][:2]
        return ", ".join([f"n = {len(self.x)}", *far])


@dataclass(frozen=True)
class Code:
    """A program that runs."""

    program: Program
    module: ModuleType

    def forward(self, x: Any) -> Any:
        return self.called(x)[0]

    def called(self, x: Any, g: Any = None) -> tuple[Any, Any]:
        """What it gives, and what its backward makes of a gradient."""
        run = {"numpy": of_numpy, "torch": of_torch, "jax": of_jax}[self.program.framework]
        try:
            with np.errstate(all="ignore"):
                y, found = run(self.module, x, g)
        except Exception as reason:
            raise Fails(f"{type(reason).__name__}: {reason}") from reason
        if y.shape != x.shape or not np.all(np.isfinite(y)):
            raise Fails("no array of numbers of the shape of x")
        if g is not None and (found.shape != x.shape or not np.all(np.isfinite(found))):
            raise Fails("no gradient of the shape of x")
        return y, found


def of_numpy(module: ModuleType, x: Any, g: Any) -> tuple[Any, Any]:
    y = module.forward(x.copy())
    return np.asarray(y, float), g if g is None else np.asarray(module.backward(g.copy(), x.copy()))


def of_torch(module: ModuleType, x: Any, g: Any) -> tuple[Any, Any]:
    import torch

    given = torch.tensor(x, requires_grad=g is not None)
    y = module.F.apply(given)
    if g is None:
        return y.numpy(), None
    (found,) = torch.autograd.grad(y, given, torch.tensor(g))
    return y.detach().numpy(), found.numpy()


def of_jax(module: ModuleType, x: Any, g: Any) -> tuple[Any, Any]:
    import jax

    def whole(x: Any, g: Any) -> Any:
        y, pull = jax.vjp(module.f, x)
        return y, pull(g.astype(y.dtype))[0]

    with jax.enable_x64(True):
        run = module.__dict__.setdefault("_whole", jax.jit(whole, compiler_options=FAST))
        y, found = run(x, x if g is None else g)
        return np.asarray(y, float), np.asarray(found, float)


def loaded(program: Program, folder: Path) -> Code:
    """As users' modules are: from a file."""
    name = f"program_{next(NAMES)}"
    path = folder / f"{name}.py"
    path.write_text(program.text, "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as reason:
        raise Fails(str(reason)) from reason
    return Code(program, module)


def points(program: Program, random: Random, count: int = 14) -> Iterator[Point]:
    """Near ones; then, with each size and value at which a condition turns, on both sides of it."""
    tests, framework = program.tests, program.framework
    for k, n in enumerate(NEAR_SIZES[framework]):
        yield Point(apart([random.gauss(0, (1, 6, 0.3)[k % 3]) for _ in range(n)], random), True)
    values = sorted({value for test in tests for value in test.values})
    every = list(dict.fromkeys(n for place in range(3) for n in sizes_of(tests, place)))
    sizes = every[: MOST_SIZES[framework]]
    for k in range(count):
        n = (
            sizes[k % len(sizes)]
            if sizes and (k % 3 or not values)
            else random.choice(SMALL_SIZES[framework])
        )
        far = 0.0 if k % 3 == 1 or not values else random.choice((0.5, 1.0))
        cells = [random.gauss(0, 2) for _ in range(n)]
        for place in range(n):
            if values and (place < 6 or place == n - 1) and random.random() < far:
                cells[place] = beyond(random.choice(values), random)
        yield Point(apart(cells, random), False)


def sizes_of(tests: Sequence[Test], place: int) -> list[int]:
    return [test.sizes[place] for test in tests if test.sizes]


def beyond(value: int, random: Random) -> float:
    sign = 1 if value > 0 else -1
    return value + sign * random.choice((-3.0, 2.0, 7.0, 40.0, 1.2 * abs(value)))


def apart(cells: Sequence[float], random: Random) -> Any:
    """Where no rounding of a cell turns."""
    return np.array([np.floor(c) + random.choice((0.21, 0.29, 0.71, 0.78)) for c in cells])


def is_wrong(code: Code, point: Point, random: Random) -> bool:
    """Whether differences along a random direction say otherwise than the backward, surely."""
    x = point.x
    g = np.array([random.choice((-1, 1)) * random.uniform(0.5, 1.5) for _ in x])
    d = np.array([random.choice((-1, 1)) * random.uniform(0.5, 1.0) for _ in x])
    y, found = code.called(x, g)
    said = float(np.sum(found * d))
    sizes = float(np.sum(np.abs(g * y)))

    def measured(step: float) -> float:
        return float(np.sum(g * (code.forward(x + step * d) - code.forward(x - step * d)))) / (
            2 * step
        )

    def off(seen: float, step: float) -> float:
        allowed = OFF * (1 + abs(seen) + abs(said)) + 1e-14 * sizes / step
        return abs(seen - said) / allowed

    wide = measured(STEPS[0])
    if off(wide, STEPS[0]) <= 1:
        return False
    narrow = measured(STEPS[1])
    return off(narrow, STEPS[1]) > 1 and abs(wide - narrow) <= 0.1 * abs(narrow - said)


def wrong_at(code: Code, near: bool, seen: Sequence[Point], seed: int) -> Point | None:
    """The first of these points at which the backward is surely wrong."""
    random = Random(seed)
    return next((p for p in seen if p.near == near and is_wrong(code, p, random)), None)


Judged = Callable[[Code], Point | None]
