"""The pipe to a sandboxed process: whole messages, each a JSON object; anything else is refused.

The process may write to its end whatever it likes, whenever it likes: half a message, two messages, a message before it
was asked, gigabytes. Nothing of that may keep us waiting, fill our memory, or be taken for the next answer.
"""

import os
import select
import struct
import time
from multiprocessing.connection import Connection
from typing import Any, Final

from isolarium.strict_json import read_json

LONGEST: Final = 1 << 20
"""Bytes of a message."""
SENDING_S: Final = 10.0
"""How long a process may take to read a request."""
HEAD: Final = struct.Struct("!i")
"""How `multiprocessing` begins a message: with its length."""


class BadAnswer(Exception):  # noqa: N818 # an agent's doing, not an error of ours
    """A process sent something that is not an answer; the message says what."""


class AnswerLine:
    """Our end of the pipe to a process that may send anything.

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
        """See that nothing has come that was not asked for.

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
        """Write a message as the process reads; one that does not read would otherwise have us wait for ever."""
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
