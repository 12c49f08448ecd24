"""A game as a row of the results database, which is also how a cluster's worker returns it."""

import json
from typing import Any, Final

from isolarium.arena.game import Game
from isolarium.game.outcome import Player, Reason
from isolarium.strict_json import read_json
from isolarium.text import printable, shortened

NOTE_CHARS: Final = 10_000
"""The longest note; longer ones are cut in the middle."""


def to_columns(game: Game, is_timed: bool) -> tuple[Any, ...]:
    """Return the columns of a game; its opening and players follow from the plan."""
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


def from_columns(
    columns: tuple[Any, ...], players: tuple[int, int], opening: tuple[str, ...]
) -> Game:
    """Return the game that `to_columns` made columns of; `GameRules.check_game` checks it.

    Args:
        columns: The columns.
        players: Who moved first and who second, by the plan.
        opening: The pair's opening, by the plan.

    Raises:
        ValueError: If a value is not of its kind.
    """
    encounter, pair, leg, moves, winner, reason, note, *lists, busy_ms = columns
    scores, depths, nodes, times_ms = map(_unpacked, lists)
    return Game(
        encounter,
        pair,
        leg,
        players,
        opening,
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


def _shown(note: str) -> str:
    """Return a note as the database keeps it: of bounded length, without control characters."""
    return shortened(printable(note), NOTE_CHARS)


def _packed(values: list[Any]) -> str:
    return json.dumps(values, separators=(",", ":"))


def _unpacked(text: str) -> list[Any]:
    values = read_json(text)
    if type(values) is not list:
        raise ValueError("no list")
    return values
