"""JAX's convolutions and window reductions. Untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
from sympy.core.symbol import Str

from gradproof.jax.reader import Reader, rule
from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.tracing import integers as n
from gradproof.tracing import reals
from gradproof.tracing.axes import axis_of
from gradproof.tracing.sums import ranges_of
from gradproof.tracing.tensors import Tensor, Unreadable
from gradproof.tracing.windows import indexed, shaped, total


def terms(reader: Reader, given: Sequence[Any]) -> list[Term]:
    return [reader.sizes.term(e) for e in given]


def outside(index: Term, size: Term, low: Term, high: Term) -> list[Term]:
    """What must hold of a place for it to be in the input, where padding lets it be elsewhere."""
    asked = []
    if not (isinstance(low, sympy.Integer) and low <= 0):
        asked.append(t.relation(t.Le, 0, index))
    if not (isinstance(high, sympy.Integer) and high <= 0):
        asked.append(t.relation(t.Lt, index, size))
    return asked


def given_where(conditions: Sequence[Term], value: Term) -> Term:
    return reals.times(t.Bracket(t.And(*conditions)), value) if conditions else value


@rule("conv_general_dilated")
def convolution(reader: Reader, equation: Any, x: Tensor, w: Tensor) -> Tensor:
    params = equation.params
    spec = params["dimension_numbers"]
    rank = len(spec.lhs_spec) - 2
    strides = terms(reader, params["window_strides"])
    inner_steps = terms(reader, params["lhs_dilation"])
    steps = terms(reader, params["rhs_dilation"])
    pads = [terms(reader, p) for p in params["padding"]]
    shape = reader.shape(equation.outvars[0])
    at, (filter_, depth, *taps) = spec.lhs_spec[2:], spec.rhs_spec
    sizes, kernel = [x.shape[d] for d in at], [w.shape[d] for d in taps]
    groups, batches = (
        reader.sizes.term(params[k]) for k in ("feature_group_count", "batch_group_count")
    )
    per_group = n.floor_div(w.shape[filter_], groups)
    per_batch = n.floor_div(w.shape[filter_], batches)
    spread = [d for d in range(rank) if inner_steps[d] != 1]

    def cell(index: list[Term]) -> Term:
        b, f, *o = (index[d] for d in spec.out_spec)

        def body(u: list[Term]) -> Term:
            c, k, inner = u[0], u[1 : 1 + rank], u[1 + rank :]
            places: list[Term] = []
            asked: list[Term] = []
            for d in range(rank):
                place = n.add(n.mul(o[d], strides[d]), n.mul(k[d], steps[d]), n.mul(-1, pads[d][0]))
                if d in spread:
                    i = inner[spread.index(d)]
                    asked.append(t.Eq(place, n.mul(i, inner_steps[d])))
                    places.append(i)
                else:
                    asked += outside(place, sizes[d], *pads[d])
                    places.append(place)
            row = within(b, f, batches, per_batch, shape[spec.out_spec[0]])
            layer = within(c, f, groups, per_group, w.shape[depth])
            image = indexed(x, ordered(spec.lhs_spec, [row, layer, *places]))
            weight = indexed(w, ordered(spec.rhs_spec, [f, c, *k]))
            return given_where(asked, reals.times(image, weight))

        return total(reader.names, [w.shape[depth], *kernel, *(sizes[d] for d in spread)], body)

    return shaped(shape, cell)


def within(index: Term, f: Term, groups: Term, per_group: Term, size: Term) -> Term:
    """An index in the block of its group, which that of the filter says."""
    return index if groups == 1 else n.add(n.mul(n.floor_div(f, per_group), size), index)


def ordered(spec: Sequence[int], given: Sequence[Term]) -> list[Term]:
    """One index per axis, of those by their roles."""
    return [given[spec.index(d)] for d in range(len(spec))]


class Windows:
    """The windows of a reduction: their places, and what of them lies in the input."""

    def __init__(self, reader: Reader, params: Any, sizes: Sequence[Term]) -> None:
        self.kernel = terms(reader, params["window_dimensions"])
        self.rank = len(self.kernel)
        ones = [1] * self.rank
        self.strides = terms(reader, params["window_strides"])
        self.steps = terms(reader, params.get("window_dilation") or ones)
        self.spread = terms(reader, params.get("base_dilation") or ones)
        self.pads = [terms(reader, p) for p in params["padding"]]
        self.sizes = sizes
        if any(e != 1 for e in self.spread):
            raise Unreadable("windows over cells that are spread apart")

    def places(self, o: Sequence[Term], k: Sequence[Term]) -> list[Term]:
        return [
            n.add(n.mul(a, s), n.mul(b, d), n.mul(-1, p[0]))
            for a, b, s, d, p in zip(o, k, self.strides, self.steps, self.pads, strict=True)
        ]

    def asked(self, places: Sequence[Term]) -> list[Term]:
        parts = zip(places, self.sizes, self.pads, strict=True)
        return [c for e, size, p in parts for c in outside(e, size, *p)]


@rule("reduce_window_sum")
def window_sum(reader: Reader, equation: Any, x: Tensor) -> Tensor:
    windows = Windows(reader, equation.params, x.shape)

    def cell(o: list[Term]) -> Term:
        def body(k: list[Term]) -> Term:
            places = windows.places(o, k)
            return given_where(windows.asked(places), indexed(x, places))

        return total(reader.names, windows.kernel, body)

    return shaped(reader.shape(equation.outvars[0]), cell)


def window_extreme(name: str, sign: int) -> None:
    def run(reader: Reader, equation: Any, x: Tensor) -> Tensor:
        windows = Windows(reader, equation.params, x.shape)
        symbols = [reader.names() if axis_of(size) else n.ZERO for size in windows.kernel]
        bound = [(u, k) for u, k in zip(symbols, windows.kernel, strict=True) if u != 0]
        ranges = ranges_of([u for u, _ in bound], [k for _, k in bound])

        def cell(o: list[Term]) -> Term:
            places = windows.places(o, symbols)
            body = indexed(x, places)
            signed = body if sign > 0 else reals.negative(body)
            found = t.Maximum(signed, t.And(*windows.asked(places)), 0, *ranges)
            return body if not ranges else found if sign > 0 else reals.negative(found)

        return shaped(reader.shape(equation.outvars[0]), cell)

    rule(name)(run)


window_extreme("reduce_window_max", 1)
window_extreme("reduce_window_min", -1)


@rule("select_and_scatter_add")
def to_winners(reader: Reader, equation: Any, source: Tensor, x: Tensor) -> Tensor:
    """Each window gives what it is given to the first of its largest cells, or smallest."""
    windows = Windows(reader, equation.params, x.shape)
    chosen = equation.params["select_prim"].name
    if chosen not in ("ge", "le"):
        raise Unreadable(f"a choice in windows by lax.{chosen}; use lax.max or lax.min")
    symbols = [reader.names() if axis_of(size) else n.ZERO for size in windows.kernel]
    bound = [(u, k) for u, k in zip(symbols, windows.kernel, strict=True) if u != 0]
    ranges = ranges_of([u for u, _ in bound], [k for _, k in bound])

    def cell(index: list[Term]) -> Term:
        def body(o: list[Term]) -> Term:
            free = [o_d if o_d != 0 else n.ZERO for o_d in o]
            places = windows.places(free, symbols)
            inner = indexed(x, places)
            signed = inner if chosen == "ge" else reals.negative(inner)
            begins = windows.places(free, [n.ZERO] * windows.rank)
            at = [n.minus(i, e) for i, e in zip(index, begins, strict=True)]
            asked = [c for e, k in zip(at, windows.kernel, strict=True) for c in held(e, k)]
            if ranges:
                mine = sympy.Tuple(*(e for e, u in zip(at, symbols, strict=True) if u != 0))
                where = t.And(*windows.asked(places))
                asked.append(t.Winner(signed, where, Str("first"), mine, *ranges))
            return given_where(asked, indexed(source, free))

        return total(reader.names, source.shape, body)

    return shaped(x.shape, cell)


def held(e: Term, size: Term) -> list[Term]:
    """That an index is one of a window; of a window of one cell, that it is 0."""
    if not axis_of(size):
        return [t.Eq(e, 0)] if e != 0 else []
    return [t.relation(t.Le, 0, e), t.relation(t.Lt, e, size)]
