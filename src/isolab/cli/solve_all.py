"""Every start of a board, solved, recorded, and added up."""

import json
import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from isolab.cli.living_line import LivingLine, living_line
from isolab.cli.solving import Effort, compile_for
from isolab.game.notation import parse_board
from isolab.speed import per_second
from isolab.text import counted, duration

if TYPE_CHECKING:
    from isolab.game.board import Board
    from isolab.solver.solver import Solution
    from isolab.solver.survey import Findings, SurveyFile

INTERRUPTED = 130


def solve_all(name: str, out: Path | None, effort: Effort) -> None:
    """Solve every start of a board that the file does not hold yet, and print what they add up to."""
    from isolab.solver.survey import SurveyFile, findings

    board = parse_board(name)
    with nullcontext() if out is None else closing(SurveyFile(out, board)) as file:
        compile_for(board, distance=False)
        try:
            solutions = _solve_missing(board, file, effort)
        except KeyboardInterrupt:
            if out is not None and file is not None:
                kept = f"{len(file.solutions):,} starts are in {out}"
                print(f"{board}: {kept}; the same command goes on", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
    found = findings(board, solutions)
    if effort.as_json:
        typer.echo(json.dumps(_facts(found)))
    else:
        typer.echo("\n".join(_table(found)))


def _solve_missing(board: "Board", file: "SurveyFile | None", effort: Effort) -> "list[Solution]":
    from isolab.solver.starts import starts
    from isolab.solver.survey import survey

    every = starts(board)
    solutions = [] if file is None else list(file.solutions.values())
    known = {solution.position for solution in solutions}
    missing = [start for start in every if start not in known]
    before = len(solutions)
    with living_line() as line:
        line.tell(lambda: f"{board}: {before:,} of {len(every):,} starts")
        for solution in survey(missing, file, effort.workers, effort.limit):
            solutions.append(solution)
            line.tell(lambda: _progress(board, len(solutions), before, len(every), line))
    return solutions


def _progress(board: "Board", done: int, before: int, total: int, line: LivingLine) -> str:
    """`8x8: 120 of 518 starts · 4.5 a minute · 1 h 28 min left`."""
    rate = per_second(done - before, line.elapsed)
    speed = f"{rate:,.1f} a second" if rate >= 1 else f"{60 * rate:,.1f} a minute"
    return (
        f"{board}: {done:,} of {total:,} starts · {speed} · {duration((total - done) / rate)} left"
    )


def _table(found: "Findings") -> Iterator[str]:
    mirrors = sum(upset.mirror for upset in found.upsets)
    heads = ("board", "starts", "solved", "to move wins", "exceptions", "mirrors", "others")
    cells = (
        str(found.board),
        f"{found.starts:,}",
        f"{found.solved:,}",
        f"{found.wins:,}",
        f"{len(found.upsets):,}",
        f"{mirrors:,}",
        f"{len(found.upsets) - mirrors:,}",
    )
    yield "  ".join(f"{head:>{max(len(head), 5)}}" for head in heads)
    yield "  ".join(f"{cell:>{max(len(head), 5)}}" for head, cell in zip(heads, cells, strict=True))
    if found.upsets:
        yield "exceptions to the colour law, by which who is to move wins where both stand on one colour:"
    for upset in found.upsets:
        solution = upset.solution
        answer = f"to move wins with {solution.move}" if solution.wins else "to move loses"
        yield f"exception   {solution.position}  {answer}{', a mirror' if upset.mirror else ''}"
    yield f"nodes       {found.nodes:,}"
    if found.solved < found.starts:
        yield f"unknown     {counted(found.starts - found.solved, 'start')}, within the limit"


def _facts(found: "Findings") -> dict[str, Any]:
    from isolab.solver.survey import solution_json

    return {
        "board": str(found.board),
        "starts": found.starts,
        "solved": found.solved,
        "wins": found.wins,
        "nodes": found.nodes,
        "exceptions": [
            {**solution_json(upset.solution), "mirror": upset.mirror} for upset in found.upsets
        ],
    }
