"""The progress and the summary of a run for commands, notebooks and `--json`."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from isolarium.agents import move_limit_s
from isolarium.analysis.run_accuracy import RunAccuracy
from isolarium.arena.live_game import SlowMove
from isolarium.arena.local_workers import LOG_NAME
from isolarium.arena.plan import Format, Plan
from isolarium.arena.provenance import NO_VERDICTS
from isolarium.arena.results import Results, broken, encounter_result, failures, player_rate
from isolarium.arena.run_store import LONGEST, names_of, title_of
from isolarium.arena.runner import Progress
from isolarium.arena.tally import Tally
from isolarium.game.position import Reason
from isolarium.reporting.analysis_tables import accuracy_facts
from isolarium.reporting.cells import json_of
from isolarium.reporting.model import Block, Fact, Facts
from isolarium.reporting.run_tables import OWN_DEPTH, depth_mark, main_tables, standing
from isolarium.reporting.verdict import WHENEVER, is_clock_unfair, verdict_of
from isolarium.stats import chance_range, format_likelihood, format_p_value, pairs_significance, rounded
from isolarium.text import counted, duration, printable, shortened

PLAYED: Final = "played"


def summary_title(results: Results) -> str:
    """Return the title of the summary."""
    if results.plan.format is Format.MATCH:
        return "  vs  ".join(results.labels)
    return title_of(results.plan)


def run_summary(
    results: Results, width: int, folder: Path | None = None, accuracy: RunAccuracy | None = None
) -> list[Block]:
    """Return the summary of a run: the verdict, then the evidence.

    It fits a screen of `width` characters. The summary of a match has no tables.
    """
    if results.plan.format is Format.MATCH:
        facts = [*run_facts(results, accuracy), *_places(results, folder)]
        return [Facts(facts)]
    verdict, *rest = run_facts(results, accuracy)
    return [
        Facts([verdict, _played(results)]),
        *main_tables(results, width),
        Facts([*(fact for fact in rest if fact.label != PLAYED), *_places(results, folder)]),
    ]


def match_answer(results: Results, folder: Path | None = None) -> list[Block]:
    """Return the verdict on a match, its score, pairs and folder, and any failures."""
    facts = [*_answer(results), *_troubles(results), *_places(results, folder)]
    return [Facts(facts)]


def match_details(results: Results, accuracy: RunAccuracy | None = None) -> list[Block]:
    """Return the facts about a match that `match_answer` leaves out."""
    return [Facts(list(_details(results, accuracy)))]


def accuracy_summary(results: Results, accuracy: RunAccuracy) -> list[Block]:
    """Return the comparison of a match with perfect play.

    The result is empty if an agent failed in most of its games.
    """
    return [] if any(broken(results)) else [Facts(list(accuracy_facts(accuracy, results)))]


def run_json(results: Results, folder: Path | None = None, accuracy: RunAccuracy | None = None) -> dict[str, Any]:
    """Return all facts, with rows for agents and encounters, as JSON."""
    found: dict[str, Any] = {"run": folder}
    for fact in run_facts(results, accuracy):
        found |= fact.data
    found["per_agent"] = [
        {**standing(results, player), "losses": results.agents[player].losses} for player in range(len(results.labels))
    ]
    if results.plan.format is not Format.MATCH:
        found["encounters"] = [
            {
                "first": results.labels[met.encounter.first],
                "second": results.labels[met.encounter.second],
                "pairs": met.summary,
                "score": met.rate,
                "elo": met.elo,
                "superiority": met.superiority if results.finished else None,
            }
            for met in results.encounters
        ]
    plain: dict[str, Any] = json_of(found)
    return plain


def run_facts(results: Results, accuracy: RunAccuracy | None = None) -> Iterator[Fact]:
    """Yield the facts of a run, the verdict first."""
    yield from _answer(results)
    yield from _troubles(results)
    yield from _details(results, accuracy)


def _answer(results: Results) -> Iterator[Fact]:
    """Yield the verdict, and the score of a match."""
    verdict = verdict_of(results)
    yield Fact("verdict", (verdict.words,), {"verdict": verdict.words})
    if results.plan.format is Format.MATCH:
        yield _score(results)
        yield _pairs(results)


def _troubles(results: Results) -> Iterator[Fact]:
    """Yield the agents' failures and the workers that cannot be trusted."""
    for failure in failures(results):
        name = (results.labels if len(results.labels) == 2 else results.names.short)[failure.player]
        yield Fact(f"{failure.reason}", (failure.describe(name),))
    for worker, games in results.verdicts.differed.items():
        again = f"other workers replayed its {counted(games, 'game')}"
        yield Fact("MISMATCH", (f"{worker} played a batch differently from this machine", again))
    for why in results.verdicts.refused:
        yield Fact("refused", (why,))


