"""The `info` lines of UGI, the Universal Game Interface: formatting and parsing the report of a search.

UGI generalizes UCI, the protocol of chess engines, to any two-player game (github.com/kz04px/ugi). Squares and
positions are written as everywhere in Isolarium; a move is the square that the player goes to.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf, isinf, isnan
from typing import Final

from isolarium.errors import InputError
from isolarium.game.board import Square
from isolarium.game.position import Position
from isolarium.limits import per_second
from isolarium.search.protocol import Report

CERTAIN_CP: Final = 1_000_000
"""The score in centipoints of a decided game whose length is not known."""
MOST: Final = 10**15
"""Larger numbers are ignored."""
NO_MOVE: Final = frozenset({"none", "(none)", "0000", "resign", "null"})
"""What engines send in place of a move if they have none."""

ReadMove = Callable[[str, Position], Square]
"""Parses a legal move in a position, or raises InputError."""


def format_info(report: Report) -> str:
    """Format a report as an `info` line."""
    fields = [f"info depth {report.depth}"]
    if report.score is not None and not isnan(report.score):
        fields.append(f"score {_format_score(report)}")
    rate = round(per_second(report.nodes, report.time_ms / 1000)) if report.nodes else 0
    fields.append(f"nodes {report.nodes} nps {rate} time {round(report.time_ms)}")
    if report.pv:
        fields.append(f"pv {' '.join(map(str, report.pv))}")
    return " ".join(fields)


def _format_score(report: Report) -> str:
    score = report.score
    assert score is not None
    if report.proven and report.plies is not None:
        return f"mate {report.plies if score > 0 else -report.plies}"
    if isinf(score):
        return f"cp {CERTAIN_CP if score > 0 else -CERTAIN_CP}"
    return f"cp {round(100 * max(-9_999.0, min(9_999.0, score)))}"


NO_REPORT: Final = Report(score=None, depth=0, nodes=0, time_ms=0.0, pv=())


def parse_info(line: str, position: Position, before: Report, read_move: ReadMove) -> Report:
    """Return a report updated by an `info` line of a third-party engine.

    Impossible numbers are ignored, and a line of moves is used as far as it is legal; of several lines (`multipv`) the
    first counts. Nothing is marked as proven: that a game is decided is the engine's claim.
    """
    tokens = line.split()[1:]
    if "multipv" in tokens[:-1] and tokens[tokens.index("multipv") + 1] != "1":
        return before
    rest, report = iter(tokens), before
    for word in rest:
        if word == "string":
            break
        if word == "pv":
            return replace(report, pv=_line(rest, position, read_move))
        if word == "depth":
            report = replace(report, depth=_count(next(rest, ""), report.depth))
        elif word == "nodes":
            report = replace(report, nodes=_count(next(rest, ""), report.nodes))
        elif word == "score":
            score = _score(next(rest, ""), next(rest, ""))
            report = report if score is None else replace(report, score=score)
    return report


def _line(rest: Iterator[str], position: Position, read_move: ReadMove) -> tuple[Square, ...]:
    line = list[Square]()
    for word in rest:
        try:
            line.append(read_move(word, position))
            position = position.play(line[-1])
        except InputError:
            break
    return tuple(line)


def _score(kind: str, text: str) -> float | None:
    number = _number(text)
    if number is None or kind not in ("cp", "mate"):
        return None
    if kind == "mate":
        return inf if number > 0 else -inf  # mated in 0 has lost
    return number / 100 if abs(number) < CERTAIN_CP else inf if number > 0 else -inf


def _count(text: str, otherwise: int) -> int:
    number = _number(text)
    return otherwise if number is None or number < 0 else number


def _number(text: str) -> int | None:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 16):
        return None
    return int(text) if int(digits) <= MOST else None
