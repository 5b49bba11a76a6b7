"""Where a formula leaves what floating-point numbers can hold, and what is written instead.

Untrusted. The formula is evaluated exactly, and each of its parts is looked at: the first that is
too large, that rounds to 0 where that matters, or that cancels is the cause.
"""

from __future__ import annotations

from typing import Any

import mpmath

from gradproof.evaluate.judge import Env, Evaluator, Value
from gradproof.evaluate.numbers import INTERVALS, Interval, Undecided, Undefined
from gradproof.language import terms as t
from gradproof.language.terms import Term
from gradproof.tracing.floats import Exact, Type

LARGEST = "subtract the largest value first, as softmax, logsumexp and softplus do"
LOGARITHM = "write the logarithm out, as log_softmax, logsigmoid, softplus and log1p do"
MINUS_ONE = "exp(x) - 1 is expm1(x)"
PLUS_ONE = "log(1 + x) is log1p(x)"
CENTRE = "subtract what they have in common, a mean say, before squaring or summing"
ROOTS = "sqrt(a) - b is (a - b*b)/(sqrt(a) + b)"
APART = "write it so that what is equal goes before it is rounded"
FORMS = (MINUS_ONE, PLUS_ONE, ROOTS)  # which keep the digits of a result, however small
OPERAND = "guard the operand too, as in where(c, f(where(c, x, 1)), 0), and not the result alone"
INSIDE = "add a small number within the root, or guard its operand"
DIVISOR = "scale both before they are divided; of exponentials, subtract the largest first"


class Watching(Evaluator):
    """Evaluates exactly, and notes the first part that the type cannot hold."""

    def __init__(self, kind: Type, tensors: Any, where: Any) -> None:
        super().__init__(INTERVALS, tensors, where)
        self.kind = kind
        self.cause = ""
        self.rooted = 0  # how many roots are around, which are written by logarithms

    def value(self, term: Term, env: Env) -> Value:
        if isinstance(term, t.If) and not self.cause:
            self.untaken(term, env)
        self.rooted += (is_rooted := is_root(term))
        found = super().value(term, env)
        self.rooted -= is_rooted
        if isinstance(found, Interval) and not self.cause:
            self.cause = self.noted(term, env, size(found))
        return found

    def noted(self, term: Term, env: Env, result: Any) -> str:
        """What is lost by this part, whose own parts lose nothing."""
        if abs(result) > self.kind.largest:
            is_exp = isinstance(term, t.Exp)
            said = f"exp({shown(self.part(term.args[0], env), 4)})" if is_exp else "a part"
            return f"{said} is beyond the largest {self.kind.name}; {LARGEST}"
        if isinstance(term, t.Log) and self.rooted:
            return ""
        if isinstance(term, t.Log | t.Div):
            operand = self.part(term.args[-1], env)
            if 0 < abs(operand) < 1 / self.kind.largest:
                advice = LOGARITHM if isinstance(term, t.Log) else DIVISOR
                return f"{shown(operand, 3)} rounds to 0 before it is used; {advice}"
        if isinstance(term, t.Log) and isinstance(term.args[0], t.Add):
            operand = self.part(term.args[0], env)
            if abs(operand - 1) < self.kind.lost and operand != 1:
                return f"log({shown(operand, 9)}) keeps few digits; {PLUS_ONE}"
        if isinstance(term, t.Add):
            return self.cancelled([self.part(p, env) for p in term.args], term, result)
        return ""

    def cancelled(self, parts: list[Any], term: Term, result: Any) -> str:
        largest = max(map(abs, parts), default=0.0)
        if not abs(result) < self.kind.lost * largest or all(p == int(p) for p in parts):
            return ""
        said = " + ".join(shown(p, 9) for p in parts).replace("+ -", "- ")
        is_exp = any(is_plain_exp(p) for p in term.args) and 1 in map(abs, parts)
        if is_exp:
            return f"{said} keeps few digits; {MINUS_ONE}"
        has_root = any(is_root(u) for part in term.args for u in (part, *parts_of(part)))
        advice = CENTRE if t.mentions(term, t.Sum) or self.squares(term) else APART
        return f"{said} keeps few digits; {ROOTS if has_root else advice}"

    def squares(self, term: Term) -> bool:
        """Whether a part is a product or is computed by an equation of its own."""
        read = {u.array.name for u in t.walk(term) if isinstance(u, t.Read)}
        return bool(read & self.where.keys()) or t.mentions(term, t.Power)

    def untaken(self, term: Term, env: Env) -> None:
        """That the branch which is not taken has no value, or one that is too large."""
        taken = super().value(term.args[0], env)
        other = Watching(self.kind, self.tensors, tuple(self.where.values()))
        try:
            other.value(term.args[2 if taken else 1], env)
        except Undefined:
            self.cause = f"the branch that is not taken has no value there; {OPERAND}"
        except Undecided:
            return
        if "beyond" in other.cause:
            self.cause = f"in the branch that is not taken {other.cause.split(';')[0]}; {OPERAND}"

    def part(self, term: Term, env: Env) -> Any:
        return size(self.real(term, env))


def is_root(term: Term) -> bool:
    """A power of what is above 0, written as e to a multiple of its logarithm."""
    return isinstance(term, t.Exp) and any(isinstance(u, t.Log) for u in parts_of(term.inner))


def parts_of(term: Term) -> tuple[Term, ...]:
    return term.args if isinstance(term, t.Mul | t.Div) else (term,)


def is_plain_exp(term: Term) -> bool:
    return isinstance(term, t.Exp) and not is_root(term)


def size(value: Any) -> Any:
    """A number of any magnitude, which a float may not have."""
    return mpmath.mpf(value.ends[0]) if isinstance(value, Interval) else mpmath.mpf(value)


def shown(number: Any, digits: int) -> str:
    return str(mpmath.nstr(number, digits, strip_zeros=True)).removesuffix(".0")


def cause_of(exact: Exact, kind: Type, name: str, flat: int) -> str:
    """The first part at fault: of a cell of the output, or of all that a gradient is of."""
    inputs = exact.tensors(lambda of, at, value: value)
    watching = Watching(kind, inputs, exact.op.system)
    for looked in exact.looked_at(name, flat):
        watching.tensors = {**inputs, **looked.given}
        try:
            watching.equation(looked.equation, looked.place, exact.env)
        except (Undefined, Undecided):
            return watching.cause or (INSIDE if name else "")
        if watching.cause:
            break
    return watching.cause
