"""The rules by which a sum's binders go: one point, an interval, another name. Trusted."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free
from gradproof.language.terms import INT, Sym, Term, Terms, is_bundle, sort_of
from gradproof.prove.rules.monomials import linear, polynomial, tidy, tidy_reads, tidy_relation
from gradproof.prove.rules.normal import Entails, Product, replace_symbols


def eliminate(product: Product, entails: Entails, fresh: Fresh, symbolic: bool = False) -> Product:
    """Removes every binder that a guard determines; with `symbolic`, also `a·w = r` for `a ≠ 0`."""
    for guard in product.guards:
        for binder in product.binders:
            solved = solved_for(guard, binder, entails, symbolic)
            if solved is not None:
                value, conditions = solved
                rest = tuple(g for g in product.guards if g is not guard) + conditions
                reduced = replace_symbols(replace(product, guards=rest), {binder: value}, fresh)
                return eliminate(reduced, entails, fresh, symbolic)
    for binder in product.binders:
        only = pinned(product, binder)
        if only is not None:
            reduced = replace_symbols(product, {binder: only}, fresh)
            return eliminate(reduced, entails, fresh, symbolic)
    return product


def pinned(product: Product, binder: Sym) -> Term | None:
    """The binder's value where its range has one place."""
    ends = [b for g in product.guards if (b := bound(g, binder)) is not None]
    lower = [e for e, is_lower in ends if is_lower]
    upper = [e for e, is_lower in ends if not is_lower]
    return next((a for a in lower for b in upper if not polynomial(a - b)), None)


def solved_for(
    guard: Term, binder: Sym, entails: Entails, symbolic: bool
) -> tuple[Term, Terms] | None:
    """The one value of the binder at which the guard can hold, and when that is a whole number."""
    inner = guard.args[0] if isinstance(guard, t.AllAxes) else guard
    if not isinstance(inner, t.Eq) or any(sort_of(a) != INT for a in inner.args):
        return None
    if binder not in free(inner) or is_bundle(inner) != binder.is_bundle:
        return None
    found = linear(inner.args[0] - inner.args[1], binder)
    if found is None:
        return None
    a, rest = found
    if a in (1, -1):
        return tidy(t.Mul(-int(a), rest)), ()
    if symbolic and entails(t.Ne(a, 0), ()):
        above = tidy(t.Mul(-1, rest))
        return t.FloorDiv(above, a), (t.Divides(a, above),)
    return None


def aligned(product: Product, fresh: Fresh) -> Product:
    """Each binder counts cells of an array where it can: `Σ_w x[s·o + w]` as `Σ_i x[i]`."""
    for binder in product.binders:
        reads = [u for f in product.factors for u in t.walk(f) if isinstance(u, t.Read)]
        reads.sort(key=lambda r: r.array.name)
        index = [e for r in reads for e in r.index if binder in free(e)]
        if not index or index[0] is binder:
            continue
        name = fresh(binder)
        solved = solved_for(t.Eq(index[0], name), binder, lambda *_: False, False)
        known = {name}.union(*map(free, (*product.guards, *product.factors)))
        if solved is not None and free(solved[0]) <= known:
            moved = replace_symbols(product, {binder: solved[0]}, fresh)
            guards = tuple(tidy_relation(g) for g in moved.guards)
            factors = tuple(tidy_reads(f) for f in moved.factors)
            product = Product((*moved.binders, name), guards, factors)
    return product


def signature(product: Product, binder: Sym) -> tuple[bool, tuple[tuple[str, int], ...]]:
    """Where the binder alone is an index: two sums that are equal use theirs alike."""
    reads = (u for f in product.factors for u in t.walk(f) if isinstance(u, t.Read))
    places = {
        (r.array.name, position) for r in reads for position, e in enumerate(r.index) if e is binder
    }
    return (binder.is_bundle, tuple(sorted(places)))


def merged(product: Product, fresh: Fresh) -> Product:
    """With one name where a guard says that two symbols are equal."""
    for guard in product.guards:
        inner = guard.args[0] if isinstance(guard, t.AllAxes) else guard
        if not isinstance(inner, t.Eq) or not all(isinstance(a, Sym) for a in inner.args):
            continue
        kept, gone = sorted(inner.args, key=str)
        others = [u for u in (*product.guards, *product.factors) if u is not guard]
        alike = kept.sort == gone.sort and kept.is_bundle == gone.is_bundle
        if alike and kept is not gone and any(gone in free(u) for u in others):
            renamed = replace_symbols(product, {gone: kept}, fresh)
            index = product.guards.index(guard)
            guards = (*renamed.guards[:index], guard, *renamed.guards[index + 1 :])
            return merged(Product(product.binders, guards, renamed.factors), fresh)
    return product


def with_counts(product: Product, fresh: Fresh) -> Product:
    """Sums out every binder that no factor mentions and whose guards are an interval."""
    for binder in product.binders:
        used = [g for g in product.guards if binder in free(g)]
        bounds = [bound(g, binder) for g in used]
        if any(binder in free(f) for f in product.factors) or None in bounds:
            continue
        lower = [e for e, is_lower in bounds if is_lower]  # type: ignore[misc]  # no None left
        upper = [e for e, is_lower in bounds if not is_lower]  # type: ignore[misc]  # likewise
        if not lower or not upper:
            continue
        number = t.Max(0, t.Min(*upper) - t.Max(*lower) + 1)
        factor = t.AxisProduct(number) if binder.is_bundle else number
        kept = tuple(g for g in product.guards if g not in used)
        others = tuple(b for b in product.binders if b != binder)
        return with_counts(Product(others, kept, (*product.factors, factor)), fresh)
    return product


@t.remembered
def without_quantifier(condition: Term) -> Term:
    """∃ over an interval says that no lower end is above an upper end."""
    parts = [*t.conjuncts(condition.body), *t.domain(condition.ranges)]
    for binder, _, _ in reversed(condition.ranges):
        ends = [bound(g, binder) for g in parts if binder in free(g)]
        if None in ends:
            return condition
        lower = [e for e, is_lower in ends if is_lower]  # type: ignore[misc]  # no None left
        upper = [e for e, is_lower in ends if not is_lower]  # type: ignore[misc]  # likewise
        parts = [g for g in parts if binder not in free(g)]
        parts += [t.relation(t.Le, a, b) for a in lower for b in upper]
    return t.And(*parts)


@lru_cache(maxsize=20_000)
def bound(guard: Term, binder: Sym) -> tuple[Term, bool] | None:
    """A guard as `e ≤ binder` (True) or `binder ≤ e` (False)."""
    if binder not in free(guard):
        return None
    inner = guard.args[0] if isinstance(guard, t.AllAxes) else guard
    if isinstance(inner, t.Ge | t.Gt):
        inner = (t.Le if isinstance(inner, t.Ge) else t.Lt)(inner.args[1], inner.args[0])
    if not isinstance(inner, t.Le | t.Lt) or is_bundle(inner) != binder.is_bundle:
        return None
    low, high = inner.args
    found = linear(low - high, binder) if sort_of(low) == sort_of(high) == INT else None
    if found is None or found[0] not in (1, -1):
        return None
    strict = 1 if isinstance(inner, t.Lt) else 0
    a, rest = found
    return (tidy(t.Mul(-1, rest) - strict), False) if a == 1 else (tidy(rest + strict), True)
