"""Verdicts that are kept: the same as settled ones, and never those of something else."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from pathlib import Path
from types import ModuleType

import pytest
from commands import COMMAND, GOOD, WRONG, environment, forked, sabotaged, write

from gradproof.cli import settling
from gradproof.cli.cache import Cache, KeptFirst
from gradproof.cli.main import main
from gradproof.cli.store import FILE, Store
from gradproof.cli.workers import health, keys, worker
from gradproof.cli.workers.contents import content, content_of
from gradproof.cli.workers.load import Unreadable, load
from gradproof.cli.workers.origins import Origin, is_same, state
from gradproof.cli.workers.supervisor import Lost
from gradproof.cli.workers.wire import Request, Target
from gradproof.language import (
    Claim,
    Eq,
    Op,
    Windows,
    array,
    axes,
    cotangent,
    exp,
    integers,
    scatter,
    tangent,
    winner,
    zero_padded,
)
from gradproof.language.terms import Add, Array, Mul, Sym
from gradproof.settle.check import Finding, labelled
from gradproof.settle.suite import tasks

FROM_CACHE = "from the cache"


# The content of a definition: each part of it counts.

C, c, d = integers("C c d")
n, i, k, j = axes("n i k j")
x, y, w = array("x", C, n), array("y", C, n), array("w", C)
false = Claim("false", Eq(n, k), refuted={n: 2, k: 1}, twin="true")
true = Claim("true", Eq(n, k), given=(Eq(n, k),))
truer = replace(true, name="so", given=(n <= k,))
more = Claim("more", n >= k, given=(Eq(k, 1),), symbols=(d,), without=(n >= 1,))
u = array("u", *x.dims)
KEPT, KEPT_DOT = Eq(u[c, i], x[c, i]), Eq(tangent(u)[c, i], tangent(x)[c, i])
BASE = Op(
    "base",
    requires=(n >= 1, k >= 1),
    windows=(Windows(count=n, size=n, extent=k, stride=k, rounding="floor"),),
    constants=(w,),
    forward=Eq(y[c, i], 2 * x[c, i] + w[c]),
    jvp=Eq(tangent(y)[c, i], 2 * tangent(x)[c, i]),
    vjp=(
        Eq(cotangent(x)[c, i], 2 * cotangent(y)[c, i]),
        Eq(cotangent(x, "b")[c, i], cotangent(y)[c, i] * 2),
    ),
    claims=(false, true, truer, more),
)


def claims(**changes):
    return replace(BASE, claims=(false, true, truer, replace(more, **changes)))


def expected(**changes):
    return replace(BASE, claims=(replace(false, **changes), true, truer, more))


def windows(**changes):
    return replace(BASE, windows=(replace(BASE.windows[0], **changes),))


CHANGED = {
    "name": replace(BASE, name="other"),
    "constant in forward": replace(BASE, forward=Eq(y[c, i], 3 * x[c, i] + w[c])),
    "order in forward": replace(BASE, forward=Eq(y[c, i], w[c] + 2 * x[c, i])),
    "operator": replace(BASE, forward=Eq(y[c, i], 2 / x[c, i] + w[c])),
    "padded read": replace(BASE, forward=Eq(y[c, i], 2 * zero_padded(x)[c, i] + w[c])),
    "jvp": replace(BASE, jvp=Eq(tangent(y)[c, i], tangent(x)[c, i] * 2)),
    "vjp": replace(BASE, vjp=(Eq(cotangent(x)[c, i], cotangent(y)[c, i]), BASE.vjp[1])),
    "order of vjp": replace(BASE, vjp=BASE.vjp[::-1]),
    "one vjp less": replace(BASE, vjp=BASE.vjp[:1]),
    "requires": replace(BASE, requires=(n >= 1, k >= 2)),
    "relation": replace(BASE, requires=(n >= 1, k > 1)),
    "order of requires": replace(BASE, requires=(k >= 1, n >= 1)),
    "one clause less": replace(BASE, requires=(n >= 1,), windows=(), claims=()),
    "windows": replace(BASE, windows=()),
    "count": windows(count=C),
    "size": windows(size=n + 1),
    "extent": windows(extent=k + 1),
    "stride": windows(stride=1),
    "rounding": windows(rounding="ceil"),
    "within": windows(rounding="ceil", within=n),
    "ties": replace(BASE, ties="any"),
    "let": replace(BASE, let=(KEPT,), forward=Eq(y[c, i], 2 * u[c, i] + w[c])),
    "another let": replace(
        BASE, let=(Eq(u[c, i], 1 * x[c, i]),), forward=Eq(y[c, i], 2 * u[c, i] + w[c])
    ),
    "no jvp": replace(BASE, jvp=()),
    "no vjp": replace(BASE, vjp=()),
    "a second output": replace(BASE, forward=(BASE.forward, KEPT), jvp=(BASE.jvp, KEPT_DOT)),
    "a scope that is enough": replace(BASE, scope="4 turns"),
    "one claim less": replace(BASE, claims=(false, true, truer)),
    "order of claims": replace(BASE, claims=(more, false, true, truer)),
    "claim's name": claims(name="more'1"),
    "claim's statement": claims(statement=n > k),
    "claim's hypothesis": claims(given=(Eq(k, 2),)),
    "no hypothesis": claims(given=()),
    "claim's symbols": claims(symbols=()),
    "claim's clause left out": claims(without=(k >= 1,)),
    "a pinned size": expected(refuted={n: 3, k: 1}),
    "what is pinned": expected(refuted={n: 2}),
    "expected": expected(refuted=None, twin=""),
    "twin": expected(twin="so"),
    "why a claim is kept": expected(why="it is often made"),
}


@pytest.mark.parametrize("part", CHANGED)
def test_each_part_of_a_definition_is_in_its_content(part):
    assert content(CHANGED[part]) != content(BASE)
    assert content(BASE)


def test_all_these_definitions_differ():
    assert len({content(op) for op in (BASE, *CHANGED.values())}) == len(CHANGED) + 1


def test_every_field_of_a_definition_is_tried():
    """A field that is added needs a change above."""
    assert [f.name for f in fields(Op)] == [
        *("name", "forward", "jvp", "vjp", "requires", "windows", "constants", "claims"),
        *("ties", "let", "scope", "doc"),
    ]
    names = [f.name for f in fields(Claim)]
    assert names == [
        *("name", "statement", "given", "symbols", "without", "refuted", "twin", "why"),
    ]
    names = [f.name for f in fields(Windows)]
    assert names == ["count", "size", "extent", "stride", "rounding", "within"]


m = integers("m")
PAIRS = [
    (Sym("a", "integer"), Sym("b", "integer")),
    (Sym("a", "integer"), Sym("a", "real")),
    (Sym("a", "integer", 0), Sym("a", "integer", 1)),
    (Array("x", (m,)), Array("x", (m + 1,))),
    (Array("x", (m,)), Array("x", (m, m))),
    (Array("x", (m,)), Array("x", ())),
    (Array("x", (m,)), Array("y", (m,))),
    (Array("x", (m,), "tangent", "y"), Array("x", (m,), "cotangent", "y")),
    (Array("x", (m,), "tangent", "y"), Array("x", (m,), "tangent", "z")),
    (array("x", m)[m], zero_padded(array("x", m))[m]),
    (m + 1, m * 1),
    (Add(m, 1), Add(1, m)),
    (Add(m, Add(m, 1)), Add(Add(m, m), 1)),
    (Mul(2, m), Mul(3, m)),
    (1, True),
    (1, "1"),
    ((1, 2), [1, 2]),
    ((1, (2,)), (1, 2)),
    ((m, "a b"), (m, "a", "b")),
    ({m: 1}, {m: 2}),
    (None, "null"),
    (Sym("p'1") + Sym("q'2"), Sym("p'1") + Sym("q'1")),
    (Sym("p'1") + Sym("q'1"), Sym("q'1") + Sym("p'1")),
    ("p'1", "p'2"),
    (winner(m, exp(m), (m, 0, 1)), winner(m, exp(m), (m, 0, 1), tie="last")),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_what_differs_has_another_content(one, other):
    assert content(one) != content(other)


def test_numbers_that_a_run_made_up_are_told_apart_but_not_named():
    assert content(Sym("p'7") + Sym("q'9")) == content(Sym("p'1") + Sym("q'2"))


@pytest.mark.parametrize("value", [0.5, {1}, object(), type("Mine", (Sym,), {})("a"), lambda: 1])
def test_what_may_mean_anything_has_no_content(value):
    assert content(value) == ""


def asked(op):
    theorems = [theorem for theorem, _ in tasks(op)]
    labels = [labelled(op.name, theorem, Finding("unknown")) for theorem in theorems]
    whole = content(op)
    return [
        (theorem, content_of(number, theorem, label, op.name, whole))
        for number, (theorem, label) in enumerate(zip(theorems, labels, strict=True))
    ]


def doubled(size, place, constants=(), **more):
    """An op of the same names whatever they are of."""
    x, y, w = array("x", size), array("y", size), array("w", size)
    read = w[place] if constants else 0
    known = {
        "requires": (size >= 1,),
        "forward": Eq(y[place], 2 * x[place] + read),
        "jvp": Eq(tangent(y)[place], 2 * tangent(x)[place]),
        "vjp": Eq(cotangent(x)[place], 2 * cotangent(y)[place]),
        "constants": (w,) if constants else (),
    }
    return Op("doubled", **known | more)


N, place = integers("n i")
x1, y1 = array("x", N), array("y", N)
SHAPED = {
    "a bundle": doubled(n, i),
    "a shape": doubled(N + 1, place, requires=(N >= 1,)),
    "a constant": doubled(N, place, constants=True),
    "a scatter": doubled(
        N,
        place,
        vjp=scatter(cotangent(x1)[place], 2 * cotangent(y1)[place], (place, 0, N - 1)),
    ),
}


@pytest.mark.parametrize("part", SHAPED)
def test_what_arrays_and_symbols_are_is_in_every_theorem(part):
    """Though all names are the same."""
    base = doubled(N, place)
    assert content(SHAPED[part]) != content(base)
    before = {found: theorem for theorem, found in asked(base)}
    shared = [(theorem, before[h]) for theorem, h in asked(SHAPED[part]) if h in before]
    assert all(theorem == other for theorem, other in shared)
    speaking = ("needed", "vjp", "jvp", "in bounds", "satisfiable")
    kept = {"a scatter": ("jvp", "in bounds", "satisfiable"), "a constant": speaking[2:]}
    assert {theorem.kind for theorem, _ in shared} <= {"linear", *kept.get(part, ())}


@pytest.mark.parametrize("part", CHANGED)
def test_theorems_of_one_content_are_one_theorem(part):
    """Terms that are equal are identical: so are theorems, but for what a run made up."""
    before = {found: theorem for theorem, found in asked(BASE)}
    after = asked(CHANGED[part])
    assert all(found for _, found in after)
    assert {found for _, found in after} != set(before)
    for theorem, found in after:
        if found in before:
            assert theorem.kind != "needed"
            assert theorem == before[found]


def test_where_one_rule_changes_only_what_speaks_of_it_is_settled_again():
    before = {found for _, found in asked(BASE)}
    again = [theorem for theorem, found in asked(CHANGED["jvp"]) if found not in before]
    assert {theorem.kind for theorem in again} == {"needed", "linear", "jvp"}


TABLE = """\
import sys, test_cache
from gradproof import specs
names = sys.argv[1:]
print({name: [found for _, found in test_cache.asked(getattr(specs, name))] for name in names})
"""


def test_contents_are_the_same_in_every_process():
    """Whatever was built before, and whatever the order of sets."""
    names = ["max_pool", "global_avg_pool2d", "conv_transpose"]

    def table(seed, *order):
        done = subprocess.run(
            [sys.executable, "-c", TABLE, *order],
            cwd=Path(__file__).parent,
            env=environment(PYTHONHASHSEED=seed, PYTHONPATH=str(Path(__file__).parents[1])),
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        return eval(done.stdout)

    found = table("1", *names)
    assert found == table("2", *reversed(names))
    every = [each for name in names for each in found[name]]
    assert len(set(every)) == len(every)


# What a file's definitions depend on.

PLAIN = "from gradproof.language import *\n"


def origin_of(folder: Path, name: str = "op.py") -> Origin:
    origin = Origin()
    load(folder / name, origin=origin)
    return origin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "import math, fractions\nfrom functools import cache\n",
        "from gradproof.specs import unpad\n",
        "from gradproof.specs.geometry import *\n",
        "from gradproof import language\n",
        "from gradproof.graphs import Conv2d, Graph\n",
        "double = lambda a: [2 * b for b in a]\nclass Two:\n    value = 2\n",
    ],
)
def test_what_builds_terms_alone_is_plain(text, tmp_path):
    (tmp_path / "op.py").write_text(PLAIN + text + GOOD, "utf-8")
    origin = origin_of(tmp_path).as_dict()
    assert list(origin["files"]) == [str(tmp_path / "op.py")]
    assert keys.is_unchanged(origin["files"], origin["absent"], origin["times"])


REACHING = [
    "import os\n",
    "from os import environ\n",
    "import time\n",
    "import random\n",
    "import datetime\n",
    "import pathlib\n",
    "import sys\n",
    "import numpy\n",
    "import sympy\n",
    "import gradproof\n",
    "import gradproof.prove.tactics.proving\n",
    "from gradproof.prove.tactics import proving\n",
    "import gradproof.graphs\n",
    "from gradproof.graphs import composing\n",
    "from gradproof.graphs.nodes import Node\n",
    "from gradproof.prove.tactics.proving import prove\n",
    "import importlib\n",
    "try:\n    import missing\nexcept ImportError:\n    pass\n",
    "def late():\n    import os\n",
    "read = open\n",
    "os = __import__('os')\n",
    "os = eval('1')\n",
    "exec('import os')\n",
    "names = globals()\n",
    "number = id(3)\n",
    "number = hash('a')\n",
    "for name in {'a', 'b'}:\n    pass\n",
    "names = set('ab')\n",
    "names = frozenset('ab')\n",
    "names = {a for a in 'ab'}\n",
    "print('loading')\n",
    "kinds = int.__subclasses__()\n",
    "import math\nmath.pi = 3\nmath.pi = 3.141592653589793\n",
]


@pytest.mark.parametrize("text", REACHING)
def test_what_reaches_beyond_its_file_is_not_plain(text, tmp_path):
    (tmp_path / "op.py").write_text(text + GOOD, "utf-8")
    assert origin_of(tmp_path).as_dict() is None


@pytest.mark.parametrize("text", REACHING)
def test_nor_is_a_file_that_imports_it(text, tmp_path):
    (tmp_path / "helper.py").write_text(text, "utf-8")
    (tmp_path / "op.py").write_text("import helper\n" + GOOD, "utf-8")
    assert origin_of(tmp_path).as_dict() is None


def holds(origin: Origin) -> bool:
    found = origin.as_dict()
    return keys.is_unchanged(found["files"], found["absent"], found["times"])


@pytest.fixture
def project(tmp_path):
    """A definition with helpers: beside it, in a package, and of the helper's own."""
    write(tmp_path, helper="from deeper import FACTOR\n", deeper="FACTOR = 2\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "part.py").write_text("ONE = 1\n")
    text = "from helper import FACTOR\nfrom package.part import ONE\n"
    (tmp_path / "op.py").write_text(text + GOOD.replace("2 * co", "FACTOR * ONE * co"), "utf-8")
    return tmp_path


FILES = ["op.py", "helper.py", "deeper.py", "package/__init__.py", "package/part.py"]


def test_all_files_of_the_project_are_noted(project):
    origin = origin_of(project)
    assert holds(origin)
    assert set(origin.files) == {str(project / name) for name in FILES}


@pytest.mark.parametrize("name", FILES)
def test_a_change_to_any_file_is_seen(name, project):
    """Also one that keeps size and time."""
    origin = origin_of(project)
    path = project / name
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    text = path.read_text("utf-8")
    path.write_text(text[:-1] + " ", "utf-8")
    os.utime(path, ns=times)
    assert not holds(origin)
    path.unlink()
    assert not holds(origin)


@pytest.mark.parametrize(
    "path", ["helper/__init__.py", "helper.so", "package.py", "package/part/x", "__init__.py"]
)
def test_what_would_be_imported_instead_is_seen(path, project):
    origin = origin_of(project)
    assert holds(origin)
    (project / path).parent.mkdir(exist_ok=True)
    (project / path).write_text("")
    assert not holds(origin)


def test_what_would_come_first_on_the_path_is_seen(project, tmp_path_factory, monkeypatch):
    earlier = tmp_path_factory.mktemp("earlier")
    monkeypatch.syspath_prepend(earlier)
    origin = origin_of(project)
    assert holds(origin)
    (earlier / "deeper.py").write_text("FACTOR = 3\n")
    assert not holds(origin)


def test_a_definition_is_of_the_text_that_is_hashed(project):
    """SOUNDNESS: of two texts of one size and second, Python takes the compiled one."""
    import compileall

    path = project / "deeper.py"
    compileall.compile_file(str(path), quiet=2)
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    path.write_text("FACTOR = 3\n")
    os.utime(path, ns=times)
    found = load(project / "op.py")[0].op
    path.write_text("FACTOR = 2\n")
    assert content(found) != content(load(project / "op.py")[0].op)


def test_a_package_without_a_file_is_not_plain(project):
    (project / "package" / "__init__.py").unlink()
    assert origin_of(project).as_dict() is None


def test_a_module_that_is_missing_is_told_as_ever(tmp_path):
    (tmp_path / "op.py").write_text("import nowhere\n" + GOOD, "utf-8")
    with pytest.raises(Unreadable, match="No module named 'nowhere'"):
        origin_of(tmp_path)


# What settles.


def test_every_byte_and_name_of_the_sources_counts(tmp_path):
    def sources():
        return keys.sources(tmp_path)

    (tmp_path / "a.py").write_text("1")
    assert sources() == "", "it is no package that could be read"
    (tmp_path / "__init__.py").write_text("")
    found = [sources()]
    (tmp_path / "a.py").write_text("2")
    found.append(sources())
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    found.append(sources())
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "c.py").write_text("")
    found.append(sources())
    (tmp_path / "notes.txt").write_text("")
    assert sources() == found[-1]
    assert len(set(found)) == len(found)


