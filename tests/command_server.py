"""Runs the `isolab` command in processes that have its modules already: to import them takes most of a short command.

Each command is a process of its own, forked from one that only imports. It has its own arguments, environment, folder
and pipes, and ends as it would have ended by itself.
"""

import atexit
import gc
import json
import os
import pkgutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Any, Final

MOST_BYTES: Final = 1 << 18
OTHERWISE: Final = (
    "isolab.web",
    "isolab.arena.cluster",
    "isolab.course.modules",
    "isolab.env",
    "isolab.__main__",
)
"""What is not imported beforehand: short commands do without."""
AT_START: Final = ("PYTHON", "NUMBA", "LD_", "OMP", "OPENBLAS", "MKL")
"""How the names of variables begin that Python or a library reads when it starts."""


STREAMS: Final = (
    ("stdin", 0, "rb", "strict"),
    ("stdout", 1, "wb", "strict"),
    ("stderr", 2, "wb", "backslashreplace"),
)


class CommandServer:
    """The process from which commands are forked, and the line to it; it ends when we do."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._started_with = _read_at_start(dict(os.environ))
        boot = (
            f"import sys; sys.path[:] = {sys.path!r}; import tests.command_server as it; it.serve()"
        )
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", boot], stdin=theirs.fileno()
            )

    def can_run(self, environment: dict[str, str]) -> bool:
        """Whether a command in that environment would not have started otherwise."""
        return _read_at_start(environment) == self._started_with

    def run(
        self, command: Sequence[str], answers: str, environment: dict[str, str], most_s: float
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end.

        Raises:
            subprocess.TimeoutExpired: it takes too long.
        """
        order = {"command": command, "environment": environment, "folder": str(Path.cwd())}
        (their_in, our_in), *pipes = (os.pipe() for _ in range(4))
        theirs = [their_in, *(writer for _, writer in pipes)]
        out, err, told = (reader for reader, _ in pipes)
        socket.send_fds(self._line, [json.dumps(order).encode()], theirs)
        for descriptor in theirs:
            os.close(descriptor)
        threading.Thread(target=_write, args=(our_in, answers.encode()), daemon=True).start()
        try:
            said = _read_all([out, err, told], time.monotonic() + most_s)
        except TimeoutError:
            raise subprocess.TimeoutExpired(list(command), most_s) from None
        status = os.waitstatus_to_exitcode(int(said[told]))
        return subprocess.CompletedProcess(
            list(command), status, *(said[one].decode() for one in (out, err))
        )


def _read_at_start(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(AT_START)}


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


def serve() -> None:
    """Import everything, and then fork for every command that is asked for on stdin, which is a socket."""
    import isolab

    for module in pkgutil.walk_packages(isolab.__path__, "isolab."):
        if not module.name.startswith(OTHERWISE):
            import_module(module.name)
    gc.collect()
    gc.freeze()  # nobody who is forked looks at all this again
    with socket.socket(fileno=os.dup(0)) as line:
        while True:
            text, descriptors, _, _ = socket.recv_fds(line, MOST_BYTES, 4)
            if not text:
                return
            if os.fork() == 0:
                break
            for descriptor in descriptors:
                os.close(descriptor)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
    *pipes, told = descriptors
    child = os.fork()
    if child == 0:
        os.close(told)
        _be_the_command(json.loads(text), pipes)
    for descriptor in pipes:
        os.close(descriptor)
    os.write(told, str(os.waitpid(child, 0)[1]).encode())
    os._exit(0)


def _be_the_command(order: dict[str, Any], pipes: Sequence[int]) -> None:
    for number, descriptor in enumerate(pipes):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    sys.argv = order["command"]
    for name, number, mode, errors in STREAMS:
        stream = TextIOWrapper(
            os.fdopen(number, mode, closefd=False), "utf-8", errors, line_buffering=name == "stderr"
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    from isolab.cli import main

    status: object = 0
    try:
        status = main()
    except SystemExit as end:
        status = end.code
    _end(status)


def _end(status: object) -> None:
    """End as Python would, but for taking apart all that was imported: that takes longer than most commands."""
    threading._shutdown()  # type: ignore[attr-defined] # as Python does first
    atexit._run_exitfuncs()
    if isinstance(status, str):
        print(status, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os._exit(120)
    os._exit(status if isinstance(status, int) else int(status is not None))
