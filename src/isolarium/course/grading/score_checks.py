"""Checks of a score function: it returns numbers, is symmetric, and recognizes finished games."""

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from math import isclose, isnan
from typing import Final

from isolarium.agents import AgentFailure
from isolarium.course.course_agent import CourseFile, CourseScore
from isolarium.course.grading.check import Check, failure_text, first_can_move, is_lost_by, sample
from isolarium.game.board import Board
from isolarium.game.position import Player, Position
from isolarium.game.symmetry import Symmetry

SCORE_TOPICS: Final = ("number", "mirror", "end")
POSITIONS: Final = 40
ENDS: Final = 10
"""The number of lost games; the number of won games is the same."""
ENDINGS: Final = [
    (loser, word, partial(is_lost_by, loser)) for loser, word in ((Player.FIRST, "lost"), (Player.SECOND, "won"))
]
CLOSE: Final = 1e-9
"""The tolerance for sums of the same numbers in a different order."""
TIMES_SORTED: Final = 3
"""The number of further calls of a varying score, with the moves in a fixed order."""

SYMMETRIES: Final = {
    Symmetry.TOP_BOTTOM: "flipped top to bottom",
    Symmetry.LEFT_RIGHT: "flipped left to right",
    Symmetry.HALF_TURN: "rotated by 180 degrees",
    Symmetry.DIAGONAL: "mirrored in the diagonal",
    Symmetry.ANTIDIAGONAL: "mirrored in the other diagonal",
    Symmetry.TURN_LEFT: "rotated to the left",
    Symmetry.TURN_RIGHT: "rotated to the right",
}


def check_score(file: CourseFile, name: str, board: Board, seed: int) -> list[Check]:
    """Check a score function on random positions."""
    number = Check(
        "number",
        name,
        "does it return a number, and the same one when called again?",
        "Return a float for every position in which both players are placed, and let it depend on the position alone: "
        "a search compares the scores of thousands of positions.",
    )
    mirror = Check(
        "mirror",
        name,
        "does it return the same for every reflection and rotation of the board?",
        "The game is symmetric, so the score should be too. Distances from the centre are the usual cause: the centre "
        "of a 7x7 board is at row 3 and column 3, (height - 1) / 2, not at height / 2.",
    )
    end = Check(
        "end",
        name,
        "does it value lost games below all others, and won games above?",
        "Begin with: if game.is_loser(player): return float('-inf'), and the same with is_winner and inf. A search "
        "that asks game.utility(player) before it calls the score does not need this.",
    )
    with closing(file.score(name)) as score:
        positions = sample(board, f"{seed} scores", first_can_move, POSITIONS)
        values = _check_numbers(number, score, positions, seed)
        if number.wrong:
            mirror.skipped = end.skipped = "its values cannot be compared"
        else:
            _check_symmetry(mirror, score, positions, values)
            _check_ends(end, score, board, values, seed)
    return [number, mirror, end]


def _check_numbers(check: Check, score: CourseScore, positions: Sequence[Position], seed: int) -> list[float]:
    values = list[float]()
    for position in check.each(positions):
        try:
            if not values:
                score.begin(seed)
            value, again = score.value(position), score.value(position)
        except AgentFailure as failure:
            check.fail(position, failure_text(failure, check.whose))
            continue
        values.append(value)
        if isnan(value):
            check.fail(position, "it returned nan, which is not a number")
        elif not is_close(value, again):
            text = f"it returned {_different(value, again)} when called again"
            check.fail(position, text + _why_different(score, position))
    return values


def is_close(one: float, other: float) -> bool:
    """Return whether two values differ at most by rounding."""
    return isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)


def _different(one: float, other: float) -> str:
    """Return two different numbers with just enough digits to distinguish them."""
    texts = [f"{one:g}", f"{other:g}"]
    return ", and ".join(texts if texts[0] != texts[1] else [repr(one), repr(other)])


def _why_different(score: CourseScore, position: Position) -> str:
    try:
        values = [score.value(position, is_sorted=True) for _ in range(TIMES_SORTED)]
    except AgentFailure:
        return ""
    if all(is_close(value, values[0]) for value in values):
        return "; it depends on the order of get_legal_moves(), which is random"
    return ""


def _check_symmetry(check: Check, score: CourseScore, positions: Sequence[Position], values: Sequence[float]) -> None:
    for position, value in check.each(zip(positions, values, strict=False)):
        for symmetry, transformed in SYMMETRIES.items():
            if symmetry.board(position.board) != position.board:
                continue
            try:
                other = score.value(symmetry.position(position))
            except AgentFailure as failure:
                check.fail(position, f"{transformed}: {failure_text(failure, check.whose)}")
                break
            if not is_close(value, other):
                check.fail(position, f"it returned {_different(value, other)} {transformed}")
                break


def _check_ends(check: Check, score: CourseScore, board: Board, values: Sequence[float], seed: int) -> None:
    for loser, word, is_end in ENDINGS:
        ends = sample(board, f"{seed} {word}", is_end, ENDS)
        for position in check.each(ends):
            try:
                value = score.value(position)
            except AgentFailure as failure:
                check.fail(position, failure_text(failure, check.whose))
                continue
            bound = min(values) if loser is Player.FIRST else max(values)
            is_wrong = value > bound if loser is Player.FIRST else value < bound
            if is_wrong and not is_close(value, bound):
                text = f"it returned {value:g} for a game that player 1 has {word}"
                check.fail(position, f"{text}, and {bound:g} for an unfinished one")
