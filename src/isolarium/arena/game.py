"""A game of a run: players, opening, moves, result, and the agents' reports.

The referee creates a `Game`, `GameBatch` holds many as columns, and `GameRules` in `game_checks` checks one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from isolarium.arena.openings import position_after
from isolarium.errors import quoted
from isolarium.game.board import Board, parse_square
from isolarium.game.position import Outcome, Player, Position, Reason
from isolarium.game.record import GameRecord
from isolarium.search.protocol import Report
from isolarium.text import printable, shortened

MOST: Final = 1 << 63
"""An upper bound on every depth, count and time of a move."""
SCORE_WORDS: Final = re.compile(r"-?inf|(?:win|loss)(?: \d{1,6})?")
FAIR_SHARE: Final = 0.9
"""A timed move is fair if its agent was at work for at least this share of the clock time."""
FAIR_WAIT_MS: Final = 1.0
"""A timed move is also fair if its agent was kept waiting for at most this time."""


@dataclass(frozen=True, slots=True)
class Game:
    """A finished game of a run.

    Squares are text, such as `d4`. Each list has one value for each move in `moves`.

    Attributes:
        encounter: The number of the encounter in the plan, from 0.
        pair: The number of the opening, from 0.
        leg: 0 if the encounter's first agent moved first, otherwise 1.
        players: The first and the second player, as indices into the plan's players.
        opening: The moves made for the agents, the two placements first.
        moves: The agents' moves.
        winner: The player who won.
        reason: Why the other player lost.
        note: A description of the loser's failure; empty if it had no legal move.
        scores: A number, `inf`, `-inf`, a proven `win 5` or `loss 4` (in that many plies), or None.
        depths: Search depths in plies.
        nodes: Positions entered.
        times_ms: Time on the clock.
        busy_ms: Time at work; the same as `times_ms` in a run without time limits.
    """

    encounter: int
    pair: int
    leg: int
    players: tuple[int, int]
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    winner: Player
    reason: Reason
    note: str
    scores: list[float | str | None]
    depths: list[int]
    nodes: list[int]
    times_ms: list[float]
    busy_ms: list[float]

    @property
    def first_won(self) -> bool:
        """Whether the encounter's first agent won."""
        return (self.winner == Player.FIRST) == (self.leg == 0)

    @property
    def winning_player(self) -> int:
        """The winner's index in the plan's players."""
        return self.players[self.winner]

    @property
    def losing_player(self) -> int:
        """The loser's index in the plan's players."""
        return self.players[self.winner.other]

    @property
    def outcome(self) -> Outcome:
        """Who won, and why the other player lost."""
        return Outcome(self.winner, self.reason)

    @property
    def line(self) -> tuple[str, ...]:
        """All moves, starting with the opening."""
        return self.opening + self.moves

    @property
    def length(self) -> int:
        """The total number of moves, including placements."""
        return len(self.opening) + len(self.moves)

    def offset(self, seat: int) -> int:
        """Return the index in `moves` of a player's first move.

        The player's other moves follow at every second index.
        """
        return (seat + len(self.opening)) % 2

    def text(self, board: Board) -> str:
        """Return the game on one line, such as `7x7: d4 b3 e6`."""
        return " ".join([f"{board}:", *self.line])

    def start(self, board: Board) -> Position:
        """Return the position in which the agents take over."""
        return position_after(board, (parse_square(text, board) for text in self.opening))

    def positions(self, board: Board) -> list[Position]:
        """Return every position of the game, the empty board first."""
        positions = [Position.empty(board)]
        for text in self.line:
            positions.append(positions[-1].play(parse_square(text, board)))
        return positions

    def record(self, board: Board, start: Position | None = None) -> GameRecord:
        """Return the game as a record, from the empty board or another start."""
        squares = tuple(parse_square(text, board) for text in self.line)
        return GameRecord(start or Position.empty(board), squares, self.outcome)


def is_proven(score: float | str | None) -> bool:
    """Return whether a game's score is a proven result, such as `win 5` or `loss 4`."""
    return isinstance(score, str) and score.startswith(("win", "loss"))


