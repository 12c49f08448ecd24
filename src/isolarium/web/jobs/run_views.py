"""Jobs of the Watch page: the list of runs, a run and its games, read from the results databases."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from time import monotonic
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.analysis.accuracy import Marker
from isolarium.analysis.run_statistics import Visits
from isolarium.arena.game import Game
from isolarium.arena.game_batch import REASON_CODES, Codes
from isolarium.arena.openings import position_after
from isolarium.arena.plan import Format, Plan
from isolarium.arena.results import Results, read_results
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.run_store import folders_in, names_of, read_facts, title_of
from isolarium.arena.sqlite_file import is_being_played
from isolarium.errors import InputError
from isolarium.game.position import Player, Reason
from isolarium.game.record import format_game_json
from isolarium.limits import Stop, per_second
from isolarium.reporting.model import Table, typed_table_json
from isolarium.reporting.run_tables import cross_table, pairs_table, standings_table, sweep_table
from isolarium.reporting.verdict import verdict_of
from isolarium.solver.solver import looked_up
from isolarium.stats import SequentialTest
from isolarium.web.run_folder import name_of, study_of

MOST_POINTS: Final = 400
MOST_KEPT: Final = 8
NAMES: Final = ("place", "agent")
"""The columns of the standings that contain text instead of figures."""
BUDGET_S: Final = 1.0
"""The time for new verdicts in one request. The next requests compute the others."""
MOST_VERDICTS: Final = 2000
MOST_NAMED: Final = 8
"""The maximum number of agents that the list names of one run."""
LISTED_KINDS: Final = {Format.MATCH: "match", Format.ROUND_ROBIN: "tournament", Format.GAUNTLET: "gauntlet"}
NO_FACTS: Final = {"kind": "", "board": "", "agents": [], "players": 0, "left_out": "", "verdict": ""}


# The list of runs


def list_runs(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """List the runs in the folder `runs`, newest first."""
    runs = Path(request["runs"])
    named = [(folder, name_of(folder, runs)) for folder in folders_in(runs)]
    lines = [(folder, _changed(folder), _listed(folder, name)) for folder, name in named if name]
    lines.sort(key=lambda one: (one[2]["started"] or one[1], one[2]["name"]), reverse=True)
    until = monotonic() + BUDGET_S
    for folder, _, line in lines:
        if line["state"] == "finished" and not stop():
            line["verdict"] = _listed_verdict(folder, line["games"], may_read=monotonic() < until)
    return {"runs": [line for _, _, line in lines]}


def _changed(folder: Path) -> str:
    """Return when a database was last written.

    For a run that has never been played, this is its start.
    """
    return datetime.fromtimestamp((folder / FILE_NAME).stat().st_mtime, UTC).isoformat()


def _listed(folder: Path, name: str) -> dict[str, Any]:
    facts = read_facts(folder, name)
    return {
        "name": name,
        "study": study_of(name),
        "title": facts.short_title,
        "started": facts.started,
        "games": facts.games,
        "games_planned": facts.games_planned,
        "state": facts.state if facts.is_readable else "broken",
        "problem": "" if facts.is_readable else facts.state,
        **(_about(folder, _inode(folder)) if facts.is_readable else NO_FACTS),
    }


def _inode(folder: Path) -> int:
    return (folder / FILE_NAME).stat().st_ino


@lru_cache(maxsize=MOST_VERDICTS)
def _about(folder: Path, inode: int) -> dict[str, Any]:
    """Return what a run's plan says; `inode` identifies its database."""
    try:
        with closing(Record(folder)) as record:
            plan = record.plan
            names = names_of(plan)
    except InputError:  # Damaged since its facts were read
        return NO_FACTS
    about = {"kind": _kind(plan), "board": plan.board, "agents": list(names.short[:MOST_NAMED])}
    return {**about, "players": len(names.short), "left_out": names.left_out, "verdict": ""}


def _kind(plan: Plan) -> str:
    return "sweep" if plan.sweep is not None else LISTED_KINDS[plan.format]


