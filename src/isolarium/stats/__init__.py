"""Statistics over pairs of games: intervals, Elo, sequential tests, ratings. Pure mathematics.

A pair is one opening played twice with the sides swapped, so it is worth 0, 1/2 or 1 to an
agent. The opening is the unit of evidence: pairs of one cluster (repeats and mirror images of an
opening) are not counted as independent anywhere in this room.
"""

from isolarium.stats.bradley_terry import GameResult, Rating, Ratings, rate_agents
from isolarium.stats.confidence_sequence import any_time_rate
from isolarium.stats.differences import RateDifference, rate_difference
from isolarium.stats.elo import (
    EloEstimate,
    elo_difference,
    elo_from_rate,
    format_elo,
    format_likelihood,
    likelihood_of_superiority,
    rate_from_elo,
)
from isolarium.stats.interval import RateEstimate, rounded, win_rate
from isolarium.stats.null_model import (
    CoinSpread,
    CoinVerdict,
    coin_pairs,
    coin_spread,
    coin_verdict,
    format_p_value,
    pairs_verdict,
)
from isolarium.stats.pairs import Pair, PairSummary, PairTally, summarize
from isolarium.stats.power import further_pairs, match_verdict
from isolarium.stats.replication import Comparison, chance_outside, compare_published
from isolarium.stats.sprt import SequentialTest, SprtPlan, SprtState, log_likelihood_ratio
from isolarium.stats.sprt_estimate import SequentialEstimate, sequential_estimate
from isolarium.stats.stratified_rate import Stratum, stratified_rate

__all__ = [
    "CoinSpread",
    "CoinVerdict",
    "Comparison",
    "EloEstimate",
    "GameResult",
    "Pair",
    "PairSummary",
    "PairTally",
    "RateDifference",
    "RateEstimate",
    "Rating",
    "Ratings",
    "SequentialEstimate",
    "SequentialTest",
    "SprtPlan",
    "SprtState",
    "Stratum",
    "any_time_rate",
    "chance_outside",
    "coin_pairs",
    "coin_spread",
    "coin_verdict",
    "compare_published",
    "elo_difference",
    "elo_from_rate",
    "format_elo",
    "format_likelihood",
    "format_p_value",
    "further_pairs",
    "likelihood_of_superiority",
    "log_likelihood_ratio",
    "match_verdict",
    "pairs_verdict",
    "rate_agents",
    "rate_difference",
    "rate_from_elo",
    "rounded",
    "sequential_estimate",
    "stratified_rate",
    "summarize",
    "win_rate",
]
