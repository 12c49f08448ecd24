"""Every figure of a run as text, with all digits."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from isolarium.analysis.run_statistics import Overview, StartShare, overview_of
from isolarium.arena.results import failures
from isolarium.arena.run_db import Record


def every_figure(record: Record) -> str:
    """Return every figure of a run: a line for each group of figures."""
    overview = overview_of(record, sample=10)
    groups = chain(_of_results(overview), _of_overview(overview))
    return "".join(f"{name}: {value!r}\n" for name, value in groups)


def _of_results(overview: Overview) -> Iterator[tuple[str, Any]]:
    results = overview.results
    yield "games", (results.games, results.openings, results.duplicates, results.first_won)
    yield "effective openings", results.effective_openings
    for met in results.encounters:
        summary, rate = met.summary, met.rate
        yield "pairs", (summary.won, summary.split, summary.lost, summary.clusters)
        yield "evidence", (summary.effective, rate.rate, rate.low, rate.high, met.superiority)
        yield "won by first mover", met.won_by_first_mover
    for figures in results.agents:
        yield "agent", (figures.games, figures.won, figures.won_first, figures.moves)
        effort = (figures.searched, figures.depth, figures.nodes, figures.time_ms, figures.starved)
        yield "effort", effort
        yield "losses", [(str(reason), count) for reason, count in figures.losses.items()]
        yield "notes", {str(reason): note for reason, note in figures.notes.items()}
    yield "failures", [(one.player, str(one.reason), one.lost) for one in failures(results)]
    yield "rates", [(rate.rate, rate.low, rate.high) for rate in results.rates]
    yield "ranking", results.ranking
    if results.ratings is not None:
        yield "covariance", results.ratings.covariance
        for rating in results.ratings.table:
            elo = rating.elo
            yield rating.agent, (elo.elo, elo.low, elo.high, rating.games, rating.won)
    yield "sample", [(game.encounter, game.pair, game.leg, *game.line) for game in results.sample]


def _of_overview(overview: Overview) -> Iterator[tuple[str, Any]]:
    for player in range(len(overview.plan.players)):
        for visits in (overview.visits.own(player), overview.visits.opponents(player)):
            yield "visits", (visits.games, visits.by_opening.tolist())
        yield "starts", _shares(overview.starts.agent(player))
        effort = overview.effort.by_move(player)
        yield "effort", [(move, one.searches, one.depth, one.nodes) for move, one in effort.items()]
    yield "starts of the first mover", _shares(overview.starts.first_mover())
    yield "clock", (overview.clock.moves, overview.clock.starved, overview.clock.worst())
    lengths = sorted((length, int(winner), n) for (length, winner), n in overview.lengths.items())
    yield "lengths", lengths
    yield "notes", {(who, str(why)): notes for (who, why), notes in overview.notes.items()}
    for (encounter, leg), game in overview.first_games.items():
        yield "first game", (encounter, leg, game.line, game.scores, game.times_ms, game.busy_ms)


def _shares(shares: list[StartShare]) -> list[tuple[str, int, float, float, float]]:
    return [(str(one.square), one.games, one.rate.rate, one.rate.low, one.rate.high) for one in shares]
