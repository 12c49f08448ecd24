"""Batches of games as bytes: what workers send and what databases store.

A batch is a header, a body, and a checksum of both. The header has a fixed size: it states the number of games, moves
and notes, and the type of each column. The body is the columns one after another, compressed where that makes it
smaller. Each column has the narrowest type that keeps all of its values exactly, as a code of one byte; a column of
equal values is stored as one value. Openings and players are not included, because they follow from the plan.

The bytes may come from an untrusted worker or file. Every size is checked before anything is allocated, and every value
before a batch is returned. Nothing is unpickled.
"""

import zlib
from collections.abc import Callable, Iterator
from hashlib import blake2b
from math import isfinite
from struct import Struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.game import MOST, NOTE_CHARS, shown_note
from isolarium.arena.game_batch import (
    LARGE,
    LOSS,
    MOST_WHOLE,
    NO_PLIES,
    NUMBER,
    REASONS,
    UNKNOWN,
    WHOLE,
    WIN,
    Codes,
    Floats,
    GameBatch,
)
from isolarium.arena.lines import Lines, Numbers
from isolarium.game.board import Board

LEVEL: Final = 1
"""The level of compression; higher levels take ten times as long to save a tenth."""
LEAST_COMPRESSED: Final = 128
"""Shorter bodies are not compressed."""
DIGEST_BYTES: Final = 8
TYPES: Final = tuple(map(np.dtype, ("u1", "<i1", "<u2", "<i2", "<u4", "<i4", "<i8", "<f4", "<f8")))
"""The types of columns, from narrow to wide; the code is the place here."""
_INTEGERS: Final = TYPES[:7]
ONE_VALUE: Final = 0x80
"""Marks a column of equal values, stored as one value."""
THOUSANDTHS: Final = 0x40
"""Marks times that are stored as whole thousandths."""
MOST_THOUSANDTHS: Final = float(1 << 42)
"""Larger floats are not stored as whole numbers."""
ABSENT: Final = 0xFF

# Writing columns


def pack(values: NDArray[Any]) -> tuple[int, bytes]:
    """Return the code of a column's type and its bytes."""
    if values.size > 1 and _bits(values[:1]) == _bits(values).max() == _bits(values).min():
        code, narrow = _narrowed(values[:1])
        return code | ONE_VALUE, narrow.tobytes()
    code, narrow = _narrowed(values)
    return code, narrow.tobytes()


def deflate(body: bytes) -> bytes:
    """Return a body compressed, or unchanged if that does not make it smaller."""
    found = zlib.compress(body, LEVEL) if len(body) >= LEAST_COMPRESSED else body
    return found if len(found) < len(body) else body


