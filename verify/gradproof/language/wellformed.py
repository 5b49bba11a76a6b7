"""Refuses definitions that cannot be read, naming the equation and the part of it. Trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gradproof.language import terms as t
from gradproof.language.completeness import check_complete
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
from gradproof.language.systems import made_by, recurrences
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


def check(op: Definition) -> None:
    """Every part of an op; raises DefinitionError at the first that cannot be read."""
    if not re.fullmatch(r"[A-Za-z_]\w*", op.name):
        raise DefinitionError(f"op name {op.name!r}: use letters, digits and _")
    scope = Scope(f"op {op.name}")
    scope.refuse_if(not op.forwards, "no forward equation")
    for name, equations in (("let", op.let), ("forward", op.forwards)):
        for equation in equations:
            check_forward(equation, scope.at(name))
    check_names(op, scope)
    check_inputs(op, scope)
    scope = scope.knowing(op.sizes)
    check_declared(scope)
    for a in (*op.operands, *op.computed):
        check_shape(a, scope)
    check_requires(op, scope.at("requires", op.operands))
    readable = (*op.operands, *op.computed)
    for name, equation in op.formulas.items():
        check_equation(equation, scope.at(name, readable))
    check_recurrences(op, scope)
    check_rules(op, scope)
    for rule in op.vjp:
        check_shape(rule.target.array, scope)
    check_rank(op, scope)
    check_windows(op, scope.at("windows"))
    for claim in op.claims:
        check_claim(op, claim, scope.at(f"claim {claim.name!r}"))
    check_complete(op)


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
    whole = "{0} is an array, and this is of one cell; write a cell of it, as in {0}[i]"
    scope.refuse_if(isinstance(forward.value, Array), whole, forward.value)


def check_names(op: Definition, scope: Scope) -> None:
    """One name, one thing: the solver knows symbols and arrays by their names."""
    owners = (*op.operands, *op.computed)
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
    rules = (*op.system, *op.jvps, *op.vjp)
    said = (*rules, *op.requires, *(c.statement for c in op.claims))
    said += tuple(g for c in op.claims if isinstance(c.given, tuple) for g in c.given)
    parts: list[t.Node] = [u for e in said if isinstance(e, Term) for u in walk(e)]
    dims = {d for a in (*owners, *parts) if isinstance(a, Array) for d in a.dims}
    return [*parts, *(u for d in sorted(dims, key=str) for u in walk(d))]


def check_rank(op: Definition, scope: Scope) -> None:
    """Over how many axes a sum goes is said by a size, or the op would be no function."""
    parts = (u for e in (*op.system, *op.jvps, *op.vjp, *op.requires) for u in walk(e))
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
    forward = scope.at("forward")
    forward.refuse_if(not op.operands, "reads no array")
    for made in op.computed:
        forward.refuse_if(op.computed.count(made) > 1, "two equations for {}", made)
        forward.refuse_if(made.role != "primal", "makes {0}, a {0.role}", made)
    for a in op.constants:
        said = "{} is no array that forward reads"
        scope.at("constants").refuse_if(a not in op.operands, said, a)
    for a in op.operands:
        forward.refuse_if(a.role != "primal", "reads {0}, a {0.role}", a)


def check_recurrences(op: Definition, scope: Scope) -> None:
    """A choice in one is a condition, or a maximum of what is compared.

    What reads integers reads what their equations say, which must have an end.
    """
    for made in (made_by(e) for group in recurrences(op.system) for e in group):
        whole = "makes {}, of integers, from itself; that is not treated"
        scope.at(made.name).refuse_if(bool(made.span), whole, made)
    said = "{} chooses in a recurrence; write it with If, Max, Min or maximum"
    for equation in (e for group in recurrences(op.system) for e in group):
        other = (u for u in walk(equation.right) if isinstance(u, t.Winner | t.Unique | t.Fold))
        chosen = next(other, None)
        scope.at(made_by(equation).name).refuse_if(chosen is not None, said, chosen)


def is_branch(term: Term) -> bool:
    """Whether it chooses by values of arrays."""
    if isinstance(term, t.If | t.Bracket):
        return bool(t.arrays(term.condition))
    chooses = isinstance(term, t.Maximum | t.Winner | t.Unique | t.Fold)
    return chooses or (isinstance(term, t.Max | t.Min) and sort_of(term) != INT)


def check_requires(op: Definition, scope: Scope) -> None:
    for clause in op.requires:
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
    """Rules read what the op reads and computes, and one another; themselves if that does."""
    for kind, rules in (("jvp", op.jvps), ("vjp", op.vjp)):
        for rule in rules:
            fault = not isinstance(rule, Eq | Scatter) or type(rule.target) is not Read
            scope.at(kind).refuse_if(fault, "{} is neither Eq(x[...], ...) nor a scatter", rule)
    check_targets(op, scope)
    recurrent = {made_by(e).name for group in recurrences(op.system) for e in group}
    primals, names = (*op.operands, *op.computed), {a.name for a in op.computed}
    pushed = {*map(op.tangent, op.inputs), *map(made_by, op.jvps)}
    pulled = {a for a in map(made_by, op.vjp) if a.of in names}
    pulled.update(map(op.cotangent, op.real_outputs))
    for kind, rules, moved in (("jvp", op.jvps, pushed), ("vjp", op.vjp, pulled)):
        for rule in rules:
            made = made_by(rule)
            readable = {*primals, *moved} - ({made} if made.of not in recurrent else set())
            check_equation(rule, scope.at(f"{kind} {made}", readable))


def check_targets(op: Definition, scope: Scope) -> None:
    """Tangents of what is computed; cotangents of it and of inputs."""
    check_tangents(op, scope)
    check_cotangents(op, scope)
    for name, rules in (("jvp", op.jvps), ("vjp", op.vjp)):
        kept = {made_by(rule).of for rule in rules}
        open_yet = [e for e in op.system if made_by(e).name not in kept]
        said = "{} reads itself, or others that read it; write the equation of its {}, too"
        for group in recurrences(open_yet) if rules else ():
            kind = "tangent" if name == "jvp" else "cotangent, labelled if it is an output"
            scope.at(name).refuse_if(True, said, made_by(group[0]), kind)


def check_tangents(op: Definition, scope: Scope) -> None:
    made = [made_by(rule) for rule in op.jvps]
    tangents = [op.tangent(a) for a in op.computed[::-1] if not a.span]
    names = " or ".join(f"{a}[...]" for a in tangents)
    for target in made:
        check_moves(op, target, scope.at("jvp"))
        other = target not in tangents
        scope.at("jvp").refuse_if(other, f"its left side must be {names}, not {{}}", target)
        scope.at("jvp").refuse_if(made.count(target) > 1, "two rules for {}", target)


def check_moves(op: Definition, target: Array, scope: Scope) -> None:
    whole = {a.name for a in (*op.operands, *op.computed) if a.span}
    said = "{} holds integers, which have no tangent and no cotangent; leave out the rule for {}"
    scope.refuse_if(target.of in whole, said, target.of, target)


def check_cotangents(op: Definition, scope: Scope) -> None:
    """Of differentiable inputs, and of what is computed."""
    reals = [a for a in op.computed if not a.span]
    vjp, owners = scope.at("vjp"), {a.name: a for a in (*op.inputs, *reals)}
    made = [made_by(rule) for rule in op.vjp]
    names = ", ".join(f"{name}_bar" for name in owners if owners[name] not in op.outputs)
    none = f"{{}} is the cotangent of no differentiable input; the targets are {names}"
    inputs = {a.name for a in op.inputs}
    for target in made:
        check_moves(op, target, vjp)
        is_named = f"{target}_".startswith(f"{target.of}_bar_")
        is_own = target.of in owners and target.role == "cotangent" and is_named
        vjp.refuse_if(not is_own, none, target)
        owner = owners[target.of]
        given = owner in op.outputs and target == op.cotangent(owner)
        vjp.refuse_if(
            given, "{0} is given; label what is computed, cotangent({1}, 'all')", target, owner
        )
        alike = [*map(is_bundle, target.dims)] == [*map(is_bundle, owner.dims)]
        vjp.refuse_if(not alike, "{} and {} differ in their dimensions", target, owner)
        twice = made.count(target) > 1
        vjp.refuse_if(
            twice, "two rules for {}; label one of them, cotangent({}, 'scatter')", target, owner
        )
        once = target.of in inputs or [a.of for a in made].count(target.of) == 1
        vjp.refuse_if(not once, "two cotangents of {}", target.of)


def check_windows(op: Definition, scope: Scope) -> None:
    for w in op.windows:
        is_none = not hasattr(w, "rounding")
        scope.refuse_if(is_none, "{} is not a Windows(count, size, extent, stride)", w)
        rounds = w.rounding in ("floor", "ceil")
        scope.refuse_if(not rounds, "rounding {!r} is neither 'floor' nor 'ceil'", w.rounding)
        is_size = any(w.count in a.dims for a in op.computed)
        scope.refuse_if(not is_size, "count {} is not a size of {}", w.count, op.output)
        early = w.within is not None and w.rounding != "ceil"
        scope.refuse_if(early, 'within is for windows of rounding="ceil", as few as cover')
        for part in w.parts:
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
    if made.span:
        adds = "{} is of integers; write Eq({}, ...), a scatter adds reals"
        scope.refuse_if(isinstance(equation, Scatter), adds, made, equation.target)
        real = "{} is of integers, and {} is a real; argmax(...) is an integer"
        scope.refuse_if(sort_of(equation.value) != INT, real, made, equation.value)
    for u in walk(equation):
        unfinished = isinstance(u, t.Slope | t.Linear)
        scope.refuse_if(unfinished, "{} belongs in a claim; write the rule out", u)


def check_left(left: Read, scope: Scope) -> Scope:
    for e, n in zip(left.index, left.array.dims, strict=False):
        is_own = isinstance(e, Sym) and e.sort == INT and e not in scope.known
        own = "left index {} must be an index symbol of its own"
        if t.arrays(e):
            own += "; what goes where an array says is scatter({}, ..., (i, 0, N - 1))"
        scope.refuse_if(not is_own, own, e, left)
        unlike = e.is_bundle != is_bundle(n)
        scope.refuse_if(unlike, "left index {} and dimension {}: only one is a bundle", e, n)
    scope.refuse_if(len(set(left.index)) < len(left.index), "{} repeats an index", left)
    return scope.knowing(left.index)


# Claims.


def check_claim(op: Definition, claim: Definition, scope: Scope) -> None:
    for name in ("given", "symbols", "without"):
        is_tuple = isinstance(getattr(claim, name), tuple)
        scope.refuse_if(not is_tuple, "{} must be a tuple, (…,)", name)
    said = (claim.statement, *claim.given)
    for condition in said:
        scope.refuse_if(not isinstance(condition, Term), "{} is not a condition", condition)
    scope = scope.knowing((*claim.symbols, *(s for g in claim.given for s in free(g))))
    check_declared(scope)
    made = {made_by(e) for e in op.equations.values()}
    given = (*map(op.tangent, op.inputs), *map(op.cotangent, op.real_outputs))
    readable = made.union(op.operands, given)
    for condition in said:
        check_binders(condition, scope)
        check_condition(condition, replace(scope, readable=frozenset(readable)))
    check_hypotheses(op, claim, made, scope)


def check_hypotheses(op: Definition, claim: Definition, made: set[Array], scope: Scope) -> None:
    for u in walk(claim.statement):
        computed = isinstance(u, t.Slope) and u.cell.array in made
        scope.refuse_if(computed, "{} differentiates by what the op computes", u)
        computed = isinstance(u, t.Linear) and not made.isdisjoint(u.by)
        scope.refuse_if(computed, "{}, linear in what the op computes", u)
    about = "given is about {}, which the op computes; write implies(condition, statement)"
    for a in (a for g in claim.given for a in t.arrays(g)):
        scope.refuse_if(a in made, about, a)
    for clause in claim.without:
        scope.refuse_if(clause not in op.requires, "{} is not a clause of requires", clause)
