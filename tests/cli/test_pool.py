"""Long runs: workers forget what is done with, and make way once they have grown."""

from dataclasses import asdict

import pytest
from commands import GOOD

from gradproof.cli.workers import remote, supervisor, worker
from gradproof.cli.workers.supervisor import Pool
from gradproof.cli.workers.wire import Request, Target


def asked(path):
    return asdict(Request("describe", Target(str(path))))


@pytest.fixture
def files(tmp_path):
    """One op each, more than a worker keeps."""
    paths = [tmp_path / f"op_{number}.py" for number in range(worker.MOST_FILES + 2)]
    for number, path in enumerate(paths):
        path.write_text(GOOD.replace("2 *", f"{number + 2} *"), "utf-8")
    return paths


@pytest.mark.parametrize("most", [1, 10**6])
def test_a_worker_that_has_grown_is_replaced_between_two_requests(most, files, monkeypatch):
    started = []

    class Counted(supervisor.Worker):
        def __init__(self, memory):
            super().__init__(memory)
            started.append(self.process.pid)

    monkeypatch.setattr(supervisor, "Worker", Counted)
    monkeypatch.setattr(supervisor, "MOST_MEGABYTES", most)
    with Pool(1, 4096) as pool:
        for path in files[:3]:
            pool.submit(path, asked(path), 10, 0)
            key, answer = pool.next()
            assert key == path
            assert [op["name"] for op in answer["ops"]] == ["double"]
            assert "megabytes" not in answer
    assert len(started) in ((3, 4) if most == 1 else (1,))  # the last one may be begun


@pytest.mark.parametrize(("most", "kept"), [(1, 0), (10**6, 1)])
def test_a_dask_worker_keeps_no_process_that_has_grown(most, kept, files, monkeypatch):
    monkeypatch.setattr(supervisor, "MOST_MEGABYTES", most)
    run = f"run {most}"
    assert "ops" in remote.asked(asked(files[0]), 10, 4096, ".", run)
    assert len(remote.IDLE[run]) == kept
    assert remote.BUSY[run] == []
    remote.close(run)


def test_a_worker_forgets_files_and_ops_and_loads_them_again(files, monkeypatch):
    monkeypatch.setattr(worker, "MOST_OPS", 3)
    monkeypatch.setattr(worker, "ASKED", {})
    worker.definitions.cache_clear()
    targets = [Target(str(path)) for path in files]
    listings = [worker.answer(Request("describe", target))["ops"][0] for target in targets]
    assert len(worker.ASKED) == 3
    assert worker.definitions.cache_info().currsize == worker.MOST_FILES
    assert not any(key[0] == targets[0] for key in worker.ASKED)
    number = len(listings[0]["theorems"]) - 1
    again = Request("settle", targets[0], "double", number, listings[0]["definition"])
    assert worker.answer(again)["verdict"]["status"] == "proved"
    edited = files[1].read_text("utf-8").replace("3 *", "9 *")
    files[1].write_text(edited, "utf-8")
    changed = Request("settle", targets[1], "double", number, listings[1]["definition"])
    assert "something else" in worker.answer(changed)["problem"]["message"]
