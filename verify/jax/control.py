"""JAX's primitives that run other jaxprs: calls, custom rules, choices and loops. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from gradproof.jax.choosing import chosen
from gradproof.jax.reader import Reader, rule
from gradproof.jax.refusing import TURNS
from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import Sym, Term
from gradproof.tracing import integers as n
from gradproof.tracing import layout, reals
from gradproof.tracing.axes import Place, axis_of
from gradproof.tracing.tensors import Tensor, Unreadable, elementwise

LONGEST = 16  # turns of a loop that are written out


@rule("jit", "remat2")
def call(reader: Reader, equation: Any, *inputs: Tensor) -> list[Tensor]:
    return inner(reader, equation.params["jaxpr"], inputs)


@rule("custom_jvp_call", "custom_vjp_call")
def custom(reader: Reader, equation: Any, *inputs: Tensor) -> list[Tensor]:
    if equation.params["symbolic_zeros"]:
        raise Unreadable("symbolic_zeros=True, of a rule that may ask what is differentiated")
    return inner(reader, equation.params["call_jaxpr"], inputs)


def inner(reader: Reader, jaxpr: Any, inputs: Sequence[Tensor]) -> list[Tensor]:
    consts = getattr(jaxpr, "consts", ())
    return reader.run(getattr(jaxpr, "jaxpr", jaxpr), consts, inputs)


@rule("cond")
def cond(reader: Reader, equation: Any, which: Tensor, *inputs: Tensor) -> list[Tensor]:
    results = [inner(reader, branch, inputs) for branch in equation.params["branches"]]
    return [chosen(reader, which, cases) for cases in zip(*results, strict=True)]


@rule("while")
def loop(reader: Reader, equation: Any, *inputs: Tensor) -> None:
    raise Unreadable(TURNS)


@rule("scan")
def scan(reader: Reader, equation: Any, *inputs: Tensor) -> list[Tensor]:
    params = equation.params
    count, carried = params["num_consts"], params["num_carry"]
    consts, carry, xs = inputs[:count], inputs[count : count + carried], inputs[count + carried :]
    turns = Turns(reader, params["jaxpr"], list(consts), list(xs))
    length = reader.sizes.term(params["length"])
    if isinstance(length, sympy.Integer) and length <= LONGEST:
        return written_out(turns, list(carry), int(length), params["reverse"])
    return added_up(turns, list(carry), length, params["reverse"])


class Turns:
    """The body of a scan, at one place of what is scanned."""

    def __init__(self, reader: Reader, jaxpr: Any, consts: list[Tensor], xs: list[Tensor]) -> None:
        self.reader, self.jaxpr, self.consts, self.xs = reader, jaxpr, consts, xs

    def at(self, index: Term, carry: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        given = [layout.selected(x, 0, index) for x in self.xs]
        found = inner(self.reader, self.jaxpr, [*self.consts, *carry, *given])
        return found[: len(carry)], found[len(carry) :]


def written_out(turns: Turns, carry: list[Tensor], length: int, backwards: bool) -> list[Tensor]:
    rows: list[list[Tensor]] = []
    order = range(length)
    for index in reversed(order) if backwards else order:
        carry, ys = turns.at(sympy.Integer(index), carry)
        rows.append(ys)
    if backwards:
        rows.reverse()
    stacked = [
        layout.concatenated([layout.unsqueeze(y, 0) for y in column], 0)
        for column in zip(*rows, strict=True)
    ]
    return [*carry, *stacked]


def added_up(turns: Turns, carry: list[Tensor], length: Term, backwards: bool) -> list[Tensor]:
    """A loop of any number of turns, each of which adds to its carry what does not depend on it."""
    reader = turns.reader
    index = reader.names("t")
    opaque = [Opaque(reader, x) for x in carry]
    after, ys = turns.at(index, [o.tensor for o in opaque])
    if not all(o.adds(x) for o, x in zip(opaque, after, strict=True)):
        raise Unreadable(
            "a recurrence: each turn depends on the one before in more than a sum; scan over a "
            "number of turns, as in xs of shape (8, …), or use jnp.cumsum and its like"
        )
    rests = [o.rest(x) for o, x in zip(opaque, after, strict=True)]
    begun = [
        added_before(reader, rest, start, index, length, backwards)
        for rest, start in zip(rests, carry, strict=True)
    ]
    last = n.ZERO if backwards else n.minus(length, 1)
    ends = [
        elementwise(reals.plus, at_turn(state, index, last), at_turn(rest, index, last))
        for state, rest in zip(begun, rests, strict=True)
    ]
    axis = axis_of(length)
    rows = [stacked(at_states(y, opaque, begun), index, axis) for y in ys]
    return [*ends, *rows]


class Opaque:
    """A carry whose cells are not known."""

    def __init__(self, reader: Reader, like: Tensor) -> None:
        self.reader = reader
        self.array = t.Array(str(reader.names("carry")), like.factors)
        self.tensor = Tensor(like.axes, lambda place: self.array[place], like.sort)

    def adds(self, after: Tensor) -> bool:
        place = self.place(after)
        rest = without(after.cell(place), self.array[place])
        return rest is not None and not any(a.name.startswith("carry") for a in t.arrays(rest))

    def place(self, x: Tensor) -> Place:
        return tuple(Sym(f"c{d}") for d in range(len(x.factors)))

    def rest(self, after: Tensor) -> Tensor:
        def cell(place: Place) -> Term:
            found = without(after.cell(place), self.array[place])
            assert found is not None
            return found

        return Tensor(after.axes, cell, after.sort)


def added_before(
    reader: Reader, rest: Tensor, start: Tensor, index: Sym, length: Term, backwards: bool
) -> Tensor:
    """The carry at the turn of an index: what it was at first, and all that was added."""
    symbol = reader.names()
    after = (symbol, n.add(index, 1), n.minus(length, 1))
    ranges = after if backwards else (symbol, 0, n.minus(index, 1))

    def cell(place: Place) -> Term:
        body = replaced(rest.cell(place), {index: symbol})
        return reals.plus(start.cell(place), t.Sum(body, ranges) if body != 0 else 0)

    return Tensor(rest.axes, cell, rest.sort)


def without(whole: Term, part: Term) -> Term | None:
    """The other terms of a sum in which one stands once."""
    parts = list(whole.args) if isinstance(whole, t.Add) else [whole]
    if parts.count(part) != 1:
        return None
    parts.remove(part)
    return reals.plus(*parts) if parts else reals.ZERO


def replaced(term: Term, values: dict[Sym, Term]) -> Term:
    wanted = {k: v for k, v in values.items() if k in free(term)}
    return substitute(term, wanted, Fresh(term)) if wanted else term


def at_turn(x: Tensor, index: Sym, turn: Term) -> Tensor:
    return Tensor(x.axes, lambda place: replaced(x.cell(place), {index: turn}), x.sort)


def at_states(y: Tensor, opaque: list[Opaque], states: list[Tensor]) -> Tensor:
    """A tensor in which the cells of carries are known."""
    by_name = {o.array.name: s for o, s in zip(opaque, states, strict=True)}

    def known(e: Any) -> Any:
        if isinstance(e, t.Read) and e.array.name in by_name:
            return by_name[e.array.name].cell(tuple(e.index))
        if not e.args or not isinstance(e, t.Term | sympy.Tuple):
            return e
        return e.func(*(known(a) for a in e.args))

    return Tensor(y.axes, lambda place: known(y.cell(place)), y.sort)


def stacked(y: Tensor, index: Sym, axis: Any) -> Tensor:
    def cell(place: Place) -> Term:
        own, rest = (place[0], place[1:]) if axis else (n.ZERO, place)
        return replaced(y.cell(rest), {index: own})

    return Tensor((axis, *y.axes), cell, y.sort)
