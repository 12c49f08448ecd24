"""The agents and boards of the conformance tests, and a whole game of an agent against itself."""

import random
from itertools import product
from pathlib import Path
from typing import Final

from isolarium.agents import Agent
from isolarium.game.position import Position
from isolarium.search.protocol import Choice
from tests.command import COMMAND

FILES: Final = Path(__file__).parent / "files"

SPECS: Final = [
    "random",
    "greedy:improved",
    "minimax:improved@depth=2",
    "minimax:improved@nodes=200",
    "alphabeta:improved@depth=3",
    "alphabeta:improved@nodes=500",
    "alphabeta:improved@depth=2,nodes=500,ms=1e9",
    "strong:improved@nodes=500",
    "strong:improved@depth=3",
    "champion:improved@nodes=500",
    "champion:improved@depth=3",
    "mcts@nodes=1000",
    "mcts(c=0.5)@depth=2,nodes=500",
    "minmax_approximation:improved@nodes=500",
    "minmax_approximation(reverse=false):improved@depth=2",
    "oracle@nodes=1000",
    "oracle@depth=2,nodes=500",
    f"alphabeta:{FILES}/compiled.py:improved@nodes=300",
    f"strong:{FILES}/in_python.py:improved@nodes=40",
    f"engine:{COMMAND} engine(agent=alphabeta:improved)@nodes=200",
]
TIMED: Final = [
    "alphabeta:improved@ms=0.5",
    "strong:improved@ms=0.5",
    "champion:improved@ms=0.5",
    "mcts@ms=0.5",
    "oracle@ms=0.5",
]

EVERY_AGENT_S_BOARDS: Final = ["7x7", "9x11", "13x13"]
"""One for each number of 64-bit words that a set of squares takes."""
OTHER_BOARDS: Final = [*("3x3", "3x13", "13x3", "4x4", "7x5", "7x6", "5x8", "8x8", "10x9", "9x10", "11x12")]
BOARDS: Final = [*OTHER_BOARDS, *EVERY_AGENT_S_BOARDS]


def _sample() -> list[tuple[str, str]]:
    """Return the pairs of agent and board that the tests play: the other boards are dealt to the agents in turn."""
    agents = [*SPECS, *TIMED]
    deck = OTHER_BOARDS * (len(agents) // len(OTHER_BOARDS) + 1)
    dealt = random.Random(28).sample(deck[: len(agents)], len(agents))
    return [*product(agents, EVERY_AGENT_S_BOARDS), *zip(agents, dealt, strict=True)]


SAMPLE: Final = _sample()


def short_name(spec: str) -> str:
    """Return a spec without the folders of this machine."""
    return spec.replace(f"{FILES}/", "").replace(COMMAND, "isolarium")


def play(agent: Agent, start: Position, seed: int) -> list[Choice]:
    """The agent's choices against itself; an illegal one is an InputError."""
    agent.new_game(seed)
    choices, position = [], start
    while position.outcome() is None:
        choices.append(agent.choose(position))
        position = position.play(choices[-1].move)
    return choices
