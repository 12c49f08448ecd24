"""The tables of a run: standings, cross table, encounters and losses."""

from collections.abc import Iterable, Iterator, Sequence
from math import isinf, nan
from typing import Final

from isolarium.arena.plan import Format
from isolarium.arena.results import EncounterResult, Results
from isolarium.game.position import Reason
from isolarium.reporting.cells import Cell
from isolarium.reporting.model import Column, Row, Table
from isolarium.spec.parser import ENGINE, tree_of
from isolarium.stats import (
    LEAST_OPENINGS,
    RateEstimate,
    chance_spread,
    elo_difference,
    format_likelihood,
    pairs_significance,
    rounded,
)

NOT_MET: Final = "·"
ACROSS_WIDTH: Final = 15
"""The approximate width of an agent's column in the course's table."""
PICTURE_WIDTH: Final = 25
BY_CHANCE: Final = "by chance"
ABOUT_CHANCE: Final = "by chance: the 95% range at equal strength"


def main_tables(results: Results, width: int) -> list[Table]:
    """Return the tables with a run's results for a screen of `width` characters."""
    if results.plan.sweep is not None:
        return [sweep_table(results)]
    if results.plan.format is Format.GAUNTLET:
        return [course_table(results, width), standings_table(results)]
    return [standings_table(results), cross_table(results)]


# Standings


STANDINGS: Final = (
    Column("elo", "Elo"),
    Column("score", "win rate"),
    Column("superiority", "LOS over\nthe next"),
    Column("won", "won"),
    Column("games", "games"),
    Column("won_moving_first"),
    Column("mean_depth", "mean\ndepth", form=".1f", can_go=True),
    Column("mean_nodes", "nodes\nper move", form=",.0f", can_go=True),
    Column("mean_time_ms", "ms\nper move", form=".2f", can_go=True),
)
"""The columns of every standings table, here and in studies; `standing` has the values."""


def standings_table(results: Results) -> Table:
    """Return the ratings, win rates and costs per move, with the best agent first."""
    columns = (Column("place", "", repeats=True), Column("agent", _about(results), "<", repeats=True), *STANDINGS)
    rows = [standing(results, player) for player in results.ranking]
    notes = (*_open_ends(results), *depth_notes(results, results.ranking))
    return Table("standings", "Agents, best first", columns, rows, notes=notes, is_file=True)


def _open_ends(results: Results) -> Iterator[str]:
    """Explain unbounded intervals, if the interval of a rating is unbounded."""
    if not results.has_enough_openings:
        yield f"no Elo intervals and no LOS below {LEAST_OPENINGS} distinct openings"
        return
    rated = () if results.ratings is None else results.ratings.table
    if any(isinf(row.elo.low) or isinf(row.elo.high) for row in rated):
        yield "unbounded Elo interval: the agent never lost or never won"


OWN_DEPTH: Final = "* as the program itself reports"


def depth_mark(results: Results, player: int) -> str:
    """Return the mark for a mean depth that only the agent's own program reports.

    The mark is empty for other agents.
    """
    is_engine = tree_of(results.plan.players[player]).search.word == ENGINE
    return "*" if is_engine and results.agents[player].searched else ""


def depth_notes(results: Results, players: Iterable[int]) -> Iterator[str]:
    """Explain the mark of `depth_mark`, if one of these agents has it."""
    if any(depth_mark(results, player) for player in players):
        yield f"mean depth: {OWN_DEPTH}"


def _mean_depth(results: Results, player: int) -> float | Cell | None:
    mean, mark = results.agents[player].mean_depth, depth_mark(results, player)
    return Cell(mean, f"{mean:.1f}{mark}") if mark else mean


