"""Batches of games as bytes: what workers send and what databases store.

A batch is a header, a body, and a checksum of both. The header has a fixed size: it states the number of games, moves
and notes, and the type of each column. The body is the columns one after another, compressed where that makes it
smaller. Each column has the narrowest type that keeps all of its values exactly; a column of equal values is stored as
one value. Openings and players are not included, because they follow from the plan.

The bytes may come from an untrusted worker or file. Every size is checked before anything is allocated, and every value
before a batch is returned. Nothing is unpickled.
"""

from collections.abc import Callable, Iterator
from math import isfinite
from struct import Struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.column_codec import ABSENT, DIGEST_BYTES, deflate, digest, inflate, pack, size_of, unpack
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


# Writing


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


# Reading


def from_bytes(data: bytes, board: Board, fill: Fill, most_games: int = MOST_GAMES) -> GameBatch:
    """Convert bytes to a batch.

    The values are checked, but not the rules; see `batch_rules`.

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
