"""Play a long match and measure it: seconds, growth of memory, and size of the database.

python -m tools.proofs.long_match [PAIRS]
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from threading import Event
from typing import Final

from isolarium.arena.run_db import FILE_NAME
from tests.arena.processes import games_in, running, the_run, workers_of
from tests.command import PATIENCE_S

AGENTS: Final = ("alphabeta:improved@nodes=1000", "alphabeta:open@nodes=1000")
MILLION: Final = 1_000_000
SAMPLES: Final = 10
WORKERS: Final = 2


def memory_mb(process: int) -> float:
    """Return the memory of a process; 0 if it has exited."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    held = [line.split()[1] for line in lines if line.startswith("VmRSS")]
    return int(held[0]) / 1024 if held else 0.0


def main(pairs: int = 5000) -> int:
    """Play, print, and return whether memory stayed constant."""
    command = ("match", *AGENTS, "--pairs", str(pairs), "--workers", str(WORKERS), "--no-accuracy")
    print(f"isolarium {' '.join(command)}")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores before the start")
    samples: dict[int, tuple[float, list[float]]] = {}
    every = max(1, 2 * pairs // SAMPLES)
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder)
        began = time.monotonic()
        first_game = None
        with running(*command, "--runs", folder) as run:
            while run.poll() is None:
                games = games_in(runs)
                if games and first_game is None:
                    first_game = time.monotonic() - began
                if games // every * every not in samples and games >= every:
                    workers = [memory_mb(worker) for worker in workers_of(run.pid)]
                    if len(workers) == WORKERS and min(workers) > 0:
                        samples[games // every * every] = (memory_mb(run.pid), sorted(workers))
                Event().wait(0.02)
            shown, _ = run.communicate(PATIENCE_S)
        seconds = time.monotonic() - began
        games = games_in(runs)
        kept = the_run(runs)
        assert kept is not None
        size = (kept / FILE_NAME).stat().st_size
    report(shown, games, seconds, first_game or 0.0, size)
    return report_memory(samples)


def report(shown: str, games: int, seconds: float, first_game: float, size: int) -> None:
    """Print the measurements, and what a million games would take."""
    playing = seconds - first_game
    print("\n".join(f"  {line}" for line in shown.partition("\nrun ")[0].splitlines()))
    print(f"{games:,} games in {seconds:.1f} s;")
    print(f"the first after {first_game:.1f} s, then {games / playing:,.0f} a second")
    print(f"record: {size / games:,.0f} bytes a game")
    hours = MILLION / (games / playing) / 3600
    print(f"a million games: {hours:.2f} hours at this rate, {size / games * MILLION / 1e9:.2f} GB")


def report_memory(samples: dict[int, tuple[float, list[float]]]) -> int:
    """Print the memory after each tenth of the games; return 1 if it grew by more than a tenth."""
    for games, (parent, workers) in samples.items():
        each = " and ".join(f"{held:.0f}" for held in workers)
        print(f"after {games:>9,} games: run {parent:.0f} MB, workers {each} MB")
    numbers = sorted(samples)
    first, last = samples[numbers[0]], samples[numbers[-1]]
    growth = [after / before for before, after in zip((first[0], *first[1]), (last[0], *last[1]), strict=True)]
    print(f"growth from the first tenth to the last: {', '.join(f'{part - 1:+.1%}' for part in growth)}")
    return int(max(growth) > 1.1)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
