"""Attack a server of its own with arbitrary input, and check that it keeps responding.

    python -m tools.proofs.attack_server [--times 3000] [--seed 1]

The attacks are requests and WebSocket texts that are damaged at random, including those of games between friends;
floods of connections and of messages; headers and bodies that never end; answers that are never read; and files that
were damaged or planted among the games between friends before the server started, or that replace the game of a
running run. After each attack, another visitor requests a move. The tool counts the responses by
status, and the failures: status 500, a visitor who gets no move, a changed game, an exited server,
and a bug or a flood in its log.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from websockets.asyncio.client import ClientConnection as Line
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from isolarium.arena.plan import Format, Plan
from isolarium.arena.session import Session
from isolarium.removal import remove_tree
from isolarium.web.services import FRIENDS
from tools.proofs.planted_files import GAMES, LIVES, SOUND, Planted, damaged, planted_agents, planted_friends

PATIENCE_S = 60.0
ABUSER, VISITOR = "127.0.2.1", "127.0.1.1"
FIELDS = {
    "/api/move": ("game", "agent", "seed"),
    "/api/values": ("game", "heuristics"),
    "/api/agent": ("agent",),
    "/api/read": ("text",),
    "/api/runs": ("kind", "agent"),
    "/api/puzzles/1": ("move", "step"),
    "/api/friend": ("board", "first", "clock"),
}
PATHS = tuple(FIELDS)
GOOD: dict[str, object] = {
    "game": "7x7: d4 b3",
    "agent": "alphabeta:improved@nodes=100",
    "seed": 1,
    "text": "7x7: d4 b3",
    "heuristics": ["improved"],
    "kind": "match",
    "move": "d4",
    "step": 0,
    "board": "5x5",
    "first": "me",
    "clock": {"start_s": 600, "increment_s": 0},
}
WISH: dict[str, object] = {"do": "move", "game": 1, "ply": 0, "move": "c3"}
AT_ONCE = 40
CONNECTIONS = 800  # fewer than a process may have files
MOST_LOG_LINES = 200


class Attack:
    """An attacked server and the findings."""

    def __init__(self, port: int, times: int, chance: random.Random, planted: Planted) -> None:
        self.port, self.times, self.chance, self.planted = port, times, chance, planted
        self.found = Counter[str]()

    async def opened(self, source: str = ABUSER) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a connection from an address of this machine."""
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(source, 0))

    async def status_of(self, data: bytes) -> str:
        """Return the status of the answer to some bytes, or how the connection ended."""
        reader, writer = await self.opened()
        try:
            writer.write(data)
            line = await asyncio.wait_for(reader.readline(), PATIENCE_S)
            return line.split()[1].decode() if line else "hung up"
        except TimeoutError:
            return "no answer"
        except (ConnectionError, IndexError):
            return "hung up"
        finally:
            writer.transport.abort()

    def request(self, path: str, body: bytes, method: str = "POST") -> bytes:
        """Return a request as bytes."""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def damaged(self, data: bytes) -> bytes:
        """Return the data with random damage."""
        return damaged(data, self.chance)

    def some_body(self, path: str) -> bytes:
        """Return a valid body, or one with something missing, wrong or superfluous."""
        body: dict[str, object] = {name: GOOD[name] for name in FIELDS[path]}
        change = self.chance.randrange(4)
        name = self.chance.choice(FIELDS[path])
        if change == 1:
            del body[name]
        elif change == 2:
            body[name] = self.chance.choice(VALUES)
        elif change == 3:
            body[self.chance.choice(list(GOOD))] = self.chance.choice(VALUES)
        return json.dumps(body).encode()

    async def fuzz_requests(self) -> str:
        """Send requests with damage in their bodies, or anywhere."""
        answers = Counter[str]()
        requests = iter([self.some_request(number) for number in range(self.times)])

        async def one_after_the_other() -> None:
            for request in requests:
                answers[await self.status_of(request)] += 1

        await asyncio.gather(*(one_after_the_other() for _ in range(AT_ONCE)))
        return self.counted("requests", answers)

    def some_request(self, number: int) -> bytes:
        """Return a request; every second one has a damaged body, every fourth is damaged anywhere."""
        path = self.chance.choice(PATHS)
        body = self.damaged(self.some_body(path)) if number % 2 else self.some_body(path)
        data = self.request(path, body)
        return self.damaged(data) if number % 4 == 3 else data

    async def friends_texts(self) -> str:
        """Send arbitrary messages in a seat of a friend match; the game must follow the rules."""
        answers, sent = Counter[str](), 0
        while sent < self.times:
            async with self.seated(self.planted.seats[sent % SOUND]) as (line, _):
                for _ in range(30):
                    sent += 1
                    wish = {**WISH, self.chance.choice(list(WISH)): self.chance.choice(VALUES)}
                    body = json.dumps(wish if sent % 3 else WISH).encode()
                    text = (self.damaged(body) if sent % 2 else body).decode(errors="replace")
                    try:
                        await line.send(text)
                        while (message := await receive(line))["kind"] == "game":
                            pass
                    except WebSocketException:
                        answers["hung up"] += 1
                        break
                    answers[str(message.get("status", message["kind"]))] += 1
        await self.planted_games(SOUND)
        return self.counted(f"{sent:,} texts to friends", answers)

    async def many_seated(self) -> str:
        """Take a seat forty times at once."""
        seat, held = self.planted.seats[0], list[Line]()

        async def sit() -> str:
            line = await connect(self.friend, local_addr=(ABUSER, 0))
            held.append(line)
            await line.send(json.dumps({"token": seat}))
            return str((await receive(line))["kind"])

        lines = Counter(await asyncio.gather(*(sit() for _ in range(40))))
        if lines["game"] > 8:
            self.found["more than 8 in a seat"] += 1
        for line in held:
            await line.close()
        return self.counted("lines to a seat at once", lines)

    async def planted_games(self, count: int = GAMES) -> str:
        """Check that the server found all intact games, and no false moves in others."""
        answers = Counter[str]()
        for number, seat in enumerate(self.planted.seats[:count]):
            async with self.seated(seat) as (_, message):
                self.found.update(self.planted.wrong_with(number, message))
                moves = message.get("moves", ())
                answers[f"with {len(moves)} moves" if moves else str(message.get("status"))] += 1
        return self.counted("games with damaged files", answers)

    async def live_files(self) -> str:
        """Replace the live-game file of a run with arbitrary content, and read the run."""
        answers = Counter[str]()
        look = self.request(f"/api/runs/{self.planted.run.name}", b"", "GET")
        for number in range(LIVES):
            self.planted.put_live(number, self.chance)
            answers[await self.status_of(look)] += 1
        self.planted.remove_live()
        if answers["200"] != LIVES:
            self.found["a run not shown"] += LIVES - answers["200"]
        return self.counted("runs with any live game", answers)

    async def agents_listed(self) -> str:
        """List the agents of a folder with a pipe, a device, a huge file and deep folders."""
        reader, writer = await self.opened()
        writer.write(self.request("/api/agents", b"", "GET"))
        answer = await asyncio.wait_for(reader.read(), PATIENCE_S)
        writer.transport.abort()
        listed = json.loads(answer.partition(b"\r\n\r\n")[2])["guests"]
        if listed != ["course:agent.py"]:
            self.found["other agents than the one that is there"] += 1
        return self.counted("agents among planted files", Counter({"listed": len(listed)}))

    @property
    def friend(self) -> str:
        """Return the address of friend matches."""
        return f"ws://127.0.0.1:{self.port}/api/friend"

    @asynccontextmanager
    async def seated(self, token: str) -> AsyncIterator[tuple[Line, dict[str, Any]]]:
        """Yield a connection to a seat, and its first message."""
        async with connect(self.friend, local_addr=(ABUSER, 0)) as line:
            await line.send(json.dumps({"token": token}))
            yield line, await receive(line)

    async def flood_connections(self) -> str:
        """Open as many connections as possible, and leave them open."""
        held = []
        for _ in range(CONNECTIONS):
            with suppress(OSError):
                held.append(await self.opened())
        verdict = await self.visited()
        answers = Counter(await asyncio.gather(*(first_line(reader) for reader, _ in held)))
        for _, writer in held:
            writer.transport.abort()
        return self.counted("connections", answers, verdict)

    async def slow_headers(self) -> str:
        """On many connections, send a header byte by byte, an endless body, or nothing."""
        starts = (
            b"",
            b"GET / HTTP/1.1\r\nX: ",
            self.request("/api/read", b"{}")[:-1],
            b"GET /api/agents HTTP/1.1\r\nContent-Length: 99\r\nHost: h\r\n\r\n",
        )

        async def one(start: bytes) -> str:
            reader, writer = await self.opened()
            began = monotonic()
            writer.write(start)
            try:
                while monotonic() - began < PATIENCE_S:
                    if not reader.at_eof() and start:
                        writer.write(b"x")
                    with suppress(TimeoutError):
                        if not await asyncio.wait_for(reader.read(4096), 1):
                            break
                else:
                    return "held"
            except ConnectionError:
                pass
            finally:
                writer.transport.abort()
            return "ended within 20 s" if monotonic() - began < 20 else "ended late"

        ends = Counter(await asyncio.gather(*(one(start) for start in starts * 20)))
        for bad in ("held", "ended late"):
            if ends[bad]:
                self.found[f"slow ones {bad}"] += ends[bad]
        return self.counted("slow connections", ends)

    async def deaf(self) -> str:
        """Request large answers on many connections and read none of them."""
        held = []
        for _ in range(90):
            _, writer = await self.opened()
            writer.write(self.request("/api/openapi.json", b"", "GET").replace(b"close", b"x") * 50)
            held.append(writer)
        verdict = await self.visited()
        for writer in held:
            writer.transport.abort()
        return self.counted("connections that read nothing", Counter({"held": len(held)}), verdict)

    async def flood_messages(self) -> str:
        """Let fifty WebSockets send to a game between friends as fast as possible for five seconds."""
        until = monotonic() + 5
        sent = 0
        seats, ping = self.planted.seats[:SOUND], json.dumps({"do": "ping"})

        async def one(seat: str) -> None:
            nonlocal sent
            with suppress(WebSocketException, OSError):
                async with self.seated(seat) as (line, _):
                    while monotonic() < until:
                        with suppress(TimeoutError):
                            await asyncio.wait_for(line.send(ping), 1)
                            sent += 1

        flooding = asyncio.gather(*(one(seats[number % len(seats)]) for number in range(50)))
        verdicts = {await self.visited() for _ in range(5)}
        await flooding
        return self.counted("messages", Counter({"sent": sent}), *sorted(verdicts))

    async def quiet_line(self) -> str:
        """Check that an idle WebSocket stays open for longer than a request may take."""
        async with self.seated(self.planted.seats[0]) as (line, _):
            await asyncio.sleep(20)
            await line.send(json.dumps({"do": "ping"}))
            while json.loads(await asyncio.wait_for(line.recv(), PATIENCE_S))["kind"] != "pong":
                pass
        return self.counted("a line that was quiet for 20 s", Counter({"answered": 1}))

    async def visited(self) -> str:
        """Return whether another visitor gets a move."""
        body = json.dumps({"game": "7x7: d4 b3", "agent": "greedy:open"}).encode()
        try:
            reader, writer = await self.opened(VISITOR)
            writer.write(self.request("/api/move", body))
            line = await asyncio.wait_for(reader.readline(), PATIENCE_S)
            writer.transport.abort()
            verdict = line.split()[1].decode() if line else "hung up"
        except (OSError, TimeoutError) as error:
            verdict = type(error).__name__
        if verdict != "200":
            self.found[f"a visitor got {verdict}"] += 1
        return f"a visitor: {verdict}"

    def counted(self, what: str, answers: Counter[str], *more: str) -> str:
        """Print the result of an attack, and record failures."""
        for bad in ("500", "no answer"):
            if answers[bad]:
                self.found[f"{what}: {bad}"] += answers[bad]
        counts = ", ".join(f"{times:,} {name}" for name, times in sorted(answers.items()) if times)
        return "; ".join((f"{what}: {counts}", *more))


