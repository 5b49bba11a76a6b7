"""Refuses definitions that cannot be read, naming the equation and the part of it. Trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import (
    BOOL,
    INT,
    REAL,
    Array,
    DefinitionError,
    Eq,
    Read,
    Scatter,
    Sym,
    Term,
    is_bundle,
    sort_of,
    walk,
)

Names = frozenset[Sym]
Arrays = frozenset[Array]
LETTERS = "A-Za-zα-ξπ-ωΓΔΘΛΞΠΣΦΨΩ"  # no Greek one that looks Latin
NAME = re.compile(rf"[{LETTERS}_][{LETTERS}_0-9]*")


def check(op: Any) -> None:
    """Every part of an op; raises DefinitionError at the first that cannot be read."""
    where = f"op {op.name}"
    if not re.fullmatch(r"[A-Za-z_]\w*", op.name):
        raise DefinitionError(f"op name {op.name!r}: use letters, digits and _")
    if isinstance(op.forward, t.AllAxes):
        raise DefinitionError(
            f"{where}, forward: {op.forward} has one value per axis; product(n), say, is one number"
        )
    if not isinstance(op.forward, Eq) or type(op.forward.args[0]) is not Read:
        raise DefinitionError(
            f"{where}, forward: write Eq(y[i], ...), not {op.forward}; "
            "a number is an array without dimensions, Eq(y[()], ...)"
        )
    check_names(op, where)
    check_inputs(op, where)
    known = frozenset(op.sizes)
    check_declared(known, where)
    for a in (*op.operands, op.output):
        check_shape(a, known, where)
    for clause in op.requires:
        if op.requires.count(clause) > 1:
            raise DefinitionError(f"{where}, requires: {clause} is there twice")
        check_binders(clause, known, f"{where}, requires")
        check_condition(clause, known, frozenset(), f"{where}, requires")
        if any(isinstance(u, t.Not) and t.AllAxes in map(type, walk(u)) for u in walk(clause)):
            raise DefinitionError(
                f"{where}, requires: {clause} negates 'on every axis'; turn it round"
            )
    check_equation(op.forward, known, frozenset(op.operands), f"{where}, forward")
    primals = frozenset((*op.operands, op.output))
    tangents = frozenset(op.tangent(x) for x in op.inputs)
    check_rule(op.jvp, known, primals | tangents, f"{where}, jvp")
    if op.jvp.args[0].array != op.tangent(op.output):
        raise DefinitionError(f"{where}, jvp: its left side must be {op.tangent(op.output)}[...]")
    for rule in op.vjp:
        check_rule(rule, known, primals | {op.cotangent(op.output)}, f"{where}, vjp")
    check_targets(op, where)
    for rule in op.vjp:
        check_shape(rule.args[0].array, known, where)
    check_rank(op, where)
    check_windows(op, known, where)
    check_claims(op, where)


def checked_name(name: str) -> str:
    """A name that no other one looks like: not as the Greek capital alpha looks like A."""
    if not NAME.fullmatch(name):
        said = "use Latin and Greek letters, digits and _, and no Greek letter that looks Latin"
        raise DefinitionError(f"{name!a} is not a name; {said}")
    return name


def check_names(op: Any, where: str) -> None:
    """One name, one thing: the solver knows symbols and arrays by their names."""
    equations = (op.forward, op.jvp, *op.vjp, *op.requires, *(c.statement for c in op.claims))
    equations += tuple(g for c in op.claims if isinstance(c.given, tuple) for g in c.given)
    owners = (*op.operands, op.output)
    reserved = tuple(f"{a.name}_{kind}" for a in owners for kind in ("dot", "bar"))
    longer = tuple(f"{name}_" for name in reserved)
    parts = [u for e in equations if isinstance(e, Term) for u in walk(e)]
    dims = {d for a in (*owners, *parts) if isinstance(a, Array) for d in a.dims}
    parts += [u for d in sorted(dims, key=str) for u in walk(d)]
    generic = any(isinstance(u, Sym) and u.is_bundle for u in parts)
    seen: dict[str, Any] = {}
    for term in parts:
        if generic and isinstance(term, Sym) and "." in term.name:
            raise DefinitionError(f"{where}: {term} is of one axis; take the op at a fixed rank")
        if isinstance(term, Array):
            checked_name(term.name)
        primal = isinstance(term, Sym) or (isinstance(term, Array) and term.role == "primal")
        if primal and (term.name in reserved or term.name.startswith(longer)):
            raise DefinitionError(
                f"{where}: {term.name} is declared twice: a tangent or cotangent bears the name"
            )
        if isinstance(term, Sym | Array) and seen.setdefault(term.name, term) != term:
            raise DefinitionError(f"{where}: {term.name} is declared twice, differently")
    for name in seen:
        base, _, axis = name.partition(".")
        if axis and base in seen:
            raise DefinitionError(f"{where}: {base} is declared twice: {name} is a part of it")


def check_rank(op: Any, where: str) -> None:
    """Over how many axes a sum goes is said by a size, or the op would be no function."""
    parts = (u for e in (op.forward, op.jvp, *op.vjp, *op.requires) for u in walk(e))
    bundle = next((u for u in parts if isinstance(u, Sym) and u.is_bundle), None)
    if bundle is not None and not op.is_rank_generic:
        raise DefinitionError(
            f"{where}: {bundle} has one value per axis, and no size says how many axes there are"
        )


def check_declared(known: Names, where: str) -> None:
    """No size bears a name that is made up for a place."""
    for symbol in known:
        if "'" in symbol.name:
            raise DefinitionError(f"{where}: {symbol} is not declared, but taken from a call")


def check_shape(made: Array, known: Names, where: str) -> None:
    for size in made.dims:
        if t.mentions(size, t.Binder):
            raise DefinitionError(
                f"{where}, {made}: size {size} binds names; give it a name of its own, and say in "
                "requires what it is"
            )
        check_term(size, known, frozenset(), f"{where}, {made}")
        if sort_of(size) != INT:
            raise DefinitionError(f"{where}, {made}: size {size} is not an integer")


def check_inputs(op: Any, where: str) -> None:
    if not op.operands:
        raise DefinitionError(f"{where}, forward: reads no array")
    if op.output in op.operands:
        raise DefinitionError(f"{where}, forward: reads its own output {op.output}")
    for a in op.constants:
        if a not in op.operands:
            raise DefinitionError(f"{where}, constants: {a} is no array that forward reads")
    if op.output.role != "primal":
        raise DefinitionError(f"{where}, forward: makes {op.output}, a {op.output.role}")
    for a in op.operands:
        if a.role != "primal":
            raise DefinitionError(f"{where}, forward: reads {a}, a {a.role}")


def check_targets(op: Any, where: str) -> None:
    """A rule for each differentiable input, and for nothing else."""
    names = ", ".join(f"{a}_bar" for a in op.inputs)
    seen: set[Array] = set()
    for rule in op.vjp:
        target = rule.args[0].array
        owner = next((a for a in op.inputs if target.of == a.name), None)
        named = f"{target}_".startswith(f"{owner}_bar_")
        if owner is None or target.role != "cotangent" or not named:
            raise DefinitionError(
                f"{where}, vjp: {target} is the cotangent of no differentiable input; "
                f"the targets are {names}"
            )
        if [*map(is_bundle, target.dims)] != [*map(is_bundle, owner.dims)]:
            raise DefinitionError(f"{where}, vjp: {target} and {owner} differ in their dimensions")
        if target in seen:
            raise DefinitionError(f"{where}, vjp: two rules for {target}; label one of them")
        seen.add(target)
    for a in op.inputs:
        if not any(target.of == a.name for target in seen):
            raise DefinitionError(
                f"{where}: no VJP for input {a}; write one, or list it in constants"
            )


def check_windows(op: Any, known: Names, where: str) -> None:
    for w in op.windows:
        place = f"{where}, windows"
        if not hasattr(w, "rounding"):
            raise DefinitionError(f"{place}: {w} is not a Windows(count, size, extent, stride)")
        if w.rounding not in ("floor", "ceil"):
            raise DefinitionError(f"{place}: rounding {w.rounding!r} is neither 'floor' nor 'ceil'")
        if w.count not in op.output.dims:
            raise DefinitionError(f"{place}: count {w.count} is not a size of {op.output}")
        for part in (w.size, w.extent, w.stride):
            if isinstance(part, float) or sort_of(t.as_term(part)) != INT:
                raise DefinitionError(f"{place}: {part} is not an integer")
            check_binders(t.as_term(part), known, place)
            check_term(t.as_term(part), known, frozenset(), place)


def check_rule(rule: Any, known: Names, readable: Arrays, where: str) -> None:
    if not isinstance(rule, Eq | Scatter) or type(rule.args[0]) is not Read:
        raise DefinitionError(f"{where}: {rule} is neither Eq(x[...], ...) nor a scatter")
    check_equation(rule, known, readable, f"{where} {rule.args[0].array}")


def check_equation(equation: Any, known: Names, readable: Arrays, where: str) -> None:
    left, right = equation.args[:2]
    check_binders(equation, known, where)
    if isinstance(equation, Eq):
        known = check_left(left, known, where)
    else:
        known = check_ranges(equation.ranges, known, readable, where)
        check_condition(equation.where, known, readable, where)
    check_read(left, readable | {left.array}, where)
    for e in left.index:
        check_term(e, known, readable, where)
    check_value(right, known, readable, where)
    for term in walk(equation):
        if isinstance(term, t.Slope | t.Linear):
            raise DefinitionError(f"{where}: {term} belongs in a claim; write the rule out")


def check_binders(term: Any, sizes: Names, where: str) -> None:
    """No range or state binds a size, or one symbol twice, or one that an earlier end mentions."""
    if not isinstance(term, Term):
        return
    for u in walk(term):
        ranges = u.ranges if isinstance(u, t.Binder | Scatter) else ()
        states = u.args[1] if isinstance(u, t.Fold) else ()
        bound = [symbol for symbol, _, _ in (*ranges, *states)]
        for number, symbol in enumerate(bound):
            ends = (end for _, *both in ranges[: number + 1] for end in both)
            taken = symbol in sizes or any(symbol in free(end) for end in ends)
            if taken or bound.count(symbol) > 1:
                raise DefinitionError(f"{where}: {symbol} has a meaning already; bind another name")


def check_left(left: Any, known: Names, where: str) -> Names:
    for e, n in zip(left.index, left.array.dims, strict=False):
        if not isinstance(e, Sym) or e.sort != INT or e in known:
            raise DefinitionError(f"{where}: left index {e} must be an index symbol of its own")
        if e.is_bundle != is_bundle(n):
            raise DefinitionError(
                f"{where}: left index {e} and dimension {n}: only one is a bundle"
            )
    if len(set(left.index)) < len(left.index):
        raise DefinitionError(f"{where}: {left} repeats an index")
    return known | set(left.index)


def check_value(term: Any, known: Names, readable: Arrays, where: str) -> None:
    check_term(term, known, readable, where)
    if sort_of(term) == BOOL or is_bundle(term):
        raise DefinitionError(f"{where}: {term} is not one real number")


def check_condition(term: Any, known: Names, readable: Arrays, where: str) -> None:
    if not isinstance(term, Term) or sort_of(term) != BOOL:
        raise DefinitionError(f"{where}: {term} is not a condition")
    check_term(term, known, readable, where)


def check_ranges(ranges: Any, known: Names, readable: Arrays, where: str) -> Names:
    for symbol, first, last in ranges:
        for end in (first, last):
            check_term(end, known, readable, where)
            if sort_of(end) != INT:
                raise DefinitionError(
                    f"{where}: {end}, an end of the range of {symbol}, is no integer"
                )
            if is_bundle(end) and not symbol.is_bundle:
                raise DefinitionError(f"{where}: {symbol} is one number, {end} has one per axis")
        known = known | {symbol}
    return known


def check_term(term: Any, known: Names, readable: Arrays, where: str) -> None:
    """Every name declared, every index of its array's rank, every bundle where a bundle may be."""
    if isinstance(term, Sym):
        if term not in known:
            raise DefinitionError(
                f"{where}: unknown symbol {term}; it is neither bound here, nor a size of an "
                "array, nor mentioned in requires"
            )
    elif isinstance(term, t.Binder):
        check_binder(term, known, readable, where)
    elif isinstance(term, Term):
        inner = term.args[0] if isinstance(term, t.AllAxes) else term
        if inner is term and isinstance(term, t.Relation | t.Divides) and is_bundle(term):
            raise DefinitionError(f"{where}: {term} was written for one number, not one per axis")
        for arg in inner.args:
            check_term(arg, known, readable, where)
        check_sorts(inner, where)
        if isinstance(term, Read):
            check_read(term, readable, where)


