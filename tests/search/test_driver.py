"""Slices keep the limit, check the clock often enough, and let callers stop a search."""

import random
import signal
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.game.symmetry import Symmetry, symmetries
from isolarium.game.tables import table_address
from isolarium.heuristics.bound_heuristic import parse_heuristic
from isolarium.limits import Limit
from isolarium.native.entry_points import compile_entry
from isolarium.search import driver
from isolarium.search.alphabeta import AlphaBeta, Strong
from isolarium.search.driver import SLICE_NS, Slices
from isolarium.search.kernel_state import TABLE
from isolarium.search.protocol import Random

IMPROVED = parse_heuristic("improved")
MS = 1_000_000


class Clock:
    """A simulated clock, advanced by a search of a given speed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, node_ns: Callable[[], float]) -> None:
        self.now, self.nodes, self.node_ns = 0, 0, node_ns
        self.slices: list[int] = []
        monkeypatch.setattr(driver, "perf_counter_ns", lambda: self.now)

    def advance(self, quota: int) -> bool:
        """A search that never ends."""
        took = (quota - self.nodes) * self.node_ns()
        self.slices.append(int(took))
        self.now += int(took)
        self.nodes = quota
        return False


def run_slices(extend: Callable[[int], bool], limit: Limit, stop: Callable[[], bool] | None = None) -> None:
    slices = Slices()
    slices.begin(limit, 0)
    slices.run(extend, stop)


@pytest.mark.parametrize("node_ns", [8, 200, 5_000, 20_000])
@pytest.mark.parametrize("limit_ms", [1, 20, 150, 2_000])
def test_time_is_kept_at_any_speed(node_ns: int, limit_ms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, lambda: node_ns)
    run_slices(clock.advance, Limit(time_ms=limit_ms))
    overrun = clock.now - limit_ms * MS
    slowest_first = max(0, driver.FIRST_SLICE * node_ns - limit_ms * MS)
    assert 0 <= overrun <= max(slowest_first, 16 * node_ns)
    assert max(clock.slices[1:], default=0) <= 1.1 * SLICE_NS


def test_time_is_kept_while_the_speed_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    for _ in range(200):
        clock = Clock(monkeypatch, lambda: chance.choice([10, 20, 40]))
        run_slices(clock.advance, Limit(time_ms=20))
        assert 0 <= clock.now - 20 * MS <= 3 * MS


def test_slices_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, lambda: 8)
    run_slices(clock.advance, Limit(time_ms=1000))
    assert len(clock.slices) < 1100


def test_nodes_are_asked_for_up_to_the_limit_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    for nodes in (1, 499, 500, 501, 8000, 10**6):
        clock = Clock(monkeypatch, lambda: 8)
        run_slices(clock.advance, Limit(nodes=nodes))
        assert clock.nodes == nodes


def test_stops_at_whichever_limit_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, lambda: 1000)
    run_slices(clock.advance, Limit(nodes=8000, time_ms=5))
    assert (clock.nodes < 8000, clock.now >= 5 * MS) == (True, True)
    clock = Clock(monkeypatch, lambda: 10)
    run_slices(clock.advance, Limit(nodes=8000, time_ms=5))
    assert (clock.nodes, clock.now < 5 * MS) == (8000, True)


def test_stop_is_asked_after_every_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, answers = Clock(monkeypatch, lambda: 8), iter([False, False, True])
    run_slices(clock.advance, Limit(), lambda: next(answers))
    assert len(clock.slices) == 3


def test_a_finished_search_is_not_called_again() -> None:
    quotas: list[int] = []

    def advance(quota: int) -> bool:
        quotas.append(quota)
        return len(quotas) == 2

    run_slices(advance, Limit())
    assert len(quotas) == 2


@pytest.mark.parametrize("search", [AlphaBeta(IMPROVED), Strong(IMPROVED)])
def test_an_interrupt_ends_a_search_at_once_with_the_best_so_far(search: AlphaBeta | Strong) -> None:
    """It ends after the current slice, whose length the tests above bound."""
    asked: list[bool] = []
    pressed: list[int] = []

    def stop() -> bool:
        asked.append(bool(pressed))
        if len(asked) == 3:
            signal.raise_signal(signal.SIGINT)
        return asked[-1]

    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        choice = search.choose(Position.empty(Board(13, 13)), Limit(), 1, stop)
    finally:
        signal.signal(signal.SIGINT, before)
    assert asked == [False, False, False, True]
    assert choice.report.depth >= 1
    assert choice.report.score is not None
    assert Position.empty(Board(13, 13)).is_legal(choice.move)


def test_a_time_limit_ends_a_real_search() -> None:
    search = AlphaBeta(IMPROVED)
    position = parse_position("7/7/2A4/3x3/4B2/7/7 a")
    report = search.choose(position, Limit(time_ms=20), 1).report
    assert report.time_ms >= 20
    assert report.nodes > 0
    assert not report.proven


@pytest.mark.parametrize("kind", [AlphaBeta, Strong])
def test_time_does_not_count_compiling(kind: type[AlphaBeta], monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the first move of a game would get almost no time."""
    ticks = count(step=MS)  # every look at the clock takes a millisecond

    def compile_slowly(*arguments: Any) -> Any:
        for _ in range(1000):
            next(ticks)
        return compile_entry(*arguments)

    monkeypatch.setattr(driver, "compile_entry", compile_slowly)
    monkeypatch.setattr(driver, "perf_counter_ns", lambda: next(ticks))
    position = parse_position("7/7/2A4/3x3/4B2/7/7 a")
    report = kind(IMPROVED).choose(position, Limit(time_ms=20), 1).report
    assert 20 <= report.time_ms < 25
    assert report.depth >= 3


def drawn_table(search: AlphaBeta, board: Board, seed: int | None) -> int:
    """Return the address of the table that a search uses."""
    search.start(Position.empty(board), Limit(nodes=1), seed)
    search.advance()
    return int(search.inputs.words[TABLE])


def test_the_seed_draws_every_symmetry_equally_often() -> None:
    search = AlphaBeta(IMPROVED)
    for board in (Board(7, 7), Board(9, 11)):
        images = {table_address(board, image): 0 for image in symmetries(board)}
        for seed in range(4000):
            images[drawn_table(search, board, seed)] += 1
        expected = 4000 / len(images)
        assert all(abs(count - expected) < 5 * expected**0.5 for count in images.values())


def test_without_a_seed_the_board_is_searched_as_it_is() -> None:
    board = Board(7, 7)
    plain = table_address(board, Symmetry.IDENTITY)
    assert drawn_table(AlphaBeta(IMPROVED), board, None) == plain


class Asymmetric:
    """A heuristic that depends on square numbers."""

    compiled, parameters = IMPROVED.compiled, IMPROVED.parameters

    def is_symmetric(self, board: Board) -> bool:
        """See `Evaluator`."""
        return False

    def raise_failure(self) -> None:
        """Do nothing."""


def test_an_asymmetric_heuristic_is_searched_on_the_board_as_it_is() -> None:
    board, search = Board(7, 7), AlphaBeta(Asymmetric())
    plain = table_address(board, Symmetry.IDENTITY)
    assert {drawn_table(search, board, seed) for seed in range(100)} == {plain}


def test_the_random_player_needs_a_move_too() -> None:
    with pytest.raises(InputError, match=r"^xxx/xAx/xBx a: the game is over"):
        Random().start(parse_position("xxx/xAx/xBx a"), Limit(), 1)
