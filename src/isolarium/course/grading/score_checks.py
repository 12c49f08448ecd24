"""What somebody's score function says: a number, the same in every mirror, and the end of the game rightly."""

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from math import isclose, isnan
from typing import Final

from isolarium.agents import AgentFailure
from isolarium.course.file_inspection import CourseFile, CourseScore
from isolarium.course.grading.check import Lesson, told_of
from isolarium.course.grading.position_sampler import drawn, goes_on, is_over
from isolarium.game.board import Board
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry

POSITIONS: Final = 40
ENDS: Final = 10
"""Lost games and won games, each."""
ENDINGS: Final = [
    (loser, word, partial(is_over, loser))
    for loser, word in ((Player.FIRST, "lost"), (Player.SECOND, "won"))
]
CLOSE: Final = 1e-9
"""Sums of the same numbers in another order differ by less."""

IMAGES: Final = {
    Symmetry.TOP_BOTTOM: "top and bottom exchanged",
    Symmetry.LEFT_RIGHT: "left and right exchanged",
    Symmetry.HALF_TURN: "turned by half",
    Symmetry.DIAGONAL: "mirrored in the diagonal",
    Symmetry.ANTIDIAGONAL: "mirrored in the other diagonal",
    Symmetry.TURN_LEFT: "turned to the left",
    Symmetry.TURN_RIGHT: "turned to the right",
}


def score_lessons(file: CourseFile, name: str, board: Board, seed: int) -> list[Lesson]:
    """What a score function says of random positions."""
    number = Lesson(
        "number",
        name,
        "does it say a number, and the same one when asked again?",
        "A score has to be a float for every position in which both players stand somewhere, and has to depend on the "
        "position alone: a search compares the scores of thousands of positions.",
    )
    mirror = Lesson(
        "mirror",
        name,
        "does it say the same of every mirror image and turn of the board?",
        "The game is the same in a mirror, so the score should be. Distances from the centre are the usual cause: the "
        "centre of a board of 7 is at row 3 and column 3, (height - 1) / 2, not at height / 2.",
    )
    end = Lesson(
        "end",
        name,
        "does it put lost games below all others, and won games above?",
        "Begin with: if game.is_loser(player): return float('-inf'), and the same with is_winner and inf. A search "
        "that asks game.utility(player) itself before it asks the score does not need this.",
    )
    with closing(file.score(name)) as score:
        positions = drawn(board, f"{seed} scores", goes_on, POSITIONS)
        values = _numbers(number, score, positions, seed)
        if number.wrong:
            mirror.skipped = end.skipped = "its values cannot be compared"
        else:
            _mirrors(mirror, score, positions, values)
            _ends(end, score, board, values, seed)
    return [number, mirror, end]


def _numbers(
    lesson: Lesson, score: CourseScore, positions: Sequence[Position], seed: int
) -> list[float]:
    values = list[float]()
    for position in lesson.each(positions):
        try:
            if not values:
                score.begin(seed)
            value, again = score.value(position), score.value(position)
        except AgentFailure as failure:
            lesson.miss(position, told_of(failure, lesson.whose))
            continue
        values.append(value)
        if isnan(value):
            lesson.miss(position, "it said nan, which is not a number")
        elif value != again:
            lesson.miss(position, f"it said {value:g}, and asked again {again:g}")
    return values


def _mirrors(
    lesson: Lesson, score: CourseScore, positions: Sequence[Position], values: Sequence[float]
) -> None:
    for position, value in lesson.each(zip(positions, values, strict=False)):
        for symmetry, image in IMAGES.items():
            if symmetry.board(position.board) != position.board:
                continue
            try:
                other = score.value(symmetry.position(position))
            except AgentFailure as failure:
                lesson.miss(position, f"{image}: {told_of(failure, lesson.whose)}")
                break
            if not isclose(value, other, rel_tol=CLOSE, abs_tol=CLOSE):
                lesson.miss(position, f"it said {value:g}, and {other:g} with {image}")
                break


def _ends(
    lesson: Lesson, score: CourseScore, board: Board, values: Sequence[float], seed: int
) -> None:
    for loser, word, is_end in ENDINGS:
        ends = drawn(board, f"{seed} {word}", is_end, ENDS)
        for position in lesson.each(ends):
            try:
                value = score.value(position)
            except AgentFailure as failure:
                lesson.miss(position, told_of(failure, lesson.whose))
                continue
            least, most = min(values), max(values)
            if loser is Player.FIRST and value > least:
                told = f"it said {value:g} of a game that player 1 has lost, and {least:g} of one that goes on"
                lesson.miss(position, told)
            elif loser is Player.SECOND and value < most:
                told = f"it said {value:g} of a game that player 1 has won, and {most:g} of one that goes on"
                lesson.miss(position, told)
