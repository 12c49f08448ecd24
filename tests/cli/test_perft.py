"""`isolab perft` prints the count, the time and the rate, for people and as JSON."""

import json
import re

import pytest

from isolab.game.notation import parse_start
from isolab.game.position import Position
from tests.command import run_isolab


def count_by_the_rules(position: Position, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(
        count_by_the_rules(position.play(move), depth - 1) for move in position.legal_moves()
    )


@pytest.mark.parametrize(
    ("start", "depth"),
    [("3x3", 0), ("3x3", 9), ("4x3", 5), ("7/7/2A4/3x3/4B2/7/7 b", 4), ("xAx/xxx/xBx a", 1)],
)
def test_json_counts_as_the_rules_do(start: str, depth: int) -> None:
    position = parse_start(start)
    printed = json.loads(run_isolab("perft", start, str(depth), "--json").stdout)
    assert printed["position"] == str(position)
    assert printed["depth"] == depth
    assert printed["count"] == count_by_the_rules(position, depth)
    assert printed["time_s"] > 0


def test_text_has_count_time_and_rate() -> None:
    result = run_isolab("perft", "7x7", "4")
    figures = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in result.stdout.splitlines())
    assert figures["sequences"] == "52,672"
    assert re.fullmatch(r"[0-9.,]+ m?s", figures["time"])
    assert re.fullmatch(r"[0-9.,]+ million sequences a second", figures["rate"])
