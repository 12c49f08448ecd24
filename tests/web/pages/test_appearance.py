"""What visitors choose for all pages: the board's theme and sound; and moves planned while the opponent thinks."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.web.pages.watched_page import Watched

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]


def test_the_board_has_themes_which_are_kept(visit: Visit) -> None:
    watched = visit("/learn")
    page = watched.page
    colour = "getComputedStyle(document.querySelector('.board .ground')).fill"
    expect(watched.square("a1")).to_be_visible()
    plain = page.evaluate(colour)
    page.keyboard.press("?")
    page.get_by_role("combobox", name="Board theme").select_option("Wood")
    wood = page.evaluate(colour)
    assert wood != plain
    page.reload()
    expect(watched.square("a1")).to_be_visible()
    assert page.evaluate(colour) == wood


def test_moves_are_heard_once_sound_is_on(visit: Visit) -> None:
    watched = visit("/learn", alone=True)
    page = watched.page
    page.evaluate(
        """() => {
          const Tone = OscillatorNode;
          window.heard = 0;
          window.OscillatorNode = class extends Tone {
            constructor(...given) { super(...given); window.heard++; }
          };
        }"""
    )
    watched.square("c3").click()
    expect(watched.square("c3")).to_have_accessible_name("c3, blue knight")
    assert page.evaluate("heard") == 0
    page.keyboard.press("?")
    page.get_by_label("sound").check()
    assert page.evaluate("heard") == 1  # so that one knows what one turned on
    watched.square("a1").click()
    expect(watched.square("a1")).to_have_accessible_name("a1, orange knight")
    assert page.evaluate("heard") == 2


CLICK_AT_ONCE = """(names) => {
  const click = () => new Event("click", { bubbles: true });
  for (const name of names) document.querySelector(`[aria-label^="${name}, "]`).dispatchEvent(click());
  return document.querySelector(".line").textContent;
}"""
"""Click squares in one task, so that no agent can answer between the clicks, and return what the page says then."""


def test_a_move_is_planned_while_the_agent_thinks(visit: Visit) -> None:
    watched = visit("/play?game=7x7:+a1+g7&first=person&second=greedy:open")
    page = watched.page
    expect(watched.headline).to_have_text("Your move")
    said = page.evaluate(CLICK_AT_ONCE, ["b3", "c5", "c5", "d4"])  # c5 is dropped by the second click
    assert said == "You will move to d4 if you can."
    expect(watched.square("d4")).to_have_accessible_name("d4, blue knight")
    assert watched.query("game").split()[3:6:2] == ["b3", "d4"]
