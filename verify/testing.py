"""One line for an existing test: `assert_proved(op)`. Untrusted."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from verify.check import RANKS
from verify.cli.lessons import lesson
from verify.cli.mending import mending
from verify.cli.replay import readable
from verify.language import Op
from verify.scopes import limit_of
from verify.smt import RLIMIT
from verify.suite import run, tasks


def assert_proved(op: Op, limit: int = RLIMIT, ranks: Iterable[int] = RANKS) -> None:
    """Settles every theorem of an op; fails with what a refutation teaches.

    Warns of proofs of limited scope: for loops of a few turns, or some ranks.

    >>> from specs import unpad
    >>> assert_proved(unpad)
    """
    __tracebackhide__ = True
    wrong = []
    for theorem, settle in tasks(op, limit, tuple(ranks)):
        verdict = run(op, (theorem, settle))
        if verdict.as_expected:
            if scope := limit_of(verdict):
                said = f"{op.name}, {verdict.name}: proved, but only {scope}"
                warnings.warn(said, stacklevel=2)
            continue
        wrong.append(f"{op.name}, {verdict.name}: {verdict.status}, expected {verdict.expected}")
        if verdict.note:
            wrong.append(f"  {verdict.note}")
        if verdict.counterexample is not None:
            clause = mending(op, theorem, verdict.counterexample, limit)
            taught = lesson(op, theorem, verdict).mended(clause)
            wrong += (f"  {line}" for line in taught.text)
        else:
            wrong.append(f"  {readable(verdict.statement)[0]}")
    if wrong:
        raise AssertionError("\n".join(wrong))