def check_read(term: Any, readable: Arrays, where: str) -> None:
    if term.array not in readable:
        raise DefinitionError(f"{where}: {term} reads {term.array}, which may not be read here")
    dims = term.array.dims
    if len(term.index) != len(dims):
        raise DefinitionError(
            f"{where}: {term}: {term.array} takes one index for each of its dimensions, "
            f"({', '.join(map(str, dims))}), not {len(term.index)}"
        )
    for e, n in zip(term.index, dims, strict=True):
        if sort_of(e) != INT:
            raise DefinitionError(f"{where}: index {e} of {term} is not an integer")
        if is_bundle(e) and not is_bundle(n):
            raise DefinitionError(
                f"{where}: index {e} of {term} has one value per axis, {n} has not"
            )


def check_binder(term: Any, known: Names, readable: Arrays, where: str) -> None:
    inner = check_ranges(term.ranges, known, readable, where)
    if not term.ranges:
        raise DefinitionError(f"{where}: {term} has no range")
    if isinstance(term, t.Fold):
        check_fold(term, known, inner, readable, where)
    elif isinstance(term, t.Exists | t.ForAll):
        check_condition(term.body, inner, readable, where)
    else:
        check_value(term.body, inner, readable, where)
    if isinstance(term, t.Maximum | t.Winner | t.Unique):
        check_condition(term.args[1], inner, readable, where)
    if isinstance(term, t.Maximum):
        check_value(term.args[2], known, readable, where)
    if isinstance(term, t.Winner):
        for place, (symbol, _, _) in zip(term.args[3], term.ranges, strict=True):
            check_term(place, known, readable, where)
            if sort_of(place) != INT or is_bundle(place) != symbol.is_bundle:
                raise DefinitionError(f"{where}: place {place} does not fit the range of {symbol}")