def _words(results: Results) -> str:
    """Return the verdict; for a match, include its key figure."""
    verdict = verdict_of(results)
    is_match = results.plan.format is Format.MATCH
    return f"{verdict.answer}: {verdict.figure}" if is_match else verdict.answer


_verdicts: dict[tuple[Path, int, int], str] = {}


def _listed_verdict(folder: Path, games: int, *, may_read: bool) -> str:
    """Return the verdict of a finished run, cached; empty if it may not be computed now."""
    key = folder, _inode(folder), games
    if key not in _verdicts and may_read:
        try:
            with closing(Record(folder)) as record:
                words = _words(read_results(record))
        except InputError:
            words = ""
        if len(_verdicts) >= MOST_VERDICTS:
            _verdicts.clear()
        _verdicts[key] = words
    return _verdicts.get(key, "")


# A run and its games


def read_run(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """Return everything about the run in `folder`.

    If the run's mark still equals `unless`, return only the mark.
    """
    folder = Path(request["folder"])
    with closing(Record(folder)) as record:
        state, file = _state(record, folder), (folder / FILE_NAME).stat().st_ino
        mark = f"{state} {record.count()} {file}"
        if mark == request.get("unless"):
            return {"mark": mark}
        if _snapshots.get(folder, {}).get("mark") != mark:
            _remember(folder, {"mark": mark, "run": _snapshot(record, state)})
        return _snapshots[folder]


_snapshots: dict[Path, dict[str, Any]] = {}


def _remember(folder: Path, found: dict[str, Any]) -> None:
    """Cache the latest snapshots of a few runs."""
    _snapshots.pop(folder, None)
    _snapshots[folder] = found
    if len(_snapshots) > MOST_KEPT:
        _snapshots.pop(next(iter(_snapshots)))


def _state(record: Record, folder: Path) -> str:
    if record.is_finished:
        return "finished"
    return "playing" if is_being_played(folder) else "stopped"


def _snapshot(record: Record, state: str) -> dict[str, Any]:
    plan = record.plan
    visits = Visits(record.board, len(plan.players))
    results = read_results(record, visits.add)
    rate = _games_a_second(record, results.games) if state == "playing" else None
    return {
        "title": title_of(plan),
        "state": state,
        "stage": _stage(state, rate),
        "started": record.fact("started") or "",
        "board": plan.board,
        "format": str(plan.format),
        "openings": plan.openings,
        "plies": plan.plies,
        "seed": plan.seed,
        "pairs": plan.pairs,
        "games": results.games,
        "games_planned": plan.games,
        "pairs_done": results.tally.pairs,
        "rate": rate,
        "seconds_left": (plan.games - results.games) / rate if rate else None,
        **_verdict(results),
        "first_mover_won": results.first_won / results.games if results.games else None,
        "players": list(results.labels),
        **_tables(results),
        "test": None if results.tally.test is None else _test(results.tally.test),
        "heat": [_heat(visits, player) for player in range(len(plan.players))],
        "has_report": results.games > 0,
    }


def _games_a_second(record: Record, games: int) -> float | None:
    """Return the games per second since the run was last started or resumed.

    Return None before the first game.
    """
    sittings = record.sittings()
    if not sittings or games <= sittings[-1]["games_before"]:
        return None
    seconds = (datetime.now(UTC) - datetime.fromisoformat(sittings[-1]["since"])).total_seconds()
    return per_second(games - float(sittings[-1]["games_before"]), seconds, step_s=1.0)


def _stage(state: str, rate: float | None) -> str:
    return "" if state != "playing" else "starting" if rate is None else "playing"


def _verdict(results: Results) -> dict[str, str]:
    """Return the verdict of a run and its key figure.

    For a match, the verdict is a phrase that follows the players' names; otherwise, it is a
    sentence.
    """
    if not any(met.summary.pairs for met in results.encounters):
        return {"verdict": "", "figure": ""}
    verdict = verdict_of(results)
    words = verdict.words if results.plan.format is Format.MATCH else verdict.answer
    return {"verdict": words, "figure": verdict.figure}


def _tables(results: Results) -> dict[str, Any]:
    """Return the tables of the run's report.

    A cross table is included only if the run has several encounters.
    """
    is_many = len(results.plan.encounters) > 1
    return {
        "standings": typed_table_json(_standings(results)),
        "cross": typed_table_json(cross_table(results)) if is_many else None,
        "encounters": typed_table_json(pairs_table(results)),
        "sweep": _sweep(results),
    }


def _sweep(results: Results) -> dict[str, Any] | None:
    """Return the table of a sweep's values once a game has been played."""
    if results.plan.sweep is None or not results.games:
        return None
    return typed_table_json(sweep_table(results))


def _standings(results: Results) -> Table:
    """Return the standings; before the first game, only the players."""
    table = standings_table(results)
    if results.games:
        return table
    return replace(table, rows=[{name: row[name] for name in NAMES} for row in table.rows])


def _test(test: SequentialTest) -> dict[str, Any]:
    plan, path = test.plan, (0.0, *test.path)
    step = max(1, -(-len(path) // MOST_POINTS))
    kept = sorted({*range(0, len(path), step), len(path) - 1})
    return {
        "elo0": plan.elo0,
        "elo1": plan.elo1,
        "normalised": plan.normalised,
        "alpha": plan.alpha,
        "beta": plan.beta,
        "lower": plan.lower,
        "upper": plan.upper,
        "llr": test.llr,
        "state": str(test.state),
        "pairs": len(path) - 1,
        "path": [(pair, path[pair]) for pair in kept],
    }


def _heat(visits: Visits, player: int) -> dict[str, Any]:
    own, opponents = visits.own(player), visits.opponents(player)
    return {
        "player": player,
        "games": own.games,
        "share": [round(float(share), 5) for share in own.share],
        "opponents": [round(float(share), 5) for share in opponents.share],
    }


# Games


def read_games(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """List up to `limit` games of the run in `folder` from `offset` on.

    `show` and `agent` select games.
    """
    folder, offset, limit = Path(request["folder"]), request["offset"], request["limit"]
    with closing(Record(folder)) as record:
        if request["show"] == "all" and request["agent"] is None:
            games, total = record.games(skip=offset, most=limit), record.count()
            numbers: Sequence[int] = range(offset + 1, offset + limit + 1)
        else:
            file = (folder / FILE_NAME).stat().st_ino
            if request["show"] == "mistakes":
                found = with_mistakes(folder, file, request["agent"], stop)
            else:
                found = matching(folder, file, record.count(), request["show"], request["agent"])
            total, numbers = len(found), found[offset : offset + limit]
            games = (next(record.games(skip=number - 1, most=1)) for number in numbers)
        lines = [_game_line(record, game, number) for number, game in zip(numbers, games, strict=False)]
        return {"total": total, "offset": offset, "games": lines}


def read_game(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """Return the game `number` of the run in `folder`, with the reports of its moves."""
    folder, number = Path(request["folder"]), request["number"]
    with closing(Record(folder)) as record:
        game = next(record.games(skip=number - 1, most=1), None)
        if game is None:
            raise InputError(f"game {number}: expected 1 to {record.count()}")
        return {
            **_game_line(record, game, number),
            "note": game.note,
            "opening": len(game.opening),
            "labels": [record.plan.players[player] for player in game.players],
            "json": format_game_json(game.record(record.board)),
            "moves": _moves(game),
        }


def _game_line(record: Record, game: Game, number: int) -> dict[str, Any]:
    first, second = game.players
    return {
        "number": number,
        "encounter": game.encounter,
        "pair": game.pair + 1,
        "game": game.leg + 1,
        "first": first,
        "second": second,
        "winner": str(game.winner),
        "reason": str(game.reason),
        "length": game.length,
        "text": game.text(record.board),
    }


def _moves(game: Game) -> list[dict[str, Any]]:
    """Return every move with its report.

    The players alternate from the first move.
    """
    moves: list[tuple[Any, ...]] = [(move, None, None, None, None) for move in game.opening]
    moves += zip(game.moves, game.scores, game.depths, game.nodes, game.times_ms, strict=True)
    names = ("move", "score", "depth", "nodes", "ms")
    return [
        {**dict(zip(names, facts, strict=True)), "player": str(Player(place % 2))} for place, facts in enumerate(moves)
    ]


MOST_SOLVED: Final = 200
"""The number of a run's last games that are searched for mistakes."""


@lru_cache(maxsize=16)
def matching(folder: Path, file: int, games: int, show: str, agent: int | None) -> list[int]:
    """Return the numbers of a run's games of one kind, counted from 1.

    `file` and `games` identify the state of the run's database.

    Args:
        folder: The run's folder.
        file: The inode of its database.
        games: The number of games in it.
        show: `all`, `upsets`, `given away` or `time`.
        agent: The index of a player to select; None for all.
    """
    with closing(Record(folder)) as record:
        columns = [(batch.players, batch.winners, batch.reasons, batch.pairs) for batch in record.batches()]
        if not columns:
            return []
        players, winners, reasons, pairs = (np.concatenate(column)[:games] for column in zip(*columns, strict=True))
        match show:
            case "upsets":
                is_one = _are_upsets(players, winners)
            case "time":
                is_one = reasons == REASON_CODES[Reason.TIME]
            case "given away":
                best = _best_winners(record, pairs)
                is_one = (best >= 0) & (best != winners)
            case _:
                is_one = np.ones(len(winners), dtype=np.bool_)
        is_own = True if agent is None else (players == agent).any(axis=1)
        found: list[int] = (np.flatnonzero(is_one & is_own) + 1).tolist()
        return found


def with_mistakes(folder: Path, file: int, agent: int | None, stop: Stop) -> list[int]:
    """Return the numbers of a run's last games with mistakes.

    A mistake is a move that gives a win away. `agent` selects the mistakes of one player.

    The list is incomplete if `stop` returns true.
    """
    found = list[int]()
    with closing(Record(folder)) as record:
        last = record.count()
        for number in range(max(0, last - MOST_SOLVED) + 1, last + 1):
            if stop():
                break
            erred = _who_erred(folder, file, number)
            if agent in erred or (agent is None and erred):
                found.append(number)
    return found


@lru_cache(maxsize=20 * MOST_SOLVED)
def _who_erred(folder: Path, file: int, number: int) -> frozenset[int]:
    """Return the indices of the players that gave a win away in a game."""
    with closing(Record(folder)) as record:
        game = next(record.games(skip=number - 1, most=1))
        seats = _marker().who_erred(game.positions(record.board), len(game.opening) + 1)
    return frozenset(game.players[seat] for seat in seats)


@cache
def _marker() -> Marker:
    return Marker()


def _are_upsets(players: NDArray[np.int32], winners: Codes) -> NDArray[np.bool_]:
    """Return whether each game was lost by the player that won the larger share of all games."""
    places = np.arange(len(winners))
    winning, losing = players[places, winners], players[places, 1 - winners]
    count = int(players.max()) + 1
    played = np.bincount(players.ravel(), minlength=count)
    shares = np.bincount(winning, minlength=count) / np.maximum(played, 1)
    found: NDArray[np.bool_] = shares[winning] < shares[losing]
    return found


def _best_winners(record: Record, pairs: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return who wins each pair's opening with perfect play, or -1 if that is unknown.

    The winner is looked up, so only solved openings count.
    """
    clusters, lines, board = record.clusters(), record.opening_lines, record.board
    best = np.full(len(clusters), -1)
    for opening in np.unique(clusters[pairs]).tolist():
        squares = [board.squares[square] for square in lines[opening].tolist()]
        position = position_after(board, squares)
        wins = looked_up(position)
        if wins is not None:
            best[opening] = position.to_move if wins else position.to_move.other
    found: NDArray[np.int64] = best[clusters[pairs]]
    return found
