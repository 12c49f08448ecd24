"""Compare the pages' engine in Node with native code: every search, ten heuristics, and the solver.

    python -m tools.proofs.wasm_equality [BOARD ...]     prints a table; exit status 1 if an answer differs

On every position each search chooses a move, with one of the heuristics in turn: move, score, depth, nodes and line
must be equal. The solver's winner, winning move, number of nodes and length of the game must be equal as well.
"""

import random
import sys
from collections import Counter

from isolarium.game.board import parse_board
from isolarium.solver.solver import Solver
from tools.build_wasm.comparison import (
    BOARDS,
    HEURISTICS,
    SEARCHES,
    differences,
    native_choice,
    native_solution,
    positions,
)
from tools.build_wasm.node_engine import NodeEngine

POSITIONS = 250
SOLVED = 63
SOLVER_NODES = 200_000
SOLVER_NODES_OF_LARGE = 10_000
"""On boards of more than 128 squares, where a node with separated players may take a fraction of a millisecond."""


def main() -> None:
    """Compare and print a row for each board."""
    failures = 0
    total = Counter[str]()
    print(f"{'board':>6} {'positions':>9} {'choices':>8} {'solutions':>9} {'known':>6} {'different':>9}")
    with NodeEngine() as browser:
        for board in sys.argv[1:] or BOARDS:
            counts = compare(board, browser)
            total.update(counts)
            print(row(board, counts), flush=True)
    failures = total["different"]
    print(row("all", total))
    sys.exit(1 if failures else 0)


def row(name: str, counts: Counter[str]) -> str:
    """Return a row of the table."""
    return (
        f"{name:>6} {counts['positions']:>9,} {counts['choices']:>8,} {counts['solutions']:>9,} "
        f"{counts['known']:>6,} {counts['different']:>9,}"
    )


def compare(board: str, browser: NodeEngine) -> Counter[str]:
    """Compare on random positions of a board and print every difference."""
    counts = Counter[str]()
    solver = Solver()
    nodes = SOLVER_NODES if parse_board(board).size <= 128 else SOLVER_NODES_OF_LARGE
    for number, position in enumerate(positions(board, POSITIONS, random.Random(board))):
        counts["positions"] += 1
        for place, search in enumerate(SEARCHES):
            spec = search.replace("HEURISTIC", HEURISTICS[(number + place) % len(HEURISTICS)])
            native = native_choice(spec, position, seed=number)
            found = browser.ask("choose", spec, str(position), {"seed": number})
            counts["choices"] += 1
            report(counts, f"{spec} on {position}", differences(native, found))
        if counts["solutions"] < SOLVED and position.second is not None:
            distance = counts["solutions"] % 2 == 1
            native = native_solution(solver, position, nodes, distance=distance)
            budget = {"nodes": nodes, "distance": distance}
            found = browser.ask("solve", str(position), budget)
            counts["solutions"] += 1
            counts["known"] += native["wins"] is not None
            report(counts, f"solver on {position}", differences(native, found))
    return counts


def report(counts: Counter[str], what: str, different: list[str]) -> None:
    """Count and print differences."""
    if different:
        counts["different"] += 1
        print(f"{what}: {'; '.join(different)}", flush=True)


if __name__ == "__main__":
    main()
