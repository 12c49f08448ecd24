"""Depth and nodes by move: what each agent's searches did as games went on."""

from typing import Any, Final

import altair as alt

from isolarium.analysis.effort import LEAST_SHARE
from isolarium.analysis.run_statistics import Overview
from isolarium.reporting.charts.boards import GRID_LINE, sequential
from isolarium.reporting.charts.chart import (
    LINES_WIDTH,
    ROWS,
    TOGETHER,
    Heading,
    finished,
    lines_of_agents,
)
from isolarium.reporting.model import Chart
from isolarium.text import counted

MOST: Final = 40
"""Agents in the picture; if their lines cannot be told apart, as rows of a carpet."""
MOVE: Final = "move of the game (the placements are 1 and 2)"
DEPTH: Final = "plies looked ahead"
NODES: Final = "positions entered"


def effort_chart(overview: Overview) -> Chart | None:
    """Mean depth above, mean nodes below; None if no agent searches."""
    shown = overview.leading(MOST)
    rows: list[dict[str, Any]] = [
        {
            "agent": overview.names[player],
            "move": number,
            "depth": effort.depth / effort.searches,
            "nodes": effort.nodes / effort.searches,
        }
        for player in shown
        for number, effort in overview.effort.by_move(player).items()
    ]
    if not rows:
        return None
    searching = list(dict.fromkeys(row["agent"] for row in rows))
    moves = [row["move"] for row in rows]
    drawn = (
        _together(searching)
        if len(searching) <= TOGETHER
        else _carpets(searching, rows, (min(moves), max(moves)))
    )
    heading = Heading(
        "effort",
        "How far the agents looked, move by move",
        [
            f"{overview.left_out(shown)}means over the searches that proved no end, at moves that "
            f"{100 * LEAST_SHARE:.0f}% of an agent's games got to; "
            f"{counted(overview.results.games, 'game')}"
        ],
    )
    return finished(drawn, rows, heading, " ".join(_in_words(overview, name) for name in searching))


def _together(names: list[str]) -> Any:
    """A line for each agent, told apart by colour and by shape."""
    return alt.vconcat(
        _lines(names, "depth", DEPTH, 170), _lines(names, "nodes", NODES, 130), spacing=16
    )


def _lines(names: list[str], field: str, title: str, height: int) -> Any:
    x = alt.X(
        "move:Q",
        title=MOVE,
        scale=alt.Scale(nice=False, zero=False, padding=8),
        axis=alt.Axis(grid=False, format="d", tickMinStep=1),
    )
    ticks = alt.Axis(tickCount=5, tickMinStep=1)
    y = alt.Y(f"{field}:Q", title=title, scale=alt.Scale(zero=True), axis=ticks)
    return lines_of_agents(names, x, y, height)


def _carpets(names: list[str], rows: list[dict[str, Any]], moves: tuple[int, int]) -> Any:
    """A row of cells for each agent, the darker the more."""
    return alt.vconcat(
        *(
            _carpet(names, field, title, max(row[field] for row in rows), moves)
            for field, title in (("depth", DEPTH), ("nodes", NODES))
        ),
        spacing=16,
    ).resolve_scale(color="independent")


def _carpet(names: list[str], field: str, title: str, most: float, moves: tuple[int, int]) -> Any:
    first, last = moves
    shade = sequential(title, most)
    return (
        alt.Chart(ROWS, width=LINES_WIDTH, height=len(names) * 17)
        .mark_rect(stroke=GRID_LINE, strokeWidth=0.5)
        .encode(
            x=alt.X(
                "move:O",
                title=MOVE,
                scale=alt.Scale(domain=list(range(first, last + 1))),
                axis=alt.Axis(
                    labelAngle=0,
                    domain=False,
                    values=[number for number in range(first, last + 1) if number % 5 == 0],
                ),
            ),
            y=alt.Y(
                "agent:N",
                sort=names,
                title=None,
                axis=alt.Axis(domain=False, ticks=False, labelPadding=6),
            ),
            color=alt.Color(
                f"{field}:Q",
                scale=shade.scale(),
                legend=alt.Legend(
                    title=title, gradientThickness=12, gradientLength=120, tickCount=4
                ),
            ),
        )
    )


def _in_words(overview: Overview, name: str) -> str:
    figures = overview.results.agents[overview.names.index(name)]
    if figures.mean_depth is None or figures.mean_nodes is None:
        return f"{name}: no move that was not proven."
    return f"{name}: {figures.mean_depth:.1f} plies and {figures.mean_nodes:,.0f} positions a move."
