"""The prover for all sizes: Jacobian entries as sums of guarded products, compared by Z3. Trusted.

Every rank: with bundles left in place, a step is accepted only if it treats all axes alike. Guards
and indices are compared on one axis, factors that no axis owns as they stand. If on one
axis `G ∧ g ⟺ H ∧ h`, then on any number of axes `G ∧ g₁ ∧ g₂ … ⟺ H ∧ h₁ ∧ h₂ …`; equal indices on
each axis make equal reads, equal factors on each axis equal products.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from itertools import product as product_of
from typing import Any

import sympy
from sympy.core.symbol import Str

from verify import terms as t
from verify.derive import Unsupported, differentiate
from verify.normal import (
    Product,
    align_window,
    aligned,
    count,
    divide_out,
    eliminate,
    exact,
    expand,
    inverse,
    linear,
    merged,
    polynomial,
    replace_symbols,
    signature,
    solve,
    tidy,
    tidy_reads,
    tidy_relation,
    unrounded,
    with_facts,
    without_quantifier,
)
from verify.selection import without_folds
from verify.signs import facts, has_sign, is_inhabited, is_positive, is_sign_question
from verify.smt import RLIMIT, Answer, NotLowered, ask, canonical
from verify.terms import BOOL, INT, Fresh, sort_of


@dataclass(frozen=True)
class Outcome:
    """What the prover found: `proved`, `refuted` with a model yet to be replayed, or `unknown`.

    `steps` are what a reader is shown of it: a reason, and a term or the two sides of an equation.
    """

    status: str
    method: str = ""
    model: tuple[tuple[str, int], ...] = ()
    steps: tuple[tuple[str, Any], ...] = ()


PROVED, UNKNOWN = "proved", "unknown"


def one_axis(condition: Any, as_goal: bool) -> Any | None:
    """The condition on a single axis, or None where one axis does not decide it.

    As a goal the result must be at least as strong as the condition, as a hypothesis at most.
    """
    if isinstance(condition, t.And):
        parts = [one_axis(c, as_goal) for c in condition.args]
        if as_goal:
            return None if None in parts else t.And(*parts)
        return t.And(*(c for c in parts if c is not None))
    if isinstance(condition, t.AllAxes):
        return condition.args[0] if is_one_axis(condition.args[0]) else None
    if isinstance(condition, t.Exists | t.ForAll):
        return one_axis_of_quantifier(condition, as_goal)
    return condition if is_one_axis(condition) and not mentions_bundles(condition) else None


@t.remembered
def is_one_axis(term: Any) -> bool:
    """Nothing in the term joins several axes."""
    joins = (t.AllAxes, t.AxisProduct, t.Binder)
    return not any(
        isinstance(u, joins) or (isinstance(u, t.Read) and mentions_bundles(u))
        for u in t.walk(term)
    )


@t.remembered
def mentions_bundles(term: Any) -> bool:
    return any(isinstance(u, t.Sym) and u.is_bundle for u in t.walk(term)) or any(
        t.is_bundle(d) for a in t.arrays(term) for d in a.dims
    )


def opaque(term: Any, table: dict[Any, Any]) -> Any:
    """The term with every part that joins axes replaced by a number, equal parts by the same."""
    joins = isinstance(term, t.Binder | t.AxisProduct) or (
        isinstance(term, t.Read) and mentions_bundles(term)
    )
    if joins:
        key = canonical(term)
        sort = INT if sort_of(term) == BOOL else sort_of(term)
        symbol = table.setdefault(key, t.Sym(f"opaque {len(table)}", sort))
        return t.Eq(symbol, 1) if sort_of(term) == BOOL else symbol
    if isinstance(term, t.Sym | t.Array) or not term.args:
        return term
    return t.rebuild(term, [opaque(a, table) for a in term.args])


def one_axis_of_quantifier(condition: Any, as_goal: bool) -> Any | None:
    """∃ over bundles of a condition on every axis is ∃ on every axis; ∀ only as a goal.

    As a hypothesis ∀ may be empty on another axis, and then says nothing of this one.
    """
    inner = one_axis(condition.body, as_goal)
    if inner is None or not all(symbol.is_bundle for symbol, _, _ in condition.ranges):
        plain = not mentions_bundles(condition)
        return condition if plain else None
    if isinstance(condition, t.ForAll):
        return t.ForAll(inner, *condition.ranges) if as_goal else None
    return t.Exists(inner, *condition.ranges)


class Prover:
    """Settles equalities and conditions under fixed hypotheses."""

    def __init__(
        self,
        hypotheses: Iterable[Any],
        generic: bool,
        avoid: Iterable[Any] = (),
        rlimit: int = RLIMIT,
    ) -> None:
        flat = (c for h in hypotheses for c in t.conjuncts(h))
        known = (without_quantifier(h) if isinstance(h, t.Exists) else h for h in flat)
        self.hypotheses = tuple(c for h in known for c in t.conjuncts(h))
        self.generic = generic
        self.rlimit = rlimit
        self.fresh = Fresh(*self.hypotheses, *avoid)

    def ask(self, goal: Any, extra: Iterable[Any] = ()) -> Answer:
        """The first part of a conjunction that is not proved, or the proof of all."""
        answer = Answer(PROVED)
        for part in t.conjuncts(goal):
            answer = self.question(part, tuple(extra))
            if answer.status != PROVED:
                break
        return answer

    def question(self, goal: Any, extra: tuple[Any, ...]) -> Answer:
        assumed: list[Any] = [*self.hypotheses, *(c for e in extra for c in t.conjuncts(e))]
        if self.generic:
            assumed = [c for h in assumed if (c := one_axis(h, False)) is not None]
            goal = one_axis(goal, True)
            if goal is None:
                return Answer(UNKNOWN)
        try:
            return ask(assumed, goal, self.rlimit)
        except NotLowered:
            return Answer(UNKNOWN)

    def entails(self, goal: Any, extra: Iterable[Any] = ()) -> bool:
        return self.ask(goal, extra).status == PROVED

    def entails_opaquely(self, goal: Any, extra: tuple[Any, ...]) -> bool:
        """Whether the goal follows with all that joins axes taken as so many unknown numbers."""
        if not self.generic:
            return self.entails(goal, extra)
        table: dict[Any, Any] = {}
        assumed = [opaque(c, table) for e in (*self.hypotheses, *extra) for c in t.conjuncts(e)]
        wanted = opaque(goal, table)
        if mentions_bundles(wanted):
            return False
        known = [h for h in assumed if not mentions_bundles(h)]
        try:
            return ask(known, wanted, self.rlimit).status == PROVED
        except NotLowered:
            return False

    # Equality of real terms.

    def equal(self, left: Any, right: Any, extra: tuple[Any, ...] = ()) -> Outcome:
        """Whether two real terms are equal for all values of their symbols and tensors."""
        sides = self.reduced(left, extra), self.reduced(right, extra)
        for step in (self.unit, self.divided, self.counted, self.aligned, self.totalled):
            sides = tuple(tuple(step(p, extra) for p in side) for side in sides)  # type: ignore[assignment]  # still a pair
            if self.match(*sides, extra):
                method = METHODS[step.__name__]
                return Outcome(PROVED, method, steps=((method, sides),))
        left, right = sides
        difference = [*map(scaled, left), *(scaled(p, -1) for p in right)]
        if self.divisor(difference, extra) is not None and self.cleared(difference, extra):
            method = "one-point rule and a common denominator"
            return Outcome(PROVED, method, steps=((method, sides),))
        if self.generic or any(p.binders for side in sides for p in side):
            return Outcome(UNKNOWN)
        found = self.ask(t.Eq(*map(as_term, sides)), extra)
        method = "arithmetic of the guarded entries"
        return Outcome(found.status, method, found.model, ((method, sides),))

    def reduced(self, term: Any, extra: tuple[Any, ...]) -> tuple[Product, ...]:
        return tuple(self.unit(p, extra) for p in expand(term, self.fresh))

    def unit(self, product: Product, extra: tuple[Any, ...]) -> Product:
        """One-point rule for coefficients ±1."""
        entailed = self.entailed(extra)
        product = replace(product, guards=exact(product.guards, entailed))
        return self.simplified(eliminate(product, entailed, self.fresh), extra)

    def divided(self, product: Product, extra: tuple[Any, ...]) -> Product:
        """One-point rule for any coefficient that is not 0, with its divisibility condition."""
        return self.simplified(eliminate(product, self.entailed(extra), self.fresh, True), extra)

    def counted(self, product: Product, extra: tuple[Any, ...]) -> Product:
        """Sums of 1 over an interval."""
        return self.simplified(count(product, self.fresh), extra)

    def aligned(self, product: Product, extra: tuple[Any, ...]) -> Product:
        """Sums over windows as sums over cells."""
        return self.simplified(aligned(product, self.fresh), extra)

    def totalled(self, product: Product, extra: tuple[Any, ...]) -> Product:
        """Sums of parts of a total, and sums over the one place that a selection picks."""
        picked = self.one_winner(product, extra)
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

    def is_one(self, total: Any, extra: tuple[Any, ...]) -> bool:
        parts = tuple(self.totalled(p, extra) for p in self.reduced(total, extra))
        return self.match(parts, (Product(),), extra)

    def without_total(
        self, product: Product, factor: Any, extra: tuple[Any, ...]
    ) -> Product | None:
        """`Σ_w f(w) · 1/S` is 1 where `S = Σ_w f(w)` is not 0."""
        total = factor.args[1]
        bound = tuple(b for b in product.binders if b not in t.free(total))
        rest = list(product.factors)
        rest.remove(factor)
        inner = tuple(f for f in rest if t.free(f) & set(bound))
        guards = tuple(g for g in product.guards if t.free(g) & set(bound))
        outer = tuple(g for g in product.guards if g not in guards)
        context = (*extra, *outer)
        whole = [self.aligned(p, context) for p in self.reduced(total, context)]
        part = Product(bound, guards, inner)
        if not bound or not is_positive(self, total, context):
            return None
        if not self.match(whole, (part,), context):
            return None
        kept = tuple(f for f in rest if f not in inner)
        return Product(tuple(b for b in product.binders if b not in bound), outer, kept)

    def one_winner(self, product: Product, extra: tuple[Any, ...]) -> Product | None:
        """`Σ_j [j is the first winner]` is 1 if the window has a valid place, and 0 if not."""
        for guard in product.guards:
            winner = self.as_winner(product, guard, extra)
            if winner is not None:
                guards = tuple(winner if g is guard else g for g in product.guards)
                product, guard = replace(product, guards=guards), winner
            decided = isinstance(guard, t.Winner) and str(guard.args[2]) != "any"
            moved = at_binders(product, guard, self.fresh) if decided else None
            if moved is None:
                continue
            there, winner = moved
            places = set(winner.args[3])
            if t.free(t.Unique(winner.body, winner.args[1], *winner.ranges)) & places:
                continue
            facts = with_facts(winner, self.fresh)
            kept = tuple(g for g in there.guards if not t.free(g) & places)
            loose = t.And(*(g for g in there.guards if t.free(g) & places and g not in facts))
            if any(t.free(f) & places for f in there.factors) or not self.entails(
                loose, (*extra, *kept, *facts[1:])
            ):
                continue
            some = without_quantifier(t.Exists(winner.args[1], *winner.ranges))
            binders = tuple(b for b in there.binders if b not in places)
            return Product(binders, (*kept, *t.conjuncts(some)), there.factors)
        return None

    def entailed(self, extra: tuple[Any, ...]) -> Any:
        return lambda goal, more: self.entails(goal, (*extra, *more))

    def simplified(self, product: Product, extra: tuple[Any, ...]) -> Product:
        product = merged(product, self.fresh)
        untied = (self.untied(g, (*extra, *product.guards)) for g in product.guards)
        settled = (c for g in untied for c in t.conjuncts(g))
        plain = unrounded(settled, self.entailed(extra))
        guards = {canonical(g): g for g in reversed(plain)}
        product = replace(product, guards=tuple(reversed(guards.values())))
        return self.cancelled(product, (*extra, *product.guards))

    def untied(self, guard: Any, extra: tuple[Any, ...]) -> Any:
        """Where the winner is unique, the first and the last are the one that has the maximum.

        A window of one place has no other.
        """
        if not isinstance(guard, t.Winner):
            return guard
        facts = with_facts(guard, self.fresh)[1:]
        if not any(polynomial(t.plus(last, t.minus(first))) for _, first, last in guard.ranges):
            return t.And(*facts)
        window = t.Maximum(guard.body, guard.args[1], 0, *guard.ranges)
        if self.is_unique(window, extra):
            return t.And(*facts, has_maximum(guard, self.fresh))
        return t.And(*facts) if self.has_one_place(guard, extra) else guard

    def is_unique(self, window: Any, extra: tuple[Any, ...]) -> bool:
        """Whether a hypothesis says that this maximum has one winner."""
        for h in self.hypotheses:
            if isinstance(h, t.Unique):
                known = t.Maximum(h.body, h.args[1], window.args[2], *h.ranges)
                if window == known or self.agree(window, known, extra):
                    return True
        return False

    def has_one_place(self, guard: Any, extra: tuple[Any, ...]) -> bool:
        """Whether the places that count are those of a maximum that has one winner."""
        guard = align_window(guard, self.fresh)
        for condition in t.conjuncts(guard.args[1]):
            if isinstance(condition, t.Eq) and isinstance(condition.args[1], t.Maximum):
                value, m = condition.args
                window = t.Maximum(value, m.args[1], m.args[2], *guard.ranges)
                plain = m.args[1] == t.And()
                if plain and self.agree(window, m, extra) and self.is_unique(m, extra):
                    return True
        return False

    def as_winner(self, product: Product, guard: Any, extra: tuple[Any, ...]) -> Any | None:
        """`x[j] = max` for a place of the window is "j is the winner", if there is one."""
        reads = isinstance(guard, t.Eq) and isinstance(guard.args[0], t.Read)
        if not reads or not isinstance(guard.args[1], t.Maximum):
            return None
        cell, m = guard.args[0], align_window(guard.args[1], self.fresh)
        if not isinstance(m.body, t.Read) or m.body.array != cell.array:
            return None
        where = dict(zip(m.body.index, cell.index, strict=True))
        if any(symbol not in where for symbol, _, _ in m.ranges):
            return None
        places = sympy.Tuple(*(where[symbol] for symbol, _, _ in m.ranges))
        winner = t.Winner(m.body, m.args[1], Str("first"), places, *m.ranges)
        value, _ = has_maximum(winner, self.fresh).args
        facts = with_facts(winner, self.fresh)[1:]
        rest = tuple(g for g in product.guards if g is not guard)
        same = value == cell and self.entails(t.And(*facts), (*extra, *rest))
        return winner if same and self.is_unique(m, (*extra, *rest)) else None

    def cancelled(self, product: Product, extra: tuple[Any, ...]) -> Product:
        """Without pairs `f · 1/f`, where `f ≠ 0`; and with its numbers multiplied."""
        number = sympy.Integer(1)
        factors: list[Any] = []
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

    def powers(self, factors: tuple[Any, ...], extra: tuple[Any, ...]) -> tuple[Any, ...]:
        """`v^a · v^b` as `v^(a + b)`, where `v > 0` and some power of v is a root."""
        bases = {canonical(as_power(f)[0]): as_power(f)[0] for f in factors if is_root(f)}
        for key, base in bases.items():
            if is_positive(self, base, extra):
                alike = [f for f in factors if canonical(as_power(f)[0]) == key]
                others = tuple(f for f in factors if f not in alike)
                factors = (*others, *power(base, sum(as_power(f)[1] for f in alike)))
        return factors

    def cancels(self, a: Any, b: Any, extra: tuple[Any, ...]) -> bool:
        a, b = (b, a) if is_inverse(a) else (a, b)
        if is_inverse(a) or not is_inverse(b):
            return False
        below = b.args[1]
        if isinstance(a, t.AxisProduct) and isinstance(below, t.AxisProduct):
            a, below = a.args[0], below.args[0]
        if a != below and not (sort_of(a) == sort_of(below) == INT):
            return False
        if not self.entails(t.Ne(below, 0), extra):
            return False
        return bool(a == below) or self.entails(t.Eq(a, below), extra)

    # Congruence: two sums are equal if their products pair off, domain by domain, factor by factor,
    # and if what is left over cancels.

    def match(
        self, left: Iterable[Product], right: Iterable[Product], extra: tuple[Any, ...]
    ) -> bool:
        rest = list(right)
        alone = []
        for p in left:
            partner = next((q for q in rest if self.agree_products(p, q, extra)), None)
            if partner is None:
                alone.append(scaled(p))
            else:
                rest.remove(partner)
        return self.cancel_out(alone + [scaled(q, -1) for q in rest], extra)

    def cancel_out(self, scaled: list[tuple[Any, Product]], extra: tuple[Any, ...]) -> bool:
        """Whether multiples of products add up to 0, like products taken together."""
        while scaled:
            (total, first), *rest = scaled
            scaled = []
            for number, p in rest:
                if len(p.factors) == len(first.factors) and self.agree_products(first, p, extra):
                    total += number
                else:
                    scaled.append((number, p))
            if total and not self.impossible(first, extra):
                return False
        return True

    def cleared(self, scaled: list[tuple[Any, Product]], extra: tuple[Any, ...]) -> bool:
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

    def divisor(self, scaled: list[tuple[Any, Product]], extra: tuple[Any, ...]) -> Any | None:
        """A sum above 0, the same for all products, of which a power is a factor."""
        bound = {binder for _, product in scaled for binder in product.binders}
        for base in (as_power(f)[0] for _, product in scaled for f in product.factors):
            loose = is_composite(base) and not t.free(base) & bound
            if loose and is_positive(self, base, extra):
                return base
        return None

    def raised(
        self, number: Any, product: Product, base: Any, times: int, extra: tuple[Any, ...]
    ) -> Iterator[tuple[Any, Product]]:
        """A multiple of a product times a whole power of a sum, written out."""
        for part in expand(t.Mul(*[base] * times), self.fresh) if times else (Product(),):
            found = product.times(part)
            for step in (self.unit, self.divided, self.counted, self.aligned):
                found = step(found, extra)
            factor, rest = scaled(found)
            yield number * factor, rest

    def impossible(self, product: Product, extra: tuple[Any, ...]) -> bool:
        winners = [g for g in product.guards if isinstance(g, t.Winner)]
        known = (*extra, *product.guards, *(has_maximum(w, self.fresh) for w in winners))
        if self.entails(t.Or(), known):
            return True
        return has_window(t.And(*product.guards)) and self.entails_opaquely(t.Or(), known)

    def agree_products(self, p: Product, q: Product, extra: tuple[Any, ...]) -> bool:
        if len(p.binders) != len(q.binders):
            return False
        for order in pairings(p, q):
            renamed = replace_symbols(q, dict(zip(q.binders, order, strict=True)), self.fresh)
            if self.agree_guards(p.guards, renamed.guards, extra) and self.agree_factors(
                p.factors, renamed.factors, (*extra, *p.guards)
            ):
                return True
        return False

    def agree_guards(self, p: tuple[Any, ...], q: tuple[Any, ...], extra: tuple[Any, ...]) -> bool:
        plain_p, mixed_p = self.split(p)
        plain_q, mixed_q = self.split(q)
        missing = [g for g in plain_q if g not in plain_p]
        surplus = [g for g in plain_p if g not in plain_q]
        if missing and not self.entails(t.And(*missing), (*extra, *plain_p)):
            return False
        if surplus and not self.entails(t.And(*surplus), (*extra, *plain_q)):
            return False
        context = (*extra, *plain_p)
        return pair_off(mixed_p, mixed_q, lambda a, b: self.agree(a, b, context))

    def split(self, guards: Iterable[Any]) -> tuple[list[Any], list[Any]]:
        """Guards that Z3 can be asked about, and those that only compare as they stand."""
        plain: list[Any] = []
        mixed: list[Any] = []
        for g in guards:
            opaque = has_window(g) or (self.generic and one_axis(g, True) is None)
            (mixed if opaque else plain).append(g)
        return plain, mixed

    def agree_factors(self, p: tuple[Any, ...], q: tuple[Any, ...], extra: tuple[Any, ...]) -> bool:
        left, right = list(p), list(q)
        for a in p:
            partner = next((b for b in right if self.agree(a, b, extra)), None)
            if partner is not None:
                left.remove(a)
                right.remove(partner)
        if not left and not right:
            return True
        if self.generic:
            return self.axis_products_agree(left, right, extra)
        return self.entails(t.Eq(t.Mul(*left), t.Mul(*right)), extra)

    def axis_products_agree(
        self, left: list[Any], right: list[Any], extra: tuple[Any, ...]
    ) -> bool:
        """Products over axes are equal if on each axis `above · below' = above' · below`."""
        above = axis_bodies(left, False), axis_bodies(right, False)
        below = axis_bodies(left, True), axis_bodies(right, True)
        if len(above[0]) + len(below[0]) < len(left) or len(above[1]) + len(below[1]) < len(right):
            return False
        nonzero = t.And(*(t.Ne(b, 0) for b in (*below[0], *below[1])))
        crossed = t.Eq(t.Mul(*above[0], *below[1]), t.Mul(*above[1], *below[0]))
        return self.entails(nonzero, extra) and self.entails(crossed, extra)

    def agree(self, a: Any, b: Any, extra: tuple[Any, ...]) -> bool:
        """Whether two terms are equal because their parts are."""
        if sort_of(a) != sort_of(b):
            return False
        if a == b or (has_window(a) and canonical(a) == canonical(b)):
            return True
        if sort_of(a) == INT and self.entails(t.Eq(a, b), extra):
            return True
        if sort_of(a) == BOOL and not isinstance(a, t.Binder):
            return self.agree_conditions(a, b, extra)
        if isinstance(a, t.Read) and type(a) is type(b) and a.array == b.array:
            return all(self.agree(*e, extra) for e in zip(a.index, b.index, strict=True))
        if isinstance(a, t.Binder) and not isinstance(a, t.Sum):
            return self.agree_binders(a, b, extra)
        if is_atom(a) and is_atom(b):
            alike = type(a) is type(b) and isinstance(a, t.Exp | t.Log | t.Div | t.AxisProduct)
            return alike and all(self.agree(*e, extra) for e in zip(a.args, b.args, strict=True))
        if sort_of(a) == INT or not (is_composite(a) or is_composite(b)):
            return False
        return self.match(self.reduced(a, extra), self.reduced(b, extra), extra)

    def agree_conditions(self, a: Any, b: Any, extra: tuple[Any, ...]) -> bool:
        if not has_window(a) and not has_window(b) and self.is_plain(a) and self.is_plain(b):
            return self.entails(b, (*extra, a)) and self.entails(a, (*extra, b))
        alike = type(a) is type(b) and 0 < len(a.args) == len(b.args)
        return alike and all(self.agree(*e, extra) for e in zip(a.args, b.args, strict=True))

    def is_plain(self, condition: Any) -> bool:
        return not self.generic or one_axis(condition, True) is not None

    def agree_binders(self, a: Any, b: Any, extra: tuple[Any, ...]) -> bool:
        """Maxima and winners over equal windows of equal bodies."""
        if type(a) is not type(b) or isinstance(a, t.Fold) or len(a.ranges) != len(b.ranges):
            return False
        a, b = (align_window(u, self.fresh) for u in (a, b))
        names = {v[0]: u[0] for u, v in zip(a.ranges, b.ranges, strict=True)}
        if any(u.is_bundle != v.is_bundle for u, v in names.items()):
            return False
        domain_a = [c for r in a.ranges for c in t.conjuncts(t.in_range(*r))]
        domain_b = [
            t.substitute(c, names, self.fresh)
            for r in b.ranges
            for c in t.conjuncts(t.in_range(*r))
        ]
        parts_b = [t.substitute(u, names, self.fresh) for u in b.args[: b.parts]]
        where = 1 if isinstance(a, t.Maximum | t.Winner | t.Unique) else None
        if where is not None:
            domain_a += t.conjuncts(a.args[1])
            domain_b += t.conjuncts(parts_b[1])
        if not self.agree_guards(tuple(domain_a), tuple(domain_b), extra):
            return False
        inner = (*extra, *domain_a)
        if not self.agree(a.body, parts_b[0], inner):
            return False
        rest = zip(a.args[2 : a.parts], parts_b[2:], strict=True)
        if all(self.agree_part(u, v, extra) for u, v in rest):
            return True
        # What stands for an empty window is of no account where no window is empty.
        return isinstance(a, t.Maximum) and is_inhabited(self, a, extra, a.args[1])

    def agree_part(self, a: Any, b: Any, extra: tuple[Any, ...]) -> bool:
        if isinstance(a, sympy.Tuple):
            return len(a) == len(b) and all(self.agree(*e, extra) for e in zip(a, b, strict=True))
        return bool(a == b) if isinstance(a, Str) else self.agree(a, b, extra)


def at_binders(product: Product, guard: Any, fresh: Fresh) -> tuple[Product, Any] | None:
    """The product with binders renamed so that the winner's places are binders."""
    names = [fresh(symbol) for symbol, _, _ in guard.ranges]
    values = {}
    for name, place in zip(names, guard.args[3], strict=True):
        solutions = (
            (b, solve(t.Eq(place, name), b, lambda *_: False, False)) for b in product.binders
        )
        found = next(((b, s[0]) for b, s in solutions if s is not None and b not in values), None)
        if found is None:
            return None
        values[found[0]] = found[1]
    if any(t.free(value) & set(values) for value in values.values()):
        return None
    moved = replace_symbols(product, values, fresh)
    moved = Product((*moved.binders, *names), moved.guards, moved.factors)
    index = product.guards.index(guard)
    winner = moved.guards[index]
    tidied = t.rebuild(winner, [*winner.args[:3], sympy.Tuple(*names), *winner.args[4:]])
    guards = tuple(tidied if g is winner else tidy_relation(g) for g in moved.guards)
    return replace(moved, guards=guards), tidied


