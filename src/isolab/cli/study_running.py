"""Plays a study part by part, each part a run of its own in the study's folder; or goes on with one."""

import json
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isolab.errors import InputError

if TYPE_CHECKING:
    from isolab.arena.plan import Plan
    from isolab.arena.record import Record
    from isolab.arena.study import Part, Study
    from isolab.cli.study_display import StudyDisplay
    from isolab.studies.findings import PartResult, StudyFindings

TEXT_NAME: Final = "study.toml"
SETTINGS_NAME: Final = "settings.json"
SLOW_S: Final = 0.3
"""An agent that takes longer to be ready is being compiled, not loaded."""


@dataclass(frozen=True, slots=True)
class Settings:
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


def is_study(folder: Path) -> bool:
    """Whether a study was played there."""
    return (folder / TEXT_NAME).is_file() and (folder / SETTINGS_NAME).is_file()


def begin_study(study: "Study", settings: Settings, folder: Path) -> None:
    """Put down in an empty folder what is to be played there."""
    (folder / TEXT_NAME).write_text(study.text, encoding="utf-8")
    (folder / SETTINGS_NAME).write_text(json.dumps(asdict(settings)) + "\n", encoding="utf-8")


def open_study(folder: Path) -> "tuple[Study, Settings]":
    """Read what is played in a folder.

    Raises:
        InputError: it is not what `begin_study` wrote.
    """
    from isolab.arena.study_file import parse_study

    path = folder / SETTINGS_NAME
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        settings = Settings(**{**found, "parts": tuple(found["parts"])})
        text = (folder / TEXT_NAME).read_text(encoding="utf-8")
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{path}: {error}; expected a study's settings") from None
    return parse_study(text, settings.name, folder, str(folder / TEXT_NAME)), settings


def play_study(
    study: "Study", settings: Settings, folder: Path, workers: int | None
) -> "StudyFindings":
    """Play what is missing of a study; Ctrl-C ends it in good order, with what is finished kept."""
    from isolab.cli.interruption import interruptible
    from isolab.cli.study_display import StudyDisplay
    from isolab.studies.findings import StudyFindings

    parts = chosen_parts(study, settings.parts)
    found = []
    with interruptible() as interrupted:
        for number, part in enumerate(parts, start=1):
            count = f" {number} of {len(parts)}," if len(parts) > 1 else ""
            display = StudyDisplay(f"{study.name}{count} {part.name}")
            plan = study.plan(part, settings.limit or None, settings.scale)
            with display.shown():
                result = _play_part(
                    part, plan, folder / part.name, workers, display, lambda: bool(interrupted)
                )
            found.append(result)
            if interrupted:
                break
    return StudyFindings(study, settings.limit, settings.scale, len(parts), tuple(found))


def chosen_parts(study: "Study", names: Sequence[str]) -> "list[Part]":
    """The parts of those names, in the study's order; all if there are none.

    Raises:
        InputError: there is no such part.
    """
    from isolab.text import did_you_mean

    known = [part.name for part in study.parts]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
            raise InputError(f"{study.name} has no part {name!r} ({hint})")
    return [part for part in study.parts if not names or part.name in names]


def _play_part(
    part: "Part",
    plan: "Plan",
    folder: Path,
    workers: int | None,
    display: "StudyDisplay",
    stop: Callable[[], bool],
) -> "PartResult":
    """Play what is missing of one part."""
    from isolab.arena.runner import play_run
    from isolab.studies.findings import read_part

    with closing(_record(folder, plan)) as record:
        if not record.is_finished:
            compile_agents(record.plan, display)
            play_run(record, workers, display.update, stop)
        display.say("reading the games")
        return read_part(record, part)


def _record(folder: Path, plan: "Plan") -> "Record":
    """The record of a part, begun if it was not."""
    from isolab.arena.record import FILE_NAME, Record

    if not (folder / FILE_NAME).is_file():
        return Record.create(folder, plan, plan.openings_in_order())
    record = Record(folder)
    if record.is_finished:
        return record
    record.close()
    return Record(folder, writes=True)


def compile_agents(plan: "Plan", display: "StudyDisplay") -> None:
    """Have everything compiled that the run needs, so that its workers find it done."""
    from isolab.agents.warming import warm_up
    from isolab.game.notation import parse_board

    specs = list(dict.fromkeys(plan.players))
    board = parse_board(plan.board)
    compiling = False
    for number, spec in enumerate(specs, start=1):
        verb = "compiling" if compiling else "loading"
        display.say(f"{verb} {number} of {len(specs)}{' (first time only)' * compiling}")
        started = time.monotonic()
        warm_up(spec, board)
        compiling = time.monotonic() - started > SLOW_S
