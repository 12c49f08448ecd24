"""Surveys: solve every start of a board, save the solutions, and summarize them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.symmetry import is_mirror
from isolarium.limits import Limit
from isolarium.solver.parallel import solve_many
from isolarium.solver.solution import Check, Solution, SolutionFile, contradiction, read_solutions
from isolarium.solver.start_map import law_says_win, mirror_exception, start_map, starts


class SurveyFile(SolutionFile):
    """The file of a survey, open for appending.

    Args:
        path: The file; created if it does not exist.
        board: The board of the starts.

    Raises:
        InputError: If the file is not a survey, cannot be written, or is open in another process.
    """

    def __init__(self, path: Path, board: Board) -> None:
        super().__init__(path, _start_check(board))


def read_survey(path: Path, board: Board) -> list[Solution]:
    """Read a survey's solutions in the order of the starts, even while it is running.

    Raises:
        InputError: If the file is not a survey or cannot be read.
    """
    known = read_solutions(path, _start_check(board), "a record of solved starts")
    return [known[start] for start in starts(board) if start in known]


def _start_check(board: Board) -> Check:
    """Return a check of solutions against the start map or the mirror theorem."""
    wanted = set(starts(board))
    known = start_map(board)

    def check(solution: Solution) -> None:
        start = solution.position
        if start not in wanted:
            raise InputError(f"{start}: expected a start of {board}, the least of its symmetries")
        if known is None:
            is_wrong = solution.wins and is_mirror(start)
        else:
            assert start.first is not None
            assert start.second is not None
            is_wrong = known.first_wins(start.first, start.second) != solution.wins
        if is_wrong:
            raise contradiction(solution)

    return check


def survey(
    wanted: Iterable[Position], file: SurveyFile | None, workers: int, limit: Limit | None = None
) -> Iterator[Solution]:
    """Solve positions; save each known solution before yielding it."""
    for _, solution in solve_many(wanted, workers, limit):
        if file is not None and solution.wins is not None:
            file.add(solution)
        yield solution


@dataclass(frozen=True)
class LawException:
    """A start that is an exception to the colour law.

    Attributes:
        solution: The solution of the start.
        mirror: Whether the mirror theorem explains the exception.
    """

    solution: Solution
    mirror: bool


@dataclass(frozen=True)
class SurveySummary:
    """A summary of a board's solved starts.

    Attributes:
        board: The board.
        starts: The number of starts up to symmetry.
        solved: The number of solved starts.
        wins: The number of solved starts that the player to move wins.
        nodes: The number of positions entered to solve the starts.
        exceptions: The exceptions to the colour law.
    """

    board: Board
    starts: int
    solved: int
    wins: int
    nodes: int
    exceptions: tuple[LawException, ...]


def summarize_survey(board: Board, solutions: Iterable[Solution]) -> SurveySummary:
    """Summarize the solutions of a board's starts; unknown results count as unsolved.

    The exceptions are in the order of the starts, regardless of the order of the solutions.
    """
    every = starts(board)
    found = {solution.position: solution for solution in solutions if solution.wins is not None}
    known = [found[start] for start in every if start in found]
    return SurveySummary(
        board=board,
        starts=len(every),
        solved=len(known),
        wins=sum(bool(solution.wins) for solution in known),
        nodes=sum(solution.nodes for solution in known),
        exceptions=tuple(
            LawException(solution, mirror_exception(solution.position, bool(solution.wins)))
            for solution in known
            if solution.wins != law_says_win(solution.position)
        ),
    )
