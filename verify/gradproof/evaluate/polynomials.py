"""Polynomials in the cells of tensors: an equality of them holds for all values. Untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod
from typing import Any

from gradproof.evaluate.numbers import RATIONALS, Numbers, Undecided, cannot

Number = Fraction | int
Cell = tuple[str, tuple[int, ...]]
Monomial = tuple[Cell, ...]  # its cells in order, each as often as its power


class Polynomial:
    """Coefficients, none of them 0, by monomial; a plain number is a constant."""

    __slots__ = ("slopes", "terms")

    def __init__(self, terms: dict[Monomial, Number]) -> None:
        self.terms = terms
        self.slopes: dict[Cell, Polynomial] | None = None

    def __add__(self, other: Any) -> Polynomial:
        found = Polynomial(self.terms.copy())
        found += other
        return found

    def __iadd__(self, other: Any) -> Polynomial:
        """For who adds up: of a sum that nobody else has, as `0 + a` is."""
        own = self.terms
        for monomial, number in terms_of(other).items():
            total = own.get(monomial, 0) + number
            if total:
                own[monomial] = total
            else:
                del own[monomial]
        return self

    def __mul__(self, other: Any) -> Polynomial:
        if type(other) is not Polynomial:
            return Polynomial({m: c * other for m, c in self.terms.items()} if other else {})
        found: dict[Monomial, Number] = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                key = tuple(sorted(m + n)) if m and n else m or n
                found[key] = found.get(key, 0) + c * d
        return Polynomial({m: c for m, c in found.items() if c})

    __radd__, __rmul__ = __add__, __mul__

    def slope(self, cell: Cell) -> Any:
        """The derivative by a cell."""
        if self.slopes is None:
            self.slopes = derivatives(self.terms)
        return self.slopes.get(cell, 0)

    def at(self, values: Mapping[Cell, Number]) -> Number:
        """The value where the other cells are 0."""
        return sum(c * prod(values.get(i, 0) for i in m) for m, c in self.terms.items())


def derivatives(terms: Mapping[Monomial, Number]) -> dict[Cell, Polynomial]:
    found: dict[Cell, dict[Monomial, Number]] = {}
    for monomial, number in terms.items():
        for cell in dict.fromkeys(monomial):
            place = monomial.index(cell)
            rest = monomial[:place] + monomial[place + 1 :]
            found.setdefault(cell, {})[rest] = number * monomial.count(cell)
    return {cell: Polynomial(parts) for cell, parts in found.items()}


def terms_of(value: Any) -> dict[Monomial, Number]:
    if type(value) is Polynomial:
        return value.terms
    return {(): value} if value else {}


class Cells(dict[tuple[int, ...], Polynomial]):
    """The cells of an array as polynomials, each made when it is read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __missing__(self, index: tuple[int, ...]) -> Polynomial:
        found = self[index] = Polynomial({((self.name, index),): 1})
        return found


def difference(left: Any, right: Any) -> Polynomial:
    return Polynomial(terms_of(left)) + right * -1


def constant(a: Any) -> Number:
    """A polynomial that is a number, as that."""
    terms = terms_of(a)
    if any(terms):
        raise Undecided("a polynomial that is no number")
    return terms.get((), 0)


def divide(a: Any, b: Any) -> Any:
    return a * RATIONALS.divide(1, constant(b))


def poly_sign(a: Any) -> int:
    return RATIONALS.sign(constant(a))


POLYNOMIALS = Numbers(RATIONALS.lift, 0, 1, divide, poly_sign, cannot, cannot, cannot)
