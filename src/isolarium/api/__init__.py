"""The Python interface.

`isolarium.match("alphabeta:improved", "mcts", pairs=200)` plays a match and returns its results.
"""

from isolarium.api.display import Picture, Records, draw
from isolarium.api.exact_values import Calibration, Solved, Survey, calibrate, solve, survey
from isolarium.api.positions import Analysed, Labels, analyze, label, read_labels
from isolarium.api.results import Match, Run, Tournament, Tuned, read_run
from isolarium.api.runs import agent, heuristic, match, play, policy, sweep, tournament, tune

__all__ = [
    "Analysed",
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
    "analyze",
    "calibrate",
    "draw",
    "heuristic",
    "label",
    "match",
    "play",
    "policy",
    "read_labels",
    "read_run",
    "solve",
    "survey",
    "sweep",
    "tournament",
    "tune",
]
