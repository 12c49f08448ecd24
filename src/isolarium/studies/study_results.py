"""The results of a study, and published figures compared with ours."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from isolarium.analysis.run_statistics import Visits
from isolarium.arena.plan import Plan
from isolarium.arena.results import Results, read_results
from isolarium.arena.run_db import Record
from isolarium.stats import (
    Comparison,
    Pair,
    PairSummary,
    PairTally,
    RateDifference,
    RateEstimate,
    Significance,
    Stratum,
    chance_outside,
    compare_published,
    format_p_value,
    games_significance,
    likely_missed,
    rate_difference,
    stratified_rate,
    summarize,
)
from isolarium.stats.significance import (
    CountVerdict,
    SessionOdds,
    SpreadVerdict,
    count_verdict,
    session_odds,
    spread_verdict,
)
from isolarium.studies.rounds import Judged, Kind, Schedule, is_decided
from isolarium.studies.study import Claim, SessionCount, Study, StudyPart

ENOUGH_PAIRS: Final = 100
"""With at least this many pairs, our rates vary far less than a session's."""

Scores = dict[int, float]
"""The first agent's score in each finished pair, by the pair's number."""


UNDECIDED: Final = "undecided"
MIXED: Final = "mixed"
"""The verdict on an agent that is better by one comparison and worse by the other."""


@dataclass(frozen=True)
class Rounds:
    """The comparisons with the baseline after all rounds of a part.

    Attributes:
        schedule: The schedule of the rounds.
        judged: The latest judgement of every comparison, by agent and kind.
        games: The number of games of all rounds, including the first.
        finished: Whether no further round is to be played.
    """

    schedule: Schedule
    judged: Mapping[tuple[str, Kind], Judged]
    games: int
    finished: bool

    def missed(self, agent: str, kind: Kind) -> float:
        """Return the smallest true difference of a comparison that is likely to be found."""
        judged = self.judged[agent, kind]
        return likely_missed(judged.difference, self.schedule.comparisons(kind, judged.look))


