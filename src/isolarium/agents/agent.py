"""What a player is: something that is told of a new game and then chooses moves."""

from collections.abc import Mapping
from typing import Protocol

from isolarium.game.board import Square
from isolarium.game.outcome import Player, Reason
from isolarium.game.position import Position
from isolarium.limits import Stop
from isolarium.search.protocol import Choice


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


class SpecAgent(Agent, Protocol):
    """An agent that a spec makes."""

    def prepare(self, position: Position) -> None:
        """Do what has to be done once before `choose` and `values` on such a board; the agent is asked nothing.

        Raises:
            AgentFailure: the agent cannot even start.
        """

    def values(self, position: Position) -> Mapping[Square, float]:
        """The heuristic's value, for the player to move, of the position after each of the moves.

        A move that ends the game has none. There are none at all before the other player is placed, nor from an agent
        without a heuristic.
        """


class Valuer(SpecAgent, Protocol):
    """An agent that can be asked for its heuristic's values."""

    def value(self, position: Position, player: Player) -> float:
        """The heuristic's value of a position, both players placed, for a player.

        Raises:
            AgentFailure: the heuristic failed.
        """


class AgentFailure(Exception):  # noqa: N818 # it is not an error of ours
    """An agent lost its game by its own doing: its message says what it did, its reason how that is counted."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type["AgentFailure"], tuple[Reason, str]]:
        """Travel between processes whole."""
        return AgentFailure, (self.reason, str(self))
