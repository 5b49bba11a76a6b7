"""What a user says of the arguments of their code: shapes, parameters, conditions. Untrusted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

from gradproof.language import terms as t
from gradproof.language.ops import integer_array
from gradproof.language.terms import Sym, Term
from gradproof.language.wellformed import checked_name
from gradproof.tracing import integers as n
from gradproof.tracing.axes import Axis
from gradproof.tracing.expressions import Undeclared, term_of


@dataclass(frozen=True)
class Input:
    """An argument: an array (`real`, `constant`, `boolean`, `integer`), or a `number` or `size`."""

    kind: str
    shape: tuple[Any, ...] = ()
    below: Any = None
    least: Any = 0
    value: Any = None


def real() -> Input:
    """A real parameter, of the argument's name."""
    return Input("number")


def size(expression: str = "") -> Input:
    """An integer that the code is given: a size by name, or an expression of sizes."""
    return Input("size", value=expression)


def constant(*shape: Any) -> Input:
    """A tensor of reals that nothing is differentiated by."""
    return Input("constant", flattened(shape))


def boolean(*shape: Any) -> Input:
    """A tensor of truth values."""
    return Input("boolean", flattened(shape))


def integer(*shape: Any, below: Any, least: Any = 0) -> Input:
    """A tensor of integers from `least` to `below - 1`."""
    return Input("integer", flattened(shape), below, least)


def given(value: Any) -> Input:
    """A value that is passed as it stands: a string, or a tuple of numbers."""
    return Input("given", value=value)


def flattened(shape: Sequence[Any]) -> tuple[Any, ...]:
    if len(shape) == 1 and isinstance(shape[0], tuple | list):
        return tuple(shape[0])
    return tuple(
        part for dim in shape for part in (dims_in(dim) if isinstance(dim, str) else [dim])
    )


def dims_in(text: str) -> list[str]:
    """The dimensions of `N (G D) L`; one expression, such as `G*D`, is one dimension."""
    parts = re.findall(r"\([^()]*\)|\S+", text)
    spaced = " " in text.strip() and not re.search(r"[-+*/%]\s|\s[-+*/%]", text)
    return parts if spaced else [text.strip()] if text.strip() else []


def as_input(value: Any) -> Input:
    """What an argument is, as users write it: a shape, or a value that is passed as it stands."""
    if isinstance(value, Input):
        return value
    if isinstance(value, str):
        return Input("real", tuple(dims_in(value)))
    if isinstance(value, tuple) and all(isinstance(d, str | int) for d in value):
        return Input("real", value)
    return given(value)


@dataclass(frozen=True)
class Argument:
    """An argument by name, with its array in the language and the factors of its axes."""

    name: str
    kind: str
    axes: tuple[Axis, ...] = ()
    term: Term | None = None
    below: Term | None = None
    least: Term | None = None
    value: Any = None

    @property
    def array(self) -> t.Array:
        dims = [f for axis in self.axes for f in axis]
        if self.kind != "integer":
            return t.Array(self.name, dims)
        return integer_array(self.name, *dims, below=self.below, first=self.least)

    @property
    def is_array(self) -> bool:
        return self.kind in ("real", "constant", "boolean", "integer")

    @property
    def shape(self) -> tuple[Term, ...]:
        return tuple(n.product(axis) for axis in self.axes)


