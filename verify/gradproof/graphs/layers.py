"""Layers as records: what a node is told beside its variables, checked when made. Untrusted.

>>> Conv2d(kernel=3, stride=2, padding=1)
Conv2d(kernel=3, stride=2, padding=1)
>>> MaxPool2d(kernel=0)
Traceback (most recent call last):
gradproof.graphs.nodes.GraphError: MaxPool2d: kernel is 0, and must be at least 1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar

from gradproof.graphs.nodes import GraphError
from gradproof.language.terms import REAL, Term, sort_of

Size = Any  # a number, or a term of the graph's symbols
Sizes = Any  # one for each axis, or one for all

LEAST = {"padding": 0}  # of the rest, 1


@dataclass(frozen=True)
class Layer:
    """An op by its name in the suite, what it takes, and the sizes that no variable has."""

    op: ClassVar[str]
    takes: ClassVar[tuple[str, ...]] = ("x",)

    def __post_init__(self) -> None:
        for each in fields(self):
            self.check(each.name, getattr(self, each.name))

    def check(self, name: str, value: Any) -> None:
        if value is None or isinstance(value, Term):
            return
        if name == "beta":
            self.refuse_if(
                not isinstance(value, int | Fraction) or isinstance(value, bool),
                name,
                value,
                "an exact number, Fraction(1, 2) say",
            )
            self.refuse_if(value == 0, name, value, "another number than 0")
            return
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Term) and sort_of(part) != REAL:
                continue
            whole = isinstance(part, int) and not isinstance(part, bool)
            self.refuse_if(not whole, name, part, "a whole number, or a symbol of integers")
            least = LEAST.get(name, 1)
            self.refuse_if(part < least, name, part, f"at least {least}")

    def refuse_if(self, fault: bool, name: str, value: Any, wanted: str) -> None:
        if fault:
            raise GraphError(f"{type(self).__name__}: {name} is {value}, and must be {wanted}")

    def sizes(self) -> Mapping[str, Sizes]:
        """By the names that the op gives them; None is what the shapes say."""
        raise NotImplementedError

    def pair(self, name: str) -> tuple[Size, Size]:
        """Height and width."""
        value = getattr(self, name)
        both = value if isinstance(value, tuple) else (value, value)
        if len(both) != 2:
            raise GraphError(
                f"{type(self).__name__}: {name} has {len(both)} parts, and must have 2"
            )
        return both


def stride_of(layer: Any) -> Size:
    """As far as the kernel reaches, if it is not said."""
    if layer.stride is not None:
        return layer.stride
    if isinstance(layer.kernel, tuple):
        raise GraphError(f"{type(layer).__name__}: with a kernel of several sizes, say the stride")
    return layer.kernel


# Any rank.


@dataclass(frozen=True)
class Windowed(Layer):
    """Windows on any number of axes: each size is one number, or one per axis."""

    kernel: Sizes
    stride: Sizes = None
    padding: Sizes = 0

    def sizes(self) -> Mapping[str, Sizes]:
        stride = self.kernel if self.stride is None else self.stride
        return {"k": self.kernel, "s": stride, "p": self.padding}


@dataclass(frozen=True)
class MaxPool(Windowed):
    op = "max_pool"


@dataclass(frozen=True)
class AvgPool(Windowed):
    op = "avg_pool"


@dataclass(frozen=True)
class SmoothMaxPool(Windowed):
    op = "smooth_max_pool"
    beta: Size = 1

    def sizes(self) -> Mapping[str, Sizes]:
        return {**Windowed.sizes(self), "beta": self.beta}


@dataclass(frozen=True)
class Conv(Layer):
    """The kernel, if it is said, must be that of the weight."""

    op = "conv"
    takes = ("x", "W", "b")
    kernel: Sizes = None
    stride: Sizes = 1
    padding: Sizes = 0

    def sizes(self) -> Mapping[str, Sizes]:
        return {"k": self.kernel, "s": self.stride, "p": self.padding}


@dataclass(frozen=True)
class ConvTranspose(Conv):
    op = "conv_transpose"


@dataclass(frozen=True)
class Unpad(Layer):
    op = "unpad"
    padding: Sizes

    def sizes(self) -> Mapping[str, Sizes]:
        return {"p": self.padding}


# Images: one stride and one padding for both axes.


@dataclass(frozen=True)
class MaxPool2d(Layer):
    op = "max_pool2d"
    kernel: Sizes
    stride: Size = None

    def sizes(self) -> Mapping[str, Sizes]:
        high, wide = self.pair("kernel")
        return {"kH": high, "kW": wide, "s": stride_of(self)}


@dataclass(frozen=True)
class AvgPool2d(MaxPool2d):
    op = "avg_pool2d"


@dataclass(frozen=True)
class SmoothMaxPool2d(MaxPool2d):
    op = "smooth_max_pool2d"
    beta: Size = 1

    def sizes(self) -> Mapping[str, Sizes]:
        return {**MaxPool2d.sizes(self), "beta": self.beta}


@dataclass(frozen=True)
class MaxPool2dPad(MaxPool2d):
    op = "max_pool2d_pad"
    padding: Size = 0

    def sizes(self) -> Mapping[str, Sizes]:
        return {**MaxPool2d.sizes(self), "p": self.padding}


@dataclass(frozen=True)
class AvgPool2dPad(MaxPool2dPad):
    op = "avg_pool2d_pad"


@dataclass(frozen=True)
class Conv2d(Layer):
    """The kernel, if it is said, must be that of the weight."""

    op = "conv2d"
    takes = ("x", "W", "b")
    kernel: Sizes = None
    stride: Size = 1
    padding: Size = 0

    def sizes(self) -> Mapping[str, Sizes]:
        high, wide = self.pair("kernel")
        return {"kH": high, "kW": wide, "s": self.stride, "p": self.padding}


@dataclass(frozen=True)
class ConvTranspose2d(Conv2d):
    op = "conv_transpose2d"


@dataclass(frozen=True)
class AdaptiveAvgPool2d(Layer):
    op = "adaptive_avg_pool2d"
    output: Sizes

    def sizes(self) -> Mapping[str, Sizes]:
        high, wide = self.pair("output")
        return {"mH": high, "mW": wide}


@dataclass(frozen=True)
class AdaptiveMaxPool2d(AdaptiveAvgPool2d):
    op = "adaptive_max_pool2d"
