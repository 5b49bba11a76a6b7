"""Imports point one way: within verify/ down ORDER, and from specs/ to verify.language alone."""

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# From low to high: a module imports only modules before it.
ORDER = (
    "text",
    "terms",
    "substitution",
    "wellformed",
    "ranks",
    "language",
    "accumulators",
    "theorems",
    "needs",
    "boundaries",
    "obligations",
    "numbers",
    "evaluate",
    "replay",
    "numeric",
    "derive",
    "normal",
    "printing",
    "smt",
    "selection",
    "signs",
    "axes",
    "powers",
    "winners",
    "symbolic",
    "conditions",
    "unrolling",
    "verdicts",
    "wording",
    "scopes",
    "second",
    "points",
    "moving",
    "polynomials",
    "compiled",
    "bounded",
    "places",
    "reading",
    "proving",
    "search",
    "check",
    "preconditions",
    "suite",
    "__init__",
    "report.__init__",
    "report.definitions",
    "report.kinds",
    "report.recorded",
    "report.records",
    "report.statements",
    "report.samples",
    "report.pictures",
    "report.failures",
    "report.content",
    "report.limits",
    "report.prose",
    "report.drawing",
    "report.markdown",
    "report.table",
    "report.mathml",
    "report.graph",
    "report.site",
    "report.writing",
    "report.files",
    "cli.__init__",
    "cli.arguments",
    "cli.wire",
    "cli.clocks",
    "cli.source",
    "cli.keys",
    "cli.origins",
    "cli.load",
    "cli.replay",
    "cli.windows",
    "cli.mending",
    "cli.python",
    "cli.reproduction",
    "cli.lessons",
    "cli.explanations",
    "cli.contents",
    "cli.health",
    "cli.worker",
    "cli.waiting",
    "cli.supervisor",
    "cli.remote",
    "cli.cluster",
    "cli.run",
    "cli.store",
    "cli.cache",
    "cli.remarks",
    "cli.display",
    "cli.formats",
    "cli.listing",
    "cli.settling",
    "cli.starter",
    "cli.completion",
    "cli.upkeep",
    "cli.reporting",
    "cli.main",
    "testing",
    "discovery",
    "pytest_plugin",
    "__main__",
)


def sources(package: str) -> dict[str, str]:
    """The source of each module of a package by name; one in a subfolder is named folder.module."""
    folder = ROOT / package
    return {
        ".".join(path.relative_to(folder).with_suffix("").parts): path.read_text("utf-8")
        for path in sorted(folder.rglob("*.py"))
    }


def imported(source: str, package: str) -> list[str]:
    """Full names of all that a module of package imports: `from .a import b` is package.a.b."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = {0: "", 1: package}.get(node.level, "<outside>")
            prefix = ".".join(part for part in (base, node.module) if part)
            names += [f"{prefix}.{alias.name}" for alias in node.names]
    return names


def upward(module: str, source: str) -> list[str]:
    """What the source of verify.<module> imports that is not before it in ORDER."""
    allowed = ORDER[: ORDER.index(module)]
    found = []
    for name in imported(source, ".".join(["verify", *module.split(".")[:-1]])):
        root, *rest = name.split(".")
        if root in ("verify", "<outside>") and module_of(rest) not in allowed:
            found.append(name)
    return found


def module_of(parts: list[str]) -> str:
    """The module that holds a name below verify: the longest beginning that is one."""
    for length in range(len(parts), 0, -1):
        for module in (".".join(parts[:length]), ".".join([*parts[:length], "__init__"])):
            if module in ORDER:
                return module
    return "__init__"


def foreign(source: str) -> list[str]:
    """What the source of a module of specs imports beyond verify.language, specs and stdlib."""
    return [
        name
        for name in imported(source, "specs")
        if name.split(".")[0] not in {"specs", *sys.stdlib_module_names}
        and name.split(".")[:2] != ["verify", "language"]
    ]


def unplaced(modules: Iterable[str]) -> set[str]:
    return set(modules) - set(ORDER)


def test_every_module_is_placed():
    modules = sources("verify")
    assert modules
    assert not unplaced(modules)


@pytest.mark.parametrize("module", [name for name in sources("verify") if name in ORDER])
def test_modules_import_only_lower_ones(module):
    assert not upward(module, sources("verify")[module])


@pytest.mark.parametrize("module", sources("specs"))
def test_specs_import_only_the_language(module):
    assert not foreign(sources("specs")[module])


def test_an_unplaced_module_is_rejected():
    assert unplaced(["terms", "novel", "sub.terms"]) == {"novel", "sub.terms"}


@pytest.mark.parametrize(
    "source",
    [
        "import verify",
        "import verify.check",
        "import os, verify.check as c",
        "from verify import check",
        "from verify import __version__",
        "from verify import *",
        "from verify.check import run",
        "from verify.derive import itself",
        "from verify.cli import run",
        "from verify.cli.run import Run",
        "from . import check",
        "from .check import run",
        "from .. import verify",
        "def late():\n    from verify.check import run",
        "if TYPE_CHECKING:\n    from .check import run",
    ],
)
def test_an_upward_import_is_rejected(source):
    assert upward("derive", source)


@pytest.mark.parametrize(
    "source",
    [
        "import verify.report.files",
        "from verify.report import files",
        "from verify.report.files import files",
        "from verify.report.site import html",
    ],
)
def test_an_upward_import_within_a_subpackage_is_rejected(source):
    assert upward("report.content", source)


def test_a_downward_import_within_a_subpackage_is_accepted():
    assert not upward("report.content", "from verify.report import statements")
    assert not upward("report.content", "from verify.report.records import asked")
    assert not upward("report.content", "from verify.terms import Sym")


@pytest.mark.parametrize(
    "source",
    [
        "import sympy",
        "import verify.terms",
        "from verify import language, terms",
        "from verify.terms import check",
        "from .ranks import rank",
    ],
)
def test_a_downward_import_is_accepted(source):
    assert not upward("derive", source)


@pytest.mark.parametrize(
    "source",
    [
        "import numpy",
        "import verify",
        "import verify.terms",
        "from verify import terms",
        "from verify import *",
        "from verify.terms import Sum",
        "from verify.languages import Sum",
        "from ..verify import language",
        "def late():\n    from verify.check import run",
    ],
)
def test_a_foreign_import_in_specs_is_rejected(source):
    assert foreign(source)


@pytest.mark.parametrize(
    "source",
    [
        "from __future__ import annotations",
        "import math",
        "import verify.language",
        "from verify import language",
        "from verify.language import *",
        "from specs.conv import conv",
        "from .conv import conv",
    ],
)
def test_an_import_a_spec_needs_is_accepted(source):
    assert not foreign(source)


@pytest.mark.parametrize(
    "source",
    [
        "from verify.cli.main import main",
        "from verify.cli import display",
        "from .main import main",
    ],
)
def test_an_upward_import_within_a_folder_is_rejected(source):
    assert upward("cli.run", source)


@pytest.mark.parametrize(
    "source",
    ["from verify.cli.wire import Target", "from verify import __version__", "from .wire import x"],
)
def test_a_downward_import_within_a_folder_is_accepted(source):
    assert not upward("cli.run", source)