MOST_UNMATCHED = 4  # binders that are paired in every order where their use tells nothing

METHODS = {
    "totalled": "one-point rule and parts of a total",
    "unit": "one-point rule",
    "divided": "one-point rule with divisibility",
    "aligned": "one-point rule and sums over cells",
    "counted": "one-point rule and count of an interval",
}


def pairings(p: Product, q: Product) -> Iterator[tuple[Any, ...]]:
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


def is_atom(term: Any) -> bool:
    """A factor that expansion leaves whole."""
    return isinstance(term, t.Sym | t.Exp | t.Log | t.AxisProduct | sympy.Rational) or is_inverse(
        term
    )


def is_composite(term: Any) -> bool:
    """A real term that expansion takes apart."""
    kinds = t.Add | t.Mul | t.Bracket | t.PaddedRead | t.If | t.Sum
    return isinstance(term, kinds) or (isinstance(term, t.Div) and not is_inverse(term))


@t.remembered
def has_window(condition: Any) -> bool:
    """Speaks of a maximum, a winner or a sum: compared part by part, not by the solver."""
    return any(isinstance(u, t.Binder) for u in t.walk(condition))


def is_inverse(term: Any) -> bool:
    return isinstance(term, t.Div) and term.args[0] == 1


def scaled(product: Product, by: int = 1) -> tuple[Any, Product]:
    """The number that multiplies a product, times another, and the product without it."""
    numbers = [f for f in product.factors if isinstance(f, sympy.Rational)]
    rest = tuple(f for f in product.factors if not isinstance(f, sympy.Rational))
    return sympy.prod([by, *numbers]), replace(product, factors=rest)


