"""Estimate the nodes of a start without solving it: `python -m tools.proofs.proof_size`, takes a few minutes.

A proof that the stealer wins has one of the stealer's moves at each of its turns, and all of the runner's moves at each
of the runner's. So a line is played in which the stealer takes the move that the solver would try first, and the
runner a random one of those that the solver would have to search; with few blanks left, the solver counts the nodes.
That count times the number of choices along the line is right on average, however few lines are played (D. E. Knuth,
"Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975), as long as the first move tried
does win and the table saves little. The starts of 8x8 with known node counts show the accuracy.
"""

import random
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Final, NamedTuple

from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.game.symmetry import is_mirror
from isolarium.limits import Allowance
from isolarium.solver.start_map import law_says_win, starts
from isolarium.solver.survey import read_survey
from isolarium.solver.winloss import WinLossSearch

SURVEY: Final = Path("docs/evidence/starts-8x8.jsonl")
START: Final = parse_position("1B7/9/9/4A4/9/9/9/9/9 a")
"""The start of 9x9 that `start_9x9` solves."""
BLANKS: Final = 50
"""The number of blank squares from which the solver counts nodes."""
MOST_NODES: Final = 300_000
"""The maximum count: about one line in a thousand stalls."""
BILLION: Final = 1e9


class Estimate(NamedTuple):
    """A mean over random lines, and its standard error."""

    nodes: float
    error: float


def estimate(position: Position, lines: int, search: WinLossSearch, seed: object = 0) -> Estimate:
    """Return an estimate of the nodes to solve a position."""
    rng = random.Random(f"{seed} {position}")
    counts = [_line(position, search, rng) for _ in range(lines)]
    return Estimate(mean(counts), stdev(counts) / sqrt(lines))


def _line(position: Position, search: WinLossSearch, rng: random.Random) -> float:
    choices = 1.0
    while not is_mirror(position):
        stealer = law_says_win(position)  # whether the mover is the stealer, in any position
        if stealer and position.blank_count <= BLANKS:
            return choices * search.run(position, Allowance(), MOST_NODES).nodes
        _, moves = search.look(position)
        if not moves:
            break
        if stealer:
            position = position.play(moves[0])
        else:
            choices *= len(moves)
            position = position.play(rng.choice(moves))
    return choices


def main() -> None:
    """Compare with 8x8, where the cost is known, and estimate 9x9."""
    search = WinLossSearch()
    known = [one for one in read_survey(SURVEY, Board(8, 8)) if one.nodes > 1]
    print("8x8, million nodes      estimated      taken")
    for one in random.Random(8).sample(known, 12):
        size = estimate(one.position, 400, search)
        print(f"{one.position!s:<22}{size.nodes / 1e6:>6,.0f} ± {size.error / 1e6:<5,.0f}{one.nodes / 1e6:>6,.0f}")
    every = starts(Board(9, 9))
    found = {start: estimate(start, 100, search) for start in every}
    total = sum(each.nodes for each in found.values()) / BILLION
    error = sqrt(sum(each.error**2 for each in found.values())) / BILLION
    print(f"\n9x9, all {len(every)} starts: {total:,.0f} ± {error:,.0f} billion nodes")
    print("the cheapest, estimated more precisely, billion nodes:")
    least = sorted(every, key=lambda start: found[start].nodes)
    closer = {start: estimate(start, 2000, search, "again") for start in least[:40] if found[start].nodes > BILLION}
    for start in sorted(closer, key=lambda start: closer[start].nodes)[:10]:
        size = closer[start]
        print(f"{start!s:<30}{size.nodes / BILLION:>6.1f} ± {size.error / BILLION:.1f}")
    size = estimate(START, 2000, search, "again")
    print(f"\nthe solved one, {START}: {size.nodes / BILLION:.1f} ± {size.error / BILLION:.1f}")


if __name__ == "__main__":
    main()
