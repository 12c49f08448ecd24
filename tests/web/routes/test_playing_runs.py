"""Starting, watching, stopping and resuming runs from a page."""

import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from isolarium.api import match
from isolarium.arena.export import games_as_values
from isolarium.arena.run_db import Record
from tests.arena.processes import wait_until
from tests.web.serving import Server, serving
from tests.web.talking import talking

pytestmark = pytest.mark.slow

AGENTS = {"first": "alphabeta:improved@nodes=50000", "second": "alphabeta:open@nodes=50000"}
MATCH = {"kind": "match", **AGENTS, "pairs": 2000, "seed": 7}
"""Which takes far longer than any test waits, by long games: who watches a run reads all of its games and openings."""


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Server]:
    """A server without any run."""
    with serving(tmp_path / "runs") as server:
        yield server


def games_of(folder: Path) -> list[dict[str, Any]]:
    """Every game of a run, without what a clock decides."""
    with closing(Record(folder)) as record:
        return list(games_as_values(record, times=False))


def watched_until(server: Server, name: str, *states: str, games: int = 0) -> dict[str, Any]:
    """What is told of a run once it is in one of these states, or has so many games."""
    with talking(f"{server.socket}/api/runs/{name}/live") as line:
        while True:
            run: dict[str, Any] = line.hear()["run"]
            if run["state"] in states or (games and run["games"] >= games):
                return run


@pytest.mark.slow
def test_a_match_that_is_stopped_and_cut_off_goes_on_with_the_same_games(own: Server) -> None:
    begun = own.post("/api/runs", MATCH)
    assert begun.status_code == 201
    name = begun.json()["name"]
    assert begun.json()["runs"] == [name]
    playing = watched_until(own, name, "finished", games=2)
    assert (playing["state"], playing["mine"]) == ("playing", True)
    assert own.post(f"/api/runs/{name}/resume").status_code == 409
    stopping = own.post(f"/api/runs/{name}/stop")
    assert (stopping.status_code, stopping.json()["state"]) == (202, "stopping")
    stopped = watched_until(own, name, "stopped")
    assert stopped["games"] >= playing["games"]
    assert own.post(f"/api/runs/{name}/stop").status_code == 409

    assert own.post(f"/api/runs/{name}/resume").status_code == 202
    resumed = watched_until(own, name, "finished", games=stopped["games"] + 2)
    assert own.end(signal.SIGTERM) == 0

    with serving(own.runs) as again:
        kept = again.get(f"/api/runs/{name}").json()
        assert (kept["state"], kept["mine"]) == ("stopped", False)
        assert kept["games"] >= resumed["games"]
        assert again.post(f"/api/runs/{name}/resume").status_code == 202
        watched_until(again, name, "finished", games=kept["games"] + 2)
        assert again.end(signal.SIGINT) == 0
    games = games_of(own.runs / name)
    assert len({(game["pair"], game["game"]) for game in games}) == len(games) >= 6
    pairs = max(game["pair"] for game in games[:6])
    undisturbed = match(*AGENTS.values(), pairs=pairs, seed=7, runs=own.runs / "other", progress=False)
    expected = games_of(undisturbed.folder)
    assert [game for game in games[:6] if game not in expected] == []


@pytest.mark.slow
def test_a_run_is_watched_to_its_end(busy_server: Server) -> None:
    name = busy_server.post("/api/runs", {**MATCH, "pairs": 3, "test": [0, 20]}).json()["name"]
    run = watched_until(busy_server, name, "finished")
    assert (run["games"], run["pairs_done"], run["test"]["pairs"]) == (6, 3, 3)
    assert busy_server.post(f"/api/runs/{name}/resume").status_code == 409


@pytest.mark.slow
def test_a_study_is_played_part_by_part(busy_server: Server) -> None:
    wanted = {"kind": "study", "study": "report-003", "parts": ["against-improved"], "scale": 1e-9}
    begun = busy_server.post("/api/runs", wanted).json()
    assert begun["runs"] == [f"{begun['name']}~against-improved"]
    busy_server.post(f"/api/runs/{begun['name']}/stop")
    name = begun["runs"][0]

    def goes_on() -> bool:
        """Whether it is played on; not while it is still ending, nor if it was finished before it was stopped."""
        if busy_server.get(f"/api/runs/{name}").json().get("state") == "finished":
            return True
        return busy_server.post(f"/api/runs/{begun['name']}/resume").status_code == 202

    wait_until(goes_on, "the study again")
    wait_until(lambda: busy_server.get(f"/api/runs/{name}").status_code != 404, "its part")
    run = watched_until(busy_server, name, "finished")
    assert run["study"] == begun["name"]
    assert run["games"] == run["games_planned"]


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"first": "nobody"}, "no search named 'nobody'"),
        ({"first": "alphabeta:improved@nodes=1e9"}, "at most 5,000,000"),
        ({"limit": "nodes=1000000000"}, "at most 5,000,000"),
        ({"limit": "/../../tmp/x.py:f"}, "expected one such as nodes=8000"),
        ({"pairs": 10**9}, "pairs"),
        ({"pairs": True}, "pairs"),
        ({"board": "99x99"}, "board"),
        ({"openings": "/etc/passwd"}, "openings"),
        ({"test": [20, 0]}, "test"),
        ({"name": "a\nb"}, "name"),
        ({"kind": "party"}, "kind"),
        ({"plies": 61}, "plies"),
    ],
)
def test_a_match_that_cannot_be_is_refused_and_leaves_nothing(
    server: Server, changes: dict[str, object], part: str
) -> None:
    before = sorted(server.runs.iterdir())
    answer = server.post("/api/runs", {**MATCH, **changes})
    assert answer.status_code == 422
    assert part in answer.json()["error"]
    assert sorted(server.runs.iterdir()) == before


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"study": "../../x"}, "no built-in study"),
        ({"study": "/tmp/x.toml"}, "no built-in study"),
        ({"parts": ["nothing"]}, "has no part named 'nothing'"),
        ({"limit": "/../../tmp/x.py:f"}, "expected one such as nodes=8000"),
        ({"limit": "nodes=1e9"}, "at most 5,000,000"),
        ({"scale": 0}, "scale"),
    ],
)
def test_a_study_that_cannot_be_is_refused_and_leaves_nothing(
    server: Server, changes: dict[str, object], part: str
) -> None:
    before = sorted(server.runs.iterdir())
    answer = server.post("/api/runs", {"kind": "study", "study": "report-003", **changes})
    assert answer.status_code == 422
    assert part in answer.json()["error"]
    assert sorted(server.runs.iterdir()) == before
