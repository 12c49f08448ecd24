"""What there is to analyse: a position or a game, written out, in a file, or on stdin."""

import re
import sys
from pathlib import Path
from typing import Final

from isolab.errors import InputError, quoted
from isolab.game.notation import EXAMPLE, parse_start
from isolab.game.position import Position
from isolab.game.record import GameRecord, read_game

MOST_CHARACTERS: Final = 1_000_000

_POSITION: Final = re.compile(r"[0-9xAB/]+|.*\s[ab]", re.DOTALL)


def read_target(text: str) -> Position | GameRecord:
    """The position or the game that a person means.

    Raises:
        InputError: it is neither, nor the name of a file that holds one.
    """
    text = text.strip()
    if text == "-":
        return _parse(sys.stdin.read())
    if _is_notation(text):
        return _parse(text)
    return _parse(_read(text), f"{text}: ")


def _is_notation(text: str) -> bool:
    return bool(_POSITION.fullmatch(text)) or ":" in text or text.startswith(("{", "["))


def _parse(text: str, where: str = "") -> Position | GameRecord:
    text = text.strip()
    try:
        return parse_start(text) if _POSITION.fullmatch(text) else read_game(text)
    except InputError as error:
        raise InputError(f"{where}{error}") from None


def _read(file: str) -> str:
    try:
        if not file:
            raise ValueError("nothing given")
        with Path(file).expanduser().open(encoding="utf-8") as source:
            text = source.read(MOST_CHARACTERS + 1)
        if len(text) > MOST_CHARACTERS:
            raise ValueError("too long")
    except (OSError, RuntimeError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"{quoted(file)}: {why}; expected a position such as '{EXAMPLE}', "
            "a game such as '7x7: d4 b3', or a file with one of them"
        ) from None
    return text
