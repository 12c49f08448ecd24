"""The tables of a study's part."""

from collections.abc import Iterator
from typing import Final

from isolab.analysis.study.heat_tables import heat_tables
from isolab.analysis.study.part_result import PartResult
from isolab.analysis.study.table import Column, Table
from isolab.analysis.study.verdicts import (
    JudgedClaim,
    JudgedSessions,
    judge_sessions,
    judged_cells,
    judged_rows,
)
from isolab.arena.plan import Format
from isolab.stats import coin_spread, format_p_value, win_rate

FEW_CELLS: Final = 8
"""Up to so many figures, each has a line of its own among the verdicts."""
FEW_OPPONENTS: Final = 3
"""Up to so many, there is room for the interval of every cell."""
SIGNIFICANCE: Final = 0.05
OUTSIDE: Final = "!"


def part_tables(result: PartResult) -> list[Table]:
    """Every table of a part, the seed's own layout first."""
    part, cells = result.part, judged_cells(result)
    rows = judged_rows(result)
    tables = []
    if cells:
        tables.append(claims_grid(result, cells))
    elif len(part.opponents) > FEW_OPPONENTS:
        tables.append(course_table(result))
    elif len(part.opponents) > 1:
        tables.append(rates_grid(result))
    elif part.format is Format.ROUND_ROBIN:
        tables.append(cross_table(result))
    tables.append(standings_table(result))
    if 0 < len(cells) <= FEW_CELLS:
        rows += cells.values()
    if rows:
        tables.append(verdict_table(rows))
    if part.sessions:
        tables.append(sessions_table([judge_sessions(result, one) for one in part.sessions]))
    return tables + heat_tables(result)


def course_table(result: PartResult) -> Table:
    """The course's own table: opponents down, agents across, games won and lost, and the win rate below."""
    agents = by_rate(result)
    columns = [Column("Match #", "^", is_key=True), Column("Opponent", "<", is_key=True)]
    columns += [Column(f"{agent}\n Won | Lost", "^") for agent in agents]
    digits = len(str(2 * result.plan.pairs))
    rows = []
    for number, opponent in enumerate(result.part.opponents, start=1):
        row = [str(number), opponent]
        for agent in agents:
            summary = result.cell(agent, opponent)
            won = 2 * summary.won + summary.split
            lost = 2 * summary.lost + summary.split
            row.append(f"{won:>{digits}} | {lost:<{digits}}")
        rows.append(tuple(row))
    rows.append(("", "Win Rate:", *(str(win_rate(result.row(agent))) for agent in agents)))
    spread = coin_spread(2 * result.plan.pairs * len(result.part.opponents))
    note = (
        f"± is the 95% interval over openings; over {spread.games:,} games, a fair coin: {spread}"
    )
    return Table("course", "Games won and lost", tuple(columns), tuple(rows), 1, (note,))


def rates_grid(result: PartResult) -> Table:
    """Every agent's win rate against every opponent."""
    agents = by_rate(result)
    columns = (Column("against", "<", is_key=True), *(Column(agent) for agent in agents))
    rows = tuple(
        (opponent, *(str(win_rate(result.cell(agent, opponent))) for agent in agents))
        for opponent in result.part.opponents
    )
    return Table("rates", "Win rates by opponent", columns, rows)


def by_rate(result: PartResult) -> list[str]:
    """The agents under test, best first where nothing was published whose order counts."""
    part = result.part
    if part.claims or part.heat_map or part.columns:
        return list(part.agents)
    return sorted(part.agents, key=lambda agent: -result.row(agent).rate)


def claims_grid(result: PartResult, cells: dict[tuple[str, str], JudgedClaim]) -> Table:
    """The seed's table with our figure beside each of its own."""
    part = result.part
    agents = [name for name in part.agents if any(agent == name for agent, _ in cells)]
    opponents = [name for name in part.opponents if any(name == met for _, met in cells)]
    columns = (Column("against", "<", is_key=True), *(Column(agent) for agent in agents))
    rows = [
        (opponent, *(_both(cells.get((agent, opponent))) for agent in agents))
        for opponent in opponents
    ]
    judged = list(cells.values())
    outside = sum(not one.comparison.inside_noise for one in judged)
    widest = max(
        100 * max(one.ours.rate - one.ours.low, one.ours.high - one.ours.rate) for one in judged
    )
    notes = (
        f"the seed's games won of those played, and our win rate in percent, ± {widest:.1f} at most",
        f"{OUTSIDE} outside the noise: {outside} of {len(judged)} cells; chance alone marks about "
        f"{SIGNIFICANCE * len(judged):.1f}",
    )
    return Table("cells", "The seed's figures and ours", columns, tuple(rows), 0, notes)


def _both(judged: JudgedClaim | None) -> str:
    if judged is None:
        return ""
    claim = judged.claim
    mark = " " if judged.comparison.inside_noise else OUTSIDE
    return f"{claim.wins}/{claim.games}  {100 * judged.ours.rate:.1f}{mark}"


def cross_table(result: PartResult) -> Table:
    """Everybody against everybody: the row's win rate against the column."""
    agents = by_rate(result)
    columns = (Column("", "<", is_key=True), *(Column(f"vs {agent}") for agent in agents))
    rows = tuple(
        (
            agent,
            *(_cross_cell(result, agent, other) for other in agents),
        )
        for agent in agents
    )
    return Table("cross", "Win rates, row against column", columns, rows)


