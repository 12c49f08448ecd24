"""Where runs are kept, how they are named, and what there is."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from isolarium.agents import parse_spec
from isolarium.arena import provenance
from isolarium.arena.display_names import matchup_of, title_of
from isolarium.arena.plan import Plan
from isolarium.arena.provenance import files_named, is_signed, signature
from isolarium.arena.run_db import FILE_NAME, Record, is_being_played
from isolarium.errors import InputError, is_full
from isolarium.safe_files import MOST_TEXT, read_text_file, write_whole
from isolarium.text import did_you_mean

LAST = "last"
STATES = ("finished", "stopped", "playing")
REPORT_PAGE = "report.html"
DATE = r"\d{4}-\d\d-\d\d-"
"""What the folder of a run begins with."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run in one line.

    Attributes:
        name: what it is called in the folder of runs.
        folder: where it is.
        title: what it is called, or else what was to be played.
        short_title: the same without what the agents share.
        played: where it is called something, what was to be played.
        started: when, in ISO 8601; empty if it never was.
        games: games finished.
        games_planned: games to play, at the most.
        state: `finished`, `stopped`, `playing`, or what is wrong with its record.
    """

    name: str
    folder: Path
    title: str
    short_title: str
    started: str
    games: int
    games_planned: int
    state: str
    played: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether its record can be read."""
        return self.state in STATES


def list_runs(runs: Path) -> list[RunFacts]:
    """Every run in a folder, parts of studies included, the one begun last at the end."""
    found = [facts_of(folder, str(folder.relative_to(runs))) for folder in folders_in(runs)]
    return sorted(found, key=lambda facts: (facts.started, facts.name))


def folders_in(runs: Path) -> list[Path]:
    """The folders of all runs; the parts of a study are in a folder of its own."""
    return [path.parent for deep in ("*", "*/*") for path in runs.glob(f"{deep}/{FILE_NAME}")]


def facts_of(folder: Path, name: str) -> RunFacts:
    """What a record says of its run; one that cannot be read says why."""
    try:
        with closing(Record(folder)) as record:
            finished, started = record.is_finished, record.fact("started") or ""
            state = "playing" if is_being_played(folder) else "stopped"
            return RunFacts(
                name,
                folder,
                title_of(record.plan),
                title_of(record.plan, short=True),
                started,
                record.count(),
                record.plan.games,
                "finished" if finished else state,
                matchup_of(record.plan, short=True) if record.plan.title else "",
            )
    except InputError as error:
        return RunFacts(name, folder, "", "", "", 0, 0, error.without_commands)


def has_report(folder: Path) -> bool:
    """Whether a run's folder has its report, no older than the record; the same record gives the same report."""
    page, record = folder / REPORT_PAGE, folder / FILE_NAME
    return page.is_file() and page.stat().st_mtime_ns >= record.stat().st_mtime_ns


def find_run(name: str, runs: Path) -> Path:
    """The folder of a run, given by its name or its path; `last` is the one begun last.

    A name may do without the date and the number that its folder has: it is then the one of them begun last.

    Raises:
        InputError: there is no such run.
    """
    if name == LAST:
        found = list_runs(runs)
        if not found:
            raise InputError(f"{runs}: no runs there yet", advice="; isolarium match makes one")
        return ([run for run in found if run.is_whole] or found)[-1].folder
    for folder in (runs / name, Path(name)):
        if (folder / FILE_NAME).is_file():
            return folder
    known = [str(folder.relative_to(runs)) for folder in folders_in(runs)]
    if any(is_called(folder, name) for folder in known):
        return [run for run in list_runs(runs) if is_called(run.name, name)][-1].folder
    undated = [re.sub(f"^{DATE}", "", folder) for folder in known]
    told, near = f"no run {name!r} in {runs}", did_you_mean(name, [*known, *undated])
    if near:
        raise InputError(f"{told} ({near})")
    raise InputError(told, advice=" (isolarium runs lists them)")


def is_called(folder: str, name: str) -> bool:
    """Whether `new_folder` may have made the folder for a run of that name; a part of a study is STUDY/PART."""
    folder, slash, part = folder.partition("/")
    name, wanted_slash, wanted = name.partition("/")
    if (slash, part) != (wanted_slash, wanted):
        return False
    return re.fullmatch(rf"{DATE}{re.escape(_plain(name))}(-\d+)?", folder) is not None


def _plain(name: str) -> str:
    """A name as a folder has it."""
    return re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:60] or "run"


def new_folder(runs: Path, name: str) -> Path:
    """Make a folder of that name and today's date that is not there yet.

    Raises:
        InputError: it cannot be made.
    """
    stem = f"{date.today().isoformat()}-{_plain(name)}"
    number = 1
    while True:
        folder = runs / (stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
            continue
        except OSError as error:
            if is_full(error):
                raise
            raise InputError(
                f"{runs}: {error.strerror}; expected a folder to keep runs in"
            ) from None
        return folder


def name_of(plan: Plan) -> str:
    """`improved-open` for a match of two heuristics, `round robin of 5` for five agents."""
    if plan.title or len(plan.players) > 2:
        return plan.title or ("sweep" if plan.sweep else f"{plan.format}-{len(plan.players)}")
    return "-".join(parse_spec(text).short_name for text in plan.players)


SIGNATURE_NAME: Final = "signature"


def find_whole(name: str, runs: Path, is_whole: Callable[[Path], bool]) -> Path | None:
    """The folder of a name or a path that has such parts; of several of one name, the last; None if there is none.

    `last` is the one of which a part is the run begun last.
    """
    if name == LAST and list_runs(runs):
        whole = find_run(LAST, runs).parent
        return whole if is_whole(whole) else None
    for folder in (runs / name, Path(name)):
        if is_whole(folder):
            return folder
    begun = [folder for folder in runs.glob("*") if is_called(folder.name, name)]
    return max(filter(is_whole, begun), key=lambda folder: folder.stat().st_ctime, default=None)


def put_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Put down in a folder what is to be played there, with our signature; the last text is there once all is."""
    write_whole(folder / SIGNATURE_NAME, signature(json.dumps(list(texts.values()))) + "\n")
    for name, text in texts.items():
        write_whole(folder / name, text)


def unsigned_files(folder: Path, names: Sequence[str], said: Callable[[], Any]) -> list[str]:
    """The files that going on with a folder would load, as far as its texts or a part's record were not made here.

    Args:
        folder: the folder.
        names: its signed texts.
        said: what these say, for who has to look for files in it.

    Raises:
        InputError: a text cannot be read, or makes no sense.
    """
    signed = folder / SIGNATURE_NAME
    by = read_text_file(signed, MOST_TEXT, "replace").strip() if signed.is_file() else ""
    texts = [read_text_file(folder / name, MOST_TEXT, "replace") for name in names]
    found = [] if is_signed(json.dumps(texts), by) else files_named(said())
    for path in sorted(folder.glob(f"*/{FILE_NAME}")):
        with closing(Record(path.parent)) as record:
            found += provenance.files_of_strangers(record)
    return list(dict.fromkeys(found))
