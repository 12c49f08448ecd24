"""The charts of a study: how far each published figure is from ours, or how the agents stand."""

from dataclasses import asdict, dataclass
from typing import Any, Final

import altair as alt

from isolab.reporting.charts.chart import ROWS, Heading, finished, from_left
from isolab.reporting.colours import BLUE, INK, MUTED, ORANGE
from isolab.reporting.model import Chart
from isolab.studies.findings import JudgedClaim, PartResult, StudyFindings, expected_outside
from isolab.text import counted, signed

WIDTH: Final = 420
ROW_HEIGHT: Final = 22
MOST: Final = 120
INSIDE, OUTSIDE = "inside the noise", "outside the noise"


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of a chart: a value with its interval."""

    name: str
    value: float
    low: float
    high: float
    text: str
    kind: str


def claims_chart(found: StudyFindings) -> Chart | None:
    """Every published figure less ours, with the interval of the difference; None where nothing was published."""
    judged = found.judged
    lines = [_claim_line(one) for one in judged[:MOST]]
    if not lines:
        return None
    cut = f"the first {MOST} of {len(judged)} figures; " if len(judged) > MOST else ""
    outside = sum(line.kind == OUTSIDE for line in lines)
    chance = expected_outside(judged[:MOST])
    heading = Heading(
        "claims",
        "Published figures less ours",
        [
            f"{cut}{counted(found.games, 'game')} of ours; bars are 95% intervals of the difference",
            f"{outside} of {len(lines)} outside the noise, where chance alone puts about {chance}",
        ],
    )
    drawing = _layers(lines, "published less measured, points of 100", 0.0)
    return finished(drawing, [asdict(line) for line in lines], heading, _spoken(lines))


def _claim_line(judged: JudgedClaim) -> _Line:
    claim, comparison = judged.claim, judged.comparison
    against = claim.against[0] if len(claim.against) == 1 else f"{len(claim.against)} opponents"
    return _Line(
        f"{claim.agent} vs {against}, {counted(claim.games, 'game')}, {claim.source}",
        100 * comparison.difference,
        100 * comparison.low,
        100 * comparison.high,
        signed(f"{100 * comparison.difference:+.1f}"),
        INSIDE if comparison.inside_noise else OUTSIDE,
    )


def rates_chart(result: PartResult) -> Chart:
    """The agents' win rates against everybody they met, best first."""
    lines = []
    for agent in sorted(result.part.agents, key=lambda name: -result.row(name).rate):
        rate = result.rate(agent)
        figures = (100 * rate.rate, 100 * rate.low, 100 * rate.high)
        lines.append(_Line(agent, *figures, str(rate), INSIDE))
    games, openings = result.results.games, result.results.openings
    heading = Heading(
        "win-rates",
        "Win rates against all opponents",
        [f"{counted(games, 'game')} from {counted(openings, 'opening')}; bars are 95% intervals"],
    )
    drawing = _layers(lines, "games won, %", 50.0, legend=False)
    return finished(drawing, [asdict(line) for line in lines], heading, _spoken(lines))


def _spoken(lines: list[_Line]) -> str:
    return "; ".join(f"{line.name}: {line.text}" for line in lines) + "."


def _layers(lines: list[_Line], unit: str, even: float, *, legend: bool = True) -> Any:
    names = list(dict.fromkeys(line.name for line in lines))
    base = alt.Chart(ROWS, width=WIDTH, height=len(names) * ROW_HEIGHT)
    y = alt.Y("name:N", sort=names, title=None, axis=alt.Axis(domain=False, ticks=False))
    scale = alt.Scale(domain=_domain(lines, even), nice=False, zero=False)
    x = alt.X("value:Q", title=unit, scale=scale, axis=alt.Axis(tickCount=6, grid=True))
    kinds = [INSIDE, OUTSIDE]
    shown = alt.Legend(title=None, orient="top") if legend else None
    colour = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[BLUE, ORANGE]), legend=shown)
    shapes = alt.Scale(domain=kinds, range=["circle", "square"])
    point = base.mark_point(filled=True, opacity=1, size=70)
    return alt.layer(
        base.mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=alt.datum(even)),
        base.mark_rule(color=INK, strokeWidth=1.4).encode(
            y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q")
        ),
        point.encode(y=y, x=x, color=colour, shape=alt.Shape("kind:N", scale=shapes, legend=shown)),
        base.mark_text(align="left").encode(y=y, x=from_left(WIDTH + 12), text=alt.Text("text:N")),
    )


def _domain(lines: list[_Line], even: float) -> list[float]:
    low = min([even, *(line.low for line in lines)])
    high = max([even, *(line.high for line in lines)])
    room = 0.05 * max(high - low, 1.0)
    return [low - room, high + room]
