"""The report on course agents: effort, early losses, checks and calibration."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from isolarium.arena.results import AgentFigures
from isolarium.course.course_study import CourseGrading
from isolarium.course.grading.check import Check
from isolarium.course.grading.grader import FileGrading
from isolarium.game.notation import parse_position
from isolarium.game.outcome import Reason
from isolarium.game.svg import draw_svg
from isolarium.limits import per_second
from isolarium.reporting.exact_tables import calibration_blocks, calibration_json
from isolarium.reporting.model import (
    Block,
    Column,
    Illustration,
    Illustrations,
    Listing,
    Paragraph,
    Row,
    Section,
    Table,
)
from isolarium.studies.study_results import PartResult, StudyResults
from isolarium.text import counted


def grading_sections(results: StudyResults, grading: CourseGrading) -> list[Section]:
    """Return the sections of a study's grading."""
    title = "Effort, time losses and forfeits"
    sections = [Section("moves", title, _moves(results, grading))]
    for number, (file, graded) in enumerate(grading.files.items(), start=1):
        of_file = f" of {file}" if len(grading.files) > 1 else ""
        sections.append(Section(f"lessons-{number}", f"Checks{of_file}", [*_checks(graded)]))
        if graded.calibration is not None or graded.not_calibrated:
            title = f"The scores{of_file} on solved positions"
            sections.append(Section(f"calibration-{number}", title, [*_calibration(graded)]))
    return sections


def grading_warnings(grading: CourseGrading) -> Iterator[str]:
    """Yield a warning for the top of the report if checks failed."""
    failed = sum(len(graded.failed) for graded in grading.files.values())
    if failed:
        tried = sum(check.tried > 0 for graded in grading.files.values() for check in graded.checks)
        yield f"{failed} of {counted(tried, 'check')} failed; see the checks below."


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
        "whose": check.whose,
        "question": check.question,
        "tried": check.tried,
        "wrong": check.wrong,
        "skipped": check.skipped,
        "examples": [{"position": one.position, "told": one.text} for one in check.examples],
    }


# The games


EARLY: Final[Mapping[str, tuple[str, Reason]]] = {
    "time": ("lost\non time", Reason.TIME),
    "illegal": ("illegal\nmove", Reason.ILLEGAL_MOVE),
    "resigned": ("resigned", Reason.RESIGNATION),
    "crashed": ("crashed", Reason.CRASH),
}
"""The columns of early losses, with memory failures only if there were any."""


def _moves(results: StudyResults, grading: CourseGrading) -> list[Block]:
    blocks: list[Block] = [_moves_table(part) for part in results.parts]
    if not grading.early:
        return blocks
    shown = [
        _illustration(f"{one.failure.describe(one.name)}; first here", one.position)
        for one in grading.early
    ]
    return [*blocks, Illustrations(shown)]


def _illustration(text: str, position: str) -> Illustration:
    return Illustration(text, f"isolarium analyze '{position}'", draw_svg(parse_position(position)))


def _moves_table(part: PartResult) -> Table:
    columns = (
        Column("agent", "agent", "<", repeats=True),
        Column("games", "games"),
        Column("plies", "plies\na move", form=".1f"),
        Column("positions", "positions\na move", form=",.0f"),
        Column("a_second", "positions\na second", form=",.0f"),
        *(Column(key, heading) for key, (heading, _) in EARLY.items()),
        Column("memory", "out of\nmemory" if _ran_out(part) else None),
    )
    rows = [
        _moves_row(name, figures)
        for name, figures in zip(part.part.players, part.results.agents, strict=True)
    ]
    note = "the course counts illegal moves, resignations and crashes as forfeits; Isolarium's own agents are compiled"
    title = "Effort per move, and games lost other than by having no moves"
    return Table("moves", title, columns, rows, notes=(note,), is_file=True)


def _ran_out(part: PartResult) -> bool:
    return any(figures.losses[Reason.MEMORY] for figures in part.results.agents)


def _moves_row(name: str, figures: AgentFigures) -> Row:
    return {
        "agent": name,
        "games": figures.games,
        "plies": figures.mean_depth,
        "positions": figures.mean_nodes,
        "a_second": per_second(figures.nodes, figures.time_ms / 1e3) if figures.nodes else None,
        "memory": figures.losses[Reason.MEMORY],
        **{key: figures.losses[reason] for key, (_, reason) in EARLY.items()},
    }


# The checks


def _checks(graded: FileGrading) -> Iterator[Block]:
    tried = [check for check in graded.checks if check.tried]
    failed = graded.failed
    if failed:
        yield Paragraph(f"{len(failed)} of {counted(len(tried), 'check')} failed.")
    else:
        yield Paragraph(f"All {counted(len(tried), 'check')} passed.")
    yield _table(graded)
    for check in failed:
        yield from _failed_check(check)
    skipped = [check for check in graded.checks if not check.tried]
    if skipped:
        yield Paragraph("Not checked:")
        yield Listing([f"{one.whose}: {one.question} {one.skipped}" for one in skipped])


def _table(graded: FileGrading) -> Table:
    columns = (
        Column("whose", "checked", "<", repeats=True),
        Column("question", "question", "<", shrinks=True),
        Column("tried", "tried on", "<"),
        Column("answer", "answer", "<"),
    )
    rows: list[Row] = [
        {
            "whose": check.whose,
            "question": check.question,
            "tried": _tried(check),
            "answer": _answer(check),
        }
        for check in graded.checks
    ]
    return Table("lessons", "The checks", columns, rows, is_file=True)


def _tried(check: Check) -> str:
    cut = ", then out of time" if check.is_cut_short else ""
    return f"{counted(check.tried, check.unit, PLURALS[check.unit])}{cut}" if check.tried else ""


PLURALS: Final = {"position": "positions", "search": "searches"}


def _answer(check: Check) -> str:
    if check.wrong:
        return f"NO: {check.wrong} failed"
    return "yes" if check.is_passed else "not checked"


def _failed_check(check: Check) -> Iterator[Block]:
    tries = counted(check.tried, check.unit, PLURALS[check.unit])
    yield Paragraph(
        f"{check.whose}: {check.question} No: {check.wrong} of {tries} failed. {check.advice}"
    )
    if check.examples:
        yield Illustrations([_illustration(one.text, one.position) for one in check.examples])


def _calibration(graded: FileGrading) -> Iterator[Block]:
    for why in graded.not_calibrated:
        yield Paragraph(f"Not measured: {why}")
    if graded.calibration is not None:
        yield from calibration_blocks(graded.calibration)
