"""Terms as LaTeX: what reports show is printed from the definition. Untrusted.

>>> from gradproof.language.ops import Eq, Sum, array, axes, zero_padded
>>> n, k, i, j = axes("n k i j")
>>> x, y = array("x", n), array("y", n)
>>> print(latex(Eq(y[i], Sum(zero_padded(x)[i + j], (j, 0, k - 1)))))
y_{i} = \\sum_{j=0}^{k - 1} \\hat{x}_{i + j}

A fresh name `j'12` is printed as it is; `primed` then makes j′ of it, alike in several formulas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import sympy

from gradproof.language import terms as t
from gradproof.language import text as words
from gradproof.language.counting import as_count
from gradproof.language.largest import Largest, as_largest
from gradproof.language.substitution import Fresh, bound_by, free, substitute
from gradproof.language.terms import Term, Triple

Triples = Iterable[Triple]

SIGNS = {
    t.Le: r"\le",
    t.Lt: "<",
    t.Ge: r"\ge",
    t.Gt: ">",
    t.Eq: "=",
    t.Ne: r"\ne",
}
TEMPLATES = {
    t.FloorDiv: r"\left\lfloor \frac{{{}}}{{{}}} \right\rfloor",
    t.CeilDiv: r"\left\lceil \frac{{{}}}{{{}}} \right\rceil",
    t.TruncDiv: r"\operatorname{{trunc}}\left(\frac{{{}}}{{{}}}\right)",
    t.NatDiv: r"\left\lfloor \frac{{{}}}{{{}}} \right\rfloor_{{\mathbb{{N}}}}",
    t.Exp: r"\exp\left({}\right)",
    t.Log: r"\log\left({}\right)",
    t.Bracket: r"\left[{}\right]",
    t.AllAxes: "{}",
    t.Mod: r"{} \bmod {}",
    t.TruncMod: r"{} \mathbin{{\text{{rem}}}} {}",
    t.NatSub: r"{} \mathbin{{\dot{{-}}}} {}",
    t.Divides: r"{} \mid {}",
}
REMAINDERS = (t.Mod, t.TruncMod)
TIGHT = (*REMAINDERS, t.NatSub, t.Divides)  # their parts stand beside a sign
LARGE = (t.Sum, t.Prod, t.Maximum, t.AxisProduct)
LOOSE = (*LARGE, *TIGHT, t.Add, t.And, t.Or, t.ForAll, t.Exists, t.Relation, t.If)
GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda"),
    *("mu", "nu", "xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"),
)
ALWAYS = t.Bracket(t.And())  # a factor that says nothing
WIDE = 76
MARKED = r"((?:[^\W_]|\\_)+)'(\d+)"
ACCENTS = {"bar": r"\bar{{{}}}", "dot": r"\dot{{{}}}"}


def latex(term: Term) -> str:
    """The term as a LaTeX formula, in lines if it is wide; its loops stand below it, each once."""
    printer = Printer()
    return aligned([*printer.lines(term), *printer.loops])


def aligned(lines: list[str]) -> str:
    if len(lines) == 1:
        return lines[0]
    return r"\begin{aligned} " + r" \\ ".join(f"& {line}" for line in lines) + r" \end{aligned}"


def is_wide(shown: str) -> bool:
    """Whether it hardly fits into a line: by its letters and signs, without the commands."""
    return (
        len(re.sub(r"\\(text|mathit)|\\[,;]|[{}_^ ]", "", re.sub(r"\\[a-z]{4,}|'\d+", ".", shown)))
        > WIDE
    )


def joined(parts: Iterable[str]) -> str:
    """A sum; a part that begins with a minus is taken away."""
    shown = ""
    for part in parts:
        if part.startswith("-"):
            shown += f" - {part[1:].strip()}" if shown else part
        else:
            shown += f" + {part}" if shown else part
    return shown or "0"


def latex_of_factor(term: Term) -> str:
    return Printer().factor(term)


def latex_of_range(symbol: Term, first: Term, last: Term) -> str:
    return Printer().range(symbol, first, last)


def primed(*formulas: str, first: Iterable[t.Sym] = ()) -> tuple[str, ...]:
    """Formulas with `c'12` and `c'31` as c and c′, alike in all of them.

    Names go to the symbols in `first`, and then as they appear.
    """
    shown = (*(name(symbol.name) for symbol in first), *formulas)
    everything = " ".join(re.sub(r"\\text\{[^}]*\}", "", f) for f in shown)
    marks: dict[str, list[str]] = {}
    for base, number in re.findall(MARKED, everything):
        if base not in marks:
            plain = re.search(rf"(?<![^\W_]){re.escape(base)}(?![^\W_]|')", everything)
            marks[base] = [""] if plain else []
        if number not in marks[base]:
            marks[base].append(number)

    def mark(found: re.Match[str]) -> str:
        return found[1] + "'" * marks[found[1]].index(found[2])

    return tuple(re.sub(MARKED, mark, formula) for formula in formulas)


def name(letters: str) -> str:
    """`p_lo` as a p with a label, `n.2` as the n of axis 2."""
    base, _, axis = letters.partition(".")
    shown, label = base_and_label(base)
    labels = [rf"\text{{{label}}}"] * bool(label) + [axis] * bool(axis)
    return f"{shown}_{{{', '.join(labels)}}}" if labels else shown


def array_name(letters: str) -> str:
    """`x_bar_scatter` as an x with a bar and a label above: below is the place of its index."""
    shown, label = base_and_label(letters)
    return rf"{shown}^{{\text{{{label}}}}}" if label else shown


def base_and_label(letters: str) -> tuple[str, str]:
    base, mark, number = letters.replace("\u2090", "").partition("'")
    first, *rest = base.split("_")
    if not all(len(part) > 1 and not part[0].isdigit() for part in rest) or not first:
        first, rest = base, []  # x_0 would be taken for a cell of x, x_T for its transpose
    shown = rf"\{first}" if first in GREEK else word(first)
    shown = shown[:-1] + mark + number + "}" if shown.endswith("}") else shown + mark + number
    if rest and rest[0] in ACCENTS:
        shown = ACCENTS[rest.pop(0)].format(shown)
    return shown, escaped(" ".join(rest))


def word(letters: str) -> str:
    return letters if len(letters) == 1 and letters != "_" else rf"\mathit{{{escaped(letters)}}}"


def escaped(text: str) -> str:
    """Plain text within \\text{}: what LaTeX would read as its own is spelled out."""
    names = {"\\": r"\textbackslash ", "^": r"\textasciicircum ", "~": r"\textasciitilde "}
    return re.sub(r"[\\^~{}$%&#_]", lambda m: names.get(m[0], "\\" + m[0]), text)


LONGEST_NUMBER = 40  # digits


def numeral(value: sympy.Rational) -> str:
    """A number; of one that is too long to read, its power of ten."""
    if max(len(str(abs(value.p))), len(str(value.q))) <= LONGEST_NUMBER:
        return str(sympy.latex(value))
    above, below = map(of_digits, (str(abs(value.p)), str(value.q)))
    whole = above if value.q == 1 else rf"\frac{{{above}}}{{{below}}}"
    return f"-{whole}" if value < 0 else whole


def of_digits(digits: str) -> str:
    if len(digits) <= LONGEST_NUMBER:
        return digits
    power = rf"10^{{{len(digits) - 1}}}"
    return power if digits.rstrip("0") == "1" else rf"{digits[0]}.{digits[1:8]}… \cdot {power}"


class Printer:
    """Prints terms; a loop gets a line of its own, and its results a star where they are used."""

    def __init__(self) -> None:
        self.loops: list[str] = []
        self.seen: dict[tuple[object, ...], list[str]] = {}
        self.results: dict[Term, str] = {}

    def application(self, term: Term) -> str:
        if not term.arguments:
            return name(term.function.name)
        inner = ", ".join(map(self.show, term.arguments))
        return rf"\operatorname{{{escaped(term.function.name)}}}\left({inner}\right)"

    def show(self, term: Term) -> str:
        kind = type(term)
        if isinstance(term, t.Sym):
            return self.results.get(term) or name(term.name)
        if isinstance(term, sympy.Rational):
            return numeral(term)
        if (root := words.radicand(term)) is not None:
            return rf"\sqrt{{{self.show(root)}}}"
        if kind is t.Apply:
            return self.application(term)
        if kind in TEMPLATES:
            inner = self.show
            if kind in TIGHT:
                inner = self.operand if kind in REMAINDERS else self.factor
            return TEMPLATES[kind].format(*map(inner, term.args))
        if kind in SIGNS:
            return f" {SIGNS[kind]} ".join(map(self.show, term.args))
        if isinstance(term, t.Add):
            return self.added(term.args)
        if isinstance(term, t.Mul):
            return self.multiplied(term.args)
        if isinstance(term, t.Div):
            return self.quotient(*term.args)
        if isinstance(term, t.Power):
            loose = isinstance(term.base, t.Mul | t.Div | t.Power) or is_negative(term.base)
            base = rf"\left({self.show(term.base)}\right)" if loose else self.factor(term.base)
            return rf"{{{base}}}^{{{self.show(term.exponent)}}}"
        if isinstance(term, t.AxisProduct):
            shown = self.show(term.inner)
            alone = isinstance(term.inner, t.Sym)
            return rf"\prod {shown}" if alone else rf"\prod \left({shown}\right)"
        if isinstance(term, t.Slope):
            return self.slope(*term.args)
        if isinstance(term, t.Read):
            return self.read(term)
        if isinstance(term, t.And):
            return self.conjunction(t.conjuncts(term))
        if isinstance(term, t.Or):
            return self.disjunction(term.args)
        if isinstance(term, t.Not):
            return rf"\lnot\left({self.said(term.condition)}\right)"
        if isinstance(term, t.Min | t.Max):
            parts = ", ".join(map(self.show, term.args))
            return rf"\{kind.__name__.lower()}\left({parts}\right)"
        if isinstance(term, t.If):
            return self.cases(*term.args)
        if isinstance(term, t.Scatter):
            left, right = self.show(term.target), self.show(term.value)
            over = self.ranges(term.ranges, term.where)
            return rf"{left} \mathrel{{{{+}}{{=}}}} {right} \quad\text{{for }} {over}"
        return self.bound(term)

    def lines(self, term: Term) -> list[str]:
        """A wide statement broken before its sign, below what it ranges over."""
        whole = self.show(term)
        if not is_wide(whole):
            return [whole]
        if isinstance(term, t.AllAxes):
            return self.lines(term.condition)
        if isinstance(term, t.ForAll):
            head = rf"\forall\, {self.ranges(term.ranges)}:"
            return [head, *(rf"\quad {line}" for line in self.lines(term.body))]
        if isinstance(term, t.Relation):
            left, right = map(self.show, term.args)
            return [left, rf"\quad {SIGNS[type(term)]} {right}"]
        return [whole]

    def factor(self, term: Term) -> str:
        """As a part beside a sign: in parentheses if it has a sign of its own."""
        return rf"\left({self.show(term)}\right)" if is_loose(term) else self.show(term)

    def operand(self, term: Term) -> str:
        """As a part beside a sign that binds no less than a product."""
        while isinstance(term, t.Mul) and len(term.args) == 1:
            term = term.args[0]
        is_product = isinstance(term, t.Mul)
        return rf"\left({self.show(term)}\right)" if is_product else self.factor(term)

    def quotient(self, above: Term, below: Term) -> str:
        if is_large(above):
            return rf"\frac{{1}}{{{self.show(below)}}} {self.show(above)}"
        return rf"\frac{{{self.show(above)}}}{{{self.show(below)}}}"

    def added(self, args: Iterable[Term]) -> str:
        return joined(self.factor(a) if isinstance(a, TIGHT) else self.show(a) for a in args)

    def multiplied(self, args: tuple[Term, ...]) -> str:
        args = tuple(a for a in args if a != ALWAYS) or args[:1]
        if len(args) == 1:
            return self.show(args[0])
        negative = bool(args) and args[0] == -1
        *first, last = args[1:] if negative else args or (sympy.Integer(1),)
        end = self.show(last) if is_large(last) else self.factor(last)
        return "-" * negative + r" \cdot ".join((*map(self.factor, first), end))

    def slope(self, body: Term, cell: Term) -> str:
        by = rf"\partial {self.show(cell)}"
        if isinstance(body, t.Read):
            return rf"\frac{{\partial {self.show(body)}}}{{{by}}}"
        return rf"\frac{{\partial}}{{{by}}}\left({self.show(body)}\right)"

    def read(self, term: Term) -> str:
        shown, label, rest = array_name(term.array.name).partition("^")
        shown = rf"\hat{{{shown}}}" if isinstance(term, t.PaddedRead) else shown
        index = ", ".join(map(self.show, term.index))
        return f"{shown}{label}{rest}" + (f"_{{{index}}}" if index else "")

    def conjunction(self, parts: tuple[Term, ...]) -> str:
        r"""`0 \le i` and `i < n` next to each other as `0 \le i < n`."""
        parts = tuple(part for part in parts if not is_plain(part)) or parts[:1]
        if len(parts) == 1:
            return self.show(parts[0])
        shown: list[str] = []
        before = None
        for part in parts:
            inner = part.condition if isinstance(part, t.AllAxes) else part
            chained = before is not None and is_bound(inner) and inner.left is before
            if chained:
                shown[-1] += f" {SIGNS[type(inner)]} {self.show(inner.right)}"
            else:
                shown.append(self.show(part) if is_bound(inner) else self.factor_of_logic(part))
            before = inner.right if is_bound(inner) and not chained else None
        return r" \land ".join(shown) or r"\text{true}"

    def disjunction(self, parts: tuple[Term, ...]) -> str:
        """`¬a ∨ b` as an implication."""
        if len(parts) > 1 and isinstance(parts[0], t.Not):
            rest = parts[1] if len(parts) == 2 else t.Or(*parts[1:])
            left, right = map(self.alternative, (parts[0].condition, rest))
            return rf"{left} \implies {right}"
        return r" \lor ".join(map(self.alternative, parts)) or r"\text{false}"

    def alternative(self, term: Term) -> str:
        closed = isinstance(term, t.AllAxes)
        return rf"\left({self.said(term)}\right)" if closed else self.factor_of_logic(term)

    def said(self, term: Term) -> str:
        """Where it makes a difference whether one axis or every axis is meant."""
        closed = isinstance(term, t.AllAxes)
        return self.show(term) + (r" \text{ on every axis}" if closed else "")

    def factor_of_logic(self, term: Term) -> str:
        held = term.condition if isinstance(term, t.AllAxes) else term
        loose = isinstance(held, t.And | t.Or | t.ForAll | t.Exists)
        return rf"\left({self.show(term)}\right)" if loose else self.show(term)

    def cases(self, condition: Term, then: Term, otherwise: Term) -> str:
        return (
            rf"\begin{{cases}} {self.show(then)} & \text{{if }} {self.show(condition)} \\ "
            rf"{self.show(otherwise)} & \text{{otherwise}} \end{{cases}}"
        )

    def ranges(self, triples: Triples, where: Term | None = None) -> str:
        shown = [self.range(*triple) for triple in triples]
        if where is not None and where != t.And():
            shown.append(self.show(where))
        return r",\; ".join(shown)

    def range(self, symbol: Term, first: Term, last: Term) -> str:
        r"""`0 \le i < n` for a range up to n - 1."""
        parts = last.args if isinstance(last, t.Add) else ()
        sign, end = r"\le", last
        if parts and parts[-1] == -1:
            sign, end = "<", t.plus(*parts[:-1])
        return rf"{self.show(first)} \le {self.show(symbol)} {sign} {self.show(end)}"

    def bound(self, term: Term) -> str:
        """Sums, maxima, quantifiers, folds; what they bind has no star."""
        if self.results.keys() & bound_by(term):
            term = substitute(term, {}, Fresh(term))
        if (kept := as_largest(term)) is not None:
            return self.place(kept)
        if (counted := as_count(term)) is not None:
            return rf"\#\left\{{{self.ranges(counted.ranges, counted.where)}\right\}}"
        if isinstance(term, t.Fold):
            return self.fold(term)
        if isinstance(term, t.Linear):
            by = ", ".join(array_name(a.name) for a in term.by)
            return rf"{self.show(term.body)} \text{{ is linear in }} {by}"
        if isinstance(term, t.Sum | t.Prod):
            sign = r"\sum" if isinstance(term, t.Sum) else r"\prod"
            signs = [
                f"{sign}_{{{self.show(s)}={self.show(a)}}}^{{{self.show(b)}}}"
                for s, a, b in term.ranges
            ]
            inner = self.show if is_large(term.body) else self.factor
            return f"{' '.join(signs)} {inner(term.body)}"
        if isinstance(term, t.Exists | t.ForAll):
            sign = r"\exists" if isinstance(term, t.Exists) else r"\forall"
            said = "" if term.body == t.And() else rf":\; {self.show(term.body)}"
            return rf"{sign}\, {self.ranges(term.ranges)}{said}"
        window = self.ranges(term.ranges, term.where)
        body = self.factor(term.body)
        if isinstance(term, t.Maximum):
            nothing = "" if term.empty == 0 else rf"^{{\emptyset = {self.show(term.empty)}}}"
            return rf"\max{nothing}_{{{window}}} {body}"
        if isinstance(term, t.Unique):
            return rf"\max_{{{window}}} {body} \text{{ is attained at one place at most}}"
        if isinstance(term, t.Winner):
            return self.winner(term, window, body)
        raise TypeError(f"no LaTeX for {type(term).__name__}")

    def place(self, kept: Largest) -> str:
        window, body = self.ranges(kept.ranges, kept.where), self.factor(kept.body)
        marks = [] if kept.tie == "first" else [rf"\text{{{kept.tie}}}"]
        marks += [] if kept.empty == 0 else [rf"\emptyset = {self.show(kept.empty)}"]
        above = rf"^{{{', '.join(marks)}}}" if marks else ""
        at = "" if kept.is_of_its_range else rf"{self.factor(kept.at)} \text{{ at }} "
        return rf"{at}\operatorname*{{arg\,max}}{above}_{{{window}}} {body}"

    def winner(self, term: Term, window: str, body: str) -> str:
        places = ", ".join(map(self.show, term.at))
        tie = term.tie.name
        place = rf"\left({places}\right)" if len(term.at) > 1 else places
        sign = r"\in" if tie == "any" else "="
        which = "" if tie == "any" else rf"^{{\text{{{tie}}}}}"
        return rf"{place} {sign} \operatorname*{{arg\,max}}{which}_{{{window}}} {body}"

    def fold(self, term: Term) -> str:
        """What a loop leaves in its states, with a star; the loop itself goes on lines below."""
        states, ranges = term.states, term.ranges
        fresh = Fresh()
        fresh.count = 10**6  # loops that differ in bound names alone are one
        loop = substitute(t.Fold(sympy.Integer(0), states, *ranges), {}, fresh)
        key = loop, *((s, shown) for s, shown in self.results.items() if s in free(loop))
        if key not in self.seen:
            stars = "*" * (len(self.seen) + 1)
            self.seen[key] = [f"{{{name(s.name)}}}^{{{stars}}}" for s, _, _ in states]
            self.loops += self.loop(states, ranges, self.seen[key])
        before = self.results
        self.results = before | dict(zip((s for s, _, _ in states), self.seen[key], strict=True))
        shown = self.show(term.body)
        self.results = before
        return shown

    def loop(self, states: Triples, ranges: Triples, results: list[str]) -> list[str]:
        starts = r",\; ".join(f"{self.show(s)} = {self.show(a)}" for s, a, _ in states)
        steps = [rf"\quad {self.show(s)} \gets {self.show(b)}" for s, _, b in states]
        head = rf"\text{{where }} {', '.join(results)} \text{{ are what this loop leaves: from }} "
        head += rf"{starts}, \text{{ for }} {self.ranges(ranges)}"
        return [head, *steps]


def is_loose(term: Term) -> bool:
    """Whether a sign beside it would tear the term apart."""
    if isinstance(term, t.Fold | t.AllAxes) or (isinstance(term, t.Mul) and len(term.args) == 1):
        return is_loose(term.args[0])
    if isinstance(term, t.Mul):
        return len(term.args) == 0 or is_negative(term.args[0]) or is_large(term.args[-1])
    return isinstance(term, LOOSE) or is_negative(term) or is_large(term)


def is_large(term: Term) -> bool:
    """A sum or the like, maybe with a fraction before it."""
    return isinstance(term, LARGE) or (isinstance(term, t.Div) and is_large(term.above))


def is_plain(condition: Term) -> bool:
    """1 = 1, which nobody needs to read."""
    return isinstance(condition, t.Eq) and condition.left == condition.right


def is_bound(condition: Term) -> bool:
    return isinstance(condition, t.Le | t.Lt)


def is_negative(term: Term) -> bool:
    return isinstance(term, sympy.Rational) and term < 0
