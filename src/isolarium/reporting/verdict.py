"""What a run has shown: the answer in a sentence, in a few words, and the figure it rests on."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from isolarium.arena.plan import Format
from isolarium.arena.results import EncounterResult, Failure, Results, broken, failures
from isolarium.stats import SprtPlan, SprtState, format_likelihood, match_verdict, rounded
from isolarium.text import counted, elo_words, listed, signed

SURE: Final = 0.975
"""How likely the best of two has to be the better one; of more, each comparison has to be surer (Bonferroni)."""
AHEAD: Final = 2 / 3
"""How likely somebody has to be the better one to be said to lead; below two to one it is a tie."""
TIED: Final = "are tied"
WHENEVER: Final = "whenever one stops"
"""Of what is said of a match before its planned end; an interval of fixed length would not hold."""
UNFAIR_SHARE: Final = 0.01
"""Of the moves of a timed run may have been held up before it is called unfair."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run has shown.

    Attributes:
        words: in a few words, below the names of those who played.
        answer: in a sentence that names them.
        figure: the figure it rests on.
        figure_is: what that is.
    """

    words: str
    answer: str
    figure: str
    figure_is: str


def verdict_of(results: Results) -> Verdict:
    """What a run has shown so far; where the clock was not fair, that too."""
    verdict = _of_play(results)
    if not is_clock_unfair(results):
        return verdict
    doubt = "the clock was not fair"
    return replace(
        verdict, words=f"{verdict.words}; {doubt}", answer=f"{verdict.answer}, but {doubt}"
    )


def is_clock_unfair(results: Results) -> bool:
    """Whether the machine held up so many timed moves that their games say little."""
    return results.plan.is_timed and results.starved_share > UNFAIR_SHARE


def _of_play(results: Results) -> Verdict:
    """What a run has shown so far.

    Where an agent of two failed in most of its games, that is the verdict: there is nothing else to judge.
    """
    names = results.names.short
    if not any(met.summary.pairs for met in results.encounters):
        games, of = counted(results.games, "game"), f"of {results.plan.games:,} finished"
        nothing = "No pair of games is finished yet"
        return Verdict(f"none: {nothing[0].lower()}{nothing[1:]}", nothing, games, of)
    if len(names) == 1:
        share = f"{rounded(100 * results.first_won / results.games, 1)}%"
        told = f"{names[0]} against itself"
        return Verdict(
            f"{names[0]}: {results.rates[0]}", told, share, "of the games won by the first mover"
        )
    if results.duel is None:
        return _of_tournament(results)
    words = _of_match(results) if results.plan.format is Format.MATCH else _of_many(results)
    failure = next(broken(results), None)
    if failure is not None:
        return _of_failure(words, results, failure)
    return _of_two(words, results, results.duel)


# Two


def _of_match(results: Results) -> str:
    """A match in a few words; where a test has decided, what that says."""
    failed = [failure.shortly(results.labels[failure.player]) for failure in broken(results)]
    if failed:
        return f"none on play: {'; '.join(failed)}"
    met, test = results.encounters[0], results.tally.test
    superiority = met.superiority if met.sequential else None
    seen = match_verdict(met.summary, estimate=met.rate, superiority=superiority)
    if not results.finished:
        seen = _so_far(met)
    if test is None:
        return seen
    if test.state is SprtState.RUNNING:
        return f"the test has not decided; {seen}"
    chosen, other = _bounds(test.plan, test.state)
    likelihood = format_likelihood(met.superiority)
    return f"by the test {chosen:+g} {test.plan.unit} rather than {other:+g} (LOS {likelihood})"


def _so_far(met: EncounterResult) -> str:
    """A match in a few words before its planned end, by the interval that holds whenever somebody stops."""
    seen = "no difference shown so far"
    if 0.5 not in met.rate:
        seen = (
            f"{'better' if met.rate.low > 0.5 else 'worse'}, by an interval that holds {WHENEVER}"
        )
    return f"before the planned end: {seen}"


def _of_failure(words: str, results: Results, failure: Failure) -> Verdict:
    share = f"{rounded(100 * failure.lost / failure.games)}%"
    told = "of its games; the figures below say nothing of how it plays"
    return Verdict(words, failure.shortly(results.names.short[failure.player]), share, told)


def _of_two(words: str, results: Results, met: EncounterResult) -> Verdict:
    if met.sequential is None and met.rate.high < 0.5:  # the better one is named first
        met = results.against(met.encounter.second, met.encounter.first) or met
    names = results.names.short
    first, second = names[met.encounter.first], names[met.encounter.second]
    if results.plan.test is not None and met.sequential is not None:
        answer = f"{first} against {second}: {_decision(results.plan.test, met.sequential.state)}"
    elif met.rate.low > 0.5:
        answer = f"{first} is better than {second}"
    else:
        answer = f"No difference seen between {first} and {second}"
    interval = "95% interval" if results.finished else f"95% interval that holds {WHENEVER}"
    return Verdict(words, answer, str(met.rate), f"of the games went to {first} ({interval})")


def _decision(plan: SprtPlan, state: SprtState) -> str:
    """What a sequential test says; it chooses between two differences, and estimates none."""
    if state is SprtState.RUNNING:
        return "the test has not decided yet"
    chosen, other = _bounds(plan, state)
    return f"the test chose {elo_words(chosen, plan.unit)} over {elo_words(other, plan.unit)}"


def _bounds(plan: SprtPlan, state: SprtState) -> tuple[float, float]:
    """The difference that a test has chosen, and the other one."""
    accepted = state is SprtState.ACCEPTS_H1
    return (plan.elo1, plan.elo0) if accepted else (plan.elo0, plan.elo1)


# Many


def _of_tournament(results: Results) -> Verdict:
    best, *others = results.tested
    names, elo = results.names.short, results.elo_of(best)
    rivals, holds = level_with(results, best, others), "95% interval"
    if not others:
        answer = f"{names[best]} against {counted(len(results.plan.opponents), 'opponent')}"
    elif not results.finished:
        answer = (
            f"No verdict before the planned end; {_in_front(results, best, rivals, names)} so far"
        )
    elif not rivals:
        answer = f"{names[best]} is the best of {counted(1 + len(others), 'agent')}"
    else:
        noise = names[rivals[0]] if len(rivals) == 1 else f"{len(rivals)} others"
        front = _in_front(results, best, rivals, names)
        answer = front if front.endswith(TIED) else f"{front}, within the noise of {noise}"
    if not results.finished:
        holds = "its interval holds at the planned end only"
    figure_is = f"for {names[best]} ({holds}); {zero_words(results)}"
    return Verdict(_of_many(results), answer, f"{signed(str(elo))} Elo", figure_is)


def zero_words(results: Results) -> str:
    """Whose average is 0 on the scale of the ratings."""
    many = len(results.labels) if results.ratings is None else len(results.ratings.zero)
    if many == len(results.labels):
        return "0 is the average of all who play here"
    return f"0 is the average of the {many} who won and lost among each other"


def _of_many(results: Results) -> str:
    """Who of the agents under test is best, and from whom that cannot be told apart.

    Agents that failed in most of their games are named: their figures say nothing of their play.
    """
    names = _value_names(results)
    failed = [failure.shortly(names[failure.player]) for failure in broken(results)]
    return "; ".join([_best(results, names), *failed])


def _best(results: Results, names: tuple[str, ...]) -> str:
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
        return f"none before the planned end; {front} so far"
    if not rivals:
        least = min(results.superiority(best, other) or 0.0 for other in rest)
        return f"{names[best]} is the best (LOS {format_likelihood(least)} over the next)"
    front = _in_front(results, best, rivals, names)
    apart = [names[one] for one in rivals if not _is_tied(results, best, one)]
    return f"{front}; not told apart from {_few(apart)}" if apart else front


def _in_front(results: Results, best: int, rivals: list[int], names: tuple[str, ...]) -> str:
    """`A leads`, or `A, B and C are tied` where it is a toss-up which of them is better."""
    tied = [names[one] for one in rivals if _is_tied(results, best, one)]
    return f"{_few([names[best], *tied])} {TIED}" if tied else f"{names[best]} leads"


def _is_tied(results: Results, player: int, other: int) -> bool:
    return (results.superiority(player, other) or 0.0) < AHEAD


def _few(names: list[str]) -> str:
    return listed(names if len(names) <= 3 else [*names[:2], f"{len(names) - 2} more"])


def level_with(results: Results, best: int, others: list[int]) -> list[int]:
    """Of the others those who may be as good as the best: it is not likely enough to be better."""
    enough = 1 - (1 - SURE) / max(1, len(others))
    return [other for other in others if (results.superiority(best, other) or 0.0) < enough]


def _value_names(results: Results) -> tuple[str, ...]:
    """What players are called in the verdict; in a sweep the values are names enough."""
    names = results.names.short
    if results.plan.sweep is None:
        return names
    values = (f"value {', '.join(row)}" for row in results.plan.sweep.values)
    return (*values, *names[len(results.plan.agents) :])


# What to know before believing it


def warnings_of(results: Results) -> Iterator[str]:
    """What a reader must know before believing a run's figures."""
    if not results.finished:
        holds = f"hold {WHENEVER}" if results.duel else "hold at the planned end only"
        yield (
            f"This run is not finished: {results.games:,} of at most {results.plan.games:,} games are played. "
            f"Its intervals {holds}. isolarium resume continues it."
        )
    if is_clock_unfair(results):
        yield (
            f"The clock was not fair: in {100 * results.starved_share:.1f}% of the moves the machine "
            "was busy with something else. See The clock."
        )
    early = [failure.shortly(results.names.short[failure.player]) for failure in failures(results)]
    if early:
        yield f"{'; '.join(early)}. See Losses."
