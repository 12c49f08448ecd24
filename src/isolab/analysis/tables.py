"""The tables of a report."""

from isolab.analysis.asymmetry import Asymmetry
from isolab.analysis.document import Record, Table
from isolab.analysis.order import cross_rates, cross_sides, standing_order
from isolab.analysis.survey import Survey
from isolab.arena.results import EncounterResult
from isolab.game.outcome import Reason
from isolab.stats import (
    EloEstimate,
    elo_difference,
    format_likelihood,
    format_p_value,
    pairs_verdict,
)
from isolab.text import printable, signed


def standings_table(survey: Survey) -> Table:
    """One row for each agent, best first."""
    order = standing_order(survey)
    return Table(
        "standings",
        "Every agent, best first",
        (
            "",
            "agent",
            "Elo, 95%",
            "points, 95%",
            "games won",
            "plies a move",
            "nodes a move",
            "ms a move",
        ),
        [_standing_row(survey, place, player) for place, player in enumerate(order, start=1)],
        texts=2,
        records=[_standing(survey, place, player) for place, player in enumerate(order, start=1)],
    )


def _standing_row(survey: Survey, place: int, player: int) -> list[str]:
    results, figures, elo = survey.results, survey.results.agents[player], _elo(survey, player)
    return [
        str(place),
        printable(results.labels[player]),
        "" if elo is None else signed(str(elo)),
        str(results.rates[player]),
        f"{figures.won:,} of {figures.games:,}",
        f"{figures.mean_depth:.1f}",
        f"{figures.mean_nodes:,.0f}",
        f"{figures.mean_time_ms:.2f}",
    ]


def _standing(survey: Survey, place: int, player: int) -> Record:
    figures, elo, rate = (
        survey.results.agents[player],
        _elo(survey, player),
        survey.results.rates[player],
    )
    return {
        "place": place,
        "agent": printable(survey.results.labels[player]),
        "elo": None if elo is None else _finite(elo.elo),
        "elo_low": None if elo is None else _finite(elo.low),
        "elo_high": None if elo is None else _finite(elo.high),
        "share": round(rate.rate, 4),
        "share_low": round(rate.low, 4),
        "share_high": round(rate.high, 4),
        "games": figures.games,
        "won": figures.won,
        "won_moving_first": figures.won_first,
        "mean_depth": round(figures.mean_depth, 3),
        "mean_nodes": round(figures.mean_nodes, 1),
        "mean_time_ms": round(figures.mean_time_ms, 3),
    }


def _elo(survey: Survey, player: int) -> EloEstimate | None:
    """The rating among many; of two, how far the agent is above the other."""
    results = survey.results
    if results.ratings is not None:
        return results.ratings[results.labels[player]].elo
    met = survey.duel
    if met is None or not met.summary.pairs:
        return None
    return elo_difference(met.rate if player == met.encounter.first else met.rate.swapped())


def _finite(value: float) -> float | None:
    return None if abs(value) == float("inf") else round(value, 2)


def cross_table(survey: Survey) -> Table:
    """The row's share of the points against each column, with its interval."""
    rows, columns = cross_sides(survey, most=len(survey.names))
    rates = cross_rates(survey)
    names, labels = survey.names, [printable(label) for label in survey.results.labels]

    def text(row: int, column: int) -> str:
        return str(rates[row, column]) if (row, column) in rates else ""

    def share(row: int, column: int) -> float | None:
        return round(rates[row, column].rate, 4) if (row, column) in rates else None

    return Table(
        "cross-table",
        "Cross table: the row's share of the points against the column",
        ["", *(names[column] for column in columns)],
        [[names[row], *(text(row, column) for column in columns)] for row in rows],
        records=[
            {"agent": labels[row]} | {labels[column]: share(row, column) for column in columns}
            for row in rows
        ],
    )


def pairs_table(survey: Survey) -> Table:
    """One row for each encounter of which a pair is complete."""
    met = [result for result in survey.results.encounters if result.summary.pairs]
    return Table(
        "pairs",
        "Each encounter, from the side of the first named",
        (
            "encounter",
            "pairs",
            "won",
            "split",
            "lost",
            "share of the points",
            "likely better",
            "noise of a fair coin",
        ),
        [_encounter_row(survey, result) for result in met],
        records=[_encounter(survey, result) for result in met],
    )


