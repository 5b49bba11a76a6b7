"""Why JAX could not trace code, the line of it, and what could be written instead. Untrusted."""

from __future__ import annotations

import linecache
import traceback

from gradproof.jax.sizes import LIBRARY, is_users
from gradproof.tracing.lines import at
from gradproof.tracing.paths import Steps
from gradproof.tracing.tensors import Unreadable

CHOICE = "a choice of Python's by values of an array; write jnp.where, or lax.cond"
TURNS = "a loop whose turns are not counted; use lax.scan, or a sum over an axis"
SIZE = (
    "a size as a number of Python's; write jnp.sqrt(n) for math.sqrt(n), n // 2 for int(n / 2), "
    "and a sum or lax.scan for a loop over range(n)"
)
TRACER = "Tracer"
ASKED = "this asks whether it is traced; what it does otherwise is not read"
ANSWERS: dict[str, str] = {
    "TracerBoolConversionError": CHOICE,
    "ConcretizationTypeError": CHOICE,
    "TracerIntegerConversionError": "an index of Python's that is data; use an array's x[index]",
    "TracerArrayConversionError": "a function of NumPy's on an array of JAX; use jnp's",
    "NonConcreteBooleanIndexError": "indexing by a mask, whose size is data; use jnp.where",
    "InconclusiveDimensionOperation": SIZE,
}


def met(reason: BaseException) -> None:
    """What reaches the user's code because it is traced ends the reading, though it is caught."""
    if isinstance(reason, Exception) and is_of_tracing(reason):
        Unreadable(refusal(reason))


def is_of_tracing(reason: Exception) -> bool:
    return bool({*ANSWERS} & {*names_of(type(reason))}) or "_DimExpr" in str(reason)


def require_unasked(steps: Steps) -> None:
    """That no code asks whether what it is given is traced."""
    for code in steps:
        words = (*code.co_names, *(c for c in code.co_consts if isinstance(c, str)))
        if any(TRACER in word for word in words):
            line = linecache.getline(code.co_filename, code.co_firstlineno)
            raise Unreadable(at(code.co_filename, code.co_firstlineno, line, ASKED))


def refusal(reason: Exception) -> str:
    """Why JAX could not trace the code, and the line of it."""
    said = next((v for k, v in ANSWERS.items() if k in names_of(type(reason))), None)
    words = str(reason).strip().splitlines()
    said = SIZE if said is None and "_DimExpr" in str(reason) else said
    said = TURNS if "while_loop" in str(reason) else said
    own = f"{type(reason).__name__}: {words[0] if words else ''}"
    found = traceback.extract_tb(reason.__traceback__)
    frames = [f for f in found if is_users(f.filename) and not is_python_s(f.filename)]
    if "nondiff_argnums" in str(reason):
        said = (
            "a real number at nondiff_argnums, where the code takes one of Python's; pass a number"
        )
    told = f"the code itself fails: {own}" if said is None else f"{said} ({own})"
    if not frames:
        return told
    return at(frames[-1].filename, frames[-1].lineno or 1, frames[-1].line, told)


def is_python_s(filename: str) -> bool:
    return filename.startswith(LIBRARY) and "site-packages" not in filename


def names_of(kind: type) -> list[str]:
    return [k.__name__ for k in kind.__mro__]
