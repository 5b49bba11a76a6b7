"""Terms as Python that builds them, in the language. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterable

import sympy

from gradproof.language import terms as t
from gradproof.language.counting import as_count
from gradproof.language.largest import Largest, as_largest
from gradproof.language.substitution import bound_by, free
from gradproof.language.terms import Array, Sym, Term
from gradproof.language.text import radicand

SIGNS = {t.Le: "<=", t.Lt: "<", t.Ge: ">=", t.Gt: ">"}
CALLS = {
    t.Eq: "Eq",
    t.Ne: "Ne",
    t.If: "If",
    t.Max: "Max",
    t.Min: "Min",
    t.Log: "log",
    t.Bracket: "bracket",
    t.AxisProduct: "product",
    t.Divides: "Divides",
    t.FloorDiv: "floor_div",
    t.CeilDiv: "ceil_div",
    t.Mod: "mod",
    t.TruncDiv: "trunc_div",
    t.TruncMod: "trunc_mod",
    t.NatDiv: "nat_div",
    t.NatSub: "nat_sub",
    t.Sum: "Sum",
    t.Prod: "Prod",
    t.Exists: "Exists",
    t.ForAll: "ForAll",
}


class Unwritable(Exception):
    """What has no short form in Python."""


def source(term: Term) -> str:
    """The term as an expression of Python."""
    if isinstance(term, sympy.Rational):
        return str(term) if term.is_Integer else f"Fraction({term.p}, {term.q})"
    if isinstance(term, sympy.Tuple):
        return f"({', '.join(map(source, term))}{',' if len(term) == 1 else ''})"
    if isinstance(term, Sym):
        return str(term.name)
    if isinstance(term, t.AllAxes):
        return source(term.condition)
    if isinstance(term, t.Read):
        return source_of_read(term)
    if isinstance(term, t.Add):
        return " + ".join(map(source, term.args)).replace("+ -", "- ") or "0"
    if isinstance(term, t.Mul):
        first, *rest = term.args or (sympy.Integer(1),)
        if first == -1 and rest:
            return "-" + " * ".join(map(held, rest))
        plain = source(first) if isinstance(first, sympy.Integer) else held(first)
        return " * ".join((plain, *map(held, rest)))
    if isinstance(term, t.Div):
        above = source(term.above) if isinstance(term.above, t.Mul) else held(term.above)
        return f"{above} / {held(term.below, t.Mul, t.Div)}"
    if isinstance(term, t.Power):
        return f"{held(term.base, t.Mul, t.Power)} ** {held(term.exponent, t.Mul, t.Power)}"
    if isinstance(term, t.Exp):
        inner = radicand(term)
        return f"exp({source(term.inner)})" if inner is None else f"sqrt({source(inner)})"
    if isinstance(term, t.Apply):
        inner = ", ".join(map(source, term.arguments))
        return f"{term.function}({inner})" if term.arguments else str(term.function)
    if type(term) in SIGNS:
        return f"{source(term.left)} {SIGNS[type(term)]} {source(term.right)}"
    if isinstance(term, t.And | t.Or):
        sign = " & " if isinstance(term, t.And) else " | "
        return sign.join(f"({source(c)})" for c in term.args) or f"{type(term).__name__}()"
    if isinstance(term, t.Not):
        return f"~({source(term.condition)})"
    if isinstance(term, t.Maximum | t.Winner):
        return source_of_window(term)
    if (kept := as_largest(term)) is not None:
        return source_of_place(kept)
    if (counted := as_count(term)) is not None:
        return f"count({', '.join(map(source, (counted.where, *counted.ranges)))})"
    if type(term) in CALLS:
        return f"{CALLS[type(term)]}({', '.join(map(source, term.args))})"
    raise Unwritable(f"a {type(term).__name__} in it, {term}")


def held(term: Term, *also: type) -> str:
    """In parentheses, if a sign beside it would tear it apart."""
    torn = isinstance(term, (t.Add, t.Div, *also)) or (
        isinstance(term, sympy.Rational) and term < 0
    )
    is_product = isinstance(term, t.Mul) and term.args[:1] == (-1,)
    return f"({source(term)})" if torn or is_product else source(term)


def source_of_read(read: t.Read) -> str:
    name = name_of(read.array)
    whole = f"zero_padded({name})" if isinstance(read, t.PaddedRead) else name
    return f"{whole}[{', '.join(map(source, read.index)) or '()'}]"


def name_of(array: Array) -> str:
    if array.role == "primal":
        return str(array.name)
    label = array.name.removeprefix(f"{array.of}_bar").removeprefix("_")
    said = f', "{label}"' if array.role == "cotangent" and label else ""
    return f"{array.role}({array.of}{said})"


def source_of_window(term: Term) -> str:
    parts = [term.body, *term.ranges]
    if isinstance(term, t.Winner):
        parts.insert(0, term.at if len(term.at) > 1 else term.at[0])
    said = list(map(source, parts))
    if term.where != t.And():
        said.append(f"where={source(term.where)}")
    if isinstance(term, t.Winner):
        return f'winner({", ".join(said)}, tie="{term.tie.name}")'
    empty = [f"empty={source(term.empty)}"] if term.empty != 0 else []
    return f"maximum({', '.join((*said, *empty))})"


def source_of_place(kept: Largest) -> str:
    said = list(map(source, (kept.body, *kept.ranges)))
    if not kept.is_of_its_range:
        said.append(f"at={source(kept.at)}")
    if kept.where != t.And():
        said.append(f"where={source(kept.where)}")
    if kept.tie != "first":
        said.append(f'tie="{kept.tie}"')
    if kept.empty != 0:
        said.append(f"empty={source(kept.empty)}")
    return f"argmax({', '.join(said)})"


def with_plain_names(equation: Term, taken: Iterable[Sym]) -> tuple[Term, tuple[Sym, ...]]:
    """With names that Python can have in place of fresh ones, and which of these are new."""
    known = {symbol.name: symbol for symbol in taken}
    made: dict[Sym, None] = {}

    def named(symbol: Sym, used: set[str]) -> Sym:
        if not MARKS.search(symbol.name):
            return symbol
        base, count = MARKS.split(symbol.name)[0], 1
        while True:
            found = Sym(f"{base}{count if count > 1 else ''}", symbol.sort, symbol.is_bundle)
            if found.name not in used and known.get(found.name, found) is found:
                break
            count += 1
        if found.name not in known:
            known[found.name] = found
            made[found] = None
        return found

    def put(term: Term, values: dict[Sym, Sym]) -> Term:
        if isinstance(term, Sym):
            return values.get(term, term)
        bound = sorted(bound_by(term), key=str)
        if bound:
            used = {values.get(symbol, symbol).name for symbol in free(term)}
            for symbol in bound:
                values = {**values, symbol: named(symbol, used)}
                used.add(values[symbol].name)
        return t.over_parts(term, lambda u: put(u, values))

    outer: dict[Sym, Sym] = {}
    for symbol in sorted(free(equation), key=str):
        used = {outer.get(s, s).name for s in free(equation)}
        outer[symbol] = named(symbol, used)
    return put(equation, outer), tuple(made)


MARKS = re.compile(r"['.]")
