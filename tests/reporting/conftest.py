"""Two small runs and their reports, shared by all tests."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_db import Record
from isolarium.reporting import chart
from isolarium.reporting.report_folder import Report
from isolarium.reporting.run_report import write_report
from tests.playing import Careful, Leaner, Wanderer, play_run_here


@pytest.fixture(scope="session", autouse=True)
def _valid_charts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chart, "VALIDATES", True)
        yield


@pytest.fixture(scope="session")
def match_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of 60 pairs: a careful agent against one that wanders."""
    plan = Plan(Format.MATCH, ("greedy:open", "random"), pairs=60)
    return play_run_here(tmp_path_factory.mktemp("match"), plan, [Careful(), Wanderer()])


@pytest.fixture(scope="session")
def tournament_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gauntlet of two agents against two others."""
    plan = Plan(
        Format.GAUNTLET,
        ("greedy:open", "greedy:center"),
        ("random", "greedy:improved"),
        pairs=25,
        title="Two against two",
    )
    agents = [Careful(), Leaner(), Wanderer(), Careful()]
    return play_run_here(tmp_path_factory.mktemp("tournament"), plan, agents)


@pytest.fixture(scope="session")
def match_report(match_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    with closing(Record(match_run)) as record:
        return write_report(record, tmp_path_factory.mktemp("match-report"))


@pytest.fixture(scope="session")
def tournament_report(tournament_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    with closing(Record(tournament_run)) as record:
        return write_report(record, tmp_path_factory.mktemp("tournament-report"))
