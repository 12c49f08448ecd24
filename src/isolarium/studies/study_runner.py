"""Play studies and the rounds of their parts; each step of a round is a run of its own.

A study's folder holds its text, its settings and its runs.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zlib import crc32

from isolarium.arena.openings import random_openings
from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_store import find_group, is_signed_group, new_folder, unsigned_files, write_group
from isolarium.arena.session import SILENT, Listener, Session
from isolarium.errors import AgentKeepsFailing, InputError, check_kind, located
from isolarium.game.board import parse_board
from isolarium.safe_files import MOST_TEXT, read_json_file, read_text_file
from isolarium.spec.parser import parse_limit
from isolarium.stats import rate_difference
from isolarium.studies.rounds import Judged, Kind, Schedule, Step
from isolarium.studies.study import Study, StudyPart
from isolarium.studies.study_file import parse_study, parse_toml
from isolarium.studies.study_results import PartResult, Rounds, Scores, StudyResults, pair_scores, read_part
from isolarium.text import did_you_mean

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

PlayRun = Callable[[Session, str, Sequence[str]], None]
"""Plays a run, given its label and the names of its players."""


def schedule_of(result: PartResult, scale: float) -> Schedule | None:
    """Return the schedule of a part's rounds; None if it has only one round.

    A part whose agents have time limits has only one round, because its games depend on the machine.
    """
    part, plan = result.part, result.plan
    others = tuple(agent for agent in part.agents if agent != part.baseline)
    if not part.budget or plan.is_timed or not others:
        return None
    budget = round(part.budget * scale)
    schedule = Schedule(others, len(part.opponents), plan.pairs, budget)
    return schedule if budget > schedule.first_round else None


def play_rounds(result: PartResult, schedule: Schedule, folder: Path, play: PlayRun) -> PartResult:
    """Play the rounds after the first, and return the part's result with all of them.

    The steps of a round depend only on completed rounds, so an interrupted study plays the same
    games when it is resumed.

    Args:
        result: The result of the first round, which is complete.
        schedule: The schedule of the rounds.
        folder: The study's folder.
        play: Plays a run, unless it is to stop.
    """
    rounds = _Rounds(result, schedule)
    number = 1
    while steps := schedule.next_round(rounds.judged, rounds.games, rounds.baseline_look):
        number += 1
        for step in steps:
            plan = rounds.plan(step, number)
            name = f"{result.part.name}-round-{number}-{step.kind}-{step.look + 1}"
            with Session.begin_or_resume(plan, folder / name) as session:
                play(session, f"round {number}, {step.kind}", rounds.names(step))
                if not session.is_finished:
                    return rounds.result(is_finished=False)
                rounds.add(step, pair_scores(session.record))
        rounds.judge(steps)
    return rounds.result(is_finished=True)


@dataclass(frozen=True, slots=True)
class _Opening:
    moves: tuple[str, ...]
    cluster: str


class _Rounds:
    """The scores and judgements of the rounds so far."""

    def __init__(self, result: PartResult, schedule: Schedule) -> None:
        self.first, self.schedule, self.part = result, schedule, result.part
        self.games = schedule.first_round
        self.baseline_look = 0
        self._openings = list(self._draw_openings())
        self._field: dict[tuple[str, str], Scores] = {}
        self._duels: dict[str, Scores] = {agent: {} for agent in schedule.agents}
        names = self.part.players
        for met, scores in zip(result.plan.encounters, result.scores, strict=True):
            self._field[names[met.first], names[met.second]] = dict(scores)
        self.judged: dict[tuple[str, Kind], Judged] = {}
        self._judge(Kind.FIELD, 0, schedule.agents)

    def _draw_openings(self) -> Iterator[_Opening]:
        """Yield the openings of all rounds, starting with those of the first."""
        plan, most = self.first.plan, max(size[-1] for size in self.schedule.sizes.values())
        for one in islice(random_openings(parse_board(plan.board), plan.seed, plan.plies), most):
            yield _Opening(tuple(map(str, one.moves)), one.cluster)

    def _sides(self, step: Step) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the agents and the opponents of a step."""
        if step.kind is Kind.DUEL:
            return step.agents, (self.part.baseline,)
        needs_baseline = step.look > self.baseline_look
        extra = (self.part.baseline,) if needs_baseline else ()
        return (*step.agents, *extra), self.part.opponents

    def names(self, step: Step) -> tuple[str, ...]:
        """Return the names of a step's players."""
        agents, opponents = self._sides(step)
        return (*agents, *opponents)

    def plan(self, step: Step, number: int) -> Plan:
        """Return the plan of a step of a round."""
        first, end = self.schedule.span(step.kind, step.look)
        of_first = self.first.plan
        specs = dict(zip(self.part.players, of_first.players, strict=True))
        agents, opponents = self._sides(step)
        title = f"{of_first.title} round {number}"
        return Plan(
            format=Format.GAUNTLET,
            agents=tuple(specs[name] for name in agents),
            opponents=tuple(specs[name] for name in opponents),
            board=of_first.board,
            pairs=end - first,
            seed=crc32(f"{of_first.seed} {number} {step.kind} {step.look}".encode()),
            openings="file",
            lines=tuple(opening.moves for opening in self._openings[first:end]),
            move_ms=of_first.move_ms,
            title=title,
            study=of_first.study,
        )

    def add(self, step: Step, scores: Sequence[Scores]) -> None:
        """Add the scores of a step's run, one for each encounter in the plan's order."""
        first, _ = self.schedule.span(step.kind, step.look)
        agents, opponents = self._sides(step)
        meetings = [(agent, opponent) for agent in agents for opponent in opponents]
        for (agent, opponent), found in zip(meetings, scores, strict=True):
            kept = self._duels[agent] if step.kind is Kind.DUEL else self._field[agent, opponent]
            kept.update((first + pair, score) for pair, score in found.items())
            self.games += 2 * len(found)
        if step.kind is Kind.FIELD:
            self.baseline_look = max(self.baseline_look, step.look)

    def judge(self, steps: Sequence[Step]) -> None:
        """Judge the comparisons that the steps of a round have continued."""
        for step in steps:
            self._judge(step.kind, step.look, step.agents)

    def _judge(self, kind: Kind, look: int, agents: Sequence[str]) -> None:
        size = self.schedule.sizes[kind][look]
        comparisons = self.schedule.comparisons(kind, look)
        gains = self._field_gains if kind is Kind.FIELD else self._duel_gains
        for agent in agents:
            found = ((gain, self._openings[opening].cluster) for opening, gain in gains(agent) if opening < size)
            self.judged[agent, kind] = Judged(look, rate_difference(found, comparisons=comparisons))

    def _field_gains(self, agent: str) -> Iterator[tuple[int, float]]:
        """Yield how much better the agent scored than the baseline, by opening and opponent."""
        for opponent in self.part.opponents:
            base = self._field[self.part.baseline, opponent]
            for opening, score in self._field[agent, opponent].items():
                yield opening, score - base[opening]

    def _duel_gains(self, agent: str) -> Iterator[tuple[int, float]]:
        """Yield the agent's score against the baseline above one half, by opening."""
        for opening, score in self._duels[agent].items():
            yield opening, score - 0.5

    def result(self, *, is_finished: bool) -> PartResult:
        """Return the part's result with the rounds so far."""
        rounds = Rounds(self.schedule, self.judged, self.games, is_finished)
        return replace(self.first, rounds=rounds)


