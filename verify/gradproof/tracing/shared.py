"""What kernels that a reading met did to memory, as it goes with what was read. Untrusted."""

from __future__ import annotations

from dataclasses import dataclass

from gradproof.language.terms import Sym, Term
from gradproof.theorems.memory import Launch


@dataclass(frozen=True)
class Shared:
    """Launches, the blocks of lanes whose size is any, and what was not read, said where it stands.

    `given` is known of blocks; `least` says how small they may be, and `exactly` that they are
    powers of two.
    """

    launches: tuple[Launch, ...] = ()
    blocks: tuple[Sym, ...] = ()
    given: tuple[Term, ...] = ()
    least: tuple[Term, ...] = ()
    exactly: tuple[Term, ...] = ()
    refused: str = ""


NOTHING_SHARED = Shared()