def _details(results: Results, accuracy: RunAccuracy | None) -> Iterator[Fact]:
    """Yield the facts that follow the verdict and the failures."""
    yield _played(results)
    if results.plan.format is Format.MATCH:
        yield from _significance(results)
        yield _first_mover(results)
        yield from _test(results)
        if accuracy is not None and not any(broken(results)):
            yield from accuracy_facts(accuracy, results)
        yield _effort(results)
        yield _losses(results)
    else:
        yield _games(results)
        yield _first_mover(results)
    yield _clock(results)
    yield from _checked(results)


def _played(results: Results) -> Fact:
    """Return the settings of the games: board, pairs, seed and openings."""
    plan = results.plan
    pairs = f"{counted(plan.pairs, 'pair')} each"
    if plan.format is Format.MATCH:
        pairs = counted(results.encounters[0].summary.pairs, "pair")
    more = f" and {plan.plies} random moves" if plan.plies else ""
    parts = [plan.board, pairs, f"seed {plan.seed}", f"openings {plan.openings}{more}"]
    if plan.move_ms is not None:
        parts.append(f"at most {plan.move_ms:g} ms per move")
    left = "" if results.finished else f"not finished: {counted(plan.games - results.games, 'game')} left"
    agents = len(plan.agents)
    has_pairs = plan.format is Format.MATCH and results.duplicates  # The fact `pairs` of a match has them
    return Fact(
        PLAYED,
        (" · ".join(parts), left, "" if has_pairs else duplicates_in_words(results)),
        {
            "format": plan.format,
            "agents": results.labels[:agents],
            "opponents": results.labels[agents:],
            "board": plan.board,
            "seed": plan.seed,
            "finished": results.finished,
            "games": results.games,
            "distinct_openings": results.openings,
            "effective_openings": results.effective_openings,
            "duplicate_games": results.duplicates,
        },
    )


def _score(results: Results) -> Fact:
    met = results.encounters[0]
    elo, summary = met.elo, met.summary
    superiority = met.superiority if results.finished else None  # valid at the planned end only
    sure = "" if results.finished else f"95% interval, {WHENEVER}"
    if superiority is not None:
        sure = f"LOS {format_likelihood(superiority)}"
    return Fact(
        "score",
        (f"{met.rate}", f"Elo {elo}", sure) if summary.pairs else (),
        {"score": met.rate, "elo": elo, "superiority": superiority},
    )


def _pairs(results: Results) -> Fact:
    summary = results.encounters[0].summary
    return Fact(
        "pairs",
        (
            f"won {summary.won:,} · split {summary.split:,} · lost {summary.lost:,}",
            openings_in_words(results),
            duplicates_in_words(results) if results.duplicates else "",
        ),
        {"pairs": summary},
    )


def openings_in_words(results: Results) -> str:
    """Return the number of openings as text, such as `20 distinct openings, worth 12`.

    The effective number is included if it is smaller.
    """
    worth = round(results.effective_openings)
    more = f", worth {worth:,}" if worth < results.openings else ""
    return f"{counted(results.openings, 'distinct opening')}{more}"


LEAST_SHARE: Final = 0.1
"""The smallest percentage of duplicate games that is printed as a number."""


def duplicates_in_words(results: Results) -> str:
    """Return the share of games that repeat an earlier one."""
    if not results.games:
        return ""
    if not results.duplicates:
        return "no duplicate games"
    share = 100 * results.duplicates / results.games
    figure = "fewer than 0.1%" if share < LEAST_SHARE else f"{rounded(share, 1)}%"
    return f"{figure} of the games are duplicates"


