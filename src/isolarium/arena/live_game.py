"""The current game of a run, written to a file so that the run can be watched."""

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from isolarium.errors import InputError
from isolarium.game.board import Square
from isolarium.safe_files import read_json_file

LIVE_NAME: Final = "live.json"
SLOW_S: Final = 1.0
"""The minimum duration of a game before it is written, and the interval between updates."""
STALE_S: Final = 60.0
"""How long the file keeps a worker's game without updates before another worker may replace it."""
MOST_BYTES: Final = 1 << 14

_file: Path | None = None


@dataclass(frozen=True, slots=True)
class LiveGame:
    """An unfinished game: both players' specs, and all moves including the opening."""

    first: str
    second: str
    moves: tuple[str, ...]


def publish_in(folder: Path) -> None:
    """Make this process write its current game to a run's folder from now on."""
    global _file  # One process plays one run.
    _file = folder / LIVE_NAME


@contextmanager
def published(
    first: str, second: str, opening: Sequence[Square]
) -> Iterator[Callable[[Square], None]]:
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
    """Remove the file from a run's folder."""
    with suppress(OSError):
        (folder / LIVE_NAME).unlink()


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
