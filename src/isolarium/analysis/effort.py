"""What agents did with their moves: how far they looked ahead as games went on, and where the clock was not fair."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from isolarium.arena.game import Game, is_held_up, is_proven

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

    def add(self, game: Game) -> None:
        """Count a game."""
        before = len(game.opening)
        for seat, player in enumerate(game.players):
            self._games[player] += 1
            moves = self._moves[player]
            for place in range(game.offset(seat), len(game.moves), 2):
                if is_proven(game.scores[place]) or not game.nodes[place]:
                    continue
                effort = moves.setdefault(before + place + 1, MoveEffort())
                effort.searches += 1
                effort.depth += game.depths[place]
                effort.nodes += game.nodes[place]

    def by_move(self, player: int) -> dict[int, MoveEffort]:
        """An agent's searches, by the number of the move, as far as enough of its games got."""
        least = LEAST_SHARE * self._games[player]
        return {
            number: effort
            for number, effort in sorted(self._moves[player].items())
            if effort.searches >= least
        }


class Clock:
    """Counts the moves of a run that is played by the clock during which the machine did something else."""

    def __init__(self) -> None:
        self.moves = 0
        self.starved = 0
        self._by_pair: Counter[tuple[int, int]] = Counter()

    def add(self, game: Game) -> None:
        """Count a game."""
        starved = sum(map(is_held_up, game.times_ms, game.busy_ms))
        self.moves += len(game.moves)
        self.starved += starved
        if starved:
            self._by_pair[game.encounter, game.pair] += starved

    def worst(self, most: int = 5) -> list[tuple[int, int, int]]:
        """Encounter, pair and starved moves of the pairs that suffered most."""
        ranked = sorted(self._by_pair.items(), key=lambda item: (-item[1], item[0]))
        return [(encounter, pair, moves) for (encounter, pair), moves in ranked[:most]]
