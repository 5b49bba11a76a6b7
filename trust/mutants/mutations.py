"""The mistakes that are made in definitions, each as a change of one place of a term. Untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import sympy
from sympy.core.symbol import Str

from gradproof.language import Op
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import INT, REAL, Sym, minus, plus, rebuild, sort_of
from trust.mutants.places import Change, everywhere, exchanged, with_part

Mutation = Callable[[Op, Any], Iterator[Any]]
CHANNELS = ("C", "inC", "outC")


def at_each_place(change: Callable[[Op, Any], Iterator[Any]]) -> Mutation:
    """A change of one node, made at each place of a term."""

    def mutate(op: Op, term: Any) -> Iterator[Any]:
        here: Change = lambda node: change(op, node)  # noqa: E731  # a name for its type
        return everywhere(term, here)

    return mutate


def shift_index(op: Op, node: Any) -> Iterator[Any]:
    if isinstance(node, t.Read):
        for position, e in enumerate(node.index, 1):
            for step in (1, -1):
                yield rebuild(node, with_part(node.args, position, plus(e, step)))
    if isinstance(node, t.Winner):
        for position, e in enumerate(node.args[3]):
            for step in (1, -1):
                places = sympy.Tuple(*with_part(node.args[3].args, position, plus(e, step)))
                yield rebuild(node, with_part(node.args, 3, places))


def shift_bound(op: Op, node: Any) -> Iterator[Any]:
    if is_range(node):
        for end in (1, 2):
            for step in (1, -1):
                yield sympy.Tuple(*with_part(node.args, end, plus(node[end], step)))


def is_range(node: Any) -> bool:
    """A range, or a state of a loop with its start and its step."""
    triple = isinstance(node, sympy.Tuple) and len(node) == 3 and isinstance(node[0], Sym)
    return triple and all(sort_of(e) == INT for e in node[1:])


def shift_number(op: Op, node: Any) -> Iterator[Any]:
    if isinstance(node, sympy.Integer):
        yield from (node + 1, node - 1)


def flip_sign(op: Op, node: Any) -> Iterator[Any]:
    if isinstance(node, t.Add):
        for position, arg in enumerate(node.args):
            yield rebuild(node, with_part(node.args, position, negative(arg)))
    if isinstance(node, t.Div | t.Sum | t.Exp):
        yield negative(node)


def negative(term: Any) -> Any:
    if isinstance(term, t.Mul) and term.args[0] == -1:
        return term.args[1] if len(term.args) == 2 else rebuild(term, term.args[1:])
    return minus(term)


def one_size_for_another(op: Op, node: Any) -> Iterator[Any]:
    if isinstance(node, Sym) and node in op.sizes:
        others = [s for s in op.sizes if alike(s, node)]
        yield others[(others.index(node) + 1) % len(others)]


def alike(a: Sym, b: Sym) -> bool:
    return bool(a.sort == b.sort and a.is_bundle == b.is_bundle)


def swap_sizes(op: Op, term: Any) -> Iterator[Any]:
    """Two sizes exchanged in the whole equation."""
    used = [s for s in op.sizes if s in free(term)]
    for a, b in combinations(used, 2):
        if alike(a, b):
            yield exchanged(term, {a: b, b: a})


STRICT = {t.Le: t.Lt, t.Lt: t.Le, t.Ge: t.Gt, t.Gt: t.Ge}


def strictness(op: Op, node: Any) -> Iterator[Any]:
    if type(node) in STRICT:
        yield t.node(STRICT[type(node)], *node.args)


def rounding(op: Op, node: Any) -> Iterator[Any]:
    kinds = (t.FloorDiv, t.CeilDiv, t.TruncDiv)
    if isinstance(node, kinds):
        yield from (t.node(kind, *node.args) for kind in kinds if kind is not type(node))


def drop_clip(op: Op, node: Any) -> Iterator[Any]:
    if isinstance(node, t.Min | t.Max) and len(node.args) > 1:
        yield from without_one(node)
    if isinstance(node, t.PaddedRead):
        yield t.Read(*node.args)


def without_one(node: Any) -> Iterator[Any]:
    for position in range(len(node.args)):
        rest = (*node.args[:position], *node.args[position + 1 :])
        yield rest[0] if len(rest) == 1 else rebuild(node, rest)


def drop_bracket(op: Op, node: Any) -> Iterator[Any]:
    if isinstance(node, t.Bracket):
        yield sympy.Integer(1)
    if isinstance(node, t.And | t.Or) and len(node.args) > 1:
        yield from without_one(node)
    if isinstance(node, t.If):
        yield from node.args[1:]
    where = {t.Maximum: 1, t.Winner: 1, t.Scatter: 2}.get(type(node))
    if where is not None and node.args[where] != t.And():
        yield rebuild(node, with_part(node.args, where, t.And()))


def drop_factor(op: Op, node: Any) -> Iterator[Any]:
    if isinstance(node, t.Mul) and len(node.args) > 1:
        yield from without_one(node)
    if isinstance(node, t.Div):
        yield node.args[0]
        yield t.Div(1, node.args[1])


def drop_term(op: Op, node: Any) -> Iterator[Any]:
    if isinstance(node, t.Add) and len(node.args) > 1:
        yield from without_one(node)


def add_constant(op: Op, equation: Any) -> Iterator[Any]:
    """A rule that is not 0 at 0, or not what it was by 1."""
    if isinstance(equation, t.Eq | t.Scatter) and isinstance(equation.args[0], t.Read):
        value = plus(equation.args[1], 1)
        yield rebuild(equation, with_part(equation.args, 1, value))


def tie_policy(op: Op, node: Any) -> Iterator[Any]:
    """The last winner for the first, or the first for all; in a loop, `>=` for `>`."""
    if isinstance(node, t.Winner):
        ties = [tie for tie in ("first", "last", "any") if tie != str(node.args[2])]
        yield from (rebuild(node, with_part(node.args, 2, Str(tie))) for tie in ties)
    if isinstance(node, t.Fold):
        found = {u for u in t.walk(node.args[1]) if type(u) in STRICT and of_reals(u)}
        turned = {u: t.node(STRICT[type(u)], *u.args) for u in found}
        if turned:
            yield rebuild(node, with_part(node.args, 1, exchanged(node.args[1], turned)))
    if isinstance(node, t.Eq) and type(node.args[1]) is t.Maximum:
        yield from first_of(*node.args)


def of_reals(relation: Any) -> bool:
    return REAL in map(sort_of, relation.args)


def first_of(cell: Any, m: Any) -> Iterator[Any]:
    """`x[i] = max_j x[j]` as "i is the first winner"."""
    if type(cell) is not t.Read or type(m.body) is not t.Read or cell.array != m.body.array:
        return
    at = dict(zip(m.body.index, cell.index, strict=True))
    if all(symbol in at for symbol, _, _ in m.ranges):
        places = sympy.Tuple(*(at[symbol] for symbol, _, _ in m.ranges))
        yield t.Winner(m.body, m.args[1], Str("first"), places, *m.ranges)


def exchange_axes(op: Op, node: Any) -> Iterator[Any]:
    """Two indices of one read, the ends or the order of two ranges, or H where W belongs."""
    if isinstance(node, t.Read) and not is_weight(node):
        yield from swapped_indices(node, 0)
    if isinstance(node, t.Binder | t.Scatter):
        yield from swapped_ranges(node)
    if isinstance(node, Sym) and (other := on_other_axis(node)) is not None:
        yield other


def swapped_indices(node: Any, first: int) -> Iterator[Any]:
    for a, b in combinations(range(first, len(node.index)), 2):
        if t.is_bundle(node.array.dims[a]) == t.is_bundle(node.array.dims[b]):
            index = list(node.index)
            index[a], index[b] = index[b], index[a]
            yield rebuild(node, (node.array, *index))


def swapped_ranges(node: Any) -> Iterator[Any]:
    head = node.args[: len(node.args) - len(node.ranges)]
    for a, b in combinations(range(len(node.ranges)), 2):
        ranges = list(node.ranges)
        one, two = ranges[a], ranges[b]
        if one[0].is_bundle != two[0].is_bundle:
            continue
        ranges[a], ranges[b] = two, one
        if isinstance(node, t.Fold):  # the order of sums and scatters says nothing
            yield rebuild(node, (*head, *ranges))
        ranges[a], ranges[b] = sympy.Tuple(one[0], *two[1:]), sympy.Tuple(two[0], *one[1:])
        yield rebuild(node, (*head, *ranges))


def on_other_axis(symbol: Sym) -> Sym | None:
    """`kW` for `kH`, and so on; W for H."""
    name = symbol.name
    if not name.endswith(("H", "W")):
        return None
    other: Sym = Sym(
        name[:-1] + ("W" if name.endswith("H") else "H"), symbol.sort, symbol.is_bundle
    )
    return other


def exchange_all_axes(op: Op, term: Any) -> Iterator[Any]:
    """Every size of one axis for that of the other, in the whole equation."""
    sizes = {s: on_other_axis(s) for s in op.sizes if on_other_axis(s) in op.sizes}
    if sizes:
        yield exchanged(term, sizes)


def transpose_weight(op: Op, node: Any) -> Iterator[Any]:
    if isinstance(node, t.Read) and is_weight(node):
        yield from swapped_indices(node, 0)


def is_weight(read: Any) -> bool:
    """Of an array over pairs of channels."""
    return sum(str(d) in CHANNELS for d in read.array.dims) > 1


def other_channel(op: Op, node: Any) -> Iterator[Any]:
    """Another channel's index, or the first channel, for this one."""
    if isinstance(node, t.Read):
        for position, (e, n) in enumerate(zip(node.index, node.array.dims, strict=True), 1):
            if str(n) in CHANNELS and isinstance(e, Sym):
                others = [Sym(name) for name in ("ci", "co") if name != e.name and e.name != "c"]
                for other in (*others, sympy.Integer(0)):
                    yield rebuild(node, with_part(node.args, position, other))


MUTATIONS: dict[str, Mutation] = {
    "drop a clip": at_each_place(drop_clip),
    "drop a bracket": at_each_place(drop_bracket),
    "change the tie policy": at_each_place(tie_policy),
    "transpose a weight": at_each_place(transpose_weight),
    "another channel's index": at_each_place(other_channel),
    "exchange two axes": lambda op, term: (
        changed
        for part in (at_each_place(exchange_axes), exchange_all_axes)
        for changed in part(op, term)
    ),
    "swap two sizes": swap_sizes,
    "one size for another": at_each_place(one_size_for_another),
    "floor to ceil": at_each_place(rounding),
    "< to ≤": at_each_place(strictness),
    "shift an index": at_each_place(shift_index),
    "shift a bound": at_each_place(shift_bound),
    "flip a sign": at_each_place(flip_sign),
    "drop a factor": at_each_place(drop_factor),
    "drop a term": at_each_place(drop_term),
    "add a constant": add_constant,
    "shift a number": at_each_place(shift_number),
}
