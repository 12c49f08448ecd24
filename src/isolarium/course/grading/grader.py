"""Everything that a teacher would say of a file: of its scores, its searches, its moves, and how right its scores are.

The same file and seed give the same lessons.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from isolarium.analysis.calibration import Calibrated, Calibration, calibrate, draw_sample
from isolarium.course.adapter import LATER_BOARD
from isolarium.course.file_inspection import CourseFile
from isolarium.course.grading.check import Lesson
from isolarium.course.grading.move_checks import move_lessons
from isolarium.course.grading.score_checks import score_lessons
from isolarium.course.grading.search_checks import search_lessons
from isolarium.course.loader import USUAL
from isolarium.errors import InputError
from isolarium.game.board import Board

SCORES: Final = ("custom_score", "custom_score_2", "custom_score_3")
BESIDE: Final = ("open", "center", "improved")
"""The course's own scores, for comparison."""
STAGE_POSITIONS: Final = 150

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Entrant:
    """An agent of a file, as it enters the tournament.

    Attributes:
        name: as the course would call it: `AB_Custom_2`.
        class_name: its class.
        arguments: what that is made with.
    """

    name: str
    class_name: str
    arguments: dict[str, str]


def entrants_of(file: CourseFile) -> list[Entrant]:
    """The agents of a file: its usual classes with each of its scores, or else whatever can choose.

    Raises:
        InputError: there is none.
    """
    classes = file.contents.classes
    usual = [name for name in classes if name in USUAL]
    found = [one for name in usual or [*classes] for one in _entrants(file, name)]
    if not found:
        told = (
            "no class with get_move in it; expected MinimaxPlayer, AlphaBetaPlayer or CustomPlayer"
        )
        if file.is_later:
            told = "no class with get_action in it; expected CustomPlayer"
        raise InputError(f"{file.path}: {told}")
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
            called = score.replace("custom_score", "Custom")
            yield Entrant(f"{prefix}_{called}", name, {**arguments, "score_fn": score})


def scores_of(file: CourseFile) -> list[str]:
    """The score functions of a file."""
    return [] if file.is_later else [name for name in SCORES if name in file.contents.functions]


def board_of(file: CourseFile) -> Board:
    """The board that its agents are written for."""
    return LATER_BOARD if file.is_later else Board(7, 7)


@dataclass(frozen=True)
class Lessons:
    """What a teacher would say.

    Attributes:
        lessons: each thing that was looked at.
        calibration: the scores against solved positions, beside the course's own; None where there are none.
        not_calibrated: why there is none, if scores were to be.
    """

    lessons: Sequence[Lesson]
    calibration: Calibration | None
    not_calibrated: str = ""

    @property
    def wrong(self) -> list[Lesson]:
        """Those that found something."""
        return [lesson for lesson in self.lessons if lesson.wrong]


def teach(file: CourseFile, seed: int, progress: Progress) -> Lessons:
    """Look at everything in a file, and hold its scores against solved positions.

    Args:
        file: the file.
        seed: what positions are drawn from.
        progress: told what is looked at.
    """
    return Lessons(look_over(file, seed, progress), *_calibrated(file, seed, progress))


def look_over(file: CourseFile, seed: int, progress: Progress) -> list[Lesson]:
    """Look at the scores, the searches and the agents of a file; with the arguments of `teach`."""
    board, lessons, reliable = board_of(file), list[Lesson](), set[str]()
    for name in scores_of(file):
        progress(f"what {name} says")
        found = score_lessons(file, name, board, seed)
        reliable |= {name for lesson in found if lesson.topic == "number" and lesson.is_fine}
        lessons += found
    seen = set[str]()
    for entrant in entrants_of(file):
        name, arguments = entrant.class_name, entrant.arguments
        for method in () if file.is_later else file.contents.classes[name].searches:
            if f"{name}.{method}" not in seen:
                seen.add(f"{name}.{method}")
                progress(f"what {name}.{method} finds")
                trusted = arguments.get("score_fn") in reliable
                lessons += search_lessons(file, name, method, arguments, trusted, board, seed)
        whose = f"{name} ({arguments['method']})" if "method" in arguments else name
        if whose not in seen:
            seen.add(whose)
            progress(f"how {whose} moves")
            lessons += move_lessons(file, whose, name, arguments, board, seed)
    return lessons


def _calibrated(file: CourseFile, seed: int, progress: Progress) -> tuple[Calibration | None, str]:
    names = {f"course:{file.path}:{score}": score for score in scores_of(file)}
    if not names:
        return None, ""
    progress("how right its scores are")
    sample = draw_sample(board_of(file), STAGE_POSITIONS, seed)
    try:
        found = calibrate([*names, *BESIDE], sample)
    except InputError as error:
        return None, str(error)

    def called(one: Calibrated) -> Calibrated:
        return replace(one, name=names.get(one.name, one.name))

    return replace(found, heuristics=[called(one) for one in found.heuristics]), ""
