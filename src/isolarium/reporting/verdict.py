"""The verdict on a run: one sentence, a short form, and the key figure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from isolarium.arena.plan import Format
from isolarium.arena.results import EncounterResult, Failure, Results, broken, failures
from isolarium.stats import (
    LEAST_OPENINGS,
    SprtPlan,
    SprtState,
    format_likelihood,
    match_verdict,
    rounded,
    too_few_openings,
)
from isolarium.text import counted, elo_words, listed, signed

SURE: Final = 0.975
"""The minimum likelihood of superiority for the winner between two agents.

Comparisons of more agents are corrected (Bonferroni).
"""
AHEAD: Final = 2 / 3
"""The minimum likelihood of superiority for a leader; below it, agents are tied."""
TIED: Final = "are tied"
WHENEVER: Final = "valid whenever the match stops"
"""The description of the interval of an unfinished match.

An interval for a fixed number of games would not be valid.
"""
UNFAIR_SHARE: Final = 0.01
"""The maximum share of delayed moves for which a timed run counts as fair."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a run.

    Attributes:
        words: A short form, for use below the names of the players.
        answer: A sentence that names the players.
        figure: The key figure.
        figure_is: What the figure measures.
    """

    words: str
    answer: str
    figure: str
    figure_is: str


def verdict_of(results: Results) -> Verdict:
    """Return the verdict on a run so far, with a caveat if the clock was not fair."""
    verdict = _of_play(results)
    if not is_clock_unfair(results):
        return verdict
    doubt = "the clock was not fair"
    return replace(verdict, words=f"{verdict.words}; {doubt}", answer=f"{verdict.answer}, but {doubt}")


def is_clock_unfair(results: Results) -> bool:
    """Return whether the machine delayed too many moves of a timed run."""
    return results.plan.is_timed and results.starved_share > UNFAIR_SHARE


def _of_play(results: Results) -> Verdict:
    """Return the verdict on the games so far.

    If one of two agents failed in most of its games, the failure is the verdict.
    """
    names = results.names.short
    if not any(met.summary.pairs for met in results.encounters):
        games, of = counted(results.games, "game"), f"of {results.plan.games:,} finished"
        nothing = "No pair of games is finished yet"
        return Verdict(f"no verdict: {nothing[0].lower()}{nothing[1:]}", nothing, games, of)
    if len(names) == 1:
        share = f"{rounded(100 * results.first_won / results.games, 1)}%"
        return Verdict(
            f"{names[0]}: {results.rates[0]}",
            f"{names[0]} against itself",
            share,
            "of the games won by the first mover",
        )
    words = _of_match(results) if results.plan.format is Format.MATCH else _of_many(results)
    failure = next(broken(results), None) if results.duel is not None else None
    if failure is not None:
        return _of_failure(words, results, failure)
    if not results.has_enough_openings:
        return _of_few_openings(words, results)
    if results.duel is None:
        return _of_tournament(words, results)
    return _of_two(words, results, results.duel)


# Two agents


def _of_match(results: Results) -> str:
    """Return the short verdict on a match.

    A sequential test that has decided takes precedence.
    """
    failed = [failure.summarize(results.labels[failure.player]) for failure in broken(results)]
    if failed:
        return f"no verdict on strength: {'; '.join(failed)}"
    if not results.has_enough_openings:
        return too_few_openings(results.openings)
    met, test = results.encounters[0], results.tally.test
    superiority = met.superiority if met.sequential else None
    seen = match_verdict(met.summary, estimate=met.rate, superiority=superiority)
    if not results.finished:
        seen = _so_far(met)
    if test is None:
        return seen
    if test.state is SprtState.RUNNING:
        return f"the test is undecided; {seen}"
    chosen, other = (f"{bound:+g}" if bound else "0" for bound in _bounds(test.plan, test.state))
    accepted = f"the test accepts {chosen} over {other} {test.plan.unit}"
    if met.superiority is None:
        return accepted
    return f"{accepted} (LOS {format_likelihood(met.superiority)})"


def _so_far(met: EncounterResult) -> str:
    """Return the short verdict on an unfinished match.

    Its interval is valid whenever the match stops.
    """
    seen = "no significant difference so far"
    if 0.5 not in met.rate:
        seen = f"{'better' if met.rate.low > 0.5 else 'worse'}, by an interval {WHENEVER}"
    return f"before the planned end: {seen}"


def _of_failure(words: str, results: Results, failure: Failure) -> Verdict:
    share = f"{rounded(100 * failure.lost / failure.games)}%"
    figure_is = "of its games; the figures below do not measure its strength"
    return Verdict(words, failure.summarize(results.names.short[failure.player]), share, figure_is)


def _of_few_openings(words: str, results: Results) -> Verdict:
    """Return the verdict on games from too few openings to judge strength."""
    openings = counted(results.openings, "distinct opening")
    answer = f"No verdict: {openings} cannot show which agent is better"
    figure_is = f"finished; at least {LEAST_OPENINGS} distinct openings are needed"
    return Verdict(words, answer, counted(results.games, "game"), figure_is)


def _of_two(words: str, results: Results, met: EncounterResult) -> Verdict:
    if met.sequential is None and met.rate.high < 0.5:  # Name the better agent first.
        met = results.against(met.encounter.second, met.encounter.first) or met
    names = results.names.short
    first, second = names[met.encounter.first], names[met.encounter.second]
    if results.plan.test is not None and met.sequential is not None:
        answer = f"{first} against {second}: {_decision(results.plan.test, met.sequential.state)}"
    elif met.rate.low > 0.5:
        answer = f"{first} is better than {second}"
    else:
        answer = f"No significant difference between {first} and {second}"
    interval = "95% interval" if results.finished else f"95% interval, {WHENEVER}"
    return Verdict(words, answer, str(met.rate), f"of the games were won by {first} ({interval})")


def _decision(plan: SprtPlan, state: SprtState) -> str:
    """Describe the decision of a sequential test between two differences."""
    if state is SprtState.RUNNING:
        return "the test is undecided"
    chosen, other = _bounds(plan, state)
    return f"the test accepts {elo_words(chosen, plan.unit)} over {elo_words(other, plan.unit)}"


def _bounds(plan: SprtPlan, state: SprtState) -> tuple[float, float]:
    """Return the accepted difference and the rejected one."""
    accepted = state is SprtState.ACCEPTS_H1
    return (plan.elo1, plan.elo0) if accepted else (plan.elo0, plan.elo1)


# More than two agents


def _of_tournament(words: str, results: Results) -> Verdict:
    best, *others = results.tested
    names, elo = results.names.short, results.elo_of(best)
    rivals, holds = level_with(results, best, others), "95% interval"
    if not others:
        answer = f"{names[best]} against {counted(len(results.plan.opponents), 'opponent')}"
    elif not results.finished:
        answer = f"No verdict before the planned end; {_in_front(results, best, rivals, names)} so far"
    elif not rivals:
        answer = f"{names[best]} is the best of {counted(1 + len(others), 'agent')}"
    else:
        front = _in_front(results, best, rivals, names)
        answer = (
            front
            if front.endswith(TIED)
            else f"{front}, but is not significantly better than {_listed(results, rivals, names)}"
        )
    if not results.finished:
        holds = "its interval is valid at the planned end only"
    figure_is = f"for {names[best]} ({holds}); {zero_words(results)}"
    return Verdict(words, answer, f"{signed(str(elo))} Elo", figure_is)


def zero_words(results: Results) -> str:
    """Describe the zero of the rating scale."""
    many = len(results.labels) if results.ratings is None else len(results.ratings.zero)
    if many == len(results.labels):
        return "0 is the average of all players"
    return f"0 is the average of the {many} players that both won and lost against one another"


def _of_many(results: Results) -> str:
    """Return the short verdict on several agents: the best agent and its rivals.

    Agents that failed in most of their games are named, because their figures do not measure
    strength.
    """
    names = _value_names(results)
    failed = [failure.summarize(names[failure.player]) for failure in broken(results)]
    return "; ".join([_best(results, names), *failed])


def _best(results: Results, names: tuple[str, ...]) -> str:
    if not results.has_enough_openings:
        return too_few_openings(results.openings)
    best, *rest = results.tested
    met = results.against(best, 1 - best) if len(names) == 2 else None
    if met is not None:
        seen = match_verdict(met.summary, estimate=met.rate) if results.finished else _so_far(met)
        return f"{names[best]} against {names[1 - best]}: {seen}"
    if results.ratings is None or not rest:
        so_far = "" if results.finished else ", before the planned end"
        return f"{names[best]}: {results.rates[best]}{so_far}"
    rivals = level_with(results, best, rest)
    if not results.finished:
        front = _in_front(results, best, rivals, names)
        return f"no verdict before the planned end; {front} so far"
    if not rivals:
        least = min(results.superiority(best, other) or 0.0 for other in rest)
        return f"{names[best]} is the best (LOS {format_likelihood(least)} over the next)"
    front = _in_front(results, best, rivals, names)
    close = [one for one in rivals if not _is_tied(results, best, one)]
    if not close:
        return front
    but = "and" if front.endswith(TIED) else "but is"
    return f"{front}, {but} not significantly better than {_listed(results, close, names)}"


def _in_front(results: Results, best: int, rivals: list[int], names: tuple[str, ...]) -> str:
    """Return `A leads`, or `A, B and C are tied` if none is likely to be better."""
    tied = [names[one] for one in rivals if _is_tied(results, best, one)]
    return f"{_few([names[best], *tied])} {TIED}" if tied else f"{names[best]} leads"


def _is_tied(results: Results, player: int, other: int) -> bool:
    return (results.superiority(player, other) or 0.0) < AHEAD


def _few(names: list[str]) -> str:
    return listed(names if len(names) <= 3 else [*names[:2], f"{len(names) - 2} more"])


def _listed(results: Results, players: list[int], names: tuple[str, ...]) -> str:
    """Return players with their ranks in the standings.

    If there are many players, only the ranks are returned. A sweep's table is ordered by value and
    has no ranks.
    """
    few = _few([names[player] for player in players])
    if results.plan.sweep is not None:
        return few
    places = sorted(results.ranking.index(player) + 1 for player in players)
    if len(places) == 1:
        return f"{few} (place {places[0]})"
    is_range = len(places) > 2 and places[-1] - places[0] == len(places) - 1
    where = f"{places[0]} to {places[-1]}" if is_range else listed([str(one) for one in places])
    return f"{few} (places {where})" if len(places) <= 3 else f"{len(places)} others (places {where})"


def level_with(results: Results, best: int, others: list[int]) -> list[int]:
    """Return the `others` that are not significantly worse than the best."""
    enough = 1 - (1 - SURE) / max(1, len(others))
    return [other for other in others if (results.superiority(best, other) or 0.0) < enough]


def _value_names(results: Results) -> tuple[str, ...]:
    """Return the players' names in the verdict; in a sweep, the values."""
    names = results.names.short
    if results.plan.sweep is None:
        return names
    values = (f"value {', '.join(row)}" for row in results.plan.sweep.values)
    return (*values, *names[len(results.plan.agents) :])


# Warnings


def warnings_of(results: Results) -> Iterator[str]:
    """Yield the caveats that readers must see before a run's figures."""
    if not results.finished:
        holds = WHENEVER if results.duel else "valid at the planned end only"
        yield (
            f"This run is not finished: {results.games:,} of at most {results.plan.games:,} games were played. "
            f"Its intervals are {holds}. Continue it with isolarium resume."
        )
    if is_clock_unfair(results):
        yield (
            f"The clock was not fair: the machine was busy with other work during "
            f"{100 * results.starved_share:.1f}% of the moves. See The clock."
        )
    early = [failure.summarize(results.names.short[failure.player]) for failure in failures(results)]
    if early:
        yield f"{'; '.join(early)}. See Losses."
