"""Agents: a spec such as `alphabeta:improved@nodes=8000` becomes a player."""

from contextlib import closing

from isolarium.agents.agent import Agent, AgentFailure, SpecAgent, Valuer
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.spec.parser import ENGINE
from isolarium.spec.resolve import read_spec, read_specs
from isolarium.spec.spec import AgentSpec, parse_spec

__all__ = [
    "Agent",
    "AgentFailure",
    "AgentSpec",
    "SpecAgent",
    "Valuer",
    "make_agent",
    "make_valuer",
    "parse_agent",
    "parse_spec",
    "read_spec",
    "read_specs",
    "warm_up",
]


def parse_agent(text: str) -> SpecAgent:
    """Make the agent that a spec describes; files that it names are loaded elsewhere, to see that they can be.

    Raises:
        InputError: the spec is wrong; the message says where.
    """
    return make_agent(read_spec(text))


def make_agent(spec: AgentSpec) -> SpecAgent:
    """Make the agent of a parsed spec; code that is not ours is loaded by a process of its own, and nowhere else."""
    if spec.kind.name == ENGINE:
        from isolarium.agents.engine import engine_of

        return engine_of(spec)
    if spec.program is not None:
        from isolarium.course.course_agent import CourseAgent

        return CourseAgent(spec)
    return _searching(spec)


def make_valuer(heuristic: str) -> Valuer:
    """Make an agent that tells a heuristic's values, and would play by them one ply ahead.

    Raises:
        InputError: the heuristic's text is wrong.
    """
    return _searching(parse_spec(f"greedy:{heuristic}"))


def _searching(spec: AgentSpec) -> Valuer:
    # Imported inside: to parse a spec takes no compiler, and is done before one is loaded.
    if spec.is_of_course:
        from isolarium.course.course_agent import ScoringAgent

        return ScoringAgent(spec)
    if spec.is_foreign:
        from isolarium.agents.subprocess_agent import SubprocessAgent

        return SubprocessAgent(spec)
    from isolarium.agents.search_agent import SearchingAgent

    return SearchingAgent(spec)


def warm_up(text: str, board: Board) -> None:
    """Have everything compiled that an agent needs on boards of this size, so that many workers do not all do it.

    Raises:
        AgentFailure: the agent cannot even start.
    """
    with closing(make_agent(parse_spec(text))) as agent:
        agent.new_game(0)
        agent.prepare(Position.empty(board))