TEXT_NAME: Final = "study.toml"
SETTINGS_NAME: Final = "settings.json"
TEXTS: Final = (TEXT_NAME, SETTINGS_NAME)
MOST_SCALE: Final = 1000


@dataclass(frozen=True, slots=True)
class StudySettings:
    """The settings of a study's run, stored in its folder beside the study's text.

    Attributes:
        name: The study's name.
        limit: Overrides the study's limits; empty keeps them.
        scale: Multiplies the pairs of every part.
        parts: The parts to play; empty for all.
        directory: The directory in which the study began, to which the agents' paths are relative; empty if unknown.
    """

    name: str
    limit: str = ""
    scale: float = 1.0
    parts: tuple[str, ...] = ()
    directory: str = ""

    def check(self) -> None:
        """Check the type and bounds of every setting, since it may come from a file.

        Raises:
            InputError: If a setting is invalid.
        """
        for what, value in (("name", self.name), ("limit", self.limit), ("directory", self.directory)):
            check_kind(what, value, str, "a text")
        for part in self.parts:
            check_kind("part", part, str, "a text")
        check_kind("scale", self.scale, (int, float), "a number")
        if not 0 < self.scale <= MOST_SCALE:
            raise InputError(f"scale={self.scale:g}: expected more than 0, at most {MOST_SCALE:,}")


@dataclass(frozen=True, slots=True)
class StudyRun:
    """A study that is being played in a folder, with its settings."""

    study: Study
    settings: StudySettings
    folder: Path

    @property
    def parts(self) -> list[StudyPart]:
        """The parts to play, in the study's order."""
        return _chosen_parts(self.study, self.settings.parts)


def is_study(folder: Path) -> bool:
    """Whether a folder holds a study."""
    return (folder / TEXT_NAME).is_file() and (folder / SETTINGS_NAME).is_file()


def find_study_run(name: str, runs: Path) -> Path | None:
    """Return a study's folder by its name, its path, or `last`; None if not found."""
    return find_group(name, runs, is_study)


