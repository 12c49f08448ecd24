"""Measure how soon a match answers: its verdict, its end, and its report, for one installation or two in turn.

    python -m tools.benchmarks.first_verdict
    python -m tools.benchmarks.first_verdict --before OLD/.venv/bin/isolarium --after NEW/.venv/bin/isolarium

Each round plays a match of 500 pairs with a seed of its own, then writes its report twice. With two installations the
rounds alternate, so that other work on the machine slows down both. `verdict` is the time until the line with the
verdict is printed; `cpu` columns are the processor time of the whole command. A first round, not counted, compiles.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

AGENTS: Final = ("alphabeta:stealer@nodes=1000", "alphabeta:improved@nodes=1000")
ROUNDS: Final = 5
FIGURES: Final = ("verdict", "match", "match cpu", "report", "report cpu", "report again", "report again cpu")
Seconds = dict[str, float]


def main() -> None:
    """Measure one or two installations, and print the medians in seconds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--before", metavar="COMMAND", help="an installation to compare with")
    parser.add_argument("--after", metavar="COMMAND", default=str(Path(sys.executable).with_name("isolarium")))
    parser.add_argument("--rounds", metavar="N", type=int, default=ROUNDS)
    given = parser.parse_args()
    commands = {"after": given.after} if given.before is None else {"before": given.before, "after": given.after}
    found: dict[str, list[Seconds]] = {name: [] for name in commands}
    for number in range(given.rounds + 1):
        for name in commands if number % 2 else reversed(commands):
            seconds = measured(commands[name], 1 + number)
            if number:
                found[name].append(seconds)
    print(f"{'seconds':<20}" + "".join(f"{name:>10}" for name in found) + f"{'ratio':>10}")
    for figure in FIGURES:
        middles = [median(one[figure] for one in rounds) for rounds in found.values()]
        ratio = f"{middles[1] / middles[0]:>10.2f}" if len(middles) == 2 else ""
        print(f"{figure:<20}" + "".join(f"{middle:>10.2f}" for middle in middles) + ratio)
    print(f"{given.rounds} rounds; load {', '.join(f'{load:.1f}' for load in os.getloadavg())}")


def measured(command: str, seed: int) -> Seconds:
    """Play a match with an installation, and write its report twice."""
    with tempfile.TemporaryDirectory() as runs:
        verdict, match, match_cpu = timed([command, "match", *AGENTS, "--seed", str(seed), "--runs", runs], "verdict")
        _, report, report_cpu = timed([command, "report", "last", "--runs", runs], "")
        _, again, again_cpu = timed([command, "report", "last", "--runs", runs], "")
    return dict(zip(FIGURES, (verdict, match, match_cpu, report, report_cpu, again, again_cpu), strict=True))


def timed(command: list[str], line: str) -> tuple[float, float, float]:
    """Run a command; return the seconds until a line, until its end, and of processor time."""
    began, printed = perf_counter(), 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
        assert run.stdout is not None
        for text in run.stdout:
            if line and text.startswith(line) and not printed:
                printed = perf_counter() - began
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {run.returncode}")
    return printed, perf_counter() - began, used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
