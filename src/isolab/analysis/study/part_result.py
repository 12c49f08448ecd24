"""What one part of a study says: pairs by agent and opponent, and what its games show."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from isolab.analysis.games import board_of, seated_games
from isolab.analysis.heat import Visits
from isolab.arena.plan import Plan
from isolab.arena.record import Record
from isolab.arena.results import AgentFigures, Results, read_results
from isolab.arena.study import Part
from isolab.stats import Pair, PairSummary, PairTally
from isolab.stats.differences import RateDifference, rate_difference

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
        tally = PairTally()
        wanted = self.part.opponents_of(agent) if against is None else against
        both = self.part.counts_columns if columns is None else columns
        for opponent in wanted:
            if not (both and opponent == agent):
                for score, pair in self._meeting(agent, opponent):
                    tally.add(Pair(score, self.clusters[pair]))
        if both and agent in self.part.opponents:
            for other in self.part.agents:
                if other != agent:
                    for score, pair in self._meeting(other, agent):
                        tally.add(Pair(1.0 - score, self.clusters[pair]))
        return tally.summary()

    def beside(self, agent: str, other: str) -> RateDifference:
        """How much better an agent does than another one against the opponents that both meet."""
        shared = self.part.opponents or [
            name for name in self.part.agents if name not in (agent, other)
        ]
        return rate_difference(
            (score - others[pair], self.clusters[pair])
            for opponent in shared
            for others in [{pair: score for score, pair in self._meeting(other, opponent)}]
            for score, pair in self._meeting(agent, opponent)
            if pair in others
        )

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
    return PartResult(
        part,
        read_results(record),
        _pair_scores(record),
        record.clusters(),
        _visits(record) if part.heat_map else None,
    )


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


def _visits(record: Record) -> Visits:
    visits = Visits(board_of(record), len(record.plan.players))
    for game in seated_games(record):
        visits.add(game)
    return visits
