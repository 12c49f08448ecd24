"""The interface of players: they start games and choose moves."""

from collections.abc import Mapping
from typing import Protocol

from isolarium.game.board import Square
from isolarium.game.position import Player, Position, Reason
from isolarium.limits import Stop
from isolarium.search.protocol import Choice


class Agent(Protocol):
    """A player, without state between games."""

    @property
    def name(self) -> str:
        """The spec of this agent, in its shortest form."""

    def new_game(self, seed: int) -> None:
        """Reset the state and seed the random generator."""

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Choose a move; once `stop` returns true, return the best move so far.

        Raises:
            InputError: If the game is over.
            AgentFailure: If the agent cannot continue, in which case it loses its game.
        """

    def close(self) -> None:
        """Terminate any child processes."""


class SpecAgent(Agent, Protocol):
    """An agent that a spec describes."""

    def prepare(self, position: Position) -> None:
        """Prepare for `choose` and `values` on this board, for example by compiling.

        Raises:
            AgentFailure: If the agent cannot start.
        """

    def values(self, position: Position) -> Mapping[Square, float]:
        """Return each move's heuristic value for the player to move.

        The value of a move is that of the position after it; moves that end the game have no value.
        The result is empty before the other player is placed, and for an agent without a heuristic.
        """


class Valuer(SpecAgent, Protocol):
    """An agent that also evaluates single positions with its heuristic."""

    def value(self, position: Position, player: Player) -> float:
        """Return the heuristic's value of a position for a player.

        Both players must be placed.

        Raises:
            AgentFailure: If the heuristic failed.
        """


class AgentFailure(Exception):  # noqa: N818 # not an error in our code
    """An agent lost its game through its own fault.

    The message describes the fault, and the reason classifies it.
    """

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type["AgentFailure"], tuple[Reason, str]]:
        """Pickle the exception with its reason."""
        return AgentFailure, (self.reason, str(self))