async def receive(line: Line) -> dict[str, Any]:
    """Return the next message."""
    message: dict[str, Any] = json.loads(await asyncio.wait_for(line.recv(), PATIENCE_S))
    return message


async def first_line(reader: asyncio.StreamReader) -> str:
    """Return what a connection receives without sending anything."""
    try:
        line = await asyncio.wait_for(reader.readline(), 2)
    except TimeoutError:
        return "left open"
    except ConnectionError:
        return "hung up"
    return line.split()[1].decode() if line else "hung up"


VALUES: tuple[object, ...] = (
    None, True, -1, 1e300, 2**70, "", "x" * 9000, [], [[]], {}, {"a": {}}, "\ud800", "7x7:", "99x99",
    "engine:/bin/sh", "course:x.py", "alphabeta:/etc/passwd:f", "strong:distance@nodes=1e18", "\n", "../..",
)  # fmt: skip


async def attack(trial: Attack) -> Counter[str]:
    """Run all attacks in sequence, with a visit after each."""
    await trial.visited()
    attempts: tuple[Callable[[], Awaitable[str]], ...] = (
        trial.planted_games,
        trial.many_seated,
        trial.live_files,
        trial.agents_listed,
        trial.friends_texts,
        trial.fuzz_requests,
        trial.flood_connections,
        trial.slow_headers,
        trial.deaf,
        trial.flood_messages,
        trial.quiet_line,
    )
    for attempt in attempts:
        began = monotonic()
        print(f"{await attempt()}; {monotonic() - began:.0f} s", flush=True)
        await trial.visited()
    return trial.found


