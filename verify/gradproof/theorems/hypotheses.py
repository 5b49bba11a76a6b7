"""What a theorem assumes of arrays: their sizes, and what is required of their values. Trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy

from gradproof.language import terms as t
from gradproof.language.ops import Op
from gradproof.language.requirements import about_values, spans_of
from gradproof.language.substitution import free, mentioned, union
from gradproof.language.terms import Sym, Term
from gradproof.theorems.definedness import needs
from gradproof.theorems.sequents import Sequent, Theorem

SHAPES = "sizes: inputs at least 0"


def with_shapes(op: Op, theorem: Theorem) -> Theorem:
    """The theorem with what it assumes of arrays: that no size of an operand is below 0.

    A size that is a symbol is declared to be one. Of one that is computed it is a theorem, on which
    rests what assumes it. Left out are sizes that have nothing to do with the theorem; those of the
    output are the op's to show.
    """
    theorem = with_requirements(op, theorem)
    computed = () if is_of_sizes(theorem) else computed_sizes(op)
    if computed and theorem.kind != "satisfiable":
        theorem = replace(theorem, rests_on=tuple(dict.fromkeys((SHAPES, *theorem.rests_on))))
    spoken = theorem.symbols | union(map(mentioned, computed))
    named = (d for a in op.operands for d in a.dims if isinstance(d, Sym) and d in spoken)
    clauses = [c for g in theorem.given for c in t.conjuncts(g)]
    sizes = dict.fromkeys((*named, *computed))
    bounds = (at_least_0(d) for d in sizes if not any(is_bound(c, d) for c in clauses))
    return replace(theorem, given=(*theorem.given, *bounds))


def shapes_of(op: Op) -> Iterator[Theorem]:
    """That no size of an operand that is computed is below 0, where these have values."""
    if computed := computed_sizes(op):
        conditions = [t.relation(t.Ge, d, 0) for d in computed]
        sequents = tuple(
            Sequent((), tuple(valued(d)), c) for d, c in zip(computed, conditions, strict=True)
        )
        shown = "; ".join(map(str, conditions))
        yield Theorem(SHAPES, "defined", shown, op.requires, sequents, equation="sizes")


def computed_sizes(op: Op) -> tuple[Term, ...]:
    """What operands have as sizes beside symbols, which are named, and numbers."""
    sizes = (d for a in op.operands for d in a.dims)
    return tuple(dict.fromkeys(d for d in sizes if free(d) and not isinstance(d, Sym)))


def is_of_sizes(theorem: Theorem) -> bool:
    """Whether it says that sizes have values, or are sizes: then it does not assume it."""
    return (theorem.kind, theorem.equation) == ("defined", "sizes")


def with_requirements(op: Op, theorem: Theorem) -> Theorem:
    """The theorem with what is required of values as hypotheses of the sequents that read them.

    What that needs itself, to have a value, is asked under what stands before it.
    """
    values = (*spans_of(op.operands), *(op.closed(c) for c in theorem.given if about_values(c)))
    if not values:
        return theorem
    given = tuple(c for c in theorem.given if not about_values(c))
    sequents, local = theorem.sequents, theorem.local
    if theorem.equation != "sizes":
        sequents = tuple(under(s, values, theorem.kind == "satisfiable") for s in sequents)
        local = tuple(under(s, values, False) for s in local)
    return replace(theorem, given=given, sequents=sequents, local=local)


def under(sequent: Sequent, values: tuple[Term, ...], all_of_them: bool) -> Sequent:
    """A sequent under clauses about arrays that it reads."""
    said = t.And(*sequent.when, sequent.then, *(e for _, *ends in sequent.over for e in ends))
    read = t.arrays(said).union(*map(t.arrays, sequent.where)) | {
        a for u in t.walk(said) if isinstance(u, t.Linear) for a in u.by
    }
    chosen = (v for v in values if all_of_them or t.arrays(v) & read)
    return replace(sequent, when=tuple(dict.fromkeys((*chosen, *sequent.when))))


def at_least_0(size: Term) -> Term:
    """That a size is not below 0, where it has a value."""
    has_none = [t.Not(said) for said in valued(size)]
    bound = t.relation(t.Ge, size, 0)
    return t.Or(*has_none, bound) if has_none else bound


def valued(size: Term) -> Iterator[Term]:
    """That a size, which binds nothing, has a value."""
    for _, _, when, then in needs(size, (), ()):
        yield t.Or(t.Not(t.And(*when)), then) if when else then


def is_bound(clause: Term, size: Term) -> bool:
    """Whether it says that a size is at least 0, or more."""
    least = clause.condition if isinstance(clause, t.AllAxes) else clause
    if not isinstance(least, t.Ge) or least.left != size:
        return False
    return isinstance(least.right, sympy.Integer) and bool(least.right >= 0)
