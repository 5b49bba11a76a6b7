"""Terms as the text of Python expressions, for the many trials of the second route. Untrusted.

In the text `ev` is the evaluator, and a symbol is a variable of the function that the text is of,
or else one of `env`, the values of the symbols. What has no text is a function that the text calls.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from types import CodeType
from typing import Any

import sympy

from gradproof.evaluate.numbers import Number, Undefined, sign
from gradproof.language import terms as t
from gradproof.language.substitution import free, union
from gradproof.language.terms import Read, Sym, Term, Triple, remembered, sort_of

Run = Callable[[Any, Any], Any]  # of an evaluator and the values of symbols
Direct = Callable[..., Any]  # of an evaluator and of each symbol that is needed, in their order


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


@remembered
def needed(term: Term) -> tuple[Sym, ...]:
    """The symbols whose values it depends on, the shapes of all that it reads included."""
    sizes = (d for array in t.arrays(term) for d in array.dims)
    return tuple(sorted(free(term) | union(map(free, sizes)), key=str))


class Writer(ABC):
    """Writes expressions; `names` are what they mention of symbols, numbers and functions.

    What has no text, or is too deep in it, is a function by itself. The `variables` are symbols
    that the function which is written takes by themselves.
    """

    def __init__(self, variables: Iterable[Sym] | None = None) -> None:
        self.names: dict[str, object] = {}
        self.depth = 0
        self.scope: dict[Sym, str] | None = None
        if variables is not None:
            self.scope = {symbol: f"s{n}" for n, symbol in enumerate(variables)}
        self.parameters = ("ev", *(self.scope or {}).values())

    @abstractmethod
    def direct(self, term: Term) -> Direct:
        """The function of a term."""

    @abstractmethod
    def by_values(self, term: Term) -> Run | None:
        """The function of a term of a kind that takes the values of symbols as a dictionary."""

    @abstractmethod
    def contest(self, term: Term) -> str:
        """The largest value of a maximum, and the places that have it."""

    @abstractmethod
    def visits(self, ranges: tuple[Triple, ...]) -> Run:
        """What goes through the places of ranges."""

    def name(self, value: object) -> str:
        found = f"_{len(self.names)}"
        self.names[found] = value
        return found

    def symbol(self, symbol: Sym) -> str:
        return f"env[{self.name(symbol)}]" if self.scope is None else self.scope[symbol]

    def values(self, term: Term) -> str:
        """A dictionary of what a term needs."""
        if self.scope is None:
            return "env"
        return f"{{{', '.join(f'{self.name(s)}: {self.scope[s]}' for s in needed(term))}}}"

    def variable(self, symbol: Sym, term: Term) -> str:
        """The value of a symbol for a call; sizes of arrays may be missing that are never read."""
        if self.scope is None and symbol not in free(term):
            return f"env.get({self.name(symbol)})"
        return self.symbol(symbol)

    def call(self, term: Term) -> str:
        run = self.by_values(term)
        if run is not None:
            return f"{self.name(run)}(ev, {self.values(term)})"
        return self.call_of(self.direct(term), term)

    def call_of(self, function: Direct, term: Term) -> str:
        variables = (self.variable(s, term) for s in needed(term))
        return f"{self.name(function)}({', '.join(('ev', *variables))})"

    def text(self, term: Term) -> str:
        if isinstance(term, sympy.Integer):
            return f"({int(term)})"
        if isinstance(term, sympy.Rational):
            return f"ev.lift({self.name(Fraction(int(term.p), int(term.q)))})"
        if isinstance(term, t.Sym):
            return self.symbol(term)
        if type(term) not in TEXTS or self.depth > DEEPEST:
            return self.call(term)
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

    def maximum(self, term: Term) -> str:
        found = self.name(None)
        return f"{found}[0] if ({found} := {self.contest(term)})[1] else {self.real(term.empty)}"

    def winner(self, term: Term) -> str:
        chosen = {"first": "[:1]", "last": "[-1:]", "any": ""}[str(term.tie)]
        at = "".join(f"{self.text(e)}, " for e in term.at)
        return f"({at}) in {self.contest(term)}[1]{chosen}"

    def unique(self, term: Term) -> str:
        return f"len({self.contest(term)}[1]) <= 1"

    def exponential(self, term: Term) -> str:
        return f"ev.exp({self.real(term.inner)})"

    def power(self, term: Term) -> str:
        return f"power(ev, {self.real(term.base)}, {self.text(term.exponent)})"

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
        if isinstance(term, t.PaddedRead):
            outside = "0" if term.array.span else "ev.zero"
        else:
            outside = f"{self.name(self.missing(term))}(ev, {self.values(term)})"
        return f"{cell} if {' and '.join(tests)} else {outside}"

    def missing(self, read: Read) -> Run:
        index = written(type(self)(), read.index)

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


def power(ev: Any, base: Number, exponent: int) -> Number:
    found = ev.one
    for _ in range(abs(exponent)):
        found = found * base
    return found if exponent >= 0 else ev.divide(ev.one, found)


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
    t.Power: Writer.power,
    t.Maximum: Writer.maximum,
    t.Winner: Writer.winner,
    t.Unique: Writer.unique,
    t.Read: Writer.read,
    t.PaddedRead: Writer.read,
    **dict.fromkeys(RELATIONS, Writer.relation),
    **{getattr(t, name): Writer.called for name in CALLED},
}
KNOWN = {**CALLED, "largest": extreme(1), "least": extreme(-1), "power": power}


@lru_cache(maxsize=10_000)
def code(text: str, mode: str) -> CodeType:
    """Names in a text are numbered, so that terms of one form have it in common."""
    return compile(text, "<term>", mode)


def function(writer: Writer, text: str) -> Run:
    found: Run = eval(code(f"lambda ev, env: {text}", "eval"), {**KNOWN, **writer.names})
    return found


def defined(writer: Writer, lines: Iterable[str]) -> Direct:
    """The function of the writer's variables that has these lines."""
    head = f"def found({', '.join(writer.parameters)}):"
    space: dict[str, Any] = {**KNOWN, **writer.names}
    exec(code("\n".join((head, *(f" {line}" for line in lines))), "exec"), space)
    found: Direct = space["found"]
    return found


def written(writer: Writer, terms: Iterable[Term]) -> Run:
    """The tuple of the values."""
    return function(writer, f"({''.join(f'{writer.text(u)}, ' for u in terms)})")
