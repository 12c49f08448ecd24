"""Published figures as a study's file gives them.

A `[[part.claim]]` is a table of its source. Each agent has a list of figures, one for each opponent, or one figure for
all of them; `games` is what each figure counts. A `total` is the rate printed below a list: the list is added up, and
compared with it.

    [[part.claim]]
    source = "Tournament results"
    games = 10
    won.AB_Improved = [10, 7, 10, 8, 6, 5, 6]
    total.AB_Improved = 74.3
"""

from typing import Any

from isolab.errors import InputError, quoted
from isolab.studies.study import Claim, Part, Sessions
from isolab.studies.toml_table import TomlTable
from isolab.text import did_you_mean


def claims_of(table: TomlTable, part: Part) -> list[Claim]:
    """The figures of one `[[part.claim]]`.

    Raises:
        InputError: names the key.
    """
    source, games = table.take("source", str), table.take("games", int)
    if games < 1:
        raise table.error("games", f"{games}: expected at least 1")
    against = table.texts("against") if "against" in table else None
    figures = {"won": table.table("won"), "rate": table.table("rate")}
    totals = table.table("total")
    table.end()
    printed = totals.rest()
    claims: list[Claim] = []
    for key, rows in figures.items():
        for agent, value in rows.rest().items():
            check_agent(rows, agent, part)
            opponents = against or part.opponents_of(agent)
            _check_opponents(table, opponents, agent, part)
            row = _Row(rows, source, agent, opponents, games, is_rate=key == "rate")
            claims += row.cells(value) if isinstance(value, list) else [row.whole(value)]
            if agent in printed:
                claims.append(row.total(value, totals, printed.pop(agent)))
    for agent in printed:
        raise totals.error(agent, "its figures are not there; expected them under won or rate")
    if not claims:
        raise InputError(f"{table.where}: no figures in it; expected won or rate")
    return claims


class _Row:
    """One agent's figures."""

    def __init__(
        self,
        table: TomlTable,
        source: str,
        agent: str,
        opponents: tuple[str, ...],
        games: int,
        *,
        is_rate: bool,
    ) -> None:
        self._table, self._source, self._agent = table, source, agent
        self._opponents, self._games, self._is_rate = opponents, games, is_rate

    def whole(self, value: Any) -> Claim:
        """One figure for all opponents."""
        return self._figure(value, self._opponents, is_cell=False)

    def cells(self, values: list[Any]) -> list[Claim]:
        """One figure for each."""
        if len(values) != len(self._opponents):
            told = f"{len(values)} figures: expected {len(self._opponents)}, one an opponent"
            raise self._table.error(self._agent, told)
        return [
            self._figure(value, (opponent,), is_cell=True)
            for opponent, value in zip(self._opponents, values, strict=True)
        ]

    def total(self, value: Any, totals: TomlTable, printed: Any) -> Claim:
        """What the figures add up to, beside the rate printed below them."""
        if not isinstance(value, list):
            raise totals.error(self._agent, "one figure cannot be added up; expected a list")
        cells = self.cells(value)
        return Claim(
            self._source,
            self._agent,
            self._opponents,
            sum(cell.wins for cell in cells),
            sum(cell.games for cell in cells),
            totals.of_kind(self._agent, printed, float),
        )

    def _figure(self, value: Any, against: tuple[str, ...], *, is_cell: bool) -> Claim:
        printed = None
        if self._is_rate:
            printed = self._table.of_kind(self._agent, value, float)
            self._check_range(printed, 100)
            wins = round(printed * self._games / 100)
        else:
            wins = self._table.of_kind(self._agent, value, int)
            self._check_range(wins, self._games)
        return Claim(self._source, self._agent, against, wins, self._games, printed, is_cell)

    def _check_range(self, number: float, most: int) -> None:
        if not 0 <= number <= most:
            raise self._table.error(self._agent, f"{number:g}: expected 0 to {most}")


def sessions_of(table: TomlTable, part: Part) -> Sessions:
    """The figures of one `[[part.session]]`.

    Raises:
        InputError: names the key.
    """
    agent, than = table.take("agent", str), table.take("than", str)
    for name in (agent, than):
        check_agent(table, name, part)
    sessions = Sessions(
        source=table.take("source", str),
        agent=agent,
        than=than,
        games=table.take("games", int),
        better=table.take("better", int),
        of=table.take("of", int),
        rates=_session_rates(table),
    )
    table.end()
    if not 0 <= sessions.better <= sessions.of:
        raise table.error("better", f"{sessions.better}: expected 0 to {sessions.of}")
    if sessions.games < 2 or sessions.games % 2:
        raise table.error("games", f"{sessions.games}: expected an even number")
    return sessions


def _session_rates(table: TomlTable) -> tuple[tuple[float, float], ...]:
    """`rates`: a list of pairs, the agent's rate and the other's."""
    found = table.value("rates", [])
    if not isinstance(found, list):
        raise table.error("rates", f"{quoted(found)}: expected a list")
    rates = []
    for pair in found:
        if not isinstance(pair, list) or len(pair) != 2:
            raise table.error("rates", f"{quoted(pair)}: expected two rates, as [61.2, 64.0]")
        one, other = (table.of_kind("rates", rate, float) for rate in pair)
        rates.append((one, other))
    return tuple(rates)


def check_agent(table: TomlTable, agent: str, part: Part) -> None:
    """See that an agent plays in the part."""
    if agent not in part.agents:
        hint = did_you_mean(agent, part.agents) or f"there are {', '.join(part.agents)}"
        raise InputError(f"{table.where}: no agent {quoted(agent)} in this part ({hint})")


def _check_opponents(table: TomlTable, names: tuple[str, ...], agent: str, part: Part) -> None:
    met = part.opponents_of(agent)
    for name in names:
        if name not in met:
            hint = did_you_mean(name, met) or f"it meets {', '.join(met)}"
            raise table.error("against", f"{agent} does not meet {quoted(name)} ({hint})")