def check_step(step: Any, known: Names, readable: Arrays, where: str) -> None:
    """A loop's branch is one for all axes, also where it assigns a bundle."""
    if isinstance(step, t.If):
        check_condition(step.args[0], known, readable, where)
        for branch in step.args[1:]:
            check_step(branch, known, readable, where)
    else:
        check_term(step, known, readable, where)
        if sort_of(step) == BOOL:
            raise DefinitionError(f"{where}: {step} is a condition, and no state can hold it")


def check_fold(term: Any, known: Names, inner: Names, readable: Arrays, where: str) -> None:
    states = frozenset(state for state, _, _ in term.args[1])
    if any(isinstance(u, t.Slope) and free(u) & states for u in walk(term)):
        raise DefinitionError(f"{where}: {term} differentiates a state, which is no cell")
    for state, start, step in term.args[1]:
        check_term(start, known, readable, where)
        check_step(step, inner | states, readable, where)
        for value in (start, step):
            fits = sort_of(value) in (state.sort, INT)
            if not fits or (is_bundle(value) and not state.is_bundle):
                raise DefinitionError(f"{where}: state {state} cannot hold {value}")
    check_term(term.body, known | states, readable, where)


INTEGER_ONLY = (
    *(t.FloorDiv, t.CeilDiv, t.Mod, t.TruncDiv, t.TruncMod, t.NatSub, t.NatDiv),
    *(t.Divides, t.AxisProduct),
)


