"""Import the file of a survey into the project: `python -m tools.take_survey 8x8 FILE`, as often as needed.

The file is the output of `isolarium solve --board 8x8 --all --out FILE`, finished or not; it may still be growing.
Its solutions go to `docs/evidence/starts-8x8.jsonl`, in the order of the starts, and from there to the pages of
`docs` and the data set. Once every start is solved, the board is added to the package's map of the
starts, and its opening book is written. A survey continues from a copy of the evidence.
"""

import json
import sys
from pathlib import Path

from isolarium.errors import InputError
from isolarium.game.board import Board, parse_board
from isolarium.reporting.exact_tables import survey_json
from isolarium.solver.book import book_path, survey_book
from isolarium.solver.solution import Solution, solution_lines
from isolarium.solver.start_map import FILE, starts
from isolarium.solver.survey import SurveySummary, read_survey, summarize_survey
from tools import dataset, fill_docs
from tools.docs.theory import survey_path


def main() -> None:
    """Import the survey, and print its progress."""
    board, taken = parse_board(sys.argv[1]), Path(sys.argv[2])
    evidence = survey_path(board)
    before = read_survey(evidence, board) if evidence.exists() else []
    solutions = merged(before, read_survey(taken, board), board)
    evidence.write_text("".join(solution_lines(solutions)), encoding="utf-8")
    found = summarize_survey(board, solutions)
    print(f"{board}: {found.solved} of {found.starts} starts solved")
    if found.solved == found.starts:
        add_to_map(found)
        book_path(board).write_bytes(survey_book(board, solutions))
        print(f"{board}: map and book written; pytest tests/solver, then add it to CHANGELOG.md")
    dataset.build()
    fill_docs.main()


def merged(before: list[Solution], taken: list[Solution], board: Board) -> list[Solution]:
    """Return the solutions of both; for a start in both, the earlier one.

    Raises:
        InputError: If they contradict each other.
    """
    known = {solution.position: solution for solution in taken}
    for solution in before:
        if known.get(solution.position, solution).wins != solution.wins:
            raise InputError(f"{solution.position}: the survey contradicts the evidence")
        known[solution.position] = solution
    return [known[start] for start in starts(board) if start in known]


def add_to_map(found: SurveySummary) -> None:
    """Write a board's line into the package's map of the starts, replacing an earlier one."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    others = [line for line in lines if json.loads(line)["board"] != str(found.board)]
    FILE.write_text("\n".join([*others, json.dumps(survey_json(found))]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
