"""Questions to the solver: which hypotheses it is told, what was asked, what its models say.

Untrusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, partial

from gradproof.language import terms as t
from gradproof.language.substitution import Fresh, free
from gradproof.language.terms import Term, Terms
from gradproof.prove.rules.proofs import Holds, Seek
from gradproof.prove.rules.smt import (
    RLIMIT,
    NotLowered,
    Script,
    question,
    solve,
    solved,
)
from gradproof.prove.rules.sums import Sums
from gradproof.prove.tactics.models import Model, modelled
from gradproof.theorems.statuses import Status


@dataclass(frozen=True)
class Answer:
    """`proved`, `refuted` (there is a model) or `unknown`.

    `text` is the question as it was asked; a goal that is among its hypotheses needs none.
    """

    status: Status
    text: str = ""
    rlimit: int = 0
    given: Terms = ()
    goal: Term | None = None
    proof: Holds | None = None

    @property
    def model(self) -> Model:
        """The values of the symbols at which the goal fails, as far as the solver says them."""
        for ordered in (False, True) if self.status == Status.REFUTED else ():
            script = Script(ordered)
            assert self.goal is not None
            status, model = modelled(script.text(self.given, self.goal), self.rlimit)
            if status == Status.REFUTED:
                values = dict(model)
                names = ((symbol.name, name) for symbol, name in script.names.items())
                return tuple(sorted((s, values[n]) for s, n in names if n in values))
        return ()


UNKNOWN = Answer(Status.UNKNOWN)


def context(
    given: Iterable[Term], generic: bool, avoid: Iterable[Term] = (), rlimit: int = RLIMIT
) -> Sums:
    """Hypotheses from which the solver is asked what follows."""
    known = tuple(given)
    return Sums(known, generic, seeker(rlimit), Fresh(*known, *avoid))


def seeker(rlimit: int) -> Seek:
    return partial(sought, rlimit=rlimit)


def sought(given: Terms, goal: Term, rlimit: int) -> Holds | None:
    try:
        return ask(given, goal, rlimit).proof
    except NotLowered:
        return None


def answer(known: Sums, goal: Term, extra: Terms, rlimit: int) -> Answer:
    """The first part of a conjunction that is not proved, or that all are."""
    found = Answer(Status.PROVED)
    for part in t.conjuncts(goal):
        given, wanted = known.on_one_axis(part, extra)
        try:
            found = UNKNOWN if wanted is None else ask(given, wanted, rlimit)
        except NotLowered:
            found = UNKNOWN
        if found.status != Status.PROVED:
            break
    return found


def ask(given: Iterable[Term], goal: Term, rlimit: int = RLIMIT) -> Answer:
    """Whether the hypotheses entail the goal, for all values of all symbols and tensors.

    First with the hypotheses that share symbols with the goal: fewer can only prove less. So those
    that cannot be lowered are left out, if there is a proof without them. Then with more laws.
    """
    found = ask_once(tuple(given), goal, rlimit)
    if found.text:
        record({found.text: found.status})
    return found


ASKED: ContextVar[dict[str, Status] | None] = ContextVar("asked", default=None)


def record(answers: dict[str, Status]) -> None:
    asked = ASKED.get()
    if asked is not None:
        asked.update(answers)


@contextmanager
def recording() -> Iterator[dict[str, Status]]:
    """The questions asked within, by their text, remembered answers included."""
    asked: dict[str, Status] = {}
    token = ASKED.set(asked)
    try:
        yield asked
    finally:
        ASKED.reset(token)


TRYING: ContextVar[Term | None] = ContextVar("trying", default=None)


def trying(goal: Term | None) -> None:
    """Notes what is to be shown now, for whoever is told that there is no time for it."""
    TRYING.set(goal)


def tried_last() -> Term | None:
    return TRYING.get()


@lru_cache(maxsize=50_000)
def ask_once(given: Terms, goal: Term, rlimit: int) -> Answer:
    if goal in given:
        return Answer(Status.PROVED, proof=solved((goal,), goal, rlimit))
    try:
        return of_fewest(given, goal, rlimit)
    except NotLowered:
        known = tuple(filter(is_lowered, given))
        if known == given:
            raise
        found = of_fewest(known, goal, rlimit)
        return found if found.status == Status.PROVED else UNKNOWN


def is_lowered(term: Term) -> bool:
    """Whether a solver can be asked about it."""
    try:
        Script().lower(term)
    except NotLowered:
        return False
    return True


def of_fewest(given: Terms, goal: Term, rlimit: int) -> Answer:
    found, asked = UNKNOWN, None
    for chosen in (close(given, goal), relevant(given, goal), given):
        if chosen != asked:
            found, asked = answered(chosen, goal, rlimit), chosen
        if found.status == Status.PROVED:
            return found
    return found if found.status == Status.REFUTED else answered(given, goal, rlimit, True)


def close(given: Terms, goal: Term) -> Terms:
    """The hypotheses that speak of nothing but what the goal speaks of."""
    return tuple(h for h in given if names_in(h) <= names_in(goal))


def relevant(given: Terms, goal: Term) -> Terms:
    """The hypotheses linked to the goal by shared symbols and arrays."""
    reach = names_in(goal)
    rest = list(given)
    while linked := [h for h in rest if names_in(h) & reach]:
        reach = reach.union(*map(names_in, linked))
        rest = [h for h in rest if h not in linked]
    return tuple(h for h in given if h not in rest)


@t.remembered
def names_in(term: Term) -> frozenset[str]:
    return frozenset(s.name for s in free(term)) | {f"array {a.name}" for a in t.arrays(term)}


def answered(given: Terms, goal: Term, rlimit: int, ordered: bool = False) -> Answer:
    text = question(given, goal, ordered)
    status = solve(text, rlimit)
    proof = solved(given, goal, rlimit, ordered) if status == Status.PROVED else None
    return Answer(status, text, rlimit, given, goal, proof)
