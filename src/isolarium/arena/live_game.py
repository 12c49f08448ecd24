"""The game that a run is at, for those who watch: one that takes seconds is worth following move by move."""

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
"""How long a game has to last to be told of, and how often it is."""
FORGOTTEN_S: Final = 60.0
"""For how long without a word a worker's game stands before that of another takes its place."""
MOST_BYTES: Final = 1 << 14

_file: Path | None = None


@dataclass(frozen=True, slots=True)
class LiveGame:
    """A game so far: the specs of who moves first and second, and the moves, with those of the opening."""

    first: str
    second: str
    moves: tuple[str, ...]


def tell_in(folder: Path) -> None:
    """Have this process tell of its games in a run's folder from now on."""
    global _file  # one process, one run
    _file = folder / LIVE_NAME


@contextmanager
def followed(
    first: str, second: str, opening: Sequence[Square]
) -> Iterator[Callable[[Square], None]]:
    """Have a game told of within the block, by calling what is given with every move.

    Of all workers' games one is told of at a time.
    """
    moves, told, is_ours = list(opening), time.monotonic(), False

    def on_move(move: Square) -> None:
        nonlocal told, is_ours
        moves.append(move)
        now = time.monotonic()
        if _file is None or now - told < SLOW_S:
            return
        told = now
        if is_ours or not _is_told(_file):
            is_ours = _write(_file, LiveGame(first, second, tuple(map(str, moves))))

    try:
        yield on_move
    finally:
        if is_ours and _file is not None:
            forget(_file.parent)


def _is_told(file: Path) -> bool:
    """Whether another's game is there."""
    with suppress(OSError):
        return time.time() - file.stat().st_mtime < FORGOTTEN_S
    return False


def _write(file: Path, game: LiveGame) -> bool:
    """Put a game in place whole; whether that could be done."""
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


def forget(folder: Path) -> None:
    """Tell of no game any more."""
    with suppress(OSError):
        (folder / LIVE_NAME).unlink()


def read_live(folder: Path) -> LiveGame | None:
    """The game that a run is at; None if none is told of, or what is there makes no sense."""
    try:
        said = read_json_file(folder / LIVE_NAME, MOST_BYTES)
        first, second, moves = said["first"], said["second"], said["moves"]
    except (InputError, KeyError, TypeError):
        return None
    texts = [first, second, *(moves if isinstance(moves, list) else [None])]
    if not all(isinstance(text, str) for text in texts):
        return None
    return LiveGame(first, second, tuple(moves))
