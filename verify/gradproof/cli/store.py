"""Where verdicts are kept between runs: one SQLite file, of a limited size. Deciding.

Whatever goes wrong with it is a miss, and told in a line: it is never an error and never a value.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from time import monotonic, time
from typing import Any, TypeVar

VARIABLE = "GRADPROOF_CACHE"
FILE = "verdicts-1.sqlite"  # another layout has another name
MOST_BYTES = 256 << 20
DAY = 24 * 3600
MOST_DAYS = 90  # that an entry is kept without being used
PATIENCE = 5.0  # seconds to wait for another run that writes
BETWEEN_WRITES = 1.0
ADVICE = f"see 'gradproof cache', or name another place in {VARIABLE}"
FOUND = TypeVar("FOUND")
TABLE = """\
CREATE TABLE IF NOT EXISTS entries (
    key TEXT PRIMARY KEY, value BLOB NOT NULL, sum BLOB NOT NULL, used INTEGER NOT NULL)"""


def folder() -> Path | None:
    """Where it is: what GRADPROOF_CACHE names, if that is nothing then nowhere, else XDG's."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "gradproof"
    except RuntimeError:  # nobody's home
        return None


def checksum(key: str, value: bytes) -> bytes:
    """Of an entry under its key: a value that stands under another one is none."""
    return hashlib.blake2b(value, key=key.encode()[:64], digest_size=16).digest()


class Store:
    """Values of JSON by key; `trouble` says why there are none, or no new ones."""

    def __init__(self, home: Path, writes: bool = True, most_bytes: int = MOST_BYTES) -> None:
        self.path, self.writes, self.trouble = home / FILE, writes, ""
        self.used: dict[str, None] = {}
        self.pending: dict[str, bytes] = {}
        self.written, self.has_grown, self.most_bytes = monotonic(), False, most_bytes
        self.database = self.tried(self.opened)

    def tried(self, action: Callable[[], FOUND]) -> FOUND | None:
        try:
            return action()
        except (sqlite3.Error, OSError, OverflowError) as failure:
            self.trouble = self.trouble or f"{self.path}: {failure}"
            return None

    def opened(self) -> sqlite3.Connection:
        """For reading alone where nothing can be written."""
        if self.writes:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                return self.connected("rwc")
            except (sqlite3.OperationalError, OSError) as failure:
                self.writes, self.trouble = False, f"{self.path}: {failure}"
        return self.connected("ro")

    def connected(self, mode: str) -> sqlite3.Connection:
        where = f"{self.path.absolute().as_uri()}?mode={mode}"
        database = sqlite3.connect(where, timeout=PATIENCE, isolation_level=None, uri=True)
        if mode != "ro":
            database.execute("PRAGMA auto_vacuum = FULL")  # what is dropped makes room on disk
            database.execute("PRAGMA synchronous = OFF")
            database.execute(TABLE)
        return database

    def get(self, key: str) -> Any:
        """The value, or None: also of an entry that is not as it was written."""
        packed = self.pending.get(key) or self.read(key)
        if packed is None:
            return None
        try:
            return json.loads(zlib.decompress(packed))
        except (zlib.error, ValueError):
            return None

    def read(self, key: str) -> bytes | None:
        database = self.database
        if database is None:
            return None
        query = "SELECT value, sum, used FROM entries WHERE key = ?"
        row = self.tried(lambda: database.execute(query, (key,)).fetchone())
        if row is None:
            return None
        value, found, used = row
        if not isinstance(value, bytes) or checksum(key, value) != found:
            return None
        if not isinstance(used, int) or used < time() - DAY:
            self.used[key] = None
        return value

    def put(self, key: str, value: Any) -> None:
        if self.database is None or not self.writes:
            return
        self.pending[key] = zlib.compress(json.dumps(value).encode(), 1)
        if monotonic() - self.written > BETWEEN_WRITES:
            self.write()

    def write(self) -> None:
        if self.pending or self.used:
            self.tried(self.committed)
        self.pending, self.used, self.written = {}, {}, monotonic()

    def committed(self) -> None:
        database, now = self.database, int(time())
        if database is None or not self.writes:
            return
        rows = [(key, value, checksum(key, value), now) for key, value in self.pending.items()]
        database.execute("BEGIN IMMEDIATE")
        with database:
            database.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", rows)
            marked = [(now, key) for key in self.used]
            database.executemany("UPDATE entries SET used = ? WHERE key = ?", marked)
            self.has_grown = self.has_grown or bool(rows)

    def trim(self, database: sqlite3.Connection) -> None:
        """Drops what was not used for long, and what was used longest ago if there is too much."""
        database.execute("BEGIN IMMEDIATE")
        with database:
            oldest = int(time()) - MOST_DAYS * DAY
            database.execute("DELETE FROM entries WHERE used < ?", (oldest,))
            left = self.most_bytes
            if self.total(database)[1] <= left:
                return
            query = "SELECT key, length(value) FROM entries ORDER BY used DESC, rowid DESC"
            for key, size in database.execute(query).fetchall():
                left -= size
                if left < self.most_bytes // 10:  # so that there is room for a while
                    database.execute("DELETE FROM entries WHERE key = ?", (key,))

    @staticmethod
    def total(database: sqlite3.Connection) -> tuple[int, int]:
        query = "SELECT count(*), coalesce(sum(length(value)), 0) FROM entries"
        number, size = database.execute(query).fetchone()
        return int(number), int(size)

    def measured(self) -> tuple[int, int]:
        """How many entries there are, and how many bytes they take."""
        database = self.database
        if database is None:
            return 0, 0
        return self.tried(lambda: self.total(database)) or (0, 0)

    def clear(self) -> None:
        """What is no database any more is deleted as it is; a run that has it open goes on."""
        self.close()
        for suffix in ("", "-journal"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def close(self) -> None:
        self.write()
        database, self.database = self.database, None
        if database is None:
            return
        if self.has_grown:
            self.tried(lambda: self.trim(database))
        self.tried(database.close)
