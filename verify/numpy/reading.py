"""Reads a function of Python and NumPy from its source: what it returns, as arrays. Untrusted.

It runs the code with terms in place of numbers. A loop over a range whose ends are sizes runs once,
with a name for its index; `loops` says what all its turns do.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import operator
import textwrap
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import sympy

from gradproof.evaluate.replay import satisfies
from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import BOOL, INT, Term
from gradproof.numpy import functions, loops
from gradproof.numpy.arrays import Array, Part, Write, merged
from gradproof.numpy.functions import CONSTANTS, FUNCTIONS, array_of, scalar
from gradproof.prove.tactics.asking import ask
from gradproof.tracing import integers as n
from gradproof.tracing import layout, reals, sums, tensors
from gradproof.tracing.operations import OPS
from gradproof.tracing.tensors import Tensor, Unreadable, constant

Scope = dict[str, Any]


class Returned(Exception):
    """The function returned a value."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Reader:
    """One run of the code, at sizes with the given requirements; `hints` decide its branches."""

    def __init__(self, requires: Sequence[Term], hints: Mapping[Any, Any]) -> None:
        self.names = sums.Names()
        self.requires = tuple(requires)
        self.hints = hints
        self.guards: list[Term] = []
        self.path: list[Term] = []  # conditions on cells and indices under which a line runs
        self.known: list[Term] = []  # the ranges of the loops that are open
        self.arrays: list[Array] = []
        self.depth = 0
        self.where = ""

    # Functions.

    def call(self, function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """What a function of the user returns."""
        inner = getattr(function, "py_func", function)
        try:
            source = textwrap.dedent(inspect.getsource(inner))
            lines = inspect.getsourcelines(inner)[1]
        except (OSError, TypeError) as reason:
            raise Unreadable(f"{function}: no source; define it in a file") from reason
        tree = next(
            u for u in ast.walk(ast.parse(source)) if isinstance(u, ast.FunctionDef | ast.Lambda)
        )
        bound = inspect.signature(inner).bind(*args, **named)
        bound.apply_defaults()
        outer = inspect.getclosurevars(inner)
        scope: Scope = {**outer.globals, **outer.nonlocals, **bound.arguments}
        before, self.where = self.where, f"{inspect.getsourcefile(inner)}:{lines}"
        try:
            if isinstance(tree, ast.Lambda):
                return self.value(tree.body, scope)
            self.block(tree.body, scope, source.splitlines())
        except Returned as found:
            return found.value
        except Unreadable as reason:
            raise located(reason, inner, lines, source) from reason
        finally:
            self.where = before
        return None

    # Statements.

    def block(self, body: Sequence[ast.stmt], scope: Scope, lines: Any = None) -> None:
        for number, statement in enumerate(body):
            try:
                if self.is_skip(statement):
                    self.unless(statement, body[number + 1 :], scope)
                    return
                self.run(statement, scope)
            except Unreadable as reason:
                if not hasattr(reason, "line"):
                    reason.line = getattr(statement, "lineno", 1)  # type: ignore[attr-defined]
                raise

    def is_skip(self, statement: ast.stmt) -> bool:
        """Whether it is `if …: continue`, with nothing else."""
        return (
            isinstance(statement, ast.If)
            and isinstance(statement.body[-1], ast.Continue)
            and not statement.orelse
        )

    def unless(self, statement: Any, rest: Sequence[ast.stmt], scope: Scope) -> None:
        """`if …: continue` is a condition on what follows."""
        condition = self.condition(self.value(statement.test, scope))
        taken = self.decided(condition)
        if taken:
            self.block(statement.body[:-1], scope)
            return
        if taken is None:
            if len(statement.body) > 1:
                self.choose(condition, statement.body[:-1], rest, scope)
            else:
                self.choose(t.Not(condition), rest, [], scope)
            return
        self.block(rest, scope)

    def run(self, statement: ast.stmt, scope: Scope) -> None:
        match statement:
            case ast.Assign(targets=targets, value=value):
                found = self.value(value, scope)
                for target in targets:
                    self.assign(target, found, scope)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                self.assign(target, self.value(value, scope), scope)
            case ast.AugAssign(target=target, op=op, value=value):
                self.update(target, op, value, scope)
            case ast.For():
                loops.run(self, statement, scope)
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(self.condition(self.value(test, scope)), body, orelse, scope)
            case ast.Return(value=value):
                if self.path or self.depth:
                    raise Unreadable("a return within a loop or a branch by values")
                raise Returned(None if value is None else self.value(value, scope))
            case ast.Expr(value=value):
                if not isinstance(value, ast.Constant):
                    self.value(value, scope)
            case ast.FunctionDef() | ast.Import() | ast.ImportFrom():
                raise Unreadable("a definition or import within a function; move it out")
            case ast.Pass() | ast.Assert() | ast.AnnAssign():
                return
            case _:
                raise Unreadable(f"`{ast.unparse(statement).splitlines()[0]}` is not read here")

    def branch(self, condition: Term, body: Any, orelse: Any, scope: Scope) -> None:
        taken = self.decided(condition)
        if taken is not None:
            self.block(body if taken else orelse, scope)
            return
        self.choose(condition, body, orelse, scope)

    def choose(self, condition: Term, body: Any, orelse: Any, scope: Scope) -> None:
        """Both branches, each under its condition; names become a choice."""
        then, otherwise = dict(scope), dict(scope)
        for inner, part, own in ((then, condition, body), (otherwise, t.Not(condition), orelse)):
            self.path.append(part)
            try:
                self.block(own, inner)
            finally:
                self.path.pop()
        for name in {*then, *otherwise}:
            a, b = then.get(name, loops.UNKNOWN), otherwise.get(name, loops.UNKNOWN)
            scope[name] = a if a is b else self.either(condition, a, b)

    def either(self, condition: Term, a: Any, b: Any) -> Any:
        if a is loops.UNKNOWN or b is loops.UNKNOWN:
            return loops.UNKNOWN
        if isinstance(a, Array | Tensor) or isinstance(b, Array | Tensor):
            first, second = (self.tensor(x) for x in (a, b))
            return Array(tensors.elementwise(lambda p, q: choice(condition, p, q), first, second))
        if -math.inf in (a, b) or not (is_number(a) and is_number(b)):
            return loops.UNKNOWN
        return choice(condition, reals.of(a), reals.of(b))

    def decided(self, condition: Term) -> bool | None:
        """Which way a condition goes, if no cell and no index of a loop decides."""
        if condition in (t.And(), t.Or()):
            return condition is t.And()
        given = (*self.requires, *self.known)
        if not t.arrays(condition):
            if ask(given, condition).status == "proved":
                return True
            if ask(given, t.Not(condition)).status == "proved":
                return False
        if t.arrays(condition) or not free(condition) <= set(self.hints):
            return None
        taken = satisfies((condition,), dict(self.hints))
        self.guards.append(condition if taken else t.Not(condition))
        return taken

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        match target:
            case ast.Name(id=name):
                scope[name] = self.kept(value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                values = list(self.items(value))
                if len(values) != len(parts):
                    raise Unreadable(f"{len(values)} values for {len(parts)} names")
                for part, one in zip(parts, values, strict=True):
                    self.assign(part, one, scope)
            case ast.Subscript(value=inner, slice=index):
                self.write(self.array(inner, scope), self.value(index, scope), value, False)
            case _:
                raise Unreadable(f"`{ast.unparse(target)} = …` is not read")

    def update(self, target: Any, op: ast.operator, value: ast.expr, scope: Scope) -> None:
        found = self.value(value, scope)
        if isinstance(target, ast.Name):
            old = scope.get(target.id, loops.UNKNOWN)
            if isinstance(old, Array) and not self.depth and not self.path:
                old.value = self.tensor(self.operate(op, old, found))
                return
            if isinstance(old, Array):
                whole = slice_all(old)
                if isinstance(op, ast.Add | ast.Sub) and whole:
                    signed = (
                        self.operate(ast.Mult(), -1, found) if isinstance(op, ast.Sub) else found
                    )
                    self.put(old, whole, signed, True)
                    return
            scope[target.id] = self.kept(self.operate(op, self.named(target.id, scope), found))
            return
        array, index = self.array(target.value, scope), self.value(target.slice, scope)
        if isinstance(op, ast.Add | ast.Sub) and not is_mask(index):
            self.write(array, index, self.signed(op, found), True)
            return
        self.write(array, index, self.operate(op, self.item(array, index), found), False)

    def signed(self, op: ast.operator, value: Any) -> Any:
        """What `+=` or `-=` adds."""
        return self.operate(ast.Mult(), -1, value) if isinstance(op, ast.Sub) else value

    def kept(self, value: Any) -> Any:
        if isinstance(value, Tensor) and value.axes:
            made = Array(value)
            self.arrays.append(made)
            return made
        return scalar(value)

    # Expressions.

    def value(self, node: ast.expr, scope: Scope) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.named(name, scope)
            case ast.Tuple(elts=parts):
                return tuple(self.parts(parts, scope))
            case ast.List(elts=parts):
                return self.parts(parts, scope)
            case ast.BinOp(left=a, op=op, right=b):
                return self.operate(op, self.value(a, scope), self.value(b, scope))
            case ast.UnaryOp(op=op, operand=a):
                return self.unary(op, self.value(a, scope))
            case ast.Compare(left=first, ops=ops, comparators=others):
                values = [self.value(u, scope) for u in (first, *others)]
                pairs = zip(ops, values, values[1:], strict=False)
                found = [self.compare(op, a, b) for op, a, b in pairs]
                return found[0] if len(found) == 1 else t.And(*map(self.condition, found))
            case ast.BoolOp(op=op, values=parts):
                return self.connected(op, parts, scope)
            case ast.IfExp(test=test, body=a, orelse=b):
                return self.conditional(test, a, b, scope)
            case ast.Attribute(value=inner, attr=name):
                return self.attribute(self.value(inner, scope), name)
            case ast.Subscript(value=inner, slice=index):
                return self.item(self.value(inner, scope), self.value(index, scope))
            case ast.Slice(lower=a, upper=b, step=c):
                return slice(*(None if u is None else self.value(u, scope) for u in (a, b, c)))
            case ast.Call(func=called, args=args, keywords=named):
                given = {k.arg: self.value(k.value, scope) for k in named if k.arg}
                return self.applied(self.value(called, scope), self.parts(args, scope), given)
            case ast.ListComp() | ast.GeneratorExp():
                return self.comprehension(node, scope)
        raise Unreadable(f"`{ast.unparse(node)}` is not read")

    def parts(self, nodes: Sequence[ast.expr], scope: Scope) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += self.items(self.value(node.value, scope))
            else:
                found.append(self.value(node, scope))
        return found

    def comprehension(self, node: Any, scope: Scope) -> list[Any]:
        (over,) = node.generators
        found = []
        for one in self.items(self.value(over.iter, scope)):
            inner = dict(scope)
            self.assign(over.target, one, inner)
            found.append(self.value(node.elt, inner))
        return found

    def items(self, value: Any) -> Sequence[Any]:
        if isinstance(value, tuple | list):
            return value
        if isinstance(value, range):
            return list(value)
        raise Unreadable("something that is iterated or unpacked, and whose length is a size")

    def named(self, name: str, scope: Scope) -> Any:
        if name in scope:
            if scope[name] is loops.UNKNOWN:
                raise Unreadable(f"{name}, which a loop or a branch may have left unassigned")
            return scope[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise Unreadable(f"{name}, which is not defined")

    def conditional(self, test: ast.expr, a: ast.expr, b: ast.expr, scope: Scope) -> Any:
        condition = self.condition(self.value(test, scope))
        taken = self.decided(condition)
        if taken is not None:
            return self.value(a if taken else b, scope)
        return self.either(condition, self.value(a, scope), self.value(b, scope))

    def connected(self, op: ast.boolop, parts: Sequence[ast.expr], scope: Scope) -> Term:
        found = [self.condition(self.value(u, scope)) for u in parts]
        return (t.And if isinstance(op, ast.And) else t.Or)(*found)

    def condition(self, value: Any) -> Term:
        """The truth of a value."""
        value = scalar(self.tensor(value) if isinstance(value, Array) else value)
        if isinstance(value, t.Term) and t.sort_of(value) == BOOL:
            return value
        if isinstance(value, t.Term):
            return t.Ne(value, 0)
        if isinstance(value, Tensor):
            raise Unreadable("the truth of an array; write np.where")
        return tensors.truth(bool(value))

    def tensor(self, value: Any) -> Tensor:
        """An array as it is now; a number as one without axes."""
        if isinstance(value, Array):
            if value.writes:
                if self.depth:
                    raise Unreadable("a loop that reads what it writes as a whole")
                return value.settled()
            if self.depth:
                value.read_at.append(())
            return value.value
        return array_of(value)

    def operate(self, op: ast.operator, a: Any, b: Any) -> Any:
        name = type(op).__name__
        if isinstance(a, tuple | list) or isinstance(b, tuple | list):
            return SEQUENCES[name](a, b)
        if is_plain(a) and is_plain(b):
            return PLAIN[name](a, b)
        if isinstance(a, Array | Tensor) or isinstance(b, Array | Tensor):
            left, right = (self.tensor(x) if isinstance(x, Array) else x for x in (a, b))
            return scalar(OPS[ARRAYS[name]](self, left, right))
        return combine(name, reals.of(a), reals.of(b))

    def unary(self, op: ast.unaryop, a: Any) -> Any:
        if isinstance(op, ast.Not):
            return t.Not(self.condition(a))
        if isinstance(op, ast.USub):
            return -a if is_plain(a) else self.operate(ast.Mult(), -1, a)
        if isinstance(op, ast.Invert) and isinstance(a, Array | Tensor):
            return OPS["logical_not"](self, self.tensor(a))
        return a

    def compare(self, op: ast.cmpop, a: Any, b: Any) -> Any:
        name = type(op).__name__
        if name in ("Is", "IsNot", "In", "NotIn"):
            return IDENTITY[name](a, b)
        if is_plain(a) and is_plain(b):
            return COMPARED[name](a, b)
        if a is None or b is None or isinstance(a, str | tuple) or isinstance(b, str | tuple):
            return name == "NotEq"
        if isinstance(a, Array | Tensor) or isinstance(b, Array | Tensor):
            left, right = (self.tensor(x) if isinstance(x, Array) else x for x in (a, b))
            return scalar(
                OPS[name.lower().replace("noteq", "ne").replace("gte", "ge").replace("lte", "le")](
                    self, left, right
                )
            )
        infinite = [x for x in (a, b) if isinstance(x, float) and math.isinf(x)]
        if infinite:
            raise Unreadable("a comparison with infinity")
        return t.relation(RELATIONS[name], reals.of(a), reals.of(b))

    def attribute(self, value: Any, name: str) -> Any:
        if isinstance(value, ModuleType):
            return self.of_module(value, name)
        if isinstance(value, Array | Tensor):
            inner = value.value if isinstance(value, Array) else value
            shape = tuple(plain_size(s) for s in inner.shape)
            facts = {"shape": shape, "ndim": len(shape), "dtype": "float64"}
            if name in facts:
                return facts[name]
            if name == "size":
                return plain_size(n.product(inner.shape))
            if name == "T":
                return functions.transpose(self, self.tensor(value))
            return Method(value, name)
        if isinstance(value, t.Term | int | float):
            if name == "shape":
                return ()
            return Method(value, name)
        raise Unreadable(f".{name} of {type(value).__name__}")

    def of_module(self, module: ModuleType, name: str) -> Any:
        if name in CONSTANTS:
            return CONSTANTS[name]
        if module in (np, math) and name in FUNCTIONS:
            return Named(name)
        if name in ("ndindex", "prange", "float32", "bool_", "int64"):
            return Named(name)
        inner = getattr(module, name, None)
        if isinstance(inner, FunctionType | ModuleType) and not module.__name__.startswith("numpy"):
            return inner
        raise Unreadable(f"{module.__name__}.{name} is not read")

    def applied(self, called: Any, args: list[Any], named: dict[str, Any]) -> Any:
        if isinstance(called, Method):
            return self.method(called, args, named)
        if isinstance(called, Named):
            return self.library(called.name, args, named)
        name = getattr(called, "__name__", "")
        if name in BUILTINS and called is getattr(builtins, name, None):
            return BUILTINS[name](self, *args)
        if name == "prange":
            return loops.Range(*map(plain_size, args))
        if isinstance(called, np.ufunc) or getattr(called, "__module__", "") == "numpy":
            return self.library(name, args, named)
        if callable(called) and not isinstance(called, type):
            return self.call(called, args, named)
        raise Unreadable(f"a call of {name or called}")

    def library(self, name: str, args: list[Any], named: dict[str, Any]) -> Any:
        if name == "prange":
            return loops.Range(*args)
        if name in ("float32", "float64", "int64", "bool_"):
            return args[0]
        if name not in FUNCTIONS:
            raise Unreadable(f"np.{name} is not read")
        ready = [self.argument(a) for a in args]
        options = {k: self.argument(v) for k, v in named.items()}
        return scalar(FUNCTIONS[name](self, *map(for_array(name), ready), **options))

    def argument(self, value: Any) -> Any:
        if isinstance(value, Array):
            return self.tensor(value)
        if isinstance(value, list | tuple):
            return type(value)(self.argument(v) for v in value)
        return value

    def method(self, method: Method, args: list[Any], named: dict[str, Any]) -> Any:
        value = method.value
        if method.name in ("astype", "copy", "item"):
            found = self.tensor(value)
            if method.name == "astype" and getattr(args[0], "__name__", args[0]) in INTEGRAL:
                raise Unreadable("a cast of reals to integers")
            return tensors.as_real(found) if method.name == "astype" else found
        if method.name == "fill":
            self.write(value, slice(None), args[0], False)
            return None
        if method.name == "transpose" and len(args) > 1:
            args = [tuple(args)]
        return self.library(method.name, [value, *args], named)

    # Indices.

    def array(self, node: ast.expr, scope: Scope) -> Array:
        found = self.value(node, scope)
        if not isinstance(found, Array):
            raise Unreadable(f"a write to `{ast.unparse(node)}`, which is no array of its own")
        return found

    def item(self, value: Any, index: Any) -> Any:
        if isinstance(value, tuple | list):
            return value[index]
        if is_mask(index):
            raise Unreadable("indexing by a mask, whose size is data; use np.where")
        if not isinstance(value, Array):
            return scalar(indexed(self, self.tensor(value), index))
        parts = self.located(value.value, index)
        if value.writes and self.depth:
            last = value.writes[-1]
            if last.parts == parts and not last.adds and not last.ranges and not last.when:
                return scalar(last.value)
            raise Unreadable("a loop that reads what it wrote elsewhere")
        if self.depth:
            value.read_at.append(parts)
        return scalar(indexed(self, value.settled() if value.writes else value.value, index))

    def located(self, tensor: Tensor, index: Any) -> tuple[Part, ...]:
        """An index, axis by axis."""
        return tuple(
            part_of(self, e, size) for e, size in paired(index, tensor.shape) if e is not None
        )

    def write(self, array: Array, index: Any, value: Any, adds: bool) -> None:
        if is_mask(index):
            mask = OPS["where"](self, self.tensor(index), self.tensor(value), self.tensor(array))
            array.value = mask
            return
        self.put(array, self.located(array.value, index), value, adds)

    def put(self, array: Array, parts: tuple[Part, ...], value: Any, adds: bool) -> None:
        shape = [part.size for part in parts if part.size is not None]
        found = self.tensor(value)
        if found.sort == BOOL:
            found = tensors.as_real(found)
        found = layout.expand(found, shape) if shape else found
        if not shape and found.axes:
            found = constant(layout.squeeze(found, range(len(found.axes))).cell(()))
        array.writes.append(Write(parts, found, adds, tuple(self.path)))
        if array not in self.arrays:
            self.arrays.append(array)
        if self.depth:
            array.writes = merged(array.writes)
        else:
            array.settled()


class Method:
    """A method of an array, yet to be called."""

    def __init__(self, value: Any, name: str) -> None:
        self.value, self.name = value, name


class Named:
    """A function of NumPy."""

    def __init__(self, name: str) -> None:
        self.name = name


def located(reason: Unreadable, function: Any, first: int, source: str) -> Unreadable:
    """What is said, with the line of the user's code, unless it has one."""
    line = getattr(reason, "line", None)
    if line is None or getattr(reason, "told", False):
        return reason
    text = source.splitlines()[line - 1].strip()
    path = inspect.getsourcefile(function)
    found = Unreadable(f"{path}:{first + line - 1}: `{text}`: {reason}")
    found.line, found.told = line, True  # type: ignore[attr-defined]
    return found


def is_plain(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, t.Term | sympy.Basic)


def is_number(value: Any) -> bool:
    return is_plain(value) or isinstance(value, t.Term | sympy.Rational)


def is_mask(index: Any) -> bool:
    value = index.value if isinstance(index, Array) else index
    return isinstance(value, Tensor) and value.sort == BOOL


def plain_size(size: Any) -> Any:
    """A size that is a number as Python's."""
    return int(size) if isinstance(size, sympy.Integer) else size


def choice(condition: Term, a: Term, b: Term) -> Term:
    return reals.choice(condition, a, b)


def slice_all(array: Array) -> tuple[Part, ...]:
    return tuple(Part(n.ZERO, size) for size in array.value.shape)


def paired(index: Any, shape: Sequence[Term]) -> list[tuple[Any, Any]]:
    """Each part of an index with the size of its axis; None makes an axis."""
    given = list(index) if isinstance(index, tuple) else [index]
    used = sum(1 for e in given if e is not None and e is not Ellipsis)
    missing = [slice(None)] * (len(shape) - used)
    if Ellipsis in [e for e in given if not isinstance(e, Array | Tensor)]:
        at = next(k for k, e in enumerate(given) if e is Ellipsis)
        given[at : at + 1] = missing
    else:
        given += missing
    sizes = iter(shape)
    return [(e, None if e is None else next(sizes)) for e in given]


def part_of(reader: Reader, e: Any, size: Term) -> Part:
    if isinstance(e, slice):
        step = 1 if e.step is None else e.step
        if is_plain(step) and step < 0:
            raise Unreadable("a slice with a negative step; write np.flip")
        first, last = (end_of(reader, end, size) for end in (e.start, e.stop))
        first = n.ZERO if first is None else first
        last = size if last is None else least(reader, last, size)
        length = n.minus(last, first)
        if step != 1:
            length = n.floor_div(n.add(length, step, -1), step)
        return Part(first, length, reals.of(step))
    if isinstance(e, Array | Tensor):
        raise Unreadable("a write or read at an array of indices within a loop")
    at = reals.of(e)
    if isinstance(at, sympy.Integer) and at < 0:
        at = n.add(size, at)
    return Part(n.simple(at))


def end_of(reader: Reader, end: Any, size: Term) -> Term | None:
    if end is None:
        return None
    term = n.simple(reals.of(end))
    below = reader.decided(t.relation(t.Lt, term, 0)) if not isinstance(end, int) else end < 0
    if below is None:
        raise Unreadable("a slice that may begin or end below 0")
    return n.add(size, term) if below else term


def least(reader: Reader, last: Term, size: Term) -> Term:
    """The end of a slice, which NumPy cuts at the end of the axis."""
    fits = reader.decided(t.relation(t.Le, last, size))
    return last if fits else size if fits is False else t.Min(last, size)


def indexed(reader: Reader, x: Tensor, index: Any) -> Tensor:
    """`x[index]`, by numbers, slices, None and one array of indices."""
    axis = 0
    for e, size in paired(index, x.shape):
        if e is None:
            x = layout.unsqueeze(x, axis)
            axis += 1
        elif isinstance(e, Array | Tensor):
            places = reader.tensor(e)
            x = OPS["index_select"](reader, x, axis, places)
            axis += len(places.axes)
        elif isinstance(e, slice):
            part = part_of(reader, e, size)
            x = layout.sliced(x, axis, part.start, part.size, part.step)
            axis += 1
        else:
            x = layout.selected(x, axis, part_of(reader, e, size).start)
    return x


def for_array(name: str) -> Callable[[Any], Any]:
    """Functions of numbers take terms as arrays without axes."""
    elementwise = name in functions.SAME
    return lambda value: array_of(value) if elementwise and is_number(value) else value


def combine(name: str, a: Term, b: Term) -> Any:
    """Arithmetic of numbers that are terms."""
    if t.BOOL in (t.sort_of(a), t.sort_of(b)):
        if name in ("BitAnd", "BitOr"):
            return (t.And if name == "BitAnd" else t.Or)(a, b)
        a, b = (tensors.bracket(u) if t.sort_of(u) == BOOL else u for u in (a, b))
    whole = t.sort_of(a) == INT == t.sort_of(b)
    integral: dict[str, Any] = {
        "Add": n.add,
        "Sub": n.minus,
        "Mult": n.mul,
        "FloorDiv": n.floor_div,
        "Mod": n.mod,
    }
    if whole and name in integral:
        return plain_size(integral[name](a, b))
    real: dict[str, Any] = {
        "Add": reals.plus,
        "Sub": reals.minus,
        "Mult": reals.times,
        "Div": reals.over,
        "Pow": reals.power,
    }
    if name not in real:
        raise Unreadable(f"{name} of reals")
    return real[name](a, b)


def smallest(reader: Reader, *args: Any) -> Any:
    return extreme(reader, args, t.Min, min)


def greatest(reader: Reader, *args: Any) -> Any:
    return extreme(reader, args, t.Max, max)


def extreme(reader: Reader, args: Sequence[Any], kind: Any, plain: Any) -> Any:
    values = list(args[0]) if len(args) == 1 and isinstance(args[0], tuple | list) else list(args)
    if all(map(is_plain, values)):
        return plain(values)
    known = [reals.of(v) for v in values if not (is_plain(v) and math.isinf(v))]
    return known[0] if len(known) == 1 else kind(*known)


def absolute(reader: Reader, value: Any) -> Any:
    return abs(value) if is_plain(value) else scalar(OPS["abs"](reader, reader.tensor(value)))


def length(reader: Reader, value: Any) -> Any:
    if isinstance(value, tuple | list):
        return len(value)
    return plain_size(reader.tensor(value).shape[0])


BUILTINS: dict[str, Callable[..., Any]] = {
    "range": lambda reader, *args: loops.Range(*map(plain_size, args)),
    "len": length,
    "min": smallest,
    "max": greatest,
    "abs": absolute,
    "float": lambda reader, value: value,
    "tuple": lambda reader, value=(): tuple(reader.items(value)),
    "list": lambda reader, value=(): list(reader.items(value)),
    "zip": lambda reader, *args: list(zip(*map(reader.items, args), strict=False)),
    "isinstance": lambda reader, value, kind: False,
    "slice": lambda reader, *args: slice(*args),
    "print": lambda reader, *args: None,
}
INTEGRAL = ("int", "int32", "int64", int)
ARRAYS = {
    "Add": "add",
    "Sub": "sub",
    "Mult": "mul",
    "Div": "div",
    "Pow": "pow",
    "MatMult": "matmul",
    "FloorDiv": "floor_divide",
    "Mod": "remainder",
    "BitAnd": "logical_and",
    "BitOr": "logical_or",
}
PLAIN: dict[str, Any] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "Pow": operator.pow,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
}
SEQUENCES: dict[str, Any] = {"Add": operator.add, "Mult": operator.mul}
IDENTITY: dict[str, Any] = {
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
}
COMPARED: dict[str, Any] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}
RELATIONS = {"Eq": t.Eq, "NotEq": t.Ne, "Lt": t.Lt, "LtE": t.Le, "Gt": t.Gt, "GtE": t.Ge}
