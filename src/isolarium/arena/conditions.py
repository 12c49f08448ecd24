"""The conditions that all games of a run share.

The commands' options and the arguments of the Python interface are derived from these fields, and `plan.py` turns them
into a plan. This module imports only the errors, so that commands can print help without loading agents.
"""

from dataclasses import dataclass

from isolarium.errors import InputError, quoted


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


def check_name(name: str) -> None:
    """Check the title of a new run, which also names its folder.

    Raises:
        InputError: If the title looks like a path.
    """
    if "/" in name or "\\" in name:
        raise InputError(f"name {quoted(name)}: expected a title without slashes")
