"""Reports match the run's database, are self-contained, and are reproducible."""

import csv
import os
import platform
import re
import struct
import subprocess
import sys
import zlib
from collections import Counter
from contextlib import closing
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

import isolarium
from isolarium.analysis.run_statistics import overview_of
from isolarium.arena import Conditions
from isolarium.arena.plan import Format, Plan, match_plan
from isolarium.arena.results import Results, read_results
from isolarium.arena.run_db import Record
from isolarium.errors import InputError
from isolarium.game.record import parse_game
from isolarium.reporting.chart import FONTS_NAMED_BY, NO_FONTS, PIXELS, png
from isolarium.reporting.model import Example
from isolarium.reporting.report_folder import Report
from isolarium.reporting.run_report import examples, score_suffix, write_report
from isolarium.stats import elo_difference
from tests.playing import Careful, Wanderer, play_run_here

pytestmark = pytest.mark.slow

NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


class Page(HTMLParser):
    """The parsed elements and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def results_of(folder: Path) -> Results:
    with closing(Record(folder)) as record:
        return read_results(record)


def page_of(report: Report) -> Page:
    return Page(report.page.read_text(encoding="utf-8"))


def table(report: Report, name: str) -> list[dict[str, str]]:
    with (report.folder / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(params=["match", "tournament"])
def report(request: pytest.FixtureRequest) -> Report:
    made: Report = request.getfixturevalue(f"{request.param}_report")
    return made


# Figures


def test_the_answer_is_the_result_of_the_match(match_run: Path, match_report: Report) -> None:
    [met] = results_of(match_run).encounters
    top = match_report.headline
    assert top.answer == "greedy:open is better than random"
    assert top.figure == str(met.rate)
    facts = {fact.label: fact.parts for fact in match_report.facts.items}
    assert f"Elo {elo_difference(met.rate)}" in facts["score"]
    assert facts["pairs"][0] == (f"won {met.summary.won} · split {met.summary.split} · lost {met.summary.lost}")


def test_answer_is_on_every_form_of_the_report(report: Report) -> None:
    page, top = page_of(report), report.headline
    assert len(page.all("h1")) == 1
    assert top.answer in page.text
    assert top.figure in page.text
    markdown = (report.folder / "report.md").read_text(encoding="utf-8")
    assert f"# {top.answer}" in markdown.replace("\\", "")


def test_standings_are_the_results(tournament_run: Path, tournament_report: Report) -> None:
    results = results_of(tournament_run)
    assert results.ratings is not None
    rows = table(tournament_report, "standings")
    assert [row["agent"] for row in rows] == [rating.agent for rating in results.ratings.table]
    for row in rows:
        player = results.labels.index(row["agent"])
        rating = results.ratings[row["agent"]]
        assert float(row["elo"]) == pytest.approx(rating.elo.elo, abs=0.005)
        assert float(row["score"]) == pytest.approx(results.rates[player].rate, abs=5e-5)
        assert (int(row["games"]), int(row["won"])) == (results.agents[player].games, results.agents[player].won)


def test_pairs_are_the_results(tournament_run: Path, tournament_report: Report) -> None:
    results = results_of(tournament_run)
    found = [
        (row["agent"], row["opponent"], int(row["won"]), int(row["split"]), int(row["lost"]))
        for row in table(tournament_report, "pairs")
    ]
    assert found == [
        (
            results.labels[met.encounter.first],
            results.labels[met.encounter.second],
            met.summary.won,
            met.summary.split,
            met.summary.lost,
        )
        for met in results.encounters
    ]


def test_cross_table_is_the_results(tournament_run: Path, tournament_report: Report) -> None:
    results = results_of(tournament_run)
    page = page_of(tournament_report)
    for row in table(tournament_report, "cross-table"):
        player = results.labels.index(row["agent"])
        for other in results.plan.opponents:
            met = results.against(player, results.labels.index(other))
            assert met is not None
            assert float(row[other]) == pytest.approx(met.rate.rate, abs=5e-5)
            assert str(met.rate) in page.text


def test_visits_are_those_of_the_games(match_run: Path, match_report: Report) -> None:
    counted: Counter[tuple[str, str]] = Counter()
    with closing(Record(match_run)) as record:
        for game in record.games():
            for place, move in enumerate(game.moves):
                counted["greedy:open" if place % 2 == game.leg else "random", move] += 1
    rows = table(match_report, "visits")
    assert len(rows) == 2 * 49
    for row in rows:
        assert int(row["visits"]) == counted[row["agent"], row["square"]]


def test_losses_add_up_to_the_games(report: Report) -> None:
    lost = sum(int(row["no_moves"]) for row in table(report, "losses"))
    assert lost * 2 == sum(int(row["games"]) for row in table(report, "standings"))


# The files


def test_every_chart_is_a_picture(report: Report) -> None:
    charts = {path.stem for path in (report.folder / "charts").iterdir()}
    wanted = {"standings", "pairs", "heat-maps", "starting-squares", "effort", "lengths"}
    assert wanted <= charts
    for name in charts:
        svg = (report.folder / "charts" / f"{name}.svg").read_text(encoding="utf-8")
        drawn = ElementTree.fromstring(svg)
        assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
        width, height = png_size((report.folder / "charts" / f"{name}.png").read_bytes())
        assert (width, height) == pytest.approx(
            (2 * float(drawn.attrib["width"]), 2 * float(drawn.attrib["height"])), abs=2
        )


def png_size(data: bytes) -> tuple[int, int]:
    """Return the size of a PNG after checking its checksums and pixels."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, chunks = 8, dict[bytes, bytes]()
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        [checksum] = struct.unpack(">I", data[place + 8 + length : place + 12 + length])
        assert zlib.crc32(kind + body) == checksum
        chunks[kind] = chunks.get(kind, b"") + body
        place += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    assert len(zlib.decompress(chunks[b"IDAT"])) > width * height
    return width, height


