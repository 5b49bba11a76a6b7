"""Makes wrong ops, as data: each with theorems that are false of it. Untrusted."""

from dataclasses import dataclass, replace
from typing import Any

from gradproof.language import And, Array, Op
from gradproof.language.terms import Sym, as_term, rebuild


@dataclass(frozen=True)
class Caught:
    """A theorem that is refuted; with its kind and the sizes of its smallest counterexample, or
    without where these are not told."""

    theorem: str
    kind: str = ""
    sizes: dict[str, Any] | None = None


@dataclass(frozen=True)
class Written:
    """A wrong op, and theorems that are false of it: if `all_told`, all others are proved."""

    op: Op
    caught: tuple[Caught, ...]
    all_told: bool = False


def mutant(op, *caught):
    return Written(op, caught, all_told=True)


def defined(equation, **sizes):
    return Caught(f"{equation}: divisors and logarithms", "defined", sizes)


def in_bounds(equation, **sizes):
    return Caught(f"{equation}: reads and writes", "in bounds", sizes)


def size(theorem, **sizes):
    return Caught(theorem, "size", sizes)


def jvp(x, **sizes):
    return Caught(f"jvp by {x}", "jvp", sizes)


def vjp(target, **sizes):
    return Caught(f"vjp {target}", "vjp", sizes)


def linear(rule, **sizes):
    return Caught(f"{rule} is linear", "linear", sizes)


UNIT = {"k": 1, "n": 1, "p": 0, "s": 1}
PADDED = {"k": 1, "n": 1, "p": 1, "s": 1}
STRIDED = {"k": 1, "n": 1, "p": 1, "s": 2}
WIDE = {"k": 2, "n": 1, "p": 1, "s": 1}
OVERLAP = {"k": 2, "n": 2, "p": 0, "s": 1}


def exchanged(term, parts):
    """The term with parts exchanged, from the outside in; shapes of arrays stay."""
    if term in parts:
        return as_term(parts[term]) if not isinstance(parts[term], Array) else parts[term]
    if isinstance(term, Sym | Array) or not term.args:
        return term
    return rebuild(term, tuple(exchanged(arg, parts) for arg in term.args))


def edits_of(op):
    """Makes mutants: `where` names the equations by their targets; "claim" is the claim itself."""

    def edit(name, where, parts, *refuted, claim=""):
        untouched = set(where.split())

        def edited(term, label):
            changed = exchanged(term, parts) if label in where.split() else term
            if changed != term:
                untouched.discard(label)
            return changed

        claims = [c for c in op.claims if c.name == claim]
        wrong = replace(
            op,
            name=f"{op.name}_{name}",
            forward=edited(op.forward, "y"),
            jvp=edited(op.jvp, "y_dot"),
            vjp=tuple(edited(rule, rule.args[0].array.name) for rule in op.vjp),
            requires=tuple(edited(clause, "requires") for clause in op.requires),
            claims=tuple(replace(c, statement=edited(c.statement, "claim")) for c in claims),
        )
        if untouched or bool(claim) != bool(claims):
            raise LookupError(f"{name}: nothing to edit in {untouched or claim}")
        return Written(wrong, tuple(map(Caught, (*refuted, *(c.name for c in claims)))))

    return edit


JVP, VJP, MASS = "jvp by x", "vjp x_bar", "gradient mass is kept"
FIRST, LARGEST = "the loop picks the first winner", "the loop computes the maximum"
RULES = "y_dot x_bar"
ALL = f"y {RULES}"
ALWAYS = And()
AT_RANK_2, AGREE = "N-D at rank 2: forward", "the two VJPs agree"
W_BAR, B_BAR, BY_W = "vjp W_bar", "vjp b_bar", "jvp by W"


def reads(equation):
    return f"{equation}: reads and writes"


def divisors(equation):
    return f"{equation}: divisors and logarithms"
