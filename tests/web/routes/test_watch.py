"""Runs over HTTP: what there is, what they say, their games and reports."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from isolarium.arena.checksummed_db import create_db
from isolarium.arena.export import games_as_values
from isolarium.arena.plan import Format, Plan
from isolarium.arena.results import read_results
from isolarium.arena.run_db import FILE_NAME, TABLES, VERSION, Record
from isolarium.arena.run_store import REPORT_PAGE, has_report
from isolarium.errors import InputError
from isolarium.game.record import read_game
from isolarium.reporting.cells import json_of
from isolarium.reporting.model import typed_table_json
from isolarium.reporting.run_tables import STANDINGS, pairs_table, standing
from isolarium.web.jobs.run_views import read_game as read_played_game
from isolarium.web.jobs.run_views import read_games, read_run
from tests.playing import Careful, Wanderer, play_run_here
from tests.web.serving import FINISHED, Server
from tests.web.talking import talking
from tests.web.truth import wins

pytestmark = pytest.mark.slow


def ask(task: Callable[..., dict[str, Any]], **request: Any) -> dict[str, Any]:
    """What a worker answers, here and at once."""
    return task(request, lambda: False)


def test_the_list_has_runs_and_studies(server: Server) -> None:
    output = server.get("/api/runs").json()
    run = next(one for one in output["runs"] if one["name"] == FINISHED)
    assert (run["state"], run["games"], run["games_planned"]) == ("finished", 60, 60)
    assert (run["mine"], run["study"], run["problem"]) == (False, None, "")
    assert {"course", "report-003"} <= {one["name"] for one in output["studies"]}
    assert all(one["parts"] for one in output["studies"])


def test_a_run_is_what_its_record_says(server: Server) -> None:
    run = server.get(f"/api/runs/{FINISHED}").json()
    with closing(Record(server.runs / FINISHED)) as record:
        results = read_results(record)
    test = results.tally.test
    assert test is not None
    assert run["players"] == list(results.labels)
    assert run["encounters"]["rows"] == typed_table_json(pairs_table(results))["rows"]
    assert run["cross"] is None  # of two players it would say nothing more
    assert run["test"]["path"][1:] == [[number, llr] for number, llr in enumerate(test.path, start=1)]
    assert (run["test"]["lower"], run["test"]["upper"]) == (test.plan.lower, test.plan.upper)
    assert run["test"]["normalised"] is False


def test_what_a_page_asks_for_is_compressed(server: Server) -> None:
    run = server.get(f"/api/runs/{FINISHED}")
    assert run.headers["content-encoding"] == "gzip"
    assert int(run.headers["content-length"]) < len(run.content) / 2
    assert "content-encoding" not in server.get("/api/health").headers  # too short to gain from it


def test_the_standings_are_those_of_the_report(server: Server) -> None:
    table = server.get(f"/api/runs/{FINISHED}").json()["standings"]
    with closing(Record(server.runs / FINISHED)) as record:
        results = read_results(record)
    shown = [column for column in STANDINGS if column.heading is not None]
    assert table["keys"] == ["place", "agent", *(column.key for column in shown)]
    assert table["columns"][2:] == [column.heading for column in shown]
    for player, values in zip(results.ranking, table["values"], strict=True):
        expected = json_of(standing(results, player))
        assert values == [expected[key] for key in table["keys"]]


def test_before_the_first_game_the_standings_say_only_who_plays(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, ("greedy:open", "random"), pairs=2)
    folder = play_run_here(tmp_path, plan, [Careful(), Wanderer()], games=0)
    table = ask(read_run, folder=str(folder))["run"]["standings"]
    figures = len(table["keys"]) - 2
    assert table["values"] == [[1, "greedy:open", *[None] * figures], [2, "random", *[None] * figures]]


def test_heat_maps_count_the_moves(server: Server) -> None:
    run = server.get(f"/api/runs/{FINISHED}").json()
    with closing(Record(server.runs / FINISHED)) as record:
        moves = sum(len(game.moves) for game in record.games())
    shares = [share for heat in run["heat"] for share in heat["share"]]
    assert len(shares) == 2 * 49
    assert sum(shares) * run["games"] == pytest.approx(moves, abs=0.2)


def test_games_come_in_pages_and_one_by_one(server: Server) -> None:
    with closing(Record(server.runs / FINISHED)) as record:
        known = list(games_as_values(record, times=False))
    page = server.get(f"/api/runs/{FINISHED}/games?offset=50&limit=20").json()
    assert (page["total"], [one["number"] for one in page["games"]]) == (60, list(range(51, 61)))
    for one in page["games"]:
        expected = known[one["number"] - 1]
        game = read_game(one["text"])
        assert [str(move) for move in game.moves] == expected["opening"] + expected["moves"]
        assert (one["pair"], one["game"]) == (expected["pair"], expected["game"])
        assert one["winner"] == expected["winner"] == str(game.outcome().winner)  # type: ignore[union-attr]
    whole = server.get(f"/api/runs/{FINISHED}/games/51").json()
    assert {name: whole[name] for name in page["games"][0]} | {"moves": None} == page["games"][0] | {"moves": None}
    said = whole["moves"][whole["opening"] :]
    assert [one["score"] for one in said] == known[50]["scores"]
    assert whole["labels"] == [known[50]["first"], known[50]["second"]]
    assert read_game(whole["json"]).moves == read_game(whole["text"]).moves


def test_a_page_of_games_is_read_without_those_before_it(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, ("greedy:open", "random"), pairs=5)
    folder = play_run_here(tmp_path, plan, [Careful(), Wanderer()])
    with closing(Record(folder, writes=True)) as record:
        games = list(record.games(most=2))
        record.remove([(0, 0, 1)], [])
        record.add(games)
    with closing(sqlite3.connect(folder / FILE_NAME)) as base, base:
        base.execute("UPDATE games SET data = x'00' WHERE first = 0")
    page = ask(read_games, folder=str(folder), offset=2, limit=3, show="all", agent=None)
    assert (page["total"], [one["number"] for one in page["games"]]) == (10, [3, 4, 5])
    assert ask(read_played_game, folder=str(folder), number=3)["pair"] == 2
    with pytest.raises(InputError, match="not what was written"):
        ask(read_games, folder=str(folder), offset=1, limit=1, show="all", agent=None)


def test_won_starts_that_were_given_away_are_those_that_trying_everything_finds(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, ("greedy:open", "random"), pairs=8, board="4x4")
    folder = str(play_run_here(tmp_path, plan, [Careful(), Wanderer()]))

    def listed(show: str, agent: int | None = None, **page: int) -> list[dict[str, Any]]:
        wanted = {"offset": 0, "limit": 200, **page, "show": show, "agent": agent}
        return list(ask(read_games, folder=folder, **wanted)["games"])

    def is_given_away(line: dict[str, Any]) -> bool:
        start = read_game(line["text"]).positions()[2]
        return bool(str(start.to_move) == line["winner"]) != wins(start)

    expected = [line for line in listed("all") if is_given_away(line)]
    assert 0 < len(expected) < 16
    assert listed("given away") == expected
    assert listed("given away", offset=1, limit=1) == expected[1:2]
    assert listed("given away", agent=1) == expected
    assert listed("time") == []

    def erred(line: dict[str, Any]) -> set[int]:
        positions = read_game(line["text"]).positions()[2:]
        won = [wins(position) for position in positions]
        given = [p for p, both in zip(positions, pairwise(won), strict=False) if all(both)]
        return {(line["first"], line["second"])[position.to_move] for position in given}

    mistaken = [line for line in listed("all") if erred(line)]
    assert len(expected) < len(mistaken) < 16
    assert listed("mistakes") == mistaken
    assert listed("mistakes", agent=1) == [line for line in mistaken if 1 in erred(line)]
    assert listed("all", agent=2) == []


@pytest.mark.slow
def test_the_report_is_a_page_with_its_files_and_no_script(server: Server) -> None:
    answer = server.get(f"/api/runs/{FINISHED}/report", follow_redirects=True)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "script-src" not in policy
    assert "sandbox allow-downloads" in policy
    chart = server.get(f"/api/runs/{FINISHED}/report/charts/standings.svg")
    assert chart.headers["content-type"] == "image/svg+xml"
    for path in ("../../../run.sqlite", "%2e%2e/run.sqlite", "nothing.html", "charts"):
        assert server.get(f"/api/runs/{FINISHED}/report/{path}").status_code == 404


def test_a_finished_run_s_own_report_is_shown(server: Server) -> None:
    folder = server.runs / FINISHED
    own, table = folder / "report.html", folder / "tables" / "pairs.csv"
    own.write_text("its own")
    table.parent.mkdir()
    table.write_text("a,b")
    try:
        assert server.get(f"/api/runs/{FINISHED}/report/").text == "its own"
        assert server.get(f"/api/runs/{FINISHED}/report/tables/pairs.csv").text == "a,b"
        for path in (FILE_NAME, "tables", "nothing.html", "tables%2f..%2fgames.txt"):
            assert server.get(f"/api/runs/{FINISHED}/report/{path}").status_code == 404
    finally:
        own.unlink()
        shutil.rmtree(table.parent)


def test_an_old_report_is_written_anew(tmp_path: Path) -> None:
    page, record = tmp_path / REPORT_PAGE, tmp_path / FILE_NAME
    record.touch()
    assert not has_report(tmp_path)
    page.touch()
    os.utime(record, ns=(0, page.stat().st_mtime_ns + 1))
    assert not has_report(tmp_path)
    os.utime(record, ns=(0, page.stat().st_mtime_ns))
    assert has_report(tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "nothing",
        "..",
        "%2e%2e",
        "~",
        "a~b~c",
        f"{FINISHED}~..",
        f"..~{FINISHED}",
        "last",
        "a%00",
        "a" * 300,
        "-x",
        "%2Fetc",
    ],
)
def test_names_that_are_none_are_not_found(server: Server, name: str) -> None:
    for path in ("", "/games", "/games/1", "/report"):
        answer = server.get(f"/api/runs/{name}{path}")
        assert answer.status_code in (404, 422)
    for path in ("/stop", "/resume"):
        assert server.post(f"/api/runs/{name}{path}").status_code in (404, 405, 422)


def test_a_clock_that_was_set_back_gives_a_speed_too(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, ("greedy:open", "random"), pairs=30)
    folder = play_run_here(tmp_path, plan, [Careful(), Wanderer()], games=6)
    later = datetime.now(UTC) + timedelta(hours=1)
    sitting = {"since": later.isoformat(timespec="seconds"), "games_before": 2}
    with closing(Record(folder, writes=True)) as record:  # who writes is playing
        record.set_fact("circumstances", json.dumps([sitting]))
        run = ask(read_run, folder=str(folder))["run"]
    assert (run["state"], run["rate"], run["seconds_left"]) == ("playing", 4.0, 13.5)


@pytest.mark.parametrize("number", ["0", "61", "-1", "x", str(10**40)])
def test_a_game_that_is_not_there_is_not_found(server: Server, number: str) -> None:
    assert server.get(f"/api/runs/{FINISHED}/games/{number}").status_code in (404, 422)


def test_a_run_is_told_of_at_once_over_a_websocket(server: Server) -> None:
    with talking(f"{server.socket}/api/runs/{FINISHED}/live") as line:
        assert line.hear() == {"kind": "run", "run": server.get(f"/api/runs/{FINISHED}").json()}
    with talking(f"{server.socket}/api/runs/nothing/live") as line:
        heard = line.hear()
        assert (heard["kind"], heard["status"]) == ("error", 404)


def test_a_broken_record_harms_no_other(server: Server) -> None:
    """Records are files: they may come from anywhere, and be anything."""
    nonsense, empty, other = (server.runs / name for name in ("nonsense", "empty", "other"))
    for folder in (nonsense, empty, other):
        folder.mkdir()
    (nonsense / FILE_NAME).write_bytes(b"no database at all" * 100)
    (empty / FILE_NAME).touch()
    create_db(other / FILE_NAME, TABLES, VERSION, {"facts": [("plan", "{}")]})
    try:
        lines = {one["name"]: one for one in server.get("/api/runs").json()["runs"]}
        for name in ("nonsense", "empty", "other"):
            assert lines[name]["state"] == "broken"
            assert lines[name]["problem"]
            for path in ("", "/games", "/report/"):
                assert server.get(f"/api/runs/{name}{path}").status_code in (409, 422)
            assert server.post(f"/api/runs/{name}/resume").status_code == 422
        assert lines[FINISHED]["state"] == "finished"
    finally:
        for folder in (nonsense, empty, other):
            shutil.rmtree(folder)
