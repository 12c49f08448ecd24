"""The tables of a study's part: results, standings and verdicts on published figures, and the verdicts in words."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import isfinite
from statistics import median
from typing import Final

from isolarium.analysis.asymmetry import measure
from isolarium.analysis.run_statistics import HeatMap, Visits
from isolarium.arena.plan import Format
from isolarium.game.board import COLUMN_LETTERS
from isolarium.reporting.cells import Cell, Value
from isolarium.reporting.model import Column, Row, Table, rows_of
from isolarium.reporting.run_tables import STANDINGS, depth_notes, standing
from isolarium.spec.parser import COURSE, tree_of
from isolarium.stats import (
    LEAST_OPENINGS,
    RateEstimate,
    chance_spread,
    format_p_value,
    likely_missed,
    rounded,
    win_rate,
)
from isolarium.studies.rounds import Kind
from isolarium.studies.study_results import (
    MIXED,
    JudgedClaim,
    JudgedSessions,
    PartResult,
    Rounds,
    expected_outside,
    judge_sessions,
    judged_cells,
    judged_rows,
)
from isolarium.text import counted

FEW_CELLS: Final = 8
"""Up to this number of cell figures, the table of verdicts has a row for each."""
FEW_OPPONENTS: Final = 3
"""Up to this number of opponents, every cell shows its interval."""
MOST_ACROSS: Final = 7
"""Up to this number of agents, games against each opponent are always printed."""
MOST_BOARDS: Final = 2
"""The maximum number of agents whose boards are shown side by side."""
OUTSIDE: Final = "!"


def part_tables(result: PartResult, *, wide: bool = True) -> list[Table]:
    """Return the tables of a part, with the published figures or the ranking first.

    Without `wide`, the table of many agents against each opponent is left out.
    """
    part, cells = result.part, judged_cells(result)
    rows = judged_rows(result)
    tables = [standings_table(result)]
    if cells:
        tables.insert(0, claims_grid(result, cells))
    elif wide or len(part.agents) <= MOST_ACROSS:
        tables += _against_each(result)
    if 0 < len(cells) <= FEW_CELLS:
        rows += cells.values()
    if rows:
        tables.append(verdict_table(rows))
    if part.sessions:
        tables.append(sessions_table([judge_sessions(result, one) for one in part.sessions]))
    return tables + _heat_tables(result)


def _against_each(result: PartResult) -> list[Table]:
    """Return the table of all agents against each opponent, if there are several."""
    if len(result.part.opponents) > FEW_OPPONENTS:
        return [course_table(result)]
    if len(result.part.opponents) > 1:
        return [rates_grid(result)]
    return [cross_table(result)] if result.part.format is Format.ROUND_ROBIN else []


def course_table(result: PartResult) -> Table:
    """Return the course's table: opponents as rows, agents as columns."""
    agents = by_rate(result)
    columns = [
        Column("match", "Match #", "^", repeats=True),
        Column("opponent", "Opponent", "<", repeats=True),
        *(Column(agent, f"{agent}\n Won | Lost", "^") for agent in agents),
    ]
    digits = len(str(2 * result.plan.pairs))
    rows: list[Sequence[Value]] = []
    for number, opponent in enumerate(result.part.opponents, start=1):
        cells = [result.cell(agent, opponent) for agent in agents]
        won = [f"{cell.games_won:>{digits}} | {cell.games_lost:<{digits}}" for cell in cells]
        rows.append([number, opponent, *won])
    rows.append(["", "Win Rate:", *(_rate(result, agent) for agent in agents)])
    spread = chance_spread(2 * result.plan.pairs * len(result.part.opponents))
    note = f"win rates with 95% intervals over openings; by chance over {spread.games:,} games: {spread} (95%)"
    return Table("course", "Games won and lost", columns, rows_of(columns, rows), 1, (note,))


def _rate(result: PartResult, agent: str) -> Value:
    """Return an agent's win rate against all opponents, or a dash without pairs."""
    return result.rate(agent) if result.row(agent).pairs else Cell(None, NO_PAIRS)


