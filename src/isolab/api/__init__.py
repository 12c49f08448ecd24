"""Isolab from Python: `isolab.match("alphabeta:improved", "mcts", pairs=200)` plays, and shows what came of it."""

from isolab.api.functions import match, sweep, tournament, tune
from isolab.api.results import Match, Tournament, Tuned

__all__ = ["Match", "Tournament", "Tuned", "match", "sweep", "tournament", "tune"]
