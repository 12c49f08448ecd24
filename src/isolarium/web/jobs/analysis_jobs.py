"""Jobs of the Analyse page: values of moves, best lines and reviews of games."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from isolarium.agents.search_agent import SearchingAgent
from isolarium.agents.subprocess_agent import SubprocessAgent
from isolarium.analysis.accuracy import GameAccuracy, Mark, MarkedMove, Marker
from isolarium.arena.game import score_text
from isolarium.game.board import Square
from isolarium.game.position import Player, Position
from isolarium.limits import Allowance, Limit, Stop
from isolarium.search.protocol import Report
from isolarium.solver.solver import EVERY_MOVE_BLANKS, ExactValues, looked_up
from isolarium.web.jobs.choose_move import choose, prepare, thinker
from isolarium.web.jobs.job_worker import Emit
from isolarium.web.quotas import MS, read_any

Score = float | str | None
Valuer = Callable[[Position, Player], float]
VALUES = {True: "wins", False: "loses", None: "unknown"}

EXACTLY: Final = Limit(nodes=12_000_000)
"""The limit for the exact values of one request: about two seconds."""

_truth = ExactValues()


def values(request: Mapping[str, Any], emit: Emit, stop: Stop) -> dict[str, Any]:
    """Compute the values of the moves in `game`.

    The result includes exact values if `exact` is true, and the values of `heuristics` and
    `searches`.
    """
    exactly = Allowance(EXACTLY, stop)
    position = read_any(request["game"]).position
    exact = _exact(position, exactly) if request["exact"] else {}
    valuers = [valuer(text) for text in request["heuristics"]]
    found = [
        {
            "move": str(move),
            **exact.get(move, {"value": "unknown", "plies": None}),
            "heuristics": [static(one, position.play(move), position.to_move) for one in valuers],
        }
        for move in position.legal_moves()
    ]
    searched, stopped = _search(position, request["searches"], request["seed"], stop)
    found = [{**one, "searches": searched[one["move"]]} for one in found]
    return {
        "position": str(position),
        "to_move": str(position.to_move),
        **_best(found, bool(request["exact"])),
        "nodes": exactly.spent,
        "ms": round(exactly.elapsed_ms, 1),
        "stopped": stopped,
        "moves": found,
    }


def _exact(position: Position, allowance: Allowance) -> dict[Square, dict[str, Any]]:
    """Return whether each move wins, and the plies to the end of the game.

    The work stays within the allowance.
    """
    found = {}
    for move, wins in list(_truth.moves(position, allowance)):
        plies = None if wins is None else _truth.plies(position.play(move), allowance)
        found[move] = {"value": VALUES[wins], "plies": None if plies is None else 1 + plies}
    return found


def _best(moves: list[dict[str, Any]], exact: bool) -> dict[str, Any]:
    """Return the value of a position, derived from the values of its moves.

    The winner chooses the quickest win, and the loser the longest resistance.
    """
    if not moves:
        return {"value": "loses", "plies": 0}
    values = {move["value"] for move in moves}
    value = "wins" if "wins" in values else "unknown" if "unknown" in values else "loses"
    if not exact or value == "unknown":
        return {"value": value, "plies": None}
    plies = [move["plies"] for move in moves if move["value"] == value]
    known = None not in plies
    return {"value": value, "plies": (min if value == "wins" else max)(plies) if known else None}


def valuer(heuristic: str) -> Valuer:
    """Return the value function of a heuristic."""
    agent = thinker(f"greedy:{heuristic}")
    assert isinstance(agent, SearchingAgent | SubprocessAgent)
    return agent.value


def static(value_of: Valuer, position: Position, player: Player) -> Score:
    """Return a heuristic's value of a position for a player.

    Return None if there is no value, and -inf in place of NaN.
    """
    if position.second is None or position.outcome() is not None:
        return None
    value = value_of(position, player)
    if value != value:
        return "-inf"
    return str(value) if abs(value) == float("inf") else value


def _search(position: Position, specs: Sequence[str], seed: int, stop: Stop) -> tuple[dict[str, list[Score]], bool]:
    """Return each search's score for every move.

    Also return whether time ran out before all searches had finished.
    """
    for spec in specs:
        prepare(spec, position.board)  # Compile before the time starts.
    allowance = Allowance(Limit(time_ms=MS), stop)
    found = {
        str(move): [_searched(spec, position.play(move), seed, allowance.is_over) for spec in specs]
        for move in position.legal_moves()
    }
    return found, bool(specs) and allowance.is_over()


def _searched(spec: str, after: Position, seed: int, stop: Stop) -> Score:
    """Search the position after a move, and return the score for the player who moved.

    Return None if time ran out.
    """
    if after.outcome() is not None:
        return "win 1"
    if stop():
        return None
    choice, _ = choose(spec, after, seed, stop)
    return turned(choice.report)


def turned(report: Report) -> Score:
    """Return a report's score for the opponent, one ply earlier."""
    score = score_text(report)
    if score is None:
        return None
    if not isinstance(score, str):
        return 0.0 - score  # Never -0.0
    if not report.proven:
        return "-inf" if score == "inf" else "inf"
    word = "loss" if score.startswith("win") else "win"
    return word if report.plies is None else f"{word} {report.plies + 1}"


