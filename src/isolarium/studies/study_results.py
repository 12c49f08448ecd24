"""What a study found: pairs by agent and opponent, and published figures judged by ours, inside the noise or not."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from isolarium.analysis.run_statistics import Visits
from isolarium.arena.plan import Plan
from isolarium.arena.results import AgentFigures, Results, read_results
from isolarium.arena.run_db import Record
from isolarium.course.grading.forfeits import EarlyLosses
from isolarium.course.grading.grader import Lessons
from isolarium.stats import (
    CoinVerdict,
    Comparison,
    Pair,
    PairSummary,
    PairTally,
    RateDifference,
    RateEstimate,
    Stratum,
    chance_outside,
    coin_verdict,
    compare_published,
    format_p_value,
    rate_difference,
    stratified_rate,
    summarize,
)
from isolarium.stats.sessions import (
    CountVerdict,
    SessionOdds,
    SpreadVerdict,
    count_verdict,
    session_odds,
    spread_verdict,
)
from isolarium.studies.study import Claim, Part, Sessions, Study

ENOUGH_PAIRS: Final = 100
"""With so many, our rates stray far less than those of a session do."""

Scores = dict[int, float]
"""The first agent's score of every finished pair, by the pair's number."""


@dataclass(frozen=True)
class PartResult:
    """A part with its games counted.

    Attributes:
        part: what was asked.
        results: what the record says.
        scores: of every encounter, in the plan's order.
        clusters: of every pair's opening.
        visits: where everybody went, for a part with heat maps.
    """

    part: Part
    results: Results
    scores: tuple[Scores, ...]
    clusters: Sequence[int]
    visits: Visits | None

    @property
    def plan(self) -> Plan:
        """What was played."""
        return self.results.plan

    @cached_property
    def judged(self) -> list["JudgedClaim"]:
        """Every published figure beside ours, those for each opponent first."""
        return [*judged_cells(self).values(), *judged_rows(self)]

    def cell(self, agent: str, opponent: str) -> PairSummary:
        """The pairs of an agent against one opponent."""
        return self.row(agent, (opponent,), columns=False)

    def row(
        self, agent: str, against: Sequence[str] | None = None, *, columns: bool | None = None
    ) -> PairSummary:
        """The pairs of an agent against some opponents, or all.

        Args:
            agent: an agent under test.
            against: the opponents; all if left out.
            columns: whether the agent's games as an opponent count too, and those against itself do not; by default
                as the part says.
        """
        return summarize(pair for met in self._pairs(agent, against, columns) for pair in met)

    def rate(
        self, agent: str, against: Sequence[str] | None = None, *, columns: bool | None = None
    ) -> RateEstimate:
        """An agent's win rate against some opponents, or all; with the arguments of `row`."""
        strata = []
        for met in self._pairs(agent, against, columns):
            tally = PairTally()
            for pair in met:
                tally.add(pair)
            strata.append(Stratum(tally.summary(), tally.clusters))
        return stratified_rate(strata)

    def _pairs(
        self, agent: str, against: Sequence[str] | None, columns: bool | None
    ) -> Iterator[list[Pair]]:
        """The pairs of an agent, a list for each encounter."""
        wanted = self.part.opponents_of(agent) if against is None else against
        both = self.part.counts_columns if columns is None else columns
        for opponent in wanted:
            if not (both and opponent == agent):
                met = self._meeting(agent, opponent)
                yield [Pair(score, self.clusters[pair]) for score, pair in met]
        if both and agent in self.part.opponents:
            for other in self.part.agents:
                if other != agent:
                    met = self._meeting(other, agent)
                    yield [Pair(1.0 - score, self.clusters[pair]) for score, pair in met]

    def beside(self, agent: str, other: str) -> RateDifference:
        """How much better an agent does than another one against the opponents that both meet.

        The interval is one of those of all agents beside that one, which hold together.
        """
        shared = self.part.opponents or [
            name for name in self.part.agents if name not in (agent, other)
        ]
        differences = (
            (score - others[pair], self.clusters[pair])
            for opponent in shared
            for others in [{pair: score for score, pair in self._meeting(other, opponent)}]
            for score, pair in self._meeting(agent, opponent)
            if pair in others
        )
        return rate_difference(differences, comparisons=len(self.part.agents) - 1)

    def _meeting(self, agent: str, opponent: str) -> Iterator[tuple[float, int]]:
        """The agent's scores against an opponent, each with its pair's number."""
        number, is_first = self._encounters[agent, opponent]
        for pair, score in self.scores[number].items():
            yield (score if is_first else 1.0 - score), pair

    @cached_property
    def _encounters(self) -> dict[tuple[str, str], tuple[int, bool]]:
        """The number of the encounter of two players by name, and whether the first named is its first."""
        names = self.part.players
        found: dict[tuple[str, str], tuple[int, bool]] = {}
        for number, met in enumerate(self.plan.encounters):
            one, other = names[met.first], names[met.second]
            found.setdefault((one, other), (number, True))
            if not self.part.opponents:
                found.setdefault((other, one), (number, False))
        return found

    def figures_of(self, agent: str) -> AgentFigures:
        """How an agent under test spent its moves."""
        return self.results.agents[self.part.agents.index(agent)]