def _rate_against(result: PartResult, agent: str, opponent: str) -> Value:
    """Return an agent's win rate against one opponent, or a dash without pairs."""
    summary = result.cell(agent, opponent)
    return win_rate(summary) if summary.pairs else Cell(None, NO_PAIRS)


def rates_grid(result: PartResult) -> Table:
    """Return every agent's win rate against every opponent."""
    agents = by_rate(result)
    columns = [Column("against", "against", "<", repeats=True), *map(_same, agents)]
    rows: list[Sequence[Value]] = [
        [opponent, *(_rate_against(result, agent, opponent) for agent in agents)] for opponent in result.part.opponents
    ]
    return Table("rates", "Win rates by opponent", columns, rows_of(columns, rows))


def _same(name: str) -> Column:
    """Return a column whose heading is its key."""
    return Column(name, name)


def by_rate(result: PartResult) -> list[str]:
    """Return the agents under test, best first or in the study's order."""
    part = result.part
    if part.claims or part.heat_map or part.columns:
        return list(part.agents)
    return sorted(part.agents, key=lambda agent: -result.row(agent).rate)


def claims_grid(result: PartResult, cells: dict[tuple[str, str], JudgedClaim]) -> Table:
    """Return the published table, with our figure beside each published figure."""
    part = result.part
    agents = [name for name in part.agents if any(agent == name for agent, _ in cells)]
    opponents = [name for name in part.opponents if any(name == met for _, met in cells)]
    columns = [Column("against", "against", "<", repeats=True), *map(_same, agents)]
    rows = [[opponent, *(_both(cells.get((agent, opponent))) for agent in agents)] for opponent in opponents]
    judged = list(cells.values())
    outside = sum(not one.comparison.inside_noise for one in judged)
    widest = max(100 * max(one.ours.rate - one.ours.low, one.ours.high - one.ours.rate) for one in judged)
    notes = (
        f"published games won of games played, and our win rate in percent, at most ± {widest:.1f}",
        f"{OUTSIDE} outside the noise: {outside} of {len(judged)} cells; about {expected_outside(judged)} expected "
        "by chance",
    )
    title = "Published figures and ours"
    return Table("cells", title, columns, rows_of(columns, rows), notes=notes)


def _both(judged: JudgedClaim | None) -> str:
    if judged is None:
        return ""
    claim = judged.claim
    mark = " " if judged.comparison.inside_noise else OUTSIDE
    return f"{claim.wins}/{claim.games}  {rounded(100 * judged.ours.rate, 1)}{mark}"


def cross_table(result: PartResult) -> Table:
    """Return the win rate of every agent against every other."""
    agents = by_rate(result)
    columns = [Column("agent", "", "<", repeats=True), *(Column(agent, f"vs {agent}") for agent in agents)]
    rows = [[agent, *(_cross_cell(result, agent, other) for other in agents)] for agent in agents]
    return Table("cross", "Win rates of rows against columns", columns, rows_of(columns, rows))


def _cross_cell(result: PartResult, agent: str, other: str) -> Value:
    if agent != other:
        return _rate_against(result, agent, other)
    rate = win_rate(result.cell(agent, agent)) if result.part.self_play else None
    return None if rate is None else Cell(rate, f"({rate})")


# Standings


def standings_table(result: PartResult) -> Table:
    """Return each agent's win rate, difference from the baseline and costs."""
    part = result.part
    costs = result.plan.is_timed or part.columns
    left_out = NOT_IN_STUDIES if costs else NOT_IN_STUDIES | COSTS
    columns = [
        Column("name", "agent", "<", repeats=True),
        *(Column(f"column {name}", name) for name in part.columns),
        Column("score", "win rate"),
    ]
    if len(part.opponents) == 1:
        columns.append(Column("split", "pairs split", form=".0%"))
    if part.baseline:
        owner, _, baseline = part.baseline.rpartition(" ")
        versus = f"vs {owner}\n{baseline}" if owner else f"vs {baseline}"
        duels = [Column("duel", "head to\nhead")] if result.rounds else []
        columns += [Column("beside", versus), *duels, Column("verdict", "", "<")]
    columns += [column for column in STANDINGS if column.key not in left_out]
    plays = None if _is_of_course(result) else "plays"  # the specs are long, and the names suffice
    columns.append(Column("agent", plays, "<", can_go=True))
    rows = [_standing(result, agent) for agent in by_rate(result)]
    places = range(len(part.agents))
    notes = (*comparison_notes(result), *depth_notes(result.results, places))
    return Table("standings", _standings_title(result), columns, rows, notes=notes)


