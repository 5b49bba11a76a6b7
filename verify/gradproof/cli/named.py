"""Code that a command names: `FILE::Class`, or `FILE::forward,backward`. Untrusted."""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from gradproof.cli.arguments import FRAMEWORKS, UsageError
from gradproof.language.ops import Op


class Source(SourceFileLoader):
    """Compiles the text itself: what was compiled before may be of one as long and as old."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


@dataclass(frozen=True)
class Named:
    """Functions of a file, and the adapter that reads them."""

    path: str
    names: tuple[str, ...]
    functions: tuple[Any, ...]
    framework: str
    line: int

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def shown(self) -> str:
        return f"{self.path}::{','.join(self.names)}"


def named(text: str, framework: str | None) -> Named:
    """What `FILE::NAME` names, loaded."""
    path, _, rest = text.rpartition("::")
    names = tuple(name.strip() for name in rest.split(","))
    if not path or not all(names):
        raise UsageError(f"{text!r} names no code; write FILE::NAME, or FILE::FORWARD,BACKWARD")
    module = loaded(path)
    functions = tuple(found(module, name, path) for name in names)
    known = framework or framework_of(path, functions)
    return Named(path, names, functions, known, line_of(functions[0]))


def loaded(path: str) -> ModuleType:
    """The module that is in a file, which may import its neighbours."""
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"{path}: there is no such file")
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = spec_from_file_location(file.stem, file, loader=Source(file.stem, str(file)))
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: it is no file of Python")
    module = module_from_spec(spec)
    sys.modules[file.stem] = module
    try:
        spec.loader.exec_module(module)
    except SystemExit as end:
        raise UsageError(f"{path}: it ends the program while it loads") from end
    except Exception as failure:
        said = f"{type(failure).__name__}: {failure}"
        raise UsageError(f"{path}: it cannot be loaded: {said}") from failure
    return module


def found(module: ModuleType, name: str, path: str) -> Any:
    value: Any = module
    for part in name.split("."):
        value = getattr(value, part, None)
    if callable(value):
        return value
    there = [k for k, v in vars(module).items() if callable(v) and is_own(v, module)]
    ops = [v.name for v in vars(module).values() if isinstance(v, Op)]
    said = f"{path}: there is no {name} in it; there are {', '.join(there) or 'none'}"
    said += f"; ops are settled without --input: {', '.join(ops)}" if ops else ""
    if value is not None:
        said = f"{path}: {name} is no code; an op is settled without --input"
    raise UsageError(said)


def is_own(value: Any, module: ModuleType) -> bool:
    return getattr(value, "__module__", None) == module.__name__


def framework_of(path: str, functions: tuple[Any, ...]) -> str:
    """By what the file imports; a forward with a backward is NumPy's."""
    if len(functions) == 2:
        return "numpy"
    tree = ast.parse(Path(path).read_text("utf-8"))
    names = [alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names]
    names += [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    roots = {name.partition(".")[0] for name in names}
    known = next((name for name in FRAMEWORKS if name in roots), None)
    if known is None or known == "numpy":
        raise UsageError(
            f"{path}: a function of NumPy is named with its backward, FILE::F,BACKWARD"
        )
    return known


def line_of(function: Any) -> int:
    try:
        return inspect.getsourcelines(function)[1]
    except (OSError, TypeError):
        return 1
