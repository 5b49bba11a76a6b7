"""Answers of workers, kept between runs by the content of what was asked. Deciding.

A file's ops and theorems are known by the bytes of all that defined them, verdicts and lessons by
the content of the theorem. Only what the clock or the memory had no hand in is kept.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Any

from gradproof.cli.run import Asks
from gradproof.cli.store import Store
from gradproof.cli.workers import keys
from gradproof.cli.workers.supervisor import Answer, Key
from gradproof.cli.workers.wire import Request
from gradproof.theorems.statuses import Status

Workers = AbstractContextManager[Asks]
PARTS = {"describe": ("ops", "problems", "origin"), "settle": ("verdict",), "teach": ("lesson",)}
PARTS |= {"mend": ("mend",), "float32": ("float32",)}


class Cache:
    """Finds and keeps answers; a request that is not among those that are kept has none."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.tool, self.suite = keys.tool(), keys.suite()
        self.contents: dict[tuple[Any, ...], tuple[str, str]] = {}

    def find(self, request: Request) -> dict[str, Any] | None:
        """The answer that a worker gave to the same; it says that it was kept."""
        if not self.tool or not self.suite:
            return None
        if request.do == "describe":
            found = self.store.get(self.file_key(request))
            found = found if found and self.holds(found["origin"]) else None
            self.learn(request, found)
        else:
            content, whole = self.contents.get(place(request), ("", ""))
            found = self.store.get(self.key(request, content, whole)) if content else None
        return found and found | {"kept": True}

    def keep(self, request: Request, answer: Answer) -> None:
        if not isinstance(answer, dict) or not self.tool or not self.suite:
            return
        if request.do == "describe":
            self.learn(request, answer if answer.get("tool") == self.tool else None)
        if answer.get("tool") != self.tool or not is_steady(request, answer):
            return
        found = {part: answer[part] for part in PARTS[request.do]}
        if request.do == "describe":
            if answer["origin"] and self.holds(answer["origin"]):
                self.store.put(self.file_key(request), found)
        elif answer["content"]:
            self.store.put(self.key(request, answer["content"], answer["op_content"]), found)

    def learn(self, request: Request, described: dict[str, Any] | None) -> None:
        """The contents of the theorems of a file, by which answers on them are found."""
        for op in (described or {}).get("ops", ()):
            whole = (request.target, op["name"], -1)
            self.contents[whole] = (op["content"], op["content"])
            for number, content in enumerate(op["contents"]):
                key = (request.target, op["name"], number)
                self.contents[key] = (content, op["content"])

    def holds(self, origin: dict[str, Any]) -> bool:
        is_same = keys.is_unchanged(origin["files"], origin["absent"], origin["times"])
        return is_same and bool(origin["suite"] == self.suite)

    def file_key(self, request: Request) -> str:
        """Of a file as it was named, which is how it is shown, and where that is."""
        path, name = request.target.path, request.target.name
        where = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        return keys.digest("describe", self.tool, self.suite, sys.prefix, path, where, name)

    def key(self, request: Request, content: str, whole: str) -> str:
        """Of a theorem; a lesson is of a verdict as well, and of the whole op."""
        asked: list[Any] = [request.do, self.tool, content, request.limit, list(request.ranks)]
        if request.do != "settle":
            verdict = {k: v for k, v in (request.verdict or {}).items() if k != "seconds"}
            asked += [whole, verdict]
        if request.do == "float32":
            asked += [request.dtype, list(request.within), list(request.rules)]
        return keys.digest(*asked)


def place(request: Request) -> tuple[Any, ...]:
    return request.target, request.op, request.number


def is_steady(request: Request, answer: dict[str, Any]) -> bool:
    """Whether the answer would be the same at any time, on any machine."""
    if request.do not in PARTS or request.second or not set(PARTS[request.do]) <= answer.keys():
        return False
    verdict = answer.get("verdict")
    return verdict is None or not (verdict["status"] == Status.ERROR or "memory" in verdict["note"])


UNSETTLED: dict[str, dict[str, Any]] = {
    "settle": {"missing": True},
    "teach": {"failed": "it is not in the cache"},
    "mend": {"mend": ("", "")},
    "float32": {"float32": ""},
}


class KeptFirst:
    """A pool that asks workers only for what is not kept; none is started before that.

    With `only` nothing is settled: files are loaded all the same, and lessons left out. Where a
    second opinion is asked of a verdict that is kept, that alone is left to ask.
    """

    def __init__(self, cache: Cache, start: Callable[[], Workers], only: bool = False) -> None:
        self.cache, self.start, self.only = cache, start, only
        self.pool: Asks | None = None
        self.started = ExitStack()
        self.ready: deque[tuple[Key, Answer]] = deque()
        self.asked: dict[Key, Request] = {}

    def submit(self, key: Key, request: dict[str, Any], seconds: float, urgency: int) -> None:
        asked = Request.from_dict(request)
        found = self.cache.find(asked)
        if found is not None and asked.second and asked.do == "settle":
            request, found = request | {"verdict": found["verdict"]}, None
        elif found is None and self.only:
            found = UNSETTLED.get(asked.do)
        if found is not None:
            self.ready.append((key, found))
            return
        if self.pool is None:
            self.pool = self.started.enter_context(self.start())
        self.asked[key] = asked
        self.pool.submit(key, request, seconds, urgency)

    def next(self) -> tuple[Key, Answer]:
        if self.ready:
            return self.ready.popleft()
        assert self.pool is not None
        key, answer = self.pool.next()
        self.cache.keep(self.asked.pop(key), answer)
        return key, answer

    def __enter__(self) -> KeptFirst:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.started.__exit__(kind, failure, trace)
        finally:
            self.cache.store.close()
