"""Charts of encounters: pairs, cross table, losses and the sequential test."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import altair as alt

from isolarium.analysis.run_statistics import Overview
from isolarium.arena.results import EncounterResult
from isolarium.game.position import Reason
from isolarium.game.svg import colour
from isolarium.reporting.board_charts import EMPTY, GRID_LINE, Shade, cell_texts, diverging
from isolarium.reporting.chart import ROWS, Heading, finished, from_left
from isolarium.reporting.html import BLUE, INK, MUTED, NEUTRAL, ON_LIGHT, ORANGE
from isolarium.reporting.model import Chart
from isolarium.stats import SprtPlan, rounded
from isolarium.text import counted, elo_words

# Pairs


MOST_ENCOUNTERS: Final = 80
"""The maximum number of encounters in the chart; the table lists all."""
PAIRS_WIDTH: Final = 460
ROOM_FOR_TEXT: Final = 0.06
"""The smallest share of a bar with room for a number."""
KINDS: Final = {"won": BLUE, "split": NEUTRAL, "lost": ORANGE}


def pairs_chart(overview: Overview) -> Chart:
    """Chart the pairs of each encounter, from the first agent's side."""
    met = [result for result in overview.results.encounters if result.summary.pairs]
    rows = [row for result in met[:MOST_ENCOUNTERS] for row in _pair_rows(overview, result)]
    part = "" if len(met) <= MOST_ENCOUNTERS else f"the first {MOST_ENCOUNTERS} of {len(met)} encounters; "
    pairs = sum(result.summary.pairs for result in met)
    heading = Heading(
        "pairs",
        "Pairs won, split and lost",
        [
            f"a pair is one opening played twice, with the sides swapped; {part}"
            f"{counted(pairs, 'pair')}, {counted(overview.results.games, 'game')}"
        ],
    )
    spoken = "; ".join(_pairs_in_words(overview, result) for result in met[:MOST_ENCOUNTERS])
    return finished(_pair_bars(rows), rows, heading, f"{spoken}.")


def _pair_rows(overview: Overview, result: EncounterResult) -> Iterator[dict[str, Any]]:
    """Yield the three parts of a bar."""
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


