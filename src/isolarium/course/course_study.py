"""A course project as a study: the course's tournament, followed by grading."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from isolarium.agents import AgentFailure, parse_agent
from isolarium.arena.game_batch import REASON_CODES, REASONS, GameBatch
from isolarium.arena.openings import random_openings
from isolarium.arena.plan import FIELDS, Format
from isolarium.arena.results import Failure, failures, read_results
from isolarium.arena.run_db import Record
from isolarium.course.agent_checks import USUAL_CALLS
from isolarium.course.course_agent import CourseFile
from isolarium.course.grader import Entrant, EntrantGroup, FileGrading, board_of, grade_file, groups_of
from isolarium.errors import InputError, quoted
from isolarium.game.position import Reason
from isolarium.processes.rpc import NO_ANSWER
from isolarium.spec.parser import COURSE, tree_of
from isolarium.spec.resolve import read_specs
from isolarium.studies.study import Study, StudyPart
from isolarium.studies.study_file import format_study
from isolarium.studies.study_results import StudyResults
from isolarium.studies.study_runner import StudyRun
from isolarium.text import listed

USUAL_FILES: Final = ("game_agent.py", "my_custom_player.py")
"""The names of the files that students hand in."""
OPPONENTS: Final = dict(
    zip(
        ("Random", "MM_Open", "MM_Center", "MM_Improved", "AB_Open", "AB_Center", "AB_Improved"),
        FIELDS["course"],
        strict=True,
    )
)
"""The specs of the opponents by the course's names for them."""
OWN_BASELINE: Final = "Isolarium's AB_Improved"
"""The baseline of agents that take no score function: alpha-beta with `improved`."""
OWN_BASELINE_SPEC: Final = OPPONENTS["AB_Improved"]
ABOUT: Final = (
    "The agents of {file} in the course's tournament. {limit} The opponents are Isolarium's own: a random player, "
    "minimax at depth 3, and alpha-beta with 8,000 nodes a move, about what the course's programs visit in 150 ms. "
    "Games come in pairs: each opening is played twice, with the sides swapped."
)
COMPARED_WITH_YOURS: Final = (
    "Compared with {baseline}: {class_name} with the course's improved_score, as in the course's own tournament."
)
COMPARED_WITH_OURS: Final = (
    "Compared with Isolarium's alpha-beta with the same score as the course's improved_score (own moves minus the "
    "opponent's) and 8,000 nodes a move, because {class_names} takes no score function."
)
NOT_COMPARED: Final = "Not compared: {class_name} cannot play ({why})."


def find_agent_file(path: str) -> str:
    """Return the path of a project's agent file, given the file or its folder.

    Raises:
        InputError: If a folder has no such file.
    """
    if not Path(path).is_dir():
        return path
    for name in USUAL_FILES:
        if (Path(path) / name).is_file():
            return str(Path(path) / name)
    message = f"no {' and no '.join(USUAL_FILES)} in it"
    raise InputError(f"{quoted(path)}: {message}; expected the agent's file, or its folder")


def course_study(path: str, *, calls: int | None, ms: float | None, pairs: int, seed: int) -> Study:
    """Return the course's tournament for the agents of a file.

    Each class with a score function is a part of its own, in which it also plays with the course's `improved_score`:
    the baseline. A class that fails on its first move comes last and has no baseline.

    Args:
        path: The file.
        calls: The positions that an agent may generate per move; the usual number if neither limit is given.
        ms: Milliseconds per move, instead of `calls`.
        pairs: Pairs of games against each opponent.
        seed: Random seed; with `calls`, the same seed reproduces the same games.

    Raises:
        InputError: If the file cannot be loaded, or has no agents.
    """
    file, calls = CourseFile(path), calls or USUAL_CALLS
    if ms is None:
        limit = f"calls={calls}"
        about = f"They may generate {calls:,} positions a move, so the games are the same on every machine."
        if calls < USUAL_CALLS:
            about += f" That is less than the {USUAL_CALLS:,} nodes of the opponents' alpha-beta."
    else:
        limit = f"ms={ms:g}"
        about = f"They have {ms:g} ms a move by the clock, so the games differ from run to run."
    name = Path(path).name
    fields = _fields(file, limit, seed)
    parts = [
        StudyPart(
            name="tournament" if number == 1 else f"tournament-{number}",
            title=f"The course's tournament{f': {one.title}' if len(fields) > 1 else ''}",
            about=one.about,
            format=Format.GAUNTLET,
            agents=tuple(one.agents),
            opponents=tuple(OPPONENTS),
            board=str(board_of(file)),
            pairs=pairs,
            seed=seed,
            baseline=one.baseline,
        )
        for number, one in enumerate(fields, start=1)
    ]
    study = Study(
        name=f"course-{Path(path).stem}",
        title=f"{name} in the course's tournament",
        about=ABOUT.format(file=name, limit=about),
        limit=limit,
        agents={**{name: spec for one in fields for name, spec in one.agents.items()}, **OPPONENTS},
        parts=tuple(parts),
        is_graded=True,
    )
    study.check()
    return replace(study, text=format_study(study))


