"""Beginning a match, in a worker: to draw thousands of openings takes seconds."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from isolab.arena.planning import Conditions, match_plan
from isolab.arena.runs import begin_run
from isolab.errors import InputError
from isolab.limits import Stop
from isolab.stats import SprtPlan
from isolab.web.worker import Tell


def begin_match(request: Mapping[str, Any], tell: Tell, stop: Stop) -> dict[str, Any]:
    """Begin the match `wanted`, whose agents were checked, in the folder `runs`; the name of its own."""
    wanted = request["wanted"]
    conditions = Conditions(
        wanted["pairs"],
        wanted["board"],
        wanted["seed"],
        wanted["openings"],
        wanted["plies"],
        limit=wanted["limit"],
        name=wanted["name"].strip(),
    )
    test = _test(wanted["test"])
    plan = match_plan(wanted["first"], wanted["second"], conditions, test)
    with closing(begin_run(Path(request["runs"]), plan)) as record:
        return {"name": record.folder.name}


def _test(bounds: list[float] | None) -> SprtPlan | None:
    if bounds is None:
        return None
    try:
        return SprtPlan(*bounds)
    except ValueError as error:
        raise InputError(f"test: {error}") from None
