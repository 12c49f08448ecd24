"""Generation of the puzzle book: positions from agents' games in which a single move wins."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Final

from isolarium.agents import parse_agent
from isolarium.agents.search_agent import SearchingAgent
from isolarium.arena.openings import random_openings
from isolarium.arena.referee import play_game
from isolarium.game.board import Square, parse_board
from isolarium.game.position import Player, Position
from isolarium.heuristics.lookup import catalogue
from isolarium.solver.puzzles import Puzzle, choose_puzzles, numbered, puzzles_in
from isolarium.solver.solver import Solver
from isolarium.spec.spec import parse_spec

PUZZLE_BOARDS: Final = ("5x5", "5x6", "5x7", "6x6", "6x7", "7x7", "7x8", "8x8")
AGENTS: Final = ("alphabeta:improved@nodes=300", "strong:reachable@nodes=300")
GAMES: Final = 4
"""The number of games played for each requested puzzle.

A game gives at most one candidate, and the puzzles are chosen from the candidates.
"""
NOTHING: Final = "null"
"""The heuristic that rates all positions equally."""
SEED: Final = 1
Tell = Callable[[str, int, int], None]
"""A progress callback: receives the kind of item, how many are done and the total."""


def make_puzzles(many: int, tell: Tell) -> list[Puzzle]:
    """Play games, choose puzzles from them, and count the heuristics that miss each.

    The result is deterministic.
    """
    solver, found = Solver(), list[list[Puzzle]]()
    on_each = -(-GAMES * many // len(PUZZLE_BOARDS))
    for game in _games(on_each):
        found.append(list(puzzles_in(game, solver)))
        tell("games", len(found), len(PUZZLE_BOARDS) * on_each)
    chosen = list[Puzzle]()
    for puzzle in choose_puzzles(found, many, SEED):
        chosen.append(replace(puzzle, misses=misses_of(puzzle)))
        tell("puzzles", len(chosen), many)
    return numbered(chosen)


def misses_of(puzzle: Puzzle) -> int:
    """Return how many built-in heuristics miss a winning move of the puzzle."""
    turns = list(zip(puzzle.turns, puzzle.moves, strict=True))
    return sum(any(_misses(agent, *turn) for turn in turns) for agent in _solvers())


@cache
def _solvers() -> list[SearchingAgent]:
    """Return an agent for every heuristic, except those that repeat a mistake of a report's code."""
    names = [name for name in catalogue() if name != NOTHING and not name.endswith("_as_printed")]
    return [SearchingAgent(parse_spec(f"greedy:{name}")) for name in names]


def _misses(agent: SearchingAgent, position: Position, move: Square) -> bool:
    """Return whether a heuristic rates another move at least as high.

    Immediate wins are never missed.
    """
    values = agent.values(position)
    return move in values and any(not values[move] > value for other, value in values.items() if other != move)


def _games(on_each: int) -> Iterator[list[Position]]:
    """Yield the positions of games between two agents from random placements."""
    agents = dict(zip(Player, map(parse_agent, AGENTS), strict=True))
    for board in map(parse_board, PUZZLE_BOARDS):
        for number, opening in enumerate(islice(random_openings(board, SEED), on_each)):
            start = opening.position(board)
            seeds = {player: 2 * number + player for player in Player}
            game = play_game(agents, start, opening.moves, seeds)
            yield game.positions(board)[len(game.opening) :]
