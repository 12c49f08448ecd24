"""Reports of unusual runs."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from isolarium.analysis.run_statistics import overview_of
from isolarium.arena.game import ClockTroubles, Game
from isolarium.arena.plan import Format, Plan
from isolarium.arena.results import read_results
from isolarium.arena.run_db import Record
from isolarium.game.position import Player, Reason
from isolarium.reporting.html import write_page
from isolarium.reporting.markdown import write_markdown
from isolarium.reporting.model import Column, Document, Headline, Section, Table, rows_of
from isolarium.reporting.run_report import report_document, write_report
from isolarium.reporting.run_summary import run_json, run_summary
from isolarium.reporting.terminal import plain_text
from isolarium.reporting.verdict import verdict_of
from isolarium.stats import SprtPlan
from tests.playing import Careful, Wanderer, play_run_here
from tests.reporting.test_report import Page

pytestmark = pytest.mark.slow

TWO = ("greedy:open", "random")


def document_of(folder: Path) -> Document:
    """Return the report without writing it, which saves most of the work."""
    with closing(Record(folder)) as record:
        return report_document(record, overview_of(record))


def match_document(folder: Path, **changes: object) -> Document:
    plan = Plan(Format.MATCH, TWO, **{"pairs": 2, **changes})  # type: ignore[arg-type]
    return document_of(play_run_here(folder, plan, [Careful(), Wanderer()]))


def charts(document: Document) -> list[str]:
    return [figure.chart.name for figure in document.figures]


def text(document: Document) -> str:
    """Return the report as Markdown, without drawing charts."""
    return write_markdown(document)


def page_text(document: Document) -> str:
    return Page(write_page(document)).text


def test_nothing_played_yet(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, TWO, pairs=5)
    report = document_of(play_run_here(tmp_path, plan, [Careful(), Wanderer()], games=0))
    assert report.headline.answer == "No pair of games is finished yet"
    assert "0 of at most 10 games" in report.headline.warnings[0]
    assert charts(report) == []
    assert "0 of at most 10 games" in write_markdown(report)


def test_half_a_pair(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, TWO, pairs=5)
    report = document_of(play_run_here(tmp_path, plan, [Careful(), Wanderer()], games=1))
    assert report.headline.answer == "No pair of games is finished yet"
    assert "heat-maps" in charts(report)
    assert "standings" not in charts(report)


def test_unfinished_tournament(tmp_path: Path) -> None:
    plan = Plan(Format.ROUND_ROBIN, ("greedy:open", "random", "greedy:improved"), pairs=3)
    agents = [Careful(), Wanderer(), Careful()]
    report = document_of(play_run_here(tmp_path, plan, agents, games=7))
    assert "7 of at most 18 games" in report.headline.warnings[0]
    assert "cross-table" in charts(report)


def test_one_pair(tmp_path: Path) -> None:
    assert "pairs" in charts(match_document(tmp_path, pairs=1))


@pytest.mark.parametrize("board", ["3x3", "3x13", "13x13"])
def test_boards_of_all_sizes(tmp_path: Path, board: str) -> None:
    report = match_document(tmp_path, board=board, pairs=1)
    assert f"on {board}" in page_text(report)
    assert "heat-maps" in charts(report)


def test_a_board_on_which_starts_repeat(tmp_path: Path) -> None:
    report = match_document(tmp_path, board="3x4", openings="all", pairs=30)
    assert "may be asymmetric only because they are" not in text(report)


def test_openings_from_a_file_may_cause_asymmetry(tmp_path: Path) -> None:
    report = match_document(tmp_path, openings="file", lines=(("d4", "b3"),), pairs=3)
    assert "may be asymmetric only because they are" in text(report)


def test_sequential_test(tmp_path: Path) -> None:
    report = match_document(tmp_path, pairs=60, test=SprtPlan(0.0, 5.0))
    assert report.headline.answer == "greedy:open against random: the test is undecided"
    assert "sequential-test" in charts(report)


def test_agents_against_themselves(tmp_path: Path) -> None:
    alone = Plan(Format.ROUND_ROBIN, ("random",), pairs=3, self_play=True)
    report = document_of(play_run_here(tmp_path / "one", alone, [Wanderer()]))
    assert report.headline.answer == "random against itself"
    both = Plan(Format.ROUND_ROBIN, TWO, pairs=8, self_play=True)
    report = document_of(play_run_here(tmp_path / "two", both, [Careful(), Wanderer()]))
    assert "greedy:open" in report.headline.answer
    assert "cross-table" in charts(report)


def test_charts_of_many_agents_are_limited_with_a_note(tmp_path: Path) -> None:
    agents = tuple(f"greedy:balanced(weight={number})" for number in range(1, 31))
    plan = Plan(Format.GAUNTLET, agents, ("random",), board="3x3", pairs=1)
    report = document_of(play_run_here(tmp_path, plan, [Wanderer() for _ in range(31)]))
    assert "the best 24 of 31 agents" in page_text(report)
    [standings] = [table for table in report.files if table.name == "standings"]
    assert len(standings.rows) == 31


def test_timed_run_reports_delayed_moves(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, TWO, pairs=2, move_ms=500.0)
    play_run_here(tmp_path / "fair", plan, [Careful(), Wanderer()])
    with closing(Record(tmp_path / "fair")) as record:
        rows = list(record.games())
    slow = [replace(row, times_ms=[20.0] * len(row.moves)) for row in rows]
    for name, share, warnings in (("calm", 1.0, 0), ("busy", 0.5, 1)):
        folder = tmp_path / name
        with closing(Record.create(folder, plan)) as record:
            record.add(replace(row, busy_ms=[20.0 * share] * len(row.moves)) for row in slow)
            record.finish("2026-11-15T12:00:00+00:00")
        report = document_of(folder)
        assert len(report.headline.warnings) == warnings
        words = text(report)
        assert ("The clock was fair" in words) == (warnings == 0)
        assert ("pair 1 of greedy:open vs random" in words) == (warnings == 1)


def test_timed_run_reports_replays_and_late_delayed_moves(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, TWO, pairs=2, move_ms=500.0)
    play_run_here(tmp_path / "fair", plan, [Careful(), Wanderer()])
    with closing(Record(tmp_path / "fair")) as record:
        rows = list(record.games())
    with closing(Record.create(tmp_path / "late", plan)) as record:
        record.add(rows[:2], ClockTroubles(pairs_replayed=1, late_moves_held_up=8))
        record.add(rows[2:], ClockTroubles(pairs_replayed=2))
        record.finish("2026-11-15T12:00:00+00:00")
        results = read_results(record)
    report = document_of(tmp_path / "late")
    assert "3 replays of a pair" in text(report)
    assert "8 moves that lost a game on time had been delayed too" in text(report)
    assert "3 pairs replayed after a late move" in plain_text(run_summary(results, 200))
    assert run_json(results)["pairs_replayed"] == 3
    assert "the clock was not fair" in verdict_of(results).words


HOSTILE = "<script>alert('x')</script> | **bold** & \"quoted\""
"""Names with control characters are refused when a run is opened, but notes may contain them."""


def test_hostile_texts_are_escaped(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, TWO, pairs=3, title=HOSTILE)
    play_run_here(tmp_path, plan, [Careful(), Wanderer()])
    with closing(Record(tmp_path)) as record:
        rows = [crashed(row, row.winner) for row in record.games()]
    folder = tmp_path / "hostile"
    object.__setattr__(plan, "agents", (HOSTILE, f"{HOSTILE}@nodes=5"))
    with closing(Record.create(folder, plan)) as record:
        record.add(rows)
        report = write_report(record, folder)
    page = Page(report.page.read_text(encoding="utf-8"))
    assert "script" not in {tag for tag, _ in page.tags}
    assert page.text.count("<script>alert('x')</script> | **bold**") > 6
    assert "\x07" not in page.text
    for name in report.files:
        if not name.endswith((".png", ".csv")):
            written = (folder / name).read_text(encoding="utf-8")
            assert "<script" not in written.replace(r"\<script", "")


def test_a_match_of_crashes_has_them_in_its_headline(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, TWO, pairs=3)
    play_run_here(tmp_path, plan, [Careful(), Wanderer()])
    with closing(Record(tmp_path)) as record:
        rows = [replace(crashed(row, Player(row.leg)), note="Oops") for row in record.games()]
    folder = tmp_path / "crashed"
    with closing(Record.create(folder, plan)) as record:
        record.add(rows)
    report = document_of(folder)
    assert report.headline.answer == "random lost 6 of 6 games by a crash"
    assert "random lost 6 of 6 games by a crash: Oops" in text(report)
    assert text(report).count("random, crash: Oops") == 1
    assert "losses" in charts(report)


def test_losses_are_charted_only_if_a_game_ended_early(tmp_path: Path) -> None:
    report = match_document(tmp_path)
    assert "losses" not in charts(report)
    assert {"losses"} <= {table.name for table in report.files}


def test_hostile_texts_do_not_break_tables(tmp_path: Path) -> None:
    columns = (Column("a", "a"), Column("b", "b"))
    table = Table("name", "title", columns, rows_of(columns, [[HOSTILE, "1"]]))
    sections = [Section("s", "S", [table])]
    document = Document("run", Headline("", "", ""), None, sections=sections)
    rows = [line for line in write_markdown(document).splitlines() if line.startswith("|")]
    assert {row.replace(r"\|", "").count("|") for row in rows} == {3}


def crashed(row: Game, winner: Player) -> Game:
    """Return the same game, ended a few moves earlier by a crash with a hostile message."""
    cut = 2 if winner == row.winner else 3
    lists = {name: getattr(row, name)[:-cut] for name in ("moves", "scores", "depths", "nodes", "times_ms", "busy_ms")}
    return replace(row, winner=winner, reason=Reason.CRASH, note=f"{HOSTILE} \x07", **lists)