def _significance(results: Results) -> Iterator[Fact]:
    met = results.encounters[0]
    summary = met.summary
    judged = results.finished and results.has_enough_openings
    if summary.pairs and judged and met.sequential is None:
        verdict = pairs_significance(summary)
        significant = "not significant" if verdict.inside_noise else "significant"
        yield Fact(
            "significance",
            (f"{format_p_value(verdict.p_value)} against 50%: {significant}", f"chance alone: {chance_range(summary)}"),
        )


def _games(results: Results) -> Fact:
    ratings = results.ratings
    rated = [] if ratings is None else ratings.table
    elo_of = {label: results.elo_of(player) for player, label in enumerate(results.labels)}
    games = f"{counted(results.games, 'game')} from {openings_in_words(results)}"
    return Fact(
        "games",
        (games,),
        {
            "ratings": [
                {"agent": one.agent, "games": one.games, "won": one.won, "elo": elo_of[one.agent]} for one in rated
            ]
        },
    )


def _first_mover(results: Results) -> Fact:
    worth = None if results.ratings is None else results.ratings.first_mover
    if worth is not None and not results.has_enough_openings:
        worth = worth.without_interval()
    data = {"first_mover_won": results.first_won, "first_mover_elo": worth}
    if not results.games:
        return Fact("first mover", (), data)
    share = f"won {rounded(100 * results.first_won / results.games, 1)}% of the games"
    return Fact("first mover", (share, "" if worth is None else f"worth {worth} Elo"), data)


def _test(results: Results) -> Iterator[Fact]:
    plan, test, met = results.plan.test, results.tally.test, results.encounters[0]
    if plan is None or test is None:
        yield Fact("test", (), {"test": None})
        return
    yield Fact(
        "test",
        (
            f"{test.state}",
            f"H0 {plan.elo0:+g}, H1 {plan.elo1:+g} {plan.unit}, error rates {plan.alpha:g} and {plan.beta:g}",
            f"LLR {test.llr:.2f} of {plan.lower:.2f} to {plan.upper:.2f}",
        ),
        {
            "test": {
                "state": test.state,
                "llr": test.llr,
                "lower": plan.lower,
                "upper": plan.upper,
                "normalised": plan.normalised,
            }
        },
    )
    if met.sequential is not None and met.sequential.corrected:
        yield Fact("", (f"the score is corrected for early stopping (uncorrected: {met.sequential.naive})",))


def _effort(results: Results) -> Fact:
    one, other = results.agents
    marks = [depth_mark(results, player) for player in (0, 1)]
    depth = _against(one.mean_depth, other.mean_depth, ".1f", marks)
    nodes = _against(one.mean_nodes, other.mean_nodes, ",.0f")
    time_ms = _against(one.mean_time_ms, other.mean_time_ms, ".2f")
    own = f" ({OWN_DEPTH})" if any(marks) else ""
    return Fact("mean depth", (f"{depth} plies{own}", f"{nodes} nodes · {time_ms} ms per move"))


def _against(one: float | None, other: float | None, form: str, marks: Sequence[str] = ("", "")) -> str:
    """Return both values, such as `6.0 vs 6.3`; a dash stands for an unknown value."""
    texts = ("–" if value is None else format(value, form) for value in (one, other))  # noqa: RUF001
    return " vs ".join(f"{text}{mark}" for text, mark in zip(texts, marks, strict=True))


def _losses(results: Results) -> Fact:
    one, other = (figures.losses for figures in results.agents)
    shown = [reason for reason in Reason if reason is Reason.NO_MOVES or one[reason] or other[reason]]
    losses = " · ".join(f"{reason} {one[reason]:,} vs {other[reason]:,}" for reason in shown)
    return Fact("losses", (losses,))


