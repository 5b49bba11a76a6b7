"""What a project says under [tool.gradproof] in its pyproject.toml. Deciding.

The file is the nearest to where one works, upwards. What a call or a command says goes before it.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

FILE = "pyproject.toml"


class Misconfigured(ValueError):
    """Something that [tool.gradproof] says and that cannot be read."""


@dataclass(frozen=True)
class Settings:
    """The keys of [tool.gradproof]: each has the type of its default, None where nothing is said.

    >>> read('[tool.gradproof]\\nfloat32 = true')
    Settings(float32=True, dtype='float32')
    """

    float32: bool | None = None  # whether floating point that loses what is exact is a failure
    dtype: str = "float32"


KINDS = {"float32": bool, "dtype": str}


def settings(folder: Path | None = None) -> Settings:
    """Of the project in which one works."""
    here = (folder or Path.cwd()).absolute()
    files = (place / FILE for place in (here, *here.parents))
    found = next((file for file in files if file.is_file()), None)
    return Settings() if found is None else read(found.read_text("utf-8"), str(found))


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
        if not isinstance(value, KINDS[key]):
            wanted = "true or false" if KINDS[key] is bool else "text"
            raise Misconfigured(f"{name}: [tool.gradproof] {key} = {value!r} is not {wanted}")
    return Settings(**said)
