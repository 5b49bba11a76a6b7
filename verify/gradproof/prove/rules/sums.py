"""Equality of real terms, as sums of guarded products that pair off. Trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import permutations
from itertools import product as product_of
from typing import Any

import sympy
from sympy.core.symbol import Str

from gradproof.language import terms as t
from gradproof.language.counting import as_count
from gradproof.language.substitution import bound_by, free, substitute
from gradproof.language.terms import BOOL, INT, Term, Terms, sort_of
from gradproof.prove.rules.aligning import align_window
from gradproof.prove.rules.axes import one_axis
from gradproof.prove.rules.binders import aligned, eliminate, merged, signature, with_counts
from gradproof.prove.rules.entailment import Context
from gradproof.prove.rules.normal import (
    Entails,
    Product,
    expand,
    has_window,
    is_atom,
    is_composite,
    is_inverse,
    replace_symbols,
    scaled,
)
from gradproof.prove.rules.powers import (
    CANCELLING,
    Step,
    as_power,
    is_exponential,
    lowest,
    parted,
    power,
    powers_of_one_base,
    root_of_a_product,
)
from gradproof.prove.rules.products import has_product, same_product
from gradproof.prove.rules.rounding import exact, parted_guards, unrounded
from gradproof.prove.rules.signs import is_inhabited, is_positive
from gradproof.prove.rules.smt import canonical
from gradproof.prove.rules.winners import has_maximum, one_winner, untied

MOST_UNMATCHED = 4  # binders that are paired in every order where their use tells nothing


class Sums(Context):
    """What follows from hypotheses, equalities of sums included."""

    def reduced(self, term: Term, extra: Terms) -> tuple[Product, ...]:
        return tuple(self.unit(p, extra) for p in expand(term, self.fresh))

    def unit(self, product: Product, extra: Terms) -> Product:
        """One-point rule for coefficients ±1."""
        entailed = self.entailed(extra)
        guards = exact(parted_guards(product.guards, entailed), entailed)
        product = replace(product, guards=guards)
        return self.simplified(eliminate(product, entailed, self.fresh), extra)

    def divided(self, product: Product, extra: Terms) -> Product:
        """One-point rule for any coefficient that is not 0, with its divisibility condition."""
        return self.simplified(eliminate(product, self.entailed(extra), self.fresh, True), extra)

    def counted(self, product: Product, extra: Terms) -> Product:
        """Sums of 1 over an interval."""
        return self.simplified(with_counts(product, self.fresh), extra)

    def aligned(self, product: Product, extra: Terms) -> Product:
        """Sums over windows as sums over cells."""
        return self.simplified(aligned(product, self.fresh), extra)

    def totalled(self, product: Product, extra: Terms) -> Product:
        """Sums of parts of a total, and sums over the one place that a selection picks."""
        picked = one_winner(self, product, extra)
        if picked is not None:
            product = self.simplified(picked, extra)
        for factor in product.factors:
            if is_inverse(factor) and isinstance(factor.args[1], t.Sum):
                left = self.without_total(product, factor, extra)
                if left is not None:
                    return self.totalled(left, extra)
                if self.is_one(factor.args[1], (*extra, *product.guards)):
                    rest = list(product.factors)
                    rest.remove(factor)
                    return self.totalled(replace(product, factors=tuple(rest)), extra)
        return product

    def is_one(self, total: Term, extra: Terms) -> bool:
        parts = tuple(self.totalled(p, extra) for p in self.reduced(total, extra))
        return self.match(parts, (Product(),), extra)

    def without_total(self, product: Product, factor: Term, extra: Terms) -> Product | None:
        """`Σ_w f(w) · 1/S` is 1 where `S = Σ_w f(w)` is not 0."""
        total = factor.args[1]
        bound = tuple(b for b in product.binders if b not in free(total))
        if not bound or not is_positive(self, total, (*extra, *outside(product, bound))):
            return None
        rest = list(product.factors)
        rest.remove(factor)
        left = replace(product, factors=tuple(rest))
        parts = together(left, bound)
        for part in (bound, *parts) if len(parts) > 1 else (bound,):
            inner, kept = parted_by_binders(left, part)
            context = (*extra, *kept.guards)
            whole = [self.aligned(p, context) for p in self.reduced(total, context)]
            if self.match(whole, (inner,), context):
                return kept
        return None

    def entailed(self, extra: Terms) -> Entails:
        return lambda goal, more: self.entails(goal, (*extra, *more))

    def simplified(self, product: Product, extra: Terms) -> Product:
        product = merged(product, self.fresh)
        product = chosen(product, self.said_there(product, extra))
        # Nothing that is itself rewritten is assumed: two winners could vouch for each other.
        plain = tuple(g for g in product.guards if not t.mentions(g, t.Winner))
        found = (untied(self, g, (*extra, *plain)) for g in product.guards)
        settled = (c for g in found for c in t.conjuncts(g))
        rounded = unrounded(settled, self.entailed(extra))
        guards = {canonical(g): g for g in reversed(rounded)}
        product = replace(product, guards=tuple(reversed(guards.values())))
        return self.cancelled(product, (*extra, *product.guards))

    def cancelled(self, product: Product, extra: Terms) -> Product:
        """Without pairs `f · 1/f`, where `f ≠ 0`; and with its numbers multiplied."""
        number = sympy.Integer(1)
        factors: list[Term] = []
        for factor in self.powers(product.factors, extra):
            if isinstance(factor, sympy.Rational):
                number *= factor
                continue
            partner = next((f for f in factors if self.cancels(f, factor, extra)), None)
            if partner is None:
                factors.append(factor)
            else:
                factors.remove(partner)
        return replace(product, factors=(*([number] if number != 1 else []), *factors))

    def powers(self, factors: Terms, extra: Terms) -> Terms:
        """`v^a · v^b` as `v^(a + b)`, where `v > 0` and some power of v is written `e^u`."""
        if not any(map(is_exponential, factors)):
            return factors
        factors = tuple(u for f in factors for u in self.roots(f, extra))
        for key in dict.fromkeys(canonical(as_power(f)[0]) for f in factors if is_exponential(f)):
            alike = tuple(f for f in factors if canonical(as_power(f)[0]) == key)
            step = powers_of_one_base(*alike)
            if step and self.holds(step, extra):
                factors = (*(f for f in factors if f not in alike), *step.conclusion)
        return factors

    def roots(self, factor: Term, extra: Terms) -> Terms:
        """`(v·w)^a` as `v^a · w^a` where v and w are above 0, and `e^u` with u reduced."""
        step = root_of_a_product(factor)
        if step and self.holds(step, extra):
            return step.conclusion
        base, exponent = as_power(factor)
        if isinstance(base, t.Exp) and t.mentions(base.inner, t.Exp):
            whole = self.reduced(base.inner, extra)
            if not any(p.binders or p.guards for p in whole):
                sums = [t.Mul(exponent, *p.factors) for p in whole]
                return tuple(f for u in sums for f in power(*as_power(t.Exp(u))))
        return (factor,)

    def cancels(self, a: Term, b: Term, extra: Terms) -> bool:
        a, b = (b, a) if is_inverse(a) else (a, b)
        if is_inverse(a) or not is_inverse(b):
            return False
        steps = (rule(a, b.args[1]) for rule in CANCELLING.values())
        return any(step and self.holds(step, extra) for step in steps)

    def holds(self, step: Step, extra: Terms) -> bool:
        return all(self.shown(premise, extra) for premise in step.premises)

    def shown(self, premise: Term, extra: Terms) -> bool:
        if isinstance(premise, t.Gt):
            return is_positive(self, premise.args[0], extra)
        return self.entails(premise, extra)

    # Congruence: two sums are equal if their products pair off, domain by domain, factor by factor,
    # and if what is left over cancels.

    def match(self, left: Iterable[Product], right: Iterable[Product], extra: Terms) -> bool:
        rest = list(right)
        alone = []
        for p in left:
            partner = next((q for q in rest if self.agree_products(p, q, extra)), None)
            if partner is None:
                alone.append(scaled(p))
            else:
                rest.remove(partner)
        return self.cancel_out(alone + [scaled(q, -1) for q in rest], extra)

    def cancel_out(self, scaled: list[tuple[Term, Product]], extra: Terms) -> bool:
        """Whether multiples of products add up to 0, like products taken together."""
        while scaled:
            (total, first), *rest = scaled
            scaled = []
            for number, p in rest:
                if may_be_like(first, p) and self.agree_products(first, p, extra):
                    total += number
                else:
                    scaled.append((number, p))
            if total and not self.impossible(first, extra):
                return False
        return True

    def cleared(self, scaled: list[tuple[Term, Product]], extra: Terms) -> bool:
        """Whether multiples of products add up to 0 once they are multiplied by what divides them.

        Powers of one base are made whole and then written out; those whose exponents do not differ
        by a whole number must add up to 0 by themselves.
        """
        base = self.divisor(scaled, extra)
        if base is None:
            return self.cancel_out(scaled, extra)
        split = [(number, *parted(p, base)) for number, p in scaled]
        return all(
            self.cleared(
                [
                    part
                    for number, p, e in split
                    if (e - low).is_integer
                    for part in self.raised(number, p, base, int(e - low), extra)
                ],
                extra,
            )
            for low in lowest(e for _, _, e in split)
        )

    def divisor(self, scaled: list[tuple[Term, Product]], extra: Terms) -> Term | None:
        """A sum above 0, the same for all products, of which a power is a factor."""
        bound = {binder for _, product in scaled for binder in product.binders}
        for base in (as_power(f)[0] for _, product in scaled for f in product.factors):
            loose = is_composite(base) and not free(base) & bound
            if loose and is_positive(self, base, extra):
                return base
        return None

    def raised(
        self, number: Term, product: Product, base: Term, times: int, extra: Terms
    ) -> Iterator[tuple[Term, Product]]:
        """A multiple of a product times a whole power of a sum, written out."""
        for part in expand(t.Mul(*[base] * times), self.fresh) if times else (Product(),):
            found = product.times(part)
            for step in (self.unit, self.divided, self.counted, self.aligned):
                found = step(found, extra)
            factor, rest = scaled(found)
            yield number * factor, rest

    def impossible(self, product: Product, extra: Terms) -> bool:
        winners = [g for g in product.guards if isinstance(g, t.Winner)]
        said = self.said_there(product, extra)
        known = (*said, *product.guards, *(has_maximum(w, self.fresh) for w in winners))
        if self.entails(t.Or(), known):
            return True
        return has_window(t.And(*product.guards)) and self.entails_opaquely(t.Or(), known)

    def said_there(self, product: Product, extra: Terms) -> Terms:
        """What is known, also by the other name where a guard says that two symbols are equal.

        Arithmetic takes a sum for a number of its own under each name.
        """
        if not any(map(has_window, extra)):
            return extra
        pairs = (g.args for g in product.guards if isinstance(g, t.Eq))
        names = {a: b for a, b in map(sorted_by_name, pairs) if isinstance(a, t.Sym)}
        again = (substitute(e, names, self.fresh) for e in extra if free(e) & names.keys())
        return (*extra, *again)

    def agree_products(self, p: Product, q: Product, extra: Terms) -> bool:
        if len(p.binders) != len(q.binders):
            return False
        for order in pairings(p, q):
            renamed = replace_symbols(q, dict(zip(q.binders, order, strict=True)), self.fresh)
            if self.agree_guards(p.guards, renamed.guards, extra) and self.agree_factors(
                p.factors, renamed.factors, (*extra, *p.guards)
            ):
                return True
        return False

    def agree_guards(self, p: Terms, q: Terms, extra: Terms) -> bool:
        plain_p, mixed_p = self.split(p)
        plain_q, mixed_q = self.split(q)
        missing = [g for g in plain_q if g not in plain_p]
        surplus = [g for g in plain_p if g not in plain_q]
        if missing and not self.entails(t.And(*missing), (*extra, *plain_p)):
            return False
        if surplus and not self.entails(t.And(*surplus), (*extra, *plain_q)):
            return False
        context = (*extra, *plain_p)
        if pair_off(mixed_p, mixed_q, lambda a, b: self.agree(a, b, context)):
            return True
        return self.say_the_same(mixed_p, mixed_q, context)

    def say_the_same(self, p: list[Term], q: list[Term], extra: Terms) -> bool:
        """Whether conditions follow from each other, whatever the sums in them are."""
        if self.generic or any(t.mentions(g, t.Maximum, t.Winner, t.Unique) for g in (*p, *q)):
            return False
        return self.entails(t.And(*q), (*extra, *p)) and self.entails(t.And(*p), (*extra, *q))

    def split(self, guards: Iterable[Term]) -> tuple[list[Term], list[Term]]:
        """Guards that Z3 can be asked about, and those that only compare as they stand."""
        plain: list[Term] = []
        mixed: list[Term] = []
        for g in guards:
            (plain if self.is_plain(g) else mixed).append(g)
        return plain, mixed

    def agree_factors(self, p: Terms, q: Terms, extra: Terms) -> bool:
        left, right = list(p), list(q)
        for a in p:
            partner = next((b for b in right if self.agree(a, b, extra)), None)
            if partner is not None:
                left.remove(a)
                right.remove(partner)
        if (not left and not right) or same_product(self, tuple(left), tuple(right), extra):
            return True
        if self.generic:
            return self.axis_products_agree(left, right, extra)
        return self.entails(t.Eq(t.Mul(*left), t.Mul(*right)), extra)

    def axis_products_agree(self, left: list[Term], right: list[Term], extra: Terms) -> bool:
        """Products over axes are equal if on each axis `above · below' = above' · below`."""
        above = axis_bodies(left, False), axis_bodies(right, False)
        below = axis_bodies(left, True), axis_bodies(right, True)
        if len(above[0]) + len(below[0]) < len(left) or len(above[1]) + len(below[1]) < len(right):
            return False
        nonzero = t.And(*(t.Ne(b, 0) for b in (*below[0], *below[1])))
        crossed = t.Eq(t.Mul(*above[0], *below[1]), t.Mul(*above[1], *below[0]))
        return self.entails(nonzero, extra) and self.entails(crossed, extra)

    def agree(self, a: Term, b: Term, extra: Terms) -> bool:
        """Whether two terms are equal because their parts are."""
        if sort_of(a) != sort_of(b):
            return False
        if a == b or (has_window(a) and canonical(a) == canonical(b)):
            return True
        if isinstance(a, t.Slope):  # of what is equal here the derivatives need not be
            return False
        if sort_of(a) == INT and self.entails(t.Eq(a, b), extra):
            return True
        if sort_of(a) == BOOL and not isinstance(a, t.Binder):
            return self.agree_conditions(a, b, extra)
        if isinstance(a, t.Read) and type(a) is type(b) and a.array == b.array:
            return all(self.agree(*e, extra) for e in zip(a.index, b.index, strict=True))
        if isinstance(a, t.Fold) and isinstance(b, t.Fold):
            one, other = as_count(a), as_count(b)
            if one is None or other is None:
                return False
            return self.agree(one.total, other.total, extra)
        if isinstance(a, t.Binder) and not isinstance(a, t.Sum):
            return self.agree_binders(a, b, extra)
        if isinstance(a, t.Apply) and isinstance(b, t.Apply):
            pairs = zip(a.arguments, b.arguments, strict=True)
            return a.function == b.function and all(self.agree(*e, extra) for e in pairs)
        if is_atom(a) and is_atom(b):
            alike = type(a) is type(b) and isinstance(a, t.Exp | t.Log | t.Div | t.AxisProduct)
            return alike and all(self.agree(*e, extra) for e in zip(a.args, b.args, strict=True))
        if sort_of(a) == INT or not (is_composite(a) or is_composite(b)):
            computed = type(a) is type(b) and has_window(a) and not isinstance(a, t.Read)
            alike = computed and len(a.args) == len(b.args)
            return alike and all(self.agree(*e, extra) for e in zip(a.args, b.args, strict=True))
        return self.match(self.reduced(a, extra), self.reduced(b, extra), extra)

    def same(self, a: Term, b: Term, extra: Terms) -> bool:
        """Whether two real terms are equal once their sums are counted and totals cancelled."""
        left, right = self.reduced(a, extra), self.reduced(b, extra)
        for step in (self.counted, self.aligned, self.totalled):
            left, right = (tuple(step(p, extra) for p in side) for side in (left, right))
        return self.match(left, right, extra)

    def agree_conditions(self, a: Term, b: Term, extra: Terms) -> bool:
        if self.is_plain(a) and self.is_plain(b):
            return self.entails(b, (*extra, a)) and self.entails(a, (*extra, b))
        alike = type(a) is type(b) and 0 < len(a.args) == len(b.args)
        return alike and all(self.agree(*e, extra) for e in zip(a.args, b.args, strict=True))

    def is_plain(self, condition: Term) -> bool:
        decided = not self.generic or one_axis(condition, True) is not None
        return decided and not has_window(condition)

    def agree_binders(self, a: Term, b: Term, extra: Terms) -> bool:
        """Maxima and winners over equal windows of equal bodies."""
        if type(a) is not type(b) or len(a.ranges) != len(b.ranges):
            return False
        a, b = (align_window(u, self.fresh) for u in (a, b))
        names = {v[0]: u[0] for u, v in zip(a.ranges, b.ranges, strict=True)}
        if any(u.is_bundle != v.is_bundle for u, v in names.items()):
            return False
        domain_a = t.domain(a.ranges)
        domain_b = tuple(substitute(c, names, self.fresh) for c in t.domain(b.ranges))
        parts_b = [substitute(u, names, self.fresh) for u in b.args[: b.parts]]
        if isinstance(a, t.Maximum | t.Winner | t.Unique):
            domain_a += t.conjuncts(a.args[1])
            domain_b += t.conjuncts(parts_b[1])
        if not self.agree_guards(domain_a, domain_b, extra):
            return False
        inner = (*extra, *domain_a)
        if not self.agree(a.body, parts_b[0], inner):
            return False
        rest = zip(a.args[2 : a.parts], parts_b[2:], strict=True)
        if all(self.agree_part(u, v, extra) for u, v in rest):
            return True
        # What stands for an empty window is of no account where no window is empty.
        return isinstance(a, t.Maximum) and is_inhabited(self, a, extra, a.args[1])

    def agree_part(self, a: Term, b: Term, extra: Terms) -> bool:
        if isinstance(a, sympy.Tuple):
            return len(a) == len(b) and all(self.agree(*e, extra) for e in zip(a, b, strict=True))
        return bool(a == b) if isinstance(a, Str) else self.agree(a, b, extra)


def sorted_by_name(pair: Terms) -> Terms:
    """The name that goes where two are equal, and the one that stays."""
    return tuple(sorted(pair, key=str, reverse=True))


def chosen(product: Product, extra: Terms) -> Product:
    """With the branch of a choice where its condition, which has a sum in it, is known.

    A guard is judged by what is known beside all guards: two of them could vouch for each other.
    """
    if not any(t.mentions(u, t.If) for u in (*product.guards, *product.factors)):
        return product
    known = frozenset(canonical(c) for c in extra if has_window(c))
    guards = tuple(branch(g, known) for g in product.guards)
    known |= frozenset(canonical(g) for g in (*product.guards, *guards) if has_window(g))
    return Product(product.binders, guards, tuple(branch(f, known) for f in product.factors))


def branch(term: Term, known: frozenset[Term]) -> Term:
    """A term with each choice taken that conditions decide as they stand.

    What is known of a symbol is not known of one of the same name that is bound within.
    """
    if not t.mentions(term, t.If):
        return term
    bound = bound_by(term)
    within = frozenset(c for c in known if free(c).isdisjoint(bound)) if bound else known
    term = t.over_parts(term, lambda u: branch(u, within))
    if not isinstance(term, t.If):
        return term
    if canonical(term.condition) in known:
        return term.then
    return term.otherwise if canonical(t.Not(term.condition)) in known else term


def outside(product: Product, bound: Terms) -> Terms:
    """The guards that say nothing of some binders."""
    return tuple(g for g in product.guards if free(g).isdisjoint(bound))


def together(product: Product, bound: Terms) -> list[Terms]:
    """The binders in groups, which no guard and no factor joins."""
    found: list[Terms] = [(b,) for b in bound]
    for u in (*product.guards, *product.factors):
        joined = [part for part in found if not free(u).isdisjoint(part)]
        if len(joined) > 1:
            found = [part for part in found if part not in joined]
            found.append(tuple(b for part in joined for b in part))
    return found


def parted_by_binders(product: Product, bound: Terms) -> tuple[Product, Product]:
    """`Σ f(w)·g` as the sum over some binders of what mentions them, and the rest."""

    def over(names: Terms, chosen: bool) -> Product:
        guards, factors = (
            tuple(u for u in part if free(u).isdisjoint(bound) != chosen)
            for part in (product.guards, product.factors)
        )
        return Product(names, guards, factors)

    return over(bound, True), over(tuple(b for b in product.binders if b not in bound), False)


def may_be_like(p: Product, q: Product) -> bool:
    """Equal products have as many factors, but where one stands for several."""
    return len(p.factors) == len(q.factors) or any(map(has_product, (*p.factors, *q.factors)))


def pairings(p: Product, q: Product) -> Iterator[Terms]:
    """The orders of p's binders in which they may stand for q's."""
    wanted = [signature(q, b) for b in q.binders]
    have = {b: signature(p, b) for b in p.binders}
    if sorted(map(str, wanted)) != sorted(map(str, have.values())):
        kinds = [b.is_bundle for b in q.binders]
        orders = permutations(p.binders) if len(p.binders) <= MOST_UNMATCHED else ()
        yield from (order for order in orders if [b.is_bundle for b in order] == kinds)
        return
    choices = [[b for b in p.binders if have[b] == w] for w in wanted]
    yield from (order for order in product_of(*choices) if len(set(order)) == len(order))


def axis_bodies(factors: list[Term], inverted: bool) -> list[Term]:
    inner = [f.args[1] for f in factors if is_inverse(f)] if inverted else factors
    return [f.args[0] for f in inner if isinstance(f, t.AxisProduct)]


def pair_off(left: list[Term], right: list[Term], same: Any) -> bool:
    rest = list(right)
    for a in left:
        partner = next((b for b in rest if same(a, b)), None)
        if partner is None:
            return False
        rest.remove(partner)
    return not rest


def sum_of(products: Iterable[Product]) -> Term:
    return t.Add(
        sympy.Integer(0), *(t.Mul(t.Bracket(t.And(*p.guards)), *p.factors) for p in products)
    )
