"""The report on course agents: their verdict, effort, early losses, checks and calibration."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from shlex import quote
from statistics import median
from typing import Any, Final

from isolarium.arena.game_counts import AgentFigures
from isolarium.course.check import Check
from isolarium.course.course_study import CourseGrading
from isolarium.course.grader import FileGrading
from isolarium.game.notation import parse_position
from isolarium.game.position import Reason
from isolarium.game.svg import draw_svg
from isolarium.limits import per_second
from isolarium.reporting.exact_tables import calibration_blocks, calibration_json
from isolarium.reporting.model import (
    Block,
    Column,
    Command,
    Illustration,
    Illustrations,
    Listing,
    Paragraph,
    Row,
    Section,
    Table,
)
from isolarium.spec.parser import COURSE, tree_of
from isolarium.stats import LEAST_OPENINGS, RateDifference, likely_missed, rounded
from isolarium.studies.study_results import PartResult, StudyResults
from isolarium.text import counted, listed

WORDS: Final = {2: "two", 3: "three"}
EARLY: Final = {
    Reason.TIME: "on time",
    Reason.ILLEGAL_MOVE: "by an illegal move",
    Reason.RESIGNATION: "by resignation",
    Reason.CRASH: "by a crash",
    Reason.MEMORY: "by running out of memory",
}
"""The reasons of losses other than having no legal move."""
ROUND_FROM: Final = 2.0
"""From this many points on, the ± of a difference has no decimals."""


def verdict(results: StudyResults) -> str:
    """Answer whether an agent of the first part is better than its baseline.

    The intervals are corrected for the number of comparisons. The text is empty for a study that
    does not grade course agents, or has no baseline, as in earlier versions.
    """
    if not (results.study.is_graded and results.parts):
        return ""
    result = results.parts[0]
    baseline = result.part.baseline
    if not baseline:
        why = result.part.about.removeprefix("Not compared: ")
        return results.failure and f"No agent could play: {why}".rstrip(": ")
    others = [agent for agent in result.part.agents if agent != baseline]
    subject = _subject(others, baseline)
    if not result.results.finished:
        question = f"whether {subject[1]} better than {baseline}"
        return f"The tournament is not finished: no answer yet {question}."
    if not result.results.has_enough_openings:
        openings = counted(result.results.openings, "distinct opening")
        return (
            f"{openings} cannot show whether {subject[1]} better than {baseline}; "
            f"at least {LEAST_OPENINGS} are needed (--pairs {LEAST_OPENINGS})."
        )
    found = {agent: result.beside(agent, baseline) for agent in others}
    better = sorted(
        (agent for agent in others if found[agent].verdict == "better"), key=lambda agent: -found[agent].difference
    )
    worse = [agent for agent in others if found[agent].verdict == "worse"]
    answer = _better(better, found, baseline) if better else _none(subject[0], result, found)
    return " ".join([answer, *(_worse(agent, found[agent]) for agent in worse)])


def _subject(others: Sequence[str], baseline: str) -> tuple[str, str]:
    """Return the compared agents in a negative sentence, and in a question."""
    if len(others) == 1:
        return f"{others[0]} is not", f"{others[0]} is"
    many = WORDS.get(len(others), str(len(others)))
    kind = "of your {} heuristics" if baseline.startswith("your ") else "of your {} agents"
    return f"None {kind.format(many)} is", f"any {kind.format(many)} is"


def _better(better: Sequence[str], found: dict[str, RateDifference], baseline: str) -> str:
    if len(better) == 1:
        return f"{better[0]} is better than {baseline} by {_points(found[better[0]])}."
    each = listed([f"{agent} (by {_points(found[agent])})" for agent in better])
    return f"{each} are better than {baseline}."


def _none(subject: str, result: PartResult, found: dict[str, RateDifference]) -> str:
    least = median(likely_missed(one, len(found)) for one in found.values())
    answer = f"{subject} shown to be better than {result.part.baseline}"
    if not isfinite(least):
        return f"{answer}."
    digits = 0 if 100 * least >= ROUND_FROM else 1
    return f"{answer}; differences under {rounded(100 * least, digits)} points would likely be missed."


def _worse(agent: str, difference: RateDifference) -> str:
    return f"{agent} is worse by {_points(difference)}."


def _points(difference: RateDifference) -> str:
    """Return the size of a difference with its interval, such as `6 ± 4 points`."""
    error = 100 * (difference.high - difference.difference)
    digits = 0 if error >= ROUND_FROM else 1
    size = rounded(100 * abs(difference.difference), digits)
    return f"{size} ± {rounded(error, digits)} points"


ENOUGH_PAIRS: Final = 20


def advice(results: StudyResults) -> str:
    """Return how to find smaller differences, if a finished tournament found none.

    The text is empty for tournaments of many openings.
    """
    parts = results.parts[:1]
    if not results.finished or not all(part.part.baseline for part in parts):
        return ""
    for part in parts:
        verdicts = [part.beside(agent, part.part.baseline).verdict for agent in part.part.agents]
        if part.plan.pairs < ENOUGH_PAIRS and "better" not in verdicts:
            times = ENOUGH_PAIRS // part.plan.pairs
            longer = f"--pairs {ENOUGH_PAIRS} takes about {times} times as long"
            return f"More openings show smaller differences: {longer}."
    return ""


def early_losses_in_words(results: StudyResults) -> Iterator[str]:
    """Yield a sentence for each course agent that lost games while it had a legal move."""
    for part in results.parts:
        for name, spec, figures in zip(part.part.players, part.plan.players, part.results.agents, strict=True):
            lost = early_losses_of(figures)
            if lost and tree_of(spec).search.word == COURSE:
                games = counted(figures.games, "game")
                whose = f"{name[0].upper()}{name[1:]}" if name.startswith("your ") else name
                yield f"{whose} lost {sum(lost.values()):,} of {games} {losses_in_words(lost)}."


def early_losses_of(figures: AgentFigures) -> dict[Reason, int]:
    """Return an agent's losses by reason, except those by having no legal move."""
    return {reason: figures.losses[reason] for reason in EARLY if figures.losses[reason]}


