"""The figures of a run for programs: what the tables show, as plain values."""

from pathlib import Path
from typing import Any

from isolab.arena import match_text, tournament_text
from isolab.arena.plan import Format
from isolab.arena.results import AgentFigures, EncounterResult, Results
from isolab.stats import EloEstimate, PairSummary, RateEstimate, elo_difference


def results_json(results: Results, folder: Path | None = None) -> dict[str, Any]:
    """A run as a JSON object; an infinite Elo is null."""
    if results.plan.format is Format.MATCH:
        return match_json(results, folder)
    return tournament_json(results, folder)


def match_json(results: Results, folder: Path | None = None) -> dict[str, Any]:
    """A match as a JSON object."""
    test = results.tally.test
    bounds = (
        None
        if test is None
        else {
            "state": str(test.state),
            "llr": test.llr,
            "lower": test.plan.lower,
            "upper": test.plan.upper,
        }
    )
    return {
        "agents": list(results.labels),
        **_played(results),
        **_met(results.encounters[0]),
        "test": bounds,
        **_rest(results, folder),
        "verdict": match_text.verdict(results),
    }


def tournament_json(results: Results, folder: Path | None = None) -> dict[str, Any]:
    """A tournament as a JSON object; ratings best first."""
    plan, ratings = results.plan, results.ratings
    rated = [] if ratings is None else ratings.table
    return {
        "format": str(plan.format),
        "agents": list(results.labels[: len(plan.agents)]),
        "opponents": list(results.labels[len(plan.agents) :]),
        **_played(results),
        "ratings": [
            {"agent": one.agent, "games": one.games, "won": one.won, "elo": _elo(one.elo)}
            for one in rated
        ],
        "first_mover_elo": None if ratings is None else _elo(ratings.first_mover),
        "encounters": [
            {
                "first": results.labels[met.encounter.first],
                "second": results.labels[met.encounter.second],
                **_met(met),
            }
            for met in results.encounters
        ],
        **_rest(results, folder),
        "verdict": tournament_text.verdict(results),
    }


def _played(results: Results) -> dict[str, Any]:
    return {
        "board": results.plan.board,
        "seed": results.plan.seed,
        "finished": results.finished,
        "games": results.games,
        "distinct_openings": results.openings,
    }


def _met(met: EncounterResult) -> dict[str, Any]:
    return {
        "pairs": _pairs(met.summary),
        "score": _rate(met.rate),
        "elo": _elo(elo_difference(met.rate)),
        "superiority": met.superiority,
    }


def _rest(results: Results, folder: Path | None) -> dict[str, Any]:
    each = zip(results.labels, results.agents, results.rates, strict=True)
    return {
        "first_mover_won": results.first_won,
        "held_up_share": results.starved_share if results.plan.is_timed else None,
        "per_agent": [_agent(label, figures, rate) for label, figures, rate in each],
        "run": None if folder is None else str(folder),
    }


def _agent(label: str, figures: AgentFigures, rate: RateEstimate) -> dict[str, Any]:
    return {
        "agent": label,
        "games": figures.games,
        "won": figures.won,
        "score": _rate(rate),
        "mean_depth": figures.mean_depth,
        "mean_nodes": figures.mean_nodes,
        "mean_time_ms": figures.mean_time_ms,
        "losses": {str(reason): count for reason, count in figures.losses.items()},
    }


def _pairs(summary: PairSummary) -> dict[str, int]:
    return {"won": summary.won, "split": summary.split, "lost": summary.lost}


def _rate(rate: RateEstimate) -> dict[str, float]:
    return {"rate": rate.rate, "low": rate.low, "high": rate.high}


def _elo(elo: EloEstimate) -> dict[str, float | None]:
    return {"elo": _finite(elo.elo), "low": _finite(elo.low), "high": _finite(elo.high)}


def _finite(value: float) -> float | None:
    return value if abs(value) != float("inf") else None