def _narrowed(values: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """Return the code of the narrowest type that keeps all values, and the values in it."""
    if values.dtype.kind != "f":
        return _narrow_integers(values)
    is_small = values.size == 0 or bool(np.abs(values).max() < MOST_THOUSANDTHS)  # not if NaN
    for factor, mark in ((1.0, 0), (1000.0, THOUSANDTHS)) if is_small else ():
        whole = np.rint(values * factor)
        if _is_same(whole / factor, values):
            code, narrow = _narrow_integers(whole.astype(np.int64))
            return code | mark, narrow
    with np.errstate(over="ignore", invalid="ignore"):
        single = values.astype(TYPES[-2])
    if _is_same(single.astype(np.float64), values):
        return len(TYPES) - 2, single
    return len(TYPES) - 1, values.astype(TYPES[-1], copy=False)


def _narrow_integers(values: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    least, most = (int(values.min()), int(values.max())) if values.size else (0, 0)
    for code, kind in enumerate(_INTEGERS):
        limits = np.iinfo(kind)
        if limits.min <= least and most <= limits.max:
            return code, values.astype(kind, copy=False)
    raise AssertionError(values.dtype)


def _is_same(found: Floats, values: Floats) -> bool:
    """Return whether two columns have the same bits; so -0.0 is not 0.0, and NaN is NaN."""
    return bool((found.view(np.int64) == values.view(np.int64)).all())


def _bits(values: NDArray[Any]) -> NDArray[Any]:
    return values.view(np.int64) if values.dtype.kind == "f" else values


def digest(data: bytes | memoryview) -> bytes:
    """Return the checksum of a batch."""
    return blake2b(data, digest_size=DIGEST_BYTES).digest()


# Reading columns


def size_of(code: int, count: int) -> int:
    """Return the size of a column in bytes.

    Raises:
        ValueError: If there is no such type.
    """
    if code == ABSENT:
        return 0
    kind = code & ~(ONE_VALUE | THOUSANDTHS)
    if kind >= len(TYPES):
        raise ValueError("a column of a batch has an unknown type")
    return TYPES[kind].itemsize * (min(1, count) if code & ONE_VALUE else count)


def inflate(body: bytes | memoryview, expected: int) -> memoryview:
    """Return a compressed body of a known size.

    Raises:
        ValueError: If the body is damaged or has another size.
    """
    reader = zlib.decompressobj()
    try:
        found = reader.decompress(body, expected + 1)
    except zlib.error as error:
        raise ValueError(f"a batch that cannot be decompressed: {error}") from None
    if not reader.eof or reader.unused_data:
        raise ValueError("a batch whose sizes are wrong")
    return memoryview(found)


def unpack(data: memoryview, code: int, count: int) -> NDArray[Any] | None:
    """Return a column of `count` values; None if it is absent."""
    if code == ABSENT:
        return None
    values: NDArray[Any] = np.frombuffer(data, TYPES[code & ~(ONE_VALUE | THOUSANDTHS)])
    if code & ONE_VALUE:
        values = np.repeat(values, count)
    return values / 1000.0 if code & THOUSANDTHS else values


MAGIC: Final = b"IGB1"
MOST_GAMES: Final = 1 << 20
"""The maximum number of games in a batch."""
MOST_PLIES: Final = 999_999
MOST_NOTE_BYTES: Final = 4 * NOTE_CHARS

COLUMNS: Final = (
    *("encounters", "pairs", "legs", "moves", "winners", "reasons", "notes", "note_bytes"),
    *("squares", "kinds", "scores", "depths", "nodes", "times_ms", "busy_ms"),
)
"""The columns in the order of the body; the notes' text follows them."""
_OF_GAMES: Final = COLUMNS[:6]
_OF_NOTES: Final = COLUMNS[6:8]
HEADER: Final = Struct(f"<4sB3xIIIIqddI{len(COLUMNS)}s")
"""Magic, flags, numbers of games, moves, notes and their bytes, the first pair, the seconds of both
agents, the size of the body, and the type of each column."""
COMPRESSED: Final = 1

Fill = Callable[[Numbers, Numbers, Codes], tuple[NDArray[np.int32], Lines]]
"""Returns the players and the openings of games with these encounters, pairs and legs.

Raises:
    ValueError: If the plan does not have such a game.
"""


# Writing batches


def to_bytes(batch: GameBatch) -> bytes:
    """Convert a batch to bytes; notes are shortened and made printable.

    Raises:
        ValueError: If the batch has too many games.
    """
    if len(batch) > MOST_GAMES:
        raise ValueError(f"a batch of {len(batch):,} games; expected at most {MOST_GAMES:,}")
    notes = {place: shown_note(note).encode() for place, note in sorted(batch.notes.items())}
    codes, parts = bytearray(), list[bytes]()
    for values in _columns(batch, notes):
        code, data = (ABSENT, b"") if values is None else pack(values)
        codes.append(code)
        parts.append(data)
    text = b"".join(notes.values())
    body = b"".join([*parts, text])
    stored = deflate(body)
    flags = COMPRESSED if len(stored) < len(body) else 0
    first = int(batch.pairs[0]) if len(batch) else 0
    sizes = (len(batch), batch.moves.squares.size, len(notes), len(text), first, *batch.seconds)
    found = HEADER.pack(MAGIC, flags, *sizes, len(stored), bytes(codes)) + stored
    return found + digest(found)


def _columns(batch: GameBatch, notes: dict[int, bytes]) -> Iterator[NDArray[Any] | None]:
    """Yield the columns in the order of `COLUMNS`."""
    yield batch.encounters
    yield np.diff(batch.pairs, prepend=batch.pairs[:1])
    yield batch.legs
    yield batch.moves.lengths
    yield batch.winners
    yield batch.reasons
    yield np.fromiter(notes.keys(), dtype=np.int64, count=len(notes))
    yield np.array([len(text) for text in notes.values()], dtype=np.int64)
    yield batch.moves.squares
    yield batch.kinds
    yield batch.scores
    yield batch.depths
    yield batch.nodes
    yield batch.times_ms
    yield batch.busy_ms


# Reading batches


def from_bytes(data: bytes, board: Board, fill: Fill, most_games: int = MOST_GAMES) -> GameBatch:
    """Convert bytes to a batch.

    The values are checked, but not the rules; see `game_checks`.

    Args:
        data: The bytes, from any source.
        board: The board of the plan.
        fill: Returns the players and openings of the games.
        most_games: The maximum number of games.

    Raises:
        ValueError: If the bytes are damaged or contain something that `to_bytes` never writes.
    """
    header, body = data[: HEADER.size], memoryview(data)[HEADER.size : -DIGEST_BYTES]
    if len(data) < HEADER.size + DIGEST_BYTES or header[: len(MAGIC)] != MAGIC:
        raise ValueError("not a batch of games")
    if digest(memoryview(data)[:-DIGEST_BYTES]) != data[-DIGEST_BYTES:]:
        raise ValueError("a batch of games that is not what was written")
    _, flags, games, moves, notes, text, first, *seconds, stored, codes = HEADER.unpack(header)
    if games > most_games or moves > games * board.size or notes > games:
        raise ValueError(f"a batch of {games:,} games, {moves:,} moves and {notes:,} notes")
    if flags not in (0, COMPRESSED) or stored != len(body) or text > notes * MOST_NOTE_BYTES:
        raise ValueError("a batch whose sizes are wrong")
    sizes = [size_of(code, _count(name, games, moves, notes)) for name, code in zip(COLUMNS, codes, strict=True)]
    expected = sum(sizes) + text
    body = inflate(body, expected) if flags else body
    if len(body) != expected:
        raise ValueError("a batch whose sizes are wrong")
    columns, place = dict[str, NDArray[Any] | None](), 0
    for name, code, size in zip(COLUMNS, codes, sizes, strict=True):
        part = body[place : place + size]
        columns[name] = unpack(part, code, _count(name, games, moves, notes))
        place += size
    return _batch(columns, first, (seconds[0], seconds[1]), bytes(body[place:]), board, fill)


def _count(name: str, games: int, moves: int, notes: int) -> int:
    """Return the number of values of a column."""
    return games if name in _OF_GAMES else notes if name in _OF_NOTES else moves


def _batch(
    columns: dict[str, NDArray[Any] | None],
    first: int,
    seconds: tuple[float, float],
    text: bytes,
    board: Board,
    fill: Fill,
) -> GameBatch:
    """Check all values and return the batch."""
    found = {name: _whole(name, values) for name, values in columns.items() if name not in _FLOATS}
    encounters = found["encounters"]
    pairs = first + np.cumsum(found["pairs"])
    legs = found["legs"].astype(np.uint8)
    players, openings = fill(encounters, pairs, legs)
    lengths, squares = found["moves"], found["squares"]
    if int(lengths.sum()) != squares.size:
        raise ValueError("a batch whose games do not have its moves")
    batch = GameBatch(
        board,
        encounters.astype(np.int32),
        pairs.astype(np.int32),
        legs,
        players,
        openings,
        Lines.of_lengths(squares.astype(np.uint8), lengths),
        found["winners"].astype(np.uint8),
        found["reasons"].astype(np.uint8),
        _notes(found["notes"], found["note_bytes"], text, len(encounters)),
        _needed(columns["scores"]).astype(np.float64),
        found["kinds"].astype(np.uint8),
        found["depths"],
        found["nodes"],
        _times(columns["times_ms"]),
        _times(columns["busy_ms"]),
        seconds,
    )
    check_values(batch)
    return batch


_TIMES: Final = ("times_ms", "busy_ms")
_FLOATS: Final = ("scores", *_TIMES)
_LIMITS: Final = {
    "encounters": (1 << 31) - 1,
    "legs": 1,
    "winners": 1,
    "reasons": len(REASONS) - 1,
    "kinds": LOSS,
    "moves": 255,
    "squares": 255,
    "note_bytes": MOST_NOTE_BYTES,
    "notes": MOST_GAMES,
}
"""The maximum of each column of whole numbers whose minimum is 0."""


def _whole(name: str, values: NDArray[Any] | None) -> Numbers:
    values = _needed(values)
    if values.dtype.kind == "f":
        raise ValueError(f"a batch whose {name} are not whole numbers")
    found = values.astype(np.int64)
    most = _LIMITS.get(name)
    if most is not None and found.size and not 0 <= int(found.min()) <= int(found.max()) <= most:
        raise ValueError(f"a batch with {name} out of range")
    return found


def _needed(values: NDArray[Any] | None) -> NDArray[Any]:
    if values is None:
        raise ValueError("a batch without a column")
    return values


def _times(values: NDArray[Any] | None) -> Floats | None:
    return None if values is None else values.astype(np.float64)


def _notes(places: Numbers, sizes: Numbers, text: bytes, games: int) -> dict[int, str]:
    if int(sizes.sum()) != len(text) or (np.diff(places) <= 0).any() or (places >= games).any():
        raise ValueError("a batch whose notes are not those of its games")
    found, start = dict[int, str](), 0
    for place, size in zip(places.tolist(), sizes.tolist(), strict=True):
        found[place] = shown_note(text[start : start + size].decode(errors="replace"))
        start += size
    return found


def check_values(batch: GameBatch) -> None:
    """Check that every value of a batch is one that a game can have.

    Raises:
        ValueError: If a value is out of range.
    """
    if batch.moves.squares.size and int(batch.moves.squares.max()) >= batch.board.size:
        raise ValueError("moves that are against the rules: a square that the board does not have")
    for values in (batch.depths, batch.nodes):
        if values.size and int(values.min()) <= -MOST:
            raise ValueError("a depth or a count of nodes that is not a number in range")
    for times in (batch.times_ms, batch.busy_ms):
        if times is not None and not (np.abs(times) < MOST).all():
            raise ValueError("a time that is not a number in range")
    if not all(isfinite(seconds) and 0 <= seconds < MOST for seconds in batch.seconds):
        raise ValueError("a time that is not a number in range")
    if batch.times_ms is None and batch.busy_ms is not None:
        raise ValueError("times at work without times on the clock")
    if not _are_scores(batch.scores, batch.kinds):
        raise ValueError("a score that is neither a number nor a proven end")


def _are_scores(scores: Floats, kinds: Codes) -> bool:
    if kinds.size and int(kinds.max()) > LOSS:
        return False
    is_large = kinds == LARGE
    bits = scores.view(np.int64)[is_large]
    with np.errstate(invalid="ignore"):
        is_whole = np.rint(scores) == scores
    are_valid = (
        ((kinds == NUMBER) & ~np.isnan(scores))
        | ((kinds == WHOLE) & is_whole & (np.abs(scores) <= MOST_WHOLE))
        | is_large
        | ((kinds == UNKNOWN) & (scores == 0))
        | ((kinds >= WIN) & is_whole & (scores >= NO_PLIES) & (scores <= MOST_PLIES))
    )
    return bool(are_valid.all() and ((bits > MOST_WHOLE) | ((bits < -MOST_WHOLE) & (bits > -MOST))).all())
