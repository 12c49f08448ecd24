"""The run of a class in its folder: qualification, checks and one tournament.

The folder holds the roster with this user's signature, the copies of the submissions, the checks of
each, and two ordinary runs. Everything finished is kept, so an interrupted class can be resumed.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter, ValidationError

from isolarium.arena.local_workers import LOG_NAME, write_to_log
from isolarium.arena.plan import Format, Plan
from isolarium.arena.results import Results, failures
from isolarium.arena.run_db import FILE_NAME
from isolarium.arena.run_store import find_group, new_folder, unsigned_files, write_group
from isolarium.arena.session import SILENT, Listener, Session
from isolarium.course.agent_checks import USUAL_CALLS
from isolarium.course.check import Check
from isolarium.course.course_agent import CourseFile
from isolarium.course.course_study import OPPONENTS
from isolarium.course.grader import check_file
from isolarium.course.roster import Submission, collect, copy_of
from isolarium.errors import InputError
from isolarium.processes.worker import default_workers, results_in_order
from isolarium.removal import remove_tree
from isolarium.safe_files import MOST_TEXT, read_text_file, write_whole
from isolarium.spec.parser import tree_of
from isolarium.spec.resolve import read_specs
from isolarium.stats import LEAST_OPENINGS
from isolarium.text import counted, duration

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

ROSTER: Final = "class.json"
SUBMISSIONS, CHECKS = "submissions", "checks"
QUALIFYING, TOURNAMENT = "qualifying", "tournament"
QUALIFIERS: Final = ("Random", "AB_Improved")
"""The opponents of the qualification: a random one and a strong one."""
CHECK_S: Final = 15.0
"""The usual processor time of checking a submission, for the estimate."""
LONG_S: Final = 10 * 3600.0
"""With a longer estimate than a night, shorter tournaments are suggested."""


@dataclass(frozen=True, slots=True)
class Roster:
    """A class and its settings, as stored in its folder.

    Attributes:
        name: The name of the class: its folder's.
        board: ROWSxCOLS.
        limit: The limit of the submissions, such as `calls=8000`.
        pairs: Pairs of games per encounter.
        seed: The random seed.
        submissions: The submissions by number.
    """

    name: str
    board: str
    limit: str
    pairs: int
    seed: int
    submissions: tuple[Submission, ...]


ROSTERS: Final = TypeAdapter(Roster)
CHECKED: Final = TypeAdapter(list[Check])


@dataclass(frozen=True, slots=True)
class ClassRun:
    """A class and the folder in which it is played."""

    roster: Roster
    folder: Path


@dataclass(frozen=True, slots=True)
class ClassResults:
    """The results of a class so far.

    Attributes:
        run: The class.
        problems: Why submissions do not play in the tournament, by number.
        qualifying: The results of the qualification.
        results: The tournament's results; None before it begins.
        checks: The checks of each submission, by number.
    """

    run: ClassRun
    problems: Mapping[int, str]
    qualifying: Results
    results: Results | None
    checks: Mapping[int, Sequence[Check]]

    @property
    def is_finished(self) -> bool:
        """Whether every game is played that can be."""
        if self.results is None:
            return self.qualifying.finished and len(self.problems) == len(self.run.roster.submissions)
        return self.results.finished


def begin_class(
    name: str,
    folders: Sequence[Path],
    runs: Path,
    *,
    calls: int | None = None,
    ms: float | None = None,
    pairs: int,
    seed: int,
    pseudonyms: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> ClassRun:
    """Copy and load the submissions of a class into a new folder of `runs`.

    Args:
        name: The name of the class.
        folders: The folders of the submissions.
        runs: The folder of all runs.
        calls: The positions that an agent may generate per move; the usual number if neither limit is given.
        ms: Milliseconds per move, instead of `calls`.
        pairs: Pairs of games per encounter.
        seed: Random seed.
        pseudonyms: Whether pages show drawn names instead of the folders'.
        progress: Called with a description of each step.

    Raises:
        InputError: If no submission can be loaded, or the folder cannot be written.
    """
    limit = f"calls={calls or USUAL_CALLS}" if ms is None else f"ms={ms:g}"
    folder = new_folder(runs, f"class-{name}").resolve()
    try:
        if tree_of(f"course:{folder}/x.py:Player").files != (f"{folder}/x.py",):
            raise InputError(f"{folder}: expected a path without commas, brackets or colons")
        found, board = collect(folders, folder / SUBMISSIONS, pseudonyms=pseudonyms, progress=progress)
        roster = Roster(name, board, limit, pairs, seed, tuple(found))
        write_group(folder, {ROSTER: json.dumps(asdict(roster), ensure_ascii=False) + "\n"})
    except BaseException:
        remove_tree(folder)
        raise
    return ClassRun(roster, folder)


def is_class(folder: Path) -> bool:
    """Whether a folder holds the run of a class."""
    return (folder / ROSTER).is_file()


def find_class(name: str, runs: Path) -> Path | None:
    """Return the folder of a class by its name, its path, or `last`; None if not found."""
    return find_group(name, runs, is_class)


def open_class(folder: Path) -> ClassRun:
    """Open the class in a folder.

    Raises:
        InputError: If `begin_class` did not write its roster.
    """
    path = folder / ROSTER
    try:
        roster = ROSTERS.validate_json(read_text_file(path, MOST_TEXT))
    except ValidationError as error:
        problem = error.errors()[0]["msg"]
        raise InputError(f"{path}: {problem}; expected the roster of a class") from None
    return ClassRun(roster, folder)


def untrusted_files(folder: Path) -> list[str]:
    """Return the files that resuming a class from another machine would load."""
    return unsigned_files(folder, (ROSTER,), lambda: asdict(open_class(folder).roster))


def play_class(
    run: ClassRun,
    listener: Listener = SILENT,
    workers: int | None = None,
    cluster: "Cluster | None" = None,
    announce: Callable[[str], None] = lambda _: None,
) -> ClassResults:
    """Play the rest of a class, until it ends or the listener stops it.

    Args:
        run: The class.
        listener: Follows the games and checks.
        workers: The number of processes; by default one for each core.
        cluster: A cluster to play the games on.
        announce: Called with the estimate before the checks and the tournament.

    Raises:
        RunAborted: If a run cannot continue.
    """

    def played(name: str, plan: Callable[[], Plan]) -> Results:
        with _session(run.folder / name, plan) as session:
            listener.begin(f"{run.roster.name}, {name}", player_names(run, session.plan))
            session.play(listener, workers, cluster)
            return session.read()

    count, loaded = (workers or default_workers(), [one for one in run.roster.submissions if one.spec])
    qualifying = played(QUALIFYING, lambda: _plan(run, loaded, Format.GAUNTLET))
    problems = _problems(run, qualifying)
    able = [one for one in loaded if one.number not in problems]
    results: Results | None = None
    if qualifying.finished:
        if not (run.folder / TOURNAMENT / FILE_NAME).is_file():
            announce(estimate(run, qualifying, able, count))
        _check_all(run, count, listener)
    if qualifying.finished and able and not listener.is_stopped():
        results = played(TOURNAMENT, lambda: _plan(run, able, Format.ROUND_ROBIN))
    return ClassResults(run, problems, qualifying, results, read_checks(run))


def _session(folder: Path, plan: Callable[[], Plan]) -> Session:
    """Open the run in a folder, which is begun with a plan made only then."""
    if (folder / FILE_NAME).is_file():
        return Session.resume(folder)
    return Session.begin_or_resume(plan(), folder)


def _plan(run: ClassRun, submissions: Sequence[Submission], format: Format) -> Plan:
    """Return the plan of the qualification, a gauntlet, or of the tournament, a round robin.

    Submissions that can no longer be loaded are left out.
    """
    roster, is_first = run.roster, format is Format.GAUNTLET
    specs = [f"{one.spec}@{roster.limit}" for one in submissions if _can_be_loaded(one.spec)]
    opponents = [OPPONENTS[name] for name in QUALIFIERS if is_first]
    return Plan(
        format=format,
        agents=tuple(specs if is_first else [*specs, *OPPONENTS.values()]),
        opponents=tuple(opponents),
        board=roster.board,
        pairs=1 if is_first else roster.pairs,
        seed=roster.seed,
        title=f"{roster.name} {QUALIFYING if is_first else TOURNAMENT}",
    )


def _can_be_loaded(spec: str) -> bool:
    try:
        read_specs([spec])
    except InputError:
        return False
    return True


def number_of(spec: str) -> int | None:
    """Return the number of the submission with a spec; None for an opponent."""
    files = tree_of(spec).files
    return int(Path(files[0]).parent.name) if files else None


def player_names(run: ClassRun, plan: Plan) -> list[str]:
    """Return the names of a plan's players: submissions' labels, and the course's names."""
    labels = {one.number: one.label for one in run.roster.submissions}
    names = {_full(spec): name for name, spec in OPPONENTS.items()}
    numbers = [number_of(spec) for spec in plan.players]
    return [
        names[spec] if number is None else labels[number] for spec, number in zip(plan.players, numbers, strict=True)
    ]


