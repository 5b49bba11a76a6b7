"""From proofs and counterexamples to findings: the only way to `proved` and `refuted`. Trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field

from gradproof.evaluate.replay import Cells, Env, Failure, met, replayed, satisfies
from gradproof.language import terms as t
from gradproof.language.functions import functions_in
from gradproof.language.terms import Sym
from gradproof.prove.rules.derive import CHOICES, branches_of
from gradproof.prove.rules.proofs import Forged, Proved, Steps
from gradproof.settle.counterexamples import Counterexample, counterexample, grouped
from gradproof.theorems.composition import leaves_out_steps, without_names
from gradproof.theorems.scopes import ALL_SIZES, AT_EACH_STEP, EVERY_RANK, UP_TO_3, if_stated
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status

SEAL = object()  # known here alone
RANKS = (1, 2, 3)
WRITTEN_OUT = "loops written out"
A_WITNESS = "a witness"

Rank = int | None  # None of what has no rank


@dataclass(frozen=True)
class Finding:
    """A verdict without the theorem's name on it."""

    status: Status
    scope: str = ""
    method: str = ""
    counterexample: Counterexample | None = None
    note: str = ""
    left: str = ""  # the goal that resisted, if it is open
    steps: Steps = ()
    proofs: tuple[tuple[Rank, Proved], ...] = field(default=(), compare=False, repr=False)
    seal: InitVar[object] = None

    def __post_init__(self, seal: object) -> None:
        if self.status in (Status.PROVED, Status.REFUTED) and seal is not SEAL:
            raise Forged(f"{self.status}, without what shows it")


def proved(theorem: Theorem, proofs: Mapping[Rank, Proved]) -> Finding:
    """By a proof at every rank, or one at each of some ranks."""
    genuine(*proofs.values())
    whole = proofs.get(None)
    if whole is not None and len(proofs) == 1 and whole.theorem == theorem:
        scope = EVERY_RANK if theorem.is_rank_generic else ALL_SIZES
    elif proofs and all(r and r > 0 and p.theorem == theorem.at_rank(r) for r, p in proofs.items()):
        scope = ranks_named(tuple(proofs))
    else:
        raise Forged(f"{theorem.name}, proved by what is no proof of it")
    shown = next((p for p in proofs.values() if p.within), next(iter(proofs.values())))
    if shown.within:
        scope = shown.within if scope == ALL_SIZES else f"{scope}, {shown.within}"
    method = WRITTEN_OUT if shown.within else shown.rule
    return Finding(
        Status.PROVED,
        scope + boundary_of(theorem) + premise_of(theorem),
        method,
        steps=shown.steps,
        proofs=tuple(proofs.items()),
        seal=SEAL,
    )


def genuine(*proofs: Proved) -> None:
    """What only looks like a proof is refused."""
    if any(type(proof) is not Proved for proof in proofs):
        raise Forged("what is no proof")


def ranks_named(ranks: Sequence[Rank]) -> str:
    return UP_TO_3 if tuple(ranks) == RANKS else f"rank {', '.join(map(str, ranks))}"


def boundary_of(*theorems: Theorem) -> str:
    """Where a derivative was taken through a branch, the points that the theorems leave out."""
    if any(map(leaves_out_steps, theorems)):
        return AT_EACH_STEP
    branching = (th for th in theorems if any(t.mentions(u, *CHOICES) for u in said_in(th)))
    plain = (without_names(th) or th for th in branching)
    said = (c for th in plain for s in th.sequents for c in (*s.when, s.then))
    slopes = [u for c in said for u in t.walk(c) if isinstance(u, t.Slope)]
    branches = [u for slope in slopes for u in branches_of(slope.body, slope.cell.array)]
    windows = [u for u in branches if isinstance(u, t.Maximum)]
    unique = ", where the winner is unique" if windows else ""
    return unique + (", off the boundary" if len(windows) < len(branches) else "")


def said_in(theorem: Theorem) -> Iterator[t.Term]:
    return (u for s in theorem.sequents for u in s.terms)


def premise_of(*theorems: Theorem) -> str:
    """What is stated of functions without a value: nothing shows it, a proof takes it as true."""
    said = (u for th in theorems for s in th.sequents for u in (*th.given, *s.terms))
    opaque = (f for f in functions_in(said) if not (f.built_in or f.value))
    return if_stated(f.name for f in opaque if f.facts)


def refuted(
    instance: Theorem, rank: Rank, found: Failure, sizes: Sequence[Sym], smallest: bool
) -> Finding | None:
    """By a failure that exact evaluation shows."""
    failure = replayed(instance, found)
    if failure is None:
        return None
    example = counterexample(failure, rank, sizes, smallest)
    return Finding(Status.REFUTED, "", "exact evaluation", example, seal=SEAL)


def satisfied(theorem: Theorem, env: Env, cells: Cells) -> Finding | None:
    """By sizes, and by values where such are required, that satisfy all hypotheses."""
    if not satisfies(theorem.given, env):
        return None
    if not all(met(s, env, cells) for s in theorem.sequents if s.when):
        return None
    shown = ", ".join(filter(None, (sizes_shown(env), *values_shown(cells))))
    return Finding(Status.PROVED, A_WITNESS, f"witness {shown}", seal=SEAL)


def needed(outside: Theorem, found: Failure, within: Proved, remark: str) -> Finding | None:
    """A clause, by a theorem that is proved within it and fails outside."""
    genuine(within)
    inner, outer = ([(s.over, s.then) for s in th.sequents] for th in (within.theorem, outside))
    same = within.theorem.name == outside.name and inner == outer
    if replayed(outside, found) is None or not same:
        return None
    sizes = {s: v for s, v in found.env.items() if "'" not in s.name}
    where = ", ".join(filter(None, (sizes_shown(sizes), *values_shown(found.cells))))
    note = f"needed: with {where}, '{outside.name}' fails{remark}"
    return Finding(Status.PROVED, A_WITNESS, "exact evaluation", note=note, seal=SEAL)


def dispensable(
    scope: str, note: str, outside: Sequence[Theorem], proofs: Sequence[Proved], false: set[str]
) -> Finding:
    """A clause outside which every theorem is proved, but for those that are false within it."""
    genuine(*proofs)
    held = [p.theorem for p in proofs]
    if not outside or any(th not in held and th.name not in false for th in outside):
        raise Forged(f"{note}, though not everything is proved")
    return Finding(
        Status.PROVED,
        scope + boundary_of(*held) + premise_of(*held),
        "proved without it",
        note=note,
        seal=SEAL,
    )


def redundant(scope: str, note: str, clause: Theorem, proof: Proved) -> Finding:
    """A clause that follows from the others."""
    genuine(proof)
    if proof.theorem != clause:
        raise Forged(f"{note}, by what is no proof of it")
    return Finding(Status.PROVED, scope, "arithmetic", note=note, seal=SEAL)


def values_shown(cells: Cells) -> Iterator[str]:
    for (name, index), value in sorted(cells.items()):
        yield f"{name}[{', '.join(map(str, index))}] = {value}"


def sizes_shown(env: Env) -> str:
    return ", ".join(
        f"{name} = {', '.join(map(str, v)) if isinstance(v, list) else v}"
        for name, v in sorted(grouped(env).items())
    )
