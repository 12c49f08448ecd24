"""Why games were lost, for every agent."""

from collections import Counter
from typing import Any, Final

import altair as alt

from isolarium.analysis.run_statistics import Overview
from isolarium.game.outcome import Reason
from isolarium.reporting.charts.chart import ROWS, Heading, finished, from_left
from isolarium.reporting.colours import NEUTRAL, ORANGE
from isolarium.reporting.model import Chart
from isolarium.text import counted

MOST: Final = 40
"""Agents in the picture; the table has all of them."""
WIDTH: Final = 460
ROW: Final = 26
COLOURS: Final = {
    Reason.NO_MOVES: NEUTRAL,
    Reason.TIME: ORANGE,
    Reason.ILLEGAL_MOVE: "#7b3294",
    Reason.CRASH: "#8c6d31",
    Reason.RESIGNATION: "#2c7f8c",
    Reason.MEMORY: "#b2182b",
}


def losses_chart(overview: Overview) -> Chart:
    """A bar of losses for each agent, and the reasons in words beside it."""
    shown = overview.leading(MOST)
    agents = {overview.names[player]: overview.results.agents[player] for player in shown}
    lost = sum((figures.losses for figures in overview.results.agents), Counter[Reason]())
    early = lost.total() - lost[Reason.NO_MOVES]
    ended = (
        f"{counted(early, 'game')} ended early, charged to who caused it"
        if early
        else "every game ended by the rules"
    )
    heading = Heading(
        "losses",
        "Why games were lost",
        [f"{overview.left_out(shown)}{counted(overview.results.games, 'game')}; {ended}"],
    )
    rows = [
        {
            "agent": name,
            "reason": str(reason),
            "place": place,
            "losses": figures.losses[reason],
            "words": _in_words(figures.losses) if place == 0 else "",
        }
        for name, figures in agents.items()
        for place, reason in enumerate(COLOURS)
    ]
    spoken = "; ".join(f"{name}: {_in_words(figures.losses)}" for name, figures in agents.items())
    seen = [reason for reason in COLOURS if lost[reason]] or [Reason.NO_MOVES]
    return finished(_bars(list(agents), seen), rows, heading, f"{spoken}.")


def _in_words(losses: Counter[Reason]) -> str:
    found = [f"{reason} {losses[reason]:,}" for reason in COLOURS if losses[reason]]
    return " · ".join(found) or "no losses"


def _bars(names: list[str], seen: list[Reason]) -> Any:
    base = alt.Chart(ROWS, width=WIDTH, height=len(names) * ROW)
    y = alt.Y(
        "agent:N", sort=names, title=None, axis=alt.Axis(domain=False, ticks=False, labelPadding=6)
    )
    colour = alt.Color(
        "reason:N",
        scale=alt.Scale(
            domain=[str(reason) for reason in seen], range=[COLOURS[reason] for reason in seen]
        ),
        legend=alt.Legend(title=None, orient="top", symbolType="square"),
    )
    return alt.layer(
        base.transform_filter("datum.losses > 0")
        .mark_bar(height={"band": 0.72})
        .encode(
            y=y,
            x=alt.X("losses:Q", title="games lost", axis=alt.Axis(tickMinStep=1, tickCount=6)),
            color=colour,
            order=alt.Order("place:Q"),
        ),
        base.mark_text(align="left").encode(y=y, x=from_left(WIDTH + 12), text=alt.Text("words:N")),
    )