def is_held_up(time_ms: float, busy_ms: float) -> bool:
    """Return whether the machine kept an agent waiting during a timed move."""
    return busy_ms < FAIR_SHARE * time_ms and time_ms - busy_ms > FAIR_WAIT_MS


def score_text(report: Report) -> float | str | None:
    """Return a report's score as a game stores it."""
    score = report.score
    if score is None or score != score:
        return None
    if report.proven:
        word = "win" if score > 0 else "loss"
        return word if report.plies is None else f"{word} {report.plies}"
    if abs(score) == float("inf"):
        return str(float(score))
    return score if type(score) is int else float(score)  # Not a NumPy type


def report_fault(report: object) -> str | None:
    """Return the fault in an agent's report, or None if it is valid."""
    if not isinstance(report, Report):
        return f"reported {quoted(report)}; expected a Report"
    for name, count in (("depth", report.depth), ("nodes", report.nodes)):
        if type(count) is not int or not _are_small([count]):
            return f"reported {quoted(count)} as its {name}; expected a whole number"
    score = report.score
    is_number = isinstance(score, (int, float)) and not isinstance(score, bool)
    if score is not None and not (is_number and _is_score(score_text(report))):
        plies = f" in {quoted(report.plies)} plies" if report.proven else ""
        return f"reported the score {quoted(score)}{plies}; expected a number"
    return None


def check_values(game: Game) -> None:
    """Check the type and the range of every value of a game from any source.

    Raises:
        ValueError: If a value cannot be written and read back.
    """
    if {type(number) for number in (game.encounter, game.pair, game.leg)} != {int}:
        raise ValueError("a game whose encounter, pair and leg are not whole numbers")
    if type(game.moves) is not tuple or not all(type(move) is str for move in game.moves):
        raise ValueError("a game whose moves are not squares")
    if type(game.winner) is not Player or type(game.reason) is not Reason:
        raise ValueError("a game without a winner or without a reason")
    if type(game.note) is not str:
        raise ValueError("a game whose note is not a text")
    _check_lists(game)


def _check_lists(game: Game) -> None:
    """Check that every move has a score, a depth, a number of nodes, and times."""
    lists = (game.scores, game.depths, game.nodes, game.times_ms, game.busy_ms)
    if any(type(values) is not list or len(values) != len(game.moves) for values in lists):
        raise ValueError("not as many values as moves")
    for values, kinds in (
        (game.depths, {int}),
        (game.nodes, {int}),
        (game.times_ms, {int, float}),
        (game.busy_ms, {int, float}),
    ):
        if not {*map(type, values)} <= kinds or not _are_small(values):
            raise ValueError("a depth, a count of nodes or a time that is not a number in range")
    if not all(map(_is_score, game.scores)):
        raise ValueError("a score that is neither a number nor a proven end")


def _are_small(values: Sequence[float]) -> bool:
    # `min` and `max` may miss a NaN, but the sum does not.
    return not values or (min(values) > -MOST and max(values) < MOST and isfinite(sum(values)))


def _is_score(value: Any) -> bool:
    if type(value) is float:
        return isfinite(value)
    if type(value) is str:
        return SCORE_WORDS.fullmatch(value) is not None
    return value is None or (type(value) is int and abs(value) < MOST)


@dataclass(frozen=True, slots=True)
class ClockTroubles:
    """The machine's delays in games that the clock affects.

    Delays within the moves of the stored games are not included.

    Attributes:
        pairs_replayed: How often a pair was replayed because the machine may have made a move late.
        late_moves_held_up: The number of moves that lost a game on time while the machine also kept the agent waiting.
    """

    pairs_replayed: int = 0
    late_moves_held_up: int = 0

    def __add__(self, other: "ClockTroubles") -> "ClockTroubles":
        return ClockTroubles(
            self.pairs_replayed + other.pairs_replayed, self.late_moves_held_up + other.late_moves_held_up
        )


NO_TROUBLES: Final = ClockTroubles()


NOTE_CHARS: Final = 10_000
"""The maximum length of a note; longer notes are cut in the middle."""


def shown_note(note: str) -> str:
    """Return a note as the database stores it: shortened, without control characters."""
    return shortened(printable(note), NOTE_CHARS)


Moves = tuple[str, ...]
"""Squares as text, such as `d4`."""
