"""From terms to SMT-LIB 2, and one question: do these hypotheses entail that goal? Trusted.

Tensors are uninterpreted functions, division, `exp` and `log` uninterpreted with guarded
instances of their laws. A verdict depends on Z3's resource count and never on the clock. Questions
share a context; what is given up there is asked again in a context of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any

import sympy
import z3

from gradproof.language import terms as t
from gradproof.language.core import OF_ANY, OF_TWO, long_form
from gradproof.language.counting import Counted, as_count
from gradproof.language.functions import domain_of, facts_of
from gradproof.language.substitution import Fresh, free, substitute
from gradproof.language.terms import INT, REAL, Sym, Term, Terms, sort_of
from gradproof.prove.rules.aligning import align_window
from gradproof.prove.rules.proofs import SEAL, Holds, rule
from gradproof.theorems.statuses import Status

RLIMIT = 400_000
SORTS = {INT: "Int", REAL: "Real", t.BOOL: "Bool"}


class NotLowered(Exception):
    """A term that a solver cannot be asked about; the question stays open."""


class Canonical(Fresh):
    """Binder names by position alone, so that sums equal up to renaming are one constant."""

    def __call__(self, like: Sym) -> Sym:
        self.count += 1
        return Sym(f"'{self.count}", like.sort, like.is_bundle)


@t.remembered
def canonical(term: Term) -> Term:
    return substitute(term, {}, Canonical())


@t.remembered
def counted_alike(term: Term) -> Term:
    """What is the same for terms that are equal up to names and to how a window is counted."""
    is_window = isinstance(term, t.Maximum | t.Winner | t.Unique)
    return canonical(align_window(term, Fresh(term)) if is_window else term)


def sexpr(name: str, *parts: str) -> str:
    return f"({name} {' '.join(parts)})"


def joined(name: str, parts: list[str], empty: str) -> str:
    return empty if not parts else parts[0] if len(parts) == 1 else sexpr(name, *parts)


def conjoined(parts: list[str]) -> str:
    return joined("and", parts, "true")


class Script:
    """One question as text; `facts` are the laws of what it mentions, `ordered` asks for more.

    Symbols are named by their order, so that one question is asked once, whatever it is about.
    """

    def __init__(self, ordered: bool = False) -> None:
        self.ordered = ordered
        self.names: dict[Sym, str] = {}
        self.declared: dict[str, str] = {}
        self.facts: dict[str, None] = {}
        self.known: dict[Any, str] = {}
        self.values: dict[Any, int] = {}
        self.quotients: dict[tuple[str, str], str] = {}
        self.multiples: dict[str, dict[str, None]] = {}
        self.functions: dict[Term, int] = {}
        self.applied: dict[Term, None] = {}
        self.bound: tuple[str, ...] = ()

    def text(self, hypotheses: Iterable[Term], goal: Term) -> str:
        question = [self.lower(h) for h in hypotheses]
        question.append(sexpr("not", self.lower(goal)))
        for term in tuple(self.applied):
            self.state_facts(term)
        facts = (*self.facts, *(self.order() if self.ordered else ()))
        lines = [f"(declare-fun {name} {kind})" for name, kind in self.declared.items()]
        lines += [f"(assert {line})" for line in (*question, *facts)]
        return "\n".join(lines)

    def order(self) -> Iterator[str]:
        """Multiples of d > 0 that differ do so by at least d: said of those that there are.

        Of quotients also with the opposite sign, as ⌈a/d⌉ is -⌊-a/d⌋.
        """
        for d in dict.fromkeys(d for _, d in self.quotients if not d.isdigit()):
            quotients = [q for (_, other), q in self.quotients.items() if other == d]
            opposite = ((p, f"(- {q})") for p, q in combinations(quotients, 2))
            for p, q in (*combinations(("0", *self.multiples[d]), 2), *opposite):
                for less, more in ((p, q), (q, p)):
                    apart = f"(<= (+ (* {d} {less}) {d}) (* {d} {more}))"
                    yield f"(=> (and (> {d} 0) (< {less} {more})) {apart})"

    def name(self, name: str, kind: str) -> str:
        quoted = f"|{name}|"
        self.declared[quoted] = kind
        return quoted

    def lower(self, term: Term) -> str:
        if self.bound:
            return self.build(term)
        found = self.known.get(term)
        if found is None:
            found = self.known[term] = self.build(term)
        return found

    def real(self, term: Term) -> str:
        if isinstance(term, sympy.Rational):
            return number(term, ".0")
        found = self.lower(term)
        return sexpr("to_real", found) if sort_of(term) == INT else found

    def numbers(self, term: Term) -> list[str]:
        lift = self.real if REAL in map(sort_of, term.args) else self.lower
        return [lift(a) for a in term.args]

    def build(self, term: Term) -> str:
        if isinstance(term, sympy.Rational):
            return number(term, "" if term.is_Integer else ".0")
        return RULES[type(term)](self, term)

    def symbol(self, term: Term) -> str:
        quoted = f"|{term.name}|"
        if quoted in self.bound:
            return quoted
        name = self.names.setdefault(term, str(len(self.names)))
        return self.name(name, f"() {SORTS[term.sort]}")

    def add(self, term: Term) -> str:
        return joined("+", self.numbers(term), "0")

    def product(self, term: Term) -> str:
        parts = self.numbers(term)
        if self.ordered and sort_of(term) == INT and not self.bound:
            pairs = zip(parts, term.args, strict=True)
            symbolic = [part for part, a in pairs if not isinstance(a, sympy.Rational)]
            for n, d in enumerate(symbolic):
                rest = joined("*", symbolic[:n] + symbolic[n + 1 :], "1")
                self.multiples.setdefault(d, {})[rest] = None
        return self.guarded(term, joined("*", parts, "1"))

    def guarded(self, term: Term, value: str) -> str:
        guards = [self.lower(g) for g in t.guards_of(term)]
        return sexpr("ite", conjoined(guards), value, "0.0") if guards else value

    def conjunction(self, term: Term) -> str:
        return conjoined([self.lower(a) for a in term.args])

    def disjunction(self, term: Term) -> str:
        parts = [self.lower(a) for a in term.args]
        return "false" if not parts else sexpr("or", *parts)

    def negation(self, term: Term) -> str:
        return sexpr("not", self.lower(term.args[0]))

    def relation(self, term: Term) -> str:
        return sexpr(RELATIONS[type(term)], *self.numbers(term))

    def refuse(self, term: Term) -> str:
        raise NotLowered(f"{term} must be taken apart before it is lowered")

    def quantified(self, term: Term) -> str:
        term = term if self.bound else canonical(term)  # then all that is in it has its own name
        outer = self.bound
        symbols = tuple(f"|{symbol.name}|" for symbol, _, _ in term.ranges)
        self.bound = (*outer, *symbols)
        ranges = [self.lower(c) for r in term.ranges for c in t.in_range(*r).args]
        body = self.lower(term.body)
        self.bound = outer
        variables = sexpr("", *(f"({s} Int)" for s in symbols))
        if isinstance(term, t.Exists):
            return sexpr("exists", variables, sexpr("and", *ranges, body))
        return sexpr("forall", variables, sexpr("=>", conjoined(ranges), body))

    def read(self, term: Term) -> str:
        index = [self.lower(e) for e in term.index]
        kind = f"({' '.join(['Int'] * len(index))}) {SORTS[sort_of(term)]}"
        name = self.name(f"array {term.array.name}/{len(index)}", kind)
        return sexpr(name, *index) if index else name

    def shorthand(self, term: Term) -> str:
        plain = long_form(term)
        assert plain is not None
        return self.lower(plain)

    def choice(self, term: Term) -> str:
        lift = self.real if sort_of(term) == REAL else self.lower
        return sexpr("ite", self.lower(term.args[0]), lift(term.args[1]), lift(term.args[2]))

    def bracket(self, term: Term) -> str:
        return sexpr("ite", self.lower(term.args[0]), "1.0", "0.0")

    def division(self, term: Term) -> str:
        above, below = map(self.real, term.args)
        return self.guarded(term, sexpr("*", above, self.inverse(below)))

    def quotient(self, a: str, b: str) -> str:
        """⌊a/b⌋ by its two inequalities; for b = 0 nothing is known of it."""
        if self.bound:
            # SMT-LIB's integer division is Euclidean: floor only for a positive divisor.
            return sexpr("ite", f"(> {b} 0)", sexpr("div", a, b), f"(div (- {a}) (- {b}))")
        if (a, b) not in self.quotients:
            q = self.name(f"quotient {len(self.quotients) + 1}", "() Int")
            self.quotients[a, b] = q
            self.multiples.setdefault(b, {})[q] = None
            above = f"(+ (* {b} {q}) {b})"
            self.fact(f"(=> (> {b} 0) (and (<= (* {b} {q}) {a}) (< {a} {above})))")
            self.fact(f"(=> (< {b} 0) (and (>= (* {b} {q}) {a}) (> {a} {above})))")
        return self.quotients[a, b]

    def rounded(self, term: Term) -> str:
        return self.quotient(*map(self.lower, term.args))

    def fact(self, line: str) -> None:
        self.facts[line] = None

    def inverse(self, b: str) -> str:
        found = sexpr(self.name("inverse of", "(Real) Real"), b)
        if not self.bound:
            self.fact(f"(=> (not (= {b} 0.0)) (= (* {b} {found}) 1.0))")
        return found

    def exponential(self, term: Term) -> str:
        inner = self.real(term.args[0])
        found = sexpr(self.name("exponential of", "(Real) Real"), inner)
        if not self.bound:
            self.fact(f"(> {found} 0.0)")
            self.fact(f"(= (< {inner} 0.0) (< {found} 1.0))")
            self.fact(f"(= (> {inner} 0.0) (> {found} 1.0))")
        return found

    def logarithm(self, term: Term) -> str:
        return sexpr(self.name("logarithm of", "(Real) Real"), self.real(term.args[0]))

    def application(self, term: Term) -> str:
        function, inner = term.function, term.arguments
        order = self.functions.setdefault(function, len(self.functions) + 1)
        kind = f"({' '.join('Real' for _ in inner)}) Real"
        name = self.name(f"function {order}/{len(inner)}", kind)
        if not self.bound:
            self.applied[term] = None
        return sexpr(name, *map(self.real, inner)) if inner else name

    def state_facts(self, term: Term) -> None:
        """What is stated of a function, where it is applied; not again of what that applies."""
        where = self.lower(domain_of(term))
        for fact in facts_of(term):
            self.fact(sexpr("=>", where, self.lower(fact)))

    def depends(self, term: Term) -> bool:
        """Whether it mentions what is quantified around it."""
        return bool(self.bound) and any(f"|{s.name}|" in self.bound for s in free(term))

    def opaque(self, term: Term) -> str:
        """A sum, product, maximum, fold or winner: one constant for all that are equal to it."""
        if self.depends(term):
            raise NotLowered(f"{term} under a quantifier")
        value = self.values.setdefault(counted_alike(term), len(self.values) + 1)
        name = self.name(f"value {value}", f"() {SORTS[sort_of(term)]}")
        if (counted := as_count(term)) is not None:
            self.state_number(name, counted)
        return name

    def state_number(self, name: str, counted: Counted) -> None:
        """Of a count, that it is not negative; over one range, that it is of its places."""
        self.fact(f"(<= 0 {name})")
        if len(counted.ranges) == 1 and not counted.ranges[0][0].is_bundle:
            _, first, last = counted.ranges[0]
            places = self.lower(t.Max(0, t.plus(last, 1, t.minus(first))))
            self.fact(f"(<= {name} {places})")


def number(value: Term, point: str) -> str:
    above = f"{abs(int(value.p))}{point}"
    shown = above if value.is_Integer else f"(/ {above} {int(value.q)}{point})"
    return f"(- {shown})" if value < 0 else shown


RELATIONS = {t.Le: "<=", t.Lt: "<", t.Eq: "="}

RULES: dict[type, Callable[[Script, Term], str]] = {
    **dict.fromkeys((*OF_ANY, *OF_TWO), Script.shorthand),
    Sym: Script.symbol,
    t.Add: Script.add,
    t.Mul: Script.product,
    t.And: Script.conjunction,
    t.Or: Script.disjunction,
    t.Not: Script.negation,
    t.Exists: Script.quantified,
    t.ForAll: Script.quantified,
    t.Read: Script.read,
    t.If: Script.choice,
    t.Bracket: Script.bracket,
    t.Div: Script.division,
    t.Exp: Script.exponential,
    t.Log: Script.logarithm,
    t.Apply: Script.application,
    t.FloorDiv: Script.rounded,
    **dict.fromkeys(RELATIONS, Script.relation),
    **dict.fromkeys((t.AllAxes, t.Linear, t.Slope, t.AxisProduct), Script.refuse),
    **dict.fromkeys((t.Sum, t.Prod, t.Maximum, t.Fold, t.Winner, t.Unique), Script.opaque),
}


@lru_cache(maxsize=2_000)
def question(given: Terms, goal: Term, ordered: bool = False) -> str:
    """Satisfiable where the hypotheses do not entail the goal."""
    return Script(ordered).text(given, goal)


@rule
def solved(given: Terms, goal: Term, rlimit: int, ordered: bool = False) -> Holds | None:
    """The goal follows if Z3 finds no values at which the hypotheses hold and it does not."""
    if goal not in given and solve(question(given, goal, ordered), rlimit) != Status.PROVED:
        return None
    return Holds(SEAL, given, goal, "arithmetic")


GIVEN_UP = "canceled"  # what Z3 may raise where its resources are used up
STEPS_PER_MILLISECOND = 10  # a hundred times slower than most; how long numbers get, no step counts
MOST_ASKED = 2_000  # questions to one context, which forgets nothing


class Shared:
    """A context for many questions: to make and to free one takes longer than most answers."""

    def __init__(self) -> None:
        self.context, self.asked = z3.Context(), 0

    def __call__(self) -> z3.Context:
        self.asked += 1
        if self.asked > MOST_ASKED:
            self.context, self.asked = z3.Context(), 1
        return self.context


@lru_cache(maxsize=1)
def shared() -> Shared:
    return Shared()


@lru_cache(maxsize=50_000)
def solve(text: str, rlimit: int) -> Status:
    """What Z3 says to a question in SMT-LIB 2: proved, refuted or unknown.

    Whether it gives up may depend on what was asked before; then it is asked apart.
    """
    found = ANSWERS[checked(solver_for(text, rlimit, shared()())).r]
    return found if found != Status.UNKNOWN else ANSWERS[checked(alone(text, rlimit)).r]


def alone(text: str, rlimit: int) -> z3.Solver:
    """In a context of its own, where an answer is the same whatever was asked before."""
    return solver_for(text, rlimit, z3.Context())


ANSWERS = {z3.unsat.r: Status.PROVED, z3.sat.r: Status.REFUTED, z3.unknown.r: Status.UNKNOWN}


def solver_for(text: str, rlimit: int, context: z3.Context) -> z3.Solver:
    solver = z3.SimpleSolver(ctx=context)
    solver.set("rlimit", rlimit)
    solver.set("timeout", rlimit // STEPS_PER_MILLISECOND)
    solver.from_string(text)
    return solver


def checked(solver: z3.Solver) -> z3.CheckSatResult:
    try:
        return solver.check()
    except z3.Z3Exception as failure:
        if GIVEN_UP not in str(failure):
            raise
        return z3.unknown
