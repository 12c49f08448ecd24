"""Measure the site of plain files in Chromium: bytes before Play's first move, its whole size, and the engine's speed.

    python -m tools.benchmarks.browser_engine

Sizes are those of files compressed by gzip, as most hosts send them, without headers.
"""

import gzip
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Page, sync_playwright

from isolarium.agents.levels import LEVELS
from isolarium.web.site import write_site
from tests.web.pages.conftest import ARGUMENTS, chromium

GAME = "7x7: e2 f5 d4 e3 f3 c4 e5 d6 d3 e4 c5 c3 e6 d5 c7 b4 b5 c6 a3 a5 c2 b3 a1 c1"
OUT_OF_BOOK = [" ".join(GAME.split()[: 1 + plies]) for plies in range(6, 20)]


class CountingHandler(SimpleHTTPRequestHandler):
    """A plain file server that remembers the compressed size of each file that it sends."""

    sent: dict[str, int]

    def __init__(self, *arguments: Any, sent: dict[str, int], **named: Any) -> None:
        self.sent = sent
        super().__init__(*arguments, **named)

    def do_GET(self) -> None:
        """Send a file, and note its size."""
        path = Path(self.translate_path(self.path))
        if path.is_file():
            self.sent[self.path.partition("?")[0]] = compressed(path)
        super().do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def compressed(path: Path) -> int:
    """Return the size of a file compressed by gzip."""
    return len(gzip.compress(path.read_bytes(), 9))


@contextmanager
def hosted(folder: Path) -> Iterator[tuple[str, dict[str, int]]]:
    """Serve a folder; yield the address and the sizes of the files that were sent."""
    sent: dict[str, int] = {}
    handler = partial(CountingHandler, directory=str(folder), sent=sent)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", sent
    server.shutdown()


def first_move(page: Page, address: str, agent: str) -> float:
    """Open Play as a new visitor; return the seconds until an agent has placed its knight."""
    began = time.perf_counter()
    page.goto(f"{address}play.html?game=7x7:&first={agent}&second=person")
    page.get_by_role("heading", name="Place your knight").wait_for()
    return time.perf_counter() - began


def moves_ms(page: Page, address: str, agent: str) -> list[float]:
    """Return the milliseconds of an agent's moves as the page reports them, after a first one."""
    found = []
    for game in [OUT_OF_BOOK[0], *OUT_OF_BOOK]:
        query = game.replace(" ", "+")
        page.goto(f"{address}play.html?game={query}&first=person&second=person")
        page.locator("main h1").wait_for()
        found.append(page.evaluate(ASK, [agent, game]))
    return found[1:]


ASK = """async ([agent, game]) => {
  const modules = globalThis.isolariumModules;
  const { engineWorkers } = await modules.need("engine/engine_workers.js");
  await engineWorkers.ask("think", { game, agent, seed: 1 });
  const began = performance.now();
  await engineWorkers.ask("think", { game, agent, seed: 2 });
  return performance.now() - began;
}"""
ANALYSE = """async (game) => {
  const { engineWorkers } = await globalThis.isolariumModules.need("engine/engine_workers.js");
  const { analyseGame } = await globalThis.isolariumModules.need("engine/game_analysis.js");
  const began = performance.now();
  await new Promise((resolve) => analyseGame(engineWorkers, { game }, (_, isLast) => isLast && resolve()));
  return performance.now() - began;
}"""


def main() -> None:
    """Measure, and print the figures."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name) / "site"
        written = write_site(folder)
        files = [path for path in folder.rglob("*") if path.is_file()]
        sizes = sum(map(compressed, files))
        print(
            f"whole site: {written.files} files, {written.size / 1000:.0f} KB, {sizes / 1000:.0f} KB compressed"
        )
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for level in (LEVELS[2], LEVELS[5]):
            context = browser.new_context(service_workers="block")
            with hosted(folder) as (address, sent):
                seconds = first_move(context.new_page(), address, level.agent)
                total = sum(sent.values()) / 1000
                print(
                    f"{level}: first move after {seconds:.1f} s, {len(sent)} files, {total:.0f} KB"
                )
            context.close()
        page = browser.new_context(service_workers="block").new_page()
        with hosted(folder) as (address, _):
            found = moves_ms(page, address, LEVELS[6].agent)
            print(
                f"{LEVELS[6]}, 7x7 out of book: median {median(found):.0f} ms, at most {max(found):.0f} ms"
            )
            times = [page.evaluate(ANALYSE, GAME) for _ in range(3)]
            print(
                f"a 7x7 game of 24 plies marked: {times[0] / 1000:.1f} s, again {min(times[1:]) / 1000:.1f} s"
            )
        browser.close()


if __name__ == "__main__":
    main()
