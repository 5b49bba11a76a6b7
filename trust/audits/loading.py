"""Modules of an unpacked wheel, without what their package imports at its beginning. Untrusted.

A package is a folder here: its `__init__`, which imports all of it, is run only if something is
asked of it that is no module. What is not installed is a stub, so that a module that names it can
be loaded; code that uses it fails as it runs.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any


class Named(type):
    """What a stub holds, which holds more of it."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return missing(name)

    def __getitem__(cls, _: object) -> Any:
        return cls

    def __iter__(cls) -> Iterator[Any]:
        return iter((cls, False))  # as what is imported, and whether it could be


class Missing(metaclass=Named):
    """A class that others may inherit from, a decorator, a number to compare with."""

    def __new__(cls, *given: Any, **_: Any) -> Any:
        is_decorated = len(given) == 1 and callable(given[0]) and not isinstance(given[0], Named)
        return given[0] if is_decorated else super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __init_subclass__(cls, **_: Any) -> None:
        pass

    def __call__(self, *given: Any, **_: Any) -> Any:
        return given[0] if given and callable(given[0]) else self

    def __getattr__(self, name: str) -> Any:
        return getattr(type(self), name)

    def __iter__(self) -> Iterator[Any]:
        return iter((self, False))

    def __le__(self, _: object) -> bool:
        return True

    __lt__ = __ge__ = __gt__ = __le__


def missing(name: str) -> Any:
    return Named(name, (Missing,), {})


class Stub(ModuleType):
    """A module that is not there."""

    __version__ = "99"  # newer than what anybody asks for

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return missing(name)


class Bare(MetaPathFinder, Loader):
    """Finds the packages of a folder, as folders, and stubs for what is nowhere."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.own = {p.name.removesuffix(".py") for p in folder.iterdir()}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] in self.own:
            place = self.folder.joinpath(*name.split("."))
            if place.is_dir():
                spec = ModuleSpec(name, self, is_package=True)
                spec.submodule_search_locations = [str(place)]
                return spec
            return PathFinder.find_spec(name, [str(place.parent)])
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Package(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


class Package(Stub):
    """A package whose beginning is run when it is asked for something."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        begin = Path(self.__path__[0]) / "__init__.py"
        if not self.__dict__.get("begun") and begin.exists():
            self.__dict__["begun"] = True
            with suppress(Exception):
                exec(compile(begin.read_text("utf-8"), str(begin), "exec"), self.__dict__)
            if name in self.__dict__:
                return self.__dict__[name]
        return super().__getattr__(name)


class Absent(MetaPathFinder, Loader):
    """Comes last: a stub for every module that the wheel imports and that is not installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if type(sys.modules.get(name.rpartition(".")[0])) is Stub:
            return ModuleSpec(name, self, is_package=True)
        frames = (frame.filename for frame in reversed(traceback.extract_stack()[:-1]))
        asking = next((f for f in frames if not f.startswith("<frozen importlib")), "")
        return ModuleSpec(name, self, is_package=True) if asking.startswith(self.folder) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Stub(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def loaded(folder: Path, module: str) -> ModuleType:
    """A module of a wheel; process-wide, so a process is for one package."""
    if not any(isinstance(finder, Bare) for finder in sys.meta_path):
        sys.meta_path.insert(0, Bare(folder))
        sys.meta_path.append(Absent(folder))
    return importlib.import_module(module)
