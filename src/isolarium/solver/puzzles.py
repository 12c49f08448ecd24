"""Puzzles: won positions of real games with a single winning move.

The data file has one line for each puzzle, from easy to hard: the position; the moves to find with the replies between
them, such as `d6,b3,c5`; the number of plies to the end with perfect play; and the number of heuristics in the
catalogue that miss any of the moves to find. `isolarium book puzzles` creates the file. Reading it requires neither the
solver nor the compiler.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isolarium.game.board import Square, parse_square
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.game.symmetry import canonical
from isolarium.limits import Limit
from isolarium.safe_files import MOST_OWN, read_text_file

if TYPE_CHECKING:
    from isolarium.solver.solver import Solver

FILE: Final = Path(__file__).parent / "data" / "puzzles.txt"

LEAST_MOVES: Final = 3
MOST_BLANKS: Final = 34
"""The maximum number of blanks; with more, computing the game's length takes too long."""
MOST_MOVES: Final = 4
"""The maximum number of moves to find in one puzzle."""
MOST_SEEN: Final = 21
"""The number of plies beyond which a longer game does not make a puzzle harder."""
ASKED: Final = 25
"""The heuristics compared: the whole catalogue except the constant one."""
ONE_POSITION: Final = Limit(nodes=3_000_000)


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position whose line to find has a single winning move at every turn.

    Attributes:
        number: The puzzle's number in the order from easy to hard, starting at 1.
        position: The position, which has at least three legal moves.
        line: The moves to find, with the other player's reply after each but the last.
        plies: The number of plies to the end of the game with perfect play.
        misses: The number of heuristics that, at any move to find, rate another move at least as high.
    """

    number: int
    position: Position
    line: tuple[Square, ...]
    plies: int
    misses: int = 0

    @property
    def moves(self) -> tuple[Square, ...]:
        """The moves to find."""
        return self.line[::2]

    @property
    def turns(self) -> tuple[Position, ...]:
        """The positions in which the moves are to be found."""
        return tuple(accumulate(self.line, Position.play, initial=self.position))[:-1:2]

    @property
    def difficulty(self) -> int:
        """The difficulty as a rating, computed from misses, length and moves to find."""
        seen = 30 * min(self.plies, MOST_SEEN) + 75 * (len(self.moves) - 1)
        return 400 + round(900 * self.misses / ASKED) + seen


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """Return the package's puzzles, from easy to hard."""
    return tuple(
        _read(number, line)
        for number, line in enumerate(read_text_file(FILE, MOST_OWN, follow_links=True).splitlines(), start=1)
    )


def _read(number: int, text: str) -> Puzzle:
    where, line, plies, misses = text.rsplit(" ", 3)
    position = parse_position(where)
    moves = tuple(parse_square(name, position.board) for name in line.split(","))
    return Puzzle(number, position, moves, int(plies), int(misses))


def puzzle_lines(found: Iterable[Puzzle]) -> str:
    """Return the text of a data file."""
    return "".join(f"{one.position} {','.join(map(str, one.line))} {one.plies} {one.misses}\n" for one in found)


def puzzles_in(game: Iterable[Position], solver: "Solver") -> Iterator[Puzzle]:
    """Yield the positions of a game that qualify as puzzles, solving every move.

    These puzzles are not numbered yet: their `number` is 0.
    """
    for position in game:
        puzzle = _puzzle(position, solver)
        if puzzle is not None:
            yield puzzle


def _puzzle(position: Position, solver: "Solver") -> Puzzle | None:
    moves = position.legal_moves()
    if position.second is None or len(moves) < LEAST_MOVES or position.blank_count > MOST_BLANKS:
        return None
    move = only_move(position, solver)
    plies = None if move is None else solver.solve_distance(position, ONE_POSITION).plies
    if move is None or plies is None:
        return None
    return Puzzle(0, position, tuple(_line(position, move, solver)), plies)


def only_move(position: Position, solver: "Solver") -> Square | None:
    """Return the winning move if there is exactly one; None otherwise or if unknown."""
    winning = list[Square]()
    for move in position.legal_moves():
        other_wins = solver.solve(position.play(move), ONE_POSITION).wins
        if other_wins is None:
            return None
        if not other_wins:
            winning.append(move)
    return winning[0] if len(winning) == 1 else None


def _line(position: Position, move: Square, solver: "Solver") -> list[Square]:
    """Return the moves to find and the replies up to the last single winning move."""
    line = [move]
    while len(line) < 2 * MOST_MOVES - 1:
        position = position.play(line[-1])
        answer = _hardest(position, solver)
        if answer is None:
            break
        line += answer
        position = position.play(answer[0])
    return line


def _hardest(position: Position, solver: "Solver") -> tuple[Square, Square] | None:
    """Return the reply that delays the end most, and the single winning move after it.

    Only replies after which there are several moves and exactly one of them wins are considered.
    """
    found = list[tuple[int, Square, Square]]()
    for answer in position.legal_moves():
        after = position.play(answer)
        move = only_move(after, solver) if len(after.legal_moves()) > 1 else None
        plies = None if move is None else solver.solve_distance(after, ONE_POSITION).plies
        if move is not None and plies is not None:
            found.append((plies, answer, move))
    return max(found)[1:] if found else None


def choose_puzzles(games: Iterable[Iterable[Puzzle]], many: int, seed: int) -> list[Puzzle]:
    """Choose puzzles from games, spread evenly over boards and lengths.

    Each game contributes at most one puzzle, and no two puzzles are symmetric.
    """
    chance = random.Random(seed)
    waiting: dict[tuple[int, int], list[tuple[int, Puzzle]]] = defaultdict(list)
    for game, found in enumerate(games):
        for puzzle in found:
            waiting[puzzle.position.board.size, puzzle.plies].append((game, puzzle))
    for group in waiting.values():
        chance.shuffle(group)
    return list(_in_turn(list(waiting.values()), many))


def numbered(chosen: Iterable[Puzzle]) -> list[Puzzle]:
    """Sort the puzzles from easy to hard, and number them."""
    order = sorted(chosen, key=lambda one: (one.difficulty, one.plies, str(one.position)))
    return [replace(puzzle, number=number) for number, puzzle in enumerate(order, start=1)]


def _in_turn(groups: list[list[tuple[int, Puzzle]]], many: int) -> Iterator[Puzzle]:
    """Yield one puzzle from each group in turn, up to `many` puzzles in total."""
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
