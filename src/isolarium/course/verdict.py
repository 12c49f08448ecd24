"""The answer of a course study: the agents better than the baseline, and games lost early."""

from collections.abc import Iterator, Sequence
from math import isfinite
from statistics import median
from typing import Final

from isolarium.arena.game_counts import AgentFigures
from isolarium.game.position import Reason
from isolarium.spec.parser import COURSE, tree_of
from isolarium.stats import LEAST_OPENINGS, RateDifference, likely_missed, rounded
from isolarium.studies.study_results import PartResult, StudyResults
from isolarium.text import counted, listed

WORDS: Final = {2: "two", 3: "three"}
EARLY: Final = {
    Reason.TIME: "on time",
    Reason.ILLEGAL_MOVE: "by an illegal move",
    Reason.RESIGNATION: "by resignation",
    Reason.CRASH: "by a crash",
    Reason.MEMORY: "by running out of memory",
}
"""The reasons of losses other than having no legal move."""
ROUND_FROM: Final = 2.0
"""From this many points on, the ± of a difference has no decimals."""


def verdict(results: StudyResults) -> str:
    """Answer whether an agent of the first part is better than its baseline.

    The intervals are corrected for the number of comparisons. The text is empty for a study that
    does not grade course agents, or has no baseline, as in earlier versions.
    """
    if not (results.study.is_graded and results.parts):
        return ""
    result = results.parts[0]
    baseline = result.part.baseline
    if not baseline:
        why = result.part.about.removeprefix("Not compared: ")
        return results.failure and f"No agent could play: {why}".rstrip(": ")
    others = [agent for agent in result.part.agents if agent != baseline]
    subject = _subject(others, baseline)
    if not result.results.finished:
        question = f"whether {subject[1]} better than {baseline}"
        return f"The tournament is not finished: no answer yet {question}."
    if not result.results.has_enough_openings:
        openings = counted(result.results.openings, "distinct opening")
        return (
            f"{openings} cannot show whether {subject[1]} better than {baseline}; "
            f"at least {LEAST_OPENINGS} are needed (--pairs {LEAST_OPENINGS})."
        )
    found = {agent: result.beside(agent, baseline) for agent in others}
    better = sorted(
        (agent for agent in others if found[agent].verdict == "better"), key=lambda agent: -found[agent].difference
    )
    worse = [agent for agent in others if found[agent].verdict == "worse"]
    answer = _better(better, found, baseline) if better else _none(subject[0], result, found)
    return " ".join([answer, *(_worse(agent, found[agent]) for agent in worse)])


def _subject(others: Sequence[str], baseline: str) -> tuple[str, str]:
    """Return the compared agents in a negative sentence, and in a question."""
    if len(others) == 1:
        return f"{others[0]} is not", f"{others[0]} is"
    many = WORDS.get(len(others), str(len(others)))
    kind = "of your {} heuristics" if baseline.startswith("your ") else "of your {} agents"
    return f"None {kind.format(many)} is", f"any {kind.format(many)} is"


def _better(better: Sequence[str], found: dict[str, RateDifference], baseline: str) -> str:
    if len(better) == 1:
        return f"{better[0]} is better than {baseline} by {_points(found[better[0]])}."
    each = listed([f"{agent} (by {_points(found[agent])})" for agent in better])
    return f"{each} are better than {baseline}."


def _none(subject: str, result: PartResult, found: dict[str, RateDifference]) -> str:
    least = median(likely_missed(one, len(found)) for one in found.values())
    answer = f"{subject} shown to be better than {result.part.baseline}"
    if not isfinite(least):
        return f"{answer}."
    digits = 0 if 100 * least >= ROUND_FROM else 1
    return f"{answer}; differences under {rounded(100 * least, digits)} points would likely be missed."


def _worse(agent: str, difference: RateDifference) -> str:
    return f"{agent} is worse by {_points(difference)}."


def _points(difference: RateDifference) -> str:
    """Return the size of a difference with its interval, such as `6 ± 4 points`."""
    error = 100 * (difference.high - difference.difference)
    digits = 0 if error >= ROUND_FROM else 1
    size = rounded(100 * abs(difference.difference), digits)
    return f"{size} ± {rounded(error, digits)} points"


ENOUGH_PAIRS: Final = 20


def advice(results: StudyResults) -> str:
    """Return how to find smaller differences, if a finished tournament found none.

    The text is empty for tournaments of many openings.
    """
    parts = results.parts[:1]
    if not results.finished or not all(part.part.baseline for part in parts):
        return ""
    for part in parts:
        verdicts = [part.beside(agent, part.part.baseline).verdict for agent in part.part.agents]
        if part.plan.pairs < ENOUGH_PAIRS and "better" not in verdicts:
            times = ENOUGH_PAIRS // part.plan.pairs
            longer = f"--pairs {ENOUGH_PAIRS} takes about {times} times as long"
            return f"More openings show smaller differences: {longer}."
    return ""


def early_losses_in_words(results: StudyResults) -> Iterator[str]:
    """Yield a sentence for each course agent that lost games while it had a legal move."""
    for part in results.parts:
        for name, spec, figures in zip(part.part.players, part.plan.players, part.results.agents, strict=True):
            lost = early_losses_of(figures)
            if lost and tree_of(spec).search.word == COURSE:
                games = counted(figures.games, "game")
                whose = f"{name[0].upper()}{name[1:]}" if name.startswith("your ") else name
                yield f"{whose} lost {sum(lost.values()):,} of {games} {losses_in_words(lost)}."


def early_losses_of(figures: AgentFigures) -> dict[Reason, int]:
    """Return an agent's losses by reason, except those by having no legal move."""
    return {reason: figures.losses[reason] for reason in EARLY if figures.losses[reason]}


def losses_in_words(lost: dict[Reason, int]) -> str:
    """Return losses as text: `on time`, or `early: 3 on time and 1 by a crash`."""
    if len(lost) == 1:
        return EARLY[next(iter(lost))]
    return "early: " + listed([f"{number:,} {EARLY[reason]}" for reason, number in lost.items()])
