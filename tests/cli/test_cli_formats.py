"""What machines read: JSON, JUnit XML and SARIF of one run of the real command."""

import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import (
    COMMAND,
    DIVISORS,
    FEW_TURNS,
    GOOD,
    IN_SHELL,
    LINE_OF_VJP,
    LOOP,
    SHORT_OF,
    UNDEFINED,
    WRONG,
    environment,
    gradproof,
    sabotaged,
    write,
)

from gradproof.cli.arguments import UsageError
from gradproof.cli.outputs import check_outputs
from gradproof.theorems.statuses import Status

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
    assert f"product_of_all, jvp by x: proved, {FEW_TURNS}" in notes


@pytest.mark.parametrize(
    ("text", "summary", "said"),
    [
        (
            SHORT_OF,
            "Rests on proofs of limited scope: 2 proofs.",
            f"rests on '{DIVISORS}', proved only {FEW_TURNS}",
        ),
        (
            UNDEFINED,
            "Says nothing while what it rests on is not proved: 4 proofs.",
            f"says nothing while '{DIVISORS}' is not proved",
        ),
    ],
)
def test_what_a_proof_rests_on_is_for_machines_too(text, summary, said, tmp_path):
    write(tmp_path, op=text)
    outputs = ["--json", "out.json", "--junit", "out.xml", "--sarif", "out.sarif"]
    assert summary in gradproof("check", "op.py", *outputs, cwd=tmp_path).stdout
    (op,) = json.loads((tmp_path / "out.json").read_text("utf-8"))["ops"]
    assert [th["name"] for th in op["theorems"] if th["caveat"] == said] == [
        "jvp by x",
        "vjp x_bar",
    ]
    cases = ElementTree.parse(tmp_path / "out.xml").iter("testcase")
    assert sum(said in (case.findtext("system-out") or "") for case in cases) == 2
    (run,) = json.loads((tmp_path / "out.sarif").read_text("utf-8"))["runs"]
    notes = [r["message"]["text"] for r in run["results"] if r["level"] == "note"]
    assert f"double, vjp x_bar: proved, {said}" in notes


def test_a_file_name_that_is_no_text(tmp_path):
    name = os.fsdecode(b"odd\xff\x01.py")
    (tmp_path / name).write_text(WRONG, "utf-8")
    outputs = ["--json", "out.json", "--junit", "out.xml", "--sarif", "out.sarif"]
    assert gradproof("check", name, *outputs, cwd=tmp_path).returncode == 1
    assert "odd%FF%01.py" in (tmp_path / "out.sarif").read_text("utf-8")
    assert ElementTree.parse(tmp_path / "out.xml").getroot().get("failures") == "1"
    (op,) = json.loads((tmp_path / "out.json").read_text("utf-8"))["ops"]
    assert os.fsencode(op["file"]) == b"odd\xff\x01.py"


def check_schema(data: dict) -> None:
    """Schema 1, as docs/reference.md documents it."""
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
    assert all(isinstance(theorem[key], str) for key in (*TEXTS, "caveat", "mend"))
    assert theorem["status"] in list(Status)
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
    assert data["summary"] == {"proved": 16, "refuted": 1}


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
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("19", "1", "2")
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
    *_, note = json.loads((tmp_path / "s").read_text("utf-8"))["runs"][0]["results"]
    said = "unpad, vjp x_bar: proved, rests on 2 theorems not asked here"
    assert (note["level"], note["message"]["text"]) == ("note", said)


def test_a_file_that_is_written_is_never_half_written(folder):
    assert not list(folder.glob("*.part"))


@pytest.mark.parametrize("option", ["--json", "--junit"])
def test_what_goes_to_standard_output_is_utf_8_anywhere(option, tmp_path):
    write(tmp_path, good=GOOD)
    done = subprocess.run(
        [COMMAND, "check", "good.py", "--needed", option, "-", "--jobs", "1"],
        cwd=tmp_path,
        env=environment(PYTHONIOENCODING="latin-1"),
        capture_output=True,
        check=True,
    )
    assert "requires n ≥ 1" in done.stdout.decode("utf-8")


