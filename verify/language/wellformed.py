"""Refuses definitions that cannot be read, naming the equation and the part of it. Trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gradproof.language import terms as t
from gradproof.language.requirements import about_values, ranges_in
from gradproof.language.sorts import (
    Scope,
    check_binders,
    check_condition,
    check_ranges,
    check_read,
    check_term,
    check_value,
)
from gradproof.language.substitution import free
from gradproof.language.terms import (
    INT,
    Array,
    DefinitionError,
    Eq,
    Function,
    Read,
    Scatter,
    Sym,
    Term,
    is_bundle,
    sort_of,
    walk,
)

Definition = Any  # an Op or a Claim, which are of the module above
LETTERS = "A-Za-zα-ξπ-ωΓΔΘΛΞΠΣΦΨΩ"  # no Greek one that looks Latin
NAME = re.compile(rf"[{LETTERS}_][{LETTERS}_0-9]*")


TIES = ("subgradient", "any")  # where several cells are largest: a subgradient, or no matter what


def check(op: Definition) -> None:
    """Every part of an op; raises DefinitionError at the first that cannot be read."""
    if not re.fullmatch(r"[A-Za-z_]\w*", op.name):
        raise DefinitionError(f"op name {op.name!r}: use letters, digits and _")
    scope = Scope(f"op {op.name}")
    check_forward(op.forward, scope.at("forward"))
    check_names(op, scope)
    check_inputs(op, scope)
    scope = scope.knowing(op.sizes)
    check_declared(scope)
    for a in (*op.operands, op.output):
        check_shape(a, scope)
    check_requires(op, scope.at("requires", op.operands))
    check_equation(op.forward, scope.at("forward", op.operands))
    check_rules(op, scope)
    check_targets(op, scope)
    for rule in op.vjp:
        check_shape(rule.target.array, scope)
    check_rank(op, scope)
    check_windows(op, scope.at("windows"))
    scope.refuse_if(op.ties not in TIES, "ties is {!r} or {!r}, not {!r}", *TIES, op.ties)
    for claim in op.claims:
        check_claim(op, claim, scope.at(f"claim {claim.name!r}"))


def checked_name(name: str) -> str:
    """A name that no other one looks like: not as the Greek capital alpha looks like A."""
    if not NAME.fullmatch(name):
        said = "use Latin and Greek letters, digits and _, and no Greek letter that looks Latin"
        raise DefinitionError(f"{name!a} is not a name; {said}")
    return name


# The parts of an op.


def check_forward(forward: Term, scope: Scope) -> None:
    many = "{} has one value per axis; product(n), say, is one number"
    scope.refuse_if(isinstance(forward, t.AllAxes), many, forward)
    said = "write Eq(y[i], ...), not {}; a number is an array without dimensions, Eq(y[()], ...)"
    scope.refuse_if(not isinstance(forward, Eq) or type(forward.target) is not Read, said, forward)


def check_names(op: Definition, scope: Scope) -> None:
    """One name, one thing: the solver knows symbols and arrays by their names."""
    owners = (*op.operands, op.output)
    parts = parts_of(op, owners)
    generic = any(isinstance(u, Sym) and u.is_bundle for u in parts)
    reserved = tuple(f"{a.name}_{kind}" for a in owners for kind in ("dot", "bar"))
    longer = tuple(f"{name}_" for name in reserved)
    seen: dict[str, Sym | Array | Function] = {}
    for term in (u for u in parts if isinstance(u, Sym | Array | Function)):
        bare = isinstance(term, Function) and term.is_bare
        scope.refuse_if(bare, "{0} is not declared: function({0!r}, derivative=...)", term.name)
        one_axis = generic and isinstance(term, Sym) and "." in term.name
        scope.refuse_if(one_axis, "{} is of one axis; take the op at a fixed rank", term)
        if not isinstance(term, Sym):
            checked_name(term.name)
        taken = term.name in reserved or term.name.startswith(longer)
        primal = not isinstance(term, Array) or term.role == "primal"
        said = "{} is declared twice: a tangent or cotangent bears the name"
        scope.refuse_if(primal and taken, said, term.name)
        other = seen.setdefault(term.name, term) != term
        scope.refuse_if(other, "{} is declared twice, differently", term.name)
    for name in seen:
        base, _, axis = name.partition(".")
        said = "{} is declared twice: {} is a part of it"
        scope.refuse_if(bool(axis) and base in seen, said, base, name)


def parts_of(op: Definition, owners: tuple[Array, ...]) -> list[t.Node]:
    """Everything in what an op says, and in the shapes of its arrays."""
    said = (op.forward, op.jvp, *op.vjp, *op.requires, *(c.statement for c in op.claims))
    said += tuple(g for c in op.claims if isinstance(c.given, tuple) for g in c.given)
    parts: list[t.Node] = [u for e in said if isinstance(e, Term) for u in walk(e)]
    dims = {d for a in (*owners, *parts) if isinstance(a, Array) for d in a.dims}
    return [*parts, *(u for d in sorted(dims, key=str) for u in walk(d))]


def check_rank(op: Definition, scope: Scope) -> None:
    """Over how many axes a sum goes is said by a size, or the op would be no function."""
    parts = (u for e in (op.forward, op.jvp, *op.vjp, *op.requires) for u in walk(e))
    bundle = next((u for u in parts if isinstance(u, Sym) and u.is_bundle), None)
    said = "{} has one value per axis, and no size says how many axes there are"
    scope.refuse_if(bundle is not None and not op.is_rank_generic, said, bundle)


def check_declared(scope: Scope) -> None:
    """No size bears a name that is made up for a place."""
    for symbol in scope.known:
        scope.refuse_if("'" in symbol.name, "{} is not declared, but taken from a call", symbol)


def check_shape(made: Array, scope: Scope) -> None:
    scope = scope.at(made.name)
    names = "size {} binds names; give it a name of its own, and say in requires what it is"
    for size in made.dims:
        scope.refuse_if(t.mentions(size, t.Binder), names, size)
        check_term(size, scope)
        scope.refuse_if(sort_of(size) != INT, "size {} is not an integer", size)


def check_inputs(op: Definition, scope: Scope) -> None:
    forward, made = scope.at("forward"), op.output
    forward.refuse_if(not op.operands, "reads no array")
    forward.refuse_if(made in op.operands, "reads its own output {}", made)
    for a in op.constants:
        said = "{} is no array that forward reads"
        scope.at("constants").refuse_if(a not in op.operands, said, a)
    forward.refuse_if(made.role != "primal", "makes {0}, a {0.role}", made)
    for a in op.operands:
        forward.refuse_if(a.role != "primal", "reads {0}, a {0.role}", a)


def check_requires(op: Definition, scope: Scope) -> None:
    for clause in op.requires:
        scope.refuse_if(op.requires.count(clause) > 1, "{} is there twice", clause)
        if about_values(clause):
            check_indices(clause, op.known, scope)
            clause = op.closed(clause)
        check_binders(clause, scope)
        check_condition(clause, scope)
        negated = any(isinstance(u, t.Not) and t.mentions(u, t.AllAxes) for u in walk(clause))
        scope.refuse_if(negated, "{} negates 'on every axis'; turn it round", clause)


def check_indices(clause: Term, known: Iterable[Sym], scope: Scope) -> None:
    """An index goes over one range, that of the dimension it is an index of."""
    found: dict[Sym, Term] = {}
    for symbol, _, last in ranges_in(clause, known):
        other = found.setdefault(symbol, last) != last
        said = "{} in {} goes over dimensions that differ; write ForAll(..., ({}, first, last))"
        scope.refuse_if(other, said, symbol, clause, symbol)


def check_rules(op: Definition, scope: Scope) -> None:
    primals, made = (*op.operands, op.output), op.tangent(op.output)
    check_rule(op.jvp, "jvp", scope, (*primals, *map(op.tangent, op.inputs)))
    other = op.jvp.target.array != made
    scope.at("jvp").refuse_if(other, "its left side must be {}[...]", made)
    for rule in op.vjp:
        check_rule(rule, "vjp", scope, (*primals, op.cotangent(op.output)))


def check_rule(rule: Term, kind: str, scope: Scope, readable: Iterable[Array]) -> None:
    fault = not isinstance(rule, Eq | Scatter) or type(rule.target) is not Read
    scope.at(kind).refuse_if(fault, "{} is neither Eq(x[...], ...) nor a scatter", rule)
    check_equation(rule, scope.at(f"{kind} {rule.target.array}", readable))


def check_targets(op: Definition, scope: Scope) -> None:
    """A rule for each differentiable input, and for nothing else."""
    vjp, owners = scope.at("vjp"), {a.name: a for a in op.inputs}
    made = [rule.target.array for rule in op.vjp]
    names = ", ".join(f"{name}_bar" for name in owners)
    none = f"{{}} is the cotangent of no differentiable input; the targets are {names}"
    for target in made:
        is_named = f"{target}_".startswith(f"{target.of}_bar_")
        is_own = target.of in owners and target.role == "cotangent" and is_named
        vjp.refuse_if(not is_own, none, target)
        owner = owners[target.of]
        alike = [*map(is_bundle, target.dims)] == [*map(is_bundle, owner.dims)]
        vjp.refuse_if(not alike, "{} and {} differ in their dimensions", target, owner)
        twice = made.count(target) > 1
        vjp.refuse_if(twice, "two rules for {}; label one of them", target)
    for name in owners:
        is_left_out = name not in {target.of for target in made}
        scope.refuse_if(
            is_left_out, "no VJP for input {}; write one, or list it in constants", name
        )


def check_windows(op: Definition, scope: Scope) -> None:
    for w in op.windows:
        is_none = not hasattr(w, "rounding")
        scope.refuse_if(is_none, "{} is not a Windows(count, size, extent, stride)", w)
        rounds = w.rounding in ("floor", "ceil")
        scope.refuse_if(not rounds, "rounding {!r} is neither 'floor' nor 'ceil'", w.rounding)
        is_size = w.count in op.output.dims
        scope.refuse_if(not is_size, "count {} is not a size of {}", w.count, op.output)
        for part in (w.size, w.extent, w.stride):
            whole = not isinstance(part, float) and sort_of(t.as_term(part)) == INT
            scope.refuse_if(not whole, "{} is not an integer", part)
            check_binders(t.as_term(part), scope)
            check_term(t.as_term(part), scope)


def check_equation(equation: Term, scope: Scope) -> None:
    check_binders(equation, scope)
    if isinstance(equation, Eq):
        scope = check_left(equation.target, scope)
    else:
        scope = check_ranges(equation.ranges, scope)
        check_condition(equation.where, scope)
    made = equation.target.array
    check_read(equation.target, replace(scope, readable=scope.readable | {made}))
    for e in equation.target.index:
        check_term(e, scope)
    check_value(equation.value, scope)
    for u in walk(equation):
        unfinished = isinstance(u, t.Slope | t.Linear)
        scope.refuse_if(unfinished, "{} belongs in a claim; write the rule out", u)


def check_left(left: Read, scope: Scope) -> Scope:
    for e, n in zip(left.index, left.array.dims, strict=False):
        is_own = isinstance(e, Sym) and e.sort == INT and e not in scope.known
        scope.refuse_if(not is_own, "left index {} must be an index symbol of its own", e)
        unlike = e.is_bundle != is_bundle(n)
        scope.refuse_if(unlike, "left index {} and dimension {}: only one is a bundle", e, n)
    scope.refuse_if(len(set(left.index)) < len(left.index), "{} repeats an index", left)
    return scope.knowing(left.index)


# Claims.


def check_claim(op: Definition, claim: Definition, scope: Scope) -> None:
    for name in ("given", "symbols", "without"):
        is_tuple = isinstance(getattr(claim, name), tuple)
        scope.refuse_if(not is_tuple, "{} must be a tuple, (…,)", name)
    twice = [c.name for c in op.claims].count(claim.name) > 1
    scope.refuse_if(twice, "two claims of this name")
    said = (claim.statement, *claim.given)
    for condition in said:
        scope.refuse_if(not isinstance(condition, Term), "{} is not a condition", condition)
    scope = scope.knowing((*claim.symbols, *(s for g in claim.given for s in free(g))))
    check_declared(scope)
    made = {op.output, op.tangent(op.output), *(rule.target.array for rule in op.vjp)}
    readable = made.union(op.operands, map(op.tangent, op.inputs), (op.cotangent(op.output),))
    for condition in said:
        check_binders(condition, scope)
        check_condition(condition, replace(scope, readable=frozenset(readable)))
    check_hypotheses(op, claim, made, scope)
    check_twin(op, claim, scope)


def check_hypotheses(op: Definition, claim: Definition, made: set[Array], scope: Scope) -> None:
    for u in walk(claim.statement):
        computed = isinstance(u, t.Slope) and u.cell.array in made
        scope.refuse_if(computed, "{} differentiates by what the op computes", u)
        computed = isinstance(u, t.Linear) and not made.isdisjoint(u.by)
        scope.refuse_if(computed, "{}, linear in what the op computes", u)
    about = "given is about {}, which the op computes; write implies(condition, statement)"
    for a in (a for g in claim.given for a in t.arrays(g)):
        scope.refuse_if(a in made, about, a)
    for s in claim.refuted or ():
        scope.refuse_if(s not in scope.known, "unknown symbol {} in the counterexample", s)
    for clause in claim.without:
        scope.refuse_if(clause not in op.requires, "{} is not a clause of requires", clause)


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
