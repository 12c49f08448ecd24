"""The rules of knight Isolation: boards, positions, games, notation, symmetries.

This package exports only plain Python. The modules for compiled code are imported separately.
"""

from isolarium.game.board import (
    MAX_SIDE,
    MIN_SIDE,
    Board,
    Square,
    format_board,
    format_square,
    parse_board,
    parse_square,
)
from isolarium.game.notation import format_position, parse_position, parse_start
from isolarium.game.position import Outcome, Player, Position, Reason
from isolarium.game.record import (
    GameRecord,
    format_game,
    format_game_json,
    format_replay,
    parse_game,
    parse_game_json,
    parse_replay,
    read_game,
)
from isolarium.game.svg import describe, draw_svg
from isolarium.game.symmetry import Symmetry, canonical, symmetries

__all__ = [
    "MAX_SIDE",
    "MIN_SIDE",
    "Board",
    "GameRecord",
    "Outcome",
    "Player",
    "Position",
    "Reason",
    "Square",
    "Symmetry",
    "canonical",
    "describe",
    "draw_svg",
    "format_board",
    "format_game",
    "format_game_json",
    "format_position",
    "format_replay",
    "format_square",
    "parse_board",
    "parse_game",
    "parse_game_json",
    "parse_position",
    "parse_replay",
    "parse_square",
    "parse_start",
    "read_game",
    "symmetries",
]
