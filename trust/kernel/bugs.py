"""Plausible bugs of the trusted base, each with tests that catch it. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any
from unittest import mock

import sympy
from sympy.core.symbol import Str

from gradproof.evaluate import numbers
from gradproof.evaluate.numbers import Undecided
from gradproof.language import calls, ops, substitution, systems
from gradproof.language import terms as t
from gradproof.language.substitution import free, replaced, substitute
from gradproof.language.systems import made_by
from gradproof.prove.rules import (
    derive,
    goals,
    normal,
    powers,
    rounding,
    selection,
    smt,
    sums,
    winners,
)
from gradproof.prove.rules.proofs import SEAL, Holds, Proved
from gradproof.prove.tactics import asking
from gradproof.prove.tactics.proving import prove
from trust.kernel.planting import plant

Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Bug:
    """A bug: the function it is in, how that changes, and quick tests that fail with it."""

    name: str
    place: str
    change: Change
    tests: tuple[str, ...]

    def plant(self) -> None:
        plant(self.place, self.change)


def yes(*_: Any) -> bool:
    return True


# Derivation.


def first_factor_only(slope: Any) -> Any:
    def wrong(term: Any, array: Any, point: Any, fresh: Any) -> Any:
        if not isinstance(term, t.Mul):
            return slope(term, array, point, fresh)
        for position, factor in enumerate(term.args):
            if t.reads(factor, array):
                inner = derive.slope(factor, array, point, fresh)
                return derive.mul(*term.args[:position], inner, *term.args[position + 1 :])
        return sympy.Integer(0)

    return wrong


def constant_divisor(slope: Any) -> Any:
    def wrong(term: Any, array: Any, point: Any, fresh: Any) -> Any:
        if not isinstance(term, t.Div):
            return slope(term, array, point, fresh)
        return t.Div(derive.slope(term.args[0], array, point, fresh), term.args[1])

    return wrong


def logarithm_undivided(slope: Any) -> Any:
    def wrong(term: Any, array: Any, point: Any, fresh: Any) -> Any:
        if isinstance(term, t.Log):
            return derive.slope(term.args[0], array, point, fresh)
        return slope(term, array, point, fresh)

    return wrong


def functions_alike(agree: Any) -> Any:
    """Takes one declared function for another."""

    def wrong(self: Any, a: Any, b: Any, extra: Any) -> bool:
        if isinstance(a, t.Apply) and isinstance(b, t.Apply):
            return all(map(lambda u, v: agree(self, u, v, extra), a.arguments, b.arguments))
        return bool(agree(self, a, b, extra))

    return wrong


def facts_everywhere(_: Any) -> Any:
    """States what holds in the domain of a function also outside."""
    return lambda term: t.And()


def any_roots(_: Any) -> Any:
    """Parts roots of products whose factors may be below 0."""

    def wrong(self: Any, factor: Any, extra: Any) -> Any:
        base, exponent = powers.as_power(factor)
        if isinstance(base, t.Mul) and powers.is_exponential(factor):
            return tuple(f for v in base.args for f in powers.power(v, exponent))
        return (factor,)

    return wrong


def itself_as_evidence(_: Any) -> Any:
    """Shows what is stated of a function by what is stated of it."""
    return lambda function, term: term


def cells_everywhere(instances: Any) -> Any:
    """Takes what is required of all cells to hold outside of the array, too."""

    def wrong(condition: Any, read: Any, bound: Any, fresh: Any) -> Any:
        return (found.args[1] for found in instances(condition, read, bound, fresh))

    return wrong


def last_label_left_out(within_span: Any) -> Any:
    """Assumes of integers that they are below the last of their range."""

    def wrong(array: Any) -> Any:
        last = array.span[1]
        return replaced(within_span(array), last, t.plus(last, -1))

    return wrong


def values_of_another_cell(over_cells: Any) -> Any:
    """Takes what is required of one cell to be required of all."""

    def wrong(clause: Any, known: Any) -> Any:
        (cell, *_) = (u for u in t.walk(clause) if isinstance(u, t.Read))
        names = [t.Sym(f"i{n}") for n, _ in enumerate(cell.index)]
        anywhere = replaced(clause, cell, t.Read(cell.array, *names))
        return over_cells(anywhere if set(cell.index) <= {0} else clause, known)

    return wrong


def values_are_as_required(sequent: Any) -> Any:
    """Assumes what a node requires of the values that reach it."""

    def wrong(clause: Any, assumed: Any) -> Any:
        found = sequent(clause, assumed)
        return replace(found, when=(*found.when, found.then))

    return wrong


def values_stay_as_assumed(init: Any) -> Any:
    """Repeats a turn though what it assumes of values is known of the first alone."""

    def wrong(stack: Any) -> None:
        plain = replace(stack.wiring, values=())
        with mock.patch.dict(vars(stack), wiring=plain):
            init(stack)

    return wrong


def requirements_forgotten(_: Any) -> Any:
    """Replays counterexamples at values that are not allowed."""
    return lambda sequent, values, all_of_them: sequent


def fractions_are_whole(_: Any) -> Any:
    """Lets an array of integers hold fractions."""
    return lambda self, index: self.cells(index)


def values_unmet(_: Any) -> Any:
    """Believes that every value meets what is required of it."""
    return lambda sequent, place, cells: True


def first_axis_only(slope_of_read: Any) -> Any:
    def wrong(term: Any, array: Any, point: Any) -> Any:
        return t.Bracket(
            t.And(*(t.Eq(e, i) for e, i in [*zip(term.index, point, strict=True)][:1]))
        )

    return wrong


def every_winner_counts(at_winner: Any) -> Any:
    def wrong(term: Any) -> Any:
        total, none = at_winner(term).args
        where, chosen, inner = total.body.args
        masked = t.Winner(*chosen.args[0].args[:2], Str("any"), *chosen.args[0].args[3:])
        return t.Add(t.Sum(t.Mul(where, t.Bracket(masked), inner), *total.ranges), none)

    return wrong


def all_factors_stay(slope_of_product: Any) -> Any:
    return lambda term, d, fresh: t.Sum(t.Mul(d(term.body), term), *term.ranges)


# Names.


def captures(substitute: Any) -> Any:
    def wrong(term: Any, values: Any, fresh: Any) -> Any:
        if not isinstance(term, t.Sum):
            return substitute(term, values, fresh)
        kept = {k: v for k, v in values.items() if k not in {r[0] for r in term.ranges}}
        return t.rebuild(term, [substitution.substitute(a, kept, fresh) for a in term.args])

    return wrong


# Powers, and products over ranges.


def the_power_keeps_its_exponent(slope: Any) -> Any:
    def wrong(term: Any, array: Any, point: Any, fresh: Any) -> Any:
        if not isinstance(term, t.Power):
            return slope(term, array, point, fresh)
        inner = derive.slope(term.base, array, point, fresh)
        return derive.mul(term.exponent, term, inner)

    return wrong


def powers_below_none_are_one(as_factors: Any) -> Any:
    return lambda base, exponent: t.Div(as_factors(base, exponent).above, 1)


def a_power_is_its_inverse(inverses: Any) -> Any:
    def wrong(divisor: Any, fresh: Any) -> Any:
        found = inverses(divisor, fresh)
        return tuple(map(normal.inverse, found)) if isinstance(divisor, t.Power) else found

    return wrong


def powers_of_nothing(defined: Any) -> Any:
    return lambda term: () if isinstance(term, t.Power) else defined(term)


def whole_numbers_are_positive(_: Any) -> Any:
    """Leaves out what is multiplied by a negative one."""
    return lambda numbers: tuple(t.Gt(u, 0) for u in numbers)


def no_power_is_zero(is_nonzero: Any) -> Any:
    def wrong(context: Any, term: Any, extra: Any = ()) -> bool:
        return isinstance(term, t.Power) or is_nonzero(context, term, extra)

    return wrong


def one_factor_too_many(slope_of_product: Any) -> Any:
    """Of a power with the exponent of the power itself."""

    def wrong(term: Any, d: Any, fresh: Any) -> Any:
        if all(symbol in free(term.body) for symbol, _, _ in term.ranges):
            return slope_of_product(term, d, fresh)
        return t.Sum(derive.mul(d(term.body), term), *term.ranges)

    return wrong


def divisors_may_be_zero(_: Any) -> Any:
    return yes


def places_uncompared(_: Any) -> Any:
    return yes


def fewer_than_none(times_of: Any) -> Any:
    """A range counts as many places as it lacks where its end is before its start."""

    def wrong(power: Any, fresh: Any) -> Any:
        found = times_of(power, fresh)
        if found is None:
            return None
        ends = {u: u.args[-1] for u in t.walk(found) if isinstance(u, t.Max)}
        return substitution.substituted(found, ends)

    return wrong


def any_place_may_be_zero(is_nonzero: Any) -> Any:
    def wrong(context: Any, term: Any, extra: Any = ()) -> bool:
        return isinstance(term, t.Prod) or is_nonzero(context, term, extra)

    return wrong


def what_is_proposed_is_believed(_: Any) -> Any:
    """A sum of squares for any that has a square in it."""
    return yes


def ranges_of_the_rest_lost(parted_by_binders: Any) -> Any:
    def wrong(product: Any, bound: Any) -> Any:
        inner, kept = parted_by_binders(product, bound)
        return inner, replace(kept, guards=())

    return wrong


def guards_vouch_for_each_other(chosen: Any) -> Any:
    def wrong(product: Any, extra: Any) -> Any:
        return chosen(product, (*extra, *product.guards))

    return wrong


def nothing_is_bound(_: Any) -> Any:
    return lambda term: frozenset()


def logarithms_of_anything_parted(_: Any) -> Any:
    def wrong(term: Any, context: Any, extra: Any) -> Any:
        if not isinstance(term.inner, t.Mul | t.Div):
            return term
        first, second = map(t.Log, term.inner.args[:2])
        return first - second if isinstance(term.inner, t.Div) else first + second

    return wrong


def one_way_is_enough(_: Any) -> Any:
    def wrong(prover: Any, p: Any, q: Any, extra: Any) -> bool:
        return bool(prover.entails(t.And(*q), (*extra, *p)))

    return wrong


def said_everywhere(said_there: Any) -> Any:
    """As if any guard that compares two names said that they are equal."""

    def wrong(prover: Any, product: Any, extra: Any) -> Any:
        inner = (g.args[0] if isinstance(g, t.Not) else g for g in product.guards)
        equal = tuple(t.Eq(*g.args) for g in inner if isinstance(g, t.Ne))
        return said_there(prover, replace(product, guards=(*product.guards, *equal)), extra)

    return wrong


# Sums of guarded products.


def whole_number_always(solve: Any) -> Any:
    def wrong(*args: Any) -> Any:
        found = solve(*args)
        return None if found is None else (found[0], ())

    return wrong


def never_zero(solve: Any) -> Any:
    return lambda guard, binder, entails, symbolic: solve(guard, binder, yes, symbolic)


def negative_counts(count: Any) -> Any:
    """A reversed range counts as so many less than nothing, as in Karr's sums."""

    def clamped(factor: Any) -> bool:
        return isinstance(factor, t.Max) and factor.args[0] == 0

    def wrong(product: Any, fresh: Any) -> Any:
        found = count(product, fresh)
        return replace(found, factors=tuple(f.args[1] if clamped(f) else f for f in found.factors))

    return wrong


