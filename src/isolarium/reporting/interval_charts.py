"""Charts of estimates with their intervals: standings, studies and calibrations."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any, Final

import altair as alt

from isolarium.analysis.calibration import Calibrated, Calibration
from isolarium.analysis.run_statistics import Overview
from isolarium.arena.plan import Format
from isolarium.reporting.chart import ROWS, Heading, finished, from_left
from isolarium.reporting.html import BLUE, INK, MUTED, ORANGE
from isolarium.reporting.model import Chart
from isolarium.reporting.verdict import zero_words
from isolarium.stats import rounded
from isolarium.studies.study_results import JudgedClaim, PartResult, StudyResults, expected_outside
from isolarium.text import counted, signed

WIDTH, NARROW_WIDTH = 540, 240
ROW_HEIGHT, NARROW_ROW_HEIGHT = 32, 38
GAP: Final = 12
"""The space between the bars and their figures."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval.

    Attributes:
        name: The label of the row.
        value: The value.
        low: The lower end of the interval, or minus infinity.
        high: The upper end of the interval, or infinity.
        text: The value and interval as text.
        kind: One of the two kinds in `Layout`.
    """

    name: str
    value: float
    low: float
    high: float
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a chart of intervals.

    Attributes:
        unit: The title of the axis.
        even: The value marked by a dashed line.
        kinds: The two kinds of bars, distinguished by colour and shape.
        legend: Whether to show a legend of the kinds.
        narrow: Whether the chart must fit on a phone; names are then above their bars.
        row_height: The height of a row on wide screens.
    """

    unit: str
    even: float
    kinds: tuple[str, str]
    legend: bool
    narrow: bool
    row_height: int = ROW_HEIGHT


def intervals_chart(bars: Sequence[Bar], layout: Layout, heading: Heading) -> Chart:
    """Chart bars from top to bottom.

    Bars with the same name share a row, and infinite ends reach the edge without a cap.
    """
    low, high = domain = _domain(bars, layout.even)
    rows = [
        replace(bar, value=min(max(bar.value, low), high), low=max(bar.low, low), high=min(bar.high, high))
        for bar in bars
    ]
    names = list(dict.fromkeys(bar.name for bar in bars))
    spoken = "; ".join(f"{bar.name}: {bar.text}" for bar in bars)
    if layout.narrow:
        heading = replace(heading, name=f"{heading.name}-narrow")
    drawing = _layers(names, layout, domain)
    return finished(drawing, [asdict(row) for row in rows], heading, f"{spoken}.")


def _domain(bars: Sequence[Bar], even: float) -> tuple[float, float]:
    """Return the range of all finite ends and the even value, with a margin."""
    ends = [end for bar in bars for end in (bar.low, bar.value, bar.high) if isfinite(end)]
    low, high = min([even, *ends]), max([even, *ends])
    room = 0.05 * max(high - low, 1.0)
    return low - room, high + room


def _layers(names: list[str], layout: Layout, domain: tuple[float, float]) -> Any:
    width = NARROW_WIDTH if layout.narrow else WIDTH
    height = NARROW_ROW_HEIGHT if layout.narrow else layout.row_height
    base = alt.Chart(ROWS, width=width, height=max(1, len(names)) * height)
    quiet = None if layout.narrow else alt.Axis(domain=False, ticks=False, labelPadding=10)
    y = alt.Y("name:N", sort=names, title=None, axis=quiet)
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    ticks = alt.Axis(tickCount=width // 70, grid=True)
    x = alt.X("value:Q", title=layout.unit, scale=scale, axis=ticks)
    low, high = alt.X("low:Q"), alt.X("high:Q")
    end = base.mark_tick(color=INK, opacity=1, thickness=1.6, size=9)
    figure = base.mark_text(align="left")
    layers = [
        base.mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=alt.datum(layout.even)),
        base.mark_rule(color=INK, strokeWidth=1.6).encode(y=y, x=low, x2=alt.X2("high:Q")),
        end.transform_filter(f"datum.low > {domain[0]}").encode(y=y, x=low),
        end.transform_filter(f"datum.high < {domain[1]}").encode(y=y, x=high),
        base.mark_point(filled=True, opacity=1, size=95).encode(y=y, x=x, **_look(layout)),
        figure.encode(y=y, x=from_left(width + GAP), text=alt.Text("text:N")),
    ]
    if layout.narrow:
        name = base.mark_text(align="left", dy=-15)
        layers.append(name.encode(y=y, x=from_left(0), text=alt.Text("name:N")))
    return alt.layer(*layers)


