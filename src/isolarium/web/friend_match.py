"""Friend matches: games as events, checked one by one, and a log with a line for each event.

The creator of the match has seat 0 and the friend seat 1; they take turns moving first. Nothing
in the rules depends on connections, files or the clock: every event contains the time spent by the
player to move.

An event is written to disk before it is sent to anyone. Each line of a log consists of a checksum
and JSON. The first line contains the terms of the match and its tokens; the tokens of the seats are
stored as digests. A truncated last line, left by a crash, was never sent: it is skipped, and the
next event overwrites it. Reading never changes a file, because the file may be damaged or may not
be a log.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from errno import EIO, ENOSPC
from pathlib import Path
from typing import Annotated, Final, Literal
from zlib import crc32

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from isolarium.compat import AS_IT_IS, sync_names
from isolarium.errors import InputError
from isolarium.game.board import Square, parse_board, parse_square
from isolarium.game.position import Outcome, Player, Position, Reason
from isolarium.safe_files import read_small
from isolarium.web.http_errors import HttpError, error_text
from isolarium.web.schema import RequestBody

Seat = Literal[0, 1]
Question = Literal["back", "rematch"]
MOST_ASKED = 100
MOST_GAMES = 200
"""The maximum number of questions per game and of games per match.

The limits keep the log small."""
MOST_SPENT_MS = 7 * 86_400_000
"""The limit of a recorded time, which is longer than any clock allows."""


class Clock(RequestBody):
    """A time control: each player's time for a game, and the increment per move."""

    start_s: Annotated[int, Field(ge=10, le=3 * 3600)]
    increment_s: Annotated[int, Field(ge=0, le=180)] = 0


class Terms(RequestBody):
    """The terms of a match.

    Attributes:
        board: The board, such as 7x7.
        opener_first: Whether the creator moves first in the first game.
        clock: The time control, which starts once both knights are placed; None for unlimited time.
    """

    board: Annotated[str, Field(max_length=20)]
    opener_first: bool
    clock: Clock | None = None


