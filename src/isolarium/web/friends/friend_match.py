"""A meeting of two persons: games one after the other, made of events that are checked one by one.

Whoever opened the meeting has seat 0, the friend seat 1; who moves first changes from game to game. Nothing here knows
of connections, files or the time: an event says how long the player to move had thought.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from isolarium.errors import InputError
from isolarium.game.board import Square
from isolarium.game.notation import parse_board, parse_square
from isolarium.game.outcome import Outcome, Player, Reason
from isolarium.game.position import Position
from isolarium.web.http_errors import Refused
from isolarium.web.schema import RequestBody

Seat = Literal[0, 1]
Question = Literal["back", "rematch"]
MOST_ASKED = 100
MOST_GAMES = 200
"""Questions in a game, and games in a meeting: so much and no more can be written down of it."""
MOST_SPENT_MS = 7 * 86_400_000
"""Of what is written down of a player's thinking; no clock has so much."""


class Clock(RequestBody):
    """How much time each has for a game, and how much more with every move."""

    start_s: Annotated[int, Field(ge=10, le=3 * 3600)]
    increment_s: Annotated[int, Field(ge=0, le=180)] = 0


class Terms(RequestBody):
    """What a meeting is about.

    Attributes:
        board: such as 7x7.
        opener_first: whether who opened it moves first in the first game.
        clock: from when both knights stand; None: everybody has all the time.
    """

    board: Annotated[str, Field(max_length=20)]
    opener_first: bool
    clock: Clock | None = None


