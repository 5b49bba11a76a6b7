"""Loads the op definitions of a file, anywhere on disk. Deciding."""

from __future__ import annotations

import ast
import difflib
import linecache
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from gradproof import language
from gradproof.cli.workers.clocks import TooLong, loading_ends_after
from gradproof.cli.workers.origins import Origin, is_installed
from gradproof.cli.workers.running import Fault, Names, run
from gradproof.cli.workers.source import Source
from gradproof.cli.workers.wire import NO_OP
from gradproof.graphs.nodes import GraphError, Wiring
from gradproof.language.foreign import there_is
from gradproof.language.ops import TOO_DEEP, Op
from gradproof.language.terms import DefinitionError

SECONDS = 10  # of processor time that a file may take to load
WANTS_A_NUMBER = (
    "cannot be interpreted as an integer",
    "Cannot convert expression to float",
    "loop of ufunc does not support",
)
DEFINING = [f.name for f in fields(Op) if f.compare and f.name not in ("name", "doc", "claims")]
MOST_DIMENSIONS = 8  # six spatial axes, and the two channels of a weight


class Unreadable(Exception):
    """A file that cannot be read as definitions: where, why, and the traceback for `--debug`."""

    def __init__(self, line: int, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.line, self.message, self.trace = line, message, trace


@dataclass(frozen=True)
class Defined:
    """An op and the place of its equations in its file, or the wiring of a graph."""

    op: Any
    source: Source


def load(
    path: Path, only: str = "", seconds: float = SECONDS, origin: Origin | None = None
) -> tuple[Defined, ...]:
    """The ops that a file defines and that can be read."""
    return loaded(path, only, seconds, origin)[0]


def loaded(
    path: Path, only: str = "", seconds: float = SECONDS, origin: Origin | None = None
) -> tuple[tuple[Defined, ...], tuple[Unreadable, ...]]:
    """The ops that a file defines, in their order, and what in it cannot be read.

    `only` names one of them; then others are not spoken of. What that depends on is noted in
    `origin`.
    """
    origin = origin or Origin()
    names = Names({})
    with loading_ends_after(seconds):
        try:
            text = read(path, origin)
            source = Source(text, str(path))
            module, faults = execute(path, text, origin, names)
            ops = named(module, source, names.rebound)
            found: dict[str, tuple[Any, str]] = {**ops, **graphs_of(module)}
        except TooLong as failure:
            raise explained(path, failure) from None
    if faults and (only or "") not in ("", *found):
        raise faults[0]
    if not found:
        raise faults[0] if faults else Unreadable(1, NO_OP)
    if only and only not in found:
        raise Unreadable(1, unknown(only, list(found), code_in(module)))
    chosen = {only: found[only]} if only else found
    for op, binding in chosen.values():
        if isinstance(op, Op):
            check_rank(op, source.line_of(binding, op, ""))
    defined = tuple(Defined(op, source.bound(binding)) for op, binding in chosen.values())
    return defined, () if only else faults


def unknown(name: str, ops: list[str], code: list[str]) -> str:
    """What there is in place of an op that is not there."""
    if name in code:
        return f"{name} is code, no op; say its inputs to prove it: --input x=N,C"
    also = f"; its code is proved with --input x=N,C: {', '.join(code)}" if code else ""
    return f"there is no op {name!r} in it; there are {', '.join(ops)}{also}"


def code_in(module: ModuleType) -> list[str]:
    """The functions and classes that a file defines."""
    named = vars(module).items()
    return [k for k, v in named if callable(v) and getattr(v, "__module__", "") == module.__name__]


def read(path: Path, origin: Origin) -> str:
    try:
        data = path.read_bytes()
        origin.note(path, data)
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise Unreadable(0, "there is no such file") from None
    except IsADirectoryError:
        raise Unreadable(0, "it is a folder; name the files in it") from None
    except UnicodeDecodeError as bad:
        raise Unreadable(0, f"it is not UTF-8 text (byte {bad.start})") from None
    except OSError as bad:
        raise Unreadable(0, f"it cannot be read: {bad.strerror}") from None


def execute(
    path: Path, text: str, origin: Origin, names: Names
) -> tuple[ModuleType, tuple[Unreadable, ...]]:
    """Runs the file as a module of its own; modules beside it can be imported meanwhile."""
    module = ModuleType(f"gradproof_file_{path.stem}")
    module.__file__ = str(path)
    home, package = package_of(path)
    origin.note_package(path.parent.resolve(), package)
    modules, folders, here = set(sys.modules), sys.path[:], os.getcwd()
    sys.modules[module.__name__] = module
    sys.path += dict.fromkeys(map(str, (path.parent.resolve(), home)))
    module.__package__ = package if is_found(package, home) else ""
    linecache.checkcache(str(path))
    try:
        with origin.watching():
            names.names = module.__dict__
            faults = run(text, str(path), names)
    except (Exception, SystemExit) as failure:
        raise explained(path, failure) from None
    finally:
        os.chdir(here)
        sys.path[:] = folders
        forget(set(sys.modules) - modules)
    return module, tuple(told(path, fault) for fault in faults)


def told(path: Path, fault: Fault) -> Unreadable:
    """Why a definition cannot be read, and what else is left out for want of it."""
    found = explained(path, fault.failure)
    frames = traceback.extract_tb(fault.failure.__traceback__)
    at = next((f.lineno for f in frames if f.filename == str(path)), found.line)
    if at != found.line:
        found = Unreadable(found.line, f"{found.message} (for line {at})", found.trace)
    if fault.lines:
        where = ("line " if len(fault.lines) == 1 else "lines ") + ", ".join(map(str, fault.lines))
        found = Unreadable(found.line, f"{found.message} (needed by {where})", found.trace)
    return found


def package_of(path: Path) -> tuple[Path, str]:
    """The folder from which a file's package is imported, and its name; none without one."""
    folder, names = path.parent.resolve(), []
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        names.append(folder.name)
        folder = folder.parent
    return folder, ".".join(reversed(names))


def is_found(package: str, home: Path) -> bool:
    """Whether what is imported by the name of a package is the one in this folder."""
    try:
        spec = find_spec(top(package)) if package else None
    except ValueError:  # of a module that is no file
        return False
    places = (spec and spec.submodule_search_locations) or ()
    return any(Path(place).resolve() == home / top(package) for place in places)


def forget(names: Iterable[str]) -> None:
    """Drops the modules of these that are not installed: another file may mean others by them."""
    for name in names:
        module = sys.modules[name]
        home = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), "")
        if home and top(name) != "gradproof" and not is_installed(home):
            del sys.modules[name]


