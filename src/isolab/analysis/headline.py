"""The answer in words: what a run says, and how sure that is."""

from isolab.analysis.document import Headline
from isolab.analysis.order import standing_order
from isolab.analysis.survey import Survey
from isolab.arena.failures import Failure, broken, failures
from isolab.arena.plan import Plan
from isolab.arena.results import EncounterResult
from isolab.stats import (
    Ratings,
    SprtPlan,
    SprtState,
    elo_difference,
    format_likelihood,
    match_verdict,
)
from isolab.text import counted, elo_words, printable, signed

UNFAIR_SHARE = 0.01
"""Of the moves of a timed run may be starved before the first screen says so."""


def headline(survey: Survey) -> Headline:
    """The first screen of the report."""
    if not any(met.summary.pairs for met in survey.results.encounters):
        return _nothing_yet(survey)
    if len(survey.names) == 1:
        return _alone(survey)
    if survey.duel is None:
        return _tournament(survey)
    failure = next(broken(survey.results), None)
    return _match(survey, survey.duel) if failure is None else _failed(survey, failure)


def _nothing_yet(survey: Survey) -> Headline:
    return Headline(
        "No pair of games is finished yet",
        counted(survey.results.games, "game"),
        f"of {survey.plan.games:,} finished",
        setting=_setting(survey),
        warnings=_warnings(survey),
    )


def _alone(survey: Survey) -> Headline:
    """One agent against itself: all there is to know is what moving first is worth."""
    results = survey.results
    return Headline(
        f"{survey.names[0]} against itself",
        f"{100 * results.first_won / results.games:.1f}%",
        "of the games won by the first mover",
        setting=_setting(survey),
        warnings=_warnings(survey),
    )


def _failed(survey: Survey, failure: Failure) -> Headline:
    """A match in which an agent failed most of the time: nothing else in it is an answer."""
    name = survey.names[failure.player]
    return Headline(
        failure.shortly(name),
        f"{100 * failure.lost / failure.games:.0f}%",
        "of its games; the figures below say nothing of how it plays",
        [printable(failure.note)] if failure.note else [],
        _setting(survey),
        _warnings(survey),
    )


def _match(survey: Survey, met: EncounterResult) -> Headline:
    if met.sequential is None and met.rate.high < 0.5:  # the better one is named first
        met = survey.results.against(met.encounter.second, met.encounter.first) or met
    return _of_two(survey, met)


def _of_two(survey: Survey, met: EncounterResult) -> Headline:
    first, second = (survey.names[player] for player in (met.encounter.first, met.encounter.second))
    rate, summary = met.rate, met.summary
    is_better = rate.low > 0.5
    details = [
        f"Elo {signed(str(elo_difference(rate)))}",
        f"likelihood of being better {format_likelihood(met.superiority)}",
        f"pairs won {summary.won:,}, split {summary.split:,}, lost {summary.lost:,}",
    ]
    if met.sequential is not None and met.sequential.corrected:
        details.append(f"corrected for early stopping (as counted: {met.sequential.naive})")
    elif 0.5 in rate:
        details.append(match_verdict(summary, estimate=rate).partition("; ")[2])
    if survey.plan.test is not None and met.sequential is not None:
        answer = f"{first} against {second}: {_decision(survey.plan.test, met.sequential.state)}"
    elif is_better:
        answer = f"{first} is better than {second}"
    else:
        answer = f"No difference seen between {first} and {second}"
    return Headline(
        answer,
        str(rate),
        f"of the points went to {first} (95% interval)",
        details,
        _setting(survey),
        _warnings(survey),
    )


def _decision(plan: SprtPlan, state: SprtState) -> str:
    """What a sequential test says; it chooses between two differences, and estimates none."""
    if state is SprtState.RUNNING:
        return "the test has not decided yet"
    chosen, other = (
        (plan.elo1, plan.elo0) if state is SprtState.ACCEPTS_H1 else (plan.elo0, plan.elo1)
    )
    return f"the test chose {elo_words(chosen)} over {elo_words(other)}"


def _tournament(survey: Survey) -> Headline:
    ratings, results = survey.results.ratings, survey.results
    assert ratings is not None  # more than two play, and games are finished
    tested = [player for player in standing_order(survey) if player < len(survey.plan.agents)]
    best, name = tested[0], survey.names[tested[0]]
    figures = results.agents[best]
    details = [
        f"won {100 * figures.won / max(1, figures.games):.1f}% of its {figures.games:,} games"
    ]
    if len(tested) > 1:
        pair = results.labels[best], results.labels[tested[1]]
        likely = format_likelihood(ratings.superiority(*pair))
        ahead = signed(str(ratings.difference(*pair)))
        details.append(f"{ahead} Elo to {survey.names[tested[1]]}, likely better: {likely}")
    details.append(f"moving first is worth {signed(str(ratings.first_mover))} Elo")
    return Headline(
        _leader(survey, tested, ratings),
        f"{signed(str(ratings[results.labels[best]].elo))} Elo",
        f"for {name} (95% interval); 0 is the average of all who play here",
        details,
        _setting(survey),
        _warnings(survey),
    )


def _leader(survey: Survey, tested: list[int], ratings: Ratings) -> str:
    """Who is best of those under test, given best first, and whether that is sure."""
    best, *others = tested
    name, labels = survey.names[best], survey.results.labels
    if not others:
        return f"{name} against {counted(len(survey.plan.opponents), 'opponent')}"
    rivals = [
        survey.names[other]
        for other in others
        if ratings.difference(labels[best], labels[other]).low <= 0.0
    ]
    if not rivals:
        return f"{name} is the best of {counted(len(tested), 'agent')}"
    return f"{name} leads, within the noise of {rivals[0] if len(rivals) == 1 else f'{len(rivals)} others'}"


def _setting(survey: Survey) -> str:
    plan, results = survey.plan, survey.results
    parts = [
        f"{plan.format} on {plan.board}",
        counted(results.games, "game"),
        counted(results.openings, "distinct opening"),
        openings_in_words(plan),
        f"seed {plan.seed}",
    ]
    if survey.shown.left_out:
        parts.append(printable(survey.shown.left_out))
    return " · ".join(parts)


def openings_in_words(plan: Plan) -> str:
    """How the openings were chosen."""
    if plan.openings == "all":
        return "every start up to symmetry"
    if plan.openings == "file":
        return "openings from a file"
    return (
        f"random openings and {counted(plan.plies, 'random move')}"
        if plan.plies
        else "random openings"
    )


def _warnings(survey: Survey) -> list[str]:
    results, found = survey.results, []
    if not results.finished:
        found.append(
            f"This run is not finished: {results.games:,} of at most {survey.plan.games:,} games are played. "
            "isolab resume goes on with it."
        )
    clock = survey.clock
    if clock.moves and clock.starved > UNFAIR_SHARE * clock.moves:
        found.append(
            f"The clock was not fair: in {100 * clock.starved / clock.moves:.1f}% of the moves the machine "
            "was busy with something else. See The clock."
        )
    early = [failure.shortly(survey.names[failure.player]) for failure in failures(results)]
    if early:
        found.append(f"{'; '.join(early)}. See Losses.")
    return found
