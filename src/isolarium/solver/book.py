"""The opening book: exact values of a board's first positions, up to symmetry.

A position's key is exact, so no position is ever mistaken for another. For boards of up to 49 squares, the key is one
word:

    bit  0-48   the blank squares, square `row * cols + col` at that bit
    bit 49-54   the square of the player to move
    bit 55-60   the square of the other player

The key describes the image of the position that `canonical` chooses, with the player to move as the first player. A
byte next to the key holds the move in that image (63 if no move is known) and, in bit 6, whether the mover wins. For
boards of up to 64 squares the key is ten bytes, with the blanks in bits 0-63 and the players in 64-69 and 70-75; bit 7
of the byte next to it means that no move is known.

The file starts with `ISOLABBK` and one byte each for the format (1, or 2 for the longer keys), the rows, the columns
and a zero. The rest is compressed by zlib: the number of positions (4 bytes), their keys in ascending order, and the
bytes that belong to the keys. All numbers are little-endian.
"""

import struct
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position
from isolarium.game.symmetry import Symmetry, canonical
from isolarium.safe_files import read_small
from isolarium.solver.start_map import start_map, starts

if TYPE_CHECKING:
    from isolarium.solver.solution import Solution

MAGIC: Final = b"ISOLABBK"
SQUARE: Final = 63
"""The mask for the bits of a square's number."""
WINS: Final = 64
MOST_BYTES: Final = 1 << 28
"""The maximum size of an unpacked book, in bytes: 30 million positions."""
FOLDER: Final = Path(__file__).parent / "data"

SolveMany = Callable[[Iterable[Position]], Iterator[tuple[int, "Solution"]]]
"""Solves positions; yields each solution with its input index when ready."""
Progress = Callable[[str, int, int], None]
"""Receives a description of the step, the number of positions done, and the total."""


class _Layout(NamedTuple):
    """The layout of a book's keys and bytes.

    Attributes:
        format: The format number in the file.
        blanks: The number of bits for the blank squares, which is also the maximum number of squares.
        key_bytes: The number of bytes in a key.
        no_move: The bits that mean "no known move" in the byte next to a key.
    """

    format: int
    blanks: int
    key_bytes: int
    no_move: int


LAYOUTS: Final = (_Layout(1, 49, 8, 63), _Layout(2, 64, 10, 128))


def _layout(board: Board) -> _Layout:
    """Return the shortest layout with room for a board.

    Raises:
        InputError: If no layout has room for the board.
    """
    for layout in LAYOUTS:
        if board.size <= layout.blanks:
            return layout
    raise InputError(f"{board}: too large for a book; expected at most 64 squares")


@dataclass(frozen=True, slots=True)
class BookEntry:
    """A book's entry for a position.

    Attributes:
        wins: Whether the player to move wins against every defence.
        move: A winning move, or in a lost position the move that leaves the fewest winning replies; None if the book
            does not contain such a move.
    """

    wins: bool
    move: Square | None


class Book:
    """The book of one board."""

    def __init__(self, board: Board, keys: Sequence[int], values: bytes) -> None:
        self.board = board
        self._layout = _layout(board)
        self._keys = keys
        self._values = values
        self._fewest_blanks = min(((key & board.full).bit_count() for key in keys), default=0)

    def entry(self, position: Position) -> BookEntry | None:
        """Return the entry of a position with both players placed; None if not in the book."""
        if position.board != self.board or position.mover is None or position.other is None:
            return None
        if position.blank_count < self._fewest_blanks:  # Usually; symmetries are slow
            return None
        image, symmetry = book_image(position)
        key = key_of(image)
        place = bisect_left(self._keys, key)
        if place == len(self._keys) or self._keys[place] != key:
            return None
        entry = self._unpacked(place)
        if entry.move is None:
            return entry
        return BookEntry(entry.wins, symmetry.inverse.square(entry.move, self.board))

    def moves(self, position: Position) -> "BookMoves | None":
        """Return the entry in the form of `book_moves`; None for placements."""
        entry = self.entry(position)
        if entry is None:
            return None
        return BookMoves(entry.wins, () if entry.move is None else (entry.move,))

    def entries(self) -> Iterator[tuple[Position, BookEntry]]:
        """Yield every position with its entry; the first player is always to move."""
        for place, key in enumerate(self._keys):
            yield position_of(key, self.board), self._unpacked(place)

    def check(self) -> None:
        """Check that the keys are ordered and valid and that the moves are legal.

        Raises:
            ValueError: If a check fails.
        """
        board, last = self.board, -1
        blanks, no_move = self._layout.blanks, self._layout.no_move
        reach = [sum(1 << board.index(to) for to in board.knight_moves(at)) for at in board.squares]
        for key, value in zip(self._keys, self._values, strict=True):
            first, second = key >> blanks & SQUARE, key >> blanks + 6
            blank, move = key & (1 << blanks) - 1, value & SQUARE
            moveless = value & no_move == no_move
            if key <= last:
                raise ValueError("the positions are not in order")
            if blank & ~board.full or not first < board.size > second or first == second:
                raise ValueError("a position of another board")
            if (blank >> first | blank >> second) & 1:
                raise ValueError("a position with a player on a blank square")
            if not moveless and not (reach[first] & blank) >> move & 1:
                raise ValueError("an illegal move")
            if value & WINS and moveless and blank & reach[first] == 0:
                raise ValueError("a position won by a player with no legal move")
            last = key

    def _unpacked(self, place: int) -> BookEntry:
        value, no_move = self._values[place], self._layout.no_move
        moveless = value & no_move == no_move
        return BookEntry(bool(value & WINS), None if moveless else self.board.square(value & SQUARE))


