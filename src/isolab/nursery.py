"""A process that has only imported, from which our others are forked: importing is most of what many of them do.

A process of ours asks the nursery that it was given, or starts one when it first needs it, and names what it needs:
the nursery imports that, forks, and tells how the child ends. It does nothing else: so it never has a second thread,
and nothing is in its memory but modules; what a child is to do, only the child reads. A child has nothing of the
nursery's: streams, environment, folder, group and cores are those of who asked, and it has no descriptors but those
that it was handed. The nursery ends with the process that started it.

That takes Linux. Elsewhere `nursery_for` has none, and the process is started as everywhere. A process whose
interpreter would begin otherwise has another nursery, which began so.
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
from enum import StrEnum
from importlib import import_module
from io import TextIOWrapper
from itertools import pairwise
from subprocess import DEVNULL, Popen, TimeoutExpired
from types import ModuleType
from typing import Any, Final, NoReturn

from isolab.system import (
    INTERRUPTS,
    IS_LINUX,
    give_way,
    interrupts_held_back,
    keep_to,
    named,
    usable_cores,
)

AT_START: Final = ("PYTHON", "NUMBA", "LD_", "OMP", "OPENBLAS", "MKL", "NUMEXPR")
"""How the names of variables begin that Python or a library reads when it starts."""
BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "import isolab.nursery as it; it.serve_stdin()"
)
ENDING_S: Final = 1.0
MOST_BYTES: Final = 1 << 16
MOST_DESCRIPTORS: Final = 64
STREAMS: Final = (
    ("stdin", 0, "rb", "strict"),
    ("stdout", 1, "wb", "strict"),
    ("stderr", 2, "wb", "backslashreplace"),
)


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
        name: str = "isolab",
        argv: Sequence[str] = ("isolab",),
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


def read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """What of an environment Python or a library reads when it starts."""
    return {name: value for name, value in environment.items() if name.startswith(AT_START)}


def _spawned(environment: Mapping[str, str]) -> Nursery:
    ours, theirs = _line()
    with theirs, interrupts_held_back():
        process = Popen(
            [sys.executable, "-P", "-c", BOOT, json.dumps([str(folder) for folder in sys.path])],
            stdin=theirs.fileno(),
            stdout=DEVNULL,
            cwd=os.sep,
            env=environment,
        )
    atexit.register(_let_go, ours, process)
    return Nursery(ours, read_at_start(environment), process)


def _let_go(line: socket.socket, process: "Popen[bytes]") -> None:
    """Have a nursery end, which it does at once unless it imports just now."""
    line.close()
    with suppress(TimeoutExpired):
        process.wait(ENDING_S)


def _line() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


# The nursery itself


def serve_stdin() -> None:
    """Be a nursery, for whoever has the other end of stdin, which is a socket."""
    signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)  # a child lets them through
    line = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    named("isolab-nursery")
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
        ours, theirs = _line() if asks is Asks.THIS else (None, None)
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
        ours, theirs = _line()
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
        _ours[:] = [] if line is None else [Nursery(line, self._started_with)]
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
