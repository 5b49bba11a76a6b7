"""Where this package lies, and how another process imports the very same. Untrusted."""

from __future__ import annotations

from pathlib import Path

PROGRAM = """\
import importlib.util as files
import sys

found = files.spec_from_file_location("gradproof", {home!r} + "/__init__.py")
sys.modules["gradproof"] = files.module_from_spec(found)
found.loader.exec_module(sys.modules["gradproof"])

import {module}

{module}.{function}()
"""


TOOL = Path(__file__).parent
SUITE, PROOFS = TOOL / "specs", TOOL / "proofs"


def program(module: str, function: str) -> str:
    """What calls the function in another process, whatever the folder or PYTHONPATH holds."""
    return PROGRAM.format(home=str(TOOL), module=module, function=function)