def as_power(factor: Any) -> tuple[Any, Any]:
    """`v` and `a` for a factor `v^a`; a root is written `e^(a·log v)`."""
    if is_inverse(factor):
        base, exponent = as_power(factor.args[1])
        return base, -exponent
    found = multiple_of_log(factor.args[0]) if isinstance(factor, t.Exp) else None
    return found or (factor, sympy.Integer(1))


def parted(product: Product, base: Any) -> tuple[Product, Any]:
    """A product without the powers of a base, and the exponent of what was left out."""
    key = canonical(base)
    alike = [f for f in product.factors if canonical(as_power(f)[0]) == key]
    rest = tuple(f for f in product.factors if f not in alike)
    return replace(product, factors=rest), sum((as_power(f)[1] for f in alike), sympy.Integer(0))


def lowest(exponents: Iterable[Any]) -> list[Any]:
    """The least of those that differ by whole numbers."""
    found: dict[Any, Any] = {}
    for e in exponents:
        found[e % 1] = min(e, found.get(e % 1, e))
    return list(found.values())


def is_root(factor: Any) -> bool:
    """`e^(a·log v)` or its inverse."""
    inner = factor.args[1] if is_inverse(factor) else factor
    return isinstance(inner, t.Exp) and multiple_of_log(inner.args[0]) is not None


