"""Many small definitions, right and wrong, as files of a user. Untrusted."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

PER_FILE = 10
HEAD = "from gradproof.language import *\n"
FAMILIES = {
    "shift": """
n, i = integers("n i")
x, y = array("x", n), array("y", n)
{name} = Op(
    "{name}",
    requires=(n >= 1,),
    forward=Eq(y[i], {weight} * zero_padded(x)[i + {shift}]),
    jvp=Eq(tangent(y)[i], {weight} * zero_padded(tangent(x))[i + {shift}]),
    vjp=Eq(cotangent(x)[i], {weight} * zero_padded(cotangent(y))[i - {shift} + {slip}]),
)
""",
    "taps": """
n, i = integers("n i")
x, y = array("x", n), array("y", n)
x_dot, y_bar = zero_padded(tangent(x)), zero_padded(cotangent(y))
{name} = Op(
    "{name}",
    requires=(n >= 1,),
    forward=Eq(y[i], zero_padded(x)[i + {shift}] - {weight} * zero_padded(x)[i - {width}]),
    jvp=Eq(tangent(y)[i], x_dot[i + {shift}] - {weight} * x_dot[i - {width}]),
    vjp=Eq(cotangent(x)[i], y_bar[i - {shift}] - {weight} * y_bar[i + {width} + {slip}]),
)
""",
    "pool": """
n, i, j, o = axes("n i j o")
m = floor_div(n - {width}, {stride}) + 1
x, y = array("x", n), array("y", m)
window = (j, 0, {width} - 1)
first, last = ceil_div(i - {width} + 1, {stride}), floor_div(i, {stride})
{name} = Op(
    "{name}",
    requires=(n >= {width},),
    windows=Windows(count=m, size=n, extent={width}, stride={stride}),
    forward=Eq(y[o], {weight} * Sum(x[{stride} * o + j], window)),
    jvp=Eq(tangent(y)[o], {weight} * Sum(tangent(x)[{stride} * o + j], window)),
    vjp=Eq(
        cotangent(x)[i],
        ({weight} + {slip}) * Sum(cotangent(y)[o], (o, Max(0, first), Min(m - 1, last))),
    ),
)
""",
    "rows": """
C, c, n, i = integers("C c n i")
x, y = array("x", C, n), array("y", C)
{name} = Op(
    "{name}",
    requires=(n >= {width},),
    forward=Eq(y[c], {weight} * Sum(x[c, i], (i, 0, n - {width}))),
    jvp=Eq(tangent(y)[c], {weight} * Sum(tangent(x)[c, i], (i, 0, n - {width}))),
    vjp=Eq(cotangent(x)[c, i], {weight} * cotangent(y)[c] * bracket(i <= n - {width} - {slip})),
)
""",
    "square": """
n, i = integers("n i")
x, y = array("x", n + {shift}), array("y", n)
{name} = Op(
    "{name}",
    requires=(n >= 1,),
    forward=Eq(y[i], {weight} * x[i + {shift}] * x[i + {shift}]),
    jvp=Eq(tangent(y)[i], 2 * {weight} * x[i + {shift}] * tangent(x)[i + {shift}]),
    vjp=Eq(
        cotangent(x)[i],
        (2 * {weight} + {slip}) * x[i] * zero_padded(cotangent(y))[i - {shift}],
    ),
)
""",
}
MARK = 1009  # a shift that no other definition has: the solvers' questions on it are known by it
MARKED_EVERY, WRONG_EVERY = 50, 3


@dataclass(frozen=True)
class Small:
    """One definition by its number: its family, and what is drawn for it."""

    number: int

    @property
    def family(self) -> str:
        return list(FAMILIES)[self.number % len(FAMILIES)]

    @property
    def name(self) -> str:
        return f"{self.family}_{self.number:04}"

    @property
    def is_marked(self) -> bool:
        """Its questions to a solver are known by their text."""
        return self.number % MARKED_EVERY == 0

    @property
    def is_wrong(self) -> bool:
        return self.number % WRONG_EVERY == WRONG_EVERY - 1 and not self.is_marked

    @property
    def text(self) -> str:
        drawn = random.Random(self.number)
        shift, weight = drawn.randint(1, 9), drawn.randint(2, 99)
        stride, width = drawn.randint(1, 3), drawn.randint(1, 4)
        return FAMILIES[self.family].format(
            name=self.name,
            shift=MARK if self.is_marked else shift,
            weight=weight,
            stride=stride,
            width=width,
            slip=int(self.is_wrong),
        )


def crowd(count: int) -> tuple[Small, ...]:
    return tuple(map(Small, range(count)))


def write(folder: Path, members: tuple[Small, ...]) -> tuple[str, ...]:
    """Writes the definitions into files of a few each; the names of the files."""
    names = []
    for start in range(0, len(members), PER_FILE):
        part = members[start : start + PER_FILE]
        names.append(f"ops_{start // PER_FILE:03}.py")
        (folder / names[-1]).write_text(HEAD + "".join(m.text for m in part), "utf-8")
    return tuple(names)
