"""Exports: every game, in formats that other programs read, and the same bytes for equal runs."""

import csv
import json
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from isolarium.arena import Conditions
from isolarium.arena.export import WRITERS, write_parquet
from isolarium.arena.game import is_proven
from isolarium.arena.plan import match_plan
from isolarium.arena.run_db import Record
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.position import Player, Reason
from isolarium.game.record import parse_game, parse_replay
from tests.arena.playing import play
from tests.playing import made_up_row

BOARD = Board(5, 5)
PLAN = match_plan("greedy:open", "random", Conditions(pairs=12, board="5x5", plies=1))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    play(folder, PLAN, workers=1)
    return folder


def export(folder: Path, form: str, times: bool = True) -> str:
    text = StringIO()
    with closing(Record(folder)) as record:
        WRITERS[form](record, text, times)
    return text.getvalue()


def test_json_has_the_plan_and_every_game(run: Path) -> None:
    found = json.loads(export(run, "json"))
    assert found["plan"] == json.loads(PLAN.to_json())
    assert found["circumstances"][0]["workers"] == 1
    assert len(found["games"]) == 24
    game = found["games"][1]
    assert (game["first"], game["second"]) == ("random", "greedy:open")
    assert len(game["opening"]) == 3
    lists = ("moves", "scores", "depths", "nodes", "times_ms", "busy_ms")
    assert {len(game[name]) for name in lists} == {len(game["moves"])}


def test_csv_says_the_same_as_json(run: Path) -> None:
    rows = list(csv.DictReader(StringIO(export(run, "csv"))))
    games = json.loads(export(run, "json"))["games"]
    assert list(rows[0]) == list(games[0])
    for row, game in zip(rows, games, strict=True):
        assert row["moves"].split(";") == game["moves"]
        assert row["pair"] == str(game["pair"])
        assert [float(time) for time in row["times_ms"].split(";")] == game["times_ms"]
        assert row["winner"] == game["winner"]


@pytest.mark.parametrize("form", ["json", "csv"])
def test_without_times_nothing_says_when_or_how_long(run: Path, form: str) -> None:
    text = export(run, form, times=False)
    assert not any(word in text for word in ("times_ms", "busy", "started", "circumstances"))


def test_replays_and_text_are_games_that_end_as_recorded(run: Path) -> None:
    games = json.loads(export(run, "json"))["games"]
    replays = export(run, "replay").splitlines()
    lines = export(run, "text").splitlines()
    for game, replay, line in zip(games, replays, lines, strict=True):
        assert parse_replay(replay, BOARD) == parse_game(line)
        outcome = parse_game(line).outcome()
        assert outcome is not None
        assert (str(outcome.winner), str(outcome.reason)) == (game["winner"], game["reason"])


@pytest.mark.parametrize("note", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_no_cell_is_a_formula_for_a_spreadsheet(tmp_path: Path, note: str) -> None:
    [opening, *_] = PLAN.draw_openings()
    row = made_up_row((0, 0, 0), opening, PLAN.board, Player.FIRST, Reason.CRASH)
    with closing(Record.create(tmp_path, PLAN)) as record:
        record.add([replace(row, note=note)])
    [found] = csv.DictReader(StringIO(export(tmp_path, "csv")))
    assert found["note"] == f"'{note}"
    assert json.loads(export(tmp_path, "json"))["games"][0]["note"] == note


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_parquet_says_the_same_as_json(run: Path, tmp_path: Path, library: str) -> None:
    pytest.importorskip(library)
    with closing(Record(run)) as record:
        write_parquet(record, tmp_path / "games", True, library)
    import polars  # takes long to import

    rows = polars.read_parquet(tmp_path / "games").to_dicts()
    games = json.loads(export(run, "json"))["games"]
    for row, game in zip(rows, games, strict=True):
        proven = list(map(is_proven, game["scores"]))
        words = {"win": float("inf"), "loss": float("-inf")}
        scores = [
            words[score.split()[0]] if done else score for score, done in zip(game["scores"], proven, strict=True)
        ]
        plies = [int(score.split()[1]) if done else None for score, done in zip(game["scores"], proven, strict=True)]
        assert row == {**game, "scores": scores, "proven": proven, "plies": plies}


def test_parquet_needs_a_library(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isolarium.arena.export.LIBRARIES", ("no_such_library",))
    with closing(Record(run)) as record, pytest.raises(InputError, match=r"pip install '\.\[parquet\]'"):
        write_parquet(record, tmp_path / "games", True)
    assert not (tmp_path / "games").exists()