def _pair_bars(rows: list[dict[str, Any]]) -> Any:
    """Draw a group of bars for each first agent, in the plan's order."""
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    opponents = list(dict.fromkeys(row["opponent"] for row in rows))
    base = alt.Chart(ROWS, width=PAIRS_WIDTH, height=alt.Step(24))
    quiet = alt.Axis(domain=False, ticks=False, labelPadding=6)
    y = alt.Y("opponent:N", sort=opponents, title=None, axis=quiet)
    fill = alt.Color(
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
    heading = alt.Header(labelOrient="top", labelAnchor="start", labelFontWeight="bold", labelColor=INK)
    return (
        alt.layer(
            base.mark_bar(height={"band": 0.76}).encode(y=y, x=x, x2=alt.X2("to:Q"), color=fill),
            base.mark_text(fontWeight="bold", color=ON_LIGHT).encode(y=y, x=alt.X("middle:Q"), text=alt.Text("text:N")),
        )
        .facet(row=alt.Row("agent:N", sort=agents, title=None, header=heading), spacing=12)
        .resolve_scale(y="independent")
    )


def _pairs_in_words(overview: Overview, result: EncounterResult) -> str:
    first, second = result.encounter.first, result.encounter.second
    won, split, lost = result.summary.won, result.summary.split, result.summary.lost
    return f"{overview.names[first]} vs {overview.names[second]}: won {won}, split {split}, lost {lost}"


# Cross table


CELL_WIDTH, CELL_HEIGHT = 54, 30
MOST_ACROSS: Final = 30
"""The maximum number of rows or columns in the chart; the table lists all."""


def cross_table_chart(overview: Overview) -> Chart:
    """Chart the win rates of rows against columns, in the order of the standings."""
    rows, columns = (side[:MOST_ACROSS] for side in overview.results.cross_sides)
    values = list(_cross_cells(overview, rows, columns))
    reach = max([10.0, *(abs(value["value"] - 50) for value in values if value["text"])])
    shade = diverging("win rate, %", 50.0, min(50.0, reach))
    for value in values:
        value["light"] = bool(value["text"]) and shade.needs_light_text(value["value"])
    cut = f"; the best {MOST_ACROSS}" if max(len(rows), len(columns)) == MOST_ACROSS else ""
    heading = Heading(
        "cross-table",
        "Cross table",
        [
            f"win rate of the row against the column, %{cut}",
            f"bold: the 95% interval excludes 50%; {counted(overview.results.games, 'game')}",
        ],
    )
    spoken = "; ".join(
        f"{value['row']} against {value['column']} {value['text']}%" for value in values if value["text"]
    )
    row_names, column_names = ([overview.names[place] for place in side] for side in (rows, columns))
    return finished(_cross_layers(row_names, column_names, shade), values, heading, f"{spoken}.")


def _cross_cells(overview: Overview, rows: list[int], columns: list[int]) -> Iterator[dict[str, Any]]:
    for row in rows:
        for column in columns:
            met = overview.results.against(row, column)
            rate = None if met is None or not met.summary.pairs else met.rate
            value = None if rate is None else 100 * rate.rate
            yield {
                "row": overview.names[row],
                "column": overview.names[column],
                "value": value,
                "text": "" if value is None else rounded(value),
                "strong": rate is not None and 0.5 not in rate,
            }


def _cross_layers(rows: list[str], columns: list[str], shade: Shade) -> Any:
    base = alt.Chart(ROWS, width=len(columns) * CELL_WIDTH, height=len(rows) * CELL_HEIGHT)
    band = alt.Scale(paddingInner=0, paddingOuter=0)
    quiet: dict[str, Any] = {"domain": False, "ticks": False, "grid": False}
    slanted = alt.Axis(orient="top", labelAngle=-35, labelAlign="left", **quiet)
    x = alt.X("column:N", sort=columns, title=None, scale=band, axis=slanted)
    y = alt.Y("row:N", sort=rows, title=None, scale=band, axis=alt.Axis(labelPadding=6, **quiet))
    legend = alt.Legend(title=shade.title, orient="bottom", direction="horizontal", gradientThickness=12)
    fill = alt.Color("value:Q", scale=shade.scale(), legend=legend)
    unknown = base.transform_filter("!isValid(datum.value)")
    known = base.transform_filter("isValid(datum.value)")
    return alt.layer(
        unknown.mark_rect(fill=EMPTY, stroke=GRID_LINE).encode(x=x, y=y),
        known.mark_rect(stroke=GRID_LINE).encode(x=x, y=y, color=fill),
        *cell_texts(base, x, y, font_size=12.5),
    )


# Losses


MOST_LOSERS: Final = 40
"""The maximum number of agents in the chart; the table lists all."""
LOSSES_WIDTH: Final = 460
LOSSES_ROW_HEIGHT: Final = 26
REASON_COLOURS: Final = {
    Reason.NO_MOVES: NEUTRAL,
    Reason.TIME: ORANGE,
    Reason.ILLEGAL_MOVE: colour("illegal-move"),
    Reason.CRASH: colour("crash"),
    Reason.RESIGNATION: colour("resignation"),
    Reason.MEMORY: colour("memory"),
}


def losses_chart(overview: Overview) -> Chart | None:
    """Chart each agent's losses by reason; None if every game ended with no moves left."""
    shown = overview.leading(MOST_LOSERS)
    agents = {overview.names[player]: overview.results.agents[player] for player in shown}
    lost = sum((figures.losses for figures in overview.results.agents), Counter[Reason]())
    early = lost.total() - lost[Reason.NO_MOVES]
    if not early:
        return None
    ended = f"{counted(early, 'game')} ended early, counted as a loss for the agent that caused it"
    heading = Heading(
        "losses", "Losses by reason", [f"{overview.left_out(shown)}{counted(overview.results.games, 'game')}; {ended}"]
    )
    rows = [
        {
            "agent": name,
            "reason": str(reason),
            "place": place,
            "losses": figures.losses[reason],
            "words": _losses_in_words(figures.losses) if place == 0 else "",
        }
        for name, figures in agents.items()
        for place, reason in enumerate(REASON_COLOURS)
    ]
    spoken = "; ".join(f"{name}: {_losses_in_words(figures.losses)}" for name, figures in agents.items())
    seen = [reason for reason in REASON_COLOURS if lost[reason]]
    return finished(_loss_bars(list(agents), seen), rows, heading, f"{spoken}.")


def _losses_in_words(losses: Counter[Reason]) -> str:
    found = [f"{reason} {losses[reason]:,}" for reason in REASON_COLOURS if losses[reason]]
    return " · ".join(found) or "no losses"


def _loss_bars(names: list[str], seen: list[Reason]) -> Any:
    base = alt.Chart(ROWS, width=LOSSES_WIDTH, height=len(names) * LOSSES_ROW_HEIGHT)
    y = alt.Y("agent:N", sort=names, title=None, axis=alt.Axis(domain=False, ticks=False, labelPadding=6))
    fill = alt.Color(
        "reason:N",
        scale=alt.Scale(domain=[str(reason) for reason in seen], range=[REASON_COLOURS[reason] for reason in seen]),
        legend=alt.Legend(title=None, orient="top", symbolType="square"),
    )
    return alt.layer(
        base.transform_filter("datum.losses > 0")
        .mark_bar(height={"band": 0.72})
        .encode(
            y=y,
            x=alt.X("losses:Q", title="games lost", axis=alt.Axis(tickMinStep=1, tickCount=6)),
            color=fill,
            order=alt.Order("place:Q"),
        ),
        base.mark_text(align="left").encode(y=y, x=from_left(LOSSES_WIDTH + 12), text=alt.Text("words:N")),
    )


# Sequential test


TEST_WIDTH: Final = 560
MOST_POINTS: Final = 1500


def sequential_chart(overview: Overview) -> Chart | None:
    """Chart the log-likelihood ratio after each pair.

    Returns None if there is no sequential test or no pair.
    """
    test = overview.results.tally.test
    if test is None or not test.path:
        return None
    plan = test.plan
    path = (0.0, *test.path)
    rows = [{"pair": pair, "llr": path[pair]} for pair in _drawn_points(len(path))]
    heading = Heading(
        "sequential-test",
        f"Sequential test: {test.state} after {counted(len(test.path), 'pair')}",
        [
            f"H0: {elo_words(plan.elo0, plan.unit)}, H1: {elo_words(plan.elo1, plan.unit)}; error rates "
            f"{plan.alpha:g} and {plan.beta:g}, fixed before the run"
        ],
    )
    spoken = f"The log-likelihood ratio ends at {test.llr:.2f}; the bounds are {plan.lower:.2f} and {plan.upper:.2f}."
    return finished(_test_layers(plan, len(path) - 1, path), rows, heading, spoken)


def _drawn_points(points: int) -> list[int]:
    """Return the points to draw: all points, or evenly spaced points and the last."""
    step = max(1, -(-points // MOST_POINTS))
    return sorted({*range(0, points, step), points - 1})


def _test_layers(plan: SprtPlan, pairs: int, path: tuple[float, ...]) -> Any:
    base = alt.Chart(ROWS, width=TEST_WIDTH, height=220)
    low, high = min(plan.lower, *path), max(plan.upper, *path)
    room = 0.06 * (high - low)
    y = alt.Y(
        "llr:Q",
        title="log-likelihood ratio of H1 to H0",
        scale=alt.Scale(domain=[low - room, high + room], nice=False),
        axis=alt.Axis(grid=False),
    )
    x = alt.X(
        "pair:Q",
        title="pair",
        scale=alt.Scale(domain=[0, max(1, pairs)], nice=False),
        axis=alt.Axis(grid=False, format=",d", tickMinStep=1, tickCount=8),
    )
    last = base.transform_filter(f"datum.pair == {pairs}")
    return alt.layer(
        *(
            layer
            for bound, words in (
                (plan.upper, f"accept H1: {elo_words(plan.elo1, plan.unit)}"),
                (plan.lower, f"accept H0: {elo_words(plan.elo0, plan.unit)}"),
            )
            for layer in _bound(bound, words)
        ),
        base.mark_line(color=BLUE, strokeWidth=1.6).encode(x=x, y=y),
        last.mark_point(filled=True, opacity=1, size=70, color=INK).encode(x=x, y=y),
    )


def _bound(bound: float, words: str) -> tuple[Any, Any]:
    base = alt.Chart(alt.InlineData(values=[{"bound": bound, "words": words}]))
    y = alt.Y("bound:Q")
    return (
        base.mark_rule(color=MUTED, strokeDash=[5, 3], strokeWidth=1.5).encode(y=y),
        base.mark_text(align="left", baseline="bottom", dy=-2).encode(y=y, x=from_left(4), text=alt.Text("words:N")),
    )