def standing(results: Results, player: int) -> Row:
    """Return a player's row of the standings.

    The likelihood of superiority is known only at the planned end.
    """
    figures, place = results.agents[player], results.ranking.index(player)
    below = results.ranking[place + 1] if place + 1 < len(results.ranking) else None
    sure = None
    if results.finished and below is not None:
        sure = results.superiority(player, below)
    return {
        "place": place + 1,
        "agent": _named(results, player),
        "elo": results.elo_of(player),
        "score": results.rates[player],
        "superiority": None if sure is None else Cell(sure, format_likelihood(sure)),
        "won": figures.won,
        "games": figures.games,
        "won_moving_first": figures.won_first,
        "mean_depth": _mean_depth(results, player),
        "mean_nodes": figures.mean_nodes,
        "mean_time_ms": figures.mean_time_ms,
    }


def _about(results: Results) -> str:
    """Return the heading of the column of agents, with the parts that their names omit."""
    left_out = results.names.left_out
    return f"agent ({left_out})" if left_out else "agent"


def _named(results: Results, player: int) -> Cell:
    return Cell(results.labels[player], results.names.short[player])


# Cross table


def cross_table(results: Results) -> Table:
    """Return every agent's win rate against every other, and on average.

    Games of an agent against itself show the first mover's share and do not count towards the
    average. In a gauntlet, rows are the agents under test and columns are their opponents. In other
    runs, the column headings are ranks in the standings.
    """
    rows, columns = results.cross_sides
    digits = 1 if results.plan.pairs >= 2000 else 0
    best = _best(results, [results.rates[player].rate for player in rows])
    places = {player: place for place, player in enumerate(results.ranking, start=1)}
    found: list[Row] = []
    for player in rows:
        rate = results.rates[player]
        cells = {results.labels[other]: _cross_cell(results, player, other, digits) for other in columns}
        found.append(
            {
                "place": places[player],
                "agent": _named(results, player),
                **cells,
                "average": Cell(rate, best=rate.rate == best),
                BY_CHANCE: str(chance_spread(_games_against_others(results, player))),
            }
        )
    return Table(
        "cross-table",
        "Win rates of rows against columns",
        (
            Column("place", "", repeats=True),
            Column("agent", "win rate against", "<", repeats=True),
            *(
                Column(
                    results.labels[other], str(places[other]) if other in rows else _broken(results.names.short[other])
                )
                for other in columns
            ),
            Column("average", "average"),
            Column(BY_CHANCE, BY_CHANCE, exported=False),
        ),
        found,
        notes=_cross_notes(results),
        is_file=True,
    )


def _cross_notes(results: Results) -> list[str]:
    notes = [ABOUT_CHANCE]
    if results.plan.self_play:
        notes.append("in brackets: the first mover's share against itself, not part of the average")
    return notes


def _cross_cell(results: Results, player: int, other: int, digits: int) -> Cell:
    met = results.against(player, other)
    if met is None or met.summary.pairs == 0:
        return Cell(None, NOT_MET)
    if player == other:
        share = met.won_by_first_mover / (2 * met.summary.pairs)
        return Cell(share, f"({rounded(100 * share, digits)}%)")
    return Cell(met.rate, f"{rounded(100 * met.rate.rate, digits)}%")


def _games_against_others(results: Results, player: int) -> int:
    return results.tally.games_against_others(player)


# A gauntlet in the course's layout


def course_table(results: Results, width: int) -> Table:
    """Return games won and lost by each agent against each opponent.

    The best result against each opponent is marked.

    Opponents are rows, as in the course. If the agents do not fit side by side, they become the
    rows instead.
    """
    agents, opponents = _sides(results)
    label = max(len(_plain(results.names.short[opponent])) for opponent in opponents)
    if label + ACROSS_WIDTH * len(agents) <= width:
        return _opponents_in_rows(results, agents, opponents)
    return _agents_in_rows(results, agents, opponents)


def _sides(results: Results) -> tuple[list[int], list[int]]:
    """Return the agents under test and their opponents, in the plan's order."""
    many = len(results.plan.agents)
    return list(range(many)), list(range(many, len(results.labels)))