def losses_in_words(lost: dict[Reason, int]) -> str:
    """Return losses as text: `on time`, or `early: 3 on time and 1 by a crash`."""
    if len(lost) == 1:
        return EARLY[next(iter(lost))]
    return "early: " + listed([f"{number:,} {EARLY[reason]}" for reason, number in lost.items()])


# The grading


def grading_sections(results: StudyResults, grading: CourseGrading) -> list[Section]:
    """Return the sections of a study's grading."""
    sections = list[Section]()
    for number, (file, graded) in enumerate(grading.files.items(), start=1):
        of_file = f" of {file}" if len(grading.files) > 1 else ""
        seed = results.study.parts[0].seed
        checks = [*check_blocks(graded.checks, file, seed)]
        sections.append(Section(f"lessons-{number}", f"Checks{of_file}", checks))
        if graded.calibration is not None or graded.not_calibrated:
            title = f"The scores{of_file} on solved positions"
            sections.append(Section(f"calibration-{number}", title, [*_calibration(graded)]))
    title = "Effort, time losses and forfeits"
    return [Section("moves", title, _moves(results, grading)), *sections]


def grading_warnings(results: StudyResults, grading: CourseGrading | None) -> Iterator[str]:
    """Yield the warnings for the top of the report: games lost early, and failed checks."""
    yield from early_losses_in_words(results)
    if grading is None:
        return
    failed = sum(len(graded.failed) for graded in grading.files.values())
    if failed:
        tried = sum(check.tried > 0 for graded in grading.files.values() for check in graded.checks)
        names = dict.fromkeys(check.name for file in grading.files.values() for check in file.failed)
        yield f"{failed} of {counted(tried, 'check')} failed: {listed([*names])}."


def grading_json(grading: CourseGrading) -> dict[str, Any]:
    """Return the grading as JSON."""
    return {
        "early_losses": [
            {
                "agent": one.name,
                "reason": one.failure.reason,
                "games": one.failure.lost,
                "position": one.position,
                "note": one.failure.note,
            }
            for one in grading.early
        ],
        "lessons": {file: _file_json(graded) for file, graded in grading.files.items()},
    }


def _file_json(graded: FileGrading) -> dict[str, Any]:
    found = graded.calibration
    return {
        "lessons": [_check_json(check) for check in graded.checks],
        "calibration": None if found is None else calibration_json(found),
        "not_calibrated": list(graded.not_calibrated),
    }


def _check_json(check: Check) -> dict[str, Any]:
    return {
        "topic": check.topic,
        "name": check.name,
        "whose": check.whose,
        "question": check.question,
        "tried": check.tried,
        "wrong": check.wrong,
        "skipped": check.skipped,
        "examples": [{"position": one.position, "told": one.text} for one in check.examples],
    }


# The games


EARLY_KEYS: Final[Mapping[str, Reason]] = {
    "time": Reason.TIME,
    "illegal": Reason.ILLEGAL_MOVE,
    "resigned": Reason.RESIGNATION,
    "crashed": Reason.CRASH,
    "memory": Reason.MEMORY,
}
"""The columns of early losses in files; screens show them in one column."""


