"""`--executor`: theorems settled on a real Dask cluster, whose workers may be lost."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from commands import COMMAND, GOOD, WRONG, environment, gradproof, sabotaged, write

from gradproof.cli.arguments import UsageError
from gradproof.cli.main import main
from gradproof.cli.workers import cluster, remote
from gradproof.cli.workers.cluster import Cluster
from gradproof.cli.workers.supervisor import Lost, Pool
from gradproof.cli.workers.wire import Request, Target

distributed = pytest.importorskip("distributed", reason="Dask is an optional extra")
dask = pytest.importorskip("dask", reason="Dask is an optional extra")

MB, WORKERS = 4096, 2
UNUSED = "tcp://127.0.0.1:9"  # where nobody listens
ONCE = "import os; os.path.exists('killed') or (open('killed', 'w').close(), {kill})"
ITS_DASK_WORKER = "(os.kill(os.getppid(), 9), __import__('time').sleep(600))"
ITSELF = "os.kill(0, 9)"
# A cluster begins anew by importing everything, in each of its processes.
pytestmark = pytest.mark.xdist_group("cluster")


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.fixture(scope="module", autouse=True)
def forked_workers():
    """Those of clusters that this process starts have imported Dask; a command's own have not.

    Nor is one taken to be lost for good that happens to be dead again some time after its death.
    """
    known = {"worker.multiprocessing-method": "forkserver", "deploy.lost-worker-timeout": "1h"}
    with dask.config.set({f"distributed.{name}": value for name, value in known.items()}):
        yield


@pytest.fixture(scope="module")
def address():
    with distributed.LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=0
    ) as running:
        yield running.scheduler_address


def settled(path: Path, name: str) -> list[dict[str, object]]:
    """The theorems of `--json`, without the seconds that they took."""
    found = json.loads((path / name).read_text("utf-8"))
    theorems = [theorem for op in found["ops"] for theorem in op["theorems"]]
    return [{k: v for k, v in theorem.items() if k != "seconds"} for theorem in theorems]


def test_the_verdicts_are_those_of_processes_here(address, tmp_path):
    ops = ("verify", "unpad", "global_avg_pool2d_flat", "--quiet")
    here = gradproof(*ops, "--json", "here.json", cwd=tmp_path)
    there = gradproof(*ops, "--json", "there.json", "--executor", address, cwd=tmp_path)
    assert (here.returncode, here.stderr) == (there.returncode, there.stderr) == (0, "")
    assert settled(tmp_path, "here.json") == settled(tmp_path, "there.json")
    assert len(settled(tmp_path, "here.json")) > 25


def test_a_cluster_of_this_run_alone(tmp_path):
    write(tmp_path, wrong=WRONG)
    done = gradproof("check", "wrong.py", "--executor", "dask", "--jobs", 2, cwd=tmp_path)
    assert done.returncode == 1
    assert "it makes x_bar[0] = 3, it should be 2" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("kill", [ITS_DASK_WORKER, slow(ITSELF)])
def test_what_a_lost_worker_was_settling_is_settled_by_another(kill, address, tmp_path):
    write(tmp_path, bad=sabotaged(ONCE.format(kill=kill)), good=GOOD)
    files = ("bad.py", "good.py", "--json", "there.json")
    done = gradproof("check", *files, "--executor", address, cwd=tmp_path)
    assert (tmp_path / "killed").exists()
    assert done.returncode == 0
    assert "16 theorems: 16 proved" in done.stdout
    gradproof("check", "good.py", "--json", "here.json", cwd=tmp_path)
    assert settled(tmp_path, "there.json") == 2 * settled(tmp_path, "here.json")


@pytest.mark.parametrize(
    ("what", "status", "said"),
    [
        slow(
            f"import os; {ITS_DASK_WORKER}", "error", "the Dask workers that were to settle it died"
        ),
        slow(f"import os; {ITSELF}", "error", "its process was ended by SIGKILL, 5 times"),
        ("import os; os._exit(7)", "error", "its process ended with status 7"),
        slow("while True: pass", "unknown", "given up after 1 s of processor time; see --timeout"),
    ],
)
def test_a_theorem_that_ends_badly_leaves_the_others(what, status, said, address, tmp_path):
    write(tmp_path, bad=sabotaged(what))
    limits = ("--timeout", 1, "--executor", address)
    done = gradproof("check", "bad.py", *limits, cwd=tmp_path)
    assert done.returncode == 3
    assert re.search(rf"✗ {status} +jvp +jvp by x +{re.escape(said)}", done.stdout)
    assert f"8 theorems: 7 proved, 1 {status}" in done.stdout
    assert "Traceback" not in done.stderr


def test_problems_are_told_as_they_are_here(address, tmp_path):
    write(tmp_path, broken="1 / 0\n")
    files = ("check", "broken.py", "missing.py")
    here = gradproof(*files, cwd=tmp_path)
    there = gradproof(*files, "--executor", address, cwd=tmp_path)
    assert (here.returncode, here.stderr) == (there.returncode, there.stderr)
    assert "missing.py: there is no such file\n" in there.stderr


def asked(path: object) -> dict[str, object]:
    return asdict(Request("describe", Target(str(path))))


@pytest.mark.parametrize("lacks", ["folder", "file"])
def test_what_a_worker_does_not_see_is_named_with_it(lacks, address, tmp_path):
    folder = tmp_path if lacks == "file" else tmp_path / "elsewhere"
    with distributed.Client(address) as client:
        arguments = (asked("op.py"), 10, MB, str(folder), lacks, True)
        found = client.submit(remote.answered, *arguments, pure=False).result()
        client.run(remote.close, lacks)
    problem = found["answer"]["problem"]
    assert problem["file"] == "op.py"
    what = "there is no such file" if lacks == "file" else f"there is no folder {folder}"
    said = rf"{re.escape(what)} for the Dask worker at tcp://.*; files must have the same paths"
    assert re.fullmatch(said, problem["message"])


def test_what_is_urgent_goes_first(tmp_path):
    """With one worker, which is busy, and holds the next one, while the others are asked for."""
    note = f"import os, time\nopen({str(tmp_path / 'order')!r}, 'a').write(__file__[-4] + ' ')\n"
    busy = f"while not os.path.exists({str(tmp_path / 'known')!r}): time.sleep(0.01)\n"
    later = dict.fromkeys("bcd", note + GOOD)
    write(tmp_path, a=f"{note}{busy}{GOOD}", **later)
    with Cluster("dask", 1, MB) as pool:
        for name, urgency in (("a", 0), ("b", 2), ("c", 2), ("d", 1)):
            pool.submit(name, asked(tmp_path / f"{name}.py"), 10, urgency)
        while pool.client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) < 4:
            time.sleep(0.01)
        (tmp_path / "known").touch()
        found = dict(pool.next() for _ in range(4))
    assert (tmp_path / "order").read_text() == "a b d c "
    assert all("ops" in found[name] for name in "abcd")


def test_a_run_that_is_over_starts_nothing_more():
    remote.close("over")
    with pytest.raises(Lost, match="the run is over"):
        remote.asked({}, 1, MB, ".", "over")
    assert not remote.IDLE.get("over")


@pytest.mark.parametrize("lost", ["workers", "scheduler"])
def test_a_cluster_that_is_lost_keeps_nobody_waiting(lost, tmp_path, monkeypatch):
    write(tmp_path, good=f"import time\ntime.sleep(600)\n{GOOD}")
    monkeypatch.setattr(cluster, "SECONDS_ALONE", 1)
    with (
        distributed.LocalCluster(n_workers=1, dashboard_address="127.0.0.1:0") as running,
        Cluster(running.scheduler_address, 1, MB) as pool,
    ):
        for key in (1, 2):
            pool.submit(key, asked(tmp_path / "good.py"), 10, 0)
        if lost == "workers":
            running.scale(0)
        else:
            pool.client.rpc.timeout = 1  # seconds that the end waits for what is gone
            running.close()
        answers = dict(pool.next() for _ in range(2))
    assert {str(answer) for answer in answers.values()} <= {
        "the Dask cluster has no workers any more",
        "the Dask scheduler lost it",
    }
    assert set(answers) == {1, 2}


# What is said where there is no cluster.


def test_nobody_at_the_address(tmp_path, monkeypatch, capsys):
    write(tmp_path, good=GOOD)
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    assert main(["check", str(tmp_path / "good.py"), "--executor", UNUSED]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"gradproof: --executor {UNUSED}: no Dask scheduler answers within 1 s")
    assert len(said.splitlines()) == 1


def test_what_is_no_address():
    with pytest.raises(UsageError, match="cluster7 is neither dask nor an address such as tcp://"):
        Cluster("cluster7", 1, MB)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"needs Dask: pip install 'gradproof\[dask\]'"):
        Cluster("dask", 1, MB)


def test_a_cluster_without_workers(monkeypatch):
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as empty,
        pytest.raises(UsageError, match="the cluster has no workers"),
    ):
        Cluster(empty.scheduler_address, 1, MB)


def test_workers_with_other_sources_settle_nothing(address, monkeypatch):
    """SOUNDNESS: a verdict of theirs would be another tool's."""
    monkeypatch.setattr(cluster, "ours", lambda: "another hash")
    with pytest.raises(UsageError, match="other sources of gradproof; install the same"):
        Cluster(address, 1, MB)


