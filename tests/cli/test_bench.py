"""`isolarium bench` measures what it is asked to, for people and as JSON."""

import json
import re
from itertools import count
from typing import Any

import pytest

from isolarium import bench as suites
from isolarium import limits
from isolarium.bench import Effort, positions_of
from isolarium.cli import main
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.heuristics.lookup import catalogue
from isolarium.limits import Limit
from isolarium.search import driver
from isolarium.search.alphabeta import AlphaBeta
from isolarium.spec.registry import SEARCHES
from tests.samples import sample

MS = 1_000_000
NODES_AT_8 = 13_291
"""Of the three positions together, as in docs/reference/nodes.md."""


class Bench:
    """The command, measuring as little as it can."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def lines(self, *arguments: str) -> list[str]:
        assert main(["bench", "--quick", *arguments]) == 0
        return self._capsys.readouterr().out.splitlines()

    def facts(self, *arguments: str) -> Any:
        [line] = self.lines("--json", *arguments)
        return json.loads(line)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    """By clocks that go on by a millisecond whenever they are looked at: so all that is measured takes as long."""
    monkeypatch.setattr(suites, "QUICK", Effort(rounds=1, least_ms=1, student_depth=8))
    monkeypatch.setattr(suites, "TURN_MS", 30)
    work_ns, wall_ns = count(step=MS), count(step=MS)
    monkeypatch.setattr(suites, "thread_time_ns", lambda: next(work_ns))
    for looking in (limits, driver):
        monkeypatch.setattr(looking, "perf_counter_ns", lambda: next(wall_ns))
    return Bench(capsys)


@pytest.mark.slow
def test_searches_on_three_boards(bench: Bench) -> None:
    facts = bench.facts("--only", "searches")
    assert set(facts) == {"isolarium", "python", "numba", "machine", "searches"}
    rows = facts["searches"]
    assert [row["search"] for row in rows] == [name for name, kind in SEARCHES.items() if kind.takes_limit]
    for row in rows:
        assert list(row["speeds"]) == ["7x7", "9x11", "13x13"]
        assert all(speed > 0 for speed in row["speeds"].values())
    (ours,) = (row for row in rows if row["search"] == "alphabeta")
    search, limit = AlphaBeta(parse_heuristic("improved")), Limit(depth=12)
    nodes = sum(search.choose(one, limit).report.nodes for one in positions_of("7x7"))
    assert (ours["limit"], ours["speeds"]["7x7"]) == (str(limit), pytest.approx(1000 * nodes))


def test_the_student_visits_the_same_nodes(bench: Bench) -> None:
    found = bench.facts("--only", "student")["student"]
    assert (found["depth"], found["nodes"]) == (8, NODES_AT_8)
    assert found["ours"] == pytest.approx(1000 * NODES_AT_8)
    assert found["student"] == pytest.approx(1000 * NODES_AT_8)


def test_ratio_is_of_the_speeds() -> None:
    assert suites.Comparison(8, NODES_AT_8, ours=5e6, student=2e5).ratio == 25


def test_a_table_for_people(bench: Bench) -> None:
    about, _, title, heads, _, ours, student = bench.lines("--only", "student")
    assert about.startswith("isolarium ")
    assert title == f"student · depth 8 on 7x7, the same {NODES_AT_8:,} nodes for both"
    assert re.split(r"\s{2,}", heads.strip()) == ["million nodes a second", "ratio"]
    assert re.fullmatch(r"alphabeta:improved +[0-9.]+ +[0-9]+", ours)
    assert re.fullmatch(r"plain Python +[0-9.]+ +1", student)


@pytest.fixture
def heuristics(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A sample of the catalogue, in its place."""
    names = sample(catalogue(), 6)
    monkeypatch.setattr(suites, "catalogue", lambda: {name: catalogue()[name] for name in names})
    return names


@pytest.mark.slow
def test_every_heuristic_is_measured(bench: Bench, heuristics: list[str]) -> None:
    rows = bench.facts("--only", "heuristics")["heuristics"]
    assert [row["heuristic"] for row in rows] == heuristics
    most = 1000 * len(positions_of("7x7")) * (suites.HEURISTIC_LIMIT.nodes or 0)
    assert all(most / 2 < row["speed"] <= most + 1 for row in rows)


@pytest.mark.slow
def test_plies_of_every_heuristic(bench: Bench, heuristics: list[str]) -> None:
    _, _, title, heads, _, *table = bench.lines("--only", "plies")
    assert title.startswith("plies · ")
    assert re.split(r"\s{2,}", heads.strip()) == ["30 ms", "8,000 nodes"]
    figures = {name: (float(a), float(b)) for name, a, b in map(str.split, table)}
    assert set(figures) == set(heuristics)
    assert all(1 <= in_time <= in_nodes for in_time, in_nodes in figures.values())
    assert all(in_nodes >= 4 for _, in_nodes in figures.values())
    assert list(figures) == sorted(figures, key=lambda name: -figures[name][0])


def test_parts_come_in_their_own_order_once_each(bench: Bench) -> None:
    asked = ("student", "student")
    facts = bench.facts(*(word for part in asked for word in ("--only", part)))
    assert list(facts)[4:] == ["student"]


def test_measuring_fails_if_the_node_counts_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ratio of speeds over different work would mean nothing."""
    monkeypatch.setattr(suites, "student_search", lambda position, depth: (0.0, 17))
    with pytest.raises(RuntimeError, match=r"^7/2A4/7/7/7/7/2B4 a: .* 118136 nodes, .* 17$"):
        main(["bench", "--only", "student"])
