"""A small program that speaks UGI and behaves as its argument says, for tests."""

import os
import subprocess
import sys
import time

from isolarium.game.notation import parse_position
from isolarium.game.position import Position

OPTIONS = ("option name seed type spin default 0 min 0 max 99", "option name Mood type string")


def say(line: str) -> None:
    print(line, flush=True)


def think(mood: str, position: Position) -> None:
    """Answer `go`, or not."""
    move = position.legal_moves()[0]
    if mood == "mute":
        return
    if mood == "dies":
        say("info string farewell")
        os._exit(3)
    if mood == "floods":
        while True:
            say("info depth 1")
    if mood == "chatters":
        while True:
            say("noise")
    if mood == "endless line":
        while True:
            os.write(1, b"x" * 4096)
    answer = {
        "illegal": f"bestmove {position.mover}",
        "off the board": "bestmove z9",
        "garbled": "bestmove",
        "resigns": "bestmove none",
        "binary": "bestmove \0\x01",
    }.get(mood, f"bestmove {move}")
    say("info depth 4 score cp -150 nodes 321 nps 7 time 3 pv " + str(move) + " a1 b9 nonsense")
    say("info string depth 99")
    say("info nodes 99999999999999999999 depth -3 score cp high")
    say(answer)


def main() -> None:
    """Obey lines; what was heard goes to stderr."""
    mood = sys.argv[1] if len(sys.argv) > 1 else ""
    position: Position | None = None
    if mood == "has a child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        say(f"info string child {child.pid}")
    for line in sys.stdin:
        print(line.rstrip(), file=sys.stderr, flush=True)
        if mood == "silent":
            continue
        match line.split():
            case ["ugi"] if mood == "ends":
                sys.exit(5)
            case ["ugi"]:
                many = range(2000 if mood == "has many options" else 0)
                more = (f"option name more{number} type string" for number in many)
                boards = ["option name board type combo default 7x7 var 7x7 var 8x8"] if mood == "two boards" else []
                for said in ("id name Test", *OPTIONS, *boards, *more, "ugiok"):
                    say(said)
            case ["setoption", "name", "Mood", "value", *words]:
                mood = " ".join(words)
            case ["isready"] if mood != "never ready":
                say("readyok")
            case ["position", "fen", rows, side]:
                position = parse_position(f"{rows} {side}")
            case ["go", *_] if mood == "waits for stop":
                continue
            case ["go", *_]:
                assert position is not None
                think(mood, position)
            case ["stop"]:
                assert position is not None
                think("", position)
            case ["quit"]:
                if mood == "stays":
                    time.sleep(1000)
                return


main()
