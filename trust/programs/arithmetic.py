"""Factors made of truth values, integers and reals, as code computes with them. Untrusted."""

from __future__ import annotations

from dataclasses import dataclass, field

from trust.programs.branches import Writer
from trust.programs.conditions import Test, drawn_test


@dataclass
class Factor:
    """An expression of places, sizes and far conditions; which conditions is kept."""

    writer: Writer
    tests: list[Test] = field(default_factory=list)

    def pick(self, *options: str) -> str:
        return self.writer.random.choice(options)

    def cast(self, said: str, to: str) -> str:
        return self.writer.whole.cast(f"({said})", to)

    def truth(self, depth: int = 0) -> str:
        """An array of truth values, all of one kind near 0."""
        m = self.writer.m
        if depth > 1 or self.writer.random.random() < 0.35:
            test = drawn_test(self.writer.random, ("value", "value", "place"))
            self.tests.append(test)
            return f"({self.writer.whole.of(test)})"
        one, two = self.truth(depth + 1), self.truth(depth + 1)
        return self.pick(
            *[f"({one} & {two})", f"({one} | {two})", f"({one} + {two})", f"({one} * {two})"] * 2,
            f"({one} ^ {two})",
            f"(~{one})",
            f"{m}.logical_and({one}, {two})",
            f"{m}.logical_xor({one}, {two})",
            f"({one} == {two})",
            f"({one} != {two})",
            f"({one} <= {two})",
            f"({self.whole(depth + 1)} > 90)",
            self.cast(f"{self.whole(depth + 1)} // 50", "bool"),
        )

    def whole(self, depth: int = 0) -> str:
        """An array of integers."""
        m, at = self.writer.m, self.writer.random.choice((49, 50, 60))
        self.tests.append(Test("place", "from", at))
        if depth > 1 or self.writer.random.random() < 0.3:
            return self.pick(
                "places",
                f"(places // {at})",
                f"(places % {at})",
                f"(-places // {at})",
                "(~places)",
            )
        one = self.truth(depth + 1)
        two = self.whole(depth + 1)
        small = self.writer.random.choice((2, 3))
        return self.pick(
            self.cast(one, "int"),
            f"({two} + {small})",
            f"({two} * {small})",
            f"({two} // {at})",
            f"({two} % {small})",
            f"(-{two})",
            f"({two} * {one})",
            f"({two} + {one})",
            f"({self.cast(one, 'int')} - 1)",
            f"abs({two} - {at})",
            f"{m}.where({one}, {two}, {small})",
        )

    def reduced(self) -> str:
        """One number of an array, by a reduction with and without what may be said of it."""
        one, framework = self.truth(1), self.writer.framework
        if framework == "torch":
            return self.pick(
                f"{one}.sum()",
                f"{one}.any()",
                f"{one}.all()",
                f"{one}.sum(dtype=torch.float64)",
                f"torch.sum({one}, 0, keepdim=True)",
                f"{one}.sum(0, dtype=torch.bool)",
                f"torch.count_nonzero({one})",
                f"{self.cast(one, 'float')}.mean()",
                f"{self.cast(one, 'int')}.amax()",
                f"torch.sum({self.whole(1)} * {one})",
            )
        m = self.writer.m
        return self.pick(
            f"{one}.sum()",
            f"{one}.any()",
            f"{one}.all()",
            f"{one}.mean()",
            f"{m}.sum({one}, dtype=float)",
            f"{m}.sum({one}, dtype=bool)",
            f"{m}.sum({one}, axis=0, keepdims=True)",
            f"{m}.sum({one}, initial=2)",
            f"{m}.prod({one}, dtype=int)",
            f"{m}.count_nonzero({one})",
            f"{m}.max({self.cast(one, 'int')})",
            f"{m}.dot({one}, {self.truth(1)})",
            f"({one} @ {self.truth(1)})",
            f"{m}.einsum('i,i->', {one}, {self.truth(1)})",
            f"{m}.sum({self.whole(1)}, where={one})",
            f"{m}.sum({self.whole(1)} * {one})",
        )

    def real(self) -> str:
        m = self.writer.m
        scale, base = self.pick("0.5", "2.0", "-1.0"), self.pick("1.0", "2.0", "-0.5")
        kind = self.writer.random.random()
        if kind < 0.4:
            return self.pick(
                f"({base} + {scale} * {self.truth()})",
                f"({base} + {scale} * {self.cast(self.truth(), 'float')})",
                f"{m}.where({self.truth()}, {scale}, {base})",
                f"({base} - {scale} * ({self.truth()} * {self.truth(1)}))",
            )
        if kind < 0.7:
            return self.pick(
                f"({base} + {scale} * {self.whole()})",
                f"({base} + {self.cast(self.whole(), 'float')})",
                f"{m}.where({self.whole()} > 50, {scale}, {base})",
            )
        return self.pick(
            f"({base} + {scale} * {self.reduced()})",
            f"{m}.where({self.reduced()} > 0, {scale}, {base})",
            f"({base} + {scale} * ({self.reduced()} * 2))",
        )
