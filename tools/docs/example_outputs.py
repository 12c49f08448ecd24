"""The outputs of the README's examples, and the transcript of `docs/how-to/engines.md`.

A page has `<!-- output NAME -->` and `<!-- end -->` below an example; the text between them is replaced by a few
lines that the example prints. Lines with times, dates or paths are left out, so the same version prints the same.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

PLACE: Final = re.compile(r"<!-- output (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)
MOST_LINES: Final = 5


@dataclass(frozen=True)
class Example:
    """A command of the README.

    Attributes:
        arguments: the command line, without `isolarium`.
        shown: a pattern of the lines that are shown.
        is_quick: whether `fill_docs --check` runs it too; the tests run every example.
    """

    arguments: tuple[str, ...]
    shown: str
    is_quick: bool = True


EXAMPLES: Final = {
    "serve": Example(("serve", "--no-open", "--port", "0"), "http://"),
    "match": Example(
        (*("match", "alphabeta:stealer@nodes=1000", "alphabeta:improved@nodes=1000"), *("--pairs", "100")),
        r"^(alphabeta|score|pairs|verdict)",
    ),
    "course": Example(
        ("course", "examples/game_agent.py", "--calls", "200"),
        r"your AB_Improved[;.]|^be missed|Win Rate:|checks failed: |\d failed  ",
        is_quick=False,
    ),
}


def filled(page: str, *, only_quick: bool = False) -> str:
    """Return a page with the outputs of its examples."""

    def output(place: re.Match[str]) -> str:
        example = EXAMPLES[place[1]]
        if only_quick and not example.is_quick:
            return place[0]
        return f"<!-- output {place[1]} -->\n\n```\n{_shown(place[1], example)}\n```\n\n<!-- end -->"

    return PLACE.sub(output, page)


def _shown(name: str, example: Example) -> str:
    lines = _served(example) if name == "serve" else _printed(example)
    shown = [_narrowed(line) for line in lines if re.search(example.shown, line)]
    if not 0 < len(shown) <= MOST_LINES:
        raise SystemExit(f"README: {name} shows {len(shown)} lines; correct its pattern in {__file__}")
    return "\n".join(shown)


def _narrowed(line: str) -> str:
    """Return a line with the columns of a wide table closer together."""
    return re.sub(" {3,}", "  ", line.strip()) if len(line) > 100 or line[:1] == " " else line.rstrip()


def _printed(example: Example) -> list[str]:
    with tempfile.TemporaryDirectory() as runs:
        command = [sys.executable, "-m", "isolarium", *example.arguments, "--runs", runs]
        wide = {**os.environ, "COLUMNS": "160"}
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env=wide)
    return done.stdout.splitlines()


def _served(example: Example) -> list[str]:
    """Return the line with the server's address, as on its usual port."""
    with tempfile.TemporaryDirectory() as runs:
        command = [sys.executable, "-m", "isolarium", *example.arguments, "--runs", runs]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8") as server:
            assert server.stdout is not None
            line = server.stdout.readline()
            server.terminate()
    return [re.sub(r"(?<=127\.0\.0\.1:)\d+", "8000", line)]


# The engine's transcript


ENGINE: Final = ("engine", "--agent", "alphabeta:improved@nodes=400", "--board", "4x5")
TRANSCRIPT: Final = re.compile(r"<!-- transcript -->\n.*?<!-- end -->", re.DOTALL)
CLOCK: Final = re.compile(r"nps \d+ time \d+")


def engines_page(page: str) -> str:
    """Return the page with its transcript."""
    lines = "\n".join(["```", *transcript(), "```"])
    return TRANSCRIPT.sub(lambda _: f"<!-- transcript -->\n{lines}\n<!-- end -->", page)


def transcript() -> Iterator[str]:
    """Yield the lines, `>` to the engine and `<` from it, without times."""
    command = [sys.executable, "-m", "isolarium", *ENGINE]
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
