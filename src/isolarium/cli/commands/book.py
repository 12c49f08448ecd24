"""`isolarium book`: build the opening book or the book of puzzles, or look into the former."""

from enum import StrEnum
from functools import partial
from json import dumps
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from isolarium.cli.exits import whole_file
from isolarium.cli.options import JsonOption, ThreadsOption
from isolarium.cli.progress_display import Display, display
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_board, parse_position
from isolarium.processes.worker import usual_workers
from isolarium.solver.book import (
    Book,
    BookBuilder,
    book_for,
    check_has_room,
    read_book,
    survey_book,
)

MOST_SQUARES: Final = 49
"""Of a board whose book is built by solving."""

EXAMPLES = """\b
Examples:
  isolarium book show '7/7/2A4/7/4B2/7/7 a'
  isolarium book build --board 4x4 --out book-4x4.bin
"""


class Action(StrEnum):
    """What to do with the book."""

    BUILD = "build"
    SHOW = "show"
    PUZZLES = "puzzles"


def book(
    action: Annotated[Action, typer.Argument(help="Build one, look into one, or make puzzles.")],
    position: Annotated[
        str | None,
        typer.Argument(metavar="[POSITION]", help="Show what is known of it, not of them all."),
    ] = None,
    board: Annotated[
        str, typer.Option("--board", metavar="ROWSxCOLS", help="The board of the opening book.")
    ] = "7x7",
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Show another than the package's own.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to write the one built.")
    ] = None,
    plies: Annotated[
        int,
        typer.Option("--plies", metavar="N", min=0, max=4, help="Moves after the placements."),
    ] = 1,
    survey: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Solve nothing: take what solve --all --out has found."),
    ] = None,
    many: Annotated[
        int, typer.Option("--many", metavar="N", min=1, max=10_000, help="Puzzles to make.")
    ] = 1000,
    workers: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build an opening book, or say what one knows.

    A book holds every start of a board and the moves after it, each with its exact value and a move. The package has
    one of 7x7: the oracle uses it, and so does any agent with ,book in its limit: alphabeta:improved@nodes=8000,book.
    An agent uses the one in a file with ,book=FILE: alphabeta:improved@nodes=8000,book=book-4x4.bin.
    With --survey it holds the starts that a survey has solved so far, and what follows from them a ply later.

    Puzzles are positions of agents' games, on several boards, in which one move alone wins.
    """
    if action is Action.SHOW:
        _show(position, board, file, as_json)
        return
    if out is None:
        raise InputError(f"book {action}: expected --out FILE, where to write it")
    if survey is not None and action is not Action.BUILD:
        raise InputError(f"book {action}: expected no --survey; it is for book build")
    if action is Action.PUZZLES:
        made = _make_puzzles(out, many)
        typer.echo(
            dumps({"file": str(out), "puzzles": made}) if as_json else f"{out}: {made} puzzles"
        )
        return
    where = parse_board(board)
    if survey is None:
        size = _build(out, where, plies, workers or usual_workers())
    else:
        size = _book_of_survey(out, where, survey)
    facts = {"board": str(where), "file": str(out), "bytes": size}
    typer.echo(dumps(facts) if as_json else f"{out}: {size:,} bytes")


def _build(out: Path, board: Board, plies: int, workers: int) -> int:
    """Solve every start and the moves after it, and write the book; the same file every time.

    Returns:
        Its size in bytes.

    Raises:
        InputError: If the positions of the board would take days.
    """
    if board.size > MOST_SQUARES:
        raise InputError(
            f"{board}: it would take days; expected at most {MOST_SQUARES} squares, or --survey FILE"
        )
    from isolarium.solver.parallel import solve_many

    with whole_file(out) as file, display() as shown:
        builder = BookBuilder(
            board,
            plies,
            partial(solve_many, workers=workers),
            lambda what, done, total: _tell(shown, what, done, total),
        )
        data = builder.build()
        file.write(data)
    return len(data)


def _book_of_survey(out: Path, board: Board, survey: Path) -> int:
    """Write what the record of a survey knows, with nothing solved.

    Returns:
        The book's size in bytes.

    Raises:
        InputError: If the record is of another board.
    """
    from isolarium.solver.all_starts import read_survey

    check_has_room(board)
    solutions = read_survey(survey, board)
    with whole_file(out) as file:
        data = survey_book(board, solutions)
        file.write(data)
    return len(data)


def _make_puzzles(out: Path, many: int) -> int:
    """Write the file of puzzles; the number of them."""
    from isolarium.analysis.puzzle_maker import make_puzzles
    from isolarium.solver.puzzles import puzzle_lines

    with whole_file(out) as file, display() as shown:
        made = make_puzzles(many, lambda what, done, total: _tell(shown, what, done, total))
        file.write(puzzle_lines(made).encode())
    return len(made)


def _tell(shown: Display, what: str, done: int, total: int) -> None:
    shown.tell(lambda: f"{what}: {done:,} of {total:,} solved")


def _show(position: str | None, board: str, file: Path | None, as_json: bool) -> None:
    asked = None if position is None else parse_position(position)
    opened = read_book(file) if file is not None else None
    wanted = parse_board(board) if asked is None else asked.board
    opened = opened or book_for(wanted)
    if asked is None:
        facts = {"board": str(opened.board if opened else wanted), "plies": _plies(opened)}
        typer.echo(dumps(facts) if as_json else _plies_text(facts))
        return
    entry = None if opened is None else opened.entry(asked)
    told = {
        "position": str(asked),
        "wins": None if entry is None else entry.wins,
        "move": None if entry is None or entry.move is None else str(entry.move),
    }
    typer.echo(dumps(told) if as_json else _entry_text(told))


def _plies(book: Book | None) -> list[dict[str, int]]:
    """For each ply how many positions are won, lost, and have a move."""
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
    lines = [
        f"book of {facts['board']}, positions up to symmetry",
        "ply     won    lost  with a move",
    ]
    lines += [
        f"{row['ply']:>3} {row['won']:>7,} {row['lost']:>7,} {row['with_a_move']:>12,}"
        for row in facts["plies"]
    ]
    return "\n".join(lines)


def _entry_text(told: dict[str, Any]) -> str:
    if told["wins"] is None:
        return "not in the book"
    value = "won" if told["wins"] else "lost"
    return f"{value} for the player to move" + (f"; play {told['move']}" if told["move"] else "")
