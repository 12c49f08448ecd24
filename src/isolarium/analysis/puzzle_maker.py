"""Makes the book of puzzles: positions of agents' games in which one move alone wins."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Final

from isolarium.agents import parse_agent
from isolarium.agents.search_agent import SearchingAgent
from isolarium.arena.openings import random_openings
from isolarium.arena.referee import play_game
from isolarium.game.board import Square
from isolarium.game.notation import parse_board
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.heuristics.catalogue import catalogue
from isolarium.solver.puzzles import Puzzle, choose_puzzles, numbered, puzzles_in
from isolarium.solver.solver import Solver
from isolarium.spec.spec import parse_spec

PUZZLE_BOARDS: Final = ("5x5", "5x6", "5x7", "6x6", "6x7", "7x7", "7x8", "8x8")
AGENTS: Final = ("alphabeta:improved@nodes=300", "strong:reachable@nodes=300")
GAMES: Final = 4
"""For each puzzle that is wanted: no game gives more than one, and not all are needed."""
NOTHING: Final = "null"
"""The heuristic that says nothing."""
SEED: Final = 1
Tell = Callable[[str, int, int], None]
"""Receives what is made, how many of them are done, and how many there will be."""


def make_puzzles(many: int, tell: Tell) -> list[Puzzle]:
    """Play games, solve them, choose puzzles, and count the heuristics that miss each; the same puzzles every time."""
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


def _games(on_each: int) -> Iterator[list[Position]]:
    """Games of two agents from random placements, each as its positions."""
    agents = dict(zip(Player, map(parse_agent, AGENTS), strict=True))
    for board in map(parse_board, PUZZLE_BOARDS):
        for number, opening in enumerate(islice(random_openings(board, SEED), on_each)):
            start = opening.position(board)
            seeds = {player: 2 * number + player for player in Player}
            game = play_game(agents, start, opening.moves, seeds)
            yield list(game.record(board).positions()[len(game.opening) :])
