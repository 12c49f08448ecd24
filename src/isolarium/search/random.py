"""Random numbers from a seed, and the search that plays a random legal move."""

from time import perf_counter_ns
from typing import Final

from isolarium.game.position import Position
from isolarium.limits import Limit, Stop
from isolarium.search.protocol import Choice, Report, Search, check_unfinished

WORD_MASK: Final = (1 << 64) - 1


def mixed_seed(seed: int, stream: int) -> int:
    """Return a number below 2**62 that depends on every bit of seed and stream.

    It is computed by SplitMix64 and is the same on every machine and in every process.
    """
    word = (seed + 0x9E3779B97F4A7C15 * (stream + 1)) & WORD_MASK
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD_MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD_MASK
    return (word ^ word >> 31) >> 2


class Random(Search):
    """A search that plays a random legal move, or the first one without a seed.

    The limit has no effect.
    """

    done = True

    def start(self, position: Position, limit: Limit, seed: int | None = None) -> None:
        """See `Search`."""
        check_unfinished(position)
        started_ns = perf_counter_ns()
        moves = position.legal_moves()
        move = moves[0 if seed is None else mixed_seed(seed, 0) % len(moves)]
        time_ms = (perf_counter_ns() - started_ns) / 1e6
        self._best = Choice(move, Report(None, depth=0, nodes=0, time_ms=time_ms, pv=(move,)))

    def advance(self, stop: Stop | None = None) -> None:
        """See `Search`."""

    def best(self) -> Choice:
        """See `Search`."""
        return self._best