def merged_guard_dropped(merged: Any) -> Any:
    def wrong(product: Any, fresh: Any) -> Any:
        found = merged(product, fresh)
        names = [g for g in found.guards if isinstance(g, t.Eq) and {*map(type, g.args)} == {t.Sym}]
        return replace(found, guards=tuple(g for g in found.guards if g not in names))

    return wrong


def any_divisor(unround: Any) -> Any:
    return lambda guard, entails: unround(guard, yes)


def one_node_is_one_side(unround: Any) -> Any:
    """Which side is rounded is told by the node, and both sides may be the same one."""

    def wrong(guard: Any, entails: Any) -> Any:
        if isinstance(guard, t.Le) and guard.args[0] is guard.args[1]:
            rounded = guard.args[1]
            if isinstance(rounded, t.FloorDiv):
                return (t.Le(rounded.args[0], t.Mul(rounded.args[1], rounded)),)
        return unround(guard, entails)

    return wrong


def range_without_start(in_range: Any) -> Any:
    return lambda symbol, first, last: t.And(t.relation(t.Le, symbol, last))


def exists_always(without_quantifier: Any) -> Any:
    return lambda condition: t.And()


def winner_always(at_winner: Any) -> Any:
    """A window without a valid place has a winner nonetheless."""
    return lambda term: at_winner(term).args[0]


def zero_cancels(itself_inverted: Any) -> Any:
    return lambda a, below: itself_inverted(a, below) and powers.Step(())


def divides_out_zero(divide_out: Any) -> Any:
    return lambda term, entails: divide_out(term, yes)


def any_factor_leaves_logarithm(pulled: Any) -> Any:
    def wrong(term: Any, fresh: Any) -> Any:
        if isinstance(term, t.Mul) and len(term.args) == 2:
            return [t.Log(term.args[0])], term.args[1]
        return pulled(term, fresh)

    return wrong


# Lowering.


def quotient_for_any_divisor(quotient: Any) -> Any:
    """⌊a/b⌋ by a witness that exists for b ≥ 1 only: for b = 0 anything follows."""

    def wrong(script: Any, a: str, b: str) -> str:
        q = str(quotient(script, a, b))
        if not script.bound:
            script.fact(f"(and (<= (* {b} {q}) {a}) (< {a} (+ (* {b} {q}) {b})))")
        return q

    return wrong


def order_for_any_divisor(order: Any) -> Any:
    """Laws of multiples without the hypothesis that the divisor is above 0."""
    return lambda script: (re.sub(r"\(> .*? 0\)", "true", law, count=1) for law in order(script))


def euclidean(quotient: Any) -> Any:
    return lambda script, a, b: f"(div {a} {b})" if script.bound else quotient(script, a, b)


def names_by_depth(quantified: Any) -> Any:
    def wrong(script: Any, term: Any) -> Any:
        names = smt.Canonical()
        names.count = len(script.bound)
        with mock.patch.object(smt, "canonical", lambda whole: whole):
            return quantified(script, substitute(term, {}, names))

    return wrong


def rounds_up(rounded: Any) -> Any:
    def wrong(script: Any, term: Any) -> Any:
        a, b = map(script.lower, term.args)
        return f"(- {script.quotient(f'(- {a})', b)})"

    return wrong


def rounds_down(truncated: Any) -> Any:
    return lambda a, b: t.FloorDiv(a, b)


def zero_has_an_inverse(inverse: Any) -> Any:
    def wrong(script: Any, b: str) -> str:
        found = str(inverse(script, b))
        script.fact(f"(= (* {b} {found}) 1.0)")
        return found

    return wrong


def exponentials_start_at_one(exponential: Any) -> Any:
    """As if no exponent were below 0."""

    def wrong(script: Any, term: Any) -> str:
        found = str(exponential(script, term))
        script.fact(f"(>= {found} 1.0)")
        return found

    return wrong


def logarithm_of_anything(logarithm: Any) -> Any:
    def wrong(script: Any, term: Any) -> str:
        found = str(logarithm(script, term))
        back = f"({script.name('exponential of', '(Real) Real')} {found})"
        script.fact(f"(= {back} {script.real(term.args[0])})")
        script.fact(f"(> {back} 0.0)")
        return found

    return wrong


def one_constant_for_all(canonical: Any) -> Any:
    return lambda term: (
        t.Sym("something", t.sort_of(term)) if isinstance(term, t.Sum) else canonical(term)
    )


def padding_reads(guarded: Any) -> Any:
    return lambda term: t.Read(*term.args)


def strict_is_not(relation: Any) -> Any:
    def wrong(script: Any, term: Any) -> Any:
        return relation(script, t.node(t.Le, *term.args) if isinstance(term, t.Lt) else term)

    return wrong


def unknown_is_proved(solve: Any) -> Any:
    def wrong(text: str, rlimit: int) -> Any:
        found = solve(text, rlimit)
        return "proved" if found == "unknown" else found

    return wrong


def fewer_hypotheses_refute(ask_once: Any) -> Any:
    def wrong(hypotheses: Any, goal: Any, rlimit: int) -> Any:
        return asking.of_fewest(tuple(filter(asking.is_lowered, hypotheses)), goal, rlimit)

    return wrong


# Hypotheses.


def sizes_are_positive(start: Any) -> Any:
    """As `Symbol(positive=True)`: a precondition that nobody wrote."""

    def wrong(prover: Any, hypotheses: Any, *rest: Any) -> None:
        found = tuple(hypotheses)
        names = {s for h in found for s in free(h) if s.sort == t.INT and "'" not in s.name}
        more = [t.relation(t.Ge, s, 1) for s in sorted(names, key=str)]
        start(prover, (*found, *more), *rest)

    return wrong


def guards_one_way(agree_guards: Any) -> Any:
    def wrong(prover: Any, p: Any, q: Any, extra: Any) -> bool:
        plain, _ = prover.split(q)
        return bool(prover.entails(t.And(*plain), (*extra, *p))) or agree_guards(
            prover, p, q, extra
        )

    return wrong


def one_index_of_a_read(agree: Any) -> Any:
    def wrong(prover: Any, a: Any, b: Any, extra: Any) -> bool:
        if isinstance(a, t.Read) and type(a) is type(b) and a.array == b.array:
            return bool(agree(prover, a.index[0], b.index[0], extra))
        return bool(agree(prover, a, b, extra))

    return wrong


def leftovers_ignored(match: Any) -> Any:
    def wrong(prover: Any, left: Any, right: Any, extra: Any) -> bool:
        rest = tuple(right)
        return all(any(prover.agree_products(p, q, extra) for q in rest) for p in left)

    return wrong


def numbers_ignored(scaled: Any) -> Any:
    return lambda product, by=1: (by, scaled(product)[1])


def like_by_length(cancel_out: Any) -> Any:
    def wrong(prover: Any, products: Any, extra: Any) -> bool:
        lengths = {len(p.factors) for _, p in products}
        return all(sum(n for n, p in products if len(p.factors) == k) == 0 for k in lengths)

    return wrong


def powers_of_anything(powers: Any) -> Any:
    """Powers are multiplied whatever the sign of their base."""

    def wrong(prover: Any, factors: Any, extra: Any) -> Any:
        with mock.patch.object(sums, "is_positive", yes):
            return powers(prover, factors, extra)

    return wrong


