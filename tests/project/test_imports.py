"""Imports point one way: down the ROOMS of the package, and from specs/ to the language alone."""

import ast
import sys
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# From low to high: a room imports from itself and from rooms before it.
ROOMS = ("language", "theorems", "prove", "evaluate", "settle", "graphs", "show", "report")
ROOMS += ("tracing", "triton", "torch", "jax", "numpy", "cli")
APART = {"prove", "evaluate"}  # two routes to a verdict, neither of which knows of the other
GROUND = ("__init__", "homes", "discovery", "settings")  # what any room may import
FRONT = ("__main__", "pytest_plugin", "testing")  # what no room imports


@lru_cache
def modules(package: str) -> dict[str, ast.Module]:
    """The modules of a folder by name, `room.module`; a folder itself is its `__init__`."""
    home = ROOT / package
    return {
        ".".join(path.relative_to(home).with_suffix("").parts): ast.parse(path.read_text("utf-8"))
        for path in sorted(home.rglob("*.py"))
    }


def imported(tree: ast.Module, package: str) -> list[str]:
    """Full names of all that a module of a package imports: `from .a import b` is package.a.b."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = {0: "", 1: package}.get(node.level, "<outside>")
            prefix = ".".join(part for part in (base, node.module) if part)
            names += [f"{prefix}.{alias.name}" for alias in node.names]
    return names


def module_of(name: str, known: set[str]) -> str:
    """The module of gradproof that holds a name: the longest beginning that is one."""
    parts = name.split(".")[1:]
    for length in range(len(parts), 0, -1):
        for module in (".".join(parts[:length]), ".".join([*parts[:length], "__init__"])):
            if module in known:
                return module
    return "__init__"


OWN = modules("verify/gradproof")
NAMES = {*OWN, "specs.__init__"}


def uses(module: str, tree: ast.Module) -> set[str]:
    """The modules of gradproof that one of them imports, at any time."""
    package = ".".join(["gradproof", *module.split(".")[:-1]])
    names = imported(tree, package)
    ours = {module_of(name, NAMES) for name in names if name.split(".")[0] == "gradproof"}
    return ours | {name for name in names if name.startswith("<outside>")}


def room_of(module: str) -> str:
    """A room, or the module itself if it stands beside them."""
    room, _, inner = module.partition(".")
    return room if inner or room in ROOMS else module


def height(room: str) -> int:
    """`__init__` and what stands beside it below all rooms, then the suite of ops, then rooms."""
    if room in GROUND:
        return 0
    if room == "specs":
        return 1  # its names are read without the ops behind them
    return 2 + ROOMS.index(room) if room in ROOMS else 2 + len(ROOMS) + FRONT.index(room)


def upward(module: str, tree: ast.Module) -> list[str]:
    """What a module imports that is not below it."""
    own = room_of(module)
    found = []
    for other in sorted(uses(module, tree)):
        room = room_of(other)
        is_apart = {own, room} == APART
        if "<" in other or is_apart or height(room) > height(own):
            found.append(other)
    return found


def foreign(tree: ast.Module) -> list[str]:
    """What a module of specs imports beyond the language, specs and the standard library."""
    return [
        name
        for name in imported(tree, "gradproof.specs")
        if name.split(".")[0] not in sys.stdlib_module_names
        and name.split(".")[:2] not in (["gradproof", "language"], ["gradproof", "specs"])
    ]


def is_trusted(tree: ast.Module) -> bool:
    return " Trusted" in (ast.get_docstring(tree) or "").split("\n\n")[0]


def test_every_module_is_in_a_room():
    assert {room_of(module) for module in OWN} == {*ROOMS, *GROUND, *FRONT}


@pytest.mark.parametrize("module", OWN)
def test_modules_import_only_what_is_below_them(module):
    assert not upward(module, OWN[module])


# How a term or a failure looks, which decides nothing; what only refuses: nothing rests on it; and
# what only proposes: it is proved.
REFUSES = "check_complete"
ASIDE = {"language.text", "settle.counterexamples", "language.completeness"}
ASIDE |= {"prove.proposing", "theorems.directions"}


def untrusted(tree: ast.Module, module: str) -> set[str]:
    """What a module imports that is not trusted, packages and what decides nothing aside."""
    own = {name for name in uses(module, tree) if name in OWN and name not in ASIDE}
    return {name for name in own if not name.endswith("__init__") and not is_trusted(OWN[name])}


@pytest.mark.parametrize("module", [name for name, tree in OWN.items() if is_trusted(tree)])
def test_trusted_modules_import_only_trusted_ones(module):
    assert not untrusted(OWN[module], module)


def test_nothing_is_made_of_what_only_refuses():
    """Whatever a trusted module calls of it stands alone, as a statement."""
    for module, tree in OWN.items():
        if is_trusted(tree) and "language.completeness" in uses(module, tree):
            alone = [n.value for n in ast.walk(tree) if isinstance(n, ast.Expr)]
            called = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == REFUSES]
            assert called
            assert {n.func for n in alone if isinstance(n, ast.Call)}.issuperset(called)


def test_a_rule_that_imports_a_tactic_is_rejected():
    late = ast.parse("def late():\n    from gradproof.prove.tactics.asking import ask")
    assert untrusted(late, "prove.rules.sums") == {"prove.tactics.asking"}


def test_all_rules_are_trusted_and_no_tactic_is():
    for module, tree in OWN.items():
        if not module.endswith("__init__") and module.startswith("prove."):
            assert is_trusted(tree) == module.startswith("prove.rules.")


MAKERS = ("language.", "theorems.", "prove.rules.")  # of theorems and of their proofs


def test_no_name_means_two_things_where_theorems_and_proofs_are_made():
    found: dict[str, list[str]] = {}
    for module, tree in OWN.items():
        for node in tree.body if module.startswith(MAKERS) and is_trusted(tree) else ():
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.setdefault(node.name, []).append(module)
    assert not {name: homes for name, homes in found.items() if len(homes) > 1}


def test_no_two_modules_import_each_other():
    graph = {module: uses(module, tree) for module, tree in OWN.items()}
    assert list(TopologicalSorter(graph).static_order())  # which raises where they go in circles


@pytest.mark.parametrize("module", modules("specs"))
def test_specs_import_only_the_language(module):
    assert not foreign(modules("specs")[module])


def test_a_cycle_is_found():
    with pytest.raises(ValueError, match="cycle"):
        list(TopologicalSorter({"a": {"b"}, "b": {"a"}}).static_order())


@pytest.mark.parametrize(
    "source",
    [
        "import gradproof.settle.check",
        "import os, gradproof.settle.check as c",
        "from gradproof.settle import check",
        "from gradproof.settle.check import settled",
        "from gradproof.show import printing",
        "from gradproof.cli.workers.wire import Lesson",
        "from gradproof.evaluate.judge import Evaluator",
        "from gradproof.testing import assert_proved",
        "from ... import verify",
        "def late():\n    from gradproof.settle.check import settled",
        "if TYPE_CHECKING:\n    from gradproof.settle.check import settled",
    ],
)
def test_an_upward_import_is_rejected(source):
    assert upward("prove.rules.derive", ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "import sympy",
        "import gradproof.language.terms",
        "from gradproof import __version__",
        "from gradproof.homes import TOOL",
        "from gradproof.language import terms",
        "from gradproof.theorems.sequents import Sequent",
        "from .smt import ask",
    ],
)
def test_a_downward_import_is_accepted(source):
    assert not upward("prove.rules.derive", ast.parse(source))


def test_the_judge_does_not_import_the_prover():
    assert upward("evaluate.judge", ast.parse("from gradproof.prove.rules import smt"))


@pytest.mark.parametrize(
    "source",
    [
        "import numpy",
        "import gradproof",
        "import gradproof.settle.suite",
        "from gradproof import settle",
        "from gradproof import *",
        "from gradproof.languages import Sum",
        "from ..settle import suite",
        "def late():\n    from gradproof.settle.check import settled",
    ],
)
def test_a_foreign_import_in_specs_is_rejected(source):
    assert foreign(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "from __future__ import annotations",
        "import math",
        "import gradproof.language",
        "from gradproof import language",
        "from gradproof.language import *",
        "from gradproof.specs.conv import conv",
        "from .conv import conv",
    ],
)
def test_an_import_a_spec_needs_is_accepted(source):
    assert not foreign(ast.parse(source))


MADE = {"Finding", "Verdict", "Report", "Premise", "Outcome", "from_dict"}
SHOWS = ("show.", "report.")  # what is made there is shown, and nothing is settled by it


def decides(tree: ast.Module) -> bool:
    """Whether a module makes a verdict, reads one that was kept, or says what counts as one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            changed = {k.arg: ast.unparse(k.value) for k in node.keywords}
            to = changed.get("status", "Status.ERROR") if name == "replace" else "Status.ERROR"
            if name in MADE or not to.endswith("ERROR"):
                return True
        if isinstance(node, ast.FunctionDef) and node.name in ("as_expected", "status"):
            return True
    return False


def says_so(tree: ast.Module) -> bool:
    return " Deciding" in (ast.get_docstring(tree) or "").split("\n\n")[0]


def test_what_decides_what_counts_is_trusted_or_says_so():
    silent = {
        module
        for module, tree in OWN.items()
        if decides(tree) and not (is_trusted(tree) or says_so(tree) or module.startswith(SHOWS))
    }
    assert not silent - {"prove.tactics.attempts"}, "an attempt is no verdict"


@pytest.mark.parametrize(
    "source",
    [
        "found = Finding(Status.UNKNOWN)",
        "found = suite.Report('op', ())",
        "found = replace(verdict, status=Status.UNKNOWN)",
        "found = Verdict.from_dict(kept)",
        "class Found:\n    @property\n    def as_expected(self):\n        return True",
    ],
)
def test_what_decides_is_found(source):
    assert decides(ast.parse(source))
    assert not decides(ast.parse("found = replace(verdict, status=Status.ERROR)"))


def test_no_module_is_both_trusted_and_deciding():
    assert not [name for name, tree in OWN.items() if is_trusted(tree) and says_so(tree)]
