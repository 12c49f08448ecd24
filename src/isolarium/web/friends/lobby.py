"""The live matches of a server: opened, found by their tokens, played, and removed."""

import asyncio
import hmac
import logging
import os
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes, token_urlsafe
from typing import Any, Final

from isolarium.arena.provenance import signature
from isolarium.compat import AS_IT_IS, lock
from isolarium.errors import InputError, quoted, shown
from isolarium.game.outcome import Player
from isolarium.web.friends.event_log import ENDING, Head, MeetingFile
from isolarium.web.friends.friend_match import MOST_SPENT_MS, Event, Meeting, Seat, Terms, Wanted
from isolarium.web.http_errors import BUSY, FULL, Refused, told
from isolarium.web.schema import player_name

MOST_IN_SEAT: Final = 8
MOST_WATCHING: Final = 50
"""Connections: somebody may have several tabs open, and some whose end nobody has noticed."""
SLACK_S: Final = 0.005
"""A timer may come a little early."""
AGAIN_S: Final = 5.0
"""After this a flag is written down again that could not be."""

_log = logging.getLogger(__name__)


class Line:
    """One connection to a room.

    Attributes:
        seat: whose it is; None: somebody watches.
        news: set when there is something to tell. Who reads slowly misses only what is no longer true.
    """

    def __init__(self, seat: Seat | None) -> None:
        self.seat = seat
        self.news = asyncio.Event()