class Event(BaseModel):
    """Something that happened.

    Attributes:
        kind: what; `back` and `again` are answers to questions, `drop` takes one away, `flag` is the end of a time.
        seat: whose doing it was.
        what: the square gone to, or what is asked.
        spent_ms: how long the player to move had thought.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    kind: Literal["here", "move", "ask", "drop", "back", "again", "resign", "flag"]
    seat: Seat
    what: str = ""
    spent_ms: Annotated[int, Field(ge=0, le=MOST_SPENT_MS)] = 0


class Wanted(RequestBody):
    """What somebody in a seat wants. It says what that person saw: what came twice, or too late, changes nothing.

    Attributes:
        do: what; `back` and `rematch` ask, or agree where the other has asked, and `drop` says no.
        game: the number of the game, the first is 1.
        ply: how many moves had been made.
        move: the square to go to.
    """

    do: Literal["move", "back", "rematch", "drop", "resign"]
    game: Annotated[int, Field(ge=1, le=MOST_GAMES)]
    ply: Annotated[int, Field(ge=0, le=1000)]
    move: Annotated[str, Field(max_length=4)] = ""


class Meeting:
    """Where a meeting stands.

    Attributes:
        terms: what it is about.
        game: the number of the game that is played.
        positions: those of the game, the start first.
        moves: the squares gone to.
        ending: how the game ended early, by resignation or time.
        question: what is asked, and from which seat.
        left_ms: the time that the first and the second player have left.
        came: which seats somebody has been in.
        won: games that were won from each seat.
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
        """The position of the moment."""
        return self.positions[-1]

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
        return self.ending or self.position.outcome()

    @property
    def running(self) -> Player | None:
        """Whose time runs: the clock starts once both knights stand."""
        if self.terms.clock is None or self.outcome or self.position.placing:
            return None
        return self.position.to_move

    def player_in(self, seat: Seat) -> Player:
        """The player of a seat in this game: they change places with every game."""
        opener_first = self.terms.opener_first == (self.game % 2 == 1)
        return Player.FIRST if (seat == 0) == opener_first else Player.SECOND

    def seat_of(self, player: Player) -> Seat:
        """The seat of a player in this game."""
        return 0 if self.player_in(0) is player else 1

    def event_for(self, seat: Seat, wanted: Wanted, spent_ms: int) -> Event | None:
        """What becomes of somebody's wish; None where it changes nothing.

        Raises:
            InputError: it is against the rules.
            Refused: it is too late, or not that person's to do.
        """
        player = self.running
        if player is not None and spent_ms >= self.left_ms[player]:
            return Event(kind="flag", seat=self.seat_of(player))
        if wanted.game != self.game:
            return None
        event = self._event_for(seat, wanted, spent_ms)
        if event is not None:
            self.check(event)
        return event

    def _event_for(self, seat: Seat, wanted: Wanted, spent_ms: int) -> Event | None:
        if wanted.do == "move":
            return self._move(seat, wanted, spent_ms)
        if wanted.do == "drop":
            return Event(kind="drop", seat=seat) if self.question else None
        if wanted.do == "resign":
            return None if self.outcome else Event(kind="resign", seat=seat, spent_ms=spent_ms)
        if wanted.do == "back" and wanted.ply != len(self.moves):
            return None
        if self.question == (wanted.do, seat):
            return None
        if self.question == (wanted.do, 1 - seat):
            kind: Literal["back", "again"] = "back" if wanted.do == "back" else "again"
            return Event(kind=kind, seat=seat, spent_ms=spent_ms)
        return Event(kind="ask", seat=seat, what=wanted.do)

    def _move(self, seat: Seat, wanted: Wanted, spent_ms: int) -> Event | None:
        square = parse_square(wanted.move, self._board)
        if wanted.ply < len(self.moves):
            if self.moves[wanted.ply] == square:
                return None  # it came twice
            raise Refused(409, f"move {wanted.ply + 1} is made: {self.moves[wanted.ply]}")
        if wanted.ply > len(self.moves):
            raise Refused(409, f"move {wanted.ply + 1}: {len(self.moves)} were made before it")
        return Event(kind="move", seat=seat, what=str(square), spent_ms=spent_ms)

    def check(self, event: Event) -> None:
        """See that something can happen now.

        Raises:
            InputError: it is against the rules.
            Refused: it is not that person's to do, there is no end to it, or no time was left for it.
        """
        kind, player = event.kind, self.running
        if player is not None and event.spent_ms >= self.left_ms[player]:
            raise Refused(409, f"{event.spent_ms:,} ms: that much time was not left")
        if kind == "move":
            self._check_move(event)
        elif kind == "ask":
            self._check_question(event)
        elif kind in ("back", "again"):
            asked: Question = "back" if kind == "back" else "rematch"
            if self.question != (asked, 1 - event.seat):
                raise Refused(409, f"nobody asked for {asked}")
        elif kind in ("resign", "flag") and self.outcome:
            raise Refused(409, f"the game is over, {self.outcome}")
        elif kind == "flag" and self.running is not self.player_in(event.seat):
            raise Refused(409, "that clock does not run")

    def _check_move(self, event: Event) -> None:
        if self.outcome:
            raise Refused(409, f"the game is over, {self.outcome}")
        if self.position.to_move is not self.player_in(event.seat):
            raise Refused(409, "it is the other's turn")
        self.position.play(event.what)

    def _check_question(self, event: Event) -> None:
        if event.what not in ("back", "rematch"):
            raise InputError(f"{event.what!r}: expected back or rematch")
        if self._asked >= MOST_ASKED:
            raise Refused(409, f"{MOST_ASKED} questions in a game: no more of them are heard")
        if event.what == "back" and (self.outcome or len(self.moves) < self._plies(event.seat)):
            raise Refused(409, "there is no move to take back")
        if event.what == "rematch" and not self.outcome:
            raise Refused(409, "the game goes on: no rematch before its end")
        if event.what == "rematch" and self.game == MOST_GAMES:
            raise Refused(409, f"{MOST_GAMES} games were played: open another meeting")

    def _plies(self, seat: Seat) -> int:
        """How many moves go back with the last one of a seat."""
        return 2 if self.position.to_move is self.player_in(seat) else 1

    def apply(self, event: Event) -> None:
        """Let something happen.

        Raises:
            InputError: it is against the rules.
            Refused: it is not that person's to do.
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
        """What ends a question, or the game with it."""
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
