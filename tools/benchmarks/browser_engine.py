"""Measure the site of plain files in Chromium: bytes before Play's first move, its whole size, and the engine's speed.

    python -m tools.benchmarks.browser_engine

Sizes are those of files compressed by gzip, as most hosts send them, without headers.
"""

import gzip
import random
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
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.record import GameRecord
from isolarium.solver.solver import looked_up
from isolarium.web.site import write_site
from tests.web.pages.conftest import ARGUMENTS, chromium

BOARD = Board(7, 7)
SEED = 1
POSITIONS = 30
GAMES = 10


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


def random_game(source: random.Random) -> GameRecord:
    """Return a game of random moves."""
    game = GameRecord(Position.empty(BOARD))
    while game.position.outcome() is None:
        move = source.choice(game.position.legal_moves())
        game = GameRecord(game.start, (*game.moves, move))
    return game


def out_of_book(source: random.Random) -> GameRecord:
    """Return the beginning of a random game, up to its first position that is not in the book."""
    while True:
        game = random_game(source)
        for plies in range(3, len(game.moves)):
            begun = GameRecord(game.start, game.moves[:plies])
            if looked_up(begun.position) is None:
                return begun


ASK = """async ([agent, game]) => {
  const { engineWorkers } = await globalThis.isolariumModules.need("engine/engine_workers.js");
  const began = performance.now();
  await engineWorkers.ask("think", { game, agent, seed: 1 });
  return performance.now() - began;
}"""
ANALYSE = """async (game) => {
  const { engineWorkers } = await globalThis.isolariumModules.need("engine/engine_workers.js");
  const { analyseGame } = await globalThis.isolariumModules.need("engine/game_analysis.js");
  const began = performance.now();
  await new Promise((resolve) => analyseGame(engineWorkers, { game }, (_, isLast) => isLast && resolve()));
  return performance.now() - began;
}"""


def summary(found: list[float]) -> str:
    """Return the median and the maximum of some milliseconds as text."""
    return f"{len(found)} on {BOARD}, median {median(found):.0f} ms, at most {max(found):.0f} ms"


def main() -> None:
    """Measure, and print the figures."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name) / "site"
        written = write_site(folder)
        files = [path for path in folder.rglob("*") if path.is_file()]
        sizes = sum(map(compressed, files))
        print(f"whole site: {written.files} files, {written.size / 1000:.0f} KB, {sizes / 1000:.0f} KB compressed")
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for level in (LEVELS[2], LEVELS[5]):
            context = browser.new_context(service_workers="block")
            with hosted(folder) as (address, sent):
                seconds = first_move(context.new_page(), address, level.agent)
                total = sum(sent.values()) / 1000
                print(f"{level}: first move after {seconds:.1f} s, {len(sent)} files, {total:.0f} KB")
            context.close()
        page = browser.new_context(service_workers="block").new_page()
        with hosted(folder) as (address, _):
            page.goto(f"{address}analyse.html?game=7x7:+d4+b3&at=2")
            page.get_by_text("Orange played b3").wait_for()
            source, agent = random.Random(SEED), LEVELS[6].agent
            page.evaluate(ASK, [agent, str(random_game(source))[:11]])  # loads and warms
            begun = [str(out_of_book(source)) for _ in range(POSITIONS)]
            found = [page.evaluate(ASK, [agent, game]) for game in begun]
            print(f"{LEVELS[6]}, first move out of book: {summary(found)}")
            games = [str(random_game(source)) for _ in range(GAMES)]
            found = [page.evaluate(ANALYSE, game) for game in games]
            print(f"a whole game marked: {summary(found)}")
        browser.close()


if __name__ == "__main__":
    main()
