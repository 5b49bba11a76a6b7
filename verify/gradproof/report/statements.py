"""What a theorem says and how it is derived, in formulas printed from its nodes. Untrusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from gradproof.language import terms as t
from gradproof.language.latex import array_name, latex, latex_of_factor, latex_of_range, name
from gradproof.language.ops import Op, target_of
from gradproof.language.substitution import Fresh
from gradproof.language.terms import Term, Triple
from gradproof.prove.rules.derive import Unsupported, differentiate
from gradproof.theorems.sequents import Sequent, Theorem


@dataclass(frozen=True)
class Math:
    """A formula in LaTeX, on a line of its own or within the text."""

    latex: str
    display: bool = False


@dataclass(frozen=True)
class Code:
    """A name as it stands in a program."""

    text: str


Words = tuple[str | Math | Code, ...]
ASSIGNED = re.compile(r"(?<![\w.])([^\W\d]\w*(?:\.\d+)?′*) = (-?\d+(?:/\d+)?|\([-\d, ]+\))")
LONG = 80  # letters of LaTeX that still fit into a line of text


def with_code(text: str) -> Words:
    """A docstring, with what stands between backquotes as code."""
    parts = " ".join(text.split()).split("`")
    if len(parts) % 2 == 0:
        return ("`".join(parts),)
    return tuple(Code(part) if i % 2 else part for i, part in enumerate(parts))


def with_math(text: str) -> Words:
    """A sentence with each `n = 1` in it as a formula."""
    words: list[str | Math | Code] = []
    at = 0
    for found in ASSIGNED.finditer(text):
        shown = "".join(name(found[1].replace("′", "'")) + " = " + found[2])
        words += [text[at : found.start()], Math(shown)]
        at = found.end()
    return tuple(word for word in (*words, text[at:]) if word)


def displayed(term: Term) -> Math:
    return Math(latex(term), True)


def listed(terms: Iterable[Term]) -> Words:
    return commas(Math(latex(term)) for term in terms)


def commas(formulas: Iterable[Math]) -> Words:
    """Formulas with commas between them."""
    words: list[str | Math | Code] = []
    for formula in formulas:
        words += [", "] * bool(words) + [formula]
    return tuple(words)


# The definition.


def arrays_of(op: Op) -> Iterator[Words]:
    """Each array of the definition with its shape."""
    for array in (*op.operands, *op.computed):
        shape = r" \times ".join(map(latex_of_factor, array.dims)) or "1"
        role = "output" if array in op.outputs else "input"
        role = "intermediate" if array in op.computed and array not in op.outputs else role
        role = "constant" if array in op.constants else role
        yield (Math(array_name(array.name)), f", the {role}, of shape ", Math(shape))


def bundles_of(op: Op) -> Words:
    return listed(s for s in op.sizes if s.is_bundle)


# Statements.


def title(op: Op, theorem: Theorem) -> Words:
    """The theorem's name; the clause that one is about as a formula."""
    clauses = (r for r in op.requires if theorem.equation == f"requires {r}")
    clause = next(clauses, None) if theorem.kind == "needed" else None
    return (theorem.name,) if clause is None else ("requires ", Math(latex(clause)))


def why(op: Op, theorem: Theorem) -> str:
    """Why a claim is kept that is known to be false."""
    return next((c.why for c in op.claims if c.name == theorem.name), "")


def statement(op: Op, theorem: Theorem) -> tuple[Words, ...]:
    """The theorem in paragraphs."""
    if theorem.kind == "satisfiable":
        met = ("Some sizes satisfy ", *listed(op.requires), ".")
        return (met if op.requires else ("Nothing is required of the sizes.",),)
    if theorem.kind == "needed":
        clause = next(r for r in op.requires if theorem.equation == f"requires {r}")
        return ((Math(latex(clause)), " is needed, or a convention."),)
    if theorem.kind == "claim":
        claim = next(c for c in op.claims if c.name == theorem.name)
        return ((displayed(claim.statement),),)
    if theorem.kind == "ties" and isinstance(theorem.sequents[0].then, t.Or):
        said = theorem.statement
        return ((f"{said[:1].upper()}{said[1:]}.",),)
    if theorem.kind in ("jvp", "vjp", "linear", "ties"):
        named = tuple(with_names(op, theorem, s) for s in theorem.sequents)
        return tuple(paragraph(s) for s in named)
    return tuple(paragraph(s) for s in theorem.sequents)


