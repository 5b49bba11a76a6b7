"""A call of a user's operator: what its kernel gives and does, and what is said of it. Deciding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensorMode, UnsupportedOperatorException
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from gradproof.torch import custom

NO_FAKE = "no fake is registered of {}; torch.compile needs one"


@dataclass(frozen=True)
class Result:
    """A tensor, without its values; sizes are numbers, or terms where they are symbols."""

    kind: str
    sizes: tuple[Any, ...]
    strides: tuple[Any, ...]


@dataclass(frozen=True)
class Called:
    """A call: the tensors that its kernel gives, those that the fake says, what it did beside."""

    op: str
    made: tuple[Result, ...]
    said: tuple[Result, ...]
    unsaid: str = ""  # why there is no fake
    beside: str = ""  # what is not in the schema


def described(result: Any, term: Callable[[Any], Any]) -> tuple[Result, ...]:
    found = (x for x in tree_leaves(result) if isinstance(x, torch.Tensor))
    return tuple(
        Result(
            f"{str(x.dtype).removeprefix('torch.')} on {x.device.type}",
            tuple(map(term, x.shape)),
            tuple(map(term, x.stride())),
        )
        for x in found
    )


def called(
    op: OpOverload, args: Any, given: Any, kernel: Any, fake: Any, term: Any, state: Any
) -> tuple[Any, Called]:
    """A call of a kernel, with what is said of it."""
    said: tuple[Result, ...] = ()
    unsaid = ""
    try:
        said = described(fake(), term)
    except UnsupportedOperatorException:
        unsaid = NO_FAKE.format(op.name())
    except Exception as reason:
        if "no fake impl registered" not in str(reason):
            raise
        unsaid = NO_FAKE.format(op.name())
    named = tensors_by_name(op, args, given)
    before = {name: state(x) for name, x in named.items()}
    result = kernel(op, args, given)
    own = [x for x in tree_leaves(result) if isinstance(x, torch.Tensor)]
    beside = beside_schema(op, named, own, lambda name, x: state(x) is before[name])
    return result, Called(op.name(), described(result, term), said, unsaid, beside)


def tensors_by_name(op: OpOverload, args: Any, given: Any) -> dict[str, torch.Tensor]:
    pairs = [*zip(custom.parameters_of(op), args, strict=False), *given.items()]
    return {name: x for name, x in pairs if isinstance(x, torch.Tensor)}


def beside_schema(
    op: OpOverload,
    named: Mapping[str, torch.Tensor],
    results: Sequence[torch.Tensor],
    is_same: Callable[[str, torch.Tensor], bool],
) -> str:
    """What a call writes to, or gives back as it is, though its schema does not say so."""
    said = {a.name: a.alias_info for a in op._schema.arguments}
    for name, x in named.items():
        if (said[name] is None or not said[name].is_write) and not is_same(name, x):
            return f"writes to {name}, and mutates_args does not name it"
        if said[name] is None and any(shares(x, y) for y in results):
            return f"gives back the memory of {name}, and the schema does not say so"
    return ""


def shares(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.untyped_storage()._cdata == other.untyped_storage()._cdata


class Running(TorchDispatchMode):
    """Notes of each operator of the user's that runs what it and its fake give."""

    def __init__(self) -> None:
        super().__init__()
        self.met: list[Called] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        if not custom.has_own_kernel(func):
            return func(*args, **given)
        known: dict[int, Any] = {}

        def state(x: torch.Tensor) -> Any:
            """The numbers, which are one object as long as they are the same."""
            now = x.detach().clone()
            before = known.setdefault(id(x), now)
            return before if torch.equal(now, before) else now

        def fake() -> Any:
            with FakeTensorMode():
                told = tree_map_only(torch.Tensor, without_values, (args, given))
                return func(*told[0], **told[1])

        def kernel(*call: Any) -> Any:
            with self:
                return custom.run(*call)

        result, found = called(func, args, given, kernel, fake, int, state)
        self.met.append(found)
        return result


def without_values(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)


def fault(call: Called) -> str:
    """What is wrong at sizes that are numbers."""
    if call.unsaid:
        return ""
    made, said = call.made, call.said
    if len(made) != len(said):
        return f"the kernel of {call.op} gives {count(made)}, its fake {count(said)}"
    for number, (a, b) in enumerate(zip(made, said, strict=True)):
        which = f"output {number + 1} of {call.op}" if len(made) > 1 else f"what {call.op} gives"
        if a.kind != b.kind:
            return f"{which} is {a.kind}, by its fake {b.kind}"
        if a.sizes != b.sizes:
            return f"{which} has the shape {a.sizes}, by its fake {b.sizes}"
        apart = (
            p != q for size, p, q in zip(a.sizes, a.strides, b.strides, strict=True) if size > 1
        )
        if 0 not in a.sizes and any(apart):
            return f"{which} has the strides {a.strides}, by its fake {b.strides}"
    return ""


def count(results: Sequence[Any]) -> str:
    return f"{len(results)} tensor{'' if len(results) == 1 else 's'}"


def shapeless(call: Called) -> bool:
    """Whether number, types or ranks differ, of which the run should have told."""
    pairs = zip(call.made, call.said, strict=False)
    alike = all(a.kind == b.kind and len(a.sizes) == len(b.sizes) for a, b in pairs)
    return len(call.made) != len(call.said) or not alike