def _opponents_in_rows(results: Results, agents: list[int], opponents: list[int]) -> Table:
    labels = [results.labels[agent] for agent in agents]
    rows: list[Row] = []
    for opponent in opponents:
        cells = _scores(results, agents, opponent)
        named = Cell(results.labels[opponent], _plain(results.names.short[opponent]))
        rows.append({"against": named, **dict(zip(labels, cells, strict=True))})
    rates = _rates(results, agents)
    coins = _by_chance(results, agents)
    rows.append({"against": "win rate", **dict(zip(labels, rates, strict=True))})
    rows.append({"against": BY_CHANCE, **dict(zip(labels, coins, strict=True))})
    about = results.names.left_out
    columns = [Column("against", f"against ({about})" if about else "against", "<", repeats=True)]
    for agent, label in zip(agents, labels, strict=True):
        columns.append(Column(label, f"{_broken(results.names.short[agent])}\nwon   lost"))
    return Table("course", "Games won and lost", columns, rows, footer=2, notes=(ABOUT_CHANCE,))


def _agents_in_rows(results: Results, agents: list[int], opponents: list[int]) -> Table:
    agents = sorted(agents, key=lambda agent: -results.rates[agent].rate)
    against = [_scores(results, agents, opponent) for opponent in opponents]
    rows: list[Row] = []
    for place, agent in enumerate(agents):
        cells = (column[place] for column in against)
        rows.append(
            {
                "agent": _named(results, agent),
                "score": _rates(results, agents)[place],
                BY_CHANCE: _by_chance(results, agents)[place],
                **dict(zip((results.labels[other] for other in opponents), cells, strict=True)),
            }
        )
    columns = [
        Column("agent", _about(results), "<", repeats=True),
        Column("score", "win rate"),
        Column(BY_CHANCE, BY_CHANCE, exported=False),
    ]
    for opponent in opponents:
        name = _plain(results.names.short[opponent])
        columns.append(Column(results.labels[opponent], f"{_broken(name)}\nwon   lost"))
    return Table("course", "Games won and lost", columns, rows, notes=(ABOUT_CHANCE,))


def _scores(results: Results, agents: Sequence[int], opponent: int) -> list[Cell]:
    """Return games won and lost against an opponent, the largest shares marked."""
    found = [results.against(agent, opponent) for agent in agents]
    shares = [met.rate.rate for met in found if met is not None and met.summary.pairs]
    best = _best(results, shares)
    return [
        Cell(None, NOT_MET)
        if met is None or met.summary.pairs == 0
        else Cell(met.rate, f"{met.summary.games_won:,} {met.summary.games_lost:>6,}", best=met.rate.rate == best)
        for met in found
    ]


def _rates(results: Results, agents: Sequence[int]) -> list[Cell]:
    rates = [results.rates[agent] for agent in agents]
    best = _best(results, [rate.rate for rate in rates])
    return [Cell(rate, best=rate.rate == best) for rate in rates]


def _best(results: Results, shares: Sequence[float]) -> float:
    """Return the largest share, which is marked.

    If all shares are equal or there are too few openings, return NaN: no share is marked.
    """
    return max(shares) if len(set(shares)) > 1 and results.has_enough_openings else nan


def _by_chance(results: Results, agents: Sequence[int]) -> list[str]:
    return [str(chance_spread(_games_against_others(results, agent))) for agent in agents]


def _plain(label: str) -> str:
    """Remove the number that distinguishes an opponent from an identical agent."""
    return label.rpartition(" #")[0] or label


def _broken(label: str) -> str:
    """Break a heading into short lines."""
    lines, line = [], ""
    for letter in label:
        if len(line) >= 6 and letter in ":(@#,":
            lines.append(line)
            line = ""
        line += letter
    return "\n".join([*lines, line])


# A sweep