def read_part(record: Record, part: Part) -> PartResult:
    """Read the record of a part, finished or not."""
    visits = Visits(record.board, len(record.plan.players)) if part.heat_map else None
    results = read_results(record, *([visits.add] if visits else []))
    return PartResult(part, results, _pair_scores(record), record.clusters(), visits)


def _pair_scores(record: Record) -> tuple[Scores, ...]:
    """The scores of the pairs of which both games are finished."""
    scores: tuple[Scores, ...] = tuple({} for _ in record.plan.encounters)
    half: dict[tuple[int, int], bool] = {}
    for encounter, pair, _, first_won in record.results():
        other = half.pop((encounter, pair), None)
        if other is None:
            half[encounter, pair] = first_won
        else:
            scores[encounter][pair] = (other + first_won) / 2
    return scores


# Published figures


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A published figure beside ours.

    Attributes:
        claim: the figure.
        comparison: it and ours, and whether both can be right.
        coin: whether a fair coin might have done the same in as many games.
        by_chance: how likely it was to come out outside the noise by chance alone.
    """

    claim: Claim
    comparison: Comparison
    coin: CoinVerdict
    by_chance: float

    @property
    def ours(self) -> RateEstimate:
        """What we measured."""
        return self.comparison.ours


def judge(result: PartResult, claim: Claim) -> JudgedClaim:
    """Put a figure beside ours."""
    columns = None if len(claim.against) > 1 else False
    ours = result.rate(claim.agent, claim.against, columns=columns)
    return JudgedClaim(
        claim,
        compare_published(claim.wins, claim.games, ours),
        coin_verdict(claim.wins, claim.games),
        chance_outside(claim.games, ours),
    )


def expected_outside(judged: Iterable[JudgedClaim]) -> str:
    """How many figures chance alone puts outside the noise: `1.0`, `12`."""
    expected = sum(one.by_chance for one in judged)
    return f"{expected:.1f}" if expected < 9.95 else f"{expected:.0f}"


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


# The whole


@dataclass(frozen=True)
class StudyFindings:
    """A study and what its parts found.

    Attributes:
        study: what was asked.
        limit: the limit that was put in place of the study's, or nothing.
        scale: pairs for each that the study asks for.
        wanted: how many parts were to be played.
        parts: what each part found.
        lessons: what a teacher would say of each file of the course, where the study asks for it.
        early: the games of its agents that ended early.
    """

    study: Study
    limit: str
    scale: float
    wanted: int
    parts: tuple[PartResult, ...]
    lessons: Mapping[str, Lessons] = field(default_factory=dict)
    early: Sequence[EarlyLosses] = ()

    @property
    def games(self) -> int:
        """Games of all parts."""
        return sum(part.results.games for part in self.parts)

    @property
    def finished(self) -> bool:
        """Whether every part is complete."""
        done = [part.results.finished for part in self.parts]
        return all(done) and len(done) == self.wanted

    @property
    def claims(self) -> tuple[int, int]:
        """How many published figures were judged, and how many of them lie outside the noise."""
        inside = [one.comparison.inside_noise for one in self.judged]
        return len(inside), inside.count(False)

    @property
    def judged(self) -> list[JudgedClaim]:
        """Every published figure beside ours."""
        return [one for part in self.parts for one in part.judged]
