"""Where the keyboard's focus goes, and which keys do what where it is."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.web.pages.watched_page import Watched
from tests.web.serving import FINISHED

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

GAME = "7x7:+d4+b3+c6+d2"
ON_BOARD = "document.activeElement.closest('.board') !== null"


@pytest.mark.parametrize(
    "path",
    [
        f"/play?game={GAME}&first=person&second=person",
        f"/analyse?game={GAME}",
        f"/watch?run={FINISHED}&sheet=games",
        "/learn?sheet=starts",
    ],
)
def test_the_tabulator_leads_onto_one_square(visit: Visit, path: str) -> None:
    watched = visit(path)
    page = watched.page
    expect(watched.square("d4")).to_be_visible()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate(ON_BOARD):
            break
    expect(watched.page.locator(".cell:focus")).to_have_count(1)
    first = page.evaluate("Number(document.activeElement.dataset.square)")
    page.keyboard.press("ArrowRight")
    beside = page.locator(f".board[role=grid] .cell[data-square='{first + 1}']")
    expect(beside).to_be_focused()
    page.keyboard.press("Tab")
    assert not page.evaluate(ON_BOARD)
    page.keyboard.press("Shift+Tab")
    expect(beside).to_be_focused()


def test_the_keyboard_starts_on_the_knight_to_move(visit: Visit) -> None:
    watched = visit(f"/play?game={GAME}&first=person&second=person")
    keyboard = watched.page.keyboard
    watched.expect_headline("^Blue to move$")
    keyboard.press("ArrowUp")
    expect(watched.square("c6")).to_be_focused()  # Blue's knight
    for key in ("ArrowUp", "ArrowRight", "ArrowRight", "Enter"):
        keyboard.press(key)
    expect(watched.square("e5")).to_have_accessible_name("e5, blue knight")


def test_arrows_step_through_the_moves_after_a_click_on_a_tab(visit: Visit) -> None:
    watched = visit(f"/analyse?game={GAME}")
    page = watched.page
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("tab", name="Moves").click()
    page.get_by_label("show move numbers").click()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".line")).to_contain_text("Blue played d4")
    expect(page.get_by_role("tab", name="Moves")).to_have_attribute("aria-selected", "true")


def test_arrows_change_tabs_for_who_came_by_keyboard(visit: Visit) -> None:
    page = visit(f"/analyse?game={GAME}").page
    page.get_by_role("tab", name="Moves").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Compare")).to_be_focused()
    expect(page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
