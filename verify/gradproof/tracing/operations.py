"""All operations of array code that adapters share, in one table. Untrusted."""

from __future__ import annotations

from gradproof.tracing import cellwise, choices, convolutions, indexing, making, pooling, reducing
from gradproof.tracing.cellwise import cast
from gradproof.tracing.registry import OPS, WRITING, op

READ = (cellwise, choices, making, reducing, indexing, convolutions, pooling)

__all__ = ["OPS", "READ", "WRITING", "cast", "op"]
