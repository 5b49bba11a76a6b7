"""The command `gradproof`. Untrusted."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gradproof.cli.main import main as run


def main(arguments: Sequence[str] | None = None) -> int:
    return run(arguments, apart=True)


if __name__ == "__main__":
    sys.exit(main())
