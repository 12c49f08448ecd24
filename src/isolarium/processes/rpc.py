"""Calls and events: the protocol between a process of Isolarium and its child.

The parent sends numbered calls. The child answers each call with events: any number of progress
reports, then an event that ends the call. There are two encodings:

- **Pickled**, between our own processes: `Call` and `Event`, which `worker.py` sends and receives.
- **JSON**, with third-party code, which may send anything: `CallServer` in the child and `UntrustedPipe` in the parent,
  where `sandboxed_process.py` validates each event. A call is `{"number": 1, "do": NAME, ...}`; `{"cancel": 1}` asks to
  finish it early. An event has the number of its call and one of `done` (the returned value), `failed` (the reason,
  with `message`), `wrong` (the fault in the input) and `alive` (progress).
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
"""The maximum size of a JSON message, in bytes."""
LONGEST_TEXT: Final = 2000
"""The maximum number of characters of a text in a JSON event."""
NO_ANSWER: Final = "gave no answer"
"""The start of the description of code that never answered a call that its clock does not limit."""
LATE: Final = "did not stop when its time was over"
SENDING_S: Final = 10.0
"""The time limit, in seconds, for a child to read a call."""
HEAD: Final = struct.Struct("!i")
"""The header of a `multiprocessing` message: its length."""


class EventKind(StrEnum):
    """The kinds of events of a call."""

    PROGRESS = "progress"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Call:
    """Work for a child process.

    Attributes:
        number: Identifies the call in its events; calls are numbered from 1.
        arguments: The arguments of the child's function.
    """

    number: int
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a call.

    Attributes:
        number: The number of the call.
        kind: `PROGRESS` for each progress report; the other kinds end the call.
        content: The progress report, the returned value or the exception.
        memory_mb: The memory that the child uses after the call.
    """

    number: int
    kind: EventKind
    content: Any
    memory_mb: int = 0


class CallServer:
    """The child's end of the pipe: it receives calls as JSON and sends their events.

    Args:
        line: The end of the pipe.
        alive_s: The longest time between progress reports during long work.

    Attributes:
        number: The number of the current call.
    """

    def __init__(self, line: Connection, alive_s: float = 1.0) -> None:
        self._line, self.alive_s = line, alive_s
        self.number = 0

    def receive(self) -> dict[str, Any]:
        """Return the next call, without its number; cancellations of earlier calls are skipped.

        Raises:
            EOFError: If the parent has exited.
        """
        while "cancel" in (call := json.loads(self._line.recv_bytes())):
            pass
        self.number = call.pop("number")
        found: dict[str, Any] = call
        return found

    def is_cancelled(self) -> bool:
        """Return whether the current call has been cancelled since the last check."""
        return self._line.poll() and json.loads(self._line.recv_bytes())["cancel"] == self.number

    def send(self, **event: Any) -> None:
        """Send an event of the current call."""
        self._send({"number": self.number, **event})

    def send_protection(self, protection: Mapping[str, Any]) -> None:
        """Report the sandbox's protection once, before the first event."""
        self._send({"sandbox": protection})

    def serve(self, answer: Callable[..., dict[str, Any]]) -> NoReturn:
        """Answer calls with the event that `answer(do=NAME, ...)` returns.

        Raises:
            EOFError, OSError: Once the parent has exited.
        """
        while True:
            self.send(**answer(**self.receive()))

    @contextmanager
    def busy(self, most_s: float) -> Iterator[None]:
        """Report progress regularly while the block runs, up to a time limit."""
        over = threading.Event()
        thread = threading.Thread(target=self._beat, args=[over, most_s], daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()  # Only one thread may write to the pipe at a time.

    def _beat(self, over: threading.Event, most_s: float) -> None:
        for _ in range(int(most_s / self.alive_s)):
            if over.wait(self.alive_s):
                return
            self.send(alive=True)

    def _send(self, message: Mapping[str, Any]) -> None:
        self._line.send_bytes(json.dumps(message).encode())


class BadAnswer(Exception):  # noqa: N818 # caused by an agent, not by our code
    """A process sent an invalid answer; the message describes it."""


class UntrustedPipe:
    """The parent's end of the pipe to a process that may send anything at any time.

    Partial, duplicate or unexpected messages and gigabytes of data cannot block this process, fill
    its memory or be mistaken for the answer to the next call.

    Args:
        line: The end of a `Pipe`.
    """

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._keeps_whole = not isinstance(line, Connection)  # On Windows, pipes keep messages whole themselves.
        self._head_and_body = bytearray()
        if not self._keeps_whole:
            os.set_blocking(line.fileno(), False)

    def close(self) -> None:
        """Close this end of the pipe."""
        self._line.close()

    def check_silent(self) -> None:
        """Check that no unexpected data has arrived.

        Raises:
            BadAnswer: If data has arrived.
        """
        if self._head_and_body or (self._line.poll(0.0) and self._read(1)):
            raise BadAnswer("sent an answer before it was asked")

    def send(self, request: bytes) -> None:
        """Send a request.

        Raises:
            EOFError: If the process has closed its end.
            BadAnswer: If the process does not read its input.
        """
        try:
            if self._keeps_whole:
                self._line.send_bytes(request)
            else:
                self._send_whole(HEAD.pack(len(request)) + request)
        except OSError:
            raise EOFError from None

    def _send_whole(self, message: bytes) -> None:
        """Write a message as fast as the process reads it, up to a time limit."""
        until = time.monotonic() + SENDING_S
        while message:
            try:
                message = message[os.write(self._line.fileno(), message) :]
            except BlockingIOError:
                left = until - time.monotonic()
                if left <= 0 or not self._writable(left):
                    raise BadAnswer("did not read what it was asked") from None

    def _writable(self, seconds: float) -> bool:
        """Wait until the pipe is writable; return whether it is."""
        poll = select.poll()
        poll.register(self._line.fileno(), select.POLLOUT)
        return bool(poll.poll(seconds * 1000))

    def poll(self, seconds: float) -> bool:
        """Wait for a complete message; return whether it has arrived.

        Raises:
            EOFError: If the process closed its end.
            BadAnswer: If the data is not a message, or the message is too long.
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
        """Return the message that has arrived.

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
        except OSError:  # The process ended with data left unread.
            return b""

    def _missing(self) -> int:
        """Return the number of bytes of the message that have not arrived yet."""
        here = len(self._head_and_body)
        if here < HEAD.size:
            return HEAD.size - here
        (length,) = HEAD.unpack_from(self._head_and_body)
        if not 0 <= length <= LONGEST:
            raise BadAnswer(f"sent an answer of more than {LONGEST:,} bytes")
        return HEAD.size + int(length) - here
