"""Makes what comes with Isolarium: the opening book, and the puzzles, in which one move alone wins."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Final

from isolarium.agents import parse_agent
from isolarium.agents.search_agent import SearchingAgent
from isolarium.arena.openings import random_openings
from isolarium.arena.referee import play_game
from isolarium.cli.exits import whole_file
from isolarium.cli.progress_display import Display, display
from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.notation import parse_board
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.heuristics.catalogue import catalogue
from isolarium.solver.all_starts import read_survey
from isolarium.solver.book import BookBuilder, check_has_room, survey_book
from isolarium.solver.parallel import solve_many
from isolarium.solver.puzzles import Puzzle, choose_puzzles, numbered, puzzle_lines, puzzles_in
from isolarium.solver.solver import Solver
from isolarium.spec.spec import parse_spec

PUZZLE_BOARDS: Final = ("5x5", "5x6", "5x7", "6x6", "6x7", "7x7", "7x8", "8x8")
AGENTS: Final = ("alphabeta:improved@nodes=300", "strong:reachable@nodes=300")
GAMES: Final = 4
"""For each puzzle that is wanted: no game gives more than one, and not all are needed."""
NOTHING: Final = "null"
"""The heuristic that says nothing."""
SEED: Final = 1
MOST_SQUARES: Final = 49
"""Of a board whose book is built by solving."""


def build_book(out: Path, board: Board, plies: int, workers: int) -> int:
    """Solve every start and the moves after it, and write what was found; the same file every time.

    Returns:
        How many bytes it has.

    Raises:
        InputError: the board is one whose positions take days.
    """
    if board.size > MOST_SQUARES:
        raise InputError(
            f"{board}: it would take days; expected at most {MOST_SQUARES} squares, or --survey FILE"
        )
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


def book_of_survey(out: Path, board: Board, survey: Path) -> int:
    """Write what the record of a survey knows, with nothing solved.

    Returns:
        How many bytes it has.

    Raises:
        InputError: the record is none of that board.
    """
    check_has_room(board)
    solutions = read_survey(survey, board)
    with whole_file(out) as file:
        data = survey_book(board, solutions)
        file.write(data)
    return len(data)


def make_puzzles(out: Path, many: int) -> int:
    """Play, solve, choose, ask the heuristics, and write the file; the same file every time.

    Returns:
        How many puzzles it has.
    """
    solver, found = Solver(), list[list[Puzzle]]()
    on_each = -(-GAMES * many // len(PUZZLE_BOARDS))
    with whole_file(out) as file, display() as shown:
        for game in _games(on_each):
            found.append(list(puzzles_in(game, solver)))
            _tell(shown, "games", len(found), len(PUZZLE_BOARDS) * on_each)
        chosen = list[Puzzle]()
        for puzzle in choose_puzzles(found, many, SEED):
            chosen.append(replace(puzzle, misses=misses_of(puzzle)))
            _tell(shown, "puzzles", len(chosen), many)
        file.write(puzzle_lines(numbered(chosen)).encode())
    return len(chosen)


def misses_of(puzzle: Puzzle) -> int:
    """How many heuristics of the catalogue like another move as much as one that is to be found."""
    turns = list(zip(puzzle.turns, puzzle.moves, strict=True))
    return sum(any(_misses(agent, *turn) for turn in turns) for agent in _askers())


@cache
def _askers() -> list[SearchingAgent]:
    return [SearchingAgent(parse_spec(f"greedy:{name}")) for name in catalogue() if name != NOTHING]


def _misses(agent: SearchingAgent, position: Position, move: Square) -> bool:
    """Whether a heuristic likes another move as much; a move that ends the game is seen by anybody."""
    values = agent.values(position)
    return move in values and any(
        not values[move] > value for other, value in values.items() if other != move
    )


def _tell(shown: Display, what: str, done: int, total: int) -> None:
    shown.tell(lambda: f"{what}: {done:,} of {total:,} solved")


def _games(on_each: int) -> Iterator[list[Position]]:
    """Games of two agents from random placements, each as its positions."""
    agents = dict(zip(Player, map(parse_agent, AGENTS), strict=True))
    for board in map(parse_board, PUZZLE_BOARDS):
        for number, opening in enumerate(islice(random_openings(board, SEED), on_each)):
            start = opening.position(board)
            seeds = {player: 2 * number + player for player in Player}
            game = play_game(agents, start, opening.moves, seeds)
            yield list(game.record(board).positions()[len(game.opening) :])
