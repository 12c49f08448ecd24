"""The course's players of its later project, which agents import from here, extend and are compared with."""

from __future__ import annotations

import logging
import pickle
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .isolation import Isolation

logger = logging.getLogger(__name__)


class BasePlayer:
    """What every agent is made of.

    Attributes:
        player_id: which player it is, 0 or 1.
        timer: nothing.
        queue: what a choice is put on, set before `get_action` is called.
        context: what is carried over to the next move of the same game.
        data: what `data.pickle` holds, for a `DataPlayer`.
    """

    def __init__(self, player_id: int) -> None:
        self.player_id = player_id
        self.timer: Any = None
        self.queue: Any = None
        self.context: Any = None
        self.data: Any = None

    def get_action(self, state: Isolation) -> None:
        """Put actions on `self.queue`, the best so far each time; the last one counts."""
        raise NotImplementedError


class DataPlayer(BasePlayer):
    """One that reads `data.pickle`, which lies beside its own file or in the current folder; None without it."""

    def __init__(self, player_id: int) -> None:
        super().__init__(player_id)
        try:
            self.data = pickle.loads(self._data_file().read_bytes())
        except (OSError, TypeError) as error:
            logger.info(str(error))

    def _data_file(self) -> Path:
        module = sys.modules.get(type(self).__module__)
        beside = Path(getattr(module, "__file__", None) or "").parent / "data.pickle"
        return beside if beside.exists() else Path("data.pickle")


class RandomPlayer(BasePlayer):
    """Any legal action, drawn from the `random` module's own generator."""

    def get_action(self, state: Isolation) -> None:
        """Choose it."""
        self.queue.put(random.choice(state.actions()))


class GreedyPlayer(BasePlayer):
    """The action after which it can go to most cells; placements are random."""

    def score(self, state: Isolation) -> float:
        """Return how many cells the player can go to."""
        return len(state.liberties(state.locs[self.player_id]))

    def get_action(self, state: Isolation) -> None:
        """Choose it."""
        if state.ply_count < 2:
            self.queue.put(random.choice(state.actions()))
        else:
            self.queue.put(max(state.actions(), key=lambda a: self.score(state.result(a))))


class MinimaxPlayer(BasePlayer):
    """Minimax three plies deep with its cells to go to less the opponent's; placements are random."""

    def get_action(self, state: Isolation) -> None:
        """Choose the best action."""
        if state.ply_count < 2:
            self.queue.put(random.choice(state.actions()))
        else:
            self.queue.put(self.minimax(state, depth=3))

    def minimax(self, state: Isolation, depth: int) -> Any:
        """Return the action with the best value, the first of several."""
        return max(state.actions(), key=lambda a: self._value(state.result(a), depth - 1))

    def _value(self, state: Isolation, depth: int) -> float:
        if state.terminal_test():
            return state.utility(self.player_id)
        if depth <= 0:
            return self.score(state)
        best = max if state.player() == self.player_id else min
        return best(self._value(state.result(action), depth - 1) for action in state.actions())

    def score(self, state: Isolation) -> float:
        """Return how many cells the player can go to, less those of its opponent."""
        own, other = state.locs[self.player_id], state.locs[1 - self.player_id]
        return len(state.liberties(own)) - len(state.liberties(other))
