"""Results by starting square: the first mover's share, and each agent's."""

from collections.abc import Sequence
from typing import Final

from isolarium.analysis.run_statistics import Overview
from isolarium.analysis.start_results import StartShare
from isolarium.reporting.charts.boards import (
    Cell,
    Panel,
    board_panels,
    board_rows,
    diverging,
)
from isolarium.reporting.charts.chart import Heading, finished
from isolarium.reporting.model import Chart
from isolarium.stats import rounded
from isolarium.text import counted

MOST: Final = 24
"""Agents in the picture."""
FEWEST_GAMES: Final = 10
"""With fewer, a square shows chance alone."""


def start_squares_chart(overview: Overview) -> Chart | None:
    """One board for the first mover, whoever it was, and one for every agent; None if all games are too few."""
    panels = [Panel("The first mover", "by its own start", _cells(overview.starts.first_mover()))]
    shown = overview.leading(MOST)
    for player in shown:
        panels.append(
            Panel(overview.names[player], "by its own start", _cells(overview.starts.agent(player)))
        )
    shares = [cell.value for panel in panels for cell in panel.cells if cell.value is not None]
    if not shares:
        return None
    reach = max(10.0, *(abs(share - 50) for share in shares))
    shade = diverging("share of the games won, %", 50.0, min(50.0, reach))
    heading = Heading(
        "starting-squares",
        "Results by starting square",
        [
            f"{overview.left_out(shown)}share of the games won by who started there, %; "
            "a square and its mirror images count together;",
            f"bold where the 95% interval leaves out 50%, grey with fewer than {FEWEST_GAMES} games; "
            f"{counted(overview.results.games, 'game')} in all",
        ],
    )
    return finished(
        board_panels(overview.board, panels, shade),
        board_rows(overview.board, panels, shade),
        heading,
        " ".join(map(_in_words, panels)),
    )


def _cells(shares: Sequence[StartShare]) -> list[Cell]:
    return [
        Cell(
            share.square,
            100 * share.rate.rate,
            rounded(100 * share.rate.rate),
            strong=0.5 not in share.rate,
        )
        for share in shares
        if share.games >= FEWEST_GAMES
    ]


def _in_words(panel: Panel) -> str:
    if not panel.cells:
        return f"{panel.title}: too few games."
    best = max(panel.cells, key=lambda cell: cell.value or 0.0)
    worst = min(panel.cells, key=lambda cell: cell.value or 0.0)
    return f"{panel.title}: from {worst.text}% at {worst.square} to {best.text}% at {best.square}."