def test_charts_use_the_converter_s_bundled_font() -> None:
    text = '<text y="200" font-family="Liberation Sans" font-size="200">Raging</text>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="700" height="260">{text}</svg>'
    convert = f"import vl_convert as v; open(1, 'wb').write(v.svg_to_png({svg!r}, scale={PIXELS}))"
    alone = subprocess.run(
        [sys.executable, "-c", convert],
        env={**os.environ, FONTS_NAMED_BY: str(NO_FONTS)},
        capture_output=True,
        check=True,
    )
    assert NO_FONTS.is_file()
    assert png(svg) == alone.stdout
    assert FONTS_NAMED_BY not in os.environ


def test_every_listed_file_exists(report: Report) -> None:
    there = {path.relative_to(report.folder).as_posix() for path in report.folder.rglob("*") if path.is_file()}
    assert there == set(report.files)
    linked = {attributes["href"] for attributes in page_of(report).all("a")}
    assert there <= linked


def test_links_have_targets(report: Report) -> None:
    page = page_of(report)
    anchors = {f"#{attributes.get('id')}" for _, attributes in page.tags}
    for attributes in page.all("a"):
        target = attributes["href"]
        assert target is not None
        assert target in anchors or (report.folder / target).is_file()


def test_the_same_run_gives_the_same_bytes(match_run: Path, match_report: Report, tmp_path: Path) -> None:
    with closing(Record(match_run)) as record:
        again = write_report(record, tmp_path)
    assert again.files == match_report.files
    for name in again.files:
        assert (again.folder / name).read_bytes() == (match_report.folder / name).read_bytes()


# Alone in the world


def test_no_address_of_another_host(report: Report) -> None:
    for path in report.folder.rglob("*"):
        if path.suffix in (".html", ".svg", ".md"):
            addresses = re.findall(r"https?://[^\s\"'<>)]*", path.read_text(encoding="utf-8"))
            assert set(addresses) <= NAMESPACES, path


def test_page_loads_and_runs_nothing(report: Report) -> None:
    page = page_of(report)
    assert {"script", "link", "img", "iframe", "object", "image"}.isdisjoint(tag for tag, _ in page.tags)
    assert not any("src" in attributes for _, attributes in page.tags)
    assert "url(http" not in report.page.read_text(encoding="utf-8")


# For everybody


def test_every_chart_has_a_text_alternative(report: Report) -> None:
    page = page_of(report)
    drawings = page.all("svg")
    assert drawings
    for attributes in drawings:
        assert attributes["role"] == "img"
    # Charts carry a label, boards a title of their own.
    labelled = [attributes for attributes in drawings if attributes.get("aria-label")]
    assert len(labelled) + len(page.all("title")) - 1 == len(drawings)


