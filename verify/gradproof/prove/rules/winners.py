"""Which place of a window has its maximum, and that there is one such place. Trusted."""

from __future__ import annotations

from dataclasses import replace

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import Term, Terms
from gradproof.prove.rules.aligning import align_window
from gradproof.prove.rules.binders import solved_for, without_quantifier
from gradproof.prove.rules.entailment import Context
from gradproof.prove.rules.monomials import polynomial, tidy_reads, tidy_relation
from gradproof.prove.rules.normal import Product, replace_symbols, with_facts
from gradproof.prove.rules.smt import canonical


def is_nested(window: Term) -> bool:
    """A maximum in the body becomes a winner when it is compared."""
    return t.mentions(window, t.Winner) or t.mentions(window.body, t.Maximum)


def untied(context: Context, guard: Term, extra: Terms) -> Term:
    """Where the winner is unique, the first and the last are the one that has the maximum.

    A window of one place has no other.
    """
    if not isinstance(guard, t.Winner):
        return guard
    facts = with_facts(guard, context.fresh)[1:]
    if not any(polynomial(t.plus(last, t.minus(first))) for _, first, last in guard.ranges):
        return t.And(*facts)
    window = t.Maximum(guard.body, guard.args[1], 0, *guard.ranges)
    if is_unique(context, window, extra):
        return t.And(*facts, has_maximum(guard, context.fresh))
    return t.And(*facts) if has_one_place(context, guard, extra) else guard


def is_unique(context: Context, window: Term, extra: Terms) -> bool:
    """Whether a hypothesis says that this maximum has one winner.

    To compare bodies with winners in them would ask of those the same again.
    """
    for h in context.hypotheses:
        reached, said = t.implication(h)
        if isinstance(said, t.Unique) and context.entails(t.And(*reached), extra):
            known = t.Maximum(said.body, said.args[1], window.args[2], *said.ranges)
            nested = is_nested(window) or is_nested(known)
            alike = canonical(window) == canonical(known)
            if alike or (not nested and context.agree(window, known, extra)):
                return True
    return False


def has_one_place(context: Context, guard: Term, extra: Terms) -> bool:
    """Whether the places that count are those of a maximum that has one winner."""
    guard = align_window(guard, context.fresh)
    conditions = t.conjuncts(guard.args[1])
    for condition in conditions:
        if isinstance(condition, t.Eq) and isinstance(condition.args[1], t.Maximum):
            value, m = condition.args
            others = t.And(*(c for c in conditions if c is not condition))
            valid = others if m.args[1] != t.And() else t.And()
            window = t.Maximum(value, valid, m.args[2], *guard.ranges)
            if context.agree(window, m, extra) and is_unique(context, m, extra):
                return True
    return False


def as_winner(context: Context, product: Product, guard: Term, extra: Terms) -> Term | None:
    """`x[j] = max` for a place of the window is "j is the winner", if there is one."""
    reads = isinstance(guard, t.Eq) and isinstance(guard.args[0], t.Read)
    if not reads or not isinstance(guard.args[1], t.Maximum):
        return None
    cell, m = guard.args[0], align_window(guard.args[1], context.fresh)
    if not isinstance(m.body, t.Read) or m.body.array != cell.array:
        return None
    where = dict(zip(m.body.index, cell.index, strict=True))
    if any(symbol not in where for symbol, _, _ in m.ranges):
        return None
    if any(t.is_bundle(where[symbol]) != symbol.is_bundle for symbol, _, _ in m.ranges):
        return None
    places = sympy.Tuple(*(where[symbol] for symbol, _, _ in m.ranges))
    winner = t.Winner(m.body, m.args[1], Str("first"), places, *m.ranges)
    value, _ = has_maximum(winner, context.fresh).args
    facts = with_facts(winner, context.fresh)[1:]
    rest = tuple(g for g in product.guards if g is not guard)
    same = value == cell and context.entails(t.And(*facts), (*extra, *rest))
    return winner if same and is_unique(context, m, (*extra, *rest)) else None


def one_winner(context: Context, product: Product, extra: Terms) -> Product | None:
    """`Σ_j [j is the first winner]` is 1 if the window has a valid place, and 0 if not."""
    for guard in product.guards:
        winner = as_winner(context, product, guard, extra)
        if winner is not None:
            guards = tuple(winner if g is guard else g for g in product.guards)
            product, guard = replace(product, guards=guards), winner
        decided = isinstance(guard, t.Winner) and str(guard.args[2]) != "any"
        moved = at_binders(product, guard, context.fresh) if decided else None
        if moved is None:
            continue
        there, winner = moved
        places = set(winner.args[3])
        if free(t.Unique(winner.body, winner.args[1], *winner.ranges)) & places:
            continue
        facts = with_facts(winner, context.fresh)
        kept = tuple(g for g in there.guards if not free(g) & places)
        loose = t.And(*(g for g in there.guards if free(g) & places and g not in facts))
        if any(free(f) & places for f in there.factors) or not context.entails(
            loose, (*extra, *kept, *facts[1:])
        ):
            continue
        some = without_quantifier(t.Exists(winner.args[1], *winner.ranges))
        binders = tuple(b for b in there.binders if b not in places)
        return Product(binders, (*kept, *t.conjuncts(some)), there.factors)
    return None


def at_binders(product: Product, guard: Term, fresh: Fresh) -> tuple[Product, Term] | None:
    """The product with binders renamed so that the winner's places are binders."""
    names = [fresh(symbol) for symbol, _, _ in guard.ranges]
    values = {}
    for name, place in zip(names, guard.args[3], strict=True):
        solutions = (
            (b, solved_for(t.Eq(place, name), b, lambda *_: False, False)) for b in product.binders
        )
        found = next(((b, s[0]) for b, s in solutions if s is not None and b not in values), None)
        if found is None:
            return None
        values[found[0]] = found[1]
    if any(free(value) & set(values) for value in values.values()):
        return None
    moved = replace_symbols(product, values, fresh)
    moved = Product((*moved.binders, *names), moved.guards, moved.factors)
    index = product.guards.index(guard)
    winner = moved.guards[index]
    tidied = t.rebuild(winner, [*winner.args[:3], sympy.Tuple(*names), *winner.args[4:]])
    guards = tuple(tidied if g is winner else tidy_relation(g) for g in moved.guards)
    return replace(moved, guards=guards), tidied


def as_equality(winner: Term, fresh: Fresh) -> Term:
    """A place is a winner if it is of the window and its value is the maximum."""
    first, *facts = with_facts(winner, fresh)
    return t.And(*facts, has_maximum(first, fresh))


def has_maximum(winner: Term, fresh: Fresh) -> Term:
    names = {r[0]: place for r, place in zip(winner.ranges, winner.args[3], strict=True)}
    value = tidy_reads(substitute(winner.body, names, fresh))
    return t.Eq(value, t.Maximum(winner.body, winner.args[1], 0, *winner.ranges))
