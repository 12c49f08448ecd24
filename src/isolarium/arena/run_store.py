"""The folder of runs: find, name, list and create runs and groups of runs."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from isolarium.agents import parse_spec
from isolarium.arena.plan import Format, Plan
from isolarium.arena.provenance import files_named, is_signed, signature, untrusted_files
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.sqlite_file import is_being_played
from isolarium.errors import InputError, is_full
from isolarium.safe_files import MOST_TEXT, read_text_file, write_whole
from isolarium.spec.parser import tree_of
from isolarium.text import counted, did_you_mean, printable, shortened

LAST = "last"
STATES = ("finished", "stopped", "playing")
REPORT_PAGE = "report.html"
DATE = r"\d{4}-\d\d-\d\d-"
"""The date at the start of a run's folder name."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run as an entry in a list of runs.

    Attributes:
        name: The run's name in the folder of runs.
        folder: The run's folder.
        title: The run's title, or a description of its matchup if it has no title.
        short_title: The title; a description omits the parts that the agents share.
        started: The time of the start in ISO 8601; empty if the run was never started.
        games: The number of games finished.
        games_planned: The maximum number of games to play.
        state: `finished`, `stopped`, `playing`, or a description of the damage.
        played: A description of the matchup, if the run has a title.
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
    def is_readable(self) -> bool:
        """Whether the run's database can be read."""
        return self.state in STATES


def list_runs(runs: Path) -> list[RunFacts]:
    """Return every run in a folder, including parts of studies, by start time."""
    found = [read_facts(folder, str(folder.relative_to(runs))) for folder in folders_in(runs)]
    return sorted(found, key=lambda facts: (facts.started, facts.name))


def folders_in(runs: Path) -> list[Path]:
    """Return the folders of all runs, including parts within a study's folder."""
    return [path.parent for deep in ("*", "*/*") for path in runs.glob(f"{deep}/{FILE_NAME}")]


def read_facts(folder: Path, name: str) -> RunFacts:
    """Read a run's facts from its database.

    If the database cannot be read, `state` gives the reason.
    """
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
    """Return whether a run's folder has a report at least as new as its database."""
    page, record = folder / REPORT_PAGE, folder / FILE_NAME
    return page.is_file() and page.stat().st_mtime_ns >= record.stat().st_mtime_ns


def find_run(name: str, runs: Path, *, resumes: bool = False) -> Path:
    """Return the folder of a run given by its name or its path.

    The name `last` means the run started last. A name may omit the date and the number of the
    run's folder, and then means the last run with this name.

    Args:
        name: The name or path.
        runs: The folder of runs.
        resumes: Whether a name without a date means the last unfinished run with this name, if there is one.

    Raises:
        InputError: If there is no run with this name or path.
    """
    if name == LAST:
        found = list_runs(runs)
        if not found:
            raise InputError(f"{runs}: contains no runs yet", advice="; isolarium match makes one")
        return ([run for run in found if run.is_readable] or found)[-1].folder
    for folder in (runs / name, Path(name)):
        if (folder / FILE_NAME).is_file():
            return folder
    known = [str(folder.relative_to(runs)) for folder in folders_in(runs)]
    if any(is_called(folder, name) for folder in known):
        called = [run for run in list_runs(runs) if is_called(run.name, name)]
        unfinished = [run for run in called if run.state == "stopped"] if resumes else []
        return (unfinished or called)[-1].folder
    undated = [re.sub(f"^{DATE}", "", folder) for folder in known]
    problem, near = f"no run named {name!r} in {runs}", did_you_mean(name, [*known, *undated])
    if near:
        raise InputError(f"{problem} ({near})")
    raise InputError(problem, advice=" (isolarium runs lists them)")


def folders_called(name: str, runs: Path) -> list[Path]:
    """Return the folders of the runs and groups that a name without a date may mean."""
    deep = "*/*" if "/" in name else "*"
    return [folder for folder in runs.glob(deep) if is_called(str(folder.relative_to(runs)), name)]


def is_called(folder: str, name: str) -> bool:
    """Return whether `new_folder` may have derived a folder's name from a name.

    Parts of studies are named STUDY/PART.
    """
    folder, slash, part = folder.partition("/")
    name, wanted_slash, wanted = name.partition("/")
    if (slash, part) != (wanted_slash, wanted):
        return False
    return re.fullmatch(rf"{DATE}{re.escape(_plain(name))}(-\d+)?", folder) is not None


def _plain(name: str) -> str:
    """Convert a name to the characters allowed in folder names."""
    return re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:60] or "run"


