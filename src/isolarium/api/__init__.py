"""Isolarium from Python: `isolarium.match("alphabeta:improved", "mcts", pairs=200)` returns its results."""

from isolarium.api.functions import match, sweep, tournament, tune
from isolarium.api.games import agent, play
from isolarium.api.labels import Labels, label, read_labels
from isolarium.api.pictures import Picture, draw
from isolarium.api.records import Records
from isolarium.api.results import Match, Run, Tournament, Tuned, read_run
from isolarium.api.truth import Calibration, Solved, Survey, calibrate, solve, survey

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
