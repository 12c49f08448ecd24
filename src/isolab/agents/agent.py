"""What a player is: something that is told of a new game and then chooses moves."""

from typing import Protocol

from isolab.game.outcome import Reason
from isolab.game.position import Position
from isolab.limits import Stop
from isolab.search.protocol import Choice


class Agent(Protocol):
    """A player. It keeps nothing from one game to the next."""

    @property
    def name(self) -> str:
        """The spec that makes this agent, in its shortest form."""

    def new_game(self, seed: int) -> None:
        """Forget everything; draw what is left to chance from `seed`."""

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Choose a move; end early, with the best so far, once `stop` says so.

        Raises:
            InputError: the game is over.
            AgentFailure: the agent cannot go on, and loses its game.
        """

    def close(self) -> None:
        """Let go of processes, if it has any."""


class AgentFailure(Exception):  # noqa: N818 # it is not an error of ours
    """An agent lost its game by its own doing: its message says what it did, its reason how that is counted."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type["AgentFailure"], tuple[Reason, str]]:
        """Travel between processes whole."""
        return AgentFailure, (self.reason, str(self))
