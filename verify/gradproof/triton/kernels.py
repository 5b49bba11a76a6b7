"""A kernel read once for all programs: its statements, over blocks of terms. Untrusted."""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gradproof.language import terms as t
from gradproof.language.substitution import free
from gradproof.language.terms import BOOL, INT, REAL, Sym, Term
from gradproof.tracing import blocks as b
from gradproof.tracing import integers as n
from gradproof.tracing import layout
from gradproof.tracing.blocks import Pointer, lifted
from gradproof.tracing.facts import Facts
from gradproof.tracing.lanes import FALSE, TRUE, under
from gradproof.tracing.lines import at
from gradproof.tracing.memory import Memory
from gradproof.tracing.tensors import Tensor, Unreadable, as_real
from gradproof.triton import loops
from gradproof.triton.operations import ARITHMETIC, COMPARED, called, over_lanes, shared

PLAIN = (bool, int, float, str, type(None), tuple)
PYTHON: dict[str, Callable[..., Any]] = {
    **{"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv},
    **{"FloorDiv": operator.floordiv, "Mod": operator.mod, "Pow": operator.pow},
    **{"BitAnd": operator.and_, "BitOr": operator.or_, "LShift": operator.lshift},
    **{"RShift": operator.rshift, "BitXor": operator.xor},
    **{"Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le},
    **{"Gt": operator.gt, "GtE": operator.ge, "Is": operator.is_, "IsNot": operator.is_not},
    **{"In": lambda a, c: a in c, "NotIn": lambda a, c: a not in c},
}


ON_NUMBERS: dict[str, Callable[[Any], Any]] = {
    **{"Not": operator.not_, "USub": operator.neg, "Invert": operator.inv, "UAdd": operator.pos}
}


@dataclass(frozen=True)
class Kind:
    """What numbers a type is of."""

    sort: str
    bits: int = 32


@dataclass(frozen=True)
class Named:
    """An operation of Triton's language, or a method of a value."""

    name: str
    of: Any = None


class InRows(Exception):
    """The programs of an axis of the grid are so many rows of so many, by how a kernel uses ids."""

    def __init__(self, axis: int, rows: Term, each: Term) -> None:
        super().__init__()
        self.axis, self.rows, self.each = axis, rows, each


class Returned(Exception):
    """A kernel, or what it calls, came to an end."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


@dataclass
class Source:
    """The syntax of a function, and where it stands."""

    function: Any
    tree: ast.FunctionDef
    file: str
    lines: list[str]
    first: int

    @classmethod
    def of(cls, function: Any) -> Source:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise Unreadable("a kernel that is no function")
        return cls(function, tree, inspect.getsourcefile(function) or "", lines, first)

    def said(self, node: Any, words: str) -> str:
        text = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else ""
        return at(self.file, self.first + node.lineno - 1, text, words)

    def place(self, node: Any) -> str:
        return self.said(node, "").removesuffix(": ")


@dataclass
class Program:
    """One launch, read once: which programs there are, and what is known on the way."""

    facts: Facts
    memory: Memory
    ids: tuple[Term, ...]
    grid: tuple[Term, ...]
    blocks: frozenset[Sym] = frozenset()
    turns: list[Sym] = field(default_factory=list)
    path: list[Term] = field(default_factory=list)
    order: int = 0
    phase: int = 0  # barriers so far
    dry: int = 0  # within turns that are only tried
    sources: list[Source] = field(default_factory=list)
    node: Any = None

    def is_block(self, size: Any) -> bool:
        """Whether a number is one that Triton compiles a kernel for."""
        term = lifted(size).cell(())
        return free(term) <= self.blocks

    # Programs and memory.

    def program(self, axis: Any) -> Term:
        return self.ids[axis] if axis < len(self.ids) else n.ZERO

    def part(self, above: Term, below: Term) -> None:
        """A program id over what divides the number of programs: such programs are in two rows."""
        if above in self.ids:
            count = self.grid[self.ids.index(above)]
            quotient, rest = n.split(count, below)
            if isinstance(above, Sym) and quotient and not rest and not free(below) & {*self.ids}:
                raise InRows(self.ids.index(above), n.term_of(quotient), below)

    def count(self, axis: Any) -> Term:
        return self.grid[axis] if axis < len(self.grid) else n.ONE

    def load(self, pointer: Any, mask: Any, other: Any) -> Tensor:
        if not isinstance(pointer, Pointer):
            raise Unreadable("a load from what is no pointer")
        offset, live = self.touched("load", pointer, mask, None)
        array = pointer.array
        sort = array.value.sort
        if other is not None:
            offset, live, instead = b.joint(offset, live, other)
        path = tuple(self.path)

        def cell(place: Any) -> Term:
            condition = live.cell(place)
            when = (*path, *t.conjuncts(condition))
            found = self.memory.load(array, offset.cell(place), when)
            if condition == TRUE:
                return found
            if sort == BOOL:
                if other is None or instead.sort != BOOL:
                    raise Unreadable("conditions that are loaded behind a mask, with no other=")
                return layout.either(condition, found, instead.cell(place), BOOL)
            rest = b.UNSET[sort] if other is None else instead.cell(place)
            return b.chosen(condition, found, rest)

        return Tensor(offset.axes, cell, sort)

    def write(self, kind: str, pointer: Any, value: Any, mask: Any) -> None:
        if not isinstance(pointer, Pointer):
            raise Unreadable("a store to what is no pointer")
        block = lifted(value)
        sort = pointer.array.value.sort
        if block.sort != sort:
            if sort != REAL:
                raise Unreadable("numbers stored among those of another kind")
            block = as_real(block)
        self.touched(kind, pointer, mask, block)

    def touched(
        self, kind: str, pointer: Pointer, mask: Any, value: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """The offsets and the mask of an access, which is noted with all its lanes."""
        live = lifted(True if mask is None else mask)
        if live.sort != BOOL:
            raise Unreadable("a mask that is no condition")
        blocks = [pointer.offset, live, *([] if value is None else [value])]
        offset, live, *rest = b.joint(*blocks)
        self.order += 1
        if not self.dry:
            place = tuple(b.names_of(offset, self.facts, "lane"))
            when = (*self.path, *t.conjuncts(live.cell(place)))
            when = tuple(c for w in when for c in t.conjuncts(under(w, self.facts)))
            cell, value = offset.cell(place), rest[0].cell(place) if rest else None
            require_known(cell, *when, *([] if value is None else [value]))
            if FALSE not in when:
                self.memory.touch(
                    kind,
                    pointer.array,
                    cell,
                    place,
                    when,
                    tuple(self.turns),
                    self.order,
                    self.sources[-1].place(self.node),
                    value,
                    self.phase,
                )
        return offset, live

    # Functions and statements.

    def call(self, function: Any, given: list[Any], named: Mapping[str, Any]) -> Any:
        """A function of the kernel's language, with what it returns."""
        source = Source.of(function)
        bound = inspect.signature(function).bind(*given, **named)
        bound.apply_defaults()
        env = dict(bound.arguments)
        self.sources.append(source)
        depth, node = len(self.path), self.node
        try:
            self.block(source.tree.body, env)
        except Returned as end:
            return end.value
        finally:
            self.sources.pop()
            self.node = node
            del self.path[depth:]
        return None

    def block(self, body: list[ast.stmt], env: dict[str, Any]) -> None:
        for statement in body:
            self.statement(statement, env)

    def statement(self, s: ast.stmt, env: dict[str, Any]) -> None:
        self.node = s
        try:
            self.done(s, env)
        except Unreadable as reason:
            if reason.told:
                raise
            found = Unreadable(self.sources[-1].said(s, str(reason)))
            found.told = True
            raise found from reason
        except (Returned, InRows, RecursionError):
            raise
        except Exception as reason:
            said = f"this is not read: {type(reason).__name__}: {reason}"
            found = Unreadable(self.sources[-1].said(s, said))
            found.told = True
            raise found from reason

    def done(self, s: ast.stmt, env: dict[str, Any]) -> None:
        match s:
            case ast.Assign(targets=targets, value=value):
                found = self.value(value, env)
                for target in targets:
                    self.assign(target, found, env)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.assign(target, self.value(value, env), env)
            case ast.AugAssign(target=ast.Name(id=name), op=kind, value=value):
                env[name] = self.binary(type(kind).__name__, env[name], self.value(value, env))
            case ast.Expr(value=value):
                self.value(value, env)
            case ast.If():
                self.branch(s, env)
            case ast.For():
                loops.run(self, s, env)
            case ast.Return(value=value):
                if self.turns or self.dry:
                    raise Unreadable("a return within a loop")
                raise Returned(None if value is None else self.value(value, env))
            case ast.Pass() | ast.Assert():
                pass
            case _:
                raise Unreadable("this statement is not read in a kernel")

    def assign(self, target: ast.expr, value: Any, env: dict[str, Any]) -> None:
        if isinstance(target, ast.Tuple):
            for one, part in zip(target.elts, value, strict=True):
                self.assign(one, part, env)
        elif isinstance(target, ast.Name):
            env[target.id] = value
        else:
            raise Unreadable("an assignment to a part of a value")

    def branch(self, s: ast.If, env: dict[str, Any]) -> None:
        test = self.value(s.test, env)
        if not isinstance(test, Tensor):
            self.block(s.body if test else s.orelse, env)
            return
        if test.axes:
            raise Unreadable("a branch by a block")
        condition = b.lifted(test).cell(())
        if test.sort != BOOL:
            condition = t.relation(t.Ne, condition, 0)
        condition = under(condition, self.facts, *self.path)
        if condition in (TRUE, FALSE):
            self.block(s.body if condition == TRUE else s.orelse, env)
            return
        ends: list[tuple[dict[str, Any], Term | None]] = []
        for part, held in ((s.body, condition), (s.orelse, t.Not(condition))):
            scope, depth = dict(env), len(self.path)
            self.path.append(held)
            try:
                self.block(part, scope)
                if len(self.path) > depth + 1:
                    raise Unreadable("a return within a branch within a branch")
                ends.append((scope, None))
            except Returned as end:
                if end.value is not None:
                    raise Unreadable("a value returned by some programs only") from None
                ends.append((scope, held))
            finally:
                del self.path[depth:]
        self.node = s
        self.joined(ends, condition, env)

    def joined(self, ends: list[Any], condition: Term, env: dict[str, Any]) -> None:
        """After both sides: where one returned, the rest is done by the programs of the other."""
        (yes, left), (no, right) = ends
        if left is not None and right is not None:
            raise Returned(None)
        if left is not None or right is not None:
            env.update(no if left is not None else yes)
            self.path.append(t.Not(condition) if left is not None else condition)
            return
        for name in {*yes, *no}:
            one, other = yes.get(name), no.get(name)
            if one is other:
                env[name] = one
            elif name in yes and name in no:
                env[name] = self.either(condition, one, other)
            else:
                env.pop(name, None)

    def either(self, condition: Term, one: Any, other: Any) -> Any:
        if isinstance(one, Pointer) and isinstance(other, Pointer) and one.array is other.array:
            inner = self.either(condition, one.offset, other.offset)
            return Pointer(one.array, inner)
        if isinstance(one, PLAIN) and isinstance(other, PLAIN) and one == other:
            return one
        return b.choose(b.scalar(condition, BOOL), one, other)

    # Expressions.

    def value(self, e: Any, env: dict[str, Any]) -> Any:
        match e:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return env[name] if name in env else self.outer(name)
            case ast.BinOp(left=left, op=kind, right=right):
                return self.binary(
                    type(kind).__name__, self.value(left, env), self.value(right, env)
                )
            case ast.UnaryOp(op=kind, operand=operand):
                return self.unary(type(kind).__name__, self.value(operand, env))
            case ast.Compare():
                return self.comparison(e, env)
            case ast.BoolOp(op=kind, values=values):
                return self.boolean(isinstance(kind, ast.And), values, env)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                found = self.value(test, env)
                if not isinstance(found, Tensor):
                    return self.value(body if found else orelse, env)
                return b.choose(found, self.value(body, env), self.value(orelse, env))
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return tuple(self.value(p, env) for p in parts)
            case ast.Subscript(value=of, slice=index):
                return self.subscript(self.value(of, env), index, env)
            case ast.Attribute(value=of, attr=name):
                return self.attribute(self.value(of, env), name)
            case ast.Call():
                return self.called(e, env)
        raise Unreadable(f"`{ast.unparse(e)}` is not read in a kernel")

    def outer(self, name: str) -> Any:
        function = self.sources[-1].function
        if name in function.__code__.co_varnames:
            raise Unreadable(f"the name {name}, which nothing has yet on every way here")
        known = inspect.getclosurevars(function)
        for home in (known.nonlocals, function.__globals__, vars(builtins)):
            if name in home:
                return plain(home[name])
        raise Unreadable(f"the name {name}, which nothing has yet on every way here")

    def binary(self, kind: str, one: Any, other: Any) -> Any:
        if isinstance(one, Pointer) or isinstance(other, Pointer):
            return self.moved(kind, one, other)
        if isinstance(one, PLAIN) and isinstance(other, PLAIN):
            return PYTHON[kind](one, other)
        if kind not in ARITHMETIC:
            raise Unreadable(f"the operation {kind} of blocks")
        return ARITHMETIC[kind](self, one, other)

    def moved(self, kind: str, one: Any, other: Any) -> Pointer:
        if kind not in ("Add", "Sub") or (not isinstance(one, Pointer) and kind == "Sub"):
            raise Unreadable("arithmetic of pointers beyond adding an index")
        pointer, by = (one, other) if isinstance(one, Pointer) else (other, one)
        if isinstance(by, Pointer) or lifted(by).sort != INT:
            raise Unreadable("a pointer and what is no index")
        sign = "sub" if kind == "Sub" else "add"
        return Pointer(pointer.array, shared(sign, pointer.offset, lifted(by)))

    def unary(self, kind: str, operand: Any) -> Any:
        if isinstance(operand, PLAIN):
            return ON_NUMBERS[kind](operand)
        block = lifted(operand)
        if kind == "USub":
            return shared("mul", -1, block) if block.sort == INT else shared("neg", block)
        if block.sort != BOOL:
            raise Unreadable("not, of what is no condition")
        return shared("logical_not", block)

    def comparison(self, e: ast.Compare, env: dict[str, Any]) -> Any:
        values = [self.value(v, env) for v in (e.left, *e.comparators)]
        found: Any = True
        for kind, one, other in zip(e.ops, values, values[1:], strict=False):
            found = both(found, self.compared(type(kind).__name__, one, other))
        return found

    def compared(self, kind: str, one: Any, other: Any) -> Any:
        known = all(not isinstance(v, Tensor) for v in (one, other))
        if known or kind in ("Is", "IsNot", "In", "NotIn"):
            return PYTHON[kind](one, other)
        return shared(COMPARED[kind], lifted(one), lifted(other))

    def boolean(self, is_and: bool, parts: list[ast.expr], env: dict[str, Any]) -> Any:
        found: Any = is_and
        for part in parts:
            if isinstance(found, PLAIN) and bool(found) != is_and:
                return found
            value = self.value(part, env)
            blocks = isinstance(value, Tensor) and value.axes
            if blocks:
                raise Unreadable(
                    "`and`, `or` of blocks, of which Triton takes the last; write &, |"
                )
            found = both(found, value) if is_and else either(found, value)
        return found

    def subscript(self, of: Any, index: ast.expr, env: dict[str, Any]) -> Any:
        if isinstance(of, tuple):
            return of[self.value(index, env)]
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        found = of
        for axis, part in enumerate(parts):
            if isinstance(part, ast.Constant) and part.value is None:
                found = over_lanes(found, lambda x, d=axis: layout.unsqueeze(x, d))  # type: ignore[misc]  # a default binds the loop's value
            elif not (
                isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None
            ):
                raise Unreadable("a part of a block")
        return found

    def attribute(self, of: Any, name: str) -> Any:
        if isinstance(of, Kind):
            return of
        if isinstance(of, Tensor | Pointer):
            if name in ("dtype", "type"):
                return Kind(of.sort if isinstance(of, Tensor) else of.array.value.sort)
            if name == "shape" and isinstance(of, Tensor):
                return tuple(b.scalar(s) for s in of.shape)
            if name == "T":
                return called(self, "trans", [of], {})
            return Named(name, of)
        return plain(getattr(of, name))

    def called(self, e: ast.Call, env: dict[str, Any]) -> Any:
        function = self.value(e.func, env)
        given = [self.value(a, env) for a in e.args]
        named = {k.arg: self.value(k.value, env) for k in e.keywords if k.arg}
        if len(named) < len(e.keywords) or any(isinstance(a, ast.Starred) for a in e.args):
            raise Unreadable("arguments by * or **")
        if isinstance(function, Named):
            own = [] if function.of is None else [function.of]
            return called(self, function.name, [*own, *given], named)
        if isinstance(function, Kind):
            return called(self, "cast", [*given, function], {})
        if function in (min, max) and not named:
            return self.extreme(function, given)
        if function in (float, int, len, abs, bool) and all(isinstance(v, PLAIN) for v in given):
            return function(*given)
        if function is float:
            return as_real(lifted(given[0]))
        if inspect.isfunction(getattr(function, "fn", None)):
            return self.call(function.fn, given, named)
        raise Unreadable(f"`{ast.unparse(e.func)}` is not read in a kernel")

    def extreme(self, function: Any, given: list[Any]) -> Any:
        if all(isinstance(v, PLAIN) for v in given):
            return function(*given)
        found = given[0]
        for other in given[1:]:
            found = b.extreme(function is max, found, other, self.facts)
        return found


def require_known(*terms: Term) -> None:
    """That what touches memory is made of nothing that a loop carries and that is not known."""
    for array in {a for term in terms for a in t.arrays(term)}:
        if array.name.startswith(b.CARRIED):
            name = array.name.removeprefix(b.CARRIED)
            raise Unreadable(f"what {name} is within a loop, as a turn begins, is not known")


def plain(value: Any) -> Any:
    """What a name of a kernel's surroundings is: a number, a type, an operation, a function."""
    kind, home = type(value).__name__, type(value).__module__
    if kind == "constexpr":
        return value.value
    if kind == "dtype" and home.startswith("triton"):
        return kind_of(str(value))
    own = getattr(value, "__module__", "") or getattr(getattr(value, "fn", None), "__module__", "")
    if callable(value) and str(own).startswith("triton.") and not isinstance(value, type):
        name = getattr(value, "__name__", "") or getattr(value.fn, "__name__", "")
        return Named(name)
    return value


def kind_of(name: str) -> Kind:
    """Of a type by its name: int64, fp32, bf16, int1."""
    bits = int("".join(c for c in name.split("e")[0] if c.isdigit()) or 32)
    if name.startswith("int1") and bits == 1:
        return Kind(BOOL, 1)
    return Kind(INT if name.startswith(("int", "uint")) else REAL, bits)


def both(one: Any, other: Any) -> Any:
    if one is True:
        return other
    if not isinstance(one, Tensor) and not isinstance(other, Tensor):
        return one and other
    return shared("logical_and", lifted(one), lifted(other))


def either(one: Any, other: Any) -> Any:
    if one is False:
        return other
    if not isinstance(one, Tensor) and not isinstance(other, Tensor):
        return one or other
    return shared("logical_or", lifted(one), lifted(other))
