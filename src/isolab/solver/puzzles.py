"""Puzzles: positions of real games that are won, with one move alone. Reading them needs neither solver nor compiler.

The data file has a line for each, from easy to hard: the position, the move that wins, and the plies to the end when
the winner hurries and the loser delays. `isolab book puzzles` makes it.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isolab.game.board import Square
from isolab.game.notation import parse_position, parse_square
from isolab.game.position import Position
from isolab.game.symmetry import canonical
from isolab.limits import Limit

if TYPE_CHECKING:
    from isolab.solver.solver import Solver

FILE: Final = Path(__file__).parent / "data" / "puzzles.txt"

LEAST_MOVES: Final = 3
MOST_BLANKS: Final = 34
"""With more blanks than this, how long a game lasts takes too long to find out."""
ONE_POSITION: Final = Limit(nodes=3_000_000)


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which one move alone wins.

    Attributes:
        number: its place among all puzzles, which go from easy to hard; the first is 1.
        position: the position, in which there are at least three moves.
        move: the one that wins.
        plies: moves to the end when the winner hurries and the loser delays.
    """

    number: int
    position: Position
    move: Square
    plies: int

    @property
    def tempting(self) -> int:
        """How many wrong moves look no worse: they leave the mover as many moves more than the other has."""
        right = _looks(self.position, self.move)
        wrong = (move for move in self.position.legal_moves() if move != self.move)
        return sum(_looks(self.position, move) >= right for move in wrong)

    @property
    def difficulty(self) -> int:
        """How hard it is: how far one has to see, and how many wrong moves look right."""
        return self.plies + 3 * self.tempting


def _looks(position: Position, move: Square) -> int:
    """How good a move looks at a glance: the mover's moves less the other's, after it."""
    after = position.play(move)
    assert after.other is not None
    own = (after.board.knight_mask(after.other) & after.blank).bit_count()
    return own - after.legal_mask.bit_count()


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """The package's puzzles, from easy to hard."""
    return tuple(
        _read(number, line)
        for number, line in enumerate(FILE.read_text(encoding="utf-8").splitlines(), start=1)
    )


def _read(number: int, line: str) -> Puzzle:
    text, move, plies = line.rsplit(" ", 2)
    position = parse_position(text)
    return Puzzle(number, position, parse_square(move, position.board), int(plies))


def puzzle_lines(found: Iterable[Puzzle]) -> str:
    """The text of a data file."""
    return "".join(f"{puzzle.position} {puzzle.move} {puzzle.plies}\n" for puzzle in found)


def puzzles_in(game: Iterable[Position], solver: "Solver") -> Iterator[Puzzle]:
    """The positions of a game that are puzzles, each with number 0: every move of every position is solved."""
    for position in game:
        puzzle = _puzzle(position, solver)
        if puzzle is not None:
            yield puzzle


def _puzzle(position: Position, solver: "Solver") -> Puzzle | None:
    moves = position.legal_moves()
    if position.second is None or len(moves) < LEAST_MOVES or position.blank_count > MOST_BLANKS:
        return None
    values = {move: solver.solve(position.play(move), ONE_POSITION).wins for move in moves}
    winning = [move for move, other_wins in values.items() if other_wins is False]
    if len(winning) != 1 or None in values.values():
        return None
    plies = solver.solve_distance(position, ONE_POSITION).plies
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
