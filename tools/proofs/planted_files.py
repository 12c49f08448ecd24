"""The files that `attack_server` plants: damaged games between friends, and arbitrary live games.

For a damaged game the server may report only moves that were played in it; a valid one must be complete.
"""

import os
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isolarium.arena.live_game import LIVE_NAME
from isolarium.web.friend_match import Action, Terms
from isolarium.web.lobby import Lobby

PLACED = ("c3", "a1", "d5", "b3")
GAMES = 60
"""The number of friend matches that a server finds; most are damaged."""
SOUND = 10
AGENT = "class Player:\n    def get_move(self, game, time_left):\n        return game.get_legal_moves()[0]\n"
DEEP = 3000
"""Nested folders, deeper than Python's stack."""
LIVE = b'{"first": "random", "second": "greedy:open", "moves": ["c3", "a1"]}'
LIVES = 60
NASTY = (b"\x00", b"\xff\xfe", b'"', b"}", b"[" * 3000, b"\\ud800", b"1e999", b"\r\n", b"@ms=1e9", b"../")


@dataclass
class Planted:
    """The initial files of a server.

    Attributes:
        seats: Tokens of games between friends in which `PLACED` was played; beyond `SOUND` their files are damaged.
        run: The folder of a running run.
    """

    seats: list[str]
    run: Path

    def wrong_with(self, number: int, message: Mapping[str, Any]) -> list[str]:
        """Return what a server must not reveal about a game."""
        moves = tuple(message.get("moves", ()))
        wrong = []
        if message["kind"] == "game" and moves != PLACED[: len(moves)]:
            wrong.append("other moves")
        if number < SOUND and moves != PLACED:
            wrong.append("a missing game")
        return wrong

    def put_live(self, number: int, chance: random.Random) -> None:
        """Replace the live-game file of the run with one of several kinds of content, by number."""
        file = self.run / LIVE_NAME
        file.unlink(missing_ok=True)
        if number == 0:
            os.mkfifo(file)
        elif number == 1:
            file.symlink_to("/dev/zero")
        elif number == 2:
            file.write_bytes(b" " * (64 << 20))
        elif number == 3:
            file.write_bytes(LIVE.replace(b"random", b"\\ud800"))
        elif number == 4:
            with file.open("wb") as sparse:
                sparse.truncate(1 << 40)
        else:
            file.write_bytes(damaged(LIVE, chance))

    def remove_live(self) -> None:
        """Remove the file."""
        (self.run / LIVE_NAME).unlink()


def planted_agents(folder: Path) -> None:
    """Create a folder with a course agent among a pipe, a device, a huge file and deep folders."""
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT, encoding="utf-8")
    os.mkfifo(folder / "pipe.py")
    (folder / "zeros.py").symlink_to("/dev/zero")
    with (folder / "large.py").open("wb") as file:
        file.truncate(1 << 40)
    handle = os.open(folder, os.O_RDONLY)
    for _ in range(DEEP):
        os.mkdir("d", dir_fd=handle)
        inner = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)


async def planted_friends(folder: Path, chance: random.Random) -> list[str]:
    """Write friend matches, most of them damaged, and other files; return the tokens of the seats."""
    lobby, seats = Lobby(folder), list[str]()
    for number in range(GAMES):
        seats.append(lobby.open(Terms(board="5x5", opener_first=True), f"192.0.2.{number}").seat)
        room, _ = lobby.find(seats[-1])
        for ply, square in enumerate(PLACED):
            await room.act(1 if ply % 2 else 0, Action(do="move", game=1, ply=ply, move=square))
        if number >= SOUND:
            room.file.path.write_bytes(damaged(room.file.path.read_bytes(), chance))
    lobby.close()
    os.mkfifo(folder / "pipe.meeting")
    (folder / "zeros.meeting").symlink_to("/dev/zero")
    (folder / "folder.meeting").mkdir()
    (folder / "deep\n\x1b[31m.meeting").write_bytes(b"[" * 1_000_000)
    with (folder / "large.meeting").open("wb") as file:
        file.truncate(1 << 40)
    return seats


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return a content with some bytes changed, removed, inserted or repeated."""
    parts = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(parts)) if parts else 0
        match chance.randrange(4):
            case 0:
                parts[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                del parts[place : place + chance.randint(1, 9)]
            case 2:
                parts[place:place] = chance.choice(NASTY)
            case _:
                parts[place:place] = parts[place : place + 40]
    return bytes(parts)
