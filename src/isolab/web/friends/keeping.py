"""Meetings as files: one for each, with a line for each event, which is on the disk before anybody is told of it.

A line is a checksum and JSON. The first says what the meeting is about and which tokens open it, those of the seats as
digests. A last line that was cut off, as when the server is killed, had been told to nobody, and is dropped.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal
from zlib import crc32

from pydantic import BaseModel, ConfigDict, ValidationError

from isolab.errors import InputError
from isolab.system import sync_names
from isolab.web.friends.meeting import Event, Meeting, Terms
from isolab.web.problems import Refused, told

ENDING: Final = ".meeting"
MOST_BYTES: Final = 16 << 20
"""More than a meeting can come to."""


class Head(BaseModel):
    """The first line.

    Attributes:
        version: of this way to write.
        terms: what the meeting is about.
        seats: digests of the tokens of both seats.
        watch: the token of those who watch.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1] = 1
    terms: Terms
    seats: tuple[str, str]
    watch: str


class MeetingFile:
    """The file of one meeting.

    Args:
        path: where it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, folder: Path, name: str, head: Head) -> "MeetingFile":
        """Begin a file; once it is there, it is whole.

        Raises:
            OSError: it cannot be written.
        """
        path = folder / f"{name}{ENDING}"
        draft = path.with_suffix(".draft")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb", buffering=0) as file:
            file.write(_sealed(head))
            os.fsync(handle)
        draft.rename(path)
        sync_names(folder)
        return cls(path)

    def append(self, event: Event) -> None:
        """Write an event down; where that fails, nothing of it is left.

        Raises:
            OSError: it cannot be written.
        """
        line = _sealed(event)
        with self.path.open("r+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            try:
                written = file.write(line)
                if written != len(line):
                    raise OSError(28, "No space left on device")
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):
                    file.truncate(size)
                raise

    def read(self) -> tuple[Head, Meeting]:
        """What was written, and drop what was cut off.

        Raises:
            InputError: the file is damaged, or none of ours.
            OSError: it cannot be read, or not be written to.
        """
        if self.path.stat().st_size > MOST_BYTES:
            raise self._damaged("too long")
        whole, _, rest = self.path.read_bytes().rpartition(b"\n")
        if rest:
            os.truncate(self.path, len(whole) + 1)
        try:
            lines = _opened(whole)
            head = Head.model_validate_json(next(lines, b""))
            meeting = Meeting(head.terms)
            for line in lines:
                meeting.apply(Event.model_validate_json(line))
        except (InputError, Refused, ValidationError) as error:
            raise self._damaged(told(error)) from None
        return head, meeting

    def _damaged(self, why: str) -> InputError:
        return InputError(f"{self.path}: a damaged game between friends, left as it is: {why}")

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
