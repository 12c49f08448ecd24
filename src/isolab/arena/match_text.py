"""The result of a match in words: the answer, how sure it is, and where the rest is."""

from collections.abc import Iterator
from pathlib import Path

from isolab.arena.failures import broken, failures
from isolab.arena.log import LOG_NAME
from isolab.arena.results import AgentFigures, EncounterResult, Results
from isolab.game.outcome import Reason
from isolab.stats import (
    SprtState,
    coin_spread,
    elo_difference,
    format_likelihood,
    match_verdict,
    pairs_verdict,
)
from isolab.text import counted

LABEL_WIDTH = 13


def match_lines(results: Results, folder: Path | None = None) -> Iterator[str]:
    """The lines that a match ends with."""
    met = results.encounters[0]
    summary = met.summary
    one, other = results.agents
    yield f"{results.labels[0]}  vs  {results.labels[1]}"
    yield labelled("played", *played_parts(results, counted(summary.pairs, "pair")))
    yield labelled(
        "score",
        f"{met.rate}",
        f"Elo {elo_difference(met.rate)}",
        f"LOS {format_likelihood(met.superiority)}",
    )
    yield labelled(
        "pairs",
        f"won {summary.won:,} · split {summary.split:,} · lost {summary.lost:,}",
        counted(results.openings, "distinct opening"),
    )
    if results.games:
        yield labelled(
            "fair coin",
            f"{coin_spread(results.games)} in as many games (95%)",
            f"{pairs_verdict(summary)}",
        )
        yield labelled(
            "first mover", f"won {100 * results.first_won / results.games:.1f}% of the games"
        )
    yield from _test_lines(met, results)
    yield labelled(
        "plies", f"{one.mean_depth:.1f} vs {other.mean_depth:.1f} a move", _effort(one, other)
    )
    lost = one.losses + other.losses
    shown = [reason for reason in Reason if reason is Reason.NO_MOVES or lost[reason]]
    yield labelled(
        "losses", " · ".join(f"{reason} {_both(one, other, reason)}" for reason in shown)
    )
    yield from clock_lines(results)
    yield from failure_lines(results)
    yield labelled("verdict", verdict(results))
    yield from closing_lines(results, folder)


def verdict(results: Results) -> str:
    """What a match has shown, in words; where a test has decided, what that says.

    Where an agent failed in most of its games, that is the verdict: there is nothing else to judge.
    """
    failed = [failure.shortly(results.labels[failure.player]) for failure in broken(results)]
    if failed:
        return f"none on play: {'; '.join(failed)}"
    met, test = results.encounters[0], results.tally.test
    seen = match_verdict(met.summary, estimate=met.rate, superiority=_superiority(met))
    if test is None:
        return seen
    plan = test.plan
    if test.state is SprtState.RUNNING:
        return f"the test has not decided; {seen}"
    accepted, other = plan.elo0, plan.elo1
    if test.state is SprtState.ACCEPTS_H1:
        accepted, other = other, accepted
    likelihood = format_likelihood(met.superiority)
    return f"by the test {accepted:+g} Elo rather than {other:+g} (LOS {likelihood})"


def _superiority(met: EncounterResult) -> float | None:
    return met.superiority if met.sequential else None


def played_parts(results: Results, pairs: str) -> tuple[str, ...]:
    """What was played: board, pairs, seed, openings."""
    plan = results.plan
    more = f" and {plan.plies} random moves" if plan.plies else ""
    parts = [plan.board, pairs, f"seed {plan.seed}", f"openings {plan.openings}{more}"]
    if plan.move_ms is not None:
        parts.append(f"at most {plan.move_ms:g} ms a move")
    left = plan.games - results.games
    unfinished = "" if results.finished else f"not finished: {counted(left, 'game')} left"
    return " · ".join(parts), unfinished


def clock_lines(results: Results) -> Iterator[str]:
    """Where the clock decided: whether the machine let it be fair."""
    if not results.plan.is_timed:
        return
    share = results.starved_share
    if share > 0.01:
        told = f"NOT FAIR: the machine was too busy, it held up {100 * share:.1f}% of the moves"
    else:
        told = (
            f"fair: each game had a core of its own, {100 * share:.1f}% of the moves were held up"
        )
    yield labelled("clock", told)


def failure_lines(results: Results) -> Iterator[str]:
    """Where agents lost by something else than the game: how often, and what was said of the first time."""
    for failure in failures(results):
        yield labelled(f"{failure.reason}", failure.told(results.labels[failure.player]))


def closing_lines(results: Results, folder: Path | None) -> Iterator[str]:
    """Where the run is kept, and what to do with it."""
    if folder is None:
        return
    what = (
        "isolab report writes its report" if results.finished else "isolab resume goes on with it"
    )
    yield labelled("run", f"{folder}", what)
    if (folder / LOG_NAME).is_file():
        yield labelled("printed", f"{folder / LOG_NAME}", "what agents have printed")


def labelled(label: str, *parts: str) -> str:
    """A line of the answer."""
    return (label.ljust(LABEL_WIDTH) + "     ".join(filter(None, parts))).rstrip()


def _test_lines(met: EncounterResult, results: Results) -> Iterator[str]:
    plan, test = results.plan.test, results.tally.test
    if plan is None or test is None:
        return
    yield labelled(
        "test",
        f"{test.state}",
        f"H0 {plan.elo0:+g} Elo, H1 {plan.elo1:+g} Elo, errors {plan.alpha:g} and {plan.beta:g}",
        f"LLR {test.llr:.2f} of {plan.lower:.2f} to {plan.upper:.2f}",
    )
    if met.sequential is not None and met.sequential.corrected:
        counted = f"as counted: {met.sequential.naive}"
        yield labelled("", f"the score is corrected for early stopping ({counted})")


def _effort(one: AgentFigures, other: AgentFigures) -> str:
    nodes = f"{one.mean_nodes:,.0f} vs {other.mean_nodes:,.0f} nodes"
    return f"{nodes} · {one.mean_time_ms:.2f} vs {other.mean_time_ms:.2f} ms"


def _both(one: AgentFigures, other: AgentFigures, reason: Reason) -> str:
    return f"{one.losses[reason]:,} vs {other.losses[reason]:,}"
