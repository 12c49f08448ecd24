"""Measure how soon Ctrl-C ends a long search and the best move is printed.

Runs `isolarium analyze` in a terminal, waits until it reports that it is searching, sends Ctrl-C, and measures
the time until the answer appears. Needs an otherwise idle machine.
"""

import statistics
import sys
import time
from pathlib import Path

import pexpect

COMMAND = str(Path(sys.executable).with_name("isolarium"))
EXAMPLE = Path("examples") / "my_heuristic.py"
AGENTS = {
    "alphabeta": "alphabeta:improved@ms=600000",
    "strong": "strong:improved@ms=600000",
    "mcts": "mcts@ms=600000",
    "in a process of its own": f"alphabeta:{EXAMPLE}:freer@ms=600000",
}
TIMES = 10


def main() -> None:
    """Print the median and the longest time for each kind of search."""
    print(f"From Ctrl-C to the best move so far, {TIMES} times each, ms")
    print(f"{'':<26} median   longest")
    for name, agent in AGENTS.items():
        times = [reaction_ms(agent) for _ in range(TIMES)]
        print(f"{name:<26} {statistics.median(times):6.1f}   {max(times):7.1f}", flush=True)


def reaction_ms(agent: str) -> float:
    """Return the time from the key to the answer."""
    terminal = pexpect.spawn(
        COMMAND, ["analyze", "9x11", "--agent", agent], encoding="utf-8", timeout=120
    )
    terminal.delaybeforesend = None
    terminal.expect("Ctrl-C stops it")
    pressed = time.perf_counter()
    terminal.sendcontrol("c")
    terminal.expect("interrupted: best move so far")
    took = time.perf_counter() - pressed
    terminal.expect(pexpect.EOF)
    terminal.close()
    return took * 1000


if __name__ == "__main__":
    main()