def _clock(results: Results) -> Fact:
    """Return whether the moves of a timed run had their full time."""
    if not results.plan.is_timed:
        return Fact("clock", (), {"held_up_share": None, "pairs_replayed": None})
    share, replayed = results.starved_share, results.troubles.pairs_replayed
    fairness = f"fair: each game had its own core; {100 * share:.1f}% of the moves were delayed"
    if is_clock_unfair(results):
        fairness = f"NOT FAIR: the machine was too busy and delayed {100 * share:.1f}% of the moves"
    again = f"{counted(replayed, 'pair')} replayed after a late move" if replayed else ""
    return Fact(
        "clock",
        (fairness, again, "timed games are not reproducible"),
        {"held_up_share": share, "pairs_replayed": replayed},
    )


def _checked(results: Results) -> Iterator[Fact]:
    """Yield the outcome of a cluster's spot checks."""
    found = results.verdicts
    if found != NO_VERDICTS:
        checked = f"{counted(found.checked, 'batch', 'batches')} gave the same games on two workers"
        yield Fact("checked", (checked,), {"workers": asdict(found)})


def _places(results: Results, folder: Path | None) -> Iterator[Fact]:
    """Yield the run's folder and log, and the next command to type."""
    if folder is None:
        return
    drawn, resumed = (f"isolarium report {folder} draws charts", f"isolarium resume {folder} continues it")
    yield Fact("run", (drawn if results.finished else resumed,))
    if (folder / LOG_NAME).is_file():
        yield Fact("log", (f"{folder / LOG_NAME}", "the agents' output"))


def progress_line(progress: Progress) -> str:
    """Return the progress of a run as one line.

    For example: `1,240 of 2,000 games · 310 a second · 2 s left · 54.3% ± 1.9 · LLR 1.20 ...`.
    """
    tally = progress.tally
    if progress.stage == "compiling":
        return "loading (new agents are compiled first)"
    if progress.stage == "waiting":
        return "waiting for workers (each machine compiles new agents first)"
    if progress.stage == "locked":
        return "waiting: another process holds a lock on the results database (run.sqlite)"
    parts = [f"{tally.games:,} of {progress.games:,} games"]
    if progress.played:
        parts.append(_rate(progress.rate))
    if progress.seconds_left is not None:
        parts.append(f"{duration(progress.seconds_left)} left")
    if len(tally.plan.encounters) == 1 and tally.pairs:
        parts.append(str(encounter_result(tally, 0, tally.is_complete).rate))
    if tally.test is not None:
        plan = tally.test.plan
        parts.append(f"LLR {tally.test.llr:.2f} of {plan.lower:.2f} to {plan.upper:.2f}")
    if progress.slow is not None:
        parts.append(_slow(tally.plan, progress.slow))
    return " · ".join(parts)


def _slow(plan: Plan, move: SlowMove) -> str:
    """Describe a slow move, and when its agent is terminated."""
    text = f"{shortened(printable(move.spec), LONGEST)} has thought for {move.seconds:.0f} s"
    limit_s = move_limit_s(move.spec, plan.move_ms)
    return text if limit_s is None else f"{text} (limit {limit_s:,.0f} s)"


def _rate(rate: float) -> str:
    return f"{rate:,.0f} a second" if rate >= 1 else f"{60 * rate:,.0f} a minute"


def standings_lines(tally: Tally, most: int, names: Sequence[str] = ()) -> Iterator[str]:
    """Yield the leading agents under test, one per line.

    For a match, whose score `progress_line` shows, nothing is yielded.

    Args:
        tally: The games so far.
        most: The maximum number of lines.
        names: The players' display names; derived from the plan if empty.
    """
    if len(tally.plan.encounters) < 2:
        return
    names = (names or names_of(tally.plan).short)[: len(tally.plan.agents)]
    games = {player: tally.games_against_others(player) for player in range(len(names))}
    rates = {player: player_rate(tally, player, tally.is_complete) for player in games if games[player]}
    best = sorted(rates, key=lambda player: -rates[player].rate)[: max(0, most)]
    width = max((len(names[player]) for player in best), default=0)
    for rank, player in enumerate(best, start=1):
        yield f"  {rank:>2}  {names[player]:<{width}}  {rates[player]!s:<20} {games[player]:>7,} games"
    if len(names) > len(best) > 1:
        yield f"      and {len(names) - len(best)} more"