def test_the_tool_is_its_sources_its_solvers_and_settings(monkeypatch, tmp_path):
    found = [keys.tool()]
    monkeypatch.setenv("PYTHONOPTIMIZE", "1")
    found.append(keys.tool())
    for package in keys.SOLVERS:
        monkeypatch.setattr(keys, "version", lambda name, p=package: "9" if name == p else "1")
        found.append(keys.tool())
    (tmp_path / "__init__.py").write_text("")
    monkeypatch.setattr(keys, "TOOL", tmp_path)
    found.append(keys.tool())
    monkeypatch.setattr(sys, "version_info", (3, 99, 0))
    found.append(keys.tool())
    assert len(set(found)) == len(found)


@contextmanager
def restored(owner, name) -> Iterator[None]:
    value = getattr(owner, name)
    try:
        yield
    finally:
        setattr(owner, name, value)


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("", True),
        ("import os, numpy\n", True),
        ("from gradproof import verify, forward\n", True),
        ("import z3\n", False),
        ("import sympy\n", False),
        ("import gradproof.settle.check\n", False),
        ("from gradproof.settle import check\n", False),
        ("import gradproof\n", False),
        ("def late():\n    from gradproof.settle.check import BOX\n", False),
        ("from gradproof.language import Op\nOp.doc = ''\nOp.doc = '' + ''.join('a')\n", False),
    ],
)
@pytest.mark.parametrize("where", ["op", "helper", "package"])
def test_what_may_change_the_kernel_is_seen(text, harmless, where, tmp_path):
    write(tmp_path, op=GOOD)
    if where == "op":
        write(tmp_path, op=text + GOOD)
    elif where == "helper":
        write(tmp_path, helper=text, op="import helper\n" + GOOD)
    else:
        write(tmp_path, __init__="", helper=text, op="from . import helper\n" + GOOD)
    with restored(Op, "doc"):
        assert origin_of(tmp_path).is_harmless == harmless


