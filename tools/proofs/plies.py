"""Measure how long the stealer takes to win, by board area: `python -m tools.proofs.plies`, takes a few minutes.

If the stealer trapped the runner locally, the plies would stop growing with the board. The results are exact for every
start of the boards with up to `EVERY` squares, and a sample for larger ones: the winner plays the
quickest win, and the loser the longest resistance. Mirror positions are left out, since the other
side wins them. A line for each board goes into `docs/evidence/plies.jsonl`; recorded boards are not
solved again.
"""

import json
import random
from pathlib import Path
from statistics import mean, median
from typing import Any, Final

from isolarium.game.board import Board, parse_board
from isolarium.solver.solver import Solver
from isolarium.solver.start_map import law_says_win, solved_boards, starts

EVIDENCE: Final = Path("docs/evidence/plies.jsonl")
LEAST_SIDE: Final = 4
EVERY: Final = 32
SAMPLED: Final = {"5x7": 60, "4x9": 60, "6x6": 60, "5x8": 20, "4x10": 20, "6x7": 8, "5x9": 6}


def measure(board: Board, many: int | None) -> dict[str, Any]:
    """Solve the starts of a board, or a random sample of them, with the length of each game."""
    chosen = starts(board)
    if many is not None:
        chosen = random.Random(f"plies {board}").sample(chosen, many)
    solver = Solver()
    solved = [solver.solve_distance(start) for start in chosen]
    law = [one for one in solved if one.wins is law_says_win(one.position)]
    found = [one.plies for one in law if one.plies is not None]
    return {
        "board": str(board),
        "squares": board.size,
        "starts": len(chosen),
        "all": many is None,
        "stealer": len(found),
        "least": min(found),
        "median": median(found),
        "mean": round(mean(found), 2),
        "most": max(found),
        "nodes": sum(one.nodes for one in solved),
    }


def main() -> None:
    """Measure the missing boards, and print all results."""
    known = [json.loads(line) for line in EVIDENCE.open()] if EVIDENCE.exists() else []
    done = {record["board"] for record in known}
    small = [board for board in solved_boards() if LEAST_SIDE <= board.rows <= board.cols and board.size <= EVERY]
    wanted: dict[Board, int | None] = dict.fromkeys(small)
    wanted |= {parse_board(name): many for name, many in SAMPLED.items()}
    for board, many in wanted.items():
        if str(board) not in done:
            known.append(measure(board, many))
            with EVIDENCE.open("a") as file:
                file.write(json.dumps(known[-1]) + "\n")
    for record in sorted(known, key=lambda record: record["squares"]):
        share = record["mean"] / (record["squares"] - 2)
        print(
            f"{record['board']:>5}  {record['stealer']:>3} of {record['starts']:>3} starts  plies"
            f" {record['least']:>2} to {record['most']:>2}, mean {record['mean']:>5.2f}, {share:.0%} of the blanks"
        )


if __name__ == "__main__":
    main()
