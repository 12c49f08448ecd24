"""A game as a run's record keeps it."""

import json
from dataclasses import dataclass
from typing import Any, Final

from isolab.arena.game import PlayedGame
from isolab.game.outcome import Player, Reason
from isolab.search.protocol import Report

COLUMNS: Final = """
    encounter INTEGER NOT NULL, pair INTEGER NOT NULL, leg INTEGER NOT NULL,
    moves TEXT NOT NULL,      -- the agents' moves, squares with spaces between
    winner INTEGER NOT NULL,  -- 0 the first player, 1 the second
    reason TEXT NOT NULL, note TEXT NOT NULL,
    scores TEXT NOT NULL, depths TEXT NOT NULL, nodes TEXT NOT NULL,  -- JSON lists, a value a move
    times_ms TEXT NOT NULL,
    busy_ms TEXT NOT NULL,    -- empty where the clock decides nothing
    PRIMARY KEY (encounter, pair, leg)
"""
PLACES: Final = ", ".join("?" * 12)


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


def row_of(encounter: int, pair: int, leg: int, game: PlayedGame) -> GameRow:
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


def score_text(report: Report) -> float | str | None:
    """A score as the record keeps it."""
    score = report.score
    if score is None or score != score:
        return None
    if report.proven:
        word = "win" if score > 0 else "loss"
        return word if report.plies is None else f"{word} {report.plies}"
    return str(score) if abs(score) == float("inf") else score


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
        game.note,
        *map(_packed, lists),
        _packed(game.busy_ms) if is_timed else "",
    )


def from_columns(columns: tuple[Any, ...]) -> GameRow:
    """What `to_columns` made it from."""
    encounter, pair, leg, moves, winner, reason, note, *lists, busy_ms = columns
    scores, depths, nodes, times_ms = map(json.loads, lists)
    return GameRow(
        encounter,
        pair,
        leg,
        tuple(moves.split()),
        Player(winner),
        Reason(reason),
        note,
        scores,
        depths,
        nodes,
        times_ms,
        busy_ms=json.loads(busy_ms) if busy_ms else times_ms,
    )


def _packed(values: list[Any]) -> str:
    return json.dumps(values, separators=(",", ":"))