def every_root_is_square(as_power: Any) -> Any:
    def wrong(factor: Any) -> Any:
        base, exponent = as_power(factor)
        return base, exponent if exponent.is_integer else sympy.Rational(1, 2)

    return wrong


def numbers_of_exponents_ignored(multiple: Any) -> Any:
    return lambda term: (multiple(term)[0], sympy.Integer(1))


def divides_and_stays_as_it_was(inverses: Any) -> Any:
    def wrong(divisor: Any, fresh: Any) -> Any:
        if not isinstance(divisor, t.Sum):
            return inverses(divisor, fresh)
        exponents, rest = normal.pulled(divisor, fresh)
        below = [] if rest is None else [normal.inverse(rest)]
        return (*map(t.Exp, exponents), *below)

    return wrong


def clears_anything(divisor: Any) -> Any:
    def wrong(prover: Any, products: Any, extra: Any) -> Any:
        bases = (powers.as_power(f)[0] for _, p in products for f in p.factors)
        return next((base for base in bases if normal.is_composite(base)), None)

    return wrong


def one_fraction_only(lowest: Any) -> Any:
    return lambda exponents: [min(lowest(exponents))]


def powers_not_written_out(raised: Any) -> Any:
    return lambda prover, number, product, base, times, extra: [(number, product)]


def any_degree(by_degrees: Any) -> Any:
    return lambda goal: goals.met(SEAL, goal, "wishful thinking", ())


# Every rank.


def all_axes_known(one_axis: Any) -> Any:
    """∀ over bundles as a hypothesis, though another axis may have no place."""

    def wrong(condition: Any, as_goal: bool) -> Any:
        if isinstance(condition, t.ForAll):
            return one_axis(condition, True)
        return one_axis(condition, as_goal)

    return wrong


def half_a_goal(one_axis: Any) -> Any:
    def wrong(condition: Any, as_goal: bool) -> Any:
        found = one_axis(condition, as_goal)
        return t.And() if found is None and as_goal else found

    return wrong


def first_axis_alone(at_rank: Any) -> Any:
    def wrong(term: Any, rank: int) -> Any:
        if isinstance(term, t.AllAxes):
            return at_rank(term, 1)
        return at_rank(term, rank)

    return wrong


def what_no_axis_decides_follows(follows: Any) -> Any:
    def wrong(context: Any, given: Any, goal: Any) -> bool:
        return goal is None or bool(follows(context, given, goal))

    return wrong


# Selections and signs.


def turns_assumed(goes_on: Any) -> Any:
    return lambda self, tie: tie == "first"


def begins_anywhere(begins: Any) -> Any:
    return yes


def ties_alike(goes_on: Any) -> Any:
    """Takes a loop that keeps the last of the largest for one that keeps the first."""
    return lambda self, tie: goes_on(self, "first") or goes_on(self, "last")


def old_states_unread(flattened: Any) -> Any:
    """Makes one loop of two also where the inner one reads what a state was before it."""

    def wrong(loop: Any) -> Any:
        with mock.patch.object(selection, "free", return_value=frozenset()):
            return flattened(loop)

    return wrong


def any_maximum_is_the_windows(of_largest: Any) -> Any:
    def wrong(found: Any) -> Any:
        with mock.patch.object(selection, "canonical", return_value=None):
            return of_largest(found)

    return wrong


def first_stays_first(align_window: Any) -> Any:
    """Forgets that the first place of a window that is read backwards is its last cell."""

    def wrong(node: Any, fresh: Any) -> Any:
        found = align_window(node, fresh)
        if not isinstance(node, t.Winner):
            return found
        return t.rebuild(found, [*found.args[:2], node.tie, *found.args[3:]])

    return wrong


def any_rest_is_less(parted_by: Any) -> Any:
    """Takes a rest for less than its divisor, unasked."""
    return lambda term, entails: parted_by(term, yes)


def a_guard_vouches_for_itself(parted_guards: Any) -> Any:
    def wrong(guards: Any, entails: Any) -> Any:
        known = rounding.where(guards, entails)
        return tuple(rounding.parted_by(guard, known) for guard in guards)

    return wrong


def every_comparison_crosses(degree_in: Any) -> Any:
    return lambda term, names: min(1, degree_in(term, names))


def nothing_meets(meetings: Any) -> Any:
    return lambda term, names, over: iter(())


def functions_do_not_branch(turning: Any) -> Any:
    return lambda term: ()


def winners_are_of_any_weight(shared: Any) -> Any:
    return lambda *_: iter(())


def any_number_covers(covering: Any) -> Any:
    return lambda windows, last: t.And()


def counts_of_one_more(counted: Any) -> Any:
    """Counts the places from 0 to N as those before N."""

    def wrong(term: Any, context: Any) -> Any:
        found = counted(term, context)
        return t.plus(found, 1) if isinstance(term, t.Sum) and found is not term else found

    return wrong


def one_winner_assumed(is_unique: Any) -> Any:
    return yes


def all_squares(unpaired: Any) -> Any:
    return lambda factors: ()


def around_zero_is_zero(sign: Any) -> Any:
    def wrong(number: Any) -> int:
        try:
            return int(sign(number))
        except Undecided:
            return 0

    return wrong


def slopes_are_all(jet: Any) -> Any:
    return lambda value, rest, whole: numbers.Jet(value, rest[:1], whole)


def quotients_are_polynomials(jets: Any) -> Any:
    def wrong(base: Any) -> Any:
        found = jets(base)
        return replace(found, divide=lambda a, b: replace(found.divide(a, b), whole=True))

    return wrong


def never_empty(is_inhabited: Any) -> Any:
    return yes


def any_window_counts(counts_winners: Any) -> Any:
    return lambda prover, term, extra: isinstance(term.body, t.Bracket)


# Obligations.


def divisors_unasked(nonzero: Any) -> Any:
    return lambda divisor: iter(())


def reads_unasked(defined: Any) -> Any:
    def wrong(term: Any) -> Iterator[Any]:
        if not isinstance(term, t.Read):
            yield from defined(term)

    return wrong


def losers_count(parts: Any) -> Any:
    def wrong(term: Any, array: Any) -> Any:
        chooses = isinstance(term, t.Max | t.Min | t.Maximum)
        for part, ranges, held in parts(term, array):
            yield part, ranges, held[:-1] if chooses else held

    return wrong


def a_branch_not_taken_turns(parts: Any) -> Any:
    return lambda term, array: ((part, ranges, ()) for part, ranges, _ in parts(term, array))


def slopes_alone(compared: Any) -> Any:
    """By the first derivatives, whatever the degree."""
    return lambda relation, cell, way, most: compared(relation, cell, way, min(most, 1))


def both_sides_are_one(compared: Any) -> Any:
    return lambda relation, cell, way, most: compared(relation, cell, 1, most)


def only_the_right_side_is_asked(beside: Any) -> Any:
    return lambda condition, cell, way: beside(condition, cell, max(way, 0))


def what_cannot_be_said_stays(beside: Any) -> Any:
    def wrong(condition: Any, cell: Any, way: int) -> Any:
        found = beside(condition, cell, way)
        return condition if found is None else found

    return wrong


def some_part_of_a_maximum_will_do(by_parts: Any) -> Any:
    def wrong(condition: Any) -> Any:
        found = by_parts(condition)
        return t.Or(*found.args) if isinstance(found, t.And) else found

    return wrong


def all_is_a_line(order: Any) -> Any:
    return lambda condition, array: 1 if isinstance(condition, t.Relation) else inf


def divisors_are_still(degree: Any) -> Any:
    return lambda term, array: degree(term.args[0] if isinstance(term, t.Div) else term, array)


def other_cells_do_not_matter(stays: Any) -> Any:
    return lambda conditions, cell: stays(tuple(c for c in conditions if t.arrays(c)), cell)


def ties_never_move_as_one(as_one: Any) -> Any:
    return lambda unique, array: t.Or()


def what_stands_at_a_tie_is_not_asked(_: Any) -> Any:
    """Takes a place for a boundary wherever others tie with it, though the integer stays."""
    return lambda kept: iter(())


def the_place_of_the_first_row(spelt_out: Any) -> Any:
    """Puts what an equation says of the first cell in place of every one."""

    def wrong(op: Any, term: Any) -> Any:
        whole = {a for a in op.computed if a.span}

        def find(read: Any) -> Any:
            first = (0,) * len(read.index)
            return (lambda *_: read.array[first]) if read.array in whole else None

        return spelt_out(op, ops.replace_reads(term, find, substitution.Fresh(term)))

    return wrong


def spans_unasked(in_range: Any) -> Any:
    """Of what is computed; ranges, whose names are symbols, stay as they are."""
    return lambda u, *ends: t.And() if isinstance(u, t.Fold) else in_range(u, *ends)


def attained_by_nothing(attain: Any) -> Any:
    def wrong(self: Any, window: Any) -> Any:
        place = attain(self, window)
        valid, value = self.at(window, place)
        self.learn(t.And(*t.conjuncts(valid), t.Eq(window, value)))
        return place

    return wrong


def at_least_what_does_not_count(bound: Any) -> Any:
    def wrong(self: Any, window: Any, place: Any) -> None:
        bound(self, window, place)
        self.learn(t.relation(t.Le, self.at(window, place)[1], window))

    return wrong


