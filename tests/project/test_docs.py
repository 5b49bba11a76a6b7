"""The pages name what is there, and words where they live."""

import re
from pathlib import Path

import pytest
from test_imports import ROOMS

from gradproof import __version__

ROOT = Path(__file__).parents[2]
FOLDERS = ("verify", "specs", "tests", "trust", "bench")
NOTES = sorted((ROOT / "docs/decisions").glob("*-*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULE = re.compile(r"`([\w./*-]+\.py|(?:verify|specs|tests|trust|bench)/[\w./-]*)`")
LINK = re.compile(r"\]\(([^):#]+)\)")
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)  # of code, where f[n](x) is no link
WORD = re.compile(r"^- \*\*(.+?)\*\*: (.*?)(?=^- |\Z)", re.MULTILINE | re.DOTALL)
MOST_LINES = 25


def is_there(name: str) -> bool:
    """A path from the top, or the end of one in a folder of code."""
    own = (found for folder in FOLDERS for found in (ROOT / folder).glob(f"**/{name}"))
    return any(True for _ in (*ROOT.glob(name), *own))


def missing(text: str, folder: Path) -> list[str]:
    """What a page names or links to that is not there."""
    modules = (name for name in MODULE.findall(text) if not is_there(name.rstrip("/")))
    links = (link for link in LINK.findall(BLOCK.sub("", text)) if not (folder / link).exists())
    return [*modules, *links]


def words(text: str) -> dict[str, str]:
    """The words of the glossary, each with the last thing that its line names."""
    return {word: said.split()[-1].strip("`") for word, said in WORD.findall(text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_there(page):
    assert missing(page.read_text("utf-8"), page.parent) == []


def test_what_is_not_there_is_noticed():
    said = (
        "`verify/gradproof/settle/check.py`, `goals.py`, `tests/attacks/`, [it](docs/glossary.md)"
    )
    assert missing(said, ROOT) == []
    said = "`verify/goals.py`, `gaols.py`, `tests/holes_*.py`, `specs/none/`, [it](docs/none.md)"
    assert len(missing(said, ROOT)) == 5


def test_words_are_in_order_and_have_a_home():
    found = words((ROOT / "docs/glossary.md").read_text("utf-8"))
    assert list(found) == sorted(found, key=str.lower)
    assert [word for word, home in found.items() if not (ROOT / home).is_file()] == []
    assert len(found) > 80


def test_the_rooms_are_told_in_their_order():
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    told = re.findall(r"^\| `(\w+)", text, re.MULTILINE)
    assert tuple(dict.fromkeys(told)) == ROOMS


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.stem)
def test_a_decision_is_short_dated_and_listed(note):
    lines = note.read_text("utf-8").splitlines()
    assert len(lines) < MOST_LINES
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", lines[2])
    assert f"({note.name})" in (note.parent / "README.md").read_text("utf-8")


def test_the_version_has_a_dated_section():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## {re.escape(__version__)} \(\d{{4}}-\d{{2}}-\d{{2}}\)$", text, re.M)
