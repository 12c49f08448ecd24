"""The standings: each agent's result with its interval."""

from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any

import altair as alt

from isolab.analysis.overview import Overview
from isolab.arena.plan import Format
from isolab.reporting.charts.chart import ROWS, Heading, finished, from_left
from isolab.reporting.colours import BLUE, INK, MUTED, ORANGE
from isolab.reporting.model import Chart
from isolab.reporting.verdict import zero_words
from isolab.text import counted, signed

WIDTH, NARROW = 540, 240
MOST = 60
TESTED, OPPONENT = "under test", "opponent"


@dataclass(frozen=True, slots=True)
class _Standing:
    name: str
    value: float
    low: float
    high: float
    text: str
    role: str


@dataclass(frozen=True, slots=True)
class _Shape:
    """How the chart is laid out."""

    names: list[str]
    unit: str
    even: float
    domain: tuple[float, float]
    legend: bool
    width: int
    row: int
    names_above: bool


def standings_chart(overview: Overview, *, narrow: bool = False) -> Chart:
    """Shares of the points where two play, joint ratings where more do.

    Args:
        overview: the run.
        narrow: whether it has to fit on a phone: names then stand above their bars.
    """
    if overview.is_match:
        return _drawn(overview, _shares(overview), "share of the points, %", 50.0, narrow)
    return _drawn(overview, _ratings(overview), f"Elo; {zero_words(overview.results)}", 0.0, narrow)


def _shares(overview: Overview) -> list[_Standing]:
    assert overview.results.duel is not None
    rate, rows = overview.results.duel.rate, []
    for name, role, one in zip(
        overview.names, (TESTED, OPPONENT), (rate, rate.swapped()), strict=True
    ):
        rows.append(_Standing(name, 100 * one.rate, 100 * one.low, 100 * one.high, str(one), role))
    return sorted(rows, key=lambda row: -row.value)


def _ratings(overview: Overview) -> list[_Standing]:
    ratings = overview.results.ratings
    if ratings is None:
        return []
    places = {label: place for place, label in enumerate(overview.results.labels)}
    rows = []
    for rating in ratings.table:
        place, elo = places[rating.agent], rating.elo
        role = TESTED if place < len(overview.plan.agents) else OPPONENT
        rows.append(
            _Standing(overview.names[place], elo.elo, elo.low, elo.high, signed(str(elo)), role)
        )
    return rows


def _drawn(
    overview: Overview, rows: list[_Standing], unit: str, even: float, narrow: bool
) -> Chart:
    games = counted(overview.results.games, "game")
    openings = counted(overview.results.openings, "distinct opening")
    cut = "" if len(rows) <= MOST else f"the {MOST} best of {len(rows)} agents; "
    domain = _domain(rows[:MOST], even)
    rows = [
        replace(row, low=max(row.low, domain[0]), high=min(row.high, domain[1]))
        for row in rows[:MOST]
    ]
    of = f"{games} from {openings} on {overview.board}"
    heading = Heading(
        "standings-narrow" if narrow else "standings",
        "Standings: " + ("share of the points" if overview.is_match else "joint ratings"),
        [f"{cut}{of}", "bars are 95% intervals"]
        if narrow
        else [f"{cut}{of}; bars are 95% intervals"],
    )
    shape = _Shape(
        names=[row.name for row in rows],
        unit=unit,
        even=even,
        domain=domain,
        legend=overview.plan.format is Format.GAUNTLET,
        width=NARROW if narrow else WIDTH,
        row=46 if narrow else 32,
        names_above=narrow,
    )
    spoken = "; ".join(f"{row.name} {row.text}" for row in rows)
    return finished(_layers(shape), [asdict(row) for row in rows], heading, f"{spoken}.")


def _domain(rows: list[_Standing], even: float) -> tuple[float, float]:
    """From the lowest end to the highest, the even result included, with a little room; open ends reach its edge."""
    ends = [end for row in rows for end in (row.low, row.value, row.high) if isfinite(end)]
    low, high = min([even, *ends]), max([even, *ends])
    length = max(high - low, 1.0)
    return low - 0.05 * length, high + 0.05 * length


def _layers(shape: _Shape) -> Any:
    base = alt.Chart(ROWS, width=shape.width, height=max(1, len(shape.names)) * shape.row)
    quiet = None if shape.names_above else alt.Axis(domain=False, ticks=False)
    y = alt.Y("name:N", sort=shape.names, title=None, axis=quiet)
    scale = alt.Scale(domain=list(shape.domain), nice=False, zero=False)
    ticks = alt.Axis(tickCount=shape.width // 70, grid=True)
    x = alt.X("value:Q", title=shape.unit, scale=scale, axis=ticks)
    low, high = alt.X("low:Q"), alt.X("high:Q")
    end = base.mark_tick(color=INK, opacity=1, thickness=1.6, size=9)
    layers = [
        base.mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=alt.datum(shape.even)),
        base.mark_rule(color=INK, strokeWidth=1.6).encode(y=y, x=low, x2=alt.X2("high:Q")),
        end.encode(y=y, x=low),
        end.encode(y=y, x=high),
        base.mark_point(filled=True, opacity=1, size=95).encode(y=y, x=x, **_look(shape.legend)),
        base.mark_text(align="left").encode(
            y=y, x=from_left(shape.width + 12), text=alt.Text("text:N")
        ),
    ]
    if shape.names_above:
        name = base.mark_text(align="left", dy=-17)
        layers.append(name.encode(y=y, x=from_left(0), text=alt.Text("name:N")))
    return alt.layer(*layers)


def _look(legend: bool) -> dict[str, Any]:
    """Two kinds of agents, told apart by colour and by shape."""
    kinds = [TESTED, OPPONENT]
    shown = alt.Legend(title=None, orient="top") if legend else None
    return {
        "color": alt.Color(
            "role:N", scale=alt.Scale(domain=kinds, range=[BLUE, ORANGE]), legend=shown
        ),
        "shape": alt.Shape(
            "role:N", scale=alt.Scale(domain=kinds, range=["circle", "square"]), legend=shown
        ),
    }