def _encounter_row(survey: Survey, result: EncounterResult) -> list[str]:
    met, summary, verdict = result.encounter, result.summary, pairs_verdict(result.summary)
    return [
        f"{survey.names[met.first]} vs {survey.names[met.second]}",
        f"{summary.pairs:,}",
        f"{summary.won:,}",
        f"{summary.split:,}",
        f"{summary.lost:,}",
        str(result.rate),
        format_likelihood(result.superiority),
        "inside" if verdict.inside_noise else "outside",
    ]


def _encounter(survey: Survey, result: EncounterResult) -> Record:
    labels, summary, rate = survey.results.labels, result.summary, result.rate
    return {
        "agent": printable(labels[result.encounter.first]),
        "opponent": printable(labels[result.encounter.second]),
        "pairs": summary.pairs,
        "distinct_openings": summary.clusters,
        "won": summary.won,
        "split": summary.split,
        "lost": summary.lost,
        "share": round(rate.rate, 4),
        "share_low": round(rate.low, 4),
        "share_high": round(rate.high, 4),
        "superiority": round(result.superiority, 4),
        "coin_p_value": round(pairs_verdict(summary).p_value, 5),
    }


Measured = tuple[int, str, Asymmetry]
"""A player, whose moves on its heat map, and what was measured."""


def asymmetry_table(survey: Survey, measured: list[Measured]) -> Table:
    """One row for each heat map."""
    return Table(
        "asymmetry",
        "How far the heat maps are from symmetric",
        ("map", "off the centre by, in squares", "uneven", "by chance", "", "what that says"),
        [_asymmetry_row(survey, *one) for one in measured],
        texts=6,
        records=[_asymmetry(survey, *one) for one in measured if one[2].is_known],
    )


def _asymmetry_row(survey: Survey, player: int, whose: str, found: Asymmetry) -> list[str]:
    name = f"{survey.names[player]}, {whose} moves"
    if not found.is_known:
        return [name, "", "", "", "", found.verdict]
    shares = [f"{100 * share:.1f}%" for share in (found.uneven, found.uneven_by_chance)]
    return [name, found.offset, *shares, format_p_value(found.uneven_p), found.verdict]


def _asymmetry(survey: Survey, player: int, whose: str, found: Asymmetry) -> Record:
    return {
        "agent": printable(survey.results.labels[player]),
        "moves": whose,
        "openings": found.openings,
        "visits": found.visits,
        "down": round(found.down, 4),
        "down_error": round(found.down_error, 4),
        "right": round(found.right, 4),
        "right_error": round(found.right_error, 4),
        "centre_p_value": round(found.centre_p, 5),
        "uneven": round(found.uneven, 5),
        "uneven_by_chance": round(found.uneven_by_chance, 5),
        "uneven_p_value": round(found.uneven_p, 5),
    }


def losses_table(survey: Survey) -> Table:
    """Games lost, by agent and reason."""
    agents = survey.results.agents
    seen = [
        reason
        for reason in Reason
        if reason is Reason.NO_MOVES or any(figures.losses[reason] for figures in agents)
    ]
    return Table(
        "losses",
        "Games lost, by reason",
        ["agent", *map(str, seen)],
        [
            [name, *(f"{figures.losses[reason]:,}" for reason in seen)]
            for name, figures in zip(survey.names, agents, strict=True)
        ],
        records=[
            {"agent": printable(label)}
            | {str(reason).replace(" ", "_"): figures.losses[reason] for reason in Reason}
            for label, figures in zip(survey.results.labels, agents, strict=True)
        ],
    )


def visits_table(survey: Survey) -> Table:
    """Every visit to every square, for programs alone: it has no rows for people."""
    records: list[Record] = []
    for player, label in enumerate(survey.results.labels):
        own, others = survey.visits.own(player), survey.visits.opponents(player)
        totals = zip(own.by_opening.sum(axis=0), others.by_opening.sum(axis=0), strict=True)
        for square, (mine, theirs) in zip(survey.board.squares, totals, strict=True):
            records.append(
                {
                    "agent": printable(label),
                    "square": str(square),
                    "games": own.games,
                    "visits": int(mine),
                    "opponents_visits": int(theirs),
                }
            )
    return Table("visits", "Visits to every square", (), (), records=records)
