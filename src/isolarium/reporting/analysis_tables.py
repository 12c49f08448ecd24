"""Tables of an analysis: agents' choices, with exact values where known."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from isolarium.analysis.agent_analysis import Analysis, Opinion
from isolarium.game.board import Square
from isolarium.game.position import Player, Position
from isolarium.game.record import GameRecord, format_game_json
from isolarium.reporting.accuracy_tables import game_json, game_lines, mark_text
from isolarium.reporting.cells import Value
from isolarium.reporting.model import Block, Column, Fact, Facts, Listing, Row, Section, Table, rows_of
from isolarium.search.protocol import Report
from isolarium.text import counted


def analysis_blocks(analysis: Analysis) -> list[Block | Section]:
    """Return an analysis as blocks."""
    if isinstance(analysis.target, GameRecord):
        return [*_game_blocks(analysis, analysis.target)]
    return [*_position_blocks(analysis, analysis.target)]


# A position


def _position_blocks(analysis: Analysis, position: Position) -> Iterator[Block | Section]:
    (row,) = analysis.opinions
    for spec, opinion in zip(analysis.specs, row, strict=True):
        yield Section("", str(spec), [Facts(list(_opinion_facts(str(spec), opinion)))])
    if analysis.interrupted:
        yield Section("", "interrupted: best move so far", [])
    yield from _values_table(analysis, row, position)


def _opinion_facts(spec: str, opinion: Opinion) -> Iterator[Fact]:
    if opinion.choice is None:
        yield Fact("failed", (opinion.failure.removeprefix(f"{spec}: "),))
        return
    report = opinion.choice.report
    yield Fact("move", (str(opinion.choice.move),))
    yield Fact("score", (score_in_words(report),))
    yield Fact("search", (_effort(report),))
    yield Fact("line", (" ".join(map(str, report.pv)),))


def score_in_words(report: Report) -> str:
    """Return the score for the player to move as text."""
    if report.score is None:
        return "-"
    if not report.proven:
        return f"{report.score:+g}"
    plies = "" if report.plies is None else f" in {counted(report.plies, 'ply', 'plies')}"
    return f"proven {'win' if report.score > 0 else 'loss'}{plies}"


def _effort(report: Report) -> str:
    time = f"{report.time_ms:.2f} ms" if report.time_ms < 1000 else f"{report.time_ms / 1000:.2f} s"
    return f"depth {report.depth} · {report.nodes:,} nodes · {time}"


def _values_table(analysis: Analysis, row: Sequence[Opinion], position: Position) -> Iterator[Table]:
    """Yield the heuristics' values after each move, ordered by the first heuristic."""
    wins = [move for move in position.legal_moves() if position.play(move).outcome() is not None]
    values_by_name = {
        str(spec.heuristic): opinion.values
        for spec, opinion in zip(analysis.specs, row, strict=True)
        if spec.heuristic is not None and opinion.choice is not None and (opinion.values or wins)
    }
    if not values_by_name:
        return
    first = next(iter(values_by_name.values()))
    moves = wins + sorted(first, key=lambda move: first[move], reverse=True)
    columns = [Column("move", "move", "<", repeats=True)]
    columns += [Column(name, name, form="+.6g") for name in values_by_name]
    rows: list[Row] = [
        {"move": str(move), **{name: values.get(move, "wins") for name, values in values_by_name.items()}}
        for move in moves
    ]
    yield Table("values", "heuristic value after each move, without search", columns, rows)


# A game


def _game_blocks(analysis: Analysis, game: GameRecord) -> Iterator[Block]:
    """Yield the moves and the agents' choices, with agreement and accuracy."""
    labels = [str(spec) for spec in analysis.specs]
    if len(labels) > 1:
        yield Facts([Fact(f"agent {number}", (label,)) for number, label in enumerate(labels, start=1)])
        labels = [f"agent {number}" for number in range(1, len(labels) + 1)]
    yield _moves_table(analysis, game, labels)
    lines = [
        f"{label} {_agreement(game, [row[place] for row in analysis.opinions])}" for place, label in enumerate(labels)
    ]
    failures = [opinion.failure for row in analysis.opinions for opinion in row]
    lines += [failure for failure in dict.fromkeys(failures) if failure]
    if analysis.accuracy is not None:
        lines += game_lines(analysis.accuracy)
    if analysis.interrupted:
        lines.append("interrupted")
    yield Listing(lines)


