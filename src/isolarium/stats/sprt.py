"""A sequential probability ratio test on pairs, with its bounds stated before the run."""

import math
from dataclasses import dataclass, field
from enum import StrEnum

from isolarium.stats.elo import rate_from_elo
from isolarium.stats.pairs import Pair, PairSummary, PairTally
from isolarium.stats.trinomial import Trinomial, likeliest_with_lead, likeliest_with_mean
from isolarium.stats.validation import is_number

# Normalised Elo for each standard deviation of a pair's score; that of a game counts sqrt(2) times as much.
NORMALISED_ELO = 800.0 / math.log(10.0) / math.sqrt(2.0)


class SprtState(StrEnum):
    """Where a sequential test stands."""

    RUNNING = "running"
    ACCEPTS_H0 = "accepts H0"
    ACCEPTS_H1 = "accepts H1"


@dataclass(frozen=True, slots=True)
class SprtPlan:
    """What is decided before the first pair is played.

    Attributes:
        elo0: The difference under H0, for instance 0: no gain.
        elo1: The difference under H1, above elo0: the least gain worth having.
        alpha: The accepted probability of choosing H1 where H0 holds.
        beta: The accepted probability of choosing H0 where H1 holds.
        normalised: Whether the differences are in normalised Elo (Van den Bergh, "Normalized Elo",
            www.cantate.be/Fishtest; fishtest and fastchess take it): the lead in standard deviations
            of a game, times 800 / ln 10. How many pairs a test takes then does not depend on how
            many are split.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    normalised: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if not (is_number(self.elo0) and is_number(self.elo1) and self.elo0 < self.elo1):
            raise ValueError(f"elo0 {self.elo0!r}, elo1 {self.elo1!r}: expected elo0 below elo1")
        for name, error in (("alpha", self.alpha), ("beta", self.beta)):
            if not (is_number(error) and 0.0 < error < 0.5):
                raise ValueError(f"{name} {error!r}: expected a number between 0 and 0.5")
        if not isinstance(self.normalised, bool):
            raise ValueError(f"normalised {self.normalised!r}: expected True or False")

    @property
    def lower(self) -> float:
        """H0 is accepted when the log likelihood ratio falls to this (Wald 1945)."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted when the log likelihood ratio rises to this (Wald 1945)."""
        return math.log((1.0 - self.beta) / self.alpha)

    @property
    def unit(self) -> str:
        """What the differences are measured in."""
        return "normalised Elo" if self.normalised else "Elo"

    def hypotheses(self, summary: PairSummary) -> tuple[Trinomial, Trinomial]:
        """The likeliest distribution of pair scores under H0, and that under H1, given some pairs."""
        counts = summary.effective_counts
        if self.normalised:
            lead0, lead1 = self.elo0 / NORMALISED_ELO, self.elo1 / NORMALISED_ELO
            return likeliest_with_lead(counts, lead0), likeliest_with_lead(counts, lead1)
        rate0, rate1 = rate_from_elo(self.elo0), rate_from_elo(self.elo1)
        return likeliest_with_mean(counts, rate0), likeliest_with_mean(counts, rate1)

    def judge(self, llr: float) -> SprtState:
        """What a log likelihood ratio says."""
        if llr >= self.upper:
            return SprtState.ACCEPTS_H1
        if llr <= self.lower:
            return SprtState.ACCEPTS_H0
        return SprtState.RUNNING


def log_likelihood_ratio(summary: PairSummary, plan: SprtPlan) -> float:
    """The generalised log likelihood ratio of a plan's H1 against its H0.

    Each hypothesis is given its likeliest distribution of won, split and lost pairs: Van den
    Bergh, "A practical introduction to the GSPRT" and "The generalized maximum likelihood ratio
    for the expectation value of a distribution" (www.cantate.be/Fishtest), which Stockfish's
    fishtest applies to pairs of games. For three outcomes it has a closed form that needs no
    regularisation: counts of zero are as good as any. Clusters enter by the effective number of
    pairs. It is 0 where no pair was played.
    """
    if summary.pairs == 0:
        return 0.0
    under0, under1 = plan.hypotheses(summary)
    return sum(
        count * math.log(p1 / p0)
        for count, p0, p1 in zip(summary.effective_counts, under0, under1, strict=True)
        if count
    )


class SequentialTest:
    """A sequential test that reads pairs in number order, whatever order they finish in.

    A pair whose predecessors are missing waits until they have come. The test judges after each
    pair it reads and stops at the first bound met; later pairs are not read. State, path and
    summary so depend on the numbered pairs alone, never on timing.
    """

    def __init__(self, plan: SprtPlan, first_number: int = 0) -> None:
        """Starts a test whose first pair has the number `first_number`."""
        self.plan = plan
        self._next = first_number
        self._waiting: dict[int, Pair] = {}
        self._tally = PairTally()
        self._path: list[float] = []
        self._state = SprtState.RUNNING

    def add(self, number: int, pair: Pair) -> SprtState:
        """Takes a finished pair and reads all pairs whose turn has come.

        Raises:
            ValueError: A pair with this number was given before.
        """
        if self._state is not SprtState.RUNNING:
            return self._state
        if number < self._next or number in self._waiting:
            raise ValueError(f"pair {number}: given before")
        self._waiting[number] = pair
        while self._state is SprtState.RUNNING and self._next in self._waiting:
            self._read(self._waiting.pop(self._next))
            self._next += 1
        return self._state

    def _read(self, pair: Pair) -> None:
        self._tally.add(pair)
        llr = log_likelihood_ratio(self.summary, self.plan)
        self._path.append(llr)
        self._state = self.plan.judge(llr)

    @property
    def state(self) -> SprtState:
        """Running, or the hypothesis accepted."""
        return self._state

    @property
    def llr(self) -> float:
        """The log likelihood ratio after the pairs read so far."""
        return self._path[-1] if self._path else 0.0

    @property
    def path(self) -> tuple[float, ...]:
        """The log likelihood ratio after each pair read."""
        return tuple(self._path)

    @property
    def summary(self) -> PairSummary:
        """The pairs read so far."""
        return self._tally.summary()
