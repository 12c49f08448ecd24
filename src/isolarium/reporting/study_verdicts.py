"""The comparisons of a study's agents with its baseline, in words."""

from collections import Counter
from collections.abc import Iterator
from math import isfinite
from statistics import median
from typing import Final

from isolarium.stats import LEAST_OPENINGS, likely_missed, rounded
from isolarium.studies.rounds import Kind
from isolarium.studies.study_results import MIXED, PartResult, Rounds
from isolarium.text import counted

DECIDED: Final = ("better", "worse", MIXED)


def comparison_notes(result: PartResult) -> Iterator[str]:
    """Explain the correction for multiple comparisons with a baseline."""
    many = len(result.part.agents) - 1
    if result.part.baseline and many > 1:
        yield from (
            _rounds_note(result, result.rounds)
            if result.rounds
            else [f"vs {result.part.baseline}: corrected for {many} comparisons (Bonferroni)"]
        )
        yield "by chance alone, at most 5 of 100 such studies call any agent better or worse"
    missed = missed_in_words(result)
    if missed:
        yield missed


def _rounds_note(result: PartResult, rounds: Rounds) -> Iterator[str]:
    """Explain the columns of a part with several rounds."""
    baseline, first = result.part.baseline, counted(result.plan.pairs, "opening")
    sizes = [rounds.schedule.sizes[kind][judged.look] for (_, kind), judged in rounds.judged.items()]
    yield f"win rate: over the {first} of the first round, {result.results.games:,} games"
    yield f"head to head: the win rate against {baseline}"
    yield f"where the question was open: up to {max(sizes):,} openings, {result.games:,} games"
    yield f"corrected for {len(rounds.schedule.agents)} agents, both comparisons and all their looks"


def verdicts_in_words(result: PartResult) -> str:
    """Return how many agents are better or worse than the baseline.

    The text is empty without a baseline.
    """
    part = result.part
    others = [agent for agent in part.agents if agent != part.baseline]
    if not part.baseline or len(others) < 2 or not result.results.has_enough_openings:
        return ""
    found = Counter(result.verdict(agent) for agent in others)
    better, worse, mixed = found["better"], found["worse"], found[MIXED]
    undecided = f"{len(others) - better - worse - mixed} undecided"
    rest = f"{mixed} {MIXED}, and {undecided}" if mixed else f"and {undecided}"
    return f"Compared with {part.baseline}, {better} of {len(others)} agents are better, {worse} worse, {rest}."


def missed_in_words(result: PartResult) -> str:
    """Describe the differences from the baseline that a part would probably miss.

    The text is empty without a baseline.
    """
    part = result.part
    others = [agent for agent in part.agents if agent != part.baseline]
    if not part.baseline or not others:
        return ""
    if not result.results.has_enough_openings:
        return (
            f"no verdicts: {counted(result.results.openings, 'distinct opening')}; at least {LEAST_OPENINGS} are needed"
        )
    if result.rounds:
        return _missed_after_rounds(result, result.rounds)
    least = median(likely_missed(result.beside(agent, part.baseline), len(others)) for agent in others)
    if not isfinite(least):
        return ""
    return f"a difference of less than {_points(least)} points from {part.baseline} would likely be missed"


def _missed_after_rounds(result: PartResult, rounds: Rounds) -> str:
    """Describe the differences that the comparisons of undecided agents would probably miss."""
    undecided = [agent for agent in rounds.schedule.agents if result.verdict(agent) not in DECIDED]
    missed = {
        kind: [rounds.missed(agent, kind) for agent in undecided if (agent, kind) in rounds.judged] for kind in Kind
    }
    if not all(missed.values()):
        return ""
    field, duel = (_points(median(missed[kind])) for kind in Kind)
    return (
        f"if undecided, less than {field} points from {result.part.baseline}, or {duel} from 50% "
        "head to head, would likely be missed"
    )


def _points(share: float) -> str:
    return rounded(100 * share, 0 if share >= 0.0995 else 1)