def _is_of_course(result: PartResult) -> bool:
    return any(tree_of(spec).search.word == COURSE for spec in result.plan.agents)


NO_PAIRS: Final = "\N{EN DASH}"
"""The win rate of an agent that has not finished a pair of games."""
NOT_IN_STUDIES: Final = {"elo", "score", "superiority", "won", "games", "won_moving_first"}
"""The columns of the standings that studies omit.

Studies rank agents by their win rate against the opponents of the part.
"""
COSTS: Final = {"mean_nodes", "mean_time_ms"}
"""Columns that matter only if agents are timed or compared by their parameters."""


def _standing(result: PartResult, agent: str) -> Row:
    part, summary, place = result.part, result.row(agent), result.part.agents.index(agent)
    found: dict[str, Value] = {
        **standing(result.results, place),
        "agent": result.plan.agents[place],
        "name": agent,
        "score": _rate(result, agent),
        "split": summary.split / max(1, summary.pairs),
    }
    found |= {f"column {name}": values.get(agent, "") for name, values in part.columns.items()}
    if part.baseline and agent != part.baseline:
        found |= {
            "beside": result.beside(agent, part.baseline),
            "duel": _duel(result, agent),
            "verdict": result.verdict(agent),
        }
    return found


def _duel(result: PartResult, agent: str) -> Value:
    """Return an agent's win rate against the baseline, or a dash without duels."""
    found = result.duel(agent)
    if found is None:
        return Cell(None, NO_PAIRS)
    low, high = (min(1.0, max(0.0, 0.5 + end)) for end in (found.low, found.high))
    return RateEstimate(0.5 + found.difference, low, high)


def _standings_title(result: PartResult) -> str:
    opponents = len(result.part.opponents)
    if opponents == 1:
        return f"Win rates against {result.part.opponents[0]}"
    return f"Win rates against all {opponents} opponents" if opponents else "Win rates"


# Verdicts on published figures


def verdict_table(judged: list[JudgedClaim]) -> Table:
    """Return a table with a row for each published figure."""
    columns = [
        Column("source", "source", "<"),
        Column("agent", "agent", "<", repeats=True),
        Column("against", "against", "<"),
        Column("games", "games"),
        Column("published", "published"),
        Column("ours", "ours"),
        Column("verdict", "verdict", "<"),
    ]
    rows = [_verdict_row(one) for one in judged]
    if any(len(one.claim.against) == 1 for one in judged):
        columns.append(Column("coin", "significant vs 50%?", "<"))
        rows = [[*row, _coin(one)] for row, one in zip(rows, judged, strict=True)]
    outside = sum(not one.comparison.inside_noise for one in judged)
    notes = [
        f"outside the noise: {outside} of {len(judged)}; about {expected_outside(judged)} expected by chance",
        "the ± of a published figure is the 95% interval for its number of games",
    ]
    notes += [
        f"{one.claim.source}, {one.claim.agent}: printed as {one.claim.printed:g}%, but its counts "
        f"give {rounded(100 * one.claim.wins / one.claim.games, 1)}%"
        for one in judged
        if one.claim.is_misprint
    ]
    return Table("verdicts", "Published figures judged", columns, rows_of(columns, rows), notes=notes)


def _verdict_row(judged: JudgedClaim) -> list[Value]:
    claim = judged.claim
    return [
        claim.source,
        claim.agent,
        claim.against[0] if len(claim.against) == 1 else f"{len(claim.against)} opponents",
        Cell(claim.games, str(claim.games)),
        judged.comparison.published,
        judged.ours,
        str(judged.comparison),
    ]


