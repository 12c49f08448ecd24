"""The current game of a run and its slow moves, written to files so that users can watch the run.

Each worker records in its own file when an agent began to think, so that the progress line can name an agent that
hangs. Built-in searches are not recorded, because they keep their limits.
"""

import json
import os
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from isolarium.errors import InputError
from isolarium.game.board import Square
from isolarium.safe_files import read_json_file, read_small

LIVE_NAME: Final = "live.json"
SLOW_S: Final = 1.0
"""The minimum duration of a game before it is written, and the interval between updates."""
STALE_S: Final = 60.0
"""How long the file keeps a worker's game without updates before another worker may replace it."""
MOST_BYTES: Final = 1 << 14

THINKING: Final = "thinking"
"""The prefix of the files in which workers record the agents that are thinking."""
NOTICED_S: Final = 5.0
"""The duration after which a move is shown."""
NOTE: Final = struct.Struct("d")
"""The start of a record: the time at which an agent began to think, or 0. Its spec follows."""
MOST_NOTE: Final = 512
LONGEST_S: Final = 86400.0
"""Records older than a day are ignored."""

_file: Path | None = None
_notes: int | None = None
"""The descriptor of this worker's record."""


@dataclass(frozen=True, slots=True)
class LiveGame:
    """An unfinished game: both players' specs, and all moves including the opening."""

    first: str
    second: str
    moves: tuple[str, ...]


def publish_in(folder: Path) -> None:
    """Make this process write its current game to a run's folder from now on."""
    global _file, _notes  # One process plays one run.
    _file = folder / LIVE_NAME
    if _notes is not None:
        os.close(_notes)
        _notes = None


class thinking:  # noqa: N801 # Used as a function.
    """Record that an agent is thinking while the block runs. A record that cannot be written is lost.

    Args:
        spec: The agent's spec.
    """

    __slots__ = ("_spec",)

    def __init__(self, spec: str) -> None:
        self._spec = spec

    def __enter__(self) -> None:
        note = NOTE.pack(time.time()) + self._spec.encode(errors="replace")[:MOST_NOTE]
        _note(note.ljust(NOTE.size + MOST_NOTE))

    def __exit__(self, *_: object) -> None:
        _note(NOTE.pack(0.0))


def _note(text: bytes) -> None:
    global _notes
    if _file is None:
        return
    with suppress(OSError):
        if _notes is None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            _notes = os.open(_file.with_name(f"{THINKING}.{os.getpid()}"), flags, 0o600)
        os.lseek(_notes, 0, os.SEEK_SET)
        os.write(_notes, text)


@dataclass(frozen=True, slots=True)
class SlowMove:
    """An agent that has been thinking about a move for a long time.

    Attributes:
        spec: The agent's spec.
        seconds: The time that it has been thinking.
    """

    spec: str
    seconds: float


def slowest_move(folder: Path) -> SlowMove | None:
    """Return the slowest current move; None if no move takes longer than `NOTICED_S`."""
    found = [*filter(None, map(_slow_move, folder.glob(f"{THINKING}.*")))]
    return max(found, key=lambda move: move.seconds, default=None)


def _slow_move(file: Path) -> SlowMove | None:
    with suppress(OSError, InputError, ValueError, struct.error):
        text = read_small(file, NOTE.size + MOST_NOTE)
        (since,) = NOTE.unpack_from(text)
        seconds = time.time() - since
        if since > 0 and NOTICED_S <= seconds < LONGEST_S:
            return SlowMove(text[NOTE.size :].decode(errors="replace").rstrip(), seconds)
    return None


@contextmanager
def published(first: str, second: str, opening: Sequence[Square]) -> Iterator[Callable[[Square], None]]:
    """Write a game to the file while the block runs.

    The block must call the yielded function with every move.

    The file holds the game of one worker at a time.
    """
    moves, written, is_ours = list(opening), time.monotonic(), False

    def on_move(move: Square) -> None:
        nonlocal written, is_ours
        moves.append(move)
        now = time.monotonic()
        if _file is None or now - written < SLOW_S:
            return
        written = now
        if is_ours or not _is_taken(_file):
            is_ours = _write(_file, LiveGame(first, second, tuple(map(str, moves))))

    try:
        yield on_move
    finally:
        if is_ours and _file is not None:
            remove_live(_file.parent)


def _is_taken(file: Path) -> bool:
    """Return whether the file contains another worker's current game."""
    with suppress(OSError):
        return time.time() - file.stat().st_mtime < STALE_S
    return False


def _write(file: Path, game: LiveGame) -> bool:
    """Write a game atomically; return whether the file was written."""
    part = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        with part.open("x", encoding="utf-8") as text:
            json.dump(asdict(game), text)
        part.replace(file)
    except OSError:
        with suppress(OSError):
            part.unlink()
        return False
    return True


def remove_live(folder: Path) -> None:
    """Remove the files from a run's folder."""
    for file in (folder / LIVE_NAME, *folder.glob(f"{THINKING}.*")):
        with suppress(OSError):
            file.unlink()


def read_live(folder: Path) -> LiveGame | None:
    """Read a run's current game; return None if the file is missing or invalid."""
    try:
        found = read_json_file(folder / LIVE_NAME, MOST_BYTES)
        first, second, moves = found["first"], found["second"], found["moves"]
    except (InputError, KeyError, TypeError):
        return None
    texts = [first, second, *(moves if isinstance(moves, list) else [None])]
    if not all(isinstance(text, str) for text in texts):
        return None
    return LiveGame(first, second, tuple(moves))
