"""Finds puzzles in games: the solver tries every move of every position, and keeps those in which one alone wins."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from isolab.game.position import Position
from isolab.game.symmetry import canonical
from isolab.solver.puzzles import Puzzle
from isolab.solver.solver import Solver

LEAST_MOVES: Final = 3
MOST_BLANKS: Final = 34
"""With more blanks than this, how long a game lasts takes too long to find out."""
MOST_NODES: Final = 3_000_000


def puzzles_in(game: Iterable[Position], solver: Solver) -> Iterator[Puzzle]:
    """The positions of a game that are puzzles, each with number 0."""
    for position in game:
        puzzle = _puzzle(position, solver)
        if puzzle is not None:
            yield puzzle


def _puzzle(position: Position, solver: Solver) -> Puzzle | None:
    moves = position.legal_moves()
    if position.second is None or len(moves) < LEAST_MOVES or position.blank_count > MOST_BLANKS:
        return None
    values = {move: solver.solve(position.play(move), MOST_NODES).wins for move in moves}
    winning = [move for move, other_wins in values.items() if other_wins is False]
    if len(winning) != 1 or None in values.values():
        return None
    plies = solver.solve_distance(position, MOST_NODES).plies
    return None if plies is None else Puzzle(0, position, winning[0], plies)


def choose_puzzles(games: Iterable[Iterable[Puzzle]], many: int, seed: int) -> list[Puzzle]:
    """Some of the puzzles found in games, as evenly as can be over the boards and over how long they last.

    One of each game at most, and none that another is an image of; numbered from easy to hard.
    """
    chance = random.Random(seed)
    waiting: dict[tuple[int, int], list[tuple[int, Puzzle]]] = defaultdict(list)
    for game, found in enumerate(games):
        for puzzle in found:
            waiting[puzzle.position.board.size, puzzle.plies].append((game, puzzle))
    for group in waiting.values():
        chance.shuffle(group)
    chosen = list(_in_turn(list(waiting.values()), many))
    chosen.sort(key=lambda puzzle: (puzzle.difficulty, puzzle.position.blank_count, str(puzzle)))
    return [replace(puzzle, number=number) for number, puzzle in enumerate(chosen, start=1)]


def _in_turn(groups: list[list[tuple[int, Puzzle]]], many: int) -> Iterator[Puzzle]:
    """One of each group in turn, until there are so many or no more."""
    used_games, used_positions = set[int](), set[Position]()
    while any(groups) and len(used_games) < many:
        for group in groups:
            while group and len(used_games) < many:
                game, puzzle = group.pop()
                image = canonical(puzzle.position)[0]
                if game not in used_games and image not in used_positions:
                    used_games.add(game)
                    used_positions.add(image)
                    yield puzzle
                    break