def all_winners_are_one(of_unique: Any) -> Any:
    def wrong(unique: Any, found: Any, read: Any) -> Any:
        yield from of_unique(unique, found, read)
        yield unique

    return wrong


def the_last_is_the_first(of_winner: Any) -> Any:
    def wrong(wins: Any, found: Any, places: Any) -> Any:
        first = t.rebuild(wins, [*wins.args[:2], Str("first"), *wins.args[3:]])
        facts = tuple(of_winner(first, found, places))
        return (t.Or(t.Not(wins), fact) for fact in (*facts, *implied_by(first, facts)))

    return wrong


def implied_by(wins: Any, facts: Any) -> Any:
    """What facts say under a condition that they name, without it."""
    held = (fact for fact in facts if isinstance(fact, t.Or) and fact.args[0] == t.Not(wins))
    return (t.Or(*fact.args[1:]) for fact in held)


def one_for_all_that_is_bound(_: Any) -> Any:
    """Takes a maximum that depends on what is quantified for one number."""
    return lambda self, term: False


def nothing_jumps(jumps: Any) -> Any:
    return lambda term, array: False


def every_window_has_one_place(has_one_place: Any) -> Any:
    return lambda term: True


def cells_that_do_not_count_win(has_one_place: Any) -> Any:
    def wrong(context: Any, guard: Any, extra: Any) -> bool:
        equal = (c for c in t.conjuncts(guard.args[1]) if isinstance(c, t.Eq))
        largest = [c.args[1] for c in equal if isinstance(c.args[1], t.Maximum)]
        return any(winners.is_unique(context, m, extra) for m in largest)

    return wrong


def only_the_first_addend_is_scaled(addends: Any) -> Any:
    def wrong(term: Any) -> Any:
        if not isinstance(term, t.Mul):
            return addends(term)
        first, *rest = addends(term)
        return (first, *(u.args[-1] if isinstance(u, t.Mul) else u for u in rest))

    return wrong


def all_places_are_told_apart(is_told_apart: Any) -> Any:
    return lambda unique, others, prover, extra: True


def one_point_without_its_range(summed: Any) -> Any:
    def wrong(term: Any, prover: Any) -> Any:
        if not isinstance(term, t.Sum) or not t.mentions(term, t.Bracket):
            return t.over_parts(term, lambda u: wrong(u, prover))
        return sums.sum_of(replace(p, guards=()) for p in prover.reduced(term, ()))

    return wrong


def parts_vouch_for_each_other(said_apart: Any) -> Any:
    return lambda theorem: (theorem,)


def the_output_is_anything(written_out: Any) -> Any:
    return lambda op, sequent, own: sequent


def a_bracket_is_1(equation: Any) -> Any:
    return lambda left, right, prover, known: (
        t.conjuncts(right.args[0])
        if isinstance(right, t.Bracket)
        else equation(left, right, prover, known)
    )


def ties_may_leave_nothing(proof_outside: Any) -> Any:
    return lambda theorem, rlimit: prove(theorem, False, rlimit).proof


def starts_are_repeated(total_turns: Any) -> Any:
    def wrong(term: Any) -> int:
        if not isinstance(term, t.Fold):
            return int(total_turns(term))
        inner = max(map(total_turns, (term.body, *(start for _, start, _ in term.args[1]))))
        return int(inner * total_turns(term))

    return wrong


def parts_unread(new: Any) -> Any:
    return lambda kind, *args: t.node(kind, *map(t.as_term, args))


def no_factor_is_1(power: Any) -> Any:
    return lambda base, number: power(base, number) if number else t.Mul()


def any_name(checked_name: Any) -> Any:
    return str


def any_target(check_targets: Any) -> Any:
    return lambda op, scope: None


def any_shape(check_shape: Any) -> Any:
    return lambda made, scope: None


def caller_is_read_as_called(getitem: Any) -> Any:
    def wrong(self: Any, index: Any) -> Any:
        places = tuple(map(t.as_term, index if isinstance(index, tuple) else (index,)))
        fresh = calls.CALLED
        body = ops.value_at(self.op.rule(self.of), places, fresh, self.sizes)
        return ops.replace_reads(body, lambda read: self.function(read.array.name), fresh)

    return wrong


def arrays_are_never_empty(with_shapes: Any) -> Any:
    def wrong(op: Any, theorem: Any) -> Any:
        sizes = (d for a in op.operands for d in a.dims)
        more = (t.relation(t.Ge, d, 1) for d in sizes if isinstance(d, t.Sym))
        return replace(theorem, given=(*theorem.given, *more))

    return wrong


def every_size_has_a_value(with_shapes: Any) -> Any:
    def wrong(op: Any, theorem: Any) -> Any:
        sizes = (d for a in (*op.operands, op.output) for d in a.dims)
        more = (t.relation(t.Ge, d, 0) for d in sizes)
        return replace(theorem, given=(*theorem.given, *more))

    return wrong


def every_size_is_bounded(is_bound: Any) -> Any:
    return lambda clause, size: True


def states_do_not_move(states_from: Any) -> Any:
    return lambda term, array: set()


def unique_without_its_condition(is_unique: Any) -> Any:
    def wrong(prover: Any, window: Any, extra: Any) -> bool:
        always = [h.args[-1] if isinstance(h, t.Or) and h.args else h for h in prover.hypotheses]
        with mock.patch.object(prover, "hypotheses", tuple(always)):
            return bool(is_unique(prover, window, extra))

    return wrong


def approximations_believed(widened: Any) -> Any:
    return numbers.Interval


def boundary_unseen(branches_of: Any) -> Any:
    return lambda term, array: []


# Systems of equations.


def what_has_no_name_is_still(entry: Any) -> Any:
    """Derivatives by what is read directly, and not by what that is computed from."""

    def wrong(self: Any, *cells: Any) -> Any:
        whole = frozenset(made_by(e) for e in self.system)
        return entry(replace(self, kept=whole), *cells)

    return wrong


def what_is_computed_is_still(tangents: Any) -> Any:
    """Tangents by the inputs, and not by other tangents."""

    def wrong(self: Any) -> Any:
        for sequent in tangents(self):
            cells = {u.cell.array for u in t.walk(sequent.then) if isinstance(u, t.Slope)}
            if cells <= {self.by, ops.tangent(self.by)}:
                yield sequent

    return wrong


def nothing_is_given(started: Any) -> Any:
    """Does not ask what the given cotangent of an output adds to the one that counts all."""
    return lambda self, target, rule, made: iter(())


def one_output_will_do(cotangents: Any) -> Any:
    """Entries by the cotangent of the first output alone."""

    def wrong(self: Any, label: Any) -> Any:
        others = {ops.cotangent(y) for y in self.op.outputs[1:]}
        for sequent in cotangents(self, label):
            if others.isdisjoint(t.arrays(sequent.then)):
                yield sequent

    return wrong


def the_end_of_a_recurrence_is_nothing(expanded: Any) -> Any:
    """Leaves a recurrence out where it cannot be written out."""
    return lambda sequent: expanded(sequent) or replace(sequent, where=())


def rules_on_the_way_are_lines(linear_through: Any) -> Any:
    """Asks of rules for inputs alone that they are linear."""

    def wrong(op: Any, ends: Any, rules: Any, by: Any, name: str) -> Any:
        found = linear_through(op, ends, rules, by, name)
        return replace(found, local=found.local[-len(found.sequents) :])

    return wrong


def a_cell_comes_before_itself(cut: Any) -> Any:
    def wrong(equation: Any, group: Any, axis: int, downwards: bool) -> Any:
        def later(term: Any) -> Any:
            term = t.over_parts(term, later)
            if not isinstance(term, t.Read) or term.array.name not in names:
                return term
            dims = list(term.array.dims)
            dims[axis] = t.plus(dims[axis], 1)
            return t.rebuild(term, (t.Array(term.array.name, dims), *term.index))

        names = {made_by(e).name for e in group}
        found = cut(equation, group, axis, downwards)
        return t.rebuild(found, (found.target, *map(later, found.args[1:])))

    return wrong


def at_one_place_any_order_will_do(cut: Any) -> Any:
    def wrong(equation: Any, group: Any, axis: int, downwards: bool) -> Any:
        last = (*(e for e in group if e != equation), equation)
        return cut(equation, last, axis, downwards)

    return wrong


def rules_are_in_order(orders_of: Any) -> Any:
    """Asks for an order of what is computed, and not of tangents and cotangents."""
    return lambda op: (th for th in orders_of(op) if th.equation in op.formulas)


# Graphs that are repeated.


def the_next_turn_gives_nothing_back(from_above: Any) -> Any:
    def wrong(self: Any, var: Any, turn: Any, cell: Any) -> Any:
        given = var in self.wiring.outputs
        yield from [*from_above(self, var, turn, cell)][: int(given)]

    return wrong


def every_turn_starts_anew(handed: Any) -> Any:
    """In tangents alone: what is pushed is not what is computed."""

    def wrong(self: Any, role: Any) -> Any:
        for equation in handed(self, role):
            anew = t.Eq(equation.left, equation.right.then)
            yield anew if role is ops.tangent else equation

    return wrong


