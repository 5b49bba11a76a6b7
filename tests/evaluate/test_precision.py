"""Intervals of more bits are narrower, hold the same numbers, and end with the block."""

from fractions import Fraction

import pytest
from mpmath.libmp import libmpi, mpf_le

from gradproof.evaluate import numbers
from gradproof.evaluate.numbers import INTERVALS, Undefined, interval, precisely


def computed():
    third = interval(Fraction(1, 3))
    return INTERVALS.divide(INTERVALS.exp(third), INTERVALS.log(INTERVALS.lift(3)) + third)


def wide(found):
    return libmpi.mpi_delta(found.ends, 53)


def test_more_bits_are_narrower_and_within():
    coarse = computed()
    with precisely(300):
        fine = computed()
    assert mpf_le(coarse.ends[0], fine.ends[0])
    assert mpf_le(fine.ends[1], coarse.ends[1])
    assert libmpi.mpf_lt(wide(fine), libmpi.mpf_shift(wide(coarse), -200))


def test_what_was_asked_for_more_bits_is_as_before():
    before = computed().ends
    with pytest.raises(Undefined), precisely(300):
        INTERVALS.log(INTERVALS.lift(-1))
    assert (computed().ends, numbers.BITS) == (before, 53)
