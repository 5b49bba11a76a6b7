"""The tutorial's walks through a new op and an example, run as they are written."""

import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest
from commands import gradproof

ROOT = Path(__file__).parents[2]
NEW_OP, EXAMPLE = "A mean that does not count padding", "Beyond windows"
KEPT, TIME = "What a kernel keeps, and labels", "Over time"
BLOCK = re.compile(r"^```(python|diff|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(title: str) -> list[tuple[str, str]]:
    text = (ROOT / "docs/tutorial.md").read_text("utf-8")
    section = text.split(f"## {title}\n")[1].split("\n## ")[0]
    return [(kind, body) for kind, body in BLOCK.findall(section) if ">>>" not in body]


def changed(text: str, diff: str) -> str:
    """The file with the lines that a diff removes replaced by those it adds."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line.startswith("-"))
    assert text.count(before) == 1
    return text.replace(before, "".join(line[1:] for line in lines if line.startswith("+")))


def agrees(expected: str, found: str) -> bool:
    return doctest.OutputChecker().check_output(expected, found, doctest.ELLIPSIS)


def walk(title: str, path: Path, folder: Path) -> list[str]:
    """The kinds of blocks of a section, each done: a file written or changed, a command run."""
    right = path.read_text("utf-8") if path.exists() else ""
    kinds = []
    for kind, body in blocks(title):
        kinds.append(kind)
        if kind == "python":
            right = body
            path.write_text(right, "utf-8")
        elif kind == "diff":
            path.write_text(changed(right, body), "utf-8")
        else:
            command, _, expected = body.partition("\n")
            done = gradproof(*shlex.split(command.removeprefix("$ gradproof ")), cwd=folder)
            assert agrees(expected, done.stdout), done.stdout
    return kinds


def test_the_walk_through_a_new_op_is_as_it_is_written(tmp_path):
    kinds = walk(NEW_OP, tmp_path / "mean_pool.py", tmp_path)
    assert kinds == ["python", "console", *["diff", "console"] * 3, "console"]
    assert len(list((tmp_path / "failures").iterdir())) == 1


@pytest.mark.parametrize(("title", "name"), [(EXAMPLE, "attention.py"), (TIME, "linear_scan.py")])
def test_the_walk_through_an_example_is_as_it_is_written(title, name, tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    kinds = walk(title, tmp_path / "examples" / name, tmp_path)
    assert kinds[-2:] == ["diff", "console"]


def test_the_walk_through_several_equations_is_as_it_is_written(tmp_path):
    kinds = walk(KEPT, tmp_path / "token_loss.py", tmp_path)
    assert kinds == ["python", "console", "diff", "console"]


def test_another_output_is_noticed():
    assert agrees("a\n...\nc 1.2 s\n", "a\nb\nc 1.2 s\n")
    assert not agrees("a\n...\nc\n", "a\nb\nd\n")
