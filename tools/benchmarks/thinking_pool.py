"""Compare threads and processes for a server's searches.

    python -m tools.benchmarks.thinking_pool [--seconds 10]

Fifty quick moves a second are requested while two long searches run, alternately in threads and in worker processes.
The benchmark measures the time from the request to the move, and the delay of the server's event loop.
"""

import argparse
import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from isolarium.agents import parse_agent
from isolarium.game.record import read_game
from isolarium.web.jobs.job_queue import JobQueue

QUICK, LONG = "alphabeta:improved@nodes=8000", "mcts@ms=600000"
GAME = "7x7: d4 b3"
RATE = 50.0
TICK_S = 0.005


async def load(ask: Callable[[int], Awaitable[object]], seconds: float) -> tuple[list[float], list[float]]:
    """Return the milliseconds of each answer, and the delay of each tick."""
    took, late, chance = list[float](), list[float](), random.Random(1)
    until = time.perf_counter() + seconds

    async def one(number: int) -> None:
        began = time.perf_counter()
        await ask(number)
        took.append(1e3 * (time.perf_counter() - began))

    async def tick() -> None:
        while time.perf_counter() < until:
            began = time.perf_counter()
            await asyncio.sleep(TICK_S)
            late.append(1e3 * (time.perf_counter() - began - TICK_S))

    ticking, requests = asyncio.create_task(tick()), list[asyncio.Task[None]]()
    while time.perf_counter() < until:
        await asyncio.sleep(chance.expovariate(RATE))
        requests.append(asyncio.create_task(one(len(requests))))
    await asyncio.gather(ticking, *requests)
    return sorted(took), sorted(late)


async def by_threads(seconds: float) -> tuple[list[float], list[float]]:
    """Measure one thread for quick moves and two for long searches."""
    position, over = read_game(GAME).position, Event()
    quick = parse_agent(QUICK)
    quick.choose(position)
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        for _ in range(2):
            two.submit(parse_agent(LONG).choose, position, over.is_set)
        loop = asyncio.get_running_loop()

        async def ask(number: int) -> None:
            quick.new_game(number)
            await loop.run_in_executor(one, quick.choose, position)

        try:
            return await load(ask, seconds)
        finally:
            over.set()


async def by_processes(seconds: float, gives_way: bool) -> tuple[list[float], list[float]]:
    """Measure one worker for quick moves and two for long searches."""
    quick = JobQueue("quick", 1, 1000, gives_way=False)
    deep = JobQueue("deep", 2, 1000, gives_way=gives_way)
    quick.start()
    deep.start()
    await quick.ask("think", {"game": GAME, "agent": QUICK, "seed": 0}).answer()
    for _ in range(20):  # each is ended after ten seconds, and the next begins
        deep.ask("think", {"game": GAME, "agent": LONG, "seed": 0})

    async def ask(number: int) -> None:
        await quick.ask("think", {"game": GAME, "agent": QUICK, "seed": number}).answer()

    try:
        return await load(ask, seconds)
    finally:
        quick.close()
        deep.close()


def show(title: str, found: tuple[list[float], list[float]]) -> None:
    """Print a line."""
    took, late = found
    p50, p95 = (took[int(share * len(took))] for share in (0.5, 0.95))
    print(
        f"{title:<34} answer p50 {p50:6.1f} ms  p95 {p95:6.1f} ms   "
        f"loop late p95 {late[int(0.95 * len(late))]:5.1f} ms",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10)
    seconds = parser.parse_args().seconds
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}")
    for _ in range(2):
        show("threads", asyncio.run(by_threads(seconds)))
        show("processes", asyncio.run(by_processes(seconds, gives_way=False)))
        show("processes, long ones give way", asyncio.run(by_processes(seconds, gives_way=True)))
