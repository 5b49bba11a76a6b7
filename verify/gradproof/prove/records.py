"""A proof as a record: which rules made it, of what, and what the solver was asked. Untrusted.

Whoever replays a record calls these rules again and searches for nothing. So a record that is wrong
gives no proof, or another one, and never one of what does not hold.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.terms import Term, Terms
from gradproof.prove.rules import connectives, goals, proofs, selection, sides, unrolling
from gradproof.prove.rules.proofs import Holds, Made, Proved, Seek
from gradproof.prove.rules.smt import solved
from gradproof.theorems.composition import without_names
from gradproof.theorems.sequents import Sequent, Theorem

RULES: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        goals.goal_of,
        goals.at_known_values,
        goals.unfolded,
        goals.by_value_at,
        goals.by_values,
        goals.with_end_apart,
        goals.by_arithmetic,
        goals.by_signs,
        goals.by_bounds,
        goals.by_maxima,
        goals.by_degrees,
        sides.sides_of,
        sides.rewritten,
        sides.at_its_points,
        sides.paired,
        sides.over_a_common_denominator,
        sides.added_up,
        goals.in_cases,
        goals.by_both,
        connectives.one_of,
        connectives.all_of,
        selection.cases_of,
        selection.by_cases,
        unrolling.written_out,
        unrolling.by_instances,
        proofs.all_sequents,
        proofs.step_by_step,
    )
}
MADE_UP = re.compile(r"'(\d+)")

Data = dict[str, Any]  # plain, as in JSON
Rank = int | None  # None of what has no rank, or is proved at every rank


class NotReplayed(Exception):
    """A record by which the rules do not prove what it says; or a proof of which there is none."""


class Offered:
    """What a theorem and the rules offer, by how it reads.

    A name that a run made up has the number of its first appearance, so that it reads the same in
    every run.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.texts: dict[Any, str] = {}
        self.values: dict[str, Any] = {}

    def text(self, value: Any) -> str:
        is_term = isinstance(value, sympy.Basic)
        if is_term and value in self.texts:
            return self.texts[value]
        found = MADE_UP.sub(self.renumbered, str(value))
        if is_term:
            self.texts[value] = found
        return found

    def renumbered(self, found: re.Match[str]) -> str:
        return f"'{self.numbers.setdefault(found[1], len(self.numbers) + 1)}"

    def add(self, value: Any) -> None:
        """A value with its parts, as far as rules are given such."""
        text = self.text(value)
        if text not in self.values:
            self.values[text] = value
            for part in parts_of(value):
                self.add(part)

    def __getitem__(self, text: str) -> Any:
        if text not in self.values:
            raise NotReplayed(f"neither the theorem nor a rule states '{text:.80}'")
        return self.values[text]


def parts_of(value: Any) -> Iterator[Any]:
    if isinstance(value, Theorem):
        plain = without_names(value)
        yield from (*value.given, *value.sequents, *value.local)
        yield from plain.sequents if plain else ()
    elif isinstance(value, Sequent):
        yield from (*value.hypotheses, value.then, *value.where)
        yield replace(value, when=tuple(c for c in value.when if not t.mentions(c, t.Fold)))
    elif isinstance(value, t.And | t.Or):
        yield from value.args
    elif isinstance(value, selection.Cases):
        yield from value.parts
    elif isinstance(value, unrolling.WrittenOut):
        yield from value.instances


class Writing:
    """The steps by which something was made, each after what it is made of."""

    def __init__(self, theorem: Theorem) -> None:
        self.offered = Offered()
        self.offered.add(theorem)
        self.terms: dict[str, int] = {}
        self.steps: list[Data] = []
        self.numbers: dict[int, int] = {}

    def step(self, made: Made) -> int:
        if id(made) not in self.numbers:
            how = made.made
            if how is None or how.rule not in RULES:
                raise NotReplayed(f"{type(made).__name__} says of no rule that it made it")
            given = [self.plain(value) for value in how.given]
            part = {} if how.part is None else {"part": how.part}
            self.numbers[id(made)] = len(self.steps)
            self.steps.append({"rule": how.rule, "given": given} | part)
            for value in parts_of(made):
                self.offered.add(value)
        return self.numbers[id(made)]

    def plain(self, value: Any) -> Any:
        if isinstance(value, Made):
            return {"step": self.step(value)}
        if isinstance(value, tuple | list) and not isinstance(value, sympy.Basic):
            return [self.plain(each) for each in value]
        if value is None or isinstance(value, bool | str):
            return value
        if callable(value) and not isinstance(value, sympy.Basic):
            return "seek"
        text = self.offered.text(value)
        self.offered[text]
        return {"term": self.terms.setdefault(text, len(self.terms))}