def the_first_turn_is_the_last(ended: Any) -> Any:
    """What is computed is that of the first turn; tangents are those of the last."""

    def wrong(self: Any, role: Any) -> Any:
        for equation in ended(self, role):
            read = equation.right
            is_first = role is not ops.tangent and not self.each
            first = (read.array, sympy.Integer(0), *read.index[1:])
            yield t.Eq(equation.left, t.rebuild(read, first)) if is_first else equation

    return wrong


def what_is_shared_is_used_once(pulled: Any) -> Any:
    """Takes what the last turn gives back to weights that all turns share for what all give."""

    def wrong(self: Any) -> Any:
        shared = {ops.cotangent(self.fusion.of(x)) for x in self.shared}
        for equation in pulled(self):
            if made_by(equation) in shared:
                ((turn, _, last),) = equation.right.ranges
                once = substitute(equation.right.body, {turn: last}, self.fusion.fresh)
                equation = t.Eq(equation.left, once)
            yield equation

    return wrong


# The second route and the verdicts.


def second_route_blind(fails: Any) -> Any:
    return lambda trial, place: None


def states_have_no_say(factored: Any) -> Any:
    """A state in what is added, or beside another one, is taken for a number."""

    def wrong(step: Any, state: Any, states: Any) -> Any:
        return factored(step, state, frozenset((state,)))

    return wrong


def sums_start_at_nothing(totals: Any) -> Any:
    def wrong(fold: Any, fresh: Any) -> Iterator[Any]:
        states = (sympy.Tuple(state, 0, step) for state, _, step in fold.args[1])
        yield from totals(t.Fold(fold.body, sympy.Tuple(*states), *fold.ranges), fresh)

    return wrong


def a_turn_comes_after_itself(after: Any) -> Any:
    def wrong(factor: Any, over: Any, fresh: Any) -> Any:
        return t.Mul(factor, after(factor, over, fresh))

    return wrong


def search_is_believed(replayed: Any) -> Any:
    return lambda theorem, found: found


def hypotheses_unasked(satisfies: Any) -> Any:
    return lambda given, env: True


def nothing_tried_is_fine(surveyed: Any) -> Any:
    def wrong(instances: Any, rlimit: int) -> Any:
        found = surveyed(instances, rlimit)
        return found if found is not None and found.status == "error" else None

    return wrong


def contradictions_prove(surveyed: Any) -> Any:
    def wrong(instances: Any, rlimit: int) -> Any:
        found = surveyed(instances, rlimit)
        return None if found is not None and found.status == "vacuous" else found

    return wrong


def one_rank_stands_for_all(surveyed: Any) -> Any:
    return lambda instances, rlimit: surveyed(dict([*instances.items()][:1]), rlimit)


def on_one_axis(first_rank: Any) -> Any:
    return lambda op: 1


def routes_may_disagree(surveyed: Any) -> Any:
    def wrong(instances: Any, rlimit: int) -> Any:
        found = surveyed(instances, rlimit)
        return None if found is not None and found.status == "error" else found

    return wrong


def any_witness(is_pinned: Any) -> Any:
    return yes


def best_counts(worst: Any) -> Any:
    return lambda statuses: [*[s for s in statuses if s == "proved"], "refuted"][0]


def failures_pass(run: Any) -> Any:
    def wrong(*args: Any) -> Any:
        found = run(*args)
        return replace(found, status="proved") if found.status == "error" else found

    return wrong


def silence_is_fine(objection: Any) -> Any:
    def wrong(theorem: Any, most: int, rlimit: int) -> Any:
        found = objection(theorem, most, rlimit)
        return None if found and "off the boundary" in found.note else found

    return wrong


# Recurrences, and turns of graphs.


def every_cell_has_that_value(with_value: Any) -> Any:
    def wrong(goal: Any, equation: Any, place: Any) -> Any:
        fresh, array = goal.context.fresh, systems.made_by(equation)
        value = ops.value_at(equation, place, fresh)

        def find(read: Any) -> Any:
            return (lambda *index: value) if read.array == array else None

        left, right = goal.goal.args
        return replace(goal, seal=SEAL, goal=t.Eq(left, ops.replace_reads(right, find, fresh)))

    return wrong


def states_have_no_boundary(moving: Any) -> Any:
    return property(lambda boundaries: frozenset({boundaries.x}))


def each_equation_has_a_boundary(off_boundaries: Any) -> Any:
    """Leaves out of an entry where its equation alone compares equals, without recurrences too."""

    def wrong(self: Any, made: Any, place: Any, kept: Any, fresh: Any) -> Any:
        equation = next(e for e in self.op.system if made_by(e) == made)
        value = ops.value_at(equation, place, fresh)
        met = (u for u in t.walk(value) if isinstance(u, t.Relation) and t.arrays(u))
        alone = tuple(t.Ne(*u.args) for u in met)
        return (*off_boundaries(self, made, place, kept, fresh), *alone)

    return wrong


def every_choice_is_by_a_condition(is_shown_locally: Any) -> Any:
    return yes


def boundaries_everywhere_are_fine(on_boundary_at_large: Any) -> Any:
    return lambda theorem, most: None


def equals_may_be_compared(steady: Any) -> Any:
    def wrong(term: Any, moved: Any, off: Any, over: Any = (), when: Any = ()) -> Any:
        for said in steady(term, moved, off, over, when):
            if t.mentions(said, t.Unique):
                yield said

    return wrong


def every_range_has_an_end(end_apart: Any) -> Any:
    def wrong(term: Any, context: Any, extra: Any, last: bool) -> Any:
        with mock.patch.object(type(context), "entails", yes):
            return end_apart(term, context, extra, last)

    return wrong


def the_first_step_goes_unasked(cases: Any) -> Any:
    return lambda op, equation, over: [*cases(op, equation, over)][-1:]


def some_places_stand_for_all(is_whole: Any) -> Any:
    return yes


def signs_are_as_guessed(kept_positive: Any) -> Any:
    return lambda op, asked: ((), kept_positive(op, asked)[1])


def sides_always_part(_: Any) -> Any:
    """Leaves out all points at which a comparison is of one value with itself."""
    return lambda left, right, moved: t.And()


def what_is_no_polynomial_parts(parting: Any) -> Any:
    """Leaves out all points at which it is compared."""

    def wrong(left: Any, right: Any, moved: Any) -> Any:
        found = parting(left, right, moved)
        return t.And() if found == t.Not(t.And()) else found

    return wrong


def what_is_not_said_is_met(_: Any) -> Any:
    return yes


def no_turn_is_on_a_boundary(is_steady: Any) -> Any:
    return yes


def uses_add_up_once(uses: Any) -> Any:
    def wrong(stack: Any, var: Any, turn: Any, cell: Any) -> Any:
        yield from [*uses(stack, var, turn, cell)][:1]

    return wrong


def nothing_is_a_proof(all_sequents: Any) -> Any:
    def wrong(theorem: Any, premises: Any) -> Any:
        found = tuple(premises)
        return all_sequents(theorem, found) if found else Proved(SEAL, theorem, True, ())

    return wrong


def any_part_will_do(one_of: Any) -> Any:
    def wrong(wanted: Any, proof: Any) -> Any:
        return one_of(wanted, proof) or Holds(SEAL, proof.given, wanted, proof.rule)

    return wrong


def the_first_part_will_do(all_of: Any) -> Any:
    def wrong(wanted: Any, proofs: Any) -> Any:
        found = all_of(wanted, proofs)
        first = next(iter(proofs), None)
        return found or (first and Holds(SEAL, first.given, wanted, first.rule))

    return wrong


RULES, CORE, CHECK, KERNEL, NORMS, REPLAY, ADDING, TURNS, BRANCHES, MEETING = (
    f"tests/{room}/test_{name}.py::test_"
    for room, name in (
        ("prove", "rules"),
        ("language", "core"),
        ("settle", "check"),
        ("prove", "kernel"),
        ("suite", "norms"),
        ("evaluate", "replay"),
        ("language", "accumulators"),
        ("theorems", "differentiability"),
        ("theorems", "branches"),
        ("theorems", "meeting"),
    )
)
(
    ARITHMETIC,
    BRANCHING,
    DERIVATIVES,
    EXPONENTS,
    FUNCTIONS,
    GRAPHS,
    INTEGERS,
    KINKS,
    LANGUAGE,
    LOOPS,
    MAXIMA,
    NAMES,
    PRODUCTS,
    RANKS,
    RECURRENCES,
    REQUIREMENTS,
    SIZES,
    SQUARES,
    SUMS,
    SYSTEMS,
    VALUES,
    WINDOWS,
    WITNESSES,
) = (
    f"tests/attacks/test_{name}.py::test_"
    for name in (
        "arithmetic",
        "branching_systems",
        "derivatives",
        "exponents",
        "functions",
        "graphs",
        "integers",
        "kinks",
        "language",
        "loops",
        "maxima",
        "names",
        "products",
        "ranks",
        "recurrences",
        "requirements",
        "sizes",
        "squares",
        "sums",
        "systems",
        "values",
        "windows",
        "witnesses",
    )
)


