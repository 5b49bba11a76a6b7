"""What each adapter offers its users: check, assert_proved and show. Deciding."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradproof.language.terms import Term
from gradproof.prove.rules.smt import RLIMIT
from gradproof.settings import floats_asked
from gradproof.settle.timing import SECONDS
from gradproof.theorems.scopes import OF_CODE, narrower
from gradproof.tracing.comparing import compared
from gradproof.tracing.contract import Promise, kept, numbers_of, with_arguments
from gradproof.tracing.declared import Declared
from gradproof.tracing.ending import Interrupted, alarms, how, no_way_out
from gradproof.tracing.expressions import Undeclared
from gradproof.tracing.finite import lost
from gradproof.tracing.floats import TYPES
from gradproof.tracing.judging import judged, require
from gradproof.tracing.likeness import Attempt, named
from gradproof.tracing.likeness import like as likeness
from gradproof.tracing.marked import marked
from gradproof.tracing.reports import Report
from gradproof.tracing.written import Found

Requires = str | Callable[..., Any] | Iterable[str | Callable[..., Any]]
OPTIONS = (
    *("requires", "sizes", "on_purpose", "scope", "limit", "timeout"),
    *("order", "float32", "dtype", "within", "like"),
)
SAME = 1e-4
ORDER = "order is of frameworks that differentiate a backward, which NumPy does not"
NOTHING = (
    "no argument is one that is differentiated by; say the shape of one, as in x=('N', 'C'), "
    "and gp.constant(…) of those that have no gradient; or give tensors, like=(x, w)"
)
BESIDE = "like= gives values of some arguments, and {} is said beside it; say it as a value there"
Values = Mapping[str, Any] | Sequence[Any] | Found


def first_order(code: Any, shape: Any, order: int) -> Iterable[Promise]:
    """Where no framework differentiates a backward, nothing more is owed."""
    return ()


@dataclass(frozen=True)
class Front:
    """The functions of an adapter, by what makes code that can be traced of the user's."""

    code: Callable[..., Any]
    names: Callable[[Sequence[Any], int], list[str]]  # of the arguments of so many values
    attempt: Callable[
        [Sequence[Any], Declared, Mapping[str, Any], bool], None
    ]  # raises if it fails
    contract: Callable[[Any, Any, int], Iterable[Promise]] = first_order

    def check(
        self,
        /,
        *functions: Any,
        requires: Requires = (),
        sizes: Mapping[str, int] | None = None,
        on_purpose: bool = False,
        scope: str = "",
        limit: int = RLIMIT,
        timeout: float | None = SECONDS,
        order: int = 1,
        float32: bool | None = None,
        dtype: str | None = None,
        within: Requires = (),
        like: Values | None = None,
        **inputs: Any,
    ) -> Report:
        """Whether the gradient that code gives is the derivative of what it computes, at all sizes.

        Arguments are named as the code names them: a shape of sizes, or what the functions of this
        module say. Or `like` has values of them as they are at hand, in their order or by name:
        then it is found at which sizes the code runs, told, and the claim is for these.

        With `sizes`, those named are fixed, and the claim is for them alone; with
        `scope="4 turns"` a proof for loops of so few turns is enough, with `scope="sizes read"`
        one for the sizes at which the code was read, where it may run otherwise at others. What
        takes more than `timeout` seconds of processor time, theorem by theorem, is open. With
        `order=2`, or more, what is differentiated again is to be right, too.

        Beside the proof it is told at which input the code, run in float32, gives nan, infinity or
        few digits where the exact value is moderate; with `float32=True` that is a failure, with
        `float32=False` it is not asked. `dtype` is of another type: "bfloat16", say; inputs are 0
        or between 1e-6 and 1e4, or as `within="abs(x) < 10"` says, and what is lost at others is a
        limit of range, which is told. What is not said here may be in [tool.gradproof] of the
        project's pyproject.toml.
        """
        float32, dtype = floats_asked(float32, dtype)
        if dtype not in TYPES:
            raise Undeclared(f"dtype is one of {', '.join(map(repr, TYPES))}, not {dtype!r}")
        if scope and not {*scope.split(", ")} <= {*OF_CODE}:
            raise Undeclared(f"scope is one of {', '.join(map(repr, OF_CODE))}, not {scope!r}")
        if order > 1 and self.contract is first_order:
            raise Undeclared(ORDER)
        try:
            with alarms(), no_way_out():
                found_out = None if like is None else self.found(functions, like, inputs)
                declared = self.declared(found_out, inputs, requires, sizes)
                bounds = declared.conditions(within)
                code = self.code(*functions, declared)
                report = judged(code, on_purpose, limit, timeout=timeout)
                found = worst(report, self.others(code, on_purpose, limit, timeout), scope)
                if float32 is not False:
                    found = beside(code, found, dtype, bounds, bool(float32))
                if found.status == "proved" and not on_purpose:
                    promises = self.contract(code, found.readings[0].shape, order)
                    found = kept(found, promises, limit, timeout, scope)
        except Interrupted as end:
            raise end.reason from None
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as end:
            said = f"the code ended the program, {how(end)}, so nothing is settled"
            name = getattr(functions[0], "__name__", type(functions[0]).__name__)
            found = Report(name, "error", "", said, on_purpose=on_purpose)
        told = "" if found_out is None else found_out.text
        return replace(found, accepts=scope, float32=bool(float32), declared=told)

    def found(self, functions: Sequence[Any], like: Values, inputs: Mapping[str, Any]) -> Found:
        """What values at hand say of arguments."""
        if isinstance(like, Found):
            return like
        if inputs:
            raise Undeclared(BESIDE.format(next(iter(inputs))))
        whole = like if isinstance(like, Mapping | tuple | list) else (like,)
        values = named(self.names(functions, len(whole)), whole)
        return likeness(self.attempting(functions), values)

    def attempting(self, functions: Sequence[Any]) -> Attempt:
        """What runs code on values, as what is said of its arguments has them."""
        return lambda said, at, backward: self.attempt(functions, Declared(said), at, backward)

    def declared(
        self, found: Found | None, inputs: Mapping[str, Any], requires: Requires, sizes: Any
    ) -> Declared:
        if found is not None:
            more = (requires,) if isinstance(requires, str) or callable(requires) else requires
            inputs, requires = found.inputs, (*found.requires, *more)
        declared = Declared(inputs, requires, sizes)
        if not declared.differentiable:
            raise Undeclared(NOTHING)
        return declared

    def others(
        self, code: Any, on_purpose: bool, limit: int, timeout: float | None
    ) -> Iterator[Report]:
        """The code again, where it runs otherwise though its arguments are of the same shapes."""
        for said, other in code.others():
            found = judged(other, on_purpose, limit, timeout=timeout)
            yield replace(found, note="\n".join(filter(None, [said, found.note])))

    def assert_proved(
        self,
        /,
        *functions: Any,
        requires: Requires = (),
        sizes: Mapping[str, int] | None = None,
        on_purpose: bool = False,
        scope: str = "",
        limit: int = RLIMIT,
        timeout: float | None = SECONDS,
        order: int = 1,
        float32: bool | None = None,
        dtype: str | None = None,
        within: Requires = (),
        like: Values | None = None,
        **inputs: Any,
    ) -> Report:
        """In a test: fails with a counterexample that the code itself confirms."""
        __tracebackhide__ = True
        return require(
            self.check(
                *functions,
                requires=requires,
                sizes=sizes,
                on_purpose=on_purpose,
                scope=scope,
                limit=limit,
                timeout=timeout,
                order=order,
                float32=float32,
                dtype=dtype,
                within=within,
                like=like,
                **inputs,
            )
        )

    def proved(self, /, *others: Any, **said: Any) -> Callable[[Any], Any]:
        """A decorator: pytest makes an item of the gradient by each input, said as to `check`.

        What is proved is the function that it stands at, whatever decorators stand above. Of a pair
        of functions, as in NumPy, it stands at the first and is given the second.
        """
        inputs = {name: value for name, value in said.items() if name not in OPTIONS}
        names = tuple(Declared(inputs, said.get("requires", ()), said.get("sizes")).differentiable)
        if not names:
            raise Undeclared(NOTHING)
        asking = sys._getframe(1)
        site = asking.f_code.co_filename, asking.f_lineno
        return lambda code: marked(code, names, lambda: self.check(code, *others, **said), site)

    def show(
        self,
        /,
        *functions: Any,
        requires: Requires = (),
        sizes: Mapping[str, int] | None = None,
        like: Values | None = None,
        **inputs: Any,
    ) -> str:
        """The mathematics that was read from code."""
        found_out = None if like is None else self.found(functions, like, inputs)
        code = self.code(*functions, self.declared(found_out, inputs, requires, sizes))
        found = judged(code, proving=False)
        return found.definition or str(found)

    def replay(
        self,
        /,
        *functions: Any,
        values: Mapping[str, Any],
        cotangent: Any,
        of: str,
        place: Sequence[int] = (),
        line: str = "",
        **inputs: Any,
    ) -> tuple[float, float]:
        """A cell of a gradient: by finite differences of the code, and as its rule gives it.

        With `line`, of what that line of the report asks: "second order", say.
        """
        code = self.code(*functions, Declared(inputs))
        seed = np.asarray(cotangent, dtype=float)
        found = (math.nan, math.nan)
        for one in with_arguments(self.contract, code, line, values) if line else (code,):
            found = compared(one, numbers_of(one, values), seed, of, tuple(place))
            if not math.isclose(*found, rel_tol=SAME, abs_tol=SAME):
                break
        return found


def beside(code: Any, report: Report, dtype: str, within: tuple[Term, ...], asked: bool) -> Report:
    """With an input at which code loses its digits, unless its gradient is wrong anyway."""
    if report.status not in ("proved", "unknown") or not report.readings or report.on_purpose:
        return report
    op = report.readings[0].op
    found = lost(code, op, dtype, within)
    far = lost(code, op, dtype, far=True) if found is None and (asked or within) else None
    return replace(report, lost=found, far=far)


def worst(report: Report, others: Iterable[Report], accepts: str) -> Report:
    """The first that is not proved, then that is too narrow, of a report and of its like."""
    if report.status != "proved":
        return report
    seconds = report.seconds
    found = report
    for other in others:
        seconds += other.seconds
        if other.status != "proved":
            return replace(other, seconds=seconds)
        if narrower(other.scope, accepts) and not narrower(found.scope, accepts):
            found = other
    return replace(found, seconds=seconds)