def multiple_of_log(term: Any) -> tuple[Any, Any] | None:
    """`v` and `a` for a term `a·log v` with a number `a`."""
    if isinstance(term, t.Log):
        return term.args[0], sympy.Integer(1)
    if not isinstance(term, t.Mul | t.Div):
        return None
    parts = term.args if isinstance(term, t.Mul) else (term.args[0], inverse(term.args[1]))
    numbers = [a for a in parts if isinstance(a, sympy.Rational)]
    others = [a for a in parts if not isinstance(a, sympy.Rational)]
    found = multiple_of_log(others[0]) if len(others) == 1 else None
    return None if found is None else (found[0], found[1] * sympy.prod(numbers))


def power(base: Any, exponent: Any) -> tuple[Any, ...]:
    """The factors that make up a power."""
    if exponent == 0:
        return ()
    if exponent == -1:
        return (inverse(base),)
    if exponent == 1 and not is_composite(base):
        return (base,)
    return (t.Exp(t.Mul(exponent, t.Log(base))),)


def axis_bodies(factors: list[Any], inverted: bool) -> list[Any]:
    inner = [f.args[1] for f in factors if is_inverse(f)] if inverted else factors
    return [f.args[0] for f in inner if isinstance(f, t.AxisProduct)]


def pair_off(left: list[Any], right: list[Any], same: Any) -> bool:
    rest = list(right)
    for a in left:
        partner = next((b for b in rest if same(a, b)), None)
        if partner is None:
            return False
        rest.remove(partner)
    return not rest


