"""What docs/reference.md lists is what there is: the language, the command, kinds, files."""

import argparse
import doctest
import json
import re
from pathlib import Path

import pytest
from commands import GOOD, WRONG, gradproof, write

from gradproof import language
from gradproof.cli.arguments import parser
from gradproof.cli.main import COMMANDS
from gradproof.report.kinds import KINDS
from gradproof.theorems.statuses import Status

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/reference.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")
CODE = re.compile(r"`([^`]+)`")
TYPES = {"Array", "DefinitionError", "Op", "Scatter", "Term"}  # what expressions are, not how


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(title: str) -> list[list[str]]:
    """The rows of the tables of a section, without their heads."""
    lines = re.findall(r"^\| (.*) \|$", section(title), re.MULTILINE)
    return [[c.strip() for c in re.split(r"(?<!\\)\|", line)] for line in lines]


def written() -> list[str]:
    """Every expression of the language in the first column, as a file has it."""
    cells = (row[0] for row in rows("The language")[1:])
    return [code.replace("\\|", "|") for cell in cells for code in CODE.findall(cell)]


@pytest.fixture(scope="module")
def declared() -> dict:
    """What the section's first example declares."""
    first = section("The language").split("```python\n")[1].split("```")[0]
    names: dict = {}
    for example in doctest.DocTestParser().get_examples(first):
        exec(example.source, names)
    return names


@pytest.mark.parametrize("expression", written())
def test_an_expression_of_the_language_is_built(expression, declared):
    assert eval(expression, declared) is not None


def test_all_of_the_language_is_there():
    found = set(re.findall(r"\w+", " ".join(written())))
    assert set(language.__all__) - TYPES <= found


def test_every_kind_of_theorem_is_told():
    told = [row[0] for row in rows("What every definition is asked, unasked")]
    assert told[1:] == list(KINDS)
    assert all(f"`{s}`" in section("What every definition is asked, unasked") for s in Status)


def subcommands() -> dict[str, argparse.ArgumentParser]:
    (found,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    return found.choices


def test_every_command_is_told():
    told = [row[0].split()[1] for row in rows("On the command line") if "`gradproof" in row[0]]
    assert sorted(told) == sorted(COMMANDS) == sorted(subcommands())


@pytest.mark.parametrize("text", [TEXT, README], ids=["reference", "README"])
def test_every_option_that_is_named_exists(text):
    ours = {option for one in subcommands().values() for option in one._option_string_actions}
    theirs = {"--gradproof"}  # of pytest
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
    assert named - ours - theirs == set()
    assert len(named) > 1


def keys_of(data: object) -> set[str]:
    if isinstance(data, dict):
        return set(data).union(*map(keys_of, data.values()))
    return set().union(*map(keys_of, data)) if isinstance(data, list) else set()


def test_the_json_has_the_keys_that_are_told(tmp_path):
    write(tmp_path, good=GOOD, wrong=WRONG, broken="1 / 0\n")
    gradproof("check", "good.py", "wrong.py", "broken.py", "--json", "out.json", cwd=tmp_path)
    data = json.loads((tmp_path / "out.json").read_text("utf-8"))
    values = [th["counterexample"] for op in data["ops"] for th in op["theorems"]]
    names = {name for v in values if v for part in ("sizes", "values", "index") for name in v[part]}
    names |= {cell for v in values if v for cells in v["values"].values() for cell in cells}
    told = set(re.findall(r'"([^"]+)"', section("Files for other programs")))
    assert keys_of(data) - names - set(data["summary"]) <= told | {"gradproof"}
    assert {"schema", "theorems", "counterexample", "mend", "left"} <= told


def test_the_readme_is_short_and_begins_with_what_to_run():
    assert len(README.splitlines()) <= 200
    assert README.index("make verify") < README.index("make test") < README.index("\n## ")
    for title in ("Why not gradcheck", "Your code", "What cannot be said", "Related work"):
        assert f"\n## {title}\n" in README
    assert README.index("\n## Your code\n") < README.index("\n## An op is a page of mathematics\n")
    assert "**What to do on `unknown`.**" in README