def test_a_kernel_that_was_changed_is_seen():
    from gradproof.language.terms import Sum
    from gradproof.prove.tactics import proving
    from gradproof.settle import check

    before = state()
    assert is_same(before, state())
    for owner, name in ((proving, "prove"), (check, "RANKS"), (Sum, "sort"), (Op, "rule")):
        before = state()
        with restored(owner, name):
            setattr(owner, name, "changed")
            assert not is_same(before, state())
    before = state()
    proving.len = lambda _: 0
    try:
        assert not is_same(before, state())
    finally:
        del proving.len


def test_a_worker_answers_for_itself_with_room_and_the_solvers_that_it_knows(monkeypatch):
    healthy = health.Health()
    monkeypatch.setattr(health, "most_megabytes", lambda: 300.0)
    healthy.begin(4096)
    assert healthy.tool == keys.tool()
    healthy.megabytes = 1
    assert healthy.tool == "", "Z3 may have met its limit"
    healthy.megabytes = 4096
    with pytest.raises(ZeroDivisionError), healthy.watching(Origin()):
        1 / 0  # noqa: B018  # for what it raises
    assert healthy.tool
    changed = Origin()
    changed.is_harmless = False
    with healthy.watching(changed):
        pass
    with healthy.watching(Origin()):
        pass
    assert healthy.tool == "", "for good"


