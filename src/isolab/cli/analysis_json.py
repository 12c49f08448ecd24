"""An analysis for programs."""

import json
from dataclasses import asdict
from math import isfinite
from typing import Any

from isolab.cli.opinions import Analysis, Opinion
from isolab.game.position import Position
from isolab.game.record import GameRecord, format_game_json


def print_analysis_json(analysis: Analysis) -> None:
    """Print everything that is known as one object; numbers that are infinite or none at all are texts."""
    print(json.dumps(_facts(analysis)))


def _facts(analysis: Analysis) -> dict[str, Any]:
    about: dict[str, Any] = {
        "agents": [str(spec) for spec in analysis.specs],
        "interrupted": analysis.interrupted,
    }
    if isinstance(analysis.target, GameRecord):
        return {**_game(analysis.target, analysis.opinions), **_truth(analysis), **about}
    return {**_position(analysis.target, analysis.opinions), **about}


def _position(position: Position, rows: list[list[Opinion]]) -> dict[str, Any]:
    outcome = position.outcome()
    over = (
        None if outcome is None else {"winner": str(outcome.winner), "reason": str(outcome.reason)}
    )
    return {
        "position": str(position),
        "outcome": over,
        "opinions": [_opinion(opinion) | _values(opinion) for row in rows for opinion in row],
    }


def _game(game: GameRecord, rows: list[list[Opinion]]) -> dict[str, Any]:
    asked = zip(
        game.positions(), game.moves, rows, strict=False
    )  # there are fewer rows after an interrupt
    plies = [
        {
            "ply": ply,
            "player": str(position.to_move),
            "position": str(position),
            "played": str(move),
            "opinions": [_opinion(opinion) for opinion in row],
        }
        for ply, (position, move, row) in enumerate(asked, start=1)
    ]
    return {"game": json.loads(format_game_json(game)), "plies": plies}


def _truth(analysis: Analysis) -> dict[str, Any]:
    """What the solver says of every move, and of the game."""
    if analysis.truth is None:
        return {"truth": None}
    from isolab.reporting.truth import game_json

    return {"truth": game_json(analysis.truth)}


def _opinion(opinion: Opinion) -> dict[str, Any]:
    if opinion.choice is None:
        return {"move": None, "failure": opinion.failure}
    report = asdict(opinion.choice.report)
    report["pv"] = [str(square) for square in opinion.choice.report.pv]
    report["score"] = _number(report["score"])
    return {"move": str(opinion.choice.move), **report}


def _values(opinion: Opinion) -> dict[str, Any]:
    return {"values": {str(move): _number(value) for move, value in opinion.values.items()}}


def _number(value: float | None) -> float | str | None:
    return value if value is None or isfinite(value) else str(value)
