"""Terms as the text of Python expressions, for the many trials of the second route. Untrusted.

In the text `ev` is the evaluator, `env` the values of the symbols. What has no text is a function
that the text calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import sympy

from gradproof.evaluate.numbers import Number, Undefined, sign
from gradproof.language import terms as t
from gradproof.language.terms import Read, Term, sort_of

Run = Callable[[Any, Any], Any]  # of an evaluator and the values of symbols


def nonzero(divisor: int) -> int:
    if divisor == 0:
        raise Undefined("division by zero")
    return divisor


CALLED: dict[str, Callable[[int, int], int]] = {
    "FloorDiv": lambda a, b: a // nonzero(b),
    "CeilDiv": lambda a, b: -(-a // nonzero(b)),
    "Mod": lambda a, b: a % nonzero(b),
    "TruncDiv": lambda a, b: (abs(a) // abs(nonzero(b))) * sign(a) * sign(b),
    "TruncMod": lambda a, b: (abs(a) % abs(nonzero(b))) * sign(a),
    "NatSub": lambda a, b: max(0, a - b),
    "NatDiv": lambda a, b: a // b if b else 0,
    "Divides": lambda d, a: a % nonzero(d) == 0,
}
RELATIONS = {t.Le: "<=", t.Lt: "<", t.Ge: ">=", t.Gt: ">", t.Eq: "==", t.Ne: "!="}
DEEPEST = 10  # a part that occurs twice is written twice, so the text doubles with each level


class Writer:
    """Writes one expression; `names` are what it mentions of symbols, numbers and functions.

    What has no text, or is too deep in it, is `compiled` by itself.
    """

    def __init__(self, compiled: Callable[[Term], Run]) -> None:
        self.compiled = compiled
        self.names: dict[str, object] = {}
        self.depth = 0

    def name(self, value: object) -> str:
        found = f"_{len(self.names)}"
        self.names[found] = value
        return found

    def call(self, run: Run) -> str:
        return f"{self.name(run)}(ev, env)"

    def text(self, term: Term) -> str:
        if isinstance(term, sympy.Integer):
            return f"({int(term)})"
        if isinstance(term, sympy.Rational):
            return f"ev.lift({self.name(Fraction(int(term.p), int(term.q)))})"
        if isinstance(term, t.Sym):
            return f"env[{self.name(term)}]"
        if type(term) not in TEXTS or self.depth > DEEPEST:
            return self.call(self.compiled(term))
        self.depth += 1
        found = TEXTS[type(term)](self, term)
        self.depth -= 1
        return f"({found})"

    def real(self, term: Term) -> str:
        found = self.text(term)
        return f"ev.lift({found})" if sort_of(term) == t.INT else found

    def numbers(self, terms: Iterable[Term]) -> list[str]:
        """As reals, if one of them is."""
        write = self.real if t.REAL in map(sort_of, terms) else self.text
        return list(map(write, terms))

    def add(self, term: Term) -> str:
        return " + ".join(self.numbers(term.args)) or "0"

    def mul(self, term: Term) -> str:
        others = [u for u in term.args if not isinstance(u, t.Bracket)]
        guards = t.guards_of(term)
        if not guards and sort_of(term) == t.INT:
            return " * ".join(map(self.text, others)) or "1"
        return self.guarded(guards, " * ".join(map(self.real, others)) or "ev.one")

    def guarded(self, guards: tuple[Term, ...], value: str) -> str:
        if not guards:
            return value
        return f"{value} if {' and '.join(map(self.text, guards))} else ev.zero"

    def div(self, term: Term) -> str:
        above, below = map(self.real, term.args)
        return self.guarded(t.guards_of(term), f"ev.divide({above}, {below})")

    def conjunction(self, term: Term) -> str:
        return " and ".join(map(self.text, term.args)) or "True"

    def disjunction(self, term: Term) -> str:
        return " or ".join(map(self.text, term.args)) or "False"

    def negation(self, term: Term) -> str:
        return f"not {self.text(term.condition)}"

    def relation(self, term: Term) -> str:
        parts, sign = self.numbers(term.args), RELATIONS[type(term)]
        if t.REAL in map(sort_of, term.args):
            return f"ev.compare({', '.join(parts)}) {sign} 0"
        return f" {sign} ".join(parts)

    def extremum(self, term: Term) -> str:
        parts = ", ".join(self.numbers(term.args))
        if sort_of(term) == t.INT:
            return f"{'max' if isinstance(term, t.Max) else 'min'}([{parts}])"
        return f"{'largest' if isinstance(term, t.Max) else 'least'}(ev, {parts})"

    def choice(self, term: Term) -> str:
        then, otherwise = self.numbers((term.then, term.otherwise))
        return f"{then} if {self.text(term.condition)} else {otherwise}"

    def bracket(self, term: Term) -> str:
        return f"ev.one if {self.text(term.condition)} else ev.zero"

    def exponential(self, term: Term) -> str:
        return f"ev.exp({self.real(term.inner)})"

    def called(self, term: Term) -> str:
        return f"{type(term).__name__}({', '.join(map(self.text, term.args))})"

    def read(self, term: Term) -> str:
        index, dims = (list(map(self.text, part)) for part in (term.index, term.array.dims))
        names = [self.name(None) for _ in index]
        cell = f"ev.tensors[{term.array.name!r}](({''.join(f'{n}, ' for n in names)}))"
        bounds = zip(names, index, dims, strict=True)
        tests = [f"0 <= ({name} := {e}) < {n}" for name, e, n in bounds]
        if not tests:
            return cell
        outside = "ev.zero" if isinstance(term, t.PaddedRead) else self.call(self.missing(term))
        return f"{cell} if {' and '.join(tests)} else {outside}"

    def missing(self, read: Read) -> Run:
        index = written(self.compiled, read.index)

        def fails(ev: Any, env: Any) -> None:
            at, shape = list(index(ev, env)), ev.shape(read.array, env)
            raise Undefined(f"reads {read.array.name}{at} of shape {shape}")

        return fails


def extreme(wanted: int) -> Callable[..., Number]:
    def choose(ev: Any, best: Number, *rest: Number) -> Number:
        for value in rest:
            if ev.compare(value, best) == wanted:
                best = value
        return best

    return choose


TEXTS: dict[type, Callable[[Writer, Term], str]] = {
    t.Add: Writer.add,
    t.Mul: Writer.mul,
    t.Div: Writer.div,
    t.And: Writer.conjunction,
    t.Or: Writer.disjunction,
    t.Not: Writer.negation,
    t.Min: Writer.extremum,
    t.Max: Writer.extremum,
    t.If: Writer.choice,
    t.Bracket: Writer.bracket,
    t.Exp: Writer.exponential,
    t.Read: Writer.read,
    t.PaddedRead: Writer.read,
    **dict.fromkeys(RELATIONS, Writer.relation),
    **{getattr(t, name): Writer.called for name in CALLED},
}
KNOWN = {**CALLED, "largest": extreme(1), "least": extreme(-1)}


def function(writer: Writer, text: str) -> Run:
    found: Run = eval(f"lambda ev, env: {text}", {**KNOWN, **writer.names})
    return found


def written(compiled: Callable[[Term], Run], terms: Iterable[Term]) -> Run:
    """The tuple of the values."""
    writer = Writer(compiled)
    return function(writer, f"({''.join(f'{writer.text(u)}, ' for u in terms)})")