class Declared:
    """The arguments of one call, the sizes they name, and what is required of these."""

    def __init__(
        self,
        inputs: Mapping[str, Any],
        requires: Any = (),
        fixed: Mapping[str, int] | None = None,
    ) -> None:
        self.said = (inputs, requires)
        self.symbols: dict[str, Sym] = {}
        self.fixed = dict(fixed or {})
        self.met: set[str] = set()  # sizes that are named
        for name, value in inputs.items():
            if as_input(value).kind == "number":
                self.symbols[name] = Sym(checked_name(name), t.REAL)
        self.arguments = tuple(self.argument(k, as_input(v)) for k, v in inputs.items())
        arrays = {a.name for a in self.arguments if a.is_array}
        if clash := sorted(arrays.intersection(self.symbols)):
            said = f"{clash[0]} is an argument and a size; call the size otherwise"
            raise Undeclared(f"{said}, as in x=('N', '{clash[0].lower()}')")
        if unknown := [name for name in self.fixed if name not in self.met]:
            raise Undeclared(f"no shape has a size {unknown[0]}, so it cannot be fixed")
        written = self.conditions(requires)
        integers = [s for s in self.symbols.values() if s.sort == t.INT]
        bounded = {c.left for w in written for c in t.conjuncts(w) if isinstance(c, t.Ge)}
        positive = [t.relation(t.Ge, s, 1) for s in integers if s not in bounded]
        self.requires: tuple[Term, ...] = (*positive, *(c for w in written for c in t.conjuncts(w)))

    @property
    def differentiable(self) -> list[str]:
        """The arguments that have a gradient."""
        return [a.name for a in self.arguments if a.kind == "real"]

    @property
    def has_sizes(self) -> bool:
        return any(s.sort == t.INT for s in self.symbols.values())

    @property
    def place(self) -> str:
        """The sizes that are numbers, where none is a symbol."""
        if self.fixed:
            return ", ".join(f"{name} = {value}" for name, value in self.fixed.items())
        arrays = (a for a in self.arguments if a.is_array)
        return ", ".join(f"{a.name} of shape ({', '.join(map(str, a.shape))})" for a in arrays)

    def at(self, sizes: Mapping[str, int]) -> Declared:
        """The same with these sizes fixed, too."""
        return Declared(*self.said, {**self.fixed, **sizes}).by(self.differentiable)

    def by(self, names: Iterable[str]) -> Declared:
        """The same, differentiated by these arguments alone."""
        found = copy(self)
        kept = set(names)
        found.arguments = tuple(
            replace(a, kind="constant") if a.kind == "real" and a.name not in kept else a
            for a in self.arguments
        )
        return found

    def array(self, name: str) -> t.Array | None:
        """The array of an argument, for what is required of its values."""
        found = (a.array for a in self.arguments if a.name == name and a.is_array)
        return next(found, None)

    @property
    def of_sizes(self) -> tuple[Term, ...]:
        """What is required of sizes and parameters."""
        return tuple(c for c in self.requires if not t.arrays(c))

    def argument(self, name: str, given: Input) -> Argument:
        if given.kind == "number":
            return Argument(name, "number", term=self.symbols[name])
        if given.kind == "size":
            return Argument(name, "size", term=self.size(given.value or name))
        if given.kind == "given":
            return Argument(name, "given", value=given.value)
        checked_name(name)
        axes = tuple(self.axis(d) for d in given.shape)
        if given.kind != "integer":
            return Argument(name, given.kind, axes)
        below, least = self.size(given.below), self.size(given.least)
        return Argument(name, "integer", axes, below=below, least=least)

    def axis(self, dim: Any) -> Axis:
        """The factors of a dimension: G and D of "G*D" or "(G D)"."""
        if isinstance(dim, int):
            return () if dim == 1 else (t.as_term(dim),)
        text = dim.strip()
        if text.startswith("(") and " " in text[1:-1].strip():
            text = "*".join(text[1:-1].split())
        term = self.term(text)
        factors = term.args if isinstance(term, t.Mul) else (term,)
        if any(not isinstance(f, Sym) for f in factors):
            factors = (term,)
        return tuple(n.simple(f) for f in factors if f != 1)

    def size(self, value: Any) -> Term:
        return t.as_term(value) if isinstance(value, int) else n.simple(self.term(value))

    def term(self, text: str) -> Term:
        try:
            tree = ast.parse(text.strip(), mode="eval").body
            found: Term = term_of(tree, text, lambda name: self.symbol(name, text, True))
            if t.sort_of(found) == t.INT:
                return found
        except (SyntaxError, t.DefinitionError):
            pass
        raise Undeclared(f"{text!r} is no size; write a name, a number or 'G*D'")

    def conditions(self, said: Any) -> tuple[Term, ...]:
        """One clause, or several."""
        one = isinstance(said, str) or callable(said)
        return tuple(map(self.condition, [said] if one else said))

    def condition(self, text: Any) -> Term:
        """A clause, as text or as a function of sizes and arguments by name."""
        if callable(text):
            names = list(signature(text).parameters)
            found = text(*(self.symbol(name, "requires", False) for name in names))
            return self.checked(found, f"requires, of {', '.join(names)},")
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except SyntaxError:
            raise Undeclared(f"{text!r} is no condition; write one as 'eps > 0'") from None
        return self.checked(
            term_of(tree, text, lambda name: self.symbol(name, text, False)), repr(text)
        )

    def checked(self, found: Any, text: str) -> Term:
        if not isinstance(found, t.Term) or t.sort_of(found) != t.BOOL:
            raise Undeclared(f"{text} is no condition; write one as 'eps > 0'")
        return found

    def symbol(self, name: str, text: str, declares: bool) -> Term:
        self.met |= {name} if declares else set()
        if name in self.fixed:
            return t.as_term(self.fixed[name])
        if name not in self.symbols:
            if not declares and (array := self.array(name)) is not None:
                return array[tuple(Sym(f"{name}_{d + 1}") for d in range(len(array.dims)))]
            if not declares:
                known = ", ".join(self.symbols) or "none"
                raise Undeclared(f"{text!r}: no shape has a size {name}; there are {known}")
            self.symbols[name] = Sym(checked_name(name))
        return self.symbols[name]
