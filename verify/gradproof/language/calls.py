"""The formula of one op in equations or claims of another: `call(op, sizes, inputs)`. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gradproof.language.ops import Op, cotangent, replace_reads, tangent, target_of, value_at
from gradproof.language.substitution import Fresh, substitute
from gradproof.language.terms import (
    INT,
    Array,
    DefinitionError,
    Sym,
    Term,
    as_term,
    is_bundle,
    sort_of,
)


def call(
    op: Op, sizes: Mapping[Sym, object], inputs: Mapping[Array, Callable[..., object]], of: str = ""
) -> Called:
    """`call(op, sizes, inputs)[index]`: the op's output with other sizes and inputs in place.

    It is the op's formula: its index need not be in bounds, nor its `requires` hold.
    Sizes and inputs that are not named stay as they are; `of` names another array of the op, say
    "x_bar".
    """
    return Called(op, dict(sizes), {a.name: f for a, f in inputs.items()}, of or op.output.name)


CALLED = Fresh()  # one for all calls: what closures insert must find no binder of its name


@dataclass(frozen=True)
class Called:
    op: Op
    sizes: dict[Sym, object]
    inputs: dict[str, Callable[..., object]]
    of: str
    __iter__ = None

    def __getitem__(self, given: object) -> Term:
        index = tuple(map(as_term, given if isinstance(given, tuple) else (given,)))
        rule = self.op.rule(self.of)
        values = {s: as_term(v) for s, v in self.sizes.items()}
        where = f"call {self.op.name}"
        if self.op.is_recurrent:
            raise DefinitionError(f"{where}: a recurrence has no formula without itself")
        if len(index) != len(target_of(rule).index):
            raise DefinitionError(f"{where}: {len(index)} indices for {target_of(rule).array}")
        for symbol, value in values.items():
            if symbol not in self.op.sizes:
                raise DefinitionError(f"{where}: {symbol} is none of its sizes")
            if is_bundle(value) and not symbol.is_bundle:
                raise DefinitionError(f"{where}: {symbol} is one number, {value} is not")
            if symbol.sort == INT != sort_of(value):
                raise DefinitionError(f"{where}: {symbol} is an integer, {value} is not")
        own = (*self.op.operands, *self.op.computed)
        known = {a.name for u in own for a in (u, tangent(u), cotangent(u))}
        for name in self.inputs:
            if name not in known:
                raise DefinitionError(f"{where}: it has no array {name}")
        # What the caller passes is put in last: its reads are of the caller's arrays.
        places = {CALLED(Sym("p", INT, is_bundle(e))): e for e in index}
        sizes = {symbol: CALLED(symbol) for symbol in values}
        body = value_at(rule, tuple(places), CALLED, sizes)
        body = replace_reads(body, lambda r: self.function(r.array.name), CALLED)
        return substitute(body, places | {sizes[s]: v for s, v in values.items()}, CALLED)

    def function(self, name: str) -> Callable[..., object] | None:
        """What is in place of an array; what the op computes is computed by this call."""
        own = {target_of(e).array.name for e in self.op.equations.values()}
        if name in self.inputs or name not in own or self.of == name:
            return self.inputs.get(name)
        forward = replace(self, of=name)
        return lambda *index: forward[index]