@pytest.mark.parametrize("package", health.SOLVERS)
def test_a_solver_in_the_place_of_another_is_seen(package, monkeypatch, tmp_path):
    own = health.SOLVERS[package]
    other = ModuleType(own.__name__)
    other.__file__ = str(tmp_path / own.__name__ / "__init__.py")
    monkeypatch.setitem(health.SOLVERS, package, other)
    changed = health.Health()
    changed.begin(4096)
    assert changed.tool == ""


# Finding and keeping.


@pytest.fixture
def cache(tmp_path):
    return Cache(Store(tmp_path / "cache"))


FILE_TARGET = Target("nowhere/op.py")
ORIGIN = {"files": {}, "absent": [], "times": {}}


def described(cache, **changes):
    op = {"name": "double", "contents": ["a", "b"], "content": "whole"}
    op["theorems"] = [{"name": "first"}, {"name": "second"}]
    origin = ORIGIN | {"suite": cache.suite}
    return {"ops": [op], "problems": [], "origin": origin, "tool": cache.tool} | changes


def settled(cache, **changes):
    verdict = {"status": "proved", "note": ""}
    found = {"verdict": verdict, "content": "a", "op_content": "whole", "tool": cache.tool}
    return found | changes


DESCRIBE = Request("describe", FILE_TARGET)
SETTLE = Request("settle", FILE_TARGET, "double", 0)