def top(name: str) -> str:
    return name.partition(".")[0]


def explained(path: Path, failure: BaseException) -> Unreadable:
    trace = "".join(traceback.format_exception(failure))
    if isinstance(failure, SyntaxError) and failure.filename in (str(path), None):
        return Unreadable(failure.lineno or 1, f"syntax error: {failure.msg}", trace)
    frames = traceback.extract_tb(failure.__traceback__)
    line = next((f.lineno for f in reversed(frames) if f.filename == str(path)), None)
    if isinstance(failure, DefinitionError | TooLong):
        return Unreadable(line or 1, str(failure), trace)
    if isinstance(failure, RecursionError):
        return Unreadable(line or 1, TOO_DEEP, trace)
    if isinstance(failure, SystemExit):
        return Unreadable(line or 1, "it ends the program while it loads", trace)
    try:
        said = str(failure)
    except Exception:
        said = ""
    name = type(failure).__name__
    told = f"it raises {name} while it loads{': ' if said else ''}{said}{meant(failure, path)}"
    return Unreadable(line or 1, told, trace)


def meant(failure: BaseException, path: Path) -> str:
    """What to write instead: of an unknown name, or of an argument that `Op` does not take."""
    if isinstance(failure, TypeError) and "Op.__init__()" in str(failure):
        return f"; Op takes {', '.join(f.name for f in fields(Op))}"
    if isinstance(failure, TypeError) and any(said in str(failure) for said in WANTS_A_NUMBER):
        return "; symbols and cells have no value: write Sum(x[j], (j, 0, n - 1)), exp(x[j]), …"
    if isinstance(failure, TypeError) and "'Array'" in str(failure):
        return "; an equation is about one cell: write y[a] and x[a] for y and x"
    if not isinstance(failure, NameError) or not failure.name:
        return ""
    near = difflib.get_close_matches(failure.name, language.__all__, 1)
    if near and len(failure.name) > 1:
        return f"; did you mean {near[0]}?"
    if failure.name in called(path):
        return f"; {there_is()}"
    return f'; if it is a symbol, declare it: {failure.name} = integers("{failure.name}")'


