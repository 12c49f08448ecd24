"""The fork server: a process that has only imported modules.

Isolarium's other processes are forked from it.

Many processes spend most of their time importing. The client (`forkserver.py`) sends requests over a socket: to import
the modules that a child will need, and to fork. The fork server also reports the child's exit status. It does nothing
else: it never has a second thread, its memory contains only modules, and it does not read the child's task. Linux only.
"""

import atexit
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from types import ModuleType
from typing import Any, Final, NoReturn

from isolarium.compat import INTERRUPTS, close_others, lower_priority, pin_to_cores, set_process_name
from isolarium.processes.forkserver import (
    MOST_BYTES,
    ChildServer,
    ForkServer,
    server_sockets,
    startup_variables,
    use_only,
)

MOST_DESCRIPTORS: Final = 64
STREAMS: Final = (("stdin", 0, "rb", "strict"), ("stdout", 1, "wb", "strict"), ("stderr", 2, "wb", "backslashreplace"))


def serve_stdin() -> None:
    """Run a fork server for the process at the other end of stdin, which is a socket."""
    signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)  # A child unblocks them.
    line = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    set_process_name("isolarium-fork")
    gc.disable()  # Imports leave little garbage, and collecting it takes a tenth of the time.
    gc.freeze()  # Children never collect the objects that exist now.
    _Server(line).serve()
    os._exit(0)


class _Server:
    """The loop of a fork server.

    Args:
        owner: The socket to the owner; the fork server ends when the socket closes.
    """

    def __init__(self, owner: socket.socket) -> None:
        self._started_with = startup_variables(os.environ)
        self._owner = owner
        self._lines = {owner.fileno(): owner}
        self._children: dict[int, tuple[int, int | None]] = {}
        self._poll = select.poll()
        self._poll.register(owner, select.POLLIN)

    def add(self, child: int, reports: int) -> None:
        """Report the id of a child, and its exit status once it ends."""
        with suppress(OSError):  # The client may have exited.
            os.write(reports, b"%d\n" % child)
        self._watch(child, reports)

    def _watch(self, child: int, reports: int | None) -> None:
        """Wait for a child in the loop; without `reports`, its exit status is not reported."""
        ended = os.pidfd_open(child)
        self._children[ended] = child, reports
        self._poll.register(ended, select.POLLIN)

    def serve(self) -> None:
        """Serve until the owner exits."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor in self._children:
                    self._report_end(descriptor)
                elif not self._receive(self._lines[descriptor]):
                    return

    def report_remaining(self) -> None:
        """Wait until all reported children have ended, and report their exit statuses."""
        for descriptor, (_, reports) in list(self._children.items()):
            if reports is not None:
                self._report_end(descriptor)

    def _report_end(self, ended: int) -> None:
        child, reports = self._children.pop(ended)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self._poll.unregister(ended)
        os.close(ended)
        if reports is None:
            return
        with suppress(OSError):  # The client may have exited.
            os.write(reports, b"%d\n" % status)
        os.close(reports)

    def _receive(self, line: socket.socket) -> bool:
        """Execute a request; return False once the owner has exited."""
        try:
            text, descriptors, _, _ = socket.recv_fds(line, MOST_BYTES, MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC)
        except ConnectionResetError:
            text = b""
        if text:
            self._fork(json.loads(text), descriptors)
            return True
        self._poll.unregister(line)
        del self._lines[line.fileno()]
        line.close()
        return line is not self._owner

    def _fork(self, request: Mapping[str, Any], descriptors: list[int]) -> None:
        self._import(request["needs"])
        child_server = ChildServer(request["child_server"])
        is_shared = child_server is ChildServer.SHARED
        ours, theirs = server_sockets() if is_shared else (None, None)
        child = -1
        with suppress(OSError):  # The client detects a failure when the report pipe closes.
            child = os.fork()
        if child == 0:
            _run_and_exit(lambda: self._begin(child_server, descriptors, theirs))
        if ours is not None and theirs is not None:
            theirs.close()
            self._lines[ours.fileno()] = ours
            self._poll.register(ours, select.POLLIN)
        text, reports, *others = descriptors
        for descriptor in (text, *others):
            os.close(descriptor)
        if child > 0 and child_server is not ChildServer.OWN:
            self.add(child, reports)
            return
        os.close(reports)
        if child > 0:  # The child's own fork server reports.
            self._watch(child, None)

    def _import(self, needs: Sequence[str]) -> None:
        known = len(sys.modules)
        for need in needs:
            module, _, prepare = need.partition(":")
            with suppress(ImportError):  # The child will report the error.
                imported = import_module(module)
                if prepare:
                    getattr(imported, prepare)()
        if len(sys.modules) > known:
            gc.freeze()

    def _begin(self, child_server: ChildServer, descriptors: list[int], line: socket.socket | None) -> object:
        """Continue as the child or as the child's own fork server.

        If the child has its own fork server, this process becomes that server and forks the child.
        """
        if child_server is not ChildServer.OWN:
            return self._be_child(descriptors, line)
        os.setsid()
        ours, theirs = server_sockets()
        child = os.fork()
        if child == 0:
            return self._be_child(descriptors, theirs)
        theirs.close()
        reports = descriptors[1]
        close_others((reports, ours.fileno()))
        server = _Server(ours)
        server._started_with = self._started_with
        server.add(child, reports)
        server.serve()
        server.report_remaining()
        return 0

    def _be_child(self, descriptors: list[int], line: socket.socket | None) -> object:
        """Take over the client's descriptors and settings, and run the function."""
        text, _, *streams = descriptors[:5]
        handles = descriptors[5:]
        with os.fdopen(text, encoding="utf-8", closefd=False) as file:
            file.seek(0)
            order = json.load(file)
        for number, descriptor in enumerate(streams):
            os.dup2(descriptor, number)
        close_others([*handles, *([] if line is None else [line.fileno()])])
        use_only(None if line is None else ForkServer(line, self._started_with))
        return _carry_out(order, handles)


