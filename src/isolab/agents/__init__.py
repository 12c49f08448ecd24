"""Agents: a spec such as `alphabeta:improved@nodes=8000` becomes a player."""

from typing import TYPE_CHECKING, Final

from isolab.agents.agent import Agent, AgentFailure
from isolab.agents.spec import AgentSpec, parse_spec

if TYPE_CHECKING:
    from isolab.agents.hosted import HostedAgent
    from isolab.agents.searching import SearchingAgent

__all__ = [
    "HINT_AGENT",
    "Agent",
    "AgentFailure",
    "AgentSpec",
    "make_agent",
    "parse_agent",
    "parse_spec",
]

HINT_AGENT: Final = "oracle@nodes=1000000,ms=3000"
"""Whose move is the hint, in the terminal and on the page: exact where that takes no more than three seconds."""


def parse_agent(text: str) -> "SearchingAgent | HostedAgent":
    """Make the agent that a spec describes.

    Raises:
        InputError: the spec is wrong; the message says where.
    """
    return make_agent(parse_spec(text))


def make_agent(spec: AgentSpec) -> "SearchingAgent | HostedAgent":
    """Make the agent of a parsed spec; one that runs foreign code lives in a process of its own."""
    if spec.is_foreign:
        from isolab.agents.hosted import HostedAgent

        return HostedAgent(spec)
    from isolab.agents.searching import SearchingAgent

    return SearchingAgent(spec)
