"""The ops of the library by name, and the file that each is written in."""

import ast
from importlib import import_module
from pathlib import Path

from gradproof.language import Op

FOLDER = Path(__file__).parents[2] / "specs" / "library"
FAMILIES = (
    *("activations", "softmax", "losses", "norms", "linear", "attention", "padding"),
    *("upsampling", "scans", "distances", "pooling", "convolution", "elementwise", "indexing"),
    *("cells", "statistics"),
)


def defined_in(family: str) -> dict[str, Op]:
    module = import_module(f"gradproof.specs.library.{family}")
    return {value.name: value for value in vars(module).values() if isinstance(value, Op)}


OPS = {name: op for family in FAMILIES for name, op in defined_in(family).items()}
HOMES = {name: family for family in FAMILIES for name in defined_in(family)}


def source(name: str) -> tuple[str, int, int]:
    """The text of an op's file, and where the statement that makes it begins and ends in it."""
    text = (FOLDER / f"{HOMES[name]}.py").read_text("utf-8")
    lines = text.splitlines(keepends=True)
    for statement in ast.parse(text).body:
        made = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
        if made and any(
            isinstance(a, ast.Constant) and a.value == name for a in statement.value.args
        ):
            first, last = statement.lineno - 1, statement.end_lineno
            return text, sum(map(len, lines[:first])), sum(map(len, lines[:last]))
    raise LookupError(name)


def changed(name: str, right: str, wrong: str) -> Op:
    """The op with a part of its own statement, or of what that calls, written otherwise."""
    text, first, last = source(name)
    own = text[first:last]
    if right in own:
        text = text[:first] + own.replace(right, wrong) + text[last:]
    elif right in text:
        text = text.replace(right, wrong)
    else:
        raise LookupError(f"{name}: there is no {right}")
    names: dict[str, object] = {"__name__": "changed"}
    exec(compile(without_others(text, name), f"{HOMES[name]}.py", "exec"), names)
    return next(v for v in names.values() if isinstance(v, Op) and v.name == name)


def without_others(text: str, name: str) -> ast.Module:
    """A file without those of its other ops that nothing in it names: to make them takes long."""
    tree = ast.parse(text)
    named = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and is_read(n)}
    tree.body = [s for s in tree.body if is_kept(s, name, named)]
    return tree


def is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def is_kept(statement: ast.stmt, name: str, named: set[str]) -> bool:
    if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)):
        return True
    said = {a.value for a in statement.value.args if isinstance(a, ast.Constant)}
    bound = {n.id for target in statement.targets for n in ast.walk(target) if hasattr(n, "id")}
    return name in said or not said & OPS.keys() or bool(bound & named)
