"""The derivation of a theorem as formulas, each with what gave it. Untrusted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy

from gradproof.language import terms as t
from gradproof.language.latex import Printer, aligned, is_large, is_wide, joined, latex, primed
from gradproof.language.substitution import free
from gradproof.prove.rules.normal import Product
from gradproof.settle.verdicts import Step, Verdict
from gradproof.theorems.sequents import Theorem
from gradproof.theorems.statuses import Status


def with_steps(theorem: Theorem, verdict: Verdict) -> Verdict:
    """A verdict whose derivation can be read, and sent elsewhere."""
    sizes = {symbol for condition in theorem.given for symbol in free(condition)}
    symbols = [*sorted(sizes, key=str), *(r[0] for s in theorem.sequents for r in s.over)]
    try:
        formulas = primed(*(formula(shown) for _, shown in verdict.derivation), first=symbols)
    except Exception as failure:
        return replace(verdict, status=Status.ERROR, note=f"{type(failure).__name__}: {failure}")
    reasons = (reason for reason, _ in verdict.derivation)
    return replace(verdict, steps=tuple(map(Step, reasons, formulas)))


def formula(shown: Any) -> str:
    """A term, or the two sides of an equation as sums of guarded products."""
    if not isinstance(shown, tuple):
        return latex(shown)
    left, right = (joined(map(product, side)) for side in shown)
    whole = f"{left} = {right}"
    return aligned([left, rf"\quad = {right}"]) if is_wide(whole) else whole


def product(p: Product) -> str:
    """Binders run over all integers: their ranges are among the guards."""
    numbers = [f for f in p.factors if isinstance(f, sympy.Rational)]
    brackets = [t.Bracket(t.And(*p.guards))] * bool(p.guards)
    others = [*brackets, *(f for f in p.factors if not isinstance(f, sympy.Rational))]
    if not p.binders:
        return latex(t.Mul(*numbers, *others))
    names = ", ".join(map(latex, p.binders))
    body = others[0] if len(others) == 1 else t.Mul(*others)
    printer = Printer()
    inner = printer.show(body) if is_large(body) else printer.factor(body)
    before = "-" if numbers == [-1] else rf"{latex(t.Mul(*numbers))} \cdot " * bool(numbers)
    return aligned([rf"{before}\sum_{{{names} \in \mathbb{{Z}}}} {inner}", *printer.loops])
