"""The client of the fork server, which has only imported modules.

Forking from it starts processes quickly.

A process uses the fork server it was given, or starts one on first use. Each request lists the modules that the child
will need: the fork server (`forkserver_main.py`) imports them, forks, and reports the child's exit status. A child
inherits only modules from the fork server: its streams, environment, working directory, process group and cores are
those of the client, and its only open descriptors are those that the client passed to it. A fork server ends with the
process that started it.

Fork servers need Linux; elsewhere `fork_server_for` returns None, and processes are started in the usual way. If Python
or a library would start differently in the child's environment, another fork server is started in that environment.
"""

import atexit
import json
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from subprocess import DEVNULL, Popen, TimeoutExpired
from typing import Any, Final

from isolarium.compat import IS_LINUX, interrupts_held_back, usable_cores

STARTUP_PREFIXES: Final = ("PYTHON", "NUMBA", "LD_", "OMP", "OPENBLAS", "MKL", "NUMEXPR")
"""Prefixes of the variables that Python or a library reads when it starts."""
NEEDED: Final = ("HOME", "LANG", "PATH", "SYSTEMROOT", "TMPDIR", "TZ", "XDG_CACHE_HOME")
"""Other environment variables passed to a fork server."""
BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "import isolarium.processes.forkserver_main as it; it.serve_stdin()"
)
ENDING_S: Final = 1.0
MOST_BYTES: Final = 1 << 16
"""The maximum size, in bytes, of a request to a fork server and of its reports."""


class ChildServer(StrEnum):
    """The fork server that a child uses to start processes."""

    ON_DEMAND = "on demand"
    """A server that the child starts when needed; third-party code may not start one."""
    SHARED = "shared"
    """The server that the child was forked from."""
    OWN = "own"
    """A server that is forked and ends with the child; the two share a new session."""


def can_fork() -> bool:
    """Return whether this system supports fork servers."""
    return IS_LINUX and hasattr(os, "pidfd_open") and hasattr(os, "memfd_create")


PYTHONS_OWN: Final = "forkserver"
"""The name of Python's own fork server, from which Dask starts the workers of a local cluster."""


def start_pythons_own(modules: Sequence[str]) -> None:
    """Start Python's own fork server, with these modules imported; it needs `can_fork`."""
    from multiprocessing import get_context
    from multiprocessing.forkserver import ensure_running

    get_context(PYTHONS_OWN).set_forkserver_preload(list(modules))
    ensure_running()


