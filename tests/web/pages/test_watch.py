"""Watch: runs in the record, a run that is played, and its games."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from isolarium.arena import Conditions
from isolarium.arena.plan import Format, Plan, sweep_plan
from isolarium.arena.run_db import Record
from isolarium.arena.run_store import REPORT_PAGE
from isolarium.arena.session import Session
from isolarium.game.record import parse_game
from isolarium.reporting.run_tables import STANDINGS
from isolarium.studies.study_runner import TEXTS
from tests.playing import Careful, Wanderer, play_run_here
from tests.web.pages.watched_page import Watched
from tests.web.serving import FINISHED, Server, put_finished_run, serving

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]


def standings(watched: Watched) -> Locator:
    """The rows of the standings."""
    return watched.page.get_by_role("region", name="Standings").locator("tbody tr")


def test_the_runs_in_the_record(visit: Visit) -> None:
    watched = visit("/watch")
    row = watched.page.locator(".runs > li").filter(has_text="greedy:open vs random")
    expect(row).to_contain_text("match7x7")
    expect(row).to_contain_text("60 games")
    expect(row.locator(".run-verdict")).to_contain_text(re.compile(r"greedy:open .*: \d+"))
    row.get_by_role("link").click()
    expect(watched.page).to_have_url(re.compile(f"run={FINISHED}"))
    expect(standings(watched)).to_have_count(2)


def test_a_finished_run_shows_its_figures(visit: Visit, server: Server) -> None:
    run = server.get(f"/api/runs/{FINISHED}").json()
    watched = visit(f"/watch?run={FINISHED}")
    page = watched.page
    expect(standings(watched).first.get_by_role("img")).to_have_accessible_name(re.compile(r"\d%"))
    for label, name in (("Standings", "standings"), ("Encounters", "encounters")):
        shown = page.get_by_role("region", name=label)
        for row, texts in enumerate(run[name]["rows"]):
            cells = shown.locator("tbody tr").nth(row).locator("th, td:not(.chart-cell)")
            expect(cells).to_have_text(texts)
    expect(page.get_by_role("heading", name="Sequential test")).to_be_visible()
    names = " against ".join(run["players"])
    expect(page.locator(".verdict-line")).to_contain_text(f"{names}: ")
    expect(page.locator(".verdict-line")).to_contain_text("likelihood of superiority")
    points = page.locator(".path").get_attribute("points")
    assert points is not None
    assert len(points.split()) == len(run["test"]["path"])
    page.get_by_role("tab", name="Heat maps").click()
    expect(page.locator(".maps figure")).to_have_count(2)
    share = run["heat"][0]["share"]
    drawn = page.locator(".maps .board").first.locator(".mark text")
    expect(drawn).to_have_text([str(int(part * 100 + 0.5)) for part in share])


def test_the_standings_have_every_column_of_the_report(visit: Visit) -> None:
    watched = visit(f"/watch?run={FINISHED}")
    titles = [column.heading for column in STANDINGS if column.heading]
    heads = watched.page.get_by_role("region", name="Standings").locator("thead th")
    expect(heads.filter(has_not_text="95% interval")).to_have_text(["place", "agent", *titles])


def test_a_game_of_a_run_is_replayed(visit: Visit, server: Server) -> None:
    game = server.get(f"/api/runs/{FINISHED}/games/2").json()
    watched = visit(f"/watch?run={FINISHED}&sheet=games")
    page = watched.page
    page.get_by_role("button", name=re.compile("^Game 2 ")).click()
    names = [str(move) for move in parse_game(game["text"]).moves]
    expect(page.locator(".moves > button")).to_have_text(names)
    expect(page.locator(".panel .quiet-text").first).to_contain_text("had no move left")
    expect(page.locator(".trapped")).to_have_count(1)
    expect(page.locator(".cross")).not_to_have_count(0)
    page.keyboard.press("Home")
    expect(page.locator(".board .piece")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(watched.square(names[0])).to_have_accessible_name(f"{names[0]}, blue knight")
    page.reload()
    expect(page.locator(".moves > button")).to_have_text(names)
    page.get_by_role("button", name="To the start").click()
    page.get_by_role("link", name="Play from here").click()
    watched.expect_headline("^Place your knight$")
    page.get_by_role("link", name="Back to the run").click()
    expect(page.locator(".moves > button")).to_have_text(names)


PARTS = ("equal-nodes", "equal-time")


def test_the_runs_of_a_study_stand_together_with_its_report(new_server: Server, visit: Visit) -> None:
    study = new_server.runs / "2026-11-14-mine"
    plan = Plan(Format.MATCH, ("greedy:open", "random"), board="5x5", pairs=2)
    for folder in (study / PARTS[0], new_server.runs / "2026-11-14-between", study / PARTS[1]):
        play_run_here(folder, plan, [Careful(), Wanderer()])
    for name in TEXTS:
        (study / name).write_text("")
    link = f'<a href="{PARTS[0]}/{REPORT_PAGE}">part</a>'
    (study / REPORT_PAGE).write_text(f"<!doctype html><title>A study</title><body>{link}")
    watched = visit("/watch", new_server)
    page = watched.page
    expect(page.locator("main section > div > .runs > li")).to_have_count(2)
    page.get_by_text("Parts", exact=True).click()
    parts = page.get_by_role("list", name="Parts of 2026-11-14-mine").get_by_role("link")
    expect(parts).to_have_count(2)
    for at, part in enumerate(PARTS):
        expect(parts.nth(at)).to_have_attribute("title", f"2026-11-14-mine~{part}")
    parts.first.click()
    page.get_by_role("link", name="Report of the study 2026-11-14-mine").click()
    expect(page).to_have_title("A study")
    page.get_by_role("link", name="part").click()
    expect(page).to_have_url(re.compile(f"/api/runs/2026-11-14-mine~{PARTS[0]}/report/$"))
    page.get_by_role("link", name="Back to the run").click()
    expect(standings(watched)).to_have_count(2)


def test_a_sweep_is_drawn_over_its_parameter(busy_server: Server, visit: Visit) -> None:
    conditions = Conditions(board="5x5", pairs=4)
    plan = sweep_plan("greedy:aggressive(weight={0|1|4})", [], ["random"], conditions)
    agents = [Careful(), Wanderer(), Careful(), Wanderer()]
    play_run_here(busy_server.runs / "swept", plan, agents)
    page = visit("/watch?run=swept", busy_server).page
    curve = page.locator(".chart.sweep")
    expect(curve).to_have_accessible_name(re.compile(r"^Win rate by value, highest at [014]: "))
    places = [float(x) for x in curve.locator(".point").evaluate_all("all => all.map((one) => one.getAttribute('cx'))")]
    assert (places[2] - places[0]) == pytest.approx(4 * (places[1] - places[0]))  # to scale
    expect(curve.locator(".band")).to_have_count(1)


def test_the_axis_of_a_long_table_stays_in_its_box(busy_server: Server, visit: Visit) -> None:
    agents = tuple(f"alphabeta:open@nodes={100 + at}" for at in range(26))
    plan = Plan(Format.ROUND_ROBIN, agents, board="5x5", pairs=1)
    play_run_here(busy_server.runs / "many", plan, [Wanderer(str(at)) for at in range(26)])
    page = visit("/watch?run=many", busy_server).page
    table = page.get_by_role("region", name="Standings")
    expect(table.locator("tbody tr")).to_have_count(26)
    box, axis = table.bounding_box(), table.locator(".axis-row .chart").bounding_box()
    assert box is not None
    assert axis is not None
    assert box["height"] < table.evaluate("box => box.scrollHeight")  # it scrolls
    assert box["y"] < axis["y"] < box["y"] + box["height"] - axis["height"] + 1


def test_the_cross_table_is_coloured(busy_server: Server, visit: Visit) -> None:
    agents = ("greedy:open", "greedy:center", "random")
    plan = Plan(Format.ROUND_ROBIN, agents, board="5x5", pairs=4)
    play_run_here(busy_server.runs / "three", plan, [Careful(), Careful(), Wanderer()])
    page = visit("/watch?run=three", busy_server).page
    cells = page.get_by_role("region", name="Cross table").locator("tbody td")
    expect(cells.filter(has_text="%").first).to_be_visible()
    found = cells.evaluate_all("all => all.map((cell) => [cell.textContent, cell.className])")
    shares = [(text, name) for text, name in found if re.fullmatch(r"\d+%", text)]
    assert len(shares) == 6
    assert all(("below" if int(text[:-1]) < 50 else "above") in name.split() for text, name in shares)


@pytest.fixture
def new_server(tmp_path: Path) -> Iterator[Server]:
    """A server with no runs; to be asked for before `visit`, so that the pages are closed before it ends."""
    with serving(tmp_path / "runs") as server:
        yield server


@pytest.mark.slow
def test_a_live_run_is_watched_to_its_end(new_server: Server, visit: Visit) -> None:
    watched = visit("/watch", new_server)
    page = watched.page
    expect(page.get_by_text("No runs yet.")).to_be_visible()  # and says how to make one
    expect(page.get_by_role("button", name="Start this match")).to_be_visible()
    page.get_by_label("First agent: agent spec").fill("greedy:improved")
    page.get_by_label("Second agent: agent spec").fill("random")
    page.get_by_role("tabpanel").get_by_label("Pairs of games").fill("20")
    page.get_by_role("button", name="Start the match").click()
    status = page.get_by_role("status")
    expect(status).to_contain_text("7x7 · match")
    expect(status).to_contain_text("40 of 40 games · finished")
    expect(standings(watched).first).to_contain_text("greedy:improved")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    page.get_by_role("tab", name="Games").click()
    expect(page.locator(".games button")).to_have_count(25)
    expect(page.locator(".board .piece")).to_have_count(2)
    page.get_by_role("tab", name="Heat maps").click()  # whose captions grew with the run
    expect(page.locator(".maps figcaption").first).to_contain_text("40 games")
    page.get_by_role("link", name="Full report").click()
    expect(page).to_have_url(re.compile("/report/$"))
    page.get_by_role("link", name="Back to the run").click()
    expect(standings(watched)).to_have_count(2)


@pytest.mark.slow
def test_a_run_is_stopped_and_resumed(busy_server: Server, visit: Visit) -> None:
    body = {
        "kind": "match",
        "first": "alphabeta:improved@nodes=1000000",
        "second": "alphabeta:open@nodes=1000000",
        "pairs": 400,
    }
    name = busy_server.post("/api/runs", body).json()["name"]
    watched = visit(f"/watch?run={name}", busy_server)
    page = watched.page
    page.get_by_role("button", name="Stop").click()
    status = page.get_by_role("status")
    expect(status).to_contain_text("stopped")
    page.get_by_role("button", name="Resume").click()
    expect(status).to_contain_text(re.compile("games a second|starting"))
    expect(page.get_by_role("button", name="Stop")).to_be_visible()


@pytest.mark.slow
def test_a_study_is_started(busy_server: Server, visit: Visit) -> None:
    watched = visit("/watch", busy_server)
    page = watched.page
    page.get_by_role("tab", name="Study").click()
    page.get_by_role("combobox", name="Study").select_option("report-003")
    page.get_by_role("combobox", name="Part").select_option("minimax-3")
    with page.expect_navigation():  # the list of runs, opened again with the study
        page.get_by_role("button", name="Start the study").click()
    page.locator("li.study details").evaluate("one => { one.open = true }")  # it may have ended
    parts = page.get_by_role("list", name=re.compile(r"Parts of \S+report-003"))
    expect(parts).to_contain_text(re.compile("playing|No verdict"))
    parts.get_by_role("link", name="report-003 minimax-3").click()
    expect(standings(watched).nth(1)).to_be_visible()


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("Pairs of games", "0", "Enter a whole number from 1 to 20,000."),
        ("Pairs of games", "", "Enter a whole number from 1 to 20,000."),
        ("Seed", "-1", "Enter a whole number from 0 up."),
    ],
)
def test_a_match_that_cannot_be_is_told_at_the_field(visit: Visit, field: str, text: str, said: str) -> None:
    page = visit("/watch").page
    wrong = page.get_by_role("tabpanel").get_by_label(field)
    wrong.fill(text)
    page.get_by_role("button", name="Start the match").click()
    expect(wrong).to_have_accessible_description(said)


def test_a_run_just_begun_comes_first(busy_server: Server, visit: Visit) -> None:
    put_finished_run(busy_server.runs)
    with closing(Record(busy_server.runs / FINISHED, writes=True)) as record:
        record.set_fact("started", "2026-11-14T12:00:00+00:00")
    # By its name the last of those that were begun in this second.
    plan = Plan(Format.MATCH, ("greedy:open", "random"), pairs=1, title="zero games")
    Session.begin(plan, busy_server.runs).record.close()  # and nobody plays it yet
    watched = visit("/watch", busy_server)
    expect(watched.page.locator(".runs > li").first).to_contain_text("zero games")


def test_a_run_that_is_not_there(visit: Visit) -> None:
    watched = visit("/watch?run=<b>none</b>")
    expect(watched.headline).to_have_text("<b>none</b>")
    expect(watched.page.get_by_role("alert")).not_to_be_empty()
    watched.forgive(404)
    assert watched.page.locator("main b").count() == 0
    for furniture in ("tab", "progressbar", "table"):  # nothing empty stands about
        expect(watched.page.get_by_role(furniture)).to_have_count(0)
