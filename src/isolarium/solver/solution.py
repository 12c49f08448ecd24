"""What is known of a position, and files of that.

A file holds one JSON object a line, as `isolarium solve --json` prints them, in the order in which they were found.
Each is on disk before the next is begun, so whatever ends the work costs only what was being solved.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from isolarium.compat import lock
from isolarium.errors import InputError, quoted
from isolarium.game.board import Square
from isolarium.game.notation import parse_position, parse_square
from isolarium.game.position import Position
from isolarium.safe_files import lines_of, open_file, open_to_append

MOST_BYTES: Final = 1 << 32
"""Of a file of solutions: some thirty million."""
MOST_LINE: Final = 10_000
"""Bytes; more than a solution takes."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known of a position.

    Attributes:
        position: the position.
        wins: whether the player to move wins against every defence; None if a limit came first.
        move: a move that wins, where there is one.
        nodes: positions entered to find out.
        plies: moves to the end when the winner hurries and the loser delays, where that was asked for; the move is
            then one that keeps to it, also for the loser.
    """

    position: Position
    wins: bool | None
    move: Square | None
    nodes: int
    plies: int | None = None


def solution_json(solution: Solution) -> dict[str, Any]:
    """A solution as JSON: `wins` is null where it is unknown, `move` where there is none."""
    return {
        "position": str(solution.position),
        "wins": solution.wins,
        "move": None if solution.move is None else str(solution.move),
        "nodes": solution.nodes,
    }


def solution_lines(solutions: Iterable[Solution]) -> Iterator[str]:
    """Solutions as the lines of a file."""
    return (json.dumps(solution_json(solution)) + "\n" for solution in solutions)


Check = Callable[[Solution], None]
"""Raises an InputError for what a file must not hold, or what is known to be otherwise."""


class SolutionFile:
    """A file of solutions, open for more.

    Args:
        path: where it is, or is to be.
        check: what is asked of each.

    Attributes:
        solutions: what it holds.

    Raises:
        InputError: it is something else, cannot be written to, or somebody is writing to it.
    """

    def __init__(self, path: Path, check: Check) -> None:
        self._file = open_to_append(path, "a file to write to")
        self._path = path.resolve()  # after it was opened, which fails for a link to itself
        try:
            _lock(self._file, path)
            self._file.seek(0)
            self.solutions, whole_bytes, torn = _known(self._file, path, check)
            if torn:  # a last line that was not written to its end
                self._file.truncate(whole_bytes)
        except BaseException:
            self._file.close()
            raise

    def add(self, solution: Solution) -> None:
        """Keep a solution; it is on disk when this returns.

        Raises:
            InputError: there is no room for it, or the like.
        """
        try:
            _write(self._file, [solution])
        except OSError as error:
            raise InputError(f"{self._path}: {error.strerror}") from None
        self.solutions[solution.position] = solution

    def remove(self, positions: Iterable[Position]) -> None:
        """Keep nothing of positions any more: what was said of them is not to be believed."""
        for position in positions:
            self.solutions.pop(position, None)
        own = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        own.unlink(missing_ok=True)
        file = open_to_append(own, "a file to write to")
        _lock(file, own)
        _write(file, self.solutions.values())
        own.replace(self._path)  # whole, whatever ends us
        self._file.close()
        self._file = file

    def close(self) -> None:
        """Let go of it."""
        self._file.close()


def read_solutions(path: Path, check: Check, expected: str) -> dict[Position, Solution]:
    """What a file holds; somebody may be writing to it meanwhile.

    Raises:
        InputError: it is something else than what is expected, or cannot be read.
    """
    try:
        with open_file(path, MOST_BYTES, follow_links=True, expected=expected) as file:
            return _known(file, path, check)[0]
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected {expected}") from None


def _known(
    file: IO[bytes], path: Path, check: Check
) -> tuple[dict[Position, Solution], int, bytes]:
    """What the whole lines of a file say, how many bytes these have, and a last line not written to its end.

    Raises:
        InputError: it is something else.
    """
    known: dict[Position, Solution] = {}
    size, torn = 0, b""
    for number, line in enumerate(lines_of(file, path, MOST_LINE, MOST_BYTES), start=1):
        if not line.endswith(b"\n"):
            torn = line
            break
        size += len(line)
        try:
            solution = _read_line(line)
            check(solution)
            if known.setdefault(solution.position, solution).wins != solution.wins:
                raise InputError(f"{solution.position}: also said to be the opposite")
        except InputError as error:
            raise error.at(f"{path}: line {number}") from None
    if torn and not size and not torn.startswith(b'{"position'):
        raise InputError(f"{path}: line 1: expected a record of solved positions")
    return known, size, torn


def _read_line(line: bytes) -> Solution:
    try:
        said = json.loads(line)
        text, wins, square, nodes = (said[key] for key in ("position", "wins", "move", "nodes"))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"{quoted(line.rstrip())}; expected an object with position, wins, move and nodes"
        ) from None
    is_count = type(nodes) is int and nodes >= 0
    if not isinstance(text, str) or not isinstance(wins, bool) or not is_count:
        raise InputError("expected a position, true or false, and a number of nodes")
    position = parse_position(text)
    move = parse_square(square, position.board) if isinstance(square, str) else None
    if wins != (move is not None and position.is_legal(move)):
        raise InputError(f"move {quoted(square)}: expected a legal one where wins is true")
    return Solution(position, wins, move, nodes)


def contradiction(solution: Solution) -> InputError:
    """What to raise of a solution that is known not to be so."""
    told = "won" if solution.wins else "lost"
    return InputError(f"{solution.position}: said to be {told}, and known not to be")


def _lock(file: IO[bytes], path: Path) -> None:
    """See that no two write to it; the system lets go of the lock when this process ends, however it ends."""
    if not lock(file):
        raise InputError(f"{path}: another isolarium is writing to it")


def _write(file: IO[bytes], solutions: Iterable[Solution]) -> None:
    """Write solutions; they are on disk when this returns."""
    file.writelines(line.encode() for line in solution_lines(solutions))
    file.flush()
    os.fsync(file.fileno())
