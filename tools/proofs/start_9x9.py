"""Solve one start of 9x9 with a proof tree: `python -m tools.proofs.start_9x9`, about two hours of two cores.

After any interruption it continues from `build/start-9x9.jsonl`. The subproblems of the first plies go into
`docs/evidence/start-9x9.jsonl`. That file is then checked: against every legal reply, the recorded moves
lead to positions that the file also holds, down to its leaves; and some random leaves are solved again.

Early choices of the stealer follow the estimates of `proof_size`: the first move tried costs up to three times
as much.
"""

import random
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from isolarium.game.board import Square
from isolarium.game.position import Position
from isolarium.game.symmetry import canonical
from isolarium.processes.worker import default_workers
from isolarium.solver.proof_tree import SubproblemFile, likely_nodes, read_subproblems
from isolarium.solver.solution import Solution, solution_lines
from isolarium.solver.solver import Solver, SplittingSolver
from isolarium.solver.start_map import law_says_win
from isolarium.solver.winloss import Answer, WinLossSearch
from tools.proofs.proof_size import START, estimate

PARTS: Final = Path("build/start-9x9.jsonl")
EVIDENCE: Final = Path("docs/evidence/start-9x9.jsonl")
PLIES: Final = 10
"""The number of plies whose subproblems go into the evidence."""
LARGE: Final = 300e6
"""In positions that take more nodes than this, the cost of each move is estimated first."""
SOLVED_AGAIN: Final = 20

Images = dict[Position, Solution]


class GuidedSolver(SplittingSolver):
    """A solver that tries the seemingly cheapest moves first in large positions."""

    def _look(self, position: Position) -> tuple[Answer, tuple[Square, ...]]:
        answer, moves = super()._look(position)
        if len(moves) < 2 or not law_says_win(position) or likely_nodes(position) < LARGE:
            return answer, moves
        search = WinLossSearch()
        nodes = {move: estimate(position.play(move), 300, search).nodes for move in moves}
        return answer, tuple(sorted(moves, key=lambda move: nodes[move]))


def by_image(solutions: list[Solution]) -> Images:
    """Return solutions by the least of the symmetries of their positions."""
    return {canonical(solution.position)[0]: solution for solution in solutions}


def outline(images: Images) -> Iterator[Solution]:
    """Return the subproblems of the proof, down to a number of plies, the start first."""
    last = START.blank_count - PLIES
    waiting, seen = [images[canonical(START)[0]]], set[Position]()
    while waiting:
        part = waiting.pop(0)
        if part.position not in seen and part.position.blank_count >= last:
            seen.add(part.position)
            yield part
            waiting += (images[image] for image in replies(part) if image in images)


def replies(part: Solution) -> list[Position]:
    """Return the least symmetries of the positions after the winning move and each legal reply."""
    assert part.move is not None
    after = part.position.play(part.move)
    return [canonical(after.play(reply))[0] for reply in after.legal_moves()]


def leaves(images: Images, search: WinLossSearch) -> list[Solution]:
    """Check that the start follows from the leaves, and return them.

    Leaves are subproblems whose replies are not all recorded.
    """
    waiting, found, seen = [images[canonical(START)[0]]], list[Solution](), set[Position]()
    while waiting:
        part = waiting.pop()
        if part.position in seen:
            continue
        seen.add(part.position)
        if not part.wins:
            raise SystemExit(f"{part.position}: not won")
        open_replies = [reply for reply in replies(part) if not search.look(reply)[0].wins]
        if all(reply in images for reply in open_replies):
            waiting += (images[reply] for reply in open_replies)
        else:
            found.append(part)
    return found


def main() -> None:
    """Solve what is missing, store the evidence and check it."""
    if not EVIDENCE.exists():
        PARTS.parent.mkdir(exist_ok=True)
        with closing(SubproblemFile(PARTS, START.board)) as parts:
            GuidedSolver(default_workers()).solve(START, store=parts)
        images = by_image(read_subproblems(PARTS, START.board))
        EVIDENCE.write_text("".join(solution_lines(outline(images))))
    held = read_subproblems(EVIDENCE, START.board)
    images = by_image(held)
    start = images[canonical(START)[0]]
    print(f"{START}: won by {start.move}, {start.nodes:,} nodes; {len(held):,} subproblems recorded")
    below = leaves(images, WinLossSearch())
    print(f"it follows by the rules from {len(below):,} of them, {sum(p.nodes for p in below):,} nodes")
    solver = Solver()
    for part in random.Random(9).sample(below, SOLVED_AGAIN):
        assert part.move is not None
        again = solver.solve(part.position.play(part.move))
        if again.wins is not False:
            sys.exit(f"{part.position}: {part.move} does not win")
        print(f"{part.position}: {part.move} wins, solved again with {again.nodes:,} nodes")


if __name__ == "__main__":
    main()
