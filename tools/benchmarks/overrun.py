"""Measure how far searches overrun a limit of 20 ms, over 1,000 moves of self-play.

Wall-clock overrun includes the time that the machine keeps a search waiting, so the machine should be idle. The
overrun in thread time, printed next to it, is the search's own part.
"""

from statistics import median, quantiles
from time import perf_counter, thread_time

from isolarium.agents import parse_agent
from isolarium.game import Board, Position

AGENTS = ("alphabeta:improved@ms=20", "alphabeta:distance@ms=20")
MOVES = 1000
LIMIT_MS = 20.0


def overruns(spec: str) -> tuple[list[float], list[float]]:
    """Return the overrun of each move in milliseconds, in wall-clock and thread time."""
    agent = parse_agent(spec)
    wall: list[float] = []
    own: list[float] = []
    game = 0
    position = Position.empty(Board(7, 7))
    agent.choose(position)  # compiles
    while len(wall) < MOVES:
        if not position.legal_moves():
            game += 1
            agent.new_game(game)
            position = Position.empty(Board(7, 7))
        began, own_began = perf_counter(), thread_time()
        choice = agent.choose(position)
        took_ms, own_ms = (perf_counter() - began) * 1e3, (thread_time() - own_began) * 1e3
        if not choice.report.proven:  # a proof ends a search before its limit
            wall.append(took_ms - LIMIT_MS)
            own.append(own_ms - LIMIT_MS)
        position = position.play(choice.move)
    return wall, own


def main() -> None:
    """Print the median, the 99th percentile and the worst."""
    for spec in AGENTS:
        wall, own = overruns(spec)
        print(
            f"overrun     {spec}, {MOVES:,} moves: median {median(wall):.2f} ms, "
            f"99th percentile {quantiles(wall, n=100)[98]:.2f} ms, worst {max(wall):.2f} ms "
            f"(own time: 99th percentile {quantiles(own, n=100)[98]:.2f} ms)"
        )


if __name__ == "__main__":
    main()