def test_what_was_kept_is_found(cache):
    assert cache.find(DESCRIBE) is None
    cache.keep(DESCRIBE, described(cache))
    assert cache.find(DESCRIBE)["ops"] == described(cache)["ops"]
    assert cache.find(SETTLE) is None
    cache.keep(SETTLE, settled(cache))
    assert cache.find(SETTLE)["verdict"] == {"status": "proved", "note": ""}
    assert cache.find(replace(SETTLE, number=1)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"tool": ""},
        {"tool": "another"},
        {"verdict": {"status": "error", "note": ""}},
        {"verdict": {"status": "unknown", "note": "Z3Exception: out of memory"}},
        {"content": ""},
    ],
)
def test_what_might_be_otherwise_is_not_kept(changes, cache):
    cache.keep(DESCRIBE, described(cache))
    cache.keep(SETTLE, settled(cache, **changes))
    assert cache.find(SETTLE) is None


@pytest.mark.parametrize(
    "answer", [Lost("took longer than 1 s", 1.0), Lost("died"), {"failed": "no", "trace": ""}]
)
def test_what_was_not_answered_is_not_kept(answer, cache):
    cache.keep(DESCRIBE, described(cache))
    for do in ("describe", "settle", "teach", "mend"):
        cache.keep(replace(SETTLE, do=do), answer)
        assert cache.find(replace(SETTLE, do=do)) is None or do == "describe"


def test_a_verdict_is_kept_by_what_was_settled_not_by_what_was_asked(cache):
    """A file may be edited after its theorems were listed."""
    cache.keep(DESCRIBE, described(cache))
    cache.keep(SETTLE, settled(cache, content="edited"))
    assert cache.find(SETTLE) is None


@pytest.mark.parametrize(
    "changes", [{"limit": 7}, {"ranks": (1,)}, {"op": "other"}, {"target": Target("other.py")}]
)
def test_another_question_has_another_answer(changes, cache):
    cache.keep(DESCRIBE, described(cache))
    cache.keep(SETTLE, settled(cache))
    assert cache.find(replace(SETTLE, **changes)) is None


def test_an_answer_with_a_second_opinion_is_not_kept(cache):
    """The clock has a hand in it."""
    cache.keep(DESCRIBE, described(cache))
    cache.keep(replace(SETTLE, second=True), settled(cache))
    assert cache.find(SETTLE) is None


class Asked:
    """In the place of workers: what they are asked."""

    def __init__(self):
        self.requests = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, key, request, seconds, urgency):
        self.requests.append(request)


