"""What an op's equations say at a place, and by which names. Trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gradproof.language import terms as t
from gradproof.language.ops import Op, replace_reads, target_of, value_at
from gradproof.language.substitution import Fresh
from gradproof.language.systems import needed_by, recurrences
from gradproof.language.terms import Array, Sym, Term, Triple
from gradproof.theorems.sequents import Sequent

Triples = tuple[Triple, ...]


def values_in(op: Op, sequent: Sequent) -> tuple[Term, ...]:
    """The equations of what the op computes, by which values may be replaced."""
    return needed_by(sequent.terms, op.system)


def is_plain(op: Op) -> bool:
    """Whether every rule speaks of inputs and of one output alone."""
    pulled = {target_of(rule).array.of for rule in op.vjp}
    alone = len(op.system) == 1 and len(op.jvps) < 2 and not op.is_recurrent
    return alone and op.output.name not in pulled


def stated_of(op: Op, sequent: Sequent) -> Sequent:
    return without_computed(op, sequent, op.computed) if is_plain(op) else sequent


def without_computed(op: Op, sequent: Sequent, own: tuple[Array, ...]) -> Sequent:
    """The sequent with what their equations say in place of the op's own arrays."""
    said = (*(end for _, *ends in sequent.over for end in ends), *sequent.when, sequent.then)
    if all(t.arrays(term).isdisjoint(own) for term in said):
        return sequent
    fresh = Fresh(*op.equations.values(), *sequent.hypotheses, sequent.then)
    return sequent.mapped(lambda term: inlined(op, term, own, fresh))


def index_names(op: Op, x: Array, fresh: Fresh) -> tuple[Sym, ...]:
    """Names for a cell of x: those of its cotangent's rule."""
    rule = next((r for r in op.vjp if target_of(r).array.of == x.name), None)
    if rule is not None:
        return named_place(rule, fresh)
    return tuple(fresh(Sym("i", t.INT, t.is_bundle(n))) for n in x.dims)


def named_place(rule: Term, fresh: Fresh) -> tuple[Sym, ...]:
    """A place of the array that a rule defines, in the names of its index."""
    place = target_of(rule)
    ranges = () if isinstance(rule, t.Eq) else tuple(symbol for symbol, _, _ in rule.ranges)
    names = (e.name if isinstance(e, Sym) else axis_name(e, ranges) for e in place.index)
    return tuple(
        fresh(Sym(name, t.INT, t.is_bundle(n)))
        for name, n in zip(names, place.array.dims, strict=True)
    )


def outside_loops(term: Term) -> frozenset[Term]:
    if isinstance(term, Sym | t.Fold):
        return frozenset() if isinstance(term, t.Fold) else frozenset((term,))
    return frozenset().union(*map(outside_loops, term.args))


def axis_name(index: Term, ranges: Iterable[Sym]) -> str:
    """`iH` for an index made of `oH` and `jH`."""
    endings = {s.name[1:] for s in ranges if s in outside_loops(index)}
    (ending,) = endings if len(endings) == 1 else ("",)
    return f"i{ending}" if ending[:1].isupper() else "i"


def inlined(op: Op, term: Term, defined: tuple[Array, ...], fresh: Fresh) -> Term:
    """The term with reads of the op's own arrays replaced by what their equations say."""
    if t.arrays(term).isdisjoint(defined):
        return term

    def find(read: t.Read) -> Callable[..., Term] | None:
        if read.array not in defined:
            return None
        rule = op.rule(read.array.name)
        return lambda *index: inlined(op, value_at(rule, index, fresh), defined, fresh)

    return replace_reads(term, find, fresh)


def recurrent(op: Op) -> bool:
    return any(map(recurrences, (op.system, op.jvps, op.vjp)))
