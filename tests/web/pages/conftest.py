"""A real Chromium, and pages that fail their test on any complaint of the browser."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, expect, sync_playwright

from tests.command import PATIENCE_S
from tests.web.pages.watching import Watched
from tests.web.serving import Server

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE_MS = 1000 * PATIENCE_S
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
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(
        executable_path=chromium(), args=ARGUMENTS, timeout=PATIENCE_MS
    )
    yield browser
    browser.close()


def open_context(browser: Browser, address: str, **options: Any) -> tuple[BrowserContext, Watched]:
    """A context of its own with one page, which is watched; options are those of Playwright's contexts."""
    options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", **options}
    context = browser.new_context(base_url=address, **options)
    context.set_default_timeout(PATIENCE_MS)
    return context, Watched(context.new_page(), address)


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Callable[..., Watched]]:
    """Open a page of the server, or of the one at `address`, as a new visitor."""
    opened: list[tuple[BrowserContext, Watched]] = []

    def open_page(path: str, address: str = server.address, **options: Any) -> Watched:
        context, watched = open_context(browser, address, **options)
        opened.append((context, watched))
        watched.page.goto(path)
        return watched

    yield open_page
    for context, watched in opened:
        context.close()
        assert watched.complaints == []


@pytest.fixture(scope="session")
def blank_page(browser: Browser, server: Server) -> Iterator[Watched]:
    """A page of the server that does nothing by itself."""
    context, watched = open_context(browser, server.address)
    watched.page.goto("/pages/icon.svg")
    yield watched
    context.close()


@pytest.fixture
def in_worker(blank_page: Watched) -> Iterator[Callable[..., Any]]:
    """Run the body of a JavaScript function of `argument` in a Web Worker, where there is no DOM; its result."""
    page = blank_page.page

    def run(imports: str, body: str, argument: Any = None) -> Any:
        script = f"""
            {imports}
            const run = async (argument) => {{ {body} }};
            self.onmessage = async ({{ data }}) => {{
              if (typeof document !== "undefined") throw new Error("there is a DOM here");
              try {{ self.postMessage({{ answer: await run(data) }}); }}
              catch (error) {{ self.postMessage({{ error: String(error.stack) }}); }}
            }};"""
        page.route(
            "**/pages/under-test.js",
            lambda route: route.fulfill(body=script, content_type="text/javascript"),
        )
        result = page.evaluate(
            """(argument) => new Promise((resolve) => {
              const worker = new Worker("/pages/under-test.js", { type: "module" });
              worker.onmessage = ({ data }) => { worker.terminate(); resolve(data); };
              worker.onerror = (event) => resolve({ error: event.message ?? "the module failed" });
              worker.postMessage(argument);
            })""",
            argument,
        )
        page.unroute("**/pages/under-test.js")
        assert "error" not in result, result["error"]
        return result["answer"]

    yield run
    assert blank_page.complaints == []
