"""How far each agent looked ahead, and how many positions it entered, as games go on."""

from dataclasses import dataclass
from typing import Final

from isolab.analysis.games import SeatedGame

LEAST_SHARE: Final = 0.05
"""Of an agent's games must reach a move for its mean to be shown: the last few say little."""


@dataclass(slots=True)
class MoveEffort:
    """What an agent's searches at one move of the game add up to.

    Attributes:
        searches: those whose end was not yet proven; a proven end cuts a search short.
        depth: their plies looked ahead, added up.
        nodes: their positions entered, added up.
    """

    searches: int = 0
    depth: int = 0
    nodes: int = 0


class Effort:
    """Counts searches by agent and by the number of the move, placements being moves 1 and 2."""

    def __init__(self, players: int) -> None:
        self._games = [0] * players
        self._moves: list[dict[int, MoveEffort]] = [{} for _ in range(players)]

    def add(self, game: SeatedGame) -> None:
        """Take in one game."""
        row, before = game.row, len(game.opening.moves)
        for seat, player in enumerate(game.players):
            self._games[player] += 1
            moves = self._moves[player]
            for place in range(game.offset(seat), len(row.moves), 2):
                if is_proven(row.scores[place]) or not row.nodes[place]:
                    continue
                effort = moves.setdefault(before + place + 1, MoveEffort())
                effort.searches += 1
                effort.depth += row.depths[place]
                effort.nodes += row.nodes[place]

    def by_move(self, player: int) -> dict[int, MoveEffort]:
        """An agent's searches, by the number of the move, as far as enough of its games got."""
        least = LEAST_SHARE * self._games[player]
        return {
            number: effort
            for number, effort in sorted(self._moves[player].items())
            if effort.searches >= least
        }


def is_proven(score: float | str | None) -> bool:
    """Whether a score, as the record keeps it, is a proven end: `win 5` or `loss 4`."""
    return isinstance(score, str) and score.startswith(("win", "loss"))
