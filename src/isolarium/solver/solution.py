"""Solutions of positions, and files of them.

A file holds one JSON object per line, as printed by `isolarium solve --json`, in the order in which the solutions were
found. Each solution is on disk before the next search starts, so an interruption loses only the position being solved.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from isolarium.compat import lock
from isolarium.errors import InputError, quoted
from isolarium.game.board import Square, parse_square
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.safe_files import lines_of, open_file, open_to_append

MOST_BYTES: Final = 1 << 32
"""The maximum size of a file of solutions: about thirty million solutions."""
MOST_LINE: Final = 10_000
"""The maximum length of a line in bytes, which is more than any solution requires."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The solution of a position, possibly unknown.

    Attributes:
        position: The position.
        wins: Whether the player to move wins against every defence; None if a limit was reached first.
        move: A winning move, if there is one.
        nodes: The number of positions entered to solve it.
        plies: The number of plies to the end of the game with perfect play, if requested; `move` then achieves this
            length, even in lost positions.
    """

    position: Position
    wins: bool | None
    move: Square | None
    nodes: int
    plies: int | None = None


def solution_json(solution: Solution) -> dict[str, Any]:
    """Return a solution as JSON, with null for an unknown `wins` or a missing `move`."""
    return {
        "position": str(solution.position),
        "wins": solution.wins,
        "move": None if solution.move is None else str(solution.move),
        "nodes": solution.nodes,
    }


def solution_lines(solutions: Iterable[Solution]) -> Iterator[str]:
    """Return solutions as the lines of a file."""
    return (json.dumps(solution_json(solution)) + "\n" for solution in solutions)


Check = Callable[[Solution], None]
"""Raises an InputError for a solution that does not belong in a file or is wrong."""


class SolutionFile:
    """A file of solutions, open for appending.

    Args:
        path: The file; created if it does not exist.
        check: A function that checks each solution.

    Attributes:
        solutions: The solutions in the file.

    Raises:
        InputError: If the file does not contain solutions, cannot be written, or is open in another process.
    """

    def __init__(self, path: Path, check: Check) -> None:
        self._file = open_to_append(path, "a file to write to")
        self._path = path.resolve()  # Resolved after opening, which fails for a link to itself
        try:
            _lock(self._file, path)
            self._file.seek(0)
            self.solutions, whole_bytes, torn = _known(self._file, path, check)
            if torn:  # An incomplete last line
                self._file.truncate(whole_bytes)
        except BaseException:
            self._file.close()
            raise

    def add(self, solution: Solution) -> None:
        """Add a solution, and write it to disk before returning.

        Raises:
            InputError: If the solution cannot be written, for instance because the disk is full.
        """
        try:
            _write(self._file, [solution])
        except OSError as error:
            raise InputError(f"{self._path}: {error.strerror}") from None
        self.solutions[solution.position] = solution

    def remove(self, positions: Iterable[Position]) -> None:
        """Remove solutions that cannot be trusted."""
        for position in positions:
            self.solutions.pop(position, None)
        own = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        own.unlink(missing_ok=True)
        file = open_to_append(own, "a file to write to")
        _lock(file, own)
        _write(file, self.solutions.values())
        own.replace(self._path)  # Atomic, so the file is complete after a crash
        self._file.close()
        self._file = file

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_solutions(path: Path, check: Check, expected: str) -> dict[Position, Solution]:
    """Read a file of solutions; another process may be writing to it.

    Raises:
        InputError: If the file is not of the expected kind or cannot be read.
    """
    try:
        with open_file(path, MOST_BYTES, follow_links=True, expected=expected) as file:
            return _known(file, path, check)[0]
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected {expected}") from None


def _known(file: IO[bytes], path: Path, check: Check) -> tuple[dict[Position, Solution], int, bytes]:
    """Read the complete lines of a file; return their size and any incomplete last line.

    Raises:
        InputError: If the file does not contain solutions.
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
                raise InputError(f"{solution.position}: contradicts an earlier line")
        except InputError as error:
            raise error.at(f"{path}: line {number}") from None
    if torn and not size and not torn.startswith(b'{"position'):
        raise InputError(f"{path}: line 1: expected a record of solved positions")
    return known, size, torn


def _read_line(line: bytes) -> Solution:
    try:
        data = json.loads(line)
        text, wins, square, nodes = (data[key] for key in ("position", "wins", "move", "nodes"))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(f"{quoted(line.rstrip())}; expected an object with position, wins, move and nodes") from None
    is_count = type(nodes) is int and nodes >= 0
    if not isinstance(text, str) or not isinstance(wins, bool) or not is_count:
        raise InputError("expected a position, wins as true or false, and a number of nodes")
    position = parse_position(text)
    move = parse_square(square, position.board) if isinstance(square, str) else None
    if wins != (move is not None and position.is_legal(move)):
        raise InputError(f"move {quoted(square)}: expected a legal move if wins is true, else null")
    return Solution(position, wins, move, nodes)


def contradiction(solution: Solution) -> InputError:
    """Return the error for a solution that is known to be wrong."""
    claimed = "won" if solution.wins else "lost"
    return InputError(f"{solution.position}: recorded as {claimed}, which is wrong")


def _lock(file: IO[bytes], path: Path) -> None:
    """Lock a file for writing; the system releases the lock when this process exits."""
    if not lock(file):
        raise InputError(f"{path}: another isolarium process is writing to it")


def _write(file: IO[bytes], solutions: Iterable[Solution]) -> None:
    """Write solutions to disk before returning."""
    file.writelines(line.encode() for line in solution_lines(solutions))
    file.flush()
    os.fsync(file.fileno())
