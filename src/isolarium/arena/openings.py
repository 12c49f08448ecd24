"""Openings: the moves made before the agents take over.

The opening is the unit of evidence. Openings that are identical or mirror images of each other
belong to one cluster, because agents play them alike.
"""

import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice, permutations
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isolarium.errors import InputError
from isolarium.game.board import Board, Square, parse_board
from isolarium.game.position import Position
from isolarium.game.record import read_game
from isolarium.game.symmetry import canonical, symmetries
from isolarium.safe_files import lines_of, open_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from isolarium.arena.lines import Lines, Numbers

    Columns = tuple[Lines, Numbers]
    """Openings, and the number of the first opening in each one's cluster."""

PLACEMENTS: Final = 2
PATIENCE: Final = 20
"""The draws without a new cluster after which openings get one more random move."""
MOST_BYTES: Final = 1 << 26
"""The maximum size of a file of openings and of a plan, which stores the openings."""
MOST_LINE: Final = 10_000
"""The maximum length of a line in that file in bytes, more than any game needs."""
MOST_IN_PYTHON: Final = 500
"""The number of openings of one length that are drawn without compiled code."""
BLOCK: Final = 4096
"""The number of openings that compiled code draws at a time."""
FIRST_PATIENCE: Final = 5_000
"""The consecutive draws ending the game after which `plies` is too large."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The first moves of a pair of games.

    Attributes:
        moves: The moves from the empty board, starting with the two placements.
        cluster: A text that is the same for all openings that agents play alike.
    """

    moves: tuple[Square, ...]
    cluster: str

    def position(self, board: Board) -> Position:
        """Return the position in which the agents take over."""
        return position_after(board, self.moves)

    def __str__(self) -> str:
        """Return the moves as text, such as `d4 b3`."""
        return " ".join(map(str, self.moves))


def position_after(board: Board, moves: Iterable[Square]) -> Position:
    """Return the position after moves from the empty board.

    Raises:
        InputError: If a move is not legal.
    """
    position = Position.empty(board)
    for move in moves:
        position = position.play(move)
    return position


def opening_of(position: Position, moves: tuple[Square, ...]) -> Opening:
    """Return the opening of `moves`, which place both players and end in `position`."""
    least = canonical(position)[0]
    assert least.first is not None
    assert least.second is not None
    return Opening(moves, f"{least.first} {least.second} {least.blank:x}")


def random_openings(board: Board, seed: int, plies: int = 0) -> Iterator[Opening]:
    """Yield endless random openings, each in a new cluster.

    An opening has two random placements and `plies` random moves.

    Whenever no new clusters are found, openings get one more random move. On very small boards even
    longer openings run out; then the placements and their clusters repeat.

    Raises:
        InputError: If games on this board end before that many random moves.
    """
    chance = random.Random(seed)
    if plies == 0:
        yield from _placements(board, chance)
    else:
        lines = _new_lines(board, plies, chance, FIRST_PATIENCE)
        first = next(lines, None)
        if first is None:
            raise _no_openings(board, plies)
        yield first
        yield from lines
    for more in range(plies + 1, board.size):
        yield from _new_lines(board, more, chance, PATIENCE)
    yield from cycle(all_openings(board, seed))


def _no_openings(board: Board, plies: int) -> InputError:
    return InputError(f"plies={plies}: games on {board} are over by then; use fewer random moves")


def random_columns(board: Board, seed: int, plies: int, count: int) -> "Columns":
    """Return the first `count` of `random_openings` as columns, without an object for each.

    Raises:
        InputError: If games on this board end before that many random moves.
    """
    if count <= MOST_IN_PYTHON:
        return columns_of(board, islice(random_openings(board, seed, plies), count))
    import numpy as np  # See `_compiled_blocks`.

    from isolarium.arena.lines import Lines

    chance, left, parts = random.Random(seed), count, list[Lines]()
    if plies == 0:
        parts.append(columns_of(board, _placements(board, chance))[0])
        left -= len(parts[0])
    for more in range(max(1, plies), board.size):
        patience = FIRST_PATIENCE if more == plies else PATIENCE
        for moves, _ in _compiled_blocks(board, more, chance, patience) if left > 0 else ():
            parts.append(Lines.of_lengths(moves.reshape(-1), np.full(len(moves), PLACEMENTS + more)))
            left -= len(moves)
            if left <= 0:
                break
        if left == count:
            break
    if left == count:
        raise _no_openings(board, plies)
    numbers = np.arange(count)
    if left <= 0:
        return Lines.joined(parts).part(0, count), numbers
    repeated, first = columns_of(board, all_openings(board, seed))[0], count - left
    rest = np.arange(left) % len(repeated)
    numbers[first:] = rest if plies == 0 else first + rest
    return Lines.joined([*parts, repeated.take(rest)]), numbers


