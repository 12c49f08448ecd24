"""Compiling ahead: so that many workers do not compile the same thing at once."""

from contextlib import closing

from isolab.agents import parse_agent
from isolab.game.board import Board
from isolab.game.position import Position


def warm_up(spec: str, board: Board) -> None:
    """Have everything compiled that an agent needs on boards of this size.

    Raises:
        AgentFailure: the agent cannot even start.
    """
    with closing(parse_agent(spec)) as agent:
        agent.new_game(0)
        agent.prepare(Position.empty(board))
