"""Tables of the benchmarks of searches and heuristics."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Final

from isolarium.bench import HEURISTIC_LIMIT, TURN_MS, TURN_NODES, Comparison, HeuristicSpeed, Plies, SearchSpeed
from isolarium.reporting.model import Column, Row, Table, rows_of

Figures = Any
"""The results of a benchmark: one of the four imported types, or a list of one."""
MILLION: Final = 1e6


def bench_table(part: str, found: Figures) -> Table:
    """Return the table of a benchmark."""
    tables: dict[str, Callable[[Figures], Table]] = {
        "searches": _searches,
        "student": _student,
        "heuristics": _heuristics,
        "plies": _plies,
    }
    return tables[part](found)


def bench_json(part: str, found: Figures) -> Any:
    """Return the figures of a benchmark as JSON."""
    if part == "student":
        return {**asdict(found), "ratio": found.ratio}
    return [asdict(row) for row in found]


def _searches(found: Sequence[SearchSpeed]) -> Table:
    boards = list(found[0].speeds)
    columns = (
        Column("search", "", "<", repeats=True),
        Column("limit", "", "<"),
        *(Column(board, board, form=".1f") for board in boards),
        Column("share", f"{boards[-1]} / {boards[0]}", form=".2f"),
    )
    rows: list[Row] = [
        {
            "search": row.search,
            "limit": row.limit,
            **{board: speed / MILLION for board, speed in row.speeds.items()},
            "share": row.speeds[boards[-1]] / row.speeds[boards[0]],
        }
        for row in found
    ]
    title = "searches · million nodes a second, with the heuristic improved where a search takes one"
    return Table("searches", title, columns, rows)


def _student(found: Comparison) -> Table:
    columns = (
        Column("who", "", "<", repeats=True),
        Column("speed", "million nodes a second", form=".2f"),
        Column("ratio", "ratio", form=".0f"),
    )
    rows = [("alphabeta:improved", found.ours / MILLION, found.ratio), ("plain Python", found.student / MILLION, 1)]
    title = f"student · depth {found.depth} on 7x7, the same {found.nodes:,} nodes for both"
    return Table("student", title, columns, rows_of(columns, rows))


def _heuristics(found: Sequence[HeuristicSpeed]) -> Table:
    improved = next(row.speed for row in found if row.heuristic == "improved")
    columns = (
        Column("heuristic", "", "<", repeats=True),
        Column("speed", "million nodes a second", form=".1f"),
        Column("share", "vs improved", form=".2f"),
    )
    rows = [
        (row.heuristic, row.speed / MILLION, row.speed / improved) for row in sorted(found, key=lambda row: -row.speed)
    ]
    title = f"heuristics · under alphabeta on 7x7, {HEURISTIC_LIMIT}"
    return Table("heuristics", title, columns, rows_of(columns, rows))


def _plies(found: Sequence[Plies]) -> Table:
    columns = (
        Column("heuristic", "", "<", repeats=True),
        Column("in_time", f"{TURN_MS} ms", form=".1f"),
        Column("in_nodes", f"{TURN_NODES:,} nodes", form=".1f"),
    )
    rows = [(row.heuristic, row.in_time, row.in_nodes) for row in sorted(found, key=lambda row: -row.in_time)]
    title = "plies · mean depth completed by alphabeta in one turn on 7x7"
    return Table("plies", title, columns, rows_of(columns, rows))