def test_where_there_is_no_standard_output_files_are_written(tmp_path):
    write(tmp_path, good=GOOD)
    command = f"exec {IN_SHELL} check good.py --jobs 1 --json out.json >&-"
    assert subprocess.run(["sh", "-c", command], cwd=tmp_path, check=False).returncode == 0
    check_schema(json.loads((tmp_path / "out.json").read_text("utf-8")))


def test_what_has_nowhere_to_go_is_told_at_once(tmp_path):
    """Nothing was written, and all was well."""
    write(tmp_path, good=GOOD)
    command = f"exec {IN_SHELL} check good.py --json - >&-"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "gradproof: standard output is closed; name a file instead of -\n"


@pytest.mark.parametrize(("shown", "status"), [(">/dev/full", 2), ("| true", 141)])
def test_files_are_written_though_nothing_can_be_shown(shown, status, tmp_path):
    """They were lost with what nobody read."""
    write(tmp_path, wrong=WRONG)
    command = f"{IN_SHELL} check wrong.py --jobs 1 --json out.json --save saved"
    line = f"set -o pipefail; {command} {shown}"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == status
    data = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert data["summary"] == {"refuted": 1, "proved": 7}
    assert (tmp_path / "saved" / "test_double_vjp_x_bar.py").exists()


def test_a_file_counts_once_however_it_is_named(tmp_path):
    write(tmp_path, good=GOOD)
    (tmp_path / "sub").mkdir()
    names = ("good.py", "./good.py", "sub/../good.py", tmp_path / "good.py")
    done = gradproof("check", *names, cwd=tmp_path)
    assert "8 theorems: 8 proved" in done.stdout


def test_an_op_that_a_file_lacks_is_told_of_a_file_that_is_there_as_a_whole(tmp_path):
    write(tmp_path, good=GOOD)
    done = gradproof("check", "good.py", "good.py::nope", cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no op 'nope' in it" in done.stderr


@pytest.mark.parametrize(
    ("names", "output", "status"),
    [("good.py broken.py", "out.json", 2), ("good.py", "- > out.json", 0)],
)
def test_files_are_written_though_nothing_can_be_told(names, output, status, tmp_path):
    write(tmp_path, good=GOOD, broken="1 / 0\n")
    line = f"{IN_SHELL} check {names} --jobs 1 --json {output} 2>/dev/full"
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, stdout=subprocess.DEVNULL)
    assert done.returncode == status
    data = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert data["summary"] == {"proved": 8}


def test_two_outputs_are_two_files(tmp_path):
    write(tmp_path, good=GOOD)
    done = gradproof("check", "good.py", "--json", "out", "--sarif", "./out", cwd=tmp_path)
    assert done.returncode == 2
    assert "--json and --sarif name the same file" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_that_nothing_can_be_written_in_is_told_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda place, _: place != tmp_path)
    with pytest.raises(UsageError, match="nothing can be written there"):
        check_outputs({}, str(tmp_path / "deep" / "saved"))
    check_outputs({"json": os.devnull}, None)


def test_the_files_of_long_names_are_shorter_and_differ(tmp_path):
    false = "".join(f'Claim("{"ü" * 300}{number}", Eq(n, 2)), ' for number in range(4))
    claims = f'    claims=({false}),\n    name="double"'
    write(tmp_path, long=GOOD.replace('    "double"', claims))
    done = gradproof("check", "long.py", "--json", "out.json", "--save", "saved", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    names = [path.name for path in (tmp_path / "saved").iterdir()]
    assert len(names) == 4
    assert all(len(name.encode()) < 255 for name in names)


def test_a_summary_says_that_all_is_as_expected_only_of_all(tmp_path):
    write(tmp_path, good=GOOD, broken="1 / 0\n")
    assert "all as expected" in gradproof("check", "good.py", cwd=tmp_path).stdout
    assert "expected" not in gradproof("check", "good.py", "broken.py", cwd=tmp_path).stdout
