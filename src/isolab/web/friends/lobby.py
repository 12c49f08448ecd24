"""All meetings of a server: opened, found by their tokens, kept, forgotten."""

import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from typing import Final

from isolab.errors import InputError
from isolab.system import lock
from isolab.web.friends.keeping import ENDING, Head, MeetingFile
from isolab.web.friends.meeting import Meeting, Seat, Terms
from isolab.web.friends.room import Room
from isolab.web.problems import BUSY, Refused

TOKEN_BYTES: Final = 20
"""160 bits: nobody guesses that."""
MOST: Final = 2000
MOST_EACH: Final = 50
"""Meetings at a time, and of them opened from one address, those whose game is over left out."""
IDLE_S: Final = 7 * 86_400.0
UNBEGUN_S: Final = 86_400.0
"""So long after the last thing that happened a meeting is forgotten; and one in which there was no move yet."""
LOCK_NAME: Final = "lock"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What opens a new meeting: one's own seat, the friend's, and the place of those who watch."""

    seat: str
    friend: str
    watch: str


class Lobby:
    """The meetings in a folder; one server keeps them at a time.

    Args:
        folder: where their files are; it is made with the first.
        clock: the time of day in seconds.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock
        self._rooms: dict[str, Room] = {}
        self._places: dict[str, tuple[Room, Seat | None]] = {}
        self._lock: int | None = None

    def start(self) -> None:
        """Read what is there, if anything is; what is damaged is named and left.

        The time of those who are to move runs from now on: nobody could move while there was no server.
        """
        if not self._folder.is_dir():
            return
        try:
            self._take()
        except (Refused, OSError) as error:
            _log.warning("%s: no games between friends here: %s", self._folder, error)
            return
        for path in sorted(self._folder.glob(f"*{ENDING}")):
            try:
                file = MeetingFile(path)
                head, meeting = file.read()
                self._add(Room(meeting, head.watch, file, path.stat().st_mtime), head)
            except (InputError, OSError) as error:
                _log.warning("%s", error)
        self._forget_idle()
        for room in self._rooms.values():
            room.run_clock()

    def close(self) -> None:
        """Let go of the folder."""
        for room in self._rooms.values():
            room.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def open(self, terms: Terms, address: str) -> Tokens:
        """Open a meeting for somebody at an address.

        Raises:
            InputError: the terms are none.
            Refused: there are as many as may be, or another server has the folder.
            OSError: it cannot be written down.
        """
        meeting = Meeting(terms)
        self._forget_idle()
        self._check_room(address)
        self._take()
        tokens = Tokens(*(token_urlsafe(TOKEN_BYTES) for _ in range(3)))
        head = Head(
            terms=terms, seats=(_digest(tokens.seat), _digest(tokens.friend)), watch=tokens.watch
        )
        file = MeetingFile.create(self._folder, _digest(tokens.watch)[:32], head)
        self._add(Room(meeting, tokens.watch, file, self._clock(), address), head)
        return tokens

    def find(self, token: str) -> tuple[Room, Seat | None]:
        """The room that a token opens, and the seat in it; no seat: one may watch.

        Raises:
            Refused: there is none.
        """
        place = self._places.get(_digest(token))
        if place is None:
            raise Refused(404, "no such game: it was forgotten, or the link is not whole")
        return place

    def _check_room(self, address: str) -> None:
        if len(self._rooms) >= MOST:
            raise Refused(BUSY, f"The server is busy: it has {MOST:,} games between friends.")
        own = sum(
            room.opener == address and room.meeting.outcome is None for room in self._rooms.values()
        )
        if own >= MOST_EACH:
            raise Refused(BUSY, f"The server is busy: your address has {MOST_EACH} open games.")

    def _take(self) -> None:
        """Be the one server that writes into the folder."""
        if self._lock is not None:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
        if not lock(handle):
            os.close(handle)
            raise Refused(409, "another server keeps the games between friends of its folder")
        self._lock = handle

    def _add(self, room: Room, head: Head) -> None:
        self._rooms[head.watch] = room
        self._places[head.seats[0]] = room, 0
        self._places[head.seats[1]] = room, 1
        self._places[_digest(head.watch)] = room, None

    def _forget_idle(self) -> None:
        now = self._clock()
        for watch, room in list(self._rooms.items()):
            begun = room.meeting.moves or room.meeting.game > 1
            if not room.lines and now - room.touched > (IDLE_S if begun else UNBEGUN_S):
                self._forget(watch, room)

    def _forget(self, watch: str, room: Room) -> None:
        room.close()
        del self._rooms[watch]
        self._places = {key: place for key, place in self._places.items() if place[0] is not room}
        try:
            room.file.remove()
        except OSError as error:
            _log.warning("%s", error)


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