def test_of_a_kept_verdict_only_the_second_opinion_is_asked(cache):
    cache.keep(DESCRIBE, described(cache))
    cache.keep(SETTLE, settled(cache))
    workers = Asked()
    with KeptFirst(cache, lambda: workers) as pool:
        for number in (0, 1):
            asked = replace(SETTLE, number=number, second=True)
            pool.submit(asked, asdict(asked), 1, 0)
    assert not pool.ready
    assert [r["verdict"] for r in workers.requests] == [settled(cache)["verdict"], None]


def test_a_worker_that_is_given_a_verdict_asks_the_other_solver_alone(monkeypatch):
    described = worker.answer(Request("describe", Target("", "unpad")))["ops"][0]
    number = next(n for n, th in enumerate(described["theorems"]) if th["kind"] == "vjp")
    asked = Request("settle", Target("", "unpad"), "unpad", number, described["definition"])
    kept = worker.answer(asked)["verdict"]
    assert any(q["answer"] == "unsat" for q in kept["queries"])
    monkeypatch.setattr(worker, "run", lambda *_: pytest.fail("settled again"))
    found = worker.answer(replace(asked, verdict=kept, second=True))["verdict"]
    assert all(q["second"] == "unsat" for q in found["queries"] if q["answer"] == "unsat")
    without = tuple(q | {"second": ""} for q in found["queries"])
    assert found | {"queries": without} == kept


def test_a_lesson_is_of_a_verdict_and_of_a_definition(cache):
    cache.keep(DESCRIBE, described(cache))
    teach = replace(SETTLE, do="teach", verdict={"status": "refuted", "seconds": 1})
    cache.keep(teach, settled(cache, lesson={"text": []}))
    assert cache.find(teach)["lesson"] == {"text": []}
    assert cache.find(replace(teach, verdict={"status": "refuted", "seconds": 2}))
    assert cache.find(replace(teach, verdict={"status": "proved", "seconds": 1})) is None
    assert cache.find(replace(teach, do="mend")) is None
    other = described(cache)
    other["ops"][0]["content"] = "edited"
    cache.keep(DESCRIBE, other)
    assert cache.find(teach) is None


@pytest.mark.parametrize(
    "origin",
    [
        None,
        ORIGIN | {"suite": "another"},
        ORIGIN | {"suite": "", "files": {"nowhere": "0"}},
        ORIGIN | {"suite": "", "absent": [__file__]},
        ORIGIN | {"suite": "", "times": {__file__: 0}},
    ],
)
def test_a_file_of_which_something_is_not_as_it_was_is_loaded(origin, cache):
    if origin and not origin["suite"]:
        origin = origin | {"suite": cache.suite}
    cache.keep(DESCRIBE, described(cache, origin=origin))
    assert cache.find(DESCRIBE) is None


def test_another_tool_finds_nothing(cache, monkeypatch, tmp_path):
    cache.keep(DESCRIBE, described(cache))
    cache.keep(SETTLE, settled(cache))
    cache.store.close()
    (tmp_path / "verify").mkdir()
    (tmp_path / "verify" / "__init__.py").write_text("")
    monkeypatch.setattr(keys, "TOOL", tmp_path / "verify")
    other = Cache(Store(tmp_path / "cache"))
    assert other.find(DESCRIBE) is None
    other.learn(DESCRIBE, described(other))
    assert other.find(SETTLE) is None


# The command.


def command(folder: Path, *arguments: object, home: str = "cache", **changed: str):
    """Forked, with a cache in the folder, unless a file is in its place."""
    jobs = () if arguments[0] == "cache" else ("--jobs", "1")
    known = {"GRADPROOF_CACHE": str(folder / home)} | changed
    return forked("command", [*map(str, arguments), *jobs], folder, **known)


@pytest.fixture
def unasked(monkeypatch):
    """No worker may be started."""

    def refused(*_):
        raise AssertionError("a worker is started")

    monkeypatch.setattr(settling, "Pool", refused)


def test_a_second_run_says_the_same_without_a_worker(tmp_path, monkeypatch, request, capsys):
    """In every format, with lessons, mends and reproductions."""
    divided = GOOD.replace("n >= 1,", "n >= 1, k >= 0").replace("2 *", "1 / k *")
    divided = divided.replace("\n\ndouble", '\nk = integers("k")\n\ndouble')
    divided, wrong = divided.replace("double", "divided"), WRONG.replace("double", "wrong")
    write(tmp_path, good=GOOD, wrong=wrong, divided=divided)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRADPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("signal.signal", lambda *_: None)

    def run(folder):
        Path(folder).mkdir()
        files = {name: f"{folder}/out.{name}" for name in ("json", "junit", "sarif")}
        options = [part for name, path in files.items() for part in (f"--{name}", path)]
        status = main(
            ["check", "good.py", "wrong.py", "divided.py", *options, "--save", f"{folder}/saved"]
        )
        shown = capsys.readouterr().out.replace(folder, "FOLDER").splitlines()
        found = {
            str(path.relative_to(folder)): path.read_text("utf-8")
            for path in sorted(Path(folder).rglob("*.*"))
        }
        return status, shown, found

    cold = run("cold")
    request.getfixturevalue("unasked")
    warm = run("warm")
    assert cold[0] == warm[0] == 1
    assert cold[2] == warm[2]
    assert sum("saved" in name for name in cold[2]) > 1
    assert "With k ≥ 1 in requires it is proved for " in "\n".join(warm[1])
    theorems = json.loads(cold[2]["out.json"])["ops"][0]["theorems"]
    assert sum(theorem["seconds"] for theorem in theorems) > 0
    ends = [n for n, line in enumerate(cold[1]) if "theorems:" in line or line[:2] in ("✓ ", "✗ ")]
    assert [line for n, line in enumerate(cold[1]) if n not in ends] == [
        line for n, line in enumerate(warm[1]) if n not in ends
    ]
    total = sum(len(op["theorems"]) for op in json.loads(cold[2]["out.json"])["ops"])
    assert f"{total} {FROM_CACHE}" in warm[1][ends[-1]]
    assert f"{total} {FROM_CACHE}" not in cold[1][ends[-1]]


