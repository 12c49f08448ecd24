"""Where agents went, as tables: how far off the centre, and square by square."""

from collections.abc import Iterator
from typing import Final

from isolab.analysis.asymmetry import measure
from isolab.analysis.heat import HeatMap, Visits
from isolab.analysis.study.part_result import PartResult
from isolab.analysis.study.table import Column, Table
from isolab.game.board import COLUMN_LETTERS

MOST_BOARDS: Final = 2
"""Boards are drawn side by side for so many agents."""


def heat_tables(result: PartResult) -> list[Table]:
    """The tables of a part with heat maps; none for others."""
    if result.visits is None:
        return []
    tables = [_lean_table(result, result.visits)]
    if len(result.part.agents) <= MOST_BOARDS:
        tables.append(_boards_table(result, result.visits))
    return tables


def _lean_table(result: PartResult, visits: Visits) -> Table:
    columns = (
        Column("who", "<", is_key=True),
        Column("games"),
        Column("centre of the squares visited", "<"),
        Column("verdict", "<"),
    )
    rows = []
    for name, heat_map in _maps(result, visits):
        lean = measure(heat_map.by_opening, visits.board)
        offset = lean.offset if lean.is_known else ""
        rows.append((name, f"{heat_map.games:,}", offset, lean.verdict))
    notes = (
        "in squares from the centre of the board, with 95% intervals; openings do not count as visits",
    )
    return Table("lean", "How far off the centre", columns, tuple(rows), 0, notes)


def _maps(result: PartResult, visits: Visits) -> Iterator[tuple[str, HeatMap]]:
    """Each agent with its opponents together, then the opponents one by one."""
    agents = result.part.agents
    for place, name in enumerate(agents):
        yield name, visits.own(place)
        yield "  its opponents", visits.opponents(place)
    for place, name in enumerate(result.part.opponents, start=len(agents)):
        yield name, visits.own(place)


def _boards_table(result: PartResult, visits: Visits) -> Table:
    """The share of games in which each square was gone to, drawn as boards."""
    board, agents = visits.board, result.part.agents
    columns = [Column("", ">", is_key=True)]
    for agent in agents:
        columns += [Column(f"{letter}") for letter in COLUMN_LETTERS[: board.cols]]
        columns.append(Column(agent, "<"))
    shares = [visits.own(place).share for place in range(len(agents))]
    rows = []
    for row in range(board.rows):
        line = [str(row + 1)]
        for share in shares:
            squares = share[row * board.cols : (row + 1) * board.cols]
            line += [*(f"{100 * value:.0f}" for value in squares), ""]
        rows.append(tuple(line))
    note = "the percentage of its games in which the agent went to the square"
    return Table("boards", "Squares visited", tuple(columns), tuple(rows), 0, (note,))