class Learnt:
    """What a search finds where rules ask for a premise, noted."""

    def __init__(self, search: Seek) -> None:
        self.search = search
        self.offered = Offered()
        self.lemmas: dict[tuple[str, frozenset[str]], Data] = {}

    def __call__(self, given: Terms, goal: Term) -> Holds | None:
        found = self.search(given, goal)
        wanted, *known = map(self.offered.text, (goal, *given))
        if found is not None and found.made is not None:
            _, _, limit, *more = found.made.given
            chosen = [self.offered.text(c) for c in found.given]
            lemma = {"goal": wanted, "from": chosen, "limit": limit, "laws of order": any(more)}
            self.lemmas.setdefault((wanted, frozenset(known)), lemma)
        return found


class Known:
    """The lemmas of a record, each proved anew where a rule asks for it."""

    def __init__(self, lemmas: list[Data]) -> None:
        self.lemmas = lemmas
        self.offered = Offered()
        self.used: set[int] = set()

    def __call__(self, given: Terms, goal: Term) -> Holds | None:
        wanted, *known = map(self.offered.text, (goal, *given))
        terms = dict(zip(known, given, strict=True))
        for number, lemma in enumerate(self.lemmas):
            if lemma["goal"] == wanted and terms.keys() >= set(lemma["from"]):
                chosen = tuple(terms[text] for text in lemma["from"])
                found = solved(chosen, goal, int(lemma["limit"]), bool(lemma["laws of order"]))
                if found is None:
                    raise NotReplayed(f"lemma {number}: {wanted} is not proved from what it names")
                self.used.add(number)
                return found
        return None


def digest(theorem: Theorem) -> str:
    return hashlib.sha256(Offered().text(theorem).encode()).hexdigest()


def recorded(theorem: Theorem, proof: Proved, search: Seek) -> Data:
    """The record of a proof, which has been replayed once."""
    writing, learnt = Writing(theorem), Learnt(search)
    writing.step(proof)
    found: Data = {"of": digest(theorem), "terms": list(writing.terms), "steps": writing.steps}
    made_again(theorem, found, learnt)
    known = Known([*{str(lemma): lemma for lemma in learnt.lemmas.values()}.values()])
    made_again(theorem, found, known)  # one lemma may do what two were found for
    found["lemmas"] = [known.lemmas[number] for number in sorted(known.used)]
    again = replayed(theorem, found)
    if (again.rule, again.generic, again.within) != (proof.rule, proof.generic, proof.within):
        raise NotReplayed("made again, it is another proof")
    return found


def replayed(theorem: Theorem, record: Data) -> Proved:
    """The proof of the theorem that a record tells."""
    if record["of"] != digest(theorem):
        raise NotReplayed("it is of another theorem, or of another version of this one")
    known = Known(record["lemmas"])
    found = made_again(theorem, record, known)
    idle = sorted(set(range(len(known.lemmas))) - known.used)
    if idle:
        raise NotReplayed(f"lemma {idle[0]}: no rule asked for {known.lemmas[idle[0]]['goal']}")
    return found


def made_again(theorem: Theorem, record: Data, seek: Seek) -> Proved:
    offered, made = Offered(), list[Any]()
    offered.add(theorem)

    def value(given: Any) -> Any:
        if isinstance(given, list):
            return tuple(map(value, given))
        if isinstance(given, dict):
            kind, number = next(iter(given.items()))
            return made[number] if kind == "step" else offered[record["terms"][number]]
        return seek if given == "seek" else given

    for number, step in enumerate(record["steps"]):
        try:
            found = RULES[step["rule"]](*map(value, step["given"]))
            found = found[step["part"]] if "part" in step else found
        except Exception as wrong:
            said = str(wrong) or type(wrong).__name__
            raise NotReplayed(f"step {number}, {step.get('rule')}: {said}") from wrong
        if not isinstance(found, Made):
            raise NotReplayed(f"step {number}, {step['rule']}: it does not apply ({found})")
        made.append(found)
        for part in parts_of(found):
            offered.add(part)
    last = made[-1] if made else None
    if type(last) is not Proved or last.theorem != theorem:
        raise NotReplayed(f"its last step does not prove '{theorem.name}'")
    return last


def records_of(theorem: Theorem, proofs: Iterable[tuple[Rank, Proved]], search: Seek) -> list[Data]:
    """Of a proof at every rank, or of one at each of some ranks."""
    return [
        {"rank": rank} | recorded(instance_of(theorem, rank), proof, search)
        for rank, proof in proofs
    ]


def proofs_of(theorem: Theorem, records: Iterable[Data]) -> dict[Rank, Proved]:
    return {r["rank"]: replayed(instance_of(theorem, r["rank"]), r) for r in records}


def instance_of(theorem: Theorem, rank: Rank) -> Theorem:
    return theorem if rank is None else theorem.at_rank(rank)


def rules_of(made: Made) -> Counter[str]:
    """How often each rule was called, in the order in which that was."""
    found: Counter[str] = Counter()
    seen: set[int] = set()

    def visit(value: Any) -> None:
        if isinstance(value, Made) and value.made is not None and id(value) not in seen:
            seen.add(id(value))
            visit(value.made.given)
            found[value.made.rule] += 1
        elif isinstance(value, tuple | list) and not isinstance(value, sympy.Basic):
            for part in value:
                visit(part)

    visit(made)
    return found
