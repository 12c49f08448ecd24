"""Positions from a file or a pipe, one a line, answered in order as they come."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from isolab.cli.solving import Effort, compile_for, told
from isolab.errors import InputError
from isolab.game.notation import parse_start
from isolab.game.position import Position

if TYPE_CHECKING:
    from isolab.solver.solver import Solution

PIPE = "-"


def solve_file(name: str, effort: Effort) -> None:
    """Answer every position of a file with a line."""
    from isolab.solver.parallel import SolverPool, solve_stream

    with SolverPool(effort.workers, effort.limit, distance=effort.distance) as pool:
        for solution in solve_stream(_positions(name, effort.distance), pool):
            if effort.as_json:
                typer.echo(json.dumps(told(solution, effort.distance)))
            else:
                typer.echo(_line(solution))


def _positions(name: str, distance: bool) -> Iterator[Position]:
    """The positions of a file; empty lines are passed over.

    Raises:
        InputError: a line is no position, or there is no such file.
    """
    label = "stdin" if name == PIPE else name
    seen_words = set[int]()
    for number, line in enumerate(_lines(name), start=1):
        if not line.strip():
            continue
        try:
            position = parse_start(line.strip())
        except InputError as error:
            raise InputError(f"{label}: line {number}: {error}") from None
        words = (position.board.size + 63) // 64
        if words not in seen_words:
            seen_words.add(words)
            compile_for(position.board, distance)  # here, so that it is done and named once
        yield position


def _lines(name: str) -> Iterator[str]:
    if name == PIPE:
        yield from _of_stream(sys.stdin)
        return
    try:
        with Path(name).open(encoding="utf-8", errors="backslashreplace") as file:
            yield from _of_stream(file)
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}; expected a file of positions") from None


def _of_stream(stream: "Iterator[str] | None") -> Iterator[str]:
    if stream is not None:
        yield from stream


def _line(solution: "Solution") -> str:
    if solution.wins is None:
        answer = "unknown"
    elif solution.wins:
        answer = f"wins with {solution.move}"
    else:
        answer = "loses"
    if solution.plies is not None:
        answer += f" in {solution.plies} plies"
    return f"{solution.position}  {answer} · {solution.nodes:,} nodes"
