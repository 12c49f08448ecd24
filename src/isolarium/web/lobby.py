"""The live matches of a server: creating, finding, playing and removing them."""

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
from isolarium.game.position import Player
from isolarium.web.friend_match import ENDING, MOST_SPENT_MS, Action, Event, EventLog, FriendMatch, Header, Seat, Terms
from isolarium.web.http_errors import BUSY, FULL, HttpError, error_text
from isolarium.web.schema import player_name

MOST_IN_SEAT: Final = 8
MOST_WATCHING: Final = 50
"""The maximum number of connections per seat, and of spectators.

A player may have several open tabs and stale connections."""
SLACK_S: Final = 0.005
"""The tolerance for timers that fire a little early."""
RETRY_S: Final = 5.0
"""The wait before trying again to record a loss on time."""

_log = logging.getLogger(__name__)


class Visitor:
    """A connection to a live match.

    Attributes:
        seat: Its seat; None for a spectator.
        news: Set when the state has changed. A slow reader skips only outdated states.
    """

    def __init__(self, seat: Seat | None) -> None:
        self.seat = seat
        self.news = asyncio.Event()


class LiveMatch:
    """A match with its log and its connections.

    Args:
        match: Its state.
        watch: The token of spectators.
        file: Its log.
        touched: The time of the last event.
        opener: A keyed hash of the address that created it.

    Attributes:
        visitors: Its connections.
    """

    def __init__(self, match: FriendMatch, watch: str, file: EventLog, touched: float, opener: str = "") -> None:
        self.match, self.watch, self.file = match, watch, file
        self.touched, self.opener = touched, opener
        self.visitors: set[Visitor] = set()
        self._since = time.monotonic()
        self._timer: asyncio.TimerHandle | None = None
        self._one_at_a_time = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_begun(self) -> bool:
        """Whether a move has been played."""
        return bool(self.match.moves) or self.match.game > 1

    def close(self) -> None:
        """Stop the clock's timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def enter(self, seat: Seat | None) -> Visitor:
        """Add a connection.

        Raises:
            HttpError: If the limit of connections is reached.
            OSError: If the first visit to a seat cannot be recorded.
        """
        most = MOST_WATCHING if seat is None else MOST_IN_SEAT
        if sum(visitor.seat == seat for visitor in self.visitors) >= most:
            raise HttpError(BUSY, f"The server is busy: this link is already open {most} times.")
        visitor = Visitor(seat)
        self.visitors.add(visitor)  # Before any await, so that the count stays correct
        try:
            if seat is not None and not self.match.came[seat]:
                await asyncio.shield(self._begin(self._come(seat)))
        except BaseException:
            self.leave(visitor)
            raise
        self._notify()
        return visitor

    def leave(self, visitor: Visitor) -> None:
        """Remove a connection."""
        self.visitors.discard(visitor)
        self._notify()

    async def act(self, seat: Seat, action: Action) -> None:
        """Carry out a player's action.

        Raises:
            InputError: If the action is against the rules.
            HttpError: If the action is not possible now.
            OSError: If the action cannot be recorded, in which case it has no effect.
        """
        await asyncio.shield(self._begin(self._act(seat, action)))

    def _begin(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Run a task to its end, even if its visitor disconnects."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _act(self, seat: Seat, action: Action) -> None:
        async with self._one_at_a_time:
            event = self.match.event_for(seat, action, self._spent_ms())
            if event is not None:
                await self._write(event)

    async def _come(self, seat: Seat) -> None:
        async with self._one_at_a_time:
            if not self.match.came[seat]:
                await self._write(Event(kind="here", seat=seat))

    async def _write(self, event: Event) -> None:
        """Write an event to the disk, then apply it, then notify the visitors."""
        self.match.check(event)
        await asyncio.to_thread(self.file.append, event)
        before = self.match.running, len(self.match.moves)
        self.match.apply(event)
        self.touched = time.time()
        if (self.match.running, len(self.match.moves)) != before:
            self.run_clock()
        self._notify()

    # Clocks

    def _spent_ms(self) -> int:
        return min(int(1000 * (time.monotonic() - self._since)), MOST_SPENT_MS)

    def run_clock(self) -> None:
        """Start the clock of the player to move."""
        self.close()
        self._since = time.monotonic()
        player = self.match.running
        if player is not None:
            self._wake(self.match.left_ms[player] / 1000 + SLACK_S)

    def _wake(self, after_s: float) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(after_s, lambda: self._begin(self._flag()))

    async def _flag(self) -> None:
        async with self._one_at_a_time:
            player = self.match.running
            if player is None or self._spent_ms() < self.match.left_ms[player]:
                return  # A move was faster.
            try:
                await self._write(Event(kind="flag", seat=self.match.seat_of(player)))
            except OSError as error:
                _log.warning("an event of a friend match cannot be recorded: %s", error)
                self._wake(RETRY_S)

    # Messages to the visitors

    def _notify(self) -> None:
        for visitor in self.visitors:
            visitor.news.set()

    def state_for(self, seat: Seat | None) -> dict[str, Any]:
        """Return the state of the match for a seat, or for spectators."""
        match = self.match
        seats = [match.seat_of(player) for player in Player]
        there = {visitor.seat for visitor in self.visitors}
        return {
            "kind": "game",
            "watch": self.watch,
            "you": None if seat is None else player_name(match.player_in(seat)),
            "board": match.terms.board,
            "game": match.game,
            "moves": [str(move) for move in match.moves],
            "outcome": self._outcome(),
            "question": self._question(),
            "clock": self._clock(),
            "there": [one in there for one in seats],
            "came": [match.came[one] for one in seats],
            "won": [match.won[one] for one in seats],
            "watching": sum(visitor.seat is None for visitor in self.visitors),
        }

    def _outcome(self) -> dict[str, str] | None:
        outcome = self.match.outcome
        if outcome is None:
            return None
        return {"winner": player_name(outcome.winner), "reason": str(outcome.reason)}

    def _question(self) -> dict[str, str] | None:
        if self.match.question is None:
            return None
        what, seat = self.match.question
        return {"what": what, "by": player_name(self.match.player_in(seat))}

    def _clock(self) -> dict[str, Any] | None:
        match, clock = self.match, self.match.terms.clock
        if clock is None:
            return None
        left_ms, player = list(match.left_ms), match.running
        if player is not None:
            left_ms[player] = max(0, left_ms[player] - self._spent_ms())
        running = None if player is None else player_name(player)
        return {**clock.model_dump(), "left_ms": left_ms, "running": running}


TOKEN_BYTES: Final = 20
"""The length of a token: 160 bits, which cannot be guessed."""
MOST: Final = 2000
MOST_EACH: Final = 50
"""The maximum number of matches, in total and per creating address, including finished ones."""
IDLE_S: Final = 7 * 86_400.0
UNBEGUN_S: Final = 86_400.0
"""The time after which an idle match is removed; without a move it is shorter."""
LOCK_NAME: Final = "lock"
LOCKED: Final = os.O_RDWR | os.O_CREAT | AS_IT_IS
DIGITS: Final = 32
"""The length of an address's hash."""
MOST_NAMED: Final = 5
"""The maximum number of damaged files that a one-line message lists."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a new match: for the creator, the friend and spectators."""

    seat: str
    friend: str
    watch: str


