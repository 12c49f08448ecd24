"""Play: games that end, are taken back, left and begun again, and what goes wrong on the way."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web.pages.watched_page import BLANK, ScriptedEngine, Watched

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

LOST = "/play?game=3x3:+b2+a1&first=person&second=greedy:open"  # nothing is a knight's move from b2


def test_who_lost_has_lost_whatever_is_pressed(visit: Visit) -> None:
    watched = visit(LOST)
    expect(watched.headline).to_have_text("You lose")
    watched.open_menu()
    expect(watched.page.get_by_role("button", name="Swap sides")).to_be_disabled()
    watched.page.keyboard.press("s")
    expect(watched.headline).to_have_text("You lose")
    assert watched.query("first") == "person"


def test_a_new_game_that_cannot_begin_says_why(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4&first=person&second=person")
    page = watched.page
    watched.open_setup()
    page.get_by_label("Rows", exact=True).fill("99")
    page.get_by_text("More", exact=True).click()
    page.keyboard.press("n")
    problem = page.get_by_role("alert").filter(has_text="Rows: enter a whole number")
    expect(problem).to_be_in_viewport()
    expect(page.get_by_label("Rows", exact=True)).to_be_visible()  # where it can be put right
    page.get_by_label("Rows", exact=True).fill("5")
    page.locator(".actions").get_by_role("button", name="New game").click()
    expect(problem).to_have_count(0)
    watched.expect_headline("^Blue to place$")
    assert watched.query("game") == "5x7:"


def test_a_new_game_says_that_the_server_is_away(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=random")
    page = watched.page
    expect(page.locator("form")).to_be_attached()
    page.route("**/api/agent", lambda route: route.fulfill(status=502, body="<h1>Bad gateway"))
    watched.open_menu()
    page.locator(".actions").get_by_role("button", name="New game").click()
    expect(page.get_by_role("alert").filter(has_text="does not respond")).to_be_in_viewport()
    watched.forgive(502)


def test_a_hint_that_fails_does_not_stop_the_opponent(visit: Visit) -> None:
    def think(asked: dict[str, Any]) -> list[dict[str, Any]]:
        if asked["agent"] != "random":
            return [{"kind": "error", "error": "no hint today"}]
        report = {"depth": 1, "nodes": 1, "score": 0, "pv": [], "ms": 0}
        return [{"kind": "move", "move": "d2", "report": report, "stopped": False}]

    watched = visit(BLANK, alone=True)
    page = watched.page
    ScriptedEngine(page, think)
    page.goto("/play?game=7x7:+d4+b3&first=person&second=random")
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_role("alert").filter(has_text="no hint today")).to_be_visible()
    expect(page.locator(".line")).not_to_contain_text("Looking for")
    watched.square("f5").click()
    expect(watched.square("d2")).to_have_accessible_name("d2, orange knight")
    watched.expect_headline("^Your move$")


def test_moves_that_cannot_be_gone_to_are_no_buttons(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=person")
    moves = watched.page.get_by_role("group", name="Moves")
    expect(moves).to_contain_text("b3")
    expect(moves.get_by_role("button")).to_have_count(0)


def test_the_set_up_follows_the_way_back(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4&first=person&second=person")
    page = watched.page
    rows, second = page.get_by_label("Rows", exact=True), page.get_by_label("Orange is played by")
    watched.open_setup()
    rows.fill("9")
    second.select_option("agent")
    page.get_by_label("Orange: agent spec").fill("random")
    page.locator("form").get_by_role("button", name="New game").click()
    watched.expect_headline("^Place your knight$")
    page.get_by_role("button", name="Flip").click()
    page.go_back()
    watched.expect_headline("^Orange to place$")
    expect(rows).to_have_value("7")
    expect(second).to_have_value("person")
    assert watched.query("flip") == ""
    page.go_forward()
    watched.expect_headline("^Place your knight$")
    expect(rows).to_have_value("9")
    expect(page.get_by_label("Orange: agent spec")).to_have_value("random")
    assert watched.query("flip") == "1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello", "position 'hello': expected a position such as 7/7/2A4/3x3/4B2/7/7 a"),
        ("", "expected a position such as 7/7/2A4/3x3/4B2/7/7 a"),
    ],
)
def test_what_is_no_position_is_told_what_one_looks_like(visit: Visit, text: str, said: str) -> None:
    watched = visit("/play?first=person&second=person")
    watched.open_setup()
    page = watched.page
    page.get_by_label("from a position").check()
    page.get_by_label("Position", exact=True).fill(text)
    page.locator("form").get_by_role("button", name="New game").click()
    expect(page.locator("form [role=alert]")).to_contain_text(said)


def test_what_was_thought_goes_with_the_move_that_is_taken_back(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+d4+b3&first=person&second=greedy:open")
    watched.expect_headline("^Your move$")
    watched.square("f5").click()
    thinking = watched.page.locator(".thinking")
    expect(thinking).to_contain_text("1 ply")
    watched.page.get_by_role("button", name="Take back").click()
    watched.expect_headline("^Your move$")
    expect(thinking).not_to_contain_text("1 ply")
