"""Solvers that crash on the questions of marked definitions. Untrusted."""

from __future__ import annotations

from pathlib import Path

from trust.load.crowd import MARK

# Python runs this at its start, in the command, its workers and the second solver's process.
Z3 = f"""\
import os, re, resource, z3

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
check = z3.Solver.check


def crashing(solver, *assumptions):
    if re.search(r"\\b{MARK}\\b", solver.sexpr()):
        os.abort()
    return check(solver, *assumptions)


z3.Solver.check = crashing
"""
CVC5 = f"""\
import os, re, resource, cvc5

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Crashing(cvc5.InputParser):
    def setStringInput(self, language, text, name):
        if re.search(r"\\b{MARK}\\b", text):
            os.abort()
        super().setStringInput(language, text, name)


cvc5.InputParser = Crashing
"""


def write(folder: Path, program: str) -> Path:
    """A folder that makes a solver crash wherever it is on Python's path."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(program, "utf-8")
    return folder
