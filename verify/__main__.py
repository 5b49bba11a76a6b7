"""The command `gradproof`. Untrusted."""

from __future__ import annotations

import sys

from gradproof.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
