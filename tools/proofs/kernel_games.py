"""Compare games in compiled code with those of the Python referee: `python -m tools.proofs.kernel_games`.

Every pair of different built-in searches plays on every board with every seed, once by each; the moves, results,
scores, depths and nodes must be equal. Then whole runs with 1 and with 2 workers must contain the same games. It
takes a few minutes.
"""

import tempfile
from contextlib import closing
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Final

from isolarium.arena import Conditions
from isolarium.arena.lines import Lines
from isolarium.arena.plan import tournament_plan
from isolarium.arena.referee import Batch, play_in_python
from isolarium.arena.run_db import Record
from isolarium.game.board import parse_board
from tests.arena.playing import play
from tests.arena.test_compiled_games import assert_same_games, batch_of, timeless

SPECS: Final = (
    "random",
    "greedy:open",
    "minimax:improved@depth=2",
    "alphabeta:improved@nodes=300",
    "alphabeta:distance@depth=3,nodes=200",
    "strong:improved@nodes=400",
    "champion:improved@nodes=2000",
    "champion:reachable@depth=2",
    "mcts@nodes=200",
    "minmax_approximation:improved@nodes=100",
)
BOARDS: Final = ("3x4", "5x5", "5x6", "7x7", "8x8", "9x8", "9x11", "13x13")
SEEDS: Final = (1, 2, 3)
PAIRS: Final = 2
RUN_PAIRS: Final = 5


def compare_batches() -> tuple[int, int]:
    """Play every encounter twice; return the numbers of games and moves compared."""
    games = moves = 0
    for board in BOARDS:
        for specs in combinations_with_replacement(SPECS, 2):
            for seed in SEEDS:
                found = assert_same_games(batch_of(specs, board, PAIRS, seed, plies=seed % 2))
                games, moves = games + len(found), moves + found.moves.squares.size
    return games, moves


def compare_runs() -> int:
    """Compare the games of a tournament, played by 1 and by 2 workers; return their number."""
    plan = tournament_plan(list(SPECS), Conditions(pairs=RUN_PAIRS, board="7x7", plies=1, seed=4))
    board = parse_board(plan.board)
    openings = plan.draw_openings()
    lines = Lines.of([[board.index(move) for move in one.moves] for one in openings])
    expected = list[list[object]]()
    for number, met in enumerate(plan.encounters):
        players = met.first, met.second
        specs = plan.players[met.first], plan.players[met.second]
        batch = Batch(number, specs, players, plan.board, plan.seed, None, False, 0, lines)
        expected += map(timeless, play_in_python(batch)[0])
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            play(Path(folder), plan, workers)
            with closing(Record(Path(folder))) as record:
                found = sorted(record.games(), key=lambda game: (game.encounter, game.pair, game.leg))
        assert list(map(timeless, found)) == expected
    return plan.games


def main() -> None:
    """Print how much was compared; raise an exception at a difference."""
    games, moves = compare_batches()
    print(
        f"compiled games: {len(SPECS)} agents, {len(BOARDS)} boards, {len(SEEDS)} seeds: {games:,} games with"
        f" {moves:,} moves, the same as the referee's, with their scores, depths and nodes"
    )
    print(f"runs: {compare_runs():,} games of a tournament on 7x7, the same with 1 and with 2 workers")


if __name__ == "__main__":
    main()
