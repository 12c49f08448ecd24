"""The tables of `docs/explanation/exact-values.md`: boards, experiments and the oracle's record.

The text between a comment such as `<!-- boards -->` and the next `<!-- end -->` is replaced.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from isolarium.game.board import Board
from isolarium.game.notation import parse_board
from isolarium.solver.start_map import FILE
from isolarium.solver.survey import read_survey, summarize_survey
from isolarium.stats import RateEstimate

EVIDENCE = Path("docs/evidence")
ORACLE = EVIDENCE / "oracle.jsonl"
PLIES = EVIDENCE / "plies.jsonl"
BROKEN = EVIDENCE / "broken_law.jsonl"
LEAST_POSITIONS = 100
"""Rows with fewer positions are left out."""
COUNTS = ("first to move wins", "exceptions to the law", "of these, mirrors", "nodes")
NODES_A_SECOND = 7.5e6
"""Measured on one core of a shared machine."""
PLACE = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def filled(page: str) -> str:
    """Return a page with its tables."""
    tables = {"boards": boards, "surveys": surveys, "plies": plies, "broken": broken, "oracle": oracle}
    return in_places(page, tables)


def in_places(page: str, tables: Mapping[str, Callable[[], Iterator[str]]]) -> str:
    """Return a page with each table in its place."""

    def table(asked: re.Match[str]) -> str:
        lines = "\n".join(tables[asked[1]]())
        return f"<!-- {asked[1]} -->\n{lines}\n<!-- end -->"

    return PLACE.sub(table, page)


def boards() -> Iterator[str]:
    """Yield the rows of the solved boards, by the number of squares."""
    yield row("board", "starts", *COUNTS)
    yield row(*["---:"] * 6)
    for said in sorted(_lines(FILE), key=lambda said: parse_board(said["board"]).size):
        upsets = said["exceptions"]
        mirrors = sum(upset["mirror"] for upset in upsets)
        counts = said["starts"], said["wins"], len(upsets), mirrors, said["nodes"]
        yield row(said["board"], *(f"{count:,}" for count in counts))


def survey_path(board: Board) -> Path:
    """Return the path of a large board's evidence."""
    return EVIDENCE / f"starts-{board}.jsonl"


def surveys() -> Iterator[str]:
    """Yield the surveys of large boards, the largest first."""
    boards = [parse_board(path.stem.partition("-")[2]) for path in EVIDENCE.glob("starts-*.jsonl")]
    for number, board in enumerate(sorted(boards, key=lambda board: -board.size)):
        yield from ([""] if number else [])
        yield from survey(board)


def survey(board: Board) -> Iterator[str]:
    """Yield the solved part of a board, and the expected cost of the rest."""
    found = summarize_survey(board, read_survey(survey_path(board), board))
    mirrors = [upset.mirror for upset in found.exceptions]
    left, mean = found.starts - found.solved, found.nodes / found.solved
    yield f"### {board}: {found.solved:,} of {found.starts:,} starts solved\n"
    yield row("starts", "solved", *COUNTS)
    yield row(*["---:"] * 6)
    counts = found.starts, found.solved, found.wins, len(mirrors), sum(mirrors), found.nodes
    yield row(*(f"{count:,}" for count in counts))
    each = f"A start takes {mean / 1e6:.0f} million nodes on average, {mean / NODES_A_SECOND:.0f} s on one core"
    hours = left * mean / NODES_A_SECOND / 3600
    rest = f": the other {left} are likely to take {hours:.1f} hours on one core" if left else ""
    yield f"\n{each}{rest}."
    strange = [f"`{upset.solution.position}`" for upset in found.exceptions if not upset.mirror]
    yield f"Exceptions that no mirror explains: {', '.join(strange) or ('none so far' if left else 'none')}."


def plies() -> Iterator[str]:
    """Yield the rows of how long the stealer takes to win."""
    yield row("board", "starts that follow the law", "least", "median", "most", "mean", "of the blanks")
    yield row(*["---:"] * 7)
    for said in sorted(_lines(PLIES), key=lambda said: (said["squares"], said["board"])):
        starts = f"{said['stealer']} of {said['starts']}{'' if said['all'] else ', chosen at random'}"
        counts = (f"{said[key]:g}" for key in ("least", "median", "most"))
        share = said["mean"] / (said["squares"] - 2)
        yield row(said["board"], starts, *counts, f"{said['mean']:.1f}", f"{share:.0%}")


def broken() -> Iterator[str]:
    """Yield the rows of positions that break the law, by blank squares and reason, for both kinds of games."""
    reasons = ("stuck", "apart", "mirror", "soon", "space", "other")
    yield row("board", "blanks", "positions", "break the law", "share", *reasons)
    yield row(*["---:"] * (5 + len(reasons)))
    found = dict[tuple[str, int], Counter[str]]()
    for said in _lines(BROKEN):
        counts = {key: said[key] for key in ("positions", "broken", *reasons)}
        found.setdefault((said["board"], said["blanks"]), Counter()).update(counts)
    for (board, blanks), sums in sorted(found.items(), key=lambda one: (one[0][0], -one[0][1])):
        if sums["positions"] >= LEAST_POSITIONS:
            share = f"{sums['broken'] / sums['positions']:.1%}"
            each = (str(sums[reason]) for reason in reasons)
            yield row(board, str(blanks), str(sums["positions"]), str(sums["broken"]), share, *each)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def oracle() -> Iterator[str]:
    """Yield the rows of the oracle's opponents and its results."""
    yield row("opponent", "pairs", "won openings won", "lost openings won", "share (95%)")
    yield row("---", *["---:"] * 4)
    met = _lines(ORACLE)
    for said in sorted(met, key=lambda said: (-said["pairs"], -said["lost_openings_share"][0])):
        yield row(*oracle_cells(said))
    had, won = (sum(said[key] for said in met) for key in ("won_openings", "won_openings_won"))
    yield f"\nOf {had:,} openings that were won for it, the oracle won {won:,}."


def oracle_cells(said: dict[str, Any]) -> Sequence[str]:
    """Return the cells of the row for an opponent."""
    return (
        f"`{said['opponent']}`",
        str(said["pairs"]),
        f"{said['won_openings_won']} of {said['won_openings']}",
        f"{said['lost_openings_won']} of {said['lost_openings']}",
        str(RateEstimate(*said["lost_openings_share"])),
    )


def row(*cells: str) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"
