"""A friend by link in two browsers, one of which loses its connection, and a third that watches."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.web.pages.test_all_pages import findings
from tests.web.pages.watched_page import PHONE, Watched

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

SKIP = """() => new Promise((done) => {
  addEventListener("hashchange", () => setTimeout(done));
  document.querySelector(".skip").click();
})"""


def press(watched: Watched, name: str) -> None:
    watched.page.get_by_role("button", name=name, exact=True).click()


def moves(watched: Watched) -> list[str]:
    """The moves of the list, without their numbers."""
    found: list[str] = watched.page.locator(".moves .move").all_inner_texts()
    return found


def test_two_browsers_play_and_one_loses_its_connection(visit: Visit) -> None:
    mine = visit("/friend")
    mine.page.get_by_label("you", exact=True).check()
    mine.page.get_by_label("Clock, starting once both").select_option(label="60 min + 30 s per move")
    press(mine, "Create game")
    mine.expect_headline("^Place your knight$")
    expect(mine.page.locator(".presence")).to_have_text("Waiting for your friend.")
    link = mine.page.get_by_label("For your friend", exact=True).input_value()
    expect(mine.page.get_by_text("connections from this machine only")).to_be_visible()
    assert "#watch=" in mine.page.url  # what is shared by mistake is no seat
    assert link != mine.page.get_by_role("textbox", name="For you, on another").input_value()

    friend = visit(link, **PHONE)
    watcher = visit(mine.page.url)
    expect(mine.page.locator(".presence")).to_have_text("Your friend is connected.1 watching.")
    mine.square("d4").click()
    friend.expect_headline("^Place your knight$")
    expect(friend.page.get_by_text("Trap the other knight")).to_be_visible()
    expect(friend.page.get_by_text("A player with no legal move loses.")).to_be_visible()
    friend.square("b3").tap()
    mine.expect_headline("^Your move$")
    expect(mine.page.locator(".clock.runs")).to_have_count(1)

    friend.page.context.set_offline(True)
    expect(friend.page.locator(".connection")).to_contain_text("You are offline")
    expect(mine.page.locator(".presence")).to_contain_text("Your friend is disconnected.")
    mine.page.keyboard.type("e6")
    mine.expect_headline("^Your friend's turn$")
    assert moves(friend) == ["d4", "b3"]
    friend.page.context.set_offline(False)
    friend.expect_headline("^Your move$")
    assert moves(friend) == ["d4", "b3", "e6"]
    friend.page.context.set_offline(True)
    expect(friend.page.locator(".connection")).to_contain_text("You are offline")
    friend.square("d2").tap()  # it goes out when the connection is back, and once
    expect(friend.page.locator(".line")).to_contain_text("will be sent when the connection is back")
    friend.page.context.set_offline(False)
    mine.expect_headline("^Your move$")
    assert moves(mine) == ["d4", "b3", "e6", "d2"]
    assert moves(watcher) == moves(mine)

    press(mine, "Take back")
    expect(friend.page.locator(".question")).to_contain_text("asks to take back the last move")
    press(friend, "Accept")
    expect(mine.page.locator(".moves .move")).to_have_count(2)
    friend.page.evaluate(SKIP)
    assert "#watch=" in friend.page.evaluate("location.hash")  # the game is still there
    friend.page.reload()
    friend.expect_headline("^Your friend's turn$")
    assert moves(friend) == ["d4", "b3"]
    press(friend, "Resign")
    press(friend, "Really resign?")
    mine.expect_headline("^You win$")
    watcher.expect_headline("^Blue wins$")
    assert findings(mine.page) == []
    friend.page.emulate_media(color_scheme="dark")
    assert findings(friend.page) == []

    press(mine, "Rematch")
    expect(friend.page.locator(".question")).to_contain_text("asks for a rematch")
    press(friend, "Accept")
    friend.expect_headline("^Place your knight$")  # who starts has changed
    mine.expect_headline("^Your friend's turn$")
    friend.square("d4").tap()
    mine.square("b3").click()
    friend.expect_headline("^Your move$")
    press(friend, "Resign")
    press(friend, "Really resign?")
    friend.expect_headline("^You lose$")
    friend.page.keyboard.press("m")
    expect(friend.page).to_have_title("Learn · Isolarium")
    friend.page.get_by_text("Your games and mistakes").click()
    expect(friend.page.get_by_role("cell", name="lost, a friend")).to_have_count(2)
    friend.page.go_back()
    friend.page.get_by_role("link", name="Analyse this game").click()
    expect(friend.page).to_have_title("Analyse · Isolarium")
    assert friend.query("game") == "7x7: d4 b3"


def test_a_move_is_planned_while_the_friend_thinks(visit: Visit) -> None:
    mine = visit("/friend")
    mine.page.get_by_label("you", exact=True).check()
    press(mine, "Create game")
    mine.expect_headline("^Place your knight$")
    friend = visit(mine.page.get_by_label("For your friend", exact=True).input_value(), **PHONE)
    mine.square("d4").click()
    friend.expect_headline("^Place your knight$")
    friend.square("b3").tap()
    mine.expect_headline("^Your move$")
    mine.square("e6").click()
    mine.expect_headline("^Your friend's turn$")
    mine.square("f4").click()
    expect(mine.page.locator(".line")).to_have_text("You will move to f4 if you can.")
    mine.square("f4").click()  # dropped
    mine.square("g5").click()
    friend.expect_headline("^Your move$")
    friend.square("d2").tap()
    friend.expect_headline("^Your move$")  # the planned move was played at once
    assert moves(friend) == ["d4", "b3", "e6", "d2", "g5"]
    mine.square("e4").click()
    expect(mine.page.locator(".line")).to_have_text("You will move to e4 if you can.")
    friend.square("e4").tap()  # takes the square
    mine.expect_headline("^Your move$")
    assert moves(mine) == ["d4", "b3", "e6", "d2", "g5", "e4"]


def test_a_link_that_leads_nowhere_says_so(visit: Visit) -> None:
    watched = visit("/friend#seat=nothing")
    watched.expect_headline("^No such game$")
    expect(watched.page.get_by_role("alert").first).to_contain_text("the link is incomplete")
