"""Kill runs and workers with SIGKILL at random moments, resume, and compare.

    python -m tools.proofs.kill_runs [MOMENTS] [SEED]

Odd moments hit a match of fixed length, even ones a match with a sequential test. Every run must end with the same
bytes (`isolarium export --json --no-times`) and the same table as the undisturbed run, and no process may outlive
the run that started it by 2 s.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.arena.processes import family, games_in, is_alive, running, the_run, wait_until, workers_of
from tests.command import COMMAND, PATIENCE_S

AGENTS: Final = ("alphabeta:improved@nodes=4000", "alphabeta:open@nodes=4000")
MATCHES: Final = {
    "2,500 pairs": ("match", *AGENTS, "--pairs", "2500", "--no-accuracy"),
    "a test": ("match", *AGENTS, "--test", "0,15", "--alpha", "0.01", "--beta", "0.01", "--no-accuracy"),
}


class Undisturbed:
    """An uninterrupted match."""

    def __init__(self, arguments: tuple[str, ...], folder: Path) -> None:
        self.arguments = arguments
        began = time.monotonic()
        self.table = table_of(isolarium(*arguments, "--runs", str(folder)))
        self.seconds = time.monotonic() - began
        self.export = export(folder)


def isolarium(*arguments: str) -> str:
    """Return the output of the command."""
    return subprocess.run([COMMAND, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def export(runs: Path) -> str:
    """Return every game of the only run, without times."""
    return isolarium("export", "last", "--json", "--no-times", "--runs", str(runs))


def table_of(shown: str) -> str:
    """Return the table without the milliseconds and the folder, which may take several lines."""
    above = shown.partition("\nrun ")[0]
    return "\n".join(line for line in above.splitlines() if not line.startswith("plies"))


def kill_the_run(match: Undisturbed, runs: Path, chance: random.Random) -> str:
    """Kill a run at a random moment and resume it."""
    moment = chance.uniform(0, match.seconds)
    with running(*match.arguments, "--runs", str(runs)) as run:
        began = time.monotonic()
        wait_until(lambda: time.monotonic() - began > moment, "the moment")
        if run.poll() is not None:
            return kill_the_run(match, runs / "again", chance)
        started = family(run.pid)
        os.kill(run.pid, signal.SIGKILL)
        run.wait(PATIENCE_S)
        gone = wait_until(lambda: not any(map(is_alive, started)), "the end of all processes", 2)
    kept = games_in(runs)
    again = ("resume", "last", "--no-accuracy") if the_run(runs) else match.arguments
    shown = isolarium(*again, "--runs", str(runs))
    summary = f"killed at {moment:5.2f} s, {kept:5,} games kept, {len(started)} processes gone in {gone:.2f} s"
    return f"{summary}: {compared(match, runs, shown)}"


def kill_a_worker(match: Undisturbed, runs: Path, chance: random.Random) -> str:
    """Kill one of a run's workers at a random moment, and let the run continue."""
    with running(*match.arguments, "--runs", str(runs)) as run:
        wait_until(lambda: bool(workers_of(run.pid)), "a worker")
        moment, began = chance.uniform(0, match.seconds), time.monotonic()
        wait_until(lambda: time.monotonic() - began > moment, "the moment")
        workers = workers_of(run.pid)
        if not workers:
            return kill_a_worker(match, runs / "again", chance)
        os.kill(chance.choice(workers), signal.SIGKILL)
        kept = games_in(runs)
        shown, _ = run.communicate(PATIENCE_S)
    summary = f"a worker killed {moment:5.2f} s after the first began, at {kept:5,} games"
    return f"{summary}: {compared(match, runs, shown)}"


def compared(match: Undisturbed, runs: Path, shown: str) -> str:
    """Return whether games and table equal those of the uninterrupted match."""
    same = export(runs) == match.export and table_of(shown) == match.table
    return "the same games and table" if same else "DIFFERENT"


def main(moments: int = 10, seed: int = 1) -> int:
    """Print a line for every moment; return how many went wrong."""
    chance, wrong = random.Random(seed), 0
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        undisturbed = {
            name: Undisturbed(arguments, home / f"undisturbed-{number}")
            for number, (name, arguments) in enumerate(MATCHES.items())
        }
        for name, match in undisturbed.items():
            games = match.export.count('"pair":')
            print(f"undisturbed, {name}: {games:,} games in {match.seconds:.1f} s")
        for kill in (kill_the_run, kill_a_worker):
            for number in range(moments):
                name = list(MATCHES)[number % len(MATCHES)]
                line = kill(undisturbed[name], home / f"{kill.__name__}-{number}", chance)
                wrong += line.endswith("DIFFERENT")
                print(f"{name:<11}  {line}", flush=True)
    print(f"{wrong} of {2 * moments} went wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
