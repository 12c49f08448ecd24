"""Whatever it reads, `isolarium engine` neither crashes nor hangs."""

import os
import random
import subprocess
from collections.abc import Iterator

import pytest

from isolarium.compat import LineReader
from tests.command import COMMAND, PATIENCE_S

pytestmark = pytest.mark.slow

COUNT = 10_000
AT_ONCE = 50
"""LineReader between two questions whether it is still there."""

SEEDS = (
    "ugi",
    "isready",
    "uginewgame",
    "stop",
    "position startpos",
    "position startpos moves c3 a1 d5",
    "position fen 7/7/2A4/3x3/4B2/7/7 a",
    "position fen A2/3/2B a moves b3 a2",
    "position fen xAx/xxx/xBx a",
    "go depth 3",
    "go nodes 100",
    "go movetime 5",
    "go infinite",
    "go p1time 50 p2time 50 p1inc 1 p2inc 1",
    "go",
    "query gameover",
    "query p1turn",
    "query result",
    "setoption name agent value random",
    "setoption name agent value alphabeta:improved@nodes=100",
    "setoption name agent value greedy:open",
    "setoption name board value 5x5",
    "setoption name seed value 12",
    "setoption name threads value 1",
)
WORDS = sorted({word for seed in SEEDS for word in seed.split()} | {"-1", "1e9", "٣", "\0", "(", ""})


def strange_lines(count: int, seed: int) -> Iterator[bytes]:
    """LineReader that are right, nearly right, or not lines of anything."""
    chance = random.Random(seed)
    for _ in range(count):
        kind = chance.randrange(4)
        if kind == 0:
            line = " ".join(chance.choices(WORDS, k=chance.randrange(1, 9))).encode()
        elif kind == 1:
            line = chance.randbytes(chance.randrange(60))
        else:
            line = _mutated(chance.choice(SEEDS).encode(), chance, times=kind - 2)
        yield line.replace(b"\n", b" ").replace(b"quit", b"quiet")


def _mutated(line: bytes, chance: random.Random, times: int) -> bytes:
    for _ in range(times * chance.randrange(1, 4)):
        at = chance.randrange(len(line) + 1)
        piece = chance.choice([b"", b" ", chance.randbytes(1), line[: chance.randrange(8)]])
        line = line[:at] + piece + line[at + chance.randrange(3) :]
    return line


def test_it_obeys_valid_commands_after_thousands_of_invalid_lines() -> None:
    with subprocess.Popen(
        [COMMAND, "engine", "--agent", "alphabeta:improved@nodes=100", "--board", "5x5"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        answers = LineReader(process.stdout.fileno())
        lines = list(strange_lines(COUNT, seed=5))
        for at in range(0, COUNT, AT_ONCE):
            for line in lines[at : at + AT_ONCE]:
                os.write(process.stdin.fileno(), line + b"\nstop\n")
            os.write(process.stdin.fileno(), b"marker%d\n" % at)
            wait_for(answers, f"info string 'marker{at}': unknown")
        process.stdin.write(b"position startpos moves a1\nquery p1turn\nquit\n")
        process.stdin.close()
        wait_for(answers, "response false")
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == b""


def wait_for(answers: LineReader, beginning: str) -> None:
    while True:
        line = answers.read(PATIENCE_S)
        assert line is not None
        if line.startswith(beginning):
            return
