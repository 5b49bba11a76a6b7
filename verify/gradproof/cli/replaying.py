"""`gradproof replay`: proofs that were written as records, made again by rules alone. Untrusted."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from gradproof import specs
from gradproof.cli.arguments import UsageError
from gradproof.cli.recording import SCHEMA
from gradproof.cli.settling import file_target, op_of_suite
from gradproof.cli.workers.load import Unreadable, load
from gradproof.cli.workers.wire import Target
from gradproof.language.ops import Op
from gradproof.prove.records import Data, NotReplayed, proofs_of
from gradproof.settle.conclusions import proved
from gradproof.show.wording import counted
from gradproof.theorems.obligations import obligations


def replay(known: Namespace) -> int:
    """The exit status is 1 if one of the proofs is not made again."""
    wrong = 0
    for record in read(known.file):
        op = op_of(known.target, record)
        print(f"{op.name}: {record['theorem']}")
        try:
            print(f"  {again(op, record)}")
        except NotReplayed as failure:
            print(f"  not replayed: {failure}")
            wrong = 1
    return wrong


def read(path: str) -> list[Data]:
    try:
        found = json.loads(Path(path).read_text("utf-8"))
        is_record = found["schema"] == SCHEMA and all(map(is_complete, found["theorems"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        is_record = False
    if not is_record:
        raise UsageError(f"{path}: no record of a proof; gradproof explain --record writes one")
    return list(found["theorems"])


def is_complete(record: Data) -> bool:
    inner = all(
        {"rank", "of", "terms", "steps", "lemmas"} <= proof.keys() for proof in record["proofs"]
    )
    return {"op", "file", "theorem", "statement"} <= record.keys() and inner


def op_of(named: str | None, record: Data) -> Op:
    """The op as it is defined now; `named` says where, if that is elsewhere."""
    if named is None:
        target = Target(record["file"], record["op"]) if record["file"] else suite(record["op"])
    else:
        target = suite(named) if named in specs.HOMES else file_target(named)
    try:
        ops = [f.op for f in load(Path(target.path), target.name)] if target.path else []
    except Unreadable as bad:
        raise UsageError(f"{target.path}:{bad.line}: {bad.message}") from None
    ops = ops or [getattr(specs, target.name)]
    found: Any = next((op for op in ops if op.name == record["op"]), ops[0])
    if not isinstance(found, Op):
        raise UsageError(f"{target.shown}: it is no op, and proofs of ops alone are recorded")
    return found


def suite(name: str) -> Target:
    return op_of_suite(name)


def again(op: Op, record: Data) -> str:
    """What the proof shows, in a line."""
    theorem = next((th for th in obligations(op) if th.name == record["theorem"]), None)
    if theorem is None:
        raise NotReplayed("the op has no theorem of this name")
    proofs = proofs_of(theorem, record["proofs"])
    found = proved(theorem, proofs)
    steps, lemmas = (sum(len(p[part]) for p in record["proofs"]) for part in ("steps", "lemmas"))
    size = f"{counted(steps, 'step')}, {counted(lemmas, 'lemma')} asked of Z3"
    return f"proved for {found.scope}, by {found.method}: {size}"