def new_folder(runs: Path, name: str) -> Path:
    """Create a new folder named after today's date and the given name.

    Raises:
        OSError: If no space is left.
        InputError: If the folder cannot be created.
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
            raise InputError(f"{runs}: {error.strerror}; use a folder that you can write to") from None
        return folder


def name_of(plan: Plan) -> str:
    """Return a name for a plan, such as `improved-open` or `round robin-5`."""
    if plan.title or len(plan.players) > 2:
        return plan.title or ("sweep" if plan.sweep else f"{plan.format}-{len(plan.players)}")
    return "-".join(parse_spec(text).short_name for text in plan.players)


# Groups of runs: the folder of a study or of a tuning run, whose parts are runs

SIGNATURE_NAME: Final = "signature"


def find_group(name: str, runs: Path, is_group: Callable[[Path], bool]) -> Path | None:
    """Return the folder of a group by its name or path; None if there is none.

    Args:
        name: The name or path; `last` means the group of the run started last. If several groups
            have the name, it means the last one.
        runs: The folder of runs.
        is_group: Returns whether a folder is a group of the wanted kind.
    """
    if name == LAST and list_runs(runs):
        group = find_run(LAST, runs).parent
        return group if is_group(group) else None
    for folder in (runs / name, Path(name)):
        if is_group(folder):
            return folder
    named = [folder for folder in runs.glob("*") if is_called(folder.name, name)]
    return max(filter(is_group, named), key=lambda folder: folder.stat().st_ctime, default=None)


def write_group(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the texts that define a group, in order, with this user's signature."""
    write_whole(folder / SIGNATURE_NAME, signature(json.dumps(list(texts.values()))) + "\n")
    for name, text in texts.items():
        write_whole(folder / name, text)


def is_signed_group(folder: Path, names: Sequence[str]) -> bool:
    """Return whether a group's texts were written on this machine.

    Raises:
        InputError: If a text cannot be read.
    """
    signed = folder / SIGNATURE_NAME
    by = read_text_file(signed, MOST_TEXT, "replace").strip() if signed.is_file() else ""
    texts = [read_text_file(folder / name, MOST_TEXT, "replace") for name in names]
    return is_signed(json.dumps(texts), by)


def unsigned_files(folder: Path, names: Sequence[str], read_texts: Callable[[], Any]) -> list[str]:
    """Return the files that resuming a group would load.

    The result excludes files named by texts and runs created on this machine.

    Args:
        folder: The group's folder.
        names: The names of its signed texts.
        read_texts: Returns the texts, which are searched for file names if the signature does not match.

    Raises:
        InputError: If a text cannot be read or is invalid.
    """
    found = [] if is_signed_group(folder, names) else files_named(read_texts())
    for path in sorted(folder.glob(f"*/{FILE_NAME}")):
        with closing(Record(path.parent)) as record:
            found += untrusted_files(record)
    return list(dict.fromkeys(found))


# The names of agents and runs: full names are unique identifiers, short names are easier to read


LONGEST: Final = 38
"""The maximum length of a short name."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a run's players, in the plan's order.

    Attributes:
        full: The specs; repeated specs are numbered from the second on.
        short: The full names without the parts in `left_out`; also unique.
        left_out: The parts that short names omit, such as `alphabeta, nodes=8000`; empty if none.
    """

    full: tuple[str, ...]
    short: tuple[str, ...]
    left_out: str = ""


def names_of(plan: Plan) -> Names:
    """Return the players' names.

    Short names omit the search and the limit that all agents share; agents without a limit, such as `random`, are
    ignored. In a match, and if the agents have nothing in common, short names omit the most common limit.
    """
    full = full_names(plan)
    if len(plan.players) > 2:
        shared = _without_shared(plan)
        if shared is not None:
            return Names(full, *shared)
    trees = [tree_of(spec) for spec in plan.players]
    limits = Counter(tree.limit for tree in trees if tree.limit)
    [(usual, agents)] = limits.most_common(1) or [("", 0)]
    if agents < 2:
        return Names(full, _readable(plan.players))
    names = [tree.head if tree.limit == usual else str(tree) for tree in trees]
    others = "" if len(limits) == 1 else " unless a name gives another"
    return Names(full, _readable(names), f"limit {usual}{others}")


def full_names(plan: Plan) -> tuple[str, ...]:
    """Return a unique name for each player."""
    return _numbered(plan.players)


def _without_shared(plan: Plan) -> tuple[tuple[str, ...], str] | None:
    """Return the names without the shared search and limit, and the omitted parts.

    Return None if nothing can be omitted.
    """
    trees, left_out = [tree_of(spec) for spec in plan.players], []
    limits = [tree.limit for tree in trees if tree.limit]
    if len(limits) > 1 and len(set(limits)) == 1:
        trees = [tree.without_limit() for tree in trees]
        left_out.append(limits[0])
    searches = {str(tree.search) for tree in trees}
    if len(searches) == 1 and all(tree.body for tree in trees):
        trees = [tree.without_search() for tree in trees]
        left_out.insert(0, searches.pop())
    names = [str(tree) for tree in trees]
    if not left_out or len(set(names)) < len(set(plan.players)):
        return None
    return _readable(names), ", ".join(left_out)


def _readable(names: Iterable[str]) -> tuple[str, ...]:
    return _numbered(shortened(printable(name), LONGEST) for name in names)


def _numbered(names: Iterable[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(found)


def title_of(plan: Plan, *, short: bool = False) -> str:
    """Return a run's title, or a description of its matchup if it has no title.

    If `short` is true, the description omits the parts that the agents share.
    """
    return plan.title or matchup_of(plan, short=short)


def matchup_of(plan: Plan, *, short: bool = False) -> str:
    """Return a short description of a run's matchup."""
    if plan.sweep is not None:
        return f"sweep of {plan.sweep.template} against {' and '.join(plan.opponents)}"
    if plan.format is Format.GAUNTLET:
        return f"{counted(len(plan.agents), 'agent')} against {counted(len(plan.opponents), 'opponent')}"
    if len(plan.players) == 2:
        return " vs ".join(names_of(plan).short if short else plan.players)
    return f"{plan.format} of {counted(len(plan.agents), 'agent')}"