def main() -> int:
    """Print the figures; return 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, plan = (random.Random(options.seed), Plan(Format.MATCH, ("random", "greedy:open"), pairs=9))
    command = [sys.executable, "-P", "-m", "isolarium", "serve", "--port", "0", "--no-open"]
    with (
        TemporaryDirectory() as place,
        (Path(place) / "log").open("w+") as log,
        closing(Session.begin(plan, Path(place) / "runs").record) as record,  # which is being played so long
    ):
        runs = Path(place) / "runs"
        seats = asyncio.run(planted_friends(runs / FRIENDS, chance))
        planted_agents(allowed := Path(place) / "agents")
        with subprocess.Popen(
            [*command, "--runs", str(runs), "--allow", str(allowed)], stdout=subprocess.PIPE, stderr=log, text=True
        ) as server:
            assert server.stdout is not None
            port = int(server.stdout.readline().split()[3].rpartition(":")[2])
            try:
                planted = Planted(seats, record.folder)
                found = asyncio.run(attack(Attack(port, options.times, chance, planted)))
                if server.poll() is not None:
                    found["the server has ended"] += 1
            finally:
                server.terminate()
        remove_tree(allowed)  # too deep for a temporary folder's own removal
        log.seek(0)
        lines = log.read().splitlines()
    if len(lines) > MOST_LOG_LINES or any("Traceback" in line for line in lines):
        found["a flood, or a bug, in the log"] += 1
    print(f"{len(lines)} lines in the log; wrong: {found.total()}")
    for what, times in found.items():
        print(f"{times:>8,}  {what}")
    if found:
        print(*lines[-20:], sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