def paragraph(sequent: Sequent) -> Words:
    """`then`, and below it for which places."""
    words: Words = (displayed(sequent.then),)
    if sequent.over:
        words = (*words, "for ", *commas(Math(latex_of_range(*r)) for r in sequent.over))
    if sequent.when:
        where = latex(t.And(*sequent.when))
        words = (*words, " where " if sequent.over else "where ", Math(where, len(where) > LONG))
    return (*words, ".") if words[-1] is not words[0] and not is_displayed(words[-1]) else words


def is_displayed(word: str | Math | Code) -> bool:
    return isinstance(word, Math) and word.display


def with_names(op: Op, theorem: Theorem, sequent: Sequent) -> Sequent:
    """The sequent with the op's own arrays where their equations were put in."""
    if op.is_system or theorem.local:
        return sequent
    rule = op.equations[theorem.equation]
    made, y = target_of(rule).array, op.output
    places = [symbol for symbol, _, _ in (*sequent.over, *summed(sequent.then))]
    then = sequent.then
    if theorem.kind == "linear":
        return replace(sequent, then=t.Linear(made[tuple(places)], then.by))
    slopes = [u for u in t.walk(then) if isinstance(u, t.Slope)]
    outputs = tuple(places[: len(y.dims)])
    inputs = tuple(places[len(y.dims) :])
    names: dict[Term, Term] = {}
    for slope in slopes:
        cell = slope.cell
        role = cell.array.role
        whole = y[outputs] if role == "primal" else made[outputs if role == "tangent" else inputs]
        names[slope] = t.Slope(whole, cell)
    if theorem.kind == "ties":
        unlike = (u for u in t.walk(then) if isinstance(u, t.Ne))
        losing = (u for u in unlike if isinstance(u.right, t.Maximum))
        names |= {u: t.Ne(u.left, y[outputs]) for u in losing}
    return replace(sequent, then=replaced(then, names))


def summed(term: Term) -> tuple[Triple, ...]:
    """The ranges of the sum on the left, in a statement about a total."""
    left = term.left if isinstance(term, t.Eq) else term
    return tuple(left.ranges) if isinstance(left, t.Sum) else ()


def replaced(term: Term, values: dict[Term, Term]) -> Term:
    if term in values:
        return values[term]
    if isinstance(term, t.Sym | t.Array) or not term.args:
        return term
    return t.rebuild(term, [replaced(a, values) for a in term.args])


# Hypotheses.


def hypotheses(op: Op, theorem: Theorem) -> Words:
    """What a claim assumes beyond the op's own hypotheses, and which of them it does without."""
    if theorem.kind != "claim":
        return ()
    claim = next(c for c in op.claims if c.name == theorem.name)
    words: Words = ("with ", *listed(claim.given)) if claim.given else ()
    if claim.without:
        words = (*words, ", without " if words else "without ", *listed(claim.without))
    return words


# Derivations.


def derivation(theorem: Theorem) -> Iterator[tuple[Words, Math]]:
    """For a JVP or VJP: the derived entry of the Jacobian, and the rule's entry."""
    if theorem.kind not in ("jvp", "vjp") or theorem.sequents[0].where:
        return
    then = theorem.sequents[0].then
    fresh = Fresh(then, *(c for r in theorem.sequents[0].over for c in r))
    labels = ("The forward equation, differentiated by ", "The rule, differentiated by ")
    for label, slope in zip(labels, then.args, strict=True):
        body, cell = slope.args
        try:
            entry = differentiate(body, cell.array, cell.index, fresh)
        except Unsupported:
            return
        yield (label, Math(latex(cell)), ":"), displayed(entry)
