"""What `pip install` puts elsewhere is whole: the command works without this folder."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import GOOD, environment
from quick import quick

from trust.source import ROOT

pytestmark = pytest.mark.xdist_group("package")  # which is built once
PARTS = ("verify", "pyproject.toml", "README.md", "LICENSE")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")


def copied(folder: Path) -> Path:
    """Building writes beside the sources."""
    folder.mkdir()
    unwanted = shutil.ignore_patterns("__pycache__")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=unwanted)
        else:
            shutil.copy(ROOT / part, folder)
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package alone; what it rests on is that of these tests."""
    place = tmp_path_factory.mktemp("package")
    built = subprocess.run(
        [*PIP, "install", "--no-deps", "--target", place / "site", copied(place / "source")],
        capture_output=True,
        text=True,
        env=environment(),
    )
    if "No matching distribution found for setuptools" in built.stderr:
        pytest.skip("setuptools is to be had from nowhere")
    assert built.returncode == 0, built.stderr
    return place / "site"


def python(*arguments, site, cwd):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment(PYTHONPATH=str(site)),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


def test_the_installed_command_settles_lists_and_reports(installed, tmp_path):
    (tmp_path / "double.py").write_text(GOOD)
    for arguments, shown in (
        (("-c", "import gradproof; print(gradproof.__file__)"), str(installed)),
        (("-m", "gradproof", "check", "double.py"), "8 theorems: 8 proved; all as expected."),
        (
            ("-m", "gradproof", "verify", "unpad"),
            "16 theorems: 11 proved, 3 by definition, 2 needed; all as expected.",
        ),
        (
            ("-m", "gradproof", "list", "unpad"),
            "16 theorems: 11 proved, 3 by definition, 2 needed",
        ),
        (("-m", "gradproof", "new", "mine"), "Wrote mine.py."),
        (("-m", "gradproof", "report", "double.py"), "open reports/index.html"),
    ):
        done = python(*arguments, site=installed, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert shown in done.stdout
    assert "double.html" in (tmp_path / "reports/index.html").read_text("utf-8")


def test_nothing_but_gradproof_is_installed(installed):
    found = {path.name for path in installed.iterdir() if path.name not in ("bin", "__pycache__")}
    assert {name for name in found if not name.endswith(".dist-info")} == {"gradproof"}
    assert (installed / "gradproof" / "py.typed").exists()


OWN = "raise RuntimeError('not this one')\n"
NAMES = ("verify", "specs", "proofs", "trust", "tests", "bench", "language", "cli")


@pytest.mark.parametrize("file", quick(("{}.py", "{}/__init__.py"), ("{}.py",)))
def test_a_project_may_have_names_of_its_own(file, installed, tmp_path):
    """A `verify.py` stopped `python -m pytest`, a `specs/` stopped `gradproof check`."""
    for name in NAMES:
        own = tmp_path / file.format(name)
        own.parent.mkdir(exist_ok=True)
        own.write_text(OWN)
    (tmp_path / "double.py").write_text(GOOD)
    (tmp_path / "test_own.py").write_text("def test_of_its_own():\n    pass\n")
    for arguments, shown in (
        (("-m", "gradproof", "check", "double.py", "--only", "vjp"), "all as expected"),
        (("-m", "pytest", "-q", "--gradproof", "double.py", "test_own.py"), "9 passed"),
    ):
        done = python(*arguments, site=installed, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert shown in done.stdout