def test_after_an_edit_only_what_changed_is_settled(tmp_path):
    write(tmp_path, op=GOOD)
    assert FROM_CACHE not in command(tmp_path, "check", "op.py").stdout
    write(tmp_path, op=WRONG)
    done = command(tmp_path, "check", "op.py")
    assert done.returncode == 1
    assert "8 theorems: 7 proved, 1 refuted" in done.stdout
    assert f"s, 6 {FROM_CACHE}" in done.stdout
    write(tmp_path, op="\n\n" + GOOD)
    done = command(tmp_path, "check", "op.py")
    assert done.returncode == 0
    assert "   op.py:8\n" in done.stdout
    assert f"s, 8 {FROM_CACHE}" in done.stdout


def test_a_changed_helper_is_never_missed(tmp_path):
    write(tmp_path, op="from helper import *\n" + GOOD.replace("2 * co", "FACTOR * co"))
    for factor, status in ((2, 0), (3, 1), (2, 0)):
        write(tmp_path, helper=f"FACTOR = {factor}\n")
        os.utime(tmp_path / "helper.py", (1, 1))
        assert command(tmp_path, "check", "op.py").returncode == status


def test_what_a_file_reads_is_never_missed(tmp_path):
    start = "import os\nFACTOR = int(os.environ['FACTOR'])\n"
    write(tmp_path, op=start + GOOD.replace("2 * co", "FACTOR * co"))
    for factor, status in (("2", 0), ("3", 1), ("2", 0)):
        done = command(tmp_path, "check", "op.py", FACTOR=factor)
        assert done.returncode == status, done.stdout
    assert f"8 {FROM_CACHE}" in done.stdout, "the definition is known, though its file is loaded"


def test_verdicts_of_a_kernel_that_a_file_changed_are_not_kept(tmp_path):
    """Nor those of other files that the same worker has loaded."""
    write(tmp_path, bad=sabotaged("raise ValueError"), good=GOOD)
    done = command(tmp_path, "check", "bad.py", "good.py")
    assert done.stdout.count("ValueError") == 2
    assert done.returncode == 3
    again = command(tmp_path, "check", "good.py")
    assert again.returncode == 0
    assert FROM_CACHE not in again.stdout


