"""Mistakes by the stage of the game: where each agent gave won positions away."""

from collections.abc import Iterator
from typing import Any, Final

import altair as alt

from isolarium.analysis.run_accuracy import AgentAccuracy, RunAccuracy
from isolarium.analysis.run_statistics import Overview
from isolarium.reporting.charts.chart import TOGETHER, Heading, finished, lines_of_agents
from isolarium.reporting.model import Chart
from isolarium.text import counted

PLIES: Final = 4
"""Plies that are counted together."""
LEAST: Final = 10
"""Chances below which a share says nothing."""


def mistakes_chart(overview: Overview, accuracy: RunAccuracy) -> Chart | None:
    """The share of won positions given away, over the plies of the game; None where there were too few."""
    shown = overview.leading(TOGETHER)
    rows = [
        {"agent": overview.names[player], **row}
        for player in shown
        for row in _shares(accuracy.agents[player])
    ]
    if not rows:
        return None
    names = list(dict.fromkeys(str(row["agent"]) for row in rows))
    heading = Heading(
        "mistakes",
        "Where won positions were given away",
        [
            f"{overview.left_out(shown)}{counted(accuracy.sampled, 'game')} solved; of the won positions with a losing "
            f"move, {PLIES} plies together, at least {LEAST} of them"
        ],
    )
    spoken = " ".join(
        f"{overview.names[player]}: {sum(accuracy.agents[player].mistakes.values())} mistakes in "
        f"{len(accuracy.agents[player].positions)} such positions."
        for player in shown
    )
    return finished(_lines(names), rows, heading, spoken)


def _shares(agent: AgentAccuracy) -> Iterator[dict[str, float]]:
    for stage in range(max(agent.chances, default=0) // PLIES + 1):
        plies = range(stage * PLIES, (stage + 1) * PLIES)
        chances = sum(agent.chances[ply] for ply in plies)
        if chances >= LEAST:
            mistakes = sum(agent.mistakes[ply] for ply in plies)
            yield {"ply": (plies[0] + plies[-1]) / 2, "share": mistakes / chances}


def _lines(names: list[str]) -> Any:
    x = alt.X(
        "ply:Q",
        title="move of the game (the placements are 1 and 2)",
        scale=alt.Scale(nice=False, zero=False, padding=8),
        axis=alt.Axis(grid=False, format="d", tickMinStep=1),
    )
    y = alt.Y(
        "share:Q",
        title="won positions given away",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(tickCount=5, format=".0%"),
    )
    return lines_of_agents(names, x, y, 190)
