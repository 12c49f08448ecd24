"""Measure the time that the arena adds to each move of your own agent.

python -m tools.benchmarks.own_code

The same positions are given to a function directly, and to the agent that `isolarium.agent` makes of it.
"""

import random
from collections.abc import Callable
from statistics import median
from time import perf_counter_ns
from typing import Any, Final

import numpy as np

import isolarium
from isolarium import Board, Position, Square
from isolarium.env.observation import action_mask, observe

GAMES: Final = 200
MOST_MS: Final = 0.2
"""The maximum median time that may be added to a move, in milliseconds."""


class Last:
    """An agent that is a class."""

    def choose(self, position: Position, limit: object) -> Square:
        """Return the last legal move."""
        return position.legal_moves()[-1]


def first(position: Position) -> Square:
    """Return the first legal move."""
    return position.legal_moves()[0]


def greatest(observation: Any, mask: Any) -> int:
    """Return the first legal action."""
    return int(np.argmax(mask))


def main() -> None:
    """Print the median times; stop if too much is added."""
    positions = _positions()
    own: dict[str, tuple[Callable[[Position], object], isolarium.SpecAgent]] = {
        "function": (first, isolarium.agent(first)),
        "class": (lambda position: Last().choose(position, None), isolarium.agent(Last)),
        "policy": (lambda one: greatest(observe(one, one.to_move), action_mask(one)), isolarium.policy(greatest)),
    }
    for name, (alone, agent) in own.items():
        agent.new_game(1)
        direct, played = _median_ms(alone, positions), _median_ms(agent.choose, positions)
        print(f"{name:10} alone {direct:.4f} ms   as an agent {played:.4f} ms per move")
        assert played - direct <= MOST_MS, f"more than {MOST_MS} ms"


def _positions() -> list[Position]:
    """Return the positions of random games."""
    chance, found = random.Random(1), list[Position]()
    for _ in range(GAMES):
        position = Position.empty(Board(7, 7))
        while position.outcome() is None:
            found.append(position)
            position = position.play(chance.choice(position.legal_moves()))
    return found


def _median_ms(choose: Callable[[Position], object], positions: list[Position]) -> float:
    times = []
    for position in positions:
        began = perf_counter_ns()
        choose(position)
        times.append(perf_counter_ns() - began)
    return median(times) / 1e6


if __name__ == "__main__":
    main()
