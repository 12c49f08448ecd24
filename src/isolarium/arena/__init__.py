"""The arena: openings, games, pairs, runs, and the stored results of runs.

This module has the conditions of a run. The commands' options and the arguments of the Python interface are derived
from their fields, and `plan.py` turns them into a plan. It imports nothing of Isolarium, so that commands can print
help without loading agents.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions that all games of a run share.

    Attributes:
        pairs: Pairs of games per encounter; None plays each opening of a list once, or the default number without a
            list.
        board: ROWSxCOLS.
        seed: Random seed; the same seed reproduces the same games.
        openings: `random`, `all`, or the path of a file.
        plies: Random moves after the placements.
        move_ms: Time limit for a move in milliseconds; exceeding it loses the game.
        limit: A limit for all agents, such as `ms=150`; overrides their own.
        name: The run's title.
    """

    pairs: int | None = None
    board: str = "7x7"
    seed: int = 1
    openings: str = "random"
    plies: int = 0
    move_ms: float | None = None
    limit: str | None = None
    name: str = ""
