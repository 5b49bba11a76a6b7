"""Text as people read it: names with few primes, numbers of few digits. Untrusted."""

from __future__ import annotations

import re
from collections import Counter

from gradproof.language import text as words


def brief(text: str) -> str:
    """With powers of ten, and the ends alone of other numbers that nobody would read."""

    def ends(found: re.Match[str]) -> str:
        digits = found[0]
        if not digits[1:].strip("0") and digits[0] == "1":
            return f"10^{len(digits) - 1}"
        return f"{digits[:8]}…{digits[-8:]} ({len(digits)} digits)"

    return re.sub(r"\d{40,}", ends, text)


def readable(*texts: str) -> tuple[str, ...]:
    """Texts with `c'12` as c′, or as c if there is no other c; on one axis without its number."""
    shown = tuple(re.sub(r" \+ 1 - 1(?![^\s)\],:])", "", text) for text in words.primed(*texts))
    if not any(re.search(r"[\w′]\.[2-9]", text) for text in shown):
        shown = tuple(re.sub(r"([\w′])\.1\b", r"\1", text) for text in shown)
    names = {name for text in shown for name in re.findall(r"[^\W\d]\w*′*", text)}
    bases = Counter(name.rstrip("′") for name in names)

    def unprimed(found: re.Match[str]) -> str:
        base = found[0].rstrip("′")
        return base if bases[base] == 1 else found[0]

    return tuple(re.sub(r"[^\W\d]\w*′+", unprimed, text) for text in shown)