def sweep_table(results: Results) -> Table:
    """Return the win rate of each value, with its interval drawn as text."""
    plan, (agents, opponents) = results.plan, _sides(results)
    assert plan.sweep is not None
    rates = [results.rates[agent] for agent in agents]
    low, high = min(rate.low for rate in rates), max(rate.high for rate in rates)
    best = _best(results, [rate.rate for rate in rates])
    shown = opponents if len(opponents) > 1 else []
    rows: list[Row] = []
    for agent, values, rate in zip(agents, plan.sweep.values, rates, strict=True):
        met = {results.labels[other]: results.against(agent, other) for other in shown}
        each = {
            label: Cell(None, NOT_MET) if one is None else Cell(one.rate, f"{rounded(100 * one.rate.rate, 1)}%")
            for label, one in met.items()
        }
        elo = elo_difference(rate)
        rows.append(
            {
                "value": ", ".join(values),
                "score": Cell(rate, best=rate.rate == best),
                "elo": elo if results.has_enough_openings else elo.without_interval(),
                **each,
                "picture": _picture(rate, low, high),
            }
        )
    scale = f"{rounded(100 * low)}%".ljust(PICTURE_WIDTH - 4) + f"{rounded(100 * high)}%".rjust(4)
    games = _games_against_others(results, 0)
    return Table(
        "sweep",
        "Win rate by value, all against the same opponents",
        (
            Column("value", "value", "<", repeats=True),
            Column("score", "win rate"),
            Column("elo", "Elo"),
            *(Column(results.labels[o], _broken(results.names.short[o])) for o in shown),
            Column("picture", scale, exported=False),
        ),
        rows,
        notes=(f"by chance over {games:,} games: {chance_spread(games)} (95%); | marks 50%",),
        is_file=True,
    )


def _picture(rate: RateEstimate, low: float, high: float) -> str:
    """Draw the interval on a line from `low` to `high`, with 50% marked."""

    def place(share: float) -> int:
        span = high - low
        return round((share - low) / span * (PICTURE_WIDTH - 1)) if span > 0 else 0

    line = [" "] * PICTURE_WIDTH
    line[place(rate.low) : place(rate.high) + 1] = "─" * (place(rate.high) - place(rate.low) + 1)
    if low <= 0.5 <= high:
        line[place(0.5)] = "|"
    line[place(rate.rate)] = "●"
    return "".join(line)


# Detail


def pairs_table(results: Results) -> Table:
    """Return a table with a row for each encounter that has a complete pair."""
    columns = (
        Column("encounter", "encounter", "<", repeats=True, exported=False),
        Column("agent"),
        Column("opponent"),
        Column("pairs", "pairs"),
        Column("distinct_openings"),
        Column("won", "won"),
        Column("split", "split"),
        Column("lost", "lost"),
        Column("score", "win rate"),
        Column("superiority", "LOS"),
        Column("coin_p_value", "difference from 50%"),
    )
    met = [result for result in results.encounters if result.summary.pairs]
    rows = [_encounter(results, result) for result in met]
    title = "Encounters, from the first agent's side"
    return Table("pairs", title, columns, rows, is_file=True)


def _encounter(results: Results, result: EncounterResult) -> Row:
    met, summary, verdict = result.encounter, result.summary, pairs_significance(result.summary)
    sure = None
    if result.superiority is not None and results.finished:
        sure = Cell(result.superiority, format_likelihood(result.superiority))
    return {
        "encounter": f"{results.names.short[met.first]} vs {results.names.short[met.second]}",
        "agent": results.labels[met.first],
        "opponent": results.labels[met.second],
        "pairs": summary.pairs,
        "distinct_openings": summary.clusters,
        "won": summary.won,
        "split": summary.split,
        "lost": summary.lost,
        "score": result.rate,
        "superiority": sure,
        "coin_p_value": Cell(verdict.p_value, "not significant" if verdict.inside_noise else "significant"),
    }


def losses_table(results: Results) -> Table:
    """Return the games lost by agent and reason.

    Only reasons that occurred are shown.
    """
    lost = [figures.losses for figures in results.agents]
    seen = {reason for reason in Reason if any(losses[reason] for losses in lost)}
    columns = [Column("agent", "agent", "<", repeats=True)]
    for reason in Reason:
        shown = reason is Reason.NO_MOVES or reason in seen
        columns.append(Column(str(reason).replace(" ", "_"), str(reason) if shown else None))
    rows: list[Row] = [
        {"agent": _named(results, player), **{str(reason).replace(" ", "_"): losses[reason] for reason in Reason}}
        for player, losses in enumerate(lost)
    ]
    return Table("losses", "Games lost, by reason", columns, rows, is_file=True)
