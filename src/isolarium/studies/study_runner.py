"""Play studies; a study's folder holds its text, its settings and its runs."""

import json
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isolarium.arena.run_store import find_group, is_signed_group, new_folder, unsigned_files, write_group
from isolarium.arena.session import SILENT, Listener, Session
from isolarium.errors import AgentKeepsFailing, InputError, check_kind, located
from isolarium.safe_files import MOST_TEXT, read_json_file, read_text_file
from isolarium.spec.parser import parse_limit
from isolarium.studies.round_runner import play_rounds, schedule_of
from isolarium.studies.study import Study, StudyPart
from isolarium.studies.study_file import parse_study, parse_toml
from isolarium.studies.study_results import PartResult, StudyResults, read_part
from isolarium.text import did_you_mean

if TYPE_CHECKING:  # Loads Dask
    from isolarium.arena.cluster.remote_workers import Cluster

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
