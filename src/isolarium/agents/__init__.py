"""Agents: a spec such as `alphabeta:improved@nodes=8000` becomes a player."""

from contextlib import closing

from isolarium.agents.agent import Agent, AgentFailure, SpecAgent, Valuer
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.limits import LONGEST_MOVE_S, longest_ms
from isolarium.spec.parser import AGENT, COURSE, ENGINE
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
    "move_limit_s",
    "parse_agent",
    "parse_spec",
    "read_spec",
    "read_specs",
    "warm_up",
]


def parse_agent(text: str) -> SpecAgent:
    """Make the agent that a spec describes.

    A sandboxed process checks first that the agent's files can be loaded.

    Raises:
        InputError: If the spec is invalid; the message names the location.
    """
    return make_agent(read_spec(text))


def make_agent(spec: AgentSpec) -> SpecAgent:
    """Make the agent of a parsed spec; third-party code is loaded only in sandboxed processes."""
    if spec.kind.name == ENGINE:
        from isolarium.agents.engine import engine_of

        return engine_of(spec)
    if spec.is_own_agent:
        from isolarium.agents.python_agent import python_agent_of

        return python_agent_of(spec)
    if spec.kind.name == AGENT:
        from isolarium.agents.file_agent import FileAgent

        return FileAgent(spec)
    if spec.program is not None:
        from isolarium.course.course_agent import CourseAgent

        return CourseAgent(spec)
    return _searching(spec)


def make_valuer(heuristic: str) -> Valuer:
    """Make an agent that evaluates positions with a heuristic.

    It plays the move with the best value one ply ahead.

    Raises:
        InputError: If the heuristic's text is invalid.
    """
    return _searching(parse_spec(f"greedy:{heuristic}"))


def _searching(spec: AgentSpec) -> Valuer:
    # Imported here, because parsing a spec must not load the compiler.
    if spec.is_of_course:
        from isolarium.course.course_agent import ScoringAgent

        return ScoringAgent(spec)
    if spec.is_third_party:
        from isolarium.agents.subprocess_agent import SubprocessAgent

        return SubprocessAgent(spec)
    from isolarium.agents.search_agent import SearchingAgent

    return SearchingAgent(spec)


def move_limit_s(spec: str, move_ms: float | None = None) -> float | None:
    """Return the time after which an agent that does not answer is terminated.

    None means that there is no fixed limit.

    Args:
        spec: The agent's spec.
        move_ms: The time limit of all agents.
    """
    if move_ms is not None:
        return longest_ms(move_ms) / 1000
    parsed = parse_spec(spec)
    if parsed.kind.name not in (AGENT, COURSE):
        return None
    limit_ms = parsed.limit.time_ms
    if parsed.kind.name == COURSE and limit_ms is not None:
        return longest_ms(limit_ms) / 1000
    return max(LONGEST_MOVE_S, 0.0 if limit_ms is None else longest_ms(limit_ms) / 1000)


def warm_up(text: str, board: Board) -> None:
    """Compile everything that an agent needs on a board into the shared cache.

    Raises:
        AgentFailure: If the agent cannot start.
    """
    with closing(make_agent(parse_spec(text))) as agent:
        agent.new_game(0)
        agent.prepare(Position.empty(board))
