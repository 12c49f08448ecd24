"""The opening book: the first positions of a board with their exact values, each symmetric one once.

A position's key is exact, so nothing is ever taken for something else. For boards of up to 49 squares it is one word:

    bit  0-48   the blank squares, square `row * cols + col` at that bit
    bit 49-54   where the player to move stands
    bit 55-60   where the other stands

of that image of the position, under the board's symmetries and with the player to move as the first, that `canonical`
picks. A byte beside it holds the move in that image (63 where none is known) and, at bit 6, whether the mover wins. For
boards of up to 64 squares the key is ten bytes, with the blanks in bits 0-63 and the players in 64-69 and 70-75; that
no move is known is bit 7 of the byte beside it.

The file: `ISOLABBK`, then a byte each for the format (1, or 2 for the longer keys), rows and columns and one of zero,
then, packed by zlib, the number of positions (4 bytes), their keys in ascending order and their bytes; all
little-endian.
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
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry, canonical
from isolarium.safe_files import read_small
from isolarium.solver.start_map import start_map, starts

if TYPE_CHECKING:
    from isolarium.solver.solution import Solution

MAGIC: Final = b"ISOLABBK"
SQUARE: Final = 63
"""The bits that hold a square."""
WINS: Final = 64
MOST_BYTES: Final = 1 << 28
"""Of a book unpacked: 30 million positions."""
FOLDER: Final = Path(__file__).parent / "data"

SolveMany = Callable[[Iterable[Position]], Iterator[tuple[int, "Solution"]]]
"""Solves positions, each with its place in the input, as they get ready."""
Progress = Callable[[str, int, int], None]
"""Told what is being solved, how many are done, and of how many."""


class _Layout(NamedTuple):
    """How a book's keys and bytes are laid out.

    Attributes:
        format: its number in the file.
        blanks: bits for the blank squares, which is also how many squares a board may have.
        key_bytes: bytes of a key.
        no_move: in the byte beside a key, that no move is known.
    """

    format: int
    blanks: int
    key_bytes: int
    no_move: int


LAYOUTS: Final = (_Layout(1, 49, 8, 63), _Layout(2, 64, 10, 128))


def _layout(board: Board) -> _Layout:
    """The shortest with room for a board.

    Raises:
        InputError: there is none.
    """
    for layout in LAYOUTS:
        if board.size <= layout.blanks:
            return layout
    raise InputError(f"{board}: a book has no room for it; expected at most 64 squares")


@dataclass(frozen=True, slots=True)
class BookEntry:
    """What the book says of a position.

    Attributes:
        wins: whether the player to move wins against every defence.
        move: a move that wins; of a lost position the one that leaves fewest winning replies; None where the book
            does not say which that is.
    """

    wins: bool
    move: Square | None


class Book:
    """A book of one board."""

    def __init__(self, board: Board, keys: Sequence[int], values: bytes) -> None:
        self.board = board
        self._layout = _layout(board)
        self._keys = keys
        self._values = values
        self._fewest_blanks = min(((key & board.full).bit_count() for key in keys), default=0)

    def entry(self, position: Position) -> BookEntry | None:
        """What it says of a position with both players placed, if anything."""
        if position.board != self.board or position.mover is None or position.other is None:
            return None
        if position.blank_count < self._fewest_blanks:  # most are, and an image takes a while
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
        """The same as `book_moves` says it; of placements it knows nothing."""
        entry = self.entry(position)
        if entry is None:
            return None
        return BookMoves(entry.wins, () if entry.move is None else (entry.move,))

    def entries(self) -> Iterator[tuple[Position, BookEntry]]:
        """Every position that it holds, the player to move as the first."""
        for place, key in enumerate(self._keys):
            yield position_of(key, self.board), self._unpacked(place)

    def check(self) -> None:
        """See that there are positions of the board, each once and in order, with moves that they have.

        Raises:
            ValueError: it is otherwise.
        """
        board, last = self.board, -1
        blanks, no_move = self._layout.blanks, self._layout.no_move
        reach = [sum(1 << board.index(to) for to in board.knight_moves(at)) for at in board.squares]
        for key, value in zip(self._keys, self._values, strict=True):
            first, second = key >> blanks & SQUARE, key >> blanks + 6
            blank, move = key & (1 << blanks) - 1, value & SQUARE
            moveless = value & no_move == no_move
            if key <= last:
                raise ValueError("its positions are not in order")
            if blank & ~board.full or not first < board.size > second or first == second:
                raise ValueError("a position of another board")
            if (blank >> first | blank >> second) & 1:
                raise ValueError("a position with a player on a blank square")
            if not moveless and not (reach[first] & blank) >> move & 1:
                raise ValueError("a move that is against the rules")
            if value & WINS and moveless and blank & reach[first] == 0:
                raise ValueError("a position won by who cannot move")
            last = key

    def _unpacked(self, place: int) -> BookEntry:
        value, no_move = self._values[place], self._layout.no_move
        moveless = value & no_move == no_move
        return BookEntry(
            bool(value & WINS), None if moveless else self.board.square(value & SQUARE)
        )


def book_image(position: Position) -> tuple[Position, Symmetry]:
    """The image under which a book knows a position, and the symmetry that leads there."""
    mover_first = Position.unchecked(
        position.board, position.blank, position.mover, position.other, Player.FIRST
    )
    return canonical(mover_first)


def key_of(image: Position) -> int:
    """The key of a position's image, the first player to move."""
    assert image.first is not None
    assert image.second is not None
    board, blanks = image.board, _layout(image.board).blanks
    players = board.index(image.first) | board.index(image.second) << 6
    return image.blank | players << blanks


