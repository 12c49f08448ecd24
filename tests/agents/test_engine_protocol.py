"""Reports of searches as lines of UGI, and the checks of reports from other engines."""

from math import inf, nan

import pytest

from isolarium.agents.engine_protocol import NO_REPORT, format_info, parse_info
from isolarium.errors import InputError
from isolarium.game.board import Square, parse_square
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.search.protocol import Report

START = parse_position("7/7/2A4/3x3/4B2/7/7 a")
B1, C6 = Square(0, 1), Square(5, 2)


def read_move(text: str, position: Position) -> Square:
    square = parse_square(text, position.board)
    if not position.is_legal(square):
        raise InputError(text)
    return square


def heard(line: str, before: Report = NO_REPORT) -> Report:
    return parse_info(line, START, before, read_move)


REPORT_LINES = {
    "an estimate": (Report(1.25, 3, 40, 2.0, (B1,)), "depth 3 score cp 125"),
    "a proven win": (Report(inf, 3, 40, 2.0, (B1,), True, 7), "depth 3 score mate 7"),
    "a proven loss": (Report(-inf, 3, 40, 2.0, (B1,), True, 6), "depth 3 score mate -6"),
    "certain": (Report(-inf, 3, 40, 2.0, (B1,), True), "depth 3 score cp -1000000"),
    "past all measure": (Report(1e9, 3, 40, 2.0, (B1,)), "depth 3 score cp 999900"),
    "no opinion": (Report(None, 3, 40, 2.0, (B1,)), "depth 3"),
    "no number": (Report(nan, 3, 40, 2.0, (B1,)), "depth 3"),
}


@pytest.mark.parametrize(("report", "output"), REPORT_LINES.values(), ids=REPORT_LINES.keys())
def test_a_report_is_a_line(report: Report, output: str) -> None:
    assert format_info(report) == f"info {output} nodes 40 nps 20000 time 2 pv b1"


def test_a_report_without_nodes_or_moves_is_a_line_too() -> None:
    assert format_info(NO_REPORT) == "info depth 0 nodes 0 nps 0 time 0"


def test_a_formatted_report_is_parsed_back() -> None:
    report = heard(format_info(Report(1.25, 3, 40, 2.0, (B1, C6))))
    assert (report.score, report.depth, report.nodes, report.pv) == (1.25, 3, 40, (B1, C6))


HEARD = {
    "mate": ("score mate 3", inf),
    "mated": ("score mate -3", -inf),
    "mated already": ("score mate 0", -inf),
    "certain": ("score cp 1000000", inf),
    "a bound": ("score cp -20 upperbound", -0.2),
    "no number": ("score cp high", None),
    "no such score": ("score wdl 3", None),
    "cut short": ("score cp", None),
}


@pytest.mark.parametrize(("words", "score"), HEARD.values(), ids=HEARD.keys())
def test_a_score_is_an_opinion(words: str, score: float | None) -> None:
    report = heard(f"info depth 2 {words}")
    assert report.score == score
    assert not report.proven


NOT_BELIEVED = {
    "negative": "info depth -1 nodes -5",
    "too large": f"info depth {10**16} nodes {'9' * 5000}",
    "other digits": "info depth ٣ nodes ³",
    "for people": "info string depth 9 nodes 9",
    "another line": "info multipv 2 depth 9 nodes 9 pv b1",
    "nothing": "info",
    "cut short": "info depth",
}


@pytest.mark.parametrize("line", NOT_BELIEVED.values(), ids=NOT_BELIEVED.keys())
def test_what_cannot_be_is_passed_over(line: str) -> None:
    before = Report(1.0, 3, 40, 0.0, (B1,))
    assert heard(line, before) == before


def test_a_line_is_believed_as_far_as_it_can_be_played() -> None:
    assert heard("info pv b1 c6 b1 c3").pv == (B1, C6)