@dataclass(frozen=True)
class PartResult:
    """The results of a part.

    Attributes:
        part: The part.
        results: The results of its run.
        scores: The scores of every encounter, in the plan's order.
        clusters: The opening's cluster of every pair.
        visits: The squares visited, for a part with heat maps.
        rounds: The comparisons after all rounds, for a part with a budget. Everything else is about
            the first round, in which all agents play the same openings.
    """

    part: StudyPart
    results: Results
    scores: tuple[Scores, ...]
    clusters: Sequence[int]
    visits: Visits | None
    rounds: Rounds | None = None

    @property
    def games(self) -> int:
        """The number of games of all rounds."""
        return self.rounds.games if self.rounds else self.results.games

    @property
    def finished(self) -> bool:
        """Whether all rounds are complete."""
        return self.results.finished and (self.rounds is None or self.rounds.finished)

    @property
    def plan(self) -> Plan:
        """The plan of the run."""
        return self.results.plan

    @cached_property
    def judged(self) -> list["JudgedClaim"]:
        """Every published figure compared with ours; figures per opponent come first."""
        return [*judged_cells(self).values(), *judged_rows(self)]

    def cell(self, agent: str, opponent: str) -> PairSummary:
        """Return the pairs of an agent against one opponent."""
        return self.row(agent, (opponent,), columns=False)

    def row(self, agent: str, against: Sequence[str] | None = None, *, columns: bool | None = None) -> PairSummary:
        """Return the pairs of an agent against some opponents, or all.

        Args:
            agent: An agent under test.
            against: The opponents; by default all.
            columns: Whether to include the games in which the agent is an opponent, and exclude
                games against itself; by default the part's setting.
        """
        return summarize(pair for met in self._pairs(agent, against, columns) for pair in met)

    def rate(self, agent: str, against: Sequence[str] | None = None, *, columns: bool | None = None) -> RateEstimate:
        """Return an agent's win rate against some opponents, or all; see `row`."""
        strata = []
        for met in self._pairs(agent, against, columns):
            tally = PairTally()
            for pair in met:
                tally.add(pair)
            strata.append(Stratum(tally.summary(), tally.clusters))
        return stratified_rate(strata)

    def _pairs(self, agent: str, against: Sequence[str] | None, columns: bool | None) -> Iterator[list[Pair]]:
        """Yield the pairs of an agent, one list per encounter."""
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
        """Return how much better one agent does than another against shared opponents.

        The interval is corrected for multiple comparisons: all agents are compared with `other`. In
        a part with rounds, it includes all openings that both have played.
        """
        if self.rounds and other == self.part.baseline and agent != other:
            return self.rounds.judged[agent, Kind.FIELD].difference
        shared = self.part.opponents or [name for name in self.part.agents if name not in (agent, other)]
        differences = (
            (score - others[pair], self.clusters[pair])
            for opponent in shared
            for others in [{pair: score for score, pair in self._meeting(other, opponent)}]
            for score, pair in self._meeting(agent, opponent)
            if pair in others
        )
        return rate_difference(differences, comparisons=len(self.part.agents) - 1)

    def duel(self, agent: str) -> RateDifference | None:
        """Return by how much an agent's score against the baseline exceeds one half.

        The result is None if they have played no duel.
        """
        judged = self.rounds.judged.get((agent, Kind.DUEL)) if self.rounds else None
        return judged.difference if judged else None

    def verdict(self, agent: str) -> str:
        """Return the verdict on an agent compared with the baseline.

        After several rounds, an agent is better if one of its two comparisons shows it and the
        other does not show the contrary.
        """
        field, duel = self.beside(agent, self.part.baseline), self.duel(agent)
        if self.rounds is None:
            return field.verdict
        decided = {one.verdict for one in (field, duel) if one and is_decided(one)}
        if len(decided) == 2:
            return MIXED
        return decided.pop() if decided else UNDECIDED

    def _meeting(self, agent: str, opponent: str) -> Iterator[tuple[float, int]]:
        """Yield the agent's scores against an opponent, each with its pair number."""
        number, is_first = self._encounters[agent, opponent]
        for pair, score in self.scores[number].items():
            yield (score if is_first else 1.0 - score), pair

    @cached_property
    def _encounters(self) -> dict[tuple[str, str], tuple[int, bool]]:
        """Each encounter's number by names, and whether its first player is named first."""
        names = self.part.players
        found: dict[tuple[str, str], tuple[int, bool]] = {}
        for number, met in enumerate(self.plan.encounters):
            one, other = names[met.first], names[met.second]
            found.setdefault((one, other), (number, True))
            if not self.part.opponents:
                found.setdefault((other, one), (number, False))
        return found


def read_part(record: Record, part: StudyPart) -> PartResult:
    """Read the results of a part, finished or not."""
    visits = Visits(record.board, len(record.plan.players)) if part.heat_map else None
    results = read_results(record, *([visits.add] if visits else []))
    return PartResult(part, results, pair_scores(record), record.clusters().tolist(), visits)


