"""Agents for the arena that play the actions of a trained policy."""

from collections.abc import Callable
from typing import Any

from isolarium.env.observation import action_mask, observe, square_of
from isolarium.errors import InputError, quoted
from isolarium.game.board import Square
from isolarium.game.position import Position


class PolicyAgent:
    """An agent that plays the actions of a policy.

    Args:
        policy: Called with the observation and the action mask of `isolarium.env`, in the form that the player to move
            receives in the PettingZoo environment; returns an action, the number of a square.
    """

    def __init__(self, policy: Callable[..., Any]) -> None:
        if not callable(policy):
            raise InputError(f"policy {quoted(policy)}: expected f(observation, mask) -> action")
        self._policy = policy
        name = getattr(policy, "__name__", None)
        self.__name__ = name if isinstance(name, str) else type(policy).__name__

    def __call__(self, position: Position) -> Square | str:
        """Return the square of the policy's action."""
        action = self._policy(observe(position, position.to_move), action_mask(position))
        try:
            return square_of(position, action)
        except InputError:
            return f"action {quoted(action)}"