def repeated_columns(board: Board, openings: Iterable[Opening], count: int) -> "Columns":
    """Return a list of openings as columns, repeated until there are `count`."""
    import numpy as np  # See `_compiled_blocks`.

    lines, numbers = columns_of(board, openings)
    places = np.arange(count) % len(lines)
    return lines.take(places), numbers[places]


def columns_of(board: Board, openings: Iterable[Opening]) -> "Columns":
    """Return openings as columns."""
    import numpy as np  # See `_compiled_blocks`.

    from isolarium.arena.lines import Lines

    found, first_of = list(openings), dict[str, int]()
    numbers = [first_of.setdefault(opening.cluster, number) for number, opening in enumerate(found)]
    lines = Lines.of([[board.index(square) for square in opening.moves] for opening in found])
    return lines, np.array(numbers, dtype=np.int64)


def _placements(board: Board, chance: random.Random) -> Iterator[Opening]:
    """Yield every pair of placements up to symmetry that does not end the game.

    Order and orientation are random.
    """
    placements = list(permutations(range(board.size), PLACEMENTS))
    chance.shuffle(placements)
    images, seen = _images(board), set[tuple[int, int]]()
    targets = [board.knight_mask(square) for square in board.squares]
    for first, second in placements:
        if targets[first] & ~(1 << second) == 0:
            continue
        least = min([(image[first], image[second]) for image in images])
        if least not in seen:
            seen.add(least)
            yield _opening(board, (first, second), (*least, *least))


@cache
def _images(board: Board) -> tuple[tuple[int, ...], ...]:
    """Return the number of each square's image for each of the board's symmetries."""
    return tuple(
        tuple(board.index(symmetry.square(square, board)) for square in board.squares) for symmetry in symmetries(board)
    )


def _opening(board: Board, moves: Sequence[int], key: Sequence[int]) -> Opening:
    """Return the opening of some squares by number.

    The key has the squares of both players in the canonical image, and then all squares played.
    """
    squares, names, bits, full = _tables(board)
    blank = full - sum([bits[number] for number in key[PLACEMENTS:]])
    cluster = f"{names[key[0]]} {names[key[1]]} {blank:x}"
    return Opening(tuple([squares[number] for number in moves]), cluster)


@cache
def _tables(board: Board) -> tuple[tuple[Square, ...], tuple[str, ...], tuple[int, ...], int]:
    """Return a board's squares, their names, their bits, and all bits."""
    bits = tuple(1 << number for number in range(board.size))
    return tuple(board.squares), tuple(map(str, board.squares)), bits, board.full


def _new_lines(board: Board, plies: int, chance: random.Random, patience: int) -> Iterator[Opening]:
    """Yield random openings in new clusters until new clusters become rare.

    Many openings are drawn in compiled code, which is not loaded for a few.
    """
    if "isolarium.arena.opening_kernel" in sys.modules:
        yield from _compiled_lines(board, plies, chance, patience)
        return
    seen, misses, start = set[str](), 0, chance.getstate()
    known = patience
    while misses < patience:
        opening = _random_line(board, plies, chance)
        if opening is None or opening.cluster in seen:
            misses += 1
            continue
        misses, patience = 0, PATIENCE
        seen.add(opening.cluster)
        yield opening
        if len(seen) == MOST_IN_PYTHON:
            chance.setstate(start)
            yield from islice(_compiled_lines(board, plies, chance, known), len(seen), None)
            return


def _compiled_lines(board: Board, plies: int, chance: random.Random, patience: int) -> Iterator[Opening]:
    """Yield what `_new_lines` yields, and leave `chance` in the same state."""
    for moves, keys in _compiled_blocks(board, plies, chance, patience):
        for line, key in zip(moves.tolist(), keys.tolist(), strict=True):
            yield _opening(board, line, key)


