"""Calls and events: how a process of ours and a process that it started exchange work.

The parent sends numbered calls; the child answers each with events: any number that report progress, then one that ends
the call. Either end may be written in two ways:

- **Pickled**, between our own processes: `Call` and `Event`, which `worker.py` sends and receives.
- **JSON**, with third-party code, which may send anything: `CallServer` in the child and `UntrustedPipe` in the parent,
  where `sandboxed_process.py` validates each event. A call is `{"number": 1, "do": NAME, ...}`; `{"cancel": 1}` asks to
  finish it early. An event has the number of its call and one of `done` (the returned value), `failed` (why, with
  `message`), `wrong` (what is wrong with the input) and `alive` (progress).
"""

import json
import os
import select
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.connection import Connection
from typing import Any, Final, NoReturn

from isolarium.safe_files import read_json

LONGEST: Final = 1 << 20
"""Bytes of a JSON message."""
LONGEST_TEXT: Final = 2000
"""Characters of a text in a JSON event."""
SENDING_S: Final = 10.0
"""How long a child may take to read a call."""
HEAD: Final = struct.Struct("!i")
"""How `multiprocessing` begins a message: with its length."""


class EventKind(StrEnum):
    """What an event reports of its call."""

    PROGRESS = "progress"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Call:
    """Work for a child process.

    Attributes:
        number: Identifies the call in its events; they count up from 1.
        arguments: What the child's function is called with.
    """

    number: int
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to a call.

    Attributes:
        number: That of the call.
        kind: Any number of `PROGRESS`, then one of the others.
        content: The progress, the returned value or the exception.
        memory_mb: The memory that the child uses after the call.
    """

    number: int
    kind: EventKind
    content: Any
    memory_mb: int = 0


class CallServer:
    """The child's end of the pipe: it receives calls as JSON and sends their events.

    Args:
        line: That end.
        alive_s: How often to report progress during long work, at least.

    Attributes:
        number: That of the current call.
    """

    def __init__(self, line: Connection, alive_s: float = 1.0) -> None:
        self._line, self.alive_s = line, alive_s
        self.number = 0

    def receive(self) -> dict[str, Any]:
        """Return the next call, without its number; cancellations of earlier calls are skipped.

        Raises:
            EOFError: If the parent is gone.
        """
        while "cancel" in (call := json.loads(self._line.recv_bytes())):
            pass
        self.number = call.pop("number")
        found: dict[str, Any] = call
        return found

    def is_cancelled(self) -> bool:
        """Return whether a cancellation of the current call has come since it was last asked for."""
        return self._line.poll() and json.loads(self._line.recv_bytes())["cancel"] == self.number

    def send(self, **event: Any) -> None:
        """Send an event of the current call."""
        self._send({"number": self.number, **event})

    def send_protection(self, protection: Mapping[str, Any]) -> None:
        """Report what the sandbox holds, once, before the first event."""
        self._send({"sandbox": protection})

    def serve(self, answer: Callable[..., dict[str, Any]]) -> NoReturn:
        """Answer calls with the event that `answer(do=NAME, ...)` returns, until the parent is gone.

        Raises:
            EOFError, OSError: Once it is.
        """
        while True:
            self.send(**answer(**self.receive()))

    @contextmanager
    def busy(self, most_s: float) -> Iterator[None]:
        """Report progress regularly for as long as the block runs, up to a limit."""
        over = threading.Event()
        thread = threading.Thread(target=self._beat, args=[over, most_s], daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()  # only one thread may write to the pipe at a time

    def _beat(self, over: threading.Event, most_s: float) -> None:
        for _ in range(int(most_s / self.alive_s)):
            if over.wait(self.alive_s):
                return
            self.send(alive=True)

    def _send(self, message: Mapping[str, Any]) -> None:
        self._line.send_bytes(json.dumps(message).encode())


class BadAnswer(Exception):  # noqa: N818 # an agent's doing, not an error of ours
    """A process sent something that is not an answer; the message says what."""


class UntrustedPipe:
    """The parent's end of the pipe to a process that may send anything, at any time.

    Half a message, two messages, one that was not asked for, gigabytes: none of it blocks us, fills our memory or is
    taken for the answer to the next call.

    Args:
        line: The end of a `Pipe`.
    """

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._keeps_whole = not isinstance(
            line, Connection
        )  # as the pipes of Windows do themselves
        self._head_and_body = bytearray()
        if not self._keeps_whole:
            os.set_blocking(line.fileno(), False)

    def close(self) -> None:
        """Close our end."""
        self._line.close()

    def check_silent(self) -> None:
        """Check that nothing has come that was not asked for.

        Raises:
            BadAnswer: If something has.
        """
        if self._head_and_body or (self._line.poll(0.0) and self._read(1)):
            raise BadAnswer("sent an answer before it was asked")

    def send(self, request: bytes) -> None:
        """Send a request.

        Raises:
            EOFError: If the process closed its end.
            BadAnswer: If it does not read.
        """
        try:
            if self._keeps_whole:
                self._line.send_bytes(request)
            else:
                self._send_whole(HEAD.pack(len(request)) + request)
        except OSError:
            raise EOFError from None

    def _send_whole(self, message: bytes) -> None:
        """Write a message as the process reads; one that does not read would otherwise block us forever."""
        until = time.monotonic() + SENDING_S
        while message:
            try:
                message = message[os.write(self._line.fileno(), message) :]
            except BlockingIOError:
                left = until - time.monotonic()
                if left <= 0 or not self._writable(left):
                    raise BadAnswer("did not read what it was asked") from None

    def _writable(self, seconds: float) -> bool:
        """Wait until something can be written; return whether it can."""
        poll = select.poll()
        poll.register(self._line.fileno(), select.POLLOUT)
        return bool(poll.poll(seconds * 1000))

    def poll(self, seconds: float) -> bool:
        """Wait for a whole message; return whether it has come.

        Raises:
            EOFError: If the process closed its end.
            BadAnswer: If what comes is not a message, or a longer one than allowed.
        """
        if self._keeps_whole:
            return self._line.poll(seconds)
        ends = time.monotonic() + seconds
        while missing := self._missing():
            if not self._line.poll(max(0.0, ends - time.monotonic())):
                return False
            piece = self._read(missing)
            if not piece:
                raise EOFError
            self._head_and_body += piece
        return True

    def receive(self) -> dict[str, Any]:
        """Return the message that has come.

        Raises:
            EOFError: If the process closed its end.
            BadAnswer: If the message is not a JSON object.
        """
        if self._keeps_whole:
            try:
                message = self._line.recv_bytes(LONGEST)
            except OSError:
                raise EOFError from None
        else:
            message = bytes(self._head_and_body[HEAD.size :])
            self._head_and_body.clear()
        try:
            answer = read_json(message.decode())
        except ValueError as error:
            raise BadAnswer(f"sent an answer that is not JSON: {error}") from None
        if not isinstance(answer, dict):
            raise BadAnswer("sent an answer that is not a JSON object")
        return answer

    def _read(self, most: int) -> bytes:
        try:
            return os.read(self._line.fileno(), most)
        except OSError:  # the process is gone, with what it had not read
            return b""

    def _missing(self) -> int:
        """Return how many bytes of the message are still to come."""
        here = len(self._head_and_body)
        if here < HEAD.size:
            return HEAD.size - here
        (length,) = HEAD.unpack_from(self._head_and_body)
        if not 0 <= length <= LONGEST:
            raise BadAnswer(f"sent an answer of more than {LONGEST:,} bytes")
        return HEAD.size + int(length) - here
