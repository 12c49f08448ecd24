"""Studies in rounds, with scores of pairs drawn from agents of known strength."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isolarium.stats import RateDifference
from isolarium.stats.rates import ClusterSums, difference_of_sums
from isolarium.studies.rounds import Comparisons, Judged, Kind, Schedule, is_decided

Floats = NDArray[np.float64]
OPPONENTS = (0.98, 0.87, 0.96, 0.83, 0.54, 0.60, 0.50)
"""The baseline's rates against the course's opponents, as measured in report 000."""
COURSE = (
    *(0.17, 0.13, 0.10, 0.07, 0.06, 0.05, 0.05, 0.03, 0.03, 0.025, 0.025, 0.015, 0.015, 0.01),
    *(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.03, -0.04, -0.06, -0.065, -0.075, -0.11),
)
"""Leads over the baseline that resemble those of the course's study, with six copies of it."""


@dataclass(frozen=True)
class Contest:
    """Agents with known leads over a baseline.

    Attributes:
        leads: Each agent's lead against an opponent that the baseline beats half of the time; against
            stronger and weaker ones it is smaller.
        duel_leads: Each agent's rate against the baseline, above one half.
        by_opening: The spread of an opening's value to all agents alike.
        split: The share of the even pairs that are split.
    """

    leads: tuple[float, ...]
    duel_leads: tuple[float, ...]
    by_opening: float = 0.1
    split: float = 0.72

    @property
    def names(self) -> tuple[str, ...]:
        """The agents' names."""
        return tuple(map(str, range(len(self.leads))))

    def rates(self) -> Floats:
        """Return the rates of the baseline and then of the agents against the opponents."""
        base = np.array(OPPONENTS)
        leads = np.array((0.0, *self.leads))[:, None]
        rates: Floats = np.clip(base + leads * 4 * base * (1 - base), 0.02, 0.98)
        return rates

    def truth(self, agent: str, kind: Kind) -> float:
        """Return the true difference of a comparison, given the clipped rates of openings."""
        place = int(agent)
        if kind is Kind.DUEL:
            return self.duel_leads[place]
        rates = self.rates()
        return float((rates[place + 1] - rates[0]).mean())

    def scores(self, rng: np.random.Generator, openings: int) -> Floats:
        """Draw the scores of pairs by agent (the baseline first), opening and opponent."""
        rates = self.rates()[:, None, :]
        room = np.minimum(self.rates().min(axis=0), 1 - self.rates().max(axis=0))
        luck = rng.uniform(-1, 1, (openings, len(OPPONENTS))) * np.minimum(self.by_opening, room)
        return self._pairs(rng, np.broadcast_to(rates + luck, (*rates.shape[:1], *luck.shape)))

    def duels(self, rng: np.random.Generator, openings: int) -> Floats:
        """Draw the scores of pairs against the baseline by agent and opening."""
        leads = np.array(self.duel_leads)[:, None]
        return self._pairs(rng, np.broadcast_to(0.5 + leads, (len(leads), openings)))

    def _pairs(self, rng: np.random.Generator, mean: Floats) -> Floats:
        split = self.split * 2 * np.minimum(mean, 1 - mean)
        draw, won = rng.random(mean.shape), mean - split / 2
        return np.where(draw < won, 1.0, np.where(draw < won + split, 0.5, 0.0))


@dataclass(frozen=True)
class StudyOutcome:
    """One simulated study: its last judgements, and the number of games."""

    judged: Comparisons
    games: int


def play(contest: Contest, schedule: Schedule, rng: np.random.Generator) -> StudyOutcome:
    """Play a study in rounds, exactly as the schedule decides."""
    sizes = schedule.sizes
    field = contest.scores(rng, sizes[Kind.FIELD][-1])
    duels = contest.duels(rng, sizes[Kind.DUEL][-1])

    def judge(agent: str, kind: Kind, look: int) -> Judged:
        size, place = sizes[kind][look], int(agent)
        is_field = kind is Kind.FIELD
        gains = (field[place + 1] - field[0] if is_field else duels[place, :, None] - 0.5)[:size]
        comparisons = schedule.comparisons(kind, look)
        return Judged(look, difference_of_sums(_sums(gains), comparisons=comparisons))

    judged: dict[tuple[str, Kind], Judged] = {
        (agent, Kind.FIELD): judge(agent, Kind.FIELD, 0) for agent in schedule.agents
    }
    games, baseline = schedule.first_round, 0
    while steps := schedule.next_round(judged, games, baseline):
        for step in steps:
            is_field = step.kind is Kind.FIELD
            games += schedule.games(step, with_baseline=is_field and step.look > baseline)
            baseline = max(baseline, step.look) if is_field else baseline
            judged |= {(name, step.kind): judge(name, step.kind, step.look) for name in step.agents}
    return StudyOutcome(judged, games)


