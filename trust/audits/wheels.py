"""Wheels of packages, downloaded and unpacked into build/, never installed. Untrusted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from trust.source import ROOT

FOLDER = ROOT / "build" / "audits"
PIP = ("-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check")
TEXTS = (".py", ".json", ".yaml", ".toml")
OPTIONS = ("--no-deps", "--only-binary", ":all:")


class Missing(Exception):
    """A wheel that could not be had, and why."""


def unpacked(home: str) -> Path:
    """The folder with the modules of a wheel, or of several, by `package==version+…`."""
    folder = FOLDER / home.replace("==", "-")
    done = folder / ".unpacked"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for one in home.split("+"):
            with ZipFile(downloaded(one)) as wheel:
                wheel.extractall(folder, [n for n in wheel.namelist() if n.endswith(TEXTS)])
        done.touch()
    return folder


def downloaded(home: str) -> Path:
    to = FOLDER / "wheels" / home.replace("==", "-")
    if not list(to.glob("*.whl")):
        command = [sys.executable, *PIP, *OPTIONS, "--dest", str(to), home]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode:
            said = ran.stderr.strip().splitlines() or ["pip says nothing"]
            raise Missing(f"{home}: {said[-1]}")
    return next(to.glob("*.whl"))
