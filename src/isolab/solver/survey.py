"""Every start of a board, solved; the file that the answers are kept in; and what they add up to.

The file is the record of the work: one JSON object a line, as `isolab solve --json` prints them, in the order in which
they were found. Each is on disk before the next is begun, so whatever ends the work costs only what was being solved.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from isolab.errors import InputError, quoted
from isolab.files import check_ordinary
from isolab.game.board import Board
from isolab.game.notation import parse_position, parse_square
from isolab.game.position import Position
from isolab.limits import Limit
from isolab.solver.parallel import solve_many
from isolab.solver.proof.mirror import is_mirror
from isolab.solver.solver import Solution
from isolab.solver.starts import law_says_win, mirror_exception, start_map, starts
from isolab.system import lock


def solution_json(solution: Solution) -> dict[str, Any]:
    """A solution as JSON: `wins` is null where it is unknown, `move` where there is none."""
    return {
        "position": str(solution.position),
        "wins": solution.wins,
        "move": None if solution.move is None else str(solution.move),
        "nodes": solution.nodes,
    }


class SurveyFile:
    """The record of a survey, open for more.

    Args:
        path: where it is, or is to be.
        board: the board whose starts it holds.

    Attributes:
        solutions: what it holds.

    Raises:
        InputError: it is something else, cannot be written to, or somebody is writing to it.
    """

    def __init__(self, path: Path, board: Board) -> None:
        try:
            check_ordinary(path, "a file to write to")
            self._file = path.open("a+b")  # first: it refuses a link to itself by an OSError
            self._path = path.resolve()
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}; expected a file to write to") from None
        try:
            _lock(self._file, path)
            self._file.seek(0)
            self.solutions = self._read(path, board)
        except BaseException:
            self._file.close()
            raise

    def _read(self, path: Path, board: Board) -> dict[Position, Solution]:
        """What it holds. A last line that was not written to its end is cut off."""
        known, whole_bytes, torn = _known(self._file.read(), path, board)
        if torn:
            self._file.truncate(whole_bytes)
        return known

    def add(self, solution: Solution) -> None:
        """Keep a solution; it is on disk when this returns."""
        _write(self._file, [solution])
        self.solutions[solution.position] = solution

    def remove(self, positions: Iterable[Position]) -> None:
        """Keep nothing of positions any more: what was said of them is not to be believed."""
        for position in positions:
            self.solutions.pop(position, None)
        own = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        file = own.open("w+b")
        _lock(file, own)
        _write(file, self.solutions.values())
        own.replace(self._path)  # whole, whatever ends us
        self._file.close()
        self._file = file

    def close(self) -> None:
        """Let go of it."""
        self._file.close()


def read_survey(path: Path, board: Board) -> list[Solution]:
    """What the record of a survey holds, in the order of the starts; somebody may be writing to it meanwhile.

    Raises:
        InputError: it is something else, or cannot be read.
    """
    try:
        check_ordinary(path, "a record of solved starts")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a record of solved starts") from None
    known, _, _ = _known(data, path, board)
    return [known[start] for start in starts(board) if start in known]


def _known(data: bytes, path: Path, board: Board) -> tuple[dict[Position, Solution], int, bytes]:
    """What the whole lines of a record say, how many bytes these have, and a last line not written to its end.

    Raises:
        InputError: it is something else.
    """
    known: dict[Position, Solution] = {}
    wanted = set(starts(board))
    *whole, torn = data.split(b"\n")
    for number, line in enumerate(whole, start=1):
        try:
            solution = _read_line(line, board, wanted)
            if known.setdefault(solution.position, solution).wins != solution.wins:
                raise InputError(f"{solution.position}: also said to be the opposite")
        except InputError as error:
            raise error.at(f"{path}: line {number}") from None
    if torn and not whole and not torn.startswith(b'{"position'):
        raise InputError(f"{path}: line 1: expected a record of solved starts")
    return known, len(data) - len(torn), torn


def _lock(file: IO[bytes], path: Path) -> None:
    """See that no two write to it; the system lets go of the lock when this process ends, however it ends."""
    if not lock(file):
        raise InputError(f"{path}: another isolab is writing to it")


def _write(file: IO[bytes], solutions: Iterable[Solution]) -> None:
    """Write solutions; they are on disk when this returns."""
    for solution in solutions:
        file.write(json.dumps(solution_json(solution)).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())


def _read_line(line: bytes, board: Board, wanted: set[Position]) -> Solution:
    try:
        said = json.loads(line)
        text, wins, square, nodes = (said[key] for key in ("position", "wins", "move", "nodes"))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"{quoted(line)}; expected an object with position, wins, move and nodes"
        ) from None
    is_count = type(nodes) is int and nodes >= 0
    if not isinstance(text, str) or not isinstance(wins, bool) or not is_count:
        raise InputError("expected a position, true or false, and a number of nodes")
    position = parse_position(text)
    if position not in wanted:
        raise InputError(f"{position}: expected a start of {board}, the least of its images")
    move = parse_square(square, board) if isinstance(square, str) else None
    if wins != (move is not None and position.is_legal(move)):
        raise InputError(f"move {quoted(square)}: expected a legal one where wins is true")
    _see_that_it_is_so(position, wins)
    return Solution(position, wins, move, nodes)


def _see_that_it_is_so(start: Position, wins: bool) -> None:
    """Hold what is said of a start against the map of the starts, where its board is solved, or the mirror theorem.

    Raises:
        InputError: it is known to be otherwise.
    """
    known = start_map(start.board)
    if known is None:
        is_wrong = wins and is_mirror(start)
    else:
        assert start.first is not None
        assert start.second is not None
        is_wrong = known.first_wins(start.first, start.second) != wins
    if is_wrong:
        raise InputError(f"{start}: said to be {'won' if wins else 'lost'}, and known not to be")


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
class Upset:
    """A start that the colour law is wrong about.

    Attributes:
        solution: the truth.
        mirror: whether the mirror theorem explains it.
    """

    solution: Solution
    mirror: bool


@dataclass(frozen=True)
class Findings:
    """What the solved starts of a board add up to.

    Attributes:
        board: the board.
        starts: how many starts there are up to symmetry.
        solved: how many of them are solved.
        wins: how many of these the player to move wins.
        nodes: positions entered to find out.
        upsets: the exceptions to the colour law.
    """

    board: Board
    starts: int
    solved: int
    wins: int
    nodes: int
    upsets: tuple[Upset, ...]


def findings(board: Board, solutions: Iterable[Solution]) -> Findings:
    """Add up solutions of a board's starts; those that are unknown count as not solved.

    The exceptions come in the order of the starts, whatever order the solutions were found in.
    """
    every = starts(board)
    found = {solution.position: solution for solution in solutions if solution.wins is not None}
    known = [found[start] for start in every if start in found]
    return Findings(
        board=board,
        starts=len(every),
        solved=len(known),
        wins=sum(bool(solution.wins) for solution in known),
        nodes=sum(solution.nodes for solution in known),
        upsets=tuple(
            Upset(solution, mirror_exception(solution.position, bool(solution.wins)))
            for solution in known
            if solution.wins != law_says_win(solution.position)
        ),
    )
