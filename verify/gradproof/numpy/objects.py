"""Objects of the user's classes, in code that is read: attributes and methods. Untrusted."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from gradproof.tracing.tensors import Unreadable

OWN_ACCESS = ("__getattribute__", "__setattr__", "__getattr__", "__delattr__")
UNSAID = "{0} is an array of the object; say its shape as that of an argument, {0}=('N', 'C')"


@dataclass(eq=False)
class Instance:
    """An object of a class of the user's, as far as the code has made it."""

    kind: type
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Bound:
    """A function of the user's with its first argument."""

    function: Any
    first: Any


@dataclass(frozen=True, eq=False)
class Above:
    """`super()`: an object, as the classes above one see it."""

    kind: type
    instance: Instance


@dataclass(frozen=True)
class Unsaid:
    """An array of an object, of which nothing was said."""

    name: str
    shape: tuple[int, ...] = ()


class Undescribed(Unreadable):
    """What ends a reading at an array of an object of which nothing was said."""

    def __init__(self, of: Unsaid) -> None:
        super().__init__(UNSAID.format(of.name))
        self.of = of


def is_users(kind: Any) -> bool:
    """Whether a class is written in Python, and its attributes are what Python's own rules say."""
    if not isinstance(kind, type) or not kind.__flags__ & HEAP:
        return False
    plain = all(
        inspect.getattr_static(kind, name, None) is getattr(object, name, None)
        for name in OWN_ACCESS
    )
    made = inspect.getattr_static(kind, "__new__") is inspect.getattr_static(object, "__new__")
    alone = all(c.__flags__ & HEAP or c is object for c in kind.__mro__)
    return plain and made and alone and not issubclass(kind, BaseException)


HEAP = 1 << 9  # of types that are made by a statement


def attribute(reader: Any, of: Instance | Above | type, name: str) -> Any:
    """What an object has by a name, itself or by its class."""
    if isinstance(of, Instance) and name in of.attributes:
        found = of.attributes[name]
        if isinstance(found, Unsaid):
            raise Undescribed(found)
        return found
    found, owner = of_class(of, name)
    if isinstance(found, property):
        return reader.call(found.fget, (owner,), {})
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        kind = owner.kind if isinstance(owner, Instance) else owner
        return Bound(found.__func__, kind)
    if isinstance(found, FunctionType):
        return Bound(found, owner) if isinstance(owner, Instance) else found
    if hasattr(type(found), "__get__"):
        raise Unreadable(f".{name}, which is computed as it is read; make it a method")
    return reader.own(found)


def of_class(of: Any, name: str) -> tuple[Any, Any]:
    """What a class, or one above it, has by a name; and of what."""
    owner = of.instance if isinstance(of, Above) else of
    kind = owner.kind if isinstance(owner, Instance) else owner
    order = kind.__mro__[:-1]
    if isinstance(of, Above):
        order = order[order.index(of.kind) + 1 :]
    for one in order:
        if name in vars(one):
            return vars(one)[name], owner
    if name == "__init__":
        return nothing, owner
    raise Unreadable(f".{name} of a {kind.__name__}, which has none")


def nothing(self: Any) -> None:
    """What `object` does to make an object."""


def assign(reader: Any, of: Any, name: str, value: Any) -> None:
    """`object.name = value`."""
    if not isinstance(of, Instance):
        raise Unreadable(f"an attribute {name} of what is no object of a class of yours")
    if reader.path or reader.depth:
        raise Unreadable(
            f"an attribute {name} that is set in a loop or a branch by values; "
            "give it a name, and set it after"
        )
    if isinstance(inspect.getattr_static(of.kind, name, None), property):
        raise Unreadable(f"an attribute {name} that is set by a property")
    of.attributes[name] = reader.kept(value)


def made(reader: Any, kind: type, args: tuple[Any, ...], named: dict[str, Any]) -> Instance:
    """`Kind(…)`."""
    instance = Instance(kind)
    init, _ = of_class(instance, "__init__")
    if init is not nothing or args or named:
        reader.call(init, (instance, *args), named)
    return instance


def nested(value: Any) -> Iterator[dict[Any, Any]]:
    """The dictionaries of an object's attributes, and of the objects and dictionaries in them."""
    pending, seen = [value], set[int]()
    while pending:
        one = pending.pop(0)
        inner = names_of(one)
        if inner is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield inner
        pending += inner.values()


def names_of(value: Any) -> dict[Any, Any] | None:
    """What stands under names in an object or a dictionary, read or of Python's."""
    if isinstance(value, Instance):
        return value.attributes
    if type(value) is dict:
        return value
    return vars(value) if is_users(type(value)) and hasattr(value, "__dict__") else None
