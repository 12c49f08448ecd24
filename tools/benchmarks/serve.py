"""Measure a server under load: many players, a client that never reads, one that disconnects.

    python -m tools.benchmarks.serve [--people 50] [--seconds 20] [--agent alphabeta:improved@nodes=8000]

Each player thinks about a second before a move. The benchmark measures the time from sending a game to receiving the
move.
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

from websockets.asyncio.client import ClientConnection, connect

from isolarium.agents.levels import LEVELS
from isolarium.game.board import Board
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, format_game

THOUGHT_S = 1.0


async def person(
    address: str, agent: str, chance: random.Random, until: float, source: str = "127.0.0.1"
) -> list[float]:
    """Play game after game from an address of this machine; return the milliseconds of each answer."""
    took = []
    await asyncio.sleep(chance.random() * THOUGHT_S)
    async with connect(f"{address}/api/think", local_addr=(source, 0)) as line:
        game, numbers = _opening(chance), count(1)
        while time.monotonic() < until:
            began = time.perf_counter()
            move = await _asked(line, next(numbers), game, agent)
            took.append(1e3 * (time.perf_counter() - began))
            game = _played(game, move)
            await asyncio.sleep(THOUGHT_S * chance.uniform(0.8, 1.2))
            game = _answered(game, chance)
    return took


async def _asked(line: ClientConnection, number: int, game: GameRecord, agent: str) -> str:
    """Return an agent's move; retry like a page while the server is busy."""
    request = {"id": number, "game": format_game(game), "agent": agent, "seed": number}
    await line.send(json.dumps(request))
    while True:
        answer: dict[str, Any] = json.loads(await line.recv())
        if answer["kind"] == "move":
            return str(answer["move"])
        if answer["kind"] == "error":
            raise RuntimeError(answer["error"])
        if answer["kind"] == "busy":
            await asyncio.sleep(answer["retry_ms"] / 1000)
            await line.send(json.dumps(request))


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


async def deaf(address: str, until: float) -> None:
    """Request long searches with progress again and again, and read nothing."""
    place = urlsplit(address)
    bare = socket.socket()
    bare.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    bare.connect((place.hostname, place.port))
    line = await connect(f"{address}/api/think", sock=bare, max_queue=1)
    for number in count(1):
        if time.monotonic() > until:
            break
        request = {"id": number, "game": "7x7: d4 b3", "agent": "strong:distance@ms=3000", "seed": 1}
        await line.send(json.dumps(request))
        await asyncio.sleep(0.5)
    line.transport.abort()


async def vanishing(address: str, until: float) -> None:
    """Request ten seconds of search and disconnect at once, again and again."""
    while time.monotonic() < until:
        line = await connect(f"{address}/api/think")
        request = {"id": 1, "game": "7x7: d4 b3", "agent": "mcts@ms=10000", "seed": 1}
        await line.send(json.dumps(request))
        await asyncio.sleep(0.2)
        line.transport.abort()
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
    async with connect(f"{address}/api/think") as line:
        for number, agent in enumerate((*(level.agent for level in LEVELS), *agents)):
            await _asked(line, number, _opening(random.Random(0)), agent)


async def main(arguments: argparse.Namespace, address: str) -> None:
    """Measure alone, then with each kind of misbehaving client, then with both."""
    people = f"{arguments.people} people"
    await have_all_ready(address, arguments.agent)
    show(people, await measured(address, arguments))
    show(f"{people}, one reads nothing", await measured(address, arguments, deaf))
    show(f"{people}, one vanishes", await measured(address, arguments, vanishing))
    show(f"{people}, both", await measured(address, arguments, deaf, vanishing))


@contextmanager
def serving() -> Iterator[str]:
    """Yield a server and the address of its WebSockets."""
    with tempfile.TemporaryDirectory() as runs:
        command = [sys.executable, "-m", "isolarium", "serve", "--port", "0", "--no-open"]
        with subprocess.Popen([*command, "--runs", runs], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            try:
                yield found[0].replace("http", "ws")
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
    with serving() as address:
        asyncio.run(main(wanted, address))
