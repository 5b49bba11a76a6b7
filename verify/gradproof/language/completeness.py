"""What an op should have: every rule, twins of false claims, nothing unread or twice. Untrusted.

It only refuses. What it let pass would be stated and settled all the same.
"""

from __future__ import annotations

from typing import Any

from gradproof.language import terms as t
from gradproof.language.sorts import Scope
from gradproof.language.substitution import free
from gradproof.language.systems import made_by, read_by
from gradproof.language.terms import Array, Term

Definition = Any  # an Op or a Claim, which are of a module above
TIES = ("subgradient", "any")  # where several cells are largest: a subgradient, or no matter what
SCOPES = ("ranks 1 to 3", "4 turns")  # that are enough, though narrower than all


def check_complete(op: Definition) -> None:
    """Raises DefinitionError at the first thing that is missing, or there for nothing."""
    scope = Scope(f"op {op.name}")
    for clause in op.requires:
        twice = op.requires.count(clause) > 1
        scope.at("requires").refuse_if(twice, "{} is there twice", clause)
    for a in (made_by(e) for e in op.let):
        unread = not any(a in read_by(e) for e in (*op.system, *op.jvps, *op.vjp))
        scope.at("let").refuse_if(unread, "{} is read by nothing", a)
    check_jvp_complete(op, scope.at("jvp"))
    check_vjp_complete(op, scope)
    scope.refuse_if(op.ties not in TIES, "ties is {!r} or {!r}, not {!r}", *TIES, op.ties)
    check_scope(op, scope)
    for claim in op.claims:
        check_claim_complete(op, claim, scope.at(f"claim {claim.name!r}"))


def check_scope(op: Definition, scope: Scope) -> None:
    said = "scope is {!r}, {!r} or both, with a comma between them; not {!r}"
    parts = op.scope.split(", ") if isinstance(op.scope, str) else (None,)
    scope.refuse_if(op.scope != "" and not set(parts) <= {*SCOPES}, said, *SCOPES, op.scope)


def check_jvp_complete(op: Definition, scope: Scope) -> None:
    """A rule for each output, if for any."""
    made = [made_by(rule) for rule in op.jvps]
    wanted = [*map(op.tangent, op.real_outputs)]
    for a in wanted if made else ():
        scope.refuse_if(a not in made, "no rule for {}", a)
    check_read_once(made, wanted, op.jvps, scope)


def check_vjp_complete(op: Definition, scope: Scope) -> None:
    """A rule for each differentiable input, if for any."""
    made = [made_by(rule) for rule in op.vjp]
    inputs = {a.name for a in op.inputs}
    for name in sorted(inputs) if made else ():
        said = "no VJP for input {}; write one, or list it in constants"
        scope.refuse_if(name not in {target.of for target in made}, said, name)
    check_read_once(made, [a for a in made if a.of in inputs], op.vjp, scope.at("vjp"))


def check_read_once(
    made: list[Array], wanted: list[Array], rules: tuple[Term, ...], scope: Scope
) -> None:
    """What belongs to an intermediate is there to be read."""
    for target in (a for a in made if a not in wanted):
        unread = not any(target in read_by(rule) for rule in rules if made_by(rule) != target)
        scope.refuse_if(unread, "{} is read by no other rule", target)


# Claims.


def check_claim_complete(op: Definition, claim: Definition, scope: Scope) -> None:
    twice = [c.name for c in op.claims].count(claim.name) > 1
    scope.refuse_if(twice, "two claims of this name")
    known = {*op.sizes, *claim.symbols, *(s for g in claim.given for s in free(g))}
    for s in claim.refuted or ():
        scope.refuse_if(s not in known, "unknown symbol {} in the counterexample", s)
    check_twin(op, claim, scope)


def check_twin(op: Definition, claim: Definition, scope: Scope) -> None:
    """A false claim stands beside a true one that differs in one hypothesis."""
    alone = (claim.refuted is None) != (not claim.twin)
    scope.refuse_if(alone, "a claim expected to be refuted names its twin, no other does")
    if not claim.twin:
        return
    twins = [c for c in op.claims if c.name == claim.twin and c.refuted is None]
    scope.refuse_if(not twins, "there is no true claim {!r} to be its twin", claim.twin)
    twin = twins[0]
    differ = hypotheses(op, twin) ^ hypotheses(op, claim)
    adds_one = twin.statement == claim.statement and len(differ) == 1
    fits = adds_one or (not differ and implied(twin.statement) == claim.statement)
    scope.refuse_if(not fits, "{!r} must differ from it in one hypothesis only", claim.twin)


def implied(statement: Term) -> Term | None:
    """A statement without its one hypothesis about tensors."""
    if isinstance(statement, t.ForAll):
        inner = implied(statement.body)
        return None if inner is None else t.ForAll(inner, *statement.ranges)
    is_implication = isinstance(statement, t.Or) and isinstance(statement.args[0], t.Not)
    return statement.args[1] if is_implication else None


def hypotheses(op: Definition, claim: Definition) -> frozenset[Term]:
    return frozenset((*(r for r in op.requires if r not in claim.without), *claim.given))
