"""Statistics of pairs of games: intervals, Elo, sequential tests and ratings.

A pair is one opening played twice with the sides swapped; it is worth 0, 1/2 or 1 to an agent.
The opening is the unit of evidence: pairs of one cluster (repeats and symmetric copies of an
opening) never count as independent. This package is pure mathematics; importing it does not import NumPy.
"""

from isolarium.stats.bradley_terry import GameResult, RatedGames, Rating, Ratings, rate_agents
from isolarium.stats.elo import (
    EloEstimate,
    elo_difference,
    elo_from_rate,
    format_elo,
    format_likelihood,
    further_pairs,
    likelihood_of_superiority,
    match_verdict,
    rate_from_elo,
    too_few_openings,
)
from isolarium.stats.pairs import LEAST_OPENINGS, Pair, PairSummary, PairTally, summarize
from isolarium.stats.rates import (
    RateDifference,
    RateEstimate,
    Stratum,
    any_time_rate,
    likely_missed,
    rate_difference,
    rounded,
    stratified_rate,
    win_rate,
)
from isolarium.stats.significance import (
    ChanceSpread,
    Comparison,
    Significance,
    chance_outside,
    chance_range,
    chance_spread,
    compare_published,
    format_p_value,
    games_significance,
    pairs_significance,
)
from isolarium.stats.sprt import (
    SequentialEstimate,
    SequentialTest,
    SprtPlan,
    SprtState,
    log_likelihood_ratio,
    sequential_estimate,
)

__all__ = [
    "LEAST_OPENINGS",
    "ChanceSpread",
    "Comparison",
    "EloEstimate",
    "GameResult",
    "Pair",
    "PairSummary",
    "PairTally",
    "RateDifference",
    "RateEstimate",
    "RatedGames",
    "Rating",
    "Ratings",
    "SequentialEstimate",
    "SequentialTest",
    "Significance",
    "SprtPlan",
    "SprtState",
    "Stratum",
    "any_time_rate",
    "chance_outside",
    "chance_range",
    "chance_spread",
    "compare_published",
    "elo_difference",
    "elo_from_rate",
    "format_elo",
    "format_likelihood",
    "format_p_value",
    "further_pairs",
    "games_significance",
    "likelihood_of_superiority",
    "likely_missed",
    "log_likelihood_ratio",
    "match_verdict",
    "pairs_significance",
    "rate_agents",
    "rate_difference",
    "rate_from_elo",
    "rounded",
    "sequential_estimate",
    "stratified_rate",
    "summarize",
    "too_few_openings",
    "win_rate",
]
