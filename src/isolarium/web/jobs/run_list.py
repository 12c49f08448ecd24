"""The list of runs on the Watch page: each run's kind, board, agents and verdict."""

from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Any, Final

from isolarium.arena.display_names import names_of
from isolarium.arena.plan import Format, Plan
from isolarium.arena.results import Results, read_results
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.run_store import folders_in, read_facts
from isolarium.errors import InputError
from isolarium.limits import Stop
from isolarium.reporting.verdict import verdict_of
from isolarium.web.jobs.job_worker import Emit
from isolarium.web.run_folder import name_of, study_of

BUDGET_S: Final = 1.0
"""The time for new verdicts in one request. The next requests compute the others."""
MOST_KEPT: Final = 2000
MOST_NAMED: Final = 8
"""The maximum number of agents that the list names of one run."""
KINDS: Final = {Format.MATCH: "match", Format.ROUND_ROBIN: "tournament", Format.GAUNTLET: "gauntlet"}
NOTHING: Final = {"kind": "", "board": "", "agents": [], "players": 0, "left_out": "", "verdict": ""}


def list_runs(request: Mapping[str, Any], emit: Emit, stop: Stop) -> dict[str, Any]:
    """List the runs in the folder `runs`, newest first."""
    runs = Path(request["runs"])
    named = [(folder, name_of(folder, runs)) for folder in folders_in(runs)]
    lines = [(folder, _changed(folder), _line(folder, name)) for folder, name in named if name]
    lines.sort(key=lambda one: (one[2]["started"] or one[1], one[2]["name"]), reverse=True)
    until = monotonic() + BUDGET_S
    for folder, _, line in lines:
        if line["state"] == "finished" and not stop():
            line["verdict"] = _verdict(folder, line["games"], may_read=monotonic() < until)
    return {"runs": [line for _, _, line in lines]}


def _changed(folder: Path) -> str:
    """Return when a database was last written.

    For a run that has never been played, this is its start.
    """
    return datetime.fromtimestamp((folder / FILE_NAME).stat().st_mtime, UTC).isoformat()


def _line(folder: Path, name: str) -> dict[str, Any]:
    facts = read_facts(folder, name)
    return {
        "name": name,
        "study": study_of(name),
        "title": facts.short_title,
        "started": facts.started,
        "games": facts.games,
        "games_planned": facts.games_planned,
        "state": facts.state if facts.is_readable else "broken",
        "problem": "" if facts.is_readable else facts.state,
        **(_about(folder, _inode(folder)) if facts.is_readable else NOTHING),
    }


def _inode(folder: Path) -> int:
    return (folder / FILE_NAME).stat().st_ino


@lru_cache(maxsize=MOST_KEPT)
def _about(folder: Path, inode: int) -> dict[str, Any]:
    """Return what a run's plan says; `inode` identifies its database."""
    try:
        with closing(Record(folder)) as record:
            plan = record.plan
            names = names_of(plan)
    except InputError:  # Damaged since its facts were read
        return NOTHING
    about = {"kind": _kind(plan), "board": plan.board, "agents": list(names.short[:MOST_NAMED])}
    return {**about, "players": len(names.short), "left_out": names.left_out, "verdict": ""}


def _kind(plan: Plan) -> str:
    return "sweep" if plan.sweep is not None else KINDS[plan.format]


def _words(results: Results) -> str:
    """Return the verdict; for a match, include its key figure."""
    verdict = verdict_of(results)
    is_match = results.plan.format is Format.MATCH
    return f"{verdict.answer}: {verdict.figure}" if is_match else verdict.answer


_verdicts: dict[tuple[Path, int, int], str] = {}


def _verdict(folder: Path, games: int, *, may_read: bool) -> str:
    """Return the verdict of a finished run, cached; empty if it may not be computed now."""
    key = folder, _inode(folder), games
    if key not in _verdicts and may_read:
        try:
            with closing(Record(folder)) as record:
                words = _words(read_results(record))
        except InputError:
            words = ""
        if len(_verdicts) >= MOST_KEPT:
            _verdicts.clear()
        _verdicts[key] = words
    return _verdicts.get(key, "")
