"""Takes the record of a survey into the project: `python -m tools.take_survey FILE`, once or again and again.

The record is what `isolab solve --board 8x8 --all --out FILE` writes, finished or not; it may be being written. What it
holds goes into `docs/evidence/starts-8x8.jsonl`, in the order of the starts, and from there into the pages of `docs`
and the data set. Once every start is solved, the board gets its line in the package's map of the starts, and its
opening book.
"""

import json
import sys
from pathlib import Path

from isolab.errors import InputError
from isolab.game.board import Board
from isolab.reporting.solving import survey_json
from isolab.solver.book import book_path, survey_book
from isolab.solver.solver import Solution
from isolab.solver.starts import FILE, starts
from isolab.solver.survey import Findings, findings, read_survey, solution_json
from tools import dataset, fill_docs

BOARD = Board(8, 8)
EVIDENCE = Path(f"docs/evidence/starts-{BOARD}.jsonl")


def main() -> None:
    """Take it in, and say how far it is."""
    solutions = merged(read_survey(EVIDENCE, BOARD), read_survey(Path(sys.argv[1]), BOARD))
    lines = (json.dumps(solution_json(solution)) + "\n" for solution in solutions)
    EVIDENCE.write_text("".join(lines), encoding="utf-8")
    found = findings(BOARD, solutions)
    print(f"{BOARD}: {found.solved} of {found.starts} starts solved")
    if found.solved == found.starts:
        add_to_map(found)
        book_path(BOARD).write_bytes(survey_book(BOARD, solutions))
        print(f"{BOARD}: map and book written; pytest tests/solver, then tell it in CHANGELOG.md")
    dataset.build()
    fill_docs.main()


def merged(before: list[Solution], taken: list[Solution]) -> list[Solution]:
    """What both say; where both know a start, as it was before.

    Raises:
        InputError: they contradict each other.
    """
    known = {solution.position: solution for solution in taken}
    for solution in before:
        if known.get(solution.position, solution).wins != solution.wins:
            raise InputError(f"{solution.position}: the evidence says the opposite")
        known[solution.position] = solution
    return [known[start] for start in starts(BOARD) if start in known]


def add_to_map(found: Findings) -> None:
    """Write a board's line into the package's map of the starts, in the place of one that is there."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    others = [line for line in lines if json.loads(line)["board"] != str(found.board)]
    FILE.write_text("\n".join([*others, json.dumps(survey_json(found))]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
