"""A meeting that goes on: who is there, whose time runs, and what everybody is told."""

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import Any, Final

from isolarium.game.outcome import Player
from isolarium.web.friends.event_log import MeetingFile
from isolarium.web.friends.friend_match import MOST_SPENT_MS, Event, Meeting, Seat, Wanted
from isolarium.web.http_errors import BUSY, Refused
from isolarium.web.schemas.common import player_name

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
