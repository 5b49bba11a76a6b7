"""How wide MathML will come out, in em, rather too wide than too narrow. Untrusted.

>>> from xml.etree.ElementTree import fromstring
>>> width(fromstring("<mfrac><mi>a</mi><mn>200</mn></mfrac>"))
1.9
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

SCRIPT = 0.72
LETTER, DIGIT = 0.6, 0.55
WIDE_SIGNS = frozenset("=≠≤≥<>∈←⇒∨∧+\u2212∸\u2223") | {"+=", "mod", "rem"}
LARGE = "∑∏"
FRAMED = {"mfrac": 0.25, "mtable": 0.0, "msqrt": 1.0, "mrow": 0.0, "mtr": 0.0, "mtd": 0.8}


def width(item: Element) -> float:
    tag, parts = item.tag, [width(part) for part in item]
    if tag in ("mi", "mtext", "mn", "mo"):
        return round(letters(tag, item.text or ""), 3)
    if tag == "mspace":
        return float(item.get("width", "0em").removesuffix("em"))
    if tag in ("msub", "msup", "msubsup"):
        return parts[0] + SCRIPT * max(parts[1:])
    if tag in ("munder", "mover", "munderover"):
        accent = item.get("accent") is not None
        return parts[0] if accent else max(parts[0], *(SCRIPT * part for part in parts[1:])) + 0.2
    return (max(parts) if tag in ("mfrac", "mtable") else sum(parts)) + FRAMED[tag]


def letters(tag: str, text: str) -> float:
    if tag != "mo":
        return len(text) * (DIGIT if tag == "mn" else LETTER)
    if text in LARGE:
        return 1.6
    if text in WIDE_SIGNS:
        return 0.9 + 0.55 * len(text)
    return 0.8 if text in "⋅," else 0.6
