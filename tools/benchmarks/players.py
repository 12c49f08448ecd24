"""Measure what players cost a server: with the engine in their browsers, and with moves that the server computes.

    python -m tools.benchmarks.players [--people 200] [--agent mcts@nodes=1500]

A whole game of Play is played once in Chromium, and its requests are noted. Then so many new visitors make exactly
these requests, all at once and with about a second of thought a move. In the other case, the server computes the
moves: the visitors request the page without the engine's files, and every move of the agent by POST /api/move.
"""

import argparse
import asyncio
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Page, Request, sync_playwright

from isolarium.game.record import GameRecord, read_game
from tests.web.pages.conftest import ARGUMENTS, chromium
from tools.benchmarks.serve import THOUGHT_S, asked, client, sent, serving

LEVEL = "mcts@nodes=1500"
SEED = 1
AHEAD = 20
"""How many visitors open the page in the same second."""
BROWSER = {"Accept-Encoding": "gzip, deflate"}
READY = "() => /^(Place your|Your move|You (win|lose))/.test(document.querySelector('main h1').textContent)"
TICKS = os.sysconf("SC_CLK_TCK")


class Noted(NamedTuple):
    """A game as a browser played it.

    Attributes:
        paths: What it requested for the page, in order.
        engine: What it requested for the engine, in order.
        games: The game before each move of the agent.
    """

    paths: list[str]
    engine: list[str]
    games: list[GameRecord]


def noted_game(address: str, agent: str) -> Noted:
    """Play a game at random against an agent in Chromium, as a new visitor."""
    requests: list[Request] = []
    chance = random.Random(SEED)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = browser.new_context().new_page()
        page.context.on("request", lambda request: requests.append(request))
        page.goto(f"{address}/play?game=7x7:&first=person&second={agent}")
        games = list(played_at_random(page, chance))
        browser.close()
    assert all(one.method == "GET" for one in requests), [one.url for one in requests if one.method != "GET"]
    paths = [urlsplit(one.url)._replace(scheme="", netloc="").geturl() for one in requests]
    return Noted(
        [path for path in paths if "/engine/" not in path], [path for path in paths if "/engine/" in path], games
    )


def played_at_random(page: Page, chance: random.Random) -> list[GameRecord]:
    """Click random legal squares until the game is over; return the game before each move of the agent."""
    games = list[GameRecord]()
    headline = page.locator("main h1")
    while True:
        page.wait_for_function(READY)
        if headline.inner_text().startswith(("You win", "You lose")):
            return games
        legal = page.locator(".board[role=grid] .cell.legal")
        name = legal.nth(chance.randrange(legal.count())).get_attribute("aria-label")
        assert name is not None
        before = read_game(page.evaluate("new URLSearchParams(location.search).get('game')"))
        square = next(one for one in before.position.legal_moves() if str(one) == name.partition(",")[0])
        after = GameRecord(before.start, (*before.moves, square))
        page.get_by_role("gridcell", name=name).click()
        if after.outcome() is None:
            games.append(after)


async def visitor(address: str, paths: Sequence[str], games: Sequence[GameRecord], agent: str, number: int) -> int:
    """Open the page, and play a game; return the bytes that were received, without headers."""
    chance, received = random.Random(number), 0
    await asyncio.sleep(number / AHEAD)
    async with client(address, f"127.0.1.{1 + number % 250}") as line:
        for path in paths:
            received += (await sent(line, "GET", path, headers=BROWSER)).num_bytes_downloaded
        for seed, game in enumerate(games):
            await asyncio.sleep(THOUGHT_S * chance.uniform(0.8, 1.2))
            if agent:
                await asked(line, seed, game, agent)
    return received


async def visited(address: str, people: int, paths: Sequence[str], games: Sequence[GameRecord], agent: str) -> int:
    """Let all visitors play; return the bytes of each."""
    found = await asyncio.gather(*(visitor(address, paths, games, agent, number) for number in range(people)))
    return sum(found) // people


def processor_s(process: int) -> float:
    """Return the processor time of a process and those it has started, in seconds."""
    times, parents = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        number = int(path.parent.name)
        times[number], parents[number] = sum(map(int, fields[11:15])), int(fields[1])

    def is_ours(number: int) -> bool:
        return number == process or (number in parents and is_ours(parents[number]))

    return sum(ticks for number, ticks in times.items() if is_ours(number)) / TICKS


def measure(title: str, people: int, noted: Noted, *, agent: str) -> None:
    """Serve so many visitors and print a row; with an agent, the server computes its moves."""
    paths = noted.paths if agent else noted.paths + noted.engine
    with serving() as (address, process):
        asyncio.run(visited(address, 1, paths, noted.games[:2], agent))  # compiled and loaded
        before = processor_s(process)
        each = asyncio.run(visited(address, people, paths, noted.games, agent))
        spent = processor_s(process) - before
    requests = len(paths) + (len(noted.games) if agent else 0)
    print(f"{title:<28} {requests:>8} {each / 1000:>8.0f} {1000 * spent / people:>13.1f}", flush=True)


def main() -> None:
    """Note a game, and print a row for each case."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--agent", default=LEVEL)
    wanted = parser.parse_args()
    with serving() as (address, _):
        noted = noted_game(address, wanted.agent)
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    print(f"{wanted.people} people, {wanted.agent}, {len(noted.games)} moves; {cores} cores, load {load:.1f}")
    print(f"{'each of them':<28} {'requests':>8} {'KB':>8} {'processor ms':>13}")
    measure("the server computes moves", wanted.people, noted, agent=wanted.agent)
    measure("the browser computes moves", wanted.people, noted, agent="")


if __name__ == "__main__":
    main()
