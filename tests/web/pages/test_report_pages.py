"""Reports in a browser: accessible in both themes, and short and uncut on a phone."""

from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_db import Record
from isolarium.reporting.run_report import write_report
from tests.playing import Careful, Leaner, Wanderer, play_run_here
from tests.web.pages.conftest import open_context
from tests.web.pages.test_all_pages import findings
from tests.web.pages.watched_page import PHONE

pytestmark = pytest.mark.slow

EIGHT = tuple(f"greedy:{name}" for name in ("open", "improved", "center", "distance", "ratio", "staged", "balanced"))
MOST_PIXELS = 6450
"""Half of the length that the report of a tournament of eight once had on a phone."""
CUT = """() => [...document.querySelectorAll(".drawing, .narrow")]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth)
  .map((one) => one.getAttribute("aria-label"))"""


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the report of a tournament of eight."""
    folder = tmp_path_factory.mktemp("eight")
    plan = Plan(Format.ROUND_ROBIN, (*EIGHT, "random"), pairs=6)
    play_run_here(
        folder, plan, [Careful(), Leaner(), Wanderer(), Careful(), Leaner(), Careful(), Wanderer(), Wanderer()]
    )
    with closing(Record(folder)) as record:
        return write_report(record, folder).page


def open_folds(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")


def test_axe_finds_nothing_in_a_report_light_or_dark(browser: Browser, eight: Path) -> None:
    context, watched = open_context(browser, "file://")
    watched.page.goto(eight.as_uri())
    open_folds(watched.page)
    assert findings(watched.page) == []
    watched.page.emulate_media(color_scheme="dark")
    assert findings(watched.page, runOnly=["color-contrast"]) == []
    context.close()


def test_a_phone_shows_every_chart_uncut_and_the_report_is_short(browser: Browser, eight: Path) -> None:
    context, watched = open_context(browser, "file://", **PHONE)
    page = watched.page
    page.goto(eight.as_uri())
    assert page.evaluate("document.documentElement.scrollHeight") <= MOST_PIXELS
    open_folds(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(CUT) == []
    context.close()
