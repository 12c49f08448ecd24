"""Write: an editor, the value of every move while one types, and a match of what was written."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.web.pages.watched_page import Watched
from tests.web.serving import Server

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

RETURN = "return mobility(view, own) - mobility(view, opp)"


def type_in_place(page: Page, old: str, new: str) -> None:
    """Replace a line of the draft, as a user does: select it and type."""
    page.locator(".cm-line").filter(has_text=old).click(click_count=3)
    page.keyboard.type(f"    {new}\n")


def test_values_follow_what_is_typed_and_errors_are_on_their_line(busy_server: Server, visit: Visit) -> None:
    watched = visit("/write", busy_server)
    page = watched.page
    marks = page.locator(".board .mark text")
    expect(page.get_by_role("textbox", name="Heuristic in Python")).to_contain_text("def freer")
    expect(marks).to_have_text(["0", "−3", "+2", "−4", "−2"])
    type_in_place(page, RETURN, "return mobilty(view, own)")
    expect(page.get_by_role("alert")).to_have_text(re.compile("^Line 7: (?!.*line 7)"))
    expect(page.get_by_role("alert")).to_contain_text("'mobilty' is not defined")
    expect(page.locator(".cm-lintRange-error")).to_have_text(re.compile(r"return mobilty"))
    expect(page.get_by_role("button", name="Play 200 pairs")).to_be_disabled()
    type_in_place(page, "mobilty", "return mobility(view, own)")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)
    expect(marks).to_have_text(["+5", "+2", "+7", "+1", "+3"])
    watched.square("e5").click()
    expect(page.get_by_text("Each square shows the value by freer")).to_be_visible()
    page.reload()  # the draft and the position are kept
    expect(page.get_by_role("textbox")).to_contain_text(["return mobility(view, own)"])
    expect(watched.square("e5")).to_have_accessible_name(re.compile("blue knight"))
    page.get_by_role("button", name="Play 200 pairs against improved").click()
    expect(page.get_by_text(re.compile(r"of 400 games\. freer against improved: \d.*% ± .*, "))).to_be_visible()
    page.get_by_role("link", name="Open the run").click()
    expect(page.get_by_role("status")).to_contain_text("7x7 · match")
    expect(page.get_by_role("region", name="Standings")).to_contain_text("freer")
