r"""The LaTeX of `gradproof.language.latex` as MathML, which browsers show without help. Untrusted.

It reads what the printer writes and no more; an unknown command is an error.

>>> mathml(r"\frac{a}{2}")
'<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math>'
"""

from __future__ import annotations

import re
from html import escape, unescape

from gradproof.language.latex import GREEK

TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\d+|\s+|.", re.DOTALL)
SPACES = {"\\,": "0.17em", "\\;": "0.28em", "\\quad": "1em", "\\ ": "0.25em"}
OPERATORS = {
    "\\le": "≤",
    "\\ge": "≥",
    "\\ne": "≠",
    "\\in": "∈",
    "\\lor": "∨",
    "\\land": "∧",
    "\\lnot": "¬",
    "\\forall": "∀",
    "\\exists": "∃",
    "\\implies": "⇒",
    "\\gets": "←",
    "\\to": "→",
    "\\mid": "\u2223",
    "\\bmod": "mod",
    "\\cdot": "⋅",
    "\\times": "×",
    "\\dots": "…",
    "\\ldots": "…",
    "\\cdots": "⋯",
    "-": "\u2212",
    "*": "*",
    "'": "′",
}
LARGE = {"\\sum": "∑", "\\prod": "∏"}
FUNCTIONS = ("\\max", "\\min", "\\exp", "\\log")
FENCES = {"\\lfloor": "⌊", "\\rfloor": "⌋", "\\lceil": "⌈", "\\rceil": "⌉", "\\{": "{", "\\}": "}"}
SYMBOLS = {
    "\\partial": "∂",
    "\\emptyset": "∅",
    "\\infty": "∞",
    **{f"\\{name}": unescape(f"&{name};") for name in GREEK},
}
ACCENTS = {"\\bar": "¯", "\\dot": "˙", "\\hat": "^"}
DOUBLE = {"N": "\u2115", "Z": "\u2124", "Q": "\u211a", "R": "\u211d"}
COMPOUND = {"+=": "+=", "\\dot-": "∸", "\\textrem": "rem"}  # signs that LaTeX puts together
SPELLED = {"\\textbackslash": "\\", "\\textasciicircum": "^", "\\textasciitilde": "~"}


def mathml(latex: str) -> str:
    """The formula as a `<math>` element."""
    reader = Reader(TOKEN.findall(latex))
    return f"<math>{''.join(reader.items(()))}</math>"


