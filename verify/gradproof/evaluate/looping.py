"""Loops as the text of Python functions, whose variables are the symbols. Untrusted.

A function remembers what it found, by the values of its variables, for as long as the evaluator
lives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gradproof.evaluate.writing import Direct, Writer, defined
from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, number_of, substitute
from gradproof.language.terms import Sym, Term, Triple, remembered

MOST_NESTED = 10  # loops within each other, of which Python allows 20
Lines = Iterator[str]
Body = Callable[[Writer, Term], Lines]


def looping(writer: Writer, term: Term, body: Body) -> Direct:
    """The function of a loop."""
    return defined(writer, (*recalled(writer, term), *body(writer, term), *KEPT))


def recalled(writer: Writer, term: Term) -> Lines:
    yield f"key = ({', '.join((writer.name(term), *writer.parameters[1:]))},)"
    yield "found = ev.known.get(key)"
    yield "if found is not None: return found"


KEPT = ("ev.known[key] = found", "return found")


def nested(writer: Writer, ranges: tuple[Triple, ...], lines: Callable[[], Lines]) -> Lines:
    """The lines in loops over ranges, whose symbols are variables there."""
    assert writer.scope is not None
    outer = dict(writer.scope)
    if len(ranges) > MOST_NESTED:
        yield from visited(writer, ranges)
        depth = 1
    else:
        yield from of_each(writer, ranges)
        depth = len(ranges)
    yield from (" " * depth + line for line in lines())
    writer.scope = outer


def of_each(writer: Writer, ranges: tuple[Triple, ...]) -> Lines:
    """Ranges that do not depend on each other are made once; of those after an empty one none."""
    names = [f"l{n}" for n in range(len(ranges))]
    apart = not any(free(e) & {r[0] for r in ranges} for _, *ends in ranges for e in ends)
    for n, (_, first, last) in enumerate(ranges if apart else ()):
        unless = f" if r{n - 1} else r{n - 1}" if n else ""
        yield f"r{n} = {values(writer, first, last)}{unless}"
    for n, (symbol, first, last) in enumerate(ranges):
        yield " " * n + f"for {names[n]} in {f'r{n}' if apart else values(writer, first, last)}:"
        bind(writer, symbol, names[n])


def values(writer: Writer, first: Term, last: Term) -> str:
    return f"range({writer.text(first)}, {writer.text(last)} + 1)"


def visited(writer: Writer, ranges: tuple[Triple, ...]) -> Lines:
    assert writer.scope is not None
    outer = ", ".join(f"{writer.name(s)}: {v}" for s, v in writer.scope.items())
    yield f"for place in {writer.name(writer.visits(ranges))}(ev, {{{outer}}}):"
    for symbol, _, _ in ranges:
        bind(writer, symbol, f"place[{writer.name(symbol)}]")


def bind(writer: Writer, symbol: Sym, text: str) -> None:
    assert writer.scope is not None
    writer.scope = {**writer.scope, symbol: text}


def sum_over(writer: Writer, term: Term) -> Lines:
    def add() -> Lines:
        yield f"value = {writer.real(term.body)}"
        yield "if value is not zero: found += value"

    yield "found = zero = ev.zero"
    yield from nested(writer, term.ranges, add)


def product_over(writer: Writer, term: Term) -> Lines:
    def multiply() -> Lines:
        yield f"found = found * {writer.real(term.body)}"

    yield "found = ev.one"
    yield from nested(writer, term.ranges, multiply)


def quantified(writer: Writer, term: Term) -> Lines:
    some = isinstance(term, t.Exists)

    def look() -> Lines:
        yield f"if {'' if some else 'not '}{writer.text(term.body)}:"
        yield f" ev.known[key] = {some}"
        yield f" return {some}"

    yield from nested(writer, term.ranges, look)
    yield f"found = {not some}"


def contest(writer: Writer, term: Term) -> Lines:
    """The maximum, and its places in the order of the loops."""

    def compare() -> Lines:
        assert writer.scope is not None
        place = "".join(f"{writer.scope[symbol]}, " for symbol, _, _ in term.ranges)
        yield f"if {writer.text(term.where)}:"
        yield f" value = {writer.real(term.body)}"
        yield " order = 1 if best is None else ev.compare(value, best)"
        yield f" if order > 0: best, places = value, [({place})]"
        yield f" elif order == 0: places.append(({place}))"

    yield "best, places = None, []"
    yield from nested(writer, term.ranges, compare)
    yield "found = best, places"


def fold(writer: Writer, term: Term) -> Lines:
    names = [f"n{n}" for n in range(len(term.states))]

    def parts(number: int) -> str:
        triples = zip(term.states, map(lift, term.states), strict=True)
        return "".join(f"{write(triple[number])}, " for triple, write in triples)

    def lift(triple: Triple) -> Callable[[Term], str]:
        return writer.real if triple[0].sort == t.REAL else writer.text

    def turn() -> Lines:
        bind_states()
        yield f"{targets} = ({parts(2)})"

    def bind_states() -> None:
        for (state, _, _), name in zip(term.states, names, strict=True):
            bind(writer, state, name)

    targets = f"({''.join(f'{name}, ' for name in names)})"
    yield f"{targets} = ({parts(1)})"
    yield from nested(writer, term.ranges, turn)
    bind_states()
    yield f"found = {writer.text(term.body)}"


BODIES: dict[type, Body] = {
    t.Sum: sum_over,
    t.Prod: product_over,
    t.Exists: quantified,
    t.ForAll: quantified,
    t.Fold: fold,
}


class Positions(Fresh):
    """Binder names by position alone, none of them that of a free symbol."""

    def __init__(self, term: Term) -> None:
        self.count = max(map(number_of, free(term)), default=0)

    def __call__(self, like: Sym) -> Sym:
        self.count += 1
        return Sym(f"'{self.count}", like.sort, like.is_bundle)


@remembered
def alike(term: Term) -> Term:
    """The term as all are that differ from it in what their loops name."""
    return substitute(term, {}, Positions(term))


@remembered
def contest_of(term: Term) -> Term:
    """What a maximum, its winners and their number have in common."""
    return alike(t.Unique(term.body, term.where, *term.ranges))
