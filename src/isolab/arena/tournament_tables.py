"""The tables of a tournament: standings with ratings, the cross table, the course's table, and a sweep's."""

from collections.abc import Sequence

from isolab.arena.labels import ShortLabels, short_labels
from isolab.arena.plan import Format
from isolab.arena.results import Results
from isolab.arena.table import Cell, Row, Table
from isolab.stats import RateEstimate, coin_spread, elo_difference, format_likelihood

COLUMN_WIDTH = 15
"""What an agent's column takes in the course's table, more or less."""
PICTURE_WIDTH = 25


def tables_of(results: Results, width: int) -> list[Table]:
    """The tables of a run, the answer first, for a screen of that width."""
    if results.plan.sweep is not None:
        return [sweep_table(results)]
    if results.plan.format is Format.GAUNTLET:
        return [course_table(results, width), standings_table(results)]
    return [standings_table(results), cross_table(results)]


def ranking(results: Results) -> list[int]:
    """The players, by their ratings where there are any, else by their share of the points; best first."""
    if results.ratings is not None:
        place = {label: player for player, label in enumerate(results.labels)}
        return [place[rating.agent] for rating in results.ratings.table]
    return sorted(range(len(results.labels)), key=lambda player: -results.rates[player].rate)


def standings_table(results: Results) -> Table:
    """Every agent with its joint rating, its share of the points, and how sure it is to be above the next one."""
    order, short = ranking(results), short_labels(results.plan)
    rows = []
    for rank, player in enumerate(order, start=1):
        below = order[rank] if rank < len(order) else None
        elo, los = _rated(results, player, below)
        games = _games_against_others(results, player)
        figures = (elo, str(results.rates[player]), f"{games:,}", los)
        label = _ranked(rank, len(order), short.labels[player])
        rows.append(Row(label, tuple(map(Cell, figures))))
    columns = ("Elo", "win rate", "games", "LOS over\nthe next")
    return Table(_corner(short), columns, tuple(rows))


def _rated(results: Results, player: int, below: int | None) -> tuple[str, str]:
    """A player's rating, and how sure it is to be above the next one; of two, what their pairs say."""
    ratings, labels = results.ratings, results.labels
    if ratings is not None:
        elo = str(ratings[labels[player]].elo)
        sure = None if below is None else ratings.superiority(labels[player], labels[below])
    else:
        met = results.against(player, 1 - player) if len(labels) == 2 else None
        if met is None or not met.summary.pairs:
            return "", ""
        elo = str(elo_difference(met.rate))
        sure = None if below is None else met.superiority
    return elo, "" if sure is None else format_likelihood(sure)


def cross_table(results: Results) -> Table:
    """Every agent's share against every other; its average counts all its games, as row and as column.

    Games against itself are shown, as the first mover's share, and not averaged.
    """
    order, short = ranking(results), short_labels(results.plan)
    digits = 1 if results.plan.pairs >= 2000 else 0
    best = max(results.rates[player].rate for player in order)
    rows = []
    for rank, player in enumerate(order, start=1):
        cells = [Cell(_cross_cell(results, player, other, digits)) for other in order]
        average = results.rates[player]
        spread = str(coin_spread(_games_against_others(results, player)))
        cells += [Cell(str(average), average.rate == best), Cell(spread)]
        rows.append(Row(_ranked(rank, len(order), short.labels[player]), tuple(cells)))
    numbers = tuple(str(rank) for rank in range(1, len(order) + 1))
    alone = ("(in brackets: against itself, the first mover's share, not averaged)",)
    return Table(
        "won by row against",
        (*numbers, "average", "fair coin"),
        tuple(rows),
        alone if results.plan.self_play else (),
    )


def _cross_cell(results: Results, player: int, other: int, digits: int) -> str:
    met = results.against(player, other)
    if met is None or met.summary.pairs == 0:
        return "·"
    if player == other:
        return f"({100 * met.won_by_first_mover / (2 * met.summary.pairs):.{digits}f}%)"
    return f"{100 * met.rate.rate:.{digits}f}%"


def course_table(results: Results, width: int) -> Table:
    """Games won and lost by each agent under test against each opponent, the best against each opponent marked.

    As in the course, opponents are rows. Where the agents do not fit side by side, they become the rows.
    """
    plan, short = results.plan, short_labels(results.plan)
    label = max(map(len, short.labels[len(plan.agents) :]))
    if label + COLUMN_WIDTH * len(plan.agents) <= width:
        return _opponents_in_rows(results, short)
    return _agents_in_rows(results, short)


def _opponents_in_rows(results: Results, short: ShortLabels) -> Table:
    agents, opponents = _sides(results)
    rows = []
    for opponent in opponents:
        rows.append(Row(_plain(short.labels[opponent]), _scores(results, agents, opponent)))
    rates = [results.rates[agent] for agent in agents]
    rows.append(Row("win rate", _rate_cells(rates), ruled=True))
    rows.append(Row("fair coin", _coin_cells(results, agents)))
    columns = tuple(f"{_broken(short.labels[agent])}\nwon   lost" for agent in agents)
    return Table(_corner(short, "against"), columns, tuple(rows))


