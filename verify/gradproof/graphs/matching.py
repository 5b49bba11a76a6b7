"""The sizes of an op that a node applies, from the shapes that it is given. Untrusted.

That they fit is a theorem of the node.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradproof.graphs.arithmetic import short, solved
from gradproof.graphs.nodes import GraphError, Var, op_at, put, shown
from gradproof.language.ops import Op
from gradproof.language.ranks import spread
from gradproof.language.terms import (
    INT,
    DefinitionError,
    Sym,
    Term,
    Terms,
    as_term,
    is_bundle,
    sort_of,
)


def rank_of(op: Op, operands: Mapping[str, Var]) -> int:
    """The number of axes, which all operands agree on; 1 of an op without bundles."""
    found: dict[int, str] = {}
    for a in op.operands:
        var = operands[a.name]
        bundles = sum(map(is_bundle, a.dims))
        rank, rest = divmod(len(var.shape) - len(a.dims) + bundles, max(1, bundles))
        if rest or (bundles and rank < 1) or (not bundles and rank):
            raise GraphError(
                f"{a} of {op.name} has shape {shown(a.dims)}, {var.name} has {shown(var.shape)}: "
                f"{len(var.shape)} dimensions do not fit"
            )
        if bundles:
            found.setdefault(rank, f"{rank} by {var.name}")
    if len(found) > 1:
        raise GraphError(f"{op.name} has one number of axes, not {' and '.join(found.values())}")
    return next(iter(found), 1)


def given_sizes(op: Op, rank: int, sizes: Mapping[Any, Any]) -> dict[Sym, Term]:
    """What a caller says, by name or symbol; of a bundle one value, or one for each axis."""
    symbols = {s.name: s for s in op.sizes}
    found: dict[Sym, Term] = {}
    for key, value in sizes.items():
        symbol = symbols.get(getattr(key, "name", key))
        if symbol is None:
            known = ", ".join(symbols) or "none"
            raise GraphError(f"{op.name} has no size {key}; its sizes: {known}")
        if value is None:
            continue
        parts = tuple(spread(symbol, rank))
        values = value if isinstance(value, tuple | list) else (value,) * len(parts)
        if len(values) != len(parts) or (isinstance(value, tuple | list) and not symbol.is_bundle):
            raise GraphError(f"{op.name}: {symbol} = {value}, and it has {len(parts)} values here")
        found |= {s: as_size(op, s, v) for s, v in zip(parts, values, strict=True)}
    return found


def as_size(op: Op, symbol: Sym, value: Any) -> Term:
    try:
        term = as_term(value)
    except DefinitionError as fault:
        raise GraphError(f"{op.name}: {symbol} = {value}: {fault}") from None
    if symbol.sort == INT != sort_of(term) or is_bundle(term):
        raise GraphError(f"{op.name}: {symbol} is one {symbol.sort}, {value} is not")
    return term


def matched(
    op: Op, rank: int, operands: Mapping[str, Var], said: Mapping[Sym, Term]
) -> dict[Sym, Term]:
    """Every size of the op at a rank: as said, as a shape or a range has it, or solved from one."""
    known = dict(said)
    at = op_at(op, rank)
    pairs = [p for a in at.operands for p in zip(a.dims, operands[a.name].shape, strict=True)]
    pairs += [p for a in at.operands for p in zip(a.span, operands[a.name].span, strict=False)]
    for d, size in pairs:
        if isinstance(d, Sym):
            known.setdefault(d, size)
    while missing := [s for s in at.sizes if s not in known]:
        found = next(filter(None, (solved(d, size, known) for d, size in pairs)), None)
        if found is None:
            names = ", ".join(map(str, missing))
            raise GraphError(f"{op.name}: no shape says what {names} is; say so in sizes={{…}}")
        known[found[0]] = found[1]
    return known


def result_shapes(op: Op, rank: int, sizes: Mapping[Sym, Term]) -> dict[str, Terms]:
    """Of each output, by its name in the op."""
    return {y.name: tuple(short(put(d, sizes)) for d in y.dims) for y in op_at(op, rank).outputs}
