"""Which sizes a graph takes, as a condition to be read, and what is proved of it. Untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gradproof.evaluate.shapes import admits
from gradproof.graphs.nodes import Node, Wiring, demand, demands, is_plainly_true, nonnegative
from gradproof.graphs.shapes import found
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import INT, Sym, Term, Terms
from gradproof.theorems.statuses import Status

LOOKED_AT = 200  # sizes from 0, by which a condition on one size is guessed
PERIODS = range(1, 33)


@dataclass(frozen=True)
class Accepts:
    """The condition; whether it is proved that the graph takes no other sizes, and takes these."""

    condition: Terms
    necessary: Status
    sufficient: Status

    def __str__(self) -> str:
        shown = " and ".join(map(str, self.condition)) or "all sizes"
        held = {"necessary": self.necessary, "sufficient": self.sufficient}
        proved = [name for name, status in held.items() if status == Status.PROVED]
        return f"{shown} ({' and '.join(proved) or 'not proved'})"


def accepted(wiring: Wiring) -> Accepts:
    """What all nodes ask together, in short; the assumptions on sizes are left aside."""
    asked = tuple(dict.fromkeys(c for node in wiring.nodes for c in wanted(node)))
    bounds = tuple(c for x in wiring.inputs for c in nonnegative(x.shape))
    parameters = (g for g in wiring.given if any(s.sort != INT for s in free(g)))
    base = tuple(dict.fromkeys((*bounds, *parameters)))
    by_size: dict[Sym, list[Term]] = {}
    joint = []
    for c in asked:
        symbols = [s for s in free(c) if s.sort == INT]
        if len(symbols) == 1 and free(c) == set(symbols):
            by_size.setdefault(symbols[0], []).append(c)
        else:
            joint.append(c)
    alone = [part for s in wiring.symbols if s in by_size for part in of_one(s, by_size[s], base)]
    condition = (*alone, *independent(tuple(joint), (*base, *alone)))
    return Accepts(
        condition,
        follows((*base, *asked), condition),
        follows((*base, *condition), asked),
    )


def wanted(node: Node) -> Iterator[Term]:
    return (d.condition for d in demands(node) if not is_plainly_true(d.condition))


def follows(given: Terms, conditions: Terms) -> Status:
    """Whether conditions follow, as a theorem; what contradicts itself has no sizes to speak of."""
    status = found(demand("sizes", tuple(dict.fromkeys(given)), conditions)).status
    return Status.PROVED if status == Status.VACUOUS else status


def independent(conditions: Terms, known: Terms) -> Terms:
    """Without those that follow from what is known, and from one another."""
    kept = list(conditions)
    for c in conditions:
        rest = [k for k in kept if k is not c]
        if found(demand("sizes", (*known, *rest), (c,))).status == Status.PROVED:
            kept = rest
    return tuple(kept)


def of_one(symbol: Sym, conditions: list[Term], base: Terms) -> Terms:
    """Conditions on one size as a bound and a remainder, if that is what they come to."""
    is_admitted = admits(tuple(conditions))
    taken = [n for n in range(LOOKED_AT) if is_admitted({symbol: n})]
    guessed = guess(symbol, set(taken))
    if guessed is not None and follows((*base, *conditions), guessed) == Status.PROVED:
        return guessed
    return independent(tuple(conditions), base)


def guess(symbol: Sym, taken: set[int]) -> Terms | None:
    """`n ≥ 5`, `2 | n` and the like, with single sizes below the bound if there are some."""
    if not taken:
        return None
    for period in PERIODS:
        start = regular_from(taken, period)
        if start > LOOKED_AT // 2:
            continue
        rest = sorted({n % period for n in taken if n >= start})
        single = sorted(n for n in taken if n < start)
        low = min((n for n in taken if n >= start), default=None)
        if low is None:
            return (t.Or(*(t.Eq(symbol, n) for n in single)),)
        regular = [t.Ge(symbol, low), *residue(symbol, period, rest)]
        if not single:
            return tuple(c for c in regular if c != t.Ge(symbol, 0))
        return (t.Or(*(t.Eq(symbol, n) for n in single), t.And(*regular)),)
    return None


def regular_from(taken: set[int], period: int) -> int:
    """From where on a size is taken just if the one a period later is, as far as was looked."""
    differ = (n for n in range(LOOKED_AT - period) if (n in taken) != (n + period in taken))
    return max(differ, default=-1) + 1


def residue(symbol: Sym, period: int, rest: list[int]) -> Terms:
    if len(rest) == period:
        return ()
    if rest == [0]:
        return (t.Divides(period, symbol),)
    each = [t.Eq(t.Mod(symbol, period), r) for r in rest]
    return (each[0] if len(each) == 1 else t.Or(*each),)
