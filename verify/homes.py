"""Where the parts of this package lie, and how another process imports the very same. Untrusted."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

PROGRAM = """\
import importlib.util as files
import sys

for name, home in {homes!r}.items():
    found = files.spec_from_file_location(name, home + "/__init__.py")
    sys.modules[name] = files.module_from_spec(found)
    found.loader.exec_module(sys.modules[name])

import {module}

{module}.{function}()
"""


def home(name: str) -> Path:
    """The folder of a package, which need not have its name in a checkout."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{name} is missing from this installation of gradproof")
    return Path(next(iter(spec.submodule_search_locations)))


TOOL, SUITE = home("gradproof"), home("gradproof.specs")


def program(module: str, function: str) -> str:
    """What calls the function in another process, whatever the folder or PYTHONPATH holds."""
    homes = {"gradproof": str(TOOL), "gradproof.specs": str(SUITE)}
    return PROGRAM.format(homes=homes, module=module, function=function)
