"""Terms without bundles as plain Python over NumPy arrays, loops written out. Untrusted.

Reads outside of an array fail, zero-padded ones give 0; brackets are strong zeros.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Iterator

import sympy

from gradproof.language import terms as t
from gradproof.language.counting import as_count
from gradproof.language.functions import value_of
from gradproof.language.largest import as_largest
from gradproof.language.ops import target_of
from gradproof.language.terms import Array, Term, Triple

HELPERS = {
    "cell": '''
def cell(array, *index):
    """A read within the bounds of its array."""
    assert all(0 <= e < n for e, n in zip(index, array.shape)), f"{index} is outside {array.shape}"
    return array[index]
''',
    "padded": '''
def padded(array, *index):
    """A read that is 0 outside of its array."""
    return array[index] if all(0 <= e < n for e, n in zip(index, array.shape)) else 0.0
''',
    "truncated": '''
def truncated(a, b):
    """Division that rounds towards zero, as in C."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
''',
    "wins": '''
def wins(place, tie, contest):
    """Whether a place has the largest value: the first, the last or any of them."""
    best = max((value for _, value in contest), default=None)
    places = [at for at, value in contest if value == best]
    return place in (places[:1] if tie == "first" else places[-1:] if tie == "last" else places)
''',
    "lone": '''
def lone(values):
    """Whether the largest value occurs once at most."""
    return values.count(max(values, default=None)) <= 1
''',
    "argmax": '''
def argmax(contest, empty):
    """What stands at the first place of the largest value."""
    return max(contest, key=lambda pair: pair[0])[1] if contest else empty
''',
    "run": '''
def run(step, turns, state):
    """A loop: each turn makes the next state."""
    for turn in turns:
        state = step(*state, *turn)
    return state
''',
    "erf": '''
def erf(value):
    """The error function."""
    return np.vectorize(__import__("math").erf, otypes=[float])(value)[()]
''',
    "slope": '''
def slope(function, array, index):
    """The derivative by one cell, from differences to both sides."""
    up, down = array.copy(), array.copy()
    up[index] += STEP
    down[index] -= STEP
    return (function(up) - function(down)) / (2 * STEP)
