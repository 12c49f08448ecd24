"""What it costs that an agent of the course thinks in another process: over 2,000 moves of one that does not think.

By the clock on the wall, so this wants a machine with nothing else to do. Beside it stands what starting such a process
takes, and the beginning of a game, for which the agent's file is loaded anew.
"""

import tempfile
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from isolab.agents import make_agent, parse_spec, read_spec
from isolab.agents.agent import SpecAgent
from isolab.game import Board, Position

MOVES = 2000
STARTS = 10
THOUGHTLESS = """
class Player:
    def get_move(self, game, time_left):
        return game.get_legal_moves()[0]
"""


def main() -> None:
    """Print the medians and the 99th percentile."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "game_agent.py"
        file.write_text(THOUGHTLESS)
        spec = str(read_spec(f"course:{file}@ms=150"))
        starts = [started(spec) for _ in range(STARTS)]
        with closing(make_agent(parse_spec(spec))) as agent:
            moves, games = played(agent)
    print(
        f"guest moves {MOVES:,} moves: median {median(moves):.2f} ms, "
        f"99th percentile {quantiles(moves, n=100)[98]:.2f} ms; "
        f"a game begins in {median(games):.1f} ms, a process in {median(starts):.0f} ms"
    )


def started(spec: str) -> float:
    """Milliseconds until a new process is ready for a game."""
    with closing(make_agent(parse_spec(spec))) as agent:
        began = perf_counter()
        agent.new_game(1)
        return (perf_counter() - began) * 1e3


def played(agent: SpecAgent) -> tuple[list[float], list[float]]:
    """Milliseconds of each move, and of each beginning of a game."""
    moves: list[float] = []
    games: list[float] = []
    position = Position.empty(Board(7, 7))
    agent.new_game(0)
    while len(moves) < MOVES:
        if not position.legal_moves():
            position = Position.empty(Board(7, 7))
            began = perf_counter()
            agent.new_game(len(games))
            games.append((perf_counter() - began) * 1e3)
        began = perf_counter()
        move = agent.choose(position).move
        moves.append((perf_counter() - began) * 1e3)
        position = position.play(move)
    return moves, games


if __name__ == "__main__":
    main()
