"""`isolab book puzzles`: games of ordinary players, searched for positions in which one move alone wins."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from isolab.game.position import Position
    from isolab.solver.puzzles import Puzzle

BOARDS: Final = ("5x5", "5x7", "6x6", "6x7", "7x7", "8x8")
AGENTS: Final = ("alphabeta:improved@nodes=300", "strong:reachable@nodes=300")
GAMES: Final = 150
"""On each board."""
MANY: Final = 300
SEED: Final = 1


def make_puzzles(out: Path, progress: Callable[[str, int, int], None]) -> list["Puzzle"]:
    """Play, solve, choose, and write the file; the same file every time."""
    from isolab.cli.whole_file import whole_file
    from isolab.solver.puzzles import choose_puzzles, puzzle_lines, puzzles_in
    from isolab.solver.solver import Solver

    solver, found = Solver(), list[list["Puzzle"]]()
    with whole_file(out) as file:
        for game in _games():
            found.append(list(puzzles_in(game, solver)))
            progress("games", len(found), len(BOARDS) * GAMES)
        chosen = choose_puzzles(found, MANY, SEED)
        file.write(puzzle_lines(chosen).encode())
    return chosen


def _games() -> Iterator[list["Position"]]:
    """Games of two agents from random placements, each as its positions."""
    from itertools import accumulate, islice

    from isolab.agents import parse_agent
    from isolab.arena.game import play_game
    from isolab.arena.openings import random_openings
    from isolab.game.notation import parse_board
    from isolab.game.outcome import Player
    from isolab.game.position import Position

    agents = dict(zip(Player, map(parse_agent, AGENTS), strict=True))
    for board in map(parse_board, BOARDS):
        for number, opening in enumerate(islice(random_openings(board, SEED), GAMES)):
            start = opening.position(board)
            seeds = {player: 2 * number + player for player in Player}
            game = play_game(agents, start, opening.moves, seeds)
            moves = (played.move for played in game.moves)
            yield list(accumulate(moves, Position.play, initial=start))
