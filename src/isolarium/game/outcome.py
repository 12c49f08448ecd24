"""The players and the outcomes of a game. There are no draws."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final


class Player(IntEnum):
    """One of the two players; FIRST places first and moves first."""

    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> "Player":
        """The opponent."""
        return Player.SECOND if self is Player.FIRST else Player.FIRST

    @property
    def badge(self) -> str:
        """The player's knight in text: `(A)` or `[B]`."""
        return "(A)" if self is Player.FIRST else "[B]"

    def __str__(self) -> str:
        """Return ``first`` or ``second``."""
        return self.name.lower()


class Reason(StrEnum):
    """The reason why the loser lost.

    NO_MOVES is the rule of the game; the other reasons end a game early.
    """

    NO_MOVES = "no moves"
    ILLEGAL_MOVE = "illegal move"
    RESIGNATION = "resignation"
    TIME = "time over"
    CRASH = "crash"
    MEMORY = "memory"


FORFEITS: Final = frozenset(Reason) - {Reason.NO_MOVES}
"""The reasons that are the agent's own fault; running out of moves is not among them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: the winner, and the reason why the other player lost."""

    winner: Player
    reason: Reason

    @property
    def loser(self) -> Player:
        """The player who lost."""
        return self.winner.other

    def __str__(self) -> str:
        """Return text such as ``second wins (no moves)``."""
        return f"{self.winner} wins ({self.reason})"