def position_of(key: int, board: Board) -> Position:
    """The image whose key this is."""
    blanks = _layout(board).blanks
    first, second = board.square(key >> blanks & SQUARE), board.square(key >> blanks + 6)
    return Position(board, key & board.full, first, second, Player.FIRST)


def check_has_room(board: Board) -> None:
    """See that a board's positions fit into the keys.

    Raises:
        InputError: they do not.
    """
    _layout(board)


def packed_book(board: Board, entries: Mapping[Position, BookEntry]) -> bytes:
    """A book's file, from the images and what it is to say of each.

    Raises:
        InputError: the board is too large for the keys.
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
        InputError: it is none.
    """
    try:
        data = read_small(path, MOST_BYTES, follow_links=True, expected="an opening book")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected an opening book") from None
    try:
        if data[:8] != MAGIC:
            raise ValueError("no book of this version")
        board = Board(data[9], data[10])
        layout = _layout(board)
        if data[8] != layout.format:
            raise ValueError("no book of this version")
        book = Book(board, *_unpacked_body(data[12:], layout))
        book.check()
    except (ValueError, IndexError, zlib.error) as error:
        told = error.message if isinstance(error, InputError) else str(error)
        raise InputError(f"{path}: {told}; expected an opening book") from None
    return book


def _unpacked_body(packed: bytes, layout: _Layout) -> tuple[Sequence[int], bytes]:
    """Keys and values.

    Raises:
        ValueError: it has not the length that it says.
    """
    unpacking = zlib.decompressobj()
    body = unpacking.decompress(packed, MOST_BYTES)
    count, wide = int.from_bytes(body[:4], "little"), layout.key_bytes
    if not unpacking.eof or unpacking.unused_data or len(body) != 4 + (wide + 1) * count:
        raise ValueError("not its length")
    end = 4 + wide * count
    if wide == 8:  # a quarter of the memory
        words = struct.pack(f"{count}Q", *struct.unpack_from(f"<{count}Q", body, 4))
        return memoryview(words).cast("Q"), body[end:]
    return [int.from_bytes(body[at : at + wide], "little") for at in range(4, end, wide)], body[
        end:
    ]


def book_path(board: Board) -> Path:
    """Where the book of a board is, if the package has one."""
    return FOLDER / f"book-{board}.bin"


@cache
def book_for(board: Board) -> Book | None:
    """The package's book of a board, read when it is first asked for; None where there is none."""
    path = book_path(board)
    return read_book(path) if path.is_file() else None


def book_entry(position: Position) -> BookEntry | None:
    """What the package's book of its board says of a position with both players placed, if anything."""
    book = book_for(position.board)
    return None if book is None else book.entry(position)


class BookMoves(NamedTuple):
    """What the book says of a position, placements included.

    Attributes:
        wins: whether the player to move wins.
        moves: the best moves, one as good as the other; none where the book does not say which they are.
    """

    wins: bool
    moves: tuple[Square, ...]


def book_moves(position: Position) -> BookMoves | None:
    """What the package's book of its board says of a position, if anything."""
    if position.placing:
        return _placements(position)
    book = book_for(position.board)
    return None if book is None else book.moves(position)


def _placements(position: Position) -> BookMoves | None:
    """The same of placements: a board that has a book has a map of its starts, which tells."""
    board, first = position.board, position.first
    known = None if book_for(board) is None else start_map(board)
    if known is None or position.blank_count + (first is not None) < board.size:
        return None  # a board with holes has other starts
    best = known.best_first if first is None else known.answers(first)
    return BookMoves(first is not None, best) if best else None


class BookBuilder:
    """Builds the book of a board: the values of the deepest positions are solved, and all others follow from those.

    Every position up to `plies` moves after the placements gets its value and a move; those one and two plies deeper
    that had to be solved for that are kept too, the lost ones without a move.

    Args:
        board: the board.
        plies: how many moves after the placements.
        solve_many: what solves; reading a book needs no solver.
        progress: told how far it is.
    """

    def __init__(
        self, board: Board, plies: int, solve_many: SolveMany, progress: Progress | None = None
    ) -> None:
        self._board = board
        self._plies = plies
        self._solve_many = solve_many
        self._progress = progress or (lambda what, done, total: None)
        self._known: dict[Position, BookEntry] = {}

    def build(self) -> bytes:
        """The book's file; the same in whatever order the positions get ready."""
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
        for done, (place, solution) in enumerate(self._solve_many(wanted), start=1):
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


def survey_book(board: Board, solutions: Iterable["Solution"]) -> bytes:
    """A book's file from starts that are solved, with nothing solved anew: they, and what follows a ply later.

    A won start has its move, and what is left after it is lost; after a lost start every move leaves a won position,
    and neither it nor that has a move here.

    Raises:
        InputError: the board is too large for the keys.
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
    """The images of positions, each once, in the order in which they come."""
    return list(dict.fromkeys(book_image(position)[0] for position in positions))


def _afters(position: Position) -> list[Position]:
    return [position.play(move) for move in position.legal_moves()]
