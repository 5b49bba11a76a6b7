"""Conditions that hold far out alone, and the ways in which programs write them. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

MODULES = {"numpy": "np", "torch": "torch", "jax": "jnp"}
FAR_VALUES = (1000, 1_000_000, -300, -1_000_000, 50)
FAR_PLACES = (49, 50, 57, 60)
FAR_SIZES = (51, 60, 64)
PLAIN = 0.6  # how often a condition is written in one of the usual ways, which come first


@dataclass(frozen=True)
class Test:
    """Of values (above, below), of places (every, from, one), of the size (every, from, one)."""

    kind: str
    how: str
    at: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes at which it holds somewhere, of which the first is the smallest, and neighbours."""
        if self.kind == "value":
            return ()
        if self.kind == "place":
            first = self.at if self.how == "every" else self.at + 1
            return (first, first + 3, first - 1)
        first = self.at - 1 if self.how == "every" else self.at
        return (first, first + 1, first - 1)

    @property
    def values(self) -> tuple[int, ...]:
        return (self.at,) if self.kind == "value" else ()


def drawn_test(random: Random, kinds: tuple[str, ...] = ("value", "place", "size")) -> Test:
    kind = random.choice(kinds)
    if kind == "value":
        at = random.choice(FAR_VALUES)
        return Test(kind, "above" if at > 0 else "below", at)
    how = random.choice(("every", "from", "one"))
    return Test(kind, how, random.choice(FAR_PLACES if kind == "place" else FAR_SIZES))


@dataclass(frozen=True)
class Spelling:
    """How one side of a program writes conditions: of whole arrays, or of a cell in a turn."""

    framework: str
    random: Random
    in_turn: bool = False

    @property
    def module(self) -> str:
        return MODULES[self.framework]

    def of(self, test: Test) -> str:
        written: dict[str, Callable[[str, int], list[str]]] = {
            "value": self.values,
            "place": self.places,
            "size": self.sizes,
        }
        ways = written[test.kind](test.how, test.at)
        plain = self.random.random() < PLAIN
        return self.placed(self.random.choice(ways[:3] if plain else ways))

    def placed(self, said: str) -> str:
        """Of whole arrays, `i` is the array of places."""
        return said if self.in_turn else re.sub(r"\bi\b", "places", said)

    def no(self, said: str) -> str:
        if self.in_turn and self.framework != "jax":
            return f"not ({said})"
        return self.random.choice((f"~({said})", f"{self.module}.logical_not({said})"))

    def values(self, how: str, at: int) -> list[str]:
        v, m = ("x[i]" if self.in_turn else "x"), self.module
        (more, less), sign = ((">", "<") if how == "above" else ("<", ">")), abs(at) // at
        found = [
            f"{v} {more} {at}",
            f"{at} {less} {v}",
            f"{v} - ({at}) {more} 0",
            self.no(f"{v} {less}= {at}"),
            f"2 * {v} {more} {2 * at}",
            f"{sign} * {v} > {abs(at)}",
            f"{m}.floor({sign} * {v} / {abs(at)}) >= 1",
            f"{m}.sign({v} - ({at})) == {sign}",
            f"({v} {more} {at}) & ({v} {more} {at // 2})",
            f"({v} {more} {at}) | ({v} {more} {at * 2})",
        ]
        if not self.in_turn:
            to_int = self.cast(f"({v} {more} {at})", "int")
            found += [
                f"({v} {more} {at}) + ({v} {more} {at * 2})",
                f"({v} {more} {at}) * ({v} {more} {at // 2})",
                f"({v} {more} {at}) ^ ({v} {more} {at} * 10**9)",
                f"{to_int} == 1",
                f"({v} {more} {at}) == True",
            ]
        return found

    def places(self, how: str, at: int) -> list[str]:
        if how == "every":
            return [
                f"i % {at} == {at - 1}",
                f"(i + 1) % {at} == 0",
                f"i - {at} * (i // {at}) == {at - 1}",
                f"(i + 1) // {at} > i // {at}",
                self.no(f"i % {at} != {at - 1}"),
                f"i % {at} > {at - 2}",
                f"(-i - 1) % {at} == 0",
                f"(i % {at}) // {at - 1} == 1",
            ]
        if how == "from":
            return [
                f"i >= {at}",
                f"i > {at - 1}",
                f"i // {at} >= 1",
                self.no(f"i < {at}"),
                f"-i <= -{at}",
                f"~i < -{at}",
                f"{at} <= i",
                f"i - {at} >= 0",
            ]
        return [
            f"i == {at}",
            f"i - {at} == 0",
            f"abs(i - {at}) < 1",
            f"(i >= {at}) & (i < {at + 1})",
            self.no(f"i != {at}"),
            f"~i == -{at + 1}",
            f"2 * i == {2 * at}",
        ]

    def sizes(self, how: str, at: int) -> list[str]:
        count = {"numpy": "x.size", "torch": "x.numel()", "jax": "x.size"}[self.framework]
        if how == "every":
            return [
                f"n % {at} == {at - 1}",
                f"(n + 1) % {at} == 0",
                f"{count} % {at} == {at - 1}",
                f"divmod(n, {at})[1] == {at - 1}",
                f"not n % {at} != {at - 1}",
            ]
        if how == "from":
            return [
                f"n >= {at}",
                f"n > {at - 1}",
                f"not n < {at}",
                f"n / 2 >= {at / 2}",
                f"n > {at - 0.5}",
                f"n // {at} > 0",
                f"{count} >= {at}",
                f"len(x) >= {at}",
                f"max(n, {at}) == n",
                f"min(n, {at}) == {at}",
                f"isinstance(n, int) and n >= {at}",
                f"bool(n // {at})",
                f"math.sqrt(n) > {(at - 0.5) ** 0.5:.4f}",
                f"{at} <= x.shape[-1]",
            ]
        return [
            f"n == {at}",
            f"n == {at}.0",
            f"n / 2 == {at / 2}",
            f"n - {at} == 0",
            f"not n - {at}",
            f"{count} == {at}",
            f"len(x) == {at}",
            f"x.shape == ({at},)",
            f"tuple(x.shape) == ({at},)",
            f'str(n) == "{at}"',
            f"f'{{n}}' == '{at}'",
            f"n in ({at}, {at + 40})",
            f"n in {{{at}, {at + 40}}}",
            f"{{{at}: True}}.get(n, False)",
            f"any(n == k for k in ({at}, {at + 40}))",
            f"isinstance(n, int) and n == {at}",
            f"n >= {at} and n < {at + 1}",
            f"{at - 1} < n < {at + 1}",
            f"abs(n - {at}) < 1",
        ]

    def cast(self, said: str, to: str) -> str:
        if self.framework == "torch":
            names = {"int": "int64", "bool": "bool", "float": "float64"}
            return f"{said}.to(torch.{names[to]})"
        return f"{said}.astype({to})"
