"""What the ways to ask `isolab solve` have in common."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isolab.errors import InputError

if TYPE_CHECKING:
    from isolab.game.board import Board
    from isolab.solver.solution import Solution


@dataclass(frozen=True)
class Effort:
    """How to solve, and how to say it.

    Attributes:
        nodes: give up on a position at so many nodes.
        ms: give up on a position after so many milliseconds.
        workers: threads.
        distance: whether to find out how long the game lasts, too.
        as_json: whether to print JSON.
    """

    nodes: int | None
    ms: float | None
    workers: int
    distance: bool
    as_json: bool


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def check_request(
    position: str | None,
    file: str | None,
    board: str | None,
    every: bool,
    out: Path | None,
    distance: bool,
    certificate: Path | None,
) -> None:
    """See that exactly one thing was asked for, with the options that belong to it.

    Raises:
        InputError: it was not.
    """
    if sum((position is not None, file is not None, board is not None or every)) != 1:
        raise InputError("expected one of POSITION, --file FILE, and --board ROWSxCOLS --all")
    if (board is not None) != every:
        raise InputError(
            f"{'--all: expected --board ROWSxCOLS' if every else '--board: expected --all'} with it"
        )
    for option, misplaced, place in (
        ("--out", out is not None and not every, "--all"),
        ("--certificate", certificate is not None and position is None, "a POSITION"),
        ("--distance", distance and every, "a POSITION or --file"),
    ):
        if misplaced:
            raise InputError(f"{option}: expected {place} with it")


def compile_for(board: "Board", distance: bool) -> None:
    """Load what solving on a board needs, or compile it, with a word about that."""
    from isolab.game.tables import words_for
    from isolab.solver.searching import compiled_distance, compiled_slice, is_compiled

    words = words_for(board)
    if not is_compiled(words, distance):
        print("compiling (first time only)...", file=sys.stderr, flush=True)
    compiled_slice(words)
    if distance:
        compiled_distance(words)


def told(solution: "Solution", distance: bool) -> dict[str, Any]:
    """A solution as JSON."""
    from isolab.solver.survey import solution_json

    facts = solution_json(solution)
    return {**facts, "plies": solution.plies} if distance else facts
