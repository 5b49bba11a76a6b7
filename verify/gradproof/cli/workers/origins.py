"""What loading a file depended on, so that one can tell without loading it again. Deciding.

A definition is *plain* if its file, and each of the project's that it imports, does nothing but
build terms: it imports the language, modules of Python that always do the same, and other such
files. Of these alone the bytes decide what they define. What is not plain is loaded each time.
"""

from __future__ import annotations

import ast
import os
import site
import sys
import sysconfig
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader, all_suffixes
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import gradproof
from gradproof import graphs
from gradproof.cli.workers.keys import digest_of, suite


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LIBRARIES = ("stdlib", "platstdlib", "purelib", "platlib")
HOMES = [*map(sysconfig.get_path, LIBRARIES), *site.getsitepackages(), site.getusersitepackages()]
INSTALLED = tuple(f"{home}{os.sep}" for home in HOMES)
STEADY = words(
    "__future__ abc collections contextlib copy dataclasses enum fractions functools itertools "
    "math numbers operator re string textwrap types typing"
)
LANGUAGE = ("gradproof.language", "gradproof.specs")
GRAPHS = frozenset(f"gradproof.graphs.{name}" for name in ("*", *graphs.__all__))
# Names that reach beyond the file, or whose result differs from run to run.
REACHING = words(
    "__import__ __builtins__ __loader__ __spec__ breakpoint compile delattr eval exec frozenset "
    "globals hash id input locals open print set setattr vars"
)
# What may change the kernel from within, so that its verdicts are its own no more.
KERNEL = ("gradproof", "sympy", "z3", "mpmath", "cvc5", "ctypes", "gc", "builtins")
HARMLESS = ("gradproof.testing", *(f"gradproof.{name}" for name in gradproof.__all__))
WATCHED = words("gradproof sympy mpmath z3 builtins fractions functools itertools math operator")


class Origin:
    """Notes what is read and imported while a file is loaded, in place of Python's own finder."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.absent: dict[str, None] = {}
        self.modules: set[str] = set()  # of the project, by their first name
        self.imported: set[str] = set()
        self.is_plain = True
        self.is_harmless = True
        self.path: list[str] = []

    def note(self, path: Path, data: bytes) -> None:
        """A file of the project, as it was read."""
        self.files[os.path.abspath(path)] = digest_of(data)
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.is_plain = self.is_harmless = False
            return
        names = set(imports(tree))
        self.imported |= names
        self.is_plain = self.is_plain and not any(map(reaches, ast.walk(tree)))
        self.is_harmless = self.is_harmless and not any(map(is_kernel, names))

    def note_package(self, folder: Path, names: str) -> None:
        """The folders that make a file part of a package, and the one that does not."""
        for _ in filter(None, names.split(".")):
            with self.reading():
                self.note(folder / "__init__.py", (folder / "__init__.py").read_bytes())
            folder = folder.parent
        self.absent[os.path.abspath(folder / "__init__.py")] = None

    @contextmanager
    def reading(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self.is_plain = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """In the place of Python's own finder of files, as long as a file is loaded.

        One that imports nothing of the project, and is plain, changes nothing of the kernel.
        """
        self.path = sys.path[:]
        before = None if self.is_plain and all(map(is_steady, self.imported)) else state()
        sys.meta_path.insert(sys.meta_path.index(PathFinder), self)
        try:
            yield
        finally:
            with suppress(ValueError):  # of a file that changed the list
                sys.meta_path.remove(self)
            if before is not None and not is_same(before, state()):
                self.is_harmless = False

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As Python finds it; a source of the project is then read by us."""
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or is_installed(spec.origin) or name.partition(".")[0] == "gradproof":
            return spec
        if type(spec.loader) is not SourceFileLoader or spec.origin is None:
            self.is_plain = False
            return spec
        self.modules.add(name.partition(".")[0])
        tail = name.rpartition(".")[2]
        self.absent |= dict.fromkeys(hiding(tail, sys.path if path is None else path, spec.origin))
        spec.loader = Reader(self, spec.loader.name, spec.loader.path)
        return spec

    def as_dict(self) -> dict[str, Any] | None:
        """What must be as it was for the file to define the same; None if that cannot be told."""
        own = (name.partition(".")[0] for name in self.imported if not is_steady(name))
        if not self.is_plain or not self.modules.issuperset(filter(None, own)):
            return None
        times: dict[str, int] = {}
        with self.reading():
            homes = (p for p in self.path if is_installed(os.path.join(p, "")) and os.path.isdir(p))
            times = {p: os.stat(p).st_mtime_ns for p in homes}
        found = {"files": self.files, "absent": list(self.absent), "times": times}
        return found | {"suite": suite()} if self.is_plain else None


