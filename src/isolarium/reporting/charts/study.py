"""The charts of a study: how far each published figure is from ours, or how the agents stand."""

from typing import Final

from isolarium.reporting.charts.chart import Heading
from isolarium.reporting.charts.intervals import Bar, Layout, intervals_chart
from isolarium.reporting.model import Chart
from isolarium.studies.study_results import JudgedClaim, PartResult, StudyFindings, expected_outside
from isolarium.text import counted, signed

ROW_HEIGHT: Final = 22
MOST: Final = 120
KINDS = INSIDE, OUTSIDE = "inside the noise", "outside the noise"


def claims_chart(found: StudyFindings, *, narrow: bool = False) -> Chart:
    """Every published figure less ours, with the interval of the difference.

    Args:
        found: what a study found for which figures were published.
        narrow: whether it has to fit on a phone.
    """
    judged = found.judged
    bars = [_claim_bar(one) for one in judged[:MOST]]
    cut = f"the first {MOST} of {len(judged)} figures; " if len(judged) > MOST else ""
    outside = sum(bar.kind == OUTSIDE for bar in bars)
    chance = expected_outside(judged[:MOST])
    ours, shown = (
        f"{cut}{counted(found.games, 'game')} of ours",
        "bars are 95% intervals of the difference",
    )
    count = f"{outside} of {len(bars)} outside the noise"
    expected = f"where chance alone puts about {chance}"
    heading = Heading(
        "claims",
        "Published figures less ours",
        [f"{ours};", shown, f"{count},", expected]
        if narrow
        else [f"{ours}; {shown}", f"{count}, {expected}"],
    )
    unit = "published less measured, points of 100"
    layout = Layout(unit, 0.0, KINDS, legend=True, narrow=narrow, row_height=ROW_HEIGHT)
    return intervals_chart(bars, layout, heading)


def _claim_bar(judged: JudgedClaim) -> Bar:
    claim, comparison = judged.claim, judged.comparison
    against = claim.against[0] if len(claim.against) == 1 else f"{len(claim.against)} opponents"
    games = counted(claim.games, "game")
    source = "" if claim.source == games else f", {claim.source}"  # a table may be called by them
    return Bar(
        f"{claim.agent} vs {against}, {games}{source}",
        100 * comparison.difference,
        100 * comparison.low,
        100 * comparison.high,
        signed(f"{100 * comparison.difference:+.1f}"),
        INSIDE if comparison.inside_noise else OUTSIDE,
    )


def rates_chart(result: PartResult, *, narrow: bool = False) -> Chart:
    """The agents' win rates against everybody they met, best first.

    Args:
        result: the part.
        narrow: whether it has to fit on a phone.
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
        "win-rates",
        "Win rates against all opponents",
        [f"{of};", shown] if narrow else [f"{of}; {shown}"],
    )
    layout = Layout("games won, %", 50.0, KINDS, legend=False, narrow=narrow, row_height=ROW_HEIGHT)
    return intervals_chart(bars, layout, heading)
