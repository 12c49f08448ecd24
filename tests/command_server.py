"""Runs the `isolarium` command in processes that have imported it: that takes most of a short command.

Each command is a process of its own, forked from a fork server that has everything. It has its own arguments,
environment, folder and pipes, and ends as it would have ended by itself.
"""

import fcntl
import gc
import os
import pkgutil
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Final

from isolarium.compat import INTERRUPTS
from isolarium.processes.forkserver import Child, ChildServer, ForkServer, server_sockets, startup_variables
from isolarium.processes.forkserver_main import serve_stdin

MOST_BYTES: Final = 1 << 18
OTHERWISE: Final = (
    "isolarium.web",
    "isolarium.arena.cluster.remote_workers",
    "isolarium.arena.cluster.relay",
    "isolarium.course.modules",
    "isolarium.env",
    "isolarium.__main__",
)
"""What is not imported beforehand: short commands do without."""

AS_BEGUN = dict(os.environ)
"""The environment before any test changed it."""


class Started:
    """A command that was started, much as `Popen` has it, with what it says in pipes."""

    def __init__(self, child: "Child | subprocess.Popen[bytes]", out: int, err: int | None) -> None:
        self._child, self._err = child, err
        self.stdout = os.fdopen(out, encoding="utf-8")
        self.pid, self.poll = child.pid, child.poll
        self.send_signal, self.kill, self.terminate = (child.send_signal, child.kill, child.terminate)

    @property
    def returncode(self) -> int | None:
        """How it ended, if it has."""
        return self.poll()

    def wait(self, timeout: float) -> int:
        """How it ended, once it has."""
        return self._child.wait(timeout)

    def communicate(self, timeout: float) -> tuple[str, str]:
        """All that it says from now on, on stdout and on stderr, once it has ended."""
        ends = time.monotonic() + timeout
        out = os.dup(self.stdout.fileno())
        lines = [out] if self._err is None else [out, os.dup(self._err)]
        said = [text.decode() for text in _read_all(lines, ends).values()]
        self.wait(max(0.0, ends - time.monotonic()))
        return said[0], "".join(said[1:])

    def close(self) -> None:
        """Listen no longer."""
        self.stdout.close()
        if self._err is not None:
            os.close(self._err)


class WarmServer:
    """A fork server that has imported what its processes need; it ends when we do, or close it.

    Args:
        serve: What it runs, as `module:function`.
    """

    def __init__(self, serve: str) -> None:
        line, theirs = server_sockets()
        module, _, function = serve.partition(":")
        boot = f"import sys; sys.path[:] = {sys.path!r}; import {module} as it; it.{function}()"
        with theirs:
            self._process = subprocess.Popen([sys.executable, "-P", "-c", boot], stdin=theirs.fileno(), env=AS_BEGUN)
        self._line, self.fork_server = line, ForkServer(line, startup_variables(AS_BEGUN))

    def close(self) -> None:
        """Have it end."""
        self._line.close()
        self._process.wait()


class CommandServer(WarmServer):
    """The fork server of commands."""

    def __init__(self) -> None:
        super().__init__("tests.command_server:serve")

    def can_run(self, environment: Mapping[str, str]) -> bool:
        """Whether a command in that environment would not have started otherwise."""
        return self.fork_server.suits(environment)

    def start(
        self,
        command: Sequence[str],
        streams: Sequence[int],
        environment: Mapping[str, str],
        folder: Path | None = None,
        needs: Sequence[str] = (),
        on_terminal: bool = False,
    ) -> Child:
        """Start a command, in a process group of its own, with these for stdin, stdout and stderr.

        With `on_terminal` stdin is a terminal that becomes its own.
        """
        return self.fork_server.start(
            "tests.command_server:run_on_terminal" if on_terminal else "isolarium.cli.app:forked_main",
            argv=command,
            streams=streams,
            environment=environment,
            folder=None if folder is None else str(folder),
            needs=needs,
            child_server=ChildServer.OWN,
            own_group=not on_terminal,  # whose leader cannot begin a session
        )

    def run(
        self, command: Sequence[str], answers: str, environment: Mapping[str, str], most_s: float
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end.

        Raises:
            subprocess.TimeoutExpired: it takes too long.
        """
        (their_in, our_in), (out, their_out), (err, their_err) = (os.pipe() for _ in range(3))
        theirs = their_in, their_out, their_err
        child = self.start(command, theirs, environment)
        for descriptor in theirs:
            os.close(descriptor)
        threading.Thread(target=_write, args=(our_in, answers.encode()), daemon=True).start()
        ends = time.monotonic() + most_s
        try:
            said = _read_all([out, err], ends)
        except TimeoutError:
            raise subprocess.TimeoutExpired(list(command), most_s) from None
        status = child.wait(max(0.0, ends - time.monotonic()))
        return subprocess.CompletedProcess(list(command), status, *(said[one].decode() for one in (out, err)))


def _write(descriptor: int, text: bytes) -> None:
    with suppress(BrokenPipeError), os.fdopen(descriptor, "wb") as file:
        file.write(text)


def _read_all(descriptors: Sequence[int], ends: float) -> dict[int, bytes]:
    """What comes from each until its end.

    Raises:
        TimeoutError: that is not reached in time.
    """
    said = dict.fromkeys(descriptors, b"")
    with DefaultSelector() as selector:
        for descriptor in descriptors:
            selector.register(descriptor, EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, ends - time.monotonic()))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                piece = os.read(key.fd, MOST_BYTES)
                said[key.fd] += piece
                if not piece:
                    selector.unregister(key.fd)
                    os.close(key.fd)
    return said


def run_on_terminal(handles: Sequence[int]) -> int:
    """Run a command as the leader of a session of its own, which has stdin as its terminal."""
    from isolarium.cli.app import forked_main

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in INTERRUPTS:
        signal.signal(number, signal.default_int_handler)
    return forked_main(handles)


def serve() -> None:
    """Import everything, and then be a fork server."""
    gc.disable()
    import isolarium

    for module in pkgutil.walk_packages(isolarium.__path__, "isolarium."):
        if not module.name.startswith(OTHERWISE):
            import_module(module.name)
    serve_stdin()
