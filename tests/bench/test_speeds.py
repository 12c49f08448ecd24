"""A speed is nodes per second, the best of several rounds, measured in turns."""

import pytest

from isolarium import bench as suites
from isolarium.bench import Effort, speeds


def test_the_best_round_of_each_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0
    order: list[str] = []
    monkeypatch.setattr(suites, "thread_time_ns", lambda: clock)

    def run(name: str, nodes: int, times_ns: list[int]) -> int:
        nonlocal clock
        order.append(name)
        clock += times_ns.pop(0)
        return nodes

    slow = [2_000_000, 4_000_000, 1_000_000]
    fast = [500_000, 500_000, 800_000, 700_000, 1_000_000]
    found = speeds([lambda: run("slow", 10, slow), lambda: run("fast", 1000, fast)], Effort(rounds=3, least_ms=1.0))
    assert found == [pytest.approx(10_000), pytest.approx(2_000_000)]
    assert "".join(name[0] for name in order) == "sff" + "sff" + "sf"


def test_a_run_too_short_for_the_clock_has_a_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suites, "thread_time_ns", lambda: 7)
    assert speeds([lambda: 10], Effort(rounds=1, least_ms=0.0)) == [pytest.approx(10e9)]
