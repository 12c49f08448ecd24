"""What holds for every page: accessible, light, quick, themed, with no layout that overflows."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # has none
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.web.pages.watched_page import PHONE, Watched
from tests.web.serving import FINISHED

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

GAME = "7x7:+d4+b3+c6+d2"
NARROWEST = ViewportSize(width=320, height=640)
PAGES = {
    "play": f"/play?game={GAME}&first=person&second=greedy:open",
    "play setup": "/play",
    "analyse": f"/analyse?game={GAME}&at=2",
    "analyse compare": f"/analyse?game={GAME}&at=2",
    "analyse load": "/analyse",
    "watch": "/watch",
    "watch run": f"/watch?run={FINISHED}",
    "watch games": f"/watch?run={FINISHED}&sheet=games",
    "watch heat": f"/watch?run={FINISHED}&sheet=heat",
    "learn": "/learn",
    "learn starts": "/learn?sheet=starts",
    "learn puzzles": "/learn?sheet=puzzles&puzzle=1",
    "learn strategy": "/learn?sheet=strategy&lesson=2",
    "learn mistakes": "/learn?sheet=mistakes&game=5x5:+d1+c3+b2+d5+d3+e3+e5+c4&player=first",
    "friend": "/friend",
    "write": "/write",
}
# What each page shows once all that it asked for has come.
READY = {
    "play": "More",
    "play setup": "More",
    "analyse": "Blue to move and win",
    "analyse compare": "Blue to move and win",
    "analyse load": "Try an example",
    "watch": "greedy:open vs random",
    "watch run": "Sequential test",
    "watch games": "Game 1",
    "watch heat": "All boards share one scale.",
    "learn": "Try it: place Blue.",
    "learn starts": "starts up to symmetry",
    "learn puzzles": "Only one move wins: find it.",
    "learn strategy": "Reached first: ● Blue 18",
    "learn mistakes": "find a move that keeps it.",
    "friend": "Create game",
    "write": "Each square shows the value by freer",
}


def open_ready(visit: Visit, name: str, **options: object) -> Watched:
    """Open a page and wait until it shows what it is about."""
    watched = visit(PAGES[name], **options)
    expect(watched.page.locator("main").get_by_text(READY[name]).first).to_be_visible()
    if name == "analyse compare":
        watched.page.get_by_role("tab", name="Compare").click()
        expect(watched.page.get_by_role("region", name="Every move")).to_contain_text("Exact")
    if name == "play setup":
        watched.open_setup()
        expect(watched.page.get_by_text("Who starts")).to_be_visible()
    if name == "analyse load":
        watched.page.get_by_role("tab", name="Load", exact=True).click()
    return watched


def findings(page: Page, **options: object) -> list[tuple[str, str, list[str]]]:
    """What axe finds: the rule, how bad it is, and where."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found: list[tuple[str, str, list[str]]] = page.evaluate(
        """async (options) => (await axe.run(options)).violations.map(({ id, impact, nodes }) =>
          [id, impact, nodes.map(({ target }) => target)])""",
        # Style sheets, which it would fetch and read again, are wanted by rules alone that are not looked at.
        {"resultTypes": ["violations"], "preload": {"assets": ["media"]}, **options},
    )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_light_or_dark(visit: Visit, name: str) -> None:
    watched = open_ready(visit, name)
    assert findings(watched.page) == []
    watched.page.emulate_media(color_scheme="dark")
    assert findings(watched.page, runOnly=["color-contrast"]) == []  # nothing else depends on it


def ends(shown: Locator) -> list[list[float]]:
    """Where things begin and end from left to right; what is hidden begins and ends at 0."""
    found: list[list[float]] = shown.evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).map(({left, right}) => [left, right])"
    )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_nothing_sticks_out_of_a_phone_or_of_the_narrowest_window(visit: Visit, name: str) -> None:
    page = open_ready(visit, name, **PHONE).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert [board for board in ends(page.locator(".board-frame")) if board[0] < 0 or board[1] > 390] == []
    page.set_viewport_size(NARROWEST)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert [button for button in ends(page.locator(".top button")) if button[1] > 320] == []


@pytest.mark.parametrize("place", ["play", "analyse load", "watch", "learn"])
def test_the_first_load_is_small(visit: Visit, place: str) -> None:
    watched = open_ready(visit, place, alone=True)
    sizes = [request.sizes() for request in watched.requests]
    total = sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)
    assert 10_000 < total < 300_000


def test_the_theme_is_chosen_and_kept(visit: Visit) -> None:
    watched = visit("/learn", color_scheme="light")
    page = watched.page
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    button = page.locator("#theme")
    expect(button).to_have_accessible_name("Theme: System")
    button.click()
    expect(button).to_have_accessible_name("Theme: Light")
    assert page.evaluate(colour) == light
    button.click()
    expect(button).to_have_accessible_name("Theme: Dark")
    dark = page.evaluate(colour)
    assert dark != light
    page.reload()
    assert page.evaluate(colour) == dark


def test_a_question_mark_shows_the_keys(visit: Visit) -> None:
    watched = visit("/play")
    page = watched.page
    panel = page.locator("#keys")
    expect(watched.headline).to_be_visible()
    expect(panel).to_be_hidden()
    page.keyboard.press("?")
    expect(panel).to_contain_text("take back")
    expect(panel).to_contain_text("type a square to move there")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_the_places_are_linked(visit: Visit) -> None:
    watched = visit("/")
    page = watched.page
    for place in ("Analyse", "Watch", "Learn", "Write", "Play"):
        page.get_by_role("navigation").get_by_role("link", name=place).click()
        expect(page).to_have_title(f"{place} · Isolarium")
        current = page.get_by_role("navigation").locator("[aria-current=page]")
        expect(current).to_have_text(place)
