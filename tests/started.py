"""Processes that need no starting: forked from one that has imported everything already.

Each is a process of its own, with its own streams, folder, environment and exit status, as if it
had been started anew; what is spared is importing, which is most of the time of a short command.
The workers of a command are forked in the same way. What depends on how Python starts (its
options, its environment, what a folder hides) is tested with processes that are started.
"""

import atexit
import contextlib
import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from tempfile import mkdtemp
from threading import Lock

MOST = 1 << 20  # bytes of a request


class Started:
    """What `subprocess.Popen` is, as far as commands and workers use it."""

    def __init__(self, role, arguments, address, streams, cwd, env, session=False):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(address)
        asked = {"role": role, "arguments": list(arguments), "cwd": str(cwd), "env": dict(env)}
        text = json.dumps(asked | {"session": session, "address": address}) + "\n"
        socket.send_fds(self.connection, [text.encode()], streams)
        self.lock, self.returncode = Lock(), None
        self.pid = int(self.line())

    def wait(self, timeout=None):
        with self.lock:
            if self.returncode is None:
                self.connection.settimeout(timeout)
                try:
                    self.returncode = int(self.line())
                except TimeoutError:
                    raise subprocess.TimeoutExpired("a forked process", timeout) from None
                self.connection.close()
        return self.returncode

    def line(self):
        """A number that is sent as a whole, first that of the process, then its exit status."""
        found = b""
        while not found.endswith(b"\n"):
            part = self.connection.recv(1)
            if not part:
                raise ConnectionError("the process that forks is gone")
            found += part
        return found

    def poll(self):
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0.01)
        return self.returncode


def worker(address):
    """Takes the place of `subprocess.Popen` where a command starts its workers."""

    def popen(command, encoding, start_new_session, **_):
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        arguments, streams = command[4:], [theirs_in, theirs_out, 2]
        here, env = os.getcwd(), os.environ
        made = Started("worker", arguments, address, streams, here, env, start_new_session)
        os.close(theirs_in)
        os.close(theirs_out)
        made.stdin = os.fdopen(ours_in, "w", encoding=encoding)
        made.stdout = os.fdopen(ours_out, encoding=encoding)
        return made

    return popen


def forking(popen):
    """What takes the place of the module `subprocess` there."""
    known = {name: getattr(subprocess, name) for name in ("PIPE", "TimeoutExpired")}
    return type("subprocess", (), known | {"Popen": staticmethod(popen)})


@cache
def server(*modules, path=""):
    """The address of the process that the others are forked from, which has these modules."""
    address = str(Path(mkdtemp(prefix="started")) / "socket")
    program = f"import sys; sys.path.append({str(Path(__file__).parent)!r}); import started; "
    program += f"sys.path[-1:] = [{path!r}] * {bool(path)}; "
    program += f"started.serve({address!r}, {modules!r})"
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "CI")}
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )
    atexit.register(stop, process, address)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return address


def stop(process, address):
    process.stdin.close()
    process.wait(300)
    Path(address).unlink(missing_ok=True)
    Path(address).parent.rmdir()


# In the process that the others are forked from.


def serve(address, modules):
    """Until nobody can ask any more: then standard input ends."""
    for name in modules:
        for found in with_submodules(name):
            with contextlib.suppress(ImportError):  # of what is not installed here
                import_module(found)
    gc.collect()
    gc.freeze()
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running = {}
    with socket.socket(socket.AF_UNIX) as listener, selectors.DefaultSelector() as waiting:
        listener.bind(address)
        listener.listen(64)
        for file in (0, wake, listener):
            waiting.register(file, selectors.EVENT_READ)
        os.write(1, b"ready\n")
        while True:
            for key, _ in waiting.select():
                if key.fileobj == 0:
                    return
                if key.fileobj == wake:
                    os.read(wake, 4096)
                    reap(running)
                else:
                    accept(listener, running)


APART = {"__main__", "torch", "numpy", "jax"}  # run, or for code of libraries that may be missing


def with_submodules(name):
    module = import_module(name)
    inner = iter_modules(getattr(module, "__path__", ()), f"{name}.")
    return [name, *(found.name for found in inner if found.name.rpartition(".")[2] not in APART)]


def reap(running):
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        connection = running.pop(pid)
        with contextlib.suppress(OSError):
            connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
        connection.close()


def accept(listener, running):
    connection, _ = listener.accept()
    text, streams, _, _ = socket.recv_fds(connection, MOST, 3)
    while not text.endswith(b"\n"):
        text += connection.recv(MOST)
    pid = os.fork()
    if pid == 0:
        listener.close()
        for other in running.values():
            other.close()
        become(json.loads(text), streams, connection)
    for stream in streams:
        os.close(stream)
    running[pid] = connection


def become(asked, streams, connection):
    """Never returns."""
    status = 1
    try:
        prepare(asked, streams)
        connection.sendall(b"%d\n" % os.getpid())
        connection.close()
        status = ROLES[asked["role"]](asked)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(status or 0)


def prepare(asked, streams):
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if asked["session"]:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        if stream > 2:
            os.close(stream)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout.reconfigure(line_buffering=os.isatty(1))
    sys.argv = ["gradproof", *asked["arguments"]]


def as_command(asked):
    return import_module("gradproof.__main__").main(workers_forked(asked))


def workers_forked(asked):
    supervisor = import_module("gradproof.cli.workers.supervisor")
    supervisor.subprocess = forking(worker(asked["address"]))
    return asked["arguments"]


def as_worker(asked):
    import_module("gradproof.cli.workers.worker").main()


def as_pytest(asked):
    sys.path.insert(0, asked["cwd"])
    arguments = workers_forked(asked)
    # What is forked has imported the plugin already, so that its assertions are not rewritten.
    quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
    # Hypothesis takes longer to import than all that these projects do.
    quiet += ("-p", "no:hypothesispytest")
    return int(import_module("pytest").main([*arguments, *quiet]))


def as_trust(asked):
    return import_module("trust.__main__").main()


ROLES = {"trust": as_trust, "command": as_command, "worker": as_worker, "pytest": as_pytest}