PERFECT: Final = "oracle@nodes=2000000"
"""The agent that plays both sides of the best line.

Its limit is enough to solve every 7x7 position."""
SEED: Final = 1

_truth = ExactValues()


def best_line(request: Mapping[str, Any], emit: Emit, stop: Stop) -> dict[str, Any]:
    """Return the best line from the end of `game`, as far as it is proven.

    The winner chooses the quickest win, and the loser the longest resistance.
    """
    start = read_any(request["game"]).position
    prepare(PERFECT, start.board)  # Compile before the time starts.
    whole = Allowance(Limit(time_ms=MS), stop)
    moves, exact, value = list[Square](), 0, "loses" if start.outcome() else "unknown"
    position = start
    while position.outcome() is None and _is_solvable(position) and not whole.is_over():
        report = choose(PERFECT, position, SEED, whole.is_over)[0].report
        if not report.proven:
            break
        if not moves:
            value = "wins" if (report.score or 0) > 0 else "loses"
        if report.plies is None:
            exact = len(moves) + 1
        moves += _sure(report, position)
        position = _after(start, moves)
    return {
        "position": str(start),
        "to_move": str(start.to_move),
        "value": value,
        "moves": [str(move) for move in moves],
        "exact": exact,
        "ends": position.outcome() is not None,
    }


def _is_solvable(position: Position) -> bool:
    return looked_up(position) is not None or _truth.reaches(position)


def _sure(report: Report, position: Position) -> tuple[Square, ...]:
    """Return the proven moves of a line.

    All moves are proven if few enough blank squares are left to solve the position to the end;
    otherwise, only the first move is.
    """
    is_whole = report.plies is not None and position.blank_count <= EVERY_MOVE_BLANKS
    return report.pv if is_whole else report.pv[:1]


def _after(position: Position, moves: list[Square]) -> Position:
    for move in moves:
        position = position.play(move)
    return position


_marker = Marker()


def analyse(request: Mapping[str, Any], emit: Emit, stop: Stop) -> dict[str, Any]:
    """Review the moves of `game` from `first_ply` on.

    Each move is sent with its score by `heuristic`.
    """
    game = read_any(request["game"])
    text = request["heuristic"]
    value_of = None if text is None else valuer(text)
    marked, positions = list[MarkedMove](), game.positions()
    for move in _marker.marks(positions, request["first_ply"]):
        marked.append(move)
        score = value_of and static(value_of, positions[move.ply], Player.FIRST)
        emit({"kind": "ply", **_facts(move), "score": score})
        if stop():
            break
    return {"kind": "summary", **summary(GameAccuracy(tuple(marked), game))}


def _facts(move: MarkedMove) -> dict[str, Any]:
    winner = winner_after(move)
    return {
        "ply": move.ply,
        "player": str(move.player),
        "move": str(move.move),
        "mark": str(move.mark),
        "wins": move.wins,
        "winner": None if winner is None else str(winner),
        "decides": move.decides,
        "keeps": None if move.keeps is None else str(move.keeps),
    }


def winner_after(move: MarkedMove) -> Player | None:
    """Return the winner with perfect play after a move; None if unknown."""
    if move.mark is Mark.UNKNOWN or move.wins is None:
        return None
    keeps = move.wins and move.mark is not Mark.MISTAKE
    return move.player if keeps else move.player.other


def summary(marked: GameAccuracy) -> dict[str, Any]:
    """Summarise the accuracy of both players."""
    mistake = marked.first_mistake()
    return {
        "plies": len(marked.moves),
        "players": [_player(marked, player) for player in Player],
        "first_mistake": None if mistake is None else mistake.ply,
        "favourite": _named(marked.theoretical_winner),
        "law": _named(marked.winner_by_law),
        "known": marked.is_known,
    }


def _player(marked: GameAccuracy, player: Player) -> dict[str, Any]:
    kept, chances = marked.kept(player)
    mistake = marked.first_mistake(player)
    return {
        "player": str(player),
        "kept": kept,
        "chances": chances,
        "accuracy": kept / chances if chances else None,
        "first_mistake": None if mistake is None else mistake.ply,
    }


def _named(player: Player | None) -> str | None:
    return None if player is None else str(player)
