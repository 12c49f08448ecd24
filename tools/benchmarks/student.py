"""Compare the plain-Python alpha-beta with Isolarium's, depth by depth.

It prints values and node counts. The student's program is `isolarium.bench.student`, part of the package, so that
`isolarium bench` works in every installation.
"""

from isolarium.bench.student import student_search
from isolarium.bench.suites import POSITIONS
from isolarium.game.notation import parse_position
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import Limit
from isolarium.search.alphabeta import AlphaBeta

DEPTHS = range(1, 11)


def main() -> None:
    """Print a line for each depth of each position on 7x7."""
    ours = AlphaBeta(parse_heuristic("improved"))
    for line in POSITIONS["7x7"]:
        position = parse_position(line)
        for depth in DEPTHS:
            value, nodes = student_search(position, depth)
            report = ours.choose(position, Limit(depth=depth)).report
            print(
                f"student     {line}   depth {depth:>2}   value {value:+.0f}   {nodes:>9,} nodes   "
                f"isolarium {report.nodes:>9,}"
            )


if __name__ == "__main__":
    main()
