"""Numbers of any length as text; Python's limit is for text of others. Untrusted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


def any_length() -> None:
    """From now on, in this process."""
    sys.set_int_max_str_digits(0)


@contextmanager
def of_any_length() -> Iterator[None]:
    """Meanwhile."""
    before = sys.get_int_max_str_digits()
    any_length()
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)
