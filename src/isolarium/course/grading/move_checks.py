"""How somebody's agent moves: whether it stops in time, takes a win that is there, and plays on while it can."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Final

from isolarium.agents import Agent, AgentFailure, parse_agent
from isolarium.course.file_inspection import CourseFile
from isolarium.course.grading.check import Lesson, told_of
from isolarium.course.grading.position_sampler import (
    drawn,
    goes_on,
    loses_soon,
    wins_at_once_or_loses,
)
from isolarium.game.board import Board, Square
from isolarium.game.outcome import Reason
from isolarium.game.position import Position

POSITIONS: Final = 8
USUAL_CALLS: Final = 8000
"""What the course's programs visit in a move of 150 ms."""
FEW_CALLS: Final = 1000
EARLY: Final = 0.75
"""Of the board is blank where time is short, so that there is enough to look at."""
DEEP: Final = "25"
"""A search depth that nothing reaches."""


def move_lessons(
    file: CourseFile,
    whose: str,
    class_name: str,
    arguments: Mapping[str, str],
    board: Board,
    seed: int,
) -> list[Lesson]:
    """How an agent of a class moves."""
    lessons = [_wins(whose), _plays_on(whose)]
    spec = f"{file.spec(class_name, arguments)}@calls={USUAL_CALLS}"
    winnable = drawn(board, f"{seed} wins", wins_at_once_or_loses, POSITIONS)
    lost = drawn(board, f"{seed} losses", loses_soon, POSITIONS)
    with closing(parse_agent(spec)) as agent:
        _try(lessons[0], agent, winnable, seed, _missed_win)
        _try(lessons[1], agent, lost, seed, _gave_up)
    if file.is_later:  # it is broken off when its time is over, and nothing is lost
        return lessons
    takes = file.contents.classes[class_name].takes
    deep = {**arguments, "search_depth": DEEP} if "search_depth" in takes else arguments
    in_time = _stops(whose)
    early = drawn(board, f"{seed} time", _is_early, POSITIONS)
    hurried = f"{file.spec(class_name, deep)}@calls={FEW_CALLS}"
    with closing(parse_agent(hurried)) as agent:
        _try(in_time, agent, early, seed, _late)
    return [*lessons, in_time]


def _is_early(position: Position) -> bool:
    return goes_on(position) and position.blank_count >= EARLY * position.board.size


def _wins(whose: str) -> Lesson:
    return Lesson(
        "win",
        whose,
        "does it win when a move ends the game at once?",
        "A position in which the opponent cannot move is won, and must be worth more than all others: ask "
        "game.utility(player), or is_winner and is_loser, before the score.",
    )


def _plays_on(whose: str) -> Lesson:
    return Lesson(
        "play on",
        whose,
        "does it play on while it has a legal move?",
        "Begin with a legal move as the best so far, and not with (-1, -1): where every move loses, none is better "
        "than minus infinity. To return (-1, -1) gives the game away, though the opponent may still go wrong.",
    )


def _stops(whose: str) -> Lesson:
    return Lesson(
        "time",
        whose,
        "does it stop when time_left() says so?",
        "Look at time_left() in every call of the search, not only between depths, and stop below the threshold by an "
        "exception that get_move catches.",
    )


Answer = Square | AgentFailure


def _try(
    lesson: Lesson,
    agent: Agent,
    positions: Sequence[Position],
    seed: int,
    judge: Callable[[Position, Answer], str],
) -> None:
    """Have an agent choose in each position, and count where the judge has something to say."""
    for position in lesson.each(positions):
        answer = _answer(agent, position, seed)
        told = judge(position, answer)
        if told:
            lesson.miss(position, told)
        elif isinstance(answer, AgentFailure) and answer.reason is not Reason.RESIGNATION:
            lesson.pass_over(told_of(answer, agent.name))
    if not positions:
        lesson.skipped = "random games on this board have no such position"


def _answer(agent: Agent, position: Position, seed: int) -> Answer:
    try:
        agent.new_game(seed)
        return agent.choose(position).move
    except AgentFailure as failure:
        return failure


def _missed_win(position: Position, answer: Answer) -> str:
    winning = [str(m) for m in position.legal_moves() if position.play(m).outcome() is not None]
    there_is = f"{' or '.join(winning)} ends the game"
    if isinstance(answer, AgentFailure):
        return f"it gave up; {there_is}" if answer.reason is Reason.RESIGNATION else ""
    if not position.is_legal(answer):
        return f"it chose {answer}, no legal move; {there_is}"
    if position.play(answer).outcome() is not None:
        return ""
    return f"it chose {answer}, after which the opponent ends it; {there_is}"


def _gave_up(position: Position, answer: Answer) -> str:
    moves = " or ".join(map(str, position.legal_moves()))
    if isinstance(answer, AgentFailure):
        gave_up = answer.reason is Reason.RESIGNATION
        return f"it gave up, though it could go to {moves}" if gave_up else ""
    return (
        "" if position.is_legal(answer) else f"it chose {answer}, no legal move; there is {moves}"
    )


def _late(_: Position, answer: Answer) -> str:
    if isinstance(answer, AgentFailure) and answer.reason is Reason.TIME:
        return str(answer).rpartition(f"@calls={FEW_CALLS}: ")[2]
    return ""
