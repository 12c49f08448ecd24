"""Heat maps: how often each agent went to each square, and its opponents beside it."""

from typing import Final

from isolarium.analysis.run_statistics import Overview
from isolarium.analysis.visit_heatmap import HeatMap
from isolarium.game.board import Board
from isolarium.reporting.charts.boards import (
    Cell,
    Panel,
    board_panels,
    board_rows,
    sequential,
)
from isolarium.reporting.charts.chart import Heading, finished
from isolarium.reporting.model import Chart
from isolarium.stats import rounded
from isolarium.text import counted

MOST: Final = 24
"""Agents in the picture; the table of visits has all of them."""


def heat_maps_chart(overview: Overview) -> Chart:
    """Every agent's map; where more than two play, that of its opponents beside it."""
    board, panels = overview.board, []
    shown = overview.leading(MOST)
    for player in shown:
        name, own = overview.names[player], overview.visits.own(player)
        games = counted(own.games, "game")
        panels.append(Panel(name, f"its own moves, {games}", _cells(own, board)))
        if not overview.is_match:
            others = _cells(overview.visits.opponents(player), board)
            panels.append(Panel(name, "its opponents' moves", others))
    highest = max(cell.value or 0.0 for panel in panels for cell in panel.cells)
    shade = sequential("went there in so many of 100 games", max(1.0, highest))
    heading = Heading(
        "heat-maps",
        "Where the agents went",
        [
            f"{overview.left_out(shown)}share of an agent's games in which it went to a square, %; {board}, "
            "without the squares of the opening"
        ],
    )
    return finished(
        board_panels(board, panels, shade),
        board_rows(board, panels, shade),
        heading,
        " ".join(map(_in_words, panels)),
    )


def _cells(heat: HeatMap, board: Board) -> list[Cell]:
    return [
        Cell(square, 100 * float(share), rounded(100 * share))
        for square, share in zip(board.squares, heat.share, strict=True)
    ]


def _in_words(panel: Panel) -> str:
    most = max(panel.cells, key=lambda cell: cell.value or 0.0)
    return f"{panel.title}, {panel.subtitle}: most often {most.square} ({most.text}%)."