''',
}
VARIABLES = (
    "derivative",
    "entry",
    "forward",
    "rule",
    "said",
    "left",
    "right",
    "result",
    "computed",
)
TAKEN = frozenset(
    {*HELPERS, *VARIABLES, *dir(builtins), *keyword.kwlist}
    | {"np", "STEP", "TOLERANCE", "once", "twice"}
)
INFIX = {
    t.Le: "<=",
    t.Lt: "<",
    t.Ge: ">=",
    t.Gt: ">",
    t.Eq: "==",
    t.Ne: "!=",
    t.Div: "/",
    t.FloorDiv: "//",
    t.Mod: "%",
    t.And: "and",
    t.Or: "or",
    t.Add: "+",
    t.Mul: "*",
}
EMPTY = {t.And: "True", t.Or: "False", t.Add: "0", t.Mul: "1"}
LEVELS = {t.Or: 1, t.And: 2} | dict.fromkeys((t.Le, t.Lt, t.Ge, t.Gt, t.Eq, t.Ne), 3)
LEVELS |= {t.Add: 4} | dict.fromkeys((t.Mul, t.Div, t.FloorDiv, t.Mod), 5)
ATOM = 6
TEMPLATES = {
    t.CeilDiv: "-(-{} // {})",
    t.TruncDiv: "truncated({}, {})",
    t.TruncMod: "({0} - truncated({0}, {1}) * {1})",
    t.NatSub: "max(0, {} - {})",
    t.NatDiv: "({0} // {1} if {1} else 0)",
    t.Divides: "({1} % {0} == 0)",
    t.Exp: "np.exp({})",
    t.Log: "np.log({})",
    t.Power: "({} ** {})",
    t.Not: "(not {})",
}
KNOWN = {
    "sin": "np.sin({})",
    "cos": "np.cos({})",
    "atan": "np.arctan({})",
    "erf": "erf({})",
    "pi": "np.pi",
}


class Python:
    """Writes terms; keeps the names it gave and the helpers it used."""

    def __init__(self, one_axis: bool) -> None:
        self.one_axis = one_axis
        self.names: dict[str, str] = {}
        self.used: set[str] = set()

    def name(self, letters: str) -> str:
        """A name of Python's for a symbol or an array; no two share one."""
        if letters not in self.names:
            known = {*TAKEN, *self.names.values()}
            short = re.sub(r"'\d+", "", letters)
            short = short.removesuffix(".1") if self.one_axis else short
            found = re.sub(r"\W", "_", short if short.isidentifier() else letters)
            found = found if found not in known else re.sub(r"\W", "_", letters)
            while found in known:
                found += "_"
            self.names[letters] = found
        return self.names[letters]

    def within(self, term: Term, level: int) -> str:
        """The term, in parentheses if it binds less than the level."""
        if len(term.args) == 1 and type(term) in EMPTY:
            return self.within(term.args[0], level)
        binds = ATOM if t.guards_of(term) else LEVELS.get(type(term), ATOM)
        return f"({self(term)})" if binds < level and term.args else self(term)

    def __call__(self, term: Term) -> str:
        if isinstance(term, t.Sym):
            return self.name(term.name)
        if isinstance(term, sympy.Rational):
            return str(term) if term.is_Integer and term >= 0 else f"({term})"
        if isinstance(term, t.Mul | t.Div) and t.guards_of(term):
            return self.guarded(term)
        if type(term) in INFIX:
            return self.infix(term)
        if type(term) in TEMPLATES:
            written = TEMPLATES[type(term)]
            self.used |= {helper for helper in HELPERS if f"{helper}(" in written}
            return written.format(*(self.within(a, ATOM) for a in term.args))
        if isinstance(term, t.Read):
            helper = "padded" if isinstance(term, t.PaddedRead) else "cell"
            return self.helped(helper, self.name(term.array.name), *map(self, term.index))
        if isinstance(term, t.Min | t.Max):
            return f"{type(term).__name__.lower()}([{', '.join(map(self, term.args))}])"
        if isinstance(term, t.If):
            condition, then, otherwise = map(self, term.args)
            return f"({then} if {condition} else {otherwise})"
        if isinstance(term, t.Apply):
            return self.application(term)
        if isinstance(term, t.Bracket):
            return f"(1.0 if {self(term.condition)} else 0.0)"
        if isinstance(term, t.Slope):
            body, cell = term.body, term.cell
            array = self.name(cell.array.name)
            place = self.tuple(map(self, cell.index))
            return self.helped("slope", f"lambda {array}: {self(body)}", array, place)
        return self.bound(term)

    def application(self, term: Term) -> str:
        known = value_of(term)
        if known is not None:
            return f"({self(known)})"
        if not term.function.built_in:
            raise TypeError(f"no Python for {term.function}")
        inner = ", ".join(map(self, term.arguments))
        called = KNOWN[term.function.name].format(inner)
        self.used |= {helper for helper in HELPERS if f"{helper}(" in called}
        return called

    def helped(self, helper: str, *parts: str) -> str:
        self.used.add(helper)
        return f"{helper}({', '.join(parts)})"

    @staticmethod
    def tuple(parts: Iterable[str]) -> str:
        listed = list(parts)
        return f"({', '.join(listed)}{',' if len(listed) == 1 else ''})"

    def infix(self, term: Term) -> str:
        if isinstance(term, t.Add):
            return self.sum(term.args)
        if isinstance(term, t.Mul) and len(term.args) > 1 and term.args[0] == -1:
            return "-" + " * ".join(self.within(a, ATOM) for a in term.args[1:])
        if not term.args:
            return EMPTY[type(term)]
        if len(term.args) == 1:
            return self(term.args[0])
        level = LEVELS[type(term)]
        parts = [self.within(a, level + bool(place)) for place, a in enumerate(term.args)]
        return f" {INFIX[type(term)]} ".join(parts)

    def sum(self, args: Iterable[Term]) -> str:
        shown = ""
        for arg in args:
            part = self.within(arg, LEVELS[t.Add] + 1)
            negative = part.startswith("-") and isinstance(arg, t.Mul)
            shown += (f" - {part[1:]}" if negative else f" + {part}") if shown else part
        return shown or EMPTY[t.Add]

    def guarded(self, term: Term) -> str:
        """What the brackets of a product multiply is only evaluated where they hold."""
        conditions = " and ".join(self.within(g, 3) for g in dict.fromkeys(t.guards_of(term)))
        return f"({self.unguarded(term)} if {conditions} else 0.0)"

    def unguarded(self, term: Term) -> str:
        if isinstance(term, t.Div):
            return f"{self.unguarded(term.above)} / {self.within(term.below, ATOM)}"
        if isinstance(term, t.Mul):
            kept = [self.unguarded(a) for a in term.args if not isinstance(a, t.Bracket)]
            return f"({' * '.join(kept)})" if len(kept) > 1 else "".join(kept) or "1.0"
        return "1.0" if isinstance(term, t.Bracket) else self.within(term, ATOM)

    def loops(self, ranges: Iterable[Triple], where: Term | None = None) -> str:
        shown = " ".join(f"for {self(s)} in {self.range(a, b)}" for s, a, b in ranges)
        return shown if where in (None, t.And()) else f"{shown} if {self(where)}"

    def range(self, first: Term, last: Term) -> str:
        start = "" if first == 0 else f"{self(first)}, "
        return f"range({start}{self(t.plus(last, 1))})"

    def bound(self, term: Term) -> str:
        """Sums, maxima, quantifiers, selections, folds."""
        calls = {t.Sum: "sum", t.Prod: "np.prod", t.Exists: "any", t.ForAll: "all"}
        if type(term) in calls:
            inner = f"{self(term.body)} {self.loops(term.ranges)}"
            return f"{calls[type(term)]}([{inner}])"
        if isinstance(term, t.Maximum):
            inner = f"({self(term.body)} {self.loops(term.ranges, term.where)})"
            return f"max({inner}, default={self(term.empty)})"
        places = self.tuple(self(symbol) for symbol, _, _ in term.ranges)
        if isinstance(term, t.Winner):
            contest = f"[({places}, {self(term.body)}) {self.loops(term.ranges, term.where)}]"
            at = self.tuple(map(self, term.at))
            return self.helped("wins", at, repr(str(term.tie)), contest)
        if isinstance(term, t.Unique):
            values = f"[{self(term.body)} {self.loops(term.ranges, term.where)}]"
            return self.helped("lone", values)
        if (kept := as_largest(term)) is not None:
            turns = self.loops(kept.ranges, kept.where)
            backwards = "" if kept.tie == "first" else "[::-1]"
            contest = f"[({self(kept.body)}, {self(kept.at)}) {turns}]{backwards}"
            return self.helped("argmax", contest, self(kept.empty))
        if (counted := as_count(term)) is not None:
            return f"len([0 {self.loops(counted.ranges, counted.where)}])"
        if isinstance(term, t.Fold):
            return self.fold(term, places)
        raise TypeError(f"no Python for {type(term).__name__}")

    def fold(self, term: Term, places: str) -> str:
        states = [self(state) for state, _, _ in term.states]
        starts = self.tuple(self(start) for _, start, _ in term.states)
        steps = self.tuple(self(step) for _, _, step in term.states)
        names = ", ".join((*states, *(self(symbol) for symbol, _, _ in term.ranges)))
        turns = f"[{places} {self.loops(term.ranges)}]"
        final = self.helped("run", f"lambda {names}: {steps}", turns, starts)
        return f"(lambda {', '.join(states)}: {self(term.body)})(*{final})"

    def function(
        self, name: str, equation: Term, reads: Iterable[Array], result: str = ""
    ) -> Iterator[str]:
        """The array that an equation or a scatter defines, as a function of what it reads."""
        target = target_of(equation)
        made = result or self.name(target.array.name)
        yield f"def {name}({', '.join(self.name(a.name) for a in reads)}):"
        shape = self.tuple(map(self, target.array.dims))
        yield f"    {made} = np.zeros({shape})"
        if isinstance(equation, t.Eq):
            zero = sympy.Integer(0)
            pairs = zip(target.index, target.array.dims, strict=True)
            ranges = [(symbol, zero, t.plus(size, -1)) for symbol, size in pairs]
            body = [f"{made}[{', '.join(map(self, target.index))}] = {self(equation.right)}"]
        else:
            ranges = list(equation.ranges)
            body = list(self.additions(equation, made))
        for depth, (symbol, first, last) in enumerate(ranges):
            yield f"{'    ' * (depth + 1)}for {self(symbol)} in {self.range(first, last)}:"
        yield from ("    " * (len(ranges) + 1) + line for line in body)
        yield f"    return {made}"

    def additions(self, equation: Term, made: str) -> Iterator[str]:
        index = ", ".join(map(self, equation.target.index))
        indent = ""
        if equation.where != t.And():
            yield f"if {self(equation.where)}:"
            indent = "    "
        yield f"{indent}{self.helped('cell', made, index)}  # the target is within its array"
        yield f"{indent}{made}[{index}] += {self(equation.value)}"
