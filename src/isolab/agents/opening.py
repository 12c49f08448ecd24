"""What the opening book says, placements included."""

from collections.abc import Sequence
from functools import cache

from isolab.game.board import Square
from isolab.game.position import Position
from isolab.search.protocol import Choice, Report
from isolab.search.random import mixed_seed
from isolab.solver.book import Book, BookEntry, book_for


def book_move(position: Position, seed: int | None) -> BookEntry | None:
    """The value of a position, and a move where that is known; None where the board's book does not hold it.

    Placements are told from the starts, which a book holds all of. Of several that are as good the seed decides.
    """
    book = book_for(position.board)
    if book is None:
        return None
    if not position.placing:
        return book.entry(position)
    if position.blank_count + (position.first is not None) < position.board.size:
        return None  # a board with holes has other starts
    return _second_placement(book, position, seed) if position.first else _first(book, seed)


def book_choice(wins: bool, move: Square, time_ms: float = 0.0) -> Choice:
    """A move of the book as a choice: no node was entered for it."""
    score = float("inf") if wins else float("-inf")
    return Choice(move, Report(score, 0, 0, time_ms, (move,), proven=True))


def _second_placement(book: Book, position: Position, seed: int | None) -> BookEntry | None:
    """A square after which the first player loses."""
    winning = _winning_placements(book, position)
    if winning is None or not winning:
        return None
    return BookEntry(True, _drawn(winning, seed))


def _first(book: Book, seed: int | None) -> BookEntry | None:
    """A square after which the other has fewest placements that win."""
    best = _best_first_placements(book)
    return BookEntry(False, _drawn(best, seed)) if best else None


@cache
def _best_first_placements(book: Book) -> tuple[Square, ...]:
    """None where the book does not know, or where a placement wins."""
    empty = Position.empty(book.board)
    winning = {
        square: _winning_placements(book, empty.play(square)) for square in empty.legal_moves()
    }
    counts = {square: len(found) for square, found in winning.items() if found}
    if len(counts) < len(winning):
        return ()
    fewest = min(counts.values())
    return tuple(square for square, count in counts.items() if count == fewest)


def _winning_placements(book: Book, position: Position) -> list[Square] | None:
    """The second player's placements that win; None where the book does not know one of them."""
    found = []
    for square in position.legal_moves():
        entry = book.entry(position.play(square))
        if entry is None:
            return None
        if not entry.wins:
            found.append(square)
    return found


def _drawn(squares: Sequence[Square], seed: int | None) -> Square:
    return squares[0 if seed is None else mixed_seed(seed, 3) % len(squares)]
