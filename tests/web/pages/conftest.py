"""A real Chromium, and pages that fail their test on any complaint of the browser."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, ViewportSize, expect, sync_playwright

from tests.command import PATIENCE_S
from tests.web.pages.javascript import RunJs, browser_runner, find_node, node_runner
from tests.web.pages.watched_page import BLANK, PHONE, Watched
from tests.web.serving import Server

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--renderer-process-limit=1",  # else another is started ahead of every page
]
EXPECT_MS = 60_000
"""How long a page may take to show what is expected: wide for a busy machine, short for a wrong text."""
PATIENCE_MS = 1000 * PATIENCE_S
DESK = ViewportSize(width=1280, height=800)
FORGET = """() => {
  localStorage.clear();
  sessionStorage.clear();
  const own = { Date, WebSocket, setTimeout };
  return Object.keys(own).filter((name) => !String(own[name]).includes("[native code]"));
}"""
"""Empty what a browser keeps of our pages; which of its own words were changed."""
NAMES = (
    "chromium-headless-shell",  # takes two thirds of the work of a whole one
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)


def chromium() -> str:
    """The path of the system's Chromium."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    pytest.fail("no Chromium here; as root: apt-get install chromium-headless-shell")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=EXPECT_MS)
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS, timeout=PATIENCE_MS)
    yield browser
    browser.close()


def open_context(browser: Browser, address: str, **options: Any) -> tuple[BrowserContext, Watched]:
    """A context of its own with one page, which is watched; options are those of Playwright's contexts."""
    options = {"viewport": DESK, "locale": "en-GB", **options}
    context = browser.new_context(base_url=address, **options)
    context.set_default_timeout(EXPECT_MS)
    return context, Watched(context.new_page(), address)


def closed(context: BrowserContext, watched: Watched) -> list[str]:
    """Close a context; what there was to complain about on its page."""
    context.close()
    return watched.complaints


class Tabs:
    """Two pages of each server that lasts, which visitors come to one after another, at a desk and on a phone.

    A new context takes a new process and more than twice the work of a page that goes elsewhere.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: dict[tuple[str, bool], Watched] = {}

    def take(self, address: str, viewport: ViewportSize, phone: bool) -> Watched:
        """One that nobody has, with nothing on it."""
        watched = self._free.pop((address, phone), None)
        if watched is None:
            kind = {"has_touch": True, "is_mobile": True} if phone else {}
            _, watched = open_context(self._browser, address, **kind)
        if watched.page.viewport_size != viewport:
            watched.page.set_viewport_size(viewport)
        return watched

    def give_back(self, watched: Watched, address: str, phone: bool) -> list[str]:
        """Leave no trace of a visitor; what there was to complain about."""
        page, complaints = watched.page, watched.complaints
        page.unroute_all()
        page.mouse.move(0, 0)
        page.goto(BLANK)
        page.emulate_media()
        changed = page.evaluate(FORGET)
        watched.forget()
        if changed or (address, phone) in self._free:
            page.context.close()
        else:
            self._free[address, phone] = watched
        return [*complaints, *(f"{name} was changed: visit alone" for name in changed)]


@pytest.fixture(scope="session")
def tabs(browser: Browser) -> Tabs:
    return Tabs(browser)


@pytest.fixture
def visit(browser: Browser, server: Server, tabs: Tabs) -> Iterator[Callable[..., Watched]]:
    """Open a page of the server, or of the one that it is to be `at`, as a new visitor.

    Who changes the clock or a WebSocket comes `alone`, as does who has other options than a window's size or `PHONE`.
    """
    opened: list[Callable[[], list[str]]] = []

    def open_page(path: str, at: Server = server, alone: bool = False, **options: Any) -> Watched:
        size = options.get("viewport", DESK)
        phone = {**options, "viewport": size} == {**PHONE, "viewport": size}
        if at.lasts and not alone and (phone or not options.keys() - {"viewport"}):
            watched = tabs.take(at.address, size, phone)
            opened.append(lambda: tabs.give_back(watched, at.address, phone))
        else:
            context, watched = open_context(browser, at.address, **options)
            opened.append(lambda: closed(context, watched))
        watched.page.goto(path)
        return watched

    yield open_page
    complaints = [leave() for leave in opened]
    assert complaints == [[] for _ in opened]


@pytest.fixture(scope="session")
def blank_page(browser: Browser, server: Server) -> Iterator[Watched]:
    """A page of the server that does nothing by itself."""
    context, watched = open_context(browser, server.address)
    watched.page.goto(BLANK)
    yield watched
    context.close()


@pytest.fixture
def js_in_browser(blank_page: Watched) -> Iterator[RunJs]:
    """Run JavaScript in a Web Worker, without a complaint of the browser."""
    yield browser_runner(blank_page.page)
    assert blank_page.complaints == []


@pytest.fixture(scope="session")
def js_in_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunJs | None]:
    """Run JavaScript under Node.js; None where it is not installed."""
    node = find_node()
    if node is None:
        yield None
        return
    with node_runner(node, tmp_path_factory.mktemp("node")) as run:
        yield run


@pytest.fixture
def run_js(request: pytest.FixtureRequest, js_in_node: RunJs | None) -> RunJs:
    """Run JavaScript that needs no DOM: under Node.js where it is installed, else in the browser."""
    if js_in_node is not None:
        return js_in_node
    in_browser: RunJs = request.getfixturevalue("js_in_browser")
    return in_browser
