"""Opening books as agents use them: the package's own, or one in a file that a spec names."""

from functools import lru_cache
from pathlib import Path
from time import perf_counter_ns

from isolarium.errors import InputError, quoted
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.processes.permissions import check_permitted
from isolarium.search.protocol import Choice, Report
from isolarium.search.random import mixed_seed
from isolarium.solver.book import Book, book_moves, read_book
from isolarium.spec.spec import AgentSpec


def book_choice(position: Position, seed: int | None, book: Book | None = None) -> Choice | None:
    """Return the move of a book, by default the package's; None where it has none.

    Of several equally good moves the seed decides. No nodes are entered.
    """
    started_ns = perf_counter_ns()
    known = book_moves(position) if book is None else book.moves(position)
    if known is None or not known.moves:
        return None
    move = known.moves[0 if seed is None else mixed_seed(seed, 3) % len(known.moves)]
    score = float("inf") if known.wins else float("-inf")
    time_ms = (perf_counter_ns() - started_ns) / 1e6
    return Choice(move, Report(score, 0, 0, time_ms, (move,), proven=True))


def book_of(spec: AgentSpec) -> Book | None:
    """Return the book in the file that a spec names, None if it names no file.

    Raises:
        InputError: If there is no such book, or it may not be read here.
    """
    if not isinstance(spec.book, str):
        return None
    try:
        path = Path(spec.book).expanduser().resolve()
        changed = path.stat().st_mtime_ns if path.exists() else 0
    except (OSError, RuntimeError, ValueError) as error:  # an unknown user after ~, or a null byte
        raise InputError(f"{quoted(spec.book)}: {error}; expected an opening book") from None
    check_permitted(path)
    return _read(path, changed)


def check_book_board(spec: AgentSpec, book: Book | None, board: Board) -> None:
    """Check that the book of a spec, if it names a file, is for a board.

    Raises:
        InputError: If it is for another board.
    """
    if book is not None and book.board != board:
        raise InputError(f"{spec.book}: a book for {book.board}; expected one for {board}")


@lru_cache(4)
def _read(path: Path, changed_ns: int) -> Book:
    return read_book(path)
