"""One line for an existing test: `assert_proved(op)`. Deciding."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gradproof.language.ops import Op, target_of
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settings import floats_asked
from gradproof.settle.conclusions import RANKS
from gradproof.settle.mending import mending
from gradproof.settle.suite import run, tasks
from gradproof.settle.timing import SECONDS
from gradproof.settle.verdicts import Verdict
from gradproof.show.advice import account, advice
from gradproof.show.lessons import lesson
from gradproof.show.readable import readable
from gradproof.show.scopes import reservations
from gradproof.show.wording import unexpected

if TYPE_CHECKING:
    from gradproof.graphs import Graph


def assert_proved(
    op: Op | Graph,
    limit: int = RLIMIT,
    ranks: Iterable[int] = RANKS,
    timeout: float | None = SECONDS,
    float32: bool | None = None,
    dtype: str | None = None,
    within: str | Iterable[str] = (),
) -> None:
    """Settles every theorem of an op, or of a graph; fails with what a refutation teaches.

    A theorem that takes more than `timeout` seconds of processor time is open; None is no limit.

    A proof for loops of a few turns, or for ranks 1 to 3, is one if `scope` in the definition says
    that it is enough; then it is warned of. With `float32=True` (here or in [tool.gradproof]) it
    also fails where the definition, each operation rounded, gives nan, infinity or few digits.

    >>> from gradproof.specs import unpad
    >>> assert_proved(unpad)
    """
    __tracebackhide__ = True
    if not isinstance(op, Op):
        wanting = [v for v in op.verify(timeout=timeout).verdicts if not v.as_expected]
        if wanting:
            lines = (f"{op.name}: {v.name} {unexpected(v)}. {v.note}".strip() for v in wanting)
            raise AssertionError("\n".join(lines))
        return
    wrong = []
    known: dict[str, Verdict | None] = {}
    for theorem, settle in tasks(op, limit, tuple(ranks), needs=False):
        verdict = run(op, (theorem, settle), timeout=timeout)
        known[verdict.name] = verdict
        if verdict.as_expected:
            for said in reservations(verdict, known):
                warnings.warn(f"{op.name}, {said}", stacklevel=2)
            continue
        wrong.append(f"{op.name}: {verdict.name} {unexpected(verdict)}")
        told = (verdict.note, *account(verdict), advice(verdict, known))
        wrong += (f"  {line}" for line in told if line)
        if verdict.counterexample is not None:
            mend = mending(op, theorem, verdict.counterexample, limit, tuple(ranks))
            taught = lesson(op, theorem, verdict).mended(*mend)
            wrong += (f"  {line}" for line in taught.text)
        else:
            wrong.append(f"  {readable(verdict.statement)[0]}")
    float32, dtype = floats_asked(float32, dtype)
    if float32 and not wrong:
        from gradproof.tracing import rounding

        rules = (target_of(e).array.name for e in (*op.vjp, *op.jvps))
        said = rounding.told(op, rules, dtype, (within,) if isinstance(within, str) else within)
        wrong += [f"{op.name}: {said}"] if said else []
    if wrong:
        raise AssertionError("\n".join(wrong))