def _cross_cell(result: PartResult, agent: str, other: str) -> str:
    if agent != other:
        return str(win_rate(result.cell(agent, other)))
    return f"({win_rate(result.cell(agent, agent))})" if result.part.self_play else ""


def standings_table(result: PartResult) -> Table:
    """A line for each agent: what it is, its win rate, how far it looked ahead, and where it matters at what cost."""
    part = result.part
    columns = [Column("agent", "<", is_key=True)]
    columns += [Column(name) for name in part.columns]
    columns.append(Column("win rate"))
    alone = len(part.opponents) == 1
    if alone:
        columns.append(Column("pairs split"))
    if part.baseline:
        columns += [Column(f"beside {part.baseline}"), Column("", "<")]
    columns.append(Column("plies a move"))
    costs = result.plan.is_timed or part.columns
    if costs:
        columns += [Column("nodes a move"), Column("ms a move")]
    columns.append(Column("plays", "<", can_go=True))
    rows = []
    for agent in by_rate(result):
        row = [agent, *(values.get(agent, "") for values in part.columns.values())]
        summary = result.row(agent)
        row.append(str(win_rate(summary)))
        if alone:
            row.append(f"{100 * summary.split / max(1, summary.pairs):.0f}%")
        if part.baseline:
            row += _beside(result, agent)
        figures = result.figures_of(agent)
        spec = result.plan.agents[part.agents.index(agent)]
        row.append(f"{figures.mean_depth:.1f}")
        if costs:
            row += [f"{figures.mean_nodes:,.0f}", f"{figures.mean_time_ms:.2f}"]
        row.append(spec)
        rows.append(tuple(row))
    return Table("standings", _standings_title(result), tuple(columns), tuple(rows))


def _standings_title(result: PartResult) -> str:
    opponents = len(result.part.opponents)
    if opponents == 1:
        return f"Win rates against {result.part.opponents[0]}"
    return f"Win rates against all {opponents} opponents" if opponents else "Win rates"


def _beside(result: PartResult, agent: str) -> list[str]:
    if agent == result.part.baseline:
        return ["", ""]
    difference = result.beside(agent, result.part.baseline)
    return [str(difference), difference.verdict]


def verdict_table(judged: list[JudgedClaim]) -> Table:
    """A line for each published figure."""
    alone = any(len(one.claim.against) == 1 for one in judged)
    columns = [
        Column("source", "<"),
        Column("agent", "<", is_key=True),
        Column("against", "<"),
        Column("games"),
        Column("seed said"),
        Column("we measured"),
        Column("verdict", "<"),
    ]
    if alone:
        columns.append(Column("would a fair coin do?", "<"))
    rows = [(*_verdict_row(one), *([_coin(one)] if alone else [])) for one in judged]
    outside = sum(not one.comparison.inside_noise for one in judged)
    notes = [
        f"outside the noise: {outside} of {len(judged)}; chance alone puts about "
        f"{SIGNIFICANCE * len(judged):.1f} there",
        "the seed's ± is the 95% interval that its own number of games supports",
    ]
    notes += [
        f"{one.claim.source}, {one.claim.agent}: printed as {one.claim.printed:g}%, but its counts "
        f"give {100 * one.claim.wins / one.claim.games:.1f}%"
        for one in judged
        if one.claim.is_misprint
    ]
    return Table("verdicts", "What the seed said", tuple(columns), tuple(rows), 0, tuple(notes))


def _verdict_row(judged: JudgedClaim) -> tuple[str, ...]:
    claim = judged.claim
    return (
        claim.source,
        claim.agent,
        claim.against[0] if len(claim.against) == 1 else f"{len(claim.against)} opponents",
        str(claim.games),
        str(judged.comparison.published),
        str(judged.ours),
        str(judged.comparison),
    )


def _coin(judged: JudgedClaim) -> str:
    if len(judged.claim.against) > 1:
        return ""
    word = "yes" if judged.coin.inside_noise else "no"
    return f"{word} ({format_p_value(judged.coin.p_value)})"


def sessions_table(judged: list[JudgedSessions]) -> Table:
    """A line for each count of sessions."""
    columns = (
        Column("seed said", "<", is_key=True),
        Column("better"),
        Column("in its tables:\nbetter, tied, worse", "^"),
        Column("odds of a session:\nbetter, tied", "^"),
        Column("chance\ngives", "^"),
        Column("verdict", "<"),
    )
    rows = tuple(_session_row(one) for one in judged)
    return Table("sessions", "Sessions counted", columns, rows, 0, tuple(_session_notes(judged)))


def _session_row(judged: JudgedSessions) -> tuple[str, ...]:
    sessions, odds = judged.sessions, judged.odds
    counted = ", ".join(map(str, sessions.counted)) if sessions.rates else ""
    return (
        sessions.source,
        f"{sessions.better} of {sessions.of}",
        counted,
        f"{100 * odds.better:.0f}%, {100 * odds.tied:.0f}%",
        f"{judged.count.low} to {judged.count.high} of {sessions.of}",
        judged.verdict,
    )


def _session_notes(judged: list[JudgedSessions]) -> Iterator[str]:
    yield (
        "the odds follow exactly from our win rates, taking games as independent; chance gives a count "
        "between the bounds in 95 of 100 such series"
    )
    for one in judged:
        if one.spread is not None and one.is_known:
            word = "as chance does" if one.spread.inside_noise else "more than chance does"
            yield (
                f"{one.sessions.agent}: the printed results scatter by {100 * one.spread.observed:.1f} "
                f"points from session to session, {word} ({100 * one.spread.expected:.1f})"
            )
