"""Take the screenshots of the pages in docs/images: `.venv/bin/python -m tools.docs.take_screenshots`.

It starts `isolarium serve` on a folder of its own, lets it play one match to watch, and needs the system's Chromium.
The pictures show the same content every time: games are limited by nodes, seeds are fixed, and
there are no clocks or animations. Only Chromium's smoothing of edges may differ slightly.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright
from websockets.sync.client import connect

from isolarium.agents.levels import USUAL

IMAGES = Path("docs/images")
GAME = "7x7: e2 f5 d4 e3 f3 c4 e5 d6 d3 e4 c5 c3 e6 d5 c7 b4 b5 c6 a3 a5 c2 b3 a1 c1"
MATCH = {
    "kind": "match",
    "first": "alphabeta:distance@nodes=1000",
    "second": "alphabeta:improved@nodes=1000",
    "pairs": 150,
    "test": [0, 20],
}
SIZES = ((390, 844), (820, 1180), (1440, 900))
PATIENCE_S = 300
IN_DARK = 1440
"""The width of the screenshots in the dark theme."""
TIMES = re.compile(r"\bms\b|_ms$")
"""Table columns with times."""


@dataclass(frozen=True)
class Shot:
    """A page, and the actions before its screenshot."""

    name: str
    path: str
    prepare: Callable[[Page], None]


def see(*texts: str) -> Callable[[Page], None]:
    """Wait until these texts are visible."""

    def wait(page: Page) -> None:
        for text in texts:
            expect(page.get_by_text(re.compile(text)).first).to_be_visible()

    return wait


def choose_first_square(page: Page) -> None:
    """Place Blue in the middle of the map of starts."""
    see("starts up to symmetry")(page)
    page.get_by_role("gridcell", name=re.compile("^d4, ")).click()
    see("Blue on d4")(page)


def ask_for_hints(page: Page) -> None:
    """Request the hints: how many moves keep the win, and where."""
    see("find a move that keeps it")(page)
    for _ in range(2):
        page.get_by_role("button", name="Hint").click()


def shots(run: str, seat: str) -> list[Shot]:
    """Yield every page, for a run to watch and a seat in a game with a friend."""
    half = " ".join(GAME.split()[:15])
    play = f"/play?game={half}&first=person&second={USUAL.agent}&seed=1"
    return [
        Shot("play", play, see("^Your move$", f"^{USUAL}$")),
        Shot("analyse", f"/analyse?game={GAME}&at=15", see("^■ proven$", "^From this start")),
        Shot("watch", f"/watch?run={run}", see("Sequential test")),
        Shot("learn", "/learn?sheet=starts", choose_first_square),
        Shot("friend", f"/friend#seat={seat}", see("^Your move$", "^Connected")),
        Shot("strategy", "/learn?sheet=strategy&lesson=2", see("Reached first: ● Blue 18")),
        Shot("puzzles", "/learn?sheet=puzzles&puzzle=400", see("Only one move wins: find it")),
        Shot("write", "/write", see("^Each square shows the value by freer")),
        Shot("mistakes", f"/learn?sheet=mistakes&game={GAME}&player=first", ask_for_hints),
    ]


@contextmanager
def serving() -> Iterator[str]:
    """Yield the address of a server of our own."""
    command = [str(Path(sys.executable).with_name("isolarium")), "serve", "--port", "0", "--no-open"]
    with (
        tempfile.TemporaryDirectory() as runs,
        subprocess.Popen([*command, "--runs", runs], stdout=subprocess.PIPE, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            yield found[0].rstrip("/")
        finally:
            process.terminate()


def play_a_match(address: str) -> str:
    """Play a match to its end and return the run's name."""
    name: str = httpx.post(f"{address}/api/runs", json=MATCH, timeout=PATIENCE_S).json()["name"]
    while httpx.get(f"{address}/api/runs/{name}", timeout=PATIENCE_S).json()["state"] == "playing":
        pass
    return name


def play_a_friend(address: str) -> str:
    """Open a game with a friend, play half of it, and return the token of the player to move."""
    wanted = {"first": "me", "clock": None}  # no clock: pictures stay the same
    opened = httpx.post(f"{address}/api/friend", json=wanted, timeout=60).json()
    line = f"{address.replace('http', 'ws', 1)}/api/friend"
    with connect(line) as mine, connect(line) as friend:
        for side, seat in ((mine, "seat"), (friend, "friend")):
            side.send(json.dumps({"token": opened[seat]}))
        for ply, move in enumerate(GAME.split()[1:15]):
            side = friend if ply % 2 else mine
            side.send(json.dumps({"do": "move", "game": 1, "ply": ply, "move": move}))
            while json.loads(side.recv())["kind"] != "heard":
                pass
    return str(opened["seat"])


def without_times(route: Route) -> None:
    """Return a run as the server sends it, with fixed times."""
    answer = route.fetch()
    run = answer.json()
    for table in filter(None, (run.get(name) for name in ("standings", "cross", "encounters"))):
        for column, key in enumerate(table["keys"]):
            if TIMES.search(key):
                for row in table["rows"]:
                    row[column] = row[column] and "0.1"
    route.fulfill(response=answer, json=run)


def take(browser: Browser, address: str, shot: Shot) -> None:
    """Take one page in every size, and in one size in the dark theme."""
    schemes = [(*size, "light") for size in SIZES]
    schemes += [(*size, "dark") for size in SIZES if size[0] == IN_DARK]
    for width, height, scheme in schemes:
        page = browser.new_page(
            base_url=address,
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
            locale="en-GB",
        )
        page.route(re.compile("/api/runs/[^/?]+$"), without_times)
        page.route_web_socket(re.compile("/live$"), lambda _: None)
        page.goto(shot.path)
        shot.prepare(page)
        file = IMAGES / f"web-{shot.name}-{width}{'-dark' if scheme == 'dark' else ''}.png"
        page.screenshot(path=file, animations="disabled", caret="hide")
        page.close()
        print(f"{file.name}  {file.stat().st_size / 1000:.0f} KB")


def take_report(browser: Browser, address: str, run: str) -> None:
    """Take the first screen of a run's report in both themes."""
    for scheme in ("light", "dark"):
        page = browser.new_page(
            base_url=address,
            viewport={"width": 1000, "height": 760},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        page.goto(f"/api/runs/{run}/report")
        see("Standings: win rate")(page)
        file = IMAGES / f"report-first-screen{'-dark' if scheme == 'dark' else ''}.png"
        page.screenshot(path=file)
        page.close()


def main() -> None:
    """Take all screenshots."""
    names = ("chromium", "google-chrome", "chromium-headless-shell")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        sys.exit("take_screenshots: no Chromium here; as root: apt-get install chromium")
    expect.set_options(timeout=1000 * PATIENCE_S)
    with serving() as address, sync_playwright() as playwright:
        run = play_a_match(address)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for shot in shots(run, play_a_friend(address)):
            take(browser, address, shot)
        take_report(browser, address, run)
        browser.close()


if __name__ == "__main__":
    main()
