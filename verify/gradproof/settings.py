"""What a project says under [tool.gradproof] in its pyproject.toml. Deciding.

The file is the nearest to where one works, upwards. What a call or a command says goes before it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

FILE = "pyproject.toml"


class Misconfigured(ValueError):
    """Something that [tool.gradproof] says and that cannot be read."""


@dataclass(frozen=True)
class Settings:
    """The keys of [tool.gradproof]: each has the type of its default, None where nothing is said.

    >>> read('[tool.gradproof]\\nfloat32 = true').float32
    True
    """

    float32: bool | None = None  # whether floating point that loses what is exact is a failure
    dtype: str = "float32"
    paths: tuple[str, ...] = ()  # what `gradproof check` checks, from the file's folder on
    scope: str = ""  # a narrower proof of code that is enough
    order: int | None = None  # of the derivatives of code that are proved
    timeout: int | None = None  # seconds for each theorem
    limit: int | None = None  # of the solver, for each question
    functions: Mapping[str, Any] = field(default_factory=dict)  # what is said of FILE::NAME


KINDS: dict[str, tuple[Any, str]] = {
    "float32": (bool, "true or false"),
    "dtype": (str, "text"),
    "paths": (list, "a list of paths"),
    "scope": (str, "text"),
    "order": (int, "a whole number"),
    "timeout": (int, "a whole number"),
    "limit": (int, "a whole number"),
    "functions": (dict, "a table of 'FILE::NAME' = \"x=N,C\""),
}


def settings(folder: Path | None = None) -> Settings:
    """Of the project in which one works."""
    found = file_of(folder)
    return Settings() if found is None else read(found.read_text("utf-8"), str(found))


def file_of(folder: Path | None = None) -> Path | None:
    """The nearest pyproject.toml, upwards."""
    here = (folder or Path.cwd()).absolute()
    files = (place / FILE for place in (here, *here.parents))
    return next((file for file in files if file.is_file()), None)


def floats_asked(float32: bool | None, dtype: str | None) -> tuple[bool | None, str]:
    """Whether floating point is asked about, and fails, and of which type."""
    project = settings()
    if float32 is None:
        float32 = False if os.environ.get("GRADPROOF_FLOAT32") == "0" else project.float32
    return float32, dtype or project.dtype


def read(text: str, name: str = FILE) -> Settings:
    try:
        said: Any = tomllib.loads(text).get("tool", {}).get("gradproof", {})
    except tomllib.TOMLDecodeError as wrong:
        raise Misconfigured(f"{name}: {wrong}") from None
    known = [field.name for field in fields(Settings)]
    for key, value in said.items():
        if key not in known:
            near = get_close_matches(key, known, 1)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise Misconfigured(f"{name}: [tool.gradproof] has no key {key}; {meant}")
        kind, wanted = KINDS[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise Misconfigured(f"{name}: [tool.gradproof] {key} = {value!r} is not {wanted}")
    for target, value in said.get("functions", {}).items():
        if "::" not in target or not isinstance(value, str | dict):
            said_so = f"[tool.gradproof.functions] {target!r}: write 'FILE::NAME' = \"x=N,C\""
            raise Misconfigured(f"{name}: {said_so}")
    return Settings(**said | {"paths": tuple(said.get("paths", ()))})
