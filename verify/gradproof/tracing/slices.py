"""The lines of a backward on which the gradient of each input depends, by its source. Untrusted."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gradproof.tracing.lines import near


@dataclass(frozen=True)
class Made:
    """A statement that makes variables of others."""

    line: int
    makes: frozenset[str]
    reads: frozenset[str]
    anew: bool  # and not of what they were before


@dataclass(frozen=True)
class Slices:
    """For each gradient that a backward returns, the lines on which it depends, the last first."""

    file: str
    text: dict[int, str]
    lines: dict[str, list[int]]

    def suspected(self, wrong: Sequence[str], right: Sequence[str]) -> int | None:
        """The last line on which all wrong gradients depend, and if there is one, no right one."""
        known = [self.lines[name] for name in wrong if name in self.lines]
        if not known:
            return None
        common = [line for line in known[0] if all(line in other for other in known[1:])]
        sound = {line for name in right for line in self.lines.get(name, ())}
        alone = [line for line in common if line not in sound]
        return next(iter(alone or common), None)

    def said(self, line: int) -> str:
        return f"{near(self.file)}:{line}: `{self.text[line].strip()}`"


def slices_of(backward: Any, *orders: Sequence[str]) -> Slices | None:
    """Of a function that returns the gradients of these inputs, in one of these orders."""
    try:
        source, first = inspect.getsourcelines(backward)
        file = inspect.getsourcefile(backward) or ""
        tree = ast.parse(textwrap.dedent("".join(source)))
    except (OSError, TypeError, SyntaxError):
        return None
    found = next((u for u in ast.walk(tree) if isinstance(u, ast.FunctionDef)), None)
    if found is None:
        return None
    returned = [u for u in ast.walk(found) if isinstance(u, ast.Return) and u.value is not None]
    if len(returned) != 1:
        return None
    made = list(statements(found.body))
    lines = {
        name: [first - 1 + k for k in depending(made, returned[0], value)]
        for name, value in given(returned[0].value, orders)
    }
    return Slices(file, {first + k: text for k, text in enumerate(source)}, lines)


def given(value: Any, orders: Sequence[Sequence[str]]) -> Iterator[tuple[str, Any]]:
    """What is returned for each input."""
    if isinstance(value, ast.Dict):
        names = {called: k for order in orders for k in order for called in (k, f"d{k}")}
        keys = (key.value if isinstance(key, ast.Constant) else "" for key in value.keys)
        yield from (
            (names[str(k)], v) for k, v in zip(keys, value.values, strict=True) if k in names
        )
        return
    found = parts(value)
    yield from next((zip(o, found, strict=True) for o in orders if len(o) == len(found)), ())


def statements(body: Iterable[ast.stmt]) -> Iterator[Made]:
    """All statements that make variables, those inside of others too, in their order."""
    for one in body:
        if isinstance(one, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            names = [u for target in targets for u in ast.walk(target)]
            stored = {base(target) for t_ in targets for target in parts(t_)}
            anew = not isinstance(one, ast.AugAssign) and all(
                isinstance(target, ast.Name) for t_ in targets for target in parts(t_)
            )
            read = {*loaded(one.value), *(base(u) for u in names if is_load(u))} - {""}
            yield Made(one.lineno, frozenset(stored - {""}), frozenset(read), anew)
        elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call):
            called = one.value.func
            if isinstance(called, ast.Attribute):  # as in dx.index_add_(...), np.add.at(dx, ...)
                changed = {base(called.value), *(base(a) for a in one.value.args[:1])} - {""}
                yield Made(one.lineno, frozenset(changed), loaded(one.value), False)
        for name in ("body", "orelse", "finalbody"):
            yield from statements(getattr(one, name, ()))


def parts(target: Any) -> list[Any]:
    return list(target.elts) if isinstance(target, ast.Tuple | ast.List) else [target]


def base(target: Any) -> str:
    while isinstance(target, ast.Subscript | ast.Attribute | ast.Starred):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def is_load(node: Any) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def loaded(value: Any) -> frozenset[str]:
    found = ast.walk(value) if value is not None else ()
    return frozenset(u.id for u in found if is_load(u) and isinstance(u, ast.Name))


def depending(made: Sequence[Made], returned: ast.Return, value: Any) -> list[int]:
    """The lines on which a value depends, the nearest first; those of all paths."""
    is_plain = isinstance(value, ast.Name)
    found = [] if is_plain else [value.lineno if hasattr(value, "lineno") else returned.lineno]
    waiting = [(name, len(made)) for name in sorted(loaded(value))]
    seen = set(waiting)
    while waiting:
        name, before = waiting.pop(0)
        for k in range(before - 1, -1, -1):
            if name not in made[k].makes:
                continue
            found.append(made[k].line)
            more = [(read, k) for read in sorted(made[k].reads)]
            waiting += [pair for pair in more if pair not in seen]
            seen.update(more)
            if made[k].anew:
                break
    return sorted(dict.fromkeys(found), reverse=True)