def _moves(results: StudyResults, grading: CourseGrading) -> list[Block]:
    blocks: list[Block] = [_moves_table(results.parts)]
    if not grading.early:
        return blocks
    shown = [_illustration(f"{one.failure.describe(one.name)}; first here", one.position) for one in grading.early]
    return [*blocks, Illustrations(shown)]


def _illustration(text: str, position: str) -> Illustration:
    return Illustration(text, f"isolarium analyze '{position}'", draw_svg(parse_position(position)))


def _moves_table(parts: Sequence[PartResult]) -> Table:
    columns = (
        Column("agent", "agent", "<", repeats=True),
        Column("games", "games"),
        Column("early", "lost\nearly"),
        Column("plies", "plies\na move", form=".1f"),
        Column("positions", "positions\na move", form=",.0f"),
        Column("a_second", "positions\na second", form=",.0f", can_go=True),
        *(Column(key) for key in EARLY_KEYS),
    )
    rows = [
        _moves_row(name, figures)
        for part in parts
        for name, figures in zip(part.part.agents, part.results.agents, strict=False)
    ]
    notes = (
        "early: on time, by an illegal move, a resignation or a crash",
        "the course counts the last three as forfeits",
    )
    title = "Effort per move, and games lost early"
    return Table("moves", title, columns, rows, notes=notes, is_file=True)


def _moves_row(name: str, figures: AgentFigures) -> Row:
    return {
        "agent": name,
        "games": figures.games,
        "early": sum(early_losses_of(figures).values()),
        "plies": figures.mean_depth,
        "positions": figures.mean_nodes,
        "a_second": per_second(figures.nodes, figures.time_ms / 1e3) if figures.nodes else None,
        **{key: figures.losses[reason] for key, reason in EARLY_KEYS.items()},
    }


# The checks


def check_blocks(checks: Sequence[Check], file: str, seed: int) -> Iterator[Block]:
    """Yield the results of a file's checks, and the failures of each with its command."""
    tried = [check for check in checks if check.tried]
    failed = [check for check in checks if check.wrong]
    if failed:
        yield Paragraph(f"{len(failed)} of {counted(len(tried), 'check')} failed.")
    elif not tried:
        yield Paragraph("No check could be run.")
    else:
        yield Paragraph(f"All {counted(len(tried), 'check')} passed.")
    yield checks_table(checks)
    for check in failed:
        yield from failed_check(check, check_command(check, file, seed))
    skipped = [check for check in checks if not check.tried]
    if skipped:
        yield Paragraph("Not checked:")
        yield Listing([f"{one.name}, {one.whose}: {one.skipped}" for one in skipped])


def checks_table(checks: Sequence[Check]) -> Table:
    """Return the results of checks, failed ones first."""
    columns = (
        Column("name", "check", "<", repeats=True),
        Column("answer", "result", "<"),
        Column("whose", "of", "<", shrinks=True),
        Column("question"),
        Column("tried"),
    )
    rows: list[Row] = [
        {
            "name": check.name,
            "whose": check.whose,
            "answer": check_result(check),
            "question": check.question,
            "tried": _tried(check),
        }
        for check in sorted(checks, key=_failures_first)
    ]
    return Table("lessons", "The checks", columns, rows, is_file=True)


def _failures_first(check: Check) -> int:
    return 0 if check.wrong else 1 if check.is_passed else 2


def check_result(check: Check) -> str:
    """Return a check's result, such as `37 of 40 failed`."""
    if check.wrong:
        return f"{check.wrong} of {check.tried} failed"
    if not check.is_passed:
        return "not checked"
    return f"{check.tried} of {check.tried} passed"


def check_command(check: Check, file: str, seed: int) -> str:
    """Return the command that repeats a check."""
    which = f"{check.name.replace(' ', '-')}:{check.whose}"
    return f"isolarium course {quote(file)} --check {quote(which)} --seed {seed}"


def _tried(check: Check) -> str:
    cut = ", then out of time" if check.is_cut_short else ""
    return f"{counted(check.tried, check.unit, PLURALS[check.unit])}{cut}" if check.tried else ""


PLURALS: Final = {"position": "positions", "search": "searches"}


def failed_check(check: Check, command: str) -> Iterator[Block]:
    """Yield what a check found, the command that repeats it, and its first failures."""
    yield Paragraph(
        f"{check.name}, {check.whose}: {check.question} No: {check.wrong} of {_tried(check)} failed. {check.advice}"
    )
    yield Command(command)
    if check.examples:
        yield Illustrations([_illustration(one.text, one.position) for one in check.examples])


def _calibration(graded: FileGrading) -> Iterator[Block]:
    for why in graded.not_calibrated:
        yield Paragraph(f"Not measured: {why}")
    if graded.calibration is not None:
        yield from calibration_blocks(graded.calibration)
