"""Levels of play, for people who do not want to write a spec: from a beginner's to the best there is.

They stand in `levels.json`, weakest first. What each is worth was measured by `tools/proofs/levels.py`, which writes it
there: Elo above the first level, on the boards on which the levels met. All are limited by nodes, so that games
reproduce and a slow machine plays as well.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from isolarium.errors import InputError
from isolarium.safe_files import own_text


@dataclass(frozen=True)
class Level:
    """A strength of play.

    Attributes:
        level: its number, from 1.
        name: what it is called.
        agent: who plays, as a spec.
        about: one line on how it plays.
        elo: how far it is above the first level, by board.
    """

    level: int
    name: str
    agent: str
    about: str
    elo: Mapping[str, int]

    def __str__(self) -> str:
        return f"Level {self.level} · {self.name}"


def _read() -> tuple[Level, ...]:
    text = own_text("agents/levels.json")
    return tuple(Level(number, **level) for number, level in enumerate(json.loads(text), start=1))


LEVELS: Final = _read()
"""The levels, weakest first."""
USUAL: Final = LEVELS[2]
"""Whom a person meets who has not chosen."""
HINT_AGENT: Final = "oracle@nodes=1000000,ms=3000"
"""Whose move is the hint, in the terminal and on the page: exact where that takes no more than three seconds."""


def level_of(number: int) -> Level:
    """The level of a number.

    Raises:
        InputError: there is none.
    """
    if not 1 <= number <= len(LEVELS):
        raise InputError(f"level {number}: expected 1 to {len(LEVELS)}")
    return LEVELS[number - 1]
