"""Runs that are begun from a page: what is planned, and what is refused."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_db import Record
from isolarium.errors import InputError
from isolarium.web.jobs.start_runs import begin_games

GREEDY = "greedy:open"


def begun(runs: Path, **wanted: Any) -> Plan:
    """The plan of a run that is begun."""
    request: Mapping[str, Any] = {"wanted": {"board": "5x5", **wanted}, "runs": str(runs)}
    name = begin_games(request, lambda: False)["name"]
    with closing(Record(runs / name)) as record:
        return record.plan


def test_a_tournament_is_of_all_or_against_some(tmp_path: Path) -> None:
    agents = [GREEDY, "random", "greedy:improved"]
    all_meet = begun(tmp_path, kind="tournament", agents=agents, pairs=2)
    assert (all_meet.format, len(all_meet.encounters)) == (Format.ROUND_ROBIN, 3)
    against = begun(tmp_path, kind="tournament", agents=agents[:2], against=agents[2:], pairs=2)
    assert (against.format, len(against.encounters)) == (Format.GAUNTLET, 2)


def test_a_sweep_has_an_agent_for_each_value(tmp_path: Path) -> None:
    swept = begun(tmp_path, kind="sweep", agent="greedy:aggressive(weight={0|2})", against=["random"], pairs=1)
    assert swept.sweep is not None
    assert len(swept.agents) == 2


def test_a_test_has_its_bounds_and_risks(tmp_path: Path) -> None:
    match = {"kind": "match", "first": GREEDY, "second": "random"}
    test = begun(tmp_path, **match, pairs=10, test=[-5, 15], alpha=0.01, beta=0.1).test
    assert test is not None
    assert (test.elo0, test.elo1, test.alpha, test.beta) == (-5, 15, 0.01, 0.1)


def test_no_more_games_are_begun_than_a_page_may_ask_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="21,000 in total; expected at most 20,000"):
        begun(tmp_path, kind="tournament", agents=[GREEDY, "random", "greedy:improved"], pairs=7000)
