"""Measure the fairness of a server: fifty players and clients that request as much as they can.

    python -m tools.benchmarks.fairness [--people 50] [--seconds 20] [--agent alphabeta:improved@nodes=8000]

Each player has a separate address (this machine answers to all of 127.0.0.0/8), and thinks about a second before a
move. The benchmark measures the time from sending a game to receiving the move. An abuser has ninety connections from
one address, and sends the next request over each as soon as one is answered.
"""

import argparse
import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import suppress

import httpx

from isolarium.web.http_errors import BUSY
from tools.benchmarks.serve import arguments_of, client, have_all_ready, person, serving, show

CONNECTIONS = 90
"""The connections of an abuser; an address may have a hundred."""
QUICK, LONG = "alphabeta:improved@ms=100", "strong:distance@ms=10000"
ABUSERS = [f"127.0.2.{number}" for number in range(1, 6)]
SHARED = "127.0.3.1"


async def connection_of_an_abuser(address: str, source: str, agent: str) -> None:
    """Request searches one after the other, forever."""
    async with client(address, source) as line:
        while True:
            answer = await line.post("/api/move", json={"game": "7x7: d4 b3", "agent": agent, "seed": 1})
            if answer.status_code == BUSY:
                await asyncio.sleep(0.1)  # a tenth of the requested delay


async def abuser(address: str, source: str, agent: str) -> None:
    """Open all connections of one abuser."""
    with suppress(OSError, httpx.HTTPError):
        await asyncio.gather(*(connection_of_an_abuser(address, source, agent) for _ in range(CONNECTIONS)))


async def measured(
    address: str, arguments: argparse.Namespace, sources: Sequence[str], abuse: Sequence[tuple[str, str]]
) -> list[float]:
    """Return the sorted response times of players at these addresses, beside abusers with an address and an agent."""
    abusers = [asyncio.create_task(abuser(address, *one)) for one in abuse]
    await asyncio.sleep(1 if abuse else 0)
    until = time.monotonic() + arguments.seconds
    people = [
        person(address, arguments.agent, random.Random(number), until, source) for number, source in enumerate(sources)
    ]
    took = sorted(one for times in await asyncio.gather(*people) for one in times)
    for one in abusers:
        one.cancel()
    await asyncio.gather(*abusers, return_exceptions=True)
    return took


async def main(arguments: argparse.Namespace, address: str) -> None:
    """Measure with no abusers, one of each kind, five, and one address for all."""
    own = [f"127.0.1.{1 + number}" for number in range(arguments.people)]
    shared = [SHARED] * arguments.people
    people = f"{arguments.people} people"
    await have_all_ready(address, arguments.agent, QUICK)
    show(people, await measured(address, arguments, own, []))
    for title, agent in (("of 100 ms", QUICK), ("of 10 s", LONG)):
        abuse = [(ABUSERS[0], agent)]
        show(f"{people}, searches {title}", await measured(address, arguments, own, abuse))
    five = [(source, QUICK) for source in ABUSERS]
    show(f"{people}, five abusers", await measured(address, arguments, own, five))
    show(f"{people}, one address", await measured(address, arguments, shared, []))
    show(f"{people}, the abuser's address", await measured(address, arguments, shared, [(SHARED, QUICK)]))


if __name__ == "__main__":
    wanted = arguments_of(__doc__)
    with serving() as (address, _):
        asyncio.run(main(wanted, address))
