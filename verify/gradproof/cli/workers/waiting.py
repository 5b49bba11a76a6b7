"""What waits for a worker: by urgency, and by the definition that a worker knows. Untrusted."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from threading import Condition
from typing import Any

Home = Hashable  # what a request is about


class Waiting:
    """Requests in their order, but for this: who has begun with a home has the rest of it first.

    To state an op's theorems takes time, and what was found for one of them serves the others.
    """

    def __init__(self) -> None:
        self.changed = Condition()
        self.queues: dict[int, dict[Home, deque[Any]]] = {}
        self.owners: dict[Home, Hashable] = {}

    def put(self, urgency: int, home: Home, item: Any, again: bool = False) -> None:
        """What comes again goes first."""
        with self.changed:
            queue = self.queues.setdefault(urgency, {}).setdefault(home, deque())
            (queue.appendleft if again else queue.append)(item)
            self.changed.notify()

    def get(self, who: Hashable) -> Any:
        """The next for someone; waits for it."""
        with self.changed:
            while not any(self.queues.values()):
                self.changed.wait()
            homes = self.queues[min(u for u, homes in self.queues.items() if homes)]
            home = self.chosen(homes, who)
            self.owners.setdefault(home, who)
            item = homes[home].popleft()
            if not homes[home]:
                del homes[home]
            return item

    def chosen(self, homes: dict[Home, deque[Any]], who: Hashable) -> Home:
        """Their own, else one that is nobody's, else the last: its owner comes to it last."""
        others = None
        for home in homes:
            owner = self.owners.get(home)
            if owner == who:
                return home
            if owner is None and others is None:
                others = home
        return others if others is not None else next(reversed(homes))
