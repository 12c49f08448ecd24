"""The random player: any legal move, each as likely."""

from time import perf_counter_ns

from isolab.game.position import Position
from isolab.limits import Limit
from isolab.search.driver import Stop, check_unfinished
from isolab.search.report import Choice, Report
from isolab.search.seeds import mixed_seed


def choose_at_random(
    position: Position, limit: Limit, seed: int | None = None, stop: Stop | None = None
) -> Choice:
    """Draw a legal move by the seed; the limit cannot matter. Without a seed it is the first.

    Raises:
        InputError: the game is over.
    """
    check_unfinished(position)
    started_ns = perf_counter_ns()
    moves = position.legal_moves()
    move = moves[0 if seed is None else mixed_seed(seed, 0) % len(moves)]
    time_ms = (perf_counter_ns() - started_ns) / 1e6
    return Choice(move, Report(score=None, depth=0, nodes=0, time_ms=time_ms, pv=(move,)))