class Room:
    """A meeting with its file and its visitors.

    Args:
        meeting: where it stands.
        watch: the token of those who watch.
        file: where it is written down.
        touched: the time of day when something last happened.
        opener: what stands for the address that it was opened from.

    Attributes:
        lines: the connections.
    """

    def __init__(
        self, meeting: Meeting, watch: str, file: MeetingFile, touched: float, opener: str = ""
    ) -> None:
        self.meeting, self.watch, self.file = meeting, watch, file
        self.touched, self.opener = touched, opener
        self.lines: set[Line] = set()
        self._since = time.monotonic()
        self._timer: asyncio.TimerHandle | None = None
        self._one_at_a_time = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_begun(self) -> bool:
        """Whether anybody has moved."""
        return bool(self.meeting.moves) or self.meeting.game > 1

    def close(self) -> None:
        """Let no flag fall any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def enter(self, seat: Seat | None) -> Line:
        """Count somebody in.

        Raises:
            Refused: there are as many connections as may be.
            OSError: that somebody came for the first time cannot be written down.
        """
        most = MOST_WATCHING if seat is None else MOST_IN_SEAT
        if sum(line.seat == seat for line in self.lines) >= most:
            raise Refused(BUSY, f"The server is busy: this link is open {most} times.")
        line = Line(seat)
        self.lines.add(line)  # before anything is waited for: others come meanwhile
        try:
            if seat is not None and not self.meeting.came[seat]:
                await asyncio.shield(self._begin(self._come(seat)))
        except BaseException:
            self.leave(line)
            raise
        self._tell()
        return line

    def leave(self, line: Line) -> None:
        """Count somebody out."""
        self.lines.discard(line)
        self._tell()

    async def act(self, seat: Seat, wanted: Wanted) -> None:
        """Do what somebody in a seat wants, if it can be done.

        Raises:
            InputError: it is against the rules.
            Refused: it is too late, or not that person's to do.
            OSError: it cannot be written down, and so did not happen.
        """
        await asyncio.shield(self._begin(self._act(seat, wanted)))

    def _begin(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Have something done to its end, also when who wanted it has gone."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _act(self, seat: Seat, wanted: Wanted) -> None:
        async with self._one_at_a_time:
            event = self.meeting.event_for(seat, wanted, self._spent_ms())
            if event is not None:
                await self._write(event)

    async def _come(self, seat: Seat) -> None:
        async with self._one_at_a_time:
            if not self.meeting.came[seat]:
                await self._write(Event(kind="here", seat=seat))

    async def _write(self, event: Event) -> None:
        """Put an event on the disk, then let it be so, then tell everybody."""
        self.meeting.check(event)
        await asyncio.to_thread(self.file.append, event)
        before = self.meeting.running, len(self.meeting.moves)
        self.meeting.apply(event)
        self.touched = time.time()
        if (self.meeting.running, len(self.meeting.moves)) != before:
            self.run_clock()
        self._tell()

    # Clocks

    def _spent_ms(self) -> int:
        return min(int(1000 * (time.monotonic() - self._since)), MOST_SPENT_MS)

    def run_clock(self) -> None:
        """Let the time of the player to move run from now on, until the flag falls."""
        self.close()
        self._since = time.monotonic()
        player = self.meeting.running
        if player is not None:
            self._wake(self.meeting.left_ms[player] / 1000 + SLACK_S)

    def _wake(self, after_s: float) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(after_s, lambda: self._begin(self._flag()))

    async def _flag(self) -> None:
        async with self._one_at_a_time:
            player = self.meeting.running
            if player is None or self._spent_ms() < self.meeting.left_ms[player]:
                return  # a move came first
            try:
                await self._write(Event(kind="flag", seat=self.meeting.seat_of(player)))
            except OSError as error:
                _log.warning("a game between friends cannot be written down: %s", error)
                self._wake(AGAIN_S)

    # What is told

    def _tell(self) -> None:
        for line in self.lines:
            line.news.set()

    def told(self, seat: Seat | None) -> dict[str, Any]:
        """Where the meeting stands, for somebody in a seat or for those who watch."""
        meeting = self.meeting
        seats = [meeting.seat_of(player) for player in Player]
        there = {line.seat for line in self.lines}
        return {
            "kind": "game",
            "watch": self.watch,
            "you": None if seat is None else player_name(meeting.player_in(seat)),
            "board": meeting.terms.board,
            "game": meeting.game,
            "moves": [str(move) for move in meeting.moves],
            "outcome": self._outcome(),
            "question": self._question(),
            "clock": self._clock(),
            "there": [one in there for one in seats],
            "came": [meeting.came[one] for one in seats],
            "won": [meeting.won[one] for one in seats],
            "watching": sum(line.seat is None for line in self.lines),
        }

    def _outcome(self) -> dict[str, str] | None:
        outcome = self.meeting.outcome
        if outcome is None:
            return None
        return {"winner": player_name(outcome.winner), "reason": str(outcome.reason)}

    def _question(self) -> dict[str, str] | None:
        if self.meeting.question is None:
            return None
        what, seat = self.meeting.question
        return {"what": what, "by": player_name(self.meeting.player_in(seat))}

    def _clock(self) -> dict[str, Any] | None:
        meeting, clock = self.meeting, self.meeting.terms.clock
        if clock is None:
            return None
        left_ms, player = list(meeting.left_ms), meeting.running
        if player is not None:
            left_ms[player] = max(0, left_ms[player] - self._spent_ms())
        running = None if player is None else player_name(player)
        return {**clock.model_dump(), "left_ms": left_ms, "running": running}


TOKEN_BYTES: Final = 20
"""160 bits: nobody guesses that."""
MOST: Final = 2000
MOST_EACH: Final = 50
"""Meetings at a time, and of them opened from one address, whether their game is over or not."""
IDLE_S: Final = 7 * 86_400.0
UNBEGUN_S: Final = 86_400.0
"""So long after the last thing that happened a meeting is forgotten; and one in which there was no move yet."""
LOCK_NAME: Final = "lock"
LOCKED: Final = os.O_RDWR | os.O_CREAT | AS_IT_IS
DIGITS: Final = 32
"""Of what stands for an address."""
MOST_NAMED: Final = 5
"""Files that are named of those that are damaged, so that many make one line."""

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
        self._key = token_bytes(32)

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
        damaged, torn = list[str](), list[str]()
        for path in sorted(self._folder.glob(f"*{ENDING}")):
            try:
                file = self._read(path)
            except (
                Exception
            ) as error:  # whatever somebody has put there, the others are to be played
                damaged.append(f"{quoted(path.name)}: {_why(error)}")
            else:
                torn += [quoted(path.name)] if file.torn else []
        if damaged:
            _log.warning("damaged games between friends, left as they are: %s", _several(damaged))
        if torn:
            _log.warning("games between friends, each but for a line cut off: %s", _several(torn))
        self._forget_idle()
        for room in self._rooms.values():
            room.run_clock()

    def _read(self, path: Path) -> MeetingFile:
        """Take up the meeting in a file."""
        file = MeetingFile(path)
        head, meeting = file.read()
        if path.stem != _name(head.watch):
            raise InputError("the game of another file")
        touched = min(path.lstat().st_mtime, self._clock())
        self._add(Room(meeting, head.watch, file, touched, head.opener), head)
        return file

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
            Refused: there are as many as may be, another server has the folder, or nothing can be written there.
        """
        meeting, opener = Meeting(terms), self._standing_for(address)
        self._forget_idle()
        self._make_room(opener)
        tokens = Tokens(*(token_urlsafe(TOKEN_BYTES) for _ in range(3)))
        seats = _digest(tokens.seat), _digest(tokens.friend)
        head = Head(terms=terms, seats=seats, watch=tokens.watch, opener=opener)
        try:
            self._take()
            file = MeetingFile.create(self._folder, _name(tokens.watch), head)
        except OSError as error:
            _log.warning("no game between friends can be kept: %s", error)
            raise Refused(FULL, told(error)) from None
        self._add(Room(meeting, tokens.watch, file, self._clock(), opener), head)
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

    def _standing_for(self, address: str) -> str:
        """What an address is counted by, also after a restart; it cannot be told from that without our key."""
        said = f"a friend at {address}"
        keyed = signature(said) or hmac.new(self._key, said.encode(), "sha256").hexdigest()
        return keyed[:DIGITS]

    def _make_room(self, opener: str) -> None:
        """See that there is room for one more of an address; games that are over give way, the oldest first.

        Raises:
            Refused: there is none.
        """
        own = {watch: room for watch, room in self._rooms.items() if room.opener == opener}
        if len(own) >= MOST_EACH and not self._forget_one(own):
            raise Refused(BUSY, f"The server is busy: your address has {MOST_EACH} open games.")
        if len(self._rooms) >= MOST and not self._forget_one(self._rooms):
            raise Refused(BUSY, f"The server is busy: it has {MOST:,} games between friends.")

    def _forget_one(self, rooms: Mapping[str, Room]) -> bool:
        """Forget one of some meetings whose game is over and where nobody is; whether there was one.

        Those in which nobody moved go first, then those in which nothing has happened for longest.
        """
        over = [
            (room.is_begun, room.touched, watch)
            for watch, room in rooms.items()
            if room.meeting.outcome is not None and not room.lines
        ]
        if over:
            watch = min(over)[-1]
            self._forget(watch, self._rooms[watch])
        return bool(over)

    def _take(self) -> None:
        """Be the one server that writes into the folder."""
        if self._lock is not None:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._folder / LOCK_NAME, LOCKED, 0o600)
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
            if not room.lines and now - room.touched > (IDLE_S if room.is_begun else UNBEGUN_S):
                self._forget(watch, room)

    def _forget(self, watch: str, room: Room) -> None:
        room.close()
        del self._rooms[watch]
        self._places = {key: place for key, place in self._places.items() if place[0] is not room}
        try:
            room.file.remove()
        except OSError as error:
            _log.warning("a game between friends cannot be removed: %s", error)


def _why(error: Exception) -> str:
    """Why a file could not be read; what it holds is anybody's."""
    text = error.strerror if isinstance(error, OSError) else told(error)
    return shown(text or type(error).__name__, 120)


def _several(named: Sequence[str]) -> str:
    """Some of what is named in one line, and how much more there is."""
    more = len(named) - MOST_NAMED
    return "; ".join([*named[:MOST_NAMED], *([f"and {more:,} more"] if more > 0 else [])])


def _name(watch: str) -> str:
    """What the file of a meeting is called, without its ending."""
    return _digest(watch)[:32]


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
