"""The sequential test's way between its bounds."""

from typing import Any, Final

import altair as alt

from isolarium.analysis.run_statistics import Overview
from isolarium.reporting.charts.chart import ROWS, Heading, finished, from_left
from isolarium.reporting.colours import BLUE, INK, MUTED
from isolarium.reporting.model import Chart
from isolarium.stats import SprtPlan
from isolarium.text import counted, elo_words

WIDTH: Final = 560
MOST_POINTS: Final = 1500


def sequential_chart(overview: Overview) -> Chart | None:
    """The log likelihood ratio after each pair; None without a test or a pair."""
    test = overview.results.tally.test
    if test is None or not test.path:
        return None
    plan = test.plan
    path = (0.0, *test.path)
    rows = [{"pair": pair, "llr": path[pair]} for pair in _kept(len(path))]
    heading = Heading(
        "sequential-test",
        f"Sequential test: {test.state} after {counted(len(test.path), 'pair')}",
        [
            f"H0: {elo_words(plan.elo0, plan.unit)}, H1: {elo_words(plan.elo1, plan.unit)}; accepted errors "
            f"{plan.alpha:g} and {plan.beta:g}, stated before the run"
        ],
    )
    spoken = (
        f"The log likelihood ratio ends at {test.llr:.2f}, "
        f"between bounds of {plan.lower:.2f} and {plan.upper:.2f}."
    )
    return finished(_drawn(plan, len(path) - 1, path), rows, heading, spoken)


def _kept(points: int) -> list[int]:
    """Which points are drawn: all, or evenly spaced ones and the last."""
    step = max(1, -(-points // MOST_POINTS))
    return sorted({*range(0, points, step), points - 1})


def _drawn(plan: SprtPlan, pairs: int, path: tuple[float, ...]) -> Any:
    base = alt.Chart(ROWS, width=WIDTH, height=220)
    low, high = min(plan.lower, *path), max(plan.upper, *path)
    room = 0.06 * (high - low)
    y = alt.Y(
        "llr:Q",
        title="log likelihood ratio, H1 to H0",
        scale=alt.Scale(domain=[low - room, high + room], nice=False),
        axis=alt.Axis(grid=False),
    )
    x = alt.X(
        "pair:Q",
        title="pairs, in the order of their numbers",
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
        base.mark_text(align="left", baseline="middle").encode(
            y=y, x=from_left(WIDTH + 8), text=alt.Text("words:N")
        ),
    )
