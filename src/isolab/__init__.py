"""Isolab: a laboratory for knight Isolation.

`import isolab` loads nothing else; each name below loads its own module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from isolab import env as env
    from isolab import heuristics as heuristics
    from isolab.agents import Agent, AgentFailure, SpecAgent
    from isolab.api import (
        Calibration,
        Labels,
        Match,
        Picture,
        Records,
        Run,
        Solved,
        Survey,
        Tournament,
        Tuned,
        agent,
        calibrate,
        draw,
        label,
        match,
        play,
        read_labels,
        read_run,
        solve,
        survey,
        sweep,
        tournament,
        tune,
    )
    from isolab.arena.aborting import RunAborted
    from isolab.arena.game_row import GameRow
    from isolab.errors import InputError
    from isolab.game.board import Board, Square
    from isolab.game.notation import format_position, parse_position, parse_start
    from isolab.game.outcome import Outcome, Player, Reason
    from isolab.game.position import Position
    from isolab.game.record import GameRecord, format_game, read_game
    from isolab.heuristics.catalogue import catalogue
    from isolab.search.protocol import Choice, Report
    from isolab.stats import EloEstimate, PairSummary, RateEstimate, Rating, Ratings, SprtPlan

__all__ = [
    "Agent",
    "AgentFailure",
    "Board",
    "Calibration",
    "Choice",
    "EloEstimate",
    "GameRecord",
    "GameRow",
    "InputError",
    "Labels",
    "Match",
    "Outcome",
    "PairSummary",
    "Picture",
    "Player",
    "Position",
    "RateEstimate",
    "Rating",
    "Ratings",
    "Reason",
    "Records",
    "Report",
    "Run",
    "RunAborted",
    "Solved",
    "SpecAgent",
    "SprtPlan",
    "Square",
    "Survey",
    "Tournament",
    "Tuned",
    "__version__",
    "agent",
    "calibrate",
    "catalogue",
    "draw",
    "format_game",
    "format_position",
    "label",
    "match",
    "parse_position",
    "parse_start",
    "play",
    "read_game",
    "read_labels",
    "read_run",
    "solve",
    "survey",
    "sweep",
    "tournament",
    "tune",
]

_HOMES = {
    "isolab.agents": ("Agent", "AgentFailure", "SpecAgent"),
    "isolab.api": (
        *("Calibration", "Labels", "Match", "Picture", "Records", "Run", "Solved", "Survey"),
        *("Tournament", "Tuned", "agent", "calibrate", "draw", "label", "match", "play"),
        *("read_labels", "read_run", "solve", "survey", "sweep", "tournament", "tune"),
    ),
    "isolab.arena.game_row": ("GameRow",),
    "isolab.arena.aborting": ("RunAborted",),
    "isolab.errors": ("InputError",),
    "isolab.game.board": ("Board", "Square"),
    "isolab.game.notation": ("format_position", "parse_position", "parse_start"),
    "isolab.game.outcome": ("Outcome", "Player", "Reason"),
    "isolab.game.position": ("Position",),
    "isolab.game.record": ("GameRecord", "format_game", "read_game"),
    "isolab.heuristics.catalogue": ("catalogue",),
    "isolab.search.protocol": ("Choice", "Report"),
    "isolab.stats": (
        *("EloEstimate", "PairSummary", "RateEstimate", "Rating", "Ratings", "SprtPlan"),
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_ROOMS = ("env", "heuristics")
"""Modules that people use by their names, as `isolab.env.BatchEnv`."""


if not TYPE_CHECKING:  # else any name that is mistyped would be an object to a type checker

    def __getattr__(name: str) -> object:
        """Load a public name from its home the first time it is asked for."""
        if name in _ROOMS:
            return import_module(f"isolab.{name}")
        if name not in _HOME_OF:
            raise AttributeError(f"module 'isolab' has no attribute {name!r}")
        value: object = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
