"""Plays a study: its text and settings are kept in a folder, and each part is a run in that folder."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isolarium.arena.run_store import find_whole, new_folder, put_texts, unsigned_files
from isolarium.arena.session import SILENT, Listener, Session
from isolarium.errors import InputError, check_kind, located
from isolarium.safe_files import MOST_TEXT, read_json_file, read_text_file
from isolarium.spec.parser import parse_limit
from isolarium.studies.study import Part, Study
from isolarium.studies.study_file import parse_study, parse_toml
from isolarium.studies.study_results import PartResult, StudyFindings, read_part
from isolarium.text import did_you_mean

if TYPE_CHECKING:  # it loads Dask
    from isolarium.arena.cluster.remote_workers import Cluster

TEXT_NAME: Final = "study.toml"
SETTINGS_NAME: Final = "settings.json"
TEXTS: Final = (TEXT_NAME, SETTINGS_NAME)
MOST_SCALE: Final = 1000


@dataclass(frozen=True, slots=True)
class StudySettings:
    """What a person chose for a study; kept in its folder beside the study's text.

    Attributes:
        name: what the study is called.
        limit: in place of the study's limits; nothing: those.
        scale: pairs for each that the study asks for.
        parts: the parts to play; none: all.
    """

    name: str
    limit: str = ""
    scale: float = 1.0
    parts: tuple[str, ...] = ()

    def check(self) -> None:
        """See that everything is of its kind and within its bounds, wherever it was read.

        Raises:
            InputError: says what is not.
        """
        for what, value in (("name", self.name), ("limit", self.limit)):
            check_kind(what, value, str, "a text")
        for part in self.parts:
            check_kind("part", part, str, "a text")
        check_kind("scale", self.scale, (int, float), "a number")
        if not 0 < self.scale <= MOST_SCALE:
            raise InputError(f"scale={self.scale:g}: expected more than 0, at most {MOST_SCALE:,}")


@dataclass(frozen=True, slots=True)
class BegunStudy:
    """A study with its settings and its folder."""

    study: Study
    settings: StudySettings
    folder: Path

    @property
    def parts(self) -> list[Part]:
        """The parts to play, in the study's order."""
        return _chosen_parts(self.study, self.settings.parts)


def is_study(folder: Path) -> bool:
    """Whether a study was begun there."""
    return (folder / TEXT_NAME).is_file() and (folder / SETTINGS_NAME).is_file()


def find_begun(name: str, runs: Path) -> Path | None:
    """The folder of a study, given by its name, its path, or `last`; None if there is none."""
    return find_whole(name, runs, is_study)


def begin_study(
    study: Study,
    runs: Path,
    *,
    limit: str | None = None,
    scale: float = 1.0,
    parts: Sequence[str] = (),
) -> BegunStudy:
    """Put down in a new folder among the runs what is to be played there.

    Raises:
        InputError: there is no such part in it, or the limit is none.
    """
    if limit is not None:
        parse_limit(limit)
    _chosen_parts(study, parts)
    folder = new_folder(runs, study.name)
    settings = StudySettings(study.name, limit or "", scale, tuple(parts))
    put_texts(folder, {TEXT_NAME: study.text, SETTINGS_NAME: json.dumps(asdict(settings)) + "\n"})
    return BegunStudy(study, settings, folder)


def files_of_strangers(folder: Path) -> list[str]:
    """The files that going on with a study would load, as far as it, or the record of a part, was not made here.

    Raises:
        InputError: its text is not TOML.
    """
    path = folder / TEXT_NAME
    return unsigned_files(
        folder, TEXTS, lambda: parse_toml(read_text_file(path, MOST_TEXT), str(path))
    )


def open_study(folder: Path) -> BegunStudy:
    """Read what is played in a folder.

    Raises:
        InputError: it is not what `begin_study` wrote.
    """
    settings, path = read_settings(folder), folder / TEXT_NAME
    study = parse_study(read_text_file(path, MOST_TEXT), settings.name, folder, str(path))
    return BegunStudy(study, settings, folder)


def read_settings(folder: Path) -> StudySettings:
    """Read what a person chose for the study in a folder.

    Raises:
        InputError: it is not what `begin_study` wrote.
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


def _chosen_parts(study: Study, names: Sequence[str]) -> list[Part]:
    """The parts of those names, in the study's order; all if there are none.

    Raises:
        InputError: there is no such part.
    """
    known = [part.name for part in study.parts]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
            raise InputError(f"{study.name} has no part {name!r} ({hint})")
    return [part for part in study.parts if not names or part.name in names]


def play_study(
    begun: BegunStudy,
    listener: Listener = SILENT,
    workers: int | None = None,
    cluster: "Cluster | None" = None,
) -> StudyFindings:
    """Play what is missing of a study, to the end or until the listener stops it; everything finished is kept.

    Raises:
        InputError: If an agent is not what it was when the study began.
        RunAborted: If a part cannot continue.
    """
    study, settings, found = begun.study, begun.settings, list[PartResult]()
    for number, part in enumerate(begun.parts, start=1):
        plan = study.plan(part, settings.limit or None, settings.scale)
        listener.begin(_label(begun, number, part), part.players)
        with Session.begin_or_resume(plan, begun.folder / part.name) as session:
            session.play(listener, workers, cluster)
            found.append(read_part(session.record, part))
        if listener.is_stopped():
            break
    return StudyFindings(study, settings.limit, settings.scale, len(begun.parts), tuple(found))


def _label(begun: BegunStudy, number: int, part: Part) -> str:
    """`report-003 2 of 5, against-improved`."""
    count = f" {number} of {len(begun.parts)}," if len(begun.parts) > 1 else ""
    return f"{begun.study.name}{count} {part.name}"
