"""A definition to start from. Untrusted."""

from __future__ import annotations

import keyword
import re
from argparse import Namespace
from importlib.util import find_spec
from pathlib import Path

from gradproof.cli.arguments import UsageError
from gradproof.report.writing import Unwritten

TEXT = '''\
"""{name}: the sum over each window, divided by its number of cells. Change it to what you need."""

from gradproof.language import *

# Sizes are symbols without a value: what is proved holds for all of them.
C, c = integers("C c")  # the number of channels, and one of them
n, k, s = axes("n k s")  # input size, window, stride: one per spatial axis, for any number of axes
i, j, o = axes("i j o")  # position in the input, in the window, in the output

m = floor_div(n - k, s) + 1  # the output size

x, y = array("x", C, n), array("y", C, m)
x_dot, y_dot, x_bar, y_bar = tangent(x), tangent(y), cotangent(x), cotangent(y)

window = (j, 0, k - 1)  # a range: the symbol, its first and its last value
covering = (o, Max(0, ceil_div(i - k + 1, s)), Min(m - 1, floor_div(i, s)))  # windows over cell i

{name} = Op(
    "{name}",
    # What must hold of the sizes; each clause is checked for being needed.
    requires=(k >= 1, s >= 1, n >= k),
    # The declared geometry: the output size is proved right for it.
    windows=Windows(count=m, size=n, extent=k, stride=s),
    # What the op computes. zero_padded(x)[...] would be 0 outside of x.
    forward=Eq(y[c, o], Sum(x[c, s * o + j], window) / product(k)),
    # Your rules: the tangent of the output, and the cotangent of each input.
    jvp=Eq(y_dot[c, o], Sum(x_dot[c, s * o + j], window) / product(k)),
    vjp=Eq(x_bar[c, i], Sum(y_bar[c, o], covering) / product(k)),
    # What else you claim; proved or refuted like the rest.
    claims=(Claim("windows of one cell keep the size", Eq(m, n), given=(Eq(k, 1), Eq(s, 1))),),
)
'''


def write(known: Namespace) -> int:
    """Writes NAME.py into the current folder; never over a file that is there."""
    if known.source:
        from gradproof.cli.drafting import draft  # which imports what reads code

        return draft(known.source, known.framework)
    name = known.name
    if name is None:
        raise UsageError("say the name of the op, or --from FILE::NAME for a test of code")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or keyword.iskeyword(name):
        raise UsageError(
            f"{name!r} is not a name for an op; use letters, digits and _, "
            "a letter first, and no keyword of Python"
        )
    if name in RESERVED:
        raise UsageError(f"{name!r} has a meaning in a definition already; choose another name")
    path = Path(f"{name}.py")
    if not path.exists() and find_spec(name) is not None:
        raise UsageError(f"{name!r} is a module already, which {path} would hide; choose another")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(TEXT.format(name=name))
    except FileExistsError:
        raise UsageError(f"{path} exists already; choose another name") from None
    except OSError as bad:
        path.unlink(missing_ok=True)
        raise Unwritten(path, bad) from None
    print(f"Wrote {path}. Settle it with: gradproof check {path}")
    return 0


CODE = re.sub(r"#.*", "", TEXT.partition("\n\n")[2])
RESERVED = frozenset(re.findall(r"[A-Za-z_]\w*", CODE)) - {"name"}