class Reader(SourceFileLoader):
    """Reads a source itself: compiled code may be of another text of the same size and second."""

    def __init__(self, origin: Origin, name: str, path: str) -> None:
        super().__init__(name, path)
        self.origin = origin

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        data = self.get_data(path)
        self.origin.note(Path(path), data)
        code: CodeType = self.source_to_code(data, path)
        return code


def imports(tree: ast.AST) -> Iterator[str]:
    """The modules that a text imports; those of its own package by a dot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield "."
        elif isinstance(node, ast.ImportFrom):
            names = (alias.name for alias in node.names)
            is_ours = node.module in ("gradproof", "gradproof.graphs")
            yield from (f"{node.module}.{n}" for n in names) if is_ours else [node.module or ""]


def is_steady(name: str) -> bool:
    is_of_us = any(name == home or name.startswith(f"{home}.") for home in LANGUAGE)
    return is_of_us or name in GRAPHS or name.partition(".")[0] in STEADY


def is_kernel(name: str) -> bool:
    return not is_steady(name) and name.partition(".")[0] in KERNEL and name not in HARMLESS


def reaches(node: ast.AST) -> bool:
    """Whether a part of a text may do more than build terms, or not the same each time."""
    match node:
        case ast.Name(id=name):
            return name in REACHING
        case ast.Attribute(attr=name, ctx=context):
            is_private = name.startswith("__") and name.endswith("__")
            return is_private or not isinstance(context, ast.Load)
    return isinstance(node, ast.Set | ast.SetComp)


def is_installed(path: str | None) -> bool:
    return path is not None and path.startswith(INSTALLED)


def hiding(name: str, folders: Sequence[str], found: str) -> Iterator[str]:
    """What would be imported in place of a module, if it were there."""
    own = os.path.abspath(found)
    for folder in folders:
        here = os.path.abspath(os.path.join(folder, name))
        package = os.path.join(here, "__init__.py")
        is_home = own in (f"{here}.py", package)
        if own != package:
            yield here
        yield from (f"{here}{end}" for end in all_suffixes() if f"{here}{end}" != own)
        if is_home:
            return


def state() -> dict[str, dict[str, Any]]:
    """What the names of the kernel stand for, and what else decides how it runs."""
    found: dict[str, dict[str, Any]] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in WATCHED and module is not None:
            found[name] = dict(vars(module))
            kinds = (v for v in vars(module).values() if isinstance(v, type))
            own = (kind for kind in kinds if kind.__module__ == name)
            found |= {f"{name}:{kind.__qualname__}": dict(vars(kind)) for kind in own}
    found[""] = {"threads": threading.active_count(), "depth": sys.getrecursionlimit()}
    return found


def is_same(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]) -> bool:
    """Whether nothing stands for something else; modules may have been added."""
    if before.pop("") != after.pop(""):
        return False
    return all(home in after and is_kept(names, after[home]) for home, names in before.items())


def is_kept(names: dict[str, Any], now: dict[str, Any]) -> bool:
    added = (value for name, value in now.items() if name not in names)
    same = all(name in now and now[name] is value for name, value in names.items())
    return same and all(isinstance(value, ModuleType) for value in added)
