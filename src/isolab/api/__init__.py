"""Isolab from Python: `isolab.match("alphabeta:improved", "mcts", pairs=200)` plays, and shows what came of it."""

from isolab.api.functions import match, sweep, tournament, tune
from isolab.api.games import agent, play
from isolab.api.labels import Labels, label, read_labels
from isolab.api.pictures import Picture, draw
from isolab.api.records import Records
from isolab.api.results import Match, Run, Tournament, Tuned, read_run
from isolab.api.truth import Calibration, Solved, Survey, calibrate, solve, survey

__all__ = [
    "Calibration",
    "Labels",
    "Match",
    "Picture",
    "Records",
    "Run",
    "Solved",
    "Survey",
    "Tournament",
    "Tuned",
    "agent",
    "calibrate",
    "draw",
    "label",
    "match",
    "play",
    "read_labels",
    "read_run",
    "solve",
    "survey",
    "sweep",
    "tournament",
    "tune",
]
