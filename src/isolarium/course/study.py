"""Somebody's project of the course as a study: its agents in the course's tournament, then a teacher's look at it."""

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

from isolarium.arena.plan import FIELDS
from isolarium.arena.run_db import Record
from isolarium.course.file_inspection import CourseFile
from isolarium.course.grading.forfeits import early_losses
from isolarium.course.grading.grader import board_of, entrants_of, teach
from isolarium.course.grading.move_checks import USUAL_CALLS
from isolarium.errors import InputError, quoted
from isolarium.spec.parser import COURSE, tree_of
from isolarium.studies.study import Study
from isolarium.studies.study_file import parse_study
from isolarium.studies.study_results import StudyFindings
from isolarium.studies.study_runner import BegunStudy

USUAL_FILES: Final = ("game_agent.py", "my_custom_player.py")
"""What the file is called that students hand in."""
OPPONENTS: Final = dict(
    zip(
        ("Random", "MM_Open", "MM_Center", "MM_Improved", "AB_Open", "AB_Center", "AB_Improved"),
        FIELDS["course"],
        strict=True,
    )
)
"""The opponents as the course names them."""
ABOUT: Final = (
    "The agents of {file} in the course's tournament. {limit} "
    "The opponents are Isolarium's own: a random player, minimax "
    "to depth 3, and alpha-beta with 8,000 nodes a move, which is what the course's programs visit in 150 ms. Every "
    "two meet in pairs of games: the same opening twice, with the sides swapped."
)


def find_agent_file(path: str) -> str:
    """The file of a project: the one that is named, or the usual one of a folder.

    Raises:
        InputError: there is none.
    """
    if not Path(path).is_dir():
        return path
    for name in USUAL_FILES:
        if (Path(path) / name).is_file():
            return str(Path(path) / name)
    told = f"no {' and no '.join(USUAL_FILES)} in it"
    raise InputError(f"{quoted(path)}: {told}; expected the agent's file, or its folder")


def course_study(path: str, *, calls: int | None, ms: float | None, pairs: int, seed: int) -> Study:
    """The course's tournament for the agents of a file.

    Args:
        path: the file, as a person gave it.
        calls: positions that they may ask for in a move; as many as is usual if neither is given.
        ms: milliseconds that they have for a move, instead of that.
        pairs: pairs of games against each opponent.
        seed: what openings are drawn from, and whatever is left to chance.

    Raises:
        InputError: it cannot be loaded, or there are no agents in it.
    """
    file, calls = CourseFile(path), calls or USUAL_CALLS
    agents = {one.name: file.spec(one.class_name, one.arguments) for one in entrants_of(file)}
    limit, told = (
        f"calls={calls}",
        (
            f"In a move they may ask for {calls:,} positions: so the games are the same on every machine."
        ),
    )
    if ms is not None:
        limit, told = (
            f"ms={ms:g}",
            (
                f"They have {ms:g} ms for a move, by the clock: so the games differ from one time to the next."
            ),
        )
    name = Path(path).name
    lines = [
        f"title = {_quoted(f'{name} in the tournament of the course')}",
        f"about = {_quoted(ABOUT.format(file=name, limit=told))}",
        f"limit = {_quoted(limit)}",
        "lessons = true",
        "",
        "[agents]",
        *(f"{_quoted(key)} = {_quoted(spec)}" for key, spec in {**agents, **OPPONENTS}.items()),
        "",
        "[[part]]",
        'name = "tournament"',
        'title = "The tournament of the course"',
        'format = "gauntlet"',
        f"agents = {_quoted([*agents])}",
        f"opponents = {_quoted([*OPPONENTS])}",
        f"board = {_quoted(str(board_of(file)))}",
        f"pairs = {pairs}",
        f"seed = {seed}",
    ]
    return parse_study("\n".join(lines) + "\n", f"course-{Path(path).stem}", Path(), path)


def _quoted(value: object) -> str:
    """As TOML has it, which writes texts and lists of them as JSON does."""
    return json.dumps(value, ensure_ascii=False)


def with_lessons(
    found: StudyFindings, begun: BegunStudy, progress: Callable[[str], None]
) -> StudyFindings:
    """What a study found with what a teacher would say of each file of the course in it.

    Raises:
        InputError: a file cannot be loaded any more.
    """
    early = []
    for part in found.parts:
        with closing(Record(begun.folder / part.part.name)) as record:
            early += early_losses(record, part.part.players)
    seed = found.study.parts[0].seed
    lessons = {file: teach(CourseFile(file), seed, progress) for file in _files(found)}
    return replace(found, lessons=lessons, early=early)


def _files(found: StudyFindings) -> list[str]:
    """The files of the agents under test that are of the course."""
    trees = [tree_of(spec) for part in found.parts for spec in part.plan.agents]
    files = [file for tree in trees if tree.search.word == COURSE for file in tree.files]
    return list(dict.fromkeys(files))