class Lobby:
    """The matches in a folder, which only one server uses at a time.

    Args:
        folder: The folder of their logs; it is created with the first match.
        clock: A function that returns the time of day in seconds.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock
        self._live_matches: dict[str, LiveMatch] = {}
        self._places: dict[str, tuple[LiveMatch, Seat | None]] = {}
        self._lock: int | None = None
        self._key = token_bytes(32)

    def start(self) -> None:
        """Read the logs of all matches; report damaged logs, and leave them unchanged.

        Clocks restart now, because the players could not move while the server was down.
        """
        if not self._folder.is_dir():
            return
        try:
            self._lock_folder()
        except (HttpError, OSError) as error:
            _log.warning("%s: friend matches are not available: %s", self._folder, error)
            return
        damaged, torn = list[str](), list[str]()
        for path in sorted(self._folder.glob(f"*{ENDING}")):
            try:
                file = self._read(path)
            except Exception as error:  # A bad file must not affect the other matches.
                damaged.append(f"{quoted(path.name)}: {_why(error)}")
            else:
                torn += [quoted(path.name)] if file.torn else []
        if damaged:
            _log.warning("damaged friend matches, left unchanged: %s", _listed(damaged))
        if torn:
            _log.warning("friend matches with a truncated last line, which was skipped: %s", _listed(torn))
        self._remove_idle()
        for live_match in self._live_matches.values():
            live_match.run_clock()

    def _read(self, path: Path) -> EventLog:
        """Load the match in a file."""
        file = EventLog(path)
        head, match = file.read()
        if path.stem != _name(head.watch):
            raise InputError("its name does not fit its content")
        touched = min(path.lstat().st_mtime, self._clock())
        self._add(LiveMatch(match, head.watch, file, touched, head.opener), head)
        return file

    def close(self) -> None:
        """Stop the clocks and release the folder."""
        for live_match in self._live_matches.values():
            live_match.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def open(self, terms: Terms, address: str) -> Tokens:
        """Create a match for a client at an address.

        Raises:
            InputError: If the terms are invalid.
            HttpError: If there are too many matches, if another server uses the folder, or if the
                folder cannot be written to.
        """
        match, opener = FriendMatch(terms), self._address_hash(address)
        self._remove_idle()
        self._make_place(opener)
        tokens = Tokens(*(token_urlsafe(TOKEN_BYTES) for _ in range(3)))
        seats = _digest(tokens.seat), _digest(tokens.friend)
        head = Header(terms=terms, seats=seats, watch=tokens.watch, opener=opener)
        try:
            self._lock_folder()
            file = EventLog.create(self._folder, _name(tokens.watch), head)
        except OSError as error:
            _log.warning("a friend match cannot be stored: %s", error)
            raise HttpError(FULL, error_text(error)) from None
        self._add(LiveMatch(match, tokens.watch, file, self._clock(), opener), head)
        return tokens

    def find(self, token: str) -> tuple[LiveMatch, Seat | None]:
        """Return the match and the seat of a token; a spectator's seat is None.

        Raises:
            HttpError: If no match has this token.
        """
        place = self._places.get(_digest(token))
        if place is None:
            raise HttpError(404, "no such game: it was removed, or the link is incomplete")
        return place

    def _address_hash(self, address: str) -> str:
        """Return a keyed hash of an address.

        The hash identifies the address's matches, even after a restart, without storing the
        address.
        """
        text = f"a friend at {address}"
        keyed = signature(text) or hmac.new(self._key, text.encode(), "sha256").hexdigest()
        return keyed[:DIGITS]

    def _make_place(self, opener: str) -> None:
        """Make room for one more match from an address.

        Finished games are removed, starting with the oldest.

        Raises:
            HttpError: If there is not enough room.
        """
        own = {watch: live_match for watch, live_match in self._live_matches.items() if live_match.opener == opener}
        if len(own) >= MOST_EACH and not self._remove_one(own):
            raise HttpError(BUSY, f"The server is busy: your address has {MOST_EACH} open games.")
        if len(self._live_matches) >= MOST and not self._remove_one(self._live_matches):
            raise HttpError(BUSY, f"The server is busy: it has {MOST:,} friend matches.")

    def _remove_one(self, live_matches: Mapping[str, LiveMatch]) -> bool:
        """Remove a match whose game is over and that has no connections.

        Return whether there was such a match.

        Matches without a move are removed first, then the ones idle for longest.
        """
        over = [
            (live_match.is_begun, live_match.touched, watch)
            for watch, live_match in live_matches.items()
            if live_match.match.outcome is not None and not live_match.visitors
        ]
        if over:
            watch = min(over)[-1]
            self._remove(watch, self._live_matches[watch])
        return bool(over)

    def _lock_folder(self) -> None:
        """Lock the folder for this server."""
        if self._lock is not None:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._folder / LOCK_NAME, LOCKED, 0o600)
        if not lock(handle):
            os.close(handle)
            raise HttpError(409, "another server uses the friend matches of this folder")
        self._lock = handle

    def _add(self, live_match: LiveMatch, head: Header) -> None:
        self._live_matches[head.watch] = live_match
        self._places[head.seats[0]] = live_match, 0
        self._places[head.seats[1]] = live_match, 1
        self._places[_digest(head.watch)] = live_match, None

    def _remove_idle(self) -> None:
        now = self._clock()
        for watch, live_match in list(self._live_matches.items()):
            if not live_match.visitors and now - live_match.touched > (IDLE_S if live_match.is_begun else UNBEGUN_S):
                self._remove(watch, live_match)

    def _remove(self, watch: str, live_match: LiveMatch) -> None:
        live_match.close()
        del self._live_matches[watch]
        self._places = {key: place for key, place in self._places.items() if place[0] is not live_match}
        try:
            live_match.file.remove()
        except OSError as error:
            _log.warning("a friend match cannot be removed: %s", error)


def _why(error: Exception) -> str:
    """Return the reason why a file could not be read, shortened for the log."""
    text = error.strerror if isinstance(error, OSError) else error_text(error)
    return shown(text or type(error).__name__, 120)


def _listed(named: Sequence[str]) -> str:
    """Return the first few names on one line, and the number of names left out."""
    more = len(named) - MOST_NAMED
    return "; ".join([*named[:MOST_NAMED], *([f"and {more:,} more"] if more > 0 else [])])


def _name(watch: str) -> str:
    """Return the name of a match's file, without its suffix."""
    return _digest(watch)[:32]


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
