"""The opening book's move, as an agent's choice."""

from time import perf_counter_ns

from isolab.game.position import Position
from isolab.search.protocol import Choice, Report
from isolab.search.random import mixed_seed
from isolab.solver.book import book_moves


def book_choice(position: Position, seed: int | None) -> Choice | None:
    """The book's move, for which no node is entered; None where it has none. Of several as good the seed decides."""
    started_ns = perf_counter_ns()
    known = book_moves(position)
    if known is None or not known.moves:
        return None
    move = known.moves[0 if seed is None else mixed_seed(seed, 3) % len(known.moves)]
    score = float("inf") if known.wins else float("-inf")
    time_ms = (perf_counter_ns() - started_ns) / 1e6
    return Choice(move, Report(score, 0, 0, time_ms, (move,), proven=True))