def as_term(products: Iterable[Product]) -> Any:
    return t.Add(
        sympy.Integer(0), *(t.Mul(t.Bracket(t.And(*p.guards)), *p.factors) for p in products)
    )


# Conditions of every kind.


def settle(prover: Prover, condition: Any, extra: tuple[Any, ...] = ()) -> Outcome:
    """Proves or refutes a condition under the prover's hypotheses."""
    prover.hypotheses = tuple(c for h in prover.hypotheses for c in derived(h, prover))
    values = dict(known_values(prover))
    if values:
        found = settle_with(values, prover, condition, extra)
        if found.status == PROVED:
            return found
    return settle_as_it_is(prover, condition, extra)


def derived(hypothesis: Any, prover: Prover) -> tuple[Any, ...]:
    """A hypothesis with its derivatives derived; left out where they cannot be."""
    if not any(isinstance(u, t.Slope) for u in t.walk(hypothesis)):
        return (hypothesis,)
    try:
        return t.conjuncts(resolved(hypothesis, prover))
    except Unsupported:
        return ()


def settle_with(
    values: dict[Any, Any], prover: Prover, condition: Any, extra: tuple[Any, ...]
) -> Outcome:
    """With sizes replaced by what the hypotheses say they are."""
    fresh = Fresh(*prover.hypotheses, condition, *extra, *values.values())

    def put(term: Any) -> Any:
        for symbol, value in values.items():
            term = t.substitute(term, {symbol: value}, fresh)
        return term

    hypotheses = tuple(map(put, prover.hypotheses))
    other = Prover(hypotheses, prover.generic, (put(condition), *map(put, extra)), prover.rlimit)
    entailed = other.entailed(())
    other.hypotheses = tuple(divide_out(h, entailed) for h in other.hypotheses)
    goal = divide_out(put(condition), entailed)
    return settle_as_it_is(other, goal, tuple(divide_out(put(e), entailed) for e in extra))


