"""Games that agents lost otherwise than by having no moves, each kind with the position in which it happened first."""

from collections.abc import Sequence
from dataclasses import dataclass

from isolarium.arena.game import Game
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
    """Return every kind of early end there was, by player; `names` are the players' in the plan's order."""
    where = dict[tuple[int, Reason], str]()

    def note(game: Game, _cluster: int) -> None:
        key = (game.losing_player, game.reason)
        if game.reason is not Reason.NO_MOVES and key not in where:
            where[key] = str(game.record(record.board).position)

    found = failures(read_results(record, note))
    return [EarlyLosses(names[one.player], one, where[one.player, one.reason]) for one in found]
