"""Measure the oracle's time per move on 7x7, over all plies of its games.

    python -m tools.benchmarks.oracle [GAMES]

The games are against `alphabeta:improved@nodes=1000` from random placements, each opening from both sides. The same
number of positions is taken from every ply that most games reach, and solved again in a warmed-up process. Times
are CPU time on one core.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from time import process_time

from isolarium.agents import parse_agent
from isolarium.arena.openings import random_openings
from isolarium.arena.referee import play_game
from isolarium.game.board import Board
from isolarium.game.position import Player, Position

BOARD = Board(7, 7)
OPPONENT = "alphabeta:improved@nodes=1000"
EACH_PLY = 20


def main() -> None:
    """Measure and print."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    oracle = parse_agent("oracle")
    by_ply = oracle_positions(games)
    sampled = {
        ply: random.Random(ply).sample(positions, EACH_PLY)
        for ply, positions in sorted(by_ply.items())
        if len(positions) >= EACH_PLY
    }
    times: dict[int, list[float]] = defaultdict(list)
    for ply, positions in sampled.items():
        for number, position in enumerate(positions):
            oracle.new_game(number)
            began = process_time()
            oracle.choose(position)
            times[ply].append(1e3 * (process_time() - began))
    print(f"oracle on {BOARD} · ms a move, one core, CPU time · positions of {2 * games} games")
    print(f"  {'plies':<12}{'positions':>10}{'p50':>9}{'p90':>9}{'p99':>9}{'most':>9}")
    for name, first, last in (("0 to 1", 0, 1), ("2 to 9", 2, 9), ("10 to end", 10, 99), ("all", 0, 99)):
        shown(name, [ms for ply in times if first <= ply <= last for ms in times[ply]])


def shown(name: str, times: Sequence[float]) -> None:
    """Print a line of the table."""
    ordered = sorted(times)
    p50, p90, p99 = (ordered[min(len(ordered) - 1, int(p * len(ordered)))] for p in (0.5, 0.9, 0.99))
    print(f"  {name:<12}{len(ordered):>10}{p50:>9.1f}{p90:>9.1f}{p99:>9.1f}{ordered[-1]:>9.1f}")


def oracle_positions(openings: int) -> dict[int, list[Position]]:
    """Return the positions in which the oracle was to move, by the number of moves after the placements."""
    found: dict[int, list[Position]] = defaultdict(list)
    oracle, other = parse_agent("oracle"), parse_agent(OPPONENT)
    for number, opening in enumerate(islice(random_openings(BOARD, 1), openings)):
        start = opening.position(BOARD)
        for seat in Player:
            agents = {seat: oracle, seat.other: other}
            game = play_game(agents, start, opening.moves, dict.fromkeys(Player, number))
            *positions, _ = game.record(BOARD).positions()[len(opening.moves) :]
            for ply, position in enumerate(positions):
                if position.to_move is seat:
                    found[ply].append(position)
    return found


if __name__ == "__main__":
    main()