def pair_scores(record: Record) -> tuple[Scores, ...]:
    """Return the scores of the pairs whose two games are finished."""
    pairs, games = record.plan.pairs, dict[int, int]()
    scores: tuple[Scores, ...] = tuple({} for _ in record.plan.encounters)
    for batch in record.batches():
        numbers = batch.encounters.astype(np.int64) * pairs + batch.pairs
        won = batch.winners == batch.legs
        for number, first_won in zip(numbers.tolist(), won.tolist(), strict=True):
            other = games.pop(number, None)
            if other is None:
                games[number] = first_won
            else:
                scores[number // pairs][number % pairs] = (other + first_won) / 2
    return scores


# Published figures


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A published figure compared with ours.

    Attributes:
        claim: The published figure.
        comparison: The comparison with our figure: whether both can be right.
        coin: The figure's significance against 50%.
        by_chance: The probability that it lies outside the noise by chance alone.
    """

    claim: Claim
    comparison: Comparison
    coin: Significance
    by_chance: float

    @property
    def ours(self) -> RateEstimate:
        """Our own figure."""
        return self.comparison.ours


def judge(result: PartResult, claim: Claim) -> JudgedClaim:
    """Compare a published figure with ours."""
    columns = None if len(claim.against) > 1 else False
    ours = result.rate(claim.agent, claim.against, columns=columns)
    return JudgedClaim(
        claim,
        compare_published(claim.wins, claim.games, ours),
        games_significance(claim.wins, claim.games),
        chance_outside(claim.games, ours),
    )


def expected_outside(judged: Iterable[JudgedClaim]) -> str:
    """Return the number of figures expected outside the noise by chance.

    The text has two digits, for example `1.0` or `12`.
    """
    expected = sum(one.by_chance for one in judged)
    return f"{expected:.1f}" if expected < 9.95 else f"{expected:.0f}"


def judged_cells(result: PartResult) -> dict[tuple[str, str], JudgedClaim]:
    """Return the figures per opponent, by agent and opponent.

    Figures of several tables are added up.
    """
    added: dict[tuple[str, str], Claim] = {}
    for claim in result.part.claims:
        if claim.is_cell:
            key = (claim.agent, claim.against[0])
            added[key] = _together(added[key], claim) if key in added else claim
    return {key: judge(result, claim) for key, claim in added.items()}


def _together(one: Claim, other: Claim) -> Claim:
    """Add up two figures of the same agent and opponent."""
    wins, games = one.wins + other.wins, one.games + other.games
    return Claim("all its tables", one.agent, one.against, wins, games, is_cell=True)


def judged_rows(result: PartResult) -> list[JudgedClaim]:
    """Return the figures against several opponents combined, in the file's order."""
    return [judge(result, claim) for claim in result.part.claims if not claim.is_cell]


@dataclass(frozen=True, slots=True)
class JudgedSessions:
    """A published count of sessions compared with what our figures predict.

    Attributes:
        sessions: The published count.
        odds: The odds of each outcome of a session, by our figures.
        count: The comparison of the count with the odds.
        spread: The comparison of the printed results' spread with that of sessions of this size;
            None for fewer than three results.
        fewest_pairs: The smallest number of pairs among the encounters used for the odds.
    """

    sessions: SessionCount
    odds: SessionOdds
    count: CountVerdict
    spread: SpreadVerdict | None
    fewest_pairs: int

    @property
    def is_known(self) -> bool:
        """Whether our own figures are precise enough for a verdict."""
        return self.fewest_pairs >= ENOUGH_PAIRS

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        if not self.is_known:
            return f"we played too few pairs to say ({self.fewest_pairs})"
        where = "inside" if self.count.inside_noise else "outside"
        return f"{where} the noise ({format_p_value(self.count.p_value)})"


def judge_sessions(result: PartResult, sessions: SessionCount) -> JudgedSessions:
    """Compare a published count of sessions with what our figures predict."""
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


# The study as a whole


@dataclass(frozen=True)
class StudyResults:
    """The results of a study.

    Attributes:
        study: The study.
        limit: The limit that overrides the study's, or empty.
        scale: The factor by which the pairs of every part are multiplied.
        wanted: The number of parts to play.
        parts: The results of each part.
        failure: The message about an agent that ended a graded study by repeatedly failing; empty if there was none.
    """

    study: Study
    limit: str
    scale: float
    wanted: int
    parts: tuple[PartResult, ...]
    failure: str = ""

    @property
    def games(self) -> int:
        """The number of games of all parts."""
        return sum(part.games for part in self.parts)

    @property
    def finished(self) -> bool:
        """Whether every part is complete."""
        done = [part.finished for part in self.parts]
        return all(done) and len(done) == self.wanted

    @property
    def claims(self) -> tuple[int, int]:
        """The number of published figures, and how many of them are outside the noise."""
        inside = [one.comparison.inside_noise for one in self.judged]
        return len(inside), inside.count(False)

    @property
    def judged(self) -> list[JudgedClaim]:
        """Every published figure compared with ours."""
        return [one for part in self.parts for one in part.judged]