@cache
def _full(spec: str) -> str:
    return str(read_specs([spec])[0])


def _problems(run: ClassRun, qualifying: Results) -> dict[int, str]:
    """Return why submissions do not qualify, by number."""
    found = {one.number: one.problem for one in run.roster.submissions if not one.spec}
    numbers = [number_of(spec) for spec in qualifying.plan.agents]
    for one in failures(qualifying):
        number = numbers[one.player] if one.player < len(numbers) else None
        if number is not None and number not in found:
            found[number] = one.describe("").strip()
    for submission in run.roster.submissions:
        if submission.number not in (*numbers, *found):
            found[submission.number] = "could not be loaded a second time"
    return found


# The estimate


def estimate(run: ClassRun, qualifying: Results, able: Sequence[Submission], workers: int) -> str:
    """Return how long the checks and the tournament will take, from the times of the qualification."""
    loaded = sum(bool(one.spec) for one in run.roster.submissions)
    players, pairs = len(able) + len(OPPONENTS), run.roster.pairs
    games = players * (players - 1) * pairs
    seconds = games_seconds(run, qualifying, able) / workers
    total = loaded * CHECK_S / workers + seconds
    text = (
        f"{len(able)} of {counted(len(run.roster.submissions), 'submission')} qualified; the tournament has "
        f"{games:,} games. With {counted(workers, 'worker')}, the checks and the games take about {duration(total)}."
    )
    if total > LONG_S and pairs > LEAST_OPENINGS:
        text += f" With --pairs {LEAST_OPENINGS}, the games take {LEAST_OPENINGS / pairs:.0%} of that."
    return text


