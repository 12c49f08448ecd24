"""Compare the time per node of `alphabeta:improved` with a small C program.

    python -m tools.benchmarks.against_c [ROUNDS]

`alphabeta.c` is compiled with `gcc -O3 -march=native` and called in this process. The two search
the same positions from random games, in turns, and are measured in thread time. All positions
differ, so that neither program benefits from branch prediction on a known tree.
"""

import ctypes
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from statistics import median
from time import thread_time_ns

import numpy as np

from isolarium.game import Board, Position
from isolarium.game.tables import pack_words, words_for
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import Limit
from isolarium.search.alphabeta import AlphaBeta

SOURCE = Path(__file__).with_name("alphabeta.c")
DEPTHS = {Board(7, 7): 11, Board(9, 11): 10}
POSITIONS = 40

Run = Callable[[], int]


def main() -> None:
    """Print the time per node of both, round by round, and the ratio."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    if shutil.which("gcc") is None:
        sys.exit("against_c: gcc not found; expected a C compiler")
    for board, depth in DEPTHS.items():
        positions = [position_of(board, seed) for seed in range(POSITIONS)]
        runs = in_c(positions, depth), ours(positions, depth)
        nodes = [run() for run in runs]
        if nodes[0] != nodes[1]:
            sys.exit(f"against_c: {nodes[0]} nodes in C, {nodes[1]} in Isolarium; expected the same")
        print(f"against C   {board}, {POSITIONS} positions to depth {depth}, {nodes[0]:,} nodes each")
        ratios = []
        for number in range(rounds):
            theirs_ns, ours_ns = (a_node_ns(run) for run in runs)
            ratios.append(ours_ns / theirs_ns)
            print(
                f"  round {number + 1}: {theirs_ns:.2f} ns a node in C, {ours_ns:.2f} in Isolarium, "
                f"ratio {ratios[-1]:.2f}"
            )
        print(f"  ratio: median {median(ratios):.2f}, best {min(ratios):.2f}, worst {max(ratios):.2f}")


def position_of(board: Board, seed: int) -> Position:
    """Return a position after 2 to 11 random moves with a legal move."""
    for attempt in count():
        chance = random.Random(f"{seed} {attempt}")
        position = Position.empty(board)
        for _ in range(2 + seed % 10):
            if moves := position.legal_moves():
                position = position.play(chance.choice(moves))
        if position.legal_moves():
            return position
    raise AssertionError


def in_c(positions: Sequence[Position], depth: int) -> Run:
    """Return a function that searches all positions in C and returns the nodes."""
    board = positions[0].board
    words = words_for(board)
    library = compiled(words)
    targets = [pack_words(board.knight_mask(square), words) for square in board.squares]
    library.prepare(np.array(targets, dtype=np.uint64).ctypes.data_as(ctypes.c_void_p), board.size)
    calls = []
    for position in positions:
        assert position.mover is not None
        assert position.other is not None
        blank = (ctypes.c_uint64 * words)(*pack_words(position.blank, words))
        calls.append((blank, board.index(position.mover), board.index(position.other), depth))
    return lambda: sum(library.search(*arguments) for arguments in calls)


def compiled(words: int) -> ctypes.CDLL:
    """Compile the C program for sets of a number of words."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "alphabeta.so"
        options = ["-O3", "-march=native", f"-DWORDS={words}", "-shared", "-fPIC"]
        subprocess.run(["gcc", *options, "-o", path, SOURCE], check=True)
        library = ctypes.CDLL(str(path))
    library.search.restype = ctypes.c_long
    return library


def ours(positions: Sequence[Position], depth: int) -> Run:
    """Search the same in Isolarium like an agent, with iterative deepening."""
    search = AlphaBeta(parse_heuristic("improved"))
    limit = Limit(depth=depth, nodes=10**15)
    return lambda: sum(search.choose(position, limit).report.nodes for position in positions)


def a_node_ns(run: Run) -> float:
    """Return nanoseconds per node."""
    began = thread_time_ns()
    nodes = run()
    return (thread_time_ns() - began) / nodes


if __name__ == "__main__":
    main()