def called(path: Path) -> set[str]:
    """The names that a file calls as functions, or whose parts it calls."""
    calls = [u.func for u in ast.walk(ast.parse(path.read_bytes())) if isinstance(u, ast.Call)]
    owners = [u.value if isinstance(u, ast.Attribute) else u for u in calls]
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}


def named(
    module: ModuleType, source: Source, rebound: Iterable[tuple[str, Op]] = ()
) -> dict[str, tuple[Op, str]]:
    """Ops by name, each with the variable it was bound to; none for those that lost theirs."""
    found: dict[str, tuple[Op, str]] = {}
    lost = [("", op) for name, op in rebound if not source.refines(name)]
    for binding, op in (*lost, *bound(vars(module), source.imported)):
        first, _ = found.get(op.name, (op, ""))
        if first is not op and not extends(op, first) and not extends(first, op):
            line = source.line_of(binding, op, "")
            raise Unreadable(line, f"two different ops are named {op.name!r}; rename one")
        if op.name not in found or extends(op, first):
            found[op.name] = (op, binding)
    return found


def graphs_of(module: ModuleType) -> dict[str, tuple[Wiring, str]]:
    """Graphs by name, each with the variable it was bound to; one that is not whole is refused."""
    found: dict[str, tuple[Wiring, str]] = {}
    built = {id(g): (g, name) for name, g in vars(module).items() if is_graph(g)}
    for graph, binding in built.values():
        line = int(graph.line.rpartition(":")[2])
        if graph.name in found:
            raise Unreadable(line, f"two graphs are named {graph.name!r}; rename one")
        try:
            found[graph.name] = (graph.wiring(), binding)
        except GraphError as fault:
            raise Unreadable(line, str(fault)) from None
    return found


def is_graph(value: Any) -> bool:
    """A graph; its module is loaded if there is one."""
    home = sys.modules.get("gradproof.graphs.graph")
    return home is not None and isinstance(value, home.Graph)


def bound(names: dict[str, Any], imported: Iterable[str]) -> Iterator[tuple[str, Op]]:
    """The ops of a module, those in its lists, dicts and classes too, without the imported ones."""
    for name, value in list(names.items()):
        is_own = isinstance(value, Op) or not (name.startswith("__") and name.endswith("__"))
        if name not in imported and is_own:
            yield from ((name, op) for op in ops_in(value, names["__name__"]))


def ops_in(value: Any, module: str) -> Iterator[Op]:
    """An op, or those in a list, tuple, set, mapping or namespace, or in what the module makes."""
    left, seen = [value], dict[int, Any]()
    while left:
        part = left.pop()
        if isinstance(part, Op):
            yield part
        elif id(part) not in seen:
            seen[id(part)] = part
            left += reversed(parts_of(part, module))


def parts_of(value: Any, module: str) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, tuple | list | set | frozenset):
        return list(value)
    kind = value if isinstance(value, type) else type(value)
    ours = kind.__module__ == module or isinstance(value, SimpleNamespace)
    return list(vars(value).values()) if ours and hasattr(value, "__dict__") else []


def extends(op: Op, first: Op) -> bool:
    """The same op with more claims."""
    same = all(getattr(op, part) == getattr(first, part) for part in DEFINING)
    return same and op.claims[: len(first.claims)] == first.claims


def check_rank(op: Op, line: int) -> None:
    for a in (*op.operands, op.output):
        if len(a.dims) > MOST_DIMENSIONS:
            raise Unreadable(
                line, f"op {op.name}: {a} has {len(a.dims)} dimensions, at most {MOST_DIMENSIONS}"
            )
