"""End tuning runs at random moments, truncate their files, resume, and compare.

    python -m tools.proofs.kill_tuning [MOMENTS] [SEED]

In turns a run is killed with SIGKILL; killed, and the end of its last write truncated; or interrupted as by
Ctrl-C. Two moments in three hit a run on games, the others one on exact values. Every run must end with the same games
in every part (`isolarium export --json --no-times`) and the same answer (`isolarium resume --json`) as the undisturbed
run.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from isolarium.arena.run_db import FILE_NAME
from tests.arena.playing import exported
from tests.arena.processes import running, wait_until
from tests.command import PATIENCE_S
from tools.proofs.kill_runs import isolarium

AGENT: Final = "alphabeta:aggressive(weight={0..4})@nodes=300"
ON_GAMES: Final = (
    *("tune", AGENT, "--trials", "20", "--round", "5", "--pairs", "60", "--confirm", "400"),
    *("--gain", "30", "--workers", "2"),
)
ON_TRUTH: Final = (
    *("tune", AGENT, "--on", "truth", "--trials", "20", "--positions", "60", "--confirm", "400"),
    *("--gain", "30", "--workers", "2"),
)


class Undisturbed:
    """An uninterrupted tuning run."""

    def __init__(self, arguments: tuple[str, ...], runs: Path) -> None:
        self.arguments = arguments
        began = time.monotonic()
        self.answer = _answer(isolarium(*arguments, "--json", "--runs", str(runs)))
        self.seconds = time.monotonic() - began
        self.games = _games(runs)


def _answer(printed: str) -> dict[str, Any]:
    """Return all results, without the folder."""
    found = json.loads(printed)
    return {name: value for name, value in found.items() if name not in ("run", "report")}


def _games(runs: Path) -> dict[str, str]:
    """Return the games of every part."""
    return {path.parent.name: exported(path.parent) for path in runs.glob(f"*/*/{FILE_NAME}")}


def killed(process: int, folder: Path, chance: random.Random) -> str:
    """Kill a run."""
    os.kill(process, signal.SIGKILL)
    return "killed"


def interrupted(process: int, folder: Path, chance: random.Random) -> str:
    """Interrupt a run."""
    os.kill(process, signal.SIGINT)
    return "interrupted"


def cut(process: int, folder: Path, chance: random.Random) -> str:
    """Kill a run, and truncate the file that it wrote to last, as a full disk might."""
    os.kill(process, signal.SIGKILL)
    logs = list(folder.glob(f"*/*/{FILE_NAME}-wal"))
    if not logs:
        return "killed before it wrote"
    log = max(logs, key=lambda path: path.stat().st_mtime_ns)
    size = log.stat().st_size
    left = chance.randint(0, size)
    os.truncate(log, left)
    return f"killed, {size - left:,} of {size:,} bytes cut"


WAYS: Final[tuple[Callable[[int, Path, random.Random], str], ...]] = (killed, cut, interrupted)


def disturb(number: int, tuning: Undisturbed, runs: Path, chance: random.Random) -> str:
    """End a run at a random moment, resume it, and return whether it ends like the uninterrupted one."""
    moment = chance.uniform(0, tuning.seconds)
    with running(*tuning.arguments, "--runs", str(runs)) as run:
        began = time.monotonic()
        wait_until(lambda: time.monotonic() - began > moment or run.poll() is not None, "it")
        if run.poll() is not None:  # it ended before the moment
            tuning.seconds = moment
            return disturb(number, tuning, runs / "again", chance)
        event = WAYS[number % len(WAYS)](run.pid, runs, chance)
        run.communicate(PATIENCE_S)
    kept = len(list(runs.glob(f"*/*/{FILE_NAME}")))
    again = ("resume", "last") if kept else tuning.arguments
    answer = _answer(isolarium(*again, "--json", "--runs", str(runs)))
    same = answer == tuning.answer and _games(runs) == tuning.games
    event = f"{event} at {moment:5.2f} s, {kept} of {len(tuning.games)} parts begun"
    return f"{event}: {'the same trials, games and answer' if same else 'DIFFERENT'}"


def main(moments: int = 12, seed: int = 1) -> int:
    """Print a line for every moment; return how many went wrong."""
    chance, wrong = random.Random(seed), 0
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        undisturbed = {
            "on games": Undisturbed(ON_GAMES, home / "on-games"),
            "on truth": Undisturbed(ON_TRUTH, home / "on-truth"),
        }
        for name, tuning in undisturbed.items():
            trials, parts = len(tuning.answer["trials"]), len(tuning.games)
            print(f"undisturbed, {name}: {trials} trials, {parts} parts, {tuning.seconds:.1f} s")
        for number in range(moments):
            name = "on truth" if number // len(WAYS) % 3 == 2 else "on games"
            line = disturb(number, undisturbed[name], home / f"disturbed-{number}", chance)
            wrong += line.endswith("DIFFERENT")
            print(f"{name}  {line}", flush=True)
    print(f"{wrong} of {moments} went wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
