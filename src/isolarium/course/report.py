"""What a teacher would say of somebody's agents of the course: their games first, then all that was looked at."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from isolarium.arena.results import AgentFigures
from isolarium.course.grading.check import Lesson
from isolarium.course.grading.grader import Lessons
from isolarium.game.notation import parse_position
from isolarium.game.outcome import Reason
from isolarium.game.svg import draw_svg
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
from isolarium.speed import per_second
from isolarium.studies.study_results import PartResult, StudyFindings
from isolarium.text import counted


def lesson_sections(found: StudyFindings) -> list[Section]:
    """The sections of a study with lessons; none for others."""
    if not found.study.lessons:
        return []
    sections = [Section("moves", "Effort, time losses and forfeits", _moves(found))]
    for number, (file, lessons) in enumerate(found.lessons.items(), start=1):
        of_file = f" of {file}" if len(found.lessons) > 1 else ""
        sections.append(
            Section(f"lessons-{number}", f"What a teacher would say{of_file}", [*_teacher(lessons)])
        )
        if lessons.calibration is not None or lessons.not_calibrated:
            title = f"The scores{of_file} against solved positions"
            sections.append(Section(f"calibration-{number}", title, [*_calibration(lessons)]))
    return sections


def lesson_warnings(found: StudyFindings) -> Iterator[str]:
    """What a reader of the first screen must know."""
    wrong = sum(len(lessons.wrong) for lessons in found.lessons.values())
    if wrong:
        yield f"A teacher would have something to say: {counted(wrong, 'finding')}, below."


def lessons_json(found: StudyFindings) -> dict[str, Any]:
    """The same for programs."""
    return {
        "early_losses": [
            {
                "agent": one.name,
                "reason": one.failure.reason,
                "games": one.failure.lost,
                "position": one.position,
                "note": one.failure.note,
            }
            for one in found.early
        ],
        "lessons": {file: _file_json(lessons) for file, lessons in found.lessons.items()},
    }


def _file_json(lessons: Lessons) -> dict[str, Any]:
    found = lessons.calibration
    return {
        "lessons": [_lesson_json(lesson) for lesson in lessons.lessons],
        "calibration": None if found is None else calibration_json(found),
    }


def _lesson_json(lesson: Lesson) -> dict[str, Any]:
    return {
        "topic": lesson.topic,
        "whose": lesson.whose,
        "question": lesson.question,
        "tried": lesson.tried,
        "wrong": lesson.wrong,
        "skipped": lesson.skipped,
        "examples": [{"position": one.position, "told": one.told} for one in lesson.examples],
    }


# The games


EARLY: Final[Mapping[str, tuple[str, Reason]]] = {
    "time": ("lost\non time", Reason.TIME),
    "illegal": ("illegal\nmove", Reason.ILLEGAL_MOVE),
    "resigned": ("resigned", Reason.RESIGNATION),
    "crashed": ("crashed", Reason.CRASH),
}
"""How games end early, running out of memory aside."""


def _moves(found: StudyFindings) -> list[Block]:
    blocks: list[Block] = [_moves_table(part) for part in found.parts]
    if not found.early:
        return blocks
    shown = [
        _shown(f"{one.failure.told(one.name)}; first here", one.position) for one in found.early
    ]
    return [*blocks, Illustrations(shown)]


def _shown(told: str, position: str) -> Illustration:
    return Illustration(told, f"isolarium analyze '{position}'", draw_svg(parse_position(position)))


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
    note = "a forfeit of the course is an illegal move, a resignation or a crash; Isolarium's own agents are compiled"
    title = "What a move took, and games lost otherwise than by having no moves"
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


# The lessons


def _teacher(lessons: Lessons) -> Iterator[Block]:
    asked = [lesson for lesson in lessons.lessons if lesson.tried]
    wrong = lessons.wrong
    if wrong:
        yield Paragraph(f"{len(wrong)} of {counted(len(asked), 'question')} found something wrong.")
    else:
        yield Paragraph(f"All is well: {counted(len(asked), 'question')} found nothing wrong.")
    yield _questions(lessons)
    for lesson in wrong:
        yield from _finding(lesson)
    unasked = [lesson for lesson in lessons.lessons if not lesson.tried]
    if unasked:
        yield Paragraph("Not asked:")
        yield Listing([f"{one.whose}, {one.question} {one.skipped}" for one in unasked])


def _questions(lessons: Lessons) -> Table:
    columns = (
        Column("whose", "of", "<", repeats=True),
        Column("question", "asked", "<", shrinks=True),
        Column("tried", "tried", "<"),
        Column("answer", "answer", "<"),
    )
    rows: list[Row] = [
        {
            "whose": lesson.whose,
            "question": lesson.question,
            "tried": _tried(lesson),
            "answer": _answer(lesson),
        }
        for lesson in lessons.lessons
    ]
    return Table("lessons", "What was looked at", columns, rows, is_file=True)


def _tried(lesson: Lesson) -> str:
    cut = ", then it took too long" if lesson.is_cut_short else ""
    return f"{counted(lesson.tried, lesson.unit, MANY[lesson.unit])}{cut}" if lesson.tried else ""


MANY: Final = {"position": "positions", "search": "searches"}


def _answer(lesson: Lesson) -> str:
    if lesson.wrong:
        return f"NO: {lesson.wrong} wrong"
    return "yes" if lesson.is_fine else "not asked"


def _finding(lesson: Lesson) -> Iterator[Block]:
    many = counted(lesson.tried, lesson.unit, MANY[lesson.unit])
    yield Paragraph(
        f"{lesson.whose}: {lesson.question} No: {lesson.wrong} of {many} went wrong. {lesson.advice}"
    )
    if lesson.examples:
        yield Illustrations([_shown(one.told, one.position) for one in lesson.examples])


def _calibration(lessons: Lessons) -> Iterator[Block]:
    if lessons.calibration is None:
        yield Paragraph(f"Not measured: {lessons.not_calibrated}")
    else:
        yield from calibration_blocks(lessons.calibration)
