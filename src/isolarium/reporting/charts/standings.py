"""The standings: each agent's result with its interval."""

from isolarium.analysis.run_statistics import Overview
from isolarium.arena.plan import Format
from isolarium.reporting.charts.chart import Heading
from isolarium.reporting.charts.intervals import Bar, Layout, intervals_chart
from isolarium.reporting.model import Chart
from isolarium.reporting.verdict import zero_words
from isolarium.text import counted, signed

MOST = 60
KINDS = TESTED, OPPONENT = "under test", "opponent"


def standings_chart(overview: Overview, *, narrow: bool = False) -> Chart:
    """Shares of the points where two play, joint ratings where more do.

    Args:
        overview: the run.
        narrow: whether it has to fit on a phone.
    """
    if overview.is_match:
        bars, unit, even = _shares(overview), "share of the points, %", 50.0
    else:
        bars, unit, even = _ratings(overview), f"Elo; {zero_words(overview.results)}", 0.0
    legend = overview.plan.format is Format.GAUNTLET
    layout = Layout(unit, even, KINDS, legend, narrow)
    return intervals_chart(bars[:MOST], layout, _heading(overview, len(bars), narrow))


def _shares(overview: Overview) -> list[Bar]:
    assert overview.results.duel is not None
    rate, bars = overview.results.duel.rate, []
    for name, kind, one in zip(overview.names, KINDS, (rate, rate.swapped()), strict=True):
        bars.append(Bar(name, 100 * one.rate, 100 * one.low, 100 * one.high, str(one), kind))
    return sorted(bars, key=lambda bar: -bar.value)


def _ratings(overview: Overview) -> list[Bar]:
    ratings = overview.results.ratings
    if ratings is None:
        return []
    places = {label: place for place, label in enumerate(overview.results.labels)}
    bars = []
    for rating in ratings.table:
        place, elo = places[rating.agent], rating.elo
        kind = TESTED if place < len(overview.plan.agents) else OPPONENT
        name = overview.names[place]
        bars.append(Bar(name, elo.elo, elo.low, elo.high, signed(str(elo)), kind))
    return bars


def _heading(overview: Overview, agents: int, narrow: bool) -> Heading:
    games = counted(overview.results.games, "game")
    openings = counted(overview.results.openings, "distinct opening")
    cut = "" if agents <= MOST else f"the {MOST} best of {agents} agents; "
    of, bars = f"{cut}{games} from {openings} on {overview.board}", "bars are 95% intervals"
    return Heading(
        "standings",
        "Standings: " + ("share of the points" if overview.is_match else "joint ratings"),
        [of, bars] if narrow else [f"{of}; {bars}"],
    )
