"""Every start of a board, solved; the file that the answers are kept in; and what they add up to."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.solver.mirror import is_mirror
from isolarium.solver.parallel import solve_many
from isolarium.solver.solution import (
    Check,
    Solution,
    SolutionFile,
    contradiction,
    read_solutions,
)
from isolarium.solver.start_map import law_says_win, mirror_exception, start_map, starts


class SurveyFile(SolutionFile):
    """The record of a survey, open for more.

    Args:
        path: where it is, or is to be.
        board: the board whose starts it holds.

    Raises:
        InputError: it is something else, cannot be written to, or somebody is writing to it.
    """

    def __init__(self, path: Path, board: Board) -> None:
        super().__init__(path, _start_check(board))


def read_survey(path: Path, board: Board) -> list[Solution]:
    """What the record of a survey holds, in the order of the starts; somebody may be writing to it meanwhile.

    Raises:
        InputError: it is something else, or cannot be read.
    """
    known = read_solutions(path, _start_check(board), "a record of solved starts")
    return [known[start] for start in starts(board) if start in known]


def _start_check(board: Board) -> Check:
    """Hold what is said of starts against the map of the starts, where the board is solved, or the mirror theorem."""
    wanted = set(starts(board))
    known = start_map(board)

    def check(solution: Solution) -> None:
        start = solution.position
        if start not in wanted:
            raise InputError(f"{start}: expected a start of {board}, the least of its images")
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
    wanted: Iterable[Position],
    file: SurveyFile | None,
    workers: int,
    limit: Limit | None = None,
) -> Iterator[Solution]:
    """Solve positions, keeping each answer in the file before it is given; those left unknown are not kept."""
    for _, solution in solve_many(wanted, workers, limit):
        if file is not None and solution.wins is not None:
            file.add(solution)
        yield solution


@dataclass(frozen=True)
class LawException:
    """A start that the colour law is wrong about.

    Attributes:
        solution: the truth.
        mirror: whether the mirror theorem explains it.
    """

    solution: Solution
    mirror: bool


@dataclass(frozen=True)
class SurveySummary:
    """What the solved starts of a board add up to.

    Attributes:
        board: the board.
        starts: how many starts there are up to symmetry.
        solved: how many of them are solved.
        wins: how many of these the player to move wins.
        nodes: positions entered to find out.
        exceptions: the exceptions to the colour law.
    """

    board: Board
    starts: int
    solved: int
    wins: int
    nodes: int
    exceptions: tuple[LawException, ...]


def summarize_survey(board: Board, solutions: Iterable[Solution]) -> SurveySummary:
    """Add up solutions of a board's starts; those that are unknown count as not solved.

    The exceptions come in the order of the starts, whatever order the solutions were found in.
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
