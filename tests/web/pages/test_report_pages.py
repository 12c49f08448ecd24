"""Reports in a browser: accessible in both themes, and short and uncut on a phone."""

from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_db import Record
from isolarium.reporting.run_report import write_report
from tests.playing import Careful, Leaner, Wanderer, play_run_here
from tests.samples import TRIES_ALL
from tests.web.pages.conftest import open_context
from tests.web.pages.test_all_pages import findings
from tests.web.pages.watched_page import PHONE

pytestmark = pytest.mark.slow

NAMES = "open", "improved", "center", "distance", "ratio", "staged", "balanced"
EIGHT = (*(f"greedy:{name}" for name in NAMES), "random")
MOST_PIXELS = 6450
"""Half of the length that the report of a tournament of eight once had on a phone."""
CUT = """() => [...document.querySelectorAll(".drawing, .narrow")]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth)
  .map((one) => one.getAttribute("aria-label"))"""


def report_of(folder: Path, agents: int) -> Path:
    """The page of the report of a tournament."""
    plan = Plan(Format.ROUND_ROBIN, EIGHT[-agents:], pairs=6)
    players = [Careful(), Leaner(), Wanderer(), Careful(), Leaner(), Careful(), Wanderer(), Wanderer()]
    play_run_here(folder, plan, players[-agents:])
    with closing(Record(folder)) as record:
        return write_report(record, folder).page


def open_folds(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")


def test_axe_finds_nothing_in_a_report_light_or_dark(browser: Browser, tmp_path: Path) -> None:
    """With three agents, or eight: each has every kind of chart and table."""
    context, watched = open_context(browser, "file://")
    watched.page.goto(report_of(tmp_path, 8 if TRIES_ALL else 3).as_uri())
    open_folds(watched.page)
    assert findings(watched.page) == []
    watched.page.emulate_media(color_scheme="dark")
    assert findings(watched.page, runOnly=["color-contrast"]) == []
    context.close()


def test_a_phone_shows_every_chart_uncut_and_the_report_is_short(browser: Browser, tmp_path: Path) -> None:
    context, watched = open_context(browser, "file://", **PHONE)
    page = watched.page
    page.goto(report_of(tmp_path, 8).as_uri())
    assert page.evaluate("document.documentElement.scrollHeight") <= MOST_PIXELS
    open_folds(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(CUT) == []
    context.close()
