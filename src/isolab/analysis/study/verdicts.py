"""Published figures judged by ours: inside the noise of both, or not."""

from dataclasses import dataclass
from typing import Final

from isolab.analysis.study.part_result import PartResult
from isolab.arena.study import Claim, Sessions
from isolab.stats import (
    CoinVerdict,
    Comparison,
    RateEstimate,
    coin_verdict,
    compare_published,
    format_p_value,
    win_rate,
)
from isolab.stats.sessions import (
    CountVerdict,
    SessionOdds,
    SpreadVerdict,
    count_verdict,
    session_odds,
    spread_verdict,
)

ENOUGH_PAIRS: Final = 100
"""With so many, our rates stray far less than those of a session do."""


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A published figure beside ours.

    Attributes:
        claim: the figure.
        comparison: it and ours, and whether both can be right.
        coin: whether a fair coin might have done the same in as many games.
    """

    claim: Claim
    comparison: Comparison
    coin: CoinVerdict

    @property
    def ours(self) -> RateEstimate:
        """What we measured."""
        return self.comparison.ours


def judge(result: PartResult, claim: Claim) -> JudgedClaim:
    """Put a figure beside ours."""
    columns = None if len(claim.against) > 1 else False
    ours = win_rate(result.row(claim.agent, claim.against, columns=columns))
    return JudgedClaim(
        claim,
        compare_published(claim.wins, claim.games, ours),
        coin_verdict(claim.wins, claim.games),
    )


def judged_cells(result: PartResult) -> dict[tuple[str, str], JudgedClaim]:
    """The figures that are given for each opponent, by agent and opponent; those of several tables are added up."""
    added: dict[tuple[str, str], Claim] = {}
    for claim in result.part.claims:
        if claim.is_cell:
            key = (claim.agent, claim.against[0])
            added[key] = _together(added[key], claim) if key in added else claim
    return {key: judge(result, claim) for key, claim in added.items()}


def _together(one: Claim, other: Claim) -> Claim:
    """Two figures of the same agent and opponent as one."""
    wins, games = one.wins + other.wins, one.games + other.games
    return Claim("all its tables", one.agent, one.against, wins, games, is_cell=True)


def judged_rows(result: PartResult) -> list[JudgedClaim]:
    """The figures that are given as a whole, in the order of the file."""
    return [judge(result, claim) for claim in result.part.claims if not claim.is_cell]


@dataclass(frozen=True, slots=True)
class JudgedSessions:
    """A count of sessions beside what chance does.

    Attributes:
        sessions: the count.
        odds: of one session, by our figures.
        count: the count beside them.
        spread: the printed results of the agent beside the spread that sessions of that size have; None for fewer than
            three results.
        fewest_pairs: the least that we played of any meeting that the odds come from.
    """

    sessions: Sessions
    odds: SessionOdds
    count: CountVerdict
    spread: SpreadVerdict | None
    fewest_pairs: int

    @property
    def is_known(self) -> bool:
        """Whether our own figures are sure enough to judge by."""
        return self.fewest_pairs >= ENOUGH_PAIRS

    @property
    def verdict(self) -> str:
        """In words."""
        if not self.is_known:
            return f"too few pairs of ours to say ({self.fewest_pairs})"
        where = "inside" if self.count.inside_noise else "outside"
        return f"{where} the noise ({format_p_value(self.count.p_value)})"


def judge_sessions(result: PartResult, sessions: Sessions) -> JudgedSessions:
    """Put a count of sessions beside what our figures make likely."""
    cells = [
        [result.cell(name, opponent) for opponent in result.part.opponents_of(name)]
        for name in (sessions.agent, sessions.than)
    ]
    agent, than = ([cell.rate for cell in row] for row in cells)
    odds = session_odds(agent, than, sessions.games)
    printed = [one / 100 for one, _ in sessions.rates]
    return JudgedSessions(
        sessions,
        odds,
        count_verdict(sessions.better, sessions.of, odds.better),
        spread_verdict(printed, odds.spread) if len(printed) > 2 and odds.spread > 0 else None,
        fewest_pairs=min(cell.pairs for row in cells for cell in row),
    )
