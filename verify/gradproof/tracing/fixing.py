"""At which sizes code can be read that cannot be at all sizes. Untrusted."""

from __future__ import annotations

from gradproof.language.terms import INT
from gradproof.tracing.comparing import Code
from gradproof.tracing.pieces import read, sizes_in
from gradproof.tracing.tensors import Unreadable


def readable_at(code: Code) -> dict[str, int]:
    """Sizes to fix so that code can be read, one if that will do; none where none help."""
    hints = sizes_in(code.declared, ()) or {}
    sizes = {s.name: int(value) for s, value in hints.items() if s.sort == INT}
    if not sizes or not is_read(code, sizes):
        return {}
    each = ({name: value} for name, value in sizes.items()) if len(sizes) > 1 else ()
    return next((one for one in each if is_read(code, one)), sizes)


def is_read(code: Code, sizes: dict[str, int]) -> bool:
    try:
        read(code.at(sizes))
    except (Exception, Unreadable):  # whatever it is, there it is no help
        return False
    return True
