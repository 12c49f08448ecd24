"""Rounds: how a study spends a budget of games on comparisons with a baseline that are still open.

Each agent is compared with the baseline in two ways: by its score against the part's opponents, opening by opening, and
by its score against the baseline itself. The numbers of openings at which a comparison is judged are fixed before the
first game, and each has its own share of the error probability. Results decide only whether a comparison is continued,
so whatever they decide, the sum of the shares bounds the probability of any false verdict.
`docs/explanation/statistics.md` has the derivation.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import inf, sqrt
from typing import Final

from isolarium.stats import RateDifference

DUELS_FIRST: Final = 8
"""The first judgement of a duel, as a multiple of the pairs per encounter of the first round."""
LARGEST_SHARE: Final = 6
"""A comparison's last judgement may cost this fraction of the budget after the first round."""
HALF: Final = 2
"""A round may spend this fraction of the rest of the budget."""


class Kind(StrEnum):
    """How an agent is compared with the baseline."""

    FIELD = "field"
    """By the difference of their scores against the part's opponents."""
    DUEL = "duel"
    """By the agent's score against the baseline, above one half."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A comparison at one of its planned sizes.

    Attributes:
        look: The index of the size among the planned sizes.
        difference: The estimate, with its interval at that size.
    """

    look: int
    difference: RateDifference


Comparisons = Mapping[tuple[str, Kind], Judged]
"""The latest judgement of each comparison, by agent and kind."""


@dataclass(frozen=True, slots=True)
class Step:
    """Games of one round: some agents continue one kind of comparison to its next size."""

    kind: Kind
    look: int
    agents: tuple[str, ...]


@dataclass(frozen=True)
class Schedule:
    """The planned sizes of all comparisons, and the budget.

    Attributes:
        agents: The agents that are compared with the baseline.
        opponents: The number of the part's opponents.
        pairs: The pairs per encounter of the first round, which every agent plays.
        budget: The maximum number of games, including the first round.
    """

    agents: tuple[str, ...]
    opponents: int
    pairs: int
    budget: int

    @property
    def first_round(self) -> int:
        """The number of games of the first round."""
        return 2 * self.pairs * self.opponents * (len(self.agents) + 1)

    @cached_property
    def sizes(self) -> Mapping[Kind, tuple[int, ...]]:
        """The numbers of openings at which a comparison is judged; each doubles the last."""
        most = max(0, self.budget - self.first_round) / LARGEST_SHARE
        return {
            Kind.FIELD: _doubled(self.pairs, most / self._games_per_opening(Kind.FIELD)),
            Kind.DUEL: _doubled(DUELS_FIRST * self.pairs, most / self._games_per_opening(Kind.DUEL)),
        }

    def _games_per_opening(self, kind: Kind) -> int:
        """Return the games of an opening for one agent, and for the baseline in the field."""
        return 4 * self.opponents if kind is Kind.FIELD else 2

    def span(self, kind: Kind, look: int) -> tuple[int, int]:
        """Return the first opening of a step, and the one after the last."""
        sizes = self.sizes[kind]
        return (sizes[look - 1] if look else 0), sizes[look]

    def comparisons(self, kind: Kind, look: int) -> float:
        """Return by how much the error probability of a single interval is divided.

        Half of the error goes to each kind, equal parts of it to the agents, and an agent's part to
        the judgements in proportion to the square roots of their sizes.
        """
        roots = [sqrt(size) for size in self.sizes[kind]]
        return 2 * len(self.agents) * sum(roots) / roots[look]

    def games(self, step: Step, *, with_baseline: bool) -> int:
        """Return the number of games of a step."""
        first, end = self.span(step.kind, step.look)
        if step.kind is Kind.DUEL:
            return 2 * (end - first) * len(step.agents)
        return 2 * (end - first) * self.opponents * (len(step.agents) + with_baseline)

    def next_round(self, judged: Comparisons, spent: int, baseline: int) -> list[Step]:
        """Return the steps of the next round; none if no comparison can be continued.

        An agent is open until one of its two comparisons is decided. Each open agent continues the comparison that, by
        its results so far, needs fewer games to be decided; a duel comes first. Agents that need the fewest games are
        served first, and a round spends at most half of what is left of the budget, or what a single step costs.

        Args:
            judged: The latest judgement of every comparison.
            spent: The number of games played.
            baseline: The last look of the field up to which the baseline has played.
        """
        wanted = sorted(self._wanted(judged))
        left, chosen = self.budget - spent, dict[tuple[Kind, int], list[str]]()
        most, cost = left / HALF, 0
        for _, place, kind, look in wanted:
            agents = chosen.get((kind, look), [])
            needs_baseline = kind is Kind.FIELD and look > baseline and not agents
            step = Step(kind, look, (self.agents[place],))
            games = self.games(step, with_baseline=needs_baseline)
            if cost + games <= (most if cost else left):
                chosen[kind, look] = [*agents, self.agents[place]]
                cost += games
        return [Step(kind, look, tuple(agents)) for (kind, look), agents in sorted(chosen.items())]

    def _wanted(self, judged: Comparisons) -> Iterable[tuple[float, int, Kind, int]]:
        """Yield each open agent's next step: games needed, agent, kind and look."""
        for place, agent in enumerate(self.agents):
            found = {kind: judged[agent, kind] for kind in Kind if (agent, kind) in judged}
            if any(is_decided(one.difference) for one in found.values()):
                continue
            ways = [
                (self._needed(kind, found.get(kind)), place, kind, look)
                for kind in Kind
                for look in [found[kind].look + 1 if kind in found else 0]
                if look < len(self.sizes[kind])
            ]
            if ways:
                yield min(ways)

    def _needed(self, kind: Kind, judged: Judged | None) -> float:
        """Estimate the games until a comparison is decided; 0 if it has not begun."""
        if judged is None:
            return 0.0
        difference, size = judged.difference, self.sizes[kind][judged.look]
        if not difference.difference:
            return inf
        reach = difference.high - difference.difference
        openings = size * (reach / difference.difference) ** 2 - size
        return openings * self._games_per_opening(kind)


def is_decided(difference: RateDifference) -> bool:
    """Whether a comparison's interval excludes zero."""
    return difference.verdict in ("better", "worse")


def _doubled(first: int, most: float) -> tuple[int, ...]:
    """Return `first`, and its doubles up to `most`."""
    sizes = [first]
    while 2 * sizes[-1] <= most:
        sizes.append(2 * sizes[-1])
    return tuple(sizes)
