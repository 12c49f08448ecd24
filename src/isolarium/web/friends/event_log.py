"""The event logs of friend matches: a line for each event.

An event is written to disk before it is sent to anyone. Each line consists of a checksum and JSON.
The first line contains the terms of the match and its tokens; the tokens of the seats are stored as
digests. A truncated last line, left by a crash, was never sent: it is skipped, and the next event
overwrites it. Reading never changes a file, because the file may be damaged or may not be a log.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from errno import EIO, ENOSPC
from pathlib import Path
from typing import Final, Literal
from zlib import crc32

from pydantic import BaseModel, ConfigDict, ValidationError

from isolarium.compat import AS_IT_IS, sync_names
from isolarium.errors import InputError
from isolarium.safe_files import read_small
from isolarium.web.friends.friend_match import Event, FriendMatch, Terms
from isolarium.web.http_errors import HttpError, error_text

ENDING: Final = ".meeting"
MOST_BYTES: Final = 16 << 20
"""The size limit of a log, which no match can reach."""
MOST_LINE: Final = 1000
"""The limit of a line in bytes, which no event can reach."""
REOPEN: Final = os.O_RDWR | AS_IT_IS
CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | AS_IT_IS


class Header(BaseModel):
    """The first line of a log.

    Attributes:
        version: The format's version.
        terms: The terms of the match.
        seats: Digests of the tokens of both seats.
        watch: The token of spectators.
        opener: A keyed hash of the address that created the match; empty if unknown.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    terms: Terms
    seats: tuple[str, str]
    watch: str
    opener: str = ""


class EventLog:
    """The log of one match, which must be read or created before appending.

    Args:
        path: Its path.
        size: The number of valid bytes.

    Attributes:
        torn: The number of bytes of a truncated last line; the next event overwrites them.
    """

    def __init__(self, path: Path, size: int = 0) -> None:
        self.path, self._size, self.torn = path, size, 0

    @classmethod
    def create(cls, folder: Path, name: str, head: Header) -> "EventLog":
        """Create a log atomically.

        Raises:
            OSError: If the log cannot be written.
        """
        path, line = folder / f"{name}{ENDING}", _checksummed(head)
        draft = path.with_suffix(".draft")
        handle = os.open(draft, CREATE, 0o600)
        try:
            _write_line(handle, line)
            draft.rename(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)
        sync_names(folder)
        return cls(path, len(line))

    def append(self, event: Event) -> None:
        """Append an event completely or not at all.

        Raises:
            OSError: If the log cannot be written, or the file was changed.
        """
        line = _checksummed(event)
        handle = os.open(self.path, REOPEN)
        try:
            if not 0 < self._size <= os.fstat(handle).st_size:
                raise OSError(EIO, "The file is shorter than it was")
            os.ftruncate(handle, self._size)
            os.lseek(handle, self._size, os.SEEK_SET)
            try:
                _write_line(handle, line)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(handle, self._size)
                raise
        finally:
            os.close(handle)
        self._size, self.torn = self._size + len(line), 0

    def read(self) -> tuple[Header, FriendMatch]:
        """Read the log.

        Raises:
            InputError: If the file is damaged or not a log.
            OSError: If the log cannot be read.
        """
        try:
            whole, _, rest = read_small(self.path, MOST_BYTES).rpartition(b"\n")
        except InputError:
            raise InputError("not a regular file, or too large") from None
        try:
            lines = _checked_lines(whole)
            head = Header.model_validate_json(next(lines, b""))
            match = FriendMatch(head.terms)
            for line in lines:
                match.apply(Event.model_validate_json(line))
        except (HttpError, ValidationError) as error:
            raise InputError(error_text(error)) from None
        if _was_whole(rest):
            raise InputError("the last line's checksum does not match")
        self._size, self.torn = len(whole) + 1, len(rest)
        return head, match

    def remove(self) -> None:
        """Delete the log."""
        self.path.unlink(missing_ok=True)


def _checksummed(content: BaseModel) -> bytes:
    text = content.model_dump_json().encode()
    return b"%08x %s\n" % (crc32(text), text)


def _checked_lines(whole: bytes) -> Iterator[bytes]:
    for number, line in enumerate(whole.split(b"\n"), start=1):
        checksum, _, text = line.partition(b" ")
        if checksum != b"%08x" % crc32(text):
            raise InputError(f"line {number}: the checksum does not match")
        yield text


def _was_whole(rest: bytes) -> bool:
    """Return whether the bytes after the last line end contain a whole event.

    Such an event may already have been sent.
    """
    checksum, _, text = rest.partition(b" ")
    ends = (at + 1 for at, byte in enumerate(text[:MOST_LINE]) if byte == ord("}"))
    return len(rest) > MOST_LINE or any(checksum == b"%08x" % crc32(text[:end]) for end in ends)


def _write_line(handle: int, line: bytes) -> None:
    """Write a line and flush it to the disk.

    Raises:
        OSError: If the log cannot be written completely.
    """
    if os.write(handle, line) != len(line):
        raise OSError(ENOSPC, "No space left on device")
    os.fsync(handle)