def row(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"<mrow>{''.join(items)}</mrow>"


def operator(sign: str, attributes: str = "") -> str:
    return f"<mo{attributes}>{escape(sign)}</mo>"


def text(words: str) -> str:
    shown = escape(words)
    leading = "\u00a0" if shown.startswith(" ") else ""
    trailing = "\u00a0" if shown.endswith(" ") else ""
    return f"<mtext>{leading}{shown.strip()}{trailing}</mtext>"


class Reader:
    """Reads tokens from left to right."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def skip(self) -> None:
        while self.peek().isspace():
            self.at += 1

    def expect(self, token: str) -> None:
        self.skip()
        if self.peek() != token:
            raise ValueError(f"expected {token!r}, found {self.peek()!r}")
        self.take()

    def items(self, ends: tuple[str, ...]) -> list[str]:
        """Everything up to one of `ends`, which stays."""
        found = []
        self.skip()
        while self.peek() and self.peek() not in ends:
            found.append(self.scripted())
            self.skip()
        return found

    def group(self) -> str:
        """`{...}`, or one item."""
        self.skip()
        if self.peek() != "{":
            return self.item()
        self.take()
        found = row(self.items(("}",)))
        self.expect("}")
        return found

    def words(self) -> str:
        """`{...}` as plain text."""
        self.expect("{")
        found = ""
        while self.peek() != "}":
            token = self.take()
            if token in SPELLED:
                found += SPELLED[token]
                self.skip()
            elif token in SPACES:
                found += " "
            else:
                found += token[1:] if token.startswith("\\") else token
        self.take()
        return found

    def raw(self) -> str:
        """`{...}` as it is written, without braces and blanks."""
        self.expect("{")
        depth, found = 1, ""
        while depth:
            token = self.take()
            depth += (token == "{") - (token == "}")
            found += "" if token in "{} " else token
        return found

    def scripted(self) -> str:
        """An item with what stands below and above it."""
        first = self.peek()
        base = self.item()
        below = above = ""
        while self.peek() in ("_", "^"):
            if self.take() == "_":
                below = self.group()
            else:
                above = self.group()
        under = first in LARGE or first in FUNCTIONS or first == "\\operatorname*"
        tags = ("munder", "mover", "munderover") if under else ("msub", "msup", "msubsup")
        if below and above:
            return f"<{tags[2]}>{base}{below}{above}</{tags[2]}>"
        if below or above:
            tag = tags[0] if below else tags[1]
            return f"<{tag}>{base}{below or above}</{tag}>"
        return base

    def item(self) -> str:
        token = self.take()
        if token == "{":
            self.at -= 1
            return self.group()
        if token in SPACES:
            return f'<mspace width="{SPACES[token]}"/>'
        if token in LARGE:
            return operator(LARGE[token], ' movablelimits="false"')
        if token in FUNCTIONS:
            return f"<mi>{token[1:]}</mi>"
        if token in SYMBOLS:
            return f"<mi>{SYMBOLS[token]}</mi>"
        if token in OPERATORS:
            return operator(OPERATORS[token])
        if token in FENCES:
            return operator(FENCES[token], ' stretchy="false"')
        if token.startswith("\\"):
            return self.command(token)
        if token.isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return self.letter(token)
        return operator(token, ' stretchy="false"' if token in "()[]|" else "")

    def letter(self, token: str) -> str:
        """A letter with its primes; as one name, since a raised prime comes out too small."""
        primes = ""
        while self.peek() == "'":
            primes += OPERATORS[self.take()]
        style = ' class="word"' if primes else ""
        return f"<mi{style}>{escape(token + primes)}</mi>"

    def command(self, token: str) -> str:
        if token == "\\frac":
            return f"<mfrac>{self.group()}{self.group()}</mfrac>"
        if token == "\\sqrt":
            return f"<msqrt>{self.group()}</msqrt>"
        if token in ACCENTS:
            accent = operator(ACCENTS[token], ' stretchy="false"')
            return f'<mover accent="true">{self.group()}{accent}</mover>'
        if token == "\\text":
            return text(self.words())
        if token in ("\\mathit", "\\operatorname", "\\operatorname*"):
            style = ' class="word"' if token == "\\mathit" else ""
            shown = self.words().replace("'", OPERATORS["'"])
            return f"<mi{style}>{escape(shown)}</mi>"
        if token == "\\mathbb":
            return f"<mi>{DOUBLE[self.words()]}</mi>"
        if token in ("\\mathbin", "\\mathrel"):
            return operator(COMPOUND[self.raw()])
        if token == "\\left":
            return self.fenced()
        if token == "\\begin":
            return self.environment(self.words())
        raise ValueError(f"no MathML for {token!r}")

    def fence(self) -> str:
        self.skip()
        token = self.take()
        sign = FENCES.get(token, "" if token == "." else token)
        return operator(sign) if sign else ""

    def fenced(self) -> str:
        first = self.fence()
        inner = self.items(("\\right",))
        self.expect("\\right")
        return f"<mrow>{first}{''.join(inner)}{self.fence()}</mrow>"

    def environment(self, name: str) -> str:
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append("".join(self.items(("&", "\\\\", "\\end"))))
            token = self.take()
            if token == "\\\\":
                rows.append([])
            elif token == "\\end":
                break
        self.words()
        if name == "aligned":
            rows = [[cell for cell in cells if cell] for cells in rows]
        lines = ("".join(f"<mtd>{cell}</mtd>" for cell in cells) for cells in rows)
        table = f'<mtable class="{name}">{"".join(f"<mtr>{line}</mtr>" for line in lines)}</mtable>'
        return f"<mrow>{operator('{')}{table}</mrow>" if name == "cases" else table