def _carry_out(order: Mapping[str, Any], handles: Sequence[int]) -> object:
    with suppress(OSError):  # The group is in another session, or has ended.
        os.setpgid(0, order["group"])
    set_process_name(order["name"])
    pin_to_cores(order["cores"])
    lower_priority(max(0, order["nice"] - os.nice(0)))
    os.environ.clear()
    os.environ.update(order["environment"])
    with suppress(OSError):  # The folder may have been removed.
        os.chdir(order["folder"])
    sys.path[:] = order["path"]
    sys.argv = order["argv"]
    importlib.invalidate_caches()
    sys.modules["__main__"] = ModuleType("__main__")
    _open_streams()
    gc.enable()
    random.seed()
    if (numpy_random := sys.modules.get("numpy.random")) is not None:
        numpy_random.seed()
    for number in INTERRUPTS:  # Blocked until now
        signal.signal(number, signal.default_int_handler if order["own_group"] else signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
    module, _, name = order["run"].partition(":")
    run: Callable[..., object] = getattr(import_module(module), name)
    return run(handles, *order["arguments"])


def _open_streams() -> None:
    """Reopen Python's own streams on the new descriptors."""
    unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    for name, number, mode, errors in STREAMS:
        buffering = 0 if unbuffered and name != "stdin" else -1
        stream = TextIOWrapper(
            os.fdopen(number, mode, buffering, closefd=False),
            "utf-8",
            errors,
            line_buffering=name == "stderr" or os.isatty(number),
            write_through=buffering == 0,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _run_and_exit(run: Callable[[], object]) -> NoReturn:
    """Run a function and exit like Python, but without tearing down the modules."""
    status: object = 1
    try:
        try:
            status = run()
        except SystemExit as end:
            status = end.code
        except BaseException:
            traceback.print_exc()
        threading._shutdown()  # type: ignore[attr-defined] # Python does this first
        atexit._run_exitfuncs()
        if isinstance(status, str):
            print(status, file=sys.stderr)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BaseException:
        os._exit(120)
    os._exit(status if isinstance(status, int) else int(status is not None))
