"""Isolab: a laboratory for knight Isolation.

`import isolab` loads nothing else; each name below loads its own module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from isolab.api import match, sweep, tournament, tune
    from isolab.errors import InputError
    from isolab.game.board import Board, Square
    from isolab.game.notation import format_position, parse_position, parse_start
    from isolab.game.outcome import Outcome, Player, Reason
    from isolab.game.position import Position
    from isolab.game.record import GameRecord, format_game, read_game

__all__ = [
    "Board",
    "GameRecord",
    "InputError",
    "Outcome",
    "Player",
    "Position",
    "Reason",
    "Square",
    "__version__",
    "format_game",
    "format_position",
    "match",
    "parse_position",
    "parse_start",
    "read_game",
    "sweep",
    "tournament",
    "tune",
]

_HOMES = {
    "Board": "isolab.game.board",
    "GameRecord": "isolab.game.record",
    "InputError": "isolab.errors",
    "Outcome": "isolab.game.outcome",
    "Player": "isolab.game.outcome",
    "Position": "isolab.game.position",
    "Reason": "isolab.game.outcome",
    "Square": "isolab.game.board",
    "format_game": "isolab.game.record",
    "format_position": "isolab.game.notation",
    "match": "isolab.api",
    "parse_position": "isolab.game.notation",
    "parse_start": "isolab.game.notation",
    "read_game": "isolab.game.record",
    "sweep": "isolab.api",
    "tournament": "isolab.api",
    "tune": "isolab.api",
}


def __getattr__(name: str) -> object:
    """Load a public name from its home the first time it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'isolab' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
