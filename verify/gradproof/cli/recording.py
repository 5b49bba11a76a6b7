"""The file of `gradproof explain --record`. Untrusted."""

from __future__ import annotations

import json

from gradproof import __version__
from gradproof.cli.arguments import UsageError
from gradproof.cli.run import Outcome

SCHEMA = "gradproof proof 1"


def record_in(outcome: Outcome) -> str:
    """The record of what was explained, as a file has it."""
    found = []
    for op in outcome.ops:
        for number in op.chosen:
            if number not in op.records:
                name, status = op.verdicts[number].name, op.verdicts[number].status
                raise UsageError(f"--record: of '{name}', {status}, there is no proof by rules")
            found.append({"op": op.listing.name, "file": op.listing.target.path})
            found[-1] |= op.records[number]
    whole = {"schema": SCHEMA, "gradproof": __version__, "theorems": found}
    return json.dumps(whole, indent=1, ensure_ascii=False)