def check_sorts(term: Any, where: str) -> None:
    if isinstance(term, t.Slope) and type(term.args[1]) is not Read:
        raise DefinitionError(f"{where}: {term.args[1]} is not a cell to differentiate by")
    if isinstance(term, t.Slope) and sort_of(term.args[0]) == BOOL:
        raise DefinitionError(f"{where}: {term.args[0]} is a condition, and has no derivative")
    if isinstance(term, Read | t.Linear | t.Slope):
        return
    if isinstance(term, t.If) and is_bundle(term) and t.AllAxes in map(type, walk(term.args[0])):
        raise DefinitionError(
            f"{where}: {term} chooses once for all axes; per axis use Max and Min"
        )
    if isinstance(term, t.Min | t.Max) and not term.args:
        raise DefinitionError(f"{where}: {type(term).__name__}() of nothing")
    of_reals = REAL in map(sort_of, term.args)
    for position, arg in enumerate(term.args):
        found = sort_of(arg)
        wanted = isinstance(term, t.And | t.Or | t.Not | t.AllAxes | t.Bracket)
        if (wanted or (isinstance(term, t.If) and position == 0)) != (found == BOOL):
            raise DefinitionError(f"{where}: {arg} ({found}) does not fit in {term}")
        if isinstance(term, INTEGER_ONLY) and found != INT:
            raise DefinitionError(f"{where}: {arg} in {term} is not an integer")
        if isinstance(term, t.AxisProduct) and not is_bundle(arg):
            raise DefinitionError(f"{where}: product({arg}): it has one value, not one per axis")
        if is_bundle(arg) and (of_reals or isinstance(term, t.Div | t.Exp | t.Log)):
            raise DefinitionError(
                f"{where}: {arg} has one value per axis, {term} needs one number; "
                f"product({arg}) is one"
            )


