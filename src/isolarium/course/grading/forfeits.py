"""Games that agents lost otherwise than by having no moves, each kind with the position in which it happened first."""

from collections.abc import Sequence
from dataclasses import dataclass

from isolarium.analysis.run_games import board_of, seated_games
from isolarium.arena.results import Failure, failures, read_results
from isolarium.arena.run_db import Record
from isolarium.game.outcome import Reason


@dataclass(frozen=True, slots=True)
class EarlyLosses:
    """The games that one agent lost early for one reason.

    Attributes:
        name: the agent's.
        failure: how many, and what was said of the first.
        position: where that was, in our notation.
    """

    name: str
    failure: Failure
    position: str


def early_losses(record: Record, names: Sequence[str]) -> list[EarlyLosses]:
    """Every kind of early end there was, by player; `names` are the players' in the plan's order."""
    found = failures(read_results(record))
    where = _first_positions(record) if found else {}
    return [EarlyLosses(names[one.player], one, where[one.player, one.reason]) for one in found]


def _first_positions(record: Record) -> dict[tuple[int, Reason], str]:
    board, found = board_of(record), dict[tuple[int, Reason], str]()
    for game in seated_games(record):
        key = (game.loser, game.row.reason)
        if game.row.reason is not Reason.NO_MOVES and key not in found:
            found[key] = str(game.game(board).positions()[-1])
    return found
