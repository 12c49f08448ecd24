"""Where the machine was too busy to be fair to a run that is played by the clock."""

from collections import Counter

from isolab.analysis.games import SeatedGame
from isolab.arena.results import FAIR_SHARE, FAIR_WAIT_MS


class Clock:
    """Counts the moves during which the machine did something else."""

    def __init__(self) -> None:
        self.moves = 0
        self.starved = 0
        self._by_pair: Counter[tuple[int, int]] = Counter()

    def add(self, game: SeatedGame) -> None:
        """Take in one game."""
        times = zip(game.row.times_ms, game.row.busy_ms, strict=True)
        starved = sum(
            busy_ms < FAIR_SHARE * time_ms and time_ms - busy_ms > FAIR_WAIT_MS
            for time_ms, busy_ms in times
        )
        self.moves += len(game.row.moves)
        self.starved += starved
        if starved:
            self._by_pair[game.row.encounter, game.row.pair] += starved

    def worst(self, most: int = 5) -> list[tuple[int, int, int]]:
        """Encounter, pair and starved moves of the pairs that suffered most."""
        ranked = sorted(self._by_pair.items(), key=lambda item: (-item[1], item[0]))
        return [(encounter, pair, moves) for (encounter, pair), moves in ranked[:most]]
