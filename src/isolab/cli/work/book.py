"""Makes what comes with Isolab: the opening book, and the puzzles, in which one move alone wins."""

from collections.abc import Iterator
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from typing import Final

from isolab.agents import parse_agent
from isolab.arena.game import play_game
from isolab.arena.openings import random_openings
from isolab.cli.endings import whole_file
from isolab.cli.progress import Display, display
from isolab.game.board import Board
from isolab.game.notation import parse_board
from isolab.game.outcome import Player
from isolab.game.position import Position
from isolab.solver.book import BookBuilder, check_has_room
from isolab.solver.parallel import solve_many
from isolab.solver.puzzles import Puzzle, choose_puzzles, puzzle_lines, puzzles_in
from isolab.solver.solver import Solver

PUZZLE_BOARDS: Final = ("5x5", "5x7", "6x6", "6x7", "7x7", "8x8")
AGENTS: Final = ("alphabeta:improved@nodes=300", "strong:reachable@nodes=300")
GAMES: Final = 150
"""On each board."""
PUZZLES: Final = 300
SEED: Final = 1


def build_book(out: Path, board: Board, plies: int, workers: int) -> int:
    """Solve every start and the moves after it, and write what was found; the same file every time.

    Returns:
        How many bytes it has.
    """
    check_has_room(board)
    with whole_file(out) as file, display() as shown:
        builder = BookBuilder(
            board,
            plies,
            partial(solve_many, workers=workers),
            lambda what, done, total: _tell(shown, what, done, total),
        )
        data = builder.build()
        file.write(data)
    return len(data)


def make_puzzles(out: Path) -> int:
    """Play, solve, choose, and write the file; the same file every time.

    Returns:
        How many puzzles it has.
    """
    solver, found = Solver(), list[list[Puzzle]]()
    with whole_file(out) as file, display() as shown:
        for game in _games():
            found.append(list(puzzles_in(game, solver)))
            _tell(shown, "games", len(found), len(PUZZLE_BOARDS) * GAMES)
        chosen = choose_puzzles(found, PUZZLES, SEED)
        file.write(puzzle_lines(chosen).encode())
    return len(chosen)


def _tell(shown: Display, what: str, done: int, total: int) -> None:
    shown.tell(lambda: f"{what}: {done:,} of {total:,} solved")


def _games() -> Iterator[list[Position]]:
    """Games of two agents from random placements, each as its positions."""
    agents = dict(zip(Player, map(parse_agent, AGENTS), strict=True))
    for board in map(parse_board, PUZZLE_BOARDS):
        for number, opening in enumerate(islice(random_openings(board, SEED), GAMES)):
            start = opening.position(board)
            seeds = {player: 2 * number + player for player in Player}
            game = play_game(agents, start, opening.moves, seeds)
            moves = (played.move for played in game.moves)
            yield list(accumulate(moves, Position.play, initial=start))