def begin_study(
    study: Study, runs: Path, *, limit: str | None = None, scale: float = 1.0, parts: Sequence[str] = ()
) -> StudyRun:
    """Create a study's run in a new folder of `runs`.

    Args:
        study: The study.
        runs: The folder of all runs.
        limit: Overrides the study's limits.
        scale: Multiplies the pairs of every part.
        parts: The parts to play; empty for all.

    Raises:
        InputError: If there is no such part, or the limit is invalid.
    """
    if limit is not None:
        parse_limit(limit)
    _chosen_parts(study, parts)
    folder = new_folder(runs, study.name)
    settings = StudySettings(study.name, limit or "", scale, tuple(parts), str(Path.cwd()))
    write_group(folder, {TEXT_NAME: study.text, SETTINGS_NAME: json.dumps(asdict(settings)) + "\n"})
    return StudyRun(study, settings, folder)


def untrusted_files(folder: Path) -> list[str]:
    """Return the files that resuming a study from another machine would load.

    Raises:
        InputError: If the study's text is not TOML.
    """
    path = folder / TEXT_NAME
    return unsigned_files(folder, TEXTS, lambda: parse_toml(read_text_file(path, MOST_TEXT), str(path)))


def open_study(folder: Path) -> StudyRun:
    """Open the study in a folder.

    Raises:
        InputError: If `begin_study` did not write the files.
    """
    settings, path = read_settings(folder), folder / TEXT_NAME
    study = parse_study(read_text_file(path, MOST_TEXT), settings.name, folder, str(path))
    return StudyRun(study, settings, folder)


@contextmanager
def in_its_directory(folder: Path) -> Iterator[Path]:
    """Run the block in the directory where a study began.

    The directory is changed only if the study began on this machine and the directory still exists.

    Args:
        folder: The study's folder.

    Yields:
        The study's folder, as a path that is valid in the block.

    Raises:
        InputError: If `begin_study` did not write the files.
    """
    directory = Path(read_settings(folder).directory or ".").absolute()
    is_elsewhere = directory != Path.cwd() and is_signed_group(folder, TEXTS)
    if is_elsewhere and directory.is_dir():
        folder = folder.absolute()
        with chdir(directory):
            yield folder
    else:
        yield folder


def read_settings(folder: Path) -> StudySettings:
    """Read the settings of the study in a folder.

    Raises:
        InputError: If `begin_study` did not write the file.
    """
    path = folder / SETTINGS_NAME
    found = read_json_file(path, MOST_TEXT)
    try:
        settings = StudySettings(**{**found, "parts": tuple(found["parts"])})
    except (TypeError, KeyError) as error:
        raise InputError(f"{path}: {error}; expected a study's settings") from None
    with located(str(path)):
        settings.check()
    return settings


def _chosen_parts(study: Study, names: Sequence[str]) -> list[StudyPart]:
    """Return the parts with these names, or all, in the study's order.

    Raises:
        InputError: If there is no such part.
    """
    known = [part.name for part in study.parts]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
            raise InputError(f"{study.name} has no part named {name!r} ({hint})")
    return [part for part in study.parts if not names or part.name in names]


def play_study(
    run: StudyRun, listener: Listener = SILENT, workers: int | None = None, cluster: "Cluster | None" = None
) -> StudyResults:
    """Play the rest of a study, until it ends or the listener stops it.

    Finished games are kept. A graded study also ends, with results to grade, if an agent keeps failing.

    Raises:
        InputError: If an agent has changed since the study began.
        RunAborted: If a part cannot continue.
    """
    study, settings, found, failure = run.study, run.settings, list[PartResult](), ""
    for number, part in enumerate(run.parts, start=1):
        plan = study.plan(part, settings.limit or None, settings.scale)
        listener.begin(_label(run, number, part), part.players)
        with Session.begin_or_resume(plan, run.folder / part.name) as session:
            try:
                session.play(listener, workers, cluster)
            except AgentKeepsFailing as error:
                if not study.is_graded:
                    raise
                failure = str(error)
            result = read_part(session.record, part)
        schedule = schedule_of(result, settings.scale) if result.finished else None
        if schedule is not None:
            play = partial(_play_step, listener, workers, cluster, _label(run, number, part))
            result = play_rounds(result, schedule, run.folder, play)
        found.append(result)
        if failure or listener.is_stopped():
            break
    wanted = len(run.parts)
    return StudyResults(study, settings.limit, settings.scale, wanted, tuple(found), failure)


def _play_step(
    listener: Listener,
    workers: int | None,
    cluster: "Cluster | None",
    part: str,
    session: Session,
    label: str,
    names: Sequence[str],
) -> None:
    """Play the run of a step of a round."""
    if not session.is_finished:
        listener.begin(f"{part}, {label}", names)
        session.play(listener, workers, cluster)


def _label(run: StudyRun, number: int, part: StudyPart) -> str:
    """Return a label such as `report-003 2 of 5, against-improved`."""
    count = f" {number} of {len(run.parts)}," if len(run.parts) > 1 else ""
    return f"{run.study.name}{count} {part.name}"
