"""A game as a row of a run's record: what is kept of it, how it is written, and what may be believed of one."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from isolarium.errors import quoted
from isolarium.game.outcome import Player, Reason
from isolarium.search.protocol import Report
from isolarium.strict_json import read_json
from isolarium.text import printable, shortened

if TYPE_CHECKING:  # it imports this module
    from isolarium.arena.game import PlayedGame

MOST: Final = 1 << 63
"""No depth, count or time of a move is as large."""
NOTE_CHARS: Final = 10_000
"""The longest note; longer ones are cut in the middle."""
SCORE_WORDS: Final = re.compile(r"-?inf|(?:win|loss)(?: \d{1,6})?")


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game as the record keeps it.

    Attributes:
        encounter: who met, by the plan's list of encounters.
        pair: which opening, from 0.
        leg: 0 when the encounter's first agent moved first, else 1.
        moves: the agents' moves, as squares.
        winner: the player who won.
        reason: why the other lost.
        note: what the loser did, where it was not that it had no moves.
        scores: what each mover said; a number, `inf`, `-inf`, `win 5`, `loss 4` (proven, in so many plies) or None.
        depths: plies looked ahead.
        nodes: positions entered.
        times_ms: on the clock.
        busy_ms: at work; the same where the clock decides nothing.
    """

    encounter: int
    pair: int
    leg: int
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


@dataclass(frozen=True, slots=True)
class ClockTroubles:
    """What the machine did to games that are decided by the clock, and their moves do not tell.

    Attributes:
        pairs_replayed: how often a pair was played again, since a move may have come too late by the machine's doing.
        late_moves_held_up: moves that lost a game on time while the machine kept their agent waiting, too.
    """

    pairs_replayed: int = 0
    late_moves_held_up: int = 0

    def __add__(self, other: "ClockTroubles") -> "ClockTroubles":
        return ClockTroubles(
            self.pairs_replayed + other.pairs_replayed,
            self.late_moves_held_up + other.late_moves_held_up,
        )


NO_TROUBLES: Final = ClockTroubles()


def row_of(encounter: int, pair: int, leg: int, game: "PlayedGame") -> GameRow:
    """The row of a game that was played."""
    return GameRow(
        encounter,
        pair,
        leg,
        moves=tuple(str(played.move) for played in game.moves),
        winner=game.outcome.winner,
        reason=game.outcome.reason,
        note=game.note,
        scores=[score_text(played.report) for played in game.moves],
        depths=[played.report.depth for played in game.moves],
        nodes=[played.report.nodes for played in game.moves],
        times_ms=[round(played.time_ms, 3) for played in game.moves],
        busy_ms=[round(played.busy_ms, 3) for played in game.moves],
    )


def report_fault(report: object) -> str | None:
    """Return what about an agent's report no row can hold; None for a sound report."""
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


def score_text(report: Report) -> float | str | None:
    """A score as the record keeps it."""
    score = report.score
    if score is None or score != score:
        return None
    if report.proven:
        word = "win" if score > 0 else "loss"
        return word if report.plies is None else f"{word} {report.plies}"
    if abs(score) == float("inf"):
        return str(float(score))
    return score if type(score) is int else float(score)  # not one of NumPy's own


def _shown(note: str) -> str:
    """Return a note as the record keeps it: of bounded length, without control characters."""
    return shortened(printable(note), NOTE_CHARS)


def is_proven(score: float | str | None) -> bool:
    """Whether a score, as the record keeps it, is a proven end: `win 5` or `loss 4`."""
    return isinstance(score, str) and score.startswith(("win", "loss"))


def to_columns(game: GameRow, is_timed: bool) -> tuple[Any, ...]:
    """The row as the file has it."""
    lists: tuple[list[Any], ...] = (game.scores, game.depths, game.nodes, game.times_ms)
    return (
        game.encounter,
        game.pair,
        game.leg,
        " ".join(game.moves),
        int(game.winner),
        str(game.reason),
        _shown(game.note),
        *map(_packed, lists),
        _packed(game.busy_ms) if is_timed else "",
    )


def from_columns(columns: tuple[Any, ...]) -> GameRow:
    """What `to_columns` made it from.

    Raises:
        ValueError: it made no such thing.
    """
    encounter, pair, leg, moves, winner, reason, note, *lists, busy_ms = columns
    scores, depths, nodes, times_ms = map(_unpacked, lists)
    row = GameRow(
        encounter,
        pair,
        leg,
        tuple(moves.split()),
        Player(winner),
        Reason(reason),
        _shown(note),
        scores,
        depths,
        nodes,
        times_ms,
        busy_ms=_unpacked(busy_ms) if busy_ms else times_ms,
    )
    check_row(row)
    return row


def check_row(row: GameRow) -> None:
    """Check the type and the range of every value of a row, from whatever sender.

    Raises:
        ValueError: If a value could not be written and read back.
    """
    if {type(number) for number in (row.encounter, row.pair, row.leg)} != {int}:
        raise ValueError("a game whose encounter, pair and leg are not whole numbers")
    if type(row.moves) is not tuple or not all(type(move) is str for move in row.moves):
        raise ValueError("a game whose moves are not squares")
    if type(row.winner) is not Player or type(row.reason) is not Reason:
        raise ValueError("a game without a winner or without a reason")
    if type(row.note) is not str:
        raise ValueError("a game whose note is not a text")
    _check_lists(row)


def _check_lists(row: GameRow) -> None:
    """Check that every move has its score, depth, nodes and times."""
    lists = (row.scores, row.depths, row.nodes, row.times_ms, row.busy_ms)
    if any(type(values) is not list or len(values) != len(row.moves) for values in lists):
        raise ValueError("not as many values as moves")
    for values, kinds in (
        (row.depths, {int}),
        (row.nodes, {int}),
        (row.times_ms, {int, float}),
        (row.busy_ms, {int, float}),
    ):
        if not {*map(type, values)} <= kinds or not _are_small(values):
            raise ValueError("a depth, a count of nodes or a time that is not a number in range")
    if not all(map(_is_score, row.scores)):
        raise ValueError("a score that is neither a number nor a proven end")


def check_troubles(troubles: ClockTroubles) -> None:
    """Check that troubles with the clock are counts.

    Raises:
        ValueError: If one is not.
    """
    counts = (troubles.pairs_replayed, troubles.late_moves_held_up)
    if not all(type(count) is int and 0 <= count < MOST for count in counts):
        raise ValueError("troubles with the clock that are not counts")


def _are_small(values: Sequence[float]) -> bool:
    # A NaN may hide from `min` and `max`, but not from the sum.
    return not values or (min(values) > -MOST and max(values) < MOST and isfinite(sum(values)))


def _is_score(value: Any) -> bool:
    if type(value) is float:
        return isfinite(value)
    if type(value) is str:
        return SCORE_WORDS.fullmatch(value) is not None
    return value is None or (type(value) is int and abs(value) < MOST)


def _packed(values: list[Any]) -> str:
    return json.dumps(values, separators=(",", ":"))


def _unpacked(text: str) -> list[Any]:
    values = read_json(text)
    if type(values) is not list:
        raise ValueError("no list")
    return values