def _look(layout: Layout) -> dict[str, Any]:
    kinds = list(layout.kinds)
    shown = alt.Legend(title=None, orient="top") if layout.legend else None
    colours = alt.Scale(domain=kinds, range=[BLUE, ORANGE])
    shapes = alt.Scale(domain=kinds, range=["circle", "square"])
    return {
        "color": alt.Color("kind:N", scale=colours, legend=shown),
        "shape": alt.Shape("kind:N", scale=shapes, legend=shown),
    }


# Standings


MOST_STANDINGS = 60
ROLES = TESTED, OPPONENT = "under test", "opponent"


def standings_chart(overview: Overview, *, narrow: bool = False) -> Chart:
    """Chart the win rates of two players, or the joint ratings of more.

    Args:
        overview: The run.
        narrow: Whether the chart must fit on a phone.
    """
    if overview.is_match:
        bars, unit, even = _share_bars(overview), "win rate, %", 50.0
    else:
        bars, unit, even = _rating_bars(overview), f"Elo; {zero_words(overview.results)}", 0.0
    legend = overview.plan.format is Format.GAUNTLET
    layout = Layout(unit, even, ROLES, legend, narrow)
    return intervals_chart(bars[:MOST_STANDINGS], layout, _standings_heading(overview, len(bars), narrow))


def _share_bars(overview: Overview) -> list[Bar]:
    assert overview.results.duel is not None
    rate, bars = overview.results.duel.rate, []
    for name, kind, one in zip(overview.names, ROLES, (rate, rate.swapped()), strict=True):
        bars.append(Bar(name, 100 * one.rate, 100 * one.low, 100 * one.high, str(one), kind))
    return sorted(bars, key=lambda bar: -bar.value)


def _rating_bars(overview: Overview) -> list[Bar]:
    ratings = overview.results.ratings
    if ratings is None:
        return []
    places = {label: place for place, label in enumerate(overview.results.labels)}
    bars = []
    for rating in ratings.table:
        place = places[rating.agent]
        elo = overview.results.elo_of(place) or rating.elo
        kind = TESTED if place < len(overview.plan.agents) else OPPONENT
        name = overview.names[place]
        bars.append(Bar(name, elo.elo, elo.low, elo.high, signed(str(elo)), kind))
    return bars


def _standings_heading(overview: Overview, agents: int, narrow: bool) -> Heading:
    games = counted(overview.results.games, "game")
    openings = counted(overview.results.openings, "distinct opening")
    cut = "" if agents <= MOST_STANDINGS else f"the best {MOST_STANDINGS} of {agents} agents; "
    of, bars = f"{cut}{games} from {openings} on {overview.board}", "bars are 95% intervals"
    return Heading(
        "standings",
        "Standings: " + ("win rate" if overview.is_match else "joint ratings"),
        [of, bars] if narrow else [f"{of}; {bars}"],
    )


# Studies


STUDY_ROW_HEIGHT: Final = 22
MOST_CLAIMS: Final = 120
NOISE = INSIDE, OUTSIDE = "inside the noise", "outside the noise"


def claims_chart(found: StudyResults, *, narrow: bool = False) -> Chart:
    """Chart the differences between published figures and ours, with intervals.

    Args:
        found: The results of a study with published figures.
        narrow: Whether the chart must fit on a phone.
    """
    judged = found.judged
    bars = [_claim_bar(one) for one in judged[:MOST_CLAIMS]]
    cut = f"the first {MOST_CLAIMS} of {len(judged)} figures; " if len(judged) > MOST_CLAIMS else ""
    outside = sum(bar.kind == OUTSIDE for bar in bars)
    chance = expected_outside(judged[:MOST_CLAIMS])
    ours, shown = (f"{cut}{counted(found.games, 'game')} of ours", "bars are 95% intervals of the difference")
    count = f"{outside} of {len(bars)} outside the noise"
    expected = f"about {chance} expected by chance"
    heading = Heading(
        "claims",
        "Published figures minus ours",
        [f"{ours};", shown, f"{count},", expected] if narrow else [f"{ours}; {shown}", f"{count}, {expected}"],
    )
    unit = "published minus ours, percentage points"
    layout = Layout(unit, 0.0, NOISE, legend=True, narrow=narrow, row_height=STUDY_ROW_HEIGHT)
    return intervals_chart(bars, layout, heading)


