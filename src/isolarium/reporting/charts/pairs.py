"""Head to head: the pairs of each encounter, won, split and lost."""

from collections.abc import Iterator
from typing import Any, Final

import altair as alt

from isolarium.analysis.run_statistics import Overview
from isolarium.arena.results import EncounterResult
from isolarium.reporting.charts.chart import ROWS, Heading, finished
from isolarium.reporting.colours import BLUE, INK, NEUTRAL, ON_LIGHT, ORANGE
from isolarium.reporting.model import Chart
from isolarium.text import counted

MOST: Final = 80
"""Encounters in one picture; the table has all of them."""
WIDTH: Final = 460
ROOM_FOR_TEXT: Final = 0.06
"""The least share of a bar that a number is written on."""
KINDS: Final = {"won": BLUE, "split": NEUTRAL, "lost": ORANGE}


def pairs_chart(overview: Overview) -> Chart:
    """A bar for each encounter, from the side of the first of the two."""
    met = [result for result in overview.results.encounters if result.summary.pairs]
    rows = [row for result in met[:MOST] for row in _bar(overview, result)]
    part = "" if len(met) <= MOST else f"the first {MOST} of {len(met)} encounters; "
    pairs = sum(result.summary.pairs for result in met)
    heading = Heading(
        "pairs",
        "Pairs won, split and lost",
        [
            f"a pair is one opening played twice with the sides swapped; {part}"
            f"{counted(pairs, 'pair')}, {counted(overview.results.games, 'game')}"
        ],
    )
    spoken = "; ".join(_in_words(overview, result) for result in met[:MOST])
    return finished(_bars(rows), rows, heading, f"{spoken}.")


def _bar(overview: Overview, result: EncounterResult) -> Iterator[dict[str, Any]]:
    """The three parts of one bar."""
    summary, met, before = result.summary, result.encounter, 0.0
    for kind, pairs in zip(KINDS, (summary.won, summary.split, summary.lost), strict=True):
        share = pairs / summary.pairs
        yield {
            "agent": overview.names[met.first],
            "opponent": f"vs {overview.names[met.second]}",
            "kind": kind,
            "from": 100 * before,
            "to": 100 * (before + share),
            "middle": 100 * (before + share / 2),
            "text": f"{pairs:,}" if share >= ROOM_FOR_TEXT else "",
        }
        before += share


def _bars(rows: list[dict[str, Any]]) -> Any:
    """A group of bars for each agent that is named first, in the plan's order."""
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    opponents = list(dict.fromkeys(row["opponent"] for row in rows))
    base = alt.Chart(ROWS, width=WIDTH, height=alt.Step(24))
    quiet = alt.Axis(domain=False, ticks=False, labelPadding=6)
    y = alt.Y("opponent:N", sort=opponents, title=None, axis=quiet)
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=list(KINDS), range=list(KINDS.values())),
        sort=list(KINDS),
        legend=alt.Legend(title=None, orient="top", symbolType="square"),
    )
    x = alt.X(
        "from:Q",
        title="share of the pairs, %",
        scale=alt.Scale(domain=[0, 100], nice=False),
        axis=alt.Axis(grid=False, tickCount=5),
    )
    heading = alt.Header(
        labelOrient="top", labelAnchor="start", labelFontWeight="bold", labelColor=INK
    )
    return (
        alt.layer(
            base.mark_bar(height={"band": 0.76}).encode(y=y, x=x, x2=alt.X2("to:Q"), color=colour),
            base.mark_text(fontWeight="bold", color=ON_LIGHT).encode(
                y=y, x=alt.X("middle:Q"), text=alt.Text("text:N")
            ),
        )
        .facet(row=alt.Row("agent:N", sort=agents, title=None, header=heading), spacing=12)
        .resolve_scale(y="independent")
    )


def _in_words(overview: Overview, result: EncounterResult) -> str:
    first, second = result.encounter.first, result.encounter.second
    won, split, lost = result.summary.won, result.summary.split, result.summary.lost
    return f"{overview.names[first]} vs {overview.names[second]}: won {won}, split {split}, lost {lost}"