def _compiled_blocks(
    board: Board, plies: int, chance: random.Random, patience: int
) -> "Iterator[tuple[NDArray[np.uint8], NDArray[np.uint8]]]":
    """Yield the moves and the keys of the openings that `_new_lines` yields, many at a time."""
    # Imported here, because a few openings need neither NumPy nor the compiler.
    import numpy as np

    from isolarium.arena.opening_kernel import SIGNATURE, TARGET_WORDS, draw_openings
    from isolarium.native.entry_points import compile_entry

    draw = compile_entry(draw_openings, SIGNATURE, {})
    targets = np.zeros((board.size, TARGET_WORDS), dtype=np.int64)
    for number, square in enumerate(board.squares):
        found = [place for place in range(board.size) if board.knight_mask(square) >> place & 1]
        targets[number, : len(found) + 1] = len(found), *found
    images, length = np.array(_images(board), dtype=np.int64), PLACEMENTS + plies
    moves = np.zeros((BLOCK, length), dtype=np.int64)
    keys = np.zeros((BLOCK, PLACEMENTS + length), dtype=np.int64)
    are_open = np.zeros(BLOCK, dtype=np.int64)

    def draw_block(state: "NDArray[np.int64]", count: int) -> None:
        draw(
            *(state.ctypes.data, targets.ctypes.data, board.size),
            *(images.ctypes.data, len(images), count, length),
            *(moves.ctypes.data, keys.ctypes.data, are_open.ctypes.data),
        )

    version, words, _ = chance.getstate()
    state, seen, misses = np.array(words, dtype=np.int64), set[bytes](), 0
    while misses < patience:
        before = state.copy()
        draw_block(state, BLOCK)
        small, width, new, drawn = keys.astype(np.uint8), keys.shape[1], list[int](), 0
        data = small.tobytes()
        for number, is_open in enumerate(are_open.tolist()):
            drawn, key = number + 1, data[number * width : (number + 1) * width]
            if is_open and key not in seen:
                misses, patience = 0, PATIENCE
                seen.add(key)
                new.append(number)
                continue
            misses += 1
            if misses == patience:
                break
        yield moves[new].astype(np.uint8), small[new]
    draw_block(before, drawn)
    chance.setstate((version, tuple(before.tolist()), None))


def _random_line(board: Board, plies: int, chance: random.Random) -> Opening | None:
    """Return a random opening; None if the game ends during the opening."""
    moves = chance.sample(board.squares, PLACEMENTS)
    position = position_after(board, moves)
    for _ in range(plies):
        legal = position.legal_moves()
        if not legal:
            return None
        moves.append(chance.choice(legal))
        position = position.play(moves[-1])
    return None if position.outcome() else opening_of(position, tuple(moves))


def all_openings(board: Board, seed: int) -> list[Opening]:
    """Return every pair of placements up to symmetry that does not end the game.

    The seed decides the orientation of each pair. A fixed orientation would bias every heat map
    towards one side of the board.
    """
    return list(_placements(board, random.Random(seed)))


def openings_from_file(path: Path, board: Board) -> list[Opening]:
    """Read one opening per line, such as `7x7: d4 b3`.

    Empty lines and lines that start with # are skipped.

    Raises:
        InputError: If a line is not an opening; the message names the file and the line.
    """
    found = [
        _opening_of_line(f"{path}: line {number}", line, board)
        for number, line in enumerate(_lines_of(path), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not found:
        raise InputError(f"{path}: contains no openings; write lines such as {board}: d4 b3")
    return found


def _lines_of(path: Path) -> Iterator[str]:
    expected = "a file of openings"
    try:
        with open_file(path, MOST_BYTES, follow_links=True, expected=expected) as file:
            for line in lines_of(file, path, MOST_LINE, MOST_BYTES):
                yield from line.decode().splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected {expected}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a text file; expected {expected}") from None


def _opening_of_line(where: str, line: str, board: Board) -> Opening:
    try:
        record = read_game(line, board)
    except InputError as error:
        raise error.at(where) from None
    if record.start != Position.empty(board):
        raise InputError(f"{where}: an opening has to start from the empty board")
    if len(record.moves) < PLACEMENTS or record.position.outcome() is not None:
        raise InputError(f"{where}: an opening needs both placements and a game that is not over")
    return opening_of(record.position, record.moves)


@dataclass(frozen=True, slots=True)
class OpeningChoice:
    """A user's choice of openings, as stored in a plan.

    Attributes:
        kind: `random`, `all` or `file`.
        lines: The openings of a file.
        supply: The number of openings; None if they are endless.
    """

    kind: str
    lines: tuple[tuple[str, ...], ...] = ()
    supply: int | None = None


def choose_openings(text: str, board: str) -> OpeningChoice:
    """Read a choice of openings: `random`, `all` or the path of a file.

    Raises:
        InputError: If the file cannot be read as openings.
    """
    if text == "random":
        return OpeningChoice("random")
    squares = parse_board(board)
    if text == "all":
        return OpeningChoice("all", supply=len(all_openings(squares, seed=0)))
    lines = _lines(openings_from_file(Path(text), squares))
    return OpeningChoice("file", lines, len(lines))


def lines_of_file(path: Path, board: str) -> tuple[tuple[str, ...], ...]:
    """Return the openings of a file in the format of a plan."""
    return _lines(openings_from_file(path, parse_board(board)))


def _lines(openings: list[Opening]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(str, opening.moves)) for opening in openings)