class Child:
    """A process forked by a fork server, with the interface of `Popen`.

    Attributes:
        returncode: Its exit status; None until it is known.
    """

    def __init__(self, reports: int) -> None:
        self.returncode: int | None = None
        self._reports = reports
        self._poll = select.poll()
        self._poll.register(reports, select.POLLIN)
        self._pid: int | None = None
        self._lock = threading.Lock()
        self._text = b""

    def __del__(self) -> None:
        os.close(self._reports)

    @property
    def pid(self) -> int:
        """Its process id.

        Raises:
            OSError: If the process could not be started.
        """
        with self._lock:
            while self._pid is None:
                self._read_report(None)
            return self._pid

    def poll(self) -> int | None:
        """Return the exit status, or None if the process has not ended."""
        with suppress(TimeoutExpired):
            self.wait(0.0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process ends, and return its exit status.

        Raises:
            TimeoutExpired: If the process does not end within the timeout.
        """
        with self._lock:
            while self.returncode is None:
                self._read_report(timeout)
            return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process, if it was started and has not ended."""
        with suppress(OSError):  # The fork server exited before it started the process.
            if self.poll() is None:
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process, if it has not ended."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the process to end, if it has not ended."""
        self.send_signal(signal.SIGTERM)

    def _read_report(self, seconds: float | None) -> None:
        """Read the fork server's next report; if the server has ended, so has the child."""
        if not self._poll.poll(None if seconds is None else seconds * 1000):
            raise TimeoutExpired(["a process of a fork server"], seconds or 0.0)
        piece = os.read(self._reports, MOST_BYTES)
        self._text += piece
        *numbers, _ = self._text.split(b"\n")
        if numbers:
            self._pid = int(numbers[0])
        if len(numbers) > 1:
            self.returncode = int(numbers[1])
        elif not piece:
            if self._pid is None:
                raise OSError("a process could not be started")
            self.returncode = -signal.SIGKILL


class ForkServer:
    """A fork server, represented by the socket to it.

    Args:
        line: The socket.
        started_with: The environment variables that Python and libraries read when the server started.
        process: The server's process, if this process started it.
    """

    def __init__(
        self, line: socket.socket, started_with: Mapping[str, str], process: "Popen[bytes] | None" = None
    ) -> None:
        self._line, self._started_with, self._process = line, started_with, process

    @property
    def is_running(self) -> bool:
        """Whether the fork server is running, as far as this process can tell."""
        return self._process is None or self._process.poll() is None

    def suits(self, environment: Mapping[str, str]) -> bool:
        """Return whether Python would start in the same way in an environment."""
        return startup_variables(environment) == self._started_with

    def start(
        self,
        run: str,
        arguments: Sequence[Any] = (),
        *,
        handles: Sequence[int] = (),
        streams: Sequence[int],
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
        needs: Sequence[str] = (),
        child_server: ChildServer = ChildServer.ON_DEMAND,
        own_group: bool = False,
        name: str = "isolarium",
        argv: Sequence[str] = ("isolarium",),
    ) -> Child:
        """Start a process.

        Args:
            run: The function to run, as `module:function`; it is called with the list of its handles and the arguments.
            arguments: The arguments, in JSON's types.
            handles: Descriptors to pass to the process; their numbers differ there.
            streams: The process's stdin, stdout and stderr.
            environment: The process's environment, by default the caller's.
            folder: The process's working directory, by default the caller's.
            needs: The modules of Isolarium that the process will import, and that later children may import too. The
                function of `module:function` is called each time, so it must be harmless to repeat.
            child_server: The fork server that the process itself uses.
            own_group: Whether the process gets its own process group, which the caller's Ctrl-C does not reach;
                otherwise it ignores Ctrl-C.
            name: The process name that the system shows.
            argv: The process's `sys.argv`.

        Raises:
            OSError: If the fork server has ended.
        """
        order = {
            "run": run,
            "arguments": arguments,
            "environment": dict(os.environ if environment is None else environment),
            "folder": os.getcwd() if folder is None else folder,  # noqa: PTH109 # as text
            "path": [str(folder) for folder in sys.path],
            "own_group": own_group,
            "group": 0 if own_group else os.getpgrp(),
            "cores": usable_cores(),
            "nice": os.nice(0),
            "name": name,
            "argv": list(argv),
        }
        text = os.memfd_create("order")
        reports, theirs = os.pipe()
        try:
            with os.fdopen(os.dup(text), "w", encoding="utf-8") as file:
                json.dump(order, file)
            request = json.dumps({"needs": list(needs), "child_server": child_server}).encode()
            socket.send_fds(self._line, [request], [text, theirs, *streams, *handles])
        except OSError:
            os.close(reports)
            raise
        finally:
            os.close(text)
            os.close(theirs)
        return Child(reports)


_lock = threading.Lock()
_ours: list[ForkServer] = []


def fork_server_for(environment: Mapping[str, str] | None = None) -> ForkServer | None:
    """Return the fork server for an environment, starting it if needed.

    The default is this process's environment.

    Return None on systems without fork servers.
    """
    if not can_fork():
        return None
    around = os.environ if environment is None else environment
    with _lock:
        _ours[:] = [server for server in _ours if server.is_running]
        for server in _ours:
            if server.suits(around):
                return server
        _ours.append(_spawned(around))
        return _ours[-1]


def use_only(server: ForkServer | None) -> None:
    """Set this newly forked process's fork server; None starts one on demand."""
    _ours[:] = [] if server is None else [server]


def startup_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment's variables that Python or a library reads at start."""
    return {name: value for name, value in environment.items() if name.startswith(STARTUP_PREFIXES)}


def _spawned(environment: Mapping[str, str]) -> ForkServer:
    ours, theirs = server_sockets()
    with theirs, interrupts_held_back():
        process = Popen(
            [sys.executable, "-P", "-c", BOOT, json.dumps([str(folder) for folder in sys.path])],
            stdin=theirs.fileno(),
            stdout=DEVNULL,
            cwd=os.sep,
            env=_without_secrets(environment),
        )
    atexit.register(_end, ours, process)
    return ForkServer(ours, startup_variables(environment), process)


def _without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a fork server needs.

    Third-party code forked from the server could read any other variables.
    """
    return {
        name: value
        for name, value in environment.items()
        if name in NEEDED or name.startswith((*STARTUP_PREFIXES, "LC_"))
    }


def _end(line: socket.socket, process: "Popen[bytes]") -> None:
    """End a fork server: at once, or after its current import."""
    line.close()
    with suppress(TimeoutExpired):
        process.wait(ENDING_S)


def server_sockets() -> tuple[socket.socket, socket.socket]:
    """Return the two ends of a new connection: the client's and the fork server's."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
