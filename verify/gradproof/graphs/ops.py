"""The ops that builders name, by their names; each is defined in the suite. Untrusted."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module

from gradproof import specs
from gradproof.graphs.nodes import GraphError
from gradproof.language.ops import Op

LIBRARY = "gradproof.specs.library"
# What is written for images and rows alike is in `network`.
HOMES = {"embedding": "indexing", "cross_entropy": "losses", "softmax": "softmax"}


@cache
def op_named(name: str) -> Op:
    if name in specs.HOMES:
        return without_claims(getattr(specs, name))
    found = getattr(import_module(f"{LIBRARY}.{HOMES.get(name, 'network')}"), name, None)
    if not isinstance(found, Op):
        raise GraphError(f"there is no op {name}")
    return without_claims(found)


def without_claims(op: Op) -> Op:
    """What a graph makes use of: what an op claims beyond its rules is not asked of its nodes."""
    return replace(op, claims=()) if op.claims else op
