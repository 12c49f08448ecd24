"""The value of every legal move, in a worker: exact, by heuristics, and by searches."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from isolarium.agents.search_agent import SearchingAgent
from isolarium.agents.subprocess_agent import HostedAgent
from isolarium.arena.game import score_text
from isolarium.game.board import Square
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.limits import Allowance, Limit, Stop
from isolarium.search.protocol import Report
from isolarium.solver.exact_value import Truth
from isolarium.web.jobs.choose_move import choose, prepare, thinker
from isolarium.web.jobs.job_worker import Tell
from isolarium.web.quotas import MS, read_any

Score = float | str | None
Valuer = Callable[[Position, Player], float]
WORDS = {True: "wins", False: "loses", None: "unknown"}

EXACTLY: Final = Limit(nodes=12_000_000)
"""What the exact values of one request may cost: about two seconds."""

_truth = Truth()


def values(request: Mapping[str, Any], tell: Tell, stop: Stop) -> dict[str, Any]:
    """Value the moves in `game`: with `exact`, by `heuristics`, and by `searches` with `seed`."""
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
    """For each move whether it wins, and then, with what is left of the allowance, how soon the game ends."""
    found = {}
    for move, wins in list(_truth.moves(position, allowance)):
        plies = None if wins is None else _truth.plies(position.play(move), allowance)
        found[move] = {"value": WORDS[wins], "plies": None if plies is None else 1 + plies}
    return found


def _best(moves: list[dict[str, Any]], exact: bool) -> dict[str, Any]:
    """What the moves make the position worth: a winner hurries, a loser delays."""
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
    """What tells a heuristic's values."""
    agent = thinker(f"greedy:{heuristic}")
    assert isinstance(agent, SearchingAgent | HostedAgent)
    return agent.value


def static(value_of: Valuer, position: Position, player: Player) -> Score:
    """A heuristic's value of a position for a player; None where it has none. What is no number counts as the least."""
    if position.second is None or position.outcome() is not None:
        return None
    value = value_of(position, player)
    if value != value:
        return "-inf"
    return str(value) if abs(value) == float("inf") else value


def _search(
    position: Position, specs: Sequence[str], seed: int, stop: Stop
) -> tuple[dict[str, list[Score]], bool]:
    """What searches say of every move, and whether time was up before the last of them was through."""
    for spec in specs:
        prepare(spec, position.board)  # compiling does not count
    allowance = Allowance(Limit(time_ms=MS), stop)
    found = {
        str(move): [_searched(spec, position.play(move), seed, allowance.is_over) for spec in specs]
        for move in position.legal_moves()
    }
    return found, bool(specs) and allowance.is_over()


def _searched(spec: str, after: Position, seed: int, stop: Stop) -> Score:
    """What an agent in the opponent's place says of its answer, seen from the other side; None once it is late."""
    if after.outcome() is not None:
        return "win 1"
    if stop():
        return None
    choice, _ = choose(spec, after, seed, stop)
    return turned(choice.report)


def turned(report: Report) -> Score:
    """A report's score from the other side, one ply earlier."""
    score = score_text(report)
    if score is None:
        return None
    if not isinstance(score, str):
        return 0.0 - score  # never -0.0
    if not report.proven:
        return "-inf" if score == "inf" else "inf"
    word = "loss" if score.startswith("win") else "win"
    return word if report.plies is None else f"{word} {report.plies + 1}"