def _coin(judged: JudgedClaim) -> str:
    if len(judged.claim.against) > 1:
        return ""
    significant = "no" if judged.coin.inside_noise else "yes"
    return f"{significant} ({format_p_value(judged.coin.p_value)})"


def sessions_table(judged: list[JudgedSessions]) -> Table:
    """Return a table with a row for each published count of sessions."""
    columns = (
        Column("source", "published", "<", repeats=True),
        Column("better", "better"),
        Column("counted", "in its tables:\nbetter, tied, worse", "^"),
        Column("odds", "probability:\nbetter, tied", "^"),
        Column("chance", "expected\n(95%)", "^"),
        Column("verdict", "verdict", "<"),
    )
    rows = rows_of(columns, [_session_row(one) for one in judged])
    title = "Sessions in which an agent scored better"
    return Table("sessions", title, columns, rows, notes=[*_session_notes(judged)])


def _session_row(judged: JudgedSessions) -> list[Value]:
    sessions, odds = judged.sessions, judged.odds
    counted = ", ".join(map(str, sessions.counted)) if sessions.rates else ""
    return [
        sessions.source,
        f"{sessions.better} of {sessions.of}",
        counted,
        f"{rounded(100 * odds.better)}%, {rounded(100 * odds.tied)}%",
        f"{judged.count.low} to {judged.count.high} of {sessions.of}",
        judged.verdict,
    ]


def _session_notes(judged: list[JudgedSessions]) -> Iterator[str]:
    yield (
        "the probabilities follow exactly from our win rates if games are independent; in 95% of cases, chance "
        "gives a count in the expected range"
    )
    for one in judged:
        if one.spread is not None and one.is_known:
            comparison = "as expected" if one.spread.inside_noise else "more than expected"
            yield (
                f"{one.sessions.agent}: the published results vary by {100 * one.spread.observed:.1f} "
                f"points between sessions, {comparison} by chance ({100 * one.spread.expected:.1f})"
            )


# Visits


def _heat_tables(result: PartResult) -> list[Table]:
    """Return the tables of visits, if the part has heat maps."""
    if result.visits is None:
        return []
    tables = [_lean_table(result, result.visits)]
    if len(result.part.agents) <= MOST_BOARDS:
        tables.append(_boards_table(result, result.visits))
    return tables


def _lean_table(result: PartResult, visits: Visits) -> Table:
    columns = (
        Column("who", "agent", "<", repeats=True),
        Column("games", "games"),
        Column("offset", "mean visited square", "<"),
        Column("verdict", "verdict", "<"),
    )
    rows: list[Sequence[Value]] = []
    for name, heat_map in _maps(result, visits):
        lean = measure(heat_map.by_opening, visits.board)
        rows.append([name, heat_map.games, lean.offset if lean.is_known else "", lean.verdict])
    note = "in squares from the centre of the board, with 95% intervals; squares of the opening are not counted"
    return Table("lean", "Offset from the centre", columns, rows_of(columns, rows), notes=(note,))


def _maps(result: PartResult, visits: Visits) -> Iterator[tuple[str, HeatMap]]:
    """Yield the heat maps of agents and their opponents, then of each opponent."""
    agents = result.part.agents
    for place, name in enumerate(agents):
        yield name, visits.own(place)
        yield "  its opponents", visits.opponents(place)
    for place, name in enumerate(result.part.opponents, start=len(agents)):
        yield name, visits.own(place)


