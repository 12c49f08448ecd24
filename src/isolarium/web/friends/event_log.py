"""Meetings as files: one for each, with a line for each event, which is on the disk before anybody is told of it.

A line is a checksum and JSON. The first says what the meeting is about and which tokens open it, those of the seats as
digests. A last line that was cut off, as when the server is killed, had been told to nobody: it is left out, and
overwritten by the next. Reading changes nothing: a file may be damaged, or anybody's.
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
from isolarium.web.friends.friend_match import Event, Meeting, Terms
from isolarium.web.http_errors import Refused, told

ENDING: Final = ".meeting"
MOST_BYTES: Final = 16 << 20
"""More than a meeting can come to."""
MOST_LINE: Final = 1000
"""More bytes than an event can come to."""
AGAIN: Final = os.O_RDWR | AS_IT_IS
AT_FIRST: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | AS_IT_IS


class Head(BaseModel):
    """The first line.

    Attributes:
        version: of this way to write.
        terms: what the meeting is about.
        seats: digests of the tokens of both seats.
        watch: the token of those who watch.
        opener: what stands for the address that it was opened from; nothing where that is not known.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    terms: Terms
    seats: tuple[str, str]
    watch: str
    opener: str = ""


class MeetingFile:
    """The file of one meeting, which is read, or begun, before anything is appended.

    Args:
        path: where it is.
        size: the bytes of it that are sound.

    Attributes:
        torn: the bytes after those, of a line that was cut off; they are there until something is appended.
    """

    def __init__(self, path: Path, size: int = 0) -> None:
        self.path, self._size, self.torn = path, size, 0

    @classmethod
    def create(cls, folder: Path, name: str, head: Head) -> "MeetingFile":
        """Begin a file; once it is there, it is whole.

        Raises:
            OSError: it cannot be written.
        """
        path, line = folder / f"{name}{ENDING}", _sealed(head)
        draft = path.with_suffix(".draft")
        handle = os.open(draft, AT_FIRST, 0o600)
        try:
            _put(handle, line)
            draft.rename(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)
        sync_names(folder)
        return cls(path, len(line))

    def append(self, event: Event) -> None:
        """Write an event down; where that fails, nothing of it is left.

        Raises:
            OSError: it cannot be written, or the file is not as it was left.
        """
        line = _sealed(event)
        handle = os.open(self.path, AGAIN)
        try:
            if not 0 < self._size <= os.fstat(handle).st_size:
                raise OSError(EIO, "The file is shorter than it was")
            os.ftruncate(handle, self._size)
            os.lseek(handle, self._size, os.SEEK_SET)
            try:
                _put(handle, line)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(handle, self._size)
                raise
        finally:
            os.close(handle)
        self._size, self.torn = self._size + len(line), 0

    def read(self) -> tuple[Head, Meeting]:
        """What was written.

        Raises:
            InputError: the file is damaged, or none of ours.
            OSError: it cannot be read.
        """
        try:
            whole, _, rest = read_small(self.path, MOST_BYTES).rpartition(b"\n")
        except InputError:
            raise InputError("no regular file, or too long") from None
        try:
            lines = _opened(whole)
            head = Head.model_validate_json(next(lines, b""))
            meeting = Meeting(head.terms)
            for line in lines:
                meeting.apply(Event.model_validate_json(line))
        except (Refused, ValidationError) as error:
            raise InputError(told(error)) from None
        if _was_whole(rest):
            raise InputError("the end of the last line is not as it was written")
        self._size, self.torn = len(whole) + 1, len(rest)
        return head, meeting

    def remove(self) -> None:
        """Forget the meeting."""
        self.path.unlink(missing_ok=True)


def _sealed(content: BaseModel) -> bytes:
    text = content.model_dump_json().encode()
    return b"%08x %s\n" % (crc32(text), text)


def _opened(whole: bytes) -> Iterator[bytes]:
    for number, line in enumerate(whole.split(b"\n"), start=1):
        seal, _, text = line.partition(b" ")
        if seal != b"%08x" % crc32(text):
            raise InputError(f"line {number} is not as it was written")
        yield text


def _was_whole(rest: bytes) -> bool:
    """Whether what follows the last end of a line is more than the beginning of an event, and so may have been told."""
    seal, _, text = rest.partition(b" ")
    ends = (at + 1 for at, byte in enumerate(text[:MOST_LINE]) if byte == ord("}"))
    return len(rest) > MOST_LINE or any(seal == b"%08x" % crc32(text[:end]) for end in ends)


def _put(handle: int, line: bytes) -> None:
    """Have a line on the disk.

    Raises:
        OSError: it, or the end of it, cannot be written.
    """
    if os.write(handle, line) != len(line):
        raise OSError(ENOSPC, "No space left on device")
    os.fsync(handle)