def known_values(prover: Prover) -> Iterator[tuple[Any, Any]]:
    """Sizes that the hypotheses give: `s = e`, and `s = d·q` where `d | s`."""
    seen: set[Any] = set()
    for h in prover.hypotheses:
        inner = h.args[0] if isinstance(h, t.AllAxes) else h
        if not isinstance(inner, t.Eq | t.Divides) or t.REAL in map(sort_of, inner.args):
            continue
        symbol, value = inner.args
        if isinstance(inner, t.Divides):
            found = multiple(inner, prover.fresh)
            if found is None:
                continue
            symbol, value = found
        if isinstance(symbol, t.Sym) and symbol not in t.free(value) and symbol not in seen:
            seen.add(symbol)
            yield symbol, value


def multiple(divides: Any, fresh: Fresh) -> tuple[Any, Any] | None:
    """`d | e` as `s = d·q - r` for a symbol s with `e = s + r`."""
    divisor, term = divides.args
    for symbol in sorted(t.free(term), key=str):
        found = linear(term, symbol)
        alike = symbol.is_bundle == t.is_bundle(term) and symbol not in t.free(divisor)
        alike = alike and t.is_bundle(divisor) <= symbol.is_bundle
        if alike and found is not None and found[0] == 1:
            return symbol, tidy(divisor * fresh(symbol) - found[1])
    return None