OF_PARTS = "a_disjunction_needs_a_proof_of_a_part_and_a_conjunction_one_of_each"
FORGOTTEN = f"{SYSTEMS}what_is_forgotten_at_large_sizes_alone_is_not_proved"
INDUCTION = "tests/theorems/test_induction.py::test_"
MEETINGS = "tests/theorems/test_meeting.py::test_"
BOUNDARIES = "tests/attacks/test_boundaries.py::test_"
AT_A_KINK = "a_slope_that_is_wrong_at_a_kink_alone_is_not_proved"
WINNERS = "all_winners_do_not_get_the_whole_weight"
SMOOTH = "where_an_op_is_smooth_its_derivative_is_asked_though_the_formula_branches"
NOT_REACHED = "what_is_not_reached_has_no_boundary"
POLYNOMIALS = "what_compares_polynomials_is_left_out_where_it_turns_and_nowhere_else"
UNDECIDED = "where_it_is_not_decided_nothing_is_left_out"
UNKNOWN_NEARBY = "equal_numbers_of_which_it_is_not_known_whether_they_part_are_a_boundary"
TOUCHED = "where_equal_sides_part_without_a_slope_the_point_is_left_out"
VACUOUS = "what_is_vacuous_at_one_rank_is_not_at_another"


def bug(place: str, change: Change, *tests: str) -> Bug:
    return Bug(change.__name__, place, change, tests)


