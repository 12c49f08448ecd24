"""Processes of ours are forked from one that has only imported: a nursery. Here it is asked for them.

A process of ours asks the nursery that it was given, or starts one when it first needs it, and names what it needs:
the nursery (`forkserver_main.py`) imports that, forks, and tells how the child ends. A child has nothing of the
nursery's: streams, environment, folder, group and cores are those of who asked, and it has no descriptors but those
that it was handed. The nursery ends with the process that started it.

That takes Linux. Elsewhere `nursery_for` has none, and the process is started as everywhere. A process whose
interpreter would begin otherwise has another nursery, which began so.
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

AT_START: Final = ("PYTHON", "NUMBA", "LD_", "OMP", "OPENBLAS", "MKL", "NUMEXPR")
"""How the names of variables begin that Python or a library reads when it starts."""
NEEDED: Final = ("HOME", "LANG", "PATH", "SYSTEMROOT", "TMPDIR", "TZ", "XDG_CACHE_HOME")
"""Other variables that a nursery starts with."""
BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "import isolarium.processes.forkserver_main as it; it.serve_stdin()"
)
ENDING_S: Final = 1.0
MOST_BYTES: Final = 1 << 16
"""Of a question to a nursery, or of what it tells."""


class Asks(StrEnum):
    """Whom a child asks for processes in its turn."""

    NOBODY = "nobody"
    """A nursery that it starts when it needs one; others' code may not."""
    THIS = "this"
    """The nursery that it was born in."""
    ITS_OWN = "its own"
    """One that is forked with it and ends with it, both in a session of their own."""


def can_fork() -> bool:
    """Whether this system has what a nursery takes."""
    return IS_LINUX and hasattr(os, "pidfd_open") and hasattr(os, "memfd_create")


class Child:
    """A process that was born in a nursery, as `Popen` has it.

    Attributes:
        returncode: how it ended; None while it is there, as far as was asked.
    """

    def __init__(self, told: int) -> None:
        self.returncode: int | None = None
        self._told = told
        self._poll = select.poll()
        self._poll.register(told, select.POLLIN)
        self._pid: int | None = None
        self._lock = threading.Lock()
        self._text = b""

    def __del__(self) -> None:
        os.close(self._told)

    @property
    def pid(self) -> int:
        """Its number.

        Raises:
            OSError: it could not be started.
        """
        with self._lock:
            while self._pid is None:
                self._hear(None)
            return self._pid

    def poll(self) -> int | None:
        """How it ended, if it has."""
        with suppress(TimeoutExpired):
            self.wait(0.0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """How it ended, once it has.

        Raises:
            TimeoutExpired: it has not, in that time.
        """
        with self._lock:
            while self.returncode is None:
                self._hear(timeout)
            return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, if it has not ended."""
        if self.poll() is None:
            with suppress(OSError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once, if it has not ended."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end, if it has not ended."""
        self.send_signal(signal.SIGTERM)

    def _hear(self, seconds: float | None) -> None:
        """Take the next word of the nursery; where that is gone, so is the child."""
        if not self._poll.poll(None if seconds is None else seconds * 1000):
            raise TimeoutExpired(["a process of a nursery"], seconds or 0.0)
        piece = os.read(self._told, MOST_BYTES)
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


class Nursery:
    """A nursery, known by the line to it.

    Args:
        line: that.
        started_with: what Python and libraries read when it started.
        process: its own, if we started it.
    """

    def __init__(
        self,
        line: socket.socket,
        started_with: Mapping[str, str],
        process: "Popen[bytes] | None" = None,
    ) -> None:
        self._line, self._started_with, self._process = line, started_with, process

    @property
    def is_there(self) -> bool:
        """Whether it has not ended, as far as we can know."""
        return self._process is None or self._process.poll() is None

    def suits(self, environment: Mapping[str, str]) -> bool:
        """Whether Python would have started there as it would in that environment."""
        return read_at_start(environment) == self._started_with

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
        asks: Asks = Asks.NOBODY,
        apart: bool = False,
        name: str = "isolarium",
        argv: Sequence[str] = ("isolarium",),
    ) -> Child:
        """Have a process start.

        Args:
            run: what it does, `module:function`; called with the list of its handles, and the arguments.
            arguments: whatever JSON can say.
            handles: descriptors that it is handed, whatever their numbers are there.
            streams: its stdin, stdout and stderr.
            environment: its own, in place of ours.
            folder: the one that it is to be in, in place of ours.
            needs: modules of ours that it will import, and others may too.
            asks: whom it asks for processes.
            apart: whether it has a process group of its own, and does not hear our Ctrl-C; in ours, it ignores that.
            name: what the system calls it.
            argv: its `sys.argv`.

        Raises:
            OSError: nobody is there.
        """
        order = {
            "run": run,
            "arguments": arguments,
            "environment": dict(os.environ if environment is None else environment),
            "folder": os.getcwd() if folder is None else folder,  # noqa: PTH109 # as text
            "path": [str(folder) for folder in sys.path],
            "apart": apart,
            "group": 0 if apart else os.getpgrp(),
            "cores": usable_cores(),
            "nice": os.nice(0),
            "name": name,
            "argv": list(argv),
        }
        text = os.memfd_create("order")
        told, tells = os.pipe()
        try:
            with os.fdopen(os.dup(text), "w", encoding="utf-8") as file:
                json.dump(order, file)
            request = json.dumps({"needs": list(needs), "asks": asks}).encode()
            socket.send_fds(self._line, [request], [text, tells, *streams, *handles])
        except OSError:
            os.close(told)
            raise
        finally:
            os.close(text)
            os.close(tells)
        return Child(told)


_lock = threading.Lock()
_ours: list[Nursery] = []


def nursery_for(environment: Mapping[str, str] | None = None) -> Nursery | None:
    """The nursery of this process, for a process in that environment or ours; None where there can be none."""
    if not can_fork():
        return None
    around = os.environ if environment is None else environment
    with _lock:
        _ours[:] = [nursery for nursery in _ours if nursery.is_there]
        for nursery in _ours:
            if nursery.suits(around):
                return nursery
        _ours.append(_spawned(around))
        return _ours[-1]


def ask_only(nursery: Nursery | None) -> None:
    """Have this process, just born, ask that nursery; or one that it starts when it needs one."""
    _ours[:] = [] if nursery is None else [nursery]


def read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """What of an environment Python or a library reads when it starts."""
    return {name: value for name, value in environment.items() if name.startswith(AT_START)}


def _spawned(environment: Mapping[str, str]) -> Nursery:
    ours, theirs = line_to_nursery()
    with theirs, interrupts_held_back():
        process = Popen(
            [sys.executable, "-P", "-c", BOOT, json.dumps([str(folder) for folder in sys.path])],
            stdin=theirs.fileno(),
            stdout=DEVNULL,
            cwd=os.sep,
            env=_harmless(environment),
        )
    atexit.register(_let_go, ours, process)
    return Nursery(ours, read_at_start(environment), process)


def _harmless(environment: Mapping[str, str]) -> dict[str, str]:
    """What a nursery needs of an environment; secrets in the rest could be read by the code of others, born there."""
    return {
        name: value
        for name, value in environment.items()
        if name in NEEDED or name.startswith((*AT_START, "LC_"))
    }


def _let_go(line: socket.socket, process: "Popen[bytes]") -> None:
    """Have a nursery end, which it does at once unless it imports just now."""
    line.close()
    with suppress(TimeoutExpired):
        process.wait(ENDING_S)


def line_to_nursery() -> tuple[socket.socket, socket.socket]:
    """A new line: the end of who asks, and the nursery's."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