def settle_as_it_is(prover: Prover, condition: Any, extra: tuple[Any, ...]) -> Outcome:
    if isinstance(condition, t.Linear):
        return is_linear(prover, condition, extra)
    if isinstance(condition, t.Eq) and t.REAL in map(sort_of, condition.args):
        left, right = (resolved(side, prover) for side in condition.args)
        left, right = (without_brackets(side, prover, extra) for side in (left, right))
        found = prover.equal(left, right, extra)
        return replace(found, steps=(("left side", left), ("right side", right), *found.steps))
    goal = without_brackets(resolved(condition, prover), prover, extra)
    if is_sign_question(goal) and has_sign(prover, goal, extra):
        return Outcome(PROVED, "signs of sums", steps=(("signs of sums", goal),))
    answer = prover.ask(goal, extra)
    if answer.status != PROVED and has_window(goal):
        known = tuple(facts(prover, goal, extra))
        if prover.entails_opaquely(goal, (*extra, *known)):
            method = "bounds of sums" if known else "arithmetic"
            bounds = tuple(("a bound", fact) for fact in known)
            return Outcome(PROVED, method, steps=(*bounds, (method, goal)))
    return Outcome(answer.status, "arithmetic", answer.model, (("arithmetic", goal),))


def resolved(term: Any, prover: Prover) -> Any:
    """The term with every derivative derived, every fold and every tie settled."""
    if isinstance(term, t.Slope):
        body, cell = term.args
        found = differentiate(body, cell.array, cell.index, prover.fresh)
        if found.on_boundary and cell.array.role != "primal":
            raise Unsupported(f"a branch of the rule reads {cell.array}, in which it is linear")
        return resolved(found.entry, prover)
    if isinstance(term, t.Sym | t.Array) or not term.args:
        return term
    if isinstance(term, t.Bracket | t.Read | t.Fold) and t.sort_of(term) == t.REAL:
        unfolded = without_folds(term, prover.fresh)
        if unfolded is None:
            raise Unsupported(f"a fold whose invariant is not known: {term}")
        if unfolded is not term:
            return resolved(unfolded, prover)
    term = t.rebuild(term, [resolved(a, prover) for a in term.args])
    if isinstance(term, t.Winner) and str(term.args[2]) == "any":
        return as_equality(term, prover.fresh)
    return without_quantifier(term) if isinstance(term, t.Exists) else term


