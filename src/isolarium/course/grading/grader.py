"""Grade a course agent's file: checks, and its scores compared with exact values.

The same file and seed give the same results, except for the check of whether an agent stops in
time, which depends on the clock.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from isolarium.analysis.calibration import Calibrated, Calibration, calibrate, draw_sample
from isolarium.course.adapter import LATER_BOARD
from isolarium.course.course_agent import CourseFile
from isolarium.course.grading.check import Check
from isolarium.course.grading.move_checks import check_moves
from isolarium.course.grading.score_checks import check_score
from isolarium.course.grading.search_checks import check_search
from isolarium.course.loader import USUAL
from isolarium.errors import InputError
from isolarium.game.board import Board

SCORES: Final = ("custom_score", "custom_score_2", "custom_score_3")
REFERENCES: Final = ("open", "center", "improved")
"""The course's own scores, for comparison."""
STAGE_POSITIONS: Final = 150

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Entrant:
    """An agent of a file as it enters the tournament.

    Attributes:
        name: Its name in the course's style, such as `AB_Custom_2`.
        class_name: Its class.
        arguments: The arguments of the class.
    """

    name: str
    class_name: str
    arguments: dict[str, str]


def entrants_of(file: CourseFile) -> list[Entrant]:
    """Return the agents of a file as they enter the tournament.

    These are the usual classes with each of the file's scores, or otherwise any class that can
    play.

    Raises:
        InputError: If there is no agent.
    """
    classes = file.contents.classes
    usual = [name for name in classes if name in USUAL]
    found = [one for name in usual or [*classes] for one in _entrants(file, name)]
    if not found:
        expected = "no class with get_move; expected MinimaxPlayer, AlphaBetaPlayer or CustomPlayer"
        if file.is_later:
            expected = "no class with get_action; expected CustomPlayer"
        raise InputError(f"{file.path}: {expected}")
    return sorted(found, key=lambda one: not one.name.startswith("MM"))


PREFIXES: Final = {"MinimaxPlayer": "MM", "AlphaBetaPlayer": "AB"}
METHODS: Final = {"minimax": "MM", "alphabeta": "AB"}


def _entrants(file: CourseFile, name: str) -> Iterator[Entrant]:
    takes, scores = file.contents.classes[name].takes, scores_of(file)
    ways: list[tuple[str, dict[str, str]]] = [(PREFIXES.get(name, name), {})]
    if "method" in takes:
        ways = [(prefix, {"method": method}) for method, prefix in METHODS.items()]
    for prefix, arguments in ways:
        if "score_fn" not in takes or not scores:
            yield Entrant(prefix, name, arguments)
            continue
        for score in scores:
            suffix = score.replace("custom_score", "Custom")
            yield Entrant(f"{prefix}_{suffix}", name, {**arguments, "score_fn": score})


def scores_of(file: CourseFile) -> list[str]:
    """Return the score functions of a file."""
    return [] if file.is_later else [name for name in SCORES if name in file.contents.functions]


def board_of(file: CourseFile) -> Board:
    """Return the board that a file's agents were written for."""
    return LATER_BOARD if file.is_later else Board(7, 7)


@dataclass(frozen=True)
class FileGrading:
    """The grading of a file.

    Attributes:
        checks: Every check.
        calibration: The comparison of the scores with exact values, beside the course's own scores;
            None if there is nothing to compare.
        not_calibrated: Why some scores were not compared, if any.
    """

    checks: Sequence[Check]
    calibration: Calibration | None
    not_calibrated: Sequence[str] = ()

    @property
    def failed(self) -> list[Check]:
        """The checks that failed."""
        return [check for check in self.checks if check.wrong]


def grade_file(file: CourseFile, seed: int, progress: Progress) -> FileGrading:
    """Check everything in a file, and compare its scores with exact values.

    Args:
        file: The file.
        seed: The random seed of the positions.
        progress: Called with a description of each step.
    """
    return FileGrading(check_file(file, seed, progress), *_calibrate(file, seed, progress))


def check_file(file: CourseFile, seed: int, progress: Progress) -> list[Check]:
    """Check the scores, searches and agents of a file; see `grade_file`."""
    board, checks, reliable = board_of(file), list[Check](), set[str]()
    for name in scores_of(file):
        progress(f"checking {name}")
        found = check_score(file, name, board, seed)
        reliable |= {name for check in found if check.topic == "number" and check.is_passed}
        checks += found
    seen = set[str]()
    for entrant in entrants_of(file):
        name, arguments = entrant.class_name, entrant.arguments
        for method in () if file.is_later else file.contents.classes[name].searches:
            if f"{name}.{method}" not in seen:
                seen.add(f"{name}.{method}")
                progress(f"checking {name}.{method}")
                is_reliable = arguments.get("score_fn") in reliable
                checks += check_search(file, name, method, arguments, is_reliable, board, seed)
        whose = f"{name} ({arguments['method']})" if "method" in arguments else name
        if whose not in seen:
            seen.add(whose)
            progress(f"checking the moves of {whose}")
            checks += check_moves(file, whose, name, arguments, board, seed)
    return checks


def _calibrate(
    file: CourseFile, seed: int, progress: Progress
) -> tuple[Calibration | None, list[str]]:
    """Return the scores' calibration, and why some scores were left out."""
    if not scores_of(file):
        return None, []
    progress("comparing its scores with exact values")
    sample = draw_sample(board_of(file), STAGE_POSITIONS, seed)
    found, failures = list[Calibrated](), list[str]()
    for score in scores_of(file):
        try:
            (one,) = calibrate([f"course:{file.path}:{score}"], sample).heuristics
            found.append(replace(one, name=score))
        except InputError as error:
            failures.append(str(error).removeprefix(f"course:{file.path}:"))
    if not found:
        return None, failures
    calibration = calibrate(REFERENCES, sample)
    whole = replace(calibration, heuristics=[*found, *calibration.heuristics])
    ranked = [row for row in whole.rows if row not in whole.baselines]
    return replace(whole, heuristics=ranked), failures
