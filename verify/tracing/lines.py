"""What is said of a line of the user's code. Untrusted."""

from __future__ import annotations

from pathlib import Path


def at(file: str, line: int, text: str | None, said: str) -> str:
    """What is said, with the line, whose file is named from where the user works."""
    return f"{near(file)}:{line}: `{(text or '').strip()}`: {said}"


def near(file: str) -> str:
    """A file below the working directory from there, another as it is."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file
