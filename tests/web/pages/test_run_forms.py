"""Watch: tournaments and sweeps that are begun from the page, games worth a look, and a run on a board."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.web.pages.test_all_pages import findings
from tests.web.pages.watched_page import Watched
from tests.web.serving import FINISHED, Server

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]
SLOW = "alphabeta:improved@nodes=50000"
"""Which plays long enough for a run of it to be watched."""


def test_a_tournament_is_begun_and_seen_on_a_board_as_it_goes(busy_server: Server, visit: Visit) -> None:
    watched = visit("/watch", busy_server)
    page = watched.page
    page.get_by_role("tab", name="Tournament").click()
    sheet = page.get_by_role("tabpanel")
    agents = sheet.get_by_label("Agents, one per line")
    agents.fill(f"{SLOW}\nalphabeta:imroved@nodes=50000")
    sheet.get_by_label("Board").fill("7")
    sheet.get_by_role("button", name="Start the tournament").click()
    expect(agents).to_have_accessible_description(re.compile("did you mean 'improved'"))
    expect(sheet.get_by_label("Board")).to_have_accessible_description(
        "Enter a board such as 7x7, with sides from 3 to 13."
    )
    expect(agents).to_be_focused()
    watched.forgive(422)
    assert findings(page) == []
    agents.fill(f"{SLOW}\nalphabeta:open@nodes=50000\nrandom")
    sheet.get_by_label("Board").fill("7x7")
    sheet.get_by_label("Pairs of games").fill("1000")
    sheet.get_by_role("button", name="Start the tournament").click()
    live = page.get_by_role("region", name="Live")
    expect(live.locator(".piece")).to_have_count(2)
    live.get_by_role("button", name="Pause").click()
    expect(live.get_by_role("img")).to_have_accessible_name(re.compile(r"^Game \d+, move \d+ of|^The game being"))
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status")).to_contain_text("round robin")
    expect(page.get_by_role("status")).to_contain_text("stopped")
    expect(live).to_be_hidden()


def test_a_game_that_takes_its_time_is_followed_move_by_move(busy_server: Server, visit: Visit) -> None:
    agents = {"first": "alphabeta:improved@ms=1500", "second": "alphabeta:open@ms=1500"}
    begun = busy_server.post("/api/runs", {"kind": "match", **agents, "board": "9x9", "pairs": 1})
    watched = visit(f"/watch?run={begun.json()['name']}", busy_server)
    live = watched.page.get_by_role("region", name="Live")
    expect(live).to_contain_text(re.compile(r"In progress: move \d+"))
    expect(live.get_by_role("img")).to_have_accessible_name(re.compile("^Game in progress"))
    watched.page.get_by_role("button", name="Stop").click()
    expect(live).to_be_hidden()


def test_a_sweep_is_begun_and_a_test_has_its_bounds_as_fields(busy_server: Server, visit: Visit) -> None:
    watched = visit("/watch", busy_server)
    page = watched.page
    sheet = page.get_by_role("tabpanel")
    sheet.get_by_label("stop early with a sequential test").check()
    sheet.get_by_label("Upper bound, Elo", exact=True).fill("-5")
    sheet.get_by_label("False negative rate").fill("0.7")
    sheet.get_by_role("button", name="Start the match").click()
    expect(sheet.get_by_label("Upper bound, Elo", exact=True)).to_have_accessible_description(
        "Enter a number above the lower bound."
    )
    expect(sheet.get_by_label("False negative rate")).to_have_accessible_description(
        "Enter a number from 0.001 to 0.49."
    )
    page.get_by_role("tab", name="Sweep").click()
    swept = sheet.get_by_label("Agent, with values in braces")
    swept.fill("greedy:aggressive(weight={})")
    sheet.get_by_role("button", name="Start the sweep").click()
    expect(swept).to_have_accessible_description(re.compile("^Enter values in braces"))
    swept.fill("greedy:aggressive(weight={0|2})")
    sheet.get_by_label("Opponents, one per line").fill("random")
    sheet.get_by_label("Pairs of games").fill("2")
    sheet.get_by_label("Board").fill("5x5")
    sheet.get_by_role("button", name="Start the sweep").click()
    expect(page.get_by_role("status")).to_contain_text("8 of 8 games · finished")
    standings = page.get_by_role("region", name="Standings").locator("tbody tr")
    expect(standings).to_have_count(3)


def test_games_worth_a_look_are_listed(visit: Visit, server: Server) -> None:
    asked = f"/api/runs/{FINISHED}/games?limit=200"
    games = server.get(asked).json()["games"]
    upsets = server.get(f"{asked}&show=upsets").json()
    won = [sum(game[game["winner"]] == player for game in games) for player in (0, 1)]
    weaker = won.index(min(won))
    expected = [game for game in games if game[game["winner"]] == weaker]
    assert upsets["games"] == expected
    watched = visit(f"/watch?run={FINISHED}&sheet=games")
    page = watched.page
    page.get_by_label("Which games").select_option("upsets")
    entries = page.locator(".games button")
    expect(entries).to_have_count(min(25, len(expected)))
    expect(entries.first).to_contain_text(f"Game {expected[0]['number']}")
    expect(page).to_have_url(re.compile("show=upsets"))
    page.reload()
    expect(entries).to_have_count(min(25, len(expected)))
    page.get_by_label("Which games").select_option("time")
    expect(page.get_by_text("No games were lost on time.")).to_be_visible()
    expect(page.locator(".board:visible")).to_have_count(0)  # nothing of another list stays
    expect(entries).to_have_count(0)
    for kind in ("mistakes", "given away"):
        page.get_by_label("Which games").select_option(kind)
        expect(entries.first).to_be_visible()
    page.get_by_role("link", name="First mistake").click()
    expect(page.locator(".line")).to_contain_text("Mistake: it gave the win away")


def test_who_chooses_games_before_the_run_has_come_gets_them_then(visit: Visit) -> None:
    page = visit("/learn").page
    asked: list[Route] = []
    page.route(f"**/api/runs/{FINISHED}", lambda route: asked.append(route))
    page.goto(f"/watch?run={FINISHED}&sheet=games")
    page.get_by_label("Which games").select_option("time")
    expect(page).to_have_url(re.compile("show=time"))
    asked[0].continue_()
    expect(page.get_by_text("No games were lost on time.")).to_be_visible()