def book_image(position: Position) -> tuple[Position, Symmetry]:
    """Return the image of a position that a book stores, and the symmetry to it."""
    mover_first = Position.unchecked(position.board, position.blank, position.mover, position.other, Player.FIRST)
    return canonical(mover_first)


def key_of(image: Position) -> int:
    """Return the key of a canonical position, with the first player to move."""
    assert image.first is not None
    assert image.second is not None
    board, blanks = image.board, _layout(image.board).blanks
    players = board.index(image.first) | board.index(image.second) << 6
    return image.blank | players << blanks


def position_of(key: int, board: Board) -> Position:
    """Return the canonical position with this key."""
    blanks = _layout(board).blanks
    first, second = board.square(key >> blanks & SQUARE), board.square(key >> blanks + 6)
    return Position(board, key & board.full, first, second, Player.FIRST)


def check_has_room(board: Board) -> None:
    """Check that a board's positions fit into the keys.

    Raises:
        InputError: If the board is too large for the keys.
    """
    _layout(board)


def packed_book(board: Board, entries: Mapping[Position, BookEntry]) -> bytes:
    """Return a book's file contents from canonical positions and their entries.

    Raises:
        InputError: If the board is too large for the keys.
    """
    layout = _layout(board)
    keyed = sorted((key_of(image), _value(board, entry)) for image, entry in entries.items())
    keys = b"".join(key.to_bytes(layout.key_bytes, "little") for key, _ in keyed)
    body = struct.pack("<I", len(keyed)) + keys + bytes(value for _, value in keyed)
    return MAGIC + bytes([layout.format, board.rows, board.cols, 0]) + zlib.compress(body, 9)


def _value(board: Board, entry: BookEntry) -> int:
    move = _layout(board).no_move if entry.move is None else board.index(entry.move)
    return WINS * entry.wins | move


def read_book(path: Path) -> Book:
    """Read a book's file.

    Raises:
        InputError: If it is not an opening book.
    """
    try:
        data = read_small(path, MOST_BYTES, follow_links=True, expected="an opening book")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected an opening book") from None
    try:
        if data[:8] != MAGIC:
            raise ValueError("not a book of this version")
        board = Board(data[9], data[10])
        layout = _layout(board)
        if data[8] != layout.format:
            raise ValueError("not a book of this version")
        book = Book(board, *_unpacked_body(data[12:], layout))
        book.check()
    except (ValueError, IndexError, zlib.error) as error:
        reason = error.message if isinstance(error, InputError) else str(error)
        raise InputError(f"{path}: {reason}; expected an opening book") from None
    return book


def _unpacked_body(packed: bytes, layout: _Layout) -> tuple[Sequence[int], bytes]:
    """Return the keys and values.

    Raises:
        ValueError: If the length does not match the number of positions.
    """
    unpacking = zlib.decompressobj()
    body = unpacking.decompress(packed, MOST_BYTES)
    count, wide = int.from_bytes(body[:4], "little"), layout.key_bytes
    if not unpacking.eof or unpacking.unused_data or len(body) != 4 + (wide + 1) * count:
        raise ValueError("the length is wrong")
    end = 4 + wide * count
    if wide == 8:  # An array takes a quarter of the memory.
        words = struct.pack(f"{count}Q", *struct.unpack_from(f"<{count}Q", body, 4))
        return memoryview(words).cast("Q"), body[end:]
    return [int.from_bytes(body[at : at + wide], "little") for at in range(4, end, wide)], body[end:]


def book_path(board: Board) -> Path:
    """Return the path of a board's book in the package, even if the file does not exist."""
    return FOLDER / f"book-{board}.bin"


@cache
def book_for(board: Board) -> Book | None:
    """Return the package's book of a board, if there is one; it is read on first use."""
    path = book_path(board)
    return read_book(path) if path.is_file() else None


