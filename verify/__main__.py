"""The command `gradproof`. Untrusted."""

from __future__ import annotations

import sys

from verify.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
