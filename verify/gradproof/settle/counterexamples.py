"""Where a theorem fails, as data that prints and serialises. Untrusted: it decides nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradproof.language import text as words

if TYPE_CHECKING:  # the data alone is for commands that settle nothing, and need no SymPy
    from gradproof.evaluate.replay import Env, Failure
    from gradproof.language.terms import Sym


@dataclass(frozen=True)
class Counterexample:
    """Sizes, index and tensor values at which a statement fails, and the two sides there."""

    rank: int | None
    sizes: dict[str, Any]
    index: dict[str, Any]
    values: dict[str, dict[str, str]]
    statement: str
    left: str
    right: str
    smallest: bool


def counterexample(
    failure: Failure, rank: int | None, sizes: Iterable[Sym], smallest: bool
) -> Counterexample:
    """The failure as data: sizes grouped by axis, cells by array."""
    names = tuple(sizes)
    values: dict[str, dict[str, str]] = {}
    for (name, cell), value in sorted(failure.cells.items()):
        values.setdefault(name, {})[str(list(cell))] = str(value)
    index = grouped({s: v for s, v in failure.env.items() if s not in names})
    statement, *places = words.primed(str(failure.sequent.then), *index)
    return Counterexample(
        rank,
        grouped({s: failure.env[s] for s in names}),
        dict(zip(places, index.values(), strict=True)),
        values,
        statement,
        failure.left,
        failure.right,
        smallest,
    )


def grouped(values: Env) -> dict[str, Any]:
    """`n.1, n.2` as one entry `n` with a value per axis."""
    found: dict[str, Any] = {}
    for symbol, value in values.items():
        value = value if isinstance(value, int) else str(value)
        base, _, axis = symbol.name.partition(".")
        if axis:
            found.setdefault(base, []).append(value)
        else:
            found[base] = value
    return found
