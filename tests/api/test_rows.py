"""Figures of runs as rows and data frames."""

import gc
import sys
from pathlib import Path

import pytest

import isolarium
from isolarium.compat import lock

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> isolarium.Match:
    runs = tmp_path_factory.mktemp("runs")
    return isolarium.match("greedy:open", "random", pairs=10, board="4x5", workers=1, runs=runs)


def test_the_tables_of_a_run_are_rows(played: isolarium.Match) -> None:
    best, other = played.records()
    assert (best["agent"], other["agent"]) == ("greedy:open", "random")
    assert best["score"] == pytest.approx(played.rate.rate, abs=1e-4)
    assert best["score_low"] == pytest.approx(played.rate.low, abs=1e-4)
    [pairs] = played.records("pairs")
    counted = (played.pairs.won, played.pairs.split, played.pairs.lost)
    assert (pairs["won"], pairs["split"], pairs["lost"]) == counted
    assert sum(row["no_moves"] for row in played.records("losses")) == 20


def test_every_game_is_a_row_that_can_be_read_again(played: isolarium.Match) -> None:
    rows = played.records("games")
    assert len(rows) == 20
    for row in rows:
        game = isolarium.read_game(row["record"])
        assert str(game.start.board) == "4x5"
        assert len(game.moves) == row["plies"]
        outcome = game.outcome()
        assert outcome is not None
        assert str(outcome.winner) == row["winner"]
        assert row["winning_agent"] == row[row["winner"]]
    won = sum(row["winning_agent"] == "greedy:open" for row in rows)
    assert won == played.pairs.games_won


def test_an_unknown_table_is_refused(played: isolarium.Match) -> None:
    output = "^records 'wins': expected standings, pairs, losses or games$"
    with pytest.raises(isolarium.InputError, match=output):
        played.records("wins")  # type: ignore[arg-type]


def test_rows_are_frames_of_either_library(played: isolarium.Match) -> None:
    rows = played.records("games")
    assert rows.to_pandas().to_dict("records") == list(rows)
    assert rows.to_polars().to_dicts() == list(rows)
    assert rows.to_polars().columns == rows.columns


def test_a_column_may_be_unknown_for_long_in_either_library() -> None:
    rows = isolarium.Records({"value": None if row < 200 else row / 2} for row in range(202))
    assert rows.to_polars()["value"].to_list()[-1] == 100.5
    assert rows.to_pandas()["value"].tolist()[-1] == 100.5


def test_a_missing_library_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(isolarium.InputError, match=r"^pandas: not installed; run pip"):
        isolarium.Records([{"value": 1}]).to_pandas()


def test_rows_display_themselves_and_long_lists_in_part() -> None:
    rows = isolarium.Records({"name": f"<{row}>", "odd": row % 2 == 1} for row in range(30))
    assert repr(rows).splitlines()[2] == "<0>    no"
    assert repr(rows).endswith("and 10 rows more")
    assert rows._repr_html_().count("<tr>") == 21
    assert '<td style="text-align: left">&lt;0&gt;</td>' in rows._repr_html_()
    assert "| \\<1\\> | yes |" in rows._repr_markdown_()
    assert repr(rows[28:]).splitlines()[2:] == ["<28>   no", "<29>  yes"]
    assert repr(isolarium.Records()) == ""


def test_a_stored_run_is_read_again_and_reported(played: isolarium.Match, tmp_path: Path) -> None:
    again = isolarium.read_run("last", runs=played.folder.parent)
    assert isinstance(again, isolarium.Match)
    assert again.to_json() == played.to_json()
    page = again.report(tmp_path, accuracy=False)
    assert page.parent == tmp_path
    assert played.verdict.partition(" ")[0] in page.read_text()
    assert (tmp_path / "tables" / "standings.csv").is_file()


def test_the_next_run_removes_what_a_killed_process_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left, used, other = (tmp_path / f"isolarium-run-{name}" for name in ("left", "used", "other"))
    for folder in (left, used, other):
        folder.mkdir()
    (left / "held").touch()
    with (used / "held").open("wb") as held:
        assert lock(held)
        passing = isolarium.match("random", "random", pairs=1, board="3x3", workers=1)
    own = passing.folder.parent
    assert {*tmp_path.iterdir()} == {used, other, own}
    del passing
    gc.collect()
    assert not own.exists()


def test_a_temporary_run_needs_a_folder_for_its_report() -> None:
    passing = isolarium.match("random", "random", pairs=1, board="3x3", workers=1)
    with pytest.raises(isolarium.InputError, match="name a folder for the report"):
        passing.report()
