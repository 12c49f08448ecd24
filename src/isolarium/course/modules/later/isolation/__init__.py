"""Knight Isolation on 9 rows of 11 as the course's later project knows it: `from isolation import Isolation`.

Isolarium's own writing of that interface, for agents written against it. It needs Python 3.8 and nothing else.
"""

from . import counting
from .isolation import DebugState, Isolation
from .playing import Agent, Status, StopSearch, fork_get_action, play

__all__ = [
    "Agent",
    "DebugState",
    "Isolation",
    "Status",
    "StopSearch",
    "counting",
    "fork_get_action",
    "play",
]
