"""SymPy's own verbs on nodes: they do what this language means by them, or refuse. Untrusted.

>>> from gradproof.language.ops import Sum, array, integers
>>> N, a, b = integers("N a b")
>>> x = array("x", N)
>>> Sum(x[a + b], (a, 0, N - 1)).subs(b, a)
Σ_{a'1 = 0..N - 1} x[a'1 + a]
>>> (2 * x[a]).diff(x[b])
∂(2·x[a])/∂x[b]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy.printing.pretty.stringpict import prettyForm

from gradproof.language import latex as printing
from gradproof.language import terms as t
from gradproof.language.substitution import binds, free, mentioned, substituted
from gradproof.language.terms import BOOL, INT, Array, DefinitionError, Node, Term, sort_of

FIXED = (t.Slope, t.Linear, t.Scatter)  # they speak of cells themselves, not of their values


def left_alone(node: Node, **options: object) -> Node:
    """Nothing is evaluated, expanded, factored or simplified."""
    return node


def equals(term: Term, other: object, **options: object) -> bool | None:
    """Equal if it is the same node; of others SymPy knows nothing."""
    return True if term is other else None


def is_constant(term: Term, *symbols: object, **options: object) -> None:
    """SymPy knows no cells, on which a value depends."""


def pretty(term: Term, printer: object) -> object:
    return prettyForm(str(term))


def latex(node: Node, printer: object) -> str:
    return printing.array_name(node.name) if isinstance(node, Array) else printing.latex(node)


def free_symbols(node: Node) -> set[t.Sym]:
    """The symbols that a term depends on, and those in the shape of an array."""
    return set(mentioned(node) if isinstance(node, Array) else free(node))


def diff(term: Node, *cells: Any, **options: object) -> Term:
    """The derivative by one cell, as the node that says so."""
    if len(cells) != 1 or type(cells[0]) is not t.Read:
        by = ", ".join(map(str, cells))
        raise DefinitionError(f"diff({term}, {by}): differentiate by one cell, as in x[i]")
    if isinstance(term, t.Scatter) or sort_of(term) == BOOL or t.is_bundle(term):
        raise DefinitionError(f"diff({term}, {cells[0]}): only one number has a derivative")
    return t.Slope(term, cells[0])


def subs(node: Node, *pairs: Any, simultaneous: bool = False, **options: Any) -> Any:
    """`subs(old, new)`; of several pairs one after another in a list, else all at once."""
    if options:
        raise DefinitionError(f"subs({node}): {', '.join(options)} is not known here")
    given = pairs[0] if len(pairs) == 1 else [pairs]
    if isinstance(given, Mapping):
        if not simultaneous:
            refuse_chains(given)
        return xreplace(node, given)
    listed = [as_pair(node, pair) for pair in (given if isinstance(given, list) else [given])]
    if simultaneous:
        return xreplace(node, dict(listed))
    found: Any = node
    for old, new in listed:
        found = xreplace(found, {old: new})
    return found


def as_pair(node: Node, pair: Any) -> tuple[Any, Any]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise DefinitionError(f"subs({node}): {pair} is not (old, new)")
    return pair[0], pair[1]


def refuse_chains(values: Mapping[Any, Any]) -> None:
    """A mapping in which one value mentions another key has no order that one would see."""
    olds = [old for old in values if isinstance(old, Term)]
    for old, new in values.items():
        for other in olds:
            if other is not old and isinstance(new, Node) and other in t.walk(new):
                raise DefinitionError(
                    f"subs: {new} for {old} mentions {other}, which is replaced too; "
                    "xreplace does all at once, subs([...]) one after another"
                )


def xreplace(node: Any, rule: Mapping[Any, Any]) -> Any:
    """Values in place of symbols and terms, all at once, and no name is captured."""
    values = {old: fitting(old, new) for old, new in rule.items() if is_ours(old)}
    chosen = [old for old in values if not isinstance(old, t.Sym)]
    if chosen and t.mentions(node, *FIXED):
        raise DefinitionError(f"{chosen[0]} in {node}: only symbols can be replaced in this")
    return substituted(node, values)


def xreplace_within(node: Node, rule: Mapping[Any, Any]) -> tuple[Any, bool]:
    """As SymPy asks the parts of its own expressions: also whether there was something."""
    found = xreplace(node, rule)
    return found, found is not node


def subs_once(node: Node, old: Any, new: Any, **options: object) -> Any:
    """As SymPy asks the parts of its own expressions."""
    return xreplace(node, {old: new})


def is_ours(old: Any) -> bool:
    """Whether it can be in a node; what cannot be replaced there is refused."""
    if isinstance(old, t.PARTS) and (not isinstance(old, Term) or binds(old)):
        raise DefinitionError(f"{old} cannot be replaced; replace symbols, cells, or other terms")
    return isinstance(old, Term)


def fitting(old: Term, new: Any) -> Any:
    """The new part, if it can stand where the old one does."""
    value = t.as_term(new)
    wide, narrow = sort_of(value), sort_of(old)
    fits = wide == narrow or (wide == INT and narrow != BOOL)
    if not fits or (t.is_bundle(value) and not t.is_bundle(old)):
        raise DefinitionError(f"{value} ({wide}) cannot be in the place of {old} ({narrow})")
    return value


def replace(node: Node, query: Any, value: Any, **options: Any) -> Any:
    """A term for a term; by a pattern or a class, SymPy would reach into what binders bind."""
    if not isinstance(query, Term) or options:
        raise DefinitionError(f"replace({query}) in {node}: only a term can be replaced by a term")
    return xreplace(node, {query: value})
