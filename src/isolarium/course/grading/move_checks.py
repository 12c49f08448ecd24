"""Checks of an agent's moves: it stops in time, takes wins and does not resign."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from typing import Final

from isolarium.agents import Agent, AgentFailure, parse_agent
from isolarium.course.clock import CLOCK_MS
from isolarium.course.course_agent import CourseFile
from isolarium.course.grading.check import (
    Check,
    failure_text,
    first_can_move,
    loses_soon,
    sample,
    wins_at_once_or_loses,
)
from isolarium.game.board import Board, Square
from isolarium.game.position import Position, Reason

MOVE_TOPICS: Final = ("win", "play on", "time")
POSITIONS: Final = 8
USUAL_CALLS: Final = 8000
"""The number of positions that the course's programs visit in 150 ms."""
EARLY: Final = 0.75
"""The share of blank squares in the time check's positions; many make it large."""
DEEP: Final = "25"
"""A search depth that is never reached."""


def check_moves(
    file: CourseFile, whose: str, class_name: str, arguments: Mapping[str, str], board: Board, seed: int
) -> list[Check]:
    """Check the moves of a class's agent.

    Whether it stops in time is judged by the course's clock, because a count of positions is too
    coarse for agents that stop in the last milliseconds.
    """
    checks = [_wins(whose), _plays_on(whose)]
    spec = f"{file.spec(class_name, arguments)}@calls={USUAL_CALLS}"
    winnable = sample(board, f"{seed} wins", wins_at_once_or_loses, POSITIONS)
    lost = sample(board, f"{seed} losses", loses_soon, POSITIONS)
    with closing(parse_agent(spec)) as agent:
        _try(checks[0], agent, winnable, seed, _missed_win)
        _try(checks[1], agent, lost, seed, _resigned)
    if file.is_later:  # The search is interrupted when time is up, without losing the game.
        return checks
    takes = file.contents.classes[class_name].takes
    deep = {**arguments, "search_depth": DEEP} if "search_depth" in takes else arguments
    in_time = _stops(whose)
    early = sample(board, f"{seed} time", _is_early, POSITIONS)
    hurried = f"{file.spec(class_name, deep)}@ms={CLOCK_MS:g}"
    with closing(parse_agent(hurried)) as agent:
        with suppress(AgentFailure):  # A real failure recurs in a move that counts.
            agent.prepare(early[0])
        _try(in_time, agent, early, seed, _late)
    return [*checks, in_time]


def _is_early(position: Position) -> bool:
    return first_can_move(position) and position.blank_count >= EARLY * position.board.size


def _wins(whose: str) -> Check:
    return Check(
        "win",
        whose,
        "does it win when a move ends the game at once?",
        "A position in which the opponent cannot move is won, and must be worth more than all others: call "
        "game.utility(player), or is_winner and is_loser, before the score.",
    )


def _plays_on(whose: str) -> Check:
    return Check(
        "play on",
        whose,
        "does it play on while it has a legal move?",
        "Return one of game.get_legal_moves() while there is one. A search whose best move so far starts as (-1, -1) "
        "resigns when every move loses, because none is better than minus infinity: start with a legal move, since "
        "the opponent may still make a mistake.",
    )


def _stops(whose: str) -> Check:
    return Check(
        "time",
        whose,
        "does it stop when time_left() runs out?",
        "Check time_left() in every call of the search, not only between depths. Below a threshold, raise an "
        "exception that get_move catches.",
    )


Answer = Square | AgentFailure


def _try(
    check: Check, agent: Agent, positions: Sequence[Position], seed: int, judge: Callable[[Position, Answer], str]
) -> None:
    """Have an agent move in each position.

    `judge` returns a description of what is wrong with the answer, or empty text.
    """
    for position in check.each(positions):
        answer = _answer(agent, position, seed)
        problem = judge(position, answer)
        if problem:
            check.fail(position, problem)
        elif isinstance(answer, AgentFailure) and answer.reason is not Reason.RESIGNATION:
            check.discount(failure_text(answer, agent.name))
    if not positions:
        check.skipped = "random games on this board have no such position"


def _answer(agent: Agent, position: Position, seed: int) -> Answer:
    try:
        agent.new_game(seed)
        return agent.choose(position).move
    except AgentFailure as failure:
        return failure


def _missed_win(position: Position, answer: Answer) -> str:
    winning = [str(m) for m in position.legal_moves() if position.play(m).outcome() is not None]
    ending = f"{' or '.join(winning)} ends the game"
    if isinstance(answer, AgentFailure):
        return f"it resigned; {ending}" if answer.reason is Reason.RESIGNATION else ""
    if not position.is_legal(answer):
        return f"it played {answer}, which is not legal; {ending}"
    if position.play(answer).outcome() is not None:
        return ""
    return f"it played {answer}, after which the opponent ends the game; {ending}"


def _resigned(position: Position, answer: Answer) -> str:
    moves = " or ".join(map(str, position.legal_moves()))
    if isinstance(answer, AgentFailure):
        is_resignation = answer.reason is Reason.RESIGNATION
        return f"it resigned; {moves} was legal" if is_resignation else ""
    if position.is_legal(answer):
        return ""
    return f"it played {answer}, which is not legal; {moves} was legal"


def _late(_: Position, answer: Answer) -> str:
    if isinstance(answer, AgentFailure) and answer.reason is Reason.TIME:
        return str(answer).rpartition(f"@ms={CLOCK_MS:g}: ")[2]
    return ""
