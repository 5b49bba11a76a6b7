"""The store of verdicts: whatever happens to it is a miss, never an error and never a value."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gradproof.cli import store as module
from gradproof.cli.store import DAY, FILE, MOST_DAYS, Store, folder


def put(home, most_bytes=module.MOST_BYTES, **values):
    store = Store(home, most_bytes=most_bytes)
    for key, value in values.items():
        store.put(key, value)
    store.close()
    return store


def get(home, key):
    store = Store(home)
    found = store.get(key)
    store.close()
    return found


def changed(home, text, *values):
    with sqlite3.connect(home / FILE) as database:
        database.execute(text, values)
    database.close()


def test_what_is_put_is_there_in_the_next_run(tmp_path):
    put(tmp_path / "deep" / "cache", a={"text": "∂ü", "n": [1, None]})
    assert get(tmp_path / "deep" / "cache", "a") == {"text": "∂ü", "n": [1, None]}
    assert get(tmp_path / "deep" / "cache", "b") is None


def test_what_is_put_is_there_in_the_same_run(tmp_path):
    store = Store(tmp_path)
    store.put("a", {"n": 1})
    assert store.get("a") == {"n": 1}


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET value = x'00'",
        "UPDATE entries SET value = substr(value, 1, length(value) - 1)",
        "UPDATE entries SET value = 'text'",
        "UPDATE entries SET value = 7",
        "UPDATE entries SET sum = x'00'",
        "UPDATE entries SET value = (SELECT value FROM entries WHERE key = 'b'),"
        " sum = (SELECT sum FROM entries WHERE key = 'b')",
        "UPDATE entries SET key = 'a' || key",
        "DELETE FROM entries",
        "DROP TABLE entries",
        "ALTER TABLE entries RENAME COLUMN value TO worth",
    ],
)
def test_an_entry_that_is_not_as_it_was_written_is_a_miss(change, tmp_path):
    put(tmp_path, a={"n": 1}, b={"n": 2})
    changed(tmp_path, change)
    assert get(tmp_path, "a") is None


def test_the_value_of_another_key_is_a_miss(tmp_path):
    put(tmp_path, a={"n": 1}, b={"n": 2})
    changed(tmp_path, "DELETE FROM entries WHERE key = 'a'")
    changed(tmp_path, "UPDATE entries SET key = 'a'")
    assert get(tmp_path, "a") is None


@pytest.mark.parametrize("size", [0, 100, 4096, 50_000])
def test_a_file_that_is_damaged_is_a_miss(size, tmp_path):
    values = {f"a{n}": {"n": [str(n**k) for k in range(300)]} for n in range(50)}
    put(tmp_path, **values)
    path = tmp_path / FILE
    data = bytearray(path.read_bytes())
    data[size : size + 30_000] = b"x" * 30_000
    path.write_bytes(data)
    store = Store(tmp_path)
    found = [store.get(key) for key in values]
    store.put("new", {})
    store.close()
    assert None in found
    assert all(got in (None, value) for got, value in zip(found, values.values(), strict=True))
    assert store.trouble


def test_a_file_that_is_no_database_is_told_and_can_be_cleared(tmp_path):
    (tmp_path / FILE).write_text("no database" * 1000)
    store = put(tmp_path, a={})
    assert store.trouble
    assert get(tmp_path, "a") is None
    Store(tmp_path, writes=False).clear()
    assert not put(tmp_path, a={"n": 1}).trouble
    assert get(tmp_path, "a") == {"n": 1}


@pytest.mark.parametrize("place", ["file/cache", "/proc/gradproof"])
def test_where_nothing_can_be_written_there_is_nothing(place, tmp_path):
    (tmp_path / "file").write_text("")
    store = put(tmp_path / place, a={})
    assert store.trouble
    assert get(tmp_path / place, "a") is None


def test_what_cannot_be_written_is_read(tmp_path, monkeypatch):
    """As in a folder that is read-only, which nothing is for root."""
    put(tmp_path, a={"n": 1})
    connected = Store.connected

    def refused(self, mode):
        if mode != "ro":
            raise sqlite3.OperationalError("attempt to write a readonly database")
        return connected(self, mode)

    monkeypatch.setattr(Store, "connected", refused)
    store = Store(tmp_path)
    store.put("b", {})
    assert store.get("a") == {"n": 1}
    assert store.get("b") is None
    store.close()
    assert "readonly" in store.trouble


def test_reading_alone_leaves_no_trace(tmp_path):
    store = Store(tmp_path / "cache", writes=False)
    store.put("a", {})
    assert store.get("a") is None
    store.close()
    assert not (tmp_path / "cache").exists()
    put(tmp_path, a={})
    changed(tmp_path, "UPDATE entries SET used = 1")
    before = (tmp_path / FILE).read_bytes()
    store = Store(tmp_path, writes=False)
    assert store.get("a") == {}
    store.close()
    assert (tmp_path / FILE).read_bytes() == before


def test_what_was_used_longest_ago_makes_room(tmp_path):
    store = Store(tmp_path)
    noise = iter(range(10**9))
    for name in "abcdefghij":
        store.put(name, [str(next(noise) ** 9) for _ in range(2000)])
    store.close()
    for n, name in enumerate("abcdefghij"):
        changed(tmp_path, "UPDATE entries SET used = used - ? WHERE key = ?", 10 * DAY - n, name)
    size = (tmp_path / FILE).stat().st_size
    assert get(tmp_path, "a") is not None  # used again
    put(tmp_path, most_bytes=size // 2, new={})
    left = [name for name in "abcdefghij" if get(tmp_path, name) is not None]
    assert left[0] == "a"
    assert left[1:] == list("abcdefghij"[-len(left) + 1 :])
    assert 3 <= len(left) <= 5
    assert get(tmp_path, "new") == {}
    assert (tmp_path / FILE).stat().st_size < size * 0.6


def test_what_was_not_used_for_long_goes(tmp_path):
    put(tmp_path, a={}, b={})
    changed(tmp_path, "UPDATE entries SET used = used - ? WHERE key = 'a'", (MOST_DAYS + 1) * DAY)
    changed(tmp_path, "UPDATE entries SET used = used - ? WHERE key = 'b'", (MOST_DAYS - 1) * DAY)
    put(tmp_path, c={})
    assert [get(tmp_path, key) for key in "abc"] == [None, {}, {}]


def test_many_write_at_once(tmp_path):
    def write(writer):
        store = Store(tmp_path)
        for n in range(50):
            store.put(f"{writer} {n}", {"writer": writer, "n": n})
            store.write()
        store.close()
        return store.trouble

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(write, range(4))) == [""] * 4
    store = Store(tmp_path)
    assert all(store.get(f"{w} {n}") == {"writer": w, "n": n} for w in range(4) for n in range(50))
    store.close()


def test_a_run_that_another_one_keeps_waiting_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    put(tmp_path, a={"n": 1})
    other = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    store = put(tmp_path, b={})
    assert "locked" in store.trouble
    other.execute("ROLLBACK")
    other.close()
    assert get(tmp_path, "a") == {"n": 1}


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"GRADPROOF_CACHE": "/x/y"}, "/x/y"),
        ({"GRADPROOF_CACHE": "", "XDG_CACHE_HOME": "/x"}, None),
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/gradproof"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/gradproof"),
        ({"XDG_CACHE_HOME": "", "HOME": "/h"}, "/h/.cache/gradproof"),
        ({"HOME": "/h"}, "/h/.cache/gradproof"),
    ],
)
def test_where_it_is(variables, expected, monkeypatch):
    for name in ("GRADPROOF_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert folder() == (expected and Path(expected))
