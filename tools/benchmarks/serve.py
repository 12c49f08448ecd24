"""Measure a server that computes moves under load: many players, a client that never reads, one that disconnects.

    python -m tools.benchmarks.serve [--people 50] [--seconds 20] [--agent alphabeta:improved@nodes=8000]

Each player is a program that requests moves by POST /api/move, and waits about a second before the next one. The
benchmark measures the time from sending a game to receiving the move.
"""

import argparse
import asyncio
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import httpx

from isolarium.agents.levels import LEVELS
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, format_game
from isolarium.web.http_errors import BUSY

THOUGHT_S = 1.0
PATIENCE_S = 300.0


def client(address: str, source: str = "127.0.0.1") -> httpx.AsyncClient:
    """Return a client of a server that connects from an address of this machine."""
    return httpx.AsyncClient(
        base_url=address, timeout=PATIENCE_S, transport=httpx.AsyncHTTPTransport(local_address=source)
    )


async def person(
    address: str, agent: str, chance: random.Random, until: float, source: str = "127.0.0.1"
) -> list[float]:
    """Play game after game from an address of this machine; return the milliseconds of each answer."""
    took = []
    await asyncio.sleep(chance.random() * THOUGHT_S)
    async with client(address, source) as line:
        game, numbers = _opening(chance), count(1)
        while time.monotonic() < until:
            began = time.perf_counter()
            move = await asked(line, next(numbers), game, agent)
            took.append(1e3 * (time.perf_counter() - began))
            game = _played(game, move)
            await asyncio.sleep(THOUGHT_S * chance.uniform(0.8, 1.2))
            game = _answered(game, chance)
    return took


async def sent(line: httpx.AsyncClient, method: str, path: str, **options: Any) -> httpx.Response:
    """Send a request, again if the server has just closed the connection because it was idle."""
    while True:
        with suppress(httpx.RemoteProtocolError, httpx.ReadError):
            return await line.request(method, path, **options)


async def asked(line: httpx.AsyncClient, number: int, game: GameRecord, agent: str) -> str:
    """Return an agent's move; retry like a page while the server is busy."""
    request = {"game": format_game(game), "agent": agent, "seed": number}
    while (answer := await sent(line, "POST", "/api/move", json=request)).status_code == BUSY:
        await asyncio.sleep(float(answer.headers["retry-after"]))
    return str(answer.raise_for_status().json()["move"])


def _opening(chance: random.Random) -> GameRecord:
    first, second = chance.sample(Board(7, 7).squares, 2)
    return GameRecord(Position.empty(Board(7, 7)), (first, second))


def _played(game: GameRecord, move: str) -> GameRecord:
    square = next(one for one in game.position.legal_moves() if str(one) == move)
    return GameRecord(game.start, (*game.moves, square))


def _answered(game: GameRecord, chance: random.Random) -> GameRecord:
    """Return the game after a player's move, or a new game if it is or would be over."""
    moves = game.position.legal_moves()
    if moves:
        game = GameRecord(game.start, (*game.moves, chance.choice(moves)))
    return game if game.outcome() is None else _opening(chance)


def raw_request(agent: str) -> bytes:
    """Return a request for a move as bytes."""
    body = json.dumps({"game": "7x7: d4 b3", "agent": agent, "seed": 1})
    head = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"POST /api/move HTTP/1.1\r\n{head}\r\n\r\n{body}".encode()


async def deaf(address: str, until: float) -> None:
    """Request long searches again and again over one connection, and read nothing."""
    place = urlsplit(address)
    bare = socket.socket()
    bare.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    bare.connect((place.hostname, place.port))
    bare.setblocking(False)
    _, writer = await asyncio.open_connection(sock=bare)
    while time.monotonic() < until:
        writer.write(raw_request("strong:distance@ms=3000"))
        await asyncio.sleep(0.5)
    writer.transport.abort()


async def vanishing(address: str, until: float) -> None:
    """Request ten seconds of search and disconnect at once, again and again."""
    place = urlsplit(address)
    while time.monotonic() < until:
        _, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(raw_request("mcts@ms=10000"))
        await asyncio.sleep(0.2)
        writer.transport.abort()
        await asyncio.sleep(0.3)


async def measured(address: str, arguments: argparse.Namespace, *guests: Any) -> list[float]:
    """Return the sorted response times of all players while other clients misbehave."""
    until = time.monotonic() + arguments.seconds
    others = [asyncio.create_task(guest(address, until)) for guest in guests]
    people = [person(address, arguments.agent, random.Random(number), until) for number in range(arguments.people)]
    took = sorted(one for times in await asyncio.gather(*people) for one in times)
    for other in others:
        other.cancel()
        with suppress(asyncio.CancelledError, OSError):
            await other
    return took


def show(title: str, took: list[float]) -> None:
    """Print a line."""
    p50, p95, p99 = (took[int(share * len(took))] for share in (0.5, 0.95, 0.99))
    print(
        f"{title:<38} {len(took):>5} moves   p50 {p50:6.1f} ms   p95 {p95:6.1f} ms   "
        f"p99 {p99:6.1f} ms   most {took[-1]:6.1f} ms",
        flush=True,
    )


async def have_all_ready(address: str, *agents: str) -> None:
    """Load or compile everything that will be requested."""
    async with client(address) as line:
        for number, agent in enumerate((*(level.agent for level in LEVELS), *agents)):
            await asked(line, number, _opening(random.Random(0)), agent)


async def main(arguments: argparse.Namespace, address: str) -> None:
    """Measure alone, then with each kind of misbehaving client, then with both."""
    people = f"{arguments.people} people"
    await have_all_ready(address, arguments.agent)
    show(people, await measured(address, arguments))
    show(f"{people}, one reads nothing", await measured(address, arguments, deaf))
    show(f"{people}, one vanishes", await measured(address, arguments, vanishing))
    show(f"{people}, both", await measured(address, arguments, deaf, vanishing))


@contextmanager
def serving() -> Iterator[tuple[str, int]]:
    """Start a server; yield its address and the number of its process."""
    with tempfile.TemporaryDirectory() as runs:
        command = [sys.executable, "-m", "isolarium", "serve", "--port", "0", "--no-open"]
        with subprocess.Popen([*command, "--runs", runs], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            try:
                yield found[0], process.pid
            finally:
                process.terminate()


def arguments_of(description: str) -> argparse.Namespace:
    """Return the command-line options, and print the machine's load."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--agent", default="alphabeta:improved@nodes=8000")
    wanted = parser.parse_args()
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    print(f"{wanted.agent}, {THOUGHT_S:g} s of thought a move; {cores} cores, load {load:.1f}")
    return wanted


if __name__ == "__main__":
    wanted = arguments_of(__doc__)
    with serving() as (address, _):
        asyncio.run(main(wanted, address))
