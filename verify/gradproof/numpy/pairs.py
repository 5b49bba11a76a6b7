"""A forward with its backward, as users have them: two functions, one that returns both, or the
methods of an object. Untrusted.

All of it is run twice in the same way, on numbers and as it is read; `run` is what runs it.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

from gradproof.numpy import objects
from gradproof.numpy.sources import parsed, plain_function
from gradproof.tracing.declared import Declared
from gradproof.tracing.likeness import numbered
from gradproof.tracing.tensors import Unreadable

OUTPUTS = ("y", "out", "output", "result", "z")
FORWARD = ("forward", "__call__")
NO_BACKWARD = "give the backward too, check(forward, backward, …), or a function that returns both"
NO_NUMBER = (
    "a backward that is given no gradient of the result is that of a number, not of an array"
)
GRADIENTS = ("d{}", "d_{}", "grad_{}", "{}_grad", "g{}", "{}_bar", "dLd{}")
HOLDERS = ("grads", "grad", "gradients", "derivatives")  # dictionaries of gradients


@dataclass(frozen=True)
class Made:
    """What a forward has made of its inputs: its outputs, all that it returned, and the object that
    it is of."""

    given: Mapping[str, Any]
    outputs: tuple[Any, ...]
    result: Any
    owner: Any


@dataclass(frozen=True)
class Pair:
    """The functions, and the object or class that they are methods of."""

    forward: Any
    backward: Any  # none where the forward returns the gradients of a number beside it
    owner: Any = None

    @property
    def name(self) -> str:
        if self.owner is not None:
            kind = self.owner if isinstance(self.owner, type) else type(self.owner)
            return kind.__name__
        return getattr(self.forward, "__name__", "forward")

    @property
    def functions(self) -> tuple[Any, ...]:
        given = (self.forward, self.backward, self.owner)
        return tuple(f for f in given if f is not None)

    def parameters(self, function: Any) -> list[inspect.Parameter]:
        found = list(inspect.signature(function).parameters.values())
        return found if self.owner is None else found[1:]

    # Forward.

    def run_forward(self, run: Any, given: Mapping[str, Any]) -> Made:
        owner, args, named = None, tuple[Any, ...](), given
        if self.owner is not None:
            owner = self.made(run, given)
            args, known = (owner,), {p.name for p in self.parameters(self.forward)}
            named = {k: v for k, v in given.items() if k in known}
        result = run.call(self.forward, args, named)
        count = self.outputs_of(result)
        outputs = (result,) if not isinstance(result, tuple) else result[:count]
        return Made(given, outputs, result, owner)

    def outputs_of(self, result: Any) -> int:
        """How many of the values that were returned are differentiated: the first, and those of
        whose gradients the backward takes: of `return h, c, cache` those of `dh, dc`."""
        if self.backward is None or not isinstance(result, tuple):
            return 1
        returned, taken = returned_names(self.forward), self.parameters(self.backward)
        pairs = list(zip(returned, taken, strict=False))
        count = 1
        while count < len(pairs) and is_gradient(*pairs[count]):
            count += 1
        return min(count, len(result))

    def made(self, run: Any, given: Mapping[str, Any]) -> Any:
        """The object, whose attributes are what is declared, and what its class makes of that."""
        owner, forward = run.new(self.owner), {p.name for p in self.parameters(self.forward)}
        rest = {k: v for k, v in given.items() if k not in forward}
        init = getattr(self.owner, "__init__", None) if isinstance(self.owner, type) else None
        if isinstance(init, FunctionType):
            own = list(inspect.signature(init).parameters.values())[1:]
            missing = [p.name for p in own if is_needed(p) and p.name not in rest]
            if missing:
                said = f"say what {missing[0]} of {self.name}(…) is, or give an object"
                raise TypeError(f"{said}, check({self.name}(…), …)")
            taken = {p.name: rest.pop(p.name) for p in own if p.name in rest}
            run.call(init, (owner,), taken)
        for name, value in rest.items():
            holders = [a for a in objects.nested(owner) if name in a]
            if not holders:
                raise TypeError(f"{name} is no argument and no attribute of {self.name}")
            holders[0][name] = value
            if (slot := gradient_slot(owner, name, value)) is not None:
                where, key = slot
                where[key] = run.zeros_like(value)
        return owner

    # Backward.

    def run_backward(
        self, run: Any, seed: Any, made: Made, given: Mapping[str, Any], declared: Declared
    ) -> dict[str, Any]:
        """The gradients by the names of the inputs; none of what has none."""
        if self.backward is None:
            if not isinstance(made.result, tuple) or len(made.result) < 2:
                raise TypeError(NO_BACKWARD)
            rest = made.result[1] if len(made.result) == 2 else list(made.result[1:])
            found, scaled = self.by_name(rest, made, given, declared), True
        else:
            args, takes_seed = self.arguments(seed, made, given, run.axes(made.outputs[0]))
            args = args if made.owner is None else [made.owner, *args]
            found = self.by_name(run.call(self.backward, args, {}), made, given, declared)
            scaled = not takes_seed
        if not scaled:
            return found
        scale = run.number(seed[0])
        if scale is None:
            raise TypeError(NO_NUMBER)
        return {k: None if v is None else run.times(scale, v) for k, v in found.items()}

    def arguments(
        self, seed: Sequence[Any], made: Made, given: Mapping[str, Any], axes: int
    ) -> tuple[list[Any], bool]:
        """What the backward is given, and whether the gradient of the result is among it: that,
        then what the forward kept, or its inputs."""
        taken, result = self.parameters(self.backward), made.result
        if not taken or (taken[0].name in given and is_needed(taken[0])):
            own, lead = taken, list[Any]()
        else:
            own, lead = taken[len(made.outputs) :], list(seed)
        names = [p.name for p in own if is_needed(p) or p.name in given]
        is_pair = isinstance(result, tuple) and len(result) == 2
        takes_one = lead and not names and len(made.outputs) == 1 and made.owner is None
        if is_pair and takes_one and not axes:
            return [result[1]], False  # what was kept; the gradient of a number may be left out
        if isinstance(result, tuple) and len(result) > len(made.outputs):
            kept = result[len(made.outputs) :]
            if len(names) == 1 and names[0] not in given:
                return [*lead, kept[0] if len(kept) == 1 else kept], bool(lead)
            rest = dict(zip([k for k in names if k not in given], kept, strict=False))
            if unknown := [k for k in names if k not in given and k not in rest]:
                raise TypeError(f"backward takes {unknown[0]}, which forward does not return")
            return [*lead, *(given[k] if k in given else rest[k] for k in names)], bool(lead)
        if unknown := [k for k in names if k not in given and k not in OUTPUTS]:
            said = f"backward takes {unknown[0]}, which is no input of forward"
            raise TypeError(f"{said}; return it from forward as (y, cache)")
        return [*lead, *(given.get(k, result) for k in names)], bool(lead)

    def by_name(
        self, found: Any, made: Made, given: Mapping[str, Any], declared: Declared
    ) -> dict[str, Any]:
        """The gradients of the differentiable inputs: those returned, in the order of the inputs,
        others by their names in the object."""
        wanted = declared.differentiable
        if isinstance(found, Mapping):
            named = {k: found.get(k, found.get(f"d{k}", MISSING)) for k in wanted}
            return {k: self.left(made, k) if v is MISSING else v for k, v in named.items()}
        listed = list(found) if isinstance(found, tuple | list) else [found]
        if made.owner is not None:
            forward = [p.name for p in self.parameters(self.forward) if p.name in given]
            own = [k for k in forward if k in wanted]
            if found is None or not own or len(listed) != len(wanted):
                all_ = forward if len(listed) == len(forward) else own
                first = dict(zip(all_, listed, strict=True)) if len(listed) == len(all_) else {}
                return {
                    k: first[k] if k in own and k in first else self.left(made, k) for k in wanted
                }
        kinds = {a.name: a.kind for a in declared.arguments}
        if len(listed) == len(given) != len(wanted):
            pairs = zip(given, listed, strict=True)
            listed = [v for k, v in pairs if kinds[k] == "real"]
        if len(listed) != len(wanted):
            said = f"backward gives {len(listed)} gradients for {', '.join(wanted)}"
            raise Unreadable(f"{said}; mark the others gp.constant(...)")
        return dict(zip(wanted, listed, strict=True))

    def left(self, made: Made, name: str) -> Any:
        """The gradient that the backward has left in the object."""
        slot = gradient_slot(made.owner, name, made.given[name])
        if made.owner is None or slot is None:
            raise TypeError(f"no gradient of {name}: return it, or keep it as d{name}")
        where, key = slot
        return where[key]


MISSING = object()


def gradient_slot(owner: Any, name: str, value: Any) -> tuple[Any, Any] | None:
    """Where an object keeps the gradient of something: what holds it, and its key there."""
    for inner in objects.nested(owner):
        for pattern in GRADIENTS:
            if (key := pattern.format(name)) in inner:
                return inner, key
        for holder in HOLDERS:
            if isinstance(inner.get(holder), dict) and name in inner[holder]:
                return inner[holder], name
        lists = [v for v in inner.values() if isinstance(v, list)]
        for one in lists:
            at = next((k for k, v in enumerate(one) if v is value), None)
            others = [inner[h] for h in HOLDERS if isinstance(inner.get(h), list)]
            if at is not None and others and one is not others[0] and len(others[0]) == len(one):
                return others[0], at
    return None


def is_needed(parameter: inspect.Parameter) -> bool:
    """Whether a call has to say what a parameter is."""
    named = (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    return parameter.default is parameter.empty and parameter.kind in named


def is_gradient(returned: str, taken: inspect.Parameter) -> bool:
    """Whether a parameter is called as the gradient of what is returned by a name."""
    return bool(returned) and taken.name in [p.format(returned) for p in GRADIENTS]


def returned_names(function: Any) -> list[str]:
    """The names of what a function returns, where its last line says `return a, b, …`."""
    try:
        tree, _ = parsed(plain_function(function))
    except Unreadable:
        return []
    last = tree.body[-1] if isinstance(tree, ast.FunctionDef) else None
    if not (isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)):
        return []
    return [e.id if isinstance(e, ast.Name) else "" for e in last.value.elts]


def is_one_object(one: Any, other: Any) -> bool:
    """Whether methods are of one object, or of two that were made alike and hold no arrays."""
    if one is None or one is other:
        return one is not None
    if type(one) is not type(other):
        return False
    held = [*vars(one).values(), *vars(other).values()]
    plain = all(v is None or isinstance(v, bool | int | float | str) for v in held)
    return plain and vars(one) == vars(other)


def pair_of(functions: Sequence[Any]) -> Pair:
    """What a user has given: a forward and a backward, a function, a class or an object."""
    first, *others = functions
    owners = [f.__self__ if isinstance(f, MethodType) else None for f in functions]
    if len(functions) == 2 and is_one_object(*owners):
        return Pair(first.__func__, others[0].__func__, owners[0])
    if len(functions) == 2:
        return Pair(first, others[0])
    if others:
        raise TypeError("check takes a forward and a backward, a class or an object")
    kind = first if isinstance(first, type) else type(first)
    if not isinstance(first, Callable) or objects.is_users(kind):  # type: ignore[arg-type]
        forward = next((getattr(kind, k) for k in FORWARD if hasattr(kind, k)), None)
        backward = getattr(kind, "backward", None)
        if forward is None or backward is None:
            raise TypeError(f"{kind.__name__} has no forward and backward; {NO_BACKWARD}")
        return Pair(forward, backward, first)
    return Pair(first, None)


def names_of(functions: Sequence[Any], count: int) -> list[str]:
    """Of the arguments of the forward, in their order."""
    pair = pair_of(functions)
    return numbered(pair.parameters(pair.forward), count)
