"""Build the data set in `docs/dataset`: `python -m tools.dataset`, or `make dataset`; the output is reproducible.

Every value is exact, and values with two sources are compared: starts of boards with up to `SOLVED_AGAIN`
squares are solved again and compared with the package's map; those of 7x7 are looked up in the book and in the map; and
no start may contradict the mirror theorem. `docs/research/dataset.md` is the data card.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from isolarium.analysis.calibration import draw_sample
from isolarium.game.board import Board, parse_board
from isolarium.game.position import Position
from isolarium.game.symmetry import is_mirror
from isolarium.solver.book import book_entry
from isolarium.solver.puzzles import puzzles
from isolarium.solver.solution import Solution
from isolarium.solver.solver import ExactValues, Solver
from isolarium.solver.start_map import StartMap, law_says_win, mirror_exception, solved_boards, start_map, starts
from isolarium.solver.survey import read_survey
from tools.docs.theory import in_places, row, survey_path

FOLDER: Final = Path("docs/dataset")
SUMS: Final = FOLDER / "SHA256SUMS"
EIGHT: Final = Board(8, 8)
SOLVED_AGAIN: Final = 42
SEED: Final = 2026
POSITIONS: Final = {"5x5": 100, "5x7": 100, "6x6": 100, "7x7": 100, "8x8": 100, "9x9": 100}
"""The number of positions wanted for each stage of a game, by board; early stages of large boards
cannot be solved."""

Record = dict[str, Any]


def every_start() -> Iterator[Record]:
    """Yield every start of the solved boards, the smallest board first; of 5x7 and 7x5 only the former."""
    solver = Solver()
    for board in solved_boards():
        known = start_map(board)
        assert known is not None
        if board.rows <= board.cols and board != EIGHT:
            for start in starts(board):
                yield start_record(_known_start(start, known, solver))


def _known_start(start: Position, known: StartMap, solver: Solver) -> Solution:
    """Return the exact value of a start, with a winning move if it is cheap to find or in the book."""
    assert start.first is not None
    assert start.second is not None
    wins, move = known.first_wins(start.first, start.second), None
    entry = book_entry(start)
    if start.board.size <= SOLVED_AGAIN:
        solution = solver.solve(start)
        assert solution.wins is wins, start
        move = solution.move
    elif entry is not None:
        assert entry.wins is wins, start
        move = entry.move if wins else None
    return Solution(start, wins, move, 0)


def start_record(solution: Solution) -> Record:
    """Return the record of a start."""
    start, wins = solution.position, bool(solution.wins)
    law = law_says_win(start)
    assert not (wins and is_mirror(start)), start
    return {
        "board": str(start.board),
        "position": str(start),
        "wins": wins,
        "move": None if solution.move is None else str(solution.move),
        "law": law,
        "mirror": wins != law and mirror_exception(start, wins),
    }


def eight() -> Iterator[Record]:
    """Yield the solved starts of 8x8."""
    return map(start_record, read_survey(survey_path(EIGHT), EIGHT))


def every_puzzle() -> Iterator[Record]:
    """Yield the puzzles of the pages."""
    for puzzle in puzzles():
        yield {
            "number": puzzle.number,
            "board": str(puzzle.position.board),
            "position": str(puzzle.position),
            "line": [str(move) for move in puzzle.line],
            "plies": puzzle.plies,
            "misses": puzzle.misses,
            "difficulty": puzzle.difficulty,
        }


def labelled_positions() -> Iterator[Record]:
    """Yield positions of agents' games with every move solved."""
    truth = ExactValues()
    for name, wanted in POSITIONS.items():
        board = parse_board(name)
        for found in draw_sample(board, wanted, SEED).positions:
            position = found.position
            moves = zip(position.legal_moves(), found.right, strict=True)
            yield {
                "board": name,
                "position": str(position),
                "blanks": position.blank_count,
                "wins": found.wins,
                "winning": [str(move) for move, right in moves if right],
                "moves": [str(move) for move in position.legal_moves()],
                "plies": truth.plies(position),
            }


FILES: Final[dict[str, Callable[[], Iterable[Record]]]] = {
    "starts.jsonl": every_start,
    "starts-8x8.jsonl": eight,
    "puzzles.jsonl": every_puzzle,
    "positions.jsonl": labelled_positions,
}


def build() -> None:
    """Write the files and their checksums."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    sums = ""
    for name, records in FILES.items():
        text = "".join(json.dumps(record) + "\n" for record in records())
        (FOLDER / name).write_text(text, encoding="utf-8")
        sums += f"{sha256(text.encode()).hexdigest()}  {name}\n"
        print(f"{FOLDER / name}: {text.count(chr(10)):,} lines, {len(text):,} bytes")
    SUMS.write_text(sums, encoding="utf-8")


def filled(page: str) -> str:
    """Return the data card with the table of the files."""
    return in_places(page, {"files": _table, "eight": _how_far})


def _table() -> Iterator[str]:
    yield row("file", "lines", "bytes", "SHA-256")
    yield row("---", "---:", "---:", "---")
    for line in SUMS.read_text(encoding="utf-8").splitlines():
        digest, name = line.split()
        data = (FOLDER / name).read_bytes()
        lines = len(data.splitlines())
        yield row(f"[{name}](../dataset/{name})", f"{lines:,}", f"{len(data):,}", f"`{digest}`")


def _how_far() -> Iterator[str]:
    solved = len((FOLDER / "starts-8x8.jsonl").read_text(encoding="utf-8").splitlines())
    total = len(starts(EIGHT))
    state = "all of them" if solved == total else "the others are still being solved"
    yield f"8x8: {solved} of {total} starts, {state}."


if __name__ == "__main__":
    build()