def book_entry(position: Position) -> BookEntry | None:
    """Return the package's entry of a position with both players placed, if there is one."""
    book = book_for(position.board)
    return None if book is None else book.entry(position)


class BookMoves(NamedTuple):
    """A book's answer for a position, which may have unplaced players.

    Attributes:
        wins: Whether the player to move wins.
        moves: The best moves, all equally good; empty if the book contains no moves for the position.
    """

    wins: bool
    moves: tuple[Square, ...]


def book_moves(position: Position) -> BookMoves | None:
    """Return the answer of the package's book for a position, if there is one."""
    if position.placing:
        return _placements(position)
    book = book_for(position.board)
    return None if book is None else book.moves(position)


def _placements(position: Position) -> BookMoves | None:
    """Return the answer for a placement, from the start map."""
    board, first = position.board, position.first
    known = None if book_for(board) is None else start_map(board)
    if known is None or position.blank_count + (first is not None) < board.size:
        return None  # A board with blocked squares has other starts.
    best = known.best_first if first is None else known.answers(first)
    return BookMoves(first is not None, best) if best else None


class BookBuilder:
    """A builder of a board's book: it solves the deepest positions and infers the others.

    Every position up to `plies` moves after the placements gets its value and a move. The book also keeps the positions
    one and two plies deeper that had to be solved; those that are lost have no move.

    Args:
        board: The board.
        plies: The number of moves after the placements.
        solve_many: A function that solves positions. It is an argument because reading a book requires no solver.
        progress: A function that receives the progress.
    """

    def __init__(self, board: Board, plies: int, solve_many: SolveMany, progress: Progress | None = None) -> None:
        self._board = board
        self._plies = plies
        self._solve_many = solve_many
        self._progress = progress or (lambda what, done, total: None)
        self._known: dict[Position, BookEntry] = {}

    def build(self) -> bytes:
        """Return the book's file contents, which do not depend on the order of solving."""
        levels = [_images(starts(self._board))]
        for _ in range(self._plies + 1):
            levels.append(_images(after for image in levels[-1] for after in _afters(image)))
        self._solve(f"ply {self._plies + 1}", levels[-1])
        for level in reversed(levels[:-1]):
            for image in level:
                self._infer(image)
        lost = [image for level in levels[:-1] for image in level if not self._known[image].wins]
        replies = _images(reply for image in lost for after in _afters(image) for reply in _afters(after))
        self._solve(f"ply {self._plies + 2}", replies)
        for image in lost:
            self._known[image] = BookEntry(False, self._hardest(image))
        return packed_book(self._board, self._known)

    def _solve(self, what: str, images: list[Position]) -> None:
        """Solve the positions with unknown values."""
        wanted = [image for image in images if image not in self._known]
        for done, (place, solution) in enumerate(self._solve_many(wanted), start=1):
            assert solution.wins is not None
            self._known[wanted[place]] = BookEntry(solution.wins, solution.move)
            self._progress(what, done, len(wanted))

    def _infer(self, image: Position) -> None:
        """Infer a position's value; the first winning move, if any, is its book move."""
        for move in image.legal_moves():
            if not self._of(image.play(move)).wins:
                self._known[image] = BookEntry(True, move)
                return
        self._known[image] = BookEntry(False, None)

    def _hardest(self, image: Position) -> Square | None:
        """Return a lost position's move that leaves the fewest winning replies.

        Among equal moves, choose the one that leaves the most replies.
        """

        def difficulty(move: Square) -> tuple[int, int]:
            replies = _afters(image.play(move))
            return sum(not self._of(reply).wins for reply in replies), -len(replies)

        return min(image.legal_moves(), key=difficulty, default=None)

    def _of(self, position: Position) -> BookEntry:
        return self._known[book_image(position)[0]]


def survey_book(board: Board, solutions: Iterable["Solution"]) -> bytes:
    """Return a book's file contents from solved starts and the positions after them.

    This function does not solve positions. A won start has its winning move, and the position after that move is lost.
    Every move from a lost start leads to a won position. The lost start and these won positions have no move in the
    book.

    Raises:
        InputError: If the board is too large for the keys.
    """
    known: dict[Position, BookEntry] = {}
    for solution in solutions:
        start, move = solution.position, solution.move
        image, symmetry = book_image(start)
        found = None if move is None else symmetry.square(move, board)
        known[image] = BookEntry(bool(solution.wins), found)
        afters = _afters(start) if move is None else [start.play(move)]
        known |= dict.fromkeys(_images(afters), BookEntry(not solution.wins, None))
    return packed_book(board, known)


def _images(positions: Iterable[Position]) -> list[Position]:
    """Return the distinct canonical positions, in order."""
    return list(dict.fromkeys(book_image(position)[0] for position in positions))


def _afters(position: Position) -> list[Position]:
    return [position.play(move) for move in position.legal_moves()]
