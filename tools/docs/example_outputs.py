"""The outputs of the README's examples.

A page has `<!-- output NAME -->` and `<!-- end -->` below an example; the text between them is replaced by a few
lines that the example prints. Lines with times, dates or paths are left out, so the same version prints the same.
"""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Final

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
