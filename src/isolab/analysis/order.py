"""The order of the players in tables and charts: the best first."""

from isolab.analysis.survey import Survey
from isolab.arena.plan import Format
from isolab.stats import RateEstimate


def standing_order(survey: Survey) -> list[int]:
    """All players, by their places in the plan, best first."""
    ratings, labels = survey.results.ratings, survey.results.labels
    if ratings is not None:
        places = {label: place for place, label in enumerate(labels)}
        return [places[rating.agent] for rating in ratings.table]
    ahead = survey.duel is None or survey.duel.rate.rate >= 0.5
    return sorted(range(len(labels)), reverse=not ahead)


def leading(survey: Survey, most: int) -> list[int]:
    """The best players, those under test before their opponents, in the plan's order; at most so many."""
    tested = len(survey.plan.agents)
    ranked = sorted(standing_order(survey), key=lambda player: player >= tested)
    return sorted(ranked[:most])


def left_out(survey: Survey, shown: list[int]) -> str:
    """`the 24 best of 60 agents; `, or nothing where all are shown."""
    players = len(survey.names)
    return "" if len(shown) == players else f"the {len(shown)} best of {players} agents; "


def cross_sides(survey: Survey, most: int) -> tuple[list[int], list[int]]:
    """The players of a cross table's rows and columns, at most so many; in a gauntlet its two sides."""
    order = standing_order(survey)
    if survey.plan.format is not Format.GAUNTLET:
        return order[:most], order[:most]
    tested = len(survey.plan.agents)
    rows = [player for player in order if player < tested]
    return rows[:most], [player for player in order if player >= tested][:most]


def cross_rates(survey: Survey) -> dict[tuple[int, int], RateEstimate]:
    """For each two that met, from either side: the share of the points."""
    found = {}
    for met in survey.results.encounters:
        if met.summary.pairs:
            first, second = met.encounter.first, met.encounter.second
            found[second, first] = met.rate.swapped()
            found[first, second] = met.rate
    return found