BUGS = (
    bug("derive.slope", first_factor_only, f"{KERNEL}a_slope_is_the_derivative"),
    bug("derive.slope", constant_divisor, f"{KERNEL}a_slope_is_the_derivative"),
    bug("derive.slope", logarithm_undivided, f"{KERNEL}the_slope_of_a_logarithm"),
    bug(
        "core.at_winner",
        every_winner_counts,
        f"{WINDOWS}a_slope_in_a_claim_counts_a_cell_once",
    ),
    bug("derive.slope_of_product", all_factors_stay, f"{KERNEL}a_slope_is_the_derivative"),
    bug("derive.slope_of_product", one_factor_too_many, f"{PRODUCTS}the_derivative_of_a_power"),
    bug(
        "products.is_never_zero",
        divisors_may_be_zero,
        f"{RULES}what_divides_a_product_is_not_zero",
    ),
    bug(
        "products.cancels",
        places_uncompared,
        f"{PRODUCTS}each_place_is_a_factor_equally_often",
    ),
    bug("derive.slope", the_power_keeps_its_exponent, f"{EXPONENTS}the_derivative_of_a_power"),
    bug("core.as_factors", powers_below_none_are_one, f"{EXPONENTS}the_laws_of_powers"),
    bug("normal.inverses", a_power_is_its_inverse, f"{EXPONENTS}the_laws_of_powers"),
    bug(
        "definedness.defined", powers_of_nothing, f"{EXPONENTS}zero_to_the_minus_first_has_no_value"
    ),
    bug("normal.nowhere_zero", whole_numbers_are_positive, f"{EXPONENTS}the_derivative_of_a_power"),
    bug("signs.is_nonzero", no_power_is_zero, f"{EXPONENTS}a_power_has_the_sign_of_what_it_is_of"),
    bug("products.times_of", fewer_than_none, f"{PRODUCTS}equal_factors_are_counted"),
    bug(
        "sums.Sums.same",
        what_is_proposed_is_believed,
        f"{SQUARES}a_variance_by_moments_is_not_negative",
    ),
    bug(
        "sums.parted_by_binders",
        ranges_of_the_rest_lost,
        f"{SQUARES}means_that_do_not_share_a_place_are_taken_apart",
    ),
    bug(
        "sums.chosen",
        guards_vouch_for_each_other,
        f"{RULES}a_choice_is_taken_where_its_condition_is_known",
    ),
    bug(
        "sums.bound_by",
        nothing_is_bound,
        f"{RULES}a_choice_below_a_binder_is_of_what_the_binder_binds",
    ),
    bug(
        "unfolding.sum_of_logarithms",
        logarithms_of_anything_parted,
        f"{RULES}a_logarithm_is_parted_where_its_parts_are_positive",
    ),
    bug(
        "sums.Sums.say_the_same",
        one_way_is_enough,
        f"{RULES}conditions_on_sums_say_the_same_if_they_follow_from_each_other",
    ),
    bug(
        "sums.Sums.said_there",
        said_everywhere,
        f"{RULES}what_is_said_of_a_sum_is_said_by_the_name_that_stays",
    ),
    bug("signs.is_nonzero", any_place_may_be_zero, f"{RULES}a_product_is_zero_where_a_factor_is"),
    bug("derive.slope_of_read", first_axis_only, f"{KERNEL}a_slope_looks_at_every_index"),
    bug(
        "derive.branches_of",
        boundary_unseen,
        f"{DERIVATIVES}a_bracket_that_reads_the_input_leaves_the_boundary_out",
    ),
    bug("core.truncated", rounds_down, f"{CORE}what_a_shorthand_is_short_for_has_its_value"),
    bug("substitution.substitute", captures, f"{KERNEL}what_is_put_in_is_not_captured"),
    bug("binders.solved_for", whole_number_always, f"{RULES}steps_keep_a_sum"),
    bug(
        "binders.solved_for",
        never_zero,
        f"{KERNEL}a_binder_is_solved_for_only_if_its_coefficient_is_not_zero",
    ),
    bug("binders.count", negative_counts, f"{RULES}counting_an_interval"),
    bug("binders.merged", merged_guard_dropped, f"{KERNEL}a_guard_that_joins_two_names_stays"),
    bug(
        "rounding.unround",
        any_divisor,
        f"{KERNEL}rounding_stays_where_the_divisor_may_not_be_positive",
    ),
    bug("terms.in_range", range_without_start, f"{RULES}steps_keep_a_sum"),
    bug("binders.without_quantifier", exists_always, f"{RULES}a_quantifier_over_an_interval_goes"),
    bug(
        "core.at_winner",
        winner_always,
        f"{KERNEL}a_maximum_has_a_value_where_the_window_is_empty",
    ),
    bug("rounding.divide_out", divides_out_zero, f"{RULES}dividing_out_keeps_the_quotient"),
    bug(
        "normal.pulled",
        any_factor_leaves_logarithm,
        f"{RULES}logarithms_give_up_exponentials_only",
    ),
    bug("powers.itself_inverted", zero_cancels, f"{KERNEL}what_may_be_zero_does_not_cancel"),
    bug("entailment.Context.__init__", sizes_are_positive, f"{SUMS}a_coefficient_that_may_be_zero"),
    bug(
        "sums.Sums.agree_guards",
        guards_one_way,
        f"{KERNEL}guards_agree_both_ways_or_not_at_all",
    ),
    bug("sums.Sums.agree", one_index_of_a_read, f"{KERNEL}reads_agree_in_every_index"),
    bug("sums.Sums.match", leftovers_ignored, f"{KERNEL}no_product_is_left_over"),
    bug("normal.scaled", numbers_ignored, f"{KERNEL}like_products_are_added_up"),
    bug("sums.Sums.cancel_out", like_by_length, f"{KERNEL}like_products_are_added_up"),
    bug(
        "sums.Sums.powers",
        powers_of_anything,
        f"{KERNEL}powers_of_what_may_be_negative_stay_as_they_are",
    ),
    bug(
        "sums.Sums.divisor",
        clears_anything,
        f"{KERNEL}what_divides_is_cleared_only_if_it_is_positive_and_the_same_for_all",
    ),
    bug("powers.lowest", one_fraction_only, f"{NORMS}powers_that_differ_are_told_apart"),
    bug(
        "sums.Sums.raised",
        powers_not_written_out,
        f"{NORMS}powers_that_differ_are_told_apart",
    ),
    bug(
        "powers.as_power",
        every_root_is_square,
        f"{NORMS}powers_that_differ_are_told_apart",
    ),
    bug(
        "powers.multiple",
        numbers_of_exponents_ignored,
        f"{NORMS}powers_of_e_that_differ_are_told_apart",
    ),
    bug(
        "normal.inverses",
        divides_and_stays_as_it_was,
        f"{NORMS}powers_of_e_that_differ_are_told_apart",
    ),
    bug(
        "winners.is_unique",
        one_winner_assumed,
        f"{WINDOWS}a_winner_of_another_window_is_not_unique",
    ),
    bug(
        "goals.by_degrees",
        any_degree,
        f"{DERIVATIVES}a_cotangent_in_a_branch",
        f"{DERIVATIVES}a_rule_that_is_not_linear",
    ),
    bug(
        "axes.one_axis",
        all_axes_known,
        f"{KERNEL}a_hypothesis_over_bundles_says_nothing_of_one_axis",
    ),
    bug("axes.one_axis", half_a_goal, f"{KERNEL}a_goal_is_asked_whole_or_not_at_all"),
    bug("ranks.at_rank", first_axis_alone, f"{RANKS}a_condition_on_every_axis_is_not_one_on_some"),
    bug(
        "entailment.Context.follows",
        what_no_axis_decides_follows,
        f"{KERNEL}what_no_axis_decides_does_not_follow",
    ),
    bug(
        "smt.Script.quotient",
        quotient_for_any_divisor,
        f"{KERNEL}nothing_follows_from_a_division_by_zero",
    ),
    bug(
        "smt.Script.order",
        order_for_any_divisor,
        f"{ARITHMETIC}multiples_differ_by_their_divisor",
    ),
    bug(
        "smt.Script.quotient",
        euclidean,
        f"{ARITHMETIC}the_solver_computes_the_same_under_a_quantifier",
    ),
    bug(
        "smt.Script.quantified",
        names_by_depth,
        f"{NAMES}a_quantifier_in_the_end_of_a_range_takes_no_name",
    ),
    bug("smt.Script.rounded", rounds_up, f"{KERNEL}the_solver_rounds_down"),
    bug(
        "smt.Script.inverse",
        zero_has_an_inverse,
        f"{KERNEL}nothing_follows_from_a_division_by_zero",
    ),
    bug(
        "smt.Script.exponential",
        exponentials_start_at_one,
        f"{RULES}an_exponential_is_above_one_where_its_exponent_is_above_zero",
    ),
    bug(
        "smt.Script.logarithm",
        logarithm_of_anything,
        f"{KERNEL}a_logarithm_of_nothing_is_no_contradiction",
    ),
    bug("smt.canonical", one_constant_for_all, f"{KERNEL}two_sums_are_two_numbers"),
    bug("core.guarded", padding_reads, f"{KERNEL}padding_is_zero_to_the_solver"),
    bug("smt.Script.relation", strict_is_not, f"{KERNEL}strict_is_strict_to_the_solver"),
    bug("smt.solve", unknown_is_proved, f"{KERNEL}an_open_question_is_no_proof"),
    bug(
        "asking.ask_once",
        fewer_hypotheses_refute,
        f"{KERNEL}what_cannot_be_lowered_is_left_out_of_a_proof_and_of_nothing_else",
    ),
    bug(
        "selection.Induction.goes_on",
        turns_assumed,
        f"{RULES}induction_fails_for_loops_that_keep_no_maximum",
    ),
    bug(
        "selection.Induction.goes_on",
        ties_alike,
        f"{RULES}induction_knows_which_maximum_a_loop_keeps",
    ),
    bug(
        "selection.Induction.begins",
        begins_anywhere,
        f"{KERNEL}a_loop_without_a_flag_starts_from_its_first_place",
    ),
    bug(
        "selection.flattened",
        old_states_unread,
        f"{RULES}a_loop_that_reads_what_a_state_was_before_it_is_not_flattened",
    ),
    bug(
        "selection.of_largest",
        any_maximum_is_the_windows,
        f"{RULES}a_match_of_another_maximum_is_no_winner",
    ),
    bug(
        "aligning.align_window",
        first_stays_first,
        f"{RULES}a_window_read_backwards_has_its_first_place_last",
    ),
    bug(
        "unfolding.counted",
        counts_of_one_more,
        f"{KERNEL}a_sum_of_brackets_is_their_number_where_they_are_an_interval",
    ),
    bug("boundary.degree_in", every_comparison_crosses, f"{MEETINGS}{SMOOTH}"),
    bug("boundary.meetings", nothing_meets, f"{MEETINGS}what_no_branch_gives_is_refuted"),
    bug("functions.turning", functions_do_not_branch, f"{BOUNDARIES}{AT_A_KINK}"),
    bug("ties.Cell.shared", winners_are_of_any_weight, f"{BOUNDARIES}{WINNERS}"),
    bug(
        "sizes.covering",
        any_number_covers,
        "tests/language/test_formulas.py::test_a_size_is_settled_with_no_op_around_it",
    ),
    bug(
        "rounding.parted_by",
        any_rest_is_less,
        f"{RULES}what_is_less_than_a_divisor_is_the_rest",
    ),
    bug(
        "rounding.parted_guards",
        a_guard_vouches_for_itself,
        f"{RULES}guards_without_rests_say_the_same",
    ),
    bug("signs.unpaired", all_squares, f"{RULES}signs_of_sums"),
    bug(
        "numbers.interval_sign",
        around_zero_is_zero,
        f"{KERNEL}an_interval_around_zero_has_no_sign",
    ),
    bug("numbers.jet", slopes_are_all, f"{KERNEL}{UNKNOWN_NEARBY}"),
    bug("numbers.jets", quotients_are_polynomials, f"{KERNEL}{UNKNOWN_NEARBY}"),
    bug(
        "signs.is_inhabited",
        never_empty,
        f"{RULES}signs_of_sums",
        f"{RULES}what_stands_for_an_empty_window_counts_unless_none_is_empty",
    ),
    bug(
        "signs.counts_winners",
        any_window_counts,
        f"{RULES}a_sum_of_winners_is_positive_over_its_own_window_only",
    ),
    bug("rounding.unround", one_node_is_one_side, f"{SUMS}a_quotient_is_not_above_itself"),
    bug("definedness.nonzero", divisors_unasked, f"{VALUES}what_is_undefined_somewhere"),
    bug("definedness.defined", reads_unasked, f"{VALUES}an_unclipped_scatter"),
    bug("differentiability.parts", losers_count, f"{KINKS}what_loses_has_no_boundary"),
    bug("differentiability.parts", a_branch_not_taken_turns, f"{KINKS}{NOT_REACHED}"),
    bug(
        "differentiability.jumps",
        nothing_jumps,
        f"{TURNS}what_jumps_in_a_maximum_is_left_out_nowhere",
    ),
    bug(
        "differentiability.stays",
        other_cells_do_not_matter,
        f"{KINKS}brackets_that_are_0_elsewhere_have_no_boundary",
    ),
    bug("differentiability.beside", only_the_right_side_is_asked, f"{TURNS}{TOUCHED}"),
    bug("differentiability.beside", what_cannot_be_said_stays, f"{TURNS}{UNDECIDED}"),
    bug("differentiability.order", all_is_a_line, f"{TURNS}{UNDECIDED}"),
    bug("differentiability.degree", divisors_are_still, f"{TURNS}{UNDECIDED}"),
    bug("differentiability.by_parts", some_part_of_a_maximum_will_do, f"{TURNS}{POLYNOMIALS}"),
    bug("differentiability.compared", slopes_alone, f"{TURNS}{TOUCHED}"),
    bug("differentiability.compared", both_sides_are_one, f"{TURNS}{POLYNOMIALS}"),
    bug(
        "differentiability.as_one",
        ties_never_move_as_one,
        f"{KERNEL}only_that_winners_move_as_one_leaves_one_winner",
    ),
    bug(
        "differentiability.same_at",
        what_stands_at_a_tie_is_not_asked,
        f"{INTEGERS}places_that_mean_the_same_integer_are_no_boundary",
    ),
    bug(
        "integers.spelt_out",
        the_place_of_the_first_row,
        f"{INTEGERS}a_rule_reads_the_place_that_the_forward_saved",
    ),
    bug("terms.in_range", spans_unasked, f"{INTEGERS}a_place_is_within_its_span"),
    bug("attained.Maxima.attain", attained_by_nothing, f"{MAXIMA}an_empty_window_has_no_place"),
    bug(
        "attained.Maxima.bound",
        at_least_what_does_not_count,
        f"{MAXIMA}what_is_false_of_maxima_in_long_rows",
    ),
    bug("attained.of_unique", all_winners_are_one, f"{MAXIMA}what_is_false_of_maxima_in_long_rows"),
    bug(
        "attained.of_winner",
        the_last_is_the_first,
        f"{MAXIMA}what_is_false_of_maxima_in_long_rows",
    ),
    bug(
        "smt.Script.depends",
        one_for_all_that_is_bound,
        f"{MAXIMA}what_is_false_of_maxima_in_long_rows",
    ),
    bug(
        "unfolding.is_one_place",
        every_window_has_one_place,
        f"{WINDOWS}a_window_of_one_place_is_that_place",
    ),
    bug(
        "winners.has_one_place",
        cells_that_do_not_count_win,
        f"{WINDOWS}a_cell_that_does_not_count_is_no_winner_though_it_is_as_large",
    ),
    bug(
        "normal.addends",
        only_the_first_addend_is_scaled,
        f"{RULES}a_sum_of_addends_is_the_term",
    ),
    bug(
        "unfolding.is_told_apart",
        all_places_are_told_apart,
        f"{WINDOWS}places_that_move_as_one_are_no_tie",
    ),
    bug(
        "unfolding.by_one_point",
        one_point_without_its_range,
        f"{BRANCHES}a_cell_outside_of_a_sum_has_no_boundary",
    ),
    bug(
        "check.said_apart", parts_vouch_for_each_other, f"{WITNESSES}each_part_of_a_claim_is_tried"
    ),
    bug(
        "equations.without_computed",
        the_output_is_anything,
        f"{NORMS}the_output_is_what_the_forward_equation_says_where_a_rule_divides_by_it",
    ),
    bug("unfolding.equation", a_bracket_is_1, f"{KERNEL}a_bracket_is_1_where_its_condition_holds"),
    bug(
        "preconditions.proof_outside",
        ties_may_leave_nothing,
        f"{WINDOWS}what_only_ties_leave_out_is_no_convention",
    ),
    bug(
        "unrolling.total_turns",
        starts_are_repeated,
        f"{LOOPS}loops_one_after_the_other_are_both_small",
    ),
    bug("terms.Term.__pow__", no_factor_is_1, f"{VALUES}a_power_of_0_still_needs_a_value"),
    bug("terms.Term.__new__", parts_unread, f"{LANGUAGE}no_part_of_a_term_is_left_unread"),
    bug("wellformed.checked_name", any_name, f"{NAMES}no_two_names_look_alike"),
    bug(
        "wellformed.check_targets",
        any_target,
        f"{NAMES}a_cotangent_is_named_after_its_input",
    ),
    bug("wellformed.check_shape", any_shape, f"{NAMES}no_size_binds_a_name"),
    bug(
        "calls.Called.__getitem__",
        caller_is_read_as_called,
        f"{NAMES}what_a_caller_passes_reads_the_callers_arrays",
    ),
    bug("hypotheses.with_shapes", arrays_are_never_empty, f"{SIZES}an_array_may_have_no_cells"),
    bug(
        "hypotheses.with_shapes",
        every_size_has_a_value,
        f"{SIZES}a_size_that_has_no_value_is_not_assumed_to_be_one",
    ),
    bug(
        "hypotheses.is_bound",
        every_size_is_bounded,
        f"{SIZES}no_array_has_less_than_no_cells",
    ),
    bug("derive.states_from", states_do_not_move, f"{KINKS}a_state_of_a_state_has_a_boundary"),
    bug(
        "winners.is_unique",
        unique_without_its_condition,
        f"{WINDOWS}uniqueness_holds_where_its_condition_does",
    ),
    bug(
        "numbers.widened",
        approximations_believed,
        f"{ARITHMETIC}exp_and_log_are_within_their_intervals",
    ),
    bug("sums.Sums.agree", functions_alike, f"{FUNCTIONS}functions_are_told_apart"),
    bug("values.domain_of", facts_everywhere, f"{FUNCTIONS}outside_of_a_domain"),
    bug(
        "values.with_values",
        itself_as_evidence,
        f"{FUNCTIONS}facts_are_not_shown_by_themselves",
    ),
    bug(
        "sums.Sums.roots",
        any_roots,
        f"{RULES}roots_of_products_are_parted_where_their_factors_are_positive",
    ),
    bug(
        "entailment.instances",
        cells_everywhere,
        f"{RULES}what_is_required_of_cells_is_known_of_cells_alone",
    ),
    bug(
        "hypotheses.under",
        requirements_forgotten,
        f"{REQUIREMENTS}every_cell_meets_what_is_required",
    ),
    bug(
        "judge.Whole.__call__",
        fractions_are_whole,
        f"{REQUIREMENTS}labels_are_whole_numbers_when_they_are_replayed",
    ),
    bug(
        "replay.met",
        values_unmet,
        f"{REQUIREMENTS}values_that_do_not_meet_a_requirement_are_no_witness",
    ),
    bug(
        "goals.with_value",
        every_cell_has_that_value,
        f"{RECURRENCES}no_step_of_a_wrong_rule_has_a_proof",
    ),
    bug(
        "composition.Boundaries.moving",
        states_have_no_boundary,
        f"{RECURRENCES}a_recurrence_that_branches_is_proved_where_no_step_compares_equals",
    ),
    bug(
        "composition.Local.off_boundaries",
        each_equation_has_a_boundary,
        f"{BRANCHING}a_rule_that_is_wrong_at_ties_alone_has_no_proof",
    ),
    bug(
        "derivatives.is_shown_locally",
        every_choice_is_by_a_condition,
        f"{BRANCHING}a_maximum_over_cells_is_asked_of_all_equations_at_once",
    ),
    bug("parting.parting", sides_always_part, f"{SYSTEMS}what_compares_one_value_is_no_boundary"),
    bug(
        "composition.is_said",
        what_is_not_said_is_met,
        f"{SYSTEMS}a_boundary_that_cannot_be_written_down_is_no_hypothesis",
    ),
    bug(
        "parting.parting",
        what_is_no_polynomial_parts,
        f"{SYSTEMS}of_what_cannot_be_said_to_part_nothing_is_proved",
    ),
    bug(
        "steady.steady",
        equals_may_be_compared,
        f"{RECURRENCES}a_recurrence_that_branches_is_proved_where_no_step_compares_equals",
    ),
    bug(
        "check.on_boundary_at_large",
        boundaries_everywhere_are_fine,
        f"{RECURRENCES}steps_that_tie_wherever_they_are_tried_are_not_proved",
    ),
    bug(
        "goals.end_apart",
        every_range_has_an_end,
        f"{INDUCTION}an_end_is_apart_of_a_range_that_is_not_empty",
    ),
    bug(
        "claims.first_and_others",
        the_first_step_goes_unasked,
        f"{INDUCTION}another_form_is_refuted_and_has_no_proof",
    ),
    bug(
        "claims.is_whole_range",
        some_places_stand_for_all,
        f"{INDUCTION}a_form_that_is_said_of_some_places_is_not_put_in_place_of_others",
    ),
    bug(
        "values.kept_positive",
        signs_are_as_guessed,
        f"{INDUCTION}what_looks_positive_is_shown_to_be",
    ),
    bug("stacking.Stack.uses", uses_add_up_once, f"{GRAPHS}a_stack_of_any_depth_is_proved"),
    bug(
        "trying.Trial.is_steady",
        no_turn_is_on_a_boundary,
        f"{RECURRENCES}a_turn_may_branch_on_its_state_but_not_tie_everywhere",
    ),
    bug(
        "requirements.within_span",
        last_label_left_out,
        f"{REQUIREMENTS}the_first_label_and_the_last_one_count",
    ),
    bug(
        "requirements.over_cells",
        values_of_another_cell,
        f"{REQUIREMENTS}what_is_required_of_one_cell_is_not_of_another",
    ),
    bug(
        "requiring.sequent",
        values_are_as_required,
        f"{GRAPHS}values_that_are_not_known_to_be_as_required_are_refused",
    ),
    bug(
        "stacking.Stack.__post_init__",
        values_stay_as_assumed,
        f"{GRAPHS}what_is_assumed_of_values_in_one_turn_is_not_known_in_the_next",
    ),
    bug("composition.Elimination.entry", what_has_no_name_is_still, FORGOTTEN),
    bug("composition.Local.tangents", what_is_computed_is_still, FORGOTTEN),
    bug("composition.Local.started", nothing_is_given, FORGOTTEN),
    bug("composition.Local.cotangents", one_output_will_do, FORGOTTEN),
    bug("composition.expanded", the_end_of_a_recurrence_is_nothing, FORGOTTEN),
    bug("linearity.linear_through", rules_on_the_way_are_lines, FORGOTTEN),
    bug(
        "composition.cut",
        a_cell_comes_before_itself,
        f"{SYSTEMS}a_circle_at_large_sizes_alone_is_not_proved",
    ),
    bug(
        "composition.cut",
        at_one_place_any_order_will_do,
        f"{SYSTEMS}a_circle_at_large_sizes_alone_is_not_proved",
    ),
    bug("values.orders_of", rules_are_in_order, f"{SYSTEMS}rules_have_an_order_of_their_own"),
    bug(
        "stacking.Stack.from_above",
        the_next_turn_gives_nothing_back,
        f"{GRAPHS}a_stack_of_any_depth_is_proved",
    ),
    bug(
        "stacking.Stack.handed",
        every_turn_starts_anew,
        f"{GRAPHS}a_stack_of_any_depth_is_proved",
    ),
    bug(
        "stacking.Stack.ended",
        the_first_turn_is_the_last,
        f"{GRAPHS}a_stack_of_any_depth_is_proved",
    ),
    bug(
        "stacking.Stack.pulled",
        what_is_shared_is_used_once,
        f"{GRAPHS}weights_that_turns_share_add_up",
    ),
    bug("identities.Polynomials.fails", second_route_blind, f"{CHECK}right_and_wrong"),
    bug("accumulators.factored", states_have_no_say, f"{ADDING}another_loop_is_left_as_it_is"),
    bug("accumulators.after", a_turn_comes_after_itself, f"{LOOPS}horners_scheme_is_a_sum"),
    bug("accumulators.totals", sums_start_at_nothing, f"{ADDING}a_sum_is_what_the_loop_computes"),
    bug("replay.replayed", search_is_believed, f"{REPLAY}what_the_search_finds_is_not_believed"),
    bug("replay.satisfies", hypotheses_unasked, f"{REPLAY}what_is_no_failure"),
    bug("check.surveyed", nothing_tried_is_fine, f"{CHECK}what_was_tried_nowhere_is_not_proved"),
    bug("check.surveyed", contradictions_prove, f"{CHECK}contradicting_hypotheses_are_vacuous"),
    bug("check.surveyed", one_rank_stands_for_all, f"{CHECK}{VACUOUS}"),
    bug("preconditions.first_rank", on_one_axis, f"{CHECK}{VACUOUS}"),
    bug("check.surveyed", routes_may_disagree, f"{CHECK}routes_that_disagree_are_an_error"),
    bug(
        "check.objection",
        silence_is_fine,
        f"{WINDOWS}where_all_points_have_ties_nothing_is_proved",
    ),
    bug("proofs.all_sequents", nothing_is_a_proof, f"{CHECK}no_sequents_are_no_proof"),
    bug("connectives.one_of", any_part_will_do, f"{MEETING}{OF_PARTS}"),
    bug("connectives.all_of", the_first_part_will_do, f"{MEETING}{OF_PARTS}"),
    bug("check.is_pinned", any_witness, f"{CHECK}an_expected_refutation_must_be_the_pinned_one"),
    bug("verdicts.worst", best_counts, f"{CHECK}the_worst_counts"),
    bug(
        "suite.run",
        failures_pass,
        f"{CHECK}a_failure_of_the_tool_is_an_error_and_nothing_else_is_lost",
    ),
)
