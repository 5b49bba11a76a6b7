"""Plants a bug in the kernel: a function replaced wherever it is known by name. Untrusted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from trust.source import ROOT, trusted_modules

HOME = ROOT / "verify/gradproof"
ROOMS = ("language", "theorems", "prove", "evaluate", "settle")
TRUSTED = {Path(module.name).relative_to("verify/gradproof") for module in trusted_modules()}
PATHS = sorted(
    {path.relative_to(HOME) for room in ROOMS for path in (HOME / room).rglob("[a-z]*.py")}
    | {path for path in TRUSTED if path.parts[0] == "graphs"}
    | {Path("graphs/trying.py")}
)
# By the last part of their names.
MODULES = {path.stem: ".".join(path.with_suffix("").parts) for path in PATHS}


def plant(place: str, change: Callable[[Any], Any]) -> None:
    """`plant("normal.solve", change)`: the function, or method, becomes `change(function)`.

    It is replaced in every module that imported it and in every table that holds it.
    """
    module, *owners, name = place.split(".")
    owner: Any = loaded()[module]
    for part in owners:
        owner = getattr(owner, part)
    old = getattr(owner, name)
    new = change(old)
    setattr(owner, name, new)
    for found in [m for n, m in sys.modules.items() if n.startswith("gradproof")]:
        for key, value in list(vars(found).items()):
            if value is old:
                setattr(found, key, new)
            elif isinstance(value, dict) and key.isupper():
                value.update({k: new for k, v in value.items() if v is old})


def loaded() -> dict[str, Any]:
    """The modules of the kernel."""
    return {name: import_module(f"gradproof.{path}") for name, path in MODULES.items()}
