"""The tables of `docs/theory.md`: the solved boards, 8x8 as far as it went, the oracle's record.

What stands between a comment such as `<!-- boards -->` and the next `<!-- end -->` is replaced.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from isolab.game.board import Board
from isolab.game.notation import parse_board
from isolab.solver.starts import FILE
from isolab.solver.survey import findings, read_survey
from isolab.stats import RateEstimate

EVIDENCE = Path("docs/evidence")
EIGHT_BOARD = Board(8, 8)
EIGHT = EVIDENCE / "starts-8x8.jsonl"
ORACLE = EVIDENCE / "oracle.jsonl"
COUNTS = ("first to move wins", "exceptions to the law", "of them mirrors", "nodes")
NODES_A_SECOND = 7.5e6
"""What one core did on 8x8, shared with others."""
PLACE = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)


def filled(page: str) -> str:
    """The page with its tables."""
    return in_places(page, {"boards": boards, "eight": eight, "oracle": oracle})


def in_places(page: str, tables: Mapping[str, Callable[[], Iterator[str]]]) -> str:
    """A page with tables, each in its place."""

    def table(asked: re.Match[str]) -> str:
        lines = "\n".join(tables[asked[1]]())
        return f"<!-- {asked[1]} -->\n{lines}\n<!-- end -->"

    return PLACE.sub(table, page)


def boards() -> Iterator[str]:
    """Every solved board, by the number of its squares."""
    yield row("board", "starts", *COUNTS)
    yield row(*["---:"] * 6)
    found = list(map(json.loads, FILE.read_text(encoding="utf-8").splitlines()))
    for said in sorted(found, key=lambda said: parse_board(said["board"]).size):
        upsets = said["exceptions"]
        mirrors = sum(upset["mirror"] for upset in upsets)
        counts = said["starts"], said["wins"], len(upsets), mirrors, said["nodes"]
        yield row(said["board"], *(f"{count:,}" for count in counts))


def eight() -> Iterator[str]:
    """What is solved of 8x8, and what the rest is likely to take."""
    found = findings(EIGHT_BOARD, read_survey(EIGHT, EIGHT_BOARD))
    mirrors = [upset.mirror for upset in found.upsets]
    left, mean = found.starts - found.solved, found.nodes / found.solved
    yield f"### 8x8: {found.solved:,} of {found.starts:,} starts solved\n"
    yield row("starts", "solved", *COUNTS)
    yield row(*["---:"] * 6)
    counts = found.starts, found.solved, found.wins, len(mirrors), sum(mirrors), found.nodes
    yield row(*(f"{count:,}" for count in counts))
    each = f"A start takes {mean / 1e6:.0f} million nodes on average, {mean / NODES_A_SECOND:.0f} s of one core"
    hours = left * mean / NODES_A_SECOND / 3600
    rest = f": the other {left} are likely to take {hours:.1f} hours of one core" if left else ""
    yield f"\n{each}{rest}."
    strange = [f"`{upset.solution.position}`" for upset in found.upsets if not upset.mirror]
    yield f"Exceptions that no mirror explains: {', '.join(strange) or ('none so far' if left else 'none')}."


def oracle() -> Iterator[str]:
    """Whom the oracle met, and what it made of it."""
    yield row("opponent", "pairs", "won openings won", "lost openings won", "share (95%)")
    yield row("---", *["---:"] * 4)
    met = list(map(json.loads, ORACLE.read_text(encoding="utf-8").splitlines()))
    for said in sorted(met, key=lambda said: (-said["pairs"], -said["lost_openings_share"][0])):
        yield row(*oracle_cells(said))
    had, won = (sum(said[key] for said in met) for key in ("won_openings", "won_openings_won"))
    yield f"\nOf {had:,} openings that it had won, it won {won:,}."


def oracle_cells(said: dict[str, Any]) -> Sequence[str]:
    """A meeting as the cells of a row."""
    return (
        f"`{said['opponent']}`",
        str(said["pairs"]),
        f"{said['won_openings_won']} of {said['won_openings']}",
        f"{said['lost_openings_won']} of {said['lost_openings']}",
        str(RateEstimate(*said["lost_openings_share"])),
    )


def row(*cells: str) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(cells)} |"