def test_changed_sources_are_others(tmp_path, monkeypatch):
    found = set()
    for home in ("TOOL", "SUITE"):
        (tmp_path / home).mkdir()
        monkeypatch.setattr(remote, home, tmp_path / home)
    for home in ("TOOL", "SUITE"):
        for text in ("a = 1\n", "a = 2\n"):
            (tmp_path / home / "kernel.py").write_text(text, "utf-8")
            found.add(remote.sources.__wrapped__())
    assert len(found) == 4


# Ends.


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
@pytest.mark.parametrize("where", [slow("dask"), "address"])
def test_an_interrupt_leaves_no_process_behind(where, address, tmp_path):
    """Ctrl-C reaches all processes of the terminal."""
    notes = "import os; open(f'worker{os.getpid()}', 'w').close()\n"
    write(tmp_path, slow=notes + sabotaged("open('begun', 'w').close()\n        while True: pass"))
    executor = ("--executor", address if where == "address" else "dask", "--jobs", "2")
    run = subprocess.Popen(
        [COMMAND, "check", "slow.py", "--timeout", "600", *executor],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    while not (tmp_path / "begun").exists():
        assert run.poll() is None
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGINT)
    shown, said = run.communicate(timeout=120)
    assert run.returncode == 130
    assert "double::jvp by x" in shown
    assert "Traceback" not in said
    workers = [int(path.name.removeprefix("worker")) for path in tmp_path.glob("worker*")]
    assert workers
    for _ in range(300):
        if not any(map(lives, workers)) and not in_group(run.pid):
            return
        time.sleep(0.1)
    pytest.fail(f"left: {[p for p in workers if lives(p)]}, {in_group(run.pid)}")


def in_group(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_both_kinds_of_pool_are_asked_alike(tmp_path):
    write(tmp_path, good=GOOD)
    answers = []
    for pool in (Pool(1, MB), Cluster("dask", 1, MB)):
        with pool:
            pool.submit("key", asked(tmp_path / "good.py"), 10, 0)
            answers.append(pool.next())
    assert answers[0] == answers[1]
