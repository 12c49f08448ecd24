"""`isolarium book`: build an opening book, inspect one, or make puzzles."""

from enum import StrEnum
from functools import partial
from json import dumps
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from isolarium.cli.app import whole_file
from isolarium.cli.options import JsonOption, ThreadsOption
from isolarium.cli.progress_display import Display, display
from isolarium.errors import InputError
from isolarium.game.board import Board, parse_board
from isolarium.game.notation import parse_position
from isolarium.processes.worker import default_workers
from isolarium.solver.book import Book, BookBuilder, book_for, check_has_room, read_book, survey_book

MOST_SQUARES: Final = 49
"""The largest board whose book can be built by solving."""


class Action(StrEnum):
    """What to do."""

    BUILD = "build"
    SHOW = "show"
    PUZZLES = "puzzles"


def book(
    action: Annotated[
        Action,
        typer.Argument(
            metavar="ACTION", help="build (write a book), show (inspect a book) or puzzles (write puzzles)."
        ),
    ],
    position: Annotated[
        str | None, typer.Argument(metavar="POSITION", help="Position to look up, instead of a summary (with show).")
    ] = None,
    board: Annotated[str, typer.Option("--board", metavar="ROWSxCOLS", help="Board of the opening book.")] = "7x7",
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Book to show.", show_default="Isolarium's own")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Output file; required with build and puzzles.")
    ] = None,
    plies: Annotated[
        int, typer.Option("--plies", metavar="N", min=0, max=4, help="Number of moves after the placements.")
    ] = 1,
    survey: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Results of isolarium solve --all --out to build from instead of solving."),
    ] = None,
    many: Annotated[int, typer.Option("--many", metavar="N", min=1, max=10_000, help="Number of puzzles.")] = 1000,
    workers: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build or inspect an opening book, or make puzzles.

    A book holds every start of a board and the moves after it, each with its exact value and best
    move. Isolarium comes with a book for 7x7. The oracle uses this book, and so does any agent with
    book in its limit, such as alphabeta:improved@nodes=8000,book. To use a book from a file, write
    book=FILE: alphabeta:improved@nodes=8000,book=book-4x4.bin. With --survey, the book holds the
    starts solved so far and the positions one ply after them.

    Puzzles are positions from agents' games, on several boards, in which
    exactly one move wins.

    Examples:
        isolarium book show '7/7/2A4/7/4B2/7/7 a'
        isolarium book build --board 4x4 --out book-4x4.bin
    """
    if action is Action.SHOW:
        _show(position, board, file, as_json)
        return
    if out is None:
        raise InputError(f"book {action}: needs --out FILE, the file to write")
    if survey is not None and action is not Action.BUILD:
        raise InputError(f"--survey: works only with book build, not with book {action}")
    if action is Action.PUZZLES:
        made = _make_puzzles(out, many)
        typer.echo(dumps({"file": str(out), "puzzles": made}) if as_json else f"{out}: {made} puzzles")
        return
    where = parse_board(board)
    if survey is None:
        size = _build(out, where, plies, workers or default_workers())
    else:
        size = _book_of_survey(out, where, survey)
    facts = {"board": str(where), "file": str(out), "bytes": size}
    typer.echo(dumps(facts) if as_json else f"{out}: {size:,} bytes")


def _build(out: Path, board: Board, plies: int, workers: int) -> int:
    """Solve every start and the moves after it, and write the book.

    The file is the same every time.

    Returns:
        The size of the book in bytes.

    Raises:
        InputError: If solving the board would take days.
    """
    if board.size > MOST_SQUARES:
        raise InputError(f"{board}: solving would take days; expected at most {MOST_SQUARES} squares, or --survey FILE")
    from isolarium.solver.survey import solve_many

    with whole_file(out) as file, display() as shown:
        builder = BookBuilder(
            board,
            plies,
            partial(solve_many, workers=workers),
            lambda what, done, total: _update(shown, what, done, total),
        )
        data = builder.build()
        file.write(data)
    return len(data)


def _book_of_survey(out: Path, board: Board, survey: Path) -> int:
    """Write a book from the results of a survey, without solving.

    Returns:
        The size of the book in bytes.

    Raises:
        InputError: If the survey is of another board.
    """
    from isolarium.solver.survey import read_survey

    check_has_room(board)
    solutions = read_survey(survey, board)
    with whole_file(out) as file:
        data = survey_book(board, solutions)
        file.write(data)
    return len(data)


def _make_puzzles(out: Path, many: int) -> int:
    """Write the file of puzzles; return their number."""
    from isolarium.analysis.puzzle_maker import make_puzzles
    from isolarium.solver.puzzles import puzzle_lines

    with whole_file(out) as file, display() as shown:
        made = make_puzzles(many, lambda what, done, total: _update(shown, what, done, total))
        file.write(puzzle_lines(made).encode())
    return len(made)


def _update(shown: Display, what: str, done: int, total: int) -> None:
    shown.update(lambda: f"{what}: {done:,} of {total:,} solved")


def _show(position: str | None, board: str, file: Path | None, as_json: bool) -> None:
    looked_up = None if position is None else parse_position(position)
    opened = read_book(file) if file is not None else None
    wanted = parse_board(board) if looked_up is None else looked_up.board
    opened = opened or book_for(wanted)
    if looked_up is None:
        facts = {"board": str(opened.board if opened else wanted), "plies": _plies(opened)}
        typer.echo(dumps(facts) if as_json else _plies_text(facts))
        return
    entry = None if opened is None else opened.entry(looked_up)
    found = {
        "position": str(looked_up),
        "wins": None if entry is None else entry.wins,
        "move": None if entry is None or entry.move is None else str(entry.move),
    }
    typer.echo(dumps(found) if as_json else _entry_text(found))


def _plies(book: Book | None) -> list[dict[str, int]]:
    """Return the numbers of won and lost positions and best moves for each ply."""
    rows: dict[int, dict[str, int]] = {}
    for position, entry in () if book is None else book.entries():
        ply = position.board.size - position.blank_count - 2
        row = rows.setdefault(ply, {"ply": ply, "won": 0, "lost": 0, "with_a_move": 0})
        row["won" if entry.wins else "lost"] += 1
        row["with_a_move"] += entry.move is not None
    return [rows[ply] for ply in sorted(rows)]


def _plies_text(facts: dict[str, Any]) -> str:
    if not facts["plies"]:
        return f"no book of {facts['board']}"
    lines = [f"book of {facts['board']}, positions up to symmetry", "ply     won    lost  with a move"]
    lines += [f"{row['ply']:>3} {row['won']:>7,} {row['lost']:>7,} {row['with_a_move']:>12,}" for row in facts["plies"]]
    return "\n".join(lines)


def _entry_text(entry: dict[str, Any]) -> str:
    if entry["wins"] is None:
        return "not in the book"
    value = "won" if entry["wins"] else "lost"
    return f"{value} for the player to move" + (f"; play {entry['move']}" if entry["move"] else "")
