"""The site of plain files: from a sub-folder of a plain file server, then without a network."""

import json
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from isolarium.agents.levels import LEVELS
from isolarium.cli.commands.analyze import site_link
from isolarium.errors import InputError
from isolarium.game.record import parse_game
from isolarium.solver.puzzles import Puzzle, puzzles
from isolarium.web.site import MARK, WORKER, write_site
from tests.command import run_isolarium
from tests.samples import sample
from tests.web.pages.conftest import closed, open_context
from tests.web.pages.test_all_pages import findings
from tests.web.pages.test_play import TURN_OR_END
from tests.web.pages.watched_page import Watched

pytestmark = pytest.mark.slow

FOLDER = "~someone/games"
GAME = "7x7:+d4+b3+c6+d2"
READY = {
    f"play.html?game={GAME}&first=person&second=random": "More",
    f"analyse.html?game={GAME}&at=4": "Blue to move and",
    "learn.html?sheet=puzzles&puzzle=1": "Only one move wins: find it.",
    f"embed.html?game={GAME}": "4 moves",
}


class QuietHandler(SimpleHTTPRequestHandler):
    """`python -m http.server` without its log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a plain file server, with a site in a sub-folder."""
    root = tmp_path_factory.mktemp("host")
    write_site(root / FOLDER)
    return root


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    """The address of the site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/{FOLDER}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Watched]:
    """A visitor whose page is the site's; what the browser complains about fails the test."""
    context, watched = open_context(browser, address)
    watched.page.goto(f"{address}/")
    yield watched
    assert closed(context, watched) == []


def store(page: Page) -> None:
    """Wait until the service worker has stored the site."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")


def test_every_page_works_and_is_accessible_in_a_sub_folder(visitor: Watched, address: str) -> None:
    page = visitor.page
    visitor.expect_headline("^Place your knight$|^Your move$|to (place|move)$|thinking")
    for path, text in READY.items():
        page.goto(f"{address}/{path}")
        expect(page.locator("main").get_by_text(text).first).to_be_visible()
        assert findings(page) == []
    page.get_by_role("button", name="Who wins?").click()  # of the embedded board
    expect(page.get_by_text("Orange wins")).to_be_visible()
    page.goto(f"{address}/play.html")
    page.get_by_role("navigation").get_by_role("link", name="Learn").click()
    expect(page).to_have_title("Learn · Isolarium")
    assert page.get_by_role("link", name="Watch").count() == 0
    assert {request.url.split("/")[2] for request in visitor.requests} == {page.url.split("/")[2]}


def play_whole_game(watched: Watched, address: str, board: str, level: str) -> None:
    """Play a game against a level, and check that its address holds a finished game."""
    watched.page.goto(f"{address}/play.html?game={board}:&first=person&second={level}")
    for _ in range(30):
        watched.expect_headline(TURN_OR_END)
        if watched.headline.inner_text() in ("You win", "You lose"):
            assert parse_game(watched.query("game")).outcome() is not None
            return
        watched.square(watched.legal()[0]).click()
    pytest.fail("the game does not end")


def solve(watched: Watched, address: str, puzzle: Puzzle) -> None:
    """Find all moves of a puzzle."""
    watched.page.goto(f"{address}/learn.html?sheet=puzzles&puzzle={puzzle.number}")
    verdict = watched.page.locator(".verdict:visible")
    expect(verdict).to_contain_text("Only one move wins: find it.")
    for move, reply in zip_longest(puzzle.moves, puzzle.line[1::2]):
        watched.square(str(move)).click()
        expect(verdict).to_contain_text(f"Right: {move}. " if reply else f"Right: {move} wins")
        if reply:
            expect(watched.square(str(reply))).to_have_accessible_name(re.compile("knight"))
    assert watched.page.get_by_role("button", name="Next puzzle").is_visible()


def test_it_plays_analyses_and_asks_without_a_network(visitor: Watched, address: str) -> None:
    page = visitor.page
    store(page)
    page.context.set_offline(True)
    for board, level in (("5x5", 0), ("5x5", 3), ("7x7", 5)):
        play_whole_game(visitor, address, board, LEVELS[level].agent)
    page.get_by_role("link", name="Analyse this game").click()
    visitor.expect_headline("has won|and (win|lose)")
    expect(page.get_by_text("with perfect play.")).to_be_visible()
    expect(page.locator("table.accuracy tbody tr")).to_contain_text([re.compile("%|–")] * 2)
    for puzzle in sample(puzzles()[:10], 3):
        solve(visitor, address, puzzle)
    assert page.evaluate("navigator.onLine") is False


def test_a_visitor_gets_a_new_version_as_a_whole(visitor: Watched, address: str, root: Path) -> None:
    page, site = visitor.page, root / FOLDER
    store(page)
    files = {name: (site / name).read_text(encoding="utf-8") for name in ("learn.html", WORKER)}
    version = json.loads((site / MARK).read_text(encoding="utf-8"))["version"]
    try:
        text = files["learn.html"].replace("Skip to the board", "Skip to the new board")
        (site / "learn.html").write_text(text, encoding="utf-8")
        text = files[WORKER].replace(version, "0123456789abcdef")
        (site / WORKER).write_text(text, encoding="utf-8")
        page.evaluate("navigator.serviceWorker.ready.then((found) => found.update()).then(() => null)")
        page.wait_for_function("() => navigator.serviceWorker.getRegistration().then((found) => found.waiting)")
        page.goto(f"{address}/learn.html")  # from the earlier version, a page of which was open
        expect(page.get_by_text("Skip to the board")).to_have_count(1)
        page.goto("about:blank")
        for _ in range(20):  # the browser takes a moment to replace the worker
            page.wait_for_timeout(250)
            page.goto(f"{address}/learn.html")
            if page.get_by_text("Skip to the new board").count():
                break
            page.goto("about:blank")
        expect(page.get_by_text("Skip to the new board")).to_have_count(1)
        assert page.evaluate("caches.keys().then((names) => names.length)") == 1
    finally:
        for name, text in files.items():
            (site / name).write_text(text, encoding="utf-8")


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(InputError, match="not empty"):
        write_site(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_newer_version_replaces_an_earlier_one(tmp_path: Path) -> None:
    first = write_site(tmp_path / "site")
    old = tmp_path / "site" / "packs" / "0123456789abcdef"
    old.mkdir()
    assert write_site(tmp_path / "site") == first
    assert not old.exists()
    packs = list((tmp_path / "site" / "packs").iterdir())
    assert len(packs) == 1
    for path in (tmp_path / "site").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r'(?:href|src)="/', text) == []
        assert "'wasm-unsafe-eval'" in text


def test_a_link_opens_the_game_in_a_site() -> None:
    output = run_isolarium("analyze", "7x7: d4 b3", "--link", "https://a.example/x/")
    assert output.stdout == "https://a.example/x/analyse.html?game=7x7:+d4+b3\n"
    with pytest.raises(InputError, match="--link"):
        site_link("a.example", parse_game("7x7: d4"))
