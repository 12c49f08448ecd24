"""The report on course agents: effort, early losses, checks and calibration."""

from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import Any, Final

from isolarium.arena.game_counts import AgentFigures
from isolarium.course.course_study import CourseGrading
from isolarium.course.grading.check import Check
from isolarium.course.grading.grader import FileGrading
from isolarium.course.verdict import early_losses_in_words, early_losses_of
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
from isolarium.studies.study_results import PartResult, StudyResults
from isolarium.text import counted, listed


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