def as_equality(winner: Any, fresh: Fresh) -> Any:
    """A place is a winner if it is of the window and its value is the maximum."""
    first, *facts = with_facts(winner, fresh)
    return t.And(*facts, has_maximum(first, fresh))


def has_maximum(winner: Any, fresh: Fresh) -> Any:
    names = {r[0]: place for r, place in zip(winner.ranges, winner.args[3], strict=True)}
    value = tidy_reads(t.substitute(winner.body, names, fresh))
    return t.Eq(value, t.Maximum(winner.body, winner.args[1], 0, *winner.ranges))


def without_brackets(term: Any, prover: Prover, extra: tuple[Any, ...]) -> Any:
    """With brackets and padding left out where they always hold, inside what is opaque."""
    if isinstance(term, t.Sym | t.Array) or not term.args:
        return term
    if isinstance(term, t.Exp | t.Log | t.Maximum):
        return always(term, prover, extra)
    if isinstance(term, t.Sum | t.Prod):
        term = t.substitute(term, {}, prover.fresh)
        inner = (*extra, *(c for r in term.ranges for c in t.conjuncts(t.in_range(*r))))
        return t.rebuild(term, [without_brackets(term.body, prover, inner), *term.ranges])
    if isinstance(term, t.Binder):
        return term
    return t.rebuild(term, [without_brackets(a, prover, extra) for a in term.args])


def always(term: Any, prover: Prover, extra: tuple[Any, ...]) -> Any:
    if isinstance(term, t.Sym | t.Array) or not term.args:
        return term
    if isinstance(term, t.Bracket):
        return sympy.Integer(1) if prover.entails(term.args[0], extra) else term
    if isinstance(term, t.PaddedRead):
        bounds = t.inside(term.index, term.array.dims)
        return t.Read(*term.args) if prover.entails(bounds, extra) else term
    if isinstance(term, t.Sum | t.Prod | t.Maximum):
        term = t.substitute(term, {}, prover.fresh)
        inner = (*extra, *(c for r in term.ranges for c in t.conjuncts(t.in_range(*r))))
        if not isinstance(term, t.Maximum):
            return t.rebuild(term, [always(term.body, prover, inner), *term.ranges])
        body, where, empty = term.args[:3]
        where = t.And() if prover.entails(where, inner) else where
        body = always(body, prover, (*inner, *t.conjuncts(where)))
        return t.rebuild(term, [body, where, always(empty, prover, extra), *term.ranges])
    if isinstance(term, t.Binder):
        return term
    return t.rebuild(term, [always(a, prover, extra) for a in term.args])


def is_linear(prover: Prover, condition: Any, extra: tuple[Any, ...]) -> Outcome:
    """Every product has one factor that is a cell of the arrays, and nothing else reads them."""
    term, by = condition.args
    names = {a.name for a in by}
    for product in expand(resolved(term, prover), prover.fresh):
        cells = [f for f in product.factors if isinstance(f, t.Read) and f.array.name in names]
        others = [f for f in product.factors if f not in cells]
        inner = [e for cell in cells for e in cell.index]
        if any(a.name in names for u in (*product.guards, *others, *inner) for a in t.arrays(u)):
            return Outcome(UNKNOWN, "the rule reads in a branch or a factor what it is linear in")
        if len(cells) != 1 and not prover.impossible(product, extra):
            return Outcome(UNKNOWN, "a term of the rule is not of degree 1")
    return Outcome(PROVED, "one factor of degree 1 in each term")