def test_two_runs_at_once_find_and_keep_the_same(tmp_path):
    write(tmp_path, op=GOOD)
    known = environment(GRADPROOF_CACHE=str(tmp_path / "cache"))
    started = [
        subprocess.Popen(
            [COMMAND, "check", "op.py", "--jobs", "1"],
            cwd=tmp_path,
            env=known,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    for each in started:
        _, said = each.communicate(timeout=300)
        assert (each.returncode, said) == (0, b"")
    assert f"8 {FROM_CACHE}" in command(tmp_path, "check", "op.py").stdout


@pytest.mark.parametrize("home", ["cache/is/file", "/proc/cache"])
def test_where_nothing_can_be_kept_one_line_says_so(home, tmp_path):
    (tmp_path / "cache").write_text("")
    write(tmp_path, op=GOOD)
    done = command(tmp_path, "check", "op.py", home=home)
    assert done.returncode == 0
    assert done.stderr.startswith("gradproof: verdicts are not kept: ")
    assert done.stderr.count("\n") == 1


def test_a_damaged_cache_is_told_and_cleared(tmp_path):
    write(tmp_path, op=GOOD)
    command(tmp_path, "check", "op.py")
    (tmp_path / "cache" / FILE).write_bytes(b"damaged" * 1000)
    done = command(tmp_path, "check", "op.py")
    assert done.returncode == 0
    assert "verdicts are not kept" in done.stderr
    assert "gradproof cache --clear" in command(tmp_path, "cache").stdout
    assert "Cleared" in command(tmp_path, "cache", "--clear").stdout
    assert not command(tmp_path, "check", "op.py").stderr
    assert f"8 {FROM_CACHE}" in command(tmp_path, "check", "op.py").stdout


LIMITED = """\
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
from gradproof.__main__ import main
sys.exit(main())
"""


def test_a_full_disk_is_no_error(tmp_path):
    write(tmp_path, op=GOOD)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "check", "op.py", "--jobs", "1"],
        cwd=tmp_path,
        env=environment(GRADPROOF_CACHE=str(tmp_path / "cache")),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "8 proved; all as expected" in done.stdout
    assert "verdicts are not kept" in done.stderr


def test_without_the_cache_nothing_is_read_or_kept(tmp_path):
    write(tmp_path, op=GOOD)
    assert command(tmp_path, "check", "op.py", "--no-cache").returncode == 0
    assert not (tmp_path / "cache").exists()
    command(tmp_path, "check", "op.py")
    assert FROM_CACHE not in command(tmp_path, "check", "op.py", "--no-cache").stdout


def test_with_the_cache_alone_a_missing_verdict_fails(tmp_path):
    write(tmp_path, op=GOOD)
    done = command(tmp_path, "check", "op.py", "--cache-only")
    assert done.returncode == 4
    assert "gradproof: double::requires can be met is not in the cache" in done.stderr
    assert not (tmp_path / "cache").exists()
    command(tmp_path, "check", "op.py")
    assert command(tmp_path, "check", "op.py", "--cache-only").returncode == 0
    write(tmp_path, op=WRONG)
    assert command(tmp_path, "check", "op.py", "--cache-only").returncode == 4
    command(tmp_path, "check", "op.py")
    done = command(tmp_path, "check", "op.py", "--cache-only")
    assert done.returncode == 1
    assert "the rule gives" in done.stdout


def test_the_cache_alone_needs_one(tmp_path):
    write(tmp_path, op=GOOD)
    done = command(tmp_path, "check", "op.py", "--cache-only", GRADPROOF_CACHE="")
    assert done.returncode == 2
    assert "there is no cache where GRADPROOF_CACHE is empty" in done.stderr


def test_with_the_cache_alone_no_worker_is_asked_for_a_verdict_or_a_lesson(cache):
    asked = []

    class Workers:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def submit(self, key, *_):
            asked.append(key)

    pool = KeptFirst(cache, Workers, only=True)
    for do in ("settle", "teach", "mend", "describe"):
        pool.submit(do, asdict(replace(SETTLE, do=do)), 1.0, 0)
    assert asked == ["describe"]
    assert [pool.next() for _ in range(3)] == [
        ("settle", {"missing": True}),
        ("teach", {"failed": "it is not in the cache"}),
        ("mend", {"mend": ("", "")}),
    ]


@pytest.mark.parametrize("part", ["tool", "suite"])
def test_where_the_tool_cannot_be_told_nothing_is_kept(part, cache):
    setattr(cache, part, "")
    cache.keep(DESCRIBE, described(cache))
    assert cache.find(DESCRIBE) is None
    cache.keep(SETTLE, settled(cache))
    assert cache.find(SETTLE) is None
    assert cache.store.measured() == (0, 0)


def test_a_solver_of_no_known_version_is_none(monkeypatch):
    monkeypatch.setattr(keys, "version", lambda name: "" if name == "mpmath" else "1")
    assert keys.tool() == ""


def test_a_spoilt_worker_is_told_nothing_of_what_was_kept(cache):
    """Its file may mean something else by the same theorem."""
    cache.keep(DESCRIBE, described(cache))
    cache.keep(SETTLE, settled(cache))
    other = Cache(cache.store)
    other.keep(DESCRIBE, described(cache, tool=""))
    assert other.find(SETTLE) is None


def test_the_cache_is_shown_and_cleared(tmp_path):
    write(tmp_path, op=GOOD)
    assert "nothing in" in command(tmp_path, "cache").stdout
    command(tmp_path, "check", "op.py")
    assert f"{tmp_path / 'cache' / FILE}: 9 entries, 0.0 MB" in command(tmp_path, "cache").stdout
    assert "9 entries" in command(tmp_path, "cache", "--clear").stdout
    assert "nothing in" in command(tmp_path, "cache").stdout
    assert FROM_CACHE not in command(tmp_path, "check", "op.py").stdout


def test_the_suite_is_known_by_its_files(tmp_path, monkeypatch, request, capsys):
    monkeypatch.setenv("GRADPROOF_CACHE", str(tmp_path))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    assert main(["verify", "unpad", "--jobs", "1"]) == 0
    assert FROM_CACHE not in capsys.readouterr().out
    request.getfixturevalue("unasked")
    assert main(["verify", "unpad"]) == 0
    assert f"16 {FROM_CACHE}" in capsys.readouterr().out
    monkeypatch.setattr(keys, "suite", lambda: "edited")
    with pytest.raises(AssertionError, match="a worker is started"):
        main(["verify", "unpad", "--debug"])


BARRED = "import gradproof.cli.workers.supervisor as s\ns.Worker = None\n"


def test_theorems_of_pytest_are_kept(tmp_path):
    write(tmp_path, op=WRONG)

    def run():
        known = str(tmp_path / "cache")
        return forked("pytest", ["--gradproof", "-q"], tmp_path, GRADPROOF_CACHE=known)

    cold = run()
    assert "1 failed, 7 passed" in cold.stdout
    (tmp_path / "conftest.py").write_text(BARRED, "utf-8")
    warm = run()
    assert "1 failed, 7 passed" in warm.stdout
    assert "the rule gives" in warm.stdout
    write(tmp_path, op=GOOD)
    assert "error" in run().stdout, "what is not kept needs a worker"
