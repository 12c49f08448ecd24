"""Builds an opening book: the solver finds the values of the deepest positions, and all others follow from those."""

from collections.abc import Callable, Iterable
from typing import Final

from isolab.game.board import Board, Square
from isolab.game.position import Position
from isolab.solver.book import BookEntry, book_image, packed_book
from isolab.solver.many import solve_many
from isolab.solver.starts import starts

DEFAULT_PLIES: Final = 1

Progress = Callable[[str, int, int], None]


class BookBuilder:
    """Builds the book of a board.

    Every position up to `plies` moves after the placements gets its value and a move; those one and two plies deeper
    that had to be solved for that are kept too, the lost ones without a move.

    Args:
        board: the board.
        plies: how many moves after the placements.
        workers: processes that solve.
        progress: told what is being solved, how many are done, and of how many.
    """

    def __init__(
        self, board: Board, plies: int, workers: int, progress: Progress | None = None
    ) -> None:
        self._board = board
        self._plies = plies
        self._workers = workers
        self._progress = progress or (lambda what, done, total: None)
        self._known: dict[Position, BookEntry] = {}

    def build(self) -> bytes:
        """The book's file; the same whatever the number of workers."""
        levels = [_images(starts(self._board))]
        for _ in range(self._plies + 1):
            levels.append(_images(after for image in levels[-1] for after in _afters(image)))
        self._solve(f"ply {self._plies + 1}", levels[-1])
        for level in reversed(levels[:-1]):
            for image in level:
                self._infer(image)
        lost = [image for level in levels[:-1] for image in level if not self._known[image].wins]
        replies = _images(
            reply for image in lost for after in _afters(image) for reply in _afters(after)
        )
        self._solve(f"ply {self._plies + 2}", replies)
        for image in lost:
            self._known[image] = BookEntry(False, self._hardest(image))
        return packed_book(self._board, self._known)

    def _solve(self, what: str, images: list[Position]) -> None:
        """Find the values that are not known."""
        wanted = [image for image in images if image not in self._known]
        for done, (place, solution) in enumerate(solve_many(wanted, self._workers), start=1):
            assert solution.wins is not None
            self._known[wanted[place]] = BookEntry(solution.wins, solution.move)
            self._progress(what, done, len(wanted))

    def _infer(self, image: Position) -> None:
        """Tell the value from those of the positions one move on: the first move after which the other loses wins."""
        for move in image.legal_moves():
            if not self._of(image.play(move)).wins:
                self._known[image] = BookEntry(True, move)
                return
        self._known[image] = BookEntry(False, None)

    def _hardest(self, image: Position) -> Square | None:
        """Of a lost position's moves the one that leaves fewest winning replies, then the most replies."""

        def asks(move: Square) -> tuple[int, int]:
            replies = _afters(image.play(move))
            return sum(not self._of(reply).wins for reply in replies), -len(replies)

        return min(image.legal_moves(), key=asks, default=None)

    def _of(self, position: Position) -> BookEntry:
        return self._known[book_image(position)[0]]


def _images(positions: Iterable[Position]) -> list[Position]:
    """The images of positions, each once, in the order in which they come."""
    return list(dict.fromkeys(book_image(position)[0] for position in positions))


def _afters(position: Position) -> list[Position]:
    return [position.play(move) for move in position.legal_moves()]
