"""How somebody's agent moves: whether it stops in time, takes a win that is there, and plays on while it can."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Final

from isolab.agents import Agent, AgentFailure, parse_agent
from isolab.agents.course_file import CourseFile
from isolab.analysis.lessons.drawing import drawn, goes_on, loses_soon, wins_at_once
from isolab.analysis.lessons.lesson import Lesson, told_of
from isolab.game.board import Board, Square
from isolab.game.outcome import Reason
from isolab.game.position import Position
from isolab.solver.truth import Truth

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
    spec = spec_of(file.path, class_name, arguments, USUAL_CALLS)
    winnable = drawn(board, f"{seed} wins", wins_at_once, POSITIONS)
    lost = drawn(board, f"{seed} losses", loses_soon, POSITIONS)
    _try(lessons[0], spec, winnable, seed, _missed_win)
    _try(lessons[1], spec, lost, seed, _gave_up)
    if file.is_later:  # it is broken off when its time is over, and nothing is lost
        return lessons
    takes = file.contents.classes[class_name].takes
    deep = {**arguments, "search_depth": DEEP} if "search_depth" in takes else arguments
    in_time = _stops(whose)
    early = drawn(
        board,
        f"{seed} time",
        lambda one: goes_on(one) and one.blank_count >= EARLY * board.size,
        POSITIONS,
    )
    _try(in_time, spec_of(file.path, class_name, deep, FEW_CALLS), early, seed, _late)
    return [*lessons, in_time]


def spec_of(path: str, class_name: str, arguments: Mapping[str, str], calls: int) -> str:
    """An agent of a file as it is written."""
    inside = ", ".join(f"{name}={value}" for name, value in arguments.items())
    made = f"{class_name}({inside})" if inside else class_name
    return f"course:{path}:{made}@calls={calls}"


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
    spec: str,
    positions: Sequence[Position],
    seed: int,
    judge: Callable[[Position, Answer, str], str],
) -> None:
    """Have an agent choose in each position, and count where the judge has something to say."""
    with closing(parse_agent(spec)) as agent:
        for position in lesson.each(positions):
            told = judge(position, _answer(agent, position, seed), agent.name)
            if told:
                lesson.miss(position, told)
    if not positions:
        lesson.skipped = "random games on this board have no such position"


def _answer(agent: Agent, position: Position, seed: int) -> Answer:
    try:
        agent.new_game(seed)
        return agent.choose(position).move
    except AgentFailure as failure:
        return failure


def _missed_win(position: Position, answer: Answer, name: str) -> str:
    if isinstance(answer, AgentFailure):
        return told_of(answer, name)
    winning = [str(m) for m in position.legal_moves() if position.play(m).outcome() is not None]
    if not position.is_legal(answer):
        return f"it chose {answer}, no legal move; {' or '.join(winning)} ends the game"
    if Truth().wins(position.play(answer)) is not True:  # another way to win is as good
        return ""
    return f"it chose {answer}, which loses; {' or '.join(winning)} ends the game"


def _gave_up(position: Position, answer: Answer, name: str) -> str:
    moves = " or ".join(map(str, position.legal_moves()))
    if isinstance(answer, AgentFailure):
        if answer.reason is Reason.RESIGNATION:
            return f"it gave up, though it could go to {moves}"
        return told_of(answer, name)
    return (
        "" if position.is_legal(answer) else f"it chose {answer}, no legal move; there is {moves}"
    )


def _late(position: Position, answer: Answer, name: str) -> str:
    if not isinstance(answer, AgentFailure) or answer.reason is Reason.RESIGNATION:
        return ""
    if answer.reason is Reason.TIME:
        return str(answer).removeprefix(f"{name}: ")
    return told_of(answer, name)