def games_seconds(run: ClassRun, qualifying: Results, able: Sequence[Submission]) -> float:
    """Return the processor time of the tournament, from each agent's time per game."""
    spent = dict[int | None, float]()
    for spec, figures in zip(qualifying.plan.players, qualifying.agents, strict=True):
        number = number_of(spec)
        spent[number] = max(spent.get(number, 0.0), figures.time_ms / max(1, figures.games) / 1e3)
    players = len(able) + len(OPPONENTS)
    each = sum(spent[one.number] for one in able) + len(OPPONENTS) * spent.get(None, 0.0)
    return 2 * run.roster.pairs * (players - 1) * each


# The checks


def _check_all(run: ClassRun, workers: int, listener: Listener) -> None:
    """Check every submission that can be loaded and has not been checked yet."""
    place = run.folder / CHECKS
    place.mkdir(exist_ok=True)
    loaded = [one for one in run.roster.submissions if one.spec]
    left = [one for one in loaded if not (place / f"{one.number:03}.json").is_file()]
    if not left:
        return
    listener.begin(f"{run.roster.name}, {CHECKS}")
    tasks = [
        (str(copy_of(one, run.folder / SUBMISSIONS)), run.roster.seed, str(place / f"{one.number:03}.json"))
        for one in left
    ]
    done = len(loaded) - len(left)
    for _ in results_in_order(check_submission, tasks, workers, is_stopped=listener.is_stopped):
        done += 1
        listener.tell(f"{done} of {counted(len(loaded), 'submission')} checked")


def check_submission(path: str, seed: int, target: str) -> None:
    """Check the file of a submission in a worker process, and write the checks as JSON."""
    write_to_log(Path(target).parents[1] / LOG_NAME)
    try:
        checks = check_file(CourseFile(path), seed, lambda _: None)
    except InputError:  # The file no longer loads, so there is nothing to check.
        checks = []
    write_whole(Path(target), json.dumps([asdict(one) for one in checks], ensure_ascii=False))


def read_checks(run: ClassRun) -> dict[int, list[Check]]:
    """Return the checks of the submissions that have been checked, by number.

    Raises:
        InputError: If `check_submission` did not write a file.
    """
    found = dict[int, list[Check]]()
    for one in run.roster.submissions:
        path = run.folder / CHECKS / f"{one.number:03}.json"
        if path.is_file():
            try:
                found[one.number] = CHECKED.validate_json(read_text_file(path, MOST_TEXT))
            except ValidationError as error:
                problem = error.errors()[0]["msg"]
                raise InputError(f"{path}: {problem}; expected checks") from None
    return found
