"""A game against the truth, move by move, in a worker."""

from collections.abc import Mapping
from typing import Any

from isolarium.analysis.accuracy import GameAccuracy, Mark, MarkedMove, Marker
from isolarium.game.outcome import Player
from isolarium.limits import Stop
from isolarium.web.jobs.job_worker import Tell
from isolarium.web.jobs.move_values import static, valuer
from isolarium.web.quotas import read_any

_marker = Marker()


def analyse(request: Mapping[str, Any], tell: Tell, stop: Stop) -> dict[str, Any]:
    """Mark the moves of `game` from `first_ply` on, telling each, with the score that `heuristic` gives."""
    game = read_any(request["game"])
    text = request["heuristic"]
    value_of = None if text is None else valuer(text)
    marked, positions = list[MarkedMove](), game.positions()
    for move in _marker.marks(game, request["first_ply"]):
        marked.append(move)
        score = value_of and static(value_of, positions[move.ply], Player.FIRST)
        tell({"kind": "ply", **_facts(move), "score": score})
        if stop():
            break
    return {"kind": "summary", **summary(GameAccuracy(game, tuple(marked)))}


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
    """Who wins after a move when both play perfectly from then on; None if not known."""
    if move.mark is Mark.UNKNOWN or move.wins is None:
        return None
    keeps = move.wins and move.mark is not Mark.MISTAKE
    return move.player if keeps else move.player.other


def summary(marked: GameAccuracy) -> dict[str, Any]:
    """What the marks say of the players."""
    mistake = marked.first_mistake()
    return {
        "plies": len(marked.moves),
        "players": [_player(marked, player) for player in Player],
        "first_mistake": None if mistake is None else mistake.ply,
        "favourite": _named(marked.favourite),
        "law": _named(marked.called_by_law),
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