def test_ids_occur_once(report: Report) -> None:
    ids = [attributes["id"] for _, attributes in page_of(report).tags if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_headings_skip_no_level(report: Report) -> None:
    levels = [int(tag[1]) for tag, _ in page_of(report).tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))


def test_tables_have_captions_and_scopes(report: Report) -> None:
    page = page_of(report)
    tables = [attributes for attributes in page.all("table") if attributes.get("class") != "facts"]
    assert len(tables) == len(page.all("caption")) > 0
    assert {attributes["scope"] for attributes in page.all("th")} == {"col", "row"}


def test_a_report_describes_the_environment_of_the_run(tmp_path: Path) -> None:
    isolarium.match("random", "random", pairs=1, board="3x3", workers=1, runs=tmp_path)
    [folder] = tmp_path.iterdir()
    with closing(Record(folder)) as record:
        report = write_report(record, folder)
    page = page_of(report)
    assert "environment" in page.text
    assert f"python {platform.python_version()}" in page.text
    assert f"isolarium {isolarium.__version__}" in page.text


def test_a_symbolic_link_to_a_file_is_replaced(tmp_path: Path) -> None:
    plan = match_plan("random", "random", Conditions(pairs=1, board="5x5"))
    folder = play_run_here(tmp_path / "run", plan, [Wanderer(), Wanderer()])
    mine = tmp_path / "mine"
    mine.write_text("mine")
    links = [folder / "report.html", folder / "tables" / "pairs.csv"]
    for link in links:
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(mine)
    with closing(Record(folder)) as record:
        write_report(record, folder)
    assert mine.read_text() == "mine"
    assert not any(link.is_symlink() for link in links)


def test_a_symbolic_link_to_a_folder_is_refused(tmp_path: Path) -> None:
    plan = match_plan("random", "random", Conditions(pairs=1, board="5x5"))
    folder = play_run_here(tmp_path / "run", plan, [Wanderer(), Wanderer()])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (folder / "tables").symlink_to(elsewhere)
    with closing(Record(folder)) as record, pytest.raises(InputError, match="a link out of the report"):
        write_report(record, folder)
    assert list(elsewhere.iterdir()) == []


# Example games


def examples_of(folder: Path) -> list[Example]:
    with closing(Record(folder)) as record:
        return examples(overview_of(record))


def test_a_match_shows_both_games_of_its_first_pair(match_run: Path) -> None:
    shown = examples_of(match_run)
    assert [example.title for example in shown] == ["● greedy:open  vs  ■ random", "● random  vs  ■ greedy:open"]
    first, second = (parse_game(example.text).moves[:2] for example in shown)
    assert first == second


def test_moments_are_10_20_30_and_the_end(match_run: Path) -> None:
    for example in examples_of(match_run):
        game = parse_game(example.text)
        length = len(game.moves)
        wanted = [f"Move {number}" for number in (10, 20, 30) if number < length]
        assert [moment.title for moment in example.moments] == [*wanted, f"End, move {length}"]
        assert game.outcome() is not None


def test_captions_have_the_mover_the_move_and_the_score(match_run: Path) -> None:
    for example in examples_of(match_run):
        game = parse_game(example.text)
        for moment in example.moments:
            number = int(moment.title.split()[-1])
            sign = "●■"[(number - 1) % 2]
            assert moment.caption == f"{sign} to {game.moves[number - 1]}, score +1.5"
            ElementTree.fromstring(moment.svg)


def test_a_tournament_shows_the_best_agents_under_test(tournament_run: Path) -> None:
    titles = [example.title for example in examples_of(tournament_run)]
    assert len(titles) == 2
    assert {title.split()[1] for title in titles} == {"greedy:open", "greedy:center"}


def test_a_short_game_shows_only_its_end(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, ("random", "greedy:open"), board="3x3", pairs=1)
    for example in examples_of(play_run_here(tmp_path, plan, [Wanderer(), Careful()])):
        [end] = example.moments
        assert end.title.startswith("End, move ")
        assert "wins: " in example.result


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (None, ""),
        (0.0, ", score 0"),
        (-3.5, ", score -3.5"),
        ("inf", ", score +inf"),
        ("win 5", ", sees a win in 5"),
        ("loss", ", sees a loss"),
    ],
)
def test_scores_in_words(score: float | str | None, words: str) -> None:
    assert score_suffix(score) == words
