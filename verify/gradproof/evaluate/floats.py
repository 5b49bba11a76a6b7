"""Floats as numbers of an evaluation, for a first look. Untrusted."""

from __future__ import annotations

import math

from gradproof.evaluate.numbers import Numbers, Undecided, divide, sign

ROUGHLY = 1e-9  # a difference that floats may make of nothing


def float_sign(a: float) -> int:
    if not math.isfinite(a):
        raise OverflowError
    if 0 < abs(a) < ROUGHLY:
        raise Undecided("too close to zero")
    return sign(a)


def float_apply(name: str, *at: float) -> float:
    found: float = getattr(math, name)(*at) if at else getattr(math, name)
    return found


FLOATS = Numbers(float, 0.0, 1.0, divide, float_sign, math.exp, math.log, float_apply)
