"""Isolarium: a laboratory for knight Isolation.

`import isolarium` does not load other modules; each public name loads its module on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from isolarium import env as env
    from isolarium import heuristics as heuristics
    from isolarium.agents import Agent, AgentFailure, SpecAgent
    from isolarium.api import (
        Analysed,
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
        analyze,
        calibrate,
        draw,
        heuristic,
        label,
        match,
        play,
        policy,
        read_labels,
        read_run,
        solve,
        survey,
        sweep,
        tournament,
        tune,
    )
    from isolarium.arena.game import Game
    from isolarium.errors import InputError, RunAborted
    from isolarium.game.board import Board, Square
    from isolarium.game.notation import format_position, parse_position, parse_start
    from isolarium.game.position import Outcome, Player, Position, Reason
    from isolarium.game.record import GameRecord, format_game, read_game
    from isolarium.heuristics.lookup import catalogue
    from isolarium.search.protocol import Choice, Report
    from isolarium.stats import EloEstimate, PairSummary, RateEstimate, Rating, Ratings, SprtPlan

__all__ = [
    "Agent",
    "AgentFailure",
    "Analysed",
    "Board",
    "Calibration",
    "Choice",
    "EloEstimate",
    "Game",
    "GameRecord",
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
    "analyze",
    "calibrate",
    "catalogue",
    "draw",
    "format_game",
    "format_position",
    "heuristic",
    "label",
    "match",
    "parse_position",
    "parse_start",
    "play",
    "policy",
    "read_game",
    "read_labels",
    "read_run",
    "solve",
    "survey",
    "sweep",
    "tournament",
    "tune",
]

_NAMES_OF = {
    "isolarium.agents": ("Agent", "AgentFailure", "SpecAgent"),
    "isolarium.api": (
        "Analysed",
        *("Calibration", "Labels", "Match", "Picture", "Records", "Run", "Solved", "Survey"),
        *("Tournament", "Tuned", "agent", "calibrate", "draw", "heuristic", "label", "match"),
        *("analyze", "play", "policy", "read_labels", "read_run", "solve", "survey", "sweep", "tournament", "tune"),
    ),
    "isolarium.arena.game": ("Game",),
    "isolarium.errors": ("InputError", "RunAborted"),
    "isolarium.game.board": ("Board", "Square"),
    "isolarium.game.notation": ("format_position", "parse_position", "parse_start"),
    "isolarium.game.position": ("Outcome", "Player", "Position", "Reason"),
    "isolarium.game.record": ("GameRecord", "format_game", "read_game"),
    "isolarium.heuristics.lookup": ("catalogue",),
    "isolarium.search.protocol": ("Choice", "Report"),
    "isolarium.stats": (*("EloEstimate", "PairSummary", "RateEstimate", "Rating", "Ratings", "SprtPlan"),),
}
_MODULE_OF = {name: home for home, names in _NAMES_OF.items() for name in names}
_PACKAGES = ("env", "heuristics")
"""Packages that users import by name, as in `isolarium.env.BatchEnv`."""


if not TYPE_CHECKING:  # otherwise type checkers would accept misspelt names

    def __getattr__(name: str) -> object:
        """Load a public name from its module when it is first used."""
        if name in _PACKAGES:
            return import_module(f"isolarium.{name}")
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'isolarium' has no attribute {name!r}")
        value: object = getattr(import_module(_MODULE_OF[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_PACKAGES])
