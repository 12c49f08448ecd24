"""What a hard position was solved in: the positions on the way that are proved, in memory or in a file.

With a file, whatever ends the work, it goes on from there later.
"""

from pathlib import Path

from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.game.symmetry import canonical
from isolarium.solver.proof.mirror import is_mirror
from isolarium.solver.solution import Check, Solution, SolutionFile, known_otherwise, read_solutions
from isolarium.solver.winloss import Answer


class Parts:
    """What is proved of positions, of all images of each: kept here as long as the root is being solved."""

    def __init__(self) -> None:
        self._known: dict[Position, Answer] = {}

    def find(self, position: Position) -> Answer | None:
        """What is known of a position; its nodes are told once, so that nobody counts them twice."""
        image, symmetry = canonical(position)
        found = self._known.get(image)
        if found is None:
            return None
        self._known[image] = found._replace(nodes=0)
        if found.move is None:
            return found
        return found._replace(move=symmetry.inverse.square(found.move, image.board))

    def keep(self, position: Position, answer: Answer) -> None:
        """Keep what was proved of a position, and has been counted."""
        image, move = _image(position, answer.move)
        self._known[image] = Answer(answer.wins, move, 0)


class PartsFile(Parts):
    """What is proved of positions of one board, kept in a file.

    Args:
        path: where it is, or is to be.
        board: the board.

    Raises:
        InputError: it is something else, cannot be written to, or somebody is writing to it.
    """

    def __init__(self, path: Path, board: Board) -> None:
        super().__init__()
        self._file = SolutionFile(path, _check_on(board))
        for solution in self._file.solutions.values():
            image, move = _image(solution.position, solution.move)
            self._known[image] = Answer(solution.wins, move, solution.nodes)

    def __len__(self) -> int:
        """How many positions it holds."""
        return len(self._known)

    def keep(self, position: Position, answer: Answer) -> None:
        """Keep what was proved of a position; it is on disk when this returns."""
        if canonical(position)[0] not in self._known:
            self._file.add(Solution(position, *answer))
        super().keep(position, answer)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def read_parts(path: Path, board: Board) -> list[Solution]:
    """What a file of parts holds.

    Raises:
        InputError: it is something else, or cannot be read.
    """
    known = read_solutions(path, _check_on(board), "a record of solved positions")
    return list(known.values())


def _image(position: Position, move: Square | None) -> tuple[Position, Square | None]:
    """The least image of a position, and that of a move."""
    image, symmetry = canonical(position)
    return image, None if move is None else symmetry.square(move, position.board)


def _check_on(board: Board) -> Check:
    def check(solution: Solution) -> None:
        position = solution.position
        if position.board != board or position.placing:
            raise InputError(f"{position}: expected a position of {board}, both players placed")
        if solution.wins and is_mirror(position):
            raise known_otherwise(solution)

    return check
