"""Grade a course agent's file: checks, and its scores compared with exact values.

The same file and seed give the same results, except for the check of whether an agent stops in
time, which depends on the clock.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from isolarium.analysis.calibration import Calibrated, Calibration, calibrate, draw_sample
from isolarium.course.adapter import LATER_BOARD
from isolarium.course.agent_checks import (
    MOVE_TOPICS,
    SCORE_TOPICS,
    SEARCH_TOPICS,
    check_moves,
    check_score,
    check_search,
)
from isolarium.course.check import NAMES, Check
from isolarium.course.course_agent import CourseFile
from isolarium.course.loader import SAMPLE_PLAYERS, USUAL
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board
from isolarium.text import did_you_mean, listed

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


@dataclass(frozen=True, slots=True)
class EntrantGroup:
    """The agents of a file that differ only in their score function.

    Attributes:
        prefix: The prefix of their names: `AB`, `MM`, or the name of their class.
        class_name: Their class.
        entrants: One agent for each score, or a single one.
        baseline: The same class with the course's `improved_score`; None if it takes no score.
    """

    prefix: str
    class_name: str
    entrants: tuple[Entrant, ...]
    baseline: Entrant | None


def entrants_of(file: CourseFile) -> list[Entrant]:
    """Return the agents of a file as they enter the tournament; see `groups_of`.

    Raises:
        InputError: If there is no agent.
    """
    minimax_first = sorted(groups_of(file), key=lambda group: group.prefix != "MM")
    return [one for group in minimax_first for one in group.entrants]


def groups_of(file: CourseFile) -> list[EntrantGroup]:
    """Return the agents of a file by class and search, alpha-beta first and minimax last.

    These are the usual classes with each of the file's scores, or otherwise any class that can play.

    Raises:
        InputError: If there is no agent.
    """
    classes = file.contents.classes
    usual = [name for name in classes if name in USUAL]
    found = [one for name in usual or [*classes] for one in _groups(file, name)]
    if not found:
        expected = "no class with get_move; expected MinimaxPlayer, AlphaBetaPlayer or CustomPlayer"
        if file.is_later:
            expected = "no class with get_action; expected CustomPlayer"
        raise InputError(f"{file.path}: {expected}")
    return sorted(found, key=lambda one: one.prefix == "MM")


PREFIXES: Final = {"MinimaxPlayer": "MM", "AlphaBetaPlayer": "AB"}
METHODS: Final = {"alphabeta": "AB", "minimax": "MM"}
BASELINE_SCORE: Final = f"{SAMPLE_PLAYERS}.improved_score"
"""The score of the baseline; a function of that name in the file does not replace it."""


def _groups(file: CourseFile, name: str) -> Iterator[EntrantGroup]:
    takes, scores = file.contents.classes[name].takes, scores_of(file)
    ways: list[tuple[str, dict[str, str]]] = [(PREFIXES.get(name, name), {})]
    if "method" in takes:
        ways = [(prefix, {"method": method}) for method, prefix in METHODS.items()]
    for prefix, arguments in ways:
        if "score_fn" not in takes:
            yield EntrantGroup(prefix, name, (Entrant(prefix, name, arguments),), None)
            continue
        with_scores = [Entrant(_name_with(prefix, score), name, {**arguments, "score_fn": score}) for score in scores]
        entrants = with_scores or [Entrant(prefix, name, arguments)]
        improved = {**arguments, "score_fn": BASELINE_SCORE}
        baseline = Entrant(f"your {prefix}_Improved", name, improved)
        yield EntrantGroup(prefix, name, tuple(entrants), baseline)


def _name_with(prefix: str, score: str) -> str:
    return f"{prefix}_{score.replace('custom_score', 'Custom')}"


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


@dataclass(frozen=True, slots=True)
class CheckStep:
    """A group of checks that are run together.

    Attributes:
        label: A description of the step.
        whose: The function, method or class.
        topics: The topics of the checks.
        check: Runs the checks.
    """

    label: str
    whose: str
    topics: Sequence[str]
    check: Callable[[], list[Check]]


@dataclass(frozen=True, slots=True)
class CheckFilter:
    """The checks to run.

    Attributes:
        topic: The topic of the checks.
        whose: The function, method or class; empty for all.
    """

    topic: str
    whose: str = ""

    def matches(self, check: Check) -> bool:
        """Whether a check is wanted."""
        return check.topic == self.topic and self.whose in ("", check.whose)

    def needs(self, step: CheckStep) -> bool:
        """Whether a step has wanted checks, or must precede one that has.

        Searches are checked only with score functions that passed their own check.
        """
        is_wanted = self.topic in step.topics and self.whose in ("", step.whose)
        return is_wanted or (self.topic in SEARCH_TOPICS and step.topics == SCORE_TOPICS)


def parse_filter(text: str) -> CheckFilter:
    """Return the checks that a user names, such as `plays-on:AlphaBetaPlayer`.

    The name may have spaces or hyphens; what is checked follows a colon.

    Raises:
        InputError: If there is no such check.
    """
    name, _, whose = text.partition(":")
    name = name.strip().replace("-", " ")
    topics = {known: topic for topic, known in NAMES.items()}
    if name not in topics:
        hint = did_you_mean(name, topics) or f"there are {', '.join(topics)}"
        raise InputError(f"no check named {quoted(name)} ({hint})")
    return CheckFilter(topics[name], whose.strip())


def check_applies(file: CourseFile, wanted: CheckFilter) -> None:
    """Check that a check applies to something in a file.

    Raises:
        InputError: If the check does not apply.
    """
    known = [step.whose for step in check_steps(file, 0) if wanted.topic in step.topics]
    if wanted.whose not in ("", *known) or not known:
        name = NAMES[wanted.topic]
        expected = listed([f"{name}:{whose}" for whose in known]) or "another check"
        of = f" of {quoted(wanted.whose)}" if wanted.whose else ""
        raise InputError(f"{file.path}: no check named {quoted(name)}{of}; expected {expected}")


def check_file(file: CourseFile, seed: int, progress: Progress, wanted: CheckFilter | None = None) -> list[Check]:
    """Check the scores, searches and agents of a file; see `grade_file`.

    With `wanted`, only the matching checks are returned; their results are the same as in a full run.
    """
    checks = list[Check]()
    for step in check_steps(file, seed):
        if wanted is None or wanted.needs(step):
            progress(f"checking {step.label}")
            checks += step.check()
    return checks if wanted is None else [check for check in checks if wanted.matches(check)]


def check_steps(file: CourseFile, seed: int) -> Iterator[CheckStep]:
    """Yield the checks of a file in steps, to be run in this order."""
    board, reliable = board_of(file), set[str]()

    def check_score_of(name: str) -> list[Check]:
        found = check_score(file, name, board, seed)
        reliable.update(name for one in found if one.topic == "number" and one.is_passed)
        return found

    for name in scores_of(file):
        yield CheckStep(name, name, SCORE_TOPICS, partial(check_score_of, name))
    seen = set[str]()
    for entrant in entrants_of(file):
        name, arguments = entrant.class_name, entrant.arguments
        for method in () if file.is_later else file.contents.classes[name].searches:
            whose = f"{name}.{method}"
            if whose not in seen:
                seen.add(whose)
                is_reliable = arguments.get("score_fn") in reliable
                search = partial(check_search, file, name, method, arguments, is_reliable, board, seed)
                yield CheckStep(whose, whose, SEARCH_TOPICS, search)
        whose = f"{name} ({arguments['method']})" if "method" in arguments else name
        if whose not in seen:
            seen.add(whose)
            moves = partial(check_moves, file, whose, name, arguments, board, seed)
            yield CheckStep(f"the moves of {whose}", whose, MOVE_TOPICS, moves)


def _calibrate(file: CourseFile, seed: int, progress: Progress) -> tuple[Calibration | None, list[str]]:
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
