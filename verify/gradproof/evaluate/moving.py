"""Numbers that carry their derivatives by all cells of one array. Untrusted."""

from __future__ import annotations

from typing import Any

from gradproof.evaluate.numbers import Numbers, Undecided, slope_of


class Moving:
    """A number, and its derivatives by the cells that it depends on; a plain number has none."""

    __slots__ = ("by", "value")

    def __init__(self, value: Any, by: dict[tuple[int, ...], Any]) -> None:
        self.value, self.by = value, by

    def __add__(self, other: Any) -> Moving:
        if type(other) is not Moving:
            return Moving(self.value + other, self.by.copy())
        found = Moving(self.value, self.by.copy())
        found += other
        return found

    def __iadd__(self, other: Any) -> Moving:
        """For who adds up: of a sum that nobody else has."""
        if type(other) is not Moving:
            self.value = self.value + other
            return self
        own = self.by
        for cell, slope in other.by.items():
            own[cell] = own[cell] + slope if cell in own else slope
        self.value = self.value + other.value
        return self

    def __mul__(self, other: Any) -> Moving:
        if type(other) is not Moving:
            by = {cell: slope * other for cell, slope in self.by.items()}
            return Moving(self.value * other, by)
        by = {cell: slope * other.value for cell, slope in self.by.items()}
        for cell, slope in other.by.items():
            part = slope * self.value
            by[cell] = by[cell] + part if cell in by else part
        return Moving(self.value * other.value, by)

    __radd__, __rmul__ = __add__, __mul__


def moving(base: Numbers) -> Numbers:
    """Numbers of which some move. Where one that does is 0, it is not known beside the point."""
    minus = base.lift(-1)

    def divide(a: Any, b: Any) -> Any:
        above = a.value if type(a) is Moving else a
        if type(b) is not Moving:
            found = base.divide(above, b)
            if type(a) is not Moving:
                return found
            return Moving(found, {cell: base.divide(d, b) for cell, d in a.by.items()})
        found = base.divide(above, b.value)
        slopes = dict(a.by) if type(a) is Moving else {}
        for cell, slope in b.by.items():
            part = found * slope * minus
            slopes[cell] = slopes[cell] + part if cell in slopes else part
        return Moving(found, {cell: base.divide(d, b.value) for cell, d in slopes.items()})

    def sign(a: Any) -> int:
        found = base.sign(a.value if type(a) is Moving else a)
        if found == 0 and type(a) is Moving and a.by:
            raise Undecided("on the boundary between two branches")
        return found

    def exp(a: Any) -> Any:
        if type(a) is not Moving:
            return base.exp(a)
        found = base.exp(a.value)
        return Moving(found, {cell: found * d for cell, d in a.by.items()})

    def log(a: Any) -> Any:
        if type(a) is not Moving:
            return base.log(a)
        found = base.log(a.value)
        return Moving(found, {cell: base.divide(d, a.value) for cell, d in a.by.items()})

    def apply(name: str, *at: Any) -> Any:
        found = base.apply(name, *(a.value if type(a) is Moving else a for a in at))
        if not at or type(at[0]) is not Moving:
            return found
        slope = slope_of(base, name, at[0].value)
        return Moving(found, {cell: slope * d for cell, d in at[0].by.items()})

    return Numbers(base.lift, base.zero, base.one, divide, sign, exp, log, apply)
