"""Players that come with the course's later project, and what a student's own player is made from.

Isolarium's own writing of that interface. A player is asked by `get_action(state)`, and answers on its `queue`.
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
    """What every player has.

    Attributes:
        player_id: 0 or 1.
        timer: nothing yet.
        queue: what choices are put on, while it is asked.
        context: whatever it wants to keep from one of its moves to the next.
        data: whatever it brings along.
    """

    timer: Any = None
    queue: Any = None
    context: Any = None
    data: Any = None

    def __init__(self, player_id: int) -> None:
        self.player_id = player_id

    def get_action(self, state: Isolation) -> None:
        """Put actions on `queue`, the best one last."""
        raise NotImplementedError("a player has to say how it chooses")


class DataPlayer(BasePlayer):
    """A player whose `data` come from `data.pickle`, beside the file of its class or else where Python was started."""

    def __init__(self, player_id: int) -> None:
        super().__init__(player_id)
        home = getattr(sys.modules.get(type(self).__module__), "__file__", None)
        for folder in (Path(home or PICKLE).parent, Path()):
            if (folder / PICKLE).is_file():
                self.data = pickle.loads((folder / PICKLE).read_bytes())
                break


class RandomPlayer(BasePlayer):
    """Does anything that is legal."""

    def get_action(self, state: Isolation) -> None:
        """Choose by chance."""
        self.queue.put(random.choice(state.actions()))


class GreedyPlayer(BasePlayer):
    """Goes where it has most cells to go on to."""

    def score(self, state: Isolation) -> float:
        """Return how many cells it can go to."""
        return len(state.liberties(state.locs[self.player_id]))

    def get_action(self, state: Isolation) -> None:
        """Choose the action with the highest score."""
        self.queue.put(max(state.actions(), key=lambda action: self.score(state.result(action))))


class MinimaxPlayer(BasePlayer):
    """Looks three plies ahead, after placing itself at random."""

    depth = 3

    def score(self, state: Isolation) -> float:
        """Return how many cells it can go to more than its opponent."""
        own, other = state.locs[self.player_id], state.locs[1 - self.player_id]
        return len(state.liberties(own)) - len(state.liberties(other))

    def get_action(self, state: Isolation) -> None:
        """Choose the best action, or a place by chance."""
        if state.locs[self.player_id] is None:
            self.queue.put(random.choice(state.actions()))
        else:
            self.queue.put(self.minimax(state, self.depth))

    def minimax(self, state: Isolation, depth: int) -> Any:
        """Return the best action by that many plies."""
        return max(state.actions(), key=lambda action: self._worth(state.result(action), depth - 1))

    def _worth(self, state: Isolation, depth: int) -> float:
        if state.terminal_test():
            return state.utility(self.player_id)
        if depth <= 0:
            return self.score(state)
        best = max if state.player() == self.player_id else min
        return best(self._worth(state.result(action), depth - 1) for action in state.actions())
