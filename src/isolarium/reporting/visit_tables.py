"""The tables of the squares that a run's agents visited."""

from collections.abc import Iterable

from isolarium.analysis.asymmetry import Asymmetry, measure
from isolarium.analysis.run_statistics import Overview
from isolarium.reporting.cells import Cell
from isolarium.reporting.model import Column, Row, Table
from isolarium.stats import format_p_value


def asymmetry_table(overview: Overview) -> Table:
    """Return a table with the asymmetry of each heat map."""
    columns = (
        Column("map", "map", "<", repeats=True, exported=False),
        Column("agent"),
        Column("moves"),
        Column("offset", "offset from the centre, squares", "<", exported=False),
        *map(Column, ("openings", "visits", "down", "down_error", "right", "right_error")),
        Column("centre_p_value"),
        Column("uneven", "asymmetry", "<", form=".1%"),
        Column("uneven_by_chance", "expected by chance", "<", form=".1%"),
        Column("uneven_p_value", "", "<"),
        Column("verdict", "verdict", "<", exported=False),
    )
    rows = [_asymmetry(overview, *one) for one in _measured(overview)]
    title = "Asymmetry of the heat maps"
    return Table("asymmetry", title, columns, rows, is_file=True)


def _measured(overview: Overview) -> Iterable[tuple[int, str, Asymmetry]]:
    """Yield each heat map's player, whether the moves are its own, and asymmetry."""
    for player in range(len(overview.names)):
        yield player, "its own", measure(overview.visits.own(player).by_opening, overview.board)
        if not overview.is_match:
            others = overview.visits.opponents(player).by_opening
            yield player, "its opponents'", measure(others, overview.board)


def _asymmetry(overview: Overview, player: int, whose: str, found: Asymmetry) -> Row:
    about: Row = {
        "map": f"{overview.names[player]}, {whose} moves",
        "agent": overview.results.labels[player],
        "moves": whose,
        "verdict": found.verdict,
    }
    if not found.is_known:
        return about
    return {
        **about,
        "offset": found.offset,
        "openings": found.openings,
        "visits": found.visits,
        "down": found.down,
        "down_error": found.down_error,
        "right": found.right,
        "right_error": found.right_error,
        "centre_p_value": found.centre_p,
        "uneven": found.uneven,
        "uneven_by_chance": found.uneven_by_chance,
        "uneven_p_value": Cell(found.uneven_p, format_p_value(found.uneven_p)),
    }


def visits_table(overview: Overview) -> Table:
    """Return the visits to every square, for the CSV file only."""
    rows: list[Row] = []
    for player, label in enumerate(overview.results.labels):
        own, others = overview.visits.own(player), overview.visits.opponents(player)
        totals = zip(own.by_opening.sum(axis=0), others.by_opening.sum(axis=0), strict=True)
        for square, (mine, theirs) in zip(overview.board.squares, totals, strict=True):
            rows.append(
                {
                    "agent": label,
                    "square": str(square),
                    "games": own.games,
                    "visits": int(mine),
                    "opponents_visits": int(theirs),
                }
            )
    columns = tuple(map(Column, ("agent", "square", "games", "visits", "opponents_visits")))
    return Table("visits", "Visits to every square", columns, rows, is_file=True)