@dataclass(frozen=True, slots=True)
class _Field:
    """The agents that are compared with the same baseline.

    Attributes:
        title: Their classes.
        about: The comparison, and the reason for it.
        agents: Their specs by name.
        baseline: The name of the baseline among them; empty if there is none.
    """

    title: str
    about: str
    agents: Mapping[str, str]
    baseline: str = ""


def _fields(file: CourseFile, limit: str, seed: int) -> list[_Field]:
    """Return a file's agents by baseline; those that cannot play come last."""
    groups = groups_of(file)
    read_specs([_spec(file, one) for group in groups for one in group.entrants])
    problems = {id(group): _first_failure(file, group, limit, seed) for group in groups}
    able = [group for group in groups if not problems[id(group)]]
    with_scores = [group for group in able if group.baseline is not None]
    alike = [group for group in able if group.baseline is None]
    fields = [_field_with_baseline(file, group) for group in with_scores]
    if alike:
        about = COMPARED_WITH_OURS.format(class_names=listed([one.class_name for one in alike]))
        specs = {**_specs(file, alike), OWN_BASELINE: OWN_BASELINE_SPEC}
        fields.append(_Field(_title(alike), about, specs, OWN_BASELINE))
    for group in groups:
        if problems[id(group)]:
            about = NOT_COMPARED.format(class_name=group.class_name, why=problems[id(group)])
            fields.append(_Field(_title([group]), about, _specs(file, [group])))
    return fields


def _field_with_baseline(file: CourseFile, group: EntrantGroup) -> _Field:
    assert group.baseline is not None
    name, whose = group.baseline.name, group.class_name
    about = COMPARED_WITH_YOURS.format(baseline=name, class_name=whose)
    specs = {name: _spec(file, group.baseline), **_specs(file, [group])}
    return _Field(_title([group]), about, specs, name)


def _title(groups: Sequence[EntrantGroup]) -> str:
    methods = {"AB": "alpha-beta", "MM": "minimax"}
    return listed([methods.get(group.prefix, group.prefix) for group in groups])


def _specs(file: CourseFile, groups: Sequence[EntrantGroup]) -> dict[str, str]:
    return {one.name: _spec(file, one) for group in groups for one in group.entrants}


def _spec(file: CourseFile, entrant: Entrant) -> str:
    return file.spec(entrant.class_name, entrant.arguments)


def _first_failure(file: CourseFile, group: EntrantGroup, limit: str, seed: int) -> str:
    """Return the reason why a group's agent fails on its first move, or an empty text.

    Only failures that would end a run count: crashes, running out of memory, and never answering.
    """
    spec = f"{_spec(file, group.baseline or group.entrants[0])}@{limit}"
    board = board_of(file)
    position = next(random_openings(board, seed)).position(board)
    try:
        with closing(parse_agent(spec)) as agent:
            agent.new_game(seed)
            agent.choose(position)
    except AgentFailure as failure:
        is_silent = failure.reason is Reason.TIME and NO_ANSWER in str(failure)
        if is_silent or failure.reason in (Reason.CRASH, Reason.MEMORY):
            return str(failure).removeprefix(f"{spec}: ")
    return ""


# Grading


@dataclass(frozen=True, slots=True)
class EarlyLosses:
    """The games that an agent lost early for the same reason.

    Attributes:
        name: The agent's name.
        failure: The number of games, and the message of the first game.
        position: The final position of the first game.
    """

    name: str
    failure: Failure
    position: str


@dataclass(frozen=True, slots=True)
class CourseGrading:
    """The grading of a study's course agents.

    Attributes:
        early: The games that players lost other than by running out of moves.
        files: The grading of each file.
    """

    early: Sequence[EarlyLosses] = ()
    files: Mapping[str, FileGrading] = field(default_factory=dict)


def grade_study(results: StudyResults, run: StudyRun, progress: Callable[[str], None]) -> CourseGrading:
    """Grade the course agents of a finished study.

    Args:
        results: The study's results.
        run: The study's run.
        progress: Called with a description of each step.

    Raises:
        InputError: If a file can no longer be loaded.
    """
    early = list[EarlyLosses]()
    for part in results.parts:
        with closing(Record(run.folder / part.part.name)) as record:
            early += early_losses(record, part.part.players)
    seed = results.study.parts[0].seed
    files = {file: grade_file(CourseFile(file), seed, progress) for file in _files(results)}
    return CourseGrading(early, files)


def _files(results: StudyResults) -> list[str]:
    """Return the files of the course agents under test."""
    trees = [tree_of(spec) for part in results.parts for spec in part.plan.agents]
    files = [file for tree in trees if tree.search.word == COURSE for file in tree.files]
    return list(dict.fromkeys(files))


def early_losses(record: Record, names: Sequence[str]) -> list[EarlyLosses]:
    """Return each player's early losses by reason, with the position of the first.

    Args:
        record: The run's database.
        names: The players' names, in the plan's order.
    """
    where = dict[tuple[int, Reason], str]()

    def note(batch: GameBatch, _clusters: object) -> None:
        for number in np.flatnonzero(batch.reasons != REASON_CODES[Reason.NO_MOVES]).tolist():
            key = (int(batch.losing_players[number]), REASONS[batch.reasons[number]])
            if key not in where:
                where[key] = str(batch.game(number).record(record.board).position)

    found = failures(read_results(record, note))
    return [EarlyLosses(names[one.player], one, where[one.player, one.reason]) for one in found]
