"""The trusted modules as they are written: their jobs, their lines, what they import. Untrusted."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOME = "verify/gradproof"
LAST_RULES = ("sides", "goals", "connectives", "unrolling")  # which no other rule imports
# What states a theorem, and what proves or evaluates it.
ROOTS = {
    "proved": ("theorems.obligations", *(f"prove.rules.{m}" for m in LAST_RULES)),
    "refuted": ("theorems.obligations", "evaluate.replay"),
}


@dataclass(frozen=True)
class Module:
    """A trusted module, its lines of code, and the verdicts that rest on it."""

    name: str
    lines: int
    verdicts: str
    job: str


@cache
def parsed(text: str) -> ast.Module:
    """Each text once: there are some hundred, and they are asked for again and again."""
    return ast.parse(text)


def tree_of(path: Path) -> ast.Module:
    return parsed(path.read_text("utf-8"))


def trusted_modules() -> Iterator[Module]:
    """Modules whose docstring says that they are trusted."""
    home = ROOT / HOME
    paths = {".".join(p.relative_to(home).with_suffix("").parts): p for p in home.rglob("*.py")}
    found = {name: tree_of(paths[name]) for name in sorted(paths)}
    trees = {name: tree for name, tree in found.items() if " Trusted" in heading(tree)}
    rests_on = {verdict: reached(names, trees) for verdict, names in ROOTS.items()}
    for name, tree in trees.items():
        job, _, _ = heading(tree).partition(" Trusted")
        by = [verdict for verdict, names in rests_on.items() if name in names]
        verdicts = ", ".join(by or ROOTS)  # what calls both routes
        yield Module(f"{HOME}/{name.replace('.', '/')}.py", code_lines(tree), verdicts, job)


def deciding_modules() -> Iterator[tuple[str, str]]:
    """Modules whose docstring says that they decide what counts, each with its job."""
    home = ROOT / HOME
    for path in sorted(home.rglob("*.py")):
        job, found, _ = heading(tree_of(path)).partition(" Deciding")
        if found:
            yield path.relative_to(ROOT).as_posix(), job


def untyped(trees: Iterable[ast.Module]) -> int:
    """How often modules say of a value that it may be anything."""
    nodes = (node for tree in trees for node in ast.walk(tree))
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in nodes)


def trusted_trees() -> Iterator[ast.Module]:
    return (tree_of(ROOT / module.name) for module in trusted_modules())


def fingerprint() -> str:
    """The same for the same trusted modules, to the letter."""
    texts = [(ROOT / module.name).read_bytes() for module in trusted_modules()]
    return sha256(b"".join(texts)).hexdigest()[:12]


def heading(tree: ast.Module) -> str:
    return (ast.get_docstring(tree) or "").split("\n")[0]


def reached(names: tuple[str, ...], trees: dict[str, ast.Module]) -> set[str]:
    """The modules, and all of the trusted ones that they import."""
    found: set[str] = set()
    left = list(names)
    while left:
        name = left.pop()
        if name in trees and name not in found:
            found.add(name)
            left += imported(trees[name])
    return found


@cache
def imported(tree: ast.Module) -> list[str]:
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    homes = [(node.module or "").removeprefix("gradproof.") for node in nodes]
    inner = zip(homes, nodes, strict=True)
    return homes + [f"{home}.{alias.name}" for home, node in inner for alias in node.names]


@cache
def code_lines(tree: ast.Module) -> int:
    """The lines on which a statement or an expression stands, docstrings left out."""
    return len({line for node in statements(tree) for line in lines_of(node)})


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not is_constant(node):
            yield node


def is_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def lines_of(node: ast.stmt) -> range:
    """The lines of a statement, without those of the statements in it."""
    inner = getattr(node, "body", None)
    last = node.end_lineno if inner is None else inner[0].lineno - 1
    return range(node.lineno, (last or node.lineno) + 1)