def check_claims(op: Any, where: str) -> None:
    names = [c.name for c in op.claims]
    own = {rule.args[0].array for rule in op.vjp} | {op.tangent(a) for a in (*op.inputs, op.output)}
    readable = frozenset((*op.operands, op.output, op.cotangent(op.output), *own))
    made = (op.output, op.tangent(op.output), *(rule.args[0].array for rule in op.vjp))
    for claim in op.claims:
        place = f"{where}, claim {claim.name!r}"
        for name in ("given", "symbols", "without"):
            if not isinstance(getattr(claim, name), tuple):
                raise DefinitionError(f"{place}: {name} must be a tuple, (…,)")
        if names.count(claim.name) > 1:
            raise DefinitionError(f"{place}: two claims of this name")
        for condition in (claim.statement, *claim.given):
            if not isinstance(condition, Term):
                raise DefinitionError(f"{place}: {condition} is not a condition")
        known = frozenset((*op.sizes, *claim.symbols, *(s for g in claim.given for s in free(g))))
        check_declared(known, place)
        for condition in (claim.statement, *claim.given):
            check_binders(condition, known, place)
            check_condition(condition, known, readable, place)
        for u in walk(claim.statement):
            if isinstance(u, t.Slope) and u.args[1].array in made:
                raise DefinitionError(f"{place}: {u} differentiates by what the op computes")
        for a in (a for g in claim.given for a in t.arrays(g) if a in made):
            raise DefinitionError(
                f"{place}: given is about {a}, which the op computes; write "
                "implies(condition, statement)"
            )
        for s in claim.refuted or ():
            if s not in known:
                raise DefinitionError(f"{place}: unknown symbol {s} in the counterexample")
        for clause in claim.without:
            if clause not in op.requires:
                raise DefinitionError(f"{place}: {clause} is not a clause of requires")
        check_twin(op, claim, place)


def check_twin(op: Any, claim: Any, where: str) -> None:
    """A false claim stands beside a true one that differs in one hypothesis."""
    if (claim.refuted is None) != (not claim.twin):
        raise DefinitionError(
            f"{where}: a claim expected to be refuted names its twin, no other does"
        )
    if not claim.twin:
        return
    twin = next((c for c in op.claims if c.name == claim.twin), None)
    if twin is None or twin.refuted is not None:
        raise DefinitionError(f"{where}: there is no true claim {claim.twin!r} to be its twin")
    differ = frozenset(hypotheses(op, twin)) ^ frozenset(hypotheses(op, claim))
    adds_one = twin.statement == claim.statement and len(differ) == 1
    if not adds_one and not (not differ and implied(twin.statement) == claim.statement):
        raise DefinitionError(f"{where}: {claim.twin!r} must differ from it in one hypothesis only")


def implied(statement: Any) -> Any:
    """A statement without its one hypothesis about tensors."""
    if isinstance(statement, t.ForAll):
        inner = implied(statement.body)
        return None if inner is None else t.ForAll(inner, *statement.ranges)
    is_implication = isinstance(statement, t.Or) and isinstance(statement.args[0], t.Not)
    return statement.args[1] if is_implication else None


def hypotheses(op: Any, claim: Any) -> Iterable[Any]:
    return (*(r for r in op.requires if r not in claim.without), *claim.given)