def _moves_table(analysis: Analysis, game: GameRecord, labels: Sequence[str]) -> Table:
    """Return a table with a row for each analysed move.

    After an interrupt, the remaining moves of the game have no row.
    """
    columns = [
        Column("ply", "ply", repeats=True),
        Column("player", "", "<", repeats=True),
        Column("played", "played", "<", repeats=True),
        *(Column(label, label, "<") for label in labels),
    ]
    rows: list[list[Value]] = []
    asked = zip(game.positions(), game.moves, analysis.opinions, strict=False)
    for ply, (position, move, row) in enumerate(asked, start=1):
        choices = [_cell(opinion, move) for opinion in row]
        rows.append([ply, position.to_move.badge, str(move), *choices])
    if analysis.accuracy is not None:
        columns.append(Column("truth", "exact value", "<"))
        for cells, marked in zip(rows, analysis.accuracy.moves, strict=True):
            cells.append(mark_text(marked))
    return Table("moves", "", columns, rows_of(columns, rows))


def _cell(opinion: Opinion, played: Square) -> str:
    """Return a choice such as `* e4 +2`; the star marks a difference from the game."""
    if opinion.choice is None:
        return "* failed"
    differs = "*" if opinion.choice.move != played else " "
    return f"{differs} {opinion.choice.move!s:<3} {score_in_words(opinion.choice.report)}"


def _agreement(game: GameRecord, opinions: Sequence[Opinion]) -> str:
    """Return how many moves of the game an agent agrees with.

    For example: `would have played 5 of 9 moves: (A) 3 of 5, [B] 2 of 4`.
    """
    played, agreed = dict.fromkeys(Player, 0), dict.fromkeys(Player, 0)
    for position, move, opinion in zip(game.positions(), game.moves, opinions, strict=False):
        played[position.to_move] += 1
        agreed[position.to_move] += opinion.choice is not None and opinion.choice.move == move
    parts = ", ".join(f"{player.badge} {agreed[player]} of {played[player]}" for player in Player)
    return f"would have played {sum(agreed.values())} of {sum(played.values())} moves: {parts}"


# JSON


def analysis_json(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis as JSON, with infinite scores and NaN as strings."""
    about: dict[str, Any] = {"agents": [str(spec) for spec in analysis.specs], "interrupted": analysis.interrupted}
    if isinstance(analysis.target, GameRecord):
        truth = None if analysis.accuracy is None else game_json(analysis.accuracy)
        return {**_game_json(analysis.target, analysis.opinions), "truth": truth, **about}
    return {**_position_json(analysis.target, analysis.opinions), **about}


def _position_json(position: Position, rows: list[list[Opinion]]) -> dict[str, Any]:
    outcome = position.outcome()
    over = None if outcome is None else {"winner": str(outcome.winner), "reason": str(outcome.reason)}
    return {
        "position": str(position),
        "outcome": over,
        "opinions": [{**_opinion_json(opinion), "values": _values_json(opinion)} for row in rows for opinion in row],
    }


def _game_json(game: GameRecord, rows: list[list[Opinion]]) -> dict[str, Any]:
    asked = zip(game.positions(), game.moves, rows, strict=False)
    plies = [
        {
            "ply": ply,
            "player": str(position.to_move),
            "position": str(position),
            "played": str(move),
            "opinions": [_opinion_json(opinion) for opinion in row],
        }
        for ply, (position, move, row) in enumerate(asked, start=1)
    ]
    return {"game": json.loads(format_game_json(game)), "plies": plies}


def _opinion_json(opinion: Opinion) -> dict[str, Any]:
    if opinion.choice is None:
        return {"move": None, "failure": opinion.failure}
    report = asdict(opinion.choice.report)
    report["pv"] = [str(square) for square in opinion.choice.report.pv]
    report["score"] = _number(report["score"])
    return {"move": str(opinion.choice.move), **report}


def _values_json(opinion: Opinion) -> dict[str, Any]:
    return {str(move): _number(value) for move, value in opinion.values.items()}


def _number(value: float | None) -> float | str | None:
    return value if value is None or isfinite(value) else str(value)
