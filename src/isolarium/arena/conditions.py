"""The conditions of a run: what all its games have in common.

The options of commands and the arguments of the Python interface are made from these fields; `plan_options` turns them
into a plan. Importing this module loads nothing else, so that a command's help loads no agents.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all games of a run have in common.

    Attributes:
        pairs: pairs of games for every two agents that meet; None: each opening of a list once, else the usual number.
        board: ROWSxCOLS.
        seed: random seed; the same seed reproduces the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        move_ms: time limit for a move in milliseconds; exceeding it loses the game.
        limit: a limit for all agents, such as `ms=150`; overrides their own.
        name: what to call the run.
    """

    pairs: int | None = None
    board: str = "7x7"
    seed: int = 1
    openings: str = "random"
    plies: int = 0
    move_ms: float | None = None
    limit: str | None = None
    name: str = ""
