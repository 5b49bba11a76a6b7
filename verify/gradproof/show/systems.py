"""Equations that define arrays from one another, as plain Python over NumPy arrays. Untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradproof.language.systems import Equations, made_by, read_by, recurrences
from gradproof.language.terms import Array, Term
from gradproof.show.python import Python


def functions(write: Python, equations: Iterable[Term]) -> Iterator[str]:
    """For each equation, a function that computes its array."""
    for equation in equations:
        yield "\n"
        yield from write.function(name_of(write, equation), equation, reads(equation), "computed")


def name_of(write: Python, equation: Term) -> str:
    return f"compute_{write.name(made_by(equation).name)}"


def reads(equation: Term) -> list[Array]:
    return sorted(read_by(equation), key=lambda a: a.name)


def computed(write: Python, equations: Equations) -> Iterator[str]:
    """Each array from those before it; those that read themselves turn by turn, at first NaN."""
    left = equations
    groups = {e: group for group in recurrences(left) for e in group}
    while left:
        made = {made_by(e) for e in left}
        waiting = {e: {a for u in groups.get(e, (e,)) for a in read_by(u)} & made for e in left}
        ready = next(e for e in left if waiting[e] <= set(map(made_by, groups.get(e, ()))))
        group = groups.get(ready, (ready,))
        yield from repeated(write, group) if ready in groups else (call(write, ready),)
        left = tuple(e for e in left if e not in group)


def call(write: Python, equation: Term) -> str:
    arguments = ", ".join(write.name(a.name) for a in reads(equation))
    return f"{write.name(made_by(equation).name)} = {name_of(write, equation)}({arguments})"


def repeated(write: Python, group: Equations) -> Iterator[str]:
    names = [write.name(made_by(e).name) for e in group]
    for name, equation in zip(names, group, strict=True):
        yield f"{name} = np.full({write.tuple(map(write, made_by(equation).dims))}, np.nan)"
    yield f"for _ in range({' + '.join(f'{name}.size' for name in names)}):"
    yield from (f"    {call(write, equation)}" for equation in group)
