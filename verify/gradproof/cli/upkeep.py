"""`gradproof cache`: where verdicts are kept, how many, how large; and clears them. Untrusted."""

from __future__ import annotations

from argparse import Namespace

from gradproof.cli.store import MOST_BYTES, MOST_DAYS, VARIABLE, Store, folder
from gradproof.show.wording import counted


def show(known: Namespace) -> int:
    home = folder()
    if home is None:
        print(f"There is no cache: {VARIABLE} is empty.")
        return 0
    store = Store(home, writes=False)
    if known.clear:
        return clear(store)
    if not store.path.exists():
        print(f"There is nothing in {store.path.parent} yet.")
        return 0
    number, size = store.measured()
    store.close()
    print(f"{store.path}: {counted(number, 'entry', 'entries')}, {size / (1 << 20):.1f} MB")
    print(f"At most {MOST_BYTES >> 20} MB are kept, and what was used within {MOST_DAYS} days.")
    if store.trouble:
        print(f"It cannot be read: {store.trouble}; clear it with: gradproof cache --clear")
    return 0


def clear(store: Store) -> int:
    number, _ = store.measured()
    store.clear()
    print(f"Cleared {store.path}: {counted(number, 'entry', 'entries')}.")
    return 0
