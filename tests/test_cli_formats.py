"""What machines read: JSON, JUnit XML and SARIF of one run of the real command."""

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import FEW_TURNS, GOOD, LINE_OF_VJP, LOOP, WRONG, gradproof, sabotaged, write

from verify.verdicts import STATUSES

STRANGE = WRONG.replace(
    '    "double"', '    claims=(Claim("<&\\x01>", n >= 1),),\n    name="double"'
)
TEXTS = ("name", "kind", "statement", "expected", "status", "scope", "method", "note", "equation")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("formats")
    write(found, good=GOOD, strange=STRANGE, broken="1 / 0\n")
    names = ["good.py", "strange.py", "broken.py", "missing.py"]
    outputs = ["--json", "out.json", "--junit", "out.xml", "--sarif", "out.sarif"]
    done = gradproof("check", *names, *outputs, cwd=found)
    assert done.returncode == 2
    return found


def test_what_limits_a_proof_is_for_machines_too(tmp_path):
    write(tmp_path, loop=LOOP)
    outputs = ["--junit", "out.xml", "--sarif", "out.sarif"]
    assert gradproof("check", "loop.py", *outputs, cwd=tmp_path).returncode == 0
    cases = list(ElementTree.parse(tmp_path / "out.xml").iter("testcase"))
    said = [case.findtext("system-out") for case in cases]
    assert said.count(f"proved: {FEW_TURNS}") == 4
    assert "proved: all sizes" in said
    (run,) = json.loads((tmp_path / "out.sarif").read_text("utf-8"))["runs"]
    notes = [r["message"]["text"] for r in run["results"] if r["level"] == "note"]
    assert len(notes) == 4
    assert all(note.endswith(f"proved, {FEW_TURNS}") for note in notes)


def test_a_file_name_that_is_no_text(tmp_path):
    name = os.fsdecode(b"odd\xff.py")
    (tmp_path / name).write_text(GOOD, "utf-8")
    done = gradproof("check", name, "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 0
    (op,) = json.loads((tmp_path / "out.json").read_text("utf-8"))["ops"]
    assert os.fsencode(op["file"]) == b"odd\xff.py"


def check_schema(data: dict) -> None:
    """Schema 1, as the README documents it."""
    assert data["schema"] == 1
    assert isinstance(data["interrupted"], bool)
    assert all(isinstance(name, str) for name in data["unsettled"])
    for problem in data["problems"]:
        assert isinstance(problem["file"], str)
        assert isinstance(problem["message"], str)
        assert isinstance(problem["line"], int)
    for op in data["ops"]:
        assert isinstance(op["name"], str)
        assert isinstance(op["file"], str)
        assert isinstance(op["line"], int)
        for theorem in op["theorems"]:
            check_theorem(theorem)
    counted = [theorem["status"] for op in data["ops"] for theorem in op["theorems"]]
    assert data["summary"] == {status: counted.count(status) for status in set(counted)}


def check_theorem(theorem: dict) -> None:
    assert all(isinstance(theorem[key], str) for key in (*TEXTS, "mend"))
    assert theorem["status"] in STATUSES
    assert theorem["expected"] in ("proved", "refuted", "settled")
    assert all(isinstance(clause, str) for clause in (*theorem["given"], *theorem["rests_on"]))
    assert isinstance(theorem["seconds"], float)
    assert isinstance(theorem["line"], int)
    assert isinstance(theorem["as_expected"], bool)
    found = theorem["counterexample"]
    assert (found is not None) == (theorem["status"] == "refuted")
    if found is not None:
        assert {"rank", "sizes", "index", "values", "left", "right", "smallest"} <= set(found)


def test_json_keeps_to_its_schema(folder):
    data = json.loads((folder / "out.json").read_text("utf-8"))
    check_schema(data)
    assert [op["file"] for op in data["ops"]] == ["good.py", "strange.py"]
    assert [problem["file"] for problem in data["problems"]] == ["broken.py", "missing.py"]
    assert data["summary"] == {"proved": 18, "refuted": 1}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("summary"),
        lambda data: data.update(schema=2),
        lambda data: data["ops"][0]["theorems"][0].update(status="fine"),
        lambda data: data["ops"][0]["theorems"].pop(),
        lambda data: data["ops"][1]["theorems"][0].pop("counterexample"),
    ],
)
def test_the_schema_check_can_fail(spoil, folder):
    data = json.loads((folder / "out.json").read_text("utf-8"))
    spoil(data)
    with pytest.raises((AssertionError, KeyError)):
        check_schema(data)


def test_junit_counts_failures_and_errors(folder):
    root = ElementTree.fromstring((folder / "out.xml").read_bytes())
    assert root.tag == "testsuites"
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("21", "1", "2")
    failure = root.find(".//failure/..")
    assert failure is not None
    assert failure.get("name") == "vjp x_bar"
    assert failure.get("file") == "strange.py"
    assert "the rule gives" in failure[0].text
    for suite in root:
        assert int(suite.get("tests")) == len(suite.findall("testcase"))


def test_sarif_points_at_the_line_of_the_equation(folder):
    data = json.loads((folder / "out.sarif").read_text("utf-8"))
    assert data["version"] == "2.1.0"
    run = data["runs"][0]
    assert run["tool"]["driver"]["name"] == "gradproof"
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == {
        result["ruleId"] for result in run["results"]
    }
    places = {}
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        uri, line = place["artifactLocation"]["uri"], place["region"]["startLine"]
        places[uri] = (result["ruleId"], result["level"], line)
    assert places == {
        "strange.py": ("vjp", "error", LINE_OF_VJP + 1),
        "broken.py": ("definition", "error", 1),
        "missing.py": ("definition", "error", 1),
    }


def test_what_is_undecided_is_an_error_for_junit_and_a_warning_for_sarif(tmp_path):
    write(tmp_path, slow=sabotaged("raise KeyError"))
    outputs = ["--junit", "out.xml", "--sarif", "out.sarif", "--only", "jvp by x"]
    assert gradproof("check", "slow.py", *outputs, cwd=tmp_path).returncode == 3
    root = ElementTree.fromstring((tmp_path / "out.xml").read_bytes())
    assert (root.get("failures"), root.get("errors")) == ("0", "1")
    (found,) = json.loads((tmp_path / "out.sarif").read_text("utf-8"))["runs"][0]["results"]
    assert found["level"] == "warning"
    assert found["locations"][0]["physicalLocation"]["region"]["startLine"] == LINE_OF_VJP - 1


def test_the_suite_in_the_same_formats(tmp_path):
    done = gradproof(
        *("verify", "unpad", "--only", "vjp x_bar", "--json", "-", "--sarif", "s"), cwd=tmp_path
    )
    assert done.returncode == 0
    check_schema(json.loads(done.stdout))
    assert json.loads((tmp_path / "s").read_text("utf-8"))["runs"][0]["results"] == []


def test_a_file_that_is_written_is_never_half_written(folder):
    assert not list(folder.glob("*.part"))