def _agents_in_rows(results: Results, short: ShortLabels) -> Table:
    agents, opponents = _sides(results)
    agents.sort(key=lambda agent: -results.rates[agent].rate)
    columns = [_scores(results, agents, opponent) for opponent in opponents]
    columns.insert(0, _rate_cells([results.rates[agent] for agent in agents]))
    columns.insert(1, _coin_cells(results, agents))
    names = [_plain(short.labels[opponent]) for opponent in opponents]
    headings = tuple(f"{_broken(name)}\nwon   lost" for name in names)
    rows = tuple(
        Row(short.labels[agent], tuple(column[place] for column in columns))
        for place, agent in enumerate(agents)
    )
    return Table(_corner(short), ("win rate", "fair coin", *headings), rows)


def _sides(results: Results) -> tuple[list[int], list[int]]:
    """The agents under test and their opponents."""
    many = len(results.plan.agents)
    return list(range(many)), list(range(many, len(results.labels)))


def _scores(results: Results, agents: Sequence[int], opponent: int) -> tuple[Cell, ...]:
    """What each agent won and lost against an opponent; those who won the largest share are marked."""
    found = [results.against(agent, opponent) for agent in agents]
    shares = [met.rate.rate for met in found if met is not None and met.summary.pairs]
    best = max(shares, default=0.0)
    telling = len(agents) > 1 and bool(shares)
    cells = []
    for met in found:
        if met is None or met.summary.pairs == 0:
            cells.append(Cell("·"))
        else:
            text = f"{met.won:,} {met.lost:>6,}"
            cells.append(Cell(text, telling and met.rate.rate == best))
    return tuple(cells)


def _rate_cells(rates: Sequence[RateEstimate]) -> tuple[Cell, ...]:
    best = max(rate.rate for rate in rates)
    return tuple(Cell(str(rate), len(rates) > 1 and rate.rate == best) for rate in rates)


def sweep_table(results: Results) -> Table:
    """One row for each value: its share of the points, and a picture of the interval."""
    plan = results.plan
    assert plan.sweep is not None
    rates = results.rates[: len(plan.agents)]
    low, high = min(rate.low for rate in rates), max(rate.high for rate in rates)
    best = max(rate.rate for rate in rates)
    rows = []
    for agent, (values, rate) in enumerate(zip(plan.sweep.values, rates, strict=True)):
        met = [results.against(agent, other) for other in _sides(results)[1]]
        each = tuple(Cell(f"{100 * one.rate.rate:.1f}%" if one else "·") for one in met)
        cells = (
            Cell(str(rate), rate.rate == best),
            Cell(str(elo_difference(rate))),
            *(each if len(each) > 1 else ()),
            Cell(_picture(rate, low, high)),
        )
        rows.append(Row(", ".join(values), cells))
    short = short_labels(plan).labels[len(plan.agents) :]
    columns = ("win rate", "Elo", *(map(_broken, short) if len(short) > 1 else ()))
    scale = f"{100 * low:.0f}%".ljust(PICTURE_WIDTH - 4) + f"{100 * high:.0f}%".rjust(4)
    games = _games_against_others(results, 0)
    notes = (f"a fair coin over {games:,} games: {coin_spread(games)}; | is 50%",)
    return Table("value", (*columns, scale), tuple(rows), notes)


def _picture(rate: RateEstimate, low: float, high: float) -> str:
    """The interval on a line from `low` to `high`, with 50% marked."""

    def place(share: float) -> int:
        span = high - low
        return round((share - low) / span * (PICTURE_WIDTH - 1)) if span > 0 else 0

    line = [" "] * PICTURE_WIDTH
    line[place(rate.low) : place(rate.high) + 1] = "─" * (place(rate.high) - place(rate.low) + 1)
    if low <= 0.5 <= high:
        line[place(0.5)] = "|"
    line[place(rate.rate)] = "●"
    return "".join(line)


def _ranked(rank: int, of: int, label: str) -> str:
    return f"{rank:>{len(str(of))}}  {label}"


def _games_against_others(results: Results, player: int) -> int:
    return 2 * results.tally.player_summary(player).pairs


def _coin_cells(results: Results, agents: Sequence[int]) -> tuple[Cell, ...]:
    spreads = [coin_spread(_games_against_others(results, agent)) for agent in agents]
    return tuple(Cell(f"{spread}") for spread in spreads)


def _corner(short: ShortLabels, text: str = "") -> str:
    return f"{text} ({short.shared})".strip() if short.shared else text or "agent"


def _plain(label: str) -> str:
    """An opponent's name without the number that tells it from an equal agent under test."""
    return label.rpartition(" #")[0] or label


def _broken(label: str) -> str:
    """A heading in lines that are not too long."""
    lines, line = [], ""
    for letter in label:
        if len(line) >= 6 and letter in ":(@#,":
            lines.append(line)
            line = ""
        line += letter
    return "\n".join([*lines, line])