class Event(BaseModel):
    """An event of a match.

    Attributes:
        kind: The kind of event; `back` and `again` accept a question, `drop` withdraws or declines
            it, `flag` is a loss on time.
        seat: The seat that caused the event.
        what: The square of a move, or the question.
        spent_ms: The time spent by the player to move.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    kind: Literal["here", "move", "ask", "drop", "back", "again", "resign", "flag"]
    seat: Seat
    what: str = ""
    spent_ms: Annotated[int, Field(ge=0, le=MOST_SPENT_MS)] = 0


class Action(RequestBody):
    """A player's action.

    An action contains the state that the player saw, so that duplicate and late actions have no
    effect.

    Attributes:
        do: The kind of action; `back` and `rematch` ask a question or accept the other player's,
        and `drop` declines it.
        game: The number of the game, from 1.
        ply: The number of moves played.
        move: The square to move to.
    """

    do: Literal["move", "back", "rematch", "drop", "resign"]
    game: Annotated[int, Field(ge=1, le=MOST_GAMES)]
    ply: Annotated[int, Field(ge=0, le=1000)]
    move: Annotated[str, Field(max_length=4)] = ""


class FriendMatch:
    """The state of a match.

    Attributes:
        terms: Its terms.
        game: The number of the current game.
        positions: The positions of the game, from its start.
        moves: The squares played.
        ending: The outcome by resignation or time, if any.
        question: The open question and the seat that asked it.
        left_ms: The remaining times of the first and the second player.
        came: The seats that have been taken at least once.
        won: The number of games won from each seat.
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.game = 1
        self.came = [False, False]
        self.won = [0, 0]
        self._board = parse_board(terms.board)
        self._begin()

    def _begin(self) -> None:
        self.positions = [Position.empty(self._board)]
        self.moves: list[Square] = []
        self.ending: Outcome | None = None
        self.question: tuple[Question, Seat] | None = None
        self._asked = 0
        clock = self.terms.clock
        self.left_ms = [1000 * clock.start_s] * 2 if clock else [0, 0]

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the game; None while it lasts."""
        return self.ending or self.position.outcome()

    @property
    def running(self) -> Player | None:
        """The player whose clock is running; None before both knights are placed."""
        if self.terms.clock is None or self.outcome or self.position.placing:
            return None
        return self.position.to_move

    def player_in(self, seat: Seat) -> Player:
        """Return the player of a seat in this game; the seats alternate."""
        opener_first = self.terms.opener_first == (self.game % 2 == 1)
        return Player.FIRST if (seat == 0) == opener_first else Player.SECOND

    def seat_of(self, player: Player) -> Seat:
        """Return the seat of a player in this game."""
        return 0 if self.player_in(0) is player else 1

    def event_for(self, seat: Seat, action: Action, spent_ms: int) -> Event | None:
        """Return the event of an action; None if the action has no effect.

        Raises:
            InputError: If the action is against the rules.
            HttpError: If the action comes too late, or the player may not take it now.
        """
        player = self.running
        if player is not None and spent_ms >= self.left_ms[player]:
            return Event(kind="flag", seat=self.seat_of(player))
        if action.game != self.game:
            return None
        event = self._event_for(seat, action, spent_ms)
        if event is not None:
            self.check(event)
        return event

    def _event_for(self, seat: Seat, action: Action, spent_ms: int) -> Event | None:
        if action.do == "move":
            return self._move(seat, action, spent_ms)
        if action.do == "drop":
            return Event(kind="drop", seat=seat) if self.question else None
        if action.do == "resign":
            return None if self.outcome else Event(kind="resign", seat=seat, spent_ms=spent_ms)
        if action.do == "back" and action.ply != len(self.moves):
            return None
        if self.question == (action.do, seat):
            return None
        if self.question == (action.do, 1 - seat):
            kind: Literal["back", "again"] = "back" if action.do == "back" else "again"
            return Event(kind=kind, seat=seat, spent_ms=spent_ms)
        return Event(kind="ask", seat=seat, what=action.do)

    def _move(self, seat: Seat, action: Action, spent_ms: int) -> Event | None:
        square = parse_square(action.move, self._board)
        if action.ply < len(self.moves):
            if self.moves[action.ply] == square:
                return None  # A duplicate
            raise HttpError(409, f"move {action.ply + 1} was already played: {self.moves[action.ply]}")
        if action.ply > len(self.moves):
            raise HttpError(409, f"move {action.ply + 1}: only {len(self.moves)} moves were played")
        return Event(kind="move", seat=seat, what=str(square), spent_ms=spent_ms)

    def check(self, event: Event) -> None:
        """Check that an event is possible now.

        Raises:
            InputError: If the event is against the rules.
            HttpError: If the player may not cause the event now, or it exceeds a limit or comes
            after the player's time has run out.
        """
        kind, player = event.kind, self.running
        if player is not None and event.spent_ms >= self.left_ms[player]:
            raise HttpError(409, f"{event.spent_ms:,} ms: more than the time left")
        if kind == "move":
            self._check_move(event)
        elif kind == "ask":
            self._check_question(event)
        elif kind in ("back", "again"):
            asked: Question = "back" if kind == "back" else "rematch"
            if self.question != (asked, 1 - event.seat):
                raise HttpError(409, f"there is no open question: {asked}")
        elif kind in ("resign", "flag") and self.outcome:
            raise HttpError(409, f"the game is over, {self.outcome}")
        elif kind == "flag" and self.running is not self.player_in(event.seat):
            raise HttpError(409, "that player's clock is not running")

    def _check_move(self, event: Event) -> None:
        if self.outcome:
            raise HttpError(409, f"the game is over, {self.outcome}")
        if self.position.to_move is not self.player_in(event.seat):
            raise HttpError(409, "it is the other player's turn")
        self.position.play(event.what)

    def _check_question(self, event: Event) -> None:
        if event.what not in ("back", "rematch"):
            raise InputError(f"{event.what!r}: expected back or rematch")
        if self._asked >= MOST_ASKED:
            raise HttpError(409, f"{MOST_ASKED} questions in a game: no more are accepted")
        if event.what == "back" and (self.outcome or len(self.moves) < self._plies(event.seat)):
            raise HttpError(409, "there is no move to take back")
        if event.what == "rematch" and not self.outcome:
            raise HttpError(409, "the game is not over: no rematch yet")
        if event.what == "rematch" and self.game == MOST_GAMES:
            raise HttpError(409, f"{MOST_GAMES} games were played: create another match")

    def _plies(self, seat: Seat) -> int:
        """Return how many moves must be taken back to undo a seat's last move."""
        return 2 if self.position.to_move is self.player_in(seat) else 1

    def apply(self, event: Event) -> None:
        """Apply an event.

        Raises:
            InputError: If the event is against the rules.
            HttpError: If it is not possible now.
        """
        self.check(event)
        seat = event.seat
        if event.kind == "here":
            self.came[seat] = True
        elif event.kind == "ask":
            self._asked += 1
            self.question = ("back" if event.what == "back" else "rematch"), seat
        elif event.kind == "move":
            self._play(event)
        elif event.kind == "back":
            self._take_back(event)
        elif event.kind == "again":
            self.game += 1
            self._begin()
        else:
            self._end(event)

    def _end(self, event: Event) -> None:
        """Apply an event that ends a question, and possibly the game."""
        self.question = None
        if event.kind == "drop":
            return
        player = self.player_in(event.seat)
        if event.kind == "flag":
            self.left_ms[player] = 0
        else:
            self._spend(event.spent_ms)
        reason = Reason.TIME if event.kind == "flag" else Reason.RESIGNATION
        self.ending = Outcome(player.other, reason)
        self._count()

    def _play(self, event: Event) -> None:
        self.question = None
        self._spend(event.spent_ms, with_increment=True)
        square = parse_square(event.what, self._board)
        self.moves.append(square)
        self.positions.append(self.position.play(square))
        self._count()

    def _take_back(self, event: Event) -> None:
        self.question = None
        self._spend(event.spent_ms)
        for _ in range(self._plies(0 if event.seat else 1)):
            self.moves.pop()
            self.positions.pop()

    def _spend(self, spent_ms: int, *, with_increment: bool = False) -> None:
        player, clock = self.running, self.terms.clock
        if player is None or clock is None:
            return
        self.left_ms[player] -= spent_ms
        if with_increment:
            self.left_ms[player] += 1000 * clock.increment_s

    def _count(self) -> None:
        if self.outcome is not None:
            self.won[self.seat_of(self.outcome.winner)] += 1


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
