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
    """The move of a book, without one of the package's, for which no node is entered; None where it has none.

    Of several as good the seed decides.
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
    """The book in the file that a spec names, if it names one.

    Raises:
        InputError: there is no such book, or it may not be read here.
    """
    if not isinstance(spec.book, str):
        return None
    try:
        path = Path(spec.book).expanduser().resolve()
        changed = path.stat().st_mtime_ns if path.exists() else 0
    except (OSError, RuntimeError, ValueError) as error:  # such as ~nobody, or a null byte
        raise InputError(f"{quoted(spec.book)}: {error}; expected an opening book") from None
    check_permitted(path)
    return _read(path, changed)


def check_book_board(spec: AgentSpec, book: Book | None, board: Board) -> None:
    """See that the book in the file that a spec names, if it names one, is of a board.

    Raises:
        InputError: it is of another.
    """
    if book is not None and book.board != board:
        raise InputError(f"{spec.book}: a book of {book.board}; expected one of {board}")


@lru_cache(4)
def _read(path: Path, changed_ns: int) -> Book:
    return read_book(path)
