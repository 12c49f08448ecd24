"""Every number of docs/reference/nodes.md is true."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from isolarium.bench import student_search
from isolarium.game.notation import parse_position
from isolarium.game.perft import perft
from isolarium.game.position import Position
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import Limit
from isolarium.search.alphabeta import AlphaBeta
from tests.search.minimax_reference import Node, alphabeta, minimax

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2].joinpath("docs/reference/nodes.md").read_text(encoding="utf-8")

IMPROVED = parse_heuristic("improved")


class Row(NamedTuple):
    """A line of a table: the counts of one position at one depth."""

    position: Position
    depth: int
    value: int
    minimax: int | None
    alphabeta: int


def rows() -> Iterator[Row]:
    for section in PAGE.split("\n### ")[1:]:
        found = re.search(r"^`(.+)`$", section, re.MULTILINE)
        assert found is not None
        position = parse_position(found[1])
        for line in re.findall(r"^\| [0-9].*$", section, re.MULTILINE):
            depth, value, full, pruned = (cell.strip().replace(",", "") for cell in line.strip("|").split("|"))
            yield Row(position, int(depth), int(value), int(full) if full else None, int(pruned))


def test_three_positions_at_twelve_depths() -> None:
    assert len(list(rows())) == 36
    assert len({row.position for row in rows()}) == 3
    assert sum(row.minimax is not None for row in rows()) == 24


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: f"{row.position.board}-{row.depth}")
def test_counts_are_those_of_the_searches(row: Row) -> None:
    limit = Limit(depth=row.depth)
    report = AlphaBeta(IMPROVED).choose(row.position, limit).report
    assert (report.score, report.nodes) == (row.value, row.alphabeta)
    if row.minimax is not None:
        report = AlphaBeta(IMPROVED, prune=False).choose(row.position, limit).report
        assert (report.score, report.nodes) == (row.value, row.minimax)


def test_counts_are_those_of_other_programs() -> None:
    for row in rows():
        if row.minimax is not None:
            assert row.minimax == sum(perft(row.position, depth) for depth in range(row.depth + 1))
        if row.depth <= 9:
            assert student_search(row.position, row.depth) == (row.value, row.alphabeta)
        if row.depth <= 4:
            tree = Node.root(row.position, IMPROVED.plain)
            assert minimax(tree, row.depth).nodes == row.minimax
            assert alphabeta(tree, row.depth).nodes == row.alphabeta


def test_the_example_prints_the_first_table(capsys: pytest.CaptureFixture[str]) -> None:
    [example] = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(example, {})
    expected = [f"{row.depth} {row.value} {row.alphabeta}" for row in list(rows())[:8]]
    assert capsys.readouterr().out.splitlines() == expected


def test_perft_as_the_page_tells_it() -> None:
    [(line, depth)] = re.findall(r"isolarium perft '(.+)' ([0-9]+)", PAGE)
    [row] = [row for row in rows() if str(row.position) == line and row.depth == int(depth)]
    [before] = [r for r in rows() if r.position == row.position and r.depth == row.depth - 1]
    assert row.minimax is not None
    assert before.minimax is not None
    assert perft(parse_position(line), int(depth)) == row.minimax - before.minimax
