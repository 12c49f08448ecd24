"""The transcript of `docs/how-to/engines.md`: a complete game of `isolarium engine` with itself."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import IO, Final

COMMAND: Final = ("engine", "--agent", "alphabeta:improved@nodes=400", "--board", "4x5")
PLACE: Final = re.compile(r"<!-- transcript -->\n.*?<!-- end -->", re.DOTALL)
CLOCK: Final = re.compile(r"nps \d+ time \d+")


def filled(page: str) -> str:
    """Return the page with its transcript."""
    lines = "\n".join(["```", *transcript(), "```"])
    return PLACE.sub(lambda _: f"<!-- transcript -->\n{lines}\n<!-- end -->", page)


def transcript() -> Iterator[str]:
    """Yield the lines, `>` to the engine and `<` from it, without times."""
    command = [sys.executable, "-m", "isolarium", *COMMAND]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        talk = Talk(engine.stdin, engine.stdout)
        yield from talk.say("ugi", "ugiok")
        yield from talk.say("setoption name seed value 1")
        yield from talk.say("uginewgame")
        yield from talk.say("isready", "readyok")
        moves = list[str]()
        while True:
            yield from talk.say(f"position startpos{' moves ' * bool(moves)}{' '.join(moves)}")
            yield from talk.say("query gameover", "response")
            if talk.last == "response true":
                break
            yield from talk.say("go nodes 400", "bestmove")
            moves.append(talk.last.split()[1])
        yield from talk.say("query p1turn", "response")
        yield from talk.say("query result", "response")
        yield from talk.say("quit")


class Talk:
    """The pipes to and from the engine."""

    def __init__(self, to: IO[str], answers: IO[str]) -> None:
        self._to, self._answers = to, answers
        self.last = ""

    def say(self, line: str, until: str = "") -> Iterator[str]:
        """Send a line, and yield it and the answer up to a line that starts with `until`."""
        print(line, file=self._to, flush=True)
        yield f"> {line}"
        while until:
            self.last = self._answers.readline().rstrip()
            assert self.last, "the engine has ended"
            yield f"< {CLOCK.sub('nps … time …', self.last)}"
            if self.last.startswith(until):
                return
