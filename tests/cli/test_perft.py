"""`isolarium perft` prints the count, the time and the rate, for people and as JSON."""

import json
import re
import time

import pytest

from isolarium.cli import main
from isolarium.game.notation import parse_start
from isolarium.game.position import Position
from tests.command import run_isolarium

pytestmark = pytest.mark.slow


def count_by_the_rules(position: Position, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(count_by_the_rules(position.play(move), depth - 1) for move in position.legal_moves())


@pytest.mark.parametrize(
    ("start", "depth"), [("3x3", 0), ("3x3", 9), ("4x3", 5), ("7/7/2A4/3x3/4B2/7/7 b", 4), ("xAx/xxx/xBx a", 1)]
)
def test_json_counts_as_the_rules_do(start: str, depth: int) -> None:
    position = parse_start(start)
    printed = json.loads(run_isolarium("perft", start, str(depth), "--json").stdout)
    assert list(printed) == ["position", "depth", "count", "time_s", "per_second"]
    assert printed["position"] == str(position)
    assert printed["depth"] == depth
    assert printed["count"] == count_by_the_rules(position, depth)


def test_text_has_count_time_and_rate() -> None:
    result = run_isolarium("perft", "7x7", "4")
    figures = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in result.stdout.splitlines())
    assert figures["sequences"] == "52,672"
    assert re.fullmatch(r"[0-9.,]+ m?s", figures["time"])
    assert re.fullmatch(r"[0-9.,]+ million sequences a second", figures["rate"])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock that counting is timed by; nothing but a test moves it."""
    now = [10.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    return now


def test_rate_is_the_count_by_the_time(
    clock: list[float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def count_slowly(position: Position, depth: int) -> int:
        clock[0] += 2.0 * depth
        return 72

    monkeypatch.setattr("isolarium.game.perft.perft", count_slowly)
    assert main(["perft", "3x3", "2", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["count"], printed["time_s"], printed["per_second"]) == (72, 4.0, 18)


def test_a_count_too_short_for_the_clock_has_a_rate(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "3x3", "0", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["count"], printed["time_s"]) == (1, 0.0)
    assert printed["per_second"] > 0
    assert main(["perft", "3x3", "0"]) == 0
    assert "time        0.00 ms\n" in capsys.readouterr().out
    assert clock == [10.0]
