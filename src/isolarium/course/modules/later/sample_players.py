"""The sample players and base classes of the course's later project.

This is Isolarium's own implementation of that interface. `get_action(state)` puts its answer on the
player's `queue`.
"""

from __future__ import annotations

import pickle
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .isolation import Isolation

PICKLE = "data.pickle"


class BasePlayer:
    """The base class of players.

    Attributes:
        player_id: 0 or 1.
        timer: Not used.
        queue: The queue for actions, during `get_action`.
        context: Data that the player keeps from one of its moves to the next.
        data: Data that the player loads at the start.
    """

    timer: Any = None
    queue: Any = None
    context: Any = None
    data: Any = None

    def __init__(self, player_id: int) -> None:
        self.player_id = player_id

    def get_action(self, state: Isolation) -> None:
        """Put actions on `queue`, the best one last."""
        raise NotImplementedError("a player must define get_action")


class DataPlayer(BasePlayer):
    """A player whose `data` is loaded from `data.pickle`.

    The file lies beside the class's file, or in the current folder.
    """

    def __init__(self, player_id: int) -> None:
        super().__init__(player_id)
        home = getattr(sys.modules.get(type(self).__module__), "__file__", None)
        for folder in (Path(home or PICKLE).parent, Path()):
            if (folder / PICKLE).is_file():
                self.data = pickle.loads((folder / PICKLE).read_bytes())
                break


class RandomPlayer(BasePlayer):
    """Plays random legal actions."""

    def get_action(self, state: Isolation) -> None:
        """Choose at random."""
        self.queue.put(random.choice(state.actions()))


class GreedyPlayer(BasePlayer):
    """Plays the action that leaves it the most actions."""

    def score(self, state: Isolation) -> float:
        """Return the number of cells that it can reach in one move."""
        return len(state.liberties(state.locs[self.player_id]))

    def get_action(self, state: Isolation) -> None:
        """Choose the action with the highest score."""
        self.queue.put(max(state.actions(), key=lambda action: self.score(state.result(action))))


class MinimaxPlayer(BasePlayer):
    """Searches three plies deep, after a random placement."""

    depth = 3

    def score(self, state: Isolation) -> float:
        """Return its number of reachable cells minus its opponent's."""
        own, other = state.locs[self.player_id], state.locs[1 - self.player_id]
        return len(state.liberties(own)) - len(state.liberties(other))

    def get_action(self, state: Isolation) -> None:
        """Choose the best action, or a random placement."""
        if state.locs[self.player_id] is None:
            self.queue.put(random.choice(state.actions()))
        else:
            self.queue.put(self.minimax(state, self.depth))

    def minimax(self, state: Isolation, depth: int) -> Any:
        """Return the best action by a search of that many plies."""
        return max(state.actions(), key=lambda action: self._worth(state.result(action), depth - 1))

    def _worth(self, state: Isolation, depth: int) -> float:
        if state.terminal_test():
            return state.utility(self.player_id)
        if depth <= 0:
            return self.score(state)
        best = max if state.player() == self.player_id else min
        return best(self._worth(state.result(action), depth - 1) for action in state.actions())
