"""The README's walk through a new op, run as it is written."""

import doctest
import re
import shlex
from pathlib import Path

from commands import gradproof

README = Path(__file__).parents[1] / "README.md"
TITLE = "## A new op, step by step\n"
FILE = "mean_pool.py"
BLOCK = re.compile(r"^```(python|diff|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    text = README.read_text("utf-8").split(TITLE)[1].split("\n## ")[0]
    return [(kind, body) for kind, body in BLOCK.findall(text) if ">>>" not in body]


def changed(text: str, diff: str) -> str:
    """The file with the lines that a diff removes replaced by those it adds."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line.startswith("-"))
    assert text.count(before) == 1
    return text.replace(before, "".join(line[1:] for line in lines if line.startswith("+")))


def agrees(expected: str, found: str) -> bool:
    return doctest.OutputChecker().check_output(expected, found, doctest.ELLIPSIS)


def test_the_walk_is_as_it_is_written(tmp_path):
    right = ""
    kinds = []
    for kind, body in blocks():
        kinds.append(kind)
        if kind == "python":
            right = body
            (tmp_path / FILE).write_text(right, "utf-8")
        elif kind == "diff":
            (tmp_path / FILE).write_text(changed(right, body), "utf-8")
        else:
            command, _, expected = body.partition("\n")
            done = gradproof(*shlex.split(command.removeprefix("$ gradproof ")), cwd=tmp_path)
            assert agrees(expected, done.stdout), done.stdout
    assert kinds == ["python", "console", *["diff", "console"] * 3, "console"]
    assert len(list((tmp_path / "failures").iterdir())) == 1


def test_another_output_is_noticed():
    assert agrees("a\n...\nc 1.2 s\n", "a\nb\nc 1.2 s\n")
    assert not agrees("a\n...\nc\n", "a\nb\nd\n")