def _claim_bar(judged: JudgedClaim) -> Bar:
    claim, comparison = judged.claim, judged.comparison
    against = claim.against[0] if len(claim.against) == 1 else f"{len(claim.against)} opponents"
    games = counted(claim.games, "game")
    source = "" if claim.source == games else f", {claim.source}"  # Some tables are named after their number of games.
    return Bar(
        f"{claim.agent} vs {against}, {games}{source}",
        100 * comparison.difference,
        100 * comparison.low,
        100 * comparison.high,
        signed(f"{100 * comparison.difference:+.1f}"),
        INSIDE if comparison.inside_noise else OUTSIDE,
    )


def rates_chart(result: PartResult, *, narrow: bool = False) -> Chart:
    """Chart the agents' win rates against all their opponents, best first.

    Args:
        result: The part.
        narrow: Whether the chart must fit on a phone.
    """
    bars = []
    for agent in sorted(result.part.agents, key=lambda name: -result.row(name).rate):
        rate = result.rate(agent)
        figures = (100 * rate.rate, 100 * rate.low, 100 * rate.high)
        bars.append(Bar(agent, *figures, str(rate), INSIDE))
    games, openings = result.results.games, result.results.openings
    of = f"{counted(games, 'game')} from {counted(openings, 'opening')}"
    shown = "bars are 95% intervals"
    heading = Heading(
        "win-rates", "Win rates against all opponents", [f"{of};", shown] if narrow else [f"{of}; {shown}"]
    )
    layout = Layout("win rate, %", 50.0, NOISE, legend=False, narrow=narrow, row_height=STUDY_ROW_HEIGHT)
    return intervals_chart(bars, layout, heading)


# Calibrations


CALIBRATION_WIDTH: Final = 330
CALIBRATION_ROW_HEIGHT: Final = 23
HEURISTIC, BASELINE = "heuristic", "without a heuristic"
MOVE, SIGN = "best-rated move wins, %", "sign predicts the winner, %"


def calibration_chart(found: Calibration) -> Chart:
    """Chart how often the best-rated move wins and the sign predicts the winner."""
    rows, baselines = found.rows, {row.name for row in found.baselines}
    values = [value for row in rows for value in _calibration_rows(row, row.name in baselines)]
    figures = found.baselines[0].overall
    heading = Heading(
        "calibration",
        f"Heuristics against exact values on {found.sample.board}",
        [
            f"moves in {counted(figures.decided, 'position')} with both winning and losing moves, winners in "
            f"{figures.positions:,}, from {counted(found.sample.games, 'game')}",
            "bars are 95% intervals; dashed: chance",
        ],
    )
    names = [row.name for row in rows]
    chance = {MOVE: 100 * figures.right.rate if figures.right else 50.0, SIGN: 50.0}
    panels = [_calibration_panel(names, measure, chance[measure], measure == MOVE) for measure in chance]
    spoken = "; ".join(f"{value['name']}: {value['text']} ({value['measure']})" for value in values)
    return finished(alt.hconcat(*panels, spacing=80), values, heading, f"{spoken}.")


def _calibration_rows(row: Calibrated, baseline: bool) -> Iterator[dict[str, Any]]:
    for measure, rate in ((MOVE, row.overall.right), (SIGN, row.overall.sign)):
        if rate is not None:
            yield {
                "name": row.name,
                "measure": measure,
                "kind": BASELINE if baseline else HEURISTIC,
                "value": 100 * rate.rate,
                "low": 100 * rate.low,
                "high": 100 * rate.high,
                "text": rounded(100 * rate.rate, 1),
            }


def _calibration_panel(names: list[str], measure: str, chance: float, named: bool) -> Any:
    base = alt.Chart(ROWS, width=CALIBRATION_WIDTH, height=len(names) * CALIBRATION_ROW_HEIGHT)
    base = base.transform_filter(f"datum.measure == '{measure}'")
    axis = alt.Axis(domain=False, ticks=False, labels=named)
    y = alt.Y("name:N", sort=names, title=None, axis=axis, scale=alt.Scale(domain=names))
    x = alt.X("value:Q", title=measure, scale=alt.Scale(zero=False, padding=8))
    kinds = [HEURISTIC, BASELINE]
    colour = alt.Color(
        "kind:N", scale=alt.Scale(domain=kinds, range=[BLUE, ORANGE]), legend=alt.Legend(title=None, orient="top")
    )
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=["circle", "square"]))
    return alt.layer(
        base.mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=alt.datum(chance)),
        base.mark_rule(color=INK, strokeWidth=1.6).encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, opacity=1, size=80).encode(y=y, x=x, color=colour, shape=shape),
        base.mark_text(align="left").encode(y=y, x=from_left(CALIBRATION_WIDTH + 10), text=alt.Text("text:N")),
    )
