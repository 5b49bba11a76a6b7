"""SymPy's numbers and functions as terms, where they mean the same. Trusted.

Functions that are not defined everywhere are refused: SymPy has `log(x) - log(x)` simplified to 0
before anybody sees it. What comes from NumPy and `math` is answered by what there is.
"""

from __future__ import annotations

from typing import Any

import sympy

from gradproof.language import functions
from gradproof.language.terms import DefinitionError, Exp, Log, Mul, Term, as_term, plus

TOTAL = {
    "exp": Exp,
    "Pi": lambda: functions.pi,
    "Exp1": lambda: Exp(1),
    "Add": plus,
    "Mul": Mul,
    **{name: getattr(functions, name) for name in ("sin", "cos", "atan", "erf")},
    **{name: getattr(functions, name) for name in ("tanh", "sinh", "cosh")},
}
KNOWN = "exp log sqrt abs sin cos tan atan tanh sinh cosh erf sigmoid softplus Max Min"
LACKING = "another one is declared: function(name, derivative=lambda u: ...)"


def from_sympy(value: sympy.Expr) -> Term:
    """The term that means the same."""
    kind = type(value).__name__
    if kind == "Pow" and not value.atoms(Term) and value.base.is_positive:
        whole = isinstance(value.exp, sympy.Integer) and as_term(value.base)
        exponent = as_term(value.exp)
        return whole**exponent if whole is not False else Exp(Mul(exponent, Log(value.base)))
    if kind not in TOTAL:
        raise DefinitionError(
            f"{value} ({kind}) is SymPy's, not of this language, gradproof.language; {there_is()}"
        )
    found: Term = TOTAL[kind](*map(as_term, value.args))
    return found


def there_is() -> str:
    return f"there are {KNOWN}; {LACKING}"


def refuse(function: Any, *given: object) -> None:
    """What a function of NumPy's or `math`'s, which wants numbers, is told."""
    shown = ", ".join(map(str, given))
    raise DefinitionError(f"{function} of {shown} wants numbers, not terms; {there_is()}")
