"""A nursery: a process that has only imported, from which our others are forked; importing is most of what many do.

It is asked over a line (`forkserver.py`), imports what a child will need, forks, and tells how the child ends. It does
nothing else: so it never has a second thread, and nothing is in its memory but modules; what a child is to do, only
the child reads. Linux alone.
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
from itertools import pairwise
from types import ModuleType
from typing import Any, Final, NoReturn

from isolarium.compat import INTERRUPTS, give_way, keep_to, named
from isolarium.processes.forkserver import (
    MOST_BYTES,
    Asks,
    Nursery,
    ask_only,
    line_to_nursery,
    read_at_start,
)

MOST_DESCRIPTORS: Final = 64
STREAMS: Final = (
    ("stdin", 0, "rb", "strict"),
    ("stdout", 1, "wb", "strict"),
    ("stderr", 2, "wb", "backslashreplace"),
)


def serve_stdin() -> None:
    """Be a nursery, for whoever has the other end of stdin, which is a socket."""
    signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)  # a child lets them through
    line = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    named("isolarium-fork")
    gc.disable()  # imports leave little garbage, and to look for it takes a tenth of their time
    gc.freeze()  # nobody who is born looks at all this again
    _Serving(line).serve()
    os._exit(0)


class _Serving:
    """A nursery at work.

    Args:
        owner: the line to the process that it ends with.
    """

    def __init__(self, owner: socket.socket) -> None:
        self._started_with = read_at_start(os.environ)
        self._owner = owner
        self._lines = {owner.fileno(): owner}
        self._children: dict[int, tuple[int, int]] = {}
        self._poll = select.poll()
        self._poll.register(owner, select.POLLIN)

    def add(self, child: int, tells: int) -> None:
        """Tell of a child from now on."""
        with suppress(OSError):  # nobody may want to know
            os.write(tells, b"%d\n" % child)
        ended = os.pidfd_open(child)
        self._children[ended] = child, tells
        self._poll.register(ended, select.POLLIN)

    def serve(self) -> None:
        """Until the owner is gone."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor in self._children:
                    self._bury(descriptor)
                elif not self._hear(self._lines[descriptor]):
                    return

    def tell_of_the_rest(self) -> None:
        """Wait for the children's end, and tell of it."""
        for descriptor in list(self._children):
            self._bury(descriptor)

    def _bury(self, ended: int) -> None:
        child, tells = self._children.pop(ended)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(OSError):  # nobody may want to know
            os.write(tells, b"%d\n" % status)
        self._poll.unregister(ended)
        os.close(ended)
        os.close(tells)

    def _hear(self, line: socket.socket) -> bool:
        """Do what somebody asks; False once the owner is gone."""
        try:
            text, descriptors, _, _ = socket.recv_fds(
                line, MOST_BYTES, MOST_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
            )
        except ConnectionResetError:
            text = b""
        if text:
            self._bear(json.loads(text), descriptors)
            return True
        self._poll.unregister(line)
        del self._lines[line.fileno()]
        line.close()
        return line is not self._owner

    def _bear(self, request: Mapping[str, Any], descriptors: list[int]) -> None:
        self._import(request["needs"])
        asks = Asks(request["asks"])
        ours, theirs = line_to_nursery() if asks is Asks.THIS else (None, None)
        child = -1
        with suppress(OSError):  # whoever asked hears of it from the end of the line
            child = os.fork()
        if child == 0:
            _lead(lambda: self._be_born(asks, descriptors, theirs))
        if ours is not None and theirs is not None:
            theirs.close()
            self._lines[ours.fileno()] = ours
            self._poll.register(ours, select.POLLIN)
        text, tells, *others = descriptors
        for descriptor in (text, *others):
            os.close(descriptor)
        if child > 0 and asks is not Asks.ITS_OWN:
            self.add(child, tells)
        else:
            os.close(tells)

    def _import(self, modules: Sequence[str]) -> None:
        known = len(sys.modules)
        for module in modules:
            with suppress(ImportError):  # the child will say so
                import_module(module)
        if len(sys.modules) > known:
            gc.freeze()

    def _be_born(self, asks: Asks, descriptors: list[int], line: socket.socket | None) -> object:
        """Be the child; or, where it has a nursery of its own, that nursery."""
        if asks is not Asks.ITS_OWN:
            return self._be(descriptors, line)
        os.setsid()
        ours, theirs = line_to_nursery()
        child = os.fork()
        if child == 0:
            return self._be(descriptors, theirs)
        theirs.close()
        tells = descriptors[1]
        _close_others(tells, ours.fileno())
        serving = _Serving(ours)
        serving._started_with = self._started_with
        serving.add(child, tells)
        serving.serve()
        serving.tell_of_the_rest()
        return 0

    def _be(self, descriptors: list[int], line: socket.socket | None) -> object:
        """Become what was ordered, and do it."""
        text, _, *streams = descriptors[:5]
        handles = descriptors[5:]
        with os.fdopen(text, encoding="utf-8", closefd=False) as file:
            file.seek(0)
            order = json.load(file)
        for number, descriptor in enumerate(streams):
            os.dup2(descriptor, number)
        _close_others(*handles, *([] if line is None else [line.fileno()]))
        ask_only(None if line is None else Nursery(line, self._started_with))
        return _obey(order, handles)


def _obey(order: Mapping[str, Any], handles: Sequence[int]) -> object:
    with suppress(OSError):  # a group of another session, or one that is gone
        os.setpgid(0, order["group"])
    named(order["name"])
    keep_to(order["cores"])
    give_way(max(0, order["nice"] - os.nice(0)))
    os.environ.clear()
    os.environ.update(order["environment"])
    with suppress(OSError):  # it may be gone
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
    for number in INTERRUPTS:  # held back until now
        signal.signal(number, signal.default_int_handler if order["apart"] else signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
    module, _, name = order["run"].partition(":")
    run: Callable[..., object] = getattr(import_module(module), name)
    return run(handles, *order["arguments"])


def _close_others(*kept: int) -> None:
    """Close every descriptor but these and the streams."""
    bounds = [2, *sorted(kept), 1 << 20]
    for low, high in pairwise(bounds):
        if low + 1 < high:
            os.closerange(low + 1, high)


def _open_streams() -> None:
    """Open Python's own streams anew, on what the descriptors are by now."""
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


def _lead(life: Callable[[], object]) -> NoReturn:
    """Live a life, and end as Python would, but for taking apart all that was imported, which takes a while."""
    status: object = 1
    try:
        try:
            status = life()
        except SystemExit as end:
            status = end.code
        except BaseException:
            traceback.print_exc()
        threading._shutdown()  # type: ignore[attr-defined] # as Python does first
        atexit._run_exitfuncs()
        if isinstance(status, str):
            print(status, file=sys.stderr)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except BaseException:
        os._exit(120)
    os._exit(status if isinstance(status, int) else int(status is not None))
