"""The result of a tournament: what was played, its tables, a verdict in words, and where the rest is."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

from isolab.arena.failures import broken
from isolab.arena.labels import short_labels
from isolab.arena.match_text import (
    LABEL_WIDTH,
    clock_lines,
    closing_lines,
    failure_lines,
    labelled,
    played_parts,
)
from isolab.arena.plan import Format
from isolab.arena.results import Results
from isolab.arena.table import Line, Piece, lay_out
from isolab.arena.tournament_tables import ranking, tables_of
from isolab.stats import format_likelihood, match_verdict
from isolab.text import counted, listed

SURE = 0.975
"""How likely the best of two has to be the better one; of more, each comparison has to be surer (Bonferroni)."""


def tournament_lines(
    results: Results, folder: Path | None = None, width: int = 100, *, mark: bool = True
) -> Iterator[Line]:
    """The lines that a tournament ends with; with `mark` the best figures carry an asterisk."""
    plan = results.plan
    yield [Piece(title_of(results), "head")]
    yield [Piece(labelled("played", *played_parts(results, f"{counted(plan.pairs, 'pair')} each")))]
    for table in tables_of(results, width):
        yield []
        yield from lay_out(table, width, mark=mark)
    yield []
    for text in (*_facts(results), *clock_lines(results)):
        yield [Piece(text)]
    for text in wrap(
        labelled("verdict", verdict(results)), width, subsequent_indent=" " * LABEL_WIDTH
    ):
        yield [Piece(text)]
    for text in closing_lines(results, folder):
        yield [Piece(text)]


def title_of(results: Results) -> str:
    """What the run is called, or what it is."""
    plan = results.plan
    if plan.title:
        return plan.title
    if plan.sweep is not None:
        return f"sweep of {plan.sweep.template} against {' and '.join(plan.opponents)}"
    if plan.format is Format.GAUNTLET:
        return f"{counted(len(plan.agents), 'agent')} against {counted(len(plan.opponents), 'opponent')}"
    return f"{plan.format} of {counted(len(plan.agents), 'agent')}"


def verdict(results: Results) -> str:
    """Who of the agents under test is best, and from whom that cannot be told apart.

    Agents that failed in most of their games are named: their figures say nothing of their play.
    """
    names = _names(results)
    failed = [failure.shortly(names[failure.player]) for failure in broken(results)]
    return "; ".join([_best(results), *failed])


def _best(results: Results) -> str:
    under_test = set(range(len(results.plan.agents)))
    best, *rest = (player for player in ranking(results) if player in under_test)
    names, ratings = _names(results), results.ratings
    met = results.against(best, 1 - best) if len(names) == 2 else None
    if met is not None:
        seen = match_verdict(met.summary, estimate=met.rate)
        return f"{names[best]} against {names[1 - best]}: {seen}"
    if ratings is None or not rest:
        return f"{names[best]}: {results.rates[best]}"
    label = results.labels
    sure = {other: ratings.superiority(label[best], label[other]) for other in rest}
    enough = 1 - (1 - SURE) / len(rest)
    level = [names[other] for other in rest if sure[other] < enough]
    if not level:
        least = format_likelihood(min(sure.values()))
        return f"{names[best]} is the best (LOS {least} over the next)"
    few = level if len(level) <= 3 else [*level[:2], f"{len(level) - 2} more"]
    return f"{names[best]} leads; not told apart from {listed(few)}"


def _names(results: Results) -> tuple[str, ...]:
    """What players are called in the verdict; in a sweep the values are names enough."""
    names = short_labels(results.plan).labels
    if results.plan.sweep is None:
        return names
    values = (f"value {', '.join(row)}" for row in results.plan.sweep.values)
    return (*values, *names[len(results.plan.agents) :])


def _facts(results: Results) -> Iterator[str]:
    games = f"{counted(results.games, 'game')} from {counted(results.openings, 'distinct opening')}"
    yield labelled("games", games)
    if results.games:
        share = f"won {100 * results.first_won / results.games:.1f}% of the games"
        worth = f"worth {results.ratings.first_mover} Elo" if results.ratings else ""
        yield labelled("first mover", share, worth)
    yield from failure_lines(results)
