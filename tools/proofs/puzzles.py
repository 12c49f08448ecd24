"""Check every move of every puzzle with the solver and the heuristics: `python -m tools.proofs.puzzles`, some minutes.

With the name of a file that `isolarium book puzzles` made, that file is compared too.
"""

import sys
from collections import Counter
from pathlib import Path

from isolarium.analysis.puzzle_maker import misses_of
from isolarium.solver.puzzles import FILE, only_move, puzzles
from isolarium.solver.solver import Solver


def main() -> None:
    """Check all puzzles and print the counts."""
    solver, wrong = Solver(), list[int]()
    for puzzle in puzzles():
        found = tuple(only_move(turn, solver) for turn in puzzle.turns)
        plies = solver.solve_distance(puzzle.position).plies
        if (found, plies, misses_of(puzzle)) != (puzzle.moves, puzzle.plies, puzzle.misses):
            wrong.append(puzzle.number)
    boards = Counter(str(puzzle.position.board) for puzzle in puzzles())
    moves = Counter(len(puzzle.moves) for puzzle in puzzles())
    print(f"{len(puzzles())} puzzles, {sum(len(one.moves) for one in puzzles())} moves to find")
    print("on", ", ".join(f"{board} {many}" for board, many in sorted(boards.items())))
    print("with", ", ".join(f"{count} to find {many}" for count, many in sorted(moves.items())))
    print(f"difficulty {puzzles()[0].difficulty} to {puzzles()[-1].difficulty}")
    if len(sys.argv) > 1:
        same = Path(sys.argv[1]).read_bytes() == FILE.read_bytes()
        print("made again: the same file" if same else "made again: ANOTHER FILE")
    print(f"wrong: {', '.join(map(str, wrong)) or 'none'}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