def _sums(gains: Floats) -> ClusterSums:
    """Return the sums of gains by opening and opponent, each opening a cluster of its own."""
    totals, size = gains.sum(axis=1), gains.shape[1]
    total = float(totals.sum())
    squares = float((totals * totals).sum())
    return ClusterSums(len(totals), gains.size, total, len(totals) * size**2, squares, size * total)


@dataclass(frozen=True)
class RoundsFound:
    """Figures over many studies in rounds, and over studies of one round with as many games.

    Attributes:
        wrong: The share of studies with any false verdict.
        all_held: The share of studies in which every reported interval held the truth.
        held: The share of reported intervals that held the truth.
        bias: The mean error of the reported differences in the direction of the truth, by kind.
        decided: The mean number of agents with a verdict.
        at_once: The same with all games in one round, corrected for the agents alone (Bonferroni).
        at_once_wrong: The share of studies of one round with any false verdict.
        holm: The same as `at_once`, with Holm's step-down procedure.
        dunnett: The same as `at_once`, with Dunnett's critical value instead.
        games: The mean number of games.
    """

    wrong: float
    all_held: float
    held: float
    bias: Mapping[Kind, float]
    decided: float
    at_once: float
    at_once_wrong: float
    holm: float
    dunnett: float
    games: float


def simulate_rounds(contest: Contest, budget: int, studies: int, seed: int) -> RoundsFound:
    """Play many studies in rounds, and as many in one round with the same number of games."""
    rng = np.random.default_rng(seed)
    schedule = Schedule(contest.names, len(OPPONENTS), 30, budget)
    wrong, held, all_held, decided, games = 0, [], 0, 0, 0
    errors: dict[Kind, list[float]] = {kind: [] for kind in Kind}
    once: dict[str, float] = dict.fromkeys(("bonferroni", "wrong", "holm", "dunnett"), 0.0)
    for _ in range(studies):
        outcome = play(contest, schedule, rng)
        found = {key: one.difference for key, one in outcome.judged.items()}
        truths = {key: contest.truth(*key) for key in found}
        holds = [found[key].low <= truths[key] <= found[key].high for key in found]
        held += holds
        all_held += all(holds)
        wrong += any(is_wrong(found[key], truths[key]) for key in found)
        decided += len({agent for agent, kind in found if is_decided(found[agent, kind])})
        games += outcome.games
        for (agent, kind), difference in found.items():
            truth = truths[agent, kind]
            errors[kind].append((difference.difference - truth) * (1 if truth >= 0 else -1))
        for name, value in _at_once(contest, schedule, rng).items():
            once[name] += value
    return RoundsFound(
        wrong / studies,
        all_held / studies,
        float(np.mean(held)),
        {kind: float(np.mean(found)) for kind, found in errors.items() if found},
        decided / studies,
        once["bonferroni"] / studies,
        once["wrong"] / studies,
        once["holm"] / studies,
        once["dunnett"] / studies,
        games / studies,
    )


def is_wrong(difference: RateDifference, truth: float) -> bool:
    """Whether a verdict is false: in the wrong direction, or on equal agents."""
    return (difference.low > 0 and truth <= 0) or (difference.high < 0 and truth >= 0)


SHARPER = 2.976 / 3.104
"""Dunnett's two-sided 5% critical value for 26 agents and one baseline, whose differences correlate by
one half, as a share of Bonferroni's, from 200,000 draws."""


def _at_once(contest: Contest, schedule: Schedule, rng: np.random.Generator) -> dict[str, float]:
    """Return how many agents are decided if all games are played in one round."""
    agents = len(contest.leads)
    openings = schedule.budget // (2 * len(OPPONENTS) * (agents + 1))
    scores = contest.scores(rng, openings)
    gains = [_sums(one - scores[0]) for one in scores[1:]]
    found = [difference_of_sums(one, comparisons=agents) for one in gains]
    reaches = [abs(one.difference) / (one.high - one.difference) for one in found]
    truths = [contest.truth(name, Kind.FIELD) for name in contest.names]
    holm = 0
    for place in sorted(range(agents), key=lambda agent: -reaches[agent]):
        if not is_decided(difference_of_sums(gains[place], comparisons=agents - holm)):
            break
        holm += 1
    return {
        "bonferroni": sum(map(is_decided, found)),
        "wrong": any(map(is_wrong, found, truths)),
        "holm": holm,
        "dunnett": sum(reach > SHARPER for reach in reaches),
    }
