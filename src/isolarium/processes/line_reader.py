"""Lines of text from a pipe or a terminal, read with an optional timeout."""

import time
from typing import Final

from isolarium.compat import pieces_of

MOST_BYTES: Final = 1 << 16
"""The maximum length of a line; longer lines are truncated to save memory."""


class Lines:
    """The lines that arrive on a file descriptor.

    Args:
        descriptor: The descriptor, which is neither changed nor closed.
    """

    def __init__(self, descriptor: int) -> None:
        self._source = pieces_of(descriptor)
        self._read = bytearray()
        self._looked = 0
        self._cutting = False
        self._ended = False

    def read(self, seconds: float | None = None) -> str | None:
        """Return the next line without its line end, or None after the timeout.

        With a timeout of None, wait forever.

        Raises:
            EOFError: If there are no more lines.
        """
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            line = self._next_line()
            if line is not None:
                return line
            if self._ended:
                raise EOFError
            left = None if until is None else max(0.0, until - time.monotonic())
            piece = self._source.read(left)
            if piece is None:
                return None
            self._take(piece)

    def _take(self, piece: bytes) -> None:
        if not piece:
            self._ended = True
            if self._read:  # The last line may lack a line end.
                self._read += b"\n"
        self._read += piece

    def _next_line(self) -> str | None:
        """Return a complete line, skipping the rest of a truncated one."""
        while True:
            end = self._read.find(b"\n", self._looked)
            if end < 0:
                self._looked = len(self._read)
                return self._cut() if self._looked >= MOST_BYTES else None
            line = bytes(self._read[:end])
            del self._read[: end + 1]
            self._looked = 0
            if not self._cutting:
                return _decoded(line)
            self._cutting = False

    def _cut(self) -> str | None:
        line = bytes(self._read[:MOST_BYTES])
        self._read.clear()
        self._looked = 0
        if self._cutting:
            return None
        self._cutting = True
        return _decoded(line)


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\r")
