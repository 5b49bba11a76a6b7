"""What waits for a worker: nothing is lost, and each goes on with what it knows."""

from threading import Thread

from gradproof.cli.workers.waiting import Waiting


def filled(*items):
    waiting = Waiting()
    for urgency, home, item in items:
        waiting.put(urgency, home, item)
    return waiting


def test_what_is_urgent_goes_first():
    waiting = filled((2, "a", "settle"), (0, "b", "describe"), (1, "a", "teach"))
    assert [waiting.get("one") for _ in range(3)] == ["describe", "teach", "settle"]


def test_each_goes_on_with_its_own_and_then_helps_the_other():
    waiting = filled(*((0, home, f"{home}{n}") for home in "ab" for n in range(3)))
    assert [waiting.get("one"), waiting.get("two")] == ["a0", "b0"]
    assert [waiting.get("one"), waiting.get("two")] == ["a1", "b1"]
    assert [waiting.get("one") for _ in range(2)] == ["a2", "b2"]


def test_who_helps_begins_with_what_its_owner_comes_to_last():
    waiting = filled((0, "a", "a0"), (0, "b", "b0"), (1, "a", "a1"), (1, "b", "b1"))
    assert [waiting.get("one") for _ in range(2)] == ["a0", "b0"]
    assert waiting.get("two") == "b1"


def test_what_comes_again_goes_first():
    waiting = filled((0, "a", "first"), (0, "a", "second"))
    lost = waiting.get("one")
    waiting.put(0, "a", lost, again=True)
    assert [waiting.get("two"), waiting.get("two")] == ["first", "second"]


def test_whoever_waits_gets_what_comes_each_once():
    waiting, found = Waiting(), []
    takers = [Thread(target=lambda: found.append(waiting.get(object()))) for _ in range(4)]
    for taker in takers:
        taker.start()
    for number in range(4):
        waiting.put(number % 2, number, number)
    for taker in takers:
        taker.join(timeout=60)
    assert sorted(found) == [0, 1, 2, 3]
