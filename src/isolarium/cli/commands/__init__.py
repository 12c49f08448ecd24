"""The commands: their table, their options, their help and their implementation.

At module level, a command imports nothing that takes long to load (Numba, NumPy, Rich, Altair,
FastAPI), so that help and error messages appear at once. The command's function imports the rest
after checking its arguments.
"""

from typing import Final

COMMANDS: Final = {
    "play": "Play a game in the terminal.",
    "serve": "Serve the web pages: play, analyse, watch runs, learn.",
    "site": "Write Play, Analyse and Learn as a site of plain files.",
    "match": "Play pairs of games between two agents and compare them.",
    "tournament": "Play a round robin, or agents against a field of opponents.",
    "sweep": "Play one agent with many parameter values.",
    "tune": "Find an agent's best parameter values and test them.",
    "runs": "List the runs and their progress.",
    "resume": "Resume an interrupted run, study or tuning run.",
    "export": "Export the games of a run.",
    "report": "Write the report of a run: a page with charts and tables.",
    "study": "Run a study, or list the available studies.",
    "course": "Play and grade a game_agent.py, or a class of them.",
    "analyze": "Analyse a position, or every move of a game.",
    "calibrate": "Evaluate heuristics on solved positions.",
    "label": "Annotate many positions with exact values, for training.",
    "solve": "Solve positions exactly: who wins, and with which move.",
    "verify": "Verify a certificate by the rules alone.",
    "book": "Build or inspect an opening book, or make puzzles.",
    "perft": "Count the move sequences from a position.",
    "engine": "Run an agent as a UGI engine for other programs.",
    "bench": "Measure the speed of searches and heuristics.",
    "agents": "List the agents, limits and levels, and how to write them.",
    "heuristics": "List the heuristics, or describe one.",
    "cache": "Show or clear the cache of compiled code.",
    "help": "Explain notation, specs, limits and the environment.",
}
"""The commands in the help's order, each with its docstring's first line."""

SHARED_MODULES: Final = {
    "site": "serve",
    "match": "matches",
    "tournament": "matches",
    "sweep": "matches",
    "resume": "runs",
    "export": "runs",
    "report": "runs",
    "tune": "study",
    "verify": "solve",
}
"""The module of each command whose module has another name."""