def _boards_table(result: PartResult, visits: Visits) -> Table:
    """Return the share of games in which agents visited squares, as boards."""
    board, agents = visits.board, result.part.agents
    columns = [Column("row", "", repeats=True)]
    for agent in agents:
        columns += [Column(f"{agent} {letter}", letter, form=".0f") for letter in COLUMN_LETTERS[: board.cols]]
        columns.append(Column(f"{agent} ", agent, "<"))
    shares = [visits.own(place).share for place in range(len(agents))]
    rows: list[Sequence[Value]] = []
    for row in range(board.rows):
        line: list[Value] = [row + 1]
        for share in shares:
            squares = share[row * board.cols : (row + 1) * board.cols]
            line += [*(100 * float(value) for value in squares), ""]
        rows.append(line)
    note = "percentage of its games in which the agent visited the square"
    return Table("boards", "Squares visited", columns, rows_of(columns, rows), notes=(note,))


# Verdicts


DECIDED: Final = ("better", "worse", MIXED)


def comparison_notes(result: PartResult) -> Iterator[str]:
    """Explain the correction for multiple comparisons with a baseline."""
    many = len(result.part.agents) - 1
    if result.part.baseline and many > 1:
        yield from (
            _rounds_note(result, result.rounds)
            if result.rounds
            else [f"vs {result.part.baseline}: corrected for {many} comparisons (Bonferroni)"]
        )
        yield "by chance alone, at most 5 of 100 such studies call any agent better or worse"
    missed = missed_in_words(result)
    if missed:
        yield missed


def _rounds_note(result: PartResult, rounds: Rounds) -> Iterator[str]:
    """Explain the columns of a part with several rounds."""
    baseline, first = result.part.baseline, counted(result.plan.pairs, "opening")
    sizes = [rounds.schedule.sizes[kind][judged.look] for (_, kind), judged in rounds.judged.items()]
    yield f"win rate: over the {first} of the first round, {result.results.games:,} games"
    yield f"head to head: the win rate against {baseline}"
    yield f"where the question was open: up to {max(sizes):,} openings, {result.games:,} games"
    yield f"corrected for {len(rounds.schedule.agents)} agents, both comparisons and all their looks"


def verdicts_in_words(result: PartResult) -> str:
    """Return how many agents are better or worse than the baseline.

    The text is empty without a baseline.
    """
    part = result.part
    others = [agent for agent in part.agents if agent != part.baseline]
    if not part.baseline or len(others) < 2 or not result.results.has_enough_openings:
        return ""
    found = Counter(result.verdict(agent) for agent in others)
    better, worse, mixed = found["better"], found["worse"], found[MIXED]
    undecided = f"{len(others) - better - worse - mixed} undecided"
    rest = f"{mixed} {MIXED}, and {undecided}" if mixed else f"and {undecided}"
    return f"Compared with {part.baseline}, {better} of {len(others)} agents are better, {worse} worse, {rest}."


def missed_in_words(result: PartResult) -> str:
    """Describe the differences from the baseline that a part would probably miss.

    The text is empty without a baseline.
    """
    part = result.part
    others = [agent for agent in part.agents if agent != part.baseline]
    if not part.baseline or not others:
        return ""
    if not result.results.has_enough_openings:
        return (
            f"no verdicts: {counted(result.results.openings, 'distinct opening')}; at least {LEAST_OPENINGS} are needed"
        )
    if result.rounds:
        return _missed_after_rounds(result, result.rounds)
    least = median(likely_missed(result.beside(agent, part.baseline), len(others)) for agent in others)
    if not isfinite(least):
        return ""
    return f"a difference of less than {_points(least)} points from {part.baseline} would likely be missed"


def _missed_after_rounds(result: PartResult, rounds: Rounds) -> str:
    """Describe the differences that the comparisons of undecided agents would probably miss."""
    undecided = [agent for agent in rounds.schedule.agents if result.verdict(agent) not in DECIDED]
    missed = {
        kind: [rounds.missed(agent, kind) for agent in undecided if (agent, kind) in rounds.judged] for kind in Kind
    }
    if not all(missed.values()):
        return ""
    field, duel = (_points(median(missed[kind])) for kind in Kind)
    return (
        f"if undecided, less than {field} points from {result.part.baseline}, or {duel} from 50% "
        "head to head, would likely be missed"
    )


def _points(share: float) -> str:
    return rounded(100 * share, 0 if share >= 0.0995 else 1)
