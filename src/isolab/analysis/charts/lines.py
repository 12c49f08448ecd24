"""Lines of several agents in one picture, told apart by colour and by shape."""

from typing import Any, Final

import altair as alt

from isolab.analysis.charts.chart import BLUE, ORANGE, ROWS

TOGETHER: Final = 6
"""Agents whose lines can be told apart."""
COLOURS: Final = (BLUE, ORANGE, "#009e73", "#8a5fb0", "#707680", "#c1428a")
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
WIDTH: Final = 640


def lines_of_agents(names: list[str], x: Any, y: Any, height: int) -> Any:
    """A line and a mark at each point for each agent of the rows, which name theirs as `agent`."""
    base = alt.Chart(ROWS, width=WIDTH, height=height)
    legend = alt.Legend(title=None, orient="top", columns=3, symbolSize=70)
    colours = alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
    shapes = alt.Scale(domain=names, range=list(SHAPES[: len(names)]))
    colour = alt.Color("agent:N", scale=colours, legend=legend)
    shape = alt.Shape("agent:N", scale=shapes, legend=legend)
    return alt.layer(
        base.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour),
        base.mark_point(filled=True, opacity=1, size=38).encode(
            x=x, y=y, color=colour, shape=shape
        ),
    )
