"""Levels of play, from beginner to perfect, for people who do not want to write a spec.

`levels.json` lists the levels, weakest first. `tools/proofs/levels.py` measures their strength on
several boards, in Elo above the first level, and writes it to that file. All levels are limited by
nodes, so games are reproducible and a slow machine plays as well as a fast one.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from isolarium.safe_files import own_text


@dataclass(frozen=True)
class Level:
    """A strength of play.

    Attributes:
        level: Its number, from 1.
        name: Its name.
        agent: The spec of the agent.
        about: A one-line description of its play.
        elo: Its Elo above the first level, by board.
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
"""The default level."""
HINT_AGENT: Final = "oracle@nodes=1000000,ms=3000"
"""The agent that gives hints; it is exact if it finishes in three seconds."""
